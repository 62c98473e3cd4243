//! The arguments of the attributes.

use crate::messages;
use crate::model::{Kind, Role};
use crate::report::Report;
use proc_macro2::{Span, TokenStream};
use syn::Ident;

/// `reader`, `writer` or `compute`. A kernel without a role is reported and treated as a reader.
pub(crate) fn kernel(args: TokenStream, report: &mut Report) -> Kind {
    if args.is_empty() {
        report.refuse_at(Span::call_site(), &messages::NO_ROLE);
        return Kind::Kernel(Role::Reader);
    }
    let role = match syn::parse2::<Ident>(args.clone()) {
        Ok(ident) if ident == "reader" => Some(Role::Reader),
        Ok(ident) if ident == "writer" => Some(Role::Writer),
        Ok(ident) if ident == "compute" => Some(Role::Compute),
        _ => None,
    };
    Kind::Kernel(role.unwrap_or_else(|| {
        report.refuse(args, &messages::UNKNOWN_ROLE);
        Role::Reader
    }))
}

pub(crate) fn device(args: TokenStream, report: &mut Report) {
    if !args.is_empty() {
        report.refuse(args, &messages::DEVICE_ARGUMENTS);
    }
}
