//! What the launches compute, against the reference, on both engines.

use crate::rig::Net;
use ttl::prelude::Schedule;
use ttl_kernels::dit::k1::Launch;
use ttl_kernels::dit::knobs::HubKnobs;
use ttl_kernels::dit::{Op, ReaderMode, StreamDtype};

fn check(net: &Net, launch: Launch) {
    let (_, got) = net.on_both(Schedule::RoundRobin, launch, |b| b);
    net.near(&got, launch);
}

/// Inventory 127.
#[test]
fn single_operations() {
    let net = Net::new(1, 2, StreamDtype::Bf16, ReaderMode::Direct);
    for op in Op::OPS {
        check(&net, Launch::single(0, op, 1));
    }
    let net = Net::new(1, 2, StreamDtype::Bfp8B, ReaderMode::Relay);
    for op in Op::OPS {
        check(&net, Launch::single(1, op, 1));
    }
    check(&net, Launch::single(1, Op::Ff2, 3));
}

/// Inventory 98, 128, 134.
#[test]
fn chains_of_one_bank() {
    for (dtype, mode) in [
        (StreamDtype::Bf16, ReaderMode::Direct),
        (StreamDtype::Bf16, ReaderMode::Relay),
        (StreamDtype::Bfp8B, ReaderMode::Direct),
        (StreamDtype::Bfp8B, ReaderMode::Relay),
    ] {
        let net = Net::new(1, 4, dtype, mode);
        check(&net, Launch::chain(0, 4, 1));
        check(&net, Launch::chain(1, 2, 2));
    }
}

/// Inventory 128, 133, 134.
#[test]
fn chains_of_two_and_four_banks() {
    for (banks, dtype, mode) in [
        (2, StreamDtype::Bf16, ReaderMode::Direct),
        (2, StreamDtype::Bfp8B, ReaderMode::Relay),
        (4, StreamDtype::Bf16, ReaderMode::Direct),
        (4, StreamDtype::Bf16, ReaderMode::Relay),
    ] {
        let net = Net::new(banks, 2, dtype, mode);
        check(&net, Launch::chain(0, 2, 1));
    }
}

/// Inventory 48: every share of the hub's two processors, the extremes included, gives the same bytes.
#[test]
fn any_share_of_the_second_network() {
    let net = Net::new(1, 2, StreamDtype::Bf16, ReaderMode::Direct);
    let launch = Launch::chain(0, 2, 1);
    let run = |split| {
        net.on_both(Schedule::RoundRobin, launch, |b| b.hub(HubKnobs { mcast_split: split, ..HubKnobs::default() })).1
    };
    let first = run(2);
    for split in [0, 1, 3, 4] {
        assert!(run(split) == first, "{split} quarters");
    }
}
