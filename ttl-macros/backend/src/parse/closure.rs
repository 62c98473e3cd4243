//! Closures that are given to device functions, and the parameters `impl Fn(..)` that take them.

use super::Parser;
use crate::messages as m;
use crate::model::{Binding, Block, Closure, ClosureTy, Expr, ExprKind, Ty};
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{Ident, Pat, PathArguments, ReturnType, Token, Type, TypeParamBound, token};

impl Parser<'_> {
    /// The type of a parameter that is a closure; `None` for any other type.
    pub(super) fn closure_ty(&mut self, ty: &Type, index: usize) -> Option<(Ty, ClosureTy)> {
        let Type::ImplTrait(written) = ty else { return None };
        let mut bounds = written.bounds.iter();
        let (Some(TypeParamBound::Trait(bound)), None) = (bounds.next(), bounds.next()) else { return None };
        let last = bound.path.segments.last()?;
        let PathArguments::Parenthesized(signature) = &last.arguments else { return None };
        if last.ident != "Fn" {
            return None;
        }
        for input in &signature.inputs {
            self.check_ty(&input.ty);
        }
        if let ReturnType::Type(_, ty) = &signature.output {
            self.check_ty(ty);
        }
        let (inputs, output) = (&signature.inputs, &signature.output);
        let pointer = quote!(fn(#inputs) #output);
        let tag = format_ident!("TtlClosure{}", index);
        let syn: Type = syn::parse_quote!(#tag);
        let slot = Some(self.types.intern(&syn));
        Some((Ty { syn, slot }, ClosureTy { tag, bound: bound.to_token_stream(), pointer }))
    }

    /// Arguments of a call of a function: closures may stand among them.
    pub(super) fn call_args(&mut self, args: Punctuated<syn::Expr, Token![,]>) -> Vec<Expr> {
        args.into_iter()
            .map(|arg| match arg {
                syn::Expr::Closure(closure) => {
                    let span = closure.inputs_begin.span;
                    Expr { span, kind: self.closure(closure) }
                }
                other => self.expr(other),
            })
            .collect()
    }

    fn closure(&mut self, closure: syn::ExprClosure) -> ExprKind {
        if let Some(token) = &closure.asyncness {
            return self.no(token, &m::ASYNC);
        }
        self.attributes(&closure.attrs);
        let mut params = Vec::new();
        for (number, input) in closure.inputs.into_iter().enumerate() {
            let (pat, ty) = match input {
                Pat::Type(typed) => {
                    let ty = self.ty(&typed.ty);
                    (*typed.pat, Some(ty))
                }
                pat => (pat, None),
            };
            let binding = match pat {
                Pat::Wild(wild) => Some(Binding {
                    name: Ident::new(&format!("__ttl_w{number}"), wild.underscore_token.span),
                    wild: true,
                    mutability: None,
                    local: 0,
                }),
                pat => self.binding(pat, &m::CLOSURE_PARAM),
            };
            params.extend(binding.map(|b| (b, ty)));
        }
        if let ReturnType::Type(_, ty) = &closure.output {
            self.check_ty(ty);
        }
        self.in_closure = self.in_closure.saturating_add(1);
        let body = match *closure.body {
            syn::Expr::Block(e) if e.label.is_none() && e.attrs.is_empty() => self.block(e.block),
            other => Block { brace: token::Brace::default(), stmts: Vec::new(), tail: Some(self.boxed(other)) },
        };
        self.in_closure = self.in_closure.saturating_sub(1);
        ExprKind::Closure(Box::new(Closure {
            or1: closure.inputs_begin,
            params,
            or2: closure.inputs_end,
            output: closure.output,
            body,
            index: 0,
        }))
    }
}
