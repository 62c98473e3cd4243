//! A reader core: reads its bank from end to end, and hands the pages to the twelve compute cores of the bank.
//!
//! NCRISC reads into a ring (see [`ring`](super::ring)); BRISC writes page after page to the ring of the core that it is for, up to `window`
//! writes under way, each with a transaction id of its own, and then adds to word 0 of that core's sync page. A core has at most as many
//! pages outstanding as its ring has slots: counter `rank12` of this core's sync page counts what it has consumed.
//!
//! A page stays in the reader's ring until its write has arrived, and the reader's reads need `depth` free pages: `window + depth <= R + 1`.

use super::plan::{Constants, Run, geometry};
use super::ring::{PageRing, drain, issue, page_ring};
use super::weights::CREDIT_BYTES;
use crate::dit::consts::MAX_TRANSACTION_IDS;
use crate::dit::core_set::rank12;
use ttl::prelude::*;

/// NCRISC: the pages of the launch, in the order of the bank.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // a stream, its buffer, and what the launch is
pub fn relay_read<W: Element>(
    noc: Noc,
    arena: TensorAccessor<W>,
    relay: CbOut<W>,
    table: CommonWords,
    #[ttl(common)] run: Run,
    #[ttl(compile_time)] constants: Constants,
    bank: u32,
) {
    let banks = constants.banks;
    let tile_bytes = relay.get_tile_size();
    let mut ring: PageRing = page_ring(noc, &relay, banks, constants.relay_pages, constants.ring_depth);
    for visit in 0..run.visits() {
        for j in run.first_op()..run.end_op() {
            let op = geometry(&table, banks, tile_bytes, run.blk(visit), j);
            let first = bank * constants.bank_tiles + op.off_bank / tile_bytes;
            for page in 0..op.pages_bank() {
                issue(&mut ring, noc, &relay, arena.get_noc_addr(first + page * banks, 0));
            }
        }
    }
    drain(&mut ring, noc, &relay);
}

/// Writes under way, oldest first: `targets` are their compute cores, by id.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Window {
    size: u32,
    issued: u32,
    retired: u32,
    targets: [u32; MAX_TRANSACTION_IDS as usize],
}

/// Waits until the oldest write has arrived; says so to its core, and gives the page back.
#[ttl::device]
fn retire_write<W: Element>(
    window: &mut Window,
    noc: Noc,
    relay: &CbIn<W>,
    cores: &CoreTable,
    arrived: u32,
    page_tiles: u32,
) {
    let raw = noc.raw();
    let slot = window.retired % window.size;
    raw.noc_async_write_barrier_with_trid(1 + slot);
    let core = cores.core(window.targets[slot as usize]);
    raw.noc_semaphore_inc(core.noc_addr(arrived), 1);
    raw.cb_pop_front(relay, page_tiles);
    window.retired += 1;
}

/// BRISC.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // a buffer, addresses, and what the launch is
pub fn relay_forward<W: Element>(
    noc: Noc,
    relay: CbIn<W>,
    w_ring: TensorAccessor<W>,
    sync: TensorAccessor<u32>,
    cores: CoreTable,
    table: CommonWords,
    #[ttl(common)] run: Run,
    #[ttl(compile_time)] constants: Constants,
    bank: u32,
) {
    let banks = constants.banks;
    let raw = noc.raw();
    let from = raw.get_read_ptr(&relay);
    let to = w_ring.get_bank_base_address();
    let words = sync.get_bank_base_address();
    let tile_bytes = relay.get_tile_size();
    let page_bytes = banks * tile_bytes;
    let mut under_way =
        Window { size: constants.relay_window, issued: 0, retired: 0, targets: [0; MAX_TRANSACTION_IDS as usize] };
    // Pages sent to each of the twelve.
    let mut sent = [0; 12];
    for visit in 0..run.visits() {
        for j in run.first_op()..run.end_op() {
            let op = geometry(&table, banks, tile_bytes, run.blk(visit), j);
            for page in 0..op.pages_bank() {
                let target = op.set.member(banks, bank, op.relay_rank(page));
                let rank = rank12(banks, target);
                let before = sent[rank as usize];
                if under_way.issued - under_way.retired == constants.relay_window {
                    retire_write(&mut under_way, noc, &relay, &cores, words, banks);
                }
                if before >= constants.ring_pages {
                    let credit = words + rank * CREDIT_BYTES;
                    raw.invalidate_l1_cache();
                    if raw.l1_u32(credit).read(0) + constants.ring_pages <= before {
                        // The core may wait for pages that have arrived and of which it was not told.
                        while under_way.retired < under_way.issued {
                            retire_write(&mut under_way, noc, &relay, &cores, words, banks);
                        }
                        raw.noc_semaphore_wait_min(credit, before + 1 - constants.ring_pages);
                    }
                }
                let ahead = under_way.issued - under_way.retired;
                raw.cb_wait_front(&relay, (ahead + 1) * banks);
                let id = under_way.issued % constants.relay_window;
                raw.noc_async_write_one_packet_with_trid(
                    from + under_way.issued % constants.relay_pages * page_bytes,
                    cores.core(target).noc_addr(to + before % constants.ring_pages * page_bytes),
                    page_bytes,
                    1 + id,
                );
                under_way.targets[id as usize] = target;
                under_way.issued += 1;
                sent[rank as usize] = before + 1;
            }
        }
    }
    while under_way.retired < under_way.issued {
        retire_write(&mut under_way, noc, &relay, &cores, words, banks);
    }
    noc.atomic_barrier();
}
