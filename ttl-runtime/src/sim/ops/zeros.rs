//! Zeros into L1: reads from a place below the memory of programs that firmware keeps zero.

use super::{Stop, op};
use crate::arch::ArchKind;
use crate::sim::error::ErrorKind;
use crate::sim::noc::{PendingRead, Remote};
use crate::site::Site;

/// Bytes of zeros that the firmware keeps (`MEM_ZEROS_SIZE`).
const ZEROS: u32 = 512;

/// Starts to fill L1 with zeros. It is made of reads: `noc_async_read_barrier` waits for it.
pub fn noc_async_write_zeros(noc: u8, dst_l1: u32, size: u32, site: Site) {
    const CALL: &str = "async_write_zeros";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        cx.local(CALL, dst_l1, size, site)?;
        if !dst_l1.is_multiple_of(cx.shared.arch.noc_l1_alignment) {
            let message = format!("`{CALL}` to L1 at {dst_l1:#x}");
            let error = cx.error(ErrorKind::Noc, message, site);
            let help = format!("the address must be a multiple of {}", cx.shared.arch.noc_l1_alignment);
            return Err(Stop::Fail(error.help(help)));
        }
        cx.fills_reserved(CALL, dst_l1, size, site)?;
        let addr = match cx.shared.arch.kind {
            ArchKind::Blackhole => 13536,
            ArchKind::Wormhole => 13344,
        };
        let source = Remote::L1 { core: cx.core.index, addr };
        let trid = cx.core.threads[cx.me].read_state[index].trid;
        for first in (0..size).step_by(ZEROS as usize) {
            let size = ZEROS.min(size - first);
            let mut read = PendingRead { source, dest: dst_l1 + first, size, noc, trid, landed: false, site };
            if cx.by_chance(2) {
                read.landed = cx.land(&read);
            }
            cx.thread().reads.push(read);
            cx.core.counters.noc_reads += 1;
            cx.core.counters.noc_read_bytes += u64::from(size);
        }
        // The reads have used the command buffer.
        cx.thread().read_state[index].overwritten = Some(site);
        Ok(())
    });
}
