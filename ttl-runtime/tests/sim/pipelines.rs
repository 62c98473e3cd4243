//! Programs that work: the same bytes and counters on any number of OS threads and for any seed.

use ttl_runtime::arch::{Arch, Core};
use ttl_runtime::sim::ops::{self, FpuInit, SrcOrder};
use ttl_runtime::sim::{Machine, RunOptions, RunReport};

use crate::harness::*;

/// Reads `count` tiles from page `first` on: page `p` is in bank `p % 8`.
fn read() {
    let (first, count, block) =
        (ops::runtime_arg(0, here!()), ops::runtime_arg(1, here!()), ops::runtime_arg(2, here!()));
    for b in 0..count / block {
        ops::cb_reserve_back(A, block, here!());
        let at = ops::get_write_ptr(A, here!());
        for i in 0..block {
            let page = first + b * block + i;
            let src = ops::noc_addr_dram(page % 8, 0x1000 + u64::from(page / 8 * TILE), here!());
            ops::noc_async_read(0, src, at + i * TILE, TILE, here!());
        }
        ops::noc_async_read_barrier(0, here!());
        ops::cb_push_back(A, block, here!());
    }
}

fn compute() {
    let (count, block) = (ops::runtime_arg(0, here!()), ops::runtime_arg(1, here!()));
    ops::hw_startup(SrcOrder::Regular, A, A, OUT, here!());
    ops::fpu_init(FpuInit::Copy { cb: A }, here!());
    for _ in 0..count / block {
        ops::cb_wait_front(A, block, here!());
        ops::tile_regs_acquire(here!());
        for i in 0..block {
            ops::copy_tile(A, i, i, here!());
        }
        ops::tile_regs_commit(here!());
        ops::cb_pop_front(A, block, here!());
        ops::cb_reserve_back(OUT, block, here!());
        ops::tile_regs_wait(here!());
        for i in 0..block {
            ops::pack_tile(i, OUT, here!());
        }
        ops::tile_regs_release(here!());
        ops::cb_push_back(OUT, block, here!());
    }
}

fn write() {
    let (first, count, block) =
        (ops::runtime_arg(0, here!()), ops::runtime_arg(1, here!()), ops::runtime_arg(2, here!()));
    for b in 0..count / block {
        ops::cb_wait_front(OUT, block, here!());
        let at = ops::get_read_ptr(OUT, here!());
        for i in 0..block {
            let page = first + b * block + i;
            let dst = ops::noc_addr_dram(page % 8, 0x100_0000 + u64::from(page / 8 * TILE), here!());
            ops::noc_async_write(1, at + i * TILE, dst, TILE, here!());
        }
        ops::noc_async_writes_flushed(1, here!());
        ops::cb_pop_front(OUT, block, here!());
    }
    ops::noc_async_write_barrier(1, here!());
}

/// Copies DRAM to DRAM through all cores, `count` tiles each. Returns what arrived and the report.
fn copy(cores: &[Core], count: u32, block: u32, options: &RunOptions) -> (Vec<u8>, Vec<u8>, RunReport) {
    let mut p = Program::new();
    p.cb(cores, A, "a", 2 * block);
    p.cb(cores, OUT, "out", 2 * block);
    for (i, &core) in cores.iter().enumerate() {
        let first = i as u32 * count;
        p.reader(core, &[first, count, block], &read);
        p.compute(core, &[count, block], &compute);
        p.writer(core, &[first, count, block], &write);
    }
    let mut machine = Machine::new(Arch::blackhole());
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    for page in 0..cores.len() as u32 * count {
        // Finite bf16 values, all different places.
        let tile: Vec<u8> =
            (0..TILE / 2).flat_map(|i| (0x3f80 + ((i * 7 + page * 13) & 0x3f) as u16).to_le_bytes()).collect();
        machine.write_dram(page % 8, 0x1000 + u64::from(page / 8 * TILE), &tile).unwrap();
        sent.extend(tile);
    }
    let report = machine.run(&p.launch, options).unwrap();
    let mut tile = vec![0; TILE as usize];
    for page in 0..cores.len() as u32 * count {
        machine.read_dram(page % 8, 0x100_0000 + u64::from(page / 8 * TILE), &mut tile).unwrap();
        received.extend_from_slice(&tile);
    }
    (sent, received, report)
}

#[test]
fn copies_through_three_kernels_on_one_core() {
    let (sent, received, report) = copy(&[CORE], 8, 2, &options(1));
    assert!(sent == received);
    assert_eq!((report.noc_reads, report.noc_read_bytes), (8, 8 * u64::from(TILE)));
    assert_eq!((report.noc_writes, report.noc_write_bytes), (8, 8 * u64::from(TILE)));
    assert_eq!((report.fpu_tiles, report.packed_tiles, report.pages_pushed, report.pages_popped), (8, 8, 16, 16));
}

#[test]
fn os_threads_do_not_change_bytes_or_counters() {
    let cores = grid(8, 8);
    let (sent, received, report) = copy(&cores, 8, 2, &options(1));
    assert!(sent == received);
    for threads in [2, 3, 4, 0] {
        let (_, again, same) = copy(&cores, 8, 2, &options(threads));
        assert!(received == again, "{threads} threads");
        assert_eq!(report, same, "{threads} threads");
    }
}

#[test]
fn every_seed_gives_the_same_bytes_and_each_its_own_run() {
    let cores = grid(3, 2);
    let mut switches = std::collections::HashSet::new();
    for seed in 0..100 {
        let (sent, received, report) = copy(&cores, 6, 2, &random(seed, 1));
        assert!(sent == received, "seed {seed}");
        let (_, _, same) = copy(&cores, 6, 2, &random(seed, 3));
        assert_eq!(report, same, "seed {seed}");
        switches.insert(report.switches);
    }
    assert!(switches.len() > 10, "the seeds hardly differ: {switches:?}");
}

#[test]
fn more_writes_than_the_queue_holds() {
    let options = RunOptions { write_queue_bytes: 3 * TILE as usize, ..options(1) };
    let (sent, received, report) = copy(&grid(2, 1), 64, 4, &options);
    assert!(sent == received);
    assert!(report.epochs > 20, "{report:?}");
}

#[test]
fn a_machine_runs_many_programs_and_keeps_its_memory() {
    let mut machine = Machine::new(Arch::blackhole());
    machine.write_dram(3, 64, &[7; 64]).unwrap();
    let body = || {
        let at = 0x30000 + 64 * ops::runtime_arg(0, here!());
        ops::noc_async_read(0, ops::noc_addr_dram(3, 64, here!()), at, 64, here!());
        ops::noc_async_read_barrier(0, here!());
    };
    for i in 0..5 {
        let mut p = Program::new();
        p.reader(Core::new(i, 1), &[i], &body);
        machine.run(&p.launch, &options(2)).unwrap();
    }
    for i in 0..5 {
        let mut out = [0; 64];
        machine.read_l1(Core::new(i, 1), 0x30000 + 64 * i, &mut out).unwrap();
        assert_eq!(out, [7; 64]);
    }
}

#[test]
fn arguments_and_identity() {
    let mut p = Program::new();
    let body = || {
        assert!(ops::in_kernel());
        assert_eq!(ops::core(here!()), Core::new(4, 2));
        assert_eq!(ops::noc_index(here!()), 0);
        assert_eq!(ops::processor(here!()).name(), "ncrisc");
        assert_eq!(ops::runtime_arg(1, here!()), 11);
        assert_eq!(ops::common_arg(0, here!()), 20);
        assert_eq!(ops::compile_arg(1, here!()), 31);
        assert_eq!(*ops::compile_args(here!()), [30, 31]);
    };
    p.reader(Core::new(4, 2), &[10, 11], &body);
    p.launch.threads[0].common_args = [20].into();
    p.launch.threads[0].compile_args = [30, 31].into();
    p.run().unwrap();
    assert!(!ops::in_kernel());
}

#[test]
fn a_thread_that_never_pops_sees_the_start_of_the_buffer() {
    let mut p = Program::new();
    let addr = p.cb(&[CORE], A, "a", 4);
    let produce = move || {
        ops::cb_reserve_back(A, 2, here!());
        ops::cb_push_back(A, 2, here!());
        assert_eq!(ops::get_write_ptr(A, here!()), addr + 2 * TILE);
        assert_eq!(ops::get_read_ptr(A, here!()), addr);
        ops::cb_reserve_back(A, 2, here!());
        ops::cb_push_back(A, 2, here!());
        assert_eq!(ops::get_write_ptr(A, here!()), addr);
    };
    let consume = move || {
        ops::cb_wait_front(A, 3, here!());
        ops::cb_pop_front(A, 3, here!());
        assert_eq!(ops::get_read_ptr(A, here!()), addr + 3 * TILE);
        assert_eq!(ops::get_write_ptr(A, here!()), addr);
        ops::cb_wait_front(A, 1, here!());
        ops::cb_pop_front(A, 1, here!());
    };
    p.reader(CORE, &[], &produce);
    p.writer(CORE, &[], &consume);
    p.run().unwrap();
}

/// A machine can move to another thread and be used there; its kernels' stacks, queues and registers are reused.
#[test]
fn a_machine_is_send() {
    let mut machine = Machine::new(Arch::blackhole());
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.cb(&[CORE], OUT, "out", 4);
    p.reader(CORE, &[0, 8, 2], &read);
    p.compute(CORE, &[8, 2], &compute);
    p.writer(CORE, &[0, 8, 2], &write);
    let first = machine.run(&p.launch, &options(1)).unwrap();
    let (mut machine, second) = std::thread::scope(|scope| {
        let launch = &p.launch;
        let handle = scope.spawn(move || {
            let report = machine.run(launch, &options(1)).unwrap();
            (machine, report)
        });
        handle.join().unwrap()
    });
    assert_eq!(first, second);
    assert_eq!(machine.run(&p.launch, &options(1)).unwrap(), first);
}

#[test]
fn progress_counts_finished_kernels() {
    let progress = ttl_runtime::sim::Progress::default();
    let mut p = Program::new();
    p.reader(CORE, &[], &|| ());
    p.writer(CORE, &[], &|| ());
    let options = RunOptions { progress: Some(progress.clone()), ..options(1) };
    Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap();
    assert_eq!(progress.get(), (2, 2));
}

/// All 110 cores.
#[test]
fn the_whole_grid() {
    let cores = grid(11, 10);
    let (sent, received, report) = copy(&cores, 6, 3, &options(1));
    assert!(sent == received);
    let (_, again, same) = copy(&cores, 6, 3, &options(2));
    assert!(received == again);
    assert_eq!(report, same);
}
