//! What `validate` finds: every mistake with its place in the Rust source, the numbers and what to do.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::site::Site;
use crate::snippet::{self, Label};

/// What a mistake is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The program has no kernel.
    NoKernel,
    /// Something has no cores.
    NoCores,
    /// Cores outside the grid of the device.
    OutsideGrid,
    /// Two kernels on one processor of a core.
    SharedProcessor,
    /// Two data-movement kernels of a core on one NoC.
    SharedNoc,
    /// A processor or NoC that a data-movement kernel cannot have.
    BadProcessor,
    /// A buffer without a producer or a consumer, or with two.
    CbEnds,
    /// A kernel uses a buffer where there is none.
    CbCores,
    /// Page size or page count against the limits.
    CbPages,
    /// Page count against the blocks in which it is used.
    CbBlocks,
    /// A buffer in the memory of another that it cannot share.
    CbShared,
    /// Ids of buffers: too many, too large, or used twice.
    CbId,
    /// Element type of a parameter against the buffer or the tensor.
    Format,
    /// A buffer or semaphore of another program.
    Foreign,
    /// Semaphores: too many, or ids used twice.
    Semaphore,
    /// An argument of a foreign kernel that it cannot get in this way.
    ForeignArgument,
    /// Pipes: routes that cannot be, ends that are missing or in the wrong place.
    Pipe,
    /// An argument that this kind of kernel cannot have.
    RoleArgument,
    /// Too many runtime arguments.
    ArgumentCount,
    /// Per-core values that do not fit the cores.
    CoreValues,
    /// A tensor of another device.
    OtherDevice,
    /// A tensor that this device cannot hold.
    Tensor,
    /// Compute settings that contradict each other.
    Config,
    /// Buffers and L1 tensors do not fit L1.
    L1,
}

/// One mistake.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct ProgramError {
    pub kind: ProblemKind,
    /// What is wrong, without a trailing stop.
    pub message: String,
    /// Where: first the place to change.
    pub labels: Vec<Label>,
    /// The numbers, and what else there is to know.
    pub notes: Vec<String>,
    /// What to do.
    pub help: String,
}

impl ProgramError {
    pub(super) fn new(kind: ProblemKind, message: impl Into<String>) -> ProgramError {
        ProgramError { kind, message: message.into(), labels: Vec::new(), notes: Vec::new(), help: String::new() }
    }

    #[must_use]
    pub(super) fn at(mut self, site: Site, text: impl Into<String>) -> ProgramError {
        self.labels.push(Label { site, text: text.into() });
        self
    }

    #[must_use]
    pub(super) fn note(mut self, note: impl Into<String>) -> ProgramError {
        self.notes.push(note.into());
        self
    }

    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> ProgramError {
        self.help = help.into();
        self
    }

    /// The lines under the places: notes, then help.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.notes.clone();
        if !self.help.is_empty() {
            lines.push(format!("help: {}", self.help));
        }
        lines
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        snippet::render(f, &self.message, &self.labels, &self.lines())
    }
}

/// All mistakes of a program: at least one.
#[derive(Clone, PartialEq, Eq, Error)]
pub struct ProgramErrors {
    pub program: Arc<str>,
    pub errors: Vec<ProgramError>,
}

impl fmt::Display for ProgramErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for error in &self.errors {
            write!(f, "{error}\n\n")?;
        }
        let n = self.errors.len();
        let plural = if n == 1 { "" } else { "s" };
        write!(f, "error: program `{}` cannot run: {n} mistake{plural}", self.program)
    }
}

/// The same text: an `unwrap` in a test or an example then shows the report.
impl fmt::Debug for ProgramErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\n")?;
        fmt::Display::fmt(self, f)
    }
}
