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
            let error = cx.error(ErrorKind::Kernel, message, site).numbers(numbers);
            return Err(Stop::Fail(
                error.help("use a smaller block that divides the row, and count the blocks from 0"),
            ));
        }
        let (pages, packed) = cx.pages_out(CALL, ocb, 0, full, site)?;
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
            cx.spread(CALL, &bytes, packed, pages[0], full, index * block + t as u32, site)?;
        }
        cx.core.counters.packed_tiles += u64::from(block);
        Ok(())
    });
}

/// The packer is set up for rows of elements from tile registers.
pub fn pack_untilize_dest_init(block: u32, full: u32, site: Site) {
    op(site, |cx| {
        cx.started("pack_untilize_dest_init", site)?.packs_rows = Some((block, full, site));
        Ok(())
    });
}

/// `pack_untilize_uninit` after `pack_untilize_dest_init`; whether it was that.
pub fn pack_untilize_dest_uninit(site: Site) -> bool {
    op(site, |cx| Ok(cx.started("pack_untilize_uninit", site)?.packs_rows.take().is_some()))
}

/// `rows` rows of `block` tile registers each to 32 rows of `32 * full` elements each, where they begin at tile `column * block`.
pub fn pack_untilize_dest(block: u32, full: u32, ocb: u32, rows: u32, column: u32, site: Site) {
    const CALL: &str = "pack_untilize_dest";
    op(site, |cx| {
        cx.in_phase(CALL, Phase::Packing, site)?;
        let unit = cx.unit(CALL, site)?;
        let (set, registers) = (unit.packs_rows, unit.tiles.len() as u32);
        if set.map(|(b, f, _)| (b, f)) != Some((block, full)) {
            let message = format!("`{CALL}<{block}, {full}>` without an init for it");
            let error = cx.error(ErrorKind::Init, message, site);
            return Err(Stop::Fail(
                error.help("call `pack_untilize_dest_init` with the same template arguments before"),
            ));
        }
        let fits = block > 0 && full.is_multiple_of(block) && (column + 1) * block <= full;
        if !fits || rows == 0 || block * rows > registers {
            let message = format!("`{CALL}`: {rows} rows of {block} tiles, number {column} of a row of {full}");
            let numbers = format!("there are {registers} registers; a block divides the row");
            let error = cx.error(ErrorKind::Kernel, message, site).numbers(numbers);
            return Err(Stop::Fail(
                error.help("use a smaller block that divides the row, and count the blocks from 0"),
            ));
        }
        let (pages, format) = cx.pages_out(CALL, ocb, 0, full * rows, site)?;
        for r in 0..rows {
            for t in 0..block {
                let register = r * block + t;
                let unit = cx.unit(CALL, site)?;
                let zero = Tile::ZERO;
                let tile = if unit.is_written(register) { &unit.tiles[register as usize] } else { &zero };
                let mut bytes = [0; TILE_BYTES];
                math::pack(&unit.math, tile, format, &mut bytes[..format.tile_bytes() as usize]);
                cx.spread(CALL, &bytes, format, pages[(r * full) as usize], full, column * block + t, site)?;
            }
        }
        cx.core.counters.packed_tiles += u64::from(block * rows);
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
    /// A packed tile as the part at tile `first` of 32 rows of `full` tiles from `to` on.
    #[allow(clippy::too_many_arguments)] // the tile, the rows, and who asks
    fn spread(
        &mut self,
        call: &str,
        tile: &[u8],
        format: DataFormat,
        to: u32,
        full: u32,
        first: u32,
        site: Site,
    ) -> Step<()> {
        let Some(element) = format.element_bytes().map(|b| b as usize) else {
            let message = format!("`{call}`: {format} has no rows of elements");
            return Err(Stop::Fail(
                self.error(ErrorKind::Kernel, message, site)
                    .help("use a buffer of floats or integers: 16 elements of a block float share an exponent"),
            ));
        };
        let row = full as usize * 32 * element;
        let rows = self.core.l1.bytes_mut(to, row * 32);
        for (line, from) in tile[..1024 * element].chunks_exact(16 * element).enumerate() {
            let (r, c) = (line / 32 * 16 + line % 16, first as usize * 32 + line / 16 % 2 * 16);
            rows[r * row + c * element..][..16 * element].copy_from_slice(from);
        }
        Ok(())
    }

    fn between_sections(&mut self, call: &str, site: Site) -> Step<()> {
        let phase = self.started(call, site)?.phase;
        if phase == Phase::Free {
            return Ok(());
        }
        let message = format!("`{call}` while the tile registers are {}", phase.describe().0);
        let error = self.error(ErrorKind::Registers, message, site);
        Err(Stop::Fail(error.help("it takes registers of its own: call it outside of acquire and release")))
    }

    /// The packer writes tiles, not rows of elements.
    pub(super) fn packs_tiles(&mut self, call: &str, site: Site) -> Step<()> {
        let Some((.., set)) = self.unit(call, site)?.packs_rows else { return Ok(()) };
        let error = self.error(ErrorKind::Init, format!("`{call}` while the packer writes rows of elements"), site);
        let error = error.label(set, "since this `pack_untilize_dest_init`");
        Err(Stop::Fail(error.help("call `pack_untilize_uninit` before")))
    }

    /// Waited pages as rows of `block` tiles.
    fn rows_in(&mut self, call: &str, cb: u32, first: u32, block: u32, site: Site) -> Step<(Rows, u32)> {
        let src_a = self.unit(call, site)?.src_a;
        let index = self.cb(call, cb, site)?;
        self.format_is(call, "SrcA", src_a, index, "reconfig_data_format_srca", site)?;
        let c = &self.core.cbs.list[index];
        let Some(bytes) = c.format.element_bytes() else {
            let message = format!("`{call}`: {} is {}, which has no rows of elements", c.title(), c.format);
            return Err(Stop::Fail(
                self.error(ErrorKind::Kernel, message, site)
                    .help("use a buffer of floats or integers: 16 elements of a block float share an exponent"),
            ));
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
