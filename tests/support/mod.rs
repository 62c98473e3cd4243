//! A small device API, enough to see what types the macros find. The real one has the same shape.
#![allow(dead_code, unreachable_pub, missing_debug_implementations)]

use std::marker::PhantomData;
use ttl::rt::role;
use ttl::rt::{Args, Binder, Param, ParamKind, RoleToken, Ty};
use ttl_runtime::device_ty;
use ttl_runtime::tensor::format::DataFormat;

pub trait Elem: 'static {
    const FORMAT: DataFormat;
}
#[allow(non_camel_case_types)]
pub struct bf16;
impl Elem for bf16 {
    const FORMAT: DataFormat = DataFormat::Bf16;
}

pub struct Noc;
pub struct Compute;
pub struct CbIn<T>(PhantomData<T>);
pub struct CbOut<T>(PhantomData<T>);
pub struct TensorAccessor<T>(PhantomData<T>);
pub struct Front<'a, T>(PhantomData<&'a T>);
pub struct Reserved<'a, T>(PhantomData<&'a T>);
#[must_use]
pub struct Read<'a>(PhantomData<&'a ()>);

device_ty!(Noc => Ty::Noc);
device_ty!(Compute => Ty::Compute);
device_ty!(CbIn<T: Elem> => Ty::CbIn(T::FORMAT));
device_ty!(CbOut<T: Elem> => Ty::CbOut(T::FORMAT));
device_ty!(TensorAccessor<T: Elem> => Ty::TensorAccessor(T::FORMAT));
device_ty!(guard Front<'a, T: Elem> => Ty::Front(T::FORMAT));
device_ty!(guard Reserved<'a, T: Elem> => Ty::Reserved(T::FORMAT));
device_ty!(Read<'a> => Ty::Read);

#[diagnostic::do_not_recommend]
impl RoleToken<role::reader> for Noc {
    fn token() -> Noc {
        Noc
    }
}
#[diagnostic::do_not_recommend]
impl RoleToken<role::writer> for Noc {
    fn token() -> Noc {
        Noc
    }
}
#[diagnostic::do_not_recommend]
impl RoleToken<role::compute> for Compute {
    fn token() -> Compute {
        Compute
    }
}

macro_rules! param {
    ($name:ident $kind:ident) => {
        #[diagnostic::do_not_recommend]
        impl<T: Elem> Param for $name<T> {
            type Host = u32;
            const KIND: ParamKind = ParamKind::$kind;
            fn bind(name: &'static str, host: u32, binder: &mut Binder) {
                binder.words.push((name, ParamKind::$kind, host));
            }
            fn get(_: &Args, _: usize) -> Self {
                $name(PhantomData)
            }
        }
    };
}
param!(CbIn Cb);
param!(CbOut Cb);
param!(TensorAccessor Tensor);

impl<T: Elem> CbOut<T> {
    pub fn reserve_back(&self, _pages: u32) -> Reserved<'_, T> {
        Reserved(PhantomData)
    }
}
impl<T: Elem> CbIn<T> {
    pub fn wait_front(&self, _pages: u32) -> Front<'_, T> {
        Front(PhantomData)
    }
}
impl<T: Elem> Reserved<'_, T> {
    pub fn push_back(self) {}
}
impl<T: Elem> Front<'_, T> {
    pub fn pop_front(self) {}
}
impl Noc {
    pub fn read_page<'a, T: Elem>(
        &self,
        _src: &'a TensorAccessor<T>,
        _page: u32,
        _into: &'a mut Reserved<'_, T>,
    ) -> Read<'a> {
        Read(PhantomData)
    }
    pub fn core_x(&self) -> u32 {
        0
    }
}
impl Read<'_> {
    pub fn wait(self) {}
}
