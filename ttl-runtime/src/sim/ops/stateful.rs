//! Transfers that are told in two parts: coordinates, size or id once, the rest with each transfer.

use super::outgoing::Tag;
use super::{NocAddr, Step, Stop, op};
use crate::sim::core::Wait;
use crate::sim::error::ErrorKind;
use crate::sim::noc::{CommandState, TRIDS};
use crate::sim::thread::Cx;
use crate::site::Site;

impl Cx<'_> {
    fn one_packet(&self, call: &str, size: u32, site: Site) -> Step<()> {
        let burst = self.shared.arch.noc_max_burst;
        if size <= burst {
            return Ok(());
        }
        let message = format!("`{call}` of {size} bytes, a packet has at most {burst}");
        let error = self.error(ErrorKind::Noc, message, site);
        Err(Stop::Fail(error.help("use the call for any size, or several packets")))
    }

    fn trid(&self, call: &str, trid: u32, site: Site) -> Step<u8> {
        match u8::try_from(trid) {
            Ok(id) if usize::from(id) < TRIDS => Ok(id),
            _ => {
                let message = format!("`{call}`: transaction id {trid} does not exist");
                let error = self.error(ErrorKind::Noc, message, site);
                Err(Stop::Fail(error.help("ids are 0 to 15; 0 is that of transfers without an id")))
            }
        }
    }

    /// The place `low` of what was set before, and its size if that was set too.
    fn completed(
        &self,
        call: &str,
        set_by: &str,
        state: CommandState,
        low: u32,
        site: Site,
    ) -> Step<(NocAddr, Option<u32>)> {
        let Some((addr, size, set)) = state.set else {
            let error = self.error(ErrorKind::Noc, format!("`{call}` without `{set_by}` before it"), site);
            return Err(Stop::Fail(error.help(format!("call `{set_by}` first: it says where the transfers go"))));
        };
        if let Some(other) = state.overwritten {
            let message = format!("`{call}`: what `{set_by}` set is gone");
            let error = self.error(ErrorKind::Noc, message, site).label(set, "set here");
            let error = error.label(other, "this transfer uses the same command buffer");
            return Err(Stop::Fail(error.help(format!("call `{set_by}` again after transfers of other kinds"))));
        }
        let high = addr.0 & !0xffff_ffff;
        Ok((NocAddr(high | u64::from(low)), size))
    }
}

/// Sets where reads with state come from, and with `size` how long each is.
pub fn noc_async_read_set_state(noc: u8, src: NocAddr, size: Option<u32>, site: Site) {
    const CALL: &str = "noc_async_read_set_state";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        if let Some(size) = size {
            cx.one_packet("noc_async_read_one_packet_set_state", size, site)?;
        }
        let state = &mut cx.thread().read_state[index];
        (state.set, state.overwritten) = (Some((src, size, site)), None);
        Ok(())
    });
}

/// A read from the place whose low address is `src`; `size` unless it was set.
pub fn noc_async_read_with_state(noc: u8, src: u32, dst_l1: u32, size: Option<u32>, site: Site) {
    let (call, set) = match size {
        Some(_) => ("noc_async_read_with_state", "noc_async_read_set_state"),
        None => ("noc_async_read_one_packet_with_state", "noc_async_read_one_packet_set_state"),
    };
    op(site, |cx| {
        cx.data_movement(call, site)?;
        let index = cx.noc(call, noc, site)?;
        let (addr, fixed) = cx.completed(call, set, cx.core.threads[cx.me].read_state[index], src, site)?;
        let Some(size) = size.or(fixed) else {
            let error = cx.error(ErrorKind::Noc, format!("`{call}` without a size"), site);
            return Err(Stop::Fail(error.help(format!("set it with `{set}`"))));
        };
        cx.begin_read(call, noc, addr, dst_l1, size, site)
    });
}

/// As [`noc_async_read_with_state`] of one packet, from `base + src`, of the id that `noc_async_read_set_trid` set.
pub fn noc_async_read_with_trid(noc: u8, base: u32, src: u32, dst_l1: u32, trid: u32, site: Site) {
    const CALL: &str = "noc_async_read_one_packet_with_state_with_trid";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        let id = cx.trid(CALL, trid, site)?;
        let state = cx.core.threads[cx.me].read_state[index];
        if state.trid != id {
            let message = format!("`{CALL}` with transaction id {id}, the id that is set is {}", state.trid);
            let error = cx.error(ErrorKind::Noc, message, site);
            return Err(Stop::Fail(error.help("the read has the id of `noc_async_read_set_trid`: call it before")));
        }
        let set = "noc_async_read_one_packet_set_state";
        let (addr, size) = cx.completed(CALL, set, state, base.wrapping_add(src), site)?;
        let Some(size) = size else {
            let error = cx.error(ErrorKind::Noc, format!("`{CALL}` without a size"), site);
            return Err(Stop::Fail(error.help(format!("set it with `{set}`"))));
        };
        cx.begin_read(CALL, noc, addr, dst_l1, size, site)
    });
}

/// Reads from here on have this transaction id.
pub fn noc_async_read_set_trid(noc: u8, trid: u32, site: Site) {
    const CALL: &str = "noc_async_read_set_trid";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        let id = cx.trid(CALL, trid, site)?;
        cx.thread().read_state[index].trid = id;
        Ok(())
    });
}

/// Writes from here on have this transaction id.
pub fn noc_async_write_set_trid(noc: u8, trid: u32, site: Site) {
    const CALL: &str = "noc_async_write_set_trid";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        let id = cx.trid(CALL, trid, site)?;
        cx.thread().write_state[index].trid = id;
        Ok(())
    });
}

/// Waits until the reads of this id have landed.
pub fn noc_async_read_barrier_with_trid(noc: u8, trid: u32, site: Site) {
    const CALL: &str = "noc_async_read_barrier_with_trid";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        cx.noc(CALL, noc, site)?;
        let id = cx.trid(CALL, trid, site)?;
        let mut reads = std::mem::take(&mut cx.thread().reads);
        reads.retain(|r| r.noc != noc || r.trid != id || !(r.landed || cx.land(r)));
        let waits = reads.iter().any(|r| r.noc == noc && r.trid == id);
        cx.thread().reads = reads;
        if waits { Err(Stop::Wait(Wait::Reads { noc, trid: Some(id) })) } else { Ok(()) }
    });
}

/// Waits until the writes of this id have arrived.
pub fn noc_async_write_barrier_with_trid(noc: u8, trid: u32, site: Site) {
    const CALL: &str = "noc_async_write_barrier_with_trid";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        let id = cx.trid(CALL, trid, site)?;
        if cx.thread().unacked_ids[index][usize::from(id)] == 0 {
            return Ok(());
        }
        let me = cx.me as u8;
        cx.core.queue.mark_due(|op| op.thread == me && op.noc == noc && op.trid == id && !op.posted);
        Err(Stop::Wait(Wait::Writes { noc, trid: Some(id) }))
    });
}

/// The data of the writes of this id has left L1, which may be used again.
pub fn noc_async_write_flushed_with_trid(noc: u8, trid: u32, site: Site) {
    const CALL: &str = "noc_async_write_flushed_with_trid";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        let id = cx.trid(CALL, trid, site)?;
        cx.capture(index, false, Some(id));
        Ok(())
    });
}

/// A write of one packet with this transaction id, which later writes keep.
pub fn noc_async_write_with_trid(noc: u8, src_l1: u32, dst: NocAddr, size: u32, trid: u32, site: Site) {
    const CALL: &str = "noc_async_write_one_packet_with_trid";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        let trid = cx.trid(CALL, trid, site)?;
        cx.one_packet(CALL, size, site)?;
        cx.begin_write(CALL, noc, src_l1, dst, size, |_| Tag { trid, posted: false }, site)?;
        let state = &mut cx.thread().write_state[index];
        (state.trid, state.overwritten) = (trid, Some(site));
        Ok(())
    });
}

/// Sets where writes with state go, and with `size` how long each is.
pub fn noc_async_write_set_state(noc: u8, dst: NocAddr, size: Option<u32>, posted: bool, site: Site) {
    const CALL: &str = "noc_async_write_set_state";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        if let Some(size) = size {
            cx.one_packet("noc_async_write_one_packet_set_state", size, site)?;
        }
        let state = &mut cx.thread().write_state[index];
        (state.set, state.posted, state.overwritten) = (Some((dst, size, site)), posted, None);
        Ok(())
    });
}

/// The second part of a posted write must be posted, too, and that of an acknowledged one acknowledged: what waits counts by the second
/// part, what the NoC does is set by the first.
pub fn check_state_posted(call: &str, noc: u8, posted: bool, site: Site) {
    op(site, |cx| {
        let index = cx.noc(call, noc, site)?;
        let state = cx.core.threads[cx.me].write_state[index];
        let Some((.., set)) = state.set.filter(|_| state.posted != posted) else { return Ok(()) };
        let (is, other) = if posted { ("posted", "not") } else { ("not posted", "posted") };
        let error = cx.error(ErrorKind::Noc, format!("`{call}` is {is}, the state that was set is {other}"), site);
        Err(Stop::Fail(error.label(set, "set here").help("give both calls the same `posted`")))
    });
}

/// A write to the place whose low address is `dst`; `size` unless it was set, `trid` if it has one of its own.
pub fn noc_async_write_with_state(noc: u8, src_l1: u32, dst: u32, size: Option<u32>, trid: Option<u32>, site: Site) {
    let (call, set) = match (trid, size) {
        (Some(_), _) => {
            ("noc_async_write_one_packet_with_trid_with_state", "noc_async_write_one_packet_with_trid_set_state")
        }
        (None, Some(_)) => ("noc_async_write_with_state", "noc_async_write_set_state"),
        (None, None) => ("noc_async_write_one_packet_with_state", "noc_async_write_one_packet_set_state"),
    };
    op(site, |cx| {
        cx.data_movement(call, site)?;
        let index = cx.noc(call, noc, site)?;
        let state = cx.core.threads[cx.me].write_state[index];
        let own = match trid {
            Some(trid) => Some(cx.trid(call, trid, site)?),
            None => None,
        };
        let (addr, fixed) = cx.completed(call, set, state, dst, site)?;
        let Some(size) = size.or(fixed) else {
            let error = cx.error(ErrorKind::Noc, format!("`{call}` without a size"), site);
            return Err(Stop::Fail(error.help(format!("set it with `{set}`"))));
        };
        let posted = state.posted;
        cx.begin_write(call, noc, src_l1, addr, size, |trid| Tag { trid: own.unwrap_or(trid), posted }, site)?;
        if let Some(trid) = own {
            cx.thread().write_state[index].trid = trid;
        }
        Ok(())
    });
}

/// A transfer of at most one packet: the checks that the call for any size does not make.
pub fn check_one_packet(call: &str, size: u32, site: Site) {
    op(site, |cx| cx.one_packet(call, size, site));
}
