//! Hand-written TT-Metalium kernels as parts of a program.

use super::error::{Error, Result};
use super::program::KernelCode;
use crate::arch::{ArchKind, ComputeConfig};
use crate::cores::CoreSet;
use crate::cpp::{CppSource, KernelKind};
use crate::program::export::KernelSource;
use crate::program::foreign::{Binding, CompileTime, Define, ForeignArgs, Word};
use crate::program::typed::{Consumer, SemaphoreArg, TensorArg};
use crate::program::{CbId, CheckedKernel, KernelDecl, Processor, Role};
use crate::site::Site;
use crate::tensor::format::{DataFormat, Element};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A TT-Metalium C++ kernel that somebody wrote by hand, with everything it gets from the host.
///
/// Each call adds one thing, in the order in which the kernel counts: `compile_time`, `cb`, `semaphore` and `accessor` fill the positional
/// compile-time arguments one after another, `runtime` the unique and `common` the common runtime arguments.
///
/// ```ignore
/// # use ttl::prelude::*; // the facade, which this crate cannot name: the example `foreign` does this
/// # fn f(program: &mut Program, x: &Tensor<bf16>, out: &Producer<bf16>) {
/// let reader = ForeignKernel::reader("kernels/reader.cpp")
///     .cb(out)                                 // get_compile_time_arg_val(0)
///     .accessor(&x.accessor())                 // TensorAccessorArgs<1>()
///     .named("block", 4)                       // get_named_compile_time_arg_val("block")
///     .define("ACTIVATION", "relu_tile(0)")
///     .common(Word::address(&x.accessor()))    // get_common_arg_val<uint32_t>(0)
///     .runtime(per_core(|core| core.x));       // get_arg_val<uint32_t>(0)
/// program.foreign(Core::new(0, 0), reader);
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "give it to `Program::foreign`"]
pub struct ForeignKernel {
    name: Option<Arc<str>>,
    role: Role,
    text: Text,
    include_dirs: Vec<PathBuf>,
    args: ForeignArgs,
    config: ComputeConfig,
    full_precision: Vec<CbId>,
}

/// Where the C++ is.
#[derive(Clone, Debug)]
enum Text {
    File(PathBuf),
    Inline(Arc<str>),
}

macro_rules! roles {
    ($($(#[$doc:meta])* $file:ident, $source:ident: $role:expr;)*) => {
        $(
            $(#[$doc])*
            ///
            /// The file is read when the program is validated.
            pub fn $file(path: impl Into<PathBuf>) -> ForeignKernel {
                ForeignKernel::new($role, None, Text::File(path.into()))
            }

            $(#[$doc])*
            ///
            /// `text` is the C++ itself, `name` what messages call it.
            pub fn $source(name: &str, text: impl Into<Arc<str>>) -> ForeignKernel {
                ForeignKernel::new($role, Some(name.into()), Text::Inline(text.into()))
            }
        )*
    };
}

impl ForeignKernel {
    roles! {
        /// A data-movement kernel on NCRISC and NoC 0.
        reader, reader_source: Role::Reader;
        /// A data-movement kernel on BRISC and NoC 1.
        writer, writer_source: Role::Writer;
        /// A compute kernel.
        compute, compute_source: Role::Compute;
    }

    /// A data-movement kernel on a processor and a NoC of choice.
    pub fn data_movement(path: impl Into<PathBuf>, processor: Processor, noc: u8) -> ForeignKernel {
        ForeignKernel::new(Role::Dm { processor, noc }, None, Text::File(path.into()))
    }

    fn new(role: Role, name: Option<Arc<str>>, text: Text) -> ForeignKernel {
        ForeignKernel {
            name,
            role,
            text,
            include_dirs: Vec::new(),
            args: ForeignArgs::default(),
            config: ComputeConfig::default(),
            full_precision: Vec::new(),
        }
    }

    /// Another name in messages and exports than that of the file.
    pub fn called(mut self, name: &str) -> ForeignKernel {
        self.name = Some(name.into());
        self
    }

    /// A folder of headers that the kernel includes, beside its own.
    pub fn include_dir(mut self, dir: impl Into<PathBuf>) -> ForeignKernel {
        self.include_dirs.push(dir.into());
        self
    }

    /// The next positional compile-time argument.
    pub fn compile_time(mut self, word: impl Into<Word>) -> ForeignKernel {
        self.args.compile.push(CompileTime::Word(word.into()));
        self
    }

    /// The next positional compile-time argument: the id of a circular buffer, whose end the kernel gets.
    pub fn cb<'a, E>(self, end: &'a E) -> ForeignKernel
    where
        Word: From<&'a E>,
    {
        self.compile_time(end)
    }

    /// The end of a circular buffer whose id the kernel has in its text (see [`Program::circular_buffer_with_id`]) or gets nowhere.
    ///
    /// [`Program::circular_buffer_with_id`]: super::Program::circular_buffer_with_id
    pub fn uses<'a, E>(mut self, end: &'a E) -> ForeignKernel
    where
        Word: From<&'a E>,
    {
        if let Word::Cb { cb, end } = Word::from(end) {
            self.args.uses.push((cb, end));
        }
        self
    }

    /// The next positional compile-time arguments: the words of `TensorAccessorArgs` for the tensor. Its address is another argument:
    /// [`Word::address`].
    pub fn accessor<T: Element>(mut self, tensor: &TensorArg<T>) -> ForeignKernel {
        self.args.compile.push(CompileTime::Accessor(tensor.tensor().clone()));
        self
    }

    /// A compile-time argument with a name.
    pub fn named(mut self, name: &str, word: impl Into<Word>) -> ForeignKernel {
        self.args.named.push((name.into(), word.into()));
        self
    }

    /// A macro; the name may carry parameters, `OP(i)`.
    pub fn define(mut self, name: &str, value: &str) -> ForeignKernel {
        self.args.defines.push((name.into(), Define::Text(value.into())));
        self
    }

    /// A macro whose value is a number, such as the id of a buffer.
    pub fn define_word(mut self, name: &str, word: impl Into<Word>) -> ForeignKernel {
        self.args.defines.push((name.into(), Define::Word(word.into())));
        self
    }

    /// The next unique runtime argument, possibly another on each core ([`per_core`](crate::program::typed::per_core)).
    pub fn runtime(mut self, word: impl Into<Word>) -> ForeignKernel {
        self.args.runtime.push(word.into());
        self
    }

    /// The next common runtime argument.
    pub fn common(mut self, word: impl Into<Word>) -> ForeignKernel {
        self.args.common.push(word.into());
        self
    }

    /// A unique runtime argument with the name `args::NAME`, for kernels that get their arguments by name.
    pub fn bind_runtime(mut self, name: &str, word: impl Into<Word>) -> ForeignKernel {
        self.args.bindings.push((name.into(), Binding::Runtime(self.args.runtime.len() as u32)));
        self.runtime(word)
    }

    /// A common runtime argument with the name `args::NAME`.
    pub fn bind_common(mut self, name: &str, word: impl Into<Word>) -> ForeignKernel {
        self.args.bindings.push((name.into(), Binding::Common(self.args.common.len() as u32)));
        self.common(word)
    }

    /// A constant with the name `args::NAME`.
    pub fn bind_compile_time(mut self, name: &str, word: impl Into<Word>) -> ForeignKernel {
        self.args.bindings.push((name.into(), Binding::CompileTime(word.into())));
        self
    }

    /// The end of a circular buffer with the name `dfb::NAME`.
    pub fn bind_cb<'a, E>(mut self, name: &str, end: &'a E) -> ForeignKernel
    where
        Word: From<&'a E>,
    {
        if let Word::Cb { cb, end } = Word::from(end) {
            self.args.bindings.push((name.into(), Binding::Cb(cb, end)));
        }
        self
    }

    /// A tensor with the name `tensor::NAME`: its accessor words and its address.
    pub fn bind_tensor<T: Element>(mut self, name: &str, tensor: &TensorArg<T>) -> ForeignKernel {
        let (compile, common) = (self.args.compile.len() as u32, self.args.common.len() as u32);
        self.args.bindings.push((name.into(), Binding::Tensor { compile, common }));
        self.accessor(tensor).common(Word::address(tensor))
    }

    /// A semaphore with the name `sem::NAME`.
    pub fn bind_semaphore(mut self, name: &str, semaphore: SemaphoreArg) -> ForeignKernel {
        self.args.bindings.push((name.into(), Binding::Semaphore(semaphore.semaphore())));
        self
    }

    /// Settings of a compute kernel.
    pub fn config(mut self, config: ComputeConfig) -> ForeignKernel {
        self.config = config;
        self
    }

    /// The f32 tiles of this buffer go to the tile registers with all their bits (`UnpackToDestFp32`).
    pub fn full_precision(mut self, end: &Consumer<f32>) -> ForeignKernel {
        self.full_precision.push(end.cb());
        self
    }

    pub(super) fn declare(self, cores: CoreSet, site: Site) -> KernelDecl<KernelCode> {
        let name = self.name.unwrap_or_else(|| match &self.text {
            Text::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into(),
            Text::Inline(_) => "foreign".into(),
        });
        let source = ForeignSource { name: name.clone(), text: self.text, include_dirs: self.include_dirs };
        let args = self.args.resources();
        let mut decl = KernelDecl::new(name, self.role, cores, args, KernelCode::Foreign(Arc::new(source)));
        decl.site = site;
        decl.config = self.config;
        decl.unpack_to_dest_fp32 = self.full_precision;
        decl.foreign = Some(self.args);
        decl
    }
}

/// The C++ of a foreign kernel.
#[derive(Debug)]
pub struct ForeignSource {
    name: Arc<str>,
    text: Text,
    include_dirs: Vec<PathBuf>,
}

/// As read when the program was validated.
#[derive(Clone, Debug)]
pub(super) struct ForeignText {
    pub(super) text: String,
    /// What messages of the compiler call the file.
    pub(super) shown: String,
    /// The file itself, if it is one and stands on its own only where it is: it includes headers beside it or in folders of its own.
    pub(super) in_place: Option<PathBuf>,
    include_dirs: Vec<PathBuf>,
}

impl ForeignSource {
    pub(super) fn read(&self) -> Result<ForeignText> {
        let path = match &self.text {
            Text::Inline(text) => {
                return Ok(ForeignText {
                    text: text.to_string(),
                    shown: self.name.to_string(),
                    in_place: self.include_dirs.first().cloned(),
                    include_dirs: self.include_dirs.clone(),
                });
            }
            Text::File(path) => path,
        };
        let io = |source| Error::Io {
            context: format!("cannot read the foreign kernel `{}`, {}", self.name, path.display()),
            source,
        };
        let text = std::fs::read_to_string(path).map_err(io)?;
        let absolute = std::path::absolute(path).map_err(io)?;
        let dir = absolute.parent().unwrap_or(Path::new("/")).to_owned();
        let mut include_dirs = vec![dir];
        include_dirs.extend(self.include_dirs.iter().cloned());
        let in_place = includes(&text).any(|name| include_dirs.iter().any(|dir| dir.join(name).is_file()));
        Ok(ForeignText {
            text,
            shown: path.display().to_string(),
            in_place: in_place.then_some(absolute),
            include_dirs,
        })
    }
}

/// Names of included headers.
fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim();
        let (open, rest) = rest.split_at_checked(1)?;
        let end = if open == "<" { '>' } else { '"' };
        rest.split(end).next()
    })
}

impl ForeignText {
    /// What an export holds of the kernel: its text if that is all there is, else the file where it is.
    pub(super) fn exported(&self, prelude: &str) -> Result<KernelSource> {
        match &self.in_place {
            Some(path) if path.is_file() && !prelude.is_empty() => {
                // The kernel stays where it is, behind the names of its arguments.
                Ok(KernelSource::Text(format!("{prelude}#include \"{}\"\n", path.display())))
            }
            None if !prelude.is_empty() => Ok(KernelSource::Text(format!("{prelude}{}", self.text))),
            None => Ok(KernelSource::Text(self.text.clone())),
            Some(path) if path.is_file() => Ok(KernelSource::InPlace(path.clone())),
            Some(dir) => Err(Error::Other(format!(
                "the foreign kernel `{}` cannot be exported: its text is given, and it includes headers from {}\n  = help: give it as a file beside its headers",
                self.shown,
                dir.display()
            ))),
        }
    }

    /// The kernel as the C++ engine builds it.
    pub(super) fn cpp_source(
        &self,
        kernel: &CheckedKernel<KernelCode>,
        arch: ArchKind,
        cb_formats: Vec<(u32, DataFormat)>,
    ) -> CppSource {
        let kind = match kernel.role.noc() {
            Some(noc) => KernelKind::DataMovement { noc },
            None => KernelKind::Compute((*kernel.config).clone()),
        };
        let mut source = CppSource {
            file: Some(self.shown.clone()),
            // A kernel without headers of its own is known by its text.
            include_dirs: if self.in_place.is_some() { self.include_dirs.clone() } else { Vec::new() },
            foreign: true,
            compile_args: kernel.compile_args.to_vec(),
            cb_formats,
            ..CppSource::new(&*kernel.name, self.text.clone(), kind, arch)
        };
        if let Some(foreign) = &kernel.foreign {
            source.prelude = foreign.prelude.clone();
            source.named_args = foreign.named.iter().map(|(name, word)| (name.to_string(), *word)).collect();
            source.defines = foreign.defines.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        }
        source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found() {
        let text = "#include <stdint.h>\n  # include \"a/b.h\" // x\nint include;\n#define A\n";
        assert_eq!(includes(text).collect::<Vec<_>>(), ["stdint.h", "a/b.h"]);
    }
}
