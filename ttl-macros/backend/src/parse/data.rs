//! Structs, tuples, arrays, `match`, `if let`: expressions over plain data.

use super::Parser;
use super::pat::variant_of;
use crate::messages as m;
use crate::model::{Arm, Block, Expr, ExprKind, FieldValue, ForEach, IfLet, Match, Pattern};
use syn::token;

impl Parser<'_> {
    pub(super) fn struct_(&mut self, e: syn::ExprStruct) -> ExprKind {
        self.attributes(&e.attrs);
        if e.qself.is_some() {
            return self.no(e.path, &m::QSELF);
        }
        self.path_arguments(&e.path);
        let fields = e
            .fields
            .into_iter()
            .map(|f| FieldValue { member: f.member, colon: f.colon_token, value: self.expr(f.expr) })
            .collect();
        let base = match (e.dot2_token, e.rest) {
            (Some(dots), Some(base)) => Some((dots, self.boxed(*base))),
            _ => None,
        };
        ExprKind::Struct { variant: variant_of(&e.path), path: e.path, brace: e.brace_token, fields, base }
    }

    pub(super) fn match_(&mut self, e: syn::ExprMatch) -> ExprKind {
        self.attributes(&e.attrs);
        let value = self.expr(*e.expr);
        let mut arms = Vec::new();
        let mut complete = true;
        for arm in e.arms {
            self.attributes(&arm.attrs);
            let line = arm.fat_arrow_token.spans.first().map_or(0, |s| s.start().line as u32);
            let (pat, guard) = match arm.pat {
                syn::Pat::Guard(p) => (*p.pat, Some((p.if_token, self.expr(*p.guard)))),
                pat => (pat, None),
            };
            let pattern = self.pattern(pat);
            let body = self.arm_body(*arm.body);
            match pattern {
                Some(pattern) => arms.push(Arm { pattern, guard, arrow: arm.fat_arrow_token, body, line }),
                None => complete = false,
            }
        }
        if !complete {
            return ExprKind::Refused;
        }
        ExprKind::Match(Box::new(Match { token: e.match_token, value, brace: e.brace_token, arms }))
    }

    /// As a block, whatever it is.
    fn arm_body(&mut self, body: syn::Expr) -> Block {
        match body {
            syn::Expr::Block(e) if e.label.is_none() && e.attrs.is_empty() => self.block(e.block),
            other => Block { brace: token::Brace::default(), stmts: Vec::new(), tail: Some(self.boxed(other)) },
        }
    }

    pub(super) fn if_let(
        &mut self,
        token: syn::Token![if],
        cond: syn::ExprLet,
        then: syn::Block,
        els: Option<(syn::Token![else], Box<syn::Expr>)>,
    ) -> ExprKind {
        self.attributes(&cond.attrs);
        let value = self.expr(*cond.expr);
        let pattern = self.pattern(*cond.pat);
        let then = self.block(then);
        let els = els.map(|(token, els)| (token, self.expr(*els)));
        let Some(pattern) = pattern else { return ExprKind::Refused };
        ExprKind::IfLet(Box::new(IfLet {
            token,
            let_token: cond.let_token,
            pattern,
            eq: cond.eq_token,
            value,
            then,
            els,
        }))
    }

    pub(super) fn for_each(&mut self, e: syn::ExprForLoop) -> ExprKind {
        let array = self.expr(*e.expr);
        let pattern = self.pattern(*e.pat);
        let body = self.block(e.body);
        let Some(pattern) = pattern else { return ExprKind::Refused };
        ExprKind::ForEach(Box::new(ForEach { token: e.for_token, pattern, in_token: e.in_token, array, body }))
    }

    /// `matches!(e, pattern if guard)`.
    pub(super) fn matches(&mut self, mac: syn::Macro) -> ExprKind {
        struct Args(syn::Expr, syn::Pat, Option<(syn::Token![if], syn::Expr)>);
        impl syn::parse::Parse for Args {
            fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Args> {
                let value = input.parse()?;
                input.parse::<syn::Token![,]>()?;
                let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
                let guard = match input.parse::<Option<syn::Token![if]>>()? {
                    Some(token) => Some((token, input.parse()?)),
                    None => None,
                };
                input.parse::<Option<syn::Token![,]>>()?;
                Ok(Args(value, pat, guard))
            }
        }
        let Args(value, pat, guard) = match syn::parse2(mac.tokens.clone()) {
            Ok(args) => args,
            Err(error) => {
                self.report.push(error);
                return ExprKind::Refused;
            }
        };
        let value = self.expr(value);
        let guard = guard.map(|(token, guard)| (token, self.expr(guard)));
        let Some(pattern) = self.pattern(pat) else { return ExprKind::Refused };
        let yes_or_no = |value| {
            let lit = syn::LitBool::new(value, proc_macro2::Span::call_site());
            let expr = Expr { span: lit.span, kind: ExprKind::Bool(lit) };
            Block { brace: token::Brace::default(), stmts: Vec::new(), tail: Some(Box::new(expr)) }
        };
        let any = Pattern { tokens: quote::quote!(_), pat: crate::model::Pat::Wild };
        let line = mac.bang_token.span.start().line as u32;
        let arm = |pattern, guard, value| Arm {
            pattern,
            guard,
            arrow: syn::Token![=>](proc_macro2::Span::call_site()),
            body: yes_or_no(value),
            line,
        };
        ExprKind::Match(Box::new(Match {
            token: syn::Token![match](proc_macro2::Span::call_site()),
            value,
            brace: token::Brace::default(),
            arms: vec![arm(pattern, guard, true), arm(any, None, false)],
        }))
    }
}

/// What a `for` runs over if it is no range.
pub(super) fn may_be_array(e: &syn::Expr) -> bool {
    use syn::Expr as E;
    match e {
        E::Paren(e) => may_be_array(&e.expr),
        E::Group(e) => may_be_array(&e.expr),
        E::Path(_) | E::Field(_) | E::Reference(_) | E::Array(_) | E::Repeat(_) | E::Call(_) | E::Index(_) => true,
        _ => false,
    }
}
