//! The one error type of the host side.

use crate::codegen::EmitError;
use crate::cpp::CppError;
use crate::ir::passes::PassError;
use crate::ir::verify::VerifyError;
use crate::program::ProgramErrors;
use crate::program::export::ExportError;
use crate::rt::LowerError;
use crate::sim::SimError;
use crate::tensor::{NpyError, TensorError};
use std::fmt;

/// What can go wrong on the host gives an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Anything that can go wrong between a Rust kernel and its result. `Debug` is the text of `Display` without the word `error` in front, so
/// that `unwrap` and `main() -> Result`, which print `Error: ` themselves, show a readable report.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("error: {0}")]
    Tensor(Box<TensorError>),
    #[error("error: {0}")]
    Npy(Box<NpyError>),
    /// The program has mistakes that validation found.
    #[error("{0}")]
    Program(#[from] ProgramErrors),
    /// Kernels contain something that has no C++ translation.
    #[error("{}", list(.0))]
    Lower(Vec<LowerError>),
    #[error("{}", list(.0))]
    Verify(Vec<VerifyError>),
    #[error("{}", .0.report())]
    Pass(Box<PassError>),
    #[error("error: {0}")]
    Emit(#[from] EmitError),
    #[error("error: {0}")]
    Cpp(Box<CppError>),
    #[error("{0}")]
    Sim(#[from] SimError),
    #[error("error: {0}")]
    Export(Box<ExportError>),
    #[error("error: {context}: {source}")]
    Io { context: String, source: std::io::Error },
    #[error("error: {0}")]
    Other(String),
}

/// The large ones are boxed: every function of the host returns this type.
macro_rules! boxed {
    ($($variant:ident: $error:ty;)*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::$variant(Box::new(error))
            }
        }
    )*};
}

boxed! {
    Tensor: TensorError;
    Npy: NpyError;
    Pass: PassError;
    Cpp: CppError;
    Export: ExportError;
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.to_string();
        f.write_str(text.strip_prefix("error: ").unwrap_or(&text))
    }
}

fn list<E: fmt::Display>(errors: &[E]) -> String {
    errors.iter().map(E::to_string).collect::<Vec<_>>().join("\n\n")
}
