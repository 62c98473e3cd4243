//! Plain data of the user: structs, enums, tuples, arrays. How they are types of the IR, constants, and argument words.

use crate::ir::data::{Form, VariantDecl};
use crate::ir::{Expr, ExprKind, ParamKind, Ty};
use crate::program::typed::PerCore;
use crate::program::{Arg, ArgValue, CoreValues, Slot};
use crate::rt::konst::DeviceConst;
use crate::rt::probe::{DeviceTy, Named, ReleasedOnEveryPath, Supported};
use crate::rt::{Args, Binder, Param, role};
use crate::sim::ops;
use crate::site::Site;
use std::sync::Arc;

/// Values that are copied. Also of types that no device has: see the rule in the module docs of `rt`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no plain data of the device",
    label = "not plain data",
    note = "plain data are scalars, tuples and arrays of them, and structs and enums with `#[ttl::device]` and `#[derive(Clone, Copy)]`"
)]
pub trait Copied: Copy + 'static
where
    Self: DeviceTy<Erased = Self> + Named + ReleasedOnEveryPath,
{
}

/// Plain data of the device: scalars, `#[ttl::device]` structs and enums, tuples and arrays of them. A bound for generic device code.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no plain data of the device",
    label = "not plain data",
    note = "plain data are scalars, tuples and arrays of them, and structs and enums with `#[ttl::device]` and `#[derive(Clone, Copy)]`"
)]
pub trait Data: Copied + Supported + Field {}

#[diagnostic::do_not_recommend]
impl<T: Copied + Supported + Field> Data for T {}

/// Data that can be a field of a struct, and an argument of a kernel: it is made of words.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of device data",
    label = "not made of 32-bit words",
    note = "fields are scalars of at most 32 bits, tuples and arrays of them, and structs and enums with `#[ttl::device]`"
)]
pub trait Field: Named + DeviceConst + Sized {
    const WORDS: usize;

    fn put(&self, words: &mut Vec<u32>);

    /// From its words; there are enough of them.
    fn take(words: &mut dyn FnMut() -> u32) -> Self;

    /// Its type in the IR, and its value as a constant. For the macros, which ask by these names.
    fn field_ty() -> Ty {
        <Self as Named>::ty()
    }

    fn konst(&self) -> Expr {
        self.expr()
    }
}

macro_rules! data {
    ($($t:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Copied for $t {}
    )*};
}

data!(bool u8 u16 u32 i8 i16 i32 f32 usize f64 isize u64 i64 u128 i128);

macro_rules! words {
    ($($t:ty: $to:expr, $from:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Field for $t {
            const WORDS: usize = 1;

            fn put(&self, words: &mut Vec<u32>) {
                let to: fn($t) -> u32 = $to;
                words.push(to(*self));
            }

            fn take(words: &mut dyn FnMut() -> u32) -> $t {
                let from: fn(u32) -> $t = $from;
                from(words())
            }
        }
    )*};
}

words! {
    bool: u32::from, |w| w != 0;
    u8: u32::from, |w| w as u8;
    u16: u32::from, |w| w as u16;
    u32: |v| v, |w| w;
    i8: |v| i32::from(v) as u32, |w| w as i8;
    i16: |v| i32::from(v) as u32, |w| w as i16;
    i32: |v| v as u32, |w| w as i32;
    f32: f32::to_bits, f32::from_bits;
}

#[diagnostic::do_not_recommend]
impl<T: Copied, const N: usize> DeviceTy for [T; N] {
    type Erased = [T; N];
}
// What a member is, `DeviceTy` asks: one message is enough.
#[diagnostic::do_not_recommend]
impl<T: Named, const N: usize> Named for [T; N] {
    fn ty() -> Ty {
        Ty::array(<T as Named>::ty(), N)
    }
}
#[diagnostic::do_not_recommend]
impl<T: Copied + Supported, const N: usize> Supported for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T: Copied, const N: usize> ReleasedOnEveryPath for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T: Copied, const N: usize> Copied for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T: Field + Copied, const N: usize> Field for [T; N] {
    const WORDS: usize = N * T::WORDS;

    fn put(&self, words: &mut Vec<u32>) {
        self.iter().for_each(|v| v.put(words));
    }

    fn take(words: &mut dyn FnMut() -> u32) -> [T; N] {
        std::array::from_fn(|_| T::take(words))
    }
}
#[diagnostic::do_not_recommend]
impl<T: Copied + Field + Send + Sync, const N: usize> Param for [T; N] {
    type Host = PerCore<[T; N]>;
    type Roles = role::Any;
    type Common = Self;
    const KIND: ParamKind = ParamKind::PerCore;

    fn bind(name: &str, host: PerCore<[T; N]>, binder: &mut Binder) {
        bind_data(name, host, binder);
    }

    fn get(args: &Args<'_>, index: usize) -> [T; N] {
        get_data(args, index)
    }
}
#[diagnostic::do_not_recommend]
impl<T: Copied + DeviceConst, const N: usize> DeviceConst for [T; N] {
    fn expr(&self) -> Expr {
        let values = self.iter().map(DeviceConst::expr).collect();
        Expr { ty: <[T; N] as Named>::ty(), kind: ExprKind::Array(values) }
    }
}

macro_rules! tuples {
    ($($t:ident $i:tt),+) => {
        #[diagnostic::do_not_recommend]
        impl<$($t: Copied),+> DeviceTy for ($($t,)+) {
            type Erased = ($($t,)+);
        }
        #[diagnostic::do_not_recommend]
        impl<$($t: Named),+> Named for ($($t,)+) {
            fn ty() -> Ty {
                Ty::tuple(vec![$(<$t as Named>::ty()),+])
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$($t: Copied + Supported),+> Supported for ($($t,)+) {}
        #[diagnostic::do_not_recommend]
        impl<$($t: Copied),+> ReleasedOnEveryPath for ($($t,)+) {}
        #[diagnostic::do_not_recommend]
        impl<$($t: Copied),+> Copied for ($($t,)+) {}
        #[diagnostic::do_not_recommend]
        impl<$($t: Field + Copied),+> Field for ($($t,)+) {
            const WORDS: usize = 0 $(+ $t::WORDS)+;

            fn put(&self, words: &mut Vec<u32>) {
                $(self.$i.put(words);)+
            }

            fn take(words: &mut dyn FnMut() -> u32) -> Self {
                ($($t::take(words),)+)
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$($t: Copied + Field + Send + Sync),+> Param for ($($t,)+) {
            type Host = PerCore<Self>;
            type Roles = role::Any;
            type Common = Self;
            const KIND: ParamKind = ParamKind::PerCore;

            fn bind(name: &str, host: PerCore<Self>, binder: &mut Binder) {
                bind_data(name, host, binder);
            }

            fn get(args: &Args<'_>, index: usize) -> Self {
                get_data(args, index)
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$($t: Copied + DeviceConst),+> DeviceConst for ($($t,)+) {
            fn expr(&self) -> Expr {
                Expr { ty: <Self as Named>::ty(), kind: ExprKind::Struct(vec![$(self.$i.expr()),+]) }
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);

/// A constant of a struct.
pub fn structure<T: Named>(fields: Vec<Expr>) -> Expr {
    Expr { ty: T::ty(), kind: ExprKind::Struct(fields) }
}

/// A constant of an enum: variant `at` with its fields.
pub fn variant<T: Named>(at: u32, fields: Vec<Expr>) -> Expr {
    build_variant(T::ty(), at, fields)
}

/// The value of a variant. The fields of the others are zero.
pub(super) fn build_variant(ty: Ty, at: u32, fields: Vec<Expr>) -> Expr {
    let Ty::Struct(s) = &ty else {
        return Expr { ty, kind: ExprKind::Variant(at) };
    };
    let mut values: Vec<Expr> = s.fields.iter().map(|f| Expr::zero(&f.ty)).collect();
    if let Some(kind) = values.first_mut() {
        kind.kind = ExprKind::Variant(at);
    }
    if let Form::Enum(variants) = &s.form
        && let Some(own) = variants.get(at as usize)
    {
        for ((_, place), value) in own.fields.iter().zip(fields) {
            values[*place as usize] = value;
        }
    }
    Expr { ty, kind: ExprKind::Struct(values) }
}

/// For the macros: the description of one variant.
pub fn variant_decl(name: &'static str, value: Option<i64>, fields: Vec<(&'static str, Ty)>) -> VariantDecl {
    VariantDecl { name, value, fields }
}

/// A value of the enum `name` from a word that stands for none of its variants.
pub fn no_variant(name: &str, word: u32) -> ! {
    ops::fail_with_help(&format!("{word} is no `{name}`"), "this is a fault of ttl; please report it", Site::UNKNOWN)
}

/// A parameter of plain data with a value of its own for each core.
pub fn bind_data<T: Field + 'static>(name: &str, host: PerCore<T>, binder: &mut Binder) {
    let of = move |core| words_of(&host.get(core));
    let values = CoreValues::Of(Arc::new(of));
    binder.push(Arg::new(name, ArgValue::PerCore { words: T::WORDS as u32, values }));
}

pub fn words_of<T: Field>(value: &T) -> Vec<u32> {
    let mut words = vec![];
    value.put(&mut words);
    words
}

/// The parameter at `index` from its argument words.
pub fn get_data<T: Field>(args: &Args<'_>, index: usize) -> T {
    let slot = args.layout.slots().get(index).copied();
    let mut at = 0;
    T::take(&mut || {
        let word = match slot {
            Some(Slot::CompileTime { compile, .. }) => ops::compile_arg(compile + at, Site::UNKNOWN),
            Some(Slot::Common { common, .. }) => ops::common_arg(common + at, Site::UNKNOWN),
            Some(Slot::PerCore { runtime, .. }) => ops::runtime_arg(runtime + at, Site::UNKNOWN),
            _ => 0,
        };
        at += 1;
        word
    })
}

/// What can be `#[ttl(common)]`: one value for all cores, which the kernel gets when it runs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be `#[ttl(common)]`",
    label = "not the same for every core by itself",
    note = "scalars, `#[ttl::device]` structs of them, cores and rectangles of cores can be common; buffers, tensors, semaphores and pipes are the same everywhere: leave the attribute out"
)]
pub trait Common: Param {
    fn common(given: Self::Common, name: &str, binder: &mut Binder);
}

#[diagnostic::do_not_recommend]
impl<T: Field + Param<Common = T>> Common for T {
    fn common(given: T, name: &str, binder: &mut Binder) {
        binder.push(Arg::new(name, ArgValue::Common(words_of(&given))));
    }
}

/// What can be `#[ttl(compile_time)]`: a constant of the C++.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be `#[ttl(compile_time)]`",
    label = "not a number",
    note = "scalars and `#[ttl::device]` structs of them can be constants of the C++; leave the attribute out"
)]
pub trait CompileTime {
    fn compile_time(given: Self, name: &str, binder: &mut Binder);
}

#[diagnostic::do_not_recommend]
impl<T: Field> CompileTime for T {
    fn compile_time(given: T, name: &str, binder: &mut Binder) {
        binder.push(Arg::new(name, ArgValue::CompileTime(words_of(&given))));
    }
}

/// What device code can build: plain data.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be built in device code",
    label = "not plain data",
    note = "plain data are structs and enums with `#[ttl::device]` and, below it, `#[derive(Clone, Copy)]`; a struct without the `derive` groups parameters of a kernel, and the host gives it"
)]
pub trait Built {
    fn check(&self) {}
}

#[diagnostic::do_not_recommend]
impl<T: Copied> Built for T {}
