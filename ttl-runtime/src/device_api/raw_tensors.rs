//! Unchecked transfers of pages and of whole shards by their number, to and from L1 addresses.

use super::noc::TensorAccessor;
use super::raw::{NocAddr, Raw};
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::format::Element;

impl<T: Element> TensorAccessor<T> {
    /// Byte `offset` of shard `shard` of a sharded tensor.
    #[track_caller]
    pub fn get_shard_noc_addr(&self, shard: u32, offset: u32) -> NocAddr {
        NocAddr(self.shard(shard, offset, Site::caller()).0)
    }
}

impl Raw {
    /// Starts a read of a page.
    #[track_caller]
    pub fn noc_async_read_page<T: Element>(self, src: &TensorAccessor<T>, page: u32, dst_l1: u32) {
        let site = Site::caller();
        ops::noc_async_read(self.index, src.noc_addr_at(page, 0, site), dst_l1, src.page_size(), site);
    }

    /// Starts a write of a page.
    #[track_caller]
    pub fn noc_async_write_page<T: Element>(self, dst: &TensorAccessor<T>, page: u32, src_l1: u32) {
        let site = Site::caller();
        ops::noc_async_write(self.index, src_l1, dst.noc_addr_at(page, 0, site), dst.page_size(), site);
    }

    /// Starts a write of a page that is not acknowledged (`noc_async_write_page<.., posted>`).
    #[track_caller]
    pub fn noc_async_write_page_posted<T: Element>(self, dst: &TensorAccessor<T>, page: u32, src_l1: u32) {
        let site = Site::caller();
        ops::noc_async_write_posted(self.index, src_l1, dst.noc_addr_at(page, 0, site), dst.page_size(), site);
    }

    /// Starts a read of a whole shard, whose pages follow one another.
    #[track_caller]
    pub fn noc_async_read_shard<T: Element>(self, src: &TensorAccessor<T>, shard: u32, dst_l1: u32) {
        let site = Site::caller();
        let (from, bytes) = src.shard(shard, 0, site);
        ops::noc_async_read(self.index, from, dst_l1, bytes, site);
    }

    /// Starts a write of a whole shard.
    #[track_caller]
    pub fn noc_async_write_shard<T: Element>(self, dst: &TensorAccessor<T>, shard: u32, src_l1: u32) {
        let site = Site::caller();
        let (to, bytes) = dst.shard(shard, 0, site);
        ops::noc_async_write(self.index, src_l1, to, bytes, site);
    }
}
