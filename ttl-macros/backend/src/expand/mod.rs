//! The emitted items: the user's function, the struct of the same name, and the hidden function that builds the IR.

pub(crate) mod copy;
mod def;
pub(crate) mod fallback;
mod generics;
mod host;
mod twin;

use crate::check::flow::Flow;
use crate::check::scope::Scope;
use crate::model::{Func, Kind};
use proc_macro2::TokenStream;
use quote::quote;

pub(crate) fn expand(func: &Func, scope: &Scope, flow: &Flow) -> TokenStream {
    let original = &func.original;
    let twin = match func.kind {
        Kind::Device => twin::expand(func),
        Kind::Kernel(role) => host::expand(func, role),
    };
    let def = def::expand(func, scope, flow);
    quote!(#original #twin #def)
}
