//! Calls of the kernel API by their row: `ttl::raw`, and the typed calls that are one such call.

use super::Lower;
use super::value::{ResKind, Value};
use crate::ir::call::{self, Call, Effect, Kind, Operand, Row};
use crate::ir::{BinOp, Expr, ExprKind, LocalId, Op, Query, Ty};
use ttl_skeleton as sk;

impl Lower<'_> {
    /// A method of a token that is a row of the table, or made of one.
    pub(super) fn token_call(&mut self, name: &str, args: &[sk::Expr]) -> Option<Value> {
        let value = match (name, args) {
            ("raw", []) => Value::Token,
            ("noc_async_read_barrier", []) => self.effect(Op::ReadBarrier),
            ("noc_async_write_barrier", []) => self.effect(Op::WriteBarrier),
            ("noc_async_writes_flushed", []) => self.effect(Op::WritesFlushed),
            ("noc_async_atomic_barrier", []) => self.effect(Op::AtomicBarrier),
            ("read_page_with_trid", [tensor, page, dst, trid]) => {
                let tensor = self.tensor_of(tensor)?;
                let [page, trid] = self.pair(page, trid);
                let cb = self.guard_cb(dst)?;
                let trid = self.with_id(call::READ_ID, trid);
                self.op(Op::ReadPage { tensor, page, cb, index: Expr::u32(0) });
                self.resource(ResKind::TaggedRead { cb, trid })
            }
            ("read_into_with_trid", [dst, trid]) => {
                let cb = self.guard_cb(dst)?;
                let trid = self.scalar(trid);
                let trid = self.with_id(call::READ_ID, trid);
                self.resource(ResKind::TaggedRead { cb, trid })
            }
            ("write_page_with_trid", [tensor, page, src, trid]) => {
                let tensor = self.tensor_of(tensor)?;
                let [page, trid] = self.pair(page, trid);
                let cb = self.guard_cb(src)?;
                let trid = self.with_id(call::WRITE_ID, trid);
                self.op(Op::WritePage { tensor, page, cb, index: Expr::u32(0) });
                self.resource(ResKind::TaggedWrite { cb, trid })
            }
            ("write_from_with_trid", [src, trid]) => {
                let cb = self.guard_cb(src)?;
                let trid = self.scalar(trid);
                let trid = self.with_id(call::WRITE_ID, trid);
                self.resource(ResKind::TaggedWrite { cb, trid })
            }
            ("read_page_at", [tensor, page, offset, dst, to, bytes]) => {
                let cb = self.guard_cb(dst)?;
                self.part(call::READ_AT, cb, [tensor, page, offset, to, bytes])?;
                self.resource(ResKind::Read { cb })
            }
            ("write_page_at", [tensor, page, offset, src, from, bytes]) => {
                let cb = self.guard_cb(src)?;
                self.part(call::WRITE_AT, cb, [tensor, page, offset, from, bytes])?;
                self.resource(ResKind::Write { cb })
            }
            ("read_from_core", [core, dst]) => {
                let core = self.core(core)?;
                let (cb, pages) = self.sent_block(dst)?;
                self.api(call::READ_FROM_CORE, vec![Operand::Name(core), Operand::Name(cb), Operand::Value(pages)]);
                self.resource(ResKind::Read { cb })
            }
            ("copy_pages", [src, dst]) => {
                let (src, pages) = self.sent_block(src)?;
                let cb = self.guard_cb(dst)?;
                self.api(call::COPY_BLOCK, vec![Operand::Name(src), Operand::Name(cb), Operand::Value(pages)]);
                self.resource(ResKind::Read { cb })
            }
            ("semaphore_inc_multicast", [semaphore, range, value, num_dests]) => {
                let semaphore = self.semaphore(semaphore)?;
                let Value::CoreRange(range) = self.expr(range) else { return Some(Value::Never) };
                let [value, num_dests] = self.pair(value, num_dests);
                let operands = [Operand::Name(range), Operand::Name(semaphore)];
                let values = [Operand::Value(value), Operand::Value(num_dests)];
                self.api(call::INC_MULTICAST, operands.into_iter().chain(values).collect())
            }
            _ => {
                let row = call::of_token(name, args.len())?;
                self.by_row(row, None, args)
            }
        };
        Some(value)
    }

    /// A part of a page, by the methods of tokens and of transfers.
    pub(super) fn part(&mut self, row: &'static Row, cb: LocalId, args: [&sk::Expr; 5]) -> Option<Value> {
        let [tensor, page, offset, at, bytes] = args;
        let tensor = self.tensor_of(tensor)?;
        let values = self.operands(&[page, offset, at, bytes]);
        let [page, offset, at, bytes] = <[Expr; 4]>::try_from(values).ok()?.map(Operand::Value);
        Some(self.api(row, vec![Operand::Name(tensor), page, offset, Operand::Name(cb), at, bytes]))
    }

    /// Transfers from here on have this id, which is needed again when they are waited for.
    fn with_id(&mut self, row: &'static Row, trid: Expr) -> Expr {
        let trid = self.stable(trid);
        self.api(row, vec![Operand::Value(trid.clone())]);
        trid
    }

    /// A method of another value that is a row of the table.
    pub(super) fn value_call(&mut self, recv: &Value, name: &str, args: &[sk::Expr]) -> Option<Value> {
        let kind = match recv {
            Value::Core(_) => Kind::Core,
            Value::CoreRange(_) => Kind::Range,
            Value::Semaphore(_) => Kind::Semaphore,
            Value::Tensor(_) => Kind::Tensor,
            Value::CbIn(_) => Kind::CbIn,
            Value::CbOut(_) => Kind::CbOut,
            Value::Words(_) => Kind::Words,
            Value::Scalar(e) => kind_of(&e.ty)?,
            Value::Place(place) => kind_of(&place.ty)?,
            _ => return None,
        };
        match (kind, name, args) {
            (Kind::Words, "core", [index]) => {
                let get = call::VALUES.iter().find(|r| r.method == "get")?;
                let word = self.by_row(get, Some(recv), std::slice::from_ref(index));
                let word = self.as_scalar(word);
                let word = self.spill(word);
                let core = self.place_of(word);
                return Some(Value::Core(core));
            }
            (Kind::L1, "read", [index]) => {
                let pointer = self.as_scalar(recv.clone());
                let ty = element(&pointer.ty);
                let [pointer, index] = self.receiver_and(pointer, index);
                let row = &call::READ_ELEMENT;
                let call = Call { row, operands: vec![Operand::Value(pointer), Operand::Value(index)] };
                let value = Expr { ty, kind: ExprKind::Query(Query::Call(Box::new(call))) };
                return Some(Value::Scalar(self.spill(value)));
            }
            (Kind::L1, "at", [index]) => {
                let pointer = self.as_scalar(recv.clone());
                let ty = pointer.ty.clone();
                let [pointer, index] = self.receiver_and(pointer, index);
                let bytes = element(&ty).int().map_or(4, |i| u32::from(i.bits / 8));
                let far = super::expr::binary(BinOp::Mul, index, Expr::u32(bytes));
                let addr = super::expr::binary(BinOp::Add, address(pointer), far);
                let row = call::token_rows().find(|r| r.result.as_ref() == Some(&ty))?;
                let call = Call { row, operands: vec![Operand::Value(addr)] };
                return Some(Value::Scalar(Expr { ty, kind: ExprKind::Query(Query::Call(Box::new(call))) }));
            }
            _ => {}
        }
        let fits =
            |r: &&Row| r.method == name && r.operands.first() == Some(&kind) && r.operands.len() == args.len() + 1;
        let row = call::VALUES.iter().find(fits)?;
        Some(self.by_row(row, Some(recv), args))
    }

    /// A local for the core that an argument word names.
    fn place_of(&mut self, word: Expr) -> LocalId {
        let row = &call::CORE_OF_WORD;
        let call = Call { row, operands: vec![Operand::Value(word)] };
        let init = Expr { ty: Ty::Core, kind: ExprKind::Query(Query::Call(Box::new(call))) };
        let local = self.new_local("core", Ty::Core, false);
        self.emit(crate::ir::StmtKind::Let { local, init: Some(init) });
        local
    }

    fn by_row(&mut self, row: &'static Row, recv: Option<&Value>, args: &[sk::Expr]) -> Value {
        // rustc has seen to the types; without a value the error is reported already.
        self.try_row(row, recv, args).unwrap_or(Value::Never)
    }

    fn try_row(&mut self, row: &'static Row, recv: Option<&Value>, args: &[sk::Expr]) -> Option<Value> {
        let kinds = &row.operands[row.operands.len() - args.len()..];
        let is_value = |k: Kind| matches!(k, Kind::U32 | Kind::Bool | Kind::Addr | Kind::L1 | Kind::Element);
        let mut names = Vec::new();
        let mut scalars = Vec::new();
        for (arg, kind) in args.iter().zip(kinds) {
            if is_value(*kind) {
                scalars.push(arg);
            } else {
                let value = self.expr(arg);
                names.push(self.named(&value)?);
            }
        }
        let mut operands = Vec::new();
        let values = match recv.map(|r| (r, self.named(r))) {
            Some((_, Some(local))) => {
                operands.push(Operand::Name(local));
                self.operands(&scalars)
            }
            Some((recv, None)) => {
                let pointer = self.as_scalar(recv.clone());
                let pointer = if scalars.is_empty() { pointer } else { self.stable(pointer) };
                operands.push(Operand::Value(pointer));
                self.operands(&scalars)
            }
            None => self.operands(&scalars),
        };
        let (mut values, mut names) = (values.into_iter(), names.into_iter());
        for kind in kinds {
            operands.push(if is_value(*kind) { Operand::Value(values.next()?) } else { Operand::Name(names.next()?) });
        }
        Some(self.api(row, operands))
    }

    /// Emits the call, or gives its value.
    pub(super) fn api(&mut self, row: &'static Row, operands: Vec<Operand>) -> Value {
        let call = Box::new(Call { row, operands });
        let Some(ty) = row.result.clone() else { return self.effect(Op::Call(call)) };
        let value = Expr { ty, kind: ExprKind::Query(Query::Call(call)) };
        // What may change is looked at now.
        Value::Scalar(if row.effect == Effect::Pure { value } else { self.spill(value) })
    }

    /// The local that a value which is no number stands for.
    fn named(&self, value: &Value) -> Option<LocalId> {
        match value {
            Value::Core(l)
            | Value::CoreRange(l)
            | Value::Semaphore(l)
            | Value::Tensor(l)
            | Value::CbIn(l)
            | Value::CbOut(l)
            | Value::Words(l) => Some(*l),
            Value::Res { id, .. } => match &self.resources[id.0].kind {
                ResKind::Front { cb, .. } | ResKind::Reserved { cb, .. } => Some(*cb),
                _ => None,
            },
            _ => None,
        }
    }

    fn tensor_of(&mut self, e: &sk::Expr) -> Option<LocalId> {
        match self.expr(e) {
            Value::Tensor(t) => Some(t),
            _ => None,
        }
    }
}

/// The kind of receiver that a scalar is.
fn kind_of(ty: &Ty) -> Option<Kind> {
    match ty.peeled() {
        Ty::NocAddr => Some(Kind::Addr),
        Ty::L1Ptr(_) => Some(Kind::L1),
        _ => None,
    }
}

/// What a pointer points to.
fn element(ty: &Ty) -> Ty {
    match ty.peeled() {
        Ty::L1Ptr(Some(int)) => Ty::Int(*int),
        _ => Ty::F32,
    }
}

/// The address that a pointer holds.
fn address(pointer: Expr) -> Expr {
    let row = &call::POINTER_ADDR;
    let call = Call { row, operands: vec![Operand::Value(pointer)] };
    Expr { ty: Ty::U32, kind: ExprKind::Query(Query::Call(Box::new(call))) }
}
