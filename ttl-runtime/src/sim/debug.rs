//! What kernels say while they run: printed lines, and named zones with their counts.
//!
//! Lines are handed out at the boundary between epochs, in the order of cores: so they come in the same order in equal runs,
//! whatever the number of OS threads.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::Who;
use super::launch::Processor;
use crate::site::Site;

/// A line that a kernel printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The thread that printed.
    pub who: Who,
    /// Without the end of the line.
    pub text: String,
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.who, self.text)
    }
}

/// Where the lines go that kernels print.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Prints {
    /// Nowhere: kernels do not even format them.
    Off,
    /// Standard output, each with the core, the processor and the kernel in front.
    #[default]
    Stdout,
    /// To this function.
    To(Arc<dyn Fn(&Printed) + Send + Sync>),
}

impl Prints {
    /// Collects the lines in `log`, to be looked at after the run.
    pub fn to_log(log: &PrintLog) -> Prints {
        let lines = log.0.clone();
        Prints::To(Arc::new(move |line| lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone())))
    }

    pub(super) fn are_on(&self) -> bool {
        !matches!(self, Prints::Off)
    }

    pub(super) fn line(&self, line: &Printed) {
        match self {
            Prints::Off => {}
            Prints::Stdout => println!("{line}"),
            Prints::To(sink) => sink(line),
        }
    }
}

impl fmt::Debug for Prints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Prints::Off => "Off",
            Prints::Stdout => "Stdout",
            Prints::To(_) => "To(..)",
        })
    }
}

/// Lines that kernels printed.
#[derive(Clone, Debug, Default)]
pub struct PrintLog(Arc<Mutex<Vec<Printed>>>);

impl PrintLog {
    /// What was printed so far; the log is empty afterwards.
    pub fn take(&self) -> Vec<Printed> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A named zone of a kernel: how often its threads went through it, over all cores.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ZoneReport {
    /// The kernel whose zone it is.
    pub kernel: Arc<str>,
    /// The processor that it ran on.
    pub processor: Processor,
    /// What it is called.
    pub name: String,
    /// Where it begins.
    pub site: Site,
    /// Cores whose thread entered the zone.
    pub cores: u64,
    /// How often it was entered, on all cores.
    pub entered: u64,
    /// Times a thread had to wait inside: for pages, transfers, semaphores, other threads.
    pub waits: u64,
}

impl fmt::Display for ZoneReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ZoneReport { kernel, name, cores, entered, waits, .. } = self;
        write!(f, "zone `{name}` of kernel `{kernel}`: entered {entered} times on {cores} cores, waited {waits} times")
    }
}

/// Zones of one core, and which of them its threads are in.
#[derive(Debug, Default)]
pub(super) struct Zones {
    known: Vec<Zone>,
    /// Of all threads, in the order of entry.
    open: Vec<Open>,
}

#[derive(Debug)]
struct Zone {
    thread: usize,
    name: String,
    site: Site,
    entered: u64,
    waits: u64,
}

#[derive(Debug)]
struct Open {
    thread: usize,
    zone: usize,
    /// Waits of the thread when it entered.
    waits: u64,
}

impl Zones {
    pub(super) fn enter(&mut self, thread: usize, name: &str, site: Site, waits: u64) {
        let same = |z: &Zone| z.thread == thread && z.site == site && z.name == name;
        let zone = self.known.iter().position(same).unwrap_or_else(|| {
            self.known.push(Zone { thread, name: name.to_owned(), site, entered: 0, waits: 0 });
            self.known.len() - 1
        });
        self.known[zone].entered += 1;
        self.open.push(Open { thread, zone, waits });
    }

    /// Leaves the innermost zone of the thread; `false` if it is in none.
    pub(super) fn leave(&mut self, thread: usize, waits: u64) -> bool {
        let Some(at) = self.open.iter().rposition(|o| o.thread == thread) else { return false };
        let open = self.open.remove(at);
        self.known[open.zone].waits += waits - open.waits;
        true
    }

    /// The innermost zone that the thread is in.
    pub(super) fn innermost(&self, thread: usize) -> Option<(&str, Site)> {
        let open = self.open.iter().rfind(|o| o.thread == thread)?;
        let zone = &self.known[open.zone];
        Some((&zone.name, zone.site))
    }

    /// Adds the zones of this core to those of others.
    pub(super) fn add_to(&self, all: &mut Vec<ZoneReport>, who: impl Fn(usize) -> Who) {
        for zone in &self.known {
            let who = who(zone.thread);
            let same = |z: &&mut ZoneReport| {
                z.site == zone.site && z.name == zone.name && z.kernel == who.kernel && z.processor == who.processor
            };
            match all.iter_mut().find(same) {
                Some(z) => {
                    z.cores += 1;
                    z.entered += zone.entered;
                    z.waits += zone.waits;
                }
                None => all.push(ZoneReport {
                    kernel: who.kernel,
                    processor: who.processor,
                    name: zone.name.clone(),
                    site: zone.site,
                    cores: 1,
                    entered: zone.entered,
                    waits: zone.waits,
                }),
            }
        }
    }
}
