//! The hub: gathers what the compute cores contribute in its a_rep, and multicasts it into everyone's.
//!
//! BRISC waits for the contributions, and for the credits that say the place is free on every core. Then both processors send a share, BRISC
//! over NoC 0 and NCRISC over NoC 1, and behind it the number of the round: R0, R1.

use super::plan::{
    Constants, ROUND_CHUNK, ROUND_G, ROUND_Q, ROUNDS, Run, chunk_cores, half_of, is_cross, round_pages, rules,
};
use crate::dit::core_set::CoreSet;
use ttl::prelude::*;

/// Multicasts pages `first..first + count` of a_rep, and then `round` in `flag`.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // what, to whom
fn send(
    noc: Noc,
    a_rep: u32,
    first: u32,
    count: u32,
    flag: &Semaphore,
    round: u32,
    everyone: NocRange,
    receivers: u32,
) {
    if count > 0 {
        let at = a_rep + first * 2048;
        noc.raw().noc_async_write_multicast(at, everyone.noc_addr(at), count * 2048, receivers, false);
    }
    flag.set(round);
    noc.semaphore_set_multicast(flag, everyone, receivers);
    noc.writes_flushed();
}

/// How many of `pages` pages NCRISC sends: `split` quarters.
#[ttl::device]
fn share_of_noc_1(pages: u32, split: u32) -> u32 {
    pages * split / 4
}

/// BRISC.
#[ttl::kernel(writer, noc = 0)]
#[allow(clippy::too_many_arguments)] // a tensor, semaphores, and what the launch is
#[allow(clippy::manual_range_contains)] // device code has no ranges but those of loops
pub fn hub_gather(
    noc: Noc,
    a: TensorAccessor<bf16>,
    g0: Semaphore,
    g1: Semaphore,
    f0: Semaphore,
    f1: Semaphore,
    r0: Semaphore,
    go: Semaphore,
    everyone: NocRange,
    table: CommonWords,
    #[ttl(common)] run: Run,
    #[ttl(compile_time)] constants: Constants,
) {
    let banks = constants.banks;
    let a_rep = a.get_bank_base_address();
    // What the counters must have reached.
    let mut gathered = [0; 2];
    let mut free = [0; 2];
    if run.is_chain() {
        for visit in 0..run.visits() {
            let cross = is_cross(&table, run.blk(visit));
            for r in ROUND_Q..ROUND_G + 1 {
                if r == ROUND_Q {
                    gathered[0] += CoreSet::First.cores(banks);
                    if !cross && constants.left_out != rules::SELF_INPUT {
                        free[0] += CoreSet::All.cores(banks);
                    }
                } else if r >= ROUND_CHUNK && r < ROUND_G {
                    let chunk = r - ROUND_CHUNK;
                    let half = half_of(chunk);
                    let counted = if constants.left_out == rules::TWO_GATHERS { 0 } else { half };
                    gathered[counted as usize] += chunk_cores(banks);
                    if chunk == 0 && constants.left_out != rules::FF1_INPUT {
                        free[0] += CoreSet::All.cores(banks);
                    }
                    if chunk >= 2 && constants.left_out != rules::CHUNK_INPUT {
                        free[half as usize] += CoreSet::Even.cores(banks);
                    }
                } else {
                    gathered[0] += CoreSet::Even.cores(banks);
                }
                g0.wait_min(gathered[0]);
                g1.wait_min(gathered[1]);
                f0.wait_min(free[0]);
                f1.wait_min(free[1]);
                let round = visit * ROUNDS + r;
                go.set(round);
                let (first, pages) = round_pages(banks, r);
                send(
                    noc,
                    a_rep,
                    first,
                    pages - share_of_noc_1(pages, constants.mcast_split),
                    &r0,
                    round,
                    everyone,
                    constants.receivers,
                );
            }
        }
    }
}

/// NCRISC.
#[ttl::kernel(reader, noc = 1)]
#[allow(clippy::too_many_arguments)] // semaphores, and what the launch is
pub fn hub_share(
    noc: Noc,
    a: TensorAccessor<bf16>,
    r1: Semaphore,
    go: Semaphore,
    everyone: NocRange,
    #[ttl(common)] run: Run,
    #[ttl(compile_time)] constants: Constants,
) {
    let banks = constants.banks;
    let a_rep = a.get_bank_base_address();
    if run.is_chain() {
        for visit in 0..run.visits() {
            for r in ROUND_Q..ROUND_G + 1 {
                let round = visit * ROUNDS + r;
                go.wait_min(round);
                let (first, pages) = round_pages(banks, r);
                let share = share_of_noc_1(pages, constants.mcast_split);
                send(noc, a_rep, first + pages - share, share, &r1, round, everyone, constants.receivers);
            }
        }
    }
}
