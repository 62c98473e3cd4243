//! Prints, assertions and named zones of kernels.

use ttl_runtime::arch::Arch;
use ttl_runtime::sim::ops;
use ttl_runtime::sim::{ErrorKind, Machine, PrintLog, Prints, Processor, RunOptions, SimError};

use crate::harness::*;

fn log_of(p: &Program<'_>, options: RunOptions) -> (Vec<String>, Option<SimError>) {
    let log = PrintLog::default();
    let options = RunOptions { prints: Prints::to_log(&log), ..options };
    let error = Machine::new(Arch::blackhole()).run(&p.launch, &options).err();
    (log.take().iter().map(|line| line.to_string()).collect(), error)
}

#[test]
fn lines_come_in_the_order_of_cores() {
    let cores = grid(4, 3);
    let body = || {
        let n = ops::runtime_arg(0, here!());
        ops::print(&format!("begin {n}, "), here!());
        ops::print("still the same line\nsecond line\nno end", here!());
    };
    let mut p = Program::new();
    for (i, &core) in cores.iter().enumerate() {
        p.reader(core, &[i as u32], &body);
    }
    let (lines, _) = log_of(&p, options(1));
    assert_eq!(lines.len(), 36);
    assert_eq!(
        lines[3..6],
        [
            "core(1,0) ncrisc `read`: begin 1, still the same line",
            "core(1,0) ncrisc `read`: second line",
            "core(1,0) ncrisc `read`: no end"
        ]
    );
    assert_eq!(log_of(&p, options(3)).0, lines);
}

#[test]
fn what_was_printed_before_an_error_is_there() {
    let body = || {
        ops::print("so far", here!());
        ops::assert_failed("`3 < 2` does not hold: too many", here!());
    };
    let mut p = Program::new();
    p.writer(CORE, &[], &body);
    let (lines, error) = log_of(&p, options(1));
    assert_eq!(lines, ["core(0,0) brisc `write`: so far"]);
    let error = error.unwrap();
    assert_eq!(error.kind(), ErrorKind::Assertion);
    assert_report(
        &error,
        "`3 < 2` does not hold: too many
         @ ops::assert_failed(\"`3 < 2` does not hold: too many\", here!());
         = core(0,0) brisc `write`",
    );
}

#[test]
fn nothing_is_printed_when_it_is_off() {
    let body = || {
        assert!(!ops::printing(here!()));
        ops::print("nobody sees this\n", here!());
    };
    let mut p = Program::new();
    p.writer(CORE, &[], &body);
    let options = RunOptions { prints: Prints::Off, ..options(1) };
    Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap();
}

#[test]
fn prints_and_zones_do_not_change_a_random_schedule() {
    let quiet = || {
        ops::cb_reserve_back(A, 1, here!());
        ops::cb_push_back(A, 1, here!());
    };
    let loud = || {
        ops::print("hello\n", here!());
        ops::zone_begin("push", here!());
        quiet();
        ops::zone_end(here!());
    };
    let consumer = || {
        ops::cb_wait_front(A, 1, here!());
        ops::cb_pop_front(A, 1, here!());
    };
    let switches = |producer: &(dyn Fn() + Sync), seed| {
        let mut p = Program::new();
        p.cb(&[CORE], A, "a", 4);
        p.reader(CORE, &[], producer);
        p.writer(CORE, &[], &consumer);
        let options = RunOptions { prints: Prints::Off, ..random(seed, 1) };
        let mut report = Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap();
        report.zones.clear();
        report
    };
    for seed in 0..20 {
        assert_eq!(switches(&quiet, seed), switches(&loud, seed), "seed {seed}");
    }
}

#[test]
fn zones_are_counted_over_cores() {
    let producer = || {
        for _ in 0..5 {
            ops::zone_begin("page", here!());
            ops::cb_reserve_back(A, 1, here!());
            ops::zone_begin("push", here!());
            ops::cb_push_back(A, 1, here!());
            ops::zone_end(here!());
            ops::zone_end(here!());
        }
    };
    let consumer = || {
        for _ in 0..5 {
            ops::cb_wait_front(A, 1, here!());
            ops::cb_pop_front(A, 1, here!());
        }
    };
    let cores = grid(3, 1);
    let mut p = Program::new();
    p.cb(&cores, A, "a", 1);
    for &core in &cores {
        p.reader(core, &[], &producer);
        p.writer(core, &[], &consumer);
    }
    let report = p.run().unwrap();
    let names: Vec<&str> = report.zones.iter().map(|z| z.name.as_str()).collect();
    assert_eq!(names, ["page", "push"]);
    let (page, push) = (&report.zones[0], &report.zones[1]);
    assert_eq!((&*page.kernel, page.processor, page.cores, page.entered), ("read", Processor::Ncrisc, 3, 15));
    // A buffer of one page: every reservation but the first waits.
    assert_eq!((page.waits, push.entered, push.waits), (12, 15, 0));
    assert_eq!(page.to_string(), "zone `page` of kernel `read`: entered 15 times on 3 cores, waited 12 times");
}

#[test]
fn zones_that_do_not_match() {
    let error = reader_alone(&|| ops::zone_end(here!()));
    assert_report(
        &error,
        "a zone ends here that did not begin
         @ let error = reader_alone(&|| ops::zone_end(here!()));
         = core(0,0) ncrisc `read`
         = help: enter a zone before leaving it, once for each time",
    );
    let error = reader_alone(&|| ops::zone_begin("open", here!()));
    assert_report(
        &error,
        "`read` ended inside of zone `open`
         @ let error = reader_alone(&|| ops::zone_begin(\"open\", here!()));
         = core(0,0) ncrisc `read`
         = help: leave the zone on every path",
    );
}
