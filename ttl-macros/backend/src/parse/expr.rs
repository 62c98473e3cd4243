//! Expressions.

use super::Parser;
use crate::messages as m;
use crate::model::{Block, Expr, ExprKind, For, If};
use crate::place;
use proc_macro2::Span;
use quote::ToTokens;
use syn::{Ident, Lit};
use ttl_skeleton as sk;

impl Parser<'_> {
    pub(super) fn expr(&mut self, expr: syn::Expr) -> Expr {
        let span = first_span(&expr);
        Expr { span, kind: self.kind(expr) }
    }

    pub(super) fn boxed(&mut self, expr: syn::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub(super) fn no(&mut self, at: impl ToTokens, refusal: &m::Refusal) -> ExprKind {
        self.report.refuse(at, refusal);
        ExprKind::Refused
    }

    fn kind(&mut self, expr: syn::Expr) -> ExprKind {
        use syn::Expr as E;
        match expr {
            E::Lit(e) => {
                self.attributes(&e.attrs);
                self.literal(e.lit)
            }
            E::Path(e) => {
                self.attributes(&e.attrs);
                match e.qself {
                    Some(_) => ExprKind::QPath(e.to_token_stream()),
                    None => {
                        self.path_arguments(&e.path);
                        if super::pat::is_none(&e.path) {
                            return none(e.path);
                        }
                        ExprKind::Path(e.path)
                    }
                }
            }
            E::Paren(e) => {
                self.attributes(&e.attrs);
                ExprKind::Paren { paren: Some(e.paren_token), expr: self.boxed(*e.expr) }
            }
            E::Group(e) => ExprKind::Paren { paren: None, expr: self.boxed(*e.expr) },
            E::Unary(e) => {
                self.attributes(&e.attrs);
                let op = match e.op {
                    syn::UnOp::Deref(_) => sk::UnOp::Deref,
                    syn::UnOp::Not(_) => sk::UnOp::Not,
                    syn::UnOp::Neg(_) => sk::UnOp::Neg,
                    _ => return self.no(e, &m::UNKNOWN_SYNTAX),
                };
                ExprKind::Unary { op, token: e.op, expr: self.boxed(*e.expr) }
            }
            E::Binary(e) => self.binary(e),
            E::Assign(e) => {
                self.attributes(&e.attrs);
                if let E::Infer(infer) = &*e.left {
                    let kind = self.no(infer, &m::INFER);
                    self.expr(*e.right);
                    return kind;
                }
                ExprKind::Assign { place: self.boxed(*e.left), token: e.eq_token, value: self.boxed(*e.right) }
            }
            E::Cast(e) => {
                self.attributes(&e.attrs);
                let expr = self.boxed(*e.expr);
                let ty = self.ty(&e.ty);
                if ty.slot.is_none() {
                    return self.no(e.ty, &m::CAST_INFER);
                }
                ExprKind::Cast { expr, token: e.as_token, ty }
            }
            E::Reference(e) => {
                self.attributes(&e.attrs);
                ExprKind::Ref { token: e.and_token, mutability: e.mutability, place: self.boxed(*e.expr) }
            }
            E::Call(e) => self.call(e),
            E::MethodCall(e) => self.method(e),
            e if place::of(&e).is_some() => {
                let (number, value) = place::of(&e).unwrap_or((0, &e));
                ExprKind::Placed { expr: self.boxed(value.clone()), number }
            }
            E::Block(e) => {
                self.attributes(&e.attrs);
                if let Some(label) = &e.label {
                    self.report.refuse(&label.name, &m::BLOCK_LABEL);
                }
                ExprKind::Block(self.block(e.block))
            }
            E::If(e) => self.if_(e),
            E::While(e) => {
                self.attributes(&e.attrs);
                self.label(e.label.as_ref());
                ExprKind::While { token: e.while_token, cond: self.boxed(*e.cond), body: self.block(e.body) }
            }
            E::Loop(e) => {
                self.attributes(&e.attrs);
                self.label(e.label.as_ref());
                ExprKind::Loop { token: e.loop_token, body: self.block(e.body) }
            }
            E::ForLoop(e) => self.for_(e),
            E::Break(e) => {
                self.attributes(&e.attrs);
                // The label itself is refused where it is declared.
                if let Some(value) = e.expr {
                    self.report.refuse(&value, &m::BREAK_VALUE);
                    self.expr(*value);
                }
                ExprKind::Break(e.break_token)
            }
            E::Continue(e) => {
                self.attributes(&e.attrs);
                ExprKind::Continue(e.continue_token)
            }
            E::Return(e) => {
                self.attributes(&e.attrs);
                if self.in_closure > 0 {
                    return self.no(e.return_token, &m::CLOSURE_RETURN);
                }
                ExprKind::Return { token: e.return_token, value: e.expr.map(|value| self.boxed(*value)) }
            }
            E::Tuple(e) if e.elems.is_empty() => ExprKind::Unit(e.paren_token),
            E::Tuple(e) => {
                self.attributes(&e.attrs);
                ExprKind::Tuple { paren: e.paren_token, elems: self.exprs(e.elems) }
            }
            E::Array(e) => {
                self.attributes(&e.attrs);
                ExprKind::Array { bracket: e.bracket_token, elems: self.exprs(e.elems) }
            }
            E::Repeat(e) => {
                self.attributes(&e.attrs);
                ExprKind::Repeat {
                    bracket: e.bracket_token,
                    value: self.boxed(*e.expr),
                    semi: e.semi_token,
                    len: e.len.to_token_stream(),
                }
            }
            E::Async(e) => self.no(e.async_token, &m::ASYNC),
            E::Await(e) => self.no(e.await_token, &m::AWAIT),
            E::Closure(e) => self.no(e, &m::CLOSURE),
            E::Const(e) => self.no(e.const_token, &m::CONST_BLOCK),
            E::Field(e) => {
                self.attributes(&e.attrs);
                ExprKind::Field { base: self.boxed(*e.base), dot: e.dot_token, member: e.member }
            }
            E::Index(e) => {
                self.attributes(&e.attrs);
                let base = self.boxed(*e.expr);
                ExprKind::Index { base, bracket: e.bracket_token, index: self.boxed(*e.index) }
            }
            E::Infer(e) => self.no(e, &m::INFER),
            E::Let(e) => self.no(e, &m::LET_CONDITION),
            E::Macro(e) => {
                self.attributes(&e.attrs);
                self.macro_expr(e.mac)
            }
            E::Match(e) => self.match_(e),
            E::Range(e) => self.no(e, &m::RANGE_VALUE),
            E::RawAddr(e) => self.no(e, &m::RAW_ADDRESS),
            E::Struct(e) => self.struct_(e),
            E::Try(e) => self.no(e.question_token, &m::QUESTION),
            E::TryBlock(e) => self.no(e.try_token, &m::TRY_BLOCK),
            E::Unsafe(e) => self.no(e.unsafe_token, &m::UNSAFE),
            E::Yield(e) => self.no(e.yield_token, &m::YIELD),
            E::Verbatim(tokens) => self.no(tokens, &m::UNKNOWN_SYNTAX),
            other => self.no(other, &m::UNKNOWN_SYNTAX),
        }
    }

    fn literal(&mut self, lit: Lit) -> ExprKind {
        match &lit {
            Lit::Bool(b) => ExprKind::Bool(b.clone()),
            // `1f32` is an integer token.
            Lit::Int(int) if int.suffix() == "f32" => {
                ExprKind::Float { text: int.base10_digits().to_string(), ty: self.suffix("f32", int.span()), lit }
            }
            Lit::Int(int) => {
                if !matches!(int.suffix(), "" | "u8" | "i8" | "u16" | "i16" | "u32" | "i32") {
                    return self.no(lit, &m::WIDE_LITERAL);
                }
                match int.base10_parse::<u64>() {
                    Ok(value) => ExprKind::Int { value, ty: self.suffix(int.suffix(), int.span()), lit },
                    Err(_) => self.no(lit, &m::INT_TOO_LARGE),
                }
            }
            Lit::Float(float) => {
                if !matches!(float.suffix(), "" | "f32") {
                    return self.no(lit, &m::F64);
                }
                ExprKind::Float {
                    text: float.base10_digits().to_string(),
                    ty: self.suffix(float.suffix(), float.span()),
                    lit,
                }
            }
            Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_) => self.no(lit, &m::STRING),
            Lit::Byte(_) | Lit::Char(_) => self.no(lit, &m::CHAR),
            Lit::Verbatim(_) => self.no(lit, &m::UNKNOWN_SYNTAX),
            _ => self.no(lit, &m::UNKNOWN_SYNTAX),
        }
    }

    fn suffix(&mut self, suffix: &str, span: Span) -> Option<sk::Slot> {
        if suffix.is_empty() {
            return None;
        }
        let name = Ident::new(suffix, span);
        Some(self.types.intern(&syn::parse_quote!(#name)))
    }

    fn binary(&mut self, e: syn::ExprBinary) -> ExprKind {
        use sk::BinOp as O;
        use syn::BinOp as B;
        self.attributes(&e.attrs);
        let (op, assign) = match e.op {
            B::Add(_) => (O::Add, false),
            B::Sub(_) => (O::Sub, false),
            B::Mul(_) => (O::Mul, false),
            B::Div(_) => (O::Div, false),
            B::Rem(_) => (O::Rem, false),
            B::And(_) => (O::And, false),
            B::Or(_) => (O::Or, false),
            B::BitXor(_) => (O::BitXor, false),
            B::BitAnd(_) => (O::BitAnd, false),
            B::BitOr(_) => (O::BitOr, false),
            B::Shl(_) => (O::Shl, false),
            B::Shr(_) => (O::Shr, false),
            B::Eq(_) => (O::Eq, false),
            B::Lt(_) => (O::Lt, false),
            B::Le(_) => (O::Le, false),
            B::Ne(_) => (O::Ne, false),
            B::Ge(_) => (O::Ge, false),
            B::Gt(_) => (O::Gt, false),
            B::AddAssign(_) => (O::Add, true),
            B::SubAssign(_) => (O::Sub, true),
            B::MulAssign(_) => (O::Mul, true),
            B::DivAssign(_) => (O::Div, true),
            B::RemAssign(_) => (O::Rem, true),
            B::BitXorAssign(_) => (O::BitXor, true),
            B::BitAndAssign(_) => (O::BitAnd, true),
            B::BitOrAssign(_) => (O::BitOr, true),
            B::ShlAssign(_) => (O::Shl, true),
            B::ShrAssign(_) => (O::Shr, true),
            _ => return self.no(e, &m::UNKNOWN_SYNTAX),
        };
        let (left, right) = (self.boxed(*e.left), self.boxed(*e.right));
        if assign {
            ExprKind::AssignOp { op, token: e.op, place: left, value: right }
        } else {
            ExprKind::Binary { op, token: e.op, left, right }
        }
    }

    fn call(&mut self, e: syn::ExprCall) -> ExprKind {
        self.attributes(&e.attrs);
        let mut func = *e.func;
        while let syn::Expr::Group(group) = func {
            func = *group.expr;
        }
        let path = match func {
            syn::Expr::Path(path) => path,
            other => {
                self.exprs(e.args);
                return self.no(other, &m::CALLEE);
            }
        };
        let args = self.call_args(e.args);
        if path.qself.is_some() {
            return self.no(path, &m::QSELF);
        }
        let callee = path.path;
        self.path_arguments(&callee);
        if is_from_bits(&callee) {
            let count = args.len();
            return match args.into_iter().next() {
                Some(arg) if count == 1 => ExprKind::FromBits { callee, paren: e.paren_token, arg: Box::new(arg) },
                _ => self.no(callee, &m::FROM_BITS_ARGS),
            };
        }
        let variant = super::pat::last_name(&callee);
        if variant.starts_with(char::is_uppercase) {
            return ExprKind::Construct { path: callee, paren: e.paren_token, variant, args };
        }
        ExprKind::Call { callee, paren: e.paren_token, args }
    }

    /// Types in generic arguments of a path.
    pub(super) fn path_arguments(&mut self, path: &syn::Path) {
        for segment in &path.segments {
            if let syn::PathArguments::AngleBracketed(args) = &segment.arguments {
                for arg in &args.args {
                    if let syn::GenericArgument::Type(ty) = arg {
                        self.check_ty(ty);
                    }
                }
            }
        }
    }

    fn method(&mut self, e: syn::ExprMethodCall) -> ExprKind {
        self.attributes(&e.attrs);
        if let Some(turbofish) = &e.turbofish {
            self.report.refuse(turbofish, &m::TURBOFISH_METHOD);
        }
        ExprKind::Method {
            recv: self.boxed(*e.receiver),
            dot: e.dot_token,
            name: e.method,
            paren: e.paren_token,
            args: self.exprs(e.args),
        }
    }

    fn if_(&mut self, e: syn::ExprIf) -> ExprKind {
        self.attributes(&e.attrs);
        let cond = match *e.cond {
            syn::Expr::Let(cond) => return self.if_let(e.if_token, cond, e.then_branch, e.else_branch),
            cond => self.expr(cond),
        };
        let then = self.block(e.then_branch);
        let els = e.else_branch.map(|(token, els)| (token, self.expr(*els)));
        ExprKind::If(Box::new(If { token: e.if_token, cond, then, els }))
    }

    fn for_(&mut self, e: syn::ExprForLoop) -> ExprKind {
        self.attributes(&e.attrs);
        self.label(e.label.as_ref());
        if super::data::may_be_array(&e.expr) {
            return self.for_each(e);
        }
        let binding = match *e.pat {
            syn::Pat::Wild(wild) => Some(crate::model::Binding {
                name: Ident::new("__ttl_i", wild.underscore_token.span),
                wild: true,
                mutability: None,
                local: 0,
            }),
            pat => self.binding(pat, &m::FOR_PATTERN),
        };
        let range = self.range(*e.expr);
        let body: Block = self.block(e.body);
        let (Some(binding), Some(range)) = (binding, range) else {
            return ExprKind::Refused;
        };
        ExprKind::For(Box::new(For { token: e.for_token, binding, in_token: e.in_token, range, body }))
    }

    fn label(&mut self, label: Option<&syn::Label>) {
        if let Some(label) = label {
            self.report.refuse(&label.name, &m::LABEL);
        }
    }
}

/// `None {}`: asked for its type like any value that is built.
fn none(path: syn::Path) -> ExprKind {
    let mut brace = syn::token::Brace::default();
    if let Some(last) = path.segments.last() {
        let mut group = proc_macro2::Group::new(proc_macro2::Delimiter::Brace, proc_macro2::TokenStream::new());
        group.set_span(last.ident.span());
        brace.span = group.delim_span();
    }
    ExprKind::Struct { path, brace, variant: Some("None".to_string()), fields: Vec::new(), base: None }
}

/// Of the first token: what a line number is taken from. Without turning whole blocks into tokens.
fn first_span(expr: &syn::Expr) -> Span {
    use syn::Expr as E;
    match expr {
        E::Binary(e) => first_span(&e.left),
        E::Assign(e) => first_span(&e.left),
        E::MethodCall(e) => first_span(&e.receiver),
        E::Call(e) => first_span(&e.func),
        E::Cast(e) => first_span(&e.expr),
        E::Group(e) => first_span(&e.expr),
        E::Lit(e) => e.lit.span(),
        E::Paren(e) => e.paren_token.span.open(),
        E::Reference(e) => e.and_token.span,
        E::If(e) => e.if_token.span,
        E::While(e) => e.while_token.span,
        E::Loop(e) => e.loop_token.span,
        E::ForLoop(e) => e.for_token.span,
        E::Block(e) => e.block.brace_token.span.open(),
        E::Return(e) => e.return_token.span,
        E::Break(e) => e.break_token.span,
        E::Continue(e) => e.continue_token.span,
        E::Field(e) => first_span(&e.base),
        E::Index(e) => first_span(&e.expr),
        E::Tuple(e) => e.paren_token.span.open(),
        E::Array(e) => e.bracket_token.span.open(),
        E::Match(e) => e.match_token.span,
        E::Path(e) => e.path.segments.first().map_or_else(Span::call_site, |s| s.ident.span()),
        other => other.to_token_stream().into_iter().next().map_or_else(Span::call_site, |t| t.span()),
    }
}

fn is_from_bits(path: &syn::Path) -> bool {
    let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    names == ["f32", "from_bits"]
}
