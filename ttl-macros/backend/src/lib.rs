//! What `#[ttl::kernel]` and `#[ttl::device]` do, as an ordinary library.
//!
//! The phases, in running order:
//!
//! 1. `group`: invisible groups, which macros leave behind, become parentheses. `place`: accumulators get numbers. `item`: the function's signature; its body stays as
//!    tokens, so that the user's function is always emitted again.
//! 2. `parse`: `syn` trees to the `model`, the accepted subset. Every `syn` variant is listed; what is outside the subset is
//!    refused by name, with the reason and what to write instead (`messages`, the catalogue).
//! 3. `check`: `scope` resolves names and shadowing; `calls` looks at callees and method names; `flow` finds locals that are given
//!    away on one path only.
//!    `items`: structs, enums, `impl` blocks and traits with `#[ttl::device]`.
//! 4. `expand`: the user's function (`original`), the struct of the same name (`twin` for device functions, `host` for kernels),
//!    and the hidden function that builds the IR (`def`), which holds the copy of the body with its probes (`copy`).
//!
//! `operation`: a kernel without a role, which has its buffers and three sections inside, becomes three kernels and a struct.
//!
//! Errors accumulate in a `Report`. If there are any, `expand::fallback` emits the function, what others need to refer to it, and
//! the errors.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

mod args;
mod check;
mod expand;
mod group;
mod item;
mod items;
mod messages;
mod model;
mod operation;
mod parse;
mod place;
#[cfg(test)]
#[allow(clippy::expect_used)]
mod refusals_page;
mod report;
#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
mod tests;

use model::Kind;
use proc_macro2::TokenStream;
use quote::quote;
use report::Report;

/// `#[ttl::kernel(role)]`.
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    if args.is_empty() {
        let item = group::visible(item.clone());
        if let Ok(raw) = item::parse(item)
            && operation::is_operation(&raw)
        {
            return operation::expand(raw, report);
        }
    }
    let (kind, noc) = args::kernel(args, &mut report);
    run(kind, noc, item, report)
}

/// `#[ttl::device]`.
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    args::device(args, &mut report);
    let item = group::visible(item);
    match items::device(&place::number(item.clone()), &mut report) {
        Some(expanded) => expanded,
        None => run(Kind::Device, None, item, report),
    }
}

fn run(kind: Kind, noc: Option<u8>, tokens: TokenStream, mut report: Report) -> TokenStream {
    let tokens = place::number(group::visible(tokens));
    let item = match item::parse(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            report.push(error);
            let errors = report.into_compile_errors();
            return quote!(#tokens #errors);
        }
    };
    let mut func = parse::function(item, kind, &mut report);
    func.noc = noc;
    let scope = check::scope::resolve(&mut func, &mut report);
    check::calls::check(&func, &mut report);
    if report.has_errors() {
        return expand::fallback::expand(&func, report.into_compile_errors());
    }
    let flow = check::flow::analyse(&func, &scope);
    expand::expand(&func, &scope, &flow)
}

/// What the shell emits when this crate has panicked: the user's item, and that it is not their fault.
pub fn bug(item: TokenStream) -> TokenStream {
    let message = messages::BUG;
    quote!(#item ::core::compile_error!(#message);)
}
