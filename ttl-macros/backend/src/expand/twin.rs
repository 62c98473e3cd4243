//! The struct that stands for a device function in other bodies' copies. It lives in the type namespace, so it shares the function's
//! name, and one `use` imports both.

use super::generics::phantom_field;
use crate::model::Func;
use proc_macro2::TokenStream;
use quote::quote;
use syn::ReturnType;

pub(crate) fn expand(func: &Func) -> TokenStream {
    let sig = &func.original.sig;
    let name = &sig.ident;
    let structure = structure(func);
    let (impl_generics, ty_generics, where_clause) = sig.generics.split_for_impl();
    let params = func.params.iter().map(|p| &p.ty.syn);
    let result = match &sig.output {
        ReturnType::Default => TokenStream::new(),
        ReturnType::Type(arrow, ty) => quote!(#arrow #ty),
    };
    quote! {
        #structure
        #[doc(hidden)]
        #[allow(warnings)]
        impl #impl_generics #name #ty_generics #where_clause {
            #[doc(hidden)]
            pub fn device_fn<__TtlF: ::core::ops::Fn(#(#params),*) #result>(
                _: &::ttl::rt::Probe<::ttl::rt::Instance<Self>>,
                f: __TtlF,
            ) -> __TtlF {
                f
            }
        }
        #[doc(hidden)]
        impl #impl_generics ::ttl::rt::Callable for #name #ty_generics #where_clause {}
    }
}

/// The struct alone.
pub(crate) fn structure(func: &Func) -> TokenStream {
    let sig = &func.original.sig;
    let (vis, name, generics) = (&func.original.vis, &sig.ident, &sig.generics);
    let field = phantom_field(generics);
    let (_, _, where_clause) = generics.split_for_impl();
    quote! {
        #[doc(hidden)]
        #[allow(warnings)]
        #vis struct #name #generics #where_clause { #field }
    }
}
