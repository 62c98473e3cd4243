//! Probes: values without content whose type parameter rustc infers.

use crate::ir::{IntTy, Ty};
use crate::rt::cx::{Cx, Inst};
use crate::rt::items::Items;
use std::marker::PhantomData;

/// Stands for something whose type the macro wants to know.
pub struct Probe<E: ?Sized>(PhantomData<fn() -> E>);

impl<E: ?Sized> Probe<E> {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Probe<E> {
        Probe(PhantomData)
    }
}

impl<E: ?Sized> std::fmt::Debug for Probe<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Probe")
    }
}

/// What a probe of a value holds: the type without its lifetimes.
#[derive(Debug)]
pub struct Val<E: ?Sized>(PhantomData<fn() -> E>);

/// What a probe of a called function holds: the twin type that stands for the instance.
#[derive(Debug)]
pub struct Instance<I: ?Sized>(PhantomData<fn() -> I>);

/// The same for a function that gets closures: its IR is made when theirs is there.
#[derive(Debug)]
pub struct Late<I: ?Sized>(PhantomData<fn() -> I>);

/// Stands for the closure with this number in the function `F`.
#[derive(Debug)]
pub struct ClosureOf<F: ?Sized, const N: usize>(PhantomData<fn() -> F>);

/// A type that a local, a parameter or a result of device code may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a ttl kernel",
    label = "not a device type",
    note = "device code has `bool`, integers of at most 32 bits, `f32`, arrays and tuples, structs and enums with `#[ttl::device]`, and the types of ttl: circular buffers, tensor accessors, guards, tile expressions"
)]
pub trait DeviceTy {
    /// The type with every lifetime removed, so that a probe does not keep a borrow alive.
    type Erased: Named;

    /// A probe of this type, for types that are written out.
    const PROBE: Probe<Val<Self::Erased>> = Probe::new();

    /// Ties a local to its probe.
    fn on_device(&self, _: &Probe<Val<Self::Erased>>) {}
}

/// An erased type and its name in the IR.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be used in a ttl kernel", label = "not a device type")]
pub trait Named: 'static {
    fn ty() -> Ty;
}

/// Erased types that the device has: all but `f64` and the wide integers, which must be [`DeviceTy`] nevertheless (see the rule in
/// the module docs). Values come from literals, parameters, constants and calls; it is enough to ask there.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a ttl kernel",
    label = "`{Self}` is too wide for the device",
    note = "the device has `f32` and integers of at most 32 bits: give the variable such a type, or write a suffix as in `1.0f32`"
)]
pub trait Supported: Named {
    /// The item of this type, for types that are written out.
    fn item(_: Probe<Val<Self>>, items: &mut Items) {
        items.ty::<Self>();
    }

    /// The macro calls this for float literals and for locals without initialiser.
    fn check(_: &Probe<Val<Self>>) {}
}

/// Values that may be given away on one path and kept on another: all but guards, whose release must be the same on every path,
/// because the generated C++ has no drop flags.
#[diagnostic::on_unimplemented(
    message = "a guard must be held on every path or on none",
    label = "held after one path and not after another",
    note = "push, pop or release it on every path, or let it leave its scope on every path"
)]
pub trait ReleasedOnEveryPath {
    /// The macro calls this for each local that is given away on one path only.
    fn check(_: &Probe<Val<Self>>) {}
}

/// Makes types device types. One line per type:
///
/// ```ignore
/// device_ty!(Noc => Ty::Noc);
/// device_ty!(CbIn<T: Elem> => Ty::CbIn(T::FORMAT));
/// device_ty!(guard Front<'a, T: Elem> => Ty::Front(T::FORMAT));
/// ```
///
/// `guard` types must be released on every path or on none. A type has at most one lifetime; the erased type has `'static` for it.
/// The bound of a type parameter must imply `'static`.
#[macro_export]
#[doc(hidden)]
macro_rules! device_ty {
    (guard $name:ident => $ty:expr) => {
        $crate::device_ty!(@guard $name [] [] [] $ty);
    };
    (guard $name:ident < $a:lifetime $(, $t:ident : $bound:path)* > => $ty:expr) => {
        $crate::device_ty!(@guard $name [$a,] ['static,] [$($t: $bound),*] $ty);
    };
    (guard $name:ident < $($t:ident : $bound:path),+ > => $ty:expr) => {
        $crate::device_ty!(@guard $name [] [] [$($t: $bound),*] $ty);
    };
    ($name:ident => $ty:expr) => {
        $crate::device_ty!(@free $name [] [] [] $ty);
    };
    ($name:ident < $a:lifetime $(, $t:ident : $bound:path)* > => $ty:expr) => {
        $crate::device_ty!(@free $name [$a,] ['static,] [$($t: $bound),*] $ty);
    };
    ($name:ident < $($t:ident : $bound:path),+ > => $ty:expr) => {
        $crate::device_ty!(@free $name [] [] [$($t: $bound),*] $ty);
    };
    (@free $name:ident [$($lt:tt)*] [$($st:tt)*] [$($t:ident : $bound:path),*] $ty:expr) => {
        $crate::device_ty!(@guard $name [$($lt)*] [$($st)*] [$($t: $bound),*] $ty);
        #[diagnostic::do_not_recommend]
        impl<$($t: $bound),*> $crate::rt::ReleasedOnEveryPath for $name<$($st)* $($t),*> {}
    };
    (@guard $name:ident [$($lt:tt)*] [$($st:tt)*] [$($t:ident : $bound:path),*] $ty:expr) => {
        #[diagnostic::do_not_recommend]
        impl<$($lt)* $($t: $bound),*> $crate::rt::DeviceTy for $name<$($lt)* $($t),*> {
            type Erased = $name<$($st)* $($t),*>;
        }
        #[diagnostic::do_not_recommend]
        impl<$($t: $bound),*> $crate::rt::Named for $name<$($st)* $($t),*> {
            fn ty() -> $crate::ir::Ty {
                $ty
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$($t: $bound),*> $crate::rt::Supported for $name<$($st)* $($t),*> {}
    };
}

/// Types that rustc may infer.
macro_rules! named {
    ($($t:ident => $ty:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl DeviceTy for $t {
            type Erased = $t;
        }
        #[diagnostic::do_not_recommend]
        impl Named for $t {
            fn ty() -> Ty {
                $ty
            }
        }
        #[diagnostic::do_not_recommend]
        impl ReleasedOnEveryPath for $t {}
    )*};
}

/// Types that kernels may use.
macro_rules! scalars {
    ($($t:ident => $ty:expr;)*) => {
        named! { $($t => $ty;)* }
        $(
            #[diagnostic::do_not_recommend]
            impl Supported for $t {}
        )*
    };
}

scalars! {
    bool => Ty::Bool;
    u8 => Ty::Int(IntTy::U8);
    i8 => Ty::Int(IntTy::I8);
    u16 => Ty::Int(IntTy::U16);
    i16 => Ty::Int(IntTy::I16);
    u32 => Ty::Int(IntTy::U32);
    i32 => Ty::Int(IntTy::I32);
    f32 => Ty::F32;
    usize => Ty::Usize;
}

// Without the impl for `f64`, `f32` would be the only float that is a device type, and rustc would infer it for every float literal
// that nothing else decides, where the user's own function has `f64`. It is not `Supported`, so no such function compiles. The wide
// integers are refused where they come from (constants and written types), and need no second message about every local.
named! {
    f64 => Ty::F32;
    isize => Ty::Int(IntTy::I32);
    u64 => Ty::U32;
    i64 => Ty::Int(IntTy::I32);
    u128 => Ty::U32;
    i128 => Ty::Int(IntTy::I32);
}

#[diagnostic::do_not_recommend]
impl DeviceTy for () {
    type Erased = ();
}
#[diagnostic::do_not_recommend]
impl Named for () {
    fn ty() -> Ty {
        Ty::Unit
    }
}
#[diagnostic::do_not_recommend]
impl Supported for () {}
#[diagnostic::do_not_recommend]
impl ReleasedOnEveryPath for () {}

/// `&E` without its lifetime.
#[derive(Debug)]
pub struct Shared<E: ?Sized>(PhantomData<fn() -> E>);
/// `&mut E` without its lifetime.
#[derive(Debug)]
pub struct Mut<E: ?Sized>(PhantomData<fn() -> E>);

#[diagnostic::do_not_recommend]
impl<T: DeviceTy> DeviceTy for &T {
    type Erased = Shared<T::Erased>;
}
#[diagnostic::do_not_recommend]
impl<T: DeviceTy> DeviceTy for &mut T {
    type Erased = Mut<T::Erased>;
}
#[diagnostic::do_not_recommend]
impl<E: Named> Named for Shared<E> {
    fn ty() -> Ty {
        Ty::reference(false, E::ty())
    }
}
#[diagnostic::do_not_recommend]
impl<E: Named> Named for Mut<E> {
    fn ty() -> Ty {
        Ty::reference(true, E::ty())
    }
}
#[diagnostic::do_not_recommend]
impl<E: Supported> Supported for Shared<E> {}
#[diagnostic::do_not_recommend]
impl<E: Supported> Supported for Mut<E> {}
#[diagnostic::do_not_recommend]
impl<E> ReleasedOnEveryPath for Shared<E> {}
#[diagnostic::do_not_recommend]
impl<E> ReleasedOnEveryPath for Mut<E> {}

/// A value of any type, in code that never runs.
pub fn any<T>() -> T {
    unreachable!("the copy of a kernel's body never runs")
}

/// A value for a `let` without initialiser.
pub fn any_of<T: DeviceTy>(_: &Probe<Val<T::Erased>>) -> T {
    any()
}

/// Twin types of device functions. Kernels are not among them.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot be called from device code",
    label = "`{Self}` is a kernel",
    note = "put the shared code in a `#[ttl::device]` function and call that from both"
)]
pub trait Callable {
    /// The macro calls this for each call.
    fn check(_: &Probe<Instance<Self>>) {}
}

/// Device functions with parameters `impl Fn(..)`; `C` are the types that stand for the closures.
pub trait TakesClosures<C> {}

/// What a probe of a call with closures must hold.
#[diagnostic::on_unimplemented(
    message = "this function does not take these closures",
    label = "takes other arguments",
    note = "a `#[ttl::device]` function takes a closure as `f: impl Fn(u32) -> u32`"
)]
pub trait TakesThese<C>: Sized {
    fn check(_: &Probe<Self>) {}
}

#[diagnostic::do_not_recommend]
impl<C, I: TakesClosures<C>> TakesThese<C> for Late<I> {}

/// Hands the probes of a block to the block around it. Declaring all probes at the top would make type checking quadratic.
pub fn carry<A: List>(_: &Probe<A::Es>, _: A) {}

/// Tuples of references to probes, and what those hold.
pub trait List {
    type Es;
}

impl<E> List for &Probe<E> {
    type Es = E;
}

/// What a probe holds, as items for lowering: in the order in which the macro numbered its slots.
pub trait Read {
    fn items(cx: &mut Cx, out: &mut Items);

    fn read(_: &Probe<Self>, cx: &mut Cx, out: &mut Items) {
        Self::items(cx, out);
    }
}

impl<E: Named> Read for Val<E> {
    fn items(_: &mut Cx, out: &mut Items) {
        out.ty::<E>();
    }
}

impl<I: Inst + ?Sized> Read for Instance<I> {
    fn items(cx: &mut Cx, out: &mut Items) {
        let id = cx.instance::<I>();
        out.call(id);
    }
}

impl<I: Inst> Read for Late<I> {
    fn items(_: &mut Cx, out: &mut Items) {
        out.late(|cx| cx.instance::<I>());
    }
}

impl List for () {
    type Es = ();
}

impl Read for () {
    fn items(_: &mut Cx, _: &mut Items) {}
}

macro_rules! tuples {
    ($($t:ident)+) => {
        impl<$($t: List),+> List for ($($t,)+) {
            type Es = ($($t::Es,)+);
        }

        impl<$($t: Read),+> Read for ($($t,)+) {
            fn items(cx: &mut Cx, out: &mut Items) {
                $($t::items(cx, out);)+
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
