//! Kernel IR to TT-Metalium C++.
//!
//! [`emit`] takes a kernel that went through the [passes](crate::ir::passes) and prints what an expert would write: free functions of
//! the kernel API, arguments as named constants at the top, no runtime of ours. The text depends on nothing but its inputs.
//!
//! - [`metalium_0_81`] is the only place that knows headers and function names of a TT-Metalium version;
//! - `function` prints signatures, `params` the kernel's arguments, `stmt` statements, `loops` the ranges with Rust's meaning, `ops` device operations;
//! - `expr` prints expressions so that they mean in C++ what they mean in Rust (wrapping, shifts, casts, comparisons), out of `piece`s that know
//!   when they need parentheses;
//! - `called` keeps what is called, for reports;
//! - `data` prints structs, enums and arrays;
//! - `names` chooses identifiers; `writer` holds the text, its indentation and the `#line` directives.

mod args;
mod call;
mod called;
mod data;
mod debug;
mod emitted;
mod expr;
mod function;
mod helpers;
mod loops;
pub mod metalium_0_81;
mod names;
mod ops;
mod params;
mod piece;
mod stmt;
mod tile_calls;
mod writer;

pub use args::{ArgSlot, ArgSlots};
pub use called::Called;
pub use emitted::emitted_names;

use crate::ir::passes::Prepared;
use crate::ir::{FnId, Module, Op, StmtKind, visit};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// How the text is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub lines: Lines,
}

/// How the text names the Rust lines it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lines {
    /// `#line` directives, exact for every statement: messages of a C++ compiler and of the simulator point at the Rust source.
    Directives,
    /// A comment where a Rust line begins: for people.
    Comments,
    None,
}

impl Default for Options {
    fn default() -> Options {
        Options { lines: Lines::Directives }
    }
}

/// A C++ kernel file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    pub file_name: String,
    pub text: String,
    /// What it calls, in the order of the text; nothing is known of hand-written kernels.
    pub calls: Vec<Called>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EmitError {
    #[error(
        "internal error: kernel `{kernel}` has {params} parameters, the argument layout describes {slots}, or of another kind"
    )]
    Layout { kernel: String, params: usize, slots: usize },
}

/// Prints a kernel.
pub fn emit(prepared: &Prepared, args: &ArgSlots, options: &Options) -> Result<Source, EmitError> {
    let module = prepared.module();
    if !args.fits(module) {
        return Err(EmitError::Layout {
            kernel: module.name.clone(),
            params: module.params.len(),
            slots: args.params.len(),
        });
    }
    let functions = function::print(prepared, args, options);
    let mut text = header(module);
    if functions.arrays {
        text.push_str("#include <array>\n");
    }
    if prepared.config().fp32_dest_acc && has_long_polynomials(module) {
        text.push_str("// Registers of 32 bits: polynomials for f32.\n#define INP_FLOAT32 1\n");
    }
    text.push_str("#include <cstdint>\n");
    // Some headers of single operations declare names that the wider ones must not see.
    let (late, early): (Vec<&str>, Vec<&str>) =
        functions.headers.iter().partition(|h| h.starts_with("api/compute/eltwise_unary/"));
    for header in early.into_iter().chain(late) {
        let _ = writeln!(text, "#include \"{header}\"");
    }
    if !functions.allowed.is_empty() {
        text.push_str("\n// The Rust source says it this way.\n");
    }
    for warning in &functions.allowed {
        let _ = writeln!(text, "#pragma GCC diagnostic ignored \"{warning}\"");
    }
    for helper in &functions.helpers {
        text.push('\n');
        text.push_str(helper.text());
    }
    if !functions.types.is_empty() {
        text.push('\n');
        text.push_str(&functions.types);
    }
    text.push('\n');
    text.push_str(&functions.text);
    Ok(Source { file_name: format!("{}.cpp", names::sanitize(&module.name)), text, calls: functions.calls })
}

/// Whether an operation has longer polynomials for kernels that define `INP_FLOAT32`, as TT-Metalium's own do for inputs of f32.
fn has_long_polynomials(module: &Module) -> bool {
    let mut any = false;
    for id in reachable(module) {
        visit::each_stmt(&module.function(id).body, &mut |stmt| {
            any |= matches!(&stmt.kind, StmtKind::Op(Op::Unary { op, .. }) if op.row().long);
        });
    }
    any
}

/// The comment on top: what this is and where it comes from.
fn header(module: &Module) -> String {
    let entry = module.entry();
    let params: Vec<String> = entry
        .params
        .iter()
        .filter(|local| !entry.temps.iter().any(|(_, temp)| temp == *local))
        .map(|local| {
            let param = module.params.iter().find(|p| p.local == *local);
            let marker = param.map_or("", |p| args::marker(p.kind));
            let l = entry.local(*local);
            format!("{marker}{}: {}", l.name, l.ty)
        })
        .collect();
    let mut signature = format!("// fn {}({})\n", module.name, params.join(", "));
    if signature.len() > 120 {
        let lines = params.join(",\n//     ");
        signature = format!("// fn {}(\n//     {lines},\n// )\n", module.name);
    }
    for (key, local) in &entry.temps {
        let name = &entry.local(*local).name;
        let _ = writeln!(
            signature,
            "// `{name}` is a buffer of the compiler's: {key}, {} of {}.",
            plural(key.pages()),
            key.format()
        );
    }
    format!(
        "{signature}// {} kernel, generated by ttl from {}:{}. Changes belong there.\n",
        module.role.name(),
        entry.file,
        entry.line
    )
}

fn plural(tiles: u32) -> String {
    format!("{tiles} tile{}", if tiles == 1 { "" } else { "s" })
}

/// The functions that the kernel reaches, callees before callers.
fn reachable(module: &Module) -> Vec<FnId> {
    let Some(entry) = module.fns.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut seen = BTreeSet::from([entry as u32]);
    for at in (0..module.fns.len()).rev() {
        if !seen.contains(&(at as u32)) {
            continue;
        }
        visit::each_stmt(&module.fns[at].body, &mut |stmt| {
            visit::stmt_calls(stmt, &mut |call| {
                seen.insert(call.callee.0);
            });
        });
    }
    seen.into_iter().map(FnId).collect()
}
