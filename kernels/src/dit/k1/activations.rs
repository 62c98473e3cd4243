//! BRISC of a compute core: hands inputs to the arithmetic and brings its outputs to the hub.
//!
//! The rules that it keeps stand in [`plan::rules`](super::plan::rules); `left_out` leaves one out, for the tests.

use super::maths::OUT_TILES;
use super::plan::{
    Constants, ROUND_CHUNK, ROUND_O, ROUND_Q, ROUNDS, Run, a_pages, chunk_cores, chunk_of, half_of, is_cross, op_cores,
    rules,
};
use crate::dit::consts::N_CHUNKS;
use crate::dit::core_set::CoreSet;
use ttl::prelude::*;

/// Waits until a round has arrived on this core: both shares of it.
#[ttl::device]
fn wait_round(r0: &Semaphore, r1: &Semaphore, round: u32) {
    r0.wait_min(round);
    r1.wait_min(round);
}

/// Gives what has arrived in a_rep to the arithmetic.
#[ttl::device]
fn feed(a: &CbOut<bf16>, pages: u32) {
    let block = a.reserve_back(pages);
    block.push_back();
}

/// Waits until the arithmetic has consumed so many pages of a_rep that `pages` are free.
#[ttl::device]
fn consumed(noc: Noc, a: &CbOut<bf16>, pages: u32) {
    noc.raw().cb_reserve_back(a, pages);
}

/// Writes an output to `page` of the hub's a_rep, and says so.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // from where, to where, how much, whom to tell
fn contribute(noc: Noc, out: &Front<bf16>, hub: NocCore, a_rep: u32, page: u32, tiles: u32, gathered: &Semaphore) {
    noc.raw().noc_async_write(out.get_read_ptr(), hub.noc_addr(a_rep + page * 2048), tiles * 2048);
    noc.write_barrier();
    noc.semaphore_inc(gathered, hub, 1);
}

/// Sends the own part of ff1 to its chunk.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // two semaphores to choose from
fn contribute_chunk(
    noc: Noc,
    ff1: &CbIn<bf16>,
    hub: NocCore,
    a_rep: u32,
    banks: u32,
    index: u32,
    g0: &Semaphore,
    g1: &Semaphore,
    left_out: u32,
) {
    let half = half_of(chunk_of(banks, index));
    let page = half * a_pages(banks) / 2 + index % chunk_cores(banks) * OUT_TILES;
    let out = ff1.wait_front(OUT_TILES);
    if half == 0 || left_out == rules::TWO_GATHERS {
        contribute(noc, &out, hub, a_rep, page, OUT_TILES, g0);
    } else {
        contribute(noc, &out, hub, a_rep, page, OUT_TILES, g1);
    }
}

/// The writer of a compute core: sends what the core has made to the hub, round by round, and takes what the hub multicasts.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // buffers, semaphores, and what the launch is
#[allow(clippy::manual_range_contains)] // device code has no ranges but those of loops
pub fn activations(
    noc: Noc,
    x: CbOut<bf16>,
    a: CbOut<bf16>,
    ff1: CbIn<bf16>,
    mm: CbIn<bf16>,
    g0: Semaphore,
    g1: Semaphore,
    f0: Semaphore,
    f1: Semaphore,
    r0: Semaphore,
    r1: Semaphore,
    hub: NocCore,
    table: CommonWords,
    #[ttl(common)] run: Run,
    #[ttl(compile_time)] constants: Constants,
    index: u32,
) {
    let banks = constants.banks;
    let a_rep = noc.raw().get_write_ptr(&a);
    feed(&x, run.x_tiles);
    let chunk = chunk_of(banks, index);
    for visit in 0..run.visits() {
        let blk = run.blk(visit);
        if !run.is_chain() {
            for j in run.first_op()..run.end_op() {
                if run.pop_mm && op_cores(&table, blk, j).participates(banks, index) {
                    mm.wait_front(OUT_TILES).pop_front();
                }
            }
        } else {
            let base = visit * ROUNDS;
            // Queries; in a self block also keys and values, which nobody needs here.
            if op_cores(&table, blk, 0).participates(banks, index) {
                if !run.from_x(visit) {
                    wait_round(&r0, &r1, base);
                    feed(&a, a_pages(banks));
                }
                let out = mm.wait_front(OUT_TILES);
                if !is_cross(&table, blk) {
                    consumed(noc, &a, a_pages(banks));
                    if constants.left_out != rules::SELF_INPUT {
                        noc.semaphore_inc(&f0, hub, 1);
                    }
                }
                if CoreSet::First.participates(banks, index) {
                    // A block that begins with x must not run into the last round of the visit before.
                    wait_round(&r0, &r1, base);
                    contribute(noc, &out, hub, a_rep, index * OUT_TILES, OUT_TILES, &g0);
                }
            }
            let even = CoreSet::Even.participates(banks, index);
            let column = 2 * CoreSet::Even.slot(index);
            if even {
                wait_round(&r0, &r1, base + ROUND_Q);
                feed(&a, a_pages(banks));
                let out = mm.wait_front(OUT_TILES);
                contribute(noc, &out, hub, a_rep, column, 2, &g0);
            }
            wait_round(&r0, &r1, base + ROUND_O);
            feed(&a, a_pages(banks));
            consumed(noc, &a, a_pages(banks));
            if constants.left_out != rules::FF1_INPUT {
                noc.semaphore_inc(&f0, hub, 1);
            }
            if chunk < 2 || constants.left_out == rules::CHUNK_LEFT {
                contribute_chunk(noc, &ff1, hub, a_rep, banks, index, &g0, &g1, constants.left_out);
            } else if constants.left_out == rules::CHUNK_WAIT {
                wait_round(&r0, &r1, base + ROUND_CHUNK + chunk - 2);
                contribute_chunk(noc, &ff1, hub, a_rep, banks, index, &g0, &g1, constants.left_out);
            }
            for i in 0..N_CHUNKS {
                let mine = i + 2 == chunk
                    && constants.left_out != rules::CHUNK_LEFT
                    && constants.left_out != rules::CHUNK_WAIT;
                if even || mine {
                    wait_round(&r0, &r1, base + ROUND_CHUNK + i);
                }
                if mine {
                    contribute_chunk(noc, &ff1, hub, a_rep, banks, index, &g0, &g1, constants.left_out);
                }
                if even {
                    feed(&a, a_pages(banks) / 2);
                    if i >= 1 && i <= 4 {
                        // The half of chunk i - 1 is free.
                        consumed(noc, &a, a_pages(banks) / 2);
                        // By the parity of the chunk: a credit for one must not pass for another's for the one before.
                        let credit = constants.left_out != rules::CHUNK_INPUT;
                        if credit && half_of(i - 1) == 0 {
                            noc.semaphore_inc(&f0, hub, 1);
                        } else if credit {
                            noc.semaphore_inc(&f1, hub, 1);
                        }
                    }
                }
            }
            if even {
                let out = mm.wait_front(OUT_TILES);
                contribute(noc, &out, hub, a_rep, column, 2, &g0);
            }
        }
    }
    if run.is_chain() {
        // Nothing may arrive on a core that has left.
        wait_round(&r0, &r1, run.visits() * ROUNDS);
    }
}
