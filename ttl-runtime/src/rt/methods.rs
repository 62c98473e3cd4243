//! Methods and associated functions of the user's types, found by the type that rustc infers for the receiver.
//!
//! `#[ttl::device] impl S { fn area(&self) .. }` makes `S: Methods<TAG>`, where the tag is a hash of `area`. A call of a method that is none of ttl's
//! gets a probe whose type is the instance that the receiver's type has for the tag; it is read like that of a function.

use crate::rt::cx::Inst;
use crate::rt::probe::{Instance, Mut, Probe, Shared, Val};

/// Types with a device method whose name has this tag.
#[diagnostic::on_unimplemented(
    message = "this method does not exist in device code",
    label = "not a method of device code",
    note = "put `#[ttl::device]` on the `impl` that has it, write it with operators, or call a `#[ttl::device]` function"
)]
pub trait Methods<const TAG: u64> {
    type Inst: Inst;
}

#[diagnostic::do_not_recommend]
impl<E: Methods<TAG>, const TAG: u64> Methods<TAG> for Shared<E> {
    type Inst = E::Inst;
}
#[diagnostic::do_not_recommend]
impl<E: Methods<TAG>, const TAG: u64> Methods<TAG> for Mut<E> {
    type Inst = E::Inst;
}

/// Asks whether the method of a call is device code, and which. Implemented for the type of the call, so that rustc asks only if the method
/// exists; `E` is the type of the receiver.
#[diagnostic::on_unimplemented(
    message = "this method does not exist in device code",
    label = "not a method of device code",
    note = "put `#[ttl::device]` on the `impl` that has it, write it with operators, or call a `#[ttl::device]` function"
)]
pub trait DeviceMethod<E, const TAG: u64>: Sized {
    type Inst: Inst;

    fn check(self, _: &Probe<Val<E>>, _: &Probe<Instance<Self::Inst>>) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<R, E: Methods<TAG>, const TAG: u64> DeviceMethod<E, TAG> for R {
    type Inst = E::Inst;
}

/// What kernels print.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed by a kernel",
    label = "not a number",
    note = "kernels print `bool`, integers of at most 32 bits and `f32`"
)]
pub trait Printed {
    fn check(&self) {}
}

macro_rules! printed {
    ($($t:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Printed for $t {}
    )*};
}

printed!(bool u8 u16 u32 i8 i16 i32 f32 usize f64 u64 i64);

#[diagnostic::do_not_recommend]
impl<T: Printed> Printed for &T {}
#[diagnostic::do_not_recommend]
impl<T: Printed> Printed for &mut T {}
