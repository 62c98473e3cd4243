//! Words and raw bytes of this core's L1.

use super::op;
use crate::sim::error::ErrorKind;
use crate::sim::thread::Cx;
use crate::site::Site;

/// Reads of one word in a row with one value, after which the loop around them counts as a poll.
const SPIN: u32 = 16;

impl Cx<'_> {
    #[inline]
    pub(super) fn word(&self, call: &str, addr: u32, site: Site) -> super::Step<()> {
        self.local(call, addr, 4, site)?;
        if addr.is_multiple_of(4) {
            return Ok(());
        }
        Err(self.fail(
            ErrorKind::Memory,
            format!("`{call}`: L1 address {addr:#x} of a word is not a multiple of 4"),
            site,
        ))
    }
}

/// Reads a word. A loop that waits for the word to change lets other threads run.
pub fn l1_read_u32(addr: u32, site: Site) -> u32 {
    let mut polled = false;
    op(site, |cx| {
        cx.word("l1_read_u32", addr, site)?;
        let value = cx.core.l1.word(addr);
        let last = &mut cx.thread().last_read;
        if (last.0, last.1) != (addr, value) {
            *last = (addr, value, 0);
        } else if last.2 < SPIN {
            last.2 += 1;
        } else if !std::mem::replace(&mut polled, true) {
            return Err(super::Stop::Wait(cx.core.poll()));
        }
        Ok(value)
    })
}

pub fn l1_write_u32(addr: u32, value: u32, site: Site) {
    op(site, |cx| {
        cx.word("l1_write_u32", addr, site)?;
        cx.core.l1.set_word(addr, value);
        cx.core.progress += 1;
        Ok(())
    });
}

/// A pointer to `len` bytes of this core's L1, checked to be there. It stays valid until the kernel ends; the bytes change when
/// transfers land, that is, only while the thread waits.
pub fn l1_bytes(addr: u32, len: u32, site: Site) -> *mut u8 {
    op(site, |cx| {
        cx.local("l1_bytes", addr, len, site)?;
        Ok(cx.core.l1.pointer(addr, len as usize))
    })
}
