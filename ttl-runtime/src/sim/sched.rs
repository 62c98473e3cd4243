//! Epochs: running the threads of each core until they block, on one or several OS threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use corosensei::stack::DefaultStack;

use super::barrier::EpochBarrier;
use super::boundary::Boundary;
use super::core::{CoreState, Spares, Wait};
use super::error::{ErrorKind, SimError, count};
use super::launch::{Launch, Processor, RunOptions, RunReport, TensorLaunch};
use super::memory::{AllL1, Dram};
use super::noc::{Endpoints, Outgoing, What};
use super::pipes::PipeLaunch;
use super::registers::Phase;
use super::thread::Fiber;
use crate::arch::{Arch, Core};
use crate::site::Site;

/// Most OS threads of a run.
pub(super) const MAX_WORKERS: usize = 64;

/// What all cores may look at during a run; nobody changes it.
pub(super) struct Shared {
    pub(super) arch: Arch,
    pub(super) endpoints: Endpoints,
    /// Per core (by index): circular buffers and semaphores below the base, start and end.
    pub(super) low_regions: Vec<Vec<(u32, u32)>>,
    /// Per core (by index): it runs threads of the program.
    pub(super) takes_part: Vec<bool>,
    pub(super) tensors: Vec<TensorLaunch>,
    pub(super) pipes: Vec<PipeLaunch>,
    pub(super) options: RunOptions,
}

impl Shared {
    #[inline]
    pub(super) fn may_touch(&self, core: u32, addr: u32, size: u32) -> bool {
        let Some(end) = addr.checked_add(size) else {
            return false;
        };
        if addr >= self.arch.l1_base {
            return end <= self.arch.l1_size;
        }
        self.low_regions[core as usize].iter().any(|r| addr >= r.0 && end <= r.1)
    }

    pub(super) fn core_at(&self, index: u32) -> Core {
        Core::new(index % self.arch.grid_x, index / self.arch.grid_x)
    }
}

/// The cores of a run, dealt to the workers like cards: core `i` of the run belongs to worker `i % workers`.
pub(super) struct Cores {
    groups: Vec<Mutex<Vec<CoreState>>>,
    count: usize,
}

impl Cores {
    pub(super) fn new(list: Vec<CoreState>, workers: usize) -> Cores {
        let count = list.len();
        let mut groups: Vec<Vec<CoreState>> = (0..workers).map(|_| Vec::new()).collect();
        for (i, core) in list.into_iter().enumerate() {
            groups[i % workers].push(core);
        }
        Cores { groups: groups.into_iter().map(Mutex::new).collect(), count }
    }

    fn group(&self, worker: usize) -> MutexGuard<'_, Vec<CoreState>> {
        self.groups[worker].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All cores, in order, for the boundary.
    pub(super) fn lock(&self) -> AllCores<'_> {
        let mut guards = [const { None }; MAX_WORKERS];
        for (guard, group) in guards.iter_mut().zip(&self.groups) {
            *guard = Some(group.lock().unwrap_or_else(PoisonError::into_inner));
        }
        AllCores { guards, workers: self.groups.len(), count: self.count }
    }
}

pub(super) struct AllCores<'a> {
    guards: [Option<MutexGuard<'a, Vec<CoreState>>>; MAX_WORKERS],
    workers: usize,
    count: usize,
}

impl AllCores<'_> {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn get(&self, i: usize) -> &CoreState {
        match &self.guards[i % self.workers] {
            Some(group) => &group[i / self.workers],
            None => unreachable!("all groups are locked"),
        }
    }

    pub(super) fn get_mut(&mut self, i: usize) -> &mut CoreState {
        match &mut self.guards[i % self.workers] {
            Some(group) => &mut group[i / self.workers],
            None => unreachable!("all groups are locked"),
        }
    }

    /// The core of this index in the grid, if it takes part in the run. Cores are in the order of their indices.
    pub(super) fn by_index(&self, index: u32) -> Option<&CoreState> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            match self.get(middle).index.cmp(&index) {
                std::cmp::Ordering::Equal => return Some(self.get(middle)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &CoreState> {
        (0..self.count).map(|i| self.get(i))
    }
}

/// Runs a checked launch to its end.
pub(super) fn run(
    shared: &Shared,
    launch: &Launch<'_>,
    cores: Vec<CoreState>,
    l1: AllL1<'_>,
    dram: &mut Dram,
    spares: &mut Spares,
) -> Result<RunReport, SimError> {
    let workers = worker_count(shared.options.threads, cores.len());
    // Bodies by core and thread, in the order of `CoreState::threads`.
    let entries: Vec<Vec<&(dyn Fn() + Sync)>> =
        cores.iter().map(|c| launch.threads.iter().filter(|t| t.core == c.core).map(|t| t.entry).collect()).collect();
    let all = All {
        shared,
        entries,
        cores: Cores::new(cores, workers),
        dram: RwLock::new(std::mem::replace(dram, Dram::new(0, 0))),
        boundary: Mutex::new(Boundary::new(shared, l1)),
        pool: Mutex::new(std::mem::take(&mut spares.stacks)),
        barrier: EpochBarrier::new(workers),
        stop: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let all = &all;
        for w in 1..workers {
            // If the system gives no thread, nobody could take these cores: make it an error, not a hang.
            let spawned =
                std::thread::Builder::new().name(format!("ttl-sim-{w}")).spawn_scoped(scope, move || all.work(w));
            if spawned.is_err() {
                all.lost(w);
                break;
            }
        }
        all.work(0);
    });
    *dram = all.dram.into_inner().unwrap_or_else(PoisonError::into_inner);
    spares.stacks = all.pool.into_inner().unwrap_or_else(PoisonError::into_inner);
    let result = all.boundary.into_inner().unwrap_or_else(PoisonError::into_inner).finish(&all.cores);
    let groups = all.cores.groups.into_iter().map(|g| g.into_inner().unwrap_or_else(PoisonError::into_inner));
    groups.flatten().for_each(|core| spares.take_from(core));
    result
}

fn worker_count(wanted: usize, cores: usize) -> usize {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    // Meeting at the barrier costs more than a few cores gain.
    let wanted = if wanted == 0 { available().min(cores.div_ceil(8)) } else { wanted };
    wanted.clamp(1, MAX_WORKERS).min(cores.max(1))
}

struct All<'a> {
    shared: &'a Shared,
    entries: Vec<Vec<&'a (dyn Fn() + Sync)>>,
    cores: Cores,
    dram: RwLock<Dram>,
    boundary: Mutex<Boundary<'a>>,
    pool: Mutex<Vec<DefaultStack>>,
    barrier: EpochBarrier,
    stop: AtomicBool,
}

impl All<'_> {
    /// The life of one worker.
    fn work(&self, w: usize) {
        let guard = Abandon(&self.barrier);
        super::thread::watch(self.shared);
        let mut fibers = match self.fibers(w) {
            Ok(fibers) => fibers,
            Err(error) => {
                self.report(error);
                Vec::new()
            }
        };
        loop {
            if !self.stop.load(Ordering::Relaxed) && !fibers.is_empty() {
                let mut group = self.cores.group(w);
                let dram = self.dram.read().unwrap_or_else(PoisonError::into_inner);
                for (core, fibers) in group.iter_mut().zip(&mut fibers) {
                    run_core(core, fibers, self.shared, &dram);
                }
            }
            let complete = self.barrier.meet(|| {
                let mut boundary = self.boundary.lock().unwrap_or_else(PoisonError::into_inner);
                let mut dram = self.dram.write().unwrap_or_else(PoisonError::into_inner);
                if !boundary.run(&mut self.cores.lock(), &mut dram) {
                    self.stop.store(true, Ordering::Relaxed);
                }
            });
            if !complete || self.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        pool.extend(fibers.into_iter().flatten().map(Fiber::into_stack));
        drop(pool);
        std::mem::forget(guard);
    }

    fn fibers(&self, w: usize) -> Result<Vec<Vec<Fiber>>, SimError> {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let workers = self.cores.groups.len();
        let mine = self.entries.iter().skip(w).step_by(workers);
        mine.map(|entries| {
            let one = |(thread, &entry): (usize, &&(dyn Fn() + Sync))| {
                let stack =
                    pool.pop().map_or_else(|| DefaultStack::new(self.shared.options.stack_bytes), Ok).map_err(|e| {
                        SimError::new(ErrorKind::Launch, format!("no memory for the stack of a kernel thread: {e}"))
                            .help("use fewer cores, or smaller stacks: `RunOptions::stack_bytes`")
                    })?;
                // SAFETY: `entry` is borrowed by the launch, which outlives the scope of this worker, where the fiber ends.
                Ok(unsafe { Fiber::new(stack, thread, entry) })
            };
            entries.iter().enumerate().map(one).collect()
        })
        .collect()
    }

    fn report(&self, error: SimError) {
        let mut boundary = self.boundary.lock().unwrap_or_else(PoisonError::into_inner);
        boundary.fail(error);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// A worker that could not be started.
    fn lost(&self, w: usize) {
        let message = format!("the system gave no OS thread number {w} for the simulator");
        let error = SimError::new(ErrorKind::Launch, message);
        self.report(error.help("run on fewer threads: `RunOptions::threads`, or a higher limit of the system"));
        self.barrier.abandon();
    }
}

/// Lets the other workers go if this one panics (a bug in the simulator).
struct Abandon<'a>(&'a EpochBarrier);

impl Drop for Abandon<'_> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// One epoch of one core.
fn run_core(core: &mut CoreState, fibers: &mut [Fiber], shared: &Shared, dram: &Dram) {
    core.epoch += 1;
    if core.dice.is_some() {
        return run_core_by_chance(core, fibers, shared, dram);
    }
    loop {
        let mut ran = false;
        for (i, fiber) in fibers.iter_mut().enumerate() {
            if core.can_run(i) {
                ran = true;
                fiber.resume(core, shared, dram);
                if core.error.is_some() {
                    return;
                }
            }
        }
        if !ran {
            return;
        }
    }
}

/// As above with threads in random order, and sometimes an early end of the epoch.
fn run_core_by_chance(core: &mut CoreState, fibers: &mut [Fiber], shared: &Shared, dram: &Dram) {
    let slowness = core.slowness;
    if slowness > 1 && core.dice.as_mut().is_some_and(|dice| !dice.one_in(slowness)) {
        return;
    }
    loop {
        let ready = (0..fibers.len()).filter(|&i| core.can_run(i)).count() as u32;
        let Some(dice) = &mut core.dice else { return };
        if ready == 0 || dice.one_in(32) {
            return;
        }
        let pick = dice.below(ready) as usize;
        let Some(i) = (0..fibers.len()).filter(|&i| core.can_run(i)).nth(pick) else {
            return;
        };
        fibers[i].resume(core, shared, dram);
        if core.error.is_some() {
            return;
        }
    }
}

/// A kernel has returned: nothing of it may be unfinished.
pub(super) fn thread_ended(core: &mut CoreState, thread: usize) {
    core.end_line(thread);
    core.threads[thread].wait = Wait::Finished;
    core.threads[thread].site = Site::UNKNOWN;
    core.alive -= 1;
    core.progress += 1;
    if let Some(error) = unfinished(core, thread) {
        core.threads[thread].wait = Wait::Failed;
        core.error.get_or_insert(error);
    }
}

fn unfinished(core: &CoreState, thread: usize) -> Option<SimError> {
    let t = &core.threads[thread];
    let title = format!("`{}` ended", t.kernel);
    if let Some((name, site)) = core.zones.innermost(thread) {
        let error = core.error(thread, ErrorKind::EndOfKernel, format!("{title} inside of zone `{name}`"), site);
        return Some(error.help("leave the zone on every path"));
    }
    if let Some(read) = t.reads.first() {
        let message = format!("{title} with {} under way", count(t.reads.len() as u64, "read"));
        let error = core.error(thread, ErrorKind::EndOfKernel, message, read.site);
        return Some(error.help("call `noc_async_read_barrier` before the kernel ends"));
    }
    let sent = |writes: bool| {
        let is = |op: &&Outgoing| usize::from(op.thread) == thread && matches!(op.what, What::Write { .. }) == writes;
        let site = core.queue.list.iter().find(is).map_or(Site::UNKNOWN, |op| op.site);
        (core.queue.list.iter().filter(is).count() as u64, site)
    };
    if t.unacked.iter().any(|&n| n > 0) {
        let (n, site) = sent(true);
        let error =
            core.error(thread, ErrorKind::EndOfKernel, format!("{title} with {} under way", count(n, "write")), site);
        return Some(error.help("call `noc_async_write_barrier` before the kernel ends"));
    }
    if t.unsent_posted.iter().any(|&n| n > 0) {
        let is = |op: &&Outgoing| usize::from(op.thread) == thread && op.posted;
        let site = core.queue.list.iter().find(is).map_or(Site::UNKNOWN, |op| op.site);
        let message = format!("{title} with posted writes that have not left its core");
        let error = core.error(thread, ErrorKind::EndOfKernel, message, site);
        return Some(error.help("call `noc_async_posted_writes_flushed` before the kernel ends"));
    }
    if t.atomics.iter().any(|&n| n > 0) {
        let (n, site) = sent(false);
        let error = core.error(
            thread,
            ErrorKind::EndOfKernel,
            format!("{title} with {} under way", count(n, "increment")),
            site,
        );
        return Some(error.help("call `noc_async_atomic_barrier` before the kernel ends"));
    }
    if t.processor == Processor::Compute
        && let Some(unit) = &core.compute
        && unit.phase != Phase::Free
    {
        let (state, next) = unit.phase.describe();
        let message = format!("{title} while the tile registers are {state}");
        let error = core.error(thread, ErrorKind::EndOfKernel, message, unit.phase_site);
        return Some(error.help(format!("`{next}` is missing")));
    }
    None
}
