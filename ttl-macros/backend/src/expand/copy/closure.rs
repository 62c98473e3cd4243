//! Closures that are given to functions.
//!
//! A closure is no value of the IR: it becomes a function, and the function that gets it an instance of its own. The type which stands for the
//! closure in that instance goes along with it: `ClosureOf<F, N>` for the N-th closure of `F`, or the type parameter of a closure that is passed on.

use super::{Copied, Copier, tie};
use crate::model::{Closure, Expr, ExprKind};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Path, token};
use ttl_skeleton as sk;

impl Copier<'_> {
    /// Whether the argument is a closure, or a parameter that is one.
    pub(super) fn is_closure(&self, arg: &Expr) -> bool {
        matches!(arg.kind, ExprKind::Closure(_)) || self.passed_on(arg).is_some()
    }

    /// The type parameter of a closure that this function got.
    fn passed_on(&self, arg: &Expr) -> Option<&Ident> {
        match &arg.kind {
            ExprKind::Local { local, .. } => {
                let param = self.func.params.iter().find(|p| p.binding.local == *local)?;
                param.closure.as_ref().map(|c| &c.tag)
            }
            ExprKind::Ref { place, mutability: None, .. } => self.passed_on(place),
            _ => None,
        }
    }

    pub(super) fn call_with_closures(
        &mut self,
        span: Span,
        callee: &Path,
        paren: &token::Paren,
        args: &[Expr],
    ) -> Copied {
        let (probe, slot) = self.probe(span);
        let tags: Vec<TokenStream> = args
            .iter()
            .filter_map(|arg| match &arg.kind {
                ExprKind::Closure(closure) => {
                    let number = self.scope.consts.get(closure.index as usize).map(|c| c.tokens.clone());
                    Some(quote!(::ttl::rt::ClosureOf<Self, #number>))
                }
                _ => self.passed_on(arg).map(|tag| quote!(#tag)),
            })
            .collect();
        self.before(quote_spanned!(span=> ::ttl::rt::TakesThese::<(#(#tags,)*)>::check(&#probe);));
        let (given, sks) = self.args(args);
        let (twin, function) = self.twin(callee);
        let mut tokens = quote_spanned!(span=> #twin::device_fn(&#probe, #function));
        paren.surround(&mut tokens, |t| t.extend(given));
        (tokens, sk::Expr::Call { slot, args: sks })
    }

    pub(super) fn closure(&mut self, e: &Closure) -> Copied {
        let mut ties = TokenStream::new();
        let mut params = Vec::new();
        let mut inputs = Vec::new();
        // Their probes stand before the statement; what the body has, in the body.
        for (binding, ty) in &e.params {
            let (name, mutability) = (&binding.name, &binding.mutability);
            let (probe, slot) = self.probe(name.span());
            self.set_slot(binding.local, slot);
            ties.extend(tie(name, &probe));
            inputs.push(match ty {
                Some(ty) => {
                    let ty = &ty.syn;
                    quote!(#mutability #name: #ty)
                }
                None => quote!(#mutability #name),
            });
            params.push(binding.local);
        }
        let (body, body_sk) = self.block(&e.body, ties, None);
        // Without `move`, which would take the probes along.
        let (or1, or2, output) = (&e.or1, &e.or2, &e.output);
        let tokens = quote!(#or1 #(#inputs),* #or2 #output #body);
        let slot = self.first_const.saturating_add(e.index);
        let line = super::line(e.or1.span);
        (tokens, sk::Expr::Closure(Box::new(sk::Closure { slot, params, body: body_sk, line })))
    }

    pub(super) fn call_closure(
        &mut self,
        name: &Ident,
        local: sk::Local,
        paren: &token::Paren,
        args: &[Expr],
    ) -> Copied {
        let (args, sks) = self.args(args);
        let mut tokens = quote!(#name);
        paren.surround(&mut tokens, |t| t.extend(args));
        (tokens, sk::Expr::CallClosure { local, args: sks })
    }
}
