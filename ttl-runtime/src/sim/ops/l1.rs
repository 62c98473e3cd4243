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
        let message = format!("`{call}`: L1 address {addr:#x} of a word is not a multiple of 4");
        let error = self.error(ErrorKind::Memory, message, site);
        Err(super::Stop::Fail(error.help("words have 4 bytes: the address must be a multiple of 4")))
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

/// Reads an element of up to 4 bytes. A loop that waits for it to change lets other threads run.
pub fn l1_read(addr: u32, bytes: u32, site: Site) -> [u8; 4] {
    if bytes == 4 {
        return l1_read_u32(addr, site).to_le_bytes();
    }
    op(site, |cx| {
        cx.element("l1_read", addr, bytes, site)?;
        let mut out = [0; 4];
        out[..bytes as usize].copy_from_slice(cx.core.l1.bytes(addr, bytes as usize));
        Ok(out)
    })
}

/// Writes an element of up to 4 bytes.
pub fn l1_write(addr: u32, bytes: u32, value: [u8; 4], site: Site) {
    op(site, |cx| {
        cx.element("l1_write", addr, bytes, site)?;
        cx.core.l1.bytes_mut(addr, bytes as usize).copy_from_slice(&value[..bytes as usize]);
        cx.core.progress += 1;
        Ok(())
    });
}

impl Cx<'_> {
    fn element(&self, call: &str, addr: u32, bytes: u32, site: Site) -> super::Step<()> {
        self.local(call, addr, bytes, site)?;
        if addr.is_multiple_of(bytes.max(1)) {
            return Ok(());
        }
        let message = format!("`{call}`: L1 address {addr:#x} of an element is not a multiple of its {bytes} bytes");
        let error = self.error(ErrorKind::Memory, message, site);
        Err(super::Stop::Fail(error.help("add a multiple of the element's size to an aligned address")))
    }
}
