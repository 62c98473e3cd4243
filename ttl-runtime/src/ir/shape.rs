//! Sizes of block expressions, in tiles, without their values: what size is which block's, and what must be equal.
//!
//! A plan made from this holds for every size: the native run puts numbers in, the C++ writer expressions.

use super::dag::{Dag, Node, NodeId};
use crate::ops::{Bcast, ReduceDim};

/// One side of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Dim {
    /// As what it is combined with: the side along which a vector is broadcast.
    Any,
    One,
    /// Rows or columns of a leaf.
    Rows(u32),
    Cols(u32),
}

/// Rows and columns, in tiles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    pub rows: Dim,
    pub cols: Dim,
}

impl Shape {
    pub const fn of_leaf(leaf: u32) -> Shape {
        Shape { rows: Dim::Rows(leaf), cols: Dim::Cols(leaf) }
    }
}

/// Two sides that must be equal, and for what.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Equal {
    pub a: Dim,
    pub b: Dim,
    pub why: Why,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Why {
    /// Shapes of the operands of an element-wise operation.
    Operands { a: Shape, b: Shape },
    /// A vector to be broadcast, of this shape.
    Vector { bcast: Bcast, of: Shape },
    /// Columns of the left and rows of the right matrix.
    Inner { a: Shape, b: Shape },
}

impl Why {
    /// The mistake, and what to do. `shape` shows a shape.
    pub fn explain(&self, shape: &dyn Fn(Shape) -> String) -> (String, &'static str) {
        match *self {
            Why::Operands { a, b } => mistake(
                format!("blocks of {} and {} tiles are combined", shape(a), shape(b)),
                "both sides must have the same shape; a block without one is a row of tiles: give it its shape with `.block(rows, cols)`",
            ),
            Why::Vector { bcast: Bcast::Row, of } => mistake(
                format!("`bcast_rows` of {} tiles", shape(of)),
                "it repeats row 0 of a row of tiles: `.block(1, cols).bcast_rows()`",
            ),
            Why::Vector { bcast: Bcast::Col, of } => mistake(
                format!("`bcast_cols` of {} tiles", shape(of)),
                "it repeats column 0 of a column of tiles: `.block(rows, 1).bcast_cols()`",
            ),
            Why::Vector { bcast: Bcast::Scalar, of } => mistake(
                format!("`bcast_scalar` of {} tiles", shape(of)),
                "it repeats the first element of one tile: wait for one tile, or reduce the block first",
            ),
            Why::Inner { a, b } => mistake(
                format!("a matrix product of {} and {} tiles", shape(a), shape(b)),
                "the columns of the left block must be the rows of the right one",
            ),
        }
    }
}

/// What is said, and what to do. A function, so that the page of all messages finds both (`tests/error_index`).
pub(super) fn mistake(message: String, help: &'static str) -> (String, &'static str) {
    (message, help)
}

/// The shape of every node and what must hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shapes {
    pub of: Vec<Shape>,
    pub equal: Vec<Equal>,
}

impl Shapes {
    pub fn of(dag: &Dag) -> Shapes {
        let mut shapes = Shapes { of: Vec::with_capacity(dag.nodes.len()), equal: Vec::new() };
        for node in &dag.nodes {
            let shape = shapes.shape(node);
            shapes.of.push(shape);
        }
        shapes
    }

    pub fn get(&self, node: NodeId) -> Shape {
        self.of[node.0 as usize]
    }

    fn shape(&mut self, node: &Node) -> Shape {
        match *node {
            Node::Leaf(leaf) => Shape::of_leaf(leaf),
            Node::Create(..) => Shape { rows: Dim::Any, cols: Dim::Any },
            Node::Unary(_, x, _) => self.get(x),
            Node::Binary(_, a, b, _) => {
                let (a, b) = (self.get(a), self.get(b));
                self.operands(a, b)
            }
            Node::Ternary(_, operands, _) => {
                let [a, b, c] = operands.map(|x| self.get(x));
                let first = self.operands(a, b);
                self.operands(first, c)
            }
            Node::Bcast(bcast, x) => {
                let of = self.get(x);
                let why = Why::Vector { bcast, of };
                if bcast != Bcast::Col {
                    self.same(of.rows, Dim::One, why);
                }
                if bcast != Bcast::Row {
                    self.same(of.cols, Dim::One, why);
                }
                match bcast {
                    Bcast::Row => Shape { rows: Dim::Any, cols: of.cols },
                    Bcast::Col => Shape { rows: of.rows, cols: Dim::Any },
                    Bcast::Scalar => Shape { rows: Dim::Any, cols: Dim::Any },
                }
            }
            Node::Reduce(_, dim, x) => {
                let of = self.get(x);
                match dim {
                    ReduceDim::Row => Shape { rows: of.rows, cols: Dim::One },
                    ReduceDim::Col => Shape { rows: Dim::One, cols: of.cols },
                    ReduceDim::Scalar => Shape { rows: Dim::One, cols: Dim::One },
                }
            }
            Node::Transpose(x) => {
                let of = self.get(x);
                Shape { rows: of.cols, cols: of.rows }
            }
            Node::Matmul(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                self.same(a.cols, b.rows, Why::Inner { a, b });
                Shape { rows: a.rows, cols: b.cols }
            }
        }
    }

    fn operands(&mut self, a: Shape, b: Shape) -> Shape {
        let why = Why::Operands { a, b };
        Shape { rows: self.same(a.rows, b.rows, why), cols: self.same(a.cols, b.cols, why) }
    }

    /// One of two sides that must be equal: the one that says more.
    fn same(&mut self, a: Dim, b: Dim, why: Why) -> Dim {
        if a == b || b == Dim::Any {
            return a;
        }
        if a == Dim::Any {
            return b;
        }
        let equal = Equal { a, b, why };
        if !self.equal.contains(&equal) {
            self.equal.push(equal);
        }
        if b == Dim::One { b } else { a }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{BinaryOp, Pool};

    #[test]
    fn shapes_follow_the_operations() {
        let mut dag = Dag::default();
        let x = dag.add(Node::Leaf(0));
        let w = dag.add(Node::Leaf(1));
        let wide = dag.add(Node::Bcast(Bcast::Row, w));
        let sum = dag.add(Node::pair(BinaryOp::Add, wide, x));
        let max = dag.add(Node::Reduce(Pool::Max, ReduceDim::Row, sum));
        let back = dag.add(Node::Transpose(max));
        let shapes = Shapes::of(&dag);
        assert_eq!(shapes.get(wide), Shape { rows: Dim::Any, cols: Dim::Cols(1) });
        assert_eq!(shapes.get(sum), Shape { rows: Dim::Rows(0), cols: Dim::Cols(1) });
        assert_eq!(shapes.get(max), Shape { rows: Dim::Rows(0), cols: Dim::One });
        assert_eq!(shapes.get(back), Shape { rows: Dim::One, cols: Dim::Rows(0) });
        let pairs: Vec<(Dim, Dim)> = shapes.equal.iter().map(|e| (e.a, e.b)).collect();
        assert_eq!(pairs, [(Dim::Rows(1), Dim::One), (Dim::Cols(1), Dim::Cols(0))]);
    }
}
