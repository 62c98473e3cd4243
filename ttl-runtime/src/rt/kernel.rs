//! What a kernel is to the program that runs it.

use crate::arch::Arch;
use crate::ir::{self, Module, ParamKind, Role, Ty, pipe};
use crate::program::{Arg, ArgLayout};
use crate::rt::cx::{Cx, Inst, LowerError};
use crate::rt::items::Items;
use crate::rt::konst::DeviceConst;
use crate::rt::probe::{DeviceTy, Named, ReleasedOnEveryPath, Supported};

/// Implemented by the struct which `#[ttl::kernel]` makes: the arguments of the kernel as the host gives them.
pub trait Kernel: Inst {
    const NAME: &'static str;
    const ROLE: Role;
    const FILE: &'static str;
    const LINE: u32;
    /// The NoC of a data-movement kernel that says which it has.
    const NOC: Option<u8> = None;

    /// The parameters after the role token, in order.
    fn params() -> Vec<ParamDecl>;

    /// Gives the arguments to the program, one call per parameter.
    fn bind(self, binder: &mut Binder)
    where
        Self: Sized;

    /// Runs the user's function with the arguments of this core: the native engine.
    fn run(args: &Args<'_>);
}

/// Readers and writers: kernels that run on a processor with a NoC.
#[diagnostic::on_unimplemented(
    message = "the kernel `{Self}` does not move data",
    label = "not a reader and not a writer",
    note = "a compute kernel runs on the three compute processors of each core: give it to `Program::kernel` or `Program::compute`"
)]
pub trait MovesData: Kernel {}

#[derive(Clone, Debug, PartialEq)]
pub struct ParamDecl {
    pub name: String,
    pub ty: Ty,
    pub kind: ParamKind,
}

/// A type that a kernel parameter may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a ttl kernel",
    label = "not a parameter type",
    note = "kernel parameters are ends of circular buffers, tensor accessors, semaphores, ends of pipes, cores, and scalars of at most 32 bits"
)]
pub trait Param: Sized + DeviceTy {
    /// What the host gives for it.
    type Host;
    /// [`role::Any`] or [`role::DataMovement`].
    type Roles;
    /// What the host gives for it if it is `#[ttl(common)]`; nothing where it cannot be.
    type Common;
    const KIND: ParamKind;
    /// How many arguments it is.
    const SLOTS: usize = 1;

    /// What it is to the program: one declaration, or for a struct that groups parameters those of its members.
    fn decls(name: &str, decls: &mut Vec<ParamDecl>) {
        decls.push(ParamDecl { name: name.to_string(), ty: Self::ty(), kind: Self::KIND });
    }

    fn bind(name: &str, host: Self::Host, binder: &mut Binder);
    /// The parameter whose first argument is `index`.
    fn get(args: &Args<'_>, index: usize) -> Self;

    fn item(items: &mut Items) {
        items.ty::<Self::Erased>();
    }

    fn ty() -> Ty {
        <Self::Erased as Named>::ty()
    }
}

/// Values that are copied and compared.
pub trait Plain: DeviceTy<Erased: Supported + ReleasedOnEveryPath> + Copy + PartialOrd + 'static {}

impl<T: DeviceTy<Erased: Supported + ReleasedOnEveryPath> + Copy + PartialOrd + 'static> Plain for T {}

/// The scalars of the device: `bool`, integers of at most 32 bits, `f32`. Only they can be common or compile-time arguments, and it is
/// the bound for generic device functions that compute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no scalar of the device",
    label = "not a scalar",
    note = "`bool`, integers of at most 32 bits and `f32` are; only they can be `#[ttl(common)]` or `#[ttl(compile_time)]`"
)]
pub trait Scalar: Param<Roles = role::Any, Common = Self> + DeviceConst + Plain + crate::rt::data::Field {
    /// The word that the kernel receives.
    fn to_word(self) -> u32;
}

/// Collects the arguments of one kernel on the host, in the order of its parameters.
#[derive(Debug, Default)]
pub struct Binder {
    args: Vec<Arg>,
}

impl Binder {
    pub fn push(&mut self, arg: Arg) {
        self.args.push(arg);
    }

    pub fn into_args(self) -> Vec<Arg> {
        self.args
    }
}

/// What a native run reads its arguments from: the words that the generated C++ reads, by the same layout.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    pub layout: &'a ArgLayout,
    /// Where the words of each accessor begin among the compile-time arguments.
    pub accessor_offsets: &'a [u32],
    pub arch: &'a Arch,
}

/// The kernel's IR with that of every device function it calls.
pub fn module<K: Kernel>() -> Result<Module, Vec<LowerError>> {
    let mut cx = Cx::new();
    cx.instance::<K>();
    let fns = cx.finish()?;
    let Some(entry) = fns.last() else { return Err(vec![]) };
    // The role token comes first and is no argument.
    let mut locals = entry.params.iter().skip(1).copied();
    let mut params = Vec::new();
    let mut flags = Vec::new();
    for p in K::params() {
        let Some(parts) = pipe::parts(&p.ty) else {
            let named = |local| ir::Param { name: p.name.clone(), ty: p.ty.clone(), kind: p.kind, local };
            params.extend(locals.next().map(named));
            continue;
        };
        let first = params.len();
        for (part, local) in parts.into_iter().zip(&mut locals) {
            params.push(ir::Param { name: format!("{}{}", p.name, part.suffix), ty: part.ty, kind: part.kind, local });
        }
        if p.ty == Ty::PipeTx {
            flags.extend(params.get(first + 1).map(|valid| valid.local));
        }
    }
    let name = match entry.generics.as_slice() {
        [] => entry.name.clone(),
        generics => format!("{}<{}>", entry.name, generics.join(", ")),
    };
    let mut module = Module { name, role: K::ROLE, fns, params };
    pipe::set_flags(&mut module, &flags);
    Ok(module)
}

/// The first parameter of a kernel: what this kind of thread may do. `R` is one of the types in [`role`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the token of a {R} kernel",
    label = "the first parameter of a {R} kernel has another type",
    note = "`reader` and `writer` kernels begin with `noc: Noc`, `compute` kernels with `compute: Compute`"
)]
pub trait RoleToken<R>: DeviceTy {
    fn token() -> Self;

    fn item(items: &mut Items) {
        items.ty::<Self::Erased>();
    }
}

/// Roles whose kernels may have a parameter.
#[diagnostic::on_unimplemented(
    message = "a {R} kernel cannot have this parameter",
    label = "not in a {R} kernel",
    note = "tensors, semaphores and other cores belong to reader and writer kernels; pass data to this one through circular buffers"
)]
pub trait Includes<R> {
    fn check() {}
}

impl<R> Includes<R> for role::Any {}
impl Includes<role::reader> for role::DataMovement {}
// The members of a struct that groups parameters.
impl<R> Includes<R> for () {}
#[diagnostic::do_not_recommend]
impl<R, A: Includes<R>, B: Includes<R>> Includes<R> for (A, B) {}
impl Includes<role::writer> for role::DataMovement {}

/// The roles as types. Messages print their names.
#[allow(non_camel_case_types)]
pub mod role {
    /// All of them.
    #[derive(Debug, Clone, Copy)]
    pub struct Any;
    /// Reader and writer.
    #[derive(Debug, Clone, Copy)]
    pub struct DataMovement;
    #[derive(Debug, Clone, Copy)]
    pub struct reader;
    #[derive(Debug, Clone, Copy)]
    pub struct writer;
    #[derive(Debug, Clone, Copy)]
    pub struct compute;
}
