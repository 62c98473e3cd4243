//! NoC transfers: what the chip cannot do, missing barriers, and data that lands as late as allowed.

use ttl_runtime::arch::{Arch, Core};
use ttl_runtime::sim::ops::{self, NocAddr};
use ttl_runtime::sim::{Machine, Processor};

use crate::harness::*;

/// A scratch place in L1 outside of the circular buffers of `reader_alone`.
const SCRATCH: u32 = 0x80000;

fn dram(bank: u32, addr: u64) -> NocAddr {
    ops::noc_addr_dram(bank, addr, here!())
}

fn worker(core: Core, addr: u32) -> NocAddr {
    let v = Arch::blackhole().virtual_core(core);
    ops::noc_addr_worker(v.x, v.y, addr, here!())
}

#[test]
fn transfer_of_nothing() {
    assert_report(
        &reader_alone(&|| ops::noc_async_read(0, dram(0, 64), SCRATCH, 0, here!())),
        "`noc_async_read` of 0 bytes
         @ &reader_alone(&|| ops::noc_async_read(0, dram(0, 64), SCRATCH, 0, here!())),
         = core(0,0) ncrisc `read`
         = help: leave the call out where there is nothing to move",
    );
    let error = reader_alone(&|| ops::noc_async_write(0, SCRATCH, dram(0, 64), 0, here!()));
    assert_eq!(error.message(), "`noc_async_write` of 0 bytes");
}

#[test]
fn a_dram_read_is_aligned_to_64() {
    assert_report(
        &reader_alone(&|| ops::noc_async_read(0, dram(2, 64), SCRATCH + 32, 64, here!())),
        "`noc_async_read`: source and destination are not aligned to each other modulo 64
         @ &reader_alone(&|| ops::noc_async_read(0, dram(2, 64), SCRATCH + 32, 64, here!())),
         = core(0,0) ncrisc `read`: from DRAM bank 2 at 0x40 to L1 at 0x80020
         = help: the two addresses must leave the same remainder modulo 64",
    );
}

#[test]
fn a_dram_write_and_an_l1_read_are_aligned_to_16() {
    let error = reader_alone(&|| ops::noc_async_write(0, SCRATCH + 8, dram(2, 64), 64, here!()));
    assert_report(
        &error,
        "`noc_async_write`: source and destination are not aligned to each other modulo 16
         @ let error = reader_alone(&|| ops::noc_async_write(0, SCRATCH + 8, dram(2, 64), 64, here!()));
         = core(0,0) ncrisc `read`: from L1 at 0x80008 to DRAM bank 2 at 0x40
         = help: the two addresses must leave the same remainder modulo 16",
    );
    let error = reader_alone(&|| ops::noc_async_read(0, worker(Core::new(1, 1), SCRATCH + 4), SCRATCH, 64, here!()));
    assert_report(
        &error,
        "`noc_async_read`: source and destination are not aligned to each other modulo 16
         @ let error = reader_alone(&|| ops::noc_async_read(0, worker(Core::new(1, 1), SCRATCH + 4), SCRATCH, 64, here!()));
         = core(0,0) ncrisc `read`: from L1 of core(1,1) at 0x80004 to L1 at 0x80000
         = help: the two addresses must leave the same remainder modulo 16",
    );
}

#[test]
fn alignments_that_are_fine() {
    let mut p = Program::new();
    p.reader(CORE, &[], &|| {
        ops::noc_async_read(0, dram(2, 32), SCRATCH + 32, 3, here!());
        ops::noc_async_read(0, worker(Core::new(1, 1), SCRATCH + 20), SCRATCH + 4, 64, here!());
        ops::noc_async_read_barrier(0, here!());
        ops::noc_async_write(0, SCRATCH + 16, dram(2, 0), 64, here!());
        ops::noc_async_write_barrier(0, here!());
    });
    p.run().unwrap();
}

#[test]
fn bounds() {
    let arch = Arch::blackhole();
    assert_report(
        &reader_alone(&|| ops::noc_async_read(0, dram(7, 4_278_190_080 - 64), SCRATCH, 128, here!())),
        "`noc_async_read`: DRAM bank 7 has no 128 bytes at 0xfeffffc0
         @ &reader_alone(&|| ops::noc_async_read(0, dram(7, 4_278_190_080 - 64), SCRATCH, 128, here!())),
         = core(0,0) ncrisc `read`: the bank has 0xff000000 bytes
         = help: addresses of a bank begin at 0; accessors know those of tensors",
    );
    let low = arch.l1_base - 16;
    assert_report(
        &reader_alone(&|| ops::noc_async_write(0, low, dram(7, 0), 32, here!())),
        "`noc_async_write`: L1 of this core at 0x1aff0, 32 bytes, is outside of what programs may use
         @ &reader_alone(&|| ops::noc_async_write(0, low, dram(7, 0), 32, here!())),
         = core(0,0) ncrisc `read`: programs may use 0x1b000 to 0x180000, circular buffers and semaphores
         = help: use addresses of circular buffers and semaphores, and stay within their bytes",
    );
    let high = arch.l1_size - 16;
    let error = reader_alone(&|| ops::noc_async_read(0, worker(Core::new(10, 9), high), SCRATCH, 32, here!()));
    assert_eq!(
        error.message(),
        "`noc_async_read`: L1 of core(10,9) at 0x17fff0, 32 bytes, is outside of what programs may use"
    );
    let error = reader_alone(&|| ops::noc_async_read(0, dram(0, 0), u32::MAX - 63, 128, here!()));
    assert_eq!(
        error.message(),
        "`noc_async_read`: L1 of this core at 0xffffffc0, 128 bytes, is outside of what programs may use"
    );
    assert_report(
        &reader_alone(&|| assert_ne!(ops::noc_addr_dram(8, 0, here!()), NocAddr(0))),
        "DRAM bank 8 does not exist; the chip has 8
         @ &reader_alone(&|| assert_ne!(ops::noc_addr_dram(8, 0, here!()), NocAddr(0))),
         = core(0,0) ncrisc `read`
         = help: banks count from 0: take the bank modulo their number",
    );
}

#[test]
fn nobody_at_the_coordinates() {
    // (0, 0) are the logical coordinates of the first worker, not those of the NoC.
    for (x, y) in [(0, 0), (8, 2), (63, 63)] {
        let error = reader_alone(&|| {
            let src = ops::noc_addr_worker(x, y, SCRATCH, here!());
            ops::noc_async_read(0, src, SCRATCH, 32, here!());
        });
        assert_report(
            &error,
            &format!(
                "`noc_async_read`: there is no core or DRAM bank at NoC coordinates ({x},{y})
                 @ ops::noc_async_read(0, src, SCRATCH, 32, here!());
                 = core(0,0) ncrisc `read`
                 = help: kernels need virtual coordinates: pass them as arguments, not logical ones"
            ),
        );
    }
    let error = reader_alone(&|| ops::noc_async_read_barrier(2, here!()));
    assert_eq!(error.message(), "`noc_async_read_barrier`: NoC 2 does not exist; the chip has NoC 0 and 1");
}

#[test]
fn pushed_before_the_read_landed() {
    let error = reader_alone(&|| {
        ops::cb_reserve_back(A, 2, here!());
        let at = ops::get_write_ptr(A, here!());
        ops::noc_async_read(0, dram(0, 64), at + TILE, 64, here!());
        ops::cb_push_back(A, 1, here!());
        ops::cb_push_back(A, 1, here!());
    });
    assert_report(
        &error,
        "pages of cb `a` (id 0) are pushed before the read that fills them has landed
         @ ops::cb_push_back(A, 1, here!());
         @ ops::noc_async_read(0, dram(0, 64), at + TILE, 64, here!()); read issued by ncrisc kernel `read`
         = core(0,0) ncrisc `read`: the read of 64 bytes to L1 0x20800 is still under way
         = help: call `noc_async_read_barrier` before `cb_push_back`",
    );
}

#[test]
fn a_barrier_of_the_other_noc_does_not_help() {
    let error = reader_alone(&|| {
        ops::cb_reserve_back(A, 1, here!());
        ops::noc_async_read(1, dram(0, 64), ops::get_write_ptr(A, here!()), 64, here!());
        ops::noc_async_read_barrier(0, here!());
        ops::cb_push_back(A, 1, here!());
    });
    assert_eq!(error.message(), "pages of cb `a` (id 0) are pushed before the read that fills them has landed");
}

#[test]
fn popped_before_the_write_left() {
    let error = reader_alone(&|| {
        ops::cb_reserve_back(A, 2, here!());
        ops::cb_push_back(A, 2, here!());
        ops::cb_wait_front(A, 2, here!());
        let at = ops::get_read_ptr(A, here!());
        ops::noc_async_write(0, at, dram(0, 64), 64, here!());
        ops::noc_async_writes_flushed(0, here!());
        ops::noc_async_write(0, at, dram(1, 64), 96, here!());
        ops::noc_async_write(0, at + TILE, dram(2, 64), 64, here!());
        ops::cb_pop_front(A, 1, here!());
    });
    assert_report(
        &error,
        "pages of cb `a` (id 0) are popped before the write that reads them has left
         @ ops::cb_pop_front(A, 1, here!());
         @ ops::noc_async_write(0, at, dram(1, 64), 96, here!()); write issued by ncrisc kernel `read`
         = core(0,0) ncrisc `read`: the write of 96 bytes from L1 0x20000 is still under way
         = help: call `noc_async_writes_flushed` (or `noc_async_write_barrier`) before `cb_pop_front`",
    );
}

#[test]
fn unfinished_at_the_end() {
    let error = reader_alone(&|| {
        ops::noc_async_read(0, dram(0, 64), SCRATCH, 64, here!());
        ops::noc_async_read(0, dram(0, 64), SCRATCH, 64, here!());
    });
    assert_report(
        &error,
        "`read` ended with 2 reads under way
         @ ops::noc_async_read(0, dram(0, 64), SCRATCH, 64, here!());
         = core(0,0) ncrisc `read`
         = help: call `noc_async_read_barrier` before the kernel ends",
    );
    let error = reader_alone(&|| {
        ops::noc_async_write(0, SCRATCH, dram(0, 64), 64, here!());
        ops::noc_async_writes_flushed(0, here!());
    });
    assert_report(
        &error,
        "`read` ended with 1 write under way
         @ ops::noc_async_write(0, SCRATCH, dram(0, 64), 64, here!());
         = core(0,0) ncrisc `read`
         = help: call `noc_async_write_barrier` before the kernel ends",
    );
    let error = reader_alone(&|| {
        ops::noc_semaphore_inc(0, worker(CORE, ops::get_semaphore(3, here!())), 1, here!());
    });
    assert_report(
        &error,
        "`read` ended with 1 increment under way
         @ ops::noc_semaphore_inc(0, worker(CORE, ops::get_semaphore(3, here!())), 1, here!());
         = core(0,0) ncrisc `read`
         = help: call `noc_async_atomic_barrier` before the kernel ends",
    );
}

#[test]
fn a_read_outside_of_the_reserved_pages() {
    let error = reader_alone(&|| {
        ops::cb_reserve_back(B, 2, here!());
        let at = ops::get_write_ptr(B, here!());
        ops::noc_async_read(0, dram(0, 64), at + TILE, 2 * TILE, here!());
    });
    assert_report(
        &error,
        "`noc_async_read` fills L1 outside of the reserved pages of cb `b` (id 1)
         @ ops::noc_async_read(0, dram(0, 64), at + TILE, 2 * TILE, here!());
         = core(0,0) ncrisc `read`: L1 0x22800 to 0x23800; reserved: 2 pages from 0x22000 to 0x23000
         = help: stay within these pages: reserve or wait for more, or push and pop them later",
    );
}

#[test]
fn a_write_from_pages_that_were_popped() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.reader(CORE, &[], &|| {
        ops::cb_reserve_back(A, 2, here!());
        // The producer may send its pages on, before and after the push.
        let at = ops::get_write_ptr(A, here!());
        ops::noc_async_write(0, at, dram(0, 64), 64, here!());
        ops::noc_async_write_barrier(0, here!());
        ops::cb_push_back(A, 2, here!());
        ops::noc_async_write(0, at + TILE, dram(0, 64), 64, here!());
        ops::noc_async_write_barrier(0, here!());
    });
    p.writer(CORE, &[], &|| {
        ops::cb_wait_front(A, 2, here!());
        let at = ops::get_read_ptr(A, here!());
        ops::cb_pop_front(A, 1, here!());
        ops::noc_async_write(0, at, dram(0, 64), 64, here!());
    });
    assert_report(
        &p.error(),
        "`noc_async_write` reads L1 outside of the waited for pages of cb `a` (id 0)
         @ ops::noc_async_write(0, at, dram(0, 64), 64, here!());
         = core(0,0) brisc `write`: L1 0x20000 to 0x20040; waited for: 1 page from 0x20800 to 0x21000
         = help: stay within these pages: reserve or wait for more, or push and pop them later",
    );
}

#[test]
fn compute_kernels_do_not_move_data() {
    let mut p = Program::new();
    p.compute(CORE, &[], &|| ops::noc_async_read_barrier(0, here!()));
    assert_report(
        &p.error(),
        "`noc_async_read_barrier` in a compute kernel
         @ p.compute(CORE, &[], &|| ops::noc_async_read_barrier(0, here!()));
         = core(0,0) compute `math`
         = help: transfers and semaphores belong to reader and writer kernels; pass data through circular buffers",
    );
}

/// Data is not there before the barrier, and it is what the source held when the barrier was called.
#[test]
fn a_missing_barrier_shows_old_data() {
    let mut machine = Machine::new(Arch::blackhole());
    machine.write_dram(0, 64, &[5; 64]).unwrap();
    let mut p = Program::new();
    let body = || {
        ops::l1_write_u32(SCRATCH, 1, here!());
        ops::noc_async_read(0, dram(0, 64), SCRATCH, 64, here!());
        assert_eq!(ops::l1_read_u32(SCRATCH, here!()), 1);
        ops::noc_async_read_barrier(0, here!());
        assert_eq!(ops::l1_read_u32(SCRATCH, here!()), 0x0505_0505);
        // Without a flush the write takes what is there later.
        ops::noc_async_write(0, SCRATCH, dram(0, 128), 64, here!());
        ops::l1_write_u32(SCRATCH, 2, here!());
        ops::noc_async_writes_flushed(0, here!());
        ops::l1_write_u32(SCRATCH, 3, here!());
        ops::noc_async_write_barrier(0, here!());
    };
    p.reader(CORE, &[], &body);
    machine.run(&p.launch, &options(1)).unwrap();
    let mut word = [0; 4];
    machine.read_dram(0, 128, &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), 2);
}

/// A write that was flushed but has no barrier is not visible to a core that is signalled: it finds the old data.
#[test]
fn a_missing_write_barrier_before_a_signal_shows_old_data() {
    let run = |barrier: bool| {
        let mut machine = Machine::new(Arch::blackhole());
        let mut p = Program::new();
        let other = Core::new(1, 0);
        p.semaphore(&[CORE, other], 0, 0);
        let send = move || {
            ops::l1_write_u32(SCRATCH, 77, here!());
            ops::noc_async_write(1, SCRATCH, dram(0, 64), 64, here!());
            if barrier {
                ops::noc_async_write_barrier(1, here!());
            } else {
                ops::noc_async_writes_flushed(1, here!());
            }
            ops::noc_semaphore_inc(1, worker(other, ops::get_semaphore(0, here!())), 1, here!());
            ops::noc_semaphore_wait(ops::get_semaphore(0, here!()), 1, here!());
            ops::noc_async_full_barrier(1, here!());
        };
        let receive = || {
            ops::noc_semaphore_wait(ops::get_semaphore(0, here!()), 1, here!());
            ops::noc_async_read(0, dram(0, 64), SCRATCH, 64, here!());
            ops::noc_async_read_barrier(0, here!());
            ops::noc_semaphore_inc(0, worker(CORE, ops::get_semaphore(0, here!())), 1, here!());
            ops::noc_async_atomic_barrier(0, here!());
        };
        p.writer(CORE, &[], &send);
        p.reader(other, &[], &receive);
        machine.run(&p.launch, &options(1)).unwrap();
        let mut word = [0; 4];
        machine.read_l1(other, SCRATCH, &mut word).unwrap();
        u32::from_le_bytes(word)
    };
    assert_eq!(run(true), 77);
    assert_eq!(run(false), 0);
}

#[test]
fn both_data_movement_kernels_and_both_nocs() {
    let mut machine = Machine::new(Arch::wormhole());
    machine.write_dram(11, 32, &[9; 64]).unwrap();
    let mut p = Program::new();
    let body = || {
        let noc = ops::noc_index(here!());
        let at = SCRATCH + 32 + 1024 * u32::from(noc);
        ops::noc_async_read(noc, dram(11, 32), at, 64, here!());
        ops::noc_async_full_barrier(noc, here!());
        ops::noc_async_write(noc, at, dram(u32::from(noc), 32), 64, here!());
        ops::noc_async_full_barrier(noc, here!());
    };
    p.kernel(CORE, Processor::Ncrisc, "one", &[], &body);
    p.kernel(CORE, Processor::Brisc, "two", &[], &body);
    machine.run(&p.launch, &options(1)).unwrap();
    for bank in 0..2 {
        let mut out = [0; 64];
        machine.read_dram(bank, 32, &mut out).unwrap();
        assert_eq!(out, [9; 64]);
    }
}

/// Data may land early by chance, but a missing barrier is still found, under every seed.
#[test]
fn a_missing_barrier_is_found_under_every_seed() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.reader(CORE, &[], &|| {
        ops::cb_reserve_back(A, 1, here!());
        ops::noc_async_read(0, dram(0, 64), ops::get_write_ptr(A, here!()), 64, here!());
        ops::cb_push_back(A, 1, here!());
    });
    for seed in 0..50 {
        let error = Machine::new(Arch::blackhole()).run(&p.launch, &random(seed, 1)).unwrap_err();
        assert_eq!(error.message(), "pages of cb `a` (id 0) are pushed before the read that fills them has landed");
        assert_eq!(error.details().seed, Some(seed));
    }
}

/// The same seed fails in the same way on any number of OS threads.
#[test]
fn a_failure_replays() {
    let cores = grid(4, 4);
    let mut p = Program::new();
    p.cb(&cores, A, "a", 4);
    // Wrong: what is read depends on when the other kernel has written.
    let races = || {
        let at = SCRATCH + 64;
        ops::l1_write_u32(at, 1, here!());
        ops::cb_reserve_back(A, 1, here!());
        ops::cb_push_back(A, 1, here!());
        let seen = ops::l1_read_u32(at, here!());
        if seen == 2 && ops::core(here!()).x > 1 {
            ops::fail(format!("lost the race on {}", ops::core(here!())), here!());
        }
    };
    let other = || {
        ops::l1_write_u32(SCRATCH + 64, 2, here!());
        ops::cb_wait_front(A, 1, here!());
        ops::cb_pop_front(A, 1, here!());
    };
    for &core in &cores {
        p.reader(core, &[], &races);
        p.writer(core, &[], &other);
    }
    let mut outcomes = std::collections::HashSet::new();
    for seed in 0..30 {
        let run = |threads| match Machine::new(Arch::blackhole()).run(&p.launch, &random(seed, threads)) {
            Ok(report) => format!("{report:?}"),
            Err(error) => error.to_string(),
        };
        let outcome = run(1);
        assert_eq!(outcome, run(2), "seed {seed}");
        assert_eq!(outcome, run(5), "seed {seed}");
        outcomes.insert(outcome.lines().next().map(str::to_owned));
    }
    assert!(outcomes.len() > 3, "{outcomes:?}");
}
