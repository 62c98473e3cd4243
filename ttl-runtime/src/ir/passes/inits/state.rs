//! What the device is set up for, what operations need, and what a called function leaves behind.

use crate::ir::passes::buffers::{Buffers, TileFormat};
use crate::ir::{FnId, Init, LocalId, Module, Op, Stmt, StmtKind, TileInit, TileOp, visit};
use crate::ops::TileCall;
use std::collections::BTreeSet;

pub(super) const FIELDS: usize = 7;
pub(super) const MATRIX: usize = 0;
pub(super) const SFPU: usize = 1;
pub(super) const SRCA: usize = 2;
pub(super) const SRCB: usize = 3;
pub(super) const PACK: usize = 4;
pub(super) const UNDO: usize = 5;
pub(super) const L1_ACC: usize = 6;

/// What a unit is set up for depends on the formats of the buffers alone (all tiles are 32x32), so a set-up made for one buffer serves
/// another with the same format: here an init names formats in place of buffers, by [`Formats::canonical`].
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Init(Init),
    Format(TileFormat),
    /// A call whose init has to be undone before others, if any.
    Undo(Option<TileCall>),
    L1Acc(bool),
}

/// A value that an operation needs, and what brings it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Need {
    pub(super) value: Value,
    pub(super) by: By,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum By {
    Init(Init),
    /// Reconfiguration to this buffer's format.
    Buffer(LocalId),
    /// Undoing what is in force.
    Undoing,
}

pub(super) type Needs = [Option<Need>; FIELDS];

/// `None`: not known.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct State(pub(super) [Option<Value>; FIELDS]);

/// The fields, named for messages.
pub(super) const NAMES: [&str; FIELDS] = [
    "matrix unit set-up",
    "SFPU set-up",
    "SrcA format",
    "SrcB format",
    "pack format",
    "what has to be undone",
    "L1 accumulation",
];

impl State {
    /// What is known after two paths meet.
    pub(super) fn meet(&self, other: &State) -> State {
        let mut met = self.clone();
        for (field, theirs) in met.0.iter_mut().zip(&other.0) {
            if field != theirs {
                *field = None;
            }
        }
        met
    }

    /// Forgets what was said in terms of a local whose value changes.
    pub(super) fn forget(&mut self, local: LocalId) {
        for field in &mut self.0 {
            if field.as_ref().is_some_and(|v| scalars(v).contains(&local)) {
                *field = None;
            }
        }
    }

    /// What an operation leaves that has its needs.
    pub(super) fn after(&mut self, op: &Op) {
        match op {
            Op::Tile(t) if t.clobbers() => self.0[MATRIX] = None,
            // The next call needs a seed of its own.
            Op::Unary { op, .. } if op.row().random => self.0[SFPU] = None,
            _ => {}
        }
    }

    pub(super) fn apply(&mut self, need: &Needs) {
        for (field, need) in self.0.iter_mut().zip(need) {
            if let Some(need) = need {
                *field = Some(need.value.clone());
            }
        }
    }

    /// After a set-up call.
    pub(super) fn init(&mut self, cx: &Formats<'_>, init: &Init) {
        match init {
            Init::Startup { reverse, in0, in1, out } => {
                let (a, b) = if *reverse { (in1, in0) } else { (in0, in1) };
                *self = State::default();
                self.0[SRCA] = cx.value(*a);
                self.0[SRCB] = cx.value(*b);
                self.0[PACK] = cx.value(*out);
                self.0[UNDO] = Some(Value::Undo(None));
                self.0[L1_ACC] = Some(Value::L1Acc(false));
            }
            Init::Reconfig { srca, srcb } => {
                if let Some(a) = srca {
                    self.0[SRCA] = cx.value(*a);
                }
                if let Some(b) = srcb {
                    self.0[SRCB] = cx.value(*b);
                }
            }
            Init::PackReconfig { cb } => self.0[PACK] = cx.value(*cb),
            Init::L1Acc(on) => self.0[L1_ACC] = Some(Value::L1Acc(*on)),
            Init::Unary(..) | Init::BinaryRegs(..) | Init::TernaryRegs(_) | Init::CopyRegs => {
                self.0[SFPU] = cx.canonical(init);
            }
            Init::Tile(tile) if tile.call.on_vector_unit() => self.0[SFPU] = cx.canonical(init),
            Init::Tile(tile) => {
                self.0[MATRIX] = cx.canonical(init);
                if tile.call.undo().is_some() {
                    self.0[UNDO] = Some(Value::Undo(Some(tile.call)));
                }
            }
            Init::Undo(_) => {
                self.0[MATRIX] = None;
                self.0[UNDO] = Some(Value::Undo(None));
            }
            Init::Copy { .. }
            | Init::Binary { .. }
            | Init::ReuseDest { .. }
            | Init::Matmul { .. }
            | Init::MatmulBlock { .. } => self.0[MATRIX] = cx.canonical(init),
        }
    }
}

/// Where paths meet; `None` is a place that is not reached.
pub(super) fn meet(a: Option<State>, b: Option<State>) -> Option<State> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.meet(&b)),
        (a, b) => a.or(b),
    }
}

/// Scalar locals a value is written in terms of.
pub(super) fn scalars(value: &Value) -> BTreeSet<LocalId> {
    let mut locals = BTreeSet::new();
    if let Value::Init(init) = value {
        visit::init_exprs(init, &mut |e| visit::expr_locals(e, &mut locals));
    }
    locals
}

/// Formats of one function's locals.
#[derive(Clone, Copy)]
pub(super) struct Formats<'a> {
    pub(super) module: &'a Module,
    pub(super) buffers: &'a Buffers,
    pub(super) function: u32,
    /// A call of the module whose init has to be undone: most modules have none, and nothing to keep track of.
    pub(super) undone: Option<TileCall>,
    /// Something is packed with L1 accumulation.
    pub(super) l1_acc: bool,
}

impl<'a> Formats<'a> {
    pub(super) fn new(module: &'a Module, buffers: &'a Buffers, function: u32) -> Formats<'a> {
        let (mut undone, mut l1_acc) = (None, false);
        for f in &module.fns {
            visit::each_stmt(&f.body, &mut |stmt| {
                if let StmtKind::Op(Op::Tile(t)) = &stmt.kind {
                    undone = undone.or(t.call.undo().map(|_| t.call));
                    l1_acc |= t.call == TileCall::PackAcc;
                }
            });
        }
        Formats { module, buffers, function, undone, l1_acc }
    }
}

impl Formats<'_> {
    pub(super) fn nothing_to_undo(&self) -> Option<Need> {
        self.undone.map(|_| Need { value: Value::Undo(None), by: By::Undoing })
    }

    pub(super) fn accumulates(&self, on: bool) -> Option<Need> {
        self.l1_acc.then_some(Need { value: Value::L1Acc(on), by: By::Init(Init::L1Acc(on)) })
    }

    /// What a section of tile registers needs when it begins; `rest` is what follows. The packer must be whole again for registers that
    /// the matrix unit has no part in: its own operations see to that themselves. And it gets its format before a reduction sets it up: the library
    /// forbids to change the format after that.
    pub(super) fn section_needs(&self, rest: &[Stmt], summaries: &[Summary]) -> Needs {
        let mut needs = Needs::default();
        if self.undone.is_none() {
            return needs;
        }
        if !self.computes(rest, summaries) {
            needs[UNDO] = self.nothing_to_undo();
        } else if let Some(cb) = self.packed_after_reduction(rest) {
            needs[PACK] = self.need(cb);
        }
        needs
    }

    /// The first buffer that a section packs to, if it reduces before.
    fn packed_after_reduction(&self, rest: &[Stmt]) -> Option<LocalId> {
        let end = rest.iter().position(|s| matches!(s.kind, StmtKind::Op(Op::Release))).unwrap_or(rest.len());
        let (mut reduces, mut packed) = (false, None);
        visit::each_stmt(&rest[..end], &mut |stmt| match &stmt.kind {
            StmtKind::Op(Op::Tile(t)) if t.call.undo().is_some() => reduces = true,
            StmtKind::Op(Op::PackTile { cb, .. }) if reduces => packed = packed.or(Some(*cb)),
            StmtKind::Op(Op::Tile(t)) if reduces => packed = packed.or(t.output()),
            _ => {}
        });
        packed
    }

    /// Whether the matrix unit has an operation before the section ends. Loops count as running.
    fn computes(&self, rest: &[Stmt], summaries: &[Summary]) -> bool {
        for stmt in rest {
            let mut found = false;
            visit::stmt_calls(stmt, &mut |call| {
                found |= summaries.get(call.callee.0 as usize).is_some_and(|s| s.touched[MATRIX]);
            });
            found |= match &stmt.kind {
                StmtKind::Op(Op::Commit | Op::Acquire) => return false,
                StmtKind::Op(op) => self.needs(op)[MATRIX].is_some(),
                StmtKind::For(l) => self.computes(&l.body, summaries),
                StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::Block(body) => {
                    self.computes(body, summaries)
                }
                _ => false,
            };
            if found {
                return true;
            }
        }
        false
    }

    /// Every operation of a block with what it needs, at any depth.
    pub(super) fn each_need(&self, block: &[Stmt], summaries: &[Summary], f: &mut dyn FnMut(&Stmt, Needs)) {
        for (at, stmt) in block.iter().enumerate() {
            let needs = match &stmt.kind {
                StmtKind::Op(Op::Acquire) => self.section_needs(&block[at + 1..], summaries),
                StmtKind::Op(op) => self.needs(op),
                _ => Needs::default(),
            };
            f(stmt, needs);
            for inner in visit::blocks_of(stmt) {
                self.each_need(inner, summaries, f);
            }
        }
    }

    /// Whether the function packs, or calls one that does.
    pub(super) fn packs(&self, summaries: &[Summary]) -> bool {
        let mut packs = false;
        visit::each_stmt(&self.module.fns[self.function as usize].body, &mut |stmt| {
            visit::stmt_calls(stmt, &mut |call| {
                packs |= summaries.get(call.callee.0 as usize).is_some_and(|s| s.touched[PACK]);
            });
            packs |= matches!(&stmt.kind, StmtKind::Op(op) if self.needs(op)[PACK].is_some());
        });
        packs
    }

    pub(super) fn value(&self, local: LocalId) -> Option<Value> {
        self.buffers.tile_format(self.module, self.function, local).map(Value::Format)
    }

    /// An init with a number for its format in place of each buffer.
    pub(super) fn canonical(&self, init: &Init) -> Option<Value> {
        let code = |local: LocalId| {
            let t = self.buffers.tile_format(self.module, self.function, local)?;
            Some(LocalId(2 * t.format.metalium_value() + u32::from(t.to_dest)))
        };
        Some(Value::Init(match init {
            Init::Copy { cb } => Init::Copy { cb: code(*cb)? },
            Init::Binary { op, a, b } => Init::Binary { op: *op, a: code(*a)?, b: code(*b)? },
            Init::ReuseDest { op, reversed, cb } => Init::ReuseDest { op: *op, reversed: *reversed, cb: code(*cb)? },
            Init::Matmul { a, b } => Init::Matmul { a: code(*a)?, b: code(*b)? },
            Init::MatmulBlock { a, b, transposed, ct, rt, kt } => Init::MatmulBlock {
                a: code(*a)?,
                b: code(*b)?,
                transposed: *transposed,
                ct: ct.clone(),
                rt: rt.clone(),
                kt: kt.clone(),
            },
            Init::Tile(t) => {
                let ins = t.ins.iter().map(|cb| code(*cb)).collect::<Option<Vec<_>>>()?;
                Init::Tile(TileInit { call: t.call, ins })
            }
            Init::Unary(..) | Init::BinaryRegs(..) | Init::TernaryRegs(_) | Init::CopyRegs => init.clone(),
            Init::Undo(_)
            | Init::L1Acc(_)
            | Init::Startup { .. }
            | Init::Reconfig { .. }
            | Init::PackReconfig { .. } => {
                return None;
            }
        }))
    }

    fn need(&self, local: LocalId) -> Option<Need> {
        Some(Need { value: self.value(local)?, by: By::Buffer(local) })
    }

    /// What an operation needs to be in force.
    pub(super) fn needs(&self, op: &Op) -> Needs {
        let init = |init: Init| Some(Need { value: self.canonical(&init)?, by: By::Init(init) });
        let mut needs = Needs::default();
        match op {
            Op::CopyTile { cb, .. } => {
                needs[MATRIX] = init(Init::Copy { cb: *cb });
                needs[SRCA] = self.need(*cb);
            }
            Op::BinaryTiles { op, a, b, .. } => {
                let (op, a, b) = (*op, *a, *b);
                needs[MATRIX] = init(Init::Binary { op, a, b });
                needs[SRCA] = self.need(a);
                needs[SRCB] = self.need(b);
            }
            Op::ReuseDest { op, reversed, cb, .. } => {
                let (op, reversed, cb) = (*op, *reversed, *cb);
                needs[MATRIX] = init(Init::ReuseDest { op, reversed, cb });
                // The tile goes to one source register and the tile register to the other, in the same format.
                needs[SRCA] = self.need(cb);
                needs[SRCB] = self.need(cb);
            }
            // The matrix product takes its second operand as SrcA.
            Op::MatmulTiles { a, b, .. } => {
                let (a, b) = (*a, *b);
                needs[MATRIX] = init(Init::Matmul { a, b });
                needs[SRCA] = self.need(b);
                needs[SRCB] = self.need(a);
            }
            Op::MatmulBlock { a, b, transposed, ct, rt, kt, .. } => {
                let (a, b, transposed) = (*a, *b, *transposed);
                let (ct, rt, kt) = (ct.clone(), rt.clone(), kt.clone());
                needs[MATRIX] = init(Init::MatmulBlock { a, b, transposed, ct, rt, kt });
                needs[SRCA] = self.need(b);
                needs[SRCB] = self.need(a);
            }
            Op::Tile(t) => {
                let tile = t.init();
                let [a, b] = t.sources();
                let unit = if t.call.on_vector_unit() { SFPU } else { MATRIX };
                needs[unit] = tile.clone().and_then(init);
                needs[PACK] = t.output().and_then(|out| self.need(out));
                needs[SRCA] = a.and_then(|a| self.need(a));
                needs[SRCB] = b.and_then(|b| self.need(b));
                if t.clobbers() {
                    needs[UNDO] = self.nothing_to_undo();
                }
                if let (Some(tile), true) = (tile, t.call.undo().is_some()) {
                    needs[UNDO] = Some(Need { value: Value::Undo(Some(t.call)), by: By::Init(tile) });
                }
            }
            Op::Unary { op, words, .. } => {
                let words = words.iter().take(op.row().init_words).cloned().collect();
                needs[SFPU] = init(Init::Unary(op.prepared(), words));
            }
            Op::BinaryRegs { op, words, .. } => {
                let words = words.iter().take(op.row().init_words).cloned().collect();
                needs[SFPU] = init(Init::BinaryRegs(op.prepared(), words));
            }
            Op::TernaryRegs { op, .. } => needs[SFPU] = init(Init::TernaryRegs(op.prepared())),
            Op::CopyRegs { .. } => needs[SFPU] = init(Init::CopyRegs),
            Op::PackTile { cb, .. } => needs[PACK] = self.need(*cb),
            _ => {}
        }
        if needs[PACK].is_some() {
            needs[L1_ACC] = self.accumulates(matches!(op, Op::Tile(TileOp { call: TileCall::PackAcc, .. })));
        }
        if needs[MATRIX].is_some() && needs[UNDO].is_none() {
            needs[UNDO] = self.nothing_to_undo();
        }
        needs
    }
}

/// What a function does to the state.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    pub(super) touched: [bool; FIELDS],
    pub(super) exit: State,
    /// Whether no section of tile registers is open when it is called; `None` if it has nothing to do with them.
    pub(super) starts_free: Option<bool>,
}

impl Summary {
    pub(super) fn new(touched: [bool; FIELDS], exit: Option<State>, starts_free: Option<bool>) -> Summary {
        let mut exit = exit.unwrap_or_default();
        // What is said in terms of the function's own scalars says nothing to its caller.
        for field in &mut exit.0 {
            if field.as_ref().is_some_and(|v| !scalars(v).is_empty()) {
                *field = None;
            }
        }
        Summary { touched, exit, starts_free }
    }

    pub(super) fn apply(&self, state: &mut State, conditional: bool) {
        for (field, touched) in self.touched.iter().enumerate() {
            if *touched && (!conditional || state.0[field] != self.exit.0[field]) {
                state.0[field] = match conditional {
                    false => self.exit.0[field].clone(),
                    true => None,
                };
            }
        }
    }
}

/// What device functions may assume at entry: the formats that are the only ones of their kind in the whole kernel.
pub(super) fn uniform_formats(module: &Module, buffers: &Buffers, startup: Option<&Init>) -> State {
    let mut seen: [Vec<Value>; FIELDS] = Default::default();
    let mut note = |field: usize, value: Option<Value>| {
        if let Some(value) = value
            && !seen[field].contains(&value)
        {
            seen[field].push(value);
        }
    };
    for at in 0..module.fns.len() as u32 {
        let function = at;
        let cx = Formats::new(module, buffers, function);
        visit::each_stmt(&module.function(FnId(at)).body, &mut |stmt| {
            if let StmtKind::Op(op) = &stmt.kind {
                let needs = cx.needs(op);
                for field in [SRCA, SRCB, PACK] {
                    note(field, needs[field].as_ref().map(|n| n.value.clone()));
                }
            }
        });
    }
    if let Some(startup) = startup {
        let cx = Formats::new(module, buffers, module.fns.len() as u32 - 1);
        let mut state = State::default();
        state.init(&cx, startup);
        for field in [SRCA, SRCB, PACK] {
            note(field, state.0[field].clone());
        }
    }
    let mut uniform = State::default();
    for field in [SRCA, SRCB, PACK] {
        if let [only] = seen[field].as_slice() {
            uniform.0[field] = Some(only.clone());
        }
    }
    uniform
}
