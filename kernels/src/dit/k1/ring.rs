//! The ring of weight pages: reads run ahead of the arithmetic by up to `depth` pages, each with a transaction id of its own, so that the
//! oldest can be waited for alone.
//!
//! ```text
//! issue    needs `depth` free pages behind the write pointer; page n goes to slot n mod P with id 1 + n mod depth
//! retire   waits for the oldest id, pushes its page
//! ```
//!
//! With one K-block of two pages not consumed there must still be room to issue: `depth + 2 <= P`.

use ttl::prelude::*;
use ttl::raw::NocAddr;

/// Pages of the ring that are under way. Id 0 is left for other reads.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageRing {
    /// L1 address of the first slot, and how many slots there are.
    pub base: u32,
    /// Slots.
    pub slots: u32,
    /// Reads under way at the most.
    pub depth: u32,
    /// Tiles of a page.
    pub page_tiles: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Pages since the start.
    pub issued: u32,
    /// Pages that the consumer has had.
    pub retired: u32,
}

#[ttl::device]
impl PageRing {
    fn under_way(&self) -> u32 {
        self.issued - self.retired
    }
}

/// An empty ring in the memory of `pages`, whose pages are tiles.
#[ttl::device]
pub fn page_ring<W: Element>(noc: Noc, pages: &CbOut<W>, page_tiles: u32, slots: u32, depth: u32) -> PageRing {
    PageRing {
        base: noc.raw().get_write_ptr(pages),
        slots,
        depth,
        page_tiles,
        page_bytes: page_tiles * pages.get_tile_size(),
        issued: 0,
        retired: 0,
    }
}

/// Waits for the oldest page, and pushes it.
#[ttl::device]
pub fn retire<W: Element>(ring: &mut PageRing, noc: Noc, pages: &CbOut<W>) {
    let raw = noc.raw();
    raw.noc_async_read_barrier_with_trid(1 + ring.retired % ring.depth);
    raw.cb_push_back(pages, ring.page_tiles);
    ring.retired += 1;
}

/// Starts to read the next page.
#[ttl::device]
pub fn issue<W: Element>(ring: &mut PageRing, noc: Noc, pages: &CbOut<W>, from: NocAddr) {
    let raw = noc.raw();
    while ring.under_way() == ring.depth
        || ring.under_way() > 0 && !pages.pages_reservable_at_back(ring.depth * ring.page_tiles)
    {
        retire(ring, noc, pages);
    }
    raw.cb_reserve_back(pages, ring.depth * ring.page_tiles);
    raw.noc_async_read_set_trid(1 + ring.issued % ring.depth);
    raw.noc_async_read(from, ring.base + ring.issued % ring.slots * ring.page_bytes, ring.page_bytes);
    ring.issued += 1;
}

/// Waits for everything that is under way: before a wait for something that its consumer must do first, and at the end.
#[ttl::device]
pub fn drain<W: Element>(ring: &mut PageRing, noc: Noc, pages: &CbOut<W>) {
    while ring.under_way() > 0 {
        retire(ring, noc, pages);
    }
}
