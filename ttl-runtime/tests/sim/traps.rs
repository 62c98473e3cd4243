//! Kernels that no operation can stop.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use std::hint::black_box;
use std::time::Duration;

use ttl_runtime::arch::Arch;
use ttl_runtime::sim::ops;
use ttl_runtime::sim::{ErrorKind, Machine, RunOptions};

use crate::harness::*;

#[inline(never)]
fn deep(n: u64) -> u64 {
    let frame = black_box([n; 64]);
    if n == 0 { 0 } else { deep(n - 1) + frame[(n % 64) as usize] }
}

#[test]
fn a_stack_that_overflows_is_an_error() {
    let error = reader_alone(&|| {
        black_box(deep(1_000_000));
    });
    assert_eq!(error.message(), "kernel `read` has used up its stack");
    assert!(error.to_string().contains("core(0,0) ncrisc `read`: the stack has 262144 bytes"), "{error}");
    // What fits runs, also after an overflow.
    let mut p = Program::new();
    let fits = || {
        assert_eq!(black_box(deep(100)), 5050);
    };
    p.reader(CORE, &[], &fits);
    p.run().unwrap();
}

#[test]
fn a_pointer_into_nowhere_is_an_error() {
    let error = reader_alone(&|| {
        ops::cb_reserve_back(A, 1, here!());
        let nowhere = black_box(0x1000 as *mut u32);
        // SAFETY: it is not; the simulator has to catch it.
        unsafe { nowhere.write_volatile(1) };
    });
    assert_eq!(error.kind(), ErrorKind::Memory);
    assert_eq!(error.message(), "kernel `read` followed a pointer to 0x1000, where nothing is");
}

#[test]
fn a_loop_that_calls_nothing_is_an_error() {
    let body = || {
        let mut n = 0u64;
        while black_box(n) != u64::MAX {
            n = black_box(n) / 2;
        }
    };
    let mut p = Program::new();
    p.reader(CORE, &[], &body);
    let options = RunOptions { stuck_after: Some(Duration::from_millis(300)), ..options(1) };
    let error = Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Livelock);
    assert_eq!(error.message(), "kernel `read` has called nothing for 300ms");
}

#[test]
fn slow_kernels_that_call_something_now_and_then_are_left_alone() {
    let body = || {
        for _ in 0..8 {
            std::thread::sleep(Duration::from_millis(100));
            ops::core(here!());
        }
    };
    let mut p = Program::new();
    p.reader(CORE, &[], &body);
    let options = RunOptions { stuck_after: Some(Duration::from_millis(600)), ..options(1) };
    Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap();
}
