//! Sizes of blocks as expressions, and arithmetic without what a reader would not write.

use crate::ir::shape::{Dim, Shape};
use crate::ir::{BinOp, Expr, ExprKind, Leaf};

/// What the sides of an expression's blocks are.
pub(super) struct Sizes {
    /// Rows and columns of the leaves.
    pub(super) leaves: Vec<[Expr; 2]>,
    /// Tiles of the whole result, for what only that tells.
    pub(super) pages: Expr,
}

impl Sizes {
    pub(super) fn new(leaves: &[Leaf], pages: &Expr) -> Sizes {
        let leaves = leaves.iter().map(|l| l.shape().clone()).collect();
        Sizes { leaves, pages: pages.clone() }
    }

    /// Rows and columns of a shape.
    pub(super) fn of(&self, shape: Shape) -> [Expr; 2] {
        match (self.side(shape.rows), self.side(shape.cols)) {
            (Some(rows), Some(cols)) => [rows, cols],
            (None, Some(cols)) => [quotient(&self.pages, &cols), cols],
            (Some(rows), None) => {
                let cols = quotient(&self.pages, &rows);
                [rows, cols]
            }
            (None, None) => [Expr::u32(1), self.pages.clone()],
        }
    }

    fn side(&self, dim: Dim) -> Option<Expr> {
        let leaf = |leaf: u32, side: usize| self.leaves.get(leaf as usize).map(|l| l[side].clone());
        match dim {
            Dim::Any => None,
            Dim::One => Some(Expr::u32(1)),
            Dim::Rows(n) => leaf(n, 0),
            Dim::Cols(n) => leaf(n, 1),
        }
    }
}

/// The value of an expression of constants.
pub(crate) fn constant(e: &Expr) -> Option<u32> {
    match &e.kind {
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            match op {
                BinOp::Add => a.checked_add(b),
                BinOp::Sub => a.checked_sub(b),
                BinOp::Mul => a.checked_mul(b),
                BinOp::Div => a.checked_div(b),
                BinOp::Rem => a.checked_rem(b),
                _ => None,
            }
        }
        _ => e.as_u32(),
    }
}

fn quotient(a: &Expr, b: &Expr) -> Expr {
    match (constant(a), constant(b)) {
        (_, Some(1)) => a.clone(),
        (Some(a), Some(b)) if b > 0 => Expr::u32(a / b),
        _ => Expr::binary(BinOp::Div, a.clone(), b.clone()),
    }
}

pub(crate) fn add(a: Expr, b: Expr) -> Expr {
    match (constant(&a), constant(&b)) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(x), Some(y)) if x.checked_add(y).is_some() => Expr::u32(x + y),
        _ => Expr::binary(BinOp::Add, a, b),
    }
}

pub(crate) fn mul(a: Expr, b: Expr) -> Expr {
    match (constant(&a), constant(&b)) {
        (Some(0), _) | (_, Some(1)) => a,
        (_, Some(0)) | (Some(1), _) => b,
        (Some(x), Some(y)) if x.checked_mul(y).is_some() => Expr::u32(x * y),
        _ => Expr::binary(BinOp::Mul, a, b),
    }
}
