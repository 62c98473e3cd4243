//! Signatures: parameters, result, generics.

use super::Parser;
use crate::item::RawFn;
use crate::messages as m;
use crate::model::{Binding, Expr, ExprKind, Kind, Mark, Param, Stmt, Ty};
use crate::report::Report;
use proc_macro2::Span;
use syn::{Attribute, FnArg, GenericParam, Ident, Pat, ReturnType, Type};

impl Parser<'_> {
    /// The parameters; removes `#[ttl(..)]` from the item.
    pub(super) fn params(&mut self, item: &mut RawFn, kind: Kind) -> Vec<Param> {
        self.qualifiers(item);
        let mut params = Vec::new();
        for (index, arg) in item.sig.inputs.iter_mut().enumerate() {
            let typed = match arg {
                FnArg::Typed(typed) => typed,
                FnArg::Receiver(receiver) => {
                    self.report.refuse(&*receiver, &m::SELF_PARAM);
                    continue;
                }
            };
            let mark = self.mark(&mut typed.attrs);
            if let Some((_, span)) = mark {
                match kind {
                    Kind::Device => self.report.refuse_at(span, &m::MARK_ON_DEVICE_FN),
                    Kind::Kernel(_) if index == 0 => self.report.refuse_at(span, &m::MARK_ON_TOKEN),
                    Kind::Kernel(_) => {}
                }
            }
            let Some(binding) = self.param_binding(&typed.pat, index, kind) else {
                continue;
            };
            if kind == Kind::Device
                && let Some((ty, closure)) = self.closure_ty(&typed.ty, index)
            {
                params.push(Param { binding, ty, mark: None, closure: Some(closure) });
                continue;
            }
            let ty = self.ty(&typed.ty);
            if ty.slot.is_none() {
                self.report.refuse(&typed.ty, &m::TYPE_INFER);
            }
            // rustc would ask for a lifetime first.
            if matches!(kind, Kind::Kernel(_)) && is_guard(&typed.ty) {
                self.report.refuse(&typed.ty, &m::GUARD_PARAM);
            }
            params.push(Param { binding, ty, mark: mark.map(|(mark, _)| mark), closure: None });
        }
        if matches!(kind, Kind::Kernel(_)) {
            if item.sig.inputs.is_empty() {
                self.report.refuse(&item.sig.ident, &m::NO_TOKEN);
            }
            self.type_params_are_used(item);
        }
        params
    }

    fn qualifiers(&mut self, item: &RawFn) {
        let sig = &item.sig;
        if let Some(token) = &sig.asyncness {
            self.report.refuse(token, &m::ASYNC_FN);
        }
        match &sig.safety {
            syn::Safety::Unsafe(token) => self.report.refuse(token, &m::UNSAFE_FN),
            syn::Safety::Safe(token) => self.report.refuse(token, &m::UNKNOWN_SYNTAX),
            _ => {}
        }
        if let Some(abi) = &sig.abi {
            self.report.refuse(abi, &m::EXTERN_FN);
        }
        if let Some(variadic) = &sig.variadic {
            self.report.refuse(variadic, &m::VARIADIC);
        }
        for param in &sig.generics.params {
            if let GenericParam::Lifetime(lifetime) = param {
                self.report.refuse(lifetime, &m::LIFETIME_PARAM);
            }
        }
        self.reserved(&sig.ident);
    }

    fn mark(&mut self, attrs: &mut Vec<Attribute>) -> Option<(Mark, Span)> {
        let mut found = None;
        let mut rest = Vec::new();
        for attr in attrs.drain(..) {
            if !attr.path().is_ident("ttl") {
                if !is_lint(&attr) {
                    self.report.refuse(&attr, &m::PARAM_ATTRIBUTE);
                }
                rest.push(attr);
                continue;
            }
            let span = attr.path().get_ident().map_or_else(Span::call_site, Ident::span);
            let Some(mark) = mark(&attr, self.report) else { continue };
            if found.is_some() {
                self.report.refuse(&attr, &m::MARK_TWICE);
            }
            found = Some((mark, span));
        }
        *attrs = rest;
        found
    }

    fn param_binding(&mut self, pat: &Pat, index: usize, kind: Kind) -> Option<Binding> {
        match pat {
            Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
                self.reserved(&p.ident);
                Some(Binding { name: p.ident.clone(), wild: false, mutability: p.mutability, local: 0 })
            }
            Pat::Wild(wild) => Some(Binding {
                name: Ident::new(&format!("__ttl_w{index}"), wild.underscore_token.span),
                wild: true,
                mutability: None,
                local: 0,
            }),
            // Taken apart where the body begins.
            Pat::Tuple(_) | Pat::Struct(_) | Pat::Slice(_) | Pat::Reference(_) if kind == Kind::Device => {
                let pattern = self.pattern(pat.clone())?;
                let span = syn::spanned::Spanned::span(pat);
                let name = Ident::new(&format!("__ttl_w{index}"), span);
                let init = Expr { span, kind: ExprKind::Path(name.clone().into()) };
                let let_token = syn::Token![let](span);
                self.taken_apart.push(Stmt::Destructure { let_token, pattern, ty: None, init, els: None });
                Some(Binding { name, wild: false, mutability: None, local: 0 })
            }
            other => {
                self.report.refuse(other, &m::PARAM_PATTERN);
                None
            }
        }
    }

    pub(super) fn result(&mut self, item: &RawFn, kind: Kind) -> Option<Ty> {
        let ReturnType::Type(_, ty) = &item.sig.output else {
            return None;
        };
        if matches!(&**ty, Type::Tuple(t) if t.elems.is_empty()) {
            return None;
        }
        if matches!(kind, Kind::Kernel(_)) {
            self.report.refuse(ty, &m::KERNEL_RESULT);
            return None;
        }
        let ty = self.ty(ty);
        if ty.slot.is_none() {
            self.report.refuse(&ty.syn, &m::TYPE_INFER);
        }
        Some(ty)
    }

    fn type_params_are_used(&mut self, item: &RawFn) {
        for param in &item.sig.generics.params {
            let GenericParam::Type(param) = param else {
                continue;
            };
            let used = item.sig.inputs.iter().skip(1).any(|arg| match arg {
                FnArg::Typed(typed) => mentions(&typed.ty, &param.ident),
                FnArg::Receiver(_) => false,
            });
            if !used {
                self.report.refuse(&param.ident, &m::UNUSED_TYPE_PARAM);
            }
        }
    }

    /// Our own names in the copy must not meet the user's.
    pub(super) fn reserved(&mut self, name: &Ident) {
        if name.to_string().starts_with("__ttl") && name != "__ttl_self" {
            self.report.refuse(name, &m::RESERVED_NAME);
        }
    }
}

fn mentions(ty: &Type, name: &Ident) -> bool {
    fn any(tokens: proc_macro2::TokenStream, name: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => ident == *name,
            proc_macro2::TokenTree::Group(group) => any(group.stream(), name),
            _ => false,
        })
    }
    any(quote::quote!(#ty), name)
}

/// `Reserved<T>` or `Front<T>`, as they are written in device functions.
fn is_guard(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.qself.is_none()
        && path
            .path
            .segments
            .last()
            .is_some_and(|s| (s.ident == "Reserved" || s.ident == "Front") && !s.arguments.is_none())
}

/// What `#[ttl(..)]` on a parameter says.
pub(crate) fn mark(attr: &Attribute, report: &mut Report) -> Option<Mark> {
    match attr.parse_args::<Ident>() {
        Ok(name) if name == "common" => Some(Mark::Common),
        Ok(name) if name == "compile_time" => Some(Mark::CompileTime),
        _ => {
            report.refuse(&attr.meta, &m::UNKNOWN_MARK);
            None
        }
    }
}

/// Attributes that change nothing but warnings.
pub(super) fn is_lint(attr: &Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid", "doc"].iter().any(|name| attr.path().is_ident(name))
}
