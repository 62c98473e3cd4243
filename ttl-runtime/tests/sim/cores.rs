//! Cores that talk to each other: semaphores, remote L1, rings.

use ttl_runtime::arch::{Arch, Core};
use ttl_runtime::sim::ops::{self, NocAddr};
use ttl_runtime::sim::{Machine, RunOptions, RunReport};

use crate::harness::*;

const BUFFER: u32 = 0x40000;
const CELL: u32 = 0x50000;

fn worker(x: u32, y: u32, addr: u32) -> NocAddr {
    ops::noc_addr_worker(x, y, addr, here!())
}

/// Each core passes what it got from its left neighbour to the right, `rounds` times, and adds its number.
fn ring(cores: &[Core], rounds: u32, options: &RunOptions) -> (Vec<u32>, RunReport) {
    let mut p = Program::new();
    p.semaphore(cores, 0, 0); // data is there
    p.semaphore(cores, 1, 1); // the right neighbour has room
    let body = || {
        let (rounds, number) = (ops::runtime_arg(0, here!()), ops::runtime_arg(1, here!()));
        let right = |addr| worker(ops::runtime_arg(2, here!()), ops::runtime_arg(3, here!()), addr);
        let left = |addr| worker(ops::runtime_arg(4, here!()), ops::runtime_arg(5, here!()), addr);
        let (full, room) = (ops::get_semaphore(0, here!()), ops::get_semaphore(1, here!()));
        ops::l1_write_u32(CELL, number, here!());
        for round in 1..=rounds {
            ops::noc_semaphore_wait_min(room, round, here!());
            ops::noc_async_write(0, CELL, right(BUFFER), 64, here!());
            ops::noc_semaphore_inc(0, right(full), 1, here!());
            ops::noc_semaphore_wait_min(full, round, here!());
            ops::noc_async_write_barrier(0, here!());
            let got = ops::l1_read_u32(BUFFER, here!());
            ops::l1_write_u32(CELL, got + number, here!());
            ops::noc_semaphore_inc(0, left(room), 1, here!());
        }
        ops::noc_async_atomic_barrier(0, here!());
    };
    let arch = Arch::blackhole();
    let n = cores.len();
    for (i, &core) in cores.iter().enumerate() {
        let (r, l) = (arch.virtual_core(cores[(i + 1) % n]), arch.virtual_core(cores[(i + n - 1) % n]));
        p.reader(core, &[rounds, i as u32, r.x, r.y, l.x, l.y], &body);
    }
    let mut machine = Machine::new(arch);
    let report = machine.run(&p.launch, options).unwrap();
    let read = |&core: &Core| {
        let mut word = [0; 4];
        machine.read_l1(core, CELL, &mut word).unwrap();
        u32::from_le_bytes(word)
    };
    (cores.iter().map(read).collect(), report)
}

#[test]
fn a_ring_adds_up() {
    let cores = grid(4, 3);
    let n = cores.len() as u32;
    let want: Vec<u32> = (0..n)
        .map(|i| (0..=n).map(|k| (i + n - k % n) % n).sum()) // own number at the start and after a whole turn
        .collect();
    let (sums, report) = ring(&cores, n, &options(1));
    assert_eq!(sums, want);
    assert_eq!(report.noc_atomics, u64::from(2 * n * n));
    for threads in [2, 4] {
        assert_eq!(ring(&cores, n, &options(threads)), (sums.clone(), report.clone()));
    }
    for seed in 0..30 {
        let (again, random_report) = ring(&cores, n, &random(seed, 1));
        assert_eq!(again, want, "seed {seed}");
        assert_eq!(ring(&cores, n, &random(seed, 2)).1, random_report, "seed {seed}");
    }
}

#[test]
fn a_flag_does_not_overtake_data() {
    for seed in 0..40 {
        let other = Core::new(3, 3);
        let mut p = Program::new();
        p.semaphore(&[CORE, other], 0, 0);
        let v = Arch::blackhole().virtual_core(other);
        let send = move || {
            let flag = ops::get_semaphore(0, here!());
            ops::l1_write_u32(CELL, 1234, here!());
            ops::noc_async_write(0, CELL, worker(v.x, v.y, BUFFER), 1024, here!());
            ops::noc_semaphore_set(flag, 1, here!());
            ops::noc_semaphore_set_remote(0, flag, worker(v.x, v.y, flag), here!());
            ops::noc_async_write_barrier(0, here!());
        };
        let receive = || {
            ops::noc_semaphore_wait(ops::get_semaphore(0, here!()), 1, here!());
            assert_eq!(ops::l1_read_u32(BUFFER, here!()), 1234);
        };
        p.reader(CORE, &[], &send);
        p.reader(other, &[], &receive);
        Machine::new(Arch::blackhole()).run(&p.launch, &random(seed, 1)).unwrap();
    }
}

#[test]
fn reads_from_other_cores() {
    let cores = grid(3, 1);
    let mut p = Program::new();
    p.semaphore(&cores, 0, 0);
    let arch = Arch::blackhole();
    let serve = || {
        ops::l1_write_u32(CELL, 42 + ops::core(here!()).x, here!());
        let client = arch.virtual_core(CORE);
        ops::noc_semaphore_inc(0, worker(client.x, client.y, ops::get_semaphore(0, here!())), 1, here!());
        ops::noc_async_atomic_barrier(0, here!());
    };
    let fetch = || {
        ops::noc_semaphore_wait(ops::get_semaphore(0, here!()), 2, here!());
        for i in 1..3 {
            let v = arch.virtual_core(Core::new(i, 0));
            ops::noc_async_read(0, worker(v.x, v.y, CELL), BUFFER + 64 * i, 64, here!());
        }
        // Own core too.
        let v = arch.virtual_core(CORE);
        ops::l1_write_u32(CELL, 5, here!());
        ops::noc_async_read(0, worker(v.x, v.y, CELL), BUFFER, 64, here!());
        ops::noc_async_read_barrier(0, here!());
        let got = [0, 1, 2].map(|i| ops::l1_read_u32(BUFFER + 64 * i, here!()));
        assert_eq!(got, [5, 43, 44]);
    };
    p.reader(CORE, &[], &fetch);
    p.reader(cores[1], &[], &serve);
    p.reader(cores[2], &[], &serve);
    for threads in 1..4 {
        Machine::new(arch).run(&p.launch, &options(threads)).unwrap();
    }
    for seed in 0..20 {
        Machine::new(arch).run(&p.launch, &random(seed, 2)).unwrap();
    }
}

/// Polling a word that another core writes without a barrier: the write must arrive in the end.
#[test]
fn a_poll_of_another_cores_write_ends() {
    let other = Core::new(1, 0);
    let mut p = Program::new();
    p.semaphore(&[CORE, other], 0, 0);
    let v = Arch::blackhole().virtual_core(other);
    let me = Arch::blackhole().virtual_core(CORE);
    let send = move || {
        ops::l1_write_u32(CELL, 9, here!());
        ops::noc_async_write(0, CELL, worker(v.x, v.y, BUFFER), 16, here!());
        ops::noc_semaphore_wait(ops::get_semaphore(0, here!()), 1, here!());
        ops::noc_async_write_barrier(0, here!());
    };
    let poll = move || {
        while ops::l1_read_u32(BUFFER, here!()) != 9 {}
        ops::noc_semaphore_inc(0, worker(me.x, me.y, ops::get_semaphore(0, here!())), 1, here!());
        ops::noc_async_atomic_barrier(0, here!());
    };
    p.reader(CORE, &[], &send);
    p.reader(other, &[], &poll);
    p.run().unwrap();
}

#[test]
fn semaphores_start_at_their_value_in_every_run() {
    let mut p = Program::new();
    p.semaphore(&[CORE], 5, 8);
    p.reader(CORE, &[], &|| {
        let addr = ops::get_semaphore(5, here!());
        assert_eq!(ops::l1_read_u32(addr, here!()), 8);
        ops::noc_semaphore_set(addr, 1, here!());
        ops::noc_semaphore_wait(addr, 1, here!());
    });
    let mut machine = Machine::new(Arch::blackhole());
    for _ in 0..3 {
        machine.run(&p.launch, &options(1)).unwrap();
    }
}

#[test]
fn semaphore_mistakes() {
    assert_report(
        &reader_alone(&|| assert_ne!(ops::get_semaphore(4, here!()), 0)),
        "there is no semaphore with id 4 on core(0,0)
         @ &reader_alone(&|| assert_ne!(ops::get_semaphore(4, here!()), 0)),
         = core(0,0) ncrisc `read`
         = help: declare the semaphore on all cores that use it",
    );
    assert_report(
        &reader_alone(&|| ops::noc_semaphore_wait(CELL + 2, 1, here!())),
        "`noc_semaphore_wait`: L1 address 0x50002 of a word is not a multiple of 4
         @ &reader_alone(&|| ops::noc_semaphore_wait(CELL + 2, 1, here!())),
         = core(0,0) ncrisc `read`
         = help: words have 4 bytes: the address must be a multiple of 4",
    );
    assert_report(
        &reader_alone(&|| ops::noc_semaphore_inc(0, ops::noc_addr_dram(3, 64, here!()), 1, here!())),
        "`noc_semaphore_inc` on DRAM bank 3; semaphores are in the L1 of cores
         @ &reader_alone(&|| ops::noc_semaphore_inc(0, ops::noc_addr_dram(3, 64, here!()), 1, here!())),
         = core(0,0) ncrisc `read`
         = help: use the address of a semaphore on a core",
    );
    let error = reader_alone(&|| ops::noc_semaphore_set(0x8000 + 16 * 4, 1, here!()));
    assert_eq!(
        error.message(),
        "`noc_semaphore_set`: L1 of this core at 0x8040, 4 bytes, is outside of what programs may use"
    );
}
