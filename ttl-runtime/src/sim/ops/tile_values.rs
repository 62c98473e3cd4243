//! What compute kernels look up in the tiles at the front of a circular buffer.

use super::{Step, Stop, op};
use crate::sim::error::ErrorKind;
use crate::sim::thread::Cx;
use crate::site::Site;

/// L1 address of a tile that was waited for.
pub fn get_tile_address(cb: u32, tile: u32, site: Site) -> u32 {
    op(site, |cx| cx.tile_at("get_tile_address", cb, tile, site).map(|(_, addr)| addr))
}

/// Word `element` of a tile that was waited for.
pub fn read_tile_value(cb: u32, tile: u32, element: u32, site: Site) -> u32 {
    const CALL: &str = "read_tile_value";
    op(site, |cx| {
        let (cb, addr) = cx.tile_at(CALL, cb, tile, site)?;
        let c = &cx.core.cbs.list[cb];
        let words = c.page_size / 4;
        if element >= words {
            let message = format!("`{CALL}`: word {element} of a tile of {}, which has {words} words", c.title());
            let error = cx.error(ErrorKind::Memory, message, site);
            return Err(Stop::Fail(error.help("words have 4 bytes, whatever the format, and count from 0")));
        }
        let bytes = cx.core.l1.bytes(addr + 4 * element, 4);
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    })
}

impl Cx<'_> {
    fn tile_at(&mut self, call: &str, cb: u32, tile: u32, site: Site) -> Step<(usize, u32)> {
        self.unit(call, site)?;
        self.front_tile(call, cb, tile, site)
    }
}
