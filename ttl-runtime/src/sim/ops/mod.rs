//! What a running kernel thread can do: one free function per call of the device API, for both engines.
//!
//! Each takes the place of the call in the user's source last. A call that has to wait suspends the thread; a call that is a
//! mistake records the error and never returns.

mod args;
mod cb;
mod compute;
mod compute_checks;
mod dataflow;
mod debug;
mod inline_write;
mod l1;
mod lanes_across;
mod layout;
mod multicast;
mod native;
mod outgoing;
mod semaphore;
mod stateful;
mod tile_calls;
mod tile_values;
mod transfer_checks;
mod zeros;

pub use args::*;
pub use cb::*;
pub use compute::*;
pub use dataflow::*;
pub use debug::*;
pub use inline_write::*;
pub use l1::*;
pub use layout::*;
pub use multicast::*;
pub use native::*;
pub use semaphore::*;
pub use stateful::*;
pub use tile_calls::*;
pub use tile_values::*;
pub use zeros::*;

pub use super::math::ReuseDest;
pub use super::noc::NocAddr;
pub use super::registers::{FpuInit, SfpuInit, SrcOrder};

use super::core::{OP_BUDGET, ThreadState, Wait};
use super::error::{ErrorKind, SimError};
use super::launch::Processor;
use super::thread::{self, Cx};
use crate::site::Site;

/// Why an operation does not complete now.
enum Stop {
    Wait(Wait),
    Fail(SimError),
}

type Step<T> = Result<T, Stop>;

/// Runs an operation; `f` is called again after each wait, so it changes nothing before it is sure to complete.
#[inline]
fn op<T>(site: Site, mut f: impl FnMut(&mut Cx<'_>) -> Step<T>) -> T {
    attempts(site, |cx| {
        cx.tick()?;
        f(cx)
    })
}

/// Calls `f` until it completes; the thread is suspended in between.
#[inline]
fn attempts<T>(site: Site, mut f: impl FnMut(&mut Cx<'_>) -> Step<T>) -> T {
    loop {
        let outcome = thread::with(|cx| match f(cx) {
            Ok(value) => Some(value),
            Err(stop) => {
                cx.stop(stop, site);
                None
            }
        });
        match outcome {
            Some(Some(value)) => return value,
            Some(None) => thread::suspend(),
            None => outside(site),
        }
    }
}

#[cold]
fn outside(site: Site) -> ! {
    panic!("{site}: a device operation was called outside of a kernel");
}

/// Ends the thread with an error of the caller's own wording.
pub fn fail(message: String, site: Site) -> ! {
    loop {
        op::<()>(site, |cx| Err(cx.fail(ErrorKind::Panic, message.clone(), site)));
    }
}

impl Cx<'_> {
    #[inline]
    fn thread(&mut self) -> &mut ThreadState {
        &mut self.core.threads[self.me]
    }

    /// Counts the operation: a thread that never blocks lets others run now and then, and one of a random schedule at any time.
    #[inline]
    fn tick(&mut self) -> Step<()> {
        self.count_down()?;
        if let Some(dice) = &mut self.core.dice
            && dice.one_in(8)
        {
            // Mostly other threads of this core go on; now and then the others of the chip overtake this one by far.
            if dice.one_in(4) {
                let until = self.core.epoch + 1 + u64::from(dice.below(4));
                return Err(Stop::Wait(Wait::Delay { until }));
            }
            return Err(Stop::Wait(Wait::Ready));
        }
        Ok(())
    }

    /// Counts the operation against the thread's budget.
    #[inline]
    fn count_down(&mut self) -> Step<()> {
        let thread = &mut self.core.threads[self.me];
        thread.budget -= 1;
        if thread.budget == 0 {
            thread.budget = OP_BUDGET;
            return Err(Stop::Wait(self.core.poll()));
        }
        Ok(())
    }

    fn stop(&mut self, stop: Stop, site: Site) {
        let thread = &mut self.core.threads[self.me];
        thread.site = site;
        match stop {
            Stop::Wait(wait) => {
                thread.wait = wait;
                thread.waits += 1;
            }
            Stop::Fail(error) => {
                thread.wait = Wait::Failed;
                self.core.error = Some(error);
            }
        }
    }

    /// True with the given chance in a random schedule, else false.
    #[inline]
    fn by_chance(&mut self, one_in: u32) -> bool {
        self.core.dice.as_mut().is_some_and(|d| d.one_in(one_in))
    }

    #[cold]
    fn error(&self, kind: ErrorKind, message: impl Into<String>, site: Site) -> SimError {
        self.core.error(self.me, kind, message, site)
    }

    #[cold]
    fn fail(&self, kind: ErrorKind, message: impl Into<String>, site: Site) -> Stop {
        Stop::Fail(self.error(kind, message, site))
    }

    /// The call belongs to data-movement kernels.
    #[inline]
    fn data_movement(&self, call: &str, site: Site) -> Step<()> {
        if self.core.threads[self.me].processor != Processor::Compute {
            return Ok(());
        }
        let error = self.error(ErrorKind::Role, format!("`{call}` in a compute kernel"), site);
        Err(Stop::Fail(
            error.help(
                "transfers and semaphores belong to reader and writer kernels; pass data through circular buffers",
            ),
        ))
    }
}
