//! Programs that passed validation, and their C++.

use super::error::Result;
use super::program::{Body, KernelCode};
use super::temps;
use crate::codegen::{self, ArgSlots, Lines, Source};
use crate::ir;
use crate::ir::passes::Prepared;
use crate::program;
use std::sync::Arc;

/// A program that passed validation: the only thing that can be run, emitted or exported.
#[derive(Clone, Debug)]
pub struct CheckedProgram {
    pub(super) inner: Arc<program::Checked<KernelCode>>,
    pub(super) modules: Arc<[Body<ir::Module>]>,
    pub(super) prepared: Arc<[Body<Prepared>]>,
    /// Buffers of the compiler's by kernel.
    pub(super) temps: Arc<[temps::Temps]>,
}

impl CheckedProgram {
    /// The name it was made with.
    pub fn name(&self) -> &str {
        self.inner.name()
    }

    /// Everything that validation resolved.
    pub fn checked(&self) -> &program::Checked<KernelCode> {
        &self.inner
    }

    /// Each kernel's IR as it was lowered and as the passes left it; foreign kernels have none.
    pub(super) fn stages(&self) -> impl Iterator<Item = Option<(&ir::Module, &Prepared)>> {
        self.modules.iter().zip(self.prepared.iter()).map(|stages| match stages {
            (Body::Rust(module), Body::Rust(prepared)) => Some((module, prepared)),
            _ => None,
        })
    }

    /// The C++ of every kernel, in the order in which they were added.
    pub fn sources(&self, lines: Lines) -> Result<Vec<Source>> {
        let options = codegen::Options { lines };
        let mut sources: Vec<Source> = vec![];
        for (kernel, prepared) in self.inner.kernels().iter().zip(self.prepared.iter()) {
            let mut source = match prepared {
                Body::Rust(prepared) => codegen::emit(prepared, &ArgSlots::from(&kernel.layout), &options)?,
                Body::Foreign(foreign) => {
                    let (text, calls) = (foreign.text.clone(), Vec::new());
                    Source { file_name: format!("{}.cpp", kernel.name), text, calls }
                }
            };
            // Two kernels of one name, or two instances of one kernel.
            let same = sources.iter().filter(|s| stem(&s.file_name) == stem(&source.file_name)).count();
            if same > 0 {
                source.file_name = format!("{}_{}.cpp", stem(&source.file_name), same + 1);
            }
            sources.push(source);
        }
        Ok(sources)
    }
}

fn stem(file: &str) -> &str {
    let name = file.strip_suffix(".cpp").unwrap_or(file);
    match name.rsplit_once('_') {
        Some((stem, n)) if n.chars().all(|c| c.is_ascii_digit()) && !n.is_empty() => stem,
        _ => name,
    }
}
