//! Blocks and statements.

use super::Parser;
use super::sig::is_lint;
use crate::messages as m;
use crate::model::{Binding, Block, Expr, Stmt};
use proc_macro2::Span;
use syn::{Attribute, Pat};

impl Parser<'_> {
    pub(super) fn block(&mut self, block: syn::Block) -> Block {
        let mut stmts = Vec::new();
        let mut tail = None;
        let last = block.stmts.len().saturating_sub(1);
        for (i, stmt) in block.stmts.into_iter().enumerate() {
            match stmt {
                syn::Stmt::Local(local) => stmts.extend(self.local(local)),
                syn::Stmt::Item(item) => self.report.refuse(item, &m::NESTED_ITEM),
                // A lone `;`.
                syn::Stmt::Expr(syn::Expr::Verbatim(tokens), _) if tokens.is_empty() => {}
                syn::Stmt::Expr(expr, semi) => {
                    let expr = self.expr(expr);
                    if i == last && semi.is_none() {
                        tail = Some(Box::new(expr));
                    } else {
                        stmts.push(Stmt::Expr { expr, semi });
                    }
                }
                syn::Stmt::Macro(stmt) => {
                    self.attributes(&stmt.attrs);
                    let span = stmt.mac.path.segments.first().map_or_else(Span::call_site, |s| s.ident.span());
                    let expr = Expr { span, kind: self.macro_expr(stmt.mac) };
                    if i == last && stmt.semi_token.is_none() {
                        tail = Some(Box::new(expr));
                    } else {
                        // `assert!(..)` ends its statement with or without a semicolon.
                        stmts.push(Stmt::Expr { expr, semi: Some(stmt.semi_token.unwrap_or_default()) });
                    }
                }
            }
        }
        Block { brace: block.brace_token, stmts, tail }
    }

    fn local(&mut self, local: syn::Local) -> Option<Stmt> {
        self.attributes(&local.attrs);
        let mut diverge = None;
        let init = match local.init {
            None => None,
            Some(init) => {
                diverge = init.diverge;
                Some(self.expr(*init.expr))
            }
        };
        let (pat, ty) = match local.pat {
            Pat::Type(typed) => {
                let ty = self.ty(&typed.ty);
                (*typed.pat, Some(ty))
            }
            pat => (pat, None),
        };
        let els = match diverge {
            Some((token, els)) => match *els {
                syn::Expr::Block(els) => Some((token, self.block(els.block))),
                other => {
                    self.report.refuse(other, &m::UNKNOWN_SYNTAX);
                    return None;
                }
            },
            None => None,
        };
        match pat {
            Pat::Wild(wild) if els.is_none() => match init {
                Some(init) => {
                    Some(Stmt::Discard { let_token: local.let_token, underscore: wild.underscore_token, ty, init })
                }
                // `let _;` does nothing at all.
                None => None,
            },
            pat if els.is_some() || !matches!(pat, Pat::Ident(_) | Pat::Paren(_)) => {
                let pattern = self.pattern(pat)?;
                let Some(init) = init else {
                    self.report.refuse(&pattern.tokens, &m::LET_PATTERN);
                    return None;
                };
                Some(Stmt::Destructure { let_token: local.let_token, pattern, ty, init, els })
            }
            pat => {
                let binding = self.binding(pat, &m::LET_PATTERN)?;
                Some(Stmt::Let { let_token: local.let_token, binding, ty, init })
            }
        }
    }

    /// One name. Every other pattern is refused.
    pub(super) fn binding(&mut self, pat: Pat, refusal: &m::Refusal) -> Option<Binding> {
        match pat {
            Pat::Ident(p) => {
                if let Some(token) = p.by_ref {
                    self.report.refuse(token, &m::REF_PATTERN);
                    return None;
                }
                if let Some((_, sub)) = p.subpat {
                    self.report.refuse(sub, refusal);
                    return None;
                }
                self.reserved(&p.ident);
                Some(Binding { name: p.ident, wild: false, mutability: p.mutability, local: 0 })
            }
            Pat::Paren(p) => self.binding(*p.pat, refusal),
            Pat::Const(_)
            | Pat::Guard(_)
            | Pat::Lit(_)
            | Pat::Macro(_)
            | Pat::Or(_)
            | Pat::Path(_)
            | Pat::Range(_)
            | Pat::Reference(_)
            | Pat::Rest(_)
            | Pat::Slice(_)
            | Pat::Struct(_)
            | Pat::Tuple(_)
            | Pat::TupleStruct(_)
            | Pat::Type(_)
            | Pat::Verbatim(_)
            | Pat::Wild(_) => {
                self.report.refuse(pat, refusal);
                None
            }
            other => {
                self.report.refuse(other, &m::LET_TYPE_PATTERN);
                None
            }
        }
    }

    /// Attributes inside bodies: lints only. `#[cfg]` would have to be followed in both languages.
    pub(super) fn attributes(&mut self, attrs: &[Attribute]) {
        for attr in attrs {
            if !is_lint(attr) && !attr.path().segments.iter().any(|s| s.ident == "rustfmt") {
                self.report.refuse(attr, &m::STMT_ATTRIBUTE);
            }
        }
    }

    pub(super) fn macro_call(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let refusal = match name.as_str() {
            "vec" => &m::MACRO_VEC,
            "print" | "println" | "eprint" | "eprintln" | "dbg" => &m::MACRO_PRINT,
            "format" | "write" | "writeln" | "format_args" | "concat" | "stringify" => &m::MACRO_FORMAT,
            _ => &m::MACRO_PLAIN,
        };
        let path = &mac.path;
        let bang = &mac.bang_token;
        self.report.refuse(quote::quote!(#path #bang), refusal);
    }
}

impl Parser<'_> {
    pub(super) fn exprs(&mut self, list: syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>) -> Vec<Expr> {
        list.into_iter().map(|e| self.expr(e)).collect()
    }
}
