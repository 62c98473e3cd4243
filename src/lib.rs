//! ttl: Tenstorrent kernels as Rust functions.
//!
//! A kernel is an ordinary function with an attribute. The same function runs on a simulated chip inside this program and is
//! printed as the TT-Metalium C++ kernel that a Tenstorrent card runs.

pub use ttl_macros::{device, kernel};

#[doc(hidden)]
pub use ttl_runtime::rt;

/// What kernels and the programs around them use.
pub mod prelude {}

/// Around everything that the macros emit beside the user's own function. rust-analyzer would report the user's mistakes a second
/// time in there, so for it this is empty.
#[cfg(not(rust_analyzer))]
#[doc(hidden)]
#[macro_export]
macro_rules! __ttl_check_copy {
    ($($item:tt)*) => { $($item)* };
}
#[cfg(rust_analyzer)]
#[doc(hidden)]
#[macro_export]
macro_rules! __ttl_check_copy {
    ($($item:tt)*) => {};
}
