//! Sizes of blocks that are written as numbers: what does not go together is refused here, at the token, before the program is built. Sizes by name
//! are checked when the program is.

use crate::messages::{self as m, Refusal};
use crate::model::{Block, Expr, ExprKind, Func, Stmt};
use crate::report::Report;
use quote::ToTokens;
use std::collections::HashMap;
use ttl_skeleton::{self as sk, BinOp, OPERATIONS};

pub(crate) fn check(func: &Func, report: &mut Report) {
    Shapes { report, known: HashMap::new() }.block(&func.body);
}

/// Rows and columns in tiles.
type Shape = [Side; 2];

#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// As what it is combined with.
    Any,
    Is(u64),
    Unknown,
}

/// What is known of a value.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    /// Waited and reserved pages.
    Front(Option<u64>),
    Reserved(Option<u64>),
    /// An expression of waited pages without a shape.
    Flat(Option<u64>),
    Block(Shape),
}

struct Shapes<'a> {
    report: &'a mut Report,
    known: HashMap<sk::Local, Known>,
}

impl Shapes<'_> {
    fn block(&mut self, block: &Block) -> Known {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { binding, init, .. } => {
                    let known = init.as_ref().map_or(Known::Nothing, |e| self.expr(e));
                    self.known.insert(binding.local, known);
                }
                Stmt::Destructure { init, els, .. } => {
                    self.expr(init);
                    if let Some((_, els)) = els {
                        self.block(els);
                    }
                }
                Stmt::Discard { init, .. } => {
                    self.expr(init);
                }
                Stmt::Expr { expr, .. } => {
                    self.expr(expr);
                }
            }
        }
        block.tail.as_ref().map_or(Known::Nothing, |e| self.expr(e))
    }

    fn expr(&mut self, expr: &Expr) -> Known {
        match &expr.kind {
            ExprKind::Local { local, .. } => self.known.get(local).copied().unwrap_or(Known::Nothing),
            ExprKind::Paren { expr, .. } | ExprKind::Ref { place: expr, .. } => self.expr(expr),
            ExprKind::Unary { op: sk::UnOp::Neg, expr, .. } => values(self.expr(expr)),
            ExprKind::Block(block) => self.block(block),
            ExprKind::Assign { place, value, .. } => {
                self.expr(value);
                if let ExprKind::Local { local, .. } = &place.kind {
                    self.known.insert(*local, Known::Nothing);
                }
                Known::Nothing
            }
            ExprKind::AssignOp { op: BinOp::Add, token, place, value } => {
                let (place, value) = (self.expr(place), self.expr(value));
                self.combine(place, value, token);
                Known::Nothing
            }
            ExprKind::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, token, left, right } => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.combine(left, right, token)
            }
            ExprKind::Method { recv, name, args, .. } => {
                let recv = self.expr(recv);
                let known: Vec<Known> = args.iter().map(|a| self.expr(a)).collect();
                self.method(recv, name, args, &known)
            }
            other => {
                other.children(&mut |e| {
                    self.expr(e);
                });
                other.blocks(&mut |b| {
                    self.block(b);
                });
                Known::Nothing
            }
        }
    }

    fn method(&mut self, recv: Known, name: &syn::Ident, args: &[Expr], known: &[Known]) -> Known {
        let text = name.to_string();
        let shape = match recv {
            Known::Block(shape) => Some(shape),
            Known::Front(pages) | Known::Flat(pages) => pages.map(|n| [Side::Is(1), Side::Is(n)]),
            _ => None,
        };
        match (text.as_str(), args, recv) {
            ("wait_front", [pages], _) => Known::Front(number(pages)),
            ("reserve_back", [pages], _) => Known::Reserved(number(pages)),
            ("zeros", [rows, cols], Known::Nothing) => Known::Block([side(rows), side(cols)]),
            ("block", [rows, cols], Known::Front(_) | Known::Flat(_)) => {
                let block = [side(rows), side(cols)];
                if let (Known::Front(Some(pages)), Some(tiles)) = (recv, tiles(block))
                    && tiles > pages
                {
                    self.refuse(name, &m::LARGE_BLOCK, format!("{} tiles of {pages}", show(block)));
                }
                Known::Block(block)
            }
            ("matmul", [_], _) => match (shape, known) {
                (Some(left), [Known::Block(right)]) => {
                    if let ([_, Side::Is(a)], [Side::Is(b), _]) = (left, *right)
                        && a != b
                    {
                        self.refuse(name, &m::INNER_SIZES, format!("{} and {} tiles", show(left), show(*right)));
                        return Known::Nothing;
                    }
                    Known::Block([left[0], right[1]])
                }
                _ => Known::Nothing,
            },
            ("store", [_], Known::Reserved(Some(pages))) => {
                let stored = match known {
                    [Known::Block(shape)] => tiles(*shape).map(|n| (n, format!("{} tiles", show(*shape)))),
                    [Known::Front(Some(n)) | Known::Flat(Some(n))] => Some((*n, format!("{n} tiles"))),
                    _ => None,
                };
                if let Some((n, stored)) = stored
                    && n != pages
                {
                    self.refuse(name, &m::STORE_SIZE, format!("{stored} to a block of {pages}"));
                }
                Known::Nothing
            }
            (name_of, [], Known::Block(_) | Known::Front(_) | Known::Flat(_)) => match self.whole(name_of, name, shape)
            {
                Some(shape) => Known::Block(shape),
                None if is_operation(name_of) => values(recv),
                None => Known::Nothing,
            },
            (name_of, ..) if is_operation(name_of) => {
                known.iter().fold(values(recv), |all, operand| match (all, operand) {
                    (all, Known::Nothing) => all,
                    (all, operand) => self.combine(all, *operand, name),
                })
            }
            _ => Known::Nothing,
        }
    }

    /// The shape of a whole block's operation.
    fn whole(&mut self, text: &str, name: &syn::Ident, shape: Option<Shape>) -> Option<Shape> {
        let [rows, cols] = shape.unwrap_or([Side::Unknown; 2]);
        let one = Side::Is(1);
        let many = |side: Side| matches!(side, Side::Is(n) if n != 1);
        let (made, wrong) = match text {
            "bcast_rows" => ([Side::Any, cols], many(rows).then_some(&m::NO_ROW)),
            "bcast_cols" => ([rows, Side::Any], many(cols).then_some(&m::NO_COLUMN)),
            "bcast_scalar" => ([Side::Any; 2], (many(rows) || many(cols)).then_some(&m::NO_NUMBER)),
            "transpose" => ([cols, rows], None),
            "sum_row" | "max_row" | "mean_row" => ([rows, one], None),
            "sum_col" | "max_col" | "mean_col" => ([one, cols], None),
            "sum_scalar" | "max_scalar" | "mean_scalar" => ([one, one], None),
            _ => return None,
        };
        if let Some(refusal) = wrong {
            self.refuse(name, refusal, format!("{} tiles", show([rows, cols])));
            return Some([Side::Unknown; 2]);
        }
        Some(made)
    }

    /// Two operands of an element-wise operation.
    fn combine(&mut self, a: Known, b: Known, at: impl ToTokens) -> Known {
        match (values(a), values(b)) {
            (Known::Block(a), Known::Block(b)) => {
                let [left, right] = [a, b];
                let mut fits = true;
                let mut same = |a: Side, b: Side| match (a, b) {
                    (Side::Any, other) | (other, Side::Any) => other,
                    (Side::Unknown, other) | (other, Side::Unknown) => other,
                    (Side::Is(a), Side::Is(b)) => {
                        fits &= a == b;
                        Side::Is(a)
                    }
                };
                let shape = [same(a[0], b[0]), same(a[1], b[1])];
                if !fits {
                    self.refuse(at, &m::COMBINED, format!("{} and {} tiles", show(left), show(right)));
                }
                Known::Block(shape)
            }
            (Known::Flat(Some(a)), Known::Flat(Some(b))) if a != b => {
                self.refuse(at, &m::COMBINED, format!("{a} and {b} tiles"));
                Known::Nothing
            }
            (Known::Flat(a), Known::Flat(b)) => Known::Flat(a.or(b)),
            // A number beside it; or pages that get their shape later.
            (Known::Nothing, known) | (known, Known::Nothing) => match known {
                Known::Flat(_) => Known::Nothing,
                known => known,
            },
            _ => Known::Nothing,
        }
    }

    fn refuse(&mut self, at: impl ToTokens, refusal: &Refusal, detail: String) {
        self.report.refuse_with(at, refusal, &detail);
    }
}

/// The tiles of a guard as a value.
fn values(known: Known) -> Known {
    match known {
        Known::Front(pages) => Known::Flat(pages),
        Known::Reserved(_) => Known::Nothing,
        known => known,
    }
}

fn is_operation(name: &str) -> bool {
    OPERATIONS.iter().any(|(method, _)| *method == name)
}

fn side(size: &Expr) -> Side {
    number(size).map_or(Side::Unknown, Side::Is)
}

/// Tiles of a block of known sides.
fn tiles([rows, cols]: Shape) -> Option<u64> {
    match (rows, cols) {
        (Side::Is(rows), Side::Is(cols)) => rows.checked_mul(cols),
        _ => None,
    }
}

/// The value of an expression of literals.
fn number(expr: &Expr) -> Option<u64> {
    match &expr.kind {
        ExprKind::Int { value, .. } => Some(*value),
        ExprKind::Paren { expr, .. } | ExprKind::Placed { expr, .. } => number(expr),
        ExprKind::Binary { op, left, right, .. } => {
            let (left, right) = (number(left)?, number(right)?);
            match op {
                BinOp::Add => left.checked_add(right),
                BinOp::Sub => left.checked_sub(right),
                BinOp::Mul => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}

fn show([rows, cols]: Shape) -> String {
    let text = |side| match side {
        Side::Is(n) => n.to_string(),
        Side::Any | Side::Unknown => "?".to_string(),
    };
    format!("{}x{}", text(rows), text(cols))
}
