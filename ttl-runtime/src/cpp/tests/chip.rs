//! A chip with tensors and a launch made by hand, for the tests that run kernels.

use std::sync::Arc;

use crate::arch::{Arch, ArchKind, ComputeConfig, Core};
use crate::cpp::{CppCompiler, CppKernel, CppSource, KernelKind};
use crate::sim::{
    CbLaunch, Launch, Machine, Processor, RunOptions, RunReport, SemLaunch, SimError, TensorLaunch, ThreadLaunch,
};
use crate::tensor::accessor::PageAddr;
use crate::tensor::format::DataFormat;
use crate::tensor::host::HostTensor;
use crate::tensor::memory::MemoryConfig;
use crate::tensor::spec::TensorSpec;

/// The text of a kernel in `kernels/`, as a source.
macro_rules! kernel {
    ($name:literal, $kind:expr) => {
        $crate::cpp::CppSource::new(
            $name,
            include_str!(concat!("kernels/", $name)),
            $kind,
            $crate::arch::ArchKind::Blackhole,
        )
    };
}
pub(super) use kernel;

pub(super) const READER: KernelKind = KernelKind::DataMovement { noc: 0 };
pub(super) const WRITER: KernelKind = KernelKind::DataMovement { noc: 1 };

pub(super) fn compute(config: ComputeConfig) -> KernelKind {
    KernelKind::Compute(config)
}

/// The compiler, with a cache that goes when the build folder does.
pub(super) fn compiler() -> CppCompiler {
    let exe = std::env::current_exe().unwrap();
    CppCompiler::find().expect("the tests need a C++ compiler").with_cache(exe.with_file_name("ttl-kernels"))
}

/// A tensor in the chip's memory.
pub(super) struct Placed {
    pub(super) spec: TensorSpec,
    pub(super) base: u32,
    pub(super) words: Vec<u32>,
}

pub(super) struct Chip {
    pub(super) machine: Machine,
    pub(super) cbs: Vec<CbLaunch>,
    pub(super) semaphores: Vec<SemLaunch>,
    pub(super) tensors: Vec<TensorLaunch>,
    threads: Vec<Thread>,
    dram: u32,
    l1_top: u32,
    pub(super) options: RunOptions,
}

struct Thread {
    core: Core,
    source: CppSource,
    runtime_args: Vec<u32>,
    common_args: Vec<u32>,
}

impl Chip {
    pub(super) fn new() -> Chip {
        let arch = Arch::blackhole();
        Chip {
            machine: Machine::new(arch),
            cbs: Vec::new(),
            semaphores: Vec::new(),
            tensors: Vec::new(),
            threads: Vec::new(),
            dram: 0x10000,
            l1_top: arch.l1_size,
            options: RunOptions::default(),
        }
    }

    pub(super) fn arch(&self) -> Arch {
        *self.machine.arch()
    }

    /// Room for a tensor; L1 tensors from the top of L1, DRAM tensors from the bottom.
    pub(super) fn place(&mut self, shape: &[usize], format: DataFormat, memory: MemoryConfig) -> Placed {
        let arch = self.arch();
        let in_dram = memory == MemoryConfig::Dram;
        let spec = TensorSpec::new(shape, format).unwrap().with_memory(memory);
        let bytes = spec.bytes_per_bank(&arch).unwrap() as u32;
        let base = if in_dram {
            self.dram += bytes;
            self.dram - bytes
        } else {
            self.l1_top -= bytes;
            self.l1_top
        };
        let pages = spec.pages() as u64;
        self.tensors.push(TensorLaunch { name: Arc::from("tensor"), dram: in_dram, base, pages });
        Placed { words: spec.accessor_words(&arch).unwrap(), spec, base }
    }

    /// A tensor in DRAM with these values.
    pub(super) fn tensor(&mut self, shape: &[usize], format: DataFormat, f: impl Fn(usize) -> f32) -> Placed {
        let placed = self.place(shape, format, MemoryConfig::Dram);
        self.fill(&placed, f);
        placed
    }

    pub(super) fn fill(&mut self, placed: &Placed, f: impl Fn(usize) -> f32) {
        let format = placed.spec.format();
        let values: Vec<f32> = (0..placed.spec.elements()).map(f).collect();
        let bytes = HostTensor::from_vec(placed.spec.shape(), values).unwrap().to_tiles(format).unwrap();
        let arch = self.arch();
        let accessor = placed.spec.accessor(&arch).unwrap();
        for (page, bytes) in bytes.chunks(format.tile_bytes() as usize).enumerate() {
            match accessor.locate(placed.base, page as u32, 0) {
                PageAddr::Dram { bank, addr } => self.machine.write_dram(bank, addr, bytes).unwrap(),
                PageAddr::L1 { x, y, addr } => {
                    self.machine.write_l1(arch.logical_core(x, y).unwrap(), addr, bytes).unwrap()
                }
            }
        }
    }

    pub(super) fn values(&self, placed: &Placed) -> Vec<f32> {
        let format = placed.spec.format();
        let arch = self.arch();
        let accessor = placed.spec.accessor(&arch).unwrap();
        let mut bytes = vec![0; placed.spec.pages() * format.tile_bytes() as usize];
        for (page, bytes) in bytes.chunks_mut(format.tile_bytes() as usize).enumerate() {
            match accessor.locate(placed.base, page as u32, 0) {
                PageAddr::Dram { bank, addr } => self.machine.read_dram(bank, addr, bytes).unwrap(),
                PageAddr::L1 { x, y, addr } => {
                    self.machine.read_l1(arch.logical_core(x, y).unwrap(), addr, bytes).unwrap()
                }
            }
        }
        HostTensor::from_tiles(placed.spec.shape(), format, &bytes).unwrap().to_f32_vec()
    }

    /// A circular buffer on each of the cores, behind those that are there.
    pub(super) fn cb(&mut self, cores: &[Core], id: u32, num_pages: u32, format: DataFormat) {
        let base = self.arch().l1_base + 1024;
        let addr = self.cbs.iter().map(|c| c.addr + c.page_size * c.num_pages).max().unwrap_or(base);
        let (page_size, name) = (format.tile_bytes(), Arc::from(format!("cb{id}")));
        for &core in cores {
            self.cbs.push(CbLaunch {
                core,
                id,
                name: Arc::clone(&name),
                addr,
                page_size,
                num_pages,
                format,
                on_shard: false,
                ends: Default::default(),
            });
        }
    }

    pub(super) fn semaphore(&mut self, cores: &[Core], id: u32, init: u32) {
        let addr = self.arch().l1_base + id * 16;
        self.semaphores.extend(cores.iter().map(|&core| SemLaunch { core, id, name: "".into(), addr, init }));
    }

    /// A kernel on one core. Formats of buffers that are there become constants.
    pub(super) fn kernel(&mut self, core: Core, source: &CppSource, runtime_args: &[u32], common_args: &[u32]) {
        let mut source = source.clone();
        source.cb_formats = self.cbs.iter().filter(|c| c.core == core).map(|c| (c.id, c.format)).collect();
        self.threads.push(Thread {
            core,
            source,
            runtime_args: runtime_args.to_vec(),
            common_args: common_args.to_vec(),
        });
    }

    pub(super) fn build(&self) -> Vec<Arc<CppKernel>> {
        let sources: Vec<CppSource> = self.threads.iter().map(|t| t.source.clone()).collect();
        compiler().build(&sources).unwrap_or_else(|e| panic!("{e}"))
    }

    pub(super) fn run(&mut self) -> Result<RunReport, SimError> {
        let kernels = self.build();
        self.run_built(&kernels)
    }

    pub(super) fn run_built(&mut self, kernels: &[Arc<CppKernel>]) -> Result<RunReport, SimError> {
        let threads = self.threads.iter().zip(kernels).map(|(t, kernel)| {
            let (processor, noc, config) = match &t.source.kind {
                KernelKind::DataMovement { noc: 0 } => (Processor::Ncrisc, 0, ComputeConfig::default()),
                KernelKind::DataMovement { noc } => (Processor::Brisc, *noc, ComputeConfig::default()),
                KernelKind::Compute(config) => (Processor::Compute, 0, config.clone()),
            };
            ThreadLaunch {
                core: t.core,
                processor,
                noc,
                kernel: Arc::from(kernel.name()),
                entry: kernel.entry(),
                runtime_args: t.runtime_args.clone(),
                common_args: t.common_args.as_slice().into(),
                compile_args: t.source.compile_args.as_slice().into(),
                config: Arc::new(config),
                temps: Arc::default(),
            }
        });
        let launch = Launch {
            cbs: self.cbs.clone(),
            semaphores: self.semaphores.clone(),
            threads: threads.collect(),
            tensors: self.tensors.clone(),
            pipes: Vec::new(),
        };
        self.machine.run(&launch, &self.options)
    }
}

/// The one data-movement kernel of one core, with one argument: how mistakes in kernels are tried.
pub(super) fn run_alone(text: &str, kind: KernelKind, arg: u32) -> Result<RunReport, SimError> {
    let mut chip = Chip::new();
    let core = Core::new(0, 0);
    chip.cb(&[core], 0, 2, DataFormat::Bf16);
    chip.semaphore(&[core], 0, 0);
    chip.kernel(core, &CppSource::new("alone.cpp", text, kind, ArchKind::Blackhole), &[arg], &[]);
    chip.run()
}
