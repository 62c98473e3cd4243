//! The operation form: what a program asks of it.

use crate::cores::CoreSet;
use crate::host::Program;

/// Implemented by the struct that `#[ttl::kernel]` makes of a function with sections.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operation",
    label = "not an operation",
    note = "an operation is a `#[ttl::kernel]` function with `ttl::reader`, `ttl::compute` and `ttl::writer` sections; a kernel with a role goes to `Program::kernel`"
)]
pub trait Operation {
    /// Makes the buffers of the operation and puts its kernels on the cores.
    fn add_to(self, program: &mut Program, cores: CoreSet);
}
