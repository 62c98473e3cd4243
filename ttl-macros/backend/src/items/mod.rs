//! `#[ttl::device]` on what is no function: structs and enums, `impl` blocks, traits.

mod data;
mod group;
mod methods;
mod traits;

use crate::report::Report;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// The expansion of an item that is no function; `None` if it is one, or something that has no meaning with the attribute.
pub(crate) fn device(tokens: &TokenStream, report: &mut Report) -> Option<TokenStream> {
    let keyword = keyword(tokens)?;
    let expanded = match keyword.as_str() {
        "struct" => syn::parse2(tokens.clone()).map(|item| data::structure(item, report)),
        "enum" => syn::parse2(tokens.clone()).map(|item| data::enumeration(item, report)),
        "impl" => syn::parse2(tokens.clone()).map(|item| methods::implementation(item, report)),
        "trait" => syn::parse2(tokens.clone()).map(|item| traits::definition(item, report)),
        _ => return None,
    };
    Some(match expanded {
        Ok(expanded) => expanded,
        Err(error) => {
            let error = error.to_compile_error();
            quote!(#tokens #error)
        }
    })
}

/// The first keyword of an item.
fn keyword(tokens: &TokenStream) -> Option<String> {
    tokens.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) => {
            let text = ident.to_string();
            let known = ["fn", "struct", "enum", "impl", "trait", "union", "mod", "static", "type", "use"];
            known.contains(&text.as_str()).then_some(text)
        }
        _ => None,
    })
}
