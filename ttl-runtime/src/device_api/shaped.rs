//! Operations on blocks as matrices of tiles: shapes, broadcasts, reductions, transposes, matrix products.

use super::accumulator::TileBlock;
use super::store::Builder;
use super::tiles::{Methods, TileExpr, Tiles};
use crate::ir::dag::{Node, NodeId};
use crate::ops::{Bcast, Pool, ReduceDim};
use crate::tensor::format::Element;
use std::fmt;

/// What is done with a whole block.
#[derive(Clone, Copy, Debug)]
enum Whole {
    Bcast(Bcast),
    Reduce(Pool, ReduceDim),
    Transpose,
}

/// One operation on a whole block.
#[derive(Clone, Copy)]
pub struct OfBlock<E> {
    how: Whole,
    of: E,
}

/// A matrix product.
#[derive(Clone, Copy)]
pub struct Product<L, R> {
    left: L,
    right: R,
}

/// An expression of blocks without a shape, which gives them one.
#[derive(Clone, Copy)]
pub struct Shaped<E> {
    rows: u32,
    cols: u32,
    of: E,
}

impl<E> fmt::Debug for OfBlock<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}(_)", self.how)
    }
}

impl<L, R> fmt::Debug for Product<L, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("matmul(_, _)")
    }
}

impl<E> fmt::Debug for Shaped<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block({}, {})", self.rows, self.cols)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> TileExpr for TileBlock<'_, T> {
    fn build(&self, b: &mut Builder) -> NodeId {
        b.front(self.cb, [self.rows, self.cols], T::FORMAT)
    }
}

#[diagnostic::do_not_recommend]
impl<E: TileExpr> TileExpr for OfBlock<E> {
    fn build(&self, b: &mut Builder) -> NodeId {
        let of = b.reshaped(None, |b| self.of.build(b));
        b.node(match self.how {
            Whole::Bcast(bcast) => Node::Bcast(bcast, of),
            Whole::Reduce(pool, dim) => Node::Reduce(pool, dim, of),
            Whole::Transpose => Node::Transpose(of),
        })
    }
    fn release_accumulators(&mut self) {
        self.of.release_accumulators();
    }
}

#[diagnostic::do_not_recommend]
impl<L: TileExpr, R: TileExpr> TileExpr for Product<L, R> {
    fn build(&self, b: &mut Builder) -> NodeId {
        b.reshaped(None, |b| {
            let left = self.left.build(b);
            let right = self.right.build(b);
            b.node(Node::Matmul(left, right))
        })
    }
    fn release_accumulators(&mut self) {
        self.left.release_accumulators();
        self.right.release_accumulators();
    }
}

#[diagnostic::do_not_recommend]
impl<E: TileExpr> TileExpr for Shaped<E> {
    fn build(&self, b: &mut Builder) -> NodeId {
        b.reshaped(Some([self.rows, self.cols]), |b| self.of.build(b))
    }
    fn release_accumulators(&mut self) {
        self.of.release_accumulators();
    }
}

macro_rules! of_block {
    ($($(#[$doc:meta])* $method:ident => $how:expr;)*) => {
        /// Operations on blocks as matrices of tiles.
        pub trait TileShape: Methods {
            $(
                $(#[$doc])*
                fn $method(self) -> Tiles<OfBlock<Self>> {
                    Tiles(OfBlock { how: $how, of: self })
                }
            )*

            /// The matrix product: the columns of `self` are the rows of `other`.
            fn matmul<R: TileExpr>(self, other: R) -> Tiles<Product<Self, R>> {
                Tiles(Product { left: self, right: other })
            }
        }
    };
}

of_block! {
    /// A row of tiles as a block of any number of rows: row 0 of each tile, for every row.
    bcast_rows => Whole::Bcast(Bcast::Row);
    /// A column of tiles as a block of any number of columns: column 0 of each tile, for every column.
    bcast_cols => Whole::Bcast(Bcast::Col);
    /// One tile as a block of any size: its first element, for all.
    bcast_scalar => Whole::Bcast(Bcast::Scalar);
    /// The sum of each row: a column of tiles, with the sums in column 0.
    sum_row => Whole::Reduce(Pool::Sum, ReduceDim::Row);
    /// The sum of each column: a row of tiles, with the sums in row 0.
    sum_col => Whole::Reduce(Pool::Sum, ReduceDim::Col);
    /// The sum of all elements: one tile, with the sum in its first element.
    sum_scalar => Whole::Reduce(Pool::Sum, ReduceDim::Scalar);
    /// The largest element of each row: a column of tiles, with the maxima in column 0.
    max_row => Whole::Reduce(Pool::Max, ReduceDim::Row);
    /// The largest element of each column: a row of tiles, with the maxima in row 0.
    max_col => Whole::Reduce(Pool::Max, ReduceDim::Col);
    /// The largest of all elements: one tile, with the maximum in its first element.
    max_scalar => Whole::Reduce(Pool::Max, ReduceDim::Scalar);
    /// The mean of each row: a column of tiles, with the means in column 0.
    mean_row => Whole::Reduce(Pool::Avg, ReduceDim::Row);
    /// The mean of each column: a row of tiles, with the means in row 0.
    mean_col => Whole::Reduce(Pool::Avg, ReduceDim::Col);
    /// The mean of all elements: one tile, with the mean in its first element.
    mean_scalar => Whole::Reduce(Pool::Avg, ReduceDim::Scalar);
    /// The transposed matrix: tiles, and elements in them.
    transpose => Whole::Transpose;
}

impl<E: Methods> TileShape for E {}

impl<E: TileExpr> Tiles<E> {
    /// Gives the blocks of the expression that have no shape one: `rows` x `cols` tiles, row-major.
    pub fn block(self, rows: u32, cols: u32) -> Tiles<Shaped<E>> {
        Tiles(Shaped { rows, cols, of: self.0 })
    }
}
