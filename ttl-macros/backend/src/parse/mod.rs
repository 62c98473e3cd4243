//! `syn` trees to the model. What is outside the subset is refused here.

mod closure;
mod data;
mod debug;
mod expr;
pub(crate) mod pat;
mod range;
pub(crate) mod sig;
mod stmt;
mod ty;

use crate::item::RawFn;
use crate::model::{Block, Func, Kind, Stmt, Types};
use crate::report::Report;
use syn::token;

/// What the parsers of the parts share.
pub(crate) struct Parser<'a> {
    pub(crate) report: &'a mut Report,
    pub(crate) types: Types,
    /// Lifetime parameters were refused; their uses need no message.
    pub(crate) has_lifetimes: bool,
    /// Patterns of parameters, as statements.
    pub(crate) taken_apart: Vec<Stmt>,
    /// How many closures are around.
    pub(crate) in_closure: usize,
}

pub(crate) fn function(mut item: RawFn, kind: Kind, report: &mut Report) -> Func {
    let mut parser = Parser {
        report,
        types: Types::default(),
        has_lifetimes: item.sig.generics.lifetimes().next().is_some(),
        taken_apart: Vec::new(),
        in_closure: 0,
    };
    let params = parser.params(&mut item, kind);
    let ret = parser.result(&item, kind);
    let signature_is_right = !parser.report.has_errors();
    let body = match syn::parse2::<syn::Block>(item.body.clone()) {
        Ok(block) => parser.block(block),
        // rustc has parsed the function before, so this is syntax newer than `syn`.
        Err(error) => {
            parser.report.push(error);
            empty_block()
        }
    };
    let mut body = body;
    body.stmts.splice(0..0, parser.taken_apart);
    Func { kind, noc: None, original: item, params, ret, body, types: parser.types, signature_is_right }
}

/// Refuses a type that the device can never have.
pub(crate) fn check_type(ty: &syn::Type, report: &mut Report) {
    let mut parser =
        Parser { report, types: Types::default(), has_lifetimes: false, taken_apart: Vec::new(), in_closure: 0 };
    parser.check_ty(ty);
}

/// A method, whose receiver has become a parameter with a name of ours.
pub(crate) fn method(item: RawFn, report: &mut Report) -> Func {
    function(item, Kind::Device, report)
}

fn empty_block() -> Block {
    Block { brace: token::Brace::default(), stmts: Vec::new(), tail: None }
}
