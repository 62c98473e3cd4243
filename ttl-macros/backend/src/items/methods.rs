//! `impl` blocks: each method becomes a function of its own, in which `self` is an ordinary parameter and `Self` is written out.

use crate::check;
use crate::expand::{copy::data::tag, def, generics};
use crate::item::RawFn;
use crate::messages as m;
use crate::parse;
use crate::report::Report;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, ReceiverKind};
use ttl_skeleton::is_method;

pub(super) fn implementation(item: ItemImpl, report: &mut Report) -> TokenStream {
    for lifetime in item.generics.lifetimes() {
        report.refuse(lifetime, &m::LIFETIME_PARAM);
    }
    let mut out = TokenStream::new();
    if !report.has_errors() {
        for (number, member) in item.items.iter().enumerate() {
            if let ImplItem::Fn(function) = member {
                out.extend(method(&item, function, number, report));
            }
        }
    }
    let errors = std::mem::take(report).into_compile_errors();
    quote!(#item #out #errors)
}

fn method(item: &ItemImpl, function: &ImplItemFn, number: usize, report: &mut Report) -> TokenStream {
    let name = &function.sig.ident;
    let text = name.to_string();
    if is_method(text.trim_start_matches("r#")) {
        report.refuse(name, &m::METHOD_NAME);
        return TokenStream::new();
    }
    if let Some(param) = function.sig.generics.params.first() {
        report.refuse(param, &m::GENERIC_METHOD);
        return TokenStream::new();
    }
    let Some(owner) = spelled_out(&item.self_ty) else {
        report.refuse(&item.self_ty, &m::IMPL_TYPE);
        return TokenStream::new();
    };
    let twin = format_ident!("__TtlMethod{}", number, span = name.span());
    let mut sig = function.sig.clone();
    sig.generics = item.generics.clone();
    for arg in &mut sig.inputs {
        let FnArg::Receiver(receiver) = arg else { continue };
        let this = Ident::new("__ttl_self", receiver.self_token.span);
        let ty = &item.self_ty;
        let mutability = &receiver.mutability;
        *arg = match &receiver.kind {
            ReceiverKind::Value => syn::parse_quote!(#mutability #this: #ty),
            ReceiverKind::Reference(and, _, mutability) => syn::parse_quote!(#this: #and #mutability #ty),
            ReceiverKind::Typed(_, written) => syn::parse_quote!(#mutability #this: #written),
            _ => {
                report.refuse(&*receiver, &m::SELF_PARAM);
                return TokenStream::new();
            }
        };
    }
    let body = &function.block;
    let sig = replaced(sig.to_token_stream(), &owner);
    let body = replaced(body.to_token_stream(), &owner);
    let sig = match syn::parse2(sig) {
        Ok(sig) => sig,
        Err(error) => {
            report.push(error);
            return TokenStream::new();
        }
    };
    let raw = RawFn { attrs: function.attrs.clone(), vis: syn::Visibility::Inherited, sig, body };
    let mut func = parse::method(raw, report);
    let scope = check::scope::resolve(&mut func, report);
    check::calls::check(&func, report);

    let field = generics::phantom_field(&item.generics);
    let with_static = generics::with_static(&item.generics);
    let (impl_generics, ty_generics, where_clause) = with_static.split_for_impl();
    let generics = &item.generics;
    let plain_where = &item.generics.where_clause;
    let self_ty = &item.self_ty;
    let tag = tag(&text);
    let inst = if report.has_errors() {
        quote! {
            impl #impl_generics ::ttl::rt::Inst for #twin #ty_generics #where_clause {
                fn site() -> ::ttl::rt::FnSite { ::core::unimplemented!() }
                fn def(_: &mut ::ttl::rt::Cx) -> ::ttl::rt::Fn { ::core::unimplemented!() }
            }
        }
    } else {
        let flow = check::flow::analyse(&func, &scope);
        let owner_name = last_name(self_ty);
        def::expand_as(&func, &scope, &flow, &twin, &format!("{owner_name}::{text}"))
    };
    quote! {
        #[doc(hidden)]
        #[allow(warnings)]
        const _: () = {
            pub struct #twin #generics #plain_where { #field }
            #inst
            impl #impl_generics ::ttl::rt::Methods<#tag> for #self_ty #where_clause {
                type Inst = #twin #ty_generics;
            }
        };
    }
}

fn last_name(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The type as it can stand in expressions: `Block::<N>`.
fn spelled_out(ty: &syn::Type) -> Option<TokenStream> {
    let syn::Type::Path(path) = ty else { return None };
    if path.qself.is_some() {
        return None;
    }
    let mut path = path.path.clone();
    for segment in &mut path.segments {
        if let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments {
            args.colon2_token.get_or_insert_with(Default::default);
        }
    }
    Some(path.to_token_stream())
}

/// With `__ttl_self` for `self`, and the type for `Self`. In a macro's text (`print!("{self}")`) there is neither.
fn replaced(tokens: TokenStream, owner: &TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "self" => {
                out.extend([TokenTree::Ident(Ident::new("__ttl_self", ident.span()))]);
            }
            TokenTree::Ident(ident) if ident == "Self" => {
                let span = ident.span();
                out.extend(owner.clone().into_iter().map(|mut token| {
                    token.set_span(span);
                    token
                }));
            }
            TokenTree::Group(group) => {
                let mut made = Group::new(group.delimiter(), replaced(group.stream(), owner));
                made.set_span(group.span());
                out.extend([TokenTree::Group(made)]);
            }
            other => out.extend([other]),
        }
    }
    out
}
