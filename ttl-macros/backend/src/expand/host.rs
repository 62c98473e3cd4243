//! The struct that holds a kernel's arguments on the host, and what the program asks of it.

use crate::model::{Func, Mark, Param, Role};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

pub(crate) fn expand(func: &Func, role: Role) -> TokenStream {
    let sig = &func.original.sig;
    let (vis, name) = (&func.original.vis, &sig.ident);
    let generics = &super::generics::with_params(&sig.generics, func);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let doc = format!("Arguments of the kernel `{name}`.");
    let fields = params(func).map(|(_, p)| {
        let field = field(p);
        let given = given(&p.ty.syn, p.mark);
        quote!(pub #field: #given)
    });
    let implementation = implementation(func, role);
    quote! {
        #[doc = #doc]
        #[allow(warnings)]
        #vis struct #name #generics #where_clause { #(#fields),* }
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
        #implementation
    }
}

fn implementation(func: &Func, role: Role) -> TokenStream {
    let sig = &func.original.sig;
    let name = &sig.ident;
    let generics = super::generics::with_params(&super::generics::with_static(&sig.generics), func);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let turbofish = ty_generics.as_turbofish();
    let text = name.to_string();
    let line = Literal::u32_unsuffixed(name.span().start().line as u32);
    let variant = Ident::new(
        match role {
            Role::Reader => "Reader",
            Role::Writer => "Writer",
            Role::Compute => "Compute",
        },
        Span::call_site(),
    );

    let decls = params(func).map(|(_, p)| declared(&p.ty.syn, p.mark, &host_name(p)));
    let binds = params(func).map(|(_, p)| {
        let (ty, text, field) = (&p.ty.syn, host_name(p), field(p));
        let param = as_param(ty);
        let check = in_role(ty, &param, role);
        let bind = bound(ty, p.mark, &quote!(#text), &quote!(self.#field));
        quote!(#check #bind)
    });
    let token = func.params.first().map(|p| {
        let token = role_token(&p.ty.syn, role);
        quote!(#token::token())
    });
    // Arguments are evaluated from left to right: each takes its slots.
    let values = params(func).map(|(_, p)| {
        let param = as_param(&p.ty.syn);
        quote!({
            let at = __ttl_next;
            __ttl_next += #param::SLOTS;
            #param::get(args, at)
        })
    });
    let next = (func.params.len() > 1).then(|| quote!(let mut __ttl_next = 0usize;));
    let noc = func.noc.map(|noc| quote!(const NOC: ::core::option::Option<u8> = ::core::option::Option::Some(#noc);));
    let moves_data = (role != Role::Compute).then(|| {
        quote! {
            #[doc(hidden)]
            impl #impl_generics ::ttl::rt::MovesData for #name #ty_generics #where_clause {}
        }
    });
    quote! {
        #moves_data
        #[doc(hidden)]
        #[allow(warnings)]
        impl #impl_generics ::ttl::rt::Kernel for #name #ty_generics #where_clause {
            const NAME: &'static str = #text;
            const ROLE: ::ttl::rt::Role = ::ttl::rt::Role::#variant;
            const FILE: &'static str = ::core::file!();
            const LINE: u32 = #line;
            #noc
            fn params() -> ::std::vec::Vec<::ttl::rt::ParamDecl> {
                let mut list = ::std::vec::Vec::new();
                let decls = &mut list;
                #(#decls)*
                list
            }
            fn bind(self, binder: &mut ::ttl::rt::Binder) {
                #(#binds)*
            }
            fn run(args: &::ttl::rt::Args) {
                #next
                #name #turbofish (#token, #(#values),*)
            }
        }
    }
}

/// `<Noc as RoleToken<reader>>`.
pub(crate) fn role_token(ty: &syn::Type, role: Role) -> TokenStream {
    let marker = marker(role);
    let span = syn::spanned::Spanned::span(ty);
    quote_spanned!(span=> <#ty as ::ttl::rt::RoleToken<::ttl::rt::role::#marker>>)
}

/// The type that stands for a role.
fn marker(role: Role) -> Ident {
    let name = match role {
        Role::Reader => "reader",
        Role::Writer => "writer",
        Role::Compute => "compute",
    };
    Ident::new(name, Span::call_site())
}

/// Asks rustc whether a kernel of this role may have the parameter.
fn in_role(ty: &syn::Type, param: &TokenStream, role: Role) -> TokenStream {
    let marker = marker(role);
    let span = syn::spanned::Spanned::span(ty);
    quote_spanned!(span=> <#param::Roles as ::ttl::rt::Includes<::ttl::rt::role::#marker>>::check();)
}

/// `<CbIn<bf16> as Param>`. The same tokens at every use, so that rustc reports a wrong type once.
pub(crate) fn as_param(ty: &syn::Type) -> TokenStream {
    let span = syn::spanned::Spanned::span(ty);
    quote_spanned!(span=> <#ty as ::ttl::rt::Param>)
}

/// The type of what the host gives for a parameter.
pub(crate) fn given(ty: &syn::Type, mark: Option<Mark>) -> TokenStream {
    match mark {
        None => {
            let param = as_param(ty);
            quote!(#param::Host)
        }
        Some(Mark::Common) => {
            let param = as_param(ty);
            quote!(#param::Common)
        }
        Some(Mark::CompileTime) => quote!(#ty),
    }
}

/// Adds what a parameter is to `decls`. `name` is a string.
pub(crate) fn declared(ty: &syn::Type, mark: Option<Mark>, name: &impl quote::ToTokens) -> TokenStream {
    let param = as_param(ty);
    let kind = match mark {
        None => return quote!(#param::decls(&#name, decls);),
        Some(Mark::Common) => quote!(Common),
        Some(Mark::CompileTime) => quote!(CompileTime),
    };
    quote! {
        decls.push(::ttl::rt::ParamDecl {
            name: ::std::string::ToString::to_string(&#name),
            ty: #param::ty(),
            kind: ::ttl::rt::ParamKind::#kind,
        });
    }
}

/// Gives `value` to the program as the parameter `name`.
pub(crate) fn bound(ty: &syn::Type, mark: Option<Mark>, name: &TokenStream, value: &TokenStream) -> TokenStream {
    let span = syn::spanned::Spanned::span(ty);
    match mark {
        None => {
            let param = as_param(ty);
            quote!(#param::bind(&#name, #value, binder);)
        }
        Some(Mark::Common) => quote_spanned!(span=> <#ty as ::ttl::rt::Common>::common(#value, &#name, binder);),
        Some(Mark::CompileTime) => {
            quote_spanned!(span=> <#ty as ::ttl::rt::CompileTime>::compile_time(#value, &#name, binder);)
        }
    }
}

/// The parameters after the token, with their index.
fn params(func: &Func) -> impl Iterator<Item = (usize, &Param)> {
    func.params.iter().skip(1).enumerate()
}

/// A parameter `_` is given like any other; its field is called `unused`.
fn field(param: &Param) -> Ident {
    let name = &param.binding.name;
    if param.binding.wild {
        let number = name.to_string();
        let number = number.trim_start_matches("__ttl_w");
        Ident::new(&format!("unused_{number}"), name.span())
    } else {
        name.clone()
    }
}

fn host_name(param: &Param) -> String {
    field(param).to_string().trim_start_matches("r#").to_string()
}
