//! Programs that cannot go on, and what is said about them.

use ttl_runtime::arch::Arch;
use ttl_runtime::sim::ops;
use ttl_runtime::sim::{ErrorKind, Machine, RunOptions};

use crate::harness::*;

#[test]
fn too_few_pages_on_many_cores() {
    let cores = grid(8, 8);
    let mut p = Program::new();
    p.cb(&cores, A, "a", 4);
    let produce = || {
        ops::cb_reserve_back(A, 3, here!());
        ops::cb_push_back(A, 3, here!());
    };
    let consume = || {
        ops::cb_wait_front(A, 1, here!());
        ops::cb_pop_front(A, 1, here!());
        ops::cb_wait_front(A, 4, here!());
    };
    for &core in &cores {
        p.reader(core, &[], &produce);
        p.compute(core, &[], &consume);
    }
    for threads in [1, 2] {
        let error = Machine::new(Arch::blackhole()).run(&p.launch, &options(threads)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Deadlock);
        assert_report(
            &error,
            "deadlock: 64 threads wait and nothing can wake them
             @ ops::cb_wait_front(A, 4, here!()); core(0,0)-(7,7) compute `math` waits for 4 pages of cb `a` (id 0): 2 there, capacity 4
             = help: ncrisc kernel `read` has ended after pushing 3 pages of `a`; 1 popped, so a wait for 4 cannot succeed",
        );
    }
}

#[test]
fn no_producer() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.writer(CORE, &[], &|| ops::cb_wait_front(A, 1, here!()));
    assert_report(
        &p.error(),
        "deadlock: 1 thread waits and nothing can wake it
         @ p.writer(CORE, &[], &|| ops::cb_wait_front(A, 1, here!())); core(0,0) brisc `write` waits for 1 page of cb `a` (id 0): 0 there, capacity 4
         = help: no kernel on this core fills `a`",
    );
}

#[test]
fn no_consumer() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.reader(CORE, &[], &|| {
        for _ in 0..3 {
            ops::cb_reserve_back(A, 2, here!());
            ops::cb_push_back(A, 2, here!());
        }
    });
    assert_report(
        &p.error(),
        "deadlock: 1 thread waits and nothing can wake it
         @ ops::cb_reserve_back(A, 2, here!()); core(0,0) ncrisc `read` waits for 2 free pages of cb `a` (id 0): 0 free, capacity 4
         = help: no kernel on this core empties `a`",
    );
}

/// Two kernels that each wait for the other's buffer first.
#[test]
fn a_cycle() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.cb(&[CORE], B, "b", 4);
    p.reader(CORE, &[], &|| {
        ops::cb_wait_front(B, 1, here!());
        ops::cb_reserve_back(A, 1, here!());
    });
    p.writer(CORE, &[], &|| {
        ops::cb_wait_front(A, 1, here!());
        ops::cb_reserve_back(B, 1, here!());
    });
    let error = p.error();
    assert_eq!(error.message(), "deadlock: 2 threads wait and nothing can wake them");
    let texts: Vec<&str> = error.details().labels.iter().map(|l| l.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "core(0,0) ncrisc `read` waits for 1 page of cb `b` (id 1): 0 there, capacity 4",
            "core(0,0) brisc `write` waits for 1 page of cb `a` (id 0): 0 there, capacity 4",
        ]
    );
}

#[test]
fn a_kernel_that_waits_for_itself() {
    assert_report(
        &reader_alone(&|| {
            ops::cb_reserve_back(A, 4, here!());
            ops::cb_wait_front(A, 2, here!());
        }),
        "deadlock: 1 thread waits and nothing can wake it
         @ ops::cb_wait_front(A, 2, here!()); core(0,0) ncrisc `read` waits for 2 pages of cb `a` (id 0): 0 there, capacity 4
         = help: `a` is filled by the same kernel, which must push before it waits",
    );
}

#[test]
fn semaphores() {
    assert_report(
        &reader_alone(&|| {
            let addr = ops::get_semaphore(3, here!());
            ops::noc_semaphore_set(addr, 5, here!());
            ops::noc_semaphore_wait(addr, 4, here!());
        }),
        "deadlock: 1 thread waits and nothing can wake it
         @ ops::noc_semaphore_wait(addr, 4, here!()); core(0,0) ncrisc `read` waits for semaphore 3 to be 4: it is 5
         = help: semaphore 3 has passed 4: it is compared for equality; use `noc_semaphore_wait_min` or reset it in time",
    );
    assert_report(
        &reader_alone(&|| ops::noc_semaphore_wait_min(ops::get_semaphore(3, here!()), 7, here!())),
        "deadlock: 1 thread waits and nothing can wake it
         @ &reader_alone(&|| ops::noc_semaphore_wait_min(ops::get_semaphore(3, here!()), 7, here!())), core(0,0) ncrisc `read` waits for semaphore 3 to be at least 7: it is 0",
    );
}

#[test]
fn a_deadlock_of_a_random_schedule_names_its_seed() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.writer(CORE, &[], &|| ops::cb_wait_front(A, 1, here!()));
    let error = Machine::new(Arch::blackhole()).run(&p.launch, &random(0x5eed, 1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deadlock);
    let text = error.to_string();
    assert!(text.ends_with("= note: random schedule with seed 0x5eed; the same seed gives the same run"), "{text}");
}

#[test]
fn polling_for_ever_is_a_livelock() {
    let cores = grid(2, 1);
    let mut p = Program::new();
    p.cb(&cores, A, "a", 4);
    let poll = || while !ops::cb_pages_available_at_front(A, 1, here!()) {};
    cores.iter().for_each(|&c| p.reader(c, &[], &poll));
    let options = RunOptions { poll_limit: 1000, ..options(1) };
    let error = Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap_err();
    assert_report(
        &error,
        "livelock: 2 threads that wait or poll for ever
         @ let poll = || while !ops::cb_pages_available_at_front(A, 1, here!()) {}; core(0,0)-(1,0) ncrisc `read` polls
         = 1002 polls in 501 epochs without any other progress",
    );
}

#[test]
fn polling_memory_for_ever_is_a_livelock() {
    let options = RunOptions { poll_limit: 1000, ..options(1) };
    let mut p = Program::new();
    p.reader(CORE, &[], &|| {
        while ops::l1_read_u32(0x40000, here!()) != 1 {}
    });
    let error = Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Livelock);
    // DRAM as well: every turn of the loop has several operations, none of which blocks.
    let mut p = Program::new();
    p.reader(CORE, &[], &|| loop {
        ops::noc_async_read(0, ops::noc_addr_dram(0, 64, here!()), 0x40000, 64, here!());
        ops::noc_async_read_barrier(0, here!());
        if ops::l1_read_u32(0x40000, here!()) == 1 {
            break;
        }
    });
    let error = Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Livelock);
}

/// The first core in order is reported, and how many more failed in the same epoch.
#[test]
fn several_cores_fail_at_once() {
    let cores = grid(5, 2);
    let mut p = Program::new();
    let body = || {
        if ops::core(here!()).x > 1 {
            ops::fail(format!("number {}", ops::core(here!()).x), here!());
        }
    };
    cores.iter().for_each(|&c| p.reader(c, &[], &body));
    for threads in [1, 2, 3] {
        let error = Machine::new(Arch::blackhole()).run(&p.launch, &options(threads)).unwrap_err();
        assert_report(
            &error,
            "number 2
             @ ops::fail(format!(\"number {}\", ops::core(here!()).x), here!());
             = core(2,0) ncrisc `read`
             = note: 5 more cores failed at the same time",
        );
    }
}

#[test]
fn panics_become_errors() {
    let error = reader_alone(&|| {
        let zero = ops::core(here!()).x;
        assert_eq!(1 / zero, 1);
    });
    assert_eq!(error.kind(), ErrorKind::Panic);
    assert_report(
        &error,
        "the kernel panicked: attempt to divide by zero
         @ assert_eq!(1 / zero, 1);
         = core(0,0) ncrisc `read`",
    );
    let error = reader_alone(&|| panic!("boom {}", 3));
    assert_eq!(error.message(), "the kernel panicked: boom 3");
    // Other threads' panics are still theirs.
    assert!(std::thread::spawn(|| panic!("not in a kernel")).join().is_err());
    // And the machine can be used after a failure.
    let mut p = Program::new();
    let mut machine = Machine::new(Arch::blackhole());
    p.reader(CORE, &[], &|| panic!("once"));
    assert!(machine.run(&p.launch, &options(1)).is_err());
    let mut p = Program::new();
    p.reader(CORE, &[], &|| ());
    machine.run(&p.launch, &options(1)).unwrap();
}

#[test]
fn operations_outside_of_kernels_panic() {
    let outcome = std::thread::spawn(|| ops::cb_push_back(0, 1, here!())).join();
    let message = *outcome.unwrap_err().downcast::<String>().unwrap();
    assert!(message.ends_with("a device operation was called outside of a kernel"), "{message}");
}
