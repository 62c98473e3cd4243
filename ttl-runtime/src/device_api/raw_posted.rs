//! Unchecked calls that nobody acknowledges: posted writes, alone and with state, posted words and increments.

use super::raw::{NocAddr, Raw, calls};
use crate::sim::ops;
use crate::site::Site;

calls! {
    /// Starts a write of at most one packet that is not acknowledged (`noc_async_write_one_packet<.., posted>`).
    fn noc_async_write_one_packet_posted(src_l1: u32, dst: NocAddr, size: u32) = |noc, site| {
        ops::check_one_packet("noc_async_write_one_packet", size, site);
        ops::noc_async_write_posted(noc, src_l1, dst.0, size, site);
    };
    /// Sets core and size of the posted writes with state that follow (`noc_async_write_one_packet_set_state<posted>`).
    fn noc_async_write_one_packet_set_state_posted(dst: NocAddr, size: u32) = |noc, site|
        ops::noc_async_write_set_state(noc, dst.0, Some(size), true, site);
    /// Starts a posted write to the set core's address `dst_l1`, of the set size (`noc_async_write_one_packet_with_state<posted>`).
    fn noc_async_write_one_packet_with_state_posted(src_l1: u32, dst_l1: u32) = |noc, site| {
        ops::check_state_posted("noc_async_write_with_state", noc, true, site);
        ops::noc_async_write_with_state(noc, src_l1, dst_l1, None, None, site);
    };
    /// Sets the core of the posted writes with state that follow (`noc_async_write_set_state<posted>`).
    fn noc_async_write_set_state_posted(dst: NocAddr) = |noc, site|
        ops::noc_async_write_set_state(noc, dst.0, None, true, site);
    /// Starts a posted write to the set core's address `dst_l1` (`noc_async_write_with_state<posted>`).
    fn noc_async_write_with_state_posted(src_l1: u32, dst_l1: u32, size: u32) = |noc, site| {
        ops::check_state_posted("noc_async_write_with_state", noc, true, site);
        ops::noc_async_write_with_state(noc, src_l1, dst_l1, Some(size), None, site);
    };
    /// Writes a word that travels in the request, without acknowledgement (`noc_inline_dw_write<.., posted>`).
    fn noc_inline_dw_write_posted(dst: NocAddr, value: u32) = |noc, site|
        ops::noc_inline_dw_write(noc, dst.0, value, 0xf, true, site);
    /// Adds to a word of another core, without acknowledgement (`noc_semaphore_inc<posted>`): no barrier waits for it.
    fn noc_semaphore_inc_posted(dst: NocAddr, value: u32) = |noc, site| ops::noc_semaphore_inc_posted(noc, dst.0, value, site);
    /// Starts to fill L1 with zeros (`Noc::async_write_zeros`). The address is a multiple of 16; `noc_async_read_barrier` waits for it.
    fn noc_async_write_zeros(dst_l1: u32, size: u32) = |noc, site| ops::noc_async_write_zeros(noc, dst_l1, size, site);
}
