//! The schedule in which some cores are much slower than others and each core gets a multicast in its own time.

use std::collections::HashSet;
use std::sync::Mutex;

use ttl_runtime::arch::{Arch, Core};
use ttl_runtime::sim::ops::{self, NocAddr, Receivers};
use ttl_runtime::sim::{Machine, RunOptions, Schedule};

use crate::harness::*;

const DATA: u32 = 0x40000;
const WORDS: u32 = 8;
const SENDER: Core = Core::new(0, 0);
const RECEIVERS: [Core; 4] = [Core::new(1, 0), Core::new(2, 0), Core::new(3, 0), Core::new(4, 0)];
const TO: Receivers = Receivers { num_dests: RECEIVERS.len() as u32, loopback: false };

fn uneven(seed: u64) -> RunOptions {
    RunOptions { schedule: Schedule::Uneven(seed), ..options(1) }
}

fn rectangle(noc: u8, addr: u32) -> NocAddr {
    let [first, last] = [RECEIVERS[0], RECEIVERS[3]].map(|c| Arch::blackhole().virtual_core(c));
    let (start, end) = if noc == 0 { (first, last) } else { (last, first) };
    ops::noc_addr_multicast(start, end, addr, here!())
}

/// Multicasts words, then a flag over `flag_noc`; what each receiver finds when it sees the flag.
fn data_and_flag(options: &RunOptions, flag_noc: u8) -> Vec<u32> {
    let found = Mutex::new(vec![u32::MAX; RECEIVERS.len()]);
    let send = || {
        let flag = ops::get_semaphore(0, here!());
        ops::noc_semaphore_set(flag, 1, here!());
        for word in 0..WORDS {
            // A word of its own for each, so that none is overwritten while it is sent.
            let from = DATA + 64 * word;
            ops::l1_write_u32(from, word + 100, here!());
            ops::noc_async_write_multicast(0, from, rectangle(0, from), 64, TO, here!());
        }
        ops::noc_async_writes_flushed(0, here!());
        ops::noc_semaphore_set_multicast(flag_noc, flag, rectangle(flag_noc, flag), TO, here!());
        ops::noc_async_write_barrier(0, here!());
        ops::noc_async_write_barrier(1, here!());
    };
    let receive = || {
        let flag = ops::get_semaphore(0, here!());
        ops::noc_semaphore_wait(flag, 1, here!());
        let there = (0..WORDS).filter(|w| ops::l1_read_u32(DATA + 64 * w, here!()) == w + 100).count() as u32;
        // Nothing is called, so no other kernel runs, while the lock is held.
        let at = ops::runtime_arg(0, here!()) as usize;
        found.lock().unwrap()[at] = there;
    };
    let mut p = Program::new();
    let all: Vec<Core> = RECEIVERS.into_iter().chain([SENDER]).collect();
    p.semaphore(&all, 0, 0);
    p.reader(SENDER, &[], &send);
    for (i, core) in RECEIVERS.into_iter().enumerate() {
        p.reader(core, &[i as u32], &receive);
    }
    Machine::new(Arch::blackhole()).run(&p.launch, options).unwrap_or_else(|e| panic!("{e}"));
    drop(p);
    found.into_inner().unwrap()
}

/// What one processor sends to one core over one NoC is never overtaken.
#[test]
fn a_flag_does_not_overtake_data_of_its_noc() {
    for seed in 0..200 {
        assert_eq!(data_and_flag(&uneven(seed), 0), [WORDS; 4], "seed {seed}");
    }
}

/// Over the other NoC it does: each core finds its own part of the data.
#[test]
fn a_flag_over_the_other_noc_finds_each_core_as_it_is() {
    let mut found = HashSet::new();
    for seed in 0..200 {
        found.insert(data_and_flag(&uneven(seed), 1));
    }
    assert!(found.iter().any(|f| f.contains(&0)), "{found:?}");
    assert!(found.iter().any(|f| f.iter().any(|n| *n != f[0])), "all alike: {found:?}");
    assert!(found.iter().any(|f| f.iter().all(|n| *n == WORDS)), "{found:?}");
}

/// The same seed is the same run, whatever the number of OS threads; another is another.
#[test]
fn seeds_are_repeatable() {
    let of = |seed, threads| data_and_flag(&RunOptions { threads, ..uneven(seed) }, 1);
    let runs: Vec<_> = (0..20).map(|seed| of(seed, 1)).collect();
    for (seed, run) in (0..).zip(&runs) {
        assert_eq!(&of(seed, 3), run, "seed {seed}");
    }
    assert!(runs.iter().any(|r| *r != runs[0]));
}

/// A slow core makes a run long: more epochs than by chance alone.
#[test]
fn some_cores_are_slow() {
    let epochs = |schedule| {
        let (a, b) = (Core::new(0, 0), Core::new(1, 0));
        let body = || {
            let other =
                |addr| ops::noc_addr_worker(ops::runtime_arg(0, here!()), ops::runtime_arg(1, here!()), addr, here!());
            let word = ops::get_semaphore(0, here!());
            for turn in 1..=20 {
                ops::noc_semaphore_inc(0, other(word), 1, here!());
                ops::noc_semaphore_wait_min(word, turn, here!());
            }
            ops::noc_async_atomic_barrier(0, here!());
        };
        let mut p = Program::new();
        p.semaphore(&[a, b], 0, 0);
        for (core, other) in [(a, b), (b, a)] {
            let there = Arch::blackhole().virtual_core(other);
            p.reader(core, &[there.x, there.y], &body);
        }
        let options = RunOptions { schedule, ..options(1) };
        Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap_or_else(|e| panic!("{e}")).epochs
    };
    let most = |of: fn(u64) -> Schedule| (0..40).map(|seed| epochs(of(seed))).max().unwrap_or(0);
    let (random, uneven) = (most(Schedule::Random), most(Schedule::Uneven));
    assert!(uneven > 4 * random, "{uneven} epochs, {random} by chance alone");
}
