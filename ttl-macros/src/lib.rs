//! The attributes of ttl. A shell: everything happens in `ttl-macros-backend`, which is an ordinary library and can be tested.

use proc_macro::TokenStream;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Marks a function as a kernel: code for one of the processors of a core.
///
/// `#[ttl::kernel(reader)]`, `#[ttl::kernel(writer)]` or `#[ttl::kernel(compute)]`. The first parameter is the token of the role
/// (`noc: Noc` or `compute: Compute`); the others are ends of circular buffers, tensor accessors and scalars. A scalar is a runtime
/// argument of each core, or with `#[ttl(common)]` one for all cores, or with `#[ttl(compile_time)]` a constant of the C++.
///
/// A reader runs on NCRISC and NoC 0, a writer on BRISC and NoC 1; `#[ttl::kernel(reader, noc = 1)]` gives it the other NoC. Two
/// data-movement kernels of a core have different ones.
///
/// Beside the function a struct of the same name is made; it holds the kernel's arguments as the host gives them.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    run(args, item, ttl_macros_backend::kernel)
}

/// Marks a function that kernels may call: `#[ttl::device]`.
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    run(args, item, ttl_macros_backend::device)
}

type Backend = fn(proc_macro2::TokenStream, proc_macro2::TokenStream) -> proc_macro2::TokenStream;

/// A panic in the macro would hide the user's function and everything else it says; it is reported as what it is instead.
fn run(args: TokenStream, item: TokenStream, backend: Backend) -> TokenStream {
    let result = catch_unwind(AssertUnwindSafe(|| TokenStream::from(backend(args.into(), item.clone().into()))));
    result.unwrap_or_else(|_| TokenStream::from(ttl_macros_backend::bug(item.into())))
}
