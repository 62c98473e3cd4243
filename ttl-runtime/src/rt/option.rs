//! `Option` of plain data: an enum like those of the user.

use super::data::{Copied, Field, bind_data, get_data, variant, variant_decl};
use super::kernel::{Args, Binder, Param, role};
use super::konst::DeviceConst;
use super::probe::{DeviceTy, Named, ReleasedOnEveryPath, Supported};
use crate::ir::{Expr, ParamKind, Ty};
use crate::program::typed::PerCore;

#[diagnostic::do_not_recommend]
impl<T: Copied> DeviceTy for Option<T> {
    type Erased = Option<T>;
}
#[diagnostic::do_not_recommend]
impl<T: Named> Named for Option<T> {
    fn ty() -> Ty {
        let value = <T as Named>::ty();
        let variants = vec![variant_decl("None", None, vec![]), variant_decl("Some", None, vec![("0", value.clone())])];
        Ty::enumeration("Option", vec![value.to_string()], variants, true)
    }
}
#[diagnostic::do_not_recommend]
impl<T: Copied + Supported> Supported for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T: Copied> ReleasedOnEveryPath for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T: Copied> Copied for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T: Copied + DeviceConst> DeviceConst for Option<T> {
    fn expr(&self) -> Expr {
        match self {
            None => variant::<Option<T>>(0, vec![]),
            Some(value) => variant::<Option<T>>(1, vec![value.expr()]),
        }
    }
}
#[diagnostic::do_not_recommend]
impl<T: Field + Copied> Field for Option<T> {
    const WORDS: usize = 1 + T::WORDS;

    fn put(&self, words: &mut Vec<u32>) {
        let end = words.len() + Self::WORDS;
        words.push(u32::from(self.is_some()));
        if let Some(value) = self {
            value.put(words);
        }
        words.resize(end, 0);
    }

    fn take(words: &mut dyn FnMut() -> u32) -> Option<T> {
        let is_some = words() != 0;
        let value: Vec<u32> = (0..T::WORDS).map(|_| words()).collect();
        let mut value = value.into_iter();
        is_some.then(|| T::take(&mut || value.next().unwrap_or(0)))
    }
}
#[diagnostic::do_not_recommend]
impl<T: Copied + Field + Send + Sync> Param for Option<T> {
    type Host = PerCore<Option<T>>;
    type Roles = role::Any;
    type Common = Self;
    const KIND: ParamKind = ParamKind::PerCore;

    fn bind(name: &str, host: PerCore<Option<T>>, binder: &mut Binder) {
        bind_data(name, host, binder);
    }

    fn get(args: &Args<'_>, index: usize) -> Option<T> {
        get_data(args, index)
    }
}
