//! Methods and operators of block expressions, with tiles and with numbers.

use super::accumulator::{Accumulator, TileBlock};
use super::cb::Front;
use super::compute::Compute;
use super::register_ops::Bits;
use super::store::Builder;
use super::tiles::{Bin, Create, Methods, Tern, TileExpr, Tiles, Un};
use crate::ir::dag::{Node, NodeId, Words};
use crate::ops::{
    BinaryOp, Kind, MAX_WORDS, TernaryOp, UnaryOp, WithNumber, Word, for_each_binary_op, for_each_ternary_op,
    for_each_unary_op,
};
use crate::tensor::format::Element;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use std::sync::atomic::{AtomicU64, Ordering};

/// The words of an operation's calls, and which operation of the user's it was. A plan does not depend on values: what is computed once and what twice follows
/// from where the numbers were written, as in the generated C++.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    operation: u64,
    words: [u32; MAX_WORDS],
    count: usize,
}

impl Held {
    pub(super) fn new(words: &[Word], params: &[u32]) -> Held {
        static OPERATIONS: AtomicU64 = AtomicU64::new(0);
        if words.is_empty() {
            return Held { operation: 0, words: [0; MAX_WORDS], count: 0 };
        }
        let operation = OPERATIONS.fetch_add(1, Ordering::Relaxed);
        Held { operation, words: Word::all(words, params), count: words.len() }
    }

    pub(super) fn in_builder(&self, b: &mut Builder) -> Words {
        b.words(self.operation, &self.words[..self.count])
    }
}

/// The right side of an operation, as an expression holds it.
#[doc(hidden)]
pub trait Right {
    fn build_right(&self, b: &mut Builder, op: BinaryOp, left: NodeId) -> NodeId;
    fn release_accumulators(&mut self) {}
}

#[diagnostic::do_not_recommend]
impl<E: TileExpr> Right for E {
    fn build_right(&self, b: &mut Builder, op: BinaryOp, left: NodeId) -> NodeId {
        let right = self.build(b);
        b.node(Node::Binary(op, left, right))
    }
    fn release_accumulators(&mut self) {
        TileExpr::release_accumulators(self);
    }
}

/// A number as operand.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    op: BinaryOp,
    reversed: bool,
    with: WithNumber,
    words: Held,
}

impl Number {
    fn new<N: Scalar>(op: BinaryOp, reversed: bool, number: N) -> Number {
        let with = op.with_number(N::KIND, reversed);
        let (WithNumber::Unary(unary) | WithNumber::Tile(unary)) = with;
        Number { op, reversed, with, words: Held::new(unary.row().words, &[number.word()]) }
    }

    fn node(&self, b: &mut Builder, of: NodeId) -> NodeId {
        let words = self.words.in_builder(b);
        match self.with {
            WithNumber::Unary(op) => b.node(Node::Unary(op, of, words)),
            WithNumber::Tile(fill) => {
                let number = b.node(Node::Create(fill, words));
                b.node(if self.reversed {
                    Node::Binary(self.op, number, of)
                } else {
                    Node::Binary(self.op, of, number)
                })
            }
        }
    }
}

/// Numbers that tiles can be combined with: tiles that hold the same.
pub trait Scalar: Bits {
    #[doc(hidden)]
    const KIND: Kind;
}

impl Scalar for f32 {
    const KIND: Kind = Kind::Float;
}

impl Scalar for i32 {
    const KIND: Kind = Kind::I32;
}

impl Scalar for u32 {
    const KIND: Kind = Kind::U32;
}

#[diagnostic::do_not_recommend]
impl Right for Number {
    fn build_right(&self, b: &mut Builder, _: BinaryOp, left: NodeId) -> NodeId {
        self.node(b, left)
    }
}

/// What can stand on the right of an operation of tiles: tiles, and numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with tiles",
    label = "neither tiles nor a number",
    note = "combine tiles with waited blocks (`&a` or `a`), accumulators, expressions over them, or numbers: `f32`, for tiles of integers `i32` and `u32`"
)]
pub trait Operand {
    #[doc(hidden)]
    type Held: Right;
    #[doc(hidden)]
    fn hold(self, op: BinaryOp) -> Self::Held;
}

#[diagnostic::do_not_recommend]
impl<E: TileExpr> Operand for E {
    type Held = E;
    fn hold(self, _: BinaryOp) -> E {
        self
    }
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Operand for $number {
            type Held = Number;
            fn hold(self, op: BinaryOp) -> Number {
                Number::new(op, false, self)
            }
        }
    )*};
}

numbers! { f32 i32 u32 }

/// A number on the left of tiles.
#[derive(Clone, Copy, Debug)]
pub struct Reversed<E> {
    number: Number,
    of: E,
}

#[diagnostic::do_not_recommend]
impl<E: TileExpr> TileExpr for Reversed<E> {
    fn build(&self, b: &mut Builder) -> NodeId {
        let of = self.of.build(b);
        self.number.node(b, of)
    }
    fn release_accumulators(&mut self) {
        self.of.release_accumulators();
    }
}

macro_rules! unary_method {
    // What is made from nothing is a method of `Compute`.
    ($op:ident $method:ident $params:tt [tile] $doc:tt) => {};
    ($op:ident $method:ident ($($param:ident: $ty:ident),*) [] [$(#[$doc:meta])*]) => {
        $(#[$doc])*
        fn $method(self $(, $param: $ty)*) -> Tiles<Un<Self>> {
            let words = Held::new(UnaryOp::$op.row().words, &[$($param.word()),*]);
            Un::new(UnaryOp::$op, self, words)
        }
    };
}

macro_rules! unary_methods {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident $params:tt $program:tt $creates:tt;)*) => {
        /// Operations on tiles as methods.
        pub trait TileMath: Methods {
            $( unary_method!($op $method $params $creates [$(#[$doc])*]); )*
        }
    };
}

for_each_unary_op!(unary_methods);

impl<E: Methods> TileMath for E {}

macro_rules! binary_methods {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident $program:tt;)*) => {
        /// Operations on tiles and tiles, or numbers, as methods.
        pub trait TileBinary: Methods {
            $(
                $(#[$doc])*
                fn $method<R: Operand>(self, other: R) -> Tiles<Bin<Self, R::Held>> {
                    Tiles(Bin { op: BinaryOp::$op, left: self, right: other.hold(BinaryOp::$op) })
                }
            )*
        }
    };
}

for_each_binary_op!(binary_methods);

impl<E: Methods> TileBinary for E {}

macro_rules! ternary_methods {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident ($($param:ident: $ty:ident)?) $program:tt;)*) => {
        /// Operations on three tiles as methods.
        pub trait TileTernary: Methods {
            $(
                $(#[$doc])*
                fn $method<A: TileExpr, B: TileExpr>(self, a: A, b: B $(, $param: $ty)?) -> Tiles<Tern<Self, A, B>> {
                    let words = Held::new(TernaryOp::$op.row().words, &[$($param.word())?]);
                    Tern::new(TernaryOp::$op, (self, a, b), words)
                }
            )*
        }
    };
}

for_each_ternary_op!(ternary_methods);

impl<E: Methods> TileTernary for E {}

impl Compute {
    /// Tiles full of `value`, as an operand: `y.store((&x).select(&a, c.fill(1.0)))`.
    pub fn fill<N: Scalar>(&self, value: N) -> Tiles<Create> {
        let op = UnaryOp::fill(N::KIND);
        Create::new(op, Held::new(op.row().words, &[value.word()]))
    }
}

macro_rules! operator {
    (reversed $trait:ident, $method:ident, $op:ident, [$($generics:tt)*], $left:ty) => {
        operator!($trait, $method, $op, [$($generics)*], $left);
        impl<$($generics)*> $trait<$left> for f32 {
            type Output = Tiles<Reversed<$left>>;
            fn $method(self, right: $left) -> Self::Output {
                Tiles(Reversed { number: Number::new(BinaryOp::$op, true, self), of: right })
            }
        }
    };
    ($trait:ident, $method:ident, $op:ident, [$($generics:tt)*], $left:ty) => {
        impl<$($generics)* R: Operand> $trait<R> for $left {
            type Output = Tiles<Bin<$left, R::Held>>;
            fn $method(self, right: R) -> Self::Output {
                Tiles(Bin { op: BinaryOp::$op, left: self, right: right.hold(BinaryOp::$op) })
            }
        }
    };
}

macro_rules! operators {
    ([$($generics:tt)*], $left:ty) => {
        operator!(reversed Add, add, Add, [$($generics)*], $left);
        operator!(reversed Sub, sub, Sub, [$($generics)*], $left);
        operator!(reversed Mul, mul, Mul, [$($generics)*], $left);
        operator!(reversed Div, div, Div, [$($generics)*], $left);
        operator!(Rem, rem, Fmod, [$($generics)*], $left);
        operator!(BitAnd, bitand, BitwiseAnd, [$($generics)*], $left);
        operator!(BitOr, bitor, BitwiseOr, [$($generics)*], $left);
        operator!(BitXor, bitxor, BitwiseXor, [$($generics)*], $left);
        operator!(Shl, shl, LeftShift, [$($generics)*], $left);
        operator!(Shr, shr, RightShift, [$($generics)*], $left);

        impl<$($generics)*> Not for $left {
            type Output = Tiles<Un<$left>>;
            fn not(self) -> Self::Output {
                Un::new(UnaryOp::BitwiseNot, self, Held::new(&[], &[]))
            }
        }

        impl<$($generics)*> Neg for $left {
            type Output = Tiles<Un<$left>>;
            fn neg(self) -> Self::Output {
                Un::new(UnaryOp::Negative, self, Held::new(&[], &[]))
            }
        }
    };
}

operators!(['a, T: Element,], Front<'a, T>);
operators!(['r, 'a, T: Element,], &'r Front<'a, T>);
operators!(['c,], Accumulator<'c>);
operators!(['a, T: Element,], TileBlock<'a, T>);
operators!([E: TileExpr,], Tiles<E>);
