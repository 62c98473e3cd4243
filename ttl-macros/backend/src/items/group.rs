//! Structs that are not `Copy`: they group parameters of kernels. The host gives a struct of the same fields, `MatmulArgsHost` for `MatmulArgs`.

use super::data::plain;
use crate::expand::{generics, host};
use crate::messages as m;
use crate::model::Mark;
use crate::parse::sig;
use crate::report::Report;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Fields, ItemStruct, Type};

pub(super) fn group(mut item: ItemStruct, report: &mut Report) -> TokenStream {
    if !matches!(item.fields, Fields::Named(_)) {
        report.refuse(&item.ident, &m::GROUP_FIELDS);
    }
    let marks: Vec<Option<Mark>> = item
        .fields
        .iter_mut()
        .map(|field| {
            let (ours, others) = std::mem::take(&mut field.attrs).into_iter().partition(|a| a.path().is_ident("ttl"));
            field.attrs = others;
            let ours: Vec<syn::Attribute> = ours;
            if let Some(second) = ours.get(1) {
                report.refuse(second, &m::MARK_TWICE);
            }
            ours.first().and_then(|attr| sig::mark(attr, report))
        })
        .collect();
    if item.generics.lifetimes().next().is_none() {
        item.fields.iter().for_each(|f| crate::parse::check_type(&f.ty, report));
    }
    if report.has_errors() {
        let errors = std::mem::take(report).into_compile_errors();
        return quote!(#item #errors);
    }
    let name = &item.ident;
    let vis = &item.vis;
    let text = plain(name);
    let given_name = format_ident!("{}Host", name);
    let doc = format!("What the host gives for a parameter of type `{text}`.");

    let fields: Vec<Field> = item
        .fields
        .iter()
        .zip(&marks)
        .filter_map(|(f, mark)| Some(Field { name: f.ident.as_ref()?, ty: &f.ty, mark: *mark }))
        .collect();
    let given = item.fields.iter().zip(&fields).map(|(written, field)| {
        let (vis, name, ty) = (&written.vis, field.name, host::given(field.ty, field.mark));
        quote!(#vis #name: #ty)
    });
    let types = fields.iter().map(|f| {
        let (text, param) = (plain(f.name), host::as_param(f.ty));
        quote!((#text, #param::ty()))
    });
    let params: Vec<TokenStream> = fields.iter().map(|f| host::as_param(f.ty)).collect();
    let roles = params.iter().rev().fold(quote!(()), |rest, param| quote!((#param::Roles, #rest)));
    let full = |f: &Field| {
        let text = format!("{{}}_{}", plain(f.name));
        quote!(::std::format!(#text, name))
    };
    let decls = fields.iter().map(|f| host::declared(f.ty, f.mark, &full(f)));
    let binds = fields.iter().map(|f| {
        let name = f.name;
        host::bound(f.ty, f.mark, &full(f), &quote!(host.#name))
    });
    let gets = fields.iter().zip(&params).map(|(f, param)| {
        let name = f.name;
        quote!(#name: {
            let at = next;
            next += #param::SLOTS;
            #param::get(args, at)
        })
    });
    let with_static = generics::with_static(&item.generics);
    let (impl_generics, ty_generics, where_clause) = with_static.split_for_impl();
    let generics = &item.generics;
    let plain_where = &item.generics.where_clause;
    quote! {
        #item
        #[doc = #doc]
        #[allow(warnings)]
        #vis struct #given_name #generics #plain_where { #(#given),* }
        #[doc(hidden)]
        #[allow(warnings)]
        const _: () = {
            impl #impl_generics ::ttl::rt::DeviceTy for #name #ty_generics #where_clause {
                type Erased = Self;
            }
            impl #impl_generics ::ttl::rt::Named for #name #ty_generics #where_clause {
                fn ty() -> ::ttl::rt::Ty {
                    ::ttl::rt::Ty::group(#text, ::std::vec![#(#types),*])
                }
            }
            impl #impl_generics ::ttl::rt::Supported for #name #ty_generics #where_clause {}
            impl #impl_generics ::ttl::rt::ReleasedOnEveryPath for #name #ty_generics #where_clause {}
            impl #impl_generics ::ttl::rt::Param for #name #ty_generics #where_clause {
                type Host = #given_name #ty_generics;
                type Roles = #roles;
                type Common = ();
                // Each member has its own.
                const KIND: ::ttl::rt::ParamKind = ::ttl::rt::ParamKind::PerCore;
                const SLOTS: usize = 0 #(+ #params::SLOTS)*;
                fn decls(name: &str, decls: &mut ::std::vec::Vec<::ttl::rt::ParamDecl>) {
                    #(#decls)*
                }
                fn bind(name: &str, host: Self::Host, binder: &mut ::ttl::rt::Binder) {
                    #(#binds)*
                }
                fn get(args: &::ttl::rt::Args<'_>, index: usize) -> Self {
                    let mut next = index;
                    Self { #(#gets),* }
                }
            }
        };
    }
}

struct Field<'a> {
    name: &'a proc_macro2::Ident,
    ty: &'a Type,
    mark: Option<Mark>,
}
