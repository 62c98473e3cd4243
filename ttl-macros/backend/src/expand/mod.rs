//! The emitted items: the user's function, the struct of the same name, and the hidden function that builds the IR.

pub(crate) mod copy;
pub(crate) mod def;
pub(crate) mod fallback;
pub(crate) mod generics;
pub(crate) mod host;
mod twin;

use crate::check::flow::Flow;
use crate::check::scope::Scope;
use crate::model::{Func, Kind};
use proc_macro2::TokenStream;
use quote::quote;

/// `<T as Param>`, for the host's side of a parameter.
pub(crate) fn host_param(ty: &syn::Type) -> TokenStream {
    host::as_param(ty)
}

pub(crate) fn expand(func: &Func, scope: &Scope, flow: &Flow) -> TokenStream {
    let original = &func.original;
    let twin = match func.kind {
        Kind::Device => twin::expand(func),
        Kind::Kernel(role) => host::expand(func, role),
    };
    let def = def::expand(func, scope, flow);
    quote!(#original #twin #def)
}
