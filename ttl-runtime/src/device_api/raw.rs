//! The calls of TT-Metalium's data-movement API one to one, under their own names, with addresses and sizes as numbers.
//!
//! Types check none of this: what a transfer touches, whether it was waited for, whether both sides agree. The simulator checks it all the same.
//! [`Noc::raw`] gives the token that has them; use it where the typed calls do not reach.

use super::cb::{CbIn, CbOut};
use super::noc::{Noc, TensorAccessor};
use super::signal::{NocCore, NocRange, Semaphore};
use crate::arch::Core;
use crate::ir::{IntTy, Ty};
use crate::rt::Plain;
use crate::sim::ops::{self, Receivers};
use crate::site::Site;
use crate::tensor::format::Element;
use std::marker::PhantomData;

/// The token of the unchecked calls.
#[derive(Clone, Copy, Debug)]
pub struct Raw {
    pub(super) index: u8,
}

/// Where the NoC finds something: a core or a bank, and an address there.
#[derive(Clone, Copy, Debug)]
pub struct NocAddr(pub(super) ops::NocAddr);

impl NocAddr {
    /// The address `bytes` further on.
    pub fn offset(self, bytes: u32) -> NocAddr {
        NocAddr(ops::NocAddr(self.0.0.wrapping_add(u64::from(bytes))))
    }

    /// The low 32 bits: the address without the core, as transfers with state take it.
    pub fn low(self) -> u32 {
        self.0.0 as u32
    }
}

/// A pointer to elements in this core's L1. Every access reads or writes memory (`volatile`).
#[derive(Debug)]
pub struct L1Ptr<T> {
    addr: u32,
    _element: PhantomData<T>,
}

impl<T> Clone for L1Ptr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for L1Ptr<T> {}

/// What an [`L1Ptr`] may point to.
pub trait L1Element: Plain {
    #[doc(hidden)]
    const PTR: Ty;
    #[doc(hidden)]
    const BYTES: u32;
    #[doc(hidden)]
    fn from_bytes(bytes: [u8; 4]) -> Self;
    #[doc(hidden)]
    fn bytes(self) -> [u8; 4];
}

macro_rules! elements {
    ($($t:ty, $ty:expr, $n:literal;)*) => {$(
        impl L1Element for $t {
            const PTR: Ty = Ty::L1Ptr($ty);
            const BYTES: u32 = $n;

            fn from_bytes(bytes: [u8; 4]) -> $t {
                let mut own = [0; $n];
                own.copy_from_slice(&bytes[..$n]);
                <$t>::from_le_bytes(own)
            }

            fn bytes(self) -> [u8; 4] {
                let mut bytes = [0; 4];
                bytes[..$n].copy_from_slice(&self.to_le_bytes());
                bytes
            }
        }
    )*};
}

elements! {
    u8, Some(IntTy::U8), 1;
    u16, Some(IntTy::U16), 2;
    u32, Some(IntTy::U32), 4;
    i32, Some(IntTy::I32), 4;
    f32, None, 4;
}

impl<T: L1Element> L1Ptr<T> {
    fn new(addr: u32) -> L1Ptr<T> {
        L1Ptr { addr, _element: PhantomData }
    }

    /// Element `index`.
    #[track_caller]
    pub fn read(self, index: u32) -> T {
        T::from_bytes(ops::l1_read(self.addr.wrapping_add(index.wrapping_mul(T::BYTES)), T::BYTES, Site::caller()))
    }

    /// Sets element `index`.
    #[track_caller]
    pub fn write(self, index: u32, value: T) {
        let at = self.addr.wrapping_add(index.wrapping_mul(T::BYTES));
        ops::l1_write(at, T::BYTES, value.bytes(), Site::caller());
    }

    /// The pointer to element `index`.
    pub fn at(self, index: u32) -> L1Ptr<T> {
        L1Ptr::new(self.addr.wrapping_add(index.wrapping_mul(T::BYTES)))
    }

    /// The L1 address.
    pub fn addr(self) -> u32 {
        self.addr
    }
}

impl Noc {
    /// The unchecked calls.
    pub fn raw(self) -> Raw {
        Raw { index: self.index }
    }
}

impl NocCore {
    /// L1 address `addr` of the core (`get_noc_addr`).
    #[track_caller]
    pub fn noc_addr(self, addr: u32) -> NocAddr {
        NocAddr(self.address(addr, Site::caller()))
    }
}

impl NocRange {
    /// L1 address `addr` of all cores of the rectangle (`get_noc_multicast_addr`).
    #[track_caller]
    pub fn noc_addr(self, addr: u32) -> NocAddr {
        NocAddr(self.address(addr, Site::caller()))
    }
}

impl<T: Element> TensorAccessor<T> {
    /// Byte `offset` of page `page`.
    #[track_caller]
    pub fn get_noc_addr(&self, page: u32, offset: u32) -> NocAddr {
        NocAddr(self.noc_addr_at(page, offset, Site::caller()))
    }

    /// Where the tensor begins in each of its banks: in L1, the address of the shard of every core that has one.
    pub fn get_bank_base_address(&self) -> u32 {
        self.base
    }
}

impl Semaphore {
    /// The L1 address of the semaphore, on every core that has it (`get_semaphore`).
    pub fn addr(&self) -> u32 {
        self.l1_address()
    }

    /// The value on this core now.
    #[track_caller]
    pub fn value(&self) -> u32 {
        ops::l1_read_u32(self.l1_address(), Site::caller())
    }
}

impl<T: Element> CbIn<T> {
    /// Whether `wait_front` of so many pages would not wait (`cb_pages_available_at_front`).
    #[track_caller]
    pub fn pages_available_at_front(&self, pages: u32) -> bool {
        ops::cb_pages_available_at_front(self.id, pages, Site::caller())
    }
}

impl<T: Element> CbOut<T> {
    /// Whether `reserve_back` of so many pages would not wait (`cb_pages_reservable_at_back`).
    #[track_caller]
    pub fn pages_reservable_at_back(&self, pages: u32) -> bool {
        ops::cb_pages_reservable_at_back(self.id, pages, Site::caller())
    }
}

/// Calls that only pass their operands on.
macro_rules! calls {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? = |$raw:ident, $site:ident| $body:expr;)*) => {
        impl Raw {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(self, $($arg: $ty),*) $(-> $ret)? {
                let ($raw, $site) = (self.index, Site::caller());
                $body
            }
        )*}
    };
}

pub(super) use calls;

const fn others(num_dests: u32) -> Receivers {
    Receivers { num_dests, loopback: false }
}

const fn all(num_dests: u32) -> Receivers {
    Receivers { num_dests, loopback: true }
}

calls! {
    /// L1 address `addr` of the core at virtual coordinates.
    fn get_noc_addr(x: u32, y: u32, addr: u32) -> NocAddr = |_noc, site| NocAddr(ops::noc_addr_worker(x, y, addr, site));
    /// L1 address `addr` of this core (`get_noc_addr(addr)`).
    fn get_own_noc_addr(addr: u32) -> NocAddr = |_noc, site| NocAddr(own_addr(addr, site));
    /// The same L1 address on a rectangle of cores; on NoC 1 the start is the bottom right.
    fn get_noc_multicast_addr(x_start: u32, y_start: u32, x_end: u32, y_end: u32, addr: u32) -> NocAddr = |_noc, site|
        NocAddr(ops::noc_addr_multicast(Core::new(x_start, y_start), Core::new(x_end, y_end), addr, site));
    /// An address in a DRAM bank (`get_noc_addr_from_bank_id<true>`).
    fn get_noc_addr_from_bank_id(bank: u32, offset: u32) -> NocAddr = |_noc, site|
        NocAddr(ops::noc_addr_dram(bank, u64::from(offset), site));
    /// Virtual column of this core (`my_x[noc_index]`).
    fn my_x() -> u32 = |_noc, site| ops::arch(site).virtual_core(ops::core(site)).x;
    /// Virtual row of this core (`my_y[noc_index]`).
    fn my_y() -> u32 = |_noc, site| ops::arch(site).virtual_core(ops::core(site)).y;

    /// Starts a read of any size.
    fn noc_async_read(src: NocAddr, dst_l1: u32, size: u32) = |noc, site| ops::noc_async_read(noc, src.0, dst_l1, size, site);
    /// Starts a read of at most one packet.
    fn noc_async_read_one_packet(src: NocAddr, dst_l1: u32, size: u32) = |noc, site| {
        ops::check_one_packet("noc_async_read_one_packet", size, site);
        ops::noc_async_read(noc, src.0, dst_l1, size, site);
    };
    /// Sets core and size of the reads with state that follow.
    fn noc_async_read_one_packet_set_state(src: NocAddr, size: u32) = |noc, site|
        ops::noc_async_read_set_state(noc, src.0, Some(size), site);
    /// Starts a read from the set core's address `src_l1`, of the set size.
    fn noc_async_read_one_packet_with_state(src_l1: u32, dst_l1: u32) = |noc, site|
        ops::noc_async_read_with_state(noc, src_l1, dst_l1, None, site);
    /// Sets the core of the reads with state that follow.
    fn noc_async_read_set_state(src: NocAddr) = |noc, site| ops::noc_async_read_set_state(noc, src.0, None, site);
    /// Starts a read from the set core's address `src_l1`.
    fn noc_async_read_with_state(src_l1: u32, dst_l1: u32, size: u32) = |noc, site|
        ops::noc_async_read_with_state(noc, src_l1, dst_l1, Some(size), site);
    /// Reads from here on have this transaction id, 0 to 15. Kernels end with id 0: that is added for you.
    fn noc_async_read_set_trid(trid: u32) = |noc, site| ops::noc_async_read_set_trid(noc, trid, site);
    /// Starts a read with state of the id that is set.
    fn noc_async_read_one_packet_with_state_with_trid(src_base: u32, src: u32, dst_l1: u32, trid: u32) = |noc, site|
        ops::noc_async_read_with_trid(noc, src_base, src, dst_l1, trid, site);
    /// Waits until the reads of one id have landed.
    fn noc_async_read_barrier_with_trid(trid: u32) = |noc, site| ops::noc_async_read_barrier_with_trid(noc, trid, site);

    /// Starts a write of any size.
    fn noc_async_write(src_l1: u32, dst: NocAddr, size: u32) = |noc, site| ops::noc_async_write(noc, src_l1, dst.0, size, site);
    /// Starts a write of at most one packet.
    fn noc_async_write_one_packet(src_l1: u32, dst: NocAddr, size: u32) = |noc, site| {
        ops::check_one_packet("noc_async_write_one_packet", size, site);
        ops::noc_async_write(noc, src_l1, dst.0, size, site);
    };
    /// Starts a write that is not acknowledged (`noc_async_write<.., posted>`).
    fn noc_async_write_posted(src_l1: u32, dst: NocAddr, size: u32) = |noc, site|
        ops::noc_async_write_posted(noc, src_l1, dst.0, size, site);
    /// Waits until posted writes have left the core.
    fn noc_async_posted_writes_flushed() = |noc, site| ops::noc_async_posted_writes_flushed(noc, site);
    /// Sets core and size of the writes with state that follow.
    fn noc_async_write_one_packet_set_state(dst: NocAddr, size: u32) = |noc, site|
        ops::noc_async_write_set_state(noc, dst.0, Some(size), false, site);
    /// Starts a write to the set core's address `dst_l1`, of the set size.
    fn noc_async_write_one_packet_with_state(src_l1: u32, dst_l1: u32) = |noc, site| {
        ops::check_state_posted("noc_async_write_with_state", noc, false, site);
        ops::noc_async_write_with_state(noc, src_l1, dst_l1, None, None, site);
    };
    /// Sets the core of the writes with state that follow.
    fn noc_async_write_set_state(dst: NocAddr) = |noc, site| ops::noc_async_write_set_state(noc, dst.0, None, false, site);
    /// Starts a write to the set core's address `dst_l1`.
    fn noc_async_write_with_state(src_l1: u32, dst_l1: u32, size: u32) = |noc, site| {
        ops::check_state_posted("noc_async_write_with_state", noc, false, site);
        ops::noc_async_write_with_state(noc, src_l1, dst_l1, Some(size), None, site);
    };
    /// Writes from here on have this transaction id, 0 to 15.
    fn noc_async_write_set_trid(trid: u32) = |noc, site| ops::noc_async_write_set_trid(noc, trid, site);
    /// Starts a write of at most one packet with a transaction id.
    fn noc_async_write_one_packet_with_trid(src_l1: u32, dst: NocAddr, size: u32, trid: u32) = |noc, site|
        ops::noc_async_write_with_trid(noc, src_l1, dst.0, size, trid, site);
    /// Sets the core of the writes with state and id that follow.
    fn noc_async_write_one_packet_with_trid_set_state(dst: NocAddr) = |noc, site|
        ops::noc_async_write_set_state(noc, dst.0, None, false, site);
    /// Starts a write to the set core's address `dst_l1` with a transaction id.
    fn noc_async_write_one_packet_with_trid_with_state(src_l1: u32, dst_l1: u32, size: u32, trid: u32) = |noc, site| {
        ops::check_one_packet("noc_async_write_one_packet_with_trid_with_state", size, site);
        ops::noc_async_write_with_state(noc, src_l1, dst_l1, Some(size), Some(trid), site);
    };
    /// Waits until the writes of one id have arrived.
    fn noc_async_write_barrier_with_trid(trid: u32) = |noc, site| ops::noc_async_write_barrier_with_trid(noc, trid, site);
    /// Waits until the writes of one id have left the core.
    fn noc_async_write_flushed_with_trid(trid: u32) = |noc, site| ops::noc_async_write_flushed_with_trid(noc, trid, site);

    /// Starts a write to every core of a rectangle but this one. `linked` keeps the path for the next transfer, which must come.
    fn noc_async_write_multicast(src_l1: u32, dst: NocAddr, size: u32, num_dests: u32, linked: bool) = |noc, site|
        ops::noc_async_write_multicast(noc, src_l1, dst.0, size, linked_to(others(num_dests), linked), site);
    /// As [`Raw::noc_async_write_multicast`], at most one packet.
    fn noc_async_write_multicast_one_packet(src_l1: u32, dst: NocAddr, size: u32, num_dests: u32, linked: bool) = |noc, site| {
        ops::check_one_packet("noc_async_write_multicast_one_packet", size, site);
        ops::noc_async_write_multicast(noc, src_l1, dst.0, size, linked_to(others(num_dests), linked), site);
    };
    /// As [`Raw::noc_async_write_multicast`], to this core as well, which `num_dests` counts.
    fn noc_async_write_multicast_loopback_src(src_l1: u32, dst: NocAddr, size: u32, num_dests: u32, linked: bool) = |noc, site|
        ops::noc_async_write_multicast(noc, src_l1, dst.0, size, linked_to(all(num_dests), linked), site);

    /// Writes a word that travels in the request to the L1 of a core. On Blackhole TT-Metalium sends it from a scratch word of its own.
    fn noc_inline_dw_write(dst: NocAddr, value: u32) = |noc, site| ops::noc_inline_dw_write(noc, dst.0, value, 0xf, false, site);
    /// Writes a word that travels in the request to every core of a rectangle but this one.
    fn noc_inline_mcast_dw_write(dst: NocAddr, value: u32, num_dests: u32) = |noc, site|
        ops::noc_inline_mcast_dw_write(noc, dst.0, value, 0xf, num_dests, false, site);
    /// Adds to a word of another core.
    fn noc_semaphore_inc(dst: NocAddr, value: u32) = |noc, site| ops::noc_semaphore_inc(noc, dst.0, value, site);
    /// Adds to a word of every core of a rectangle but this one.
    fn noc_semaphore_inc_multicast(dst: NocAddr, value: u32, num_dests: u32) = |noc, site|
        ops::noc_semaphore_inc_multicast(noc, dst.0, value, num_dests, site);
    /// Copies the word at `src_l1` to a word of another core.
    fn noc_semaphore_set_remote(src_l1: u32, dst: NocAddr) = |noc, site| ops::noc_semaphore_set_remote(noc, src_l1, dst.0, site);
    /// Copies the word at `src_l1` to every core of a rectangle but this one.
    fn noc_semaphore_set_multicast(src_l1: u32, dst: NocAddr, num_dests: u32, linked: bool) = |noc, site|
        ops::noc_semaphore_set_multicast(noc, src_l1, dst.0, linked_to(others(num_dests), linked), site);
    /// As [`Raw::noc_semaphore_set_multicast`], to this core as well, which `num_dests` counts.
    fn noc_semaphore_set_multicast_loopback_src(src_l1: u32, dst: NocAddr, num_dests: u32, linked: bool) = |noc, site|
        ops::noc_semaphore_set_multicast(noc, src_l1, dst.0, linked_to(all(num_dests), linked), site);
    /// Sets the word at an L1 address of this core.
    fn noc_semaphore_set(addr: u32, value: u32) = |_noc, site| ops::noc_semaphore_set(addr, value, site);
    /// Waits until the word at an L1 address of this core is `value`.
    fn noc_semaphore_wait(addr: u32, value: u32) = |_noc, site| ops::noc_semaphore_wait(addr, value, site);
    /// Waits until the word at an L1 address of this core is at least `value`.
    fn noc_semaphore_wait_min(addr: u32, value: u32) = |_noc, site| ops::noc_semaphore_wait_min(addr, value, site);

    /// Waits until all reads have landed.
    fn noc_async_read_barrier() = |noc, site| ops::noc_async_read_barrier(noc, site);
    /// Waits until all writes have arrived.
    fn noc_async_write_barrier() = |noc, site| ops::noc_async_write_barrier(noc, site);
    /// Waits until all writes have left the core.
    fn noc_async_writes_flushed() = |noc, site| ops::noc_async_writes_flushed(noc, site);
    /// Waits until all increments have arrived.
    fn noc_async_atomic_barrier() = |noc, site| ops::noc_async_atomic_barrier(noc, site);
    /// All of the barriers.
    fn noc_async_full_barrier() = |noc, site| ops::noc_async_full_barrier(noc, site);
    /// Forgets what the processor has cached of L1: in a loop that waits for a word to change.
    fn invalidate_l1_cache() = |_noc, _site| ();

    /// A pointer to bytes of L1.
    fn l1_u8(addr: u32) -> L1Ptr<u8> = |_noc, _site| L1Ptr::new(addr);
    /// A pointer to 16-bit words of L1: also the elements of bf16 tiles.
    fn l1_u16(addr: u32) -> L1Ptr<u16> = |_noc, _site| L1Ptr::new(addr);
    /// A pointer to words of L1.
    fn l1_u32(addr: u32) -> L1Ptr<u32> = |_noc, _site| L1Ptr::new(addr);
    /// A pointer to signed words of L1.
    fn l1_i32(addr: u32) -> L1Ptr<i32> = |_noc, _site| L1Ptr::new(addr);
    /// A pointer to floats in L1.
    fn l1_f32(addr: u32) -> L1Ptr<f32> = |_noc, _site| L1Ptr::new(addr);
}

impl Raw {
    /// Waits until so many pages are free. Nothing pushes them by itself.
    #[track_caller]
    pub fn cb_reserve_back<T: Element>(self, cb: &CbOut<T>, pages: u32) {
        ops::cb_reserve_back(cb.id, pages, Site::caller());
    }

    /// Gives reserved pages to the consumer.
    #[track_caller]
    pub fn cb_push_back<T: Element>(self, cb: &CbOut<T>, pages: u32) {
        ops::cb_push_back(cb.id, pages, Site::caller());
    }

    /// Waits until so many pages are there, counted from the last pop. Nothing pops them by itself.
    #[track_caller]
    pub fn cb_wait_front<T: Element>(self, cb: &CbIn<T>, pages: u32) {
        ops::cb_wait_front(cb.id, pages, Site::caller());
    }

    /// Gives pages back to the producer.
    #[track_caller]
    pub fn cb_pop_front<T: Element>(self, cb: &CbIn<T>, pages: u32) {
        ops::cb_pop_front(cb.id, pages, Site::caller());
    }

    /// L1 address of the next page to fill.
    #[track_caller]
    pub fn get_write_ptr<T: Element>(self, cb: &CbOut<T>) -> u32 {
        ops::get_write_ptr(cb.id, Site::caller())
    }

    /// L1 address of the next page to read.
    #[track_caller]
    pub fn get_read_ptr<T: Element>(self, cb: &CbIn<T>) -> u32 {
        ops::get_read_ptr(cb.id, Site::caller())
    }
}

/// What a linked transfer asks for, the order of transfers, holds in the simulator anyway.
const fn linked_to(to: Receivers, _linked: bool) -> Receivers {
    to
}

pub(super) fn own_addr(addr: u32, site: Site) -> ops::NocAddr {
    let own = ops::arch(site).virtual_core(ops::core(site));
    ops::noc_addr_worker(own.x, own.y, addr, site)
}
