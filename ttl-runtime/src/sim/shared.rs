//! Circular buffers in one memory: what one holds must not be overwritten by the other, from the transfer or the packing that wrote it until it is popped.
//! Words that a kernel writes through a pointer count from the push on.

use super::cb::{Cb, CbTable};
use super::error::{SimError, count};
use crate::site::Site;
use std::sync::Mutex;

/// A write to a buffer that would destroy pages of another one.
pub(super) struct Overwrites {
    /// Indices into the core's buffers: which is written, which still holds pages there.
    written: usize,
    holds: usize,
    /// Where they were written, of pages that are not pushed yet.
    unpushed: Option<Site>,
}

/// Where each page of a buffer was written that is not pushed yet. Empty where no other buffer lies in the same memory.
#[derive(Debug, Default)]
pub(super) struct Unpushed(Mutex<Vec<Option<Site>>>);

impl Unpushed {
    pub(super) fn of(pages: u32) -> Unpushed {
        Unpushed(Mutex::new(vec![None; pages as usize]))
    }

    /// What `pages` pages from page `first` on are is said by the counters again.
    pub(super) fn push(&mut self, first: u32, pages: u32) {
        let written = self.0.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        written.iter_mut().skip(first as usize).take(pages as usize).for_each(|page| *page = None);
    }

    fn each<R>(
        &self,
        c: &Cb,
        (addr, size): (u32, u32),
        mut f: impl FnMut(&mut Option<Site>) -> Option<R>,
    ) -> Option<R> {
        let mut written = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let touched = |page: &usize| c.overlaps_pages(*page as u32, 1, addr, size);
        (0..written.len()).filter(touched).find_map(|page| f(&mut written[page]))
    }
}

impl CbTable {
    /// Bytes of buffer `written` lie on pages of another buffer that are pushed and not popped.
    #[inline]
    pub(super) fn overwrites(&self, written: usize, addr: u32, size: u32) -> Option<Overwrites> {
        if !self.list[written].shares {
            return None;
        }
        let others =
            || self.list.iter().enumerate().filter(|(i, c)| *i != written && c.shares && c.overlaps(addr, size));
        let pushed = |c: &Cb| c.available() > 0 && c.overlaps_pages(c.read_page, c.available(), addr, size);
        if let Some((holds, _)) = others().find(|(_, c)| pushed(c)) {
            return Some(Overwrites { written, holds, unpushed: None });
        }
        let mut unpushed = others().filter_map(|(i, c)| Some((i, c.unpushed.each(c, (addr, size), |page| *page)?)));
        unpushed.next().map(|(holds, site)| Overwrites { written, holds, unpushed: Some(site) })
    }

    /// Bytes of a buffer were written that will be pushed.
    #[inline]
    pub(super) fn fills(&self, cb: usize, addr: u32, size: u32, site: Site) {
        let c = &self.list[cb];
        if c.shares {
            c.unpushed.each(c, (addr, size), |page| {
                *page = Some(site);
                None::<()>
            });
        }
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
        let place = format!("L1 {addr:#x} to {:#x}", addr + size);
        if let Some(site) = self.unpushed {
            let help = format!(
                "buffers that share memory take turns: push the pages of `{0}` and pop them before `{1}` is written, or give `{1}` memory of its own",
                holds.name, to.name
            );
            let label = format!("pages of `{}` were written here", holds.name);
            let numbers = format!("{place}; {} has pages there that are written and not pushed", holds.title());
            return error(message).label(site, label).numbers(numbers).help(help);
        }
        let numbers = format!(
            "{place}; {} from page {} on: {} that nobody has popped",
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
