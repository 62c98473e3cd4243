//! What to run: circular buffers, semaphores and kernel threads as plain data, options, and the report of a run.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::debug::{Prints, ZoneReport};
use super::error::{ErrorKind, SimError};
use super::math::Numerics;
use super::pipes::PipeLaunch;
use super::reads::ReadLog;
use super::timeline::Timeline;
use crate::arch::{Arch, ComputeConfig, Core};
use crate::temps::TempKey;
use crate::tensor::format::DataFormat;

/// A processor of a core. The three compute processors run one kernel and count as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Processor {
    /// Data movement 0, by convention the writer.
    Brisc,
    /// Data movement 1, by convention the reader.
    Ncrisc,
    /// Unpacker, math and packer, which act as one thread.
    Compute,
}

impl Processor {
    /// As messages call it.
    pub const fn name(self) -> &'static str {
        match self {
            Processor::Brisc => "brisc",
            Processor::Ncrisc => "ncrisc",
            Processor::Compute => "compute",
        }
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One program, ready to run. The simulator checks it again ([`Launch::check`]).
#[derive(Clone, Debug, Default)]
pub struct Launch<'a> {
    /// Circular buffers, core by core.
    pub cbs: Vec<CbLaunch>,
    /// Semaphores, core by core.
    pub semaphores: Vec<SemLaunch>,
    /// Tensors that kernels reach through accessors; an access to a page that one does not have is an error.
    pub tensors: Vec<TensorLaunch>,
    /// Pipes, whose blocks must arrive where the receivers have room for them.
    pub pipes: Vec<PipeLaunch>,
    /// Kernel threads, core by core.
    pub threads: Vec<ThreadLaunch<'a>>,
}

/// A tensor in device memory.
#[derive(Clone, Debug)]
pub struct TensorLaunch {
    /// For messages.
    pub name: Arc<str>,
    /// Whether it lies in DRAM; in L1 otherwise.
    pub dram: bool,
    /// The address of its first page in each bank.
    pub base: u32,
    /// How many pages it has.
    pub pages: u64,
}

/// A circular buffer on one core.
#[derive(Clone, Debug)]
pub struct CbLaunch {
    /// On which core.
    pub core: Core,
    /// Its number there.
    pub id: u32,
    /// For messages.
    pub name: Arc<str>,
    /// The L1 address of its first page.
    pub addr: u32,
    /// Bytes of a page.
    pub page_size: u32,
    /// How many pages it has.
    pub num_pages: u32,
    /// What tiles in it are.
    pub format: DataFormat,
    /// The memory is a tensor's shard: pages that nobody takes are its contents.
    pub on_shard: bool,
    /// The kernels that fill and empty it.
    pub ends: CbEnds,
}

/// The kernels that have the ends of a circular buffer, by name, as far as is known: for messages.
#[derive(Clone, Debug, Default)]
pub struct CbEnds {
    /// Those that fill it.
    pub producers: Arc<[Arc<str>]>,
    /// Those that empty it.
    pub consumers: Arc<[Arc<str>]>,
}

/// A semaphore on one core; the word at `addr` is set to `init` when the program starts.
#[derive(Clone, Debug)]
pub struct SemLaunch {
    /// On which core.
    pub core: Core,
    /// Its number there.
    pub id: u32,
    /// For messages; empty if it has none.
    pub name: Arc<str>,
    /// The L1 address of its word.
    pub addr: u32,
    /// What it holds at first.
    pub init: u32,
}

/// A kernel on one processor of one core.
#[derive(Clone)]
pub struct ThreadLaunch<'a> {
    /// On which core.
    pub core: Core,
    /// On which processor of it.
    pub processor: Processor,
    /// The NoC of a data-movement kernel (`noc_index`).
    pub noc: u8,
    /// The kernel's name, for messages.
    pub kernel: Arc<str>,
    /// The body; it calls `sim::ops`.
    pub entry: &'a (dyn Fn() + Sync),
    /// Runtime arguments of this core.
    pub runtime_args: Vec<u32>,
    /// Runtime arguments that all cores share.
    pub common_args: Arc<[u32]>,
    /// Compile-time arguments.
    pub compile_args: Arc<[u32]>,
    /// Settings of a compute kernel; not used by the others.
    pub config: Arc<ComputeConfig>,
    /// Buffers of the compiler's in a compute kernel, with their ids.
    pub temps: Arc<[(TempKey, u32)]>,
}

impl fmt::Debug for ThreadLaunch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} `{}`", self.core, self.processor, self.kernel)
    }
}

/// In which order threads run, and when transfers land.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// The threads of a core in turn, each until it blocks; transfers as late as allowed.
    #[default]
    RoundRobin,
    /// Everything by chance from this seed: the same seed gives the same run, whatever the number of OS threads.
    Random(u64),
    /// As `Random`, and some cores are many times slower than the others, and each core gets a multicast in its own time, in the order that
    /// the NoC guarantees.
    Uneven(u64),
}

impl Schedule {
    /// What decides by chance, if anything does.
    pub fn seed(self) -> Option<u64> {
        match self {
            Schedule::RoundRobin => None,
            Schedule::Random(seed) | Schedule::Uneven(seed) => Some(seed),
        }
    }
}

/// How far a run is, for whoever watches it from another thread.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<(AtomicU64, AtomicU64)>);

impl Progress {
    /// Kernel threads that have finished, and all of them.
    pub fn get(&self) -> (u64, u64) {
        (self.0.0.load(Ordering::Relaxed), self.0.1.load(Ordering::Relaxed))
    }

    pub(super) fn start(&self, threads: usize) {
        self.0.0.store(0, Ordering::Relaxed);
        self.0.1.store(threads as u64, Ordering::Relaxed);
    }

    pub(super) fn finished(&self) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// OS threads; 0 means as many as the machine has. Does not change results.
    pub threads: usize,
    /// In which order threads run.
    pub schedule: Schedule,
    /// How closely the matrix unit is followed.
    pub numerics: Numerics,
    /// Pages left in a circular buffer when the program ends are an error.
    pub leftover_pages_are_errors: bool,
    /// Bytes of writes that one core may have under way before its next write waits for the NoC.
    pub write_queue_bytes: usize,
    /// Polls without any progress of the chip after which the run is given up as a livelock.
    pub poll_limit: u64,
    /// Bytes of stack of one kernel thread.
    pub stack_bytes: usize,
    /// How long a kernel may run without calling anything before the run is given up.
    pub stuck_after: Option<Duration>,
    /// What happens to the lines that kernels print.
    pub prints: Prints,
    /// Counts finished kernel threads while the program runs.
    pub progress: Option<Progress>,
    /// Gets every read from DRAM.
    pub dram_reads: Option<ReadLog>,
    /// Records what every thread did and waited for.
    pub timeline: Option<Timeline>,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            threads: 0,
            schedule: Schedule::RoundRobin,
            numerics: Numerics::Exact,
            leftover_pages_are_errors: true,
            write_queue_bytes: 64 * 1024,
            poll_limit: 1_000_000,
            stack_bytes: 256 * 1024,
            stuck_after: Some(Duration::from_secs(20)),
            prints: Prints::default(),
            progress: None,
            dram_reads: None,
            timeline: None,
        }
    }
}

/// What happened in a run. Equal for equal runs, whatever the number of OS threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct RunReport {
    /// Reads over the NoC.
    pub noc_reads: u64,
    /// Their bytes.
    pub noc_read_bytes: u64,
    /// Writes over the NoC, a multicast counted once.
    pub noc_writes: u64,
    /// Their bytes.
    pub noc_write_bytes: u64,
    /// Increments of words of other cores.
    pub noc_atomics: u64,
    /// Matrix-unit operations (copies included; a `matmul_block` counts its tile products).
    pub fpu_tiles: u64,
    /// Operations of the vector unit on a tile.
    pub sfpu_tiles: u64,
    /// Tiles packed.
    pub packed_tiles: u64,
    /// Pages pushed to circular buffers.
    pub pages_pushed: u64,
    /// Pages popped from them.
    pub pages_popped: u64,
    /// Times a kernel thread was resumed.
    pub switches: u64,
    /// Times a thread looked at memory again without anything else having happened.
    pub polls: u64,
    /// Epochs: how often all cores met.
    pub epochs: u64,
    /// The named zones of kernels, in the order of kernels and places.
    pub zones: Vec<ZoneReport>,
}

impl RunReport {
    pub(super) fn add(&mut self, o: &RunReport) {
        self.noc_reads += o.noc_reads;
        self.noc_read_bytes += o.noc_read_bytes;
        self.noc_writes += o.noc_writes;
        self.noc_write_bytes += o.noc_write_bytes;
        self.noc_atomics += o.noc_atomics;
        self.fpu_tiles += o.fpu_tiles;
        self.sfpu_tiles += o.sfpu_tiles;
        self.packed_tiles += o.packed_tiles;
        self.pages_pushed += o.pages_pushed;
        self.pages_popped += o.pages_popped;
        self.switches += o.switches;
        self.polls += o.polls;
        self.epochs += o.epochs;
    }
}

impl Launch<'_> {
    /// What the simulator relies on. The program builder's validation is stricter and has better places to point at.
    pub fn check(&self, arch: &Arch) -> Result<(), SimError> {
        let fail = |message: String| {
            let error = SimError::new(ErrorKind::Launch, message);
            Err(error.help("`validate` refuses it before: build the launch with a `Program`"))
        };
        let mut seen = HashSet::new();
        for cb in &self.cbs {
            let what = format!("circular buffer `{}` (id {}) on {}", cb.name, cb.id, cb.core);
            if !arch.contains(cb.core) {
                return fail(format!("{what}: the grid is {} x {}", arch.grid_x, arch.grid_y));
            }
            if cb.id >= arch.cb_ids {
                return fail(format!("{what}: ids go from 0 to {}", arch.cb_ids - 1));
            }
            if !seen.insert((cb.core, cb.id)) {
                return fail(format!("{what}: there are two of this id"));
            }
            if cb.num_pages == 0 || cb.num_pages > arch.cb_max_pages {
                return fail(format!("{what}: {} pages; 1 to {} are possible", cb.num_pages, arch.cb_max_pages));
            }
            if cb.page_size == 0 || !cb.page_size.is_multiple_of(16) || !cb.addr.is_multiple_of(16) {
                let (addr, size) = (cb.addr, cb.page_size);
                return fail(format!(
                    "{what}: address {addr:#x} and page size {size} must be multiples of 16, and not 0"
                ));
            }
            let end = u64::from(cb.addr) + u64::from(cb.page_size) * u64::from(cb.num_pages);
            if cb.addr < arch.l1_base || end > u64::from(arch.l1_size) {
                let (addr, base, size) = (cb.addr, arch.l1_base, arch.l1_size);
                return fail(format!(
                    "{what}: {addr:#x} to {end:#x} is outside of L1 for programs, {base:#x} to {size:#x}"
                ));
            }
        }
        seen.clear();
        for sem in &self.semaphores {
            let what = format!("semaphore {} on {}", sem.id, sem.core);
            if !arch.contains(sem.core) {
                return fail(format!("{what}: the grid is {} x {}", arch.grid_x, arch.grid_y));
            }
            if sem.id >= arch.semaphores {
                return fail(format!("{what}: ids go from 0 to {}", arch.semaphores - 1));
            }
            if !seen.insert((sem.core, sem.id)) {
                return fail(format!("{what}: there are two of this id"));
            }
            if !sem.addr.is_multiple_of(16) || u64::from(sem.addr) + 4 > u64::from(arch.l1_size) {
                return fail(format!("{what}: address {:#x} must be a multiple of 16 inside L1", sem.addr));
            }
        }
        let mut seen = HashSet::new();
        for t in &self.threads {
            let what = format!("kernel `{}` on {} {}", t.kernel, t.core, t.processor);
            if !arch.contains(t.core) {
                return fail(format!("{what}: the grid is {} x {}", arch.grid_x, arch.grid_y));
            }
            if !seen.insert((t.core, t.processor)) {
                return fail(format!("{what}: there are two kernels on this processor"));
            }
            if t.noc > 1 {
                return fail(format!("{what}: NoC {} does not exist; the chip has NoC 0 and 1", t.noc));
            }
            let args = t.runtime_args.len() + t.common_args.len();
            if args > arch.max_runtime_args as usize {
                return fail(format!("{what}: {args} runtime arguments; {} are possible", arch.max_runtime_args));
            }
        }
        Ok(())
    }
}
