//! Methods and associated functions of the user's types, found by the type that rustc infers for the receiver.
//!
//! `#[ttl::device] impl S { fn area(&self) .. }` makes `Of<S>: Method<I, TAG>`, where `I` is the instance and the tag a hash of `area`; `#[ttl::device]
//! trait Shape` does it for every `S: Shape`. A call of a method that is none of ttl's gets a probe whose type is that instance, which rustc
//! infers; it is read like that of a function.

use crate::rt::cx::Inst;
use crate::rt::probe::{Instance, Mut, Probe, Shared, Val};
use std::marker::PhantomData;

/// A type whose methods are asked for. It stands around the type so that a crate may say something about every type that has a trait of its own.
#[derive(Debug)]
pub struct Of<T: ?Sized>(PhantomData<fn() -> T>);

/// The device method with this tag is `I`.
#[diagnostic::on_unimplemented(
    message = "this method does not exist in device code",
    label = "not a method of device code",
    note = "put `#[ttl::device]` on the `impl` that has it, write it with operators, or call a `#[ttl::device]` function"
)]
pub trait Method<I: Inst, const TAG: u64> {}

#[diagnostic::do_not_recommend]
impl<E, I: Inst, const TAG: u64> Method<I, TAG> for Of<Shared<E>> where Of<E>: Method<I, TAG> {}
#[diagnostic::do_not_recommend]
impl<E, I: Inst, const TAG: u64> Method<I, TAG> for Of<Mut<E>> where Of<E>: Method<I, TAG> {}

/// The method of a trait that has its body in the `impl` for this type.
#[diagnostic::on_unimplemented(
    message = "this method does not exist in device code",
    label = "not a method of device code",
    note = "put `#[ttl::device]` on the `impl` that has it, write it with operators, or call a `#[ttl::device]` function"
)]
pub trait Own<const TAG: u64> {
    type Inst: Inst;
}

/// Asks whether the method of a call is device code, and which. Implemented for the type of the call, so that rustc asks only if the method
/// exists; `E` is the type of the receiver.
#[diagnostic::on_unimplemented(
    message = "this method does not exist in device code",
    label = "not a method of device code",
    note = "put `#[ttl::device]` on the `impl` that has it, write it with operators, or call a `#[ttl::device]` function"
)]
pub trait DeviceMethod<E, I, const TAG: u64>: Sized {
    fn check(self, _: &Probe<Val<E>>, _: &Probe<Instance<I>>) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<R, E, I: Inst, const TAG: u64> DeviceMethod<E, I, TAG> for R where Of<E>: Method<I, TAG> {}

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
