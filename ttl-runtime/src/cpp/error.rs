//! What can go wrong before a C++ kernel runs.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::missing::Missing;

/// Why kernels could not be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CppError {
    #[error(
        "no C++ compiler found: tried {tried}\n  \
         = help: running generated C++ on the simulated chip needs GCC 12 or Clang 14 or newer; install one (Debian, Ubuntu: `apt install \
         g++`; Fedora: `dnf install gcc-c++`) or set CXX to its path. Native runs need none."
    )]
    NoCompiler { tried: String },

    /// The compiler refused the kernel. `missing` is what a hand-written kernel calls and the simulator does not have. The messages name the lines of the Rust source, through `#line`.
    #[error("the C++ kernel `{kernel}` does not compile\n{}{messages}\n  = note: the C++ source is {}\n  = note: compiled with `{command}`", list(.missing), source_path.display())]
    Compile { kernel: String, missing: Vec<Missing>, messages: String, source_path: PathBuf, command: String },

    #[error("{}: cannot be used for the C++ engine: {error}\n  = help: the folder of compiled kernels is TTL_CACHE_DIR, if that is set", path.display())]
    Io { path: PathBuf, error: io::Error },

    #[error("the compiled kernel {} cannot be loaded: {message}", path.display())]
    Load { path: PathBuf, message: String },

    /// A define or a named argument that C++ has no way to write.
    #[error("the C++ kernel `{kernel}`: {message}")]
    Constant { kernel: String, message: String },
}

/// The missing names, one a line, before the compiler's own messages.
fn list(missing: &[Missing]) -> String {
    missing.iter().map(|m| format!("  = {m}\n")).collect()
}

impl CppError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> CppError {
        let path = path.into();
        move |error| CppError::Io { path, error }
    }
}
