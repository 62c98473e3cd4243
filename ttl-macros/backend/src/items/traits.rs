//! Traits of device code: what implements them is plain data, and their methods are device methods.
//!
//! A caller sees `T: Shape` and gets the instance of the trait's method for `T`. When the program is built, that is the body in the `impl`, or the
//! one in the trait where the `impl` has none.

use super::methods::instance;
use crate::expand::{copy::data::tag, generics};
use crate::messages as m;
use crate::report::Report;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Generics, ImplItemFn, ItemTrait, TraitItem, TraitItemFn};
use ttl_skeleton::is_method;

pub(super) fn definition(mut item: ItemTrait, report: &mut Report) -> TokenStream {
    let mut bounds: Vec<syn::TypeParamBound> = vec![syn::parse_quote!(::ttl::rt::Data)];
    let mut out = TokenStream::new();
    for (number, member) in item.items.iter().enumerate() {
        let TraitItem::Fn(function) = member else { continue };
        let name = &function.sig.ident;
        if is_method(name.to_string().trim_start_matches("r#")) {
            report.refuse(name, &m::METHOD_NAME);
            continue;
        }
        let tag = tag(&name.to_string());
        if function.default.is_none() {
            // Asked at each `impl`: one without the attribute has none.
            bounds.push(syn::parse_quote!(::ttl::rt::Own<#tag>));
        }
        if item.generics.lifetimes().next().is_none() {
            out.extend(method(&item, function, number, &tag, report));
        }
    }
    let errors = std::mem::take(report).into_compile_errors();
    item.colon_token.get_or_insert_with(Default::default);
    item.supertraits.extend(bounds);
    item.items.push(syn::parse_quote! {
        #[doc(hidden)]
        #[allow(unused)]
        fn device_methods(_: u64, _: &mut ::ttl::rt::Cx) -> ::core::option::Option<::ttl::rt::FnId> {
            ::core::option::Option::None
        }
    });
    quote!(#item #out #errors)
}

fn method(item: &ItemTrait, function: &TraitItemFn, number: usize, tag: &Literal, report: &mut Report) -> TokenStream {
    let twin = format_ident!("__TtlTraitMethod{}", number, span = function.sig.ident.span());
    let this = Ident::new("TtlSelf", Span::call_site());
    let trait_name = &item.ident;
    let (_, trait_args, _) = item.generics.split_for_impl();
    let mut generics: Generics = item.generics.clone();
    generics.params.push(syn::parse_quote!(#this: #trait_name #trait_args));
    let self_ty: syn::Type = syn::parse_quote!(#this);
    let text = trait_name.to_string();
    let with_static = generics::with_static(&generics);
    let (impl_generics, ty_generics, where_clause) = with_static.split_for_impl();
    let made = match &function.default {
        Some(block) => {
            let (attrs, sig) = (&function.attrs, &function.sig);
            let with_body: ImplItemFn = syn::parse_quote!(#(#attrs)* #sig #block);
            let more = quote! {
                fn instead(cx: &mut ::ttl::rt::Cx) -> ::core::option::Option<::ttl::rt::FnId> {
                    <#this as #trait_name #trait_args>::device_methods(#tag, cx)
                }
            };
            let Some(made) = instance(&generics, &self_ty, &text, &with_body, &twin, &more, report) else {
                return TokenStream::new();
            };
            made
        }
        None => {
            let name = format!("{text}::{}", function.sig.ident);
            let line = Literal::u32_unsuffixed(function.sig.ident.span().start().line as u32);
            let field = generics::phantom_field(&generics);
            let plain_where = &generics.where_clause;
            quote! {
                pub struct #twin #generics #plain_where { #field }
                impl #impl_generics ::ttl::rt::Inst for #twin #ty_generics #where_clause {
                    fn site() -> ::ttl::rt::FnSite {
                        ::ttl::rt::FnSite { name: #name, file: ::core::file!(), line: #line }
                    }
                    fn instead(cx: &mut ::ttl::rt::Cx) -> ::core::option::Option<::ttl::rt::FnId> {
                        ::core::option::Option::Some(cx.instance::<<#this as ::ttl::rt::Own<#tag>>::Inst>())
                    }
                    fn def(cx: &mut ::ttl::rt::Cx) -> ::ttl::rt::Fn {
                        <<#this as ::ttl::rt::Own<#tag>>::Inst as ::ttl::rt::Inst>::def(cx)
                    }
                }
            }
        }
    };
    quote! {
        #[doc(hidden)]
        #[allow(warnings)]
        const _: () = {
            #made
            #[diagnostic::do_not_recommend]
            impl #impl_generics ::ttl::rt::Method<#twin #ty_generics, #tag> for ::ttl::rt::Of<#this> #where_clause {}
        };
    }
}
