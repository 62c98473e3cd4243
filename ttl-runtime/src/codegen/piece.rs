//! Printed expressions that can be put together: each knows its precedence and how C++ sees its type.

use crate::ir::{BinOp, IntTy, Ty};

/// Precedence of C++ operators, higher binds tighter.
pub(super) const PRIMARY: u8 = 16;
pub(super) const UNARY: u8 = 14;
pub(super) const MUL: u8 = 12;
pub(super) const ADD: u8 = 11;
pub(super) const SHIFT: u8 = 10;
pub(super) const LESS: u8 = 9;
pub(super) const EQUAL: u8 = 8;
pub(super) const BIT_AND: u8 = 7;
pub(super) const BIT_XOR: u8 = 6;
pub(super) const BIT_OR: u8 = 5;
pub(super) const AND: u8 = 4;
pub(super) const OR: u8 = 3;

/// A printed expression.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) level: u8,
    pub(super) typed: Typed,
}

/// How C++ sees the type of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Typed {
    /// As the IR does, up to promotion.
    Exact,
    /// An `int` where the IR has u32: a literal that fits, or a value of the kernel API.
    IntLiteral,
    Int,
}

impl Piece {
    pub(super) fn new(text: impl Into<String>, level: u8) -> Piece {
        Piece { text: text.into(), level, typed: Typed::Exact }
    }

    pub(super) fn primary(text: impl Into<String>) -> Piece {
        Piece::new(text, PRIMARY)
    }

    pub(super) fn cast(to: &str, inner: &str) -> Piece {
        Piece::primary(format!("static_cast<{to}>({inner})"))
    }

    /// The operand of `.` and `[]`.
    pub(super) fn as_primary(&self) -> String {
        if self.level >= PRIMARY { self.text.clone() } else { format!("({})", self.text) }
    }

    /// As a u32 where C++ converts nothing by itself.
    pub(super) fn of_word(self) -> String {
        if self.typed == Typed::Int { self.unsigned().text } else { self.text }
    }

    /// As an unsigned operand that decides the type of an operation.
    pub(super) fn unsigned(self) -> Piece {
        match self.typed {
            Typed::Exact => self,
            Typed::IntLiteral => Piece::primary(format!("{}u", self.text)),
            Typed::Int => Piece::cast("uint32_t", &self.text),
        }
    }

    /// In parentheses unless the operator around is one where nobody doubts what belongs together.
    pub(super) fn inside(&self, around: u8, right: bool) -> String {
        let arithmetic = |level| level >= ADD;
        let bare = self.level >= UNARY
            || match around {
                MUL => self.level == MUL && !right,
                ADD => arithmetic(self.level) && (self.level > ADD || !right),
                LESS | EQUAL => arithmetic(self.level),
                AND | OR => {
                    arithmetic(self.level) || matches!(self.level, LESS | EQUAL) || (self.level == around && !right)
                }
                BIT_AND | BIT_XOR | BIT_OR => self.level == around && !right,
                _ => false,
            };
        if bare { self.text.clone() } else { format!("({})", self.text) }
    }
}

pub(super) fn int_type(ty: IntTy) -> &'static str {
    match (ty.signed, ty.bits) {
        (false, 8) => "uint8_t",
        (false, 16) => "uint16_t",
        (false, _) => "uint32_t",
        (true, 8) => "int8_t",
        (true, 16) => "int16_t",
        (true, _) => "int32_t",
    }
}

/// The type of a scalar.
pub(super) fn scalar_type(ty: &Ty) -> &'static str {
    match ty {
        Ty::Bool => "bool",
        Ty::F32 => "float",
        Ty::Int(i) => int_type(*i),
        Ty::Core | Ty::CoreRange | Ty::NocAddr => "uint64_t",
        // Circular buffers and guards are ids, semaphores are addresses.
        _ => "uint32_t",
    }
}

/// At least one operand `uint32_t`; for a comparison with a value of the kernel API that is an `int`, that one.
pub(super) fn unsigned_pair(a: Piece, b: Piece, comparison: bool) -> (Piece, Piece) {
    match (a.typed, b.typed) {
        (Typed::Exact, Typed::Int) if comparison => (a, b.unsigned()),
        (Typed::Int, Typed::Exact) if comparison => (a.unsigned(), b),
        (Typed::Exact, _) | (_, Typed::Exact) => (a, b),
        (Typed::Int, Typed::Int) => (a.unsigned(), b.unsigned()),
        (Typed::Int, Typed::IntLiteral) => (a, b.unsigned()),
        (Typed::IntLiteral, _) => (a.unsigned(), b),
    }
    .fix(comparison)
}

trait Fix {
    fn fix(self, comparison: bool) -> Self;
}

impl Fix for (Piece, Piece) {
    /// An `int` that is not a literal, next to an unsigned operand of a comparison, draws a warning.
    fn fix(self, comparison: bool) -> Self {
        match self {
            (a, b) if comparison && a.typed == Typed::Int => (a.unsigned(), b),
            (a, b) if comparison && b.typed == Typed::Int => (a, b.unsigned()),
            pair => pair,
        }
    }
}

/// An i32 operand as unsigned.
pub(super) fn as_unsigned(piece: &Piece) -> String {
    match piece.text.parse::<u32>() {
        Ok(literal) => format!("{literal}u"),
        Err(_) => Piece::cast("uint32_t", &piece.text).text,
    }
}

/// How C++ writes an operator, and its precedence.
pub(super) const fn operator(op: BinOp) -> (&'static str, u8) {
    match op {
        BinOp::Add => ("+", ADD),
        BinOp::Sub => ("-", ADD),
        BinOp::Mul => ("*", MUL),
        BinOp::Div => ("/", MUL),
        BinOp::Rem => ("%", MUL),
        BinOp::And => ("&&", AND),
        BinOp::Or => ("||", OR),
        BinOp::BitAnd => ("&", BIT_AND),
        BinOp::BitOr => ("|", BIT_OR),
        BinOp::BitXor => ("^", BIT_XOR),
        BinOp::Shl => ("<<", SHIFT),
        BinOp::Shr => (">>", SHIFT),
        BinOp::Eq => ("==", EQUAL),
        BinOp::Ne => ("!=", EQUAL),
        BinOp::Lt => ("<", LESS),
        BinOp::Le => ("<=", LESS),
        BinOp::Gt => (">", LESS),
        BinOp::Ge => (">=", LESS),
    }
}

pub(super) const fn comparison(op: BinOp) -> bool {
    matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
}

pub(super) fn literal(value: i64, ty: IntTy) -> Piece {
    let value = ty.wrap(value);
    if value == i64::from(i32::MIN) {
        // The digits without the sign are no `int`.
        return Piece::primary("INT32_MIN");
    }
    if value > i64::from(i32::MAX) {
        return Piece::primary(format!("{value}u"));
    }
    Piece {
        text: value.to_string(),
        level: if value < 0 { UNARY } else { PRIMARY },
        typed: if ty == IntTy::U32 { Typed::IntLiteral } else { Typed::Exact },
    }
}

pub(super) fn float(value: f32) -> Piece {
    if value.is_nan() {
        return Piece::primary("__builtin_nanf(\"\")");
    }
    if value.is_infinite() {
        let sign = if value < 0.0 { "-" } else { "" };
        return Piece::new(format!("{sign}__builtin_inff()"), UNARY);
    }
    // The shortest digits that read back as the same f32.
    let level = if value.is_sign_negative() { UNARY } else { PRIMARY };
    Piece::new(format!("{value:?}f"), level)
}
