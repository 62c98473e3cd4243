//! Structs and enums: plain data of device code.

use crate::expand::generics;
use crate::messages as m;
use crate::parse::pat::member_name;
use crate::report::Report;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Fields, Generics, ItemEnum, ItemStruct, Member, Type};

pub(super) fn structure(item: ItemStruct, report: &mut Report) -> TokenStream {
    refuse_lifetimes(&item.generics, report);
    if !derives(&item.attrs, "Copy") {
        return super::group::group(item, report);
    }
    if report.has_errors() {
        let errors = std::mem::take(report).into_compile_errors();
        return quote!(#item #errors);
    }
    let fields: Vec<(Member, &Type)> = item.fields.members().zip(item.fields.iter().map(|f| &f.ty)).collect();
    let name = &item.ident;
    let text = plain(name);
    let texts = generics::texts(&item.generics);
    let comparable = derives(&item.attrs, "PartialEq");
    let decls = fields.iter().map(|(name, ty)| {
        let (text, field) = (member_name(name), as_field(ty));
        quote!((#text, #field::field_ty()))
    });
    let ty = quote!(::ttl::rt::Ty::structure(#text, #texts, ::std::vec![#(#decls),*], #comparable));
    let names: Vec<_> = fields.iter().map(|(name, _)| name).collect();
    let types: Vec<_> = fields.iter().map(|(_, ty)| as_field(ty)).collect();
    let konst = quote! {
        ::ttl::rt::structure::<Self>(::std::vec![#(#types::konst(&self.#names)),*])
    };
    let words = Words {
        count: quote!(0 #(+ #types::WORDS)*),
        put: quote!(#(#types::put(&self.#names, words);)*),
        take: quote!(Self { #(#names: #types::take(words)),* }),
    };
    let impls = impls(name, &item.generics, &ty, &konst, &words);
    quote!(#item #impls)
}

pub(super) fn enumeration(item: ItemEnum, report: &mut Report) -> TokenStream {
    refuse_lifetimes(&item.generics, report);
    if item.variants.is_empty() {
        report.refuse(&item.ident, &m::EMPTY_ENUM);
    }
    if report.has_errors() {
        let errors = std::mem::take(report).into_compile_errors();
        return quote!(#item #errors);
    }
    let name = &item.ident;
    let text = plain(name);
    let texts = generics::texts(&item.generics);
    let comparable = derives(&item.attrs, "PartialEq");
    let is_plain = item.variants.iter().all(|v| matches!(v.fields, Fields::Unit));
    let mut decls = Vec::new();
    let mut konsts = Vec::new();
    let mut puts = Vec::new();
    let mut takes = Vec::new();
    let mut before = quote!(0usize);
    let total: Vec<TokenStream> = item.variants.iter().flat_map(|v| v.fields.iter().map(|f| as_field(&f.ty))).collect();
    for (number, variant) in (0_u32..).zip(&item.variants) {
        let (ident, variant_text) = (&variant.ident, plain(&variant.ident));
        let own: Vec<TokenStream> = variant.fields.iter().map(|f| as_field(&f.ty)).collect();
        let members: Vec<String> = match &variant.fields {
            Fields::Named(f) => f.named.iter().filter_map(|f| f.ident.as_ref()).map(plain).collect(),
            other => (0..other.len()).map(|i| i.to_string()).collect(),
        };
        let binds: Vec<Ident> = (0..own.len()).map(|i| format_ident!("__ttl_{}", i)).collect();
        let (pattern, build) = match &variant.fields {
            Fields::Named(f) => {
                let names: Vec<_> = f.named.iter().filter_map(|f| f.ident.as_ref()).collect();
                (quote!({ #(#names: #binds),* }), quote!({ #(#names: #own::take(&mut next)),* }))
            }
            Fields::Unnamed(_) => (quote!((#(#binds),*)), quote!((#(#own::take(&mut next)),*))),
            Fields::Unit => (quote!(), quote!()),
        };
        let value = if is_plain {
            quote!(::core::option::Option::Some(Self::#ident as i64))
        } else {
            quote!(::core::option::Option::None)
        };
        decls.push(quote! {
            ::ttl::rt::variant_decl(#variant_text, #value, ::std::vec![#((#members, #own::field_ty())),*])
        });
        konsts.push(quote! {
            Self::#ident #pattern => ::ttl::rt::variant::<Self>(
                #number, ::std::vec![#(#own::konst(#binds)),*],
            )
        });
        let word = if is_plain { quote!(Self::#ident as i64 as u32) } else { quote!(#number) };
        puts.push(quote! {
            Self::#ident #pattern => {
                words.push(#word);
                words.resize(words.len() + #before, 0);
                #(#own::put(#binds, words);)*
            }
        });
        takes.push(quote! {
            __ttl_word if __ttl_word == #word => {
                let mut at = #before;
                let mut next = move || { at += 1; rest[at - 1] };
                Self::#ident #build
            }
        });
        before = quote!(#before #(+ #own::WORDS)*);
    }
    let ty = quote!(::ttl::rt::Ty::enumeration(#text, #texts, ::std::vec![#(#decls),*], #comparable));
    let konst = quote!(match self { #(#konsts),* });
    let words = Words {
        count: quote!(1 #(+ #total::WORDS)*),
        put: quote! {
            let end = words.len() + <Self as ::ttl::rt::Field>::WORDS;
            match self { #(#puts)* }
            words.resize(end, 0);
        },
        take: quote! {
            let kind = words();
            let rest: ::std::vec::Vec<u32> = (1..<Self as ::ttl::rt::Field>::WORDS).map(|_| words()).collect();
            match kind {
                #(#takes)*
                other => ::ttl::rt::no_variant(#text, other),
            }
        },
    };
    let impls = impls(name, &item.generics, &ty, &konst, &words);
    quote!(#item #impls)
}

/// How the type is made of argument words.
struct Words {
    count: TokenStream,
    put: TokenStream,
    take: TokenStream,
}

fn impls(name: &Ident, generics: &Generics, ty: &TokenStream, konst: &TokenStream, words: &Words) -> TokenStream {
    let with_static = generics::with_static(generics);
    let (impl_generics, ty_generics, where_clause) = with_static.split_for_impl();
    let Words { count, put, take } = words;
    let span = name.span().resolved_at(Span::call_site());
    // Asked at the name: a missing `Copy` is an error of the type.
    let data = quote_spanned!(span=> ::ttl::rt::Copied for #name #ty_generics);
    quote! {
        #[doc(hidden)]
        #[allow(warnings)]
        const _: () = {
            impl #impl_generics ::ttl::rt::DeviceTy for #name #ty_generics #where_clause {
                type Erased = Self;
            }
            impl #impl_generics ::ttl::rt::Named for #name #ty_generics #where_clause {
                fn ty() -> ::ttl::rt::Ty {
                    #ty
                }
            }
            impl #impl_generics ::ttl::rt::Supported for #name #ty_generics #where_clause {}
            impl #impl_generics ::ttl::rt::ReleasedOnEveryPath for #name #ty_generics #where_clause {}
            impl #impl_generics #data #where_clause {}
            impl #impl_generics ::ttl::rt::DeviceConst for #name #ty_generics #where_clause {
                fn expr(&self) -> ::ttl::rt::Expr {
                    #konst
                }
            }
            impl #impl_generics ::ttl::rt::Field for #name #ty_generics #where_clause {
                const WORDS: usize = #count;
                fn put(&self, words: &mut ::std::vec::Vec<u32>) {
                    #put
                }
                fn take(words: &mut dyn ::core::ops::FnMut() -> u32) -> Self {
                    #take
                }
            }
            impl #impl_generics ::ttl::rt::Param for #name #ty_generics #where_clause {
                type Host = ::ttl::prelude::PerCore<Self>;
                type Roles = ::ttl::rt::role::Any;
                type Common = Self;
                const KIND: ::ttl::rt::ParamKind = ::ttl::rt::ParamKind::PerCore;
                fn bind(name: &str, host: Self::Host, binder: &mut ::ttl::rt::Binder) {
                    ::ttl::rt::bind_data(name, host, binder);
                }
                fn get(args: &::ttl::rt::Args<'_>, index: usize) -> Self {
                    ::ttl::rt::get_data(args, index)
                }
            }
        };
    }
}

/// The same tokens at every use, so that rustc reports a wrong type once.
fn as_field(ty: &Type) -> TokenStream {
    let span = ty.span();
    quote_spanned!(span=> <#ty as ::ttl::rt::Field>)
}

pub(super) fn plain(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_string()
}

fn refuse_lifetimes(generics: &Generics, report: &mut Report) {
    for lifetime in generics.lifetimes() {
        report.refuse(lifetime, &m::DATA_LIFETIME);
    }
}

/// Whether the compiler writes the impl of this trait. Only what stands below the attribute is seen.
fn derives(attrs: &[Attribute], name: &str) -> bool {
    attrs.iter().filter(|a| a.path().is_ident("derive")).any(|attr| {
        let mut found = false;
        // A malformed `derive` is rustc's to report.
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|s| s.ident == name);
            Ok(())
        });
        found
    })
}
