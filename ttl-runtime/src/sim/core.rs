//! The state of one core during a run, and what its threads wait for.

use std::sync::Arc;

use corosensei::stack::DefaultStack;

use super::cb::CbTable;
use super::debug::{Printed, Zones};
use super::dice::Dice;
use super::error::{ErrorKind, SimError, Who};
use super::launch::{Processor, RunReport, ThreadLaunch};
use super::math::Numerics;
use super::memory::L1View;
use super::noc::{CommandState, Outgoing, PendingRead, Queue, TRIDS};
use super::pipes::Announced;
use super::reads::DramRead;
use super::registers::ComputeUnit;
use super::timeline::Recorder;
use crate::arch::{ArchKind, Core};
use crate::site::Site;
use crate::temps::TempKey;

/// Why a thread is not running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    /// It can run.
    Ready,
    /// A poll failed: worth another try when something on this core has changed, or in the next epoch.
    Poll {
        progress: u64,
        epoch: u64,
    },
    /// Free pages, filled pages of a circular buffer (index into the table).
    Reserve {
        cb: usize,
        pages: u32,
    },
    Front {
        cb: usize,
        pages: u32,
    },
    SemaphoreEqual {
        addr: u32,
        value: u32,
    },
    SemaphoreMin {
        addr: u32,
        value: u32,
    },
    /// Reads from other cores, which land at a boundary.
    Reads {
        noc: u8,
        /// Only those with this transaction id.
        trid: Option<u8>,
    },
    Writes {
        noc: u8,
        trid: Option<u8>,
    },
    Atomics {
        noc: u8,
    },
    /// Held up by a random schedule.
    Delay {
        until: u64,
    },
    /// Room for another write in the queue: the boundary after this epoch makes it.
    QueueRoom {
        epoch: u64,
    },
    Finished,
    Failed,
}

#[derive(Debug)]
pub(super) struct ThreadState {
    pub(super) processor: Processor,
    pub(super) noc: u8,
    pub(super) kernel: Arc<str>,
    pub(super) runtime_args: Vec<u32>,
    pub(super) common_args: Arc<[u32]>,
    pub(super) compile_args: Arc<[u32]>,
    pub(super) temps: Arc<[(TempKey, u32)]>,
    pub(super) wait: Wait,
    /// Place of the call that waits.
    pub(super) site: Site,
    pub(super) reads: Vec<PendingRead>,
    /// Reads from other cores among `reads`, per NoC.
    pub(super) remote_reads: [u32; 2],
    /// Writes whose data has not left L1, and writes that have not arrived, per NoC.
    pub(super) uncaptured: [u32; 2],
    pub(super) unacked: [u32; 2],
    pub(super) atomics: [u32; 2],
    /// Posted writes that have not left L1, per NoC.
    pub(super) unsent_posted: [u32; 2],
    /// Writes that have not arrived, per NoC and transaction id.
    pub(super) unacked_ids: [[u32; TRIDS]; 2],
    /// What the command buffers of reads and of writes hold for the calls that say only a part of a transfer, per NoC.
    pub(super) read_state: [CommandState; 2],
    pub(super) write_state: [CommandState; 2],
    /// The last word read from L1 and how often in a row it was the same: a loop that does nothing else is a poll.
    pub(super) last_read: (u32, u32, u32),
    /// How often the thread had to wait.
    pub(super) waits: u64,
    /// The pipe whose receivers have room: what is sent next is its block.
    pub(super) sends_through: Option<u8>,
    /// Printed, but not to the end of a line.
    pub(super) line: String,
    /// Operations left before the thread must let others run even if it never blocks.
    pub(super) budget: u32,
}

/// See [`ThreadState::budget`]. Large enough that no ordinary kernel notices.
pub(super) const OP_BUDGET: u32 = 1 << 16;

impl ThreadState {
    /// A write has arrived.
    pub(super) fn acknowledge(&mut self, op: &Outgoing) {
        let noc = usize::from(op.noc);
        self.unacked[noc] -= 1;
        self.unacked_ids[noc][usize::from(op.trid)] -= 1;
    }
}

#[derive(Debug)]
pub(super) struct CoreState {
    pub(super) core: Core,
    pub(super) index: u32,
    pub(super) l1: L1View,
    pub(super) cbs: CbTable,
    /// (id, address, name) of the semaphores.
    pub(super) semaphores: Vec<(u32, u32, Arc<str>)>,
    pub(super) threads: Vec<ThreadState>,
    pub(super) queue: Queue,
    pub(super) compute: Option<Box<ComputeUnit>>,
    /// Goes up whenever something happens that another thread of this core may wait for.
    pub(super) progress: u64,
    pub(super) epoch: u64,
    /// Threads that have not finished.
    pub(super) alive: usize,
    pub(super) dice: Option<Dice>,
    /// The core runs in one of so many epochs, by chance.
    pub(super) slowness: u32,
    /// Room for blocks of pipes.
    pub(super) announced: Vec<Announced>,
    /// Reads from DRAM, where they are logged.
    pub(super) dram_reads: Vec<DramRead>,
    /// Where the run is recorded.
    pub(super) recorder: Option<Box<Recorder>>,
    pub(super) counters: RunReport,
    /// Lines since the last boundary.
    pub(super) printed: Vec<Printed>,
    pub(super) zones: Zones,
    pub(super) error: Option<SimError>,
}

/// Memory of runs before, for the next one.
#[derive(Default)]
pub(super) struct Spares {
    /// Stacks of kernel threads, all of one size.
    pub(super) stacks: Vec<DefaultStack>,
    pub(super) queues: Vec<Queue>,
    pub(super) units: Vec<Box<ComputeUnit>>,
}

impl Spares {
    pub(super) fn take_from(&mut self, core: CoreState) {
        let mut queue = core.queue;
        queue.clear();
        self.queues.push(queue);
        self.units.extend(core.compute);
    }
}

impl CoreState {
    pub(super) fn new(core: Core, index: u32, l1: L1View, dice: Option<Dice>, spares: &mut Spares) -> CoreState {
        CoreState {
            core,
            index,
            l1,
            cbs: CbTable::new(),
            semaphores: Vec::new(),
            threads: Vec::new(),
            queue: spares.queues.pop().unwrap_or_default(),
            compute: None,
            progress: 0,
            epoch: 0,
            alive: 0,
            dice,
            slowness: 1,
            announced: Vec::new(),
            dram_reads: Vec::new(),
            recorder: None,
            counters: RunReport::default(),
            printed: Vec::new(),
            zones: Zones::default(),
            error: None,
        }
    }

    pub(super) fn add_thread(&mut self, l: &ThreadLaunch<'_>, arch: ArchKind, numerics: Numerics, spares: &mut Spares) {
        if l.processor == Processor::Compute {
            self.compute = Some(match spares.units.pop() {
                None => Box::new(ComputeUnit::new(&l.config, arch, numerics)),
                Some(mut unit) => {
                    unit.reset(&l.config, arch, numerics);
                    unit
                }
            });
        }
        self.alive += 1;
        self.threads.push(ThreadState {
            processor: l.processor,
            noc: l.noc,
            kernel: l.kernel.clone(),
            runtime_args: l.runtime_args.clone(),
            common_args: l.common_args.clone(),
            compile_args: l.compile_args.clone(),
            temps: l.temps.clone(),
            wait: Wait::Ready,
            site: Site::UNKNOWN,
            reads: Vec::new(),
            remote_reads: [0; 2],
            uncaptured: [0; 2],
            unacked: [0; 2],
            atomics: [0; 2],
            unsent_posted: [0; 2],
            unacked_ids: [[0; TRIDS]; 2],
            read_state: Default::default(),
            write_state: Default::default(),
            last_read: (u32::MAX, 0, 0),
            waits: 0,
            sends_through: None,
            line: String::new(),
            budget: OP_BUDGET,
        });
    }

    /// The unfinished line of a thread, as a line.
    pub(super) fn end_line(&mut self, thread: usize) {
        let text = std::mem::take(&mut self.threads[thread].line);
        if !text.is_empty() {
            self.printed.push(Printed { who: self.who(thread), text });
        }
    }

    pub(super) fn who(&self, thread: usize) -> Who {
        let t = &self.threads[thread];
        Who { core: self.core, processor: t.processor, kernel: t.kernel.clone() }
    }

    /// `ncrisc kernel 'read'` in messages about this core.
    pub(super) fn thread_title(&self, thread: usize) -> String {
        let t = &self.threads[thread];
        format!("{} kernel `{}`", t.processor, t.kernel)
    }

    /// An error of this thread.
    #[cold]
    pub(super) fn error(&self, thread: usize, kind: ErrorKind, message: impl Into<String>, site: Site) -> SimError {
        SimError::new(kind, message).label(site, "").who(self.who(thread))
    }

    #[inline]
    pub(super) fn can_run(&self, thread: usize) -> bool {
        let t = &self.threads[thread];
        match t.wait {
            Wait::Ready => true,
            Wait::Poll { progress, epoch } => progress != self.progress || epoch != self.epoch,
            Wait::Reserve { cb, pages } => self.cbs.list[cb].free() >= pages,
            Wait::Front { cb, pages } => self.cbs.list[cb].available() >= pages,
            Wait::SemaphoreEqual { addr, value } => self.l1.word(addr) == value,
            Wait::SemaphoreMin { addr, value } => self.l1.word(addr) >= value,
            Wait::Reads { noc, trid: None } => t.remote_reads[usize::from(noc)] == 0,
            Wait::Reads { noc, trid: Some(id) } => !t.reads.iter().any(|r| r.noc == noc && r.trid == id),
            Wait::Writes { noc, trid: None } => t.unacked[usize::from(noc)] == 0,
            Wait::Writes { noc, trid: Some(id) } => t.unacked_ids[usize::from(noc)][usize::from(id)] == 0,
            Wait::Atomics { noc } => t.atomics[usize::from(noc)] == 0,
            Wait::QueueRoom { epoch } => epoch != self.epoch,
            Wait::Delay { until } => self.epoch >= until,
            Wait::Finished | Wait::Failed => false,
        }
    }

    /// A failed poll of the running thread.
    pub(super) fn poll(&mut self) -> Wait {
        self.counters.polls += 1;
        Wait::Poll { progress: self.progress, epoch: self.epoch }
    }
}
