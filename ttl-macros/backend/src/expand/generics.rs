//! The generic parameters of a function, in the forms that the emitted items need.

use crate::model::{Func, Kind};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
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

/// Asks for each parameter of a kernel that is a type by a plain name whether a kernel can have it. Said of every item that stands on the type, and
/// always with the same tokens, so that rustc reports a wrong one once.
pub(crate) fn with_params(generics: &Generics, func: &Func) -> Generics {
    let mut out = generics.clone();
    if !matches!(func.kind, Kind::Kernel(_)) {
        return out;
    }
    let own: Vec<_> = generics.type_params().map(|p| p.ident.clone()).collect();
    let plain = |ty: &syn::Type| match ty {
        syn::Type::Path(path) if path.qself.is_none() => {
            let first = path.path.segments.first().is_some_and(|s| !own.contains(&s.ident));
            first && path.path.segments.iter().all(|s| s.arguments.is_none())
        }
        _ => false,
    };
    for param in func.params.iter().skip(1).filter(|p| plain(&p.ty.syn)) {
        let (ty, span) = (&param.ty.syn, param.ty.syn.span());
        let asked: TokenStream = quote_spanned!(span=> #ty: ::ttl::rt::Param);
        // What does not parse has been refused.
        if let Ok(predicate) = syn::parse2(asked) {
            out.make_where_clause().predicates.push(predicate);
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
