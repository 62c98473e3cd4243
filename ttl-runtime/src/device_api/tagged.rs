//! Transfers with transaction ids, parts of pages, blocks from other cores: the typed forms.

use super::cb::{Front, Reserved};
use super::noc::{Noc, Reads, TensorAccessor, Writes};
use super::raw::own_addr;
use super::signal::sealed::Block as _;
use super::signal::{NocCore, NocRange, Semaphore, enough};
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::format::Element;
use std::marker::PhantomData;

impl Noc {
    /// Starts to read page `page` of `src` into the first page of `dst` with transaction id `trid`, 1 to 15. What it gives waits for
    /// this id only; other reads stay under way.
    #[track_caller]
    pub fn read_page_with_trid<'a, T: Element>(
        &self,
        src: &TensorAccessor<T>,
        page: u32,
        dst: &'a mut Reserved<'_, T>,
        trid: u32,
    ) -> TaggedReads<'a, T> {
        let mut reads = self.read_into_with_trid(dst, trid);
        reads.page(src, page, 0);
        reads
    }

    /// Reads of several pages into the pages of `dst`, all with transaction id `trid`.
    #[track_caller]
    pub fn read_into_with_trid<'a, T: Element>(&self, dst: &'a mut Reserved<'_, T>, trid: u32) -> TaggedReads<'a, T> {
        let site = Site::caller();
        ops::noc_async_read_set_trid(self.index, trid, site);
        TaggedReads { noc: self.index, cb: dst.cb, pages: dst.pages, trid, site, _dst: PhantomData }
    }

    /// Starts to write the first page of `src` to page `page` of `dst` with transaction id `trid`, 1 to 15.
    #[track_caller]
    pub fn write_page_with_trid<'a, T: Element>(
        &self,
        dst: &TensorAccessor<T>,
        page: u32,
        src: &'a Front<'_, T>,
        trid: u32,
    ) -> TaggedWrites<'a, T> {
        let mut writes = self.write_from_with_trid(src, trid);
        writes.page(dst, page, 0);
        writes
    }

    /// Writes of several pages of `src`, all with transaction id `trid`.
    #[track_caller]
    pub fn write_from_with_trid<'a, T: Element>(&self, src: &'a Front<'_, T>, trid: u32) -> TaggedWrites<'a, T> {
        let site = Site::caller();
        ops::noc_async_write_set_trid(self.index, trid, site);
        TaggedWrites { noc: self.index, cb: src.cb, pages: src.pages, trid, site, _src: PhantomData }
    }

    /// Starts to read `bytes` bytes of page `page`, from byte `offset` on, to byte `to` of the reserved block.
    #[track_caller]
    #[allow(clippy::too_many_arguments)] // a place in a tensor, a place in a block, a size
    pub fn read_page_at<'a, T: Element>(
        &self,
        src: &TensorAccessor<T>,
        page: u32,
        offset: u32,
        dst: &'a mut Reserved<'_, T>,
        to: u32,
        bytes: u32,
    ) -> Reads<'a, T> {
        let mut reads = self.read_into(dst);
        reads.page_at(src, page, offset, to, bytes);
        reads
    }

    /// Starts to write `bytes` bytes of the waited block, from byte `from` on, to page `page` from byte `offset` on.
    #[track_caller]
    #[allow(clippy::too_many_arguments)] // a place in a tensor, a place in a block, a size
    pub fn write_page_at<'a, T: Element>(
        &self,
        dst: &TensorAccessor<T>,
        page: u32,
        offset: u32,
        src: &'a Front<'_, T>,
        from: u32,
        bytes: u32,
    ) -> Writes<'a, T> {
        let mut writes = self.write_from(src);
        writes.page_at(dst, page, offset, from, bytes);
        writes
    }

    /// Starts to read what another core has at the place of the reserved block (`noc_async_read`).
    #[track_caller]
    pub fn read_from_core<'a, T: Element>(&self, core: NocCore, dst: &'a mut Reserved<'_, T>) -> Reads<'a, T> {
        let site = Site::caller();
        let (to, size) = dst.pages(site);
        ops::noc_async_read(self.index, core.address(to, site), to, size, site);
        self.read_into(dst)
    }

    /// Starts to copy a waited block to the reserved one, within this core (`noc_async_read`).
    #[track_caller]
    pub fn copy_pages<'a, T: Element>(&self, src: &'a Front<'_, T>, dst: &'a mut Reserved<'_, T>) -> Reads<'a, T> {
        let site = Site::caller();
        let ((from, size), (to, room)) = (src.pages(site), dst.pages(site));
        enough(size, room, site);
        ops::noc_async_read(self.index, own_addr(from, site), to, size, site);
        self.read_into(dst)
    }

    /// Adds to a semaphore of every core of a rectangle but this one (`noc_semaphore_inc_multicast`).
    #[track_caller]
    pub fn semaphore_inc_multicast(&self, semaphore: &Semaphore, range: NocRange, value: u32, num_dests: u32) {
        let site = Site::caller();
        let to = range.address(semaphore.l1_address(), site);
        ops::noc_semaphore_inc_multicast(self.index, to, value, num_dests, site);
    }
}

impl<T: Element> Reads<'_, T> {
    /// Starts to read `bytes` bytes of page `page`, from byte `offset` on, to byte `to` of the reserved block.
    #[track_caller]
    pub fn page_at(&mut self, src: &TensorAccessor<T>, page: u32, offset: u32, to: u32, bytes: u32) {
        let site = Site::caller();
        ops::check_bytes(self.cb, to, bytes, self.pages, site);
        let addr = src.noc_addr_at(page, offset, site);
        ops::noc_async_read(self.noc, addr, ops::get_write_ptr(self.cb, site) + to, bytes, site);
    }
}

impl<T: Element> Writes<'_, T> {
    /// Starts to write `bytes` bytes of the waited block, from byte `from` on, to page `page` from byte `offset` on.
    #[track_caller]
    pub fn page_at(&mut self, dst: &TensorAccessor<T>, page: u32, offset: u32, from: u32, bytes: u32) {
        let site = Site::caller();
        ops::check_bytes(self.cb, from, bytes, self.pages, site);
        let addr = dst.noc_addr_at(page, offset, site);
        ops::noc_async_write(self.noc, ops::get_read_ptr(self.cb, site) + from, addr, bytes, site);
    }
}

/// Reads of one transaction id that are under way. Dropped or waited for, they have landed; reads of other ids may be still under way.
#[derive(Debug)]
#[must_use = "the transfer is waited for when this is dropped"]
pub struct TaggedReads<'a, T> {
    noc: u8,
    cb: u32,
    pages: u32,
    trid: u32,
    site: Site,
    _dst: PhantomData<&'a mut T>,
}

impl<T: Element> TaggedReads<'_, T> {
    /// Starts to read page `page` of `src` into page `index` of the reserved block.
    #[track_caller]
    pub fn page(&mut self, src: &TensorAccessor<T>, page: u32, index: u32) {
        let site = Site::caller();
        ops::check_index(self.cb, index, self.pages, site);
        let to = ops::get_write_ptr(self.cb, site) + index * ops::cb_page_size(self.cb, site);
        ops::noc_async_read(self.noc, src.noc_addr_at(page, 0, site), to, src.page_size(), site);
    }

    /// Waits until the reads of this id have landed (`noc_async_read_barrier_with_trid`).
    #[track_caller]
    pub fn wait(mut self) {
        self.site = Site::caller();
    }
}

impl<T> Drop for TaggedReads<'_, T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::noc_async_read_barrier_with_trid(self.noc, self.trid, self.site);
        }
    }
}

/// Writes of one transaction id that are under way. Dropped, they have left the core; waited for, they have arrived.
#[derive(Debug)]
#[must_use = "the transfer is flushed when this is dropped"]
pub struct TaggedWrites<'a, T> {
    noc: u8,
    cb: u32,
    pages: u32,
    trid: u32,
    site: Site,
    _src: PhantomData<&'a T>,
}

impl<T: Element> TaggedWrites<'_, T> {
    /// Starts to write page `index` of the waited block to page `page` of `dst`.
    #[track_caller]
    pub fn page(&mut self, dst: &TensorAccessor<T>, page: u32, index: u32) {
        let site = Site::caller();
        ops::check_index(self.cb, index, self.pages, site);
        let from = ops::get_read_ptr(self.cb, site) + index * ops::cb_page_size(self.cb, site);
        ops::noc_async_write(self.noc, from, dst.noc_addr_at(page, 0, site), dst.page_size(), site);
    }

    /// Waits until the writes of this id have arrived (`noc_async_write_barrier_with_trid`).
    #[track_caller]
    pub fn wait(self) {
        ops::noc_async_write_barrier_with_trid(self.noc, self.trid, Site::caller());
        std::mem::forget(self);
    }

    /// Waits until the writes of this id have left the core (`noc_async_write_flushed_with_trid`).
    #[track_caller]
    pub fn flushed(mut self) {
        self.site = Site::caller();
    }
}

impl<T> Drop for TaggedWrites<'_, T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::noc_async_write_flushed_with_trid(self.noc, self.trid, self.site);
        }
    }
}
