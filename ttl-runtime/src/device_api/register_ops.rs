//! Operations of the vector unit on tile registers, by TT-Metalium's names: what the table of operations has. Where the C++ call takes the bits of a float, these
//! take the float; where it wants a derived number as well (`1 / beta`), they make it.

use super::compute::TileRegs;
use crate::ops::{BinaryOp, TernaryOp, UnaryOp, Word, for_each_binary_op, for_each_ternary_op, for_each_unary_op};
use crate::sim::ops;
use crate::site::Site;

/// A number as the bits that calls take.
#[doc(hidden)]
pub trait Bits {
    fn word(self) -> u32;
}

impl Bits for f32 {
    fn word(self) -> u32 {
        self.to_bits()
    }
}

impl Bits for i32 {
    fn word(self) -> u32 {
        self as u32
    }
}

impl Bits for u32 {
    fn word(self) -> u32 {
        self
    }
}

macro_rules! unary {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident ($($param:ident: $ty:ident),*) $program:tt $creates:tt $random:tt;)*) => {
        /// Operations on one register, in place.
        impl TileRegs<'_> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $tile(&mut self, dst: u32 $(, $param: $ty)*) {
                    let row = UnaryOp::$op.row();
                    let words = Word::all(row.words, &[$($param.word()),*]);
                    ops::unary(UnaryOp::$op, dst, &words[..row.words.len()], Site::caller());
                }
            )*
        }
    };
}

for_each_unary_op!(unary);

macro_rules! binary {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident ($($param:ident: $ty:ident),*) $program:tt;)*) => {
        /// Operations on two registers: `dst` may be one of them.
        impl TileRegs<'_> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $tile(&mut self, a: u32, b: u32, dst: u32 $(, $param: $ty)*) {
                    let row = BinaryOp::$op.row();
                    let words = Word::all(row.words, &[$($param.word()),*]);
                    ops::binary_regs(BinaryOp::$op, [a, b], dst, &words[..row.words.len()], Site::caller());
                }
            )*
        }
    };
}

for_each_binary_op!(binary);

macro_rules! ternary {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident ($($param:ident: $ty:ident)?) $program:tt $fixed:tt;)*) => {
        /// Operations on three registers: `dst` may be one of them. The first is what the method of block expressions is called on.
        impl TileRegs<'_> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $tile(&mut self, a: u32, b: u32, c: u32, dst: u32 $(, $param: $ty)?) {
                    let row = TernaryOp::$op.row();
                    let words = Word::all(row.words, &[$($param.word())?]);
                    ops::ternary_regs(TernaryOp::$op, [a, b, c], dst, &words[..row.words.len()], Site::caller());
                }
            )*
        }
    };
}

for_each_ternary_op!(ternary);
