//! Ends of pipes. The host makes a pipe with `Program::pipe` and gives its ends to the kernels of senders and receivers.
//!
//! A block goes to the place which it has on the sender, in the same circular buffer of each receiver; so all cores of a pipe push that buffer
//! in step. A receiver waits for room, tells the sender, and waits for the data; the sender waits until every receiver has told it.
//!
//! ```text
//! sender                                     each receiver
//! let mut block = x.reserve_back(n);         let mut block = x.reserve_back(n);
//! // fill it                                 pipe.receive(noc, &mut block);
//! pipe.send(noc, &block);                    block.push_back();
//! block.push_back();
//! ```

use super::cb::Reserved;
use super::noc::Noc;
use super::signal::sealed::Block as _;
use super::signal::{Block, NocCore, NocRange, Semaphore, enough};
use crate::sim::ops::{self, Receivers};
use crate::site::Site;
use crate::tensor::format::Element;
use std::marker::PhantomData;

/// The sending end of a pipe to one or many cores.
#[derive(Debug)]
pub struct PipeTx {
    ready: Semaphore,
    valid: Semaphore,
    to: NocRange,
    receivers: u32,
}

impl PipeTx {
    /// Sets the flag that receivers get: it is never changed again.
    pub(super) fn new(ready: Semaphore, valid: Semaphore, to: NocRange, receivers: u32) -> PipeTx {
        ops::noc_semaphore_set(valid.l1_address(), 1, Site::UNKNOWN);
        PipeTx { ready, valid, to, receivers }
    }

    /// How many cores receive; the sender is none of them.
    pub fn receivers(&self) -> u32 {
        self.receivers
    }

    /// Waits until every receiver has room and sends the block to all of them. It has left this core when the call returns.
    #[track_caller]
    pub fn send(&self, noc: Noc, block: &impl Block) {
        let site = Site::caller();
        self.through(noc, block.pages(site), None, site);
    }

    /// As [`PipeTx::send`], to the place that `dst` has here, which is where the receivers reserved it.
    #[track_caller]
    pub fn send_to<T: Element>(&self, noc: Noc, block: &impl Block, dst: &Reserved<'_, T>) {
        let site = Site::caller();
        self.through(noc, block.pages(site), Some((dst.pages(site), false)), site);
    }

    /// As [`PipeTx::send_to`], to this core as well, which lies in the rectangle of the receivers: `dst` is filled when the call returns.
    #[track_caller]
    pub fn send_loopback<T: Element>(&self, noc: Noc, block: &impl Block, dst: &mut Reserved<'_, T>) {
        let site = Site::caller();
        self.through(noc, block.pages(site), Some((dst.pages(site), true)), site);
        ops::noc_async_write_barrier(noc.index, site);
    }

    /// What `ir::passes::pipes` writes in C++.
    fn through(&self, noc: Noc, (from, size): (u32, u32), dst: Option<((u32, u32), bool)>, site: Site) {
        let ((there, room), loopback) = dst.unwrap_or(((from, size), false));
        enough(size, room, site);
        if self.receivers == 0 {
            ops::fail_with_help(
                "the pipe has nobody to send to from this core",
                "a sender without receivers keeps its block: send only where `pipe.receivers() > 0`",
                site,
            );
        }
        let noc = noc.index;
        ops::noc_semaphore_wait(self.ready.l1_address(), self.receivers, site);
        ops::noc_semaphore_set(self.ready.l1_address(), 0, site);
        let to = Receivers { num_dests: self.receivers + u32::from(loopback), loopback };
        ops::noc_async_write_multicast(noc, from, self.to.address(there, site), size, to, site);
        ops::noc_async_writes_flushed(noc, site);
        let others = Receivers { num_dests: self.receivers, loopback: false };
        let flag = self.valid.l1_address();
        ops::noc_semaphore_set_multicast(noc, flag, self.to.address(flag, site), others, site);
    }
}

/// The sending end of a pipe from core to core.
#[derive(Debug)]
pub struct UnicastTx {
    ready: Semaphore,
    valid: Semaphore,
    to: NocCore,
}

impl UnicastTx {
    pub(super) fn new(ready: Semaphore, valid: Semaphore, to: NocCore) -> UnicastTx {
        UnicastTx { ready, valid, to }
    }

    /// Waits until the receiver has room and sends it the block. It has left this core when the call returns.
    #[track_caller]
    pub fn send(&self, noc: Noc, block: &impl Block) {
        let site = Site::caller();
        let (from, size) = block.pages(site);
        self.through(noc, (from, size), from, site);
    }

    /// As [`UnicastTx::send`], to the place that `dst` has here, which is where the receiver reserved it.
    #[track_caller]
    pub fn send_to<T: Element>(&self, noc: Noc, block: &impl Block, dst: &Reserved<'_, T>) {
        let site = Site::caller();
        let (from, size) = block.pages(site);
        let (there, room) = dst.pages(site);
        enough(size, room, site);
        self.through(noc, (from, size), there, site);
    }

    fn through(&self, noc: Noc, (from, size): (u32, u32), there: u32, site: Site) {
        let noc = noc.index;
        ops::noc_semaphore_wait(self.ready.l1_address(), 1, site);
        ops::noc_semaphore_set(self.ready.l1_address(), 0, site);
        ops::noc_async_write(noc, from, self.to.address(there, site), size, site);
        ops::noc_semaphore_inc(noc, self.to.address(self.valid.l1_address(), site), 1, site);
        ops::noc_async_writes_flushed(noc, site);
    }
}

/// The receiving end of a pipe.
#[derive(Debug)]
pub struct PipeRx {
    ready: Semaphore,
    valid: Semaphore,
    sender: NocCore,
}

impl PipeRx {
    pub(super) fn new(ready: Semaphore, valid: Semaphore, sender: NocCore) -> PipeRx {
        PipeRx { ready, valid, sender }
    }

    /// Tells the sender that `block` has room, and waits until the sender's block has arrived in it.
    #[track_caller]
    pub fn receive<T: Element>(&self, noc: Noc, block: &mut Reserved<'_, T>) {
        let site = Site::caller();
        // Held from here to the end of the call: the sender writes into it.
        let _ = &block;
        self.announced(noc, site);
        ops::noc_semaphore_wait(self.valid.l1_address(), 1, site);
    }

    /// Tells the sender that `block` has room, and goes on. The block has arrived when what this gives is dropped or waited for. In a ring
    /// every core announces before it sends, or all would wait for each other.
    #[track_caller]
    pub fn announce<'a, T: Element>(&self, noc: Noc, block: &'a Reserved<'_, T>) -> Arriving<'a> {
        let site = Site::caller();
        let _ = block;
        self.announced(noc, site);
        Arriving { valid: self.valid.l1_address(), site, _block: PhantomData }
    }

    fn announced(&self, noc: Noc, site: Site) {
        ops::noc_semaphore_set(self.valid.l1_address(), 0, site);
        ops::noc_semaphore_inc(noc.index, self.sender.address(self.ready.l1_address(), site), 1, site);
    }
}

/// A block on its way here through a pipe. Dropped or waited for, it has arrived.
#[derive(Debug)]
#[must_use = "the block has arrived when this is dropped"]
pub struct Arriving<'a> {
    valid: u32,
    site: Site,
    _block: PhantomData<&'a ()>,
}

impl Arriving<'_> {
    /// Waits until the sender's block has arrived.
    #[track_caller]
    pub fn wait(mut self) {
        self.site = Site::caller();
    }
}

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::noc_semaphore_wait(self.valid, 1, self.site);
        }
    }
}
