//! Rows of elements to tiles and back: `tilize_block`, `pack_untilize_block`. They use tile registers of their own, between sections.

use super::{FpuInit, Step, Stop, op};
use crate::sim::error::ErrorKind;
use crate::sim::math::{self, Tile};
use crate::sim::registers::Phase;
use crate::sim::thread::Cx;
use crate::site::Site;
use crate::tensor::format::DataFormat;

/// Bytes of the largest tile.
const TILE_BYTES: usize = 4096;

/// A row of `block` tiles from 32 rows of `32 * block` elements; input and output begin at tiles `input` and `output`.
pub fn tilize_block(icb: u32, block: u32, ocb: u32, input: u32, output: u32, site: Site) {
    const CALL: &str = "tilize_block";
    op(site, |cx| {
        cx.between_sections(CALL, site)?;
        cx.fpu_is(CALL, FpuInit::Tilize { cb: icb, block }, site)?;
        let (format, from) = cx.rows_in(CALL, icb, input, block, site)?;
        let (element, row) = (format.bytes, block as usize * 32 * format.bytes);
        let out = cx.pages_out(CALL, ocb, output, block, site)?;
        for t in 0..block as usize {
            let mut tile = [0; TILE_BYTES];
            {
                let rows = cx.core.l1.bytes(from, row * 32);
                for (line, to) in tile[..1024 * element].chunks_exact_mut(16 * element).enumerate() {
                    let (r, c) = (line / 32 * 16 + line % 16, t * 32 + line / 16 % 2 * 16);
                    to.copy_from_slice(&rows[r * row + c * element..][..16 * element]);
                }
            }
            let register = cx.through_registers(CALL, icb, format.format, &tile, site)?;
            let (pages, packed, size) = (&out.0, out.1, out.1.tile_bytes() as usize);
            let unit = cx.unit(CALL, site)?;
            let mut bytes = [0; TILE_BYTES];
            math::pack(&unit.math, &register, packed, &mut bytes[..size]);
            cx.core.l1.bytes_mut(pages[t], size).copy_from_slice(&bytes[..size]);
        }
        cx.core.counters.packed_tiles += u64::from(block);
        Ok(())
    });
}

/// A row of `block` tiles to 32 rows of `32 * full` elements, where they begin at tile `index * block`.
pub fn pack_untilize_block(icb: u32, block: u32, full: u32, ocb: u32, index: u32, site: Site) {
    const CALL: &str = "pack_untilize_block";
    op(site, |cx| {
        cx.between_sections(CALL, site)?;
        cx.fpu_is(CALL, FpuInit::Untilize { cb: icb, block, full }, site)?;
        let registers = cx.unit(CALL, site)?.tiles.len() as u32;
        if block == 0 || block > registers || !full.is_multiple_of(block) || (index + 1) * block > full {
            let message = format!("`{CALL}`: {block} tiles, number {index} of a row of {full}");
            let numbers =
                format!("a block has at most as many tiles as there are registers, {registers}, and divides the row");
            return Err(Stop::Fail(cx.error(ErrorKind::Kernel, message, site).numbers(numbers)));
        }
        let (pages, packed) = cx.pages_out(CALL, ocb, 0, full, site)?;
        let Some(element) = packed.element_bytes().map(|b| b as usize) else {
            let message = format!("`{CALL}`: {packed} has no rows of elements");
            return Err(cx.fail(ErrorKind::Kernel, message, site));
        };
        let row = full as usize * 32 * element;
        for t in 0..block as usize {
            let (cb, addr) = cx.front_tile(CALL, icb, t as u32, site)?;
            let format = cx.core.cbs.list[cb].format;
            let mut tile = [0; TILE_BYTES];
            let size = format.tile_bytes() as usize;
            tile[..size].copy_from_slice(cx.core.l1.bytes(addr, size));
            let register = cx.through_registers(CALL, icb, format, &tile, site)?;
            let unit = cx.unit(CALL, site)?;
            let mut bytes = [0; TILE_BYTES];
            math::pack(&unit.math, &register, packed, &mut bytes[..packed.tile_bytes() as usize]);
            let rows = cx.core.l1.bytes_mut(pages[0], row * 32);
            let first = (index * block) as usize + t;
            for (line, from) in bytes[..1024 * element].chunks_exact(16 * element).enumerate() {
                let (r, c) = (line / 32 * 16 + line % 16, first * 32 + line / 16 % 2 * 16);
                rows[r * row + c * element..][..16 * element].copy_from_slice(from);
            }
        }
        cx.core.counters.packed_tiles += u64::from(block);
        Ok(())
    });
}

/// `tilize_uninit`, `pack_untilize_uninit`.
pub fn layout_uninit(call: &str, site: Site) {
    op(site, |cx| {
        let unit = cx.started(call, site)?;
        match unit.fpu {
            Some((FpuInit::Tilize { .. } | FpuInit::Untilize { .. }, _)) => unit.fpu = None,
            _ => {
                let error = cx.error(ErrorKind::Init, format!("`{call}` without an init to undo"), site);
                return Err(Stop::Fail(error.help("it belongs behind the last block that the init was for")));
            }
        }
        Ok(())
    });
}

/// A format with elements of whole bytes.
struct Rows {
    format: DataFormat,
    bytes: usize,
}

impl Cx<'_> {
    fn between_sections(&mut self, call: &str, site: Site) -> Step<()> {
        let phase = self.started(call, site)?.phase;
        if phase == Phase::Free {
            return Ok(());
        }
        let message = format!("`{call}` while the tile registers are {}", phase.describe().0);
        let error = self.error(ErrorKind::Registers, message, site);
        Err(Stop::Fail(error.help("it takes registers of its own: call it outside of acquire and release")))
    }

    /// Waited pages as rows of `block` tiles.
    fn rows_in(&mut self, call: &str, cb: u32, first: u32, block: u32, site: Site) -> Step<(Rows, u32)> {
        let src_a = self.unit(call, site)?.src_a;
        let index = self.cb(call, cb, site)?;
        self.format_is(call, "SrcA", src_a, index, "reconfig_data_format_srca", site)?;
        let c = &self.core.cbs.list[index];
        let Some(bytes) = c.format.element_bytes() else {
            let message = format!("`{call}`: {} is {}, which has no rows of elements", c.title(), c.format);
            return Err(self.fail(ErrorKind::Kernel, message, site));
        };
        let tile = c.format.tile_bytes();
        let (begin, size) = (first * tile, block * tile);
        if block == 0 || begin + size > c.waited * c.page_size {
            let message = format!(
                "`{call}` reads {block} tiles from tile {first} of {}, with {} pages of {} bytes waited for",
                c.title(),
                c.waited,
                c.page_size
            );
            let error = self.error(ErrorKind::CircularBuffer, message, site);
            return Err(Stop::Fail(error.help("wait for all rows of the block before")));
        }
        if c.read_page * c.page_size + begin + size > c.num_pages * c.page_size {
            return Err(self.tile_past_end(call, index, c.read_page, first + block - 1, site));
        }
        Ok((Rows { format: c.format, bytes: bytes as usize }, c.read_ptr() + begin))
    }

    /// Addresses of reserved tiles, and their format.
    fn pages_out(&mut self, call: &str, cb: u32, first: u32, tiles: u32, site: Site) -> Step<(Vec<u32>, DataFormat)> {
        let packer = self.unit(call, site)?.packer;
        let index = self.cb(call, cb, site)?;
        self.format_is(call, "the packer", packer, index, "pack_reconfig_data_format", site)?;
        let mut pages = Vec::with_capacity(tiles as usize);
        for t in 0..tiles {
            pages.push(self.back_tile(call, index, first + t, site)?);
        }
        Ok((pages, self.core.cbs.list[index].format))
    }

    /// A tile as it is in the register it goes through.
    fn through_registers(&mut self, call: &str, cb: u32, format: DataFormat, bytes: &[u8], site: Site) -> Step<Tile> {
        let unit = self.unit(call, site)?;
        let mut register = Tile::ZERO;
        if unit.math.fp32_dest && unit.config.unpack_to_dest_fp32.contains(&cb) {
            math::unpack_to_dest_fp32(bytes, &mut register);
        } else {
            math::transpose_tile(&unit.math, format, bytes, false, false, &mut register);
        }
        self.core.counters.fpu_tiles += 1;
        Ok(register)
    }
}
