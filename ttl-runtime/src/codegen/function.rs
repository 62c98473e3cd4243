//! Functions: the kernel with its arguments, device functions, statements.

use super::args::{ArgSlot, ArgSlots};
use super::called::Called;
use super::data::Types;
use super::expr::fold;
use super::helpers::Helper;
use super::metalium_0_81 as api;
use super::names::{self, Scopes};
use super::writer::Writer;
use super::{Options, reachable};
use crate::arch::ComputeConfig;
use crate::ir::passes::Prepared;
use crate::ir::{Expr, ExprKind, Fn, FnId, LocalId, Module, Param, ParamKind, Role, Stmt, StmtKind, Ty, visit};
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
    read: BTreeSet<LocalId>,
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

    /// The kernel's parameters as constants: what is known at compile time first. Those that nothing reads are left out.
    /// Returns whether there are any.
    fn arguments(&mut self, args: &ArgSlots) -> bool {
        let module = self.module;
        let all: Vec<(&Param, ArgSlot)> = module.params.iter().zip(args.params.iter().copied()).collect();
        let of_kind = |kinds: &'static [ParamKind]| {
            all.iter().copied().filter(move |(p, _)| kinds.contains(&p.kind)).collect::<Vec<_>>()
        };
        let mut any = false;
        for (param, slot) in of_kind(&[ParamKind::Cb, ParamKind::CompileTime]) {
            if let (true, ArgSlot::CompileTime(at)) = (self.read.contains(&param.local), slot) {
                match self.aggregate(&param.ty, api::COMPILE_TIME_ARG, at) {
                    Some(value) => {
                        let cpp = self.type_name(&param.ty);
                        let name = self.declare(param.local);
                        let qualifier = if self.assigned.contains(&param.local) { "" } else { "constexpr " };
                        self.out.code(&format!("{qualifier}{cpp} {name} = {value};"));
                    }
                    None => self.scalar(param, &format!("{}({at})", api::COMPILE_TIME_ARG), "constexpr"),
                }
                any = true;
            }
        }
        for (param, slot) in of_kind(&[ParamKind::Semaphore]) {
            if let (true, ArgSlot::CompileTime(at)) = (self.read.contains(&param.local), slot) {
                let name = self.declare(param.local);
                let value = format!("{}({}({at}))", api::SEMAPHORE, api::COMPILE_TIME_ARG);
                self.out.code(&format!("const uint32_t {name} = {value};"));
                any = true;
            }
        }
        any |= self.accessors(&of_kind(&[ParamKind::Tensor]), args.accessor_base);
        for (param, slot) in of_kind(&[ParamKind::Common, ParamKind::PerCore]) {
            let (function, at) = match slot {
                ArgSlot::Common(at) => (api::COMMON_ARG, at),
                ArgSlot::PerCore(at) => (api::PER_CORE_ARG, at),
                ArgSlot::CompileTime(_) | ArgSlot::Tensor { .. } => continue,
            };
            if !self.read.contains(&param.local) {
                continue;
            }
            if let Some(value) = self.aggregate(&param.ty, function, at) {
                let cpp = self.type_name(&param.ty);
                let name = self.declare(param.local);
                let qualifier = if self.assigned.contains(&param.local) { "" } else { "const " };
                self.out.code(&format!("{qualifier}{cpp} {name} = {value};"));
                any = true;
            } else if matches!(param.ty, Ty::Words | Ty::CommonWords) {
                let name = self.declare(param.local);
                self.out.code(&format!("constexpr uint32_t {name} = {at};"));
                any = true;
            } else if let Some((address, words)) = place_of(&param.ty) {
                let words: Vec<String> = (0..words).map(|i| format!("{function}<uint32_t>({})", at + i)).collect();
                let name = self.declare(param.local);
                self.out.code(&format!("const uint64_t {name} = {address}({}, 0);", words.join(", ")));
                any = true;
            } else {
                let word = word_type(&param.ty);
                self.scalar(param, &format!("{function}<{word}>({at})"), "const");
                any = true;
            }
        }
        any
    }

    /// A scalar parameter decoded from its argument word.
    fn scalar(&mut self, param: &Param, word: &str, qualifier: &str) {
        let cpp = self.type_name(&param.ty);
        let value = self.decode(&param.ty, word, qualifier == "constexpr");
        let name = self.declare(param.local);
        let qualifier = if self.assigned.contains(&param.local) { String::new() } else { format!("{qualifier} ") };
        self.out.code(&format!("{qualifier}{cpp} {name} = {value};"));
    }

    fn decode(&self, ty: &Ty, word: &str, compile_time: bool) -> String {
        match ty {
            Ty::Bool => format!("{word} != 0"),
            Ty::F32 if compile_time => format!("__builtin_bit_cast(float, {word})"),
            Ty::Int(i) if i.bits < 32 || (i.signed && compile_time) => {
                format!("static_cast<{}>({word})", self.type_name(ty))
            }
            Ty::Enum(_) => format!("static_cast<{}>({word})", self.type_name(ty)),
            _ => word.to_owned(),
        }
    }

    /// A parameter of plain data from the words at `at`; none if it is a single word.
    fn aggregate(&self, ty: &Ty, function: &str, at: u32) -> Option<String> {
        matches!(ty, Ty::Struct(_) | Ty::Array(..)).then(|| self.words_to_value(ty, function, &mut { at }))
    }

    fn words_to_value(&self, ty: &Ty, function: &str, at: &mut u32) -> String {
        let inside: Vec<&Ty> = match ty {
            Ty::Struct(s) => s.fields.iter().map(|f| &f.ty).collect(),
            Ty::Array(of, len) => vec![&**of; *len as usize],
            _ => {
                let compile_time = function == api::COMPILE_TIME_ARG;
                let word = if compile_time {
                    format!("{function}({at})")
                } else {
                    format!("{function}<{}>({at})", word_type(ty))
                };
                *at += 1;
                return self.decode(ty, &word, compile_time);
            }
        };
        let values: Vec<String> = inside.into_iter().map(|ty| self.words_to_value(ty, function, at)).collect();
        format!("{}{{{}}}", self.type_name(ty), values.join(", "))
    }

    fn accessors(&mut self, tensors: &[(&Param, ArgSlot)], base: u32) -> bool {
        let used = |(param, _): &&(&Param, ArgSlot)| self.read.contains(&param.local);
        // Later accessors need the length of those before them.
        let Some(last) = tensors.iter().rposition(|t| used(&t)) else {
            return false;
        };
        let mut offset = base.to_string();
        let mut declared = Vec::new();
        for (param, slot) in &tensors[..=last] {
            let wanted = &self.f.local(param.local).name;
            let words = self.scopes.declare(&format!("{wanted}_args"));
            self.out.code(&format!("constexpr auto {words} = {}<{offset}>();", api::ACCESSOR_ARGS));
            offset = format!("{words}.{}()", api::NEXT_ACCESSOR);
            declared.push((*param, *slot, words));
        }
        for (param, slot, words) in declared {
            if let (true, ArgSlot::Tensor { base }) = (self.read.contains(&param.local), slot) {
                let name = self.declare(param.local);
                self.out.code(&format!(
                    "const auto {name} = {}({words}, {}<uint32_t>({base}));",
                    api::ACCESSOR,
                    api::COMMON_ARG
                ));
            }
        }
        true
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

    pub(super) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.out.at(stmt.line);
            self.stmt(stmt);
        }
    }

    /// A block in a scope of its own, between braces that the caller writes.
    fn scoped(&mut self, block: &[Stmt]) {
        self.out.indent();
        self.scopes.enter();
        self.block(block);
        self.scopes.leave();
        self.out.dedent();
    }

    fn repeated(&mut self, body: &[Stmt]) {
        self.loops += 1;
        self.scoped(body);
        self.loops -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let { local, init } => self.let_(*local, init.as_ref()),
            StmtKind::Assign { local, value } => {
                let name = self.name(*local);
                self.assign(&name, value);
            }
            StmtKind::Set { place, value } => {
                let place = self.text(place);
                self.assign(&place, value);
            }
            StmtKind::Eval(expr) => {
                let text = self.text(expr);
                self.called_expr(expr);
                self.out.code(&format!("{text};"));
            }
            StmtKind::Debug(debug) => self.debug(debug),
            StmtKind::Op(op) => self.op(op),
            StmtKind::If { cond, then, els } => self.if_(cond, then, els),
            StmtKind::While { cond, body } => {
                let cond = self.text(cond);
                self.out.code(&format!("while ({cond}) {{"));
                self.repeated(body);
                self.out.plain("}");
            }
            StmtKind::Loop { body } => {
                self.out.code("while (true) {");
                self.repeated(body);
                self.out.plain("}");
            }
            StmtKind::For(l) => self.for_loop(l),
            StmtKind::Break => self.out.code("break;"),
            StmtKind::Continue => self.out.code("continue;"),
            StmtKind::Return(None) => self.out.code("return;"),
            StmtKind::Return(Some(value)) => {
                let text = self.text(value);
                let text = if is_printed(&value.ty) { format!("return {text};") } else { format!("{text};") };
                self.out.code(&text);
                if !is_printed(&value.ty) {
                    self.called_expr(value);
                    self.out.code("return;");
                }
            }
            StmtKind::Block(body) => {
                self.out.plain("{");
                self.scoped(body);
                self.out.plain("}");
            }
        }
    }

    fn assign(&mut self, place: &str, value: &Expr) {
        match self.filling(value) {
            Some(filling) => self.out.code(&format!("{place}.fill({filling});")),
            None => {
                let value = self.text(value);
                self.out.code(&format!("{place} = {value};"));
            }
        }
    }

    fn let_(&mut self, local: LocalId, init: Option<&Expr>) {
        let ty = &self.f.local(local).ty;
        if !is_printed(ty) {
            // No value, but a call may be needed for its effect.
            if let Some(init) = init
                && matches!(init.kind, ExprKind::Call(..))
            {
                let text = self.text(init);
                self.called_expr(init);
                self.out.code(&format!("{text};"));
            }
            return;
        }
        let filling = init.and_then(|e| self.filling(e));
        let value = if filling.is_some() { None } else { init.map(|e| self.text(e)) };
        let unused = if self.read.contains(&local) { "" } else { "[[maybe_unused]] " };
        let constant = value.is_some() && !self.assigned.contains(&local);
        let qualifier = if constant { "const " } else { "" };
        if constant && init.and_then(fold).is_some_and(|v| v < 0) {
            self.negative.insert(local);
        }
        let cpp = match ty.peeled() {
            Ty::TensorAccessor(_) => "auto&".to_string(),
            peeled => self.type_name(peeled),
        };
        // Declared after its value is printed: `let x = x + 1` reads the earlier `x`.
        let name = self.declare(local);
        // Rust has proven that it is assigned before it is read; the C++ compiler may not see it.
        if let Some(filling) = filling {
            self.out.code(&format!("{cpp} {name};"));
            self.out.code(&format!("{name}.fill({filling});"));
            return;
        }
        let empty = match ty.peeled() {
            Ty::Bool => "false".to_owned(),
            Ty::Struct(_) | Ty::Array(..) | Ty::Enum(_) => format!("{cpp}{{}}"),
            _ => "0".to_owned(),
        };
        let value = value.unwrap_or(empty);
        self.out.code(&format!("{unused}{qualifier}{cpp} {name} = {value};"));
    }

    fn if_(&mut self, cond: &Expr, then: &[Stmt], els: &[Stmt]) {
        let text = self.text(cond);
        self.out.code(&format!("if ({text}) {{"));
        self.scoped(then);
        let mut els = els;
        // `else if` for an else block that is nothing but another if.
        while let [Stmt { line, kind: StmtKind::If { cond, then, els: next } }] = els {
            self.out.at(*line);
            let text = self.text(cond);
            self.out.code(&format!("}} else if ({text}) {{"));
            self.scoped(then);
            els = next;
        }
        if !els.is_empty() {
            self.out.plain("} else {");
            self.scoped(els);
        }
        self.out.plain("}");
    }
}

/// Arguments are words; signed words and floats can be read as such.
const fn word_type(ty: &Ty) -> &'static str {
    match ty {
        Ty::F32 => "float",
        Ty::Int(i) if i.signed => "int32_t",
        _ => "uint32_t",
    }
}

/// For a core or a rectangle: what makes its address, from how many argument words.
const fn place_of(ty: &Ty) -> Option<(&'static str, u32)> {
    match ty {
        Ty::Core => Some((api::NOC_ADDR, 2)),
        Ty::CoreRange => Some((api::MULTICAST_ADDR, 4)),
        _ => None,
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
