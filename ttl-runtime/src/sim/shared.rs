//! Circular buffers in one memory: what one holds and nobody has popped must not be overwritten by the other.

use super::cb::{Cb, CbTable};
use super::error::{SimError, count};

/// A write to a buffer that would destroy pages of another one.
pub(super) struct Overwrites {
    /// Indices into the core's buffers: which is written, which still holds pages there.
    written: usize,
    holds: usize,
}

impl CbTable {
    /// Bytes of buffer `written` lie on pages of another buffer that are pushed and not popped.
    #[inline]
    pub(super) fn overwrites(&self, written: usize, addr: u32, size: u32) -> Option<Overwrites> {
        if !self.list[written].shares {
            return None;
        }
        let holds = |(i, c): (usize, &Cb)| {
            i != written && c.available() > 0 && c.overlaps_pages(c.read_page, c.available(), addr, size)
        };
        let holds = self.list.iter().enumerate().position(holds)?;
        Some(Overwrites { written, holds })
    }
}

impl Overwrites {
    /// What is wrong, added to an error that says who writes and where.
    #[cold]
    pub(super) fn explain(
        &self,
        cbs: &CbTable,
        error: impl FnOnce(String) -> SimError,
        (addr, size): (u32, u32),
    ) -> SimError {
        let (to, holds) = (&cbs.list[self.written], &cbs.list[self.holds]);
        let message =
            format!("a write to {} destroys pages of {}, which has the same memory", to.title(), holds.title());
        let numbers = format!(
            "L1 {addr:#x} to {:#x}; {} from page {} on: {} that nobody has popped",
            addr + size,
            holds.title(),
            holds.read_page,
            count(holds.available(), "page"),
        );
        error(message).label(holds.last_push, format!("pages of `{}` were pushed here last", holds.name)).numbers(numbers).help(
            format!(
                "buffers that share memory take turns: pop the pages of `{0}` before `{1}` is written (its producer can wait for that with \
                 `cb_reserve_back` of `{0}`), or give `{1}` memory of its own",
                holds.name, to.name
            ),
        )
    }
}
