//! A log of what kernels read from DRAM, for tests that ask what was read, in which order, and how far ahead.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::Who;

/// One read from DRAM, as it was issued.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DramRead {
    /// The thread that read.
    pub who: Who,
    /// The bank.
    pub bank: u32,
    /// The address in it.
    pub addr: u64,
    /// How many bytes.
    pub bytes: u32,
    /// Transaction id.
    pub trid: u8,
    /// Reads from DRAM of this thread that were issued and not waited for, this one included.
    pub under_way: u32,
}

/// Reads of a run: core by core, each in its own order.
#[derive(Clone, Default)]
pub struct ReadLog(Arc<Mutex<Vec<DramRead>>>);

impl ReadLog {
    /// What was read so far; the log is empty afterwards.
    pub fn take(&self) -> Vec<DramRead> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add(&self, reads: &mut Vec<DramRead>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).append(reads);
    }
}

impl fmt::Debug for ReadLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadLog(..)")
    }
}
