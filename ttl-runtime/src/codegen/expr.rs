//! Expressions: in C++ what they mean in Rust.
//!
//! - Integers wrap. Unsigned 32-bit arithmetic does so in C++ too; signed arithmetic goes through unsigned, where overflow is defined;
//!   narrow types compute as `int` and are cast back.
//! - Shift amounts are masked to the width, unless they are literals (the verifier has checked those).
//! - Operands of one operation have the same type in Rust. C++ literals are `int`, and so are some values of the kernel API: where
//!   such an operand would decide the type of the operation, it is made unsigned.
//! - Casts: integers by `static_cast`, which truncates and extends as Rust does; f32 to integer by a helper that saturates.

use super::function::Printer;
use super::helpers::Helper;
use super::metalium_0_81 as api;
use super::piece::{
    BIT_AND, BIT_OR, MUL, PRIMARY, Piece, Typed, UNARY, as_unsigned, comparison, float, int_type, literal, operator,
    scalar_type, unsigned_pair,
};
use crate::ir::{BinOp, Expr, ExprKind, IntTy, Query, Ty};

impl Printer<'_> {
    pub(super) fn text(&mut self, expr: &Expr) -> String {
        self.expr(expr).text
    }

    /// As an operand of a sum or product written around it.
    pub(super) fn factor(&mut self, expr: &Expr) -> String {
        self.expr(expr).inside(MUL, true)
    }

    /// The contrary of a condition.
    pub(super) fn negated(&mut self, cond: &Expr) -> String {
        self.not(cond).text
    }

    /// With the type it has in Rust, for printing.
    pub(super) fn printed(&mut self, expr: &Expr) -> String {
        let piece = self.expr(expr);
        match expr.ty.int() {
            Some(IntTy::U32) => piece.unsigned().text,
            Some(ty) if ty.bits < 32 => Piece::cast(int_type(ty), &piece.text).text,
            _ => piece.text,
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Piece {
        if let (Some(value), Some(ty)) = (fold(expr), expr.ty.int()) {
            return literal(value, ty);
        }
        match &expr.kind {
            ExprKind::Int(value) => literal(*value, expr.ty.int().unwrap_or(IntTy::U32)),
            ExprKind::F32(value) => float(*value),
            ExprKind::Bool(value) => Piece::primary(if *value { "true" } else { "false" }),
            ExprKind::Local(local) => Piece::primary(self.name(*local)),
            ExprKind::Neg(x) => self.neg(x),
            ExprKind::Not(x) => self.not(x),
            ExprKind::Binary(op, a, b) => self.binary(*op, &expr.ty, a, b),
            ExprKind::Cast(x) => self.cast(x, &expr.ty),
            ExprKind::Bits(x) => {
                let inner = self.expr(x);
                Piece::primary(match &expr.ty {
                    // The operand must have 32 bits.
                    Ty::F32 => format!("__builtin_bit_cast(float, {})", inner.unsigned().text),
                    _ => format!("__builtin_bit_cast(uint32_t, {})", inner.text),
                })
            }
            ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Struct(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat(_)
            | ExprKind::Variant(_) => self.data(expr),
            ExprKind::Call(callee, args) => {
                let args: Vec<String> =
                    args.iter().filter(|a| super::function::is_printed(&a.ty)).map(|a| self.text(a)).collect();
                let name = self.function_name(*callee);
                Piece::primary(format!("{name}({})", args.join(", ")))
            }
            ExprKind::Query(query) => self.query(query),
            ExprKind::Erased => Piece::primary(String::new()),
        }
    }

    fn query(&mut self, query: &Query) -> Piece {
        let (text, typed) = match query {
            Query::CoreX => (format!("{}()", api::CORE_X), Typed::Int),
            Query::CoreY => (format!("{}()", api::CORE_Y), Typed::Int),
            Query::WritePtr(cb) => (format!("{}({})", api::WRITE_PTR, self.name(*cb)), Typed::Exact),
            Query::ReadPtr(cb) => (format!("{}({})", api::READ_PTR, self.name(*cb)), Typed::Exact),
            Query::TileSize(cb) => (format!("{}({})", api::TILE_SIZE, self.name(*cb)), Typed::Int),
            Query::Word { cb, word } => {
                let pointer = self.words(api::READ_PTR, *cb);
                (format!("{pointer}[{}]", self.text(word)), Typed::Exact)
            }
            Query::Call(call) => {
                let text = self.api_call(call);
                let level = if call.row.operator { BIT_OR } else { PRIMARY };
                return Piece::new(text, level);
            }
            Query::PageSize(t) => (format!("{}.{}()", self.name(*t), api::PAGE_SIZE), Typed::Exact),
        };
        Piece { text, level: PRIMARY, typed }
    }

    /// An operand of `|` or `+`.
    pub(super) fn operand(&mut self, expr: &Expr) -> String {
        self.expr(expr).inside(MUL, true)
    }

    fn neg(&mut self, x: &Expr) -> Piece {
        let inner = self.expr(x);
        match x.ty {
            Ty::Int(ty) if ty.bits == 32 => {
                let unsigned = Piece::cast("uint32_t", &inner.text).text;
                Piece::cast(int_type(ty), &format!("0u - {unsigned}"))
            }
            Ty::Int(ty) => Piece::cast(int_type(ty), &format!("-{}", inner.inside(UNARY, true))),
            _ => {
                // `- -x` must not become `--x`.
                let operand =
                    if inner.text.starts_with('-') { format!("({})", inner.text) } else { inner.inside(UNARY, true) };
                Piece::new(format!("-{operand}"), UNARY)
            }
        }
    }

    fn not(&mut self, x: &Expr) -> Piece {
        let inner = self.expr(x);
        match x.ty {
            Ty::Int(ty) if ty.bits == 32 => {
                let inner = if ty.signed { inner } else { inner.unsigned() };
                Piece::new(format!("~{}", inner.inside(UNARY, true)), UNARY)
            }
            Ty::Int(ty) => Piece::cast(int_type(ty), &format!("~{}", inner.inside(UNARY, true))),
            _ => Piece::new(format!("!{}", inner.inside(UNARY, true)), UNARY),
        }
    }

    fn binary(&mut self, op: BinOp, ty: &Ty, a: &Expr, b: &Expr) -> Piece {
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            return self.shift(op, a, b);
        }
        let (mut pa, pb) = (self.expr(a), self.expr(b));
        if matches!(op, BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor) && [a, b].iter().any(|e| self.widens_negative(e))
        {
            // GCC computes `static_cast<uint32_t>(x) & 31` in the type of `x`, and complains about the constant it has made.
            self.allowed.insert("-Woverflow");
        }
        if comparison(op) && matches!(a.kind, ExprKind::Not(_)) && a.ty == Ty::Bool {
            pa = Piece::primary(format!("({})", pa.text));
        }
        if comparison(op) && (pa.text == pb.text || masked(a) && fold(b).is_some() || masked(b) && fold(a).is_some()) {
            self.allowed.insert("-Wtautological-compare");
        }
        if comparison(op) && (complement_of_narrow(a) || complement_of_narrow(b)) {
            self.allowed.insert("-Wsign-compare");
        }
        let (symbol, level) = operator(op);
        let (pa, pb) = match a.ty.int() {
            Some(IntTy::U32) => unsigned_pair(pa, pb, comparison(op)),
            _ => (pa, pb),
        };
        let plain = |pa: &Piece, pb: &Piece| format!("{} {symbol} {}", pa.inside(level, false), pb.inside(level, true));
        let arithmetic = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem);
        match ty {
            Ty::Int(ty) if arithmetic && *ty != IntTy::U32 => {
                let name = int_type(*ty);
                let wraps = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul);
                if ty.bits == 32 && wraps {
                    // Unsigned overflow is defined; the conversion back is too (two's complement).
                    let a = as_unsigned(&pa);
                    let b = as_unsigned(&pb);
                    Piece::cast(name, &format!("{a} {symbol} {b}"))
                } else if ty.bits == 32 {
                    Piece::new(plain(&pa, &pb), level)
                } else if *ty == IntTy::U16 && op == BinOp::Mul {
                    // 65535 * 65535 overflows the `int` that both are promoted to.
                    let a = Piece::cast("uint32_t", &pa.text).text;
                    Piece::cast(name, &format!("{a} * {}", pb.inside(MUL, true)))
                } else {
                    Piece::cast(name, &plain(&pa, &pb))
                }
            }
            _ => Piece::new(plain(&pa, &pb), level),
        }
    }

    /// The amount is masked to the width, unless it is known to be below it. The mask makes casts of the amount superfluous.
    fn shift(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Piece {
        let ty = a.ty.int().unwrap_or(IntTy::U32);
        let width = i64::from(ty.bits);
        let mut amount = b;
        while let ExprKind::Cast(inner) = &amount.kind
            && inner.ty.int().is_some()
        {
            amount = inner;
        }
        let value = self.expr(a);
        let masked = match &amount.kind {
            ExprKind::Binary(BinOp::BitAnd, x, y) => {
                [x, y].into_iter().any(|e| fold(e).is_some_and(|n| (0..width).contains(&n)))
            }
            _ => false,
        };
        let amount = match fold(b) {
            Some(n) => (n & (width - 1)).to_string(),
            None if masked => format!("({})", self.text(amount)),
            None => format!("({} & {})", self.expr(amount).inside(BIT_AND, false), width - 1),
        };
        shift(op, ty, value, &amount)
    }

    /// A cast to 32 bits of a narrow local that is a negative constant.
    fn widens_negative(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Cast(x) => matches!(x.kind, ExprKind::Local(l) if self.negative.contains(&l)),
            _ => false,
        }
    }

    fn cast(&mut self, x: &Expr, to: &Ty) -> Piece {
        let inner = self.expr(x);
        match (&x.ty, to) {
            (from, to) if from == to => inner,
            (Ty::Usize, Ty::Int(IntTy::U32)) | (Ty::Int(IntTy::U32), Ty::Usize) => inner,
            (Ty::F32, Ty::Int(to)) => {
                let helper = Helper::to_int(*to);
                self.helpers.insert(helper);
                Piece::primary(format!("{}({})", helper.name(), inner.text))
            }
            (Ty::Int(IntTy::U32), Ty::F32) => Piece::cast("float", &inner.unsigned().text),
            (_, to) => Piece::cast(scalar_type(to), &inner.text),
        }
    }
}

fn shift(op: BinOp, ty: IntTy, a: Piece, amount: &str) -> Piece {
    let (symbol, level) = operator(op);
    let name = int_type(ty);
    match (op, ty.signed, ty.bits) {
        (_, false, 32) => {
            let a = a.unsigned().inside(level, false);
            Piece::new(format!("{a} {symbol} {amount}"), level)
        }
        // The sign bit may be shifted out: only unsigned values may do that.
        (BinOp::Shl, true, _) => {
            let a = as_unsigned(&a);
            Piece::cast(name, &format!("{a} << {amount}"))
        }
        (BinOp::Shr, true, 32) => Piece::new(format!("{} >> {amount}", a.inside(level, false)), level),
        _ => Piece::cast(name, &format!("{} {symbol} {amount}", a.inside(level, false))),
    }
}

/// `x & 3`, `x | 4`, perhaps in a cast: a C++ compiler has an opinion on what they can be equal to.
fn masked(e: &Expr) -> bool {
    match &without_casts(e).kind {
        ExprKind::Binary(BinOp::BitAnd | BinOp::BitOr, a, b) => fold(a).is_some() || fold(b).is_some(),
        _ => false,
    }
}

/// `!(x as i32)` of a narrow unsigned `x`, or of a `bool`: a C++ compiler thinks that the cast was not meant.
fn complement_of_narrow(e: &Expr) -> bool {
    match &without_casts(e).kind {
        ExprKind::Not(x) if matches!(x.kind, ExprKind::Cast(_)) => {
            let ty = &without_casts(x).ty;
            *ty == Ty::Bool || ty.int().is_some_and(|int| !int.signed && int.bits < 32)
        }
        _ => false,
    }
}

fn without_casts(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Cast(x) => without_casts(x),
        _ => e,
    }
}

/// The value of an integer expression of literals.
pub(super) fn fold(expr: &Expr) -> Option<i64> {
    let ty = expr.ty.int()?;
    let value = match &expr.kind {
        ExprKind::Int(v) => *v,
        ExprKind::Neg(x) => fold(x)?.wrapping_neg(),
        ExprKind::Not(x) => !fold(x)?,
        ExprKind::Cast(x) => fold(x)?,
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (fold(a)?, fold(b)?);
            let amount = || Some((b as u64 & u64::from(ty.bits - 1)) as u32);
            match op {
                BinOp::Add => a.wrapping_add(b),
                BinOp::Sub => a.wrapping_sub(b),
                BinOp::Mul => a.wrapping_mul(b),
                BinOp::Div => a.checked_div(b)?,
                BinOp::Rem => a.checked_rem(b)?,
                BinOp::BitAnd => a & b,
                BinOp::BitOr => a | b,
                BinOp::BitXor => a ^ b,
                BinOp::Shl => a.checked_shl(amount()?)?,
                BinOp::Shr => ty.wrap(a).checked_shr(amount()?)?,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(ty.wrap(value))
}
