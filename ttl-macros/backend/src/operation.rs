//! The operation form: one `#[ttl::kernel]` function with its buffers and its sections.
//!
//! Each section becomes a kernel of its own, `<name>_reader`, `<name>_compute` or `<name>_writer`, whose parameters are the parameters,
//! buffer ends and variables that its closure mentions; the struct of the function's name makes the buffers and adds the kernels.
//! rust-analyzer sees the function as it is written, rustc sees the kernels: each mistake is reported once.

use crate::check::scope::ConstKind;
use crate::item::RawFn;
use crate::messages as m;
use crate::model::{Kind, Role};
use crate::report::Report;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::BTreeSet;
use syn::{Attribute, Expr, FnArg, GenericParam, Pat, PatType, Stmt};

/// Whether the function has sections.
pub(crate) fn is_operation(item: &RawFn) -> bool {
    let Ok(block) = syn::parse2::<syn::Block>(item.body.clone()) else { return false };
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Expr(e, _) => section_role(e).is_some(),
        _ => false,
    })
}

struct Buffer {
    out: Ident,
    input: Ident,
    element: syn::Type,
    pages: Expr,
}

struct Variable {
    name: Ident,
    tokens: TokenStream,
}

struct Section {
    role: Role,
    name: Ident,
    token: TokenStream,
    body: TokenStream,
}

struct Operation {
    params: Vec<PatType>,
    buffers: Vec<Buffer>,
    variables: Vec<Variable>,
    sections: Vec<Section>,
}

pub(crate) fn expand(item: RawFn, mut report: Report) -> TokenStream {
    let operation = parse(&item, &mut report);
    let Some(operation) = operation.filter(|_| !report.has_errors()) else {
        let errors = report.into_compile_errors();
        let item = without_marks(&item);
        return quote!(#item #errors);
    };
    let mut kernels = TokenStream::new();
    let mut adds = TokenStream::new();
    let mut taken: Vec<(String, Role)> = Vec::new();
    for section in &operation.sections {
        let (kernel, add) = section_kernel(&item, &operation, section, &mut taken, &mut report);
        kernels.extend(kernel);
        adds.extend(add);
    }
    if report.has_errors() {
        let errors = report.into_compile_errors();
        let item = without_marks(&item);
        return quote!(#item #errors);
    }
    let host = host(&item, &operation, &adds);
    let original = without_marks(&item);
    quote! {
        ::ttl::__ttl_in_the_editor! { #[allow(dead_code, unused_variables)] #original }
        #kernels
        #host
    }
}

fn parse(item: &RawFn, report: &mut Report) -> Option<Operation> {
    let block = match syn::parse2::<syn::Block>(item.body.clone()) {
        Ok(block) => block,
        Err(error) => {
            report.push(error);
            return None;
        }
    };
    let mut params = Vec::new();
    for arg in &item.sig.inputs {
        match arg {
            FnArg::Typed(typed) if matches!(&*typed.pat, Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none()) => {
                params.push(typed.clone());
            }
            other => report.refuse(other, &m::PARAM_PATTERN),
        }
    }
    if let syn::ReturnType::Type(_, ty) = &item.sig.output {
        report.refuse(ty, &m::KERNEL_RESULT);
    }
    let (mut buffers, mut variables, mut sections) = (Vec::new(), Vec::new(), Vec::<Section>::new());
    for stmt in block.stmts {
        match stmt {
            Stmt::Local(local) => match buffer(&local) {
                Some(found) => buffers.extend(found),
                None => variables.extend(variable(local, report)),
            },
            Stmt::Expr(e, _) => {
                let Some(role) = section_role(&e) else {
                    report.refuse(e, &m::OPERATION_STATEMENT);
                    continue;
                };
                if let Some(section) = section(e, role, report) {
                    if sections.iter().any(|s| s.role == role) {
                        report.refuse(&section.token, &m::SECTION_TWICE);
                    }
                    sections.push(section);
                }
            }
            other => report.refuse(other, &m::OPERATION_STATEMENT),
        }
    }
    Some(Operation { params, buffers, variables, sections })
}

/// `let (x_out, x_in) = ttl::buffer::<bf16>(2);`
fn buffer(local: &syn::Local) -> Option<Option<Buffer>> {
    let Expr::Call(call) = &*local.init.as_ref()?.expr else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let last = path.path.segments.last().filter(|s| s.ident == "buffer")?;
    let syn::PathArguments::AngleBracketed(generics) = &last.arguments else { return None };
    let Some(syn::GenericArgument::Type(element)) = generics.args.first() else { return None };
    let Pat::Tuple(tuple) = &local.pat else { return None };
    let names: Vec<&Ident> = tuple
        .elems
        .iter()
        .filter_map(|p| match p {
            Pat::Ident(p) => Some(&p.ident),
            _ => None,
        })
        .collect();
    let ([out, input], Some(pages)) = (names.as_slice(), call.args.first()) else { return None };
    Some(Some(Buffer { out: (*out).clone(), input: (*input).clone(), element: element.clone(), pages: pages.clone() }))
}

fn variable(local: syn::Local, report: &mut Report) -> Option<Variable> {
    let pat = match &local.pat {
        Pat::Type(typed) => &*typed.pat,
        pat => pat,
    };
    let is_buffer = local.init.as_ref().is_some_and(|init| match &*init.expr {
        Expr::Call(call) => matches!(&*call.func, Expr::Path(p) if last_is(&p.path, "buffer")),
        _ => false,
    });
    match pat {
        Pat::Ident(p) if local.init.is_some() && !is_buffer => {
            Some(Variable { name: p.ident.clone(), tokens: local.to_token_stream() })
        }
        _ => {
            report.refuse(&local.pat, if is_buffer { &m::BUFFER_FORM } else { &m::OPERATION_STATEMENT });
            None
        }
    }
}

fn last_is(path: &syn::Path, name: &str) -> bool {
    path.segments.last().is_some_and(|s| s.ident == name)
}

/// `ttl::reader(..)`, `ttl::compute(..)`, `ttl::writer(..)`.
fn section_role(e: &Expr) -> Option<Role> {
    let Expr::Call(call) = e else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    if path.path.segments.first().is_none_or(|s| s.ident != "ttl") {
        return None;
    }
    match path.path.segments.last()?.ident.to_string().as_str() {
        "reader" => Some(Role::Reader),
        "writer" => Some(Role::Writer),
        "compute" => Some(Role::Compute),
        _ => None,
    }
}

fn section(e: Expr, role: Role, report: &mut Report) -> Option<Section> {
    let Expr::Call(call) = e else { return None };
    let token = call.func.to_token_stream();
    let mut args = call.args.into_iter();
    let (Some(Expr::Closure(closure)), None) = (args.next(), args.next()) else {
        report.refuse(token, &m::SECTION_FORM);
        return None;
    };
    let mut inputs = closure.inputs.into_iter();
    let (Some(input), None) = (inputs.next(), inputs.next()) else {
        report.refuse(token, &m::SECTION_FORM);
        return None;
    };
    let pat = match input {
        Pat::Type(typed) => *typed.pat,
        pat => pat,
    };
    let name = match pat {
        Pat::Ident(p) => p.ident,
        Pat::Wild(p) => Ident::new("_unused", p.underscore_token.span),
        other => {
            report.refuse(other, &m::SECTION_FORM);
            return None;
        }
    };
    let body = match *closure.body {
        Expr::Block(block) if block.label.is_none() => block.block.to_token_stream(),
        other => quote!({ #other }),
    };
    Some(Section { role, name, token, body })
}

fn section_kernel(
    item: &RawFn,
    operation: &Operation,
    section: &Section,
    taken: &mut Vec<(String, Role)>,
    report: &mut Report,
) -> (TokenStream, TokenStream) {
    let role_name = match section.role {
        Role::Reader => "reader",
        Role::Writer => "writer",
        Role::Compute => "compute",
    };
    let span = section.token.clone().into_iter().last().map_or_else(|| item.sig.ident.span(), |t| t.span());
    let kernel = format_ident!("{}_{}", item.sig.ident, role_name, span = span);

    // Variables that are used, and what their values use.
    let mut mentioned = section.body.clone();
    let mut free = free_names(&section.name, &section.body);
    let mut before: Vec<&Variable> = Vec::new();
    for variable in operation.variables.iter().rev() {
        if free.contains(&variable.name.to_string()) {
            let tokens = &variable.tokens;
            mentioned.extend(tokens.clone());
            free.extend(free_names(&section.name, &quote!({ #tokens })));
            before.insert(0, variable);
        }
    }
    let mut params: Vec<TokenStream> = Vec::new();
    let mut fields: Vec<TokenStream> = Vec::new();
    for param in &operation.params {
        let Pat::Ident(pat) = &*param.pat else { continue };
        if free.contains(&pat.ident.to_string()) {
            let name = &pat.ident;
            params.push(param.to_token_stream());
            fields.push(quote!(#name: ::core::clone::Clone::clone(&self.#name)));
        }
    }
    for buffer in &operation.buffers {
        let element = &buffer.element;
        for (end, ty) in [(&buffer.out, "CbOut"), (&buffer.input, "CbIn")] {
            let Some(at) = find(&mentioned, end).filter(|_| free.contains(&end.to_string())) else { continue };
            let ty = Ident::new(ty, at.span());
            params.push(quote!(#end: ::ttl::prelude::#ty<#element>));
            fields.push(quote!(#end: ::core::clone::Clone::clone(&#end)));
            if taken.iter().any(|(name, role)| end == name && *role != section.role) {
                report.refuse(at, &m::END_OF_TWO_SECTIONS);
            }
            taken.push((end.to_string(), section.role));
        }
    }
    let used = quote!(#(#params)* #mentioned);
    let mut generics = item.sig.generics.clone();
    generics.params = generics
        .params
        .into_iter()
        .filter(|param| match param {
            GenericParam::Type(p) => mentions(&used, &p.ident),
            GenericParam::Const(p) => mentions(&used, &p.ident),
            GenericParam::Lifetime(_) => true,
        })
        .collect();
    if generics.params.len() != item.sig.generics.params.len() {
        generics.where_clause = None;
    }
    let (_, ty_generics, where_clause) = generics.split_for_impl();
    let turbofish = ty_generics.as_turbofish();
    let token_type = match section.role {
        Role::Compute => quote_spanned!(section.name.span()=> ::ttl::prelude::Compute),
        _ => quote_spanned!(section.name.span()=> ::ttl::prelude::Noc),
    };
    let (vis, name, body) = (&item.vis, &section.name, &section.body);
    let lints = item.attrs.iter().filter(|a| is_lint(a));
    let variables = before.iter().map(|v| &v.tokens);
    let body = if before.is_empty() { body.clone() } else { with_front(body, quote!(#(#variables)*)) };
    let source = quote! {
        #(#lints)*
        #[allow(clippy::too_many_arguments)] // they come from what the section captures
        #vis fn #kernel #generics (#name: #token_type, #(#params),*) #where_clause #body
    };
    let role = Ident::new(role_name, span);
    let kernel_tokens = crate::kernel(role.to_token_stream(), source);
    let place = place(section.name.span());
    let add = quote!(__ttl_program.section_at(__ttl_cores.clone(), #kernel #turbofish { #(#fields),* }, #place););
    (kernel_tokens, add)
}

/// The names in lower case that a section uses and does not bind itself.
fn free_names(token: &Ident, body: &TokenStream) -> BTreeSet<String> {
    let Ok(raw) = crate::item::parse(quote!(fn section(#token: ()) #body)) else { return BTreeSet::new() };
    // What is wrong with the section is said about its kernel.
    let mut report = Report::default();
    let mut func = crate::parse::function(raw, Kind::Device, &mut report);
    let scope = crate::check::scope::resolve(&mut func, &mut report);
    scope.consts.iter().filter(|c| c.kind != ConstKind::Value).map(|c| c.tokens.to_string()).collect()
}

fn with_front(body: &TokenStream, front: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    for token in body.clone() {
        match token {
            TokenTree::Group(group) => {
                let inner = group.stream();
                let mut made = proc_macro2::Group::new(group.delimiter(), quote!(#front #inner));
                made.set_span(group.span());
                out.extend([TokenTree::Group(made)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

fn host(item: &RawFn, operation: &Operation, adds: &TokenStream) -> TokenStream {
    let (vis, name, generics) = (&item.vis, &item.sig.ident, &item.sig.generics);
    let text = name.to_string();
    let doc = format!("Arguments of the operation `{text}`: give it to `Program::operation`.");
    let docs = item.attrs.iter().filter(|a| a.path().is_ident("doc"));
    let with_static = crate::expand::generics::with_static(generics);
    let (impl_generics, ty_generics, where_clause) = with_static.split_for_impl();
    let plain_where = &generics.where_clause;
    let fields = operation.params.iter().map(|p| {
        let (pat, ty) = (&p.pat, &p.ty);
        let pat = match &**pat {
            Pat::Ident(p) => p.ident.to_token_stream(),
            other => other.to_token_stream(),
        };
        if marked(p) {
            quote!(pub #pat: #ty)
        } else {
            let param = crate::expand::host_param(ty);
            quote!(pub #pat: #param::Host)
        }
    });
    // What a size may depend on.
    let known = operation.params.iter().filter(|p| marked(p)).filter_map(|p| match &*p.pat {
        Pat::Ident(p) => Some(&p.ident),
        _ => None,
    });
    let sizes = operation.buffers.iter().map(|b| &b.pages);
    let sizes: TokenStream = quote!(#(#sizes)*);
    let known = known.filter(|name| mentions(&sizes, name)).map(|name| quote!(let #name = self.#name;));
    let buffers = operation.buffers.iter().map(|b| {
        let (out, input, element, pages) = (&b.out, &b.input, &b.element, &b.pages);
        let out_text = out.to_string();
        let label = out_text.trim_start_matches('_').trim_end_matches("_out").to_string();
        let place = place(out.span());
        quote! {
            let (#out, #input) =
                __ttl_program.buffer_at::<#element>(#label, __ttl_cores.clone(), #pages, #place);
        }
    });
    quote! {
        #(#docs)*
        #[doc = #doc]
        #[allow(warnings)]
        #vis struct #name #generics #plain_where { #(#fields),* }
        #[doc(hidden)]
        #[allow(warnings)]
        impl #impl_generics ::ttl::rt::Operation for #name #ty_generics #where_clause {
            fn add_to(self, __ttl_program: &mut ::ttl::prelude::Program, __ttl_cores: ::ttl::prelude::CoreSet) {
                #(#known)*
                #(#buffers)*
                #adds
            }
        }
    }
}

/// The place of a part of the operation, for the messages of `validate`: a constant is not asked for its caller.
fn place(span: Span) -> TokenStream {
    quote_spanned!(span=> const { ::core::panic::Location::caller() })
}

fn marked(param: &PatType) -> bool {
    param.attrs.iter().any(|a| a.path().is_ident("ttl"))
}

fn is_lint(attr: &Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid"].iter().any(|name| attr.path().is_ident(name))
}

fn without_marks(item: &RawFn) -> RawFn {
    let mut item = item.clone();
    for arg in &mut item.sig.inputs {
        if let FnArg::Typed(typed) = arg {
            typed.attrs.retain(|a| !a.path().is_ident("ttl"));
        }
    }
    item
}

fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    find(tokens, name).is_some()
}

/// Where a name is mentioned: as a variable, not as a field or method. Also in the text of a macro: `"{n}"`.
fn find(tokens: &TokenStream, name: &Ident) -> Option<Ident> {
    // One dot before a name makes it a field or method, two are a range.
    let mut dots = 0_u8;
    for token in tokens.clone() {
        let dot = matches!(&token, TokenTree::Punct(p) if p.as_char() == '.');
        let dotted = dots == 1;
        dots = if dot { dots.saturating_add(1) } else { 0 };
        match token {
            TokenTree::Ident(ident) if ident == *name && !dotted => return Some(ident),
            TokenTree::Group(group) => {
                if let Some(found) = find(&group.stream(), name) {
                    return Some(found);
                }
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.starts_with('"')
                    && (text.contains(&format!("{{{name}}}")) || text.contains(&format!("{{{name}:")))
                {
                    return Some(Ident::new(&name.to_string(), literal.span()));
                }
            }
            _ => {}
        }
    }
    None
}
