//! The log of reads from DRAM: what, in which order, with which id, and how many at a time.

use ttl_runtime::arch::{Arch, Core};
use ttl_runtime::sim::ops;
use ttl_runtime::sim::{Machine, ReadLog, RunOptions, Schedule};

use crate::harness::*;

const SCRATCH: u32 = 0x80000;

fn read(bank: u32, addr: u64, bytes: u32) {
    ops::noc_async_read(0, ops::noc_addr_dram(bank, addr, here!()), SCRATCH + addr as u32, bytes, here!());
}

fn run(program: &Program<'_>, options: RunOptions) {
    Machine::new(Arch::blackhole()).run(&program.launch, &options).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn reads_with_ids_and_what_is_under_way() {
    let other = Core::new(2, 1);
    let there = Arch::blackhole().virtual_core(other);
    let body = || {
        read(2, 0, 64);
        read(5, 64, 128);
        ops::noc_async_read_barrier(0, here!());
        ops::noc_async_read_set_trid(0, 3, here!());
        read(1, 256, 64);
        ops::noc_async_read_set_trid(0, 4, here!());
        read(7, 512, 32);
        ops::noc_async_read_barrier_with_trid(0, 3, here!());
        read(0, 1024, 64);
        // Neither of these reads DRAM.
        ops::noc_async_read(0, ops::noc_addr_worker(there.x, there.y, SCRATCH, here!()), SCRATCH, 64, here!());
        ops::noc_async_write(0, SCRATCH, ops::noc_addr_dram(0, 4096, here!()), 64, here!());
        ops::noc_async_write_barrier(0, here!());
        ops::noc_async_read_barrier_with_trid(0, 4, here!());
    };
    let mut p = Program::new();
    p.reader(CORE, &[], &body);
    p.reader(other, &[], &|| {
        read(6, 0, 64);
        ops::noc_async_read_barrier(0, here!());
    });
    // Whatever the order of threads and transfers: the log is in the order of cores, and of each core's own calls.
    for schedule in [Schedule::RoundRobin, Schedule::Random(5), Schedule::Uneven(5)] {
        for threads in [1, 2] {
            let log = ReadLog::default();
            run(&p, RunOptions { schedule, dram_reads: Some(log.clone()), ..options(threads) });
            let reads = log.take();
            let got: Vec<_> =
                reads.iter().map(|r| (r.who.core, r.bank, r.addr, r.bytes, r.trid, r.under_way)).collect();
            let want = [
                (CORE, 2, 0, 64, 0, 1),
                (CORE, 5, 64, 128, 0, 2),
                (CORE, 1, 256, 64, 3, 1),
                (CORE, 7, 512, 32, 4, 2),
                (CORE, 0, 1024, 64, 4, 2),
                (other, 6, 0, 64, 0, 1),
            ];
            assert_eq!(got, want, "{schedule:?}, {threads} threads");
            assert!(reads.iter().all(|r| &*r.who.kernel == "read"));
            assert!(log.take().is_empty());
        }
    }
}

/// Two runs add to one log; a run without a log leaves it alone.
#[test]
fn logs_over_several_runs() {
    let mut p = Program::new();
    p.reader(CORE, &[], &|| {
        read(2, 0, 64);
        ops::noc_async_read_barrier(0, here!());
    });
    let log = ReadLog::default();
    for _ in 0..2 {
        run(&p, RunOptions { dram_reads: Some(log.clone()), ..options(1) });
    }
    run(&p, options(1));
    assert_eq!(log.take().len(), 2);
}
