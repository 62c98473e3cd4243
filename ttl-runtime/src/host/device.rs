//! Devices: memory for tensors, and programs run on it.

use super::checked_program::CheckedProgram;
use super::engine;
use super::error::{Error, Result};
use super::tensor::Tensor;
use crate::arch::{Arch, Core};
use crate::cores::{CoreRange, CoreSet};
use crate::program::{DeviceInfo, L1Tensor};
use crate::sim::{Machine, MemoryDifference, Progress, RunOptions, RunReport, Timeline};
use crate::tensor::accessor::PageAddr;
use crate::tensor::alloc::{DramAllocator, L1Allocator};
use crate::tensor::format::Element;
use crate::tensor::{HostTensor, MemoryConfig, TensorId, TensorRef, TensorSpec};
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the simulated chip runs kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// The Rust bodies, as rustc compiled them.
    #[default]
    Native,
    /// The generated C++, compiled for this machine.
    Cpp,
}

impl FromStr for Engine {
    type Err = Error;

    fn from_str(s: &str) -> Result<Engine> {
        match s {
            "native" => Ok(Engine::Native),
            "cpp" => Ok(Engine::Cpp),
            _ => Err(Error::Other(format!("there is no engine `{s}`\n  = help: there are `native` and `cpp`"))),
        }
    }
}

/// What stands behind a [`Device`]: the simulated chip, or a card.
pub trait Backend: fmt::Debug {
    /// Which chip it is.
    fn arch(&self) -> &Arch;
    /// Writes bytes of a page.
    fn write(&mut self, at: PageAddr, bytes: &[u8]) -> Result<()>;
    /// Reads bytes of a page.
    fn read(&self, at: PageAddr, bytes: &mut [u8]) -> Result<()>;
    /// Runs a program to its end.
    fn run(&mut self, program: &CheckedProgram) -> Result<RunReport>;
    /// Does what `run` needs once per program: compiles its C++, say.
    fn prepare(&mut self, program: &CheckedProgram) -> Result<()>;
    /// The simulated chip, if it is one.
    fn machine(&self) -> Option<&Machine>;
    /// How far the running program is, where that is known.
    fn progress(&self) -> Option<Progress>;
    /// What is recorded of runs, where they are.
    fn timeline(&self) -> Option<Timeline>;
}

/// Settings of a simulated device.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// The chip that is simulated.
    pub arch: Arch,
    /// How kernels run on it.
    pub engine: Engine,
    /// Threads, order, prints, numerics of each run.
    pub run: RunOptions,
}

impl Default for DeviceOptions {
    fn default() -> DeviceOptions {
        DeviceOptions { arch: Arch::blackhole(), engine: Engine::Native, run: RunOptions::default() }
    }
}

/// A chip: tensors in its memory, programs on its cores.
///
/// ```
/// # use half::bf16;
/// # use ttl_runtime::host::{Device, Result};
/// # use ttl_runtime::tensor::HostTensor;
/// # fn main() -> Result<()> {
/// let mut device = Device::open()?;
/// let host = HostTensor::normal([64, 96], 1)?;
/// let x = device.upload::<bf16>("x", &host)?;         // rounded to bf16, in tiles, in DRAM
/// let y = device.zeros::<bf16>("y", x.shape())?;
/// assert_eq!((x.pages(), y.tile_cols()), (6, 3));
/// assert_eq!(device.download(&y)?.get(0), Some(0.0));
/// device.free(x)?;                                    // memory is the caller's to give back
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Device {
    id: u64,
    backend: Box<dyn Backend>,
    dram: DramAllocator,
    l1: L1Allocator,
    l1_tensors: Vec<L1Tensor>,
    /// Tensors that were not freed.
    live: HashSet<TensorId>,
}

impl Device {
    /// The simulated Blackhole, native engine.
    pub fn open() -> Result<Device> {
        Device::with_options(DeviceOptions::default())
    }

    /// A simulated chip with settings of choice.
    pub fn with_options(options: DeviceOptions) -> Result<Device> {
        let chip = SimChip { machine: Machine::new(options.arch), engine: options.engine, options: options.run };
        Ok(Device::on(Box::new(chip)))
    }

    /// A device on any backend.
    pub fn on(backend: Box<dyn Backend>) -> Device {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let arch = *backend.arch();
        Device {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            backend,
            dram: DramAllocator::new(&arch),
            l1: L1Allocator::new(&arch),
            l1_tensors: vec![],
            live: HashSet::new(),
        }
    }

    /// The chip: its grid, memories, alignments.
    pub fn arch(&self) -> &Arch {
        self.backend.arch()
    }

    /// Every core that programs may use.
    pub fn grid(&self) -> CoreSet {
        let arch = self.arch();
        CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(arch.grid_x - 1, arch.grid_y - 1)))
    }

    /// Bytes of L1 of each core that circular buffers can take: what tensors in L1 leave.
    pub fn l1_left(&self) -> u32 {
        let arch = self.arch();
        let end = self.l1_tensors.iter().map(|t| t.address).fold(arch.l1_size, u32::min);
        end.saturating_sub(arch.l1_base)
    }

    pub(super) fn info(&self) -> DeviceInfo {
        DeviceInfo { l1_tensors: self.l1_tensors.clone(), ..DeviceInfo::new(*self.arch(), self.id) }
    }

    /// A tensor of zeros in DRAM.
    pub fn zeros<T: Element>(&mut self, name: &str, shape: &[usize]) -> Result<Tensor<T>> {
        self.zeros_in(name, shape, MemoryConfig::Dram)
    }

    /// A tensor of zeros.
    pub fn zeros_in<T: Element>(&mut self, name: &str, shape: &[usize], memory: MemoryConfig) -> Result<Tensor<T>> {
        self.zeros_of(name, TensorSpec::new(shape, T::FORMAT)?.with_memory(memory))
    }

    /// A row-major tensor of zeros: its pages are its rows, or the parts of them that lie in one shard.
    pub fn zeros_row_major<T: Element>(
        &mut self,
        name: &str,
        shape: &[usize],
        memory: MemoryConfig,
    ) -> Result<Tensor<T>> {
        self.zeros_of(name, TensorSpec::row_major(shape, T::FORMAT)?.with_memory(memory))
    }

    fn zeros_of<T: Element>(&mut self, name: &str, spec: TensorSpec) -> Result<Tensor<T>> {
        let tensor = self.allocate::<T>(name, spec)?;
        let bytes = vec![0; tensor.spec().page_size() as usize];
        for at in tensor.tensor.page_addresses(&{ *self.arch() })? {
            self.backend.write(at, &bytes)?;
        }
        Ok(tensor)
    }

    /// A copy of a host tensor in DRAM, in tiles of format `T`: rounded to it, padded with zeros to whole tiles.
    pub fn upload<T: Element>(&mut self, name: &str, host: &HostTensor) -> Result<Tensor<T>> {
        self.upload_in(name, host, MemoryConfig::Dram)
    }

    /// A copy of a host tensor.
    pub fn upload_in<T: Element>(&mut self, name: &str, host: &HostTensor, memory: MemoryConfig) -> Result<Tensor<T>> {
        self.upload_of(name, host, TensorSpec::new(host.shape(), T::FORMAT)?.with_memory(memory))
    }

    /// A copy of a host tensor in tiles whose padding holds `padding` instead of zero: what an operation over whole tiles needs, minus infinity
    /// for a maximum, say.
    pub fn upload_padded<T: Element>(
        &mut self,
        name: &str,
        host: &HostTensor,
        memory: MemoryConfig,
        padding: f32,
    ) -> Result<Tensor<T>> {
        let spec = TensorSpec::new(host.shape(), T::FORMAT)?.with_memory(memory);
        let bytes = host.padded_to_tiles(padding)?.to_tiles(T::FORMAT)?;
        let tensor = self.allocate::<T>(name, spec)?;
        self.write_pages(&tensor.tensor, &bytes)?;
        Ok(tensor)
    }

    /// A copy of a host tensor, row-major: its pages are its rows, or the parts of them that lie in one shard.
    pub fn upload_row_major<T: Element>(
        &mut self,
        name: &str,
        host: &HostTensor,
        memory: MemoryConfig,
    ) -> Result<Tensor<T>> {
        self.upload_of(name, host, TensorSpec::row_major(host.shape(), T::FORMAT)?.with_memory(memory))
    }

    fn upload_of<T: Element>(&mut self, name: &str, host: &HostTensor, spec: TensorSpec) -> Result<Tensor<T>> {
        // First what may fail without a trace.
        let bytes = spec.encode(host)?;
        let tensor = self.allocate::<T>(name, spec)?;
        self.write_pages(&tensor.tensor, &bytes)?;
        Ok(tensor)
    }

    /// A tiled tensor whose contents are given as the device has them: the bytes of its pages one after the other, in the tensor's order, in
    /// any number of parts.
    pub fn upload_packed<T: Element>(
        &mut self,
        name: &str,
        shape: &[usize],
        memory: MemoryConfig,
        parts: &[&[u8]],
    ) -> Result<Tensor<T>> {
        let spec = TensorSpec::new(shape, T::FORMAT)?.with_memory(memory);
        let page = spec.page_size() as usize;
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        if bytes as u64 != spec.bytes() || parts.iter().any(|part| !part.len().is_multiple_of(page)) {
            return Err(Error::Other(format!(
                "tensor `{name}` of shape {shape:?} has {} pages of {page} bytes, {bytes} bytes are given in {} parts\n  \
                 = help: give all bytes, each part as a number of whole pages",
                spec.pages(),
                parts.len()
            )));
        }
        let tensor = self.allocate::<T>(name, spec)?;
        let addresses = tensor.tensor.page_addresses(self.arch())?;
        for (at, page) in addresses.zip(parts.iter().flat_map(|part| part.chunks(page))) {
            self.backend.write(at, page)?;
        }
        Ok(tensor)
    }

    /// New contents for a tensor: programs that were validated with it can run again.
    pub fn write<T: Element>(&mut self, tensor: &Tensor<T>, host: &HostTensor) -> Result<()> {
        self.own(&tensor.tensor)?;
        if host.shape() != tensor.shape() {
            return Err(Error::Other(format!(
                "tensor `{}` has shape {:?}, the contents have {:?}\n  = help: give as many elements in each dimension",
                tensor.tensor.name,
                tensor.shape(),
                host.shape()
            )));
        }
        let bytes = tensor.spec().encode(host)?;
        self.write_pages(&tensor.tensor, &bytes)
    }

    /// All pages of a tensor, one after the other.
    fn write_pages(&mut self, tensor: &TensorRef, bytes: &[u8]) -> Result<()> {
        let pages = bytes.chunks(tensor.spec.page_size() as usize);
        for (at, page) in tensor.page_addresses(&{ *self.arch() })?.zip(pages) {
            self.backend.write(at, page)?;
        }
        Ok(())
    }

    /// The contents of a tensor, without padding.
    pub fn download<T: Element>(&self, tensor: &Tensor<T>) -> Result<HostTensor> {
        self.contents(&tensor.tensor)
    }

    /// As [`Device::download`], for a tensor of any element type.
    pub fn contents(&self, tensor: &TensorRef) -> Result<HostTensor> {
        let bytes = self.pages(tensor)?;
        Ok(tensor.spec.decode(&bytes)?)
    }

    /// The bytes of a tensor as the device has them, page after page, with its padding.
    pub fn pages(&self, tensor: &TensorRef) -> Result<Vec<u8>> {
        self.own(tensor)?;
        let page = tensor.spec.page_size() as usize;
        let mut bytes = vec![0; page * tensor.spec.pages()];
        for (at, chunk) in tensor.page_addresses(self.arch())?.zip(bytes.chunks_mut(page)) {
            self.backend.read(at, chunk)?;
        }
        Ok(bytes)
    }

    fn own(&self, tensor: &TensorRef) -> Result<()> {
        let name = &tensor.name;
        if tensor.device != self.id {
            return Err(Error::Other(format!("tensor `{name}` is on another device\n  = help: upload it to this one")));
        }
        if !self.live.contains(&tensor.id) {
            return Err(Error::Other(format!(
                "tensor `{name}` was freed, and its memory may hold another one\n  = help: free it after its last use, or make it again"
            )));
        }
        Ok(())
    }

    /// Refuses a program whose tensors are not all there.
    pub(super) fn own_all(&self, program: &str, tensors: &[TensorRef]) -> Result<()> {
        let refused = |e| Error::Other(format!("program `{program}`: {e}"));
        tensors.iter().try_for_each(|tensor| self.own(tensor)).map_err(refused)
    }

    fn allocate<T: Element>(&mut self, name: &str, spec: TensorSpec) -> Result<Tensor<T>> {
        let arch = *self.arch();
        spec.check(&arch)?;
        let per_bank = spec.bytes_per_bank(&arch)?;
        let address = if spec.memory().is_dram() {
            self.dram.alloc(per_bank, spec.bytes())?
        } else {
            let address = self.l1.alloc(per_bank)?;
            self.l1_tensors.push(L1Tensor { name: name.into(), address, bytes: per_bank as u32 });
            address
        };
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = TensorId(NEXT.fetch_add(1, Ordering::Relaxed));
        self.live.insert(id);
        Ok(Tensor::new(TensorRef { id, name: name.into(), spec: Arc::new(spec), address, device: self.id }))
    }

    /// Gives the memory of a tensor back. Using another handle to it, or a program with it, is an error from then on.
    pub fn free<T: Element>(&mut self, tensor: Tensor<T>) -> Result<()> {
        self.own(&tensor.tensor)?;
        let TensorRef { id, spec, address, .. } = &tensor.tensor;
        self.live.remove(id);
        let per_bank = spec.bytes_per_bank(self.arch())?;
        if spec.memory().is_dram() {
            self.dram.free(*address, per_bank);
        } else {
            self.l1.free(*address, per_bank);
            self.l1_tensors.retain(|t| t.address != *address);
        }
        Ok(())
    }

    /// Compiles what running the program needs. `run` does it too, if it was not done.
    pub fn prepare(&mut self, program: &CheckedProgram) -> Result<()> {
        self.backend.prepare(program)
    }

    /// Counts the kernels of the running program that have finished, to be watched from another thread.
    pub fn progress(&self) -> Option<Progress> {
        self.backend.progress()
    }

    /// What [`RunOptions::timeline`] records, if it is set.
    pub fn timeline(&self) -> Option<Timeline> {
        self.backend.timeline()
    }

    /// The first byte in which the memories of two simulated devices differ.
    pub fn first_difference(&self, other: &Device) -> Option<MemoryDifference> {
        self.backend.machine()?.first_difference(other.backend.machine()?)
    }

    /// Runs a program to its end.
    pub fn run(&mut self, program: &CheckedProgram) -> Result<RunReport> {
        if program.checked().device() != self.id {
            let name = program.name();
            return Err(Error::Other(format!(
                "program `{name}` was validated for another device\n  = help: validate it for this one"
            )));
        }
        self.own_all(program.name(), program.checked().tensors())?;
        self.backend.run(program)
    }
}

/// The simulated chip.
#[derive(Debug)]
struct SimChip {
    machine: Machine,
    engine: Engine,
    options: RunOptions,
}

impl Backend for SimChip {
    fn arch(&self) -> &Arch {
        self.machine.arch()
    }

    fn write(&mut self, at: PageAddr, bytes: &[u8]) -> Result<()> {
        match at {
            PageAddr::Dram { bank, addr } => self.machine.write_dram(bank, addr, bytes)?,
            PageAddr::L1 { x, y, addr } => self.machine.write_l1(self.worker(x, y)?, addr, bytes)?,
        }
        Ok(())
    }

    fn read(&self, at: PageAddr, bytes: &mut [u8]) -> Result<()> {
        match at {
            PageAddr::Dram { bank, addr } => self.machine.read_dram(bank, addr, bytes)?,
            PageAddr::L1 { x, y, addr } => self.machine.read_l1(self.worker(x, y)?, addr, bytes)?,
        }
        Ok(())
    }

    fn run(&mut self, program: &CheckedProgram) -> Result<RunReport> {
        match self.engine {
            Engine::Native => engine::run_native(&mut self.machine, program, &self.options),
            Engine::Cpp => engine::run_cpp(&mut self.machine, program, &self.options),
        }
    }

    fn prepare(&mut self, program: &CheckedProgram) -> Result<()> {
        match self.engine {
            Engine::Native => engine::build_foreign(self.machine.arch(), program).map(|_| ()),
            Engine::Cpp => engine::build_cpp(self.machine.arch(), program).map(|_| ()),
        }
    }

    fn machine(&self) -> Option<&Machine> {
        Some(&self.machine)
    }

    fn progress(&self) -> Option<Progress> {
        self.options.progress.clone()
    }

    fn timeline(&self) -> Option<Timeline> {
        self.options.timeline.clone()
    }
}

impl SimChip {
    fn worker(&self, x: u32, y: u32) -> Result<Core> {
        let found = self.machine.arch().logical_core(x, y);
        found.ok_or_else(|| {
            Error::Other(format!("internal error: there is no worker core at the NoC coordinates ({x}, {y})"))
        })
    }
}
