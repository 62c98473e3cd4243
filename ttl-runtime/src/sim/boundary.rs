//! The boundary between two epochs: operations arrive, and it is decided whether and how the run goes on.
//!
//! Everything here happens on one OS thread in an order that depends on the program (and the seed) only.

use super::air::Air;
use super::cb::Cb;
use super::core::{CoreState, Wait};
use super::deadlock;
use super::dice::Dice;
use super::error::{ErrorKind, SimError, count};
use super::launch::{RunReport, Schedule};
use super::memory::{AllL1, Dram, L1View};
use super::noc::{Outgoing, Remote, Source, What};
use super::pipes;
use super::sched::{AllCores, Cores, Shared};
use super::timeline;

/// Epochs of mere polling after which writes that nobody waits for arrive anyway: a poll of another core's write must end.
const PATIENCE: u32 = 16;

pub(super) struct Boundary<'a> {
    shared: &'a Shared,
    l1: AllL1<'a>,
    dice: Option<Dice>,
    /// Multicasts on their way, if receivers get them in their own time.
    air: Option<Air>,
    outcome: Option<Result<(), SimError>>,
    epochs: u64,
    /// Sums over the cores at the last boundary.
    progress: u64,
    polls: u64,
    /// Polls and epochs since something else happened.
    idle_polls: u64,
    idle_epochs: u32,
}

impl<'a> Boundary<'a> {
    pub(super) fn new(shared: &'a Shared, l1: AllL1<'a>) -> Boundary<'a> {
        let dice = shared.options.schedule.seed().map(|seed| Dice::new(seed, u64::MAX >> 1));
        let air = matches!(shared.options.schedule, Schedule::Uneven(_)).then(Air::default);
        Boundary {
            shared,
            l1,
            dice,
            air,
            outcome: None,
            epochs: 0,
            progress: 0,
            polls: 0,
            idle_polls: 0,
            idle_epochs: 0,
        }
    }

    pub(super) fn fail(&mut self, error: SimError) {
        self.outcome.get_or_insert(Err(error));
    }

    /// Returns whether the run goes on.
    pub(super) fn run(&mut self, cores: &mut AllCores<'_>, dram: &mut Dram) -> bool {
        self.epochs += 1;
        self.hand_out_lines(cores);
        if self.shared.options.timeline.is_some() {
            timeline::epoch_ends(cores);
        }
        if self.outcome.is_some() {
            return false;
        }
        self.outcome = self.step(cores, dram).transpose();
        self.outcome.is_none()
    }

    /// What kernels printed since the last boundary.
    fn hand_out_lines(&self, cores: &mut AllCores<'_>) {
        let prints = &self.shared.options.prints;
        if !prints.are_on() {
            return;
        }
        for i in 0..cores.len() {
            cores.get_mut(i).printed.drain(..).for_each(|line| prints.line(&line));
        }
    }

    /// `Some` ends the run.
    fn step(&mut self, cores: &mut AllCores<'_>, dram: &mut Dram) -> Result<Option<()>, SimError> {
        if let Some(error) = first_error(cores) {
            return Err(error);
        }
        let mut moved = self.land(cores)?;
        moved |= self.deliver(cores, dram)?;
        moved |= self.remote_reads(cores);
        if cores.iter().all(|c| c.alive == 0) {
            // Posted writes: nobody has waited for them, and they arrive all the same.
            for i in 0..cores.len() {
                cores.get_mut(i).queue.mark_due(|_| true);
            }
            self.deliver(cores, dram)?;
            self.land_those(cores, |_, _, _| true)?;
            return self.leftovers(cores).map(Some);
        }
        let progress = cores.iter().map(|c| c.progress).sum();
        let polls = cores.iter().map(|c| c.counters.polls).sum();
        if moved || progress != self.progress {
            (self.idle_polls, self.idle_epochs) = (0, 0);
        } else {
            self.idle_polls += polls - self.polls;
            self.idle_epochs += 1;
        }
        (self.progress, self.polls) = (progress, polls);
        if moved {
            return Ok(None);
        }
        let can_go_on = |c: &super::core::CoreState| {
            (0..c.threads.len())
                .any(|t| matches!(c.threads[t].wait, Wait::Poll { .. } | Wait::Delay { .. }) || c.can_run(t))
        };
        let going_on = cores.iter().any(can_go_on);
        if !going_on || self.idle_epochs > PATIENCE {
            let mut pending = false;
            for i in 0..cores.len() {
                let queue = &mut cores.get_mut(i).queue;
                queue.mark_due(|_| true);
                pending |= queue.due > 0;
            }
            if pending {
                self.deliver(cores, dram)?;
                self.idle_epochs = 0;
                return Ok(None);
            }
        }
        if !going_on {
            return Err(deadlock::report(self.shared, cores, false));
        }
        if self.idle_polls > self.shared.options.poll_limit {
            return Err(deadlock::report(self.shared, cores, true).numbers(format!(
                "{} polls in {} epochs without any other progress",
                self.idle_polls, self.idle_epochs
            )));
        }
        Ok(None)
    }

    /// Applies what is due, in order of cores and of issue (a random schedule takes the cores in another order). Returns whether
    /// there was anything.
    fn deliver(&mut self, cores: &mut AllCores<'_>, dram: &mut Dram) -> Result<bool, SimError> {
        let count = cores.len();
        let first = self.dice.as_mut().map_or(0, |d| d.below(count.max(1) as u32) as usize);
        let mut moved = false;
        for k in 0..count {
            let i = (first + k) % count;
            let core = cores.get_mut(i);
            if let Some(dice) = &mut self.dice
                && !core.queue.list.is_empty()
                && dice.one_in(4)
            {
                core.queue.mark_due(|_| true);
            }
            if core.queue.due == 0 {
                continue;
            }
            moved = true;
            let from = core.index;
            let mut queue = std::mem::take(&mut core.queue);
            for op in queue.list.iter().filter(|op| op.due) {
                let noc = usize::from(op.noc);
                let in_the_air =
                    self.air.is_some() && matches!((op.dest, op.what), (Remote::Many { .. }, What::Write { .. }));
                if !in_the_air {
                    self.land_before(cores, i, op)?;
                }
                match op.what {
                    What::Increment { by } => {
                        cores.get_mut(i).threads[usize::from(op.thread)].atomics[noc] -= u32::from(!op.posted);
                        let mut add = |core, addr| {
                            let l1 = self.l1.to(core);
                            l1.set_word(addr, l1.word(addr).wrapping_add(by));
                        };
                        match op.dest {
                            Remote::L1 { core, addr } => add(core, addr),
                            Remote::Many { cores: rectangle, addr } => {
                                rectangle.indices(self.shared.arch.grid_x).for_each(|core| add(core, addr));
                            }
                            Remote::Dram { .. } => {}
                        }
                    }
                    What::Write { source, size } => {
                        let thread = &mut cores.get_mut(i).threads[usize::from(op.thread)];
                        if !op.posted && !in_the_air {
                            thread.acknowledge(op);
                        }
                        if matches!(source, Source::L1(_)) {
                            let left = if op.posted { &mut thread.unsent_posted } else { &mut thread.uncaptured };
                            left[noc] -= 1;
                            queue.uncaptured -= 1;
                        }
                        queue.bytes -= size as usize;
                        let own = self.l1.from(from);
                        let bytes = match source {
                            Source::L1(at) => Bytes::InL1(&own, at),
                            Source::Captured(offset) => Bytes::Copied(queue.arena.bytes(offset, size as usize)),
                        };
                        match op.dest {
                            Remote::Dram { bank, addr } => dram.write(bank, addr, bytes.get(size)),
                            Remote::L1 { core, addr } => {
                                self.welcome(cores, i, op, core, addr, size)?;
                                bytes.copy_to(self.l1.to(core), addr, size);
                            }
                            Remote::Many { cores: rectangle, addr } => {
                                let receivers = rectangle.indices(self.shared.arch.grid_x);
                                if let Some(air) = &mut self.air {
                                    air.send(i, *op, addr, bytes.get(size), receivers);
                                    continue;
                                }
                                for core in receivers {
                                    self.welcome(cores, i, op, core, addr, size)?;
                                    bytes.copy_to(self.l1.to(core), addr, size);
                                }
                            }
                        }
                    }
                }
            }
            queue.remove_due();
            cores.get_mut(i).queue = queue;
        }
        Ok(moved)
    }

    /// Lets some multicasts reach some of their receivers. Returns whether there were any on their way.
    fn land(&mut self, cores: &mut AllCores<'_>) -> Result<bool, SimError> {
        let (Some(air), Some(dice)) = (&self.air, &mut self.dice) else { return Ok(false) };
        if air.is_empty() {
            return Ok(false);
        }
        let some = Air::some_streams(dice);
        self.land_those(cores, some)?;
        Ok(true)
    }

    /// What was multicast the same way before `op` arrives before it.
    fn land_before(&mut self, cores: &mut AllCores<'_>, sender: usize, op: &Outgoing) -> Result<(), SimError> {
        if self.air.as_ref().is_none_or(Air::is_empty) {
            return Ok(());
        }
        let to = match op.dest {
            Remote::L1 { core, .. } => Some(core),
            Remote::Many { .. } => None,
            Remote::Dram { .. } => return Ok(()),
        };
        self.land_those(cores, |from, cast, core| {
            Air::same_way((from, cast), (sender, op)) && to.is_none_or(|to| to == core)
        })
    }

    fn land_those(
        &mut self,
        cores: &mut AllCores<'_>,
        which: impl FnMut(usize, &Outgoing, u32) -> bool,
    ) -> Result<(), SimError> {
        let Some(mut air) = self.air.take() else { return Ok(()) };
        let arrived = air.land(which, |(sender, op, core, addr, bytes)| {
            self.welcome(cores, sender, op, core, addr, bytes.len() as u32)?;
            self.l1.to(core).bytes_mut(addr, bytes.len()).copy_from_slice(bytes);
            Ok(())
        });
        self.air = Some(air);
        for (sender, op) in arrived? {
            if !op.posted {
                cores.get_mut(sender).threads[usize::from(op.thread)].acknowledge(&op);
            }
        }
        Ok(())
    }

    /// Data that arrives in a circular buffer of a core goes to pages which that core has reserved: any others may be in use.
    /// A buffer that no thread there has touched yet is plain memory. So is a tensor's shard, whose address others know without the
    /// buffer, but for the pages that are pushed and not yet popped.
    fn welcome(
        &self,
        cores: &AllCores<'_>,
        sender: usize,
        op: &Outgoing,
        core: u32,
        addr: u32,
        size: u32,
    ) -> Result<(), SimError> {
        let Some(there) = cores.by_index(core) else { return Ok(()) };
        pipes::arrives(&self.shared.pipes, cores.get(sender), op, there, addr, size)?;
        let reserved = |c: &Cb| c.overlaps(addr, size) && c.within(c.write_page, c.reserved, addr, size);
        let outside = |c: &&Cb| {
            c.overlaps(addr, size)
                && match c.on_shard {
                    true => c.overlaps_pages(c.read_page, c.available(), addr, size),
                    false => (c.producer.is_some() || c.consumer.is_some()) && !reserved(c),
                }
        };
        // Which of several buffers in one memory it is for can be told if only one of them has reserved there.
        let mut turns = there.cbs.list.iter().enumerate().filter(|(_, c)| c.shares && reserved(c)).map(|(i, _)| i);
        if let (Some(turn), None) = (turns.next(), turns.next())
            && there.cbs.overwrites(turn, addr, size).is_none()
        {
            there.cbs.fills(turn, addr, size, op.site);
        }
        let Some(cb) = there.cbs.list.iter().find(outside) else { return Ok(()) };
        // Of buffers in one memory it is the turn of one.
        if cb.shares
            && let Some(turn) = there.cbs.list.iter().position(reserved)
        {
            let error =
                |message| cores.get(sender).error(usize::from(op.thread), ErrorKind::CircularBuffer, message, op.site);
            return match there.cbs.overwrites(turn, addr, size) {
                None => Ok(()),
                Some(found) => Err(found.explain(&there.cbs, error, (addr, size))),
            };
        }
        if cb.on_shard {
            return Err(in_use(cores.get(sender), op, there, cb, addr, size));
        }
        let message = format!("data arrives outside of the reserved pages of {} of {}", cb.title(), there.core);
        let start = cb.write_ptr();
        let numbers = format!(
            "L1 {addr:#x} to {:#x}; reserved there: {} from {start:#x} to {:#x}",
            addr + size,
            count(cb.reserved, "page"),
            start + cb.reserved * cb.page_size
        );
        let error = cores.get(sender).error(usize::from(op.thread), ErrorKind::CircularBuffer, message, op.site);
        let error = match cb.producer {
            Some((thread, site)) => {
                let title = there.thread_title(thread);
                error.label(site, format!("{title} of {} first reserved here", there.core))
            }
            None => error,
        };
        Err(error.numbers(numbers).help(
            "the receiver must reserve the pages, then say so (by a semaphore) before the data is sent; \
             all cores must push the buffer in step",
        ))
    }

    /// Reads from other cores whose barrier is being waited for.
    fn remote_reads(&mut self, cores: &mut AllCores<'_>) -> bool {
        let mut moved = false;
        for i in 0..cores.len() {
            let core = cores.get_mut(i);
            for thread in &mut core.threads {
                let Wait::Reads { noc, trid } = thread.wait else {
                    continue;
                };
                let mut landed = 0;
                thread.reads.retain(|read| match read.source {
                    Remote::L1 { core: from, addr } if read.noc == noc && trid.is_none_or(|id| read.trid == id) => {
                        let source = self.l1.from(from);
                        self.l1.to(core.index).copy_from(read.dest, &source, addr, read.size as usize);
                        landed += 1;
                        false
                    }
                    _ => true,
                });
                thread.remote_reads[usize::from(noc)] -= landed;
                moved = true;
            }
        }
        moved
    }

    /// Pages that nobody took.
    fn leftovers(&self, cores: &AllCores<'_>) -> Result<(), SimError> {
        if !self.shared.options.leftover_pages_are_errors {
            return Ok(());
        }
        let with_leftovers = |c: &&super::core::CoreState| c.cbs.list.iter().any(|cb| cb.forgotten() > 0);
        let Some(core) = cores.iter().find(with_leftovers) else {
            return Ok(());
        };
        let mut left = core.cbs.list.iter().filter(|cb| cb.forgotten() > 0).peekable();
        let first = left.peek().map_or_else(String::new, |cb| cb.title());
        let message = format!("the program ended with pages left in {first}");
        let mut error = SimError::new(ErrorKind::EndOfKernel, message);
        for cb in left {
            let text = format!("{}: {} pushed, {} popped", cb.title(), cb.received, cb.acked);
            error = error.label(cb.last_push, "the last push was here").note(text);
        }
        let more = cores.iter().filter(with_leftovers).count() - 1;
        Err(error
            .numbers(core.core.to_string())
            .help("the consumer must wait for and pop as many pages as are pushed")
            .more(more))
    }

    /// The result of the run.
    pub(super) fn finish(self, cores: &Cores) -> Result<RunReport, SimError> {
        let mut locked = cores.lock();
        for i in 0..locked.len() {
            let core = locked.get_mut(i);
            (0..core.threads.len()).for_each(|thread| core.end_line(thread));
        }
        self.hand_out_lines(&mut locked);
        if let Some(log) = &self.shared.options.dram_reads {
            (0..locked.len()).for_each(|i| log.add(&mut locked.get_mut(i).dram_reads));
        }
        if let Some(log) = &self.shared.options.timeline {
            timeline::run_ends(log, &mut locked);
        }
        let seed = self.shared.options.schedule.seed();
        match self.outcome {
            Some(Ok(())) => {
                let mut report = RunReport::default();
                for core in locked.iter() {
                    report.add(&core.counters);
                    core.zones.add_to(&mut report.zones, |thread| core.who(thread));
                }
                report.zones.sort();
                report.epochs = self.epochs;
                Ok(report)
            }
            Some(Err(error)) => Err(error.seed(seed)),
            None => {
                Err(SimError::new(ErrorKind::Launch, "internal error: the simulator lost one of its OS threads")
                    .seed(seed))
            }
        }
    }
}

/// Data arrives in pages of a shard that the consumer of the buffer on it has still to pop.
#[cold]
fn in_use(from: &CoreState, op: &Outgoing, there: &CoreState, cb: &Cb, addr: u32, size: u32) -> SimError {
    let message = format!("data arrives in pages of {} of {} that are in use", cb.title(), there.core);
    let numbers = format!(
        "L1 {addr:#x} to {:#x}; in use there: {} from {:#x} on",
        addr + size,
        count(cb.available(), "page"),
        cb.read_ptr()
    );
    from.error(usize::from(op.thread), ErrorKind::CircularBuffer, message, op.site)
        .label(cb.last_push, format!("pushed here on {}, and not popped", there.core))
        .numbers(numbers)
        .help("the receiver must pop the pages, then say so (by a semaphore) before the next data is sent")
}

/// The data of a write that arrives.
enum Bytes<'a> {
    InL1(&'a L1View, u32),
    Copied(&'a [u8]),
}

impl Bytes<'_> {
    fn get(&self, size: u32) -> &[u8] {
        match *self {
            Bytes::InL1(l1, at) => l1.bytes(at, size as usize),
            Bytes::Copied(bytes) => bytes,
        }
    }

    fn copy_to(&self, to: &mut L1View, addr: u32, size: u32) {
        match *self {
            // The two may be one memory.
            Bytes::InL1(l1, at) => to.copy_from(addr, l1, at, size as usize),
            Bytes::Copied(bytes) => to.bytes_mut(addr, size as usize).copy_from_slice(bytes),
        }
    }
}

/// The error of the first core that has one.
fn first_error(cores: &mut AllCores<'_>) -> Option<SimError> {
    let failed = cores.iter().filter(|c| c.error.is_some()).count();
    (0..cores.len()).find_map(|i| cores.get_mut(i).error.take()).map(|e| e.more(failed - 1))
}
