//! After errors: the user's function, so that the editor keeps working, and enough beside it that other code does not get a
//! second wave of errors about the same mistake.

use super::{generics::with_static, host, twin};
use crate::model::{Func, Kind};
use proc_macro2::TokenStream;
use quote::quote;

pub(crate) fn expand(func: &Func, errors: TokenStream) -> TokenStream {
    let original = &func.original;
    let name = &original.sig.ident;
    // Nothing else can stand in an `impl` block.
    if original.sig.receiver().is_some() {
        return quote!(#original #errors);
    }
    let others = match func.kind {
        Kind::Kernel(role) if func.signature_is_right => host::expand(func, role),
        // The host's side depends on every parameter: what uses it waits until they are right.
        Kind::Kernel(_) => return quote!(#original #errors),
        Kind::Device => {
            let structure = twin::structure(func);
            let generics = func.generics();
            let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
            quote! {
                #structure
                #[doc(hidden)]
                #[allow(warnings)]
                impl #impl_generics #name #ty_generics #where_clause {
                    #[doc(hidden)]
                    pub fn device_fn<__TtlF>(
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
    };
    let generics = with_static(&func.generics());
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let lifetimes = original.sig.generics.lifetimes().next().is_some();
    let inst = if lifetimes {
        TokenStream::new()
    } else {
        quote! {
            #[doc(hidden)]
            #[allow(warnings)]
            impl #impl_generics ::ttl::rt::Inst for #name #ty_generics #where_clause {
                fn site() -> ::ttl::rt::FnSite {
                    ::core::unimplemented!()
                }
                fn def(_: &mut ::ttl::rt::Cx) -> ::ttl::rt::Fn {
                    ::core::unimplemented!()
                }
            }
        }
    };
    quote!(#original #others #inst #errors)
}
