//! What the launches compute, against the reference, on both engines.

use crate::rig::{Net, options};
use ttl::prelude::Schedule;
use ttl_kernels::dit::k1::Launch;
use ttl_kernels::dit::knobs::HubKnobs;
use ttl_kernels::dit::reference::{Agreement, chain_limit};
use ttl_kernels::dit::{ArenaPart, Op, ReaderMode, StreamDtype};

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
    for (banks, dtype, mode) in [(2, StreamDtype::Bf16, ReaderMode::Relay), (4, StreamDtype::Bfp8B, ReaderMode::Direct)]
    {
        let net = Net::new(banks, 2, dtype, mode);
        for op in Op::OPS {
            check(&net, Launch::single(1, op, 1));
        }
    }
}

/// Inventory 129: nothing but the weights moves, and both engines leave the same memory.
#[test]
fn streams_of_one_two_and_four_banks() {
    for (banks, dtype, mode) in [
        (1, StreamDtype::Bf16, ReaderMode::Relay),
        (2, StreamDtype::Bfp8B, ReaderMode::Direct),
        (4, StreamDtype::Bf16, ReaderMode::Direct),
        (4, StreamDtype::Bfp8B, ReaderMode::Relay),
    ] {
        let net = Net::new(banks, 2, dtype, mode);
        let (mk, _) = net.on_both(Schedule::RoundRobin, Launch::stream(0, 2, 1), |b| b);
        assert_eq!(mk.launches(), 1);
        // Outputs that nobody takes away would stop the arithmetic: the last operation's must be there.
        assert!(mk.read_mm_out(1, Op::Ff2).expect("it is there").data.iter().any(|&v| v != 0.0));
    }
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

/// Section 12: the check sees a single page of weights that is wrong, whichever operation it belongs to.
#[test]
fn one_wrong_page_shows() {
    let net = Net::new(1, 2, StreamDtype::Bf16, ReaderMode::Direct);
    let launch = Launch::chain(0, 2, 1);
    let (_, got) = net.run(net.builder(options(Schedule::RoundRobin)), launch).expect("it runs");
    let x = net.input(launch);
    assert!(Agreement::of(&got, &net.reference(&x, launch)).keeps(chain_limit(2)));
    let page = net.layout.page_bytes() as usize;
    for op in Op::OPS {
        let mut wrong = Net::new(1, 2, StreamDtype::Bf16, ReaderMode::Direct);
        let first = net.layout.op(1, op).expect("an operation").byte_offset as usize;
        // The page after it, of the same operation.
        wrong.pack.bank_mut(ArenaPart::Stream, 0).copy_within(first + page..first + 2 * page, first);
        let agreement = Agreement::of(&got, &wrong.reference(&x, launch));
        println!("{op:?}: {agreement}");
        assert!(!agreement.keeps(chain_limit(2)), "{op:?}: {agreement}");
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
