//! What a run can end with: one error with its place in the Rust source, the numbers and what to do.

use std::fmt;

use super::launch::Processor;
use crate::arch::Core;
use crate::site::Site;
use crate::snippet::{self, Label};

/// `1 page`, `2 pages`.
pub(super) fn count(n: impl Into<u64>, what: &str) -> String {
    match n.into() {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// What kind of mistake an error is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The launch itself is wrong: ids, addresses, sizes.
    Launch,
    /// Host access outside the memories.
    HostAccess,
    /// No thread can run any more.
    Deadlock,
    /// Threads poll for ever and nothing else happens.
    Livelock,
    /// Misuse of a circular buffer.
    CircularBuffer,
    /// A NoC transfer that the chip cannot do, or whose barrier is missing.
    Noc,
    Semaphore,
    /// The protocol of the tile registers.
    Registers,
    /// A tile operation without its init, or with other data formats than configured.
    Init,
    /// An argument that does not exist.
    Arguments,
    /// An L1 address outside what the kernel may touch.
    Memory,
    /// A call that this kind of thread does not have.
    Role,
    /// A mistake in how a kernel uses the device API.
    Kernel,
    /// An assertion of the kernel does not hold.
    Assertion,
    /// The kernel's own code panicked.
    Panic,
    /// Something unfinished when a kernel or the program ended.
    EndOfKernel,
}

/// Who was running.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Who {
    pub core: Core,
    pub processor: Processor,
    pub kernel: std::sync::Arc<str>,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} `{}`", self.core, self.processor, self.kernel)
    }
}

/// Everything that an error knows.
#[derive(Clone, Debug)]
pub struct Details {
    pub kind: ErrorKind,
    /// What happened, without a trailing stop.
    pub message: String,
    /// Where; the first is the place of the error, the others have to do with it.
    pub labels: Vec<Label>,
    pub who: Option<Who>,
    /// The numbers.
    pub numbers: Option<String>,
    pub notes: Vec<String>,
    pub help: Vec<String>,
    /// Other cores that failed in the same epoch.
    pub more: usize,
    /// The seed of a run with a random schedule.
    pub seed: Option<u64>,
}

/// A failed run. `Display` prints the whole report.
#[derive(Clone, thiserror::Error)]
pub struct SimError(Box<Details>);

impl SimError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> SimError {
        SimError(Box::new(Details {
            kind,
            message: message.into(),
            labels: Vec::new(),
            who: None,
            numbers: None,
            notes: Vec::new(),
            help: Vec::new(),
            more: 0,
            seed: None,
        }))
    }

    #[must_use]
    pub fn label(mut self, site: Site, text: impl Into<String>) -> SimError {
        self.0.labels.push(Label { site, text: text.into() });
        self
    }

    #[must_use]
    pub fn who(mut self, who: Who) -> SimError {
        self.0.who = Some(who);
        self
    }

    #[must_use]
    pub fn numbers(mut self, numbers: impl Into<String>) -> SimError {
        self.0.numbers = Some(numbers.into());
        self
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> SimError {
        self.0.notes.push(note.into());
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> SimError {
        self.0.help.push(help.into());
        self
    }

    pub(super) fn more(mut self, more: usize) -> SimError {
        self.0.more = more;
        self
    }

    pub(super) fn seed(mut self, seed: Option<u64>) -> SimError {
        self.0.seed = seed;
        self
    }

    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The place of the error, if it has one.
    pub fn site(&self) -> Option<Site> {
        self.0.labels.first().map(|l| l.site)
    }

    pub fn details(&self) -> &Details {
        &self.0
    }
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let d = &*self.0;
        let mut lines: Vec<String> = Vec::new();
        match (&d.who, &d.numbers) {
            (Some(who), Some(numbers)) => lines.push(format!("{who}: {numbers}")),
            (Some(who), None) => lines.push(who.to_string()),
            (None, Some(numbers)) => lines.push(numbers.clone()),
            (None, None) => {}
        }
        lines.extend(d.notes.iter().map(|n| format!("note: {n}")));
        if d.more > 0 {
            lines.push(format!("note: {} failed at the same time", count(d.more as u64, "more core")));
        }
        lines.extend(d.help.iter().map(|h| format!("help: {h}")));
        if let Some(seed) = d.seed {
            lines.push(format!("note: random schedule with seed {seed:#x}; the same seed gives the same run"));
        }
        snippet::render(f, &d.message, &d.labels, &lines)
    }
}

/// The same text: an `unwrap` in a test or an example then shows the report.
impl fmt::Debug for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\n")?;
        fmt::Display::fmt(self, f)
    }
}
