//! Functions: the kernel and device functions, from signature to end; what their printer knows meanwhile.

use super::args::ArgSlots;
use super::called::Called;
use super::data::Types;
use super::helpers::Helper;
use super::metalium_0_81 as api;
use super::names::{self, Scopes};
use super::writer::Writer;
use super::{Options, reachable};
use crate::arch::ComputeConfig;
use crate::ir::passes::Prepared;
use crate::ir::{Fn, FnId, LocalId, Module, Role, Ty, visit};
use std::collections::{BTreeSet, HashMap};

/// The functions of a file and what they need above them.
pub(super) struct Functions {
    pub(super) text: String,
    pub(super) headers: BTreeSet<&'static str>,
    pub(super) helpers: BTreeSet<Helper>,
    /// Warnings about what is written so in Rust, where it is none of ours.
    pub(super) allowed: BTreeSet<&'static str>,
    /// Definitions of the kernel's types, and whether arrays are among them.
    pub(super) types: String,
    pub(super) arrays: bool,
    pub(super) calls: Vec<Called>,
}

pub(super) fn print(prepared: &Prepared, args: &ArgSlots, options: &Options) -> Functions {
    let module = prepared.module();
    let mut scopes = Scopes::default();
    scopes.enter();
    for helper in Helper::ALL {
        scopes.declare(helper.name());
    }
    let functions = reachable(module);
    let entry = module.fns.len().saturating_sub(1) as u32;
    let types = Types::of(module, &functions, &mut scopes);
    let names = names::function_names(
        &mut scopes,
        functions.iter().filter(|id| id.0 != entry).map(|id| {
            let f = module.function(*id);
            (id.0, f.name.as_str(), f.generics.as_slice())
        }),
    );
    let mut printer = Printer {
        module,
        config: prepared.config(),
        tile_pages: prepared.has_tile_pages(),
        f: module.entry(),
        out: Writer::new(options.lines),
        scopes,
        functions: names,
        types,
        headers: BTreeSet::from([match module.role {
            Role::Compute => api::COMPUTE_HEADER,
            Role::Reader | Role::Writer => api::DATAFLOW_HEADER,
        }]),
        helpers: BTreeSet::new(),
        allowed: BTreeSet::new(),
        names: HashMap::new(),
        assigned: BTreeSet::new(),
        negative: BTreeSet::new(),
        read: BTreeSet::new(),
        calls: Vec::new(),
        loops: 0,
        sets_up: false,
    };
    for id in functions {
        printer.begin(module.function(id));
        if id.0 == entry {
            printer.kernel(args);
        } else {
            printer.device_function(id);
            printer.out.plain("");
        }
    }
    Functions {
        text: printer.out.finish(),
        headers: printer.headers,
        helpers: printer.helpers,
        allowed: printer.allowed,
        types: printer.types.definitions,
        arrays: printer.types.arrays,
        calls: printer.calls,
    }
}

pub(super) struct Printer<'a> {
    pub(super) module: &'a Module,
    pub(super) config: &'a ComputeConfig,
    /// Pages of circular buffers are tiles.
    tile_pages: bool,
    /// The function being printed.
    pub(super) f: &'a Fn,
    pub(super) out: Writer,
    pub(super) scopes: Scopes,
    functions: HashMap<u32, String>,
    pub(super) types: Types,
    pub(super) headers: BTreeSet<&'static str>,
    pub(super) helpers: BTreeSet<Helper>,
    pub(super) allowed: BTreeSet<&'static str>,
    /// Of the current function: names in use, locals that are assigned to and that are read.
    names: HashMap<LocalId, String>,
    pub(super) assigned: BTreeSet<LocalId>,
    /// Constants below zero.
    pub(super) negative: BTreeSet<LocalId>,
    pub(super) read: BTreeSet<LocalId>,
    /// The calls so far, the loops around, and whether what is written now sets up.
    pub(super) calls: Vec<Called>,
    pub(super) loops: u32,
    pub(super) sets_up: bool,
}

impl Printer<'_> {
    /// The bytes of a page of a circular buffer.
    pub(super) fn page_of(&self, cb: &str) -> String {
        if self.tile_pages {
            format!("{}({cb})", api::TILE_SIZE)
        } else {
            format!("{}({cb}).{}", api::LOCAL_INTERFACE, api::LOCAL_PAGE_SIZE)
        }
    }
}

/// Whether a value of the type exists in C++: tokens and register states do not.
pub(super) fn is_printed(ty: &Ty) -> bool {
    match ty.peeled() {
        Ty::Bool
        | Ty::Int(_)
        | Ty::F32
        | Ty::Usize
        | Ty::Struct(_)
        | Ty::Array(..)
        | Ty::Enum(_)
        | Ty::CbIn(_)
        | Ty::CbOut(_)
        | Ty::TensorAccessor(_)
        | Ty::Semaphore
        | Ty::Core
        | Ty::CoreRange
        | Ty::NocAddr
        | Ty::L1Ptr(_)
        | Ty::Words
        | Ty::CommonWords
        | Ty::Front(_)
        | Ty::Reserved(_) => true,
        Ty::Unit
        | Ty::Never
        | Ty::Noc
        | Ty::Compute
        | Ty::Read
        | Ty::Write
        | Ty::TileRegs
        | Ty::PackRegs
        | Ty::Tiles
        | Ty::TileBlock(_)
        | Ty::Accumulator
        | Ty::Group(_)
        | Ty::PipeTx
        | Ty::PipeRx
        | Ty::UnicastTx
        | Ty::Ref { .. } => false,
    }
}

impl<'a> Printer<'a> {
    fn begin(&mut self, f: &'a Fn) {
        self.f = f;
        self.names.clear();
        self.negative.clear();
        self.assigned = visit::assigned_locals(&f.body);
        self.read = visit::read_locals(&f.body);
        self.out.file(f.file);
        self.out.at(f.line);
    }

    pub(super) fn name(&self, local: LocalId) -> String {
        match self.names.get(&local) {
            Some(name) => name.clone(),
            // The verifier has seen a declaration of every local; show what is missing rather than stop.
            None => format!("undeclared_{}", self.f.local(local).name),
        }
    }

    pub(super) fn function_name(&self, id: FnId) -> String {
        self.functions.get(&id.0).cloned().unwrap_or_default()
    }

    /// Gives a local its name in the current scope.
    pub(super) fn declare(&mut self, local: LocalId) -> String {
        let wanted = match self.f.local(local).name.trim_matches('_') {
            "" => "round",
            _ => &self.f.local(local).name,
        };
        let name = self.scopes.declare(wanted);
        self.names.insert(local, name.clone());
        name
    }

    fn kernel(&mut self, args: &ArgSlots) {
        self.out.code(&format!("void {}() {{", api::ENTRY));
        self.out.indent();
        self.scopes.enter();
        if self.arguments(args) && !self.f.body.is_empty() {
            self.out.plain("");
        }
        let f = self.f;
        self.block(&f.body);
        self.scopes.leave();
        self.out.dedent();
        self.out.plain("}");
    }

    fn device_function(&mut self, id: FnId) {
        self.scopes.enter();
        let mut templates = Vec::new();
        let mut params = Vec::new();
        let f = self.f;
        for local in &f.params {
            let ty = &f.local(*local).ty;
            if !is_printed(ty) {
                continue;
            }
            let name = self.declare(*local);
            params.push(match ty {
                Ty::Ref { mutable: true, to } if to.is_data() => {
                    format!("{}& {name}", self.type_name(to))
                }
                Ty::Ref { mutable: false, to } if matches!(**to, Ty::Struct(_) | Ty::Array(..)) => {
                    format!("const {}& {name}", self.type_name(to))
                }
                _ => match ty.peeled() {
                    Ty::TensorAccessor(_) => {
                        let template = self.scopes.declare(&template_name(&name));
                        let param = format!("const {template}& {name}");
                        templates.push(format!("typename {template}"));
                        param
                    }
                    peeled => format!("{} {name}", self.type_name(peeled)),
                },
            });
        }
        let ret = match &f.ret {
            Ty::Unit | Ty::Never => "void".to_string(),
            other => self.type_name(other),
        };
        if !templates.is_empty() {
            self.out.code(&format!("template <{}>", templates.join(", ")));
        }
        let name = self.function_name(id);
        self.out.code(&format!("static inline {ret} {name}({}) {{", params.join(", ")));
        self.out.indent();
        self.block(&f.body);
        self.out.dedent();
        self.out.plain("}");
        self.scopes.leave();
    }
}

/// `src` becomes `SrcAccessor`.
fn template_name(parameter: &str) -> String {
    let mut name = String::new();
    for word in parameter.split('_').filter(|w| !w.is_empty()) {
        let (first, rest) = word.split_at(1);
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name + "Accessor"
}
