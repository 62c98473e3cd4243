//! Arguments of foreign kernels: TT-Metalium C++ that somebody wrote by hand. Unlike a Rust kernel's, whose places follow from its
//! parameters ([`arg_layout`](super::arg_layout)), every word of theirs stands where the host puts it.

use std::fmt;
use std::sync::Arc;

use crate::arch::{Arch, Core};
use crate::tensor::TensorRef;
use crate::tensor::format::Element;

use super::decl::{Arg, CbEnd, CbId, CoreOf, KernelDecl, Role, SemId};
use super::error::{ProblemKind, ProgramError};
use super::typed::{Consumer, PerCore, Producer, SemaphoreArg, TensorArg};

/// One 32-bit word that a foreign kernel gets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Word {
    Value(u32),
    /// The id of a circular buffer; the kernel has this end of it.
    Cb {
        cb: CbId,
        end: CbEnd,
    },
    /// The id of a semaphore.
    Semaphore(SemId),
    /// The base address of a tensor.
    Address(TensorRef),
    /// The coordinates of a core that the NoC knows. Of its own on each core: a runtime argument.
    NocX(CoreOf<Core>),
    NocY(CoreOf<Core>),
    /// A value of its own on each core: a runtime argument.
    PerCore(CoreOf<u32>),
}

impl Word {
    /// The base address of a tensor, for `TensorAccessor(args, address)` and the like.
    pub fn address<T: Element>(tensor: &TensorArg<T>) -> Word {
        Word::Address(tensor.tensor().clone())
    }

    /// The x coordinate by which the NoC knows a core, which may differ from core to core.
    pub fn noc_x(of: impl Into<PerCore<Core>>) -> Word {
        let of = of.into();
        Word::NocX(CoreOf::new(move |core| of.get(core)))
    }

    /// The y coordinate by which the NoC knows a core.
    pub fn noc_y(of: impl Into<PerCore<Core>>) -> Word {
        let of = of.into();
        Word::NocY(CoreOf::new(move |core| of.get(core)))
    }

    fn differs_by_core(&self) -> bool {
        matches!(self, Word::NocX(_) | Word::NocY(_) | Word::PerCore(_))
    }
}

impl From<u32> for Word {
    fn from(value: u32) -> Word {
        Word::Value(value)
    }
}

impl From<i32> for Word {
    fn from(value: i32) -> Word {
        Word::Value(value as u32)
    }
}

impl From<bool> for Word {
    fn from(value: bool) -> Word {
        Word::Value(u32::from(value))
    }
}

/// The bits of the number.
impl From<f32> for Word {
    fn from(value: f32) -> Word {
        Word::Value(value.to_bits())
    }
}

/// The buffer's id; the kernel pushes to it.
impl<T: Element> From<&Producer<T>> for Word {
    fn from(end: &Producer<T>) -> Word {
        Word::Cb { cb: end.cb(), end: CbEnd::Out }
    }
}

/// The buffer's id; the kernel pops from it.
impl<T: Element> From<&Consumer<T>> for Word {
    fn from(end: &Consumer<T>) -> Word {
        Word::Cb { cb: end.cb(), end: CbEnd::In }
    }
}

/// The semaphore's id.
impl From<SemaphoreArg> for Word {
    fn from(semaphore: SemaphoreArg) -> Word {
        Word::Semaphore(semaphore.semaphore())
    }
}

impl<T: Into<Word> + 'static> From<PerCore<T>> for Word {
    fn from(of: PerCore<T>) -> Word {
        Word::PerCore(CoreOf::new(move |core| match of.get(core).into() {
            Word::Value(value) => value,
            _ => 0,
        }))
    }
}

/// A piece of a foreign kernel's positional compile-time arguments.
#[derive(Clone, Debug)]
pub enum CompileTime {
    Word(Word),
    /// The words of `TensorAccessorArgs`: how many depends on the tensor.
    Accessor(TensorRef),
}

/// The value of a `#define`.
#[derive(Clone, Debug)]
pub enum Define {
    Text(Arc<str>),
    Word(Word),
}

/// Everything that a foreign kernel gets, in its order.
#[derive(Clone, Debug, Default)]
pub struct ForeignArgs {
    pub compile: Vec<CompileTime>,
    pub named: Vec<(Arc<str>, Word)>,
    pub defines: Vec<(Arc<str>, Define)>,
    pub runtime: Vec<Word>,
    pub common: Vec<Word>,
    /// Ends of buffers whose ids the kernel has in its text.
    pub uses: Vec<(CbId, CbEnd)>,
    /// Names of arguments in C++.
    pub bindings: Vec<(Arc<str>, Binding)>,
}

/// What a name stands for in a kernel that gets its arguments by name: `args::n`, `dfb::in`, `tensor::src`, `sem::done`. TT-Metalium's
/// newer host API writes these names to a header; here they are the [`prelude`](CheckedForeign::prelude) of the kernel's text.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A unique runtime argument, by its index.
    Runtime(u32),
    /// A common runtime argument, by its index.
    Common(u32),
    CompileTime(Word),
    Cb(CbId, CbEnd),
    /// The accessor is item `compile` of the compile-time arguments, the address is common runtime argument `common`.
    Tensor {
        compile: u32,
        common: u32,
    },
    Semaphore(SemId),
}

/// What validation made of [`ForeignArgs`], beside the positional words.
#[derive(Clone, Debug)]
pub struct CheckedForeign {
    pub args: ForeignArgs,
    pub named: Vec<(Arc<str>, u32)>,
    pub defines: Vec<(Arc<str>, Arc<str>)>,
    /// C++ that declares the names of the arguments; empty if there are none.
    pub prelude: String,
}

/// A group of words, for messages: whether it may differ from core to core, and what its members are called.
struct Group<'a> {
    per_core: bool,
    words: Vec<(String, &'a Word)>,
}

impl ForeignArgs {
    fn groups(&self) -> [Group<'_>; 6] {
        fn list<'a>(what: &str, words: &'a [Word]) -> Vec<(String, &'a Word)> {
            words.iter().enumerate().map(|(i, word)| (format!("{what} argument {i}"), word)).collect()
        }
        let compile = self.compile.iter().enumerate().filter_map(|(i, item)| match item {
            CompileTime::Word(word) => Some((format!("compile-time argument {i}"), word)),
            CompileTime::Accessor(_) => None,
        });
        let named = self.named.iter().map(|(name, word)| (format!("compile-time argument \"{name}\""), word));
        let defines = self.defines.iter().filter_map(|(name, value)| match value {
            Define::Word(word) => Some((format!("define {name}"), word)),
            Define::Text(_) => None,
        });
        let bound = self.bindings.iter().filter_map(|(name, binding)| match binding {
            Binding::CompileTime(word) => Some((format!("argument `{name}`"), word)),
            _ => None,
        });
        [
            Group { per_core: false, words: bound.collect() },
            Group { per_core: false, words: compile.collect() },
            Group { per_core: false, words: named.collect() },
            Group { per_core: false, words: defines.collect() },
            Group { per_core: true, words: list("runtime", &self.runtime) },
            Group { per_core: false, words: list("common runtime", &self.common) },
        ]
    }

    /// What the kernel has, as arguments that validation checks like those of a Rust kernel: buffer ends, semaphores and tensors, each
    /// once.
    pub fn resources(&self) -> Vec<Arg> {
        let mut out: Vec<Arg> = Vec::new();
        let mut seen = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |name: &str, word: &Word| match word {
            Word::Cb { cb, end } if !seen.0.contains(&(*cb, *end)) => {
                seen.0.push((*cb, *end));
                out.push(Arg::cb(name, *cb, *end));
            }
            Word::Semaphore(id) if !seen.1.contains(id) => {
                seen.1.push(*id);
                out.push(Arg::semaphore(name, *id));
            }
            Word::Address(tensor) if !seen.2.contains(&tensor.id) => {
                seen.2.push(tensor.id);
                out.push(Arg::tensor(name, tensor));
            }
            _ => {}
        };
        for (i, item) in self.compile.iter().enumerate() {
            if let CompileTime::Accessor(tensor) = item {
                add(&format!("accessor at compile-time argument {i}"), &Word::Address(tensor.clone()));
            }
        }
        for (name, word) in self.groups().iter().flat_map(|g| &g.words) {
            add(name, word);
        }
        for (name, binding) in &self.bindings {
            match *binding {
                Binding::Cb(cb, end) => add(name, &Word::Cb { cb, end }),
                Binding::Semaphore(id) => add(name, &Word::Semaphore(id)),
                _ => {}
            }
        }
        for &(cb, end) in &self.uses {
            add("a buffer it names itself", &Word::Cb { cb, end });
        }
        out
    }

    /// Words of runtime arguments: per core, and common ones.
    pub(super) fn runtime_words(&self) -> (u32, u32) {
        (self.runtime.len() as u32, self.common.len() as u32)
    }

    /// Mistakes that only foreign kernels can make.
    pub(super) fn check<K>(&self, kernel: &KernelDecl<K>, errors: &mut Vec<ProgramError>) {
        let mut problem = |message: String, help: &str| {
            errors.push(
                ProgramError::new(ProblemKind::ForeignArgument, message).at(kernel.site, "added here").help(help),
            );
        };
        for group in self.groups() {
            for (name, word) in group.words.iter().filter(|(_, word)| word.differs_by_core() && !group.per_core) {
                let what = if matches!(word, Word::PerCore(_)) { "a per-core value" } else { "coordinates of a core" };
                problem(
                    format!("{name} of foreign kernel `{}` is {what}", kernel.name),
                    "only unique runtime arguments may differ from core to core: use `runtime`",
                );
            }
        }
        for (name, value) in &self.defines {
            if let Define::Word(Word::Address(tensor)) = value {
                problem(
                    format!(
                        "define {name} of foreign kernel `{}` is the address of tensor `{}`",
                        kernel.name, tensor.name
                    ),
                    "addresses are not the same in every run: use `runtime` or `common`",
                );
            }
        }
        for (i, (name, _)) in self.named.iter().enumerate() {
            if self.named[..i].iter().any(|(other, _)| other == name) {
                problem(
                    format!("foreign kernel `{}` has two compile-time arguments with the name \"{name}\"", kernel.name),
                    "give each of them a name of its own",
                );
            }
        }
        for (name, _) in &self.bindings {
            let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(letters) || name.starts_with(|c: char| c.is_ascii_digit()) {
                problem(
                    format!("foreign kernel `{}` has an argument with the name `{name}`", kernel.name),
                    "a name in C++ has letters, digits and underscores, and begins with no digit",
                );
            }
        }
        for (i, (name, _)) in self.defines.iter().enumerate() {
            if self.defines[..i].iter().any(|(other, _)| other == name) {
                problem(format!("foreign kernel `{}` has two defines of {name}", kernel.name), "leave one of them out");
            }
        }
        let unknown = |word: &&Word| matches!(word, Word::NocX(_) | Word::NocY(_));
        if kernel.role == Role::Compute && self.runtime.iter().any(|w| unknown(&w)) {
            problem(
                format!("foreign compute kernel `{}` gets coordinates of a core", kernel.name),
                "transfers belong to reader and writer kernels",
            );
        }
    }

    /// All words of a program without mistakes.
    pub(super) fn resolve<K>(&self, kernel: &KernelDecl<K>, ids: &Ids<'_>, accessors: &Accessors) -> ForeignWords {
        // The same on all cores, as `check` made sure; any core will do.
        let fixed = |word: &Word| ids.word(word, Core::new(0, 0));
        let mut compile = Vec::new();
        let mut accessor_offsets = Vec::new();
        // Where each item begins.
        let mut begins = Vec::new();
        for item in &self.compile {
            begins.push(compile.len() as u32);
            match item {
                CompileTime::Word(word) => compile.push(fixed(word)),
                CompileTime::Accessor(tensor) => {
                    accessor_offsets.push(compile.len() as u32);
                    compile.extend_from_slice(accessors.of(tensor));
                }
            }
        }
        let prelude = self.prelude(ids, &begins);
        let text = |value: &Define| match value {
            Define::Text(text) => text.clone(),
            Define::Word(word) => fixed(word).to_string().into(),
        };
        ForeignWords {
            compile,
            accessor_offsets,
            common: self.common.iter().map(fixed).collect(),
            runtime: kernel
                .cores
                .iter()
                .map(|core| self.runtime.iter().map(|word| ids.word(word, core)).collect())
                .collect(),
            checked: CheckedForeign {
                args: self.clone(),
                named: self.named.iter().map(|(name, word)| (name.clone(), fixed(word))).collect(),
                defines: self.defines.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
                prelude,
            },
        }
    }
}

impl ForeignArgs {
    /// The names of the arguments, for TT-Metalium's headers as for ours.
    fn prelude(&self, ids: &Ids<'_>, begins: &[u32]) -> String {
        if self.bindings.is_empty() {
            return String::new();
        }
        let mut spaces: [(&str, String); 4] = ["args", "dfb", "tensor", "sem"].map(|name| (name, String::new()));
        for (name, binding) in &self.bindings {
            let (space, line) = match binding {
                Binding::Runtime(index) => (0, format!("experimental::RtaArg<uint32_t> {name}{{{}}}", 4 * index)),
                Binding::Common(index) => (0, format!("experimental::CrtaArg<uint32_t> {name}{{{}}}", 4 * index)),
                Binding::CompileTime(word) => {
                    let value = ids.word(word, Core::new(0, 0));
                    (0, format!("experimental::CtaVal<uint32_t> {name}{{{value}u}}"))
                }
                Binding::Cb(cb, end) => {
                    let id = ids.word(&Word::Cb { cb: *cb, end: *end }, Core::new(0, 0));
                    (1, format!("DFBBindingToken<> {name}{{{id}}}"))
                }
                Binding::Tensor { compile, common } => {
                    let offset = begins.get(*compile as usize).copied().unwrap_or(0);
                    let token = format!("tensor_accessor::TensorBindingToken<{offset}, {}>", 4 * common);
                    (2, format!("{token} {name}{{binding_details::LLKMetadata{{}}}}"))
                }
                Binding::Semaphore(id) => {
                    let id = ids.word(&Word::Semaphore(*id), Core::new(0, 0));
                    (3, format!("SemaphoreBindingToken {name}{{{id}, SemScope::LOCAL_NONATOMIC}}"))
                }
            };
            spaces[space].1 += &format!("constexpr {line};\n");
        }
        let mut out = String::from("// Names of the arguments, by ttl.\n#include \"experimental/kernel_args.h\"\n");
        for (header, used) in [
            ("api/dataflow/dfb_binding_token.h", 1),
            ("api/tensor/tensor_binding_token.h", 2),
            ("api/dataflow/semaphore_binding_token.h", 3),
        ] {
            if !spaces[used].1.is_empty() {
                out += &format!("#include \"{header}\"\n");
            }
        }
        for (space, lines) in spaces.iter().filter(|(_, lines)| !lines.is_empty()) {
            out += &format!("namespace {space} {{\n{lines}}}\n");
        }
        out + "using experimental::get_arg;\n"
    }
}

/// The words of a foreign kernel.
pub(super) struct ForeignWords {
    pub compile: Vec<u32>,
    pub accessor_offsets: Vec<u32>,
    pub common: Vec<u32>,
    pub runtime: Vec<Vec<u32>>,
    pub checked: CheckedForeign,
}

/// What validation chose.
pub(super) struct Ids<'a> {
    pub cb: &'a [u32],
    pub semaphore: &'a [u32],
    pub arch: &'a Arch,
}

impl Ids<'_> {
    fn word(&self, word: &Word, core: Core) -> u32 {
        let of = |ids: &[u32], index: u32| ids.get(index as usize).copied().unwrap_or(0);
        match word {
            Word::Value(value) => *value,
            Word::Cb { cb, .. } => of(self.cb, cb.index),
            Word::Semaphore(id) => of(self.semaphore, id.index),
            Word::Address(tensor) => tensor.address,
            Word::NocX(at) => self.arch.virtual_core(at.get(core)).x,
            Word::NocY(at) => self.arch.virtual_core(at.get(core)).y,
            Word::PerCore(of) => of.get(core),
        }
    }
}

/// Accessor words of tensors, found by validation.
pub(super) struct Accessors(pub Vec<(TensorRef, Vec<u32>)>);

impl Accessors {
    fn of(&self, tensor: &TensorRef) -> &[u32] {
        self.0.iter().find(|(t, _)| t.id == tensor.id).map_or(&[], |(_, words)| words)
    }
}

impl fmt::Display for Define {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Define::Text(text) => f.write_str(text),
            Define::Word(word) => write!(f, "{word:?}"),
        }
    }
}
