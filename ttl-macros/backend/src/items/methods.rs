//! `impl` blocks: each method becomes a function of its own, in which `self` is an ordinary parameter and `Self` is written out.

use crate::check;
use crate::expand::{copy::data::tag, def, generics};
use crate::item::RawFn;
use crate::messages as m;
use crate::parse;
use crate::report::Report;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, ReceiverKind};
use ttl_skeleton::is_method;

pub(super) fn implementation(mut item: ItemImpl, report: &mut Report) -> TokenStream {
    for lifetime in item.generics.lifetimes() {
        report.refuse(lifetime, &m::LIFETIME_PARAM);
    }
    let of_device_trait = item.trait_.as_ref().is_some_and(|(path, _)| !is_from_std(path));
    let mut out = TokenStream::new();
    let mut tags = Vec::new();
    if !report.has_errors() {
        for (number, member) in item.items.iter().enumerate() {
            if let ImplItem::Fn(function) = member {
                out.extend(method(&item, function, number, of_device_trait, report));
                tags.push(tag(&function.sig.ident.to_string()));
            }
        }
    }
    let errors = std::mem::take(report).into_compile_errors();
    if of_device_trait {
        // Which of the trait's methods have a body here: callers of a method that has one in the trait ask when the program is built.
        item.items.push(syn::parse_quote! {
            #[doc(hidden)]
            fn device_methods(tag: u64, cx: &mut ::ttl::rt::Cx) -> ::core::option::Option<::ttl::rt::FnId> {
                match tag {
                    #(#tags => ::core::option::Option::Some(cx.instance::<<Self as ::ttl::rt::Own<#tags>>::Inst>()),)*
                    _ => ::core::option::Option::None,
                }
            }
        });
    }
    quote!(#item #out #errors)
}

/// Traits of the standard library, whose impls cannot say more than these traits do.
fn is_from_std(path: &syn::Path) -> bool {
    let first = path.segments.first().map(|s| s.ident.to_string()).unwrap_or_default();
    let last = path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
    matches!(first.as_str(), "std" | "core")
        || matches!(
            last.as_str(),
            "Default" | "From" | "Into" | "PartialEq" | "Eq" | "PartialOrd" | "Ord" | "Clone" | "Neg" | "Not"
        )
        || ["Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Index"]
            .iter()
            .any(|op| last.strip_prefix(op).is_some_and(|rest| matches!(rest, "" | "Assign" | "Mut")))
}

fn method(
    item: &ItemImpl,
    function: &ImplItemFn,
    number: usize,
    of_device_trait: bool,
    report: &mut Report,
) -> TokenStream {
    let twin = format_ident!("__TtlMethod{}", number, span = function.sig.ident.span());
    let self_ty = &item.self_ty;
    let Some(made) = instance(&item.generics, self_ty, &last_name(self_ty), function, &twin, &quote!(), report) else {
        return TokenStream::new();
    };
    let with_static = generics::with_static(&item.generics);
    let (impl_generics, ty_generics, where_clause) = with_static.split_for_impl();
    let tag = tag(&function.sig.ident.to_string());
    let found = if of_device_trait {
        quote! {
            impl #impl_generics ::ttl::rt::Own<#tag> for #self_ty #where_clause {
                type Inst = #twin #ty_generics;
            }
        }
    } else {
        quote! {
            #[diagnostic::do_not_recommend]
            impl #impl_generics ::ttl::rt::Method<#twin #ty_generics, #tag> for ::ttl::rt::Of<#self_ty> #where_clause {}
        }
    };
    quote! {
        #[doc(hidden)]
        #[allow(warnings)]
        const _: () = {
            #made
            #found
        };
    }
}

/// A struct that stands for the method, and how its IR is made. `more` are further members of `impl Inst`.
pub(super) fn instance(
    generics: &syn::Generics,
    self_ty: &syn::Type,
    owner_name: &str,
    function: &ImplItemFn,
    twin: &Ident,
    more: &TokenStream,
    report: &mut Report,
) -> Option<TokenStream> {
    let name = &function.sig.ident;
    let text = name.to_string();
    if is_method(text.trim_start_matches("r#")) {
        report.refuse(name, &m::METHOD_NAME);
        return None;
    }
    if let Some(param) = function.sig.generics.params.first() {
        report.refuse(param, &m::GENERIC_METHOD);
        return None;
    }
    let Some(owner) = spelled_out(self_ty) else {
        report.refuse(self_ty, &m::IMPL_TYPE);
        return None;
    };
    let mut sig = function.sig.clone();
    sig.generics = generics.clone();
    for arg in &mut sig.inputs {
        let receiver = match arg {
            FnArg::Receiver(receiver) => receiver,
            FnArg::Typed(typed) => {
                if matches!(*typed.ty, syn::Type::ImplTrait(_)) {
                    report.refuse(&typed.ty, &m::CLOSURE_IN_METHOD);
                    return None;
                }
                continue;
            }
        };
        let this = Ident::new("__ttl_self", receiver.self_token.span);
        let mutability = &receiver.mutability;
        *arg = match &receiver.kind {
            ReceiverKind::Value => syn::parse_quote!(#mutability #this: #self_ty),
            ReceiverKind::Reference(and, _, mutability) => syn::parse_quote!(#this: #and #mutability #self_ty),
            ReceiverKind::Typed(_, written) => syn::parse_quote!(#mutability #this: #written),
            _ => {
                report.refuse(&*receiver, &m::SELF_PARAM);
                return None;
            }
        };
    }
    let body = &function.block;
    let sig = replaced(sig.to_token_stream(), &owner);
    let body = replaced(body.to_token_stream(), &owner);
    let sig = match syn::parse2(sig) {
        Ok(sig) => sig,
        Err(error) => {
            report.push(error);
            return None;
        }
    };
    let raw = RawFn { attrs: function.attrs.clone(), vis: syn::Visibility::Inherited, sig, body };
    let mut func = parse::method(raw, report);
    let scope = check::scope::resolve(&mut func, report);
    check::calls::check(&func, report);

    let field = generics::phantom_field(generics);
    let plain_where = &generics.where_clause;
    let with_static = generics::with_static(generics);
    let (impl_generics, ty_generics, where_clause) = with_static.split_for_impl();
    let inst = if report.has_errors() {
        quote! {
            impl #impl_generics ::ttl::rt::Inst for #twin #ty_generics #where_clause {
                fn site() -> ::ttl::rt::FnSite { ::core::unimplemented!() }
                fn def(_: &mut ::ttl::rt::Cx) -> ::ttl::rt::Fn { ::core::unimplemented!() }
            }
        }
    } else {
        let flow = check::flow::analyse(&func, &scope);
        def::expand_as(&func, &scope, &flow, twin, &format!("{owner_name}::{text}"), more)
    };
    Some(quote! {
        pub struct #twin #generics #plain_where { #field }
        #inst
    })
}

fn last_name(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The type as it can stand in expressions: `Block::<N>`.
fn spelled_out(ty: &syn::Type) -> Option<TokenStream> {
    let syn::Type::Path(path) = ty else { return None };
    if path.qself.is_some() {
        return None;
    }
    let mut path = path.path.clone();
    for segment in &mut path.segments {
        if let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments {
            args.colon2_token.get_or_insert_with(Default::default);
        }
    }
    Some(path.to_token_stream())
}

/// With `__ttl_self` for `self`, and the type for `Self`. In a macro's text (`print!("{self}")`) there is neither.
fn replaced(tokens: TokenStream, owner: &TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "self" => {
                out.extend([TokenTree::Ident(Ident::new("__ttl_self", ident.span()))]);
            }
            TokenTree::Ident(ident) if ident == "Self" => {
                let span = ident.span();
                out.extend(owner.clone().into_iter().map(|mut token| {
                    token.set_span(span);
                    token
                }));
            }
            TokenTree::Group(group) => {
                let mut made = Group::new(group.delimiter(), replaced(group.stream(), owner));
                made.set_span(group.span());
                out.extend([TokenTree::Group(made)]);
            }
            other => out.extend([other]),
        }
    }
    out
}
