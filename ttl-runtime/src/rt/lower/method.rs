//! Methods of the device API, by the receiver's type and the method's name: the IR's side of `device_api`.

use super::Lower;
use super::expr::binary;
use super::signal::SENDS;
use super::value::{ResId, ResKind, State, Value};
use crate::ir::call::{self, Operand};
use crate::ir::{BinOp, Expr, ExprKind, LocalId, Op, Query, StmtKind, Ty};
use crate::ops::{BinaryOp, When};
use crate::temps::Place;
use ttl_skeleton as sk;

impl Lower<'_> {
    pub(super) fn method(&mut self, recv: &sk::Expr, name: &str, args: &[sk::Expr], line: u32) -> Value {
        let value = self.expr(recv);
        let statement = std::mem::replace(&mut self.line, line);
        let result = self.method_of(value, name, args);
        self.line = statement;
        result
    }

    fn method_of(&mut self, recv: Value, name: &str, args: &[sk::Expr]) -> Value {
        if let Some(tiles) = self.tile_method(&recv, name, args) {
            return tiles;
        }
        if let Some(tiles) = self.shaped_method(&recv, name, args) {
            return tiles;
        }
        if let Some(value) = self.option_method(&recv, name, args) {
            return value;
        }
        if let Some(value) = self.value_call(&recv, name, args) {
            return value;
        }
        match recv {
            Value::Never => Value::Never,
            Value::Token => self.token_method(name, args),
            Value::CbOut(cb) => match name {
                "reserve_back" => {
                    let pages = self.page_count(args);
                    self.one_block_at_a_time(cb, "reserved", "push", "reserve_back");
                    self.op(Op::ReserveBack { cb, pages: pages.clone() });
                    self.resource(ResKind::Reserved { cb, pages: Some(pages) })
                }
                "get_tile_size" => query(Query::TileSize(cb)),
                _ => self.no_method("CbOut", name),
            },
            Value::CbIn(cb) => match name {
                "wait_front" => {
                    let pages = self.page_count(args);
                    self.one_block_at_a_time(cb, "waited for", "pop", "wait_front");
                    self.op(Op::WaitFront { cb, pages: pages.clone() });
                    self.resource(ResKind::Front { cb, pages: Some(pages) })
                }
                "get_tile_size" => query(Query::TileSize(cb)),
                _ => self.no_method("CbIn", name),
            },
            Value::Tensor(t) => match name {
                "page_size" => query(Query::PageSize(t)),
                _ => self.no_method("TensorAccessor", name),
            },
            Value::Semaphore(s) => self.semaphore_method(s, name, args),
            Value::Pipe(pipe) => self.pipe_method(pipe, name, args),
            Value::Res { id, .. } => self.resource_method(id, name, args),
            Value::Scalar(Expr { ty: Ty::Array(_, len), .. }) | Value::Place(Expr { ty: Ty::Array(_, len), .. })
                if name == "len" =>
            {
                self.discard(recv);
                Value::Scalar(Expr { ty: Ty::Usize, kind: ExprKind::Int(i64::from(len)) })
            }
            Value::Scalar(_) | Value::Place(_) => self.number_method(recv, name, args),
            other => {
                let what = other.describe();
                self.refuse(format!("{what} has no method `{name}` in a kernel"), "see the methods of the device API")
            }
        }
    }

    /// Both of two blocks of an end would begin at the same page.
    fn one_block_at_a_time(&mut self, cb: LocalId, taken: &str, release: &str, method: &str) {
        let held = self.resources.iter().find(|r| {
            let same = matches!(r.kind, ResKind::Front { cb: c, .. } | ResKind::Reserved { cb: c, .. } if c == cb);
            same && r.state == State::Live
        });
        if let (Some(first), false) = (held.map(|r| r.line), self.diverged) {
            let name = self.locals[cb.0 as usize].name.clone();
            self.error(
                format!("a second block of `{name}` is {taken} while the one of line {first} is still held"),
                format!(
                    "both would begin at the same page: take them together, `{name}.{method}(n)`, or {release} the first one \
                     before"
                ),
            );
        }
    }

    pub(super) fn no_method(&mut self, ty: &str, name: &str) -> Value {
        self.fault(format!("`{ty}` has no method `{name}`"))
    }

    /// A page count: used again when the guard is released, so it must not change in between.
    fn page_count(&mut self, args: &[sk::Expr]) -> Expr {
        let n = match args {
            [n] => self.scalar(n),
            _ => Expr { ty: Ty::U32, kind: ExprKind::Int(1) },
        };
        self.stable(n)
    }

    fn token_method(&mut self, name: &str, args: &[sk::Expr]) -> Value {
        if let Some(value) = self.token_call(name, args) {
            return value;
        }
        match (name, args) {
            ("core_x", _) => query(Query::CoreX),
            ("core_y", _) => query(Query::CoreY),
            ("read_barrier", _) => self.effect(Op::ReadBarrier),
            ("write_barrier", _) => self.effect(Op::WriteBarrier),
            ("writes_flushed", _) => self.effect(Op::WritesFlushed),
            _ if SENDS.contains(&name) => self.send(name, args),
            ("read_page", [tensor, page, dst]) => {
                let Some(tensor) = self.tensor(tensor) else {
                    return Value::Never;
                };
                let page = self.scalar(page);
                let Some(cb) = self.guard_cb(dst) else {
                    return Value::Never;
                };
                let index = zero();
                self.op(Op::ReadPage { tensor, page, cb, index });
                self.resource(ResKind::Read { cb })
            }
            ("write_page", [tensor, page, src]) => {
                let Some(tensor) = self.tensor(tensor) else {
                    return Value::Never;
                };
                let page = self.scalar(page);
                let Some(cb) = self.guard_cb(src) else {
                    return Value::Never;
                };
                let index = zero();
                self.op(Op::WritePage { tensor, page, cb, index });
                self.resource(ResKind::Write { cb })
            }
            ("read_into", [dst]) => match self.guard_cb(dst) {
                Some(cb) => self.resource(ResKind::Read { cb }),
                None => Value::Never,
            },
            ("write_from", [src]) => match self.guard_cb(src) {
                Some(cb) => self.resource(ResKind::Write { cb }),
                None => Value::Never,
            },
            ("acquire", []) => {
                self.op(Op::Acquire);
                self.resource(ResKind::TileRegs)
            }
            ("fill", [value]) => self.fill(value),
            ("zeros", [rows, cols]) => {
                let (cols, place) = match cols {
                    sk::Expr::Placed(cols, number) => (&**cols, Place(*number)),
                    cols => (cols, Place::default()),
                };
                let sizes = self.operands(&[rows, cols]);
                let [rows, cols] = sizes.try_into().unwrap_or_else(|_| [zero(), zero()]);
                let (rows, cols) = (self.stable(rows), self.stable(cols));
                self.op(Op::Zeros { shape: [rows.clone(), cols.clone()], place });
                self.resource(ResKind::Accumulator { rows, cols, place })
            }
            _ => match self.tile_call(name, args, &[When::Always, When::Free]) {
                Some(value) => value,
                None => self.no_method("Noc` or `Compute", name),
            },
        }
    }

    pub(super) fn effect(&mut self, op: Op) -> Value {
        self.op(op);
        Value::Unit
    }

    fn tensor(&mut self, e: &sk::Expr) -> Option<LocalId> {
        match self.expr(e) {
            Value::Tensor(t) => Some(t),
            _ => None,
        }
    }

    /// The circular buffer of a guard given by reference.
    pub(super) fn guard_cb(&mut self, e: &sk::Expr) -> Option<LocalId> {
        let Value::Res { id, .. } = self.expr(e) else {
            return None;
        };
        match &self.resources[id.0].kind {
            ResKind::Front { cb, .. } | ResKind::Reserved { cb, .. } => Some(*cb),
            _ => None,
        }
    }

    fn resource_method(&mut self, id: ResId, name: &str, args: &[sk::Expr]) -> Value {
        let state = self.resources[id.0].state;
        match (self.resources[id.0].kind.clone(), name, args) {
            (ResKind::Reserved { .. }, "push_back", []) | (ResKind::Front { .. }, "pop_front" | "keep_front", []) => {
                if state == State::Borrowed {
                    return self.fault("a guard that is a parameter is released");
                }
                if let (ResKind::Front { cb, .. }, "keep_front") = (self.resources[id.0].kind.clone(), name) {
                    self.op(Op::KeepFront { cb });
                    self.moved(id);
                } else {
                    self.release(id);
                }
                Value::Unit
            }
            (ResKind::Reserved { cb, .. }, "get_write_ptr", []) => query(Query::WritePtr(cb)),
            (ResKind::Front { cb, .. }, "get_read_ptr", []) => query(Query::ReadPtr(cb)),
            (ResKind::Reserved { cb, .. }, "write_u32", [word, value]) => {
                let [word, value] = self.pair(word, value);
                self.effect(Op::WriteWord { cb, word, value })
            }
            (ResKind::Front { cb, .. }, "read_u32", [word]) => {
                let word = Box::new(self.scalar(word));
                // Memory is read now, whatever is written later.
                let value = Expr { ty: Ty::U32, kind: ExprKind::Query(Query::Word { cb, word }) };
                Value::Scalar(self.spill(value))
            }
            (ResKind::Reserved { cb, .. }, "print_tile", args) => self.print_tile(cb, true, args),
            (ResKind::Front { cb, .. }, "print_tile", args) => self.print_tile(cb, false, args),
            (ResKind::Reserved { .. }, "store", [value]) => {
                let value = self.expr(value);
                self.store(id, value)
            }
            (ResKind::Read { cb }, "page", [tensor, page, index]) => {
                let Some(tensor) = self.tensor(tensor) else {
                    return Value::Never;
                };
                let operands = self.operands(&[page, index]);
                let [page, index] = operands.try_into().unwrap_or_else(|_| [zero(), zero()]);
                self.effect(Op::ReadPage { tensor, page, cb, index })
            }
            (ResKind::Write { cb }, "page", [tensor, page, index]) => {
                let Some(tensor) = self.tensor(tensor) else {
                    return Value::Never;
                };
                let operands = self.operands(&[page, index]);
                let [page, index] = operands.try_into().unwrap_or_else(|_| [zero(), zero()]);
                self.effect(Op::WritePage { tensor, page, cb, index })
            }
            (ResKind::Read { .. }, "wait", []) => {
                self.moved(id);
                self.effect(Op::ReadBarrier)
            }
            (ResKind::Write { .. } | ResKind::Sent { .. }, "wait", []) => {
                self.moved(id);
                self.effect(Op::WriteBarrier)
            }
            (ResKind::Write { .. } | ResKind::Sent { .. }, "flushed", []) => {
                self.moved(id);
                self.effect(Op::WritesFlushed)
            }
            (ResKind::Read { cb }, "page_at", [tensor, page, offset, to, bytes]) => {
                self.part(call::READ_AT, cb, [tensor, page, offset, to, bytes]).unwrap_or(Value::Never)
            }
            (ResKind::Write { cb }, "page_at", [tensor, page, offset, from, bytes]) => {
                self.part(call::WRITE_AT, cb, [tensor, page, offset, from, bytes]).unwrap_or(Value::Never)
            }
            (ResKind::TaggedRead { cb, .. }, "page", [tensor, page, index]) => {
                let Some(tensor) = self.tensor(tensor) else {
                    return Value::Never;
                };
                let [page, index] = self.pair(page, index);
                self.effect(Op::ReadPage { tensor, page, cb, index })
            }
            (ResKind::TaggedWrite { cb, .. }, "page", [tensor, page, index]) => {
                let Some(tensor) = self.tensor(tensor) else {
                    return Value::Never;
                };
                let [page, index] = self.pair(page, index);
                self.effect(Op::WritePage { tensor, page, cb, index })
            }
            (ResKind::TaggedRead { .. }, "wait", []) | (ResKind::TaggedWrite { .. }, "flushed", []) => {
                self.release(id);
                Value::Unit
            }
            (ResKind::TaggedWrite { trid, .. }, "wait", []) => {
                self.moved(id);
                self.api(call::WRITE_ID_BARRIER, vec![Operand::Value(trid)])
            }
            (ResKind::Arriving { .. }, "wait", []) => {
                self.release(id);
                Value::Unit
            }
            (ResKind::TileRegs, "commit", []) => {
                self.moved(id);
                self.op(Op::Commit);
                self.resource(ResKind::PackRegs)
            }
            (ResKind::TileRegs, _, _) => self.register_method(name, args),
            (ResKind::PackRegs, "release", []) => {
                self.release(id);
                Value::Unit
            }
            (ResKind::PackRegs, "pack_tile", [dst, out]) => {
                let dst = self.scalar(dst);
                match self.guard_cb(out) {
                    Some(cb) => self.effect(Op::PackTile { dst, cb, index: None }),
                    None => Value::Never,
                }
            }
            (ResKind::PackRegs, "pack_tile_at", [dst, out, index]) => {
                let operands = self.operands(&[dst, index]);
                let [dst, index] = operands.try_into().unwrap_or_else(|_| [zero(), zero()]);
                match self.guard_cb(out) {
                    Some(cb) => self.effect(Op::PackTile { dst, cb, index: Some(index) }),
                    None => Value::Never,
                }
            }
            (ResKind::PackRegs, _, _) => match self.tile_call(name, args, &[When::Packing]) {
                Some(value) => value,
                None => self.no_method("PackRegs", name),
            },
            _ => self.no_method("guard", name),
        }
    }

    fn register_method(&mut self, name: &str, args: &[sk::Expr]) -> Value {
        if let Some(value) = self.register_operation(name, args) {
            return value;
        }
        let row = BinaryOp::FPU.into_iter().find(|op| op.fpu().call == name);
        let reuse = BinaryOp::FPU.into_iter().find(|op| op.fpu().reuse_call == name);
        match (name, args) {
            ("copy_tile", [src, tile, dst]) => {
                let Some(cb) = self.guard_cb(src) else {
                    return Value::Never;
                };
                let [tile, dst] = self.pair(tile, dst);
                self.effect(Op::CopyTile { cb, tile, dst })
            }
            ("matmul_tiles", [a, b, ia, ib, dst]) => {
                let (Some(a), Some(b)) = (self.guard_cb(a), self.guard_cb(b)) else {
                    return Value::Never;
                };
                let [ia, ib, dst] = self.triple(ia, ib, dst);
                self.effect(Op::MatmulTiles { a, b, ia, ib, dst })
            }
            ("matmul_block" | "matmul_block_transposed", [a, b, ia, ib, dst, ct, rt, kt]) => {
                let transposed = name == "matmul_block_transposed";
                let (Some(a), Some(b)) = (self.guard_cb(a), self.guard_cb(b)) else {
                    return Value::Never;
                };
                let operands = self.operands(&[ia, ib, dst, ct, rt, kt]);
                match <[Expr; 6]>::try_from(operands) {
                    Ok([ia, ib, dst, ct, rt, kt]) => {
                        self.effect(Op::MatmulBlock { a, b, transposed, ia, ib, dst, ct, rt, kt })
                    }
                    Err(_) => Value::Never,
                }
            }
            (_, [a, b, ia, ib, dst]) if row.is_some() => {
                let op = row.unwrap_or(BinaryOp::Add);
                let (Some(a), Some(b)) = (self.guard_cb(a), self.guard_cb(b)) else {
                    return Value::Never;
                };
                let [ia, ib, dst] = self.triple(ia, ib, dst);
                self.effect(Op::BinaryTiles { op, a, b, ia, ib, dst })
            }
            (_, [src, tile, dst]) if reuse.is_some() => {
                let op = reuse.unwrap_or(BinaryOp::Add);
                let Some(cb) = self.guard_cb(src) else {
                    return Value::Never;
                };
                let [tile, dst] = self.pair(tile, dst);
                self.effect(Op::ReuseDest { op, reversed: false, cb, tile, dst })
            }
            _ => match self.tile_call(name, args, &[When::Acquired]) {
                Some(value) => value,
                None => self.no_method("TileRegs", name),
            },
        }
    }

    pub(super) fn pair(&mut self, a: &sk::Expr, b: &sk::Expr) -> [Expr; 2] {
        self.operands(&[a, b]).try_into().unwrap_or_else(|_| [zero(), zero()])
    }

    fn triple(&mut self, a: &sk::Expr, b: &sk::Expr, c: &sk::Expr) -> [Expr; 3] {
        self.operands(&[a, b, c]).try_into().unwrap_or_else(|_| [zero(), zero(), zero()])
    }

    /// Methods of numbers: those whose meaning C++ has too.
    fn number_method(&mut self, recv: Value, name: &str, args: &[sk::Expr]) -> Value {
        let a = self.as_scalar(recv);
        if !a.ty.is_scalar() && a.ty != Ty::Usize {
            let ty = a.ty.clone();
            return self.refuse(
                format!("`{ty}` has no method `{name}` in a kernel"),
                "write a method of your own, with `#[ttl::device]` on its `impl`",
            );
        }
        let op = match name {
            "wrapping_add" => BinOp::Add,
            "wrapping_sub" => BinOp::Sub,
            "wrapping_mul" => BinOp::Mul,
            "wrapping_shl" => BinOp::Shl,
            "wrapping_shr" => BinOp::Shr,
            "wrapping_neg" => {
                let ty = a.ty.clone();
                if ty.int().is_some_and(|i| !i.signed) {
                    let zero = Expr { ty: ty.clone(), kind: ExprKind::Int(0) };
                    return self.arithmetic(BinOp::Sub, zero, a);
                }
                return Value::Scalar(Expr { ty, kind: ExprKind::Neg(Box::new(a)) });
            }
            "min" | "max" => return self.min_max(a, name, args),
            "div_ceil" => return self.div_ceil(a, args),
            "to_bits" => return Value::Scalar(Expr { ty: Ty::U32, kind: ExprKind::Bits(Box::new(a)) }),
            "from_bits" => return Value::Scalar(Expr { ty: Ty::F32, kind: ExprKind::Bits(Box::new(a)) }),
            "abs" => return self.abs(a),
            _ => {
                let ty = a.ty.clone();
                return self.refuse(
                    format!("`{ty}` has no method `{name}` in a kernel"),
                    "use operators, `min`, `max` or the `wrapping_` methods",
                );
            }
        };
        let [b] = args else { return Value::Never };
        let [a, b] = self.receiver_and(a, b);
        let b = match (op, &b.kind, a.ty.int()) {
            // The wrapping shifts mask their amount; in the IR a literal one is in range.
            (BinOp::Shl | BinOp::Shr, ExprKind::Int(n), Some(int)) => {
                Expr { kind: ExprKind::Int(n & i64::from(int.bits - 1)), ..b }
            }
            _ => b,
        };
        self.arithmetic(op, a, b)
    }

    fn abs(&mut self, a: Expr) -> Value {
        if a.ty == Ty::F32 {
            // Without the sign bit, also for NaN and zero.
            let bits = Expr { ty: Ty::U32, kind: ExprKind::Bits(Box::new(a)) };
            let mask = Expr { ty: Ty::U32, kind: ExprKind::Int(0x7fff_ffff) };
            let masked = binary(BinOp::BitAnd, bits, mask);
            return Value::Scalar(Expr { ty: Ty::F32, kind: ExprKind::Bits(Box::new(masked)) });
        }
        let ty = a.ty.clone();
        let local = self.new_local("value", ty.clone(), true);
        self.emit(StmtKind::Let { local, init: Some(a) });
        let value = self.read(local);
        let zero = Expr { ty: ty.clone(), kind: ExprKind::Int(0) };
        let negated = Expr { ty, kind: ExprKind::Neg(Box::new(value.clone())) };
        let line = self.line;
        let assign = crate::ir::Stmt { line, kind: StmtKind::Assign { local, value: negated } };
        self.emit(StmtKind::If { cond: binary(BinOp::Lt, value.clone(), zero), then: vec![assign], els: vec![] });
        Value::Scalar(value)
    }

    fn min_max(&mut self, a: Expr, name: &str, args: &[sk::Expr]) -> Value {
        if a.ty == Ty::F32 {
            return self.refuse(
                format!("`f32::{name}` is not supported in a kernel"),
                "its meaning for NaN differs between Rust and C++; write the `if` you need",
            );
        }
        let [b] = args else { return Value::Never };
        let [a, b] = self.receiver_and(a, b);
        let local = self.new_local("value", a.ty.clone(), true);
        self.emit(StmtKind::Let { local, init: Some(a) });
        let b = self.stable(b);
        let value = self.read(local);
        let op = if name == "min" { BinOp::Lt } else { BinOp::Gt };
        let line = self.line;
        let assign = crate::ir::Stmt { line, kind: StmtKind::Assign { local, value: b.clone() } };
        self.emit(StmtKind::If { cond: binary(op, b, value.clone()), then: vec![assign], els: vec![] });
        Value::Scalar(value)
    }
}

fn zero() -> Expr {
    Expr { ty: Ty::U32, kind: ExprKind::Int(0) }
}

fn query(q: Query) -> Value {
    Value::Scalar(Expr { ty: Ty::U32, kind: ExprKind::Query(q) })
}
