//! NCRISC of a compute core: its weights, page after page over all operations and blocks, and the bias of each operation.
//!
//! The sequence of pages is known from the start, so that the stream runs ahead of the arithmetic, limited by the ring alone. In direct mode
//! the core reads its own pages from DRAM; in relay mode a reader core writes them into the ring and says so, and gets a credit for each page
//! that is consumed.

use super::plan::{Constants, Run, geometry};
use super::ring::{PageRing, drain, issue, page_ring};
use crate::dit::core_set::{group_of, rank12};
use ttl::prelude::*;

/// Tiles of a bias block: two columns, of which an operation with one uses the first.
pub const BIAS_TILES: u32 = 2;

/// Words that other cores add to lie 16 bytes apart, as semaphores do: a counter has a word of the NoC of its own.
pub const CREDIT_BYTES: u32 = 16;

/// Reads the bias of `ct` column tiles into row 0 of as many tiles.
#[ttl::device]
fn read_bias(noc: Noc, rows: &TensorAccessor<bf16>, bias: &CbOut<bf16>, row: u32, column: u32, ct: u32) {
    let raw = noc.raw();
    let block = bias.reserve_back(BIAS_TILES);
    let to = block.get_write_ptr();
    raw.noc_async_read_set_trid(0);
    for c in 0..ct {
        // The 32 elements of a tile's row arrive in rows 0 and 1 of its first face.
        raw.noc_async_read(rows.get_noc_addr(row, (column + c) * 64), to + c * 2048, 64);
    }
    raw.noc_async_read_barrier_with_trid(0);
    for c in 0..ct {
        // The right half belongs in row 0 of the second face.
        let words = raw.l1_u32(to + c * 2048);
        for i in 0..8 {
            words.write(128 + i, words.read(8 + i));
        }
    }
}

/// Makes the tile of zeros that the bias is added to.
#[ttl::device]
fn make_zeros(noc: Noc, zeros: &CbOut<bf16>) {
    let tile = zeros.reserve_back(1);
    let words = noc.raw().l1_u32(tile.get_write_ptr());
    for i in 0..512 {
        words.write(i, 0);
    }
}

/// Direct mode.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two streams, their buffers, and what the launch is
pub fn weights<W: Element>(
    noc: Noc,
    arena: TensorAccessor<W>,
    bias_rows: TensorAccessor<bf16>,
    w: CbOut<W>,
    bias: CbOut<bf16>,
    zeros: CbOut<bf16>,
    table: CommonWords,
    #[ttl(common)] run: Run,
    #[ttl(compile_time)] constants: Constants,
    index: u32,
) {
    let banks = constants.banks;
    make_zeros(noc, &zeros);
    let bank = group_of(banks, index);
    let tile_bytes = w.get_tile_size();
    let mut ring: PageRing = page_ring(noc, &w, banks, constants.ring_pages, constants.ring_depth);
    for visit in 0..run.visits() {
        for j in run.first_op()..run.end_op() {
            let op = geometry(&table, banks, tile_bytes, run.blk(visit), j);
            if op.set.participates(banks, index) {
                if !bias.pages_reservable_at_back(BIAS_TILES) {
                    drain(&mut ring, noc, &w);
                }
                read_bias(noc, &bias_rows, &bias, op.bias_row, op.set.slot(index) * op.ct, op.ct);
                // A shard of the tensor is a bank; the tiles of a page follow each other.
                let first = bank * constants.bank_tiles + op.off_bank / tile_bytes;
                let rank = op.set.rank(banks, index);
                for page in 0..op.pages_core {
                    let tile = first + (op.direct_page(rank) + page) * banks;
                    issue(&mut ring, noc, &w, arena.get_noc_addr(tile, 0));
                }
            }
        }
    }
    drain(&mut ring, noc, &w);
}

/// Relay mode: pages arrive in the ring by themselves. Word 0 of this core's sync page counts them; the counter `rank12` of the
/// reader's counts the pages that were consumed.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // a ring, its counters, and what the launch is
pub fn weights_relay<W: Element>(
    noc: Noc,
    bias_rows: TensorAccessor<bf16>,
    sync: TensorAccessor<u32>,
    w: CbOut<W>,
    bias: CbOut<bf16>,
    zeros: CbOut<bf16>,
    reader: NocCore,
    table: CommonWords,
    #[ttl(common)] run: Run,
    #[ttl(compile_time)] constants: Constants,
    index: u32,
) {
    let banks = constants.banks;
    make_zeros(noc, &zeros);
    let raw = noc.raw();
    let arrived = raw.l1_u32(sync.get_bank_base_address());
    let credits = reader.noc_addr(sync.get_bank_base_address() + rank12(banks, index) * CREDIT_BYTES);
    let tile_bytes = w.get_tile_size();
    let mut pushed = 0;
    let mut credited = 0;
    for visit in 0..run.visits() {
        for j in run.first_op()..run.end_op() {
            let op = geometry(&table, banks, tile_bytes, run.blk(visit), j);
            if op.set.participates(banks, index) {
                read_bias(noc, &bias_rows, &bias, op.bias_row, op.set.slot(index) * op.ct, op.ct);
                let end = pushed + op.pages_core;
                while pushed < end {
                    if credited == pushed {
                        raw.noc_semaphore_wait_min(sync.get_bank_base_address(), pushed + 1);
                    } else if w.pages_reservable_at_back((constants.ring_pages - (pushed - credited) + 1) * banks) {
                        // Of the pages pushed and not credited, one more has been consumed: the reader may fill its slot again.
                        raw.noc_semaphore_inc(credits, 1);
                        credited += 1;
                    }
                    raw.invalidate_l1_cache();
                    if arrived.read(0) > pushed {
                        raw.cb_reserve_back(&w, banks);
                        raw.cb_push_back(&w, banks);
                        pushed += 1;
                    }
                }
            }
        }
    }
    // A credit for every page, however the two sides took turns.
    while credited < pushed {
        raw.cb_reserve_back(&w, (constants.ring_pages - (pushed - credited) + 1) * banks);
        raw.noc_semaphore_inc(credits, 1);
        credited += 1;
    }
    noc.atomic_barrier();
}
