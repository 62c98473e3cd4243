//! The device API's types as the IR knows them.

use super::accumulator::{Accumulator, MatmulTiles, TileBlock};
use super::cb::{CbIn, CbOut, Front, Reserved};
use super::compute::{Compute, PackRegs, TileRegs};
use super::noc::{Noc, Reads, TensorAccessor, Writes};
use super::pipe::{Arriving, PipeRx, PipeTx, UnicastTx};
use super::raw::{L1Element, L1Ptr, NocAddr, Raw};
use super::signal::{Looped, NocCore, NocRange, Semaphore, Sent};
use super::tagged::{TaggedReads, TaggedWrites};
use super::tiles::Tiles;
use super::words::{CommonWords, CoreTable, Words};
use crate::device_ty;
use crate::ir::Ty;
use crate::rt::{DeviceTy, Named, ReleasedOnEveryPath};
use crate::tensor::format::Element;

device_ty!(Noc => Ty::Noc);
device_ty!(Compute => Ty::Compute);
device_ty!(CbIn<T: Element> => Ty::CbIn(T::FORMAT));
device_ty!(CbOut<T: Element> => Ty::CbOut(T::FORMAT));
device_ty!(TensorAccessor<T: Element> => Ty::TensorAccessor(T::FORMAT));
device_ty!(guard Front<'a, T: Element> => Ty::Front(T::FORMAT));
device_ty!(guard Reserved<'a, T: Element> => Ty::Reserved(T::FORMAT));
device_ty!(guard Reads<'a, T: Element> => Ty::Read);
device_ty!(guard Writes<'a, T: Element> => Ty::Write);
device_ty!(Semaphore => Ty::Semaphore);
device_ty!(NocCore => Ty::Core);
device_ty!(NocRange => Ty::CoreRange);
device_ty!(PipeTx => Ty::PipeTx);
device_ty!(PipeRx => Ty::PipeRx);
device_ty!(UnicastTx => Ty::UnicastTx);
device_ty!(guard Arriving<'a> => Ty::Read);
device_ty!(Raw => Ty::Noc);
device_ty!(NocAddr => Ty::NocAddr);
device_ty!(L1Ptr<T: L1Element> => T::PTR);
device_ty!(Words => Ty::Words);
device_ty!(CommonWords => Ty::CommonWords);
device_ty!(CoreTable => Ty::CommonWords);
device_ty!(guard TaggedReads<'a, T: Element> => Ty::Read);
device_ty!(guard TaggedWrites<'a, T: Element> => Ty::Write);
device_ty!(guard Sent<'a> => Ty::Write);
device_ty!(guard Looped<'a> => Ty::Write);
device_ty!(guard TileRegs<'a> => Ty::TileRegs);
device_ty!(guard PackRegs<'a> => Ty::PackRegs);
device_ty!(guard Accumulator<'a> => Ty::Accumulator);
device_ty!(TileBlock<'a, T: Element> => Ty::TileBlock(T::FORMAT));
device_ty!(MatmulTiles<'a> => Ty::MatmulTiles);

/// Block expressions, whatever they are made of: a type of the IR that stands for none of their operands.
#[derive(Debug)]
pub struct AnyTiles;

#[diagnostic::do_not_recommend]
impl Named for AnyTiles {
    fn ty() -> Ty {
        Ty::Tiles
    }
}

#[diagnostic::do_not_recommend]
impl crate::rt::Supported for AnyTiles {}

#[diagnostic::do_not_recommend]
impl ReleasedOnEveryPath for AnyTiles {}

#[diagnostic::do_not_recommend]
impl<E> DeviceTy for Tiles<E> {
    type Erased = AnyTiles;
}
