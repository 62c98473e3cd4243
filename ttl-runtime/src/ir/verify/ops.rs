//! Operations: their role, their operands, the ends of buffers that they use, where signals go.

use super::Checker;
use crate::ir::call::{Call, Kind, Operand};
use crate::ir::{
    Dest, Expr, IntTy, Leaf, LocalId, Op, Ty,
    dag::{Dag, Node},
    pipe, visit,
};
use crate::ops::TileCall;

/// The end of a circular buffer that an operation uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    In,
    Out,
}

/// The buffers of an operation with the end it uses.
pub(super) fn ends(op: &Op) -> Vec<(LocalId, End)> {
    match op {
        Op::ReserveBack { cb, .. }
        | Op::PushBack { cb, .. }
        | Op::ReadPage { cb, .. }
        | Op::WriteWord { cb, .. }
        | Op::PackTile { cb, .. } => vec![(*cb, End::Out)],
        Op::PipeReceive(receive) => vec![(receive.cb, End::Out)],
        Op::WaitFront { cb, .. }
        | Op::PopFront { cb, .. }
        | Op::KeepFront { cb }
        | Op::WritePage { cb, .. }
        | Op::CopyTile { cb, .. }
        | Op::ReuseDest { cb, .. } => vec![(*cb, End::In)],
        Op::BinaryTiles { a, b, .. } | Op::MatmulTiles { a, b, .. } | Op::MatmulBlock { a, b, .. } => {
            vec![(*a, End::In), (*b, End::In)]
        }
        Op::Tile(t) => {
            let end = |cb: LocalId| if t.output() == Some(cb) { End::Out } else { End::In };
            t.ins.iter().map(|cb| (*cb, end(*cb))).collect()
        }
        Op::Store(s) => {
            let mut ends = vec![(s.cb, End::Out)];
            ends.extend(leaf_ends(&s.leaves));
            ends
        }
        Op::Accumulate(s) => leaf_ends(&s.leaves).collect(),
        _ => Vec::new(),
    }
}

fn leaf_ends(leaves: &[Leaf]) -> impl Iterator<Item = (LocalId, End)> {
    leaves.iter().filter_map(|l| match l {
        Leaf::Front { cb, .. } => Some((*cb, End::In)),
        Leaf::Acc { .. } => None,
    })
}

/// The end of a buffer that a local stands for.
pub(super) fn end_of(ty: &Ty) -> Option<End> {
    match ty.peeled() {
        Ty::CbIn(_) | Ty::Front(_) => Some(End::In),
        Ty::CbOut(_) | Ty::Reserved(_) => Some(End::Out),
        _ => None,
    }
}

impl Checker<'_, '_> {
    pub(super) fn op(&mut self, op: &Op) {
        let dm = super::data_movement(self.module.role);
        let allowed = match op {
            Op::ReserveBack { .. } | Op::PushBack { .. } => true,
            Op::WaitFront { .. } | Op::PopFront { .. } | Op::KeepFront { .. } => true,
            Op::ReadPage { .. }
            | Op::WritePage { .. }
            | Op::WriteWord { .. }
            | Op::SendPages { .. }
            | Op::SemaphoreSet { .. }
            | Op::SemaphoreWait { .. }
            | Op::SemaphoreInc { .. }
            | Op::SemaphoreSend { .. }
            | Op::PipeSend(_)
            | Op::PipeReceive(_)
            | Op::Call(_)
            | Op::ReadBarrier
            | Op::WriteBarrier
            | Op::WritesFlushed
            | Op::AtomicBarrier => dm,
            _ => !dm,
        };
        if !allowed {
            self.fail(format!("{} in a {} kernel", name_of(op), self.module.role.name()));
        }
        if matches!(op, Op::Init(_)) {
            self.fail("a set-up operation before the passes");
        }
        for (local, end) in ends(op) {
            let both = self.f.temps.iter().any(|(_, temp)| *temp == local);
            if !both && end_of(&self.f.local(local).ty) != Some(end) {
                let l = self.f.local(local);
                let message = format!("{} of `{}: {}`", name_of(op), l.name, l.ty);
                self.fail(message);
            }
        }
        if let Op::ReadPage { tensor, .. } | Op::WritePage { tensor, .. } = op
            && !matches!(self.f.local(*tensor).ty.peeled(), Ty::TensorAccessor(_))
        {
            self.fail(format!("{} without a tensor", name_of(op)));
        }
        if let Op::Tile(t) = op
            && (!t.call.exists()
                || t.ins.len() != t.call.buffers()
                || (t.dst().is_none() && t.call.register().is_some()))
        {
            self.fail(format!("a tile call {:?} with {} blocks and {} numbers", t.call, t.ins.len(), t.args.len()));
        }
        self.signals(op);
        let mut operands = Vec::new();
        visit::op_exprs(op, &mut |e| operands.push(e));
        self.unordered(&operands);
        if let Op::Call(call) = op {
            self.call(call);
        }
        visit::op_exprs(op, &mut |e| {
            // Whether running sums begin.
            let flag = matches!(op, Op::Tile(t) if t.call == TileCall::Cumsum) && e.ty == Ty::Bool;
            if !matches!(op, Op::Call(_)) && e.ty != Ty::Int(IntTy::U32) && !flag {
                self.same(&Ty::U32, &e.ty, "an operand");
            }
        });
        for register in registers(op) {
            if let Some(register) = register.as_u32().filter(|r| *r >= 16) {
                let message = format!("tile register {register} does not exist");
                self.mistake(
                    message,
                    "there are at most 16, from 0 to 15; 8 of 16 bits or 4 of 32 bits without `dst_full_sync`",
                );
            }
        }
        match op {
            Op::Store(s) => {
                self.expression(&s.dag, &s.leaves, &s.scalars);
                // One that adds to a buffer in L1 has the accumulator among its leaves, but not in its expression.
                if s.leaves.iter().any(|l| matches!(l, Leaf::Acc { .. })) && !s.acquired && !s.adds {
                    self.fail("a store of an accumulator without its registers");
                }
            }
            Op::Accumulate(s) => {
                self.expression(&s.dag, &s.leaves, &s.scalars);
                if !s.leaves.iter().any(|l| matches!(l, Leaf::Acc { .. })) {
                    self.fail("an accumulation without an accumulator");
                }
            }
            _ => {}
        }
    }

    fn expression(&mut self, dag: &Dag, leaves: &[Leaf], scalars: &[Expr]) {
        let count = leaves.len() as u32;
        let described = dag.nodes.iter().all(|n| !matches!(n, Node::Leaf(l) if *l >= count));
        let ordered = (0..).zip(&dag.nodes).all(|(at, n)| n.operands().all(|x| x.0 < at));
        let valued = dag.nodes.iter().all(|n| n.words().range().end <= scalars.len());
        let rooted = dag.root.is_some_and(|r| (r.0 as usize) < dag.nodes.len());
        if !(described && ordered && valued && rooted) {
            self.fail("an ill-formed expression of blocks");
        }
    }

    /// Operands of a call of the kernel API against its row.
    pub(super) fn call(&mut self, call: &Call) {
        // Argument words are there for every processor.
        let words = call.row.operands.first() == Some(&Kind::Words);
        if call.row.is_for_compute() == super::data_movement(self.module.role) && !words {
            self.fail(format!("`{}` in a {} kernel", call.row.method, self.module.role.name()));
        }
        if call.operands.len() != call.row.operands.len() {
            self.fail(format!("`{}` with {} operands", call.row.method, call.operands.len()));
        }
        for (operand, kind) in call.operands.iter().zip(call.row.operands) {
            let ty = match operand {
                Operand::Value(e) => e.ty.clone(),
                Operand::Name(l) => self.f.local(*l).ty.peeled().clone(),
            };
            let fits = match kind {
                Kind::U32 => ty == Ty::U32,
                Kind::Bool => ty == Ty::Bool,
                Kind::Addr => ty == Ty::NocAddr,
                Kind::L1 => matches!(ty, Ty::L1Ptr(_)),
                Kind::Element => matches!(ty, Ty::Int(_) | Ty::F32),
                Kind::CbIn | Kind::Front => end_of(&ty) == Some(End::In),
                Kind::CbOut | Kind::Reserved => end_of(&ty) == Some(End::Out),
                Kind::Tensor => matches!(ty, Ty::TensorAccessor(_)),
                Kind::Semaphore => ty == Ty::Semaphore,
                Kind::Core => ty == Ty::Core,
                Kind::Range => ty == Ty::CoreRange,
                Kind::Words => matches!(ty, Ty::Words | Ty::CommonWords),
            };
            if !fits && ty != Ty::Never {
                self.fail(format!("`{}` with a {ty} for {kind:?}", call.row.method));
            }
        }
    }

    /// What goes to other cores: its ends, semaphores and destinations.
    fn signals(&mut self, op: &Op) {
        let both = match op {
            Op::PipeSend(send) => Some([send.ready, send.valid]),
            Op::PipeReceive(receive) => Some([receive.ready, receive.valid]),
            _ => None,
        };
        for semaphore in both.into_iter().flatten() {
            if *self.f.local(semaphore).ty.peeled() != Ty::Semaphore {
                self.fail(format!("{} without its semaphores", name_of(op)));
            }
        }
        let (semaphore, core, range) = match op {
            Op::PipeSend(send) => {
                for block in [send.src, send.dst] {
                    if end_of(&self.f.local(block).ty).is_none() {
                        self.fail("PipeSend of something that is no block");
                    }
                }
                match send.to {
                    pipe::To::Core(core) => (None, Some(core), None),
                    pipe::To::Range { range, .. } => (None, None, Some(range)),
                }
            }
            Op::PipeReceive(receive) => (None, Some(receive.sender), None),
            Op::SendPages { src, dst, to, .. } => {
                for block in [src, dst] {
                    if end_of(&self.f.local(*block).ty).is_none() {
                        self.fail("SendPages of something that is no block");
                    }
                }
                let (core, range) = to_of(to);
                (None, core, range)
            }
            Op::SemaphoreSet { semaphore, .. } | Op::SemaphoreWait { semaphore, .. } => (Some(*semaphore), None, None),
            Op::SemaphoreInc { semaphore, core, .. } => (Some(*semaphore), Some(*core), None),
            Op::SemaphoreSend { semaphore, to, .. } => {
                let (core, range) = to_of(to);
                (Some(*semaphore), core, range)
            }
            _ => return,
        };
        for (local, ty) in [(semaphore, Ty::Semaphore), (core, Ty::Core), (range, Ty::CoreRange)] {
            if let Some(local) = local
                && *self.f.local(local).ty.peeled() != ty
            {
                let l = self.f.local(local);
                let message = format!("{} with `{}: {}`, must be {ty}", name_of(op), l.name, l.ty);
                self.fail(message);
            }
        }
    }
}

/// The core or the rectangle of a destination.
fn to_of(to: &Dest) -> (Option<LocalId>, Option<LocalId>) {
    match to {
        Dest::Core(core) => (Some(*core), None),
        Dest::Many { range, .. } => (None, Some(*range)),
    }
}

/// The register operands of an operation.
fn registers(op: &Op) -> Vec<&Expr> {
    match op {
        Op::CopyTile { dst, .. }
        | Op::BinaryTiles { dst, .. }
        | Op::ReuseDest { dst, .. }
        | Op::MatmulTiles { dst, .. }
        | Op::MatmulBlock { dst, .. }
        | Op::Unary { dst, .. }
        | Op::PackTile { dst, .. } => vec![dst],
        Op::Tile(t) => t.dst().into_iter().collect(),
        Op::CopyRegs { src, dst } => vec![src, dst],
        Op::BinaryRegs { a, b, dst, .. } => vec![a, b, dst],
        Op::TernaryRegs { operands, dst, .. } => operands.iter().chain([dst]).collect(),
        _ => Vec::new(),
    }
}

/// An operation's name for messages.
pub(super) fn name_of(op: &Op) -> String {
    let debug = format!("{op:?}");
    debug.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_owned()
}
