//! Data movement: the NoC token, tensor accessors, transfers.

use super::cb::{Front, Reserved};
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::accessor::{Accessor, PageAddr};
use crate::tensor::format::Element;
use std::marker::PhantomData;

/// The token of a data-movement kernel: what a reader or writer may do. Its transfers go over the kernel's own NoC.
#[derive(Clone, Copy, Debug)]
pub struct Noc {
    pub(super) index: u8,
}

impl Noc {
    pub(crate) fn new(index: u8) -> Noc {
        Noc { index }
    }

    /// Logical column of this core.
    #[track_caller]
    pub fn core_x(&self) -> u32 {
        ops::core(Site::caller()).x
    }

    /// Logical row of this core.
    #[track_caller]
    pub fn core_y(&self) -> u32 {
        ops::core(Site::caller()).y
    }

    /// Starts to read page `page` of `src` into the first page of `dst` (`noc_async_read_page`). Nothing may touch `dst` until the transfer
    /// is waited for.
    #[track_caller]
    pub fn read_page<'a, T: Element>(
        &self,
        src: &TensorAccessor<T>,
        page: u32,
        dst: &'a mut Reserved<'_, T>,
    ) -> Reads<'a, T> {
        let mut reads = self.read_into(dst);
        reads.page(src, page, 0);
        reads
    }

    /// Reads of several pages into the pages of `dst`, all waited for together.
    #[track_caller]
    pub fn read_into<'a, T: Element>(&self, dst: &'a mut Reserved<'_, T>) -> Reads<'a, T> {
        let site = Site::caller();
        Reads { noc: self.index, cb: dst.cb, pages: dst.pages, site, _dst: PhantomData }
    }

    /// Starts to write the first page of `src` to page `page` of `dst` (`noc_async_write_page`). `src` cannot be popped until the
    /// transfer is waited for.
    #[track_caller]
    pub fn write_page<'a, T: Element>(
        &self,
        dst: &TensorAccessor<T>,
        page: u32,
        src: &'a Front<'_, T>,
    ) -> Writes<'a, T> {
        let mut writes = self.write_from(src);
        writes.page(dst, page, 0);
        writes
    }

    /// Writes of several pages of `src`, all waited for together.
    #[track_caller]
    pub fn write_from<'a, T: Element>(&self, src: &'a Front<'_, T>) -> Writes<'a, T> {
        let site = Site::caller();
        Writes { noc: self.index, cb: src.cb, pages: src.pages, site, _src: PhantomData }
    }

    /// Waits until every read of this kernel has landed (`noc_async_read_barrier`).
    #[track_caller]
    pub fn read_barrier(&self) {
        ops::noc_async_read_barrier(self.index, Site::caller());
    }

    /// Waits until every write of this kernel is acknowledged by its destination (`noc_async_write_barrier`).
    #[track_caller]
    pub fn write_barrier(&self) {
        ops::noc_async_write_barrier(self.index, Site::caller());
    }

    /// Waits until every write of this kernel has left the core, so that its source may change (`noc_async_writes_flushed`).
    #[track_caller]
    pub fn writes_flushed(&self) {
        ops::noc_async_writes_flushed(self.index, Site::caller());
    }
}

/// Finds the pages of a tensor of `T` elements in device memory. One page is one tile.
#[derive(Debug)]
pub struct TensorAccessor<T> {
    accessor: Accessor,
    pub(super) base: u32,
    _format: PhantomData<T>,
}

impl<T: Element> TensorAccessor<T> {
    pub(crate) fn new(accessor: Accessor, base: u32) -> TensorAccessor<T> {
        TensorAccessor { accessor, base, _format: PhantomData }
    }

    /// Bytes of one page, aligned as the allocator does.
    pub fn page_size(&self) -> u32 {
        self.accessor.aligned_page_size()
    }

    fn noc_addr(&self, page: u32, site: Site) -> ops::NocAddr {
        self.noc_addr_at(page, 0, site)
    }

    /// Where a shard begins, and its bytes.
    pub(super) fn shard(&self, shard: u32, offset: u32, site: Site) -> (ops::NocAddr, u32) {
        let Some((page, pages)) = self.accessor.shard(shard) else {
            ops::fail_with_help(
                "an interleaved tensor has no shards",
                "read and write its pages, or make the tensor with `MemoryConfig::Sharded`",
                site,
            );
        };
        (self.noc_addr_at(page, offset, site), pages * self.page_size())
    }

    pub(super) fn noc_addr_at(&self, page: u32, offset: u32, site: Site) -> ops::NocAddr {
        ops::check_page(self.accessor.is_dram(), self.base, page, site);
        match self.accessor.locate(self.base, page, offset) {
            PageAddr::Dram { bank, addr } => ops::noc_addr_dram(bank, addr, site),
            PageAddr::L1 { x, y, addr } => ops::noc_addr_worker(x, y, addr, site),
        }
    }
}

/// Reads that are under way. Dropped or waited for, they have landed.
#[derive(Debug)]
#[must_use = "the transfer is waited for when this is dropped"]
pub struct Reads<'a, T> {
    pub(super) noc: u8,
    pub(super) cb: u32,
    pub(super) pages: u32,
    site: Site,
    _dst: PhantomData<&'a mut T>,
}

impl<T: Element> Reads<'_, T> {
    /// Starts to read page `page` of `src` into page `index` of the reserved block.
    #[track_caller]
    pub fn page(&mut self, src: &TensorAccessor<T>, page: u32, index: u32) {
        let site = Site::caller();
        ops::check_index(self.cb, index, self.pages, site);
        let size = src.page_size();
        let to = ops::get_write_ptr(self.cb, site) + index * ops::cb_page_size(self.cb, site);
        ops::noc_async_read(self.noc, src.noc_addr(page, site), to, size, site);
    }

    /// Waits until all reads of this kernel have landed (`noc_async_read_barrier`).
    #[track_caller]
    pub fn wait(mut self) {
        self.site = Site::caller();
    }
}

impl<T> Drop for Reads<'_, T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::noc_async_read_barrier(self.noc, self.site);
        }
    }
}

/// Writes that are under way. Dropped, they have left the core; waited for, they have arrived.
#[derive(Debug)]
#[must_use = "the transfer is flushed when this is dropped"]
pub struct Writes<'a, T> {
    pub(super) noc: u8,
    pub(super) cb: u32,
    pub(super) pages: u32,
    site: Site,
    _src: PhantomData<&'a T>,
}

impl<T: Element> Writes<'_, T> {
    /// Starts to write page `index` of the waited block to page `page` of `dst`.
    #[track_caller]
    pub fn page(&mut self, dst: &TensorAccessor<T>, page: u32, index: u32) {
        let site = Site::caller();
        ops::check_index(self.cb, index, self.pages, site);
        let size = dst.page_size();
        let from = ops::get_read_ptr(self.cb, site) + index * ops::cb_page_size(self.cb, site);
        ops::noc_async_write(self.noc, from, dst.noc_addr(page, site), size, site);
    }

    /// Waits until all writes of this kernel are acknowledged by their destinations (`noc_async_write_barrier`).
    #[track_caller]
    pub fn wait(self) {
        ops::noc_async_write_barrier(self.noc, Site::caller());
        std::mem::forget(self);
    }

    /// Waits until all writes of this kernel have left the core: their source may change (`noc_async_writes_flushed`).
    #[track_caller]
    pub fn flushed(mut self) {
        self.site = Site::caller();
    }
}

impl<T> Drop for Writes<'_, T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::noc_async_writes_flushed(self.noc, self.site);
        }
    }
}
