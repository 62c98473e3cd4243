//! What each kernel thread did and waited for, in the order in which the simulator ran the threads: to be read by a person or a test, or looked at as
//! a picture.
//!
//! The clock counts operations, not cycles: threads of a core take turns, each until it has to wait, and an operation (a call that a kernel makes) takes
//! one tick. Cores have clocks of their own, which agree at the end of every epoch, when operations between cores arrive. So the picture shows order and
//! dependence, who waited for whom and how full the buffers were, and says nothing about time on a card.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::core::{CoreState, OP_BUDGET, Wait};
use super::deadlock;
use super::error::Who;
use super::launch::RunReport;
use super::sched::AllCores;
use crate::arch::Core;
use crate::site::Site;

/// A stretch of a thread or a moment of a circular buffer. Ticks are explained at [`Timeline`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// On which core.
    pub core: Core,
    /// Tick of its beginning and of its end.
    pub from: u64,
    /// Tick of its end.
    pub to: u64,
    /// What it was.
    pub what: What,
}

/// What an [`Event`] tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// The thread ran, and then waited or ended.
    Ran { who: Who, work: Work },
    /// The thread waited at this call.
    Waited { who: Who, why: String, site: Site },
    /// The thread was in a named zone.
    Zone { who: Who, name: String, site: Site },
    /// So many pages of the circular buffer are pushed and not popped, from here on.
    Pages { cb: Arc<str>, pages: u32 },
}

/// What a thread did in one go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Bytes read over the NoC.
    pub noc_read_bytes: u64,
    /// Bytes written over the NoC.
    pub noc_write_bytes: u64,
    /// Tiles of the matrix unit, copies included.
    pub fpu_tiles: u64,
    /// Tiles of the vector unit.
    pub sfpu_tiles: u64,
    /// Tiles packed.
    pub packed_tiles: u64,
}

impl Work {
    fn between(before: &Work, after: &RunReport) -> Work {
        Work {
            noc_read_bytes: after.noc_read_bytes - before.noc_read_bytes,
            noc_write_bytes: after.noc_write_bytes - before.noc_write_bytes,
            fpu_tiles: after.fpu_tiles - before.fpu_tiles,
            sfpu_tiles: after.sfpu_tiles - before.sfpu_tiles,
            packed_tiles: after.packed_tiles - before.packed_tiles,
        }
    }
}

/// Records a run: set [`RunOptions::timeline`](super::RunOptions::timeline), run, then look at the [`events`](Timeline::events) or
/// [write](Timeline::write_json) them as a picture. One tick is one operation of a kernel, not a cycle of the card. Equal for equal runs.
#[derive(Clone)]
pub struct Timeline {
    events: Arc<Mutex<Recorded>>,
    limit: usize,
}

#[derive(Default)]
struct Recorded {
    events: Vec<Event>,
    left_out: u64,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline::with_limit(1_000_000)
    }
}

impl Timeline {
    /// Keeps so many events of each core, the first ones; [`Timeline::left_out`] counts the others.
    pub fn with_limit(limit: usize) -> Timeline {
        Timeline { events: Arc::default(), limit }
    }

    /// What was recorded, core by core, by the tick of its end. A deadlocked run is recorded up to its end.
    pub fn events(&self) -> Vec<Event> {
        self.recorded(|r| r.events.clone())
    }

    /// Events beyond the limit.
    pub fn left_out(&self) -> u64 {
        self.recorded(|r| r.left_out)
    }

    fn recorded<R>(&self, f: impl FnOnce(&Recorded) -> R) -> R {
        f(&self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes the events in the trace event format, which `chrome://tracing`, Perfetto and Speedscope show: a process for each core, a thread for each
    /// kernel, a curve for each circular buffer. A tick is shown as a microsecond.
    pub fn write_json(&self, mut to: impl Write) -> io::Result<()> {
        self.recorded(|r| {
            let left_out = r.left_out.to_string();
            let other = json!({ "unit": "1 us is one operation of a kernel", "events left out": left_out });
            write!(to, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{other},\"traceEvents\":[")?;
            let mut first = true;
            let mut put = |value: Value| {
                let comma = if std::mem::take(&mut first) { "\n" } else { ",\n" };
                write!(to, "{comma}{value}")
            };
            let mut named = HashSet::new();
            for event in &r.events {
                let core = event.core;
                if named.insert((core, None)) {
                    put(title("process_name", core, 0, core.to_string()))?;
                }
                if let Some((who, track)) = event.track()
                    && named.insert((core, Some(track)))
                {
                    let zones = if track >= ZONES { ": zones" } else { "" };
                    put(title("thread_name", core, track, format!("{} {}{zones}", who.processor, who.kernel)))?;
                }
                put(event.json())?;
            }
            writeln!(to, "\n]}}")
        })
    }
}

impl fmt::Debug for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Timeline(..)")
    }
}

/// Cores as process numbers.
fn pid(core: Core) -> u32 {
    1 + core.y * 1000 + core.x
}

/// Zones have lines of their own: a zone may end in the middle of a stretch.
const ZONES: u32 = 10;

fn title(what: &str, core: Core, track: u32, name: String) -> Value {
    json!({ "ph": "M", "name": what, "pid": pid(core), "tid": track, "args": { "name": name } })
}

impl Event {
    /// The thread it belongs to, and its line of the picture.
    fn track(&self) -> Option<(&Who, u32)> {
        match &self.what {
            What::Ran { who, .. } | What::Waited { who, .. } => Some((who, who.processor as u32)),
            What::Zone { who, .. } => Some((who, ZONES + who.processor as u32)),
            What::Pages { .. } => None,
        }
    }

    fn json(&self) -> Value {
        let pid = pid(self.core);
        let stretch = |name: &str, cat: &str, args: Value| {
            let (tid, ts, dur) = (self.track().map(|(_, track)| track), self.from, self.to - self.from);
            json!({ "ph": "X", "name": name, "cat": cat, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args })
        };
        match &self.what {
            What::Ran { who, work } => stretch(&who.kernel, "run", work.json()),
            What::Waited { why, site, .. } => stretch(why, "wait", json!({ "at": site.to_string() })),
            What::Zone { name, site, .. } => stretch(name, "zone", json!({ "at": site.to_string() })),
            What::Pages { cb, pages } => {
                json!({ "ph": "C", "name": format!("cb {cb}"), "pid": pid, "ts": self.from, "args": { "pages": pages } })
            }
        }
    }
}

impl Work {
    fn json(&self) -> Value {
        let all = [
            ("NoC bytes read", self.noc_read_bytes),
            ("NoC bytes written", self.noc_write_bytes),
            ("tiles of the matrix unit", self.fpu_tiles),
            ("tiles of the vector unit", self.sfpu_tiles),
            ("tiles packed", self.packed_tiles),
        ];
        Value::Object(all.into_iter().filter(|(_, n)| *n > 0).map(|(name, n)| (name.to_owned(), n.into())).collect())
    }
}

/// The recorder of one core.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    events: Vec<Event>,
    limit: usize,
    left_out: u64,
    clock: u64,
    /// Work of the core when the running thread was resumed.
    before: Work,
    /// Since when, why and where each thread waits.
    waits: Vec<Option<(u64, String, Site)>>,
    /// Zones that threads are in: thread, entry, name, place.
    zones: Vec<(usize, u64, String, Site)>,
    pages: Vec<u32>,
}

impl Recorder {
    pub(super) fn new(timeline: &Timeline) -> Recorder {
        Recorder { limit: timeline.limit, ..Recorder::default() }
    }

    fn put(&mut self, core: Core, from: u64, to: u64, what: What) {
        match self.events.len() < self.limit {
            true => self.events.push(Event { core, from, to, what }),
            false => self.left_out += 1,
        }
    }
}

/// A thread is about to run.
pub(super) fn resumed(core: &mut CoreState, thread: usize) {
    let Some(mut recorder) = core.recorder.take() else { return };
    recorder.before = Work::between(&Work::default(), &core.counters);
    if let Some((since, why, site)) = recorder.waits.get_mut(thread).and_then(Option::take)
        && since < recorder.clock
    {
        let who = core.who(thread);
        recorder.put(core.core, since, recorder.clock, What::Waited { who, why, site });
    }
    core.recorder = Some(recorder);
}

/// A thread waits, has ended or has failed.
pub(super) fn stopped(core: &mut CoreState, thread: usize) {
    let Some(mut recorder) = core.recorder.take() else { return };
    let from = recorder.clock;
    recorder.clock = from + operations(core, thread);
    let work = Work::between(&recorder.before, &core.counters);
    recorder.put(core.core, from, recorder.clock, What::Ran { who: core.who(thread), work });
    let why = match core.threads[thread].wait {
        Wait::Finished | Wait::Failed => None,
        _ => Some((recorder.clock, deadlock::waits_for(core, thread), core.threads[thread].site)),
    };
    recorder.waits.resize(core.threads.len(), None);
    recorder.waits[thread] = why;
    recorder.pages.resize(core.cbs.list.len(), 0);
    for (i, cb) in core.cbs.list.iter().enumerate() {
        if recorder.pages[i] != cb.available() {
            recorder.pages[i] = cb.available();
            let what = What::Pages { cb: cb.name.clone(), pages: cb.available() };
            recorder.put(core.core, recorder.clock, recorder.clock, what);
        }
    }
    core.recorder = Some(recorder);
}

/// Operations of the running or last stretch of a thread.
fn operations(core: &CoreState, thread: usize) -> u64 {
    match u64::from(OP_BUDGET - core.threads[thread].budget) {
        // A thread that used its budget up got a new one.
        0 if matches!(core.threads[thread].wait, Wait::Poll { .. }) => u64::from(OP_BUDGET),
        n => n,
    }
}

/// The running thread enters a zone.
pub(super) fn zone_begins(core: &mut CoreState, thread: usize, name: &str, site: Site) {
    let now = core.recorder.as_ref().map(|r| r.clock + operations(core, thread));
    if let (Some(recorder), Some(now)) = (&mut core.recorder, now) {
        recorder.zones.push((thread, now, name.to_owned(), site));
    }
}

/// The running thread leaves its innermost zone.
pub(super) fn zone_ends(core: &mut CoreState, thread: usize) {
    let Some(mut recorder) = core.recorder.take() else { return };
    if let Some(at) = recorder.zones.iter().rposition(|z| z.0 == thread) {
        let (_, from, name, site) = recorder.zones.remove(at);
        let to = recorder.clock + operations(core, thread);
        recorder.put(core.core, from, to, What::Zone { who: core.who(thread), name, site });
    }
    core.recorder = Some(recorder);
}

/// The end of an epoch: the clocks of all cores agree.
pub(super) fn epoch_ends(cores: &mut AllCores<'_>) {
    let clock = |core: &CoreState| core.recorder.as_ref().map_or(0, |r| r.clock);
    let latest = cores.iter().map(clock).max().unwrap_or(0);
    for i in 0..cores.len() {
        if let Some(recorder) = &mut cores.get_mut(i).recorder {
            recorder.clock = latest;
        }
    }
}

/// The end of the run, however it ended: threads that still wait have waited until now.
pub(super) fn run_ends(timeline: &Timeline, cores: &mut AllCores<'_>) {
    let mut all = timeline.events.lock().unwrap_or_else(PoisonError::into_inner);
    for i in 0..cores.len() {
        let core = cores.get_mut(i);
        let Some(mut recorder) = core.recorder.take() else { continue };
        for (thread, wait) in std::mem::take(&mut recorder.waits).into_iter().enumerate() {
            if let Some((since, why, site)) = wait {
                let to = recorder.clock.max(since + 1);
                recorder.put(core.core, since, to, What::Waited { who: core.who(thread), why, site });
            }
        }
        all.events.append(&mut recorder.events);
        all.left_out += recorder.left_out;
    }
}
