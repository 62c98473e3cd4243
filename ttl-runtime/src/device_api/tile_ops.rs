//! Methods and operators of block expressions, with tiles and with numbers.

use super::accumulator::Accumulator;
use super::cb::Front;
use super::compute::Compute;
use super::register_ops::Bits;
use super::store::Builder;
use super::tiles::{Bin, Create, Tern, TileExpr, Tiles, Un};
use crate::ir::dag::{Node, NodeId, Words};
use crate::ops::{
    BinaryOp, MAX_WORDS, TernaryOp, UnaryOp, Word, for_each_binary_op, for_each_ternary_op, for_each_unary_op,
};
use crate::tensor::format::Element;
use std::ops::{Add, Div, Mul, Neg, Sub};
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

/// A number as operand: the words of the unary operation that takes it.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    op: UnaryOp,
    words: Held,
}

impl Number {
    /// For `op` with the number on the right, or on the left if `reversed`.
    fn new(op: BinaryOp, reversed: bool, bits: u32) -> Number {
        let row = op.row();
        let Some(op) = (if reversed { row.reversed } else { row.scalar }) else {
            crate::sim::ops::fail_with_help(
                &format!("`{}` of tiles and a number does not exist", row.method),
                "make tiles of the number: `c.fill(number)`",
                crate::site::Site::UNKNOWN,
            );
        };
        Number { op, words: Held::new(op.row().words, &[bits]) }
    }

    fn node(&self, b: &mut Builder, of: NodeId) -> NodeId {
        let words = self.words.in_builder(b);
        b.node(Node::Unary(self.op, of, words))
    }
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
    note = "combine tiles with waited blocks (`&a` or `a`), accumulators, expressions over them, or `f32` numbers"
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

#[diagnostic::do_not_recommend]
impl Operand for f32 {
    type Held = Number;
    fn hold(self, op: BinaryOp) -> Number {
        Number::new(op, false, self.to_bits())
    }
}

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
        pub trait TileMath: TileExpr + Sized {
            $( unary_method!($op $method $params $creates [$(#[$doc])*]); )*
        }
    };
}

for_each_unary_op!(unary_methods);

impl<E: TileExpr> TileMath for E {}

macro_rules! binary_methods {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident $program:tt;)*) => {
        /// Operations on tiles and tiles, or numbers, as methods.
        pub trait TileBinary: TileExpr + Sized {
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

impl<E: TileExpr> TileBinary for E {}

macro_rules! ternary_methods {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident ($($param:ident: $ty:ident)?) $program:tt;)*) => {
        /// Operations on three tiles as methods.
        pub trait TileTernary: TileExpr + Sized {
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

impl<E: TileExpr> TileTernary for E {}

impl Compute {
    /// A tile full of `value`, as an operand: `y.store(c.fill(1.0) - &x)`.
    pub fn fill(&self, value: f32) -> Tiles<Create> {
        Create::new(UnaryOp::Fill, Held::new(UnaryOp::Fill.row().words, &[value.to_bits()]))
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident, [$($generics:tt)*], $left:ty) => {
        impl<$($generics)* R: Operand> $trait<R> for $left {
            type Output = Tiles<Bin<$left, R::Held>>;
            fn $method(self, right: R) -> Self::Output {
                Tiles(Bin { op: BinaryOp::$op, left: self, right: right.hold(BinaryOp::$op) })
            }
        }
        impl<$($generics)*> $trait<$left> for f32 {
            type Output = Tiles<Reversed<$left>>;
            fn $method(self, right: $left) -> Self::Output {
                Tiles(Reversed { number: Number::new(BinaryOp::$op, true, self.to_bits()), of: right })
            }
        }
    };
}

macro_rules! operators {
    ([$($generics:tt)*], $left:ty) => {
        operator!(Add, add, Add, [$($generics)*], $left);
        operator!(Sub, sub, Sub, [$($generics)*], $left);
        operator!(Mul, mul, Mul, [$($generics)*], $left);
        operator!(Div, div, Div, [$($generics)*], $left);

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
operators!([E: TileExpr,], Tiles<E>);
