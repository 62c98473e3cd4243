//! Circular buffers.

use super::{Step, Stop, op};
use crate::sim::core::Wait;
use crate::sim::error::{ErrorKind, count};
use crate::sim::launch::Processor;
use crate::sim::noc::{Source, What};
use crate::sim::thread::Cx;
use crate::site::Site;
use crate::tensor::format::DataFormat;

impl Cx<'_> {
    /// Index of a circular buffer of this core.
    #[inline]
    pub(super) fn cb(&self, call: &str, id: u32, site: Site) -> Step<usize> {
        self.core.cbs.find(id).ok_or_else(|| self.no_cb(call, id, site))
    }

    #[cold]
    fn no_cb(&self, call: &str, id: u32, site: Site) -> Stop {
        let list: Vec<String> = self.core.cbs.list.iter().map(|c| format!("{} `{}`", c.id, c.name)).collect();
        let list = if list.is_empty() { "no circular buffers".to_owned() } else { list.join(", ") };
        let message = format!("`{call}`: there is no circular buffer with id {id} on {}", self.core.core);
        let error = self.error(ErrorKind::CircularBuffer, message, site).numbers(format!("the core has {list}"));
        Stop::Fail(error.help("declare the buffer on this core too, or take its id from an argument"))
    }

    /// The running thread is the one that fills the buffer.
    #[inline]
    pub(super) fn producer(&mut self, call: &str, cb: usize, site: Site) -> Step<()> {
        match self.core.cbs.list[cb].producer {
            Some((thread, _)) if thread == self.me => Ok(()),
            Some((thread, first)) => Err(self.second_thread(call, cb, "fills", "producer", thread, first, site)),
            None => {
                self.core.cbs.list[cb].producer = Some((self.me, site));
                Ok(())
            }
        }
    }

    /// The running thread is the one that empties the buffer.
    #[inline]
    pub(super) fn consumer(&mut self, call: &str, cb: usize, site: Site) -> Step<()> {
        match self.core.cbs.list[cb].consumer {
            Some((thread, _)) if thread == self.me => Ok(()),
            Some((thread, first)) => Err(self.second_thread(call, cb, "empties", "consumer", thread, first, site)),
            None => {
                self.core.cbs.list[cb].consumer = Some((self.me, site));
                Ok(())
            }
        }
    }

    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn second_thread(
        &self,
        call: &str,
        cb: usize,
        does: &str,
        role: &str,
        thread: usize,
        first: Site,
        site: Site,
    ) -> Stop {
        let title = self.core.cbs.list[cb].title();
        let (me, other) = (self.core.thread_title(self.me), self.core.thread_title(thread));
        let message = format!("`{call}`: {me} {does} {title}, but {other} does so already");
        let error = self.error(ErrorKind::CircularBuffer, message, site).label(first, format!("{other} is its {role}"));
        Stop::Fail(
            error.help("each circular buffer has one producer and one consumer: use one buffer per pair of kernels"),
        )
    }

    /// More pages at once than the buffer has can never be there.
    #[inline]
    fn at_most_capacity(&self, call: &str, cb: usize, pages: u32, site: Site) -> Step<()> {
        let c = &self.core.cbs.list[cb];
        if pages <= c.num_pages {
            return Ok(());
        }
        let message = format!("`{call}` of {} of {}, which has {}", count(pages, "page"), c.title(), c.num_pages);
        let error = self.error(ErrorKind::CircularBuffer, message, site);
        Err(Stop::Fail(error.help(format!("this can never succeed; give `{}` at least {pages} pages", c.name))))
    }

    /// Pointers wrap only when they land exactly on the end.
    #[inline]
    fn wraps_exactly(&self, call: &str, cb: usize, page: u32, pages: u32, site: Site) -> Step<()> {
        let c = &self.core.cbs.list[cb];
        if page + pages <= c.num_pages {
            return Ok(());
        }
        let left = c.num_pages - page;
        let message = format!("`{call}` of {} runs over the end of {}", count(pages, "page"), c.title());
        let error = self.error(ErrorKind::CircularBuffer, message, site);
        let numbers = format!("the pointer is at page {page} of {}, {left} before the end", c.num_pages);
        let help =
            "a block of pages must be contiguous: use one block size per buffer, and a multiple of it as capacity";
        Err(Stop::Fail(error.numbers(numbers).help(help)))
    }

    /// The write to buffer `cb` destroys nothing that another buffer in its memory holds, nor may it be destroyed from now on.
    #[inline]
    pub(super) fn destroys_nothing(&self, cb: usize, addr: u32, size: u32, site: Site) -> Step<()> {
        self.destroys_no_pushed(cb, addr, size, site)?;
        self.core.cbs.fills(cb, addr, size, site);
        Ok(())
    }

    pub(super) fn destroys_no_pushed(&self, cb: usize, addr: u32, size: u32, site: Site) -> Step<()> {
        match self.core.cbs.overwrites(cb, addr, size) {
            None => Ok(()),
            Some(found) => {
                let error = |message| self.error(ErrorKind::CircularBuffer, message, site);
                Err(Stop::Fail(found.explain(&self.core.cbs, error, (addr, size))))
            }
        }
    }

    /// No read that has not landed may fill pages that are being pushed.
    #[inline]
    fn reads_have_landed(&self, addr: u32, bytes: u32, cb: usize, site: Site) -> Step<()> {
        for (t, thread) in self.core.threads.iter().enumerate() {
            for read in &thread.reads {
                if read.dest < addr + bytes && addr < read.dest + read.size {
                    let c = &self.core.cbs.list[cb];
                    let message =
                        format!("pages of {} are pushed before the read that fills them has landed", c.title());
                    let numbers = format!("the read of {} bytes to L1 {:#x} is still under way", read.size, read.dest);
                    let who = self.core.thread_title(t);
                    let error =
                        self.error(ErrorKind::Noc, message, site).label(read.site, format!("read issued by {who}"));
                    return Err(Stop::Fail(
                        error.numbers(numbers).help("call `noc_async_read_barrier` before `cb_push_back`"),
                    ));
                }
            }
        }
        Ok(())
    }

    /// No write that has not left L1 may come from pages that are being popped.
    #[inline]
    fn writes_have_left(&self, addr: u32, bytes: u32, cb: usize, site: Site) -> Step<()> {
        let mut left = self.core.queue.uncaptured;
        for op in self.core.queue.list.iter().rev() {
            if left == 0 {
                break;
            }
            if let What::Write { source: Source::L1(from), size } = op.what {
                left -= 1;
                if from < addr + bytes && addr < from + size {
                    let c = &self.core.cbs.list[cb];
                    let message =
                        format!("pages of {} are popped before the write that reads them has left", c.title());
                    let numbers = format!("the write of {size} bytes from L1 {from:#x} is still under way");
                    let who = self.core.thread_title(usize::from(op.thread));
                    let error =
                        self.error(ErrorKind::Noc, message, site).label(op.site, format!("write issued by {who}"));
                    let help = "call `noc_async_writes_flushed` (or `noc_async_write_barrier`) before `cb_pop_front`";
                    return Err(Stop::Fail(error.numbers(numbers).help(help)));
                }
            }
        }
        Ok(())
    }
}

/// Waits until `pages` pages are free.
pub fn cb_reserve_back(cb: u32, pages: u32, site: Site) {
    const CALL: &str = "cb_reserve_back";
    op(site, |cx| {
        let cb = cx.cb(CALL, cb, site)?;
        cx.producer(CALL, cb, site)?;
        cx.at_most_capacity(CALL, cb, pages, site)?;
        let c = &mut cx.core.cbs.list[cb];
        if c.free() < pages {
            return Err(Stop::Wait(Wait::Reserve { cb, pages }));
        }
        c.reserved = c.reserved.max(pages);
        Ok(())
    });
}

/// Gives filled pages to the consumer.
pub fn cb_push_back(cb: u32, pages: u32, site: Site) {
    const CALL: &str = "cb_push_back";
    op(site, |cx| {
        let cb = cx.cb(CALL, cb, site)?;
        cx.producer(CALL, cb, site)?;
        let c = &cx.core.cbs.list[cb];
        if pages > c.reserved {
            let message =
                format!("`{CALL}` of {} of {}, with {} reserved", count(pages, "page"), c.title(), c.reserved);
            let error = cx.error(ErrorKind::CircularBuffer, message, site);
            let error = if c.received > 0 { error.label(c.last_push, "the last push was here") } else { error };
            return Err(Stop::Fail(
                error.help(format!("call `cb_reserve_back({}, {pages})` before filling the pages", c.id)),
            ));
        }
        cx.wraps_exactly(CALL, cb, c.write_page, pages, site)?;
        let (addr, bytes) = (c.write_ptr(), pages * c.page_size);
        cx.reads_have_landed(addr, bytes, cb, site)?;
        cx.core.cbs.list[cb].push(pages, site);
        cx.core.counters.pages_pushed += u64::from(pages);
        cx.core.progress += 1;
        Ok(())
    });
}

/// Waits until `pages` pages are filled, counted from the last pop.
pub fn cb_wait_front(cb: u32, pages: u32, site: Site) {
    const CALL: &str = "cb_wait_front";
    op(site, |cx| {
        let cb = cx.cb(CALL, cb, site)?;
        cx.consumer(CALL, cb, site)?;
        cx.at_most_capacity(CALL, cb, pages, site)?;
        let c = &mut cx.core.cbs.list[cb];
        if c.available() < pages {
            return Err(Stop::Wait(Wait::Front { cb, pages }));
        }
        c.waited = c.waited.max(pages);
        Ok(())
    });
}

/// Gives pages back to the producer.
pub fn cb_pop_front(cb: u32, pages: u32, site: Site) {
    const CALL: &str = "cb_pop_front";
    op(site, |cx| {
        let cb = cx.cb(CALL, cb, site)?;
        cx.consumer(CALL, cb, site)?;
        let c = &cx.core.cbs.list[cb];
        if pages > c.waited {
            let message =
                format!("`{CALL}` of {} of {}, with {} waited for", count(pages, "page"), c.title(), c.waited);
            let error = cx.error(ErrorKind::CircularBuffer, message, site);
            let error = if c.acked > 0 { error.label(c.last_pop, "the last pop was here") } else { error };
            return Err(Stop::Fail(
                error.help(format!("call `cb_wait_front({}, {pages})` before using the pages", c.id)),
            ));
        }
        cx.wraps_exactly(CALL, cb, c.read_page, pages, site)?;
        let (addr, bytes) = (c.read_ptr(), pages * c.page_size);
        cx.writes_have_left(addr, bytes, cb, site)?;
        cx.core.cbs.list[cb].pop(pages, site);
        cx.core.counters.pages_popped += u64::from(pages);
        cx.core.progress += 1;
        Ok(())
    });
}

/// Whether `cb_reserve_back` would not wait. A loop around it lets other threads run.
pub fn cb_pages_reservable_at_back(cb: u32, pages: u32, site: Site) -> bool {
    const CALL: &str = "cb_pages_reservable_at_back";
    let mut polled = false;
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let cb = cx.cb(CALL, cb, site)?;
        cx.producer(CALL, cb, site)?;
        cx.at_most_capacity(CALL, cb, pages, site)?;
        let c = &mut cx.core.cbs.list[cb];
        if c.free() >= pages {
            c.reserved = c.reserved.max(pages);
            return Ok(true);
        }
        if !std::mem::replace(&mut polled, true) { Err(Stop::Wait(cx.core.poll())) } else { Ok(false) }
    })
}

/// Whether `cb_wait_front` would not wait. A loop around it lets other threads run.
pub fn cb_pages_available_at_front(cb: u32, pages: u32, site: Site) -> bool {
    const CALL: &str = "cb_pages_available_at_front";
    let mut polled = false;
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let cb = cx.cb(CALL, cb, site)?;
        cx.consumer(CALL, cb, site)?;
        cx.at_most_capacity(CALL, cb, pages, site)?;
        let c = &mut cx.core.cbs.list[cb];
        if c.available() >= pages {
            c.waited = c.waited.max(pages);
            return Ok(true);
        }
        if !std::mem::replace(&mut polled, true) { Err(Stop::Wait(cx.core.poll())) } else { Ok(false) }
    })
}

/// L1 address of the first free page. A thread that does not fill the buffer sees its start, as on the chip.
pub fn get_write_ptr(cb: u32, site: Site) -> u32 {
    pointer("get_write_ptr", cb, site, |cx, cb| {
        let c = &cx.core.cbs.list[cb];
        if c.producer.is_some_and(|(t, _)| t == cx.me) { c.write_ptr() } else { c.addr }
    })
}

/// L1 address of the first filled page. A thread that does not empty the buffer sees its start, as on the chip.
pub fn get_read_ptr(cb: u32, site: Site) -> u32 {
    pointer("get_read_ptr", cb, site, |cx, cb| {
        let c = &cx.core.cbs.list[cb];
        if c.consumer.is_some_and(|(t, _)| t == cx.me) { c.read_ptr() } else { c.addr }
    })
}

fn pointer(call: &str, cb: u32, site: Site, f: impl Fn(&Cx<'_>, usize) -> u32) -> u32 {
    op(site, |cx| {
        if cx.core.threads[cx.me].processor == Processor::Compute {
            let message = format!("`{call}` in a compute kernel");
            let error = cx.error(ErrorKind::Role, message, site);
            return Err(Stop::Fail(error.help("compute kernels address tiles by their index in the circular buffer")));
        }
        let cb = cx.cb(call, cb, site)?;
        Ok(f(cx, cb))
    })
}

/// Bytes of one tile of the buffer's format.
pub fn get_tile_size(cb: u32, site: Site) -> u32 {
    op(site, |cx| Ok(cx.core.cbs.list[cx.cb("get_tile_size", cb, site)?].format.tile_bytes()))
}

pub fn cb_format(cb: u32, site: Site) -> DataFormat {
    op(site, |cx| Ok(cx.core.cbs.list[cx.cb("get_dataformat", cb, site)?].format))
}

pub fn cb_num_pages(cb: u32, site: Site) -> u32 {
    op(site, |cx| Ok(cx.core.cbs.list[cx.cb("get_total_num_entries", cb, site)?].num_pages))
}

/// As [`get_read_ptr`], for any kind of kernel: what the buffer's description says.
pub fn cb_read_address(cb: u32, site: Site) -> u32 {
    op(site, |cx| {
        let c = &cx.core.cbs.list[cx.cb("get_local_cb_interface", cb, site)?];
        Ok(if c.consumer.is_some_and(|(t, _)| t == cx.me) { c.read_ptr() } else { c.addr })
    })
}

/// As [`get_write_ptr`], for any kind of kernel.
pub fn cb_write_address(cb: u32, site: Site) -> u32 {
    op(site, |cx| {
        let c = &cx.core.cbs.list[cx.cb("get_local_cb_interface", cb, site)?];
        Ok(if c.producer.is_some_and(|(t, _)| t == cx.me) { c.write_ptr() } else { c.addr })
    })
}

/// Where the memory of a circular buffer begins.
pub fn cb_address(cb: u32, site: Site) -> u32 {
    op(site, |cx| Ok(cx.core.cbs.list[cx.cb("get_local_cb_interface", cb, site)?].addr))
}

pub fn cb_page_size(cb: u32, site: Site) -> u32 {
    op(site, |cx| Ok(cx.core.cbs.list[cx.cb("get_entry_size", cb, site)?].page_size))
}
