//! Sizes of blocks that are written as numbers and constants. What does not go together is refused here, at the token, before the program is built; where
//! only rustc knows the values, it is asked (`sizes`). Other sizes are checked when the program is.

use super::sizes::{Question, Size};
use crate::messages::{self as m, Refusal};
use crate::model::{Block, Expr, ExprKind, Func, Stmt};
use crate::report::Report;
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::HashMap;
use syn::spanned::Spanned;
use ttl_skeleton::{self as sk, BinOp, OPERATIONS};

pub(crate) fn check(func: &Func, report: &mut Report) {
    walk(func, report);
}

/// What rustc has to be asked about a function without mistakes.
pub(crate) fn questions(func: &Func) -> Vec<Question> {
    walk(func, &mut Report::default())
}

fn walk(func: &Func, report: &mut Report) -> Vec<Question> {
    let parameters = func.generics();
    let generics = parameters.params.iter().map(|p| match p {
        syn::GenericParam::Type(p) => p.ident.to_string(),
        syn::GenericParam::Const(p) => p.ident.to_string(),
        syn::GenericParam::Lifetime(p) => p.lifetime.ident.to_string(),
    });
    let generics = generics.collect();
    let mut shapes = Shapes { report, known: HashMap::new(), generics, branches: 0, questions: Vec::new() };
    shapes.block(&func.body);
    shapes.questions
}

/// Rows and columns in tiles.
type Shape = [Side; 2];

#[derive(Clone)]
enum Side {
    /// As what it is combined with.
    Any,
    Is(Size),
    Unknown,
}

/// What is known of a value.
#[derive(Clone)]
enum Known {
    Nothing,
    /// A number of pages or tiles.
    Size(Size),
    /// Waited and reserved pages.
    Front(Option<Size>),
    Reserved(Option<Size>),
    /// An expression of waited pages without a shape.
    Flat(Option<Size>),
    Block(Shape),
}

struct Shapes<'a> {
    report: &'a mut Report,
    known: HashMap<sk::Local, Known>,
    generics: Vec<String>,
    /// Branches around. Whether one is taken may be a matter of constants too: rustc is asked about none.
    branches: u32,
    questions: Vec<Question>,
}

impl Shapes<'_> {
    fn block(&mut self, block: &Block) -> Known {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { binding, init, .. } => {
                    let known = init.as_ref().map_or(Known::Nothing, |e| self.expr(e));
                    let known = match (known, init) {
                        (Known::Nothing, Some(init)) if binding.mutability.is_none() => {
                            self.size(init).map_or(Known::Nothing, Known::Size)
                        }
                        (known, _) => known,
                    };
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
            ExprKind::Local { local, .. } => self.known.get(local).cloned().unwrap_or(Known::Nothing),
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
            ExprKind::If(_) | ExprKind::IfLet(_) | ExprKind::Match(_) => {
                self.branches = self.branches.saturating_add(1);
                self.inside(&expr.kind);
                self.branches = self.branches.saturating_sub(1);
                Known::Nothing
            }
            other => {
                self.inside(other);
                Known::Nothing
            }
        }
    }

    fn inside(&mut self, expr: &ExprKind) {
        expr.children(&mut |e| {
            self.expr(e);
        });
        expr.blocks(&mut |b| {
            self.block(b);
        });
    }

    fn size(&self, expr: &Expr) -> Option<Size> {
        let local = |local| match self.known.get(&local) {
            Some(Known::Size(size)) => Some(size.clone()),
            _ => None,
        };
        Size::of(expr, &self.generics, &local)
    }

    fn side(&self, expr: &Expr) -> Side {
        self.size(expr).map_or(Side::Unknown, Side::Is)
    }

    fn method(&mut self, recv: Known, name: &syn::Ident, args: &[Expr], known: &[Known]) -> Known {
        let text = name.to_string();
        let shape = match &recv {
            Known::Block(shape) => Some(shape.clone()),
            Known::Front(pages) | Known::Flat(pages) => pages.clone().map(|n| [Side::Is(Size::Number(1)), Side::Is(n)]),
            _ => None,
        };
        match (text.as_str(), args, &recv) {
            ("wait_front", [pages], _) => Known::Front(self.size(pages)),
            ("reserve_back", [pages], _) => Known::Reserved(self.size(pages)),
            ("zeros", [rows, cols], Known::Nothing) => Known::Block([self.side(rows), self.side(cols)]),
            ("block", [rows, cols], Known::Front(_) | Known::Flat(_)) => {
                let block = [self.side(rows), self.side(cols)];
                if let (Known::Front(Some(pages)), Some(tiles)) = (&recv, tiles(&block)) {
                    let detail = || format!("{} tiles of {}", show(&block), pages.text());
                    match (tiles.number(), pages.number()) {
                        (Some(n), Some(pages)) if n > pages => self.refuse(name, &m::LARGE_BLOCK, detail()),
                        (Some(_), Some(_)) => {}
                        _ if tiles.same(pages) == Some(true) => {}
                        _ => self.ask(Question::new(name.span(), &m::LARGE_BLOCK, detail()).at_most(&tiles, pages)),
                    }
                }
                Known::Block(block)
            }
            ("matmul", [_], _) => match (shape, known) {
                (Some(left), [Known::Block(right)]) => {
                    if let ([_, Side::Is(a)], [Side::Is(b), _]) = (&left, right) {
                        let detail = format!("{} and {} tiles", show(&left), show(right));
                        if !self.same(name.span(), &m::INNER_SIZES, &detail, &[(a, b)]) {
                            return Known::Nothing;
                        }
                    }
                    let ([rows, _], [_, cols]) = (left, right.clone());
                    Known::Block([rows, cols])
                }
                _ => Known::Nothing,
            },
            ("store", [_], Known::Reserved(Some(pages))) => {
                let stored = match known {
                    [Known::Block(shape)] => tiles(shape).map(|n| (n, format!("{} tiles", show(shape)))),
                    [Known::Front(Some(n)) | Known::Flat(Some(n))] => Some((n.clone(), format!("{} tiles", n.text()))),
                    _ => None,
                };
                if let Some((n, stored)) = stored {
                    let detail = format!("{stored} to a block of {}", pages.text());
                    self.same(name.span(), &m::STORE_SIZE, &detail, &[(&n, pages)]);
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
                    (all, operand) => self.combine(all, operand.clone(), name),
                })
            }
            _ => Known::Nothing,
        }
    }

    /// The shape of a whole block's operation.
    fn whole(&mut self, text: &str, name: &syn::Ident, shape: Option<Shape>) -> Option<Shape> {
        let [rows, cols] = shape.unwrap_or([Side::Unknown, Side::Unknown]);
        let one = || Side::Is(Size::Number(1));
        let tiles = format!("{} tiles", show(&[rows.clone(), cols.clone()]));
        let (made, single, refusal) = match text {
            "bcast_rows" => ([Side::Any, cols.clone()], vec![rows], &m::NO_ROW),
            "bcast_cols" => ([rows.clone(), Side::Any], vec![cols], &m::NO_COLUMN),
            "bcast_scalar" => ([Side::Any, Side::Any], vec![rows, cols], &m::NO_NUMBER),
            "transpose" => return Some([cols, rows]),
            "sum_row" | "max_row" | "mean_row" => return Some([rows, one()]),
            "sum_col" | "max_col" | "mean_col" => return Some([one(), cols]),
            "sum_scalar" | "max_scalar" | "mean_scalar" => return Some([one(), one()]),
            _ => return None,
        };
        let pairs: Vec<(&Size, &Size)> =
            single.iter().filter_map(|side| Some((side.size()?, &Size::Number(1)))).collect();
        if !self.same(name.span(), refusal, &tiles, &pairs) {
            return Some([Side::Unknown, Side::Unknown]);
        }
        Some(made)
    }

    /// Two operands of an element-wise operation.
    fn combine(&mut self, a: Known, b: Known, at: impl ToTokens) -> Known {
        match (values(a), values(b)) {
            (Known::Block(a), Known::Block(b)) => {
                let detail = format!("{} and {} tiles", show(&a), show(&b));
                let pairs: Vec<(&Size, &Size)> =
                    a.iter().zip(&b).filter_map(|(a, b)| Some((a.size()?, b.size()?))).collect();
                self.same(at.span(), &m::COMBINED, &detail, &pairs);
                let side = |a: &Side, b: &Side| match (a, b) {
                    (Side::Any | Side::Unknown, other) | (other, Side::Any | Side::Unknown) => other.clone(),
                    // A number says more.
                    (Side::Is(Size::Named(_)), Side::Is(Size::Number(_))) => b.clone(),
                    (Side::Is(_), Side::Is(_)) => a.clone(),
                };
                let ([a_rows, a_cols], [b_rows, b_cols]) = (&a, &b);
                Known::Block([side(a_rows, b_rows), side(a_cols, b_cols)])
            }
            (Known::Flat(Some(a)), Known::Flat(Some(b))) => {
                let detail = format!("{} and {} tiles", a.text(), b.text());
                match self.same(at.span(), &m::COMBINED, &detail, &[(&a, &b)]) {
                    true => Known::Flat(Some(a)),
                    false => Known::Nothing,
                }
            }
            (Known::Flat(a), Known::Flat(b)) => Known::Flat(a.or(b)),
            // A number beside it; or pages that get their shape later.
            (Known::Nothing | Known::Size(_), known) | (known, Known::Nothing | Known::Size(_)) => match known {
                Known::Flat(_) | Known::Size(_) => Known::Nothing,
                known => known,
            },
            _ => Known::Nothing,
        }
    }

    /// Sizes that have to be the same. Whether they may be: where that is not known, rustc is asked.
    fn same(&mut self, at: Span, refusal: &'static Refusal, detail: &str, pairs: &[(&Size, &Size)]) -> bool {
        if pairs.iter().any(|(a, b)| a.same(b) == Some(false)) {
            self.report.refuse_span(at, refusal, detail);
            return false;
        }
        let open = pairs.iter().filter(|(a, b)| a.same(b).is_none());
        let question = open.fold(None, |question: Option<Question>, (a, b)| {
            Some(question.unwrap_or_else(|| Question::new(at, refusal, detail.to_owned())).equal(a, b))
        });
        if let Some(question) = question {
            self.ask(question);
        }
        true
    }

    fn ask(&mut self, question: Question) {
        if self.branches == 0 {
            self.questions.push(question);
        }
    }

    fn refuse(&mut self, at: impl ToTokens, refusal: &Refusal, detail: String) {
        self.report.refuse_with(at, refusal, &detail);
    }
}

impl Side {
    fn size(&self) -> Option<&Size> {
        match self {
            Side::Is(size) => Some(size),
            Side::Any | Side::Unknown => None,
        }
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

/// Tiles of a block of known sides.
fn tiles([rows, cols]: &Shape) -> Option<Size> {
    match (rows, cols) {
        (Side::Is(rows), Side::Is(cols)) => rows.times(cols),
        _ => None,
    }
}

fn show([rows, cols]: &Shape) -> String {
    let text = |side: &Side| match side {
        Side::Is(size) => size.factor(),
        Side::Any | Side::Unknown => "?".to_string(),
    };
    format!("{}x{}", text(rows), text(cols))
}
