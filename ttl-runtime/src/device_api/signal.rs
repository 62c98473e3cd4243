//! Other cores: semaphores, and transfers of pages from core to core.
//!
//! A circular buffer that a program has on several cores lies at the same address on all of them. Pages are sent to the place which
//! they have here, so sender and receivers push such a buffer in step, and the receiver reserves the pages before it says that it
//! is ready. The usual handshake, `ready` counted on the sender, `valid` set on the receivers:
//!
//! ```text
//! sender                                             each receiver
//! let block = x.reserve_back(n);                     let block = x.reserve_back(n);
//! // fill it                                         valid.set(0);
//! ready.wait(receivers); ready.set(0);               noc.semaphore_inc(&ready, sender, 1);
//! noc.write_multicast(&block, range, receivers);     valid.wait(1);
//! noc.semaphore_set_multicast(&valid, range, ..);    block.push_back();
//! ```

use super::cb::{Front, Reserved};
use super::noc::Noc;
use crate::arch::{ArchKind, Core};
use crate::sim::ops::{self, NocAddr, Receivers};
use crate::site::Site;
use crate::tensor::format::Element;
use std::marker::PhantomData;

/// A word of L1, at the same address on all its cores, that kernels wait on and that other cores change.
#[derive(Debug)]
pub struct Semaphore {
    addr: u32,
}

impl Semaphore {
    pub(crate) fn new(addr: u32) -> Semaphore {
        Semaphore { addr }
    }

    pub(super) fn l1_address(&self) -> u32 {
        self.addr
    }

    /// Sets the value on this core (`noc_semaphore_set`).
    #[track_caller]
    pub fn set(&self, value: u32) {
        ops::noc_semaphore_set(self.addr, value, Site::caller());
    }

    /// Waits until the value on this core is `value` (`noc_semaphore_wait`).
    #[track_caller]
    pub fn wait(&self, value: u32) {
        ops::noc_semaphore_wait(self.addr, value, Site::caller());
    }

    /// Waits until the value on this core is at least `value` (`noc_semaphore_wait_min`).
    #[track_caller]
    pub fn wait_min(&self, value: u32) {
        ops::noc_semaphore_wait_min(self.addr, value, Site::caller());
    }
}

/// Another core (or this one), which the host names by its logical coordinates.
#[derive(Clone, Copy, Debug)]
pub struct NocCore {
    /// Virtual coordinates.
    at: Core,
}

impl NocCore {
    pub(crate) fn new(at: Core) -> NocCore {
        NocCore { at }
    }

    pub(super) fn address(self, local: u32, site: Site) -> NocAddr {
        ops::noc_addr_worker(self.at.x, self.at.y, local, site)
    }
}

/// A rectangle of cores, which the host names by its logical corners.
#[derive(Clone, Copy, Debug)]
pub struct NocRange {
    /// Virtual coordinates, in the order of the kernel's NoC.
    start: Core,
    end: Core,
}

impl NocRange {
    pub(crate) fn new(start: Core, end: Core) -> NocRange {
        NocRange { start, end }
    }

    pub(super) fn address(self, local: u32, site: Site) -> NocAddr {
        ops::noc_addr_multicast(self.start, self.end, local, site)
    }
}

/// Pages that can be sent: a reserved block that is filled, or a waited one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent to other cores",
    label = "no block of pages",
    note = "send a block: what `reserve_back` or `wait_front` gave"
)]
pub trait Block: sealed::Block {}

impl<T: Element> Block for Front<'_, T> {}
impl<T: Element> Block for Reserved<'_, T> {}

pub(super) mod sealed {
    use super::*;

    pub trait Block {
        /// Address of the first page, and bytes.
        fn pages(&self, site: Site) -> (u32, u32);
    }

    impl<T: Element> Block for Front<'_, T> {
        fn pages(&self, site: Site) -> (u32, u32) {
            (ops::get_read_ptr(self.cb, site), self.pages * ops::cb_page_size(self.cb, site))
        }
    }

    impl<T: Element> Block for Reserved<'_, T> {
        fn pages(&self, site: Site) -> (u32, u32) {
            (ops::get_write_ptr(self.cb, site), self.pages * ops::cb_page_size(self.cb, site))
        }
    }
}

impl Noc {
    /// Sends a block to the same place of the same buffer on another core (`noc_async_write`).
    #[track_caller]
    pub fn write_to_core<'a>(&self, src: &'a impl Block, core: NocCore) -> Sent<'a> {
        let site = Site::caller();
        let (from, size) = src.pages(site);
        ops::noc_async_write(self.index, from, core.address(from, site), size, site);
        Sent { noc: self.index, site, _block: PhantomData }
    }

    /// Sends a block to the place on another core that `dst` has here (`noc_async_write`).
    #[track_caller]
    pub fn write_to_core_at<'a, T: Element>(
        &self,
        src: &'a impl Block,
        dst: &'a Reserved<'_, T>,
        core: NocCore,
    ) -> Sent<'a> {
        let site = Site::caller();
        let (from, size) = src.pages(site);
        let (to, room) = sealed::Block::pages(dst, site);
        enough(size, room, site);
        ops::noc_async_write(self.index, from, core.address(to, site), size, site);
        Sent { noc: self.index, site, _block: PhantomData }
    }

    /// Sends a block to the same place of the same buffer on every core of a rectangle but this one
    /// (`noc_async_write_multicast`). `num_dests` is how many those are.
    #[track_caller]
    pub fn write_multicast<'a>(&self, src: &'a impl Block, range: NocRange, num_dests: u32) -> Sent<'a> {
        let site = Site::caller();
        let (from, size) = src.pages(site);
        let to = Receivers { num_dests, loopback: false };
        ops::noc_async_write_multicast(self.index, from, range.address(from, site), size, to, site);
        Sent { noc: self.index, site, _block: PhantomData }
    }

    /// Sends a block to the place that `dst` has here, on every core of a rectangle but this one (`noc_async_write_multicast`).
    #[track_caller]
    pub fn write_multicast_at<'a, T: Element>(
        &self,
        src: &'a impl Block,
        dst: &'a Reserved<'_, T>,
        range: NocRange,
        num_dests: u32,
    ) -> Sent<'a> {
        let site = Site::caller();
        self.multicast_at(src, dst, range, Receivers { num_dests, loopback: false }, site);
        Sent { noc: self.index, site, _block: PhantomData }
    }

    /// Sends a block to the place that `dst` has here, on every core of a rectangle that has this core in it
    /// (`noc_async_write_multicast_loopback_src`). `num_dests` counts this core too.
    #[track_caller]
    pub fn write_multicast_loopback_src<'a, T: Element>(
        &self,
        src: &'a impl Block,
        dst: &'a Reserved<'_, T>,
        range: NocRange,
        num_dests: u32,
    ) -> Looped<'a> {
        let site = Site::caller();
        self.multicast_at(src, dst, range, Receivers { num_dests, loopback: true }, site);
        Looped { noc: self.index, site, _block: PhantomData }
    }

    fn multicast_at<T: Element>(
        &self,
        src: &impl Block,
        dst: &Reserved<'_, T>,
        range: NocRange,
        to: Receivers,
        site: Site,
    ) {
        let (from, size) = src.pages(site);
        let (there, room) = sealed::Block::pages(dst, site);
        enough(size, room, site);
        ops::noc_async_write_multicast(self.index, from, range.address(there, site), size, to, site);
    }

    /// Adds to a semaphore of another core (`noc_semaphore_inc`). What this kernel sent there before arrives before.
    #[track_caller]
    pub fn semaphore_inc(&self, semaphore: &Semaphore, core: NocCore, value: u32) {
        let site = Site::caller();
        ops::noc_semaphore_inc(self.index, core.address(semaphore.addr, site), value, site);
    }

    /// Copies this core's value of a semaphore to another core (`noc_semaphore_set_remote`). It must not change here before
    /// [`Noc::writes_flushed`].
    #[track_caller]
    pub fn semaphore_set_remote(&self, semaphore: &Semaphore, core: NocCore) {
        let site = Site::caller();
        ops::noc_semaphore_set_remote(self.index, semaphore.addr, core.address(semaphore.addr, site), site);
    }

    /// Copies this core's value of a semaphore to every core of a rectangle but this one (`noc_semaphore_set_multicast`), behind the
    /// data that this kernel sent there before. It must not change here before [`Noc::writes_flushed`].
    #[track_caller]
    pub fn semaphore_set_multicast(&self, semaphore: &Semaphore, range: NocRange, num_dests: u32) {
        self.signal(semaphore, range, Receivers { num_dests, loopback: false }, Site::caller());
    }

    /// As [`Noc::semaphore_set_multicast`], to this core as well, which `num_dests` counts
    /// (`noc_semaphore_set_multicast_loopback_src`).
    #[track_caller]
    pub fn semaphore_set_multicast_loopback_src(&self, semaphore: &Semaphore, range: NocRange, num_dests: u32) {
        self.signal(semaphore, range, Receivers { num_dests, loopback: true }, Site::caller());
    }

    fn signal(&self, semaphore: &Semaphore, range: NocRange, to: Receivers, site: Site) {
        // As the generated code does: on Blackhole the flag could be sent before the data has left.
        if ops::arch(site).kind == ArchKind::Blackhole {
            ops::noc_async_writes_flushed(self.index, site);
        }
        ops::noc_semaphore_set_multicast(self.index, semaphore.addr, range.address(semaphore.addr, site), to, site);
    }

    /// Waits until every increment by this kernel has arrived (`noc_async_atomic_barrier`).
    #[track_caller]
    pub fn atomic_barrier(&self) {
        ops::noc_async_atomic_barrier(self.index, Site::caller());
    }
}

/// The block fits the place that it is sent to.
pub(super) fn enough(size: u32, room: u32, site: Site) {
    if size > room {
        ops::fail(format!("a block of {size} bytes is sent to a place of {room} bytes"), site);
    }
}

/// A block on its way to other cores. Dropped, it has left this core; waited for, it has arrived.
#[derive(Debug)]
#[must_use = "the transfer is flushed when this is dropped"]
pub struct Sent<'a> {
    noc: u8,
    site: Site,
    _block: PhantomData<&'a ()>,
}

impl Sent<'_> {
    /// Waits until all writes of this kernel are acknowledged by their destinations (`noc_async_write_barrier`).
    #[track_caller]
    pub fn wait(self) {
        ops::noc_async_write_barrier(self.noc, Site::caller());
        std::mem::forget(self);
    }

    /// Waits until all writes of this kernel have left the core (`noc_async_writes_flushed`).
    #[track_caller]
    pub fn flushed(mut self) {
        self.site = Site::caller();
    }
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::noc_async_writes_flushed(self.noc, self.site);
        }
    }
}

/// A block on its way to cores among which this one is: it has arrived when this is dropped.
#[derive(Debug)]
#[must_use = "the transfer is waited for when this is dropped"]
pub struct Looped<'a> {
    noc: u8,
    site: Site,
    _block: PhantomData<&'a ()>,
}

impl Looped<'_> {
    /// Waits until all writes of this kernel are acknowledged by their destinations (`noc_async_write_barrier`).
    #[track_caller]
    pub fn wait(mut self) {
        self.site = Site::caller();
    }
}

impl Drop for Looped<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::noc_async_write_barrier(self.noc, self.site);
        }
    }
}
