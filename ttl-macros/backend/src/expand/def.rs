//! `impl Inst`: the hidden function that holds the copy and builds the IR.

use super::copy::Copy;
use super::generics;
use crate::check::flow::Flow;
use crate::check::scope::{ConstKind, Scope};
use crate::check::shapes;
use crate::model::{Func, Kind};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

pub(crate) fn expand(func: &Func, scope: &Scope, flow: &Flow) -> TokenStream {
    let name = &func.original.sig.ident;
    expand_as(func, scope, flow, name, &name.to_string(), &TokenStream::new())
}

/// For a struct of the name `twin`; in the C++ the function is called `text`. `more` are further members of the impl.
pub(crate) fn expand_as(
    func: &Func,
    scope: &Scope,
    flow: &Flow,
    twin: &Ident,
    text: &str,
    more: &TokenStream,
) -> TokenStream {
    let sig = &func.original.sig;
    let name = &sig.ident;
    let text = text.trim_start_matches("r#");
    let line = Literal::u32_unsuffixed(name.span().start().line as u32);
    let bounds = generics::with_params(&generics::with_static(&func.generics()), func);
    let (impl_generics, ty_generics, where_clause) = bounds.split_for_impl();

    let types = types(func);
    let consts = scope.consts.iter().map(|c| {
        let tokens = &c.tokens;
        match c.kind {
            ConstKind::Value => {
                let expr = quote_spanned!(tokens.span()=> ::ttl::rt::DeviceConst::expr(&#tokens));
                quote!(__ttl_items.konst(#expr);)
            }
            ConstKind::Step => quote!(__ttl_items.step(#tokens);),
            ConstKind::Closure => quote!(__ttl_items.closure::<::ttl::rt::ClosureOf<Self, #tokens>>();),
            ConstKind::LowerCase => {
                let text = tokens.to_string();
                quote!(__ttl_items.lower_case(__ttl_cx, #text, ::core::file!(), #line);)
            }
        }
    });
    let mut copy = Copy::of(func, scope, flow);
    copy.def.name = text.to_string();
    let closure = &copy.closure;
    let skeleton = match copy.def.encode() {
        Ok(bytes) => Literal::byte_string(&bytes),
        // Encoding to memory cannot fail; an empty skeleton would be reported by `lower`.
        Err(_) => Literal::byte_string(&[]),
    };
    let read = copy.has_probes.then(|| quote!(::ttl::rt::Read::read(&__ttl_root, __ttl_cx, &mut __ttl_items);));
    let root = copy.has_probes.then(|| quote!(let __ttl_root = ::ttl::rt::Probe::new();));
    let texts = generics::texts(&sig.generics);
    let sizes = shapes::questions(func).into_iter().map(|question| question.expand());
    // What the author allowed in the function is allowed in its copy. Lints that deny by themselves are not among `warnings`.
    let allowed = func.original.attrs.iter().filter(|a| a.path().is_ident("allow"));
    quote! {
        ::ttl::__ttl_check_copy! {
            #[doc(hidden)]
            #[allow(warnings, overflowing_literals, arithmetic_overflow, unconditional_panic)]
            #(#allowed)*
            impl #impl_generics ::ttl::rt::Inst for #twin #ty_generics #where_clause {
                fn site() -> ::ttl::rt::FnSite {
                    ::ttl::rt::FnSite { name: #text, file: ::core::file!(), line: #line }
                }
                #more
                fn def(__ttl_cx: &mut ::ttl::rt::Cx) -> ::ttl::rt::Fn {
                    #(#sizes)*
                    let mut __ttl_items = ::ttl::rt::Items::new();
                    #types
                    #(#consts)*
                    #root
                    let _ = #closure;
                    #read
                    ::ttl::rt::lower(
                        __ttl_cx,
                        #skeleton,
                        __ttl_items.into_vec(),
                        ::core::file!(),
                        #texts,
                    )
                }
            }
        }
    }
}

/// The types that are written out. Those of kernel parameters are asked for as parameters, so that a wrong one is reported once.
fn types(func: &Func) -> TokenStream {
    let mut out = TokenStream::new();
    let items = Ident::new("__ttl_items", Span::call_site());
    for (slot, ty) in func.types.list.iter().enumerate() {
        let of = |p: &crate::model::Param| p.ty.slot == Some(slot as u32);
        let is_token = func.params.first().is_some_and(of);
        let is_param = func.params.iter().skip(1).any(of);
        if func.params.iter().any(|p| of(p) && p.closure.is_some()) {
            out.extend(quote!(#items.closure::<#ty>();));
            continue;
        }
        out.extend(match func.kind {
            Kind::Kernel(role) if is_token => {
                let token = super::host::role_token(ty, role);
                quote!(#token::item(&mut __ttl_items);)
            }
            Kind::Kernel(_) if is_param => {
                let param = super::host::as_param(ty);
                quote!(#param::item(&mut __ttl_items);)
            }
            _ => {
                let span = ty.span();
                let probe = quote_spanned!(span=> <#ty as ::ttl::rt::DeviceTy>::PROBE);
                quote_spanned!(span=> ::ttl::rt::Supported::item(#probe, &mut #items);)
            }
        });
    }
    out
}
