//! The meeting point of the OS threads between two epochs.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Rounds of spinning before a waiting thread goes to sleep: some ten microseconds, about what an epoch's imbalance costs.
const SPINS: u32 = 500;

/// The last to arrive runs the boundary, then all go on.
pub(super) struct EpochBarrier {
    parties: usize,
    arrived: AtomicUsize,
    generation: AtomicU32,
    broken: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

impl EpochBarrier {
    pub(super) fn new(parties: usize) -> EpochBarrier {
        EpochBarrier {
            parties,
            arrived: AtomicUsize::new(0),
            generation: AtomicU32::new(0),
            broken: AtomicBool::new(false),
            lock: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// Returns false if another party was lost (it panicked), so that nobody waits for ever.
    pub(super) fn meet(&self, boundary: impl FnOnce()) -> bool {
        if self.parties == 1 {
            boundary();
            return true;
        }
        let generation = self.generation.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.parties {
            boundary();
            self.arrived.store(0, Ordering::Relaxed);
            self.open();
        } else {
            self.wait(generation);
        }
        !self.broken.load(Ordering::Acquire)
    }

    fn open(&self) {
        let guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.generation.fetch_add(1, Ordering::Release);
        drop(guard);
        self.wake.notify_all();
    }

    fn wait(&self, generation: u32) {
        let closed = || self.generation.load(Ordering::Acquire) == generation && !self.broken.load(Ordering::Acquire);
        for _ in 0..SPINS {
            if !closed() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while closed() {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets everybody go: one party will not come any more.
    pub(super) fn abandon(&self) {
        self.broken.store(true, Ordering::Release);
        self.open();
    }
}
