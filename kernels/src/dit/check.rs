//! What the kernels compute of the arena, against the arena itself.

use std::fmt::Display;

use super::arena::{ArenaLayout, ArenaOp, ArenaPart, Split, TileOrder};
use super::config::ReaderMode;
use super::consts::TILE;
use super::core_set::CoreSet;
use super::error::{MegakernelError, Result};
use super::geometry::{OpGeom, TailGeom, op_geom, tail_geom};
use super::offsets::{
    B_BIAS_ROW_BASE, B_FLAGS, B_OFF_FIRST_OP, H_OFF_TAIL, H_TAIL_BIAS_ROW_BASE, HEADER_WORDS, OffsetsTable,
    WORDS_PER_BLOCK, block_word, flags_cross, flags_key_set, flags_l_pad,
};
use super::op::{NO_BIAS, Op, TailOp};

/// The geometry of an operation as the kernels compute it from the offsets table of a layout.
pub fn kernel_geometry(layout: &ArenaLayout, blk: u32, op: Op) -> Result<OpGeom> {
    kernel_geometry_from(layout, &layout.offsets_table(), blk, op)
}

fn kernel_geometry_from(layout: &ArenaLayout, table: &OffsetsTable, blk: u32, op: Op) -> Result<OpGeom> {
    let cfg = layout.cfg();
    if blk >= cfg.n_blocks {
        return Err(MegakernelError::NoBlock { blk, n_blocks: cfg.n_blocks });
    }
    let words = table.words()?;
    let word = |word| words[block_word(blk, word) as usize];
    let cross = flags_cross(word(B_FLAGS));
    Ok(op_geom(cfg.banks, layout.tile_bytes(ArenaPart::Stream), word(B_OFF_FIRST_OP), word(B_BIAS_ROW_BASE), cross, op))
}

/// The geometry of a tail operation as the kernels compute it.
pub fn tail_kernel_geometry(layout: &ArenaLayout, op: TailOp) -> Result<TailGeom> {
    tail_geometry_from(layout, &layout.offsets_table(), op)
}

fn tail_geometry_from(layout: &ArenaLayout, table: &OffsetsTable, op: TailOp) -> Result<TailGeom> {
    let words = table.words()?;
    let off = words[(H_OFF_TAIL + op.index()) as usize];
    let cfg = layout.cfg();
    Ok(tail_geom(cfg.banks, cfg.nt_a(), off, words[H_TAIL_BIAS_ROW_BASE as usize], op))
}

/// The largest slice of a tail operation, in tiles: what cb_tw must hold.
pub fn k4_tw_tiles(layout: &ArenaLayout) -> u32 {
    TailOp::OPS.into_iter().map(|op| layout.tail_op(op).tiles_per_core()).max().unwrap_or(0)
}

/// Compares the numbers of one operation.
struct Fields {
    op: String,
}

impl Fields {
    fn same(&self, what: &'static str, kernel: impl Into<u64>, arena: impl Into<u64>) -> Result<()> {
        let (kernel, arena) = (kernel.into(), arena.into());
        if kernel == arena {
            return Ok(());
        }
        Err(MegakernelError::Geometry { op: self.op.clone(), what, kernel, arena })
    }

    fn of(what: impl Display, name: &str) -> Fields {
        Fields { op: format!("{what} {name}") }
    }

    /// Ranks, members and slots of all cores of all banks.
    fn cores(&self, op: &ArenaOp, set: CoreSet, banks: u32) -> Result<()> {
        self.same("core set", set as u32, op.core_set as u32)?;
        for bank in 0..banks {
            let cores = op.cores_in_bank(bank);
            self.same("cores per bank", set.per_bank(), cores.len() as u32)?;
            for (rank, &c) in (0..).zip(&cores) {
                self.same("rank", set.rank_of(banks, c)?, rank)?;
                self.same("member", set.member_core(banks, bank, rank)?, c)?;
                self.same(
                    "slot",
                    set.slot_of(banks, c)?,
                    set.members(banks).position(|m| m == c).unwrap_or(usize::MAX) as u32,
                )?;
            }
        }
        Ok(())
    }
}

/// Compares every operation of every block; returns their number.
pub fn check_kernel_geometry(layout: &ArenaLayout) -> Result<usize> {
    check_kernel_table(layout, &layout.offsets_table())
}

fn check_order(layout: &ArenaLayout) -> Result<()> {
    match layout.options().tile_order {
        TileOrder::RowMajor => Ok(()),
        TileOrder::ColumnMajor => Err(MegakernelError::TileOrder { order: "ColumnMajor" }),
    }
}

fn check_words(table: &OffsetsTable) -> Result<()> {
    let wrong = table.blocks.iter().map(Vec::len).find(|&n| n != WORDS_PER_BLOCK as usize);
    let (header, block) = (table.header.len(), wrong.unwrap_or(WORDS_PER_BLOCK as usize));
    if (header, block) != (HEADER_WORDS as usize, WORDS_PER_BLOCK as usize) {
        return Err(MegakernelError::OffsetsWords { header, block });
    }
    Ok(())
}

/// [`check_kernel_geometry`] with another offsets table than the layout's.
pub fn check_kernel_table(layout: &ArenaLayout, table: &OffsetsTable) -> Result<usize> {
    check_words(table)?;
    check_order(layout)?;
    let cfg = layout.cfg();
    let words = table.words()?;
    let mut checked = 0;
    for blk in 0..cfg.n_blocks {
        let fields = Fields::of(format_args!("block {blk}"), "flags");
        let flags = words[block_word(blk, B_FLAGS) as usize];
        fields.same("cross", flags_cross(flags), layout.is_cross(blk))?;
        fields.same("key set", flags_key_set(flags), cfg.key_set(blk).map_or(0, |set| set as u32))?;
        fields.same("l_pad", flags_l_pad(flags), layout.l_pad(blk).unwrap_or(0))?;
        for op in Op::OPS {
            check_op(layout, &kernel_geometry_from(layout, table, blk, op)?, blk)?;
            checked += 1;
        }
    }
    Ok(checked)
}

fn check_op(layout: &ArenaLayout, geom: &OpGeom, blk: u32) -> Result<()> {
    let op = layout.op(blk, geom.op)?;
    let banks = layout.cfg().banks;
    let fields = Fields::of(format_args!("block {blk}"), geom.op.name());
    fields.same("K tiles", geom.kt, op.k_tiles)?;
    fields.same("N tiles", geom.nt, op.n_tiles)?;
    fields.same("column tiles of a core", geom.ct, op.n_tiles_per_core)?;
    fields.same("cores", geom.cores(), op.cores)?;
    fields.same("K-blocks", geom.k_blocks(), op.n_k_blocks())?;
    fields.same("bytes of a core", geom.pages_core * layout.page_bytes(), op.tiles_per_core() * op.tile_bytes)?;
    fields.same("bytes of a K-block", geom.ct * layout.page_bytes(), op.k_block_bytes())?;
    fields.same("bytes of a bank", geom.pages_bank() * layout.page_bytes(), op.bytes_per_bank())?;
    fields.same("offset", geom.off_bank, op.byte_offset)?;
    fields.same("bias row", geom.bias_row, layout.bias_row(blk, geom.op)?)?;
    fields.same("GELU", geom.gelu, op.name == "ff1")?;
    fields.cores(op, geom.set, banks)?;
    check_pages(layout, geom, op, &fields)
}

/// The tiles of every page of every core, found through the kernels' formulas, against the arena's own order.
fn check_pages(layout: &ArenaLayout, geom: &OpGeom, op: &ArenaOp, fields: &Fields) -> Result<()> {
    let banks = layout.cfg().banks;
    let page_tiles = layout.cfg().page_tiles();
    // A bank is like the others but for its cores.
    for bank in 0..banks {
        let tiles = op.bank_tiles(bank)?;
        for rank in 0..geom.per_bank {
            let slot = geom.set.slot(geom.set.member(banks, bank, rank));
            for page in 0..geom.pages_core {
                let at = match layout.reader_mode() {
                    ReaderMode::Direct => geom.direct_page(rank) + page,
                    ReaderMode::Relay => geom.relay_page(rank, page),
                };
                for i in 0..page_tiles {
                    // The slice of a core is row-major with N fastest.
                    let tile = page * page_tiles + i;
                    let (k, n) = (tile / geom.ct, slot * geom.ct + tile % geom.ct);
                    let there = tiles.get((at * page_tiles + i) as usize).copied().unwrap_or((u32::MAX, u32::MAX));
                    let number = |(k, n): (u32, u32)| u64::from(k) << 32 | u64::from(n);
                    fields.same("tile of a page (K << 32 | N)", number((k, n)), number(there))?;
                }
            }
        }
    }
    Ok(())
}

/// Compares every tail operation; returns their number.
pub fn check_tail_geometry(layout: &ArenaLayout) -> Result<usize> {
    check_tail_table(layout, &layout.offsets_table())
}

/// [`check_tail_geometry`] with another offsets table than the layout's.
pub fn check_tail_table(layout: &ArenaLayout, table: &OffsetsTable) -> Result<usize> {
    check_words(table)?;
    check_order(layout)?;
    let banks = layout.cfg().banks;
    let most = k4_tw_tiles(layout);
    let mut end = 0;
    for tail in TailOp::OPS {
        let geom = tail_geometry_from(layout, table, tail)?;
        let op = layout.tail_op(tail);
        let fields = Fields::of("tail", tail.name());
        fields.same("offset", geom.off_bank, op.byte_offset)?;
        fields.same("end of the earlier operations", end, op.byte_offset)?;
        end += geom.tiles * geom.set.per_bank() * op.tile_bytes;
        fields.same("K tiles of a core", geom.kt, op.k_tiles_per_core)?;
        fields.same("column tiles of a core", geom.nt_w, op.n_tiles_per_core)?;
        fields.same("tiles of a core", geom.tiles, op.tiles_per_core())?;
        fields.same("K split", tail == TailOp::DecW2, op.split == Split::K)?;
        fields.same("bias row", geom.bias_row, layout.tail_bias_row(tail).unwrap_or(NO_BIAS))?;
        if geom.tiles > most {
            return Err(MegakernelError::TailSlice { tiles: geom.tiles, have: most });
        }
        fields.cores(op, geom.set, banks)?;
        for bank in 0..banks {
            let tiles = op.bank_tiles(bank)?;
            for rank in 0..geom.set.per_bank() {
                let slot = geom.set.slot(geom.set.member(banks, bank, rank));
                // Contiguous and row-major: one read fetches the slice.
                for i in 0..geom.tiles {
                    let (k, n) = (i / geom.nt_w, i % geom.nt_w);
                    let (k, n) = if op.split == Split::K { (slot * geom.kt + k, n) } else { (k, slot + n) };
                    let (there_k, there_n) = tiles.get((rank * geom.tiles + i) as usize).copied().unwrap_or_default();
                    fields.same("K of a tile", k, there_k)?;
                    fields.same("N of a tile", n, there_n)?;
                }
            }
        }
    }
    Ok(TailOp::OPS.len())
}

/// Where a core's slice of a tail operation begins in its bank of the small stream.
pub fn tail_slice_offset(geom: &TailGeom, rank: u32) -> u32 {
    geom.off_bank + rank * geom.tiles * (2 * TILE * TILE)
}
