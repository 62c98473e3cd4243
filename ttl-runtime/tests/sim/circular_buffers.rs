//! Mistakes with circular buffers, and what is said about them.

use ttl_runtime::sim::ops;

use crate::harness::*;

#[test]
fn a_whole_report() {
    let line = line!() + 1;
    let error = reader_alone(&|| ops::cb_reserve_back(A, 5, here!()));
    let file = file!();
    let source = "    let error = reader_alone(&|| ops::cb_reserve_back(A, 5, here!()));";
    assert_eq!(
        error.to_string(),
        format!(
            "error: `cb_reserve_back` of 5 pages of cb `a` (id 0), which has 4
  --> {file}:{line}:61
   |
{line} | {source}
   | {:60}^
   |
   = core(0,0) ncrisc `read`
   = help: this can never succeed; give `a` at least 5 pages",
            ""
        )
    );
    assert_eq!(format!("{error:?}"), format!("\n{error}"));
}

#[test]
fn unknown_id() {
    let error = reader_alone(&|| ops::cb_push_back(9, 1, here!()));
    assert_report(
        &error,
        "`cb_push_back`: there is no circular buffer with id 9 on core(0,0)
         @ let error = reader_alone(&|| ops::cb_push_back(9, 1, here!()));
         = core(0,0) ncrisc `read`: the core has 0 `a`, 1 `b`
         = help: declare the buffer on this core too, or take its id from an argument",
    );
    assert_eq!(reader_alone(&|| ops::cb_push_back(u32::MAX, 1, here!())).details().labels.len(), 1);
}

#[test]
fn wait_for_more_than_the_capacity() {
    let error = reader_alone(&|| ops::cb_wait_front(B, 9, here!()));
    assert_report(
        &error,
        "`cb_wait_front` of 9 pages of cb `b` (id 1), which has 8
         @ let error = reader_alone(&|| ops::cb_wait_front(B, 9, here!()));
         = core(0,0) ncrisc `read`
         = help: this can never succeed; give `b` at least 9 pages",
    );
}

#[test]
fn push_of_more_than_is_reserved() {
    let error = reader_alone(&|| {
        ops::cb_reserve_back(A, 2, here!());
        ops::cb_push_back(A, 1, here!());
        ops::cb_push_back(A, 2, here!());
    });
    assert_report(
        &error,
        "`cb_push_back` of 2 pages of cb `a` (id 0), with 1 reserved
         @ ops::cb_push_back(A, 2, here!());
         @ ops::cb_push_back(A, 1, here!()); the last push was here
         = core(0,0) ncrisc `read`
         = help: call `cb_reserve_back(0, 2)` before filling the pages",
    );
}

#[test]
fn pop_of_more_than_is_waited_for() {
    let error = reader_alone(&|| {
        ops::cb_reserve_back(A, 4, here!());
        ops::cb_push_back(A, 4, here!());
        ops::cb_wait_front(A, 1, here!());
        ops::cb_pop_front(A, 2, here!());
    });
    assert_report(
        &error,
        "`cb_pop_front` of 2 pages of cb `a` (id 0), with 1 waited for
         @ ops::cb_pop_front(A, 2, here!());
         = core(0,0) ncrisc `read`
         = help: call `cb_wait_front(0, 2)` before using the pages",
    );
}

#[test]
fn double_pop() {
    let error = reader_alone(&|| {
        ops::cb_reserve_back(A, 4, here!());
        ops::cb_push_back(A, 4, here!());
        ops::cb_wait_front(A, 1, here!());
        ops::cb_pop_front(A, 1, here!());
        ops::cb_pop_front(A, 1, here!());
    });
    assert_report(
        &error,
        "`cb_pop_front` of 1 page of cb `a` (id 0), with 0 waited for
         @ ops::cb_pop_front(A, 1, here!());
         @ ops::cb_pop_front(A, 1, here!()); the last pop was here
         = core(0,0) ncrisc `read`
         = help: call `cb_wait_front(0, 1)` before using the pages",
    );
}

#[test]
fn push_over_the_end() {
    let error = reader_alone(&|| {
        ops::cb_reserve_back(A, 3, here!());
        ops::cb_push_back(A, 3, here!());
        ops::cb_wait_front(A, 3, here!());
        ops::cb_pop_front(A, 3, here!());
        ops::cb_reserve_back(A, 2, here!());
        ops::cb_push_back(A, 2, here!());
    });
    assert_report(
        &error,
        "`cb_push_back` of 2 pages runs over the end of cb `a` (id 0)
         @ ops::cb_push_back(A, 2, here!());
         = core(0,0) ncrisc `read`: the pointer is at page 3 of 4, 1 before the end
         = help: a block of pages must be contiguous: use one block size per buffer, and a multiple of it as capacity",
    );
}

#[test]
fn pop_over_the_end() {
    let error = reader_alone(&|| {
        for n in [2, 2] {
            ops::cb_reserve_back(A, n, here!());
            ops::cb_push_back(A, n, here!());
        }
        ops::cb_wait_front(A, 3, here!());
        ops::cb_pop_front(A, 3, here!());
        ops::cb_reserve_back(A, 2, here!());
        ops::cb_push_back(A, 2, here!());
        ops::cb_wait_front(A, 3, here!());
        ops::cb_pop_front(A, 3, here!());
    });
    assert_report(
        &error,
        "`cb_pop_front` of 3 pages runs over the end of cb `a` (id 0)
         @ ops::cb_pop_front(A, 3, here!());
         = core(0,0) ncrisc `read`: the pointer is at page 3 of 4, 1 before the end
         = help: a block of pages must be contiguous: use one block size per buffer, and a multiple of it as capacity",
    );
}

#[test]
fn two_producers() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    let push = || {
        ops::cb_reserve_back(A, 1, here!());
        ops::cb_push_back(A, 1, here!());
    };
    p.reader(CORE, &[], &push);
    p.writer(CORE, &[], &push);
    assert_report(
        &p.error(),
        "`cb_reserve_back`: brisc kernel `write` fills cb `a` (id 0), but ncrisc kernel `read` does so already
         @ ops::cb_reserve_back(A, 1, here!());
         @ ops::cb_reserve_back(A, 1, here!()); ncrisc kernel `read` is its producer
         = core(0,0) brisc `write`
         = help: each circular buffer has one producer and one consumer: use one buffer per pair of kernels",
    );
}

#[test]
fn two_consumers() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.reader(CORE, &[], &|| {
        ops::cb_reserve_back(A, 2, here!());
        ops::cb_push_back(A, 2, here!());
        ops::cb_wait_front(A, 1, here!());
    });
    p.compute(CORE, &[], &|| ops::cb_wait_front(A, 2, here!()));
    assert_report(
        &p.error(),
        "`cb_wait_front`: compute kernel `math` empties cb `a` (id 0), but ncrisc kernel `read` does so already
         @ p.compute(CORE, &[], &|| ops::cb_wait_front(A, 2, here!()));
         @ ops::cb_wait_front(A, 1, here!()); ncrisc kernel `read` is its consumer
         = core(0,0) compute `math`
         = help: each circular buffer has one producer and one consumer: use one buffer per pair of kernels",
    );
}

#[test]
fn pages_left_at_the_end() {
    let mut p = Program::new();
    let cores = grid(2, 2);
    p.cb(&cores, A, "a", 4);
    p.cb(&cores, B, "b", 4);
    let push = || {
        ops::cb_reserve_back(A, 3, here!());
        ops::cb_push_back(A, 3, here!());
        ops::cb_reserve_back(B, 1, here!());
        ops::cb_push_back(B, 1, here!());
        ops::cb_wait_front(A, 1, here!());
        ops::cb_pop_front(A, 1, here!());
    };
    cores.iter().for_each(|&c| p.reader(c, &[], &push));
    assert_report(
        &p.error(),
        "the program ended with pages left in cb `a` (id 0)
         @ ops::cb_push_back(A, 3, here!()); the last push was here
         @ ops::cb_push_back(B, 1, here!()); the last push was here
         = core(0,0)
         = note: cb `a` (id 0): 3 pushed, 1 popped
         = note: cb `b` (id 1): 1 pushed, 0 popped
         = note: 3 more cores failed at the same time
         = help: the consumer must wait for and pop as many pages as are pushed",
    );
    let mut lenient = options(1);
    lenient.leftover_pages_are_errors = false;
    let mut machine = ttl_runtime::sim::Machine::new(ttl_runtime::arch::Arch::blackhole());
    machine.run(&p.launch, &lenient).unwrap();
}

#[test]
fn polling_is_fair() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 2);
    let produce = || {
        for _ in 0..10 {
            while !ops::cb_pages_reservable_at_back(A, 1, here!()) {}
            ops::cb_push_back(A, 1, here!());
        }
    };
    let consume = || {
        for _ in 0..10 {
            while !ops::cb_pages_available_at_front(A, 1, here!()) {}
            ops::cb_pop_front(A, 1, here!());
        }
    };
    p.reader(CORE, &[], &produce);
    p.writer(CORE, &[], &consume);
    let report = p.run().unwrap();
    assert_eq!(report.pages_popped, 10);
    assert!(report.polls < 40, "{report:?}");
}

#[test]
fn a_poll_gives_its_answer_even_if_nothing_else_happens() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 2);
    p.writer(CORE, &[], &|| {
        for _ in 0..100 {
            assert!(!ops::cb_pages_available_at_front(A, 1, here!()));
        }
    });
    p.run().unwrap();
}

#[test]
fn pointers_are_for_data_movement() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 2);
    p.compute(CORE, &[], &|| assert_ne!(ops::get_read_ptr(A, here!()), 0));
    assert_report(
        &p.error(),
        "`get_read_ptr` in a compute kernel
         @ p.compute(CORE, &[], &|| assert_ne!(ops::get_read_ptr(A, here!()), 0));
         = core(0,0) compute `math`
         = help: compute kernels address tiles by their index in the circular buffer",
    );
}
