//! Lazy block expressions: `&a * &b + &c` is a value that `store` plans and computes.

use super::accumulator::Accumulator;
use super::cb::Front;
use super::store::Builder;
use crate::ir::dag::{Node, NodeId};
use crate::ops::{BinaryOp, UnaryOp, for_each_unary_op};
use crate::tensor::format::Element;
use std::fmt;
use std::ops::{Add, Mul, Sub};

/// A block expression: tiles of waited blocks, an accumulator, or operations on them. Every operand has the number of tiles that is stored.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no block expression",
    label = "no tiles",
    note = "tiles are waited blocks (`a.wait_front(n)`), accumulators, and expressions over them with `+ - *` and methods"
)]
pub trait TileExpr {
    /// Adds the expression to the DAG and its operands to the leaves.
    #[doc(hidden)]
    fn build(&self, b: &mut Builder) -> NodeId;
    /// Its accumulator is about to be stored.
    #[doc(hidden)]
    fn release_accumulators(&mut self) {}
}

/// An expression over tiles. `Copy` when it only borrows its blocks.
#[derive(Clone, Copy, Debug)]
#[must_use = "a block expression is computed when it is stored"]
pub struct Tiles<E>(E);

/// One operation of two expressions.
#[derive(Clone, Copy)]
pub struct Bin<L, R> {
    op: BinaryOp,
    left: L,
    right: R,
}

/// One operation of an expression.
#[derive(Clone, Copy)]
pub struct Un<E> {
    op: UnaryOp,
    of: E,
}

impl<L, R> fmt::Debug for Bin<L, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(_ {} _)", self.op.row().symbol)
    }
}

impl<E> fmt::Debug for Un<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(_)", self.op.row().method)
    }
}

#[diagnostic::do_not_recommend]
impl<E: TileExpr> TileExpr for Tiles<E> {
    fn build(&self, b: &mut Builder) -> NodeId {
        self.0.build(b)
    }
    fn release_accumulators(&mut self) {
        self.0.release_accumulators();
    }
}

#[diagnostic::do_not_recommend]
impl<L: TileExpr, R: TileExpr> TileExpr for Bin<L, R> {
    fn build(&self, b: &mut Builder) -> NodeId {
        let left = self.left.build(b);
        let right = self.right.build(b);
        b.node(Node::Binary(self.op, left, right))
    }
    fn release_accumulators(&mut self) {
        self.left.release_accumulators();
        self.right.release_accumulators();
    }
}

#[diagnostic::do_not_recommend]
impl<E: TileExpr> TileExpr for Un<E> {
    fn build(&self, b: &mut Builder) -> NodeId {
        let of = self.of.build(b);
        b.node(Node::Unary(self.op, of))
    }
    fn release_accumulators(&mut self) {
        self.of.release_accumulators();
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> TileExpr for Front<'_, T> {
    fn build(&self, b: &mut Builder) -> NodeId {
        b.flat(self.cb, self.pages, T::FORMAT)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> TileExpr for &Front<'_, T> {
    fn build(&self, b: &mut Builder) -> NodeId {
        b.flat(self.cb, self.pages, T::FORMAT)
    }
}

#[diagnostic::do_not_recommend]
impl TileExpr for Accumulator<'_> {
    fn build(&self, b: &mut Builder) -> NodeId {
        b.accumulator(self.rows, self.cols)
    }
    fn release_accumulators(&mut self) {
        self.disarm();
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident;)*) => {
        /// Operations on tiles as methods.
        pub trait TileMath: TileExpr + Sized {
            $(
                $(#[$doc])*
                fn $method(self) -> Tiles<Un<Self>> {
                    Tiles(Un { op: UnaryOp::$op, of: self })
                }
            )*
        }
    };
}

for_each_unary_op!(methods);

impl<E: TileExpr> TileMath for E {}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident, [$($generics:tt)*], $left:ty) => {
        impl<$($generics)* R: TileExpr> $trait<R> for $left {
            type Output = Tiles<Bin<$left, R>>;
            fn $method(self, right: R) -> Self::Output {
                Tiles(Bin { op: BinaryOp::$op, left: self, right })
            }
        }
    };
}

macro_rules! operators {
    ([$($generics:tt)*], $left:ty) => {
        operator!(Add, add, Add, [$($generics)*], $left);
        operator!(Sub, sub, Sub, [$($generics)*], $left);
        operator!(Mul, mul, Mul, [$($generics)*], $left);
    };
}

operators!(['a, T: Element,], Front<'a, T>);
operators!(['r, 'a, T: Element,], &'r Front<'a, T>);
operators!(['c,], Accumulator<'c>);
operators!([E: TileExpr,], Tiles<E>);
