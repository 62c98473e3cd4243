//! The annotated function with its body as tokens: whatever happens to the body, the function can be emitted again.

use proc_macro2::TokenStream;
use quote::{ToTokens, TokenStreamExt};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Signature, Token, Visibility};

#[derive(Clone)]
pub(crate) struct RawFn {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) body: TokenStream,
}

impl Parse for RawFn {
    fn parse(input: ParseStream<'_>) -> syn::Result<RawFn> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let sig: Signature = input.parse()?;
        if input.peek(Token![;]) {
            return Err(input.error("a ttl function needs a body"));
        }
        Ok(RawFn { attrs, vis, sig, body: input.parse()? })
    }
}

pub(crate) fn parse(tokens: TokenStream) -> syn::Result<RawFn> {
    let kind = kind_of(&tokens);
    syn::parse2(tokens.clone()).map_err(|error| match kind {
        Some(kind) => syn::Error::new_spanned(
            kind,
            "the attributes of ttl are for functions\nhelp: put `#[ttl::kernel(..)]` or `#[ttl::device]` on a `fn`",
        ),
        None => error,
    })
}

/// The keyword of an item that is no function.
fn kind_of(tokens: &TokenStream) -> Option<syn::Ident> {
    for token in tokens.clone() {
        if let proc_macro2::TokenTree::Ident(ident) = token {
            match ident.to_string().as_str() {
                "fn" => return None,
                "struct" | "enum" | "union" | "impl" | "trait" | "mod" | "static" | "type" | "use" | "let" => {
                    return Some(ident);
                }
                _ => {}
            }
        }
    }
    None
}

impl ToTokens for RawFn {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attrs);
        self.vis.to_tokens(tokens);
        self.sig.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}
