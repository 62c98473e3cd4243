//! Traits of device code: what implements them is plain data, and their methods are device methods.

use crate::expand::copy::data::tag;
use crate::messages as m;
use crate::report::Report;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemTrait, TraitItem};
use ttl_skeleton::is_method;

pub(super) fn definition(mut item: ItemTrait, report: &mut Report) -> TokenStream {
    let mut bounds: Vec<syn::TypeParamBound> = vec![syn::parse_quote!(::ttl::rt::Data)];
    for member in &item.items {
        let TraitItem::Fn(function) = member else { continue };
        let name = &function.sig.ident;
        if function.default.is_some() {
            report.refuse(name, &m::DEFAULT_METHOD);
        }
        if is_method(name.to_string().trim_start_matches("r#")) {
            report.refuse(name, &m::METHOD_NAME);
        }
        let tag = tag(&name.to_string());
        bounds.push(syn::parse_quote!(::ttl::rt::Methods<#tag>));
    }
    let errors = std::mem::take(report).into_compile_errors();
    item.colon_token.get_or_insert_with(Default::default);
    item.supertraits.extend(bounds);
    quote!(#item #errors)
}
