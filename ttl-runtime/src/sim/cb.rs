//! Circular buffers: two counters, a pointer per side, and who is on which side.
//!
//! Only the thread that pushes sees the advanced write pointer and only the one that pops the advanced read pointer, as on the chip,
//! where each processor has its own copy. Pointers wrap only when they land exactly on the end.

use std::sync::Arc;

use super::launch::{CbEnds, CbLaunch};
use super::shared::Unpushed;
use crate::site::Site;
use crate::tensor::format::DataFormat;

#[derive(Debug)]
pub(super) struct Cb {
    pub(super) name: Arc<str>,
    pub(super) id: u32,
    pub(super) addr: u32,
    pub(super) page_size: u32,
    pub(super) num_pages: u32,
    pub(super) format: DataFormat,
    pub(super) on_shard: bool,
    pub(super) ends: CbEnds,
    /// Other buffers of the core lie in the same memory.
    pub(super) shares: bool,
    pub(super) unpushed: Unpushed,
    /// Pages pushed and popped since the start.
    pub(super) received: u64,
    pub(super) acked: u64,
    /// Pages from the start of the buffer to the write and read pointers.
    pub(super) write_page: u32,
    pub(super) read_page: u32,
    /// Pages that the producer knows to be free, and that the consumer knows to be filled, from the pointers on.
    pub(super) reserved: u32,
    pub(super) waited: u32,
    /// `pack_tile` calls since the last push.
    pub(super) packed: u32,
    /// Index of the thread on each side, with the place of its first call.
    pub(super) producer: Option<(usize, Site)>,
    pub(super) consumer: Option<(usize, Site)>,
    pub(super) last_push: Site,
    pub(super) last_pop: Site,
}

impl Cb {
    pub(super) fn new(l: &CbLaunch) -> Cb {
        Cb {
            name: l.name.clone(),
            id: l.id,
            addr: l.addr,
            page_size: l.page_size,
            num_pages: l.num_pages,
            format: l.format,
            on_shard: l.on_shard,
            ends: l.ends.clone(),
            shares: false,
            unpushed: Unpushed::default(),
            received: 0,
            acked: 0,
            write_page: 0,
            read_page: 0,
            reserved: 0,
            waited: 0,
            packed: 0,
            producer: None,
            consumer: None,
            last_push: Site::UNKNOWN,
            last_pop: Site::UNKNOWN,
        }
    }

    #[inline]
    pub(super) fn available(&self) -> u32 {
        (self.received - self.acked) as u32
    }

    #[inline]
    pub(super) fn free(&self) -> u32 {
        self.num_pages - self.available()
    }

    #[inline]
    pub(super) fn write_ptr(&self) -> u32 {
        self.addr + self.write_page * self.page_size
    }

    #[inline]
    pub(super) fn read_ptr(&self) -> u32 {
        self.addr + self.read_page * self.page_size
    }

    pub(super) fn bytes(&self) -> u32 {
        self.page_size * self.num_pages
    }

    pub(super) fn overlaps(&self, addr: u32, size: u32) -> bool {
        addr < self.addr + self.bytes() && self.addr < addr + size
    }

    /// Whether bytes lie in `pages` pages from page `first` on, which go on at the start of the buffer where they reach its end.
    pub(super) fn within(&self, first: u32, pages: u32, addr: u32, size: u32) -> bool {
        let at_end = pages.min(self.num_pages - first);
        let inside = |first: u32, pages: u32| {
            let start = self.addr + first * self.page_size;
            addr >= start && addr + size <= start + pages * self.page_size
        };
        inside(first, at_end) || inside(0, pages - at_end)
    }

    /// Whether bytes touch one of `pages` pages from page `first` on.
    pub(super) fn overlaps_pages(&self, first: u32, pages: u32, addr: u32, size: u32) -> bool {
        let at_end = pages.min(self.num_pages - first);
        let touches = |first: u32, pages: u32| {
            let start = self.addr + first * self.page_size;
            pages > 0 && addr < start + pages * self.page_size && start < addr + size
        };
        touches(first, at_end) || touches(0, pages - at_end)
    }

    pub(super) fn encloses(&self, addr: u32, size: u32) -> bool {
        addr >= self.addr && addr + size <= self.addr + self.bytes()
    }

    /// Pages that somebody should have taken before the program ended: all that are left, but what an output on a shard holds is there to
    /// stay.
    pub(super) fn forgotten(&self) -> u32 {
        if self.on_shard && self.consumer.is_none() { 0 } else { self.available() }
    }

    /// The caller has checked `reserved` and the wrap rule.
    #[inline]
    pub(super) fn push(&mut self, pages: u32, site: Site) {
        self.received += u64::from(pages);
        self.reserved -= pages;
        self.packed = 0;
        if self.shares {
            self.unpushed.push(self.write_page, pages);
        }
        self.write_page += pages;
        if self.write_page == self.num_pages {
            self.write_page = 0;
        }
        self.last_push = site;
    }

    /// The caller has checked `waited` and the wrap rule.
    #[inline]
    pub(super) fn pop(&mut self, pages: u32, site: Site) {
        self.acked += u64::from(pages);
        self.waited -= pages;
        self.read_page += pages;
        if self.read_page == self.num_pages {
            self.read_page = 0;
        }
        self.last_pop = site;
    }

    /// `cb 'name' (id 3)` in messages.
    pub(super) fn title(&self) -> String {
        format!("cb `{}` (id {})", self.name, self.id)
    }
}

/// The circular buffers of one core, by id.
#[derive(Debug)]
pub(super) struct CbTable {
    pub(super) list: Vec<Cb>,
    index: [u8; 64],
}

const NONE: u8 = u8::MAX;

impl CbTable {
    pub(super) fn new() -> CbTable {
        CbTable { list: Vec::new(), index: [NONE; 64] }
    }

    /// The launch was checked: ids are in range and different.
    pub(super) fn add(&mut self, mut cb: Cb) {
        let (addr, bytes) = (cb.addr, cb.bytes());
        for other in self.list.iter_mut().filter(|o| o.overlaps(addr, bytes)) {
            (other.shares, cb.shares) = (true, true);
            other.unpushed = Unpushed::of(other.num_pages);
            cb.unpushed = Unpushed::of(cb.num_pages);
        }
        self.index[cb.id as usize] = self.list.len() as u8;
        self.list.push(cb);
    }

    #[inline]
    pub(super) fn find(&self, id: u32) -> Option<usize> {
        match self.index.get(id as usize) {
            Some(&i) if i != NONE => Some(i as usize),
            _ => None,
        }
    }
}
