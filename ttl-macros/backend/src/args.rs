//! The arguments of the attributes.

use crate::messages;
use crate::model::{Kind, Role};
use crate::report::Report;
use proc_macro2::{Span, TokenStream};
use syn::Ident;

/// `reader`, `writer` or `compute`, the first two perhaps with `noc = 0` or `noc = 1`. A kernel without a role is reported and treated as a reader.
pub(crate) fn kernel(args: TokenStream, report: &mut Report) -> (Kind, Option<u8>) {
    if args.is_empty() {
        report.refuse_at(Span::call_site(), &messages::NO_ROLE);
        return (Kind::Kernel(Role::Reader), None);
    }
    let Ok(parsed) = syn::parse2::<KernelArgs>(args.clone()) else {
        report.refuse(args, &messages::UNKNOWN_ROLE);
        return (Kind::Kernel(Role::Reader), None);
    };
    let role = match parsed.role.to_string().as_str() {
        "reader" => Role::Reader,
        "writer" => Role::Writer,
        "compute" => Role::Compute,
        _ => {
            report.refuse(&parsed.role, &messages::UNKNOWN_ROLE);
            Role::Reader
        }
    };
    let noc = parsed.noc.and_then(|(name, value)| match value.base10_parse::<u8>() {
        Ok(noc @ 0..=1) if name == "noc" && role != Role::Compute => Some(noc),
        _ if name == "noc" && role == Role::Compute => {
            report.refuse(&name, &messages::NOC_OF_COMPUTE);
            None
        }
        _ => {
            report.refuse(quote::quote!(#name = #value), &messages::UNKNOWN_NOC);
            None
        }
    });
    (Kind::Kernel(role), noc)
}

/// `reader`, or `reader, noc = 1`.
struct KernelArgs {
    role: Ident,
    noc: Option<(Ident, syn::LitInt)>,
}

impl syn::parse::Parse for KernelArgs {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<KernelArgs> {
        let role = input.parse()?;
        let mut noc = None;
        if input.parse::<Option<syn::Token![,]>>()?.is_some() && !input.is_empty() {
            let name = input.parse()?;
            input.parse::<syn::Token![=]>()?;
            noc = Some((name, input.parse()?));
            input.parse::<Option<syn::Token![,]>>()?;
        }
        Ok(KernelArgs { role, noc })
    }
}

pub(crate) fn device(args: TokenStream, report: &mut Report) {
    if !args.is_empty() {
        report.refuse(args, &messages::DEVICE_ARGUMENTS);
    }
}
