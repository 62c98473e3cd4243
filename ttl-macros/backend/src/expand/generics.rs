//! The generic parameters of a function, in the forms that the emitted items need.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericParam, Generics};

/// `'static` is added to type parameters: instances are told apart by their `TypeId`.
pub(crate) fn with_static(generics: &Generics) -> Generics {
    let mut out = generics.clone();
    let types: Vec<_> = generics.type_params().map(|p| p.ident.clone()).collect();
    if !types.is_empty() {
        let clause = out.make_where_clause();
        for name in types {
            clause.predicates.push(syn::parse_quote!(#name: 'static));
        }
    }
    out
}

/// A field that mentions every parameter, or nothing if there are none.
pub(crate) fn phantom_field(generics: &Generics) -> TokenStream {
    let uses: Vec<TokenStream> = generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(p) => {
                let name = &p.ident;
                Some(quote!(fn() -> #name))
            }
            GenericParam::Lifetime(p) => {
                let name = &p.lifetime;
                Some(quote!(&#name ()))
            }
            GenericParam::Const(_) => None,
        })
        .collect();
    if uses.is_empty() {
        return TokenStream::new();
    }
    quote!(_instance: ::core::marker::PhantomData<(#(#uses,)*)>)
}

/// The generic arguments as texts, for readers of the generated C++.
pub(crate) fn texts(generics: &Generics) -> TokenStream {
    let texts = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(p) => {
            let name = &p.ident;
            Some(quote!(::ttl::rt::Items::generic_type::<#name>()))
        }
        GenericParam::Const(p) => {
            let name = &p.ident;
            Some(quote!(::std::string::ToString::to_string(&#name)))
        }
        GenericParam::Lifetime(_) => None,
    });
    quote!(::std::vec![#(#texts),*])
}
