//! The struct that stands for a device function in other bodies' copies. It lives in the type namespace, so it shares the function's
//! name, and one `use` imports both.

use super::generics::phantom_field;
use crate::model::Func;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ReturnType;

pub(crate) fn expand(func: &Func) -> TokenStream {
    let name = &func.original.sig.ident;
    let structure = structure(func);
    let generics = func.generics();
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let called = called(func);
    let tags: Vec<_> = func.params.iter().filter_map(|p| p.closure.as_ref()).map(|c| &c.tag).collect();
    // Which type stands for each closure.
    let takes = (!tags.is_empty()).then(|| {
        quote! {
            #[doc(hidden)]
            impl #impl_generics ::ttl::rt::TakesClosures<(#(#tags,)*)> for #name #ty_generics #where_clause {}
        }
    });
    quote! {
        #structure
        #[doc(hidden)]
        #[allow(warnings)]
        impl #impl_generics #name #ty_generics #where_clause {
            #called
        }
        #[doc(hidden)]
        impl #impl_generics ::ttl::rt::Callable for #name #ty_generics #where_clause {}
        #takes
    }
}

/// What a call in a copy goes through: the function itself, and the instance that it is tied to.
fn called(func: &Func) -> TokenStream {
    let sig = &func.original.sig;
    let result = match &sig.output {
        ReturnType::Default => TokenStream::new(),
        ReturnType::Type(arrow, ty) => quote!(#arrow #ty),
    };
    if func.params.iter().all(|p| p.closure.is_none()) {
        let params = func.params.iter().map(|p| &p.ty.syn);
        return quote! {
            #[doc(hidden)]
            pub fn device_fn<__TtlF: ::core::ops::Fn(#(#params),*) #result>(
                _: &::ttl::rt::Probe<::ttl::rt::Instance<Self>>,
                f: __TtlF,
            ) -> __TtlF {
                f
            }
        };
    }
    let closures = func.params.iter().filter_map(|p| p.closure.as_ref());
    let declared = closures.enumerate().map(|(i, c)| {
        let (own, bound) = (format_ident!("__TtlC{}", i), &c.bound);
        quote!(#own: #bound)
    });
    let mut number = 0usize;
    let mut params = Vec::new();
    for param in &func.params {
        let ty = &param.ty.syn;
        if param.closure.is_some() {
            let own = format_ident!("__TtlC{}", number);
            number = number.saturating_add(1);
            params.push(quote!(#own));
        } else {
            params.push(quote!(#ty));
        }
    }
    quote! {
        #[doc(hidden)]
        pub fn device_fn<#(#declared),*>(
            _: &::ttl::rt::Probe<::ttl::rt::Late<Self>>,
            _: impl ::core::ops::Fn(#(#params),*) #result,
        ) -> fn(#(#params),*) #result {
            ::ttl::rt::any()
        }
    }
}

/// The struct alone.
pub(crate) fn structure(func: &Func) -> TokenStream {
    let (vis, name) = (&func.original.vis, &func.original.sig.ident);
    let generics = func.generics();
    let field = phantom_field(&generics);
    let (_, _, where_clause) = generics.split_for_impl();
    quote! {
        #[doc(hidden)]
        #[allow(warnings)]
        #vis struct #name #generics #where_clause { #field }
    }
}
