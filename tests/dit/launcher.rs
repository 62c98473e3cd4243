//! The life of a megakernel on its device: what is refused, what stays in L1, what is counted.

use crate::rig::{Net, options};
use ttl::prelude::Schedule;
use ttl_kernels::dit::budget::{CbBudget, Ring};
use ttl_kernels::dit::k1::{DitMegakernel, Launch};
use ttl_kernels::dit::matrix::Matrix;
use ttl_kernels::dit::rate::measure_rate;
use ttl_kernels::dit::{Op, ReaderMode, StreamDtype};

fn net() -> Net {
    Net::new(1, 4, StreamDtype::Bf16, ReaderMode::Relay)
}

fn megakernel(net: &Net) -> DitMegakernel {
    let mut mk = net.builder(options(Schedule::RoundRobin)).build().expect("it is allowed");
    mk.upload(&net.pack).expect("it fits");
    mk
}

#[track_caller]
fn refused<T>(result: ttl_kernels::dit::Result<T>, parts: &[&str]) {
    let message = result.err().expect("a refusal").to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

/// Inventory 113 to 115, 126, 127, 131.
#[test]
fn refusals() {
    let net = net();
    let builder = || net.builder(options(Schedule::RoundRobin));
    refused(builder().ring_depth(0).build(), &["ring_depth 0"]);
    refused(builder().relay_window(16).build(), &["relay_window 16"]);
    refused(builder().ring_depth(5).build(), &["ring_depth 5 + 2 > cb_w pages 6"]);
    refused(builder().relay_window(10).build(), &["relay_window 10 + ring_depth 4 > relay pages 12 + 1"]);
    let odd = CbBudget { cb_w: Ring::Bytes(7 * net.layout.page_bytes()), ..CbBudget::new(&net.cfg) };
    refused(builder().k1_budget(odd).build(), &["cb_w 14336 B is not a whole number of 4096 B pages"]);
    let mut mk = builder().build().expect("it is allowed");
    let x = net.input(Launch::chain(0, 1, 1));
    refused(mk.run_chain(&x, 0, 1, 1), &["call upload(pack) first"]);
    refused(mk.stats(), &["no program built yet"]);
    refused(mk.kernel_groups(), &["no program built yet"]);
    mk.upload(&net.pack).expect("it fits");
    refused(mk.run_chain(&x, 3, 2, 1), &["blocks [3, 5) out of range for 4"]);
    refused(mk.run_stream(&x, 0, 1, 0), &["n_iters is 0"]);
    refused(mk.run_single_op(&x, 0, Op::Ff2, 1), &["ff2", "[64, 768]", "[64, 192]"]);
    refused(mk.run_chain(&Matrix::zeros(32, 192), 0, 1, 1), &["chain", "[64, 192]", "[32, 192]"]);
    let other = Net::new(1, 2, StreamDtype::Bf16, ReaderMode::Relay);
    refused(mk.upload(&other.pack), &["pack does not belong to this arena layout"]);
    assert_eq!(mk.launches(), 0);
}

/// Inventory 100 (the validated program is the specification), 119, 121, 122, 126, 132: in relay mode a second run with counters that are not 0 would stop.
#[test]
fn what_stays_in_l1_is_freed_and_made_again() {
    let net = net();
    let mut mk = megakernel(&net);
    let launch = Launch::chain(0, 2, 1);
    let x = net.input(launch);
    let first = mk.run_chain(&x, 0, 2, 1).expect("it runs");
    for _ in 0..3 {
        mk.release_l1_residents().expect("they are there");
        assert!(mk.run_chain(&x, 0, 2, 1).expect("it runs") == first);
    }
    // Inputs of every size come and go; nothing is left behind.
    for op in Op::OPS {
        mk.run_single_op(&net.input(Launch::single(1, op, 2)), 1, op, 2).expect("it runs");
    }
    assert!(mk.run_chain(&x, 0, 2, 1).expect("it runs") == first);
    mk.upload(&net.pack).expect("it fits");
    assert!(mk.run_chain(&x, 0, 2, 1).expect("it runs") == first);
    assert_eq!(mk.launches(), 10);
    let keys: Vec<(u32, u32)> = mk.compile_seconds().into_keys().collect();
    assert_eq!(keys, [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3)]);
    let groups = mk.kernel_groups().expect("a program");
    let of = |name: &str| groups.iter().find(|g| g.0 == name).map(|g| g.1);
    assert_eq!(of("maths"), Some(12));
    assert_eq!(
        (of("relay_read"), of("relay_forward"), of("hub_gather"), of("idle")),
        (Some(1), Some(1), Some(1), None)
    );
    let stats = mk.stats().expect("a program");
    assert_eq!((stats.cbs, stats.semaphores, stats.kernels), (8, 7, 7));
    assert!(stats.common_args <= 341);
}

/// Inventory 129, 158.
#[test]
fn a_rate() {
    let net = net();
    let mut mk = megakernel(&net);
    let x = net.input(Launch::stream(0, 1, 1));
    let bytes = mk.stream_bytes(0, 1).expect("a block");
    let rate = measure_rate(|n| mk.run_stream(&x, 0, 1, n), 1, 3, bytes, 1).expect("it runs");
    assert_eq!(rate.bytes_per_iter, net.layout.stream_bytes(0, 1).expect("a block"));
    assert!(rate.gb_per_s > 0.0);
    assert_eq!(mk.launches(), 4);
}
