//! Lazy block expressions: `&a * &b + &c` is a value that `store` plans and computes.

use super::accumulator::{Accumulator, TileBlock};
use super::cb::Front;
use super::store::Builder;
use super::tile_ops::{Held, Right};
use crate::ir::dag::{Node, NodeId};
use crate::ops::{BinaryOp, TernaryOp, UnaryOp};
use crate::tensor::format::Element;
use std::fmt;

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

/// Tile expressions that have methods: all but a waited block by value, so that `x.exp()` borrows the block `x` and it can be used again.
#[diagnostic::on_unimplemented(message = "`{Self}` is no block expression", label = "no tiles")]
pub trait Methods: TileExpr + Sized {}

#[diagnostic::do_not_recommend]
impl<T: Element> Methods for &Front<'_, T> {}
#[diagnostic::do_not_recommend]
impl<E: TileExpr> Methods for Tiles<E> {}
#[diagnostic::do_not_recommend]
impl Methods for Accumulator<'_> {}
#[diagnostic::do_not_recommend]
impl<T: Element> Methods for TileBlock<'_, T> {}

/// An expression over tiles. `Copy` when it only borrows its blocks.
#[derive(Clone, Copy, Debug)]
#[must_use = "a block expression is computed when it is stored"]
pub struct Tiles<E>(pub(super) E);

/// One operation of two expressions, or of an expression and a number.
#[derive(Clone, Copy)]
pub struct Bin<L, R> {
    pub(super) op: BinaryOp,
    pub(super) left: L,
    pub(super) right: R,
}

/// One operation of an expression.
#[derive(Clone, Copy)]
pub struct Un<E> {
    op: UnaryOp,
    of: E,
    words: Held,
}

/// One operation of three expressions.
#[derive(Clone, Copy)]
pub struct Tern<A, B, C> {
    op: TernaryOp,
    of: (A, B, C),
    words: Held,
}

/// A tile from nothing.
#[derive(Clone, Copy)]
pub struct Create {
    op: UnaryOp,
    words: Held,
}

impl<E> Un<E> {
    pub(super) fn new(op: UnaryOp, of: E, words: Held) -> Tiles<Un<E>> {
        Tiles(Un { op, of, words })
    }
}

impl<A, B, C> Tern<A, B, C> {
    pub(super) fn new(op: TernaryOp, of: (A, B, C), words: Held) -> Tiles<Tern<A, B, C>> {
        Tiles(Tern { op, of, words })
    }
}

impl Create {
    pub(super) fn new(op: UnaryOp, words: Held) -> Tiles<Create> {
        Tiles(Create { op, words })
    }
}

impl<L, R> fmt::Debug for Bin<L, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(_, _)", self.op.row().method)
    }
}

impl<E> fmt::Debug for Un<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(_)", self.op.row().method)
    }
}

impl<A, B, C> fmt::Debug for Tern<A, B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(_, _, _)", self.op.row().method)
    }
}

impl fmt::Debug for Create {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}()", self.op.row().method)
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
impl<L: TileExpr, R: Right> TileExpr for Bin<L, R> {
    fn build(&self, b: &mut Builder) -> NodeId {
        let left = self.left.build(b);
        self.right.build_right(b, self.op, left)
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
        let words = self.words.in_builder(b);
        b.node(Node::Unary(self.op, of, words))
    }
    fn release_accumulators(&mut self) {
        self.of.release_accumulators();
    }
}

#[diagnostic::do_not_recommend]
impl<A: TileExpr, B: TileExpr, C: TileExpr> TileExpr for Tern<A, B, C> {
    fn build(&self, b: &mut Builder) -> NodeId {
        let operands = [self.of.0.build(b), self.of.1.build(b), self.of.2.build(b)];
        let words = self.words.in_builder(b);
        b.node(Node::Ternary(self.op, operands, words))
    }
    fn release_accumulators(&mut self) {
        self.of.0.release_accumulators();
        self.of.1.release_accumulators();
        self.of.2.release_accumulators();
    }
}

#[diagnostic::do_not_recommend]
impl TileExpr for Create {
    fn build(&self, b: &mut Builder) -> NodeId {
        let words = self.words.in_builder(b);
        b.node(Node::Create(self.op, words))
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
        self.leaf(b)
    }
    fn release_accumulators(&mut self) {
        self.disarm();
    }
}
