//! Kernel parameters: what the host gives for each type, and how a native run gets it.

use super::{
    CbIn, CbOut, CommonWords, Compute, CoreTable, Noc, NocCore, NocRange, PipeRx, PipeTx, Semaphore, TensorAccessor,
    UnicastTx, Words,
};
use crate::arch::Core;
use crate::cores::CoreRange;
use crate::ir::ParamKind;
use crate::program::typed::{
    Consumer, PerCore, PipeReceiver, PipeSender, Producer, SemaphoreArg, TensorArg, UnicastSender,
};
use crate::program::{Arg, ArgValue, CbEnd, CoreOf, CoreValues, Slot};
use crate::rt::{Args, Binder, Common, Param, RoleToken, Scalar, role};
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::accessor::Accessor;
use crate::tensor::format::Element;
use std::sync::Arc;

#[diagnostic::do_not_recommend]
impl RoleToken<role::reader> for Noc {
    fn token() -> Noc {
        Noc::new(ops::noc_index(Site::UNKNOWN))
    }
}

#[diagnostic::do_not_recommend]
impl RoleToken<role::writer> for Noc {
    fn token() -> Noc {
        Noc::new(ops::noc_index(Site::UNKNOWN))
    }
}

#[diagnostic::do_not_recommend]
impl RoleToken<role::compute> for Compute {
    fn token() -> Compute {
        Compute::new()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Param for CbIn<T> {
    type Host = Consumer<T>;
    type Roles = role::Any;
    type Common = ();
    const KIND: ParamKind = ParamKind::Cb;

    fn bind(name: &str, host: Consumer<T>, binder: &mut Binder) {
        let value = ArgValue::Cb { cb: host.cb(), end: CbEnd::In, blocks: vec![], element: Some(T::FORMAT) };
        binder.push(Arg::new(name, value));
    }

    fn get(args: &Args<'_>, index: usize) -> CbIn<T> {
        CbIn::new(word(args, index))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Param for CbOut<T> {
    type Host = Producer<T>;
    type Roles = role::Any;
    type Common = ();
    const KIND: ParamKind = ParamKind::Cb;

    fn bind(name: &str, host: Producer<T>, binder: &mut Binder) {
        let value = ArgValue::Cb { cb: host.cb(), end: CbEnd::Out, blocks: vec![], element: Some(T::FORMAT) };
        binder.push(Arg::new(name, value));
    }

    fn get(args: &Args<'_>, index: usize) -> CbOut<T> {
        CbOut::new(word(args, index))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Param for TensorAccessor<T> {
    type Host = TensorArg<T>;
    type Roles = role::DataMovement;
    type Common = ();
    const KIND: ParamKind = ParamKind::Tensor;

    fn bind(name: &str, host: TensorArg<T>, binder: &mut Binder) {
        let value = ArgValue::Tensor { tensor: host.tensor().clone(), element: Some(T::FORMAT) };
        binder.push(Arg::new(name, value));
    }

    fn get(args: &Args<'_>, index: usize) -> TensorAccessor<T> {
        let Slot::Tensor { common, accessor } = args.layout.slots()[index] else { wrong_slot(args, index) };
        let base = ops::common_arg(common, Site::UNKNOWN);
        let words = ops::compile_args(Site::UNKNOWN);
        let at = args.accessor_offsets[accessor as usize] as usize;
        match Accessor::decode(words.get(at..).unwrap_or_default(), args.arch) {
            Ok((accessor, _)) => TensorAccessor::new(accessor, base),
            Err(e) => {
                ops::fail_with_help(&format!("the accessor words cannot be read: {e}"), super::FAULT, Site::UNKNOWN)
            }
        }
    }
}

#[diagnostic::do_not_recommend]
impl Param for Semaphore {
    type Host = SemaphoreArg;
    type Roles = role::DataMovement;
    type Common = ();
    const KIND: ParamKind = ParamKind::Semaphore;

    fn bind(name: &str, host: SemaphoreArg, binder: &mut Binder) {
        binder.push(Arg::semaphore(name, host.semaphore()));
    }

    fn get(args: &Args<'_>, index: usize) -> Semaphore {
        Semaphore::new(ops::get_semaphore(word(args, index), Site::UNKNOWN))
    }
}

#[diagnostic::do_not_recommend]
impl Param for NocCore {
    type Host = PerCore<Core>;
    type Roles = role::DataMovement;
    type Common = Core;
    const KIND: ParamKind = ParamKind::PerCore;

    fn bind(name: &str, host: PerCore<Core>, binder: &mut Binder) {
        binder.push(Arg::new(name, ArgValue::Core(CoreOf::new(move |core| host.get(core)))));
    }

    fn get(args: &Args<'_>, index: usize) -> NocCore {
        let [x, y] = words(args, index);
        NocCore::new(Core::new(x, y))
    }
}

#[diagnostic::do_not_recommend]
impl Param for NocRange {
    type Host = PerCore<CoreRange>;
    type Roles = role::DataMovement;
    type Common = CoreRange;
    const KIND: ParamKind = ParamKind::PerCore;

    fn bind(name: &str, host: PerCore<CoreRange>, binder: &mut Binder) {
        binder.push(Arg::new(name, ArgValue::CoreRange(CoreOf::new(move |core| host.get(core)))));
    }

    fn get(args: &Args<'_>, index: usize) -> NocRange {
        let [start_x, start_y, end_x, end_y] = words(args, index);
        NocRange::new(Core::new(start_x, start_y), Core::new(end_x, end_y))
    }
}

#[diagnostic::do_not_recommend]
impl Param for PipeTx {
    type Host = PipeSender;
    type Roles = role::DataMovement;
    type Common = ();
    const KIND: ParamKind = ParamKind::Semaphore;
    const SLOTS: usize = 4;

    fn bind(name: &str, host: PipeSender, binder: &mut Binder) {
        host.0.args(name).into_iter().for_each(|arg| binder.push(arg));
    }

    fn get(args: &Args<'_>, index: usize) -> PipeTx {
        let receivers = word(args, index + 3);
        PipeTx::new(
            Semaphore::get(args, index),
            Semaphore::get(args, index + 1),
            NocRange::get(args, index + 2),
            receivers,
        )
    }
}

#[diagnostic::do_not_recommend]
impl Param for UnicastTx {
    type Host = UnicastSender;
    type Roles = role::DataMovement;
    type Common = ();
    const KIND: ParamKind = ParamKind::Semaphore;
    const SLOTS: usize = 3;

    fn bind(name: &str, host: UnicastSender, binder: &mut Binder) {
        host.0.args(name).into_iter().for_each(|arg| binder.push(arg));
    }

    fn get(args: &Args<'_>, index: usize) -> UnicastTx {
        UnicastTx::new(Semaphore::get(args, index), Semaphore::get(args, index + 1), NocCore::get(args, index + 2))
    }
}

#[diagnostic::do_not_recommend]
impl Param for PipeRx {
    type Host = PipeReceiver;
    type Roles = role::DataMovement;
    type Common = ();
    const KIND: ParamKind = ParamKind::Semaphore;
    const SLOTS: usize = 3;

    fn bind(name: &str, host: PipeReceiver, binder: &mut Binder) {
        host.0.args(name).into_iter().for_each(|arg| binder.push(arg));
    }

    fn get(args: &Args<'_>, index: usize) -> PipeRx {
        PipeRx::new(Semaphore::get(args, index), Semaphore::get(args, index + 1), NocCore::get(args, index + 2))
    }
}

#[diagnostic::do_not_recommend]
impl Param for Words {
    type Host = PerCore<Vec<u32>>;
    type Roles = role::DataMovement;
    type Common = ();
    const KIND: ParamKind = ParamKind::PerCore;

    fn bind(name: &str, host: PerCore<Vec<u32>>, binder: &mut Binder) {
        binder.push(Arg::new(name, ArgValue::Table(CoreOf::new(move |core| host.get(core)))));
    }

    fn get(args: &Args<'_>, index: usize) -> Words {
        let Slot::PerCore { runtime: first, words: len } = args.layout.slots()[index] else { wrong_slot(args, index) };
        Words { first, len }
    }
}

#[diagnostic::do_not_recommend]
impl Param for CommonWords {
    type Host = Vec<u32>;
    type Roles = role::Any;
    type Common = ();
    const KIND: ParamKind = ParamKind::Common;

    fn bind(name: &str, host: Vec<u32>, binder: &mut Binder) {
        binder.push(Arg::new(name, ArgValue::Common(host)));
    }

    fn get(args: &Args<'_>, index: usize) -> CommonWords {
        let Slot::Common { common: first, words: len } = args.layout.slots()[index] else { wrong_slot(args, index) };
        CommonWords { first, len }
    }
}

#[diagnostic::do_not_recommend]
impl Param for CoreTable {
    type Host = Vec<Core>;
    type Roles = role::DataMovement;
    type Common = ();
    const KIND: ParamKind = ParamKind::Common;

    fn bind(name: &str, host: Vec<Core>, binder: &mut Binder) {
        binder.push(Arg::new(name, ArgValue::CoreTable(host)));
    }

    fn get(args: &Args<'_>, index: usize) -> CoreTable {
        CoreTable { words: <CommonWords as Param>::get(args, index) }
    }
}

fn wrong_slot(args: &Args<'_>, index: usize) -> ! {
    let slot = args.layout.slots().get(index);
    ops::fail_with_help(&format!("parameter {index} has slot {slot:?}"), super::FAULT, Site::UNKNOWN)
}

/// The word of a buffer id or scalar.
fn word(args: &Args<'_>, index: usize) -> u32 {
    match args.layout.slots()[index] {
        Slot::Cb { compile } | Slot::Semaphore { compile } | Slot::CompileTime { compile, .. } => {
            ops::compile_arg(compile, Site::UNKNOWN)
        }
        Slot::Common { common, .. } => ops::common_arg(common, Site::UNKNOWN),
        Slot::PerCore { runtime, .. } => ops::runtime_arg(runtime, Site::UNKNOWN),
        _ => wrong_slot(args, index),
    }
}

/// The words of a parameter of several words.
fn words<const N: usize>(args: &Args<'_>, index: usize) -> [u32; N] {
    match args.layout.slots()[index] {
        Slot::PerCore { runtime, .. } => std::array::from_fn(|i| ops::runtime_arg(runtime + i as u32, Site::UNKNOWN)),
        Slot::Common { common, .. } => std::array::from_fn(|i| ops::common_arg(common + i as u32, Site::UNKNOWN)),
        _ => wrong_slot(args, index),
    }
}

#[diagnostic::do_not_recommend]
impl Common for NocCore {
    fn common(core: Core, name: &str, binder: &mut Binder) {
        binder.push(Arg::new(name, ArgValue::CommonCore(core)));
    }
}

#[diagnostic::do_not_recommend]
impl Common for NocRange {
    fn common(range: CoreRange, name: &str, binder: &mut Binder) {
        binder.push(Arg::new(name, ArgValue::CommonCoreRange(range)));
    }
}

macro_rules! scalar {
    ($($t:ty: $to:expr, $from:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Param for $t {
            type Host = PerCore<$t>;
            type Roles = role::Any;
            type Common = Self;
            const KIND: ParamKind = ParamKind::PerCore;

            fn bind(name: &str, host: PerCore<$t>, binder: &mut Binder) {
                let values = CoreValues::Of(Arc::new(move |core| vec![host.get(core).to_word()]));
                binder.push(Arg::new(name, ArgValue::PerCore { words: 1, values }));
            }

            fn get(args: &Args<'_>, index: usize) -> $t {
                let from: fn(u32) -> $t = $from;
                from(word(args, index))
            }
        }

        #[diagnostic::do_not_recommend]
        impl Scalar for $t {
            fn to_word(self) -> u32 {
                let to: fn($t) -> u32 = $to;
                to(self)
            }
        }
    )*};
}

// Narrow integers travel as their 32-bit extension.
scalar! {
    bool: |v| u32::from(v), |w| w != 0;
    u8: |v| v.into(), |w| w as u8;
    u16: |v| v.into(), |w| w as u16;
    u32: |v| v, |w| w;
    i8: |v| i32::from(v) as u32, |w| w as i8;
    i16: |v| i32::from(v) as u32, |w| w as i16;
    i32: |v| v as u32, |w| w as i32;
    f32: f32::to_bits, f32::from_bits;
}
