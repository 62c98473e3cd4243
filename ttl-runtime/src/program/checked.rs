//! A program without mistakes, with everything resolved. Only [`Program::validate`](super::Program::validate) makes one.

use std::sync::Arc;

use crate::arch::{Arch, ComputeConfig, Core};
use crate::cores::CoreSet;
use crate::site::Site;
use crate::temps::TempKey;
use crate::tensor::{DataFormat, TensorRef};

use super::arg_layout::ArgLayout;
use super::decl::{Arg, CbId, Role, SemId};
use super::foreign::CheckedForeign;
use super::l1_plan::L1Plan;
use super::pipe::PipeDecl;

/// A program that can run on its device.
#[derive(Clone, Debug)]
pub struct Checked<K> {
    pub(super) name: Arc<str>,
    pub(super) arch: Arch,
    pub(super) device: u64,
    pub(super) cbs: Vec<CheckedCb>,
    pub(super) semaphores: Vec<CheckedSemaphore>,
    pub(super) pipes: Vec<PipeDecl>,
    pub(super) kernels: Vec<CheckedKernel<K>>,
    pub(super) tensors: Vec<TensorRef>,
    pub(super) l1: L1Plan,
}

impl<K> Checked<K> {
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub fn arch(&self) -> &Arch {
        &self.arch
    }

    /// The device whose tensors the program uses.
    pub fn device(&self) -> u64 {
        self.device
    }

    /// In the order of declaration.
    pub fn cbs(&self) -> &[CheckedCb] {
        &self.cbs
    }

    pub fn cb(&self, id: CbId) -> Option<&CheckedCb> {
        self.cbs.iter().find(|cb| cb.cb == id)
    }

    /// In the order of declaration.
    pub fn semaphores(&self) -> &[CheckedSemaphore] {
        &self.semaphores
    }

    pub fn semaphore(&self, id: SemId) -> Option<&CheckedSemaphore> {
        self.semaphores.iter().find(|s| s.semaphore == id)
    }

    /// In the order of declaration.
    pub fn kernels(&self) -> &[CheckedKernel<K>] {
        &self.kernels
    }

    /// In the order of declaration.
    pub fn pipes(&self) -> &[PipeDecl] {
        &self.pipes
    }

    /// The buffer whose blocks go through a pipe, by the pipe's position.
    pub fn buffer_of_pipe(&self, index: usize) -> Option<&CheckedCb> {
        let used = self.kernels.iter().flat_map(|k| &k.args).filter_map(|arg| arg.pipe.as_ref());
        let buffer = used.filter(|used| used.pipe.index as usize == index).find_map(|used| used.buffers.first());
        self.cb(*buffer?)
    }

    /// Every tensor that a kernel has or a buffer lies on, once, in the order of first use.
    pub fn tensors(&self) -> &[TensorRef] {
        &self.tensors
    }

    pub fn l1(&self) -> &L1Plan {
        &self.l1
    }
}

/// A circular buffer with its id and address, which are the same on all its cores.
#[derive(Clone, Debug)]
pub struct CheckedCb {
    pub cb: CbId,
    pub name: Arc<str>,
    pub cores: CoreSet,
    pub id: u32,
    pub address: u32,
    pub format: DataFormat,
    pub page_size: u32,
    pub pages: u32,
    /// The tensor whose shards the buffer is.
    pub tensor: Option<TensorRef>,
    /// The buffer that has the memory.
    pub shares: Option<CbId>,
    /// Indices of the kernels that push and pop.
    pub producers: Vec<usize>,
    pub consumers: Vec<usize>,
    /// What the compiler added it for, if it did.
    pub automatic: Option<TempKey>,
    pub site: Site,
}

/// A semaphore with its id and address.
#[derive(Clone, Debug)]
pub struct CheckedSemaphore {
    pub semaphore: SemId,
    pub name: Arc<str>,
    pub cores: CoreSet,
    pub id: u32,
    pub address: u32,
    pub init: u32,
    pub site: Site,
}

/// A kernel with all words of its arguments.
#[derive(Clone, Debug)]
pub struct CheckedKernel<K> {
    pub name: Arc<str>,
    pub role: Role,
    pub cores: CoreSet,
    pub config: Arc<ComputeConfig>,
    /// In the order of the parameters.
    pub args: Vec<Arg>,
    pub layout: ArgLayout,
    /// Of a foreign kernel: what it gets beside the words below.
    pub foreign: Option<CheckedForeign>,
    pub compile_args: Arc<[u32]>,
    /// Where the words of each accessor begin among the compile-time arguments.
    pub accessor_offsets: Vec<u32>,
    pub common_args: Arc<[u32]>,
    /// Unique runtime arguments of each core, in the order of `cores`.
    pub runtime_args: Vec<Vec<u32>>,
    pub site: Site,
    pub code: K,
}

impl<K> CheckedKernel<K> {
    pub fn runtime_args_of(&self, core: Core) -> Option<&[u32]> {
        self.runtime_args.get(self.cores.position(core)?).map(Vec::as_slice)
    }
}

/// Where semaphore `id` lies: the last 16-byte slots below what programs may use.
pub const fn semaphore_address(arch: &Arch, id: u32) -> u32 {
    const SLOT: u32 = 16;
    arch.l1_base - SLOT * (arch.semaphores - id)
}
