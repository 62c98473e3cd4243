//! What a kernel is to the program that runs it.

use crate::ir::{ParamKind, Role, Ty};
use crate::rt::cx::Inst;
use crate::rt::items::Items;
use crate::rt::konst::DeviceConst;
use crate::rt::probe::{DeviceTy, Named, ReleasedOnEveryPath, Supported};

/// Implemented by the struct which `#[ttl::kernel]` makes: the arguments of the kernel as the host gives them.
pub trait Kernel: Inst {
    const NAME: &'static str;
    const ROLE: Role;
    const FILE: &'static str;
    const LINE: u32;

    /// The parameters after the role token, in order.
    fn params() -> Vec<ParamDecl>;

    /// Gives the arguments to the program, one call per parameter.
    fn bind(self, binder: &mut Binder)
    where
        Self: Sized;

    /// Runs the user's function with the arguments of this core: the native engine.
    fn run(args: &Args);
}

#[derive(Clone, Debug, PartialEq)]
pub struct ParamDecl {
    pub name: &'static str,
    pub ty: Ty,
    pub kind: ParamKind,
}

/// A type that a kernel parameter may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a ttl kernel",
    label = "not a parameter type",
    note = "kernel parameters are ends of circular buffers, tensor accessors and scalars of at most 32 bits"
)]
pub trait Param: Sized + DeviceTy {
    /// What the host gives for it.
    type Host;
    const KIND: ParamKind;

    fn bind(name: &'static str, host: Self::Host, binder: &mut Binder);
    /// The parameter at `index`, not counting the role token.
    fn get(args: &Args, index: usize) -> Self;

    fn item(items: &mut Items) {
        items.ty::<Self::Erased>();
    }

    fn ty() -> Ty {
        <Self::Erased as Named>::ty()
    }
}

/// The scalars of the device: `bool`, integers of at most 32 bits, `f32`. Only they can be common or compile-time arguments, and it is
/// the bound for generic device functions that compute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no scalar of the device",
    label = "not a scalar",
    note = "`bool`, integers of at most 32 bits and `f32` are; only they can be `#[ttl(common)]` or `#[ttl(compile_time)]`"
)]
pub trait Scalar:
    Param
    + DeviceConst
    + DeviceTy<Erased: Supported + ReleasedOnEveryPath>
    + Copy
    + PartialOrd
    + 'static
{
    /// The word that the kernel receives.
    fn to_word(self) -> u32;

    fn common(self, name: &'static str, binder: &mut Binder) {
        binder.words.push((name, ParamKind::Common, self.to_word()));
    }

    fn compile_time(self, name: &'static str, binder: &mut Binder) {
        let word = self.to_word();
        binder.words.push((name, ParamKind::CompileTime, word));
    }
}

/// Collects the arguments of one kernel on the host.
#[derive(Debug, Default)]
pub struct Binder {
    /// Marked arguments by name.
    pub words: Vec<(&'static str, ParamKind, u32)>,
}

/// What a native run reads its arguments from.
#[derive(Debug, Default)]
pub struct Args {
    /// Scalars by parameter index.
    pub words: Vec<u32>,
}

macro_rules! scalars {
    ($($t:ident $to:expr, $from:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Param for $t {
            type Host = $t;
            const KIND: ParamKind = ParamKind::PerCore;

            fn bind(name: &'static str, host: $t, binder: &mut Binder) {
                binder.words.push((name, ParamKind::PerCore, host.to_word()));
            }

            fn get(args: &Args, index: usize) -> $t {
                let word = args.words.get(index).copied().unwrap_or_default();
                ($from)(word)
            }
        }
        #[diagnostic::do_not_recommend]
        impl Scalar for $t {
            fn to_word(self) -> u32 {
                ($to)(self)
            }
        }
    )*};
}

// Narrow integers travel sign- or zero-extended, bool as 0 or 1, f32 by its bits.
scalars! {
    bool u32::from, |w: u32| w != 0;
    u8 u32::from, |w| w as u8;
    i8 |x: i8| x as u32, |w| w as i8;
    u16 u32::from, |w| w as u16;
    i16 |x: i16| x as u32, |w| w as i16;
    u32 |x| x, |w| w;
    i32 |x: i32| x as u32, |w| w as i32;
    f32 f32::to_bits, f32::from_bits;
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

/// The roles as types. Messages print their names.
#[allow(non_camel_case_types)]
pub mod role {
    #[derive(Debug, Clone, Copy)]
    pub struct reader;
    #[derive(Debug, Clone, Copy)]
    pub struct writer;
    #[derive(Debug, Clone, Copy)]
    pub struct compute;
}
