//! What is read from DRAM: every page once, in order, and never further ahead than the ring allows.

use crate::rig::{Net, logged};
use std::collections::BTreeMap;
use ttl::prelude::*;
use ttl::runtime::sim::{DramRead, ReadLog};
use ttl_kernels::dit::k1::Launch;
use ttl_kernels::dit::{ArenaPart, K1Mode, ReaderMode, StreamDtype};

/// Runs a launch, and gives the reads from the arena by thread.
fn reads(net: &Net, schedule: Schedule, depth: u32, launch: Launch) -> BTreeMap<String, Vec<DramRead>> {
    let log = ReadLog::default();
    let builder = net.builder(logged(&log, schedule)).ring_depth(depth);
    net.run(builder, launch).unwrap_or_else(|e| panic!("{launch:?}, {schedule:?}: {e}"));
    let mut by_thread: BTreeMap<String, Vec<DramRead>> = BTreeMap::new();
    // The arena is the first tensor on the device, and has ids of its own.
    for read in log.take().into_iter().filter(|read| read.trid != 0) {
        by_thread.entry(read.who.to_string()).or_default().push(read);
    }
    by_thread
}

#[track_caller]
fn check(net: &Net, schedule: Schedule, depth: u32, launch: Launch) {
    let (banks, page) = (net.cfg.banks, net.layout.page_bytes());
    let by_thread = reads(net, schedule, depth, launch);
    let passes = launch.n_iters;
    let mut visits: BTreeMap<(u32, u64), u32> = BTreeMap::new();
    let mut deepest = 0;
    for (thread, reads) in &by_thread {
        for read in reads {
            assert_eq!(read.bytes, page, "{thread}");
            assert!(read.under_way <= depth, "{thread}: {} reads under way, {depth} allowed", read.under_way);
            deepest = deepest.max(read.under_way);
            *visits.entry((read.bank, read.addr)).or_default() += 1;
        }
        // In the order of the bank, once for each pass.
        let each = reads.len() / passes as usize;
        for pass in reads.chunks(each) {
            assert!(pass.iter().is_sorted_by_key(|read| read.addr), "{thread} reads out of order");
        }
    }
    assert_eq!(deepest, depth, "the ring never ran ahead as far as it may");
    let again = visits.values().find(|&&n| n != passes);
    assert_eq!(again, None, "pages read another number of times than there are passes");
    let bytes = visits.len() as u64 * u64::from(page);
    let expected = net.layout.stream_bytes(launch.blk, launch.n_blk).expect("blocks");
    assert_eq!(bytes, expected, "{launch:?}");
    if launch.n_blk == net.cfg.n_blocks && launch.mode != K1Mode::Single {
        for bank in 0..banks {
            let here = visits.keys().filter(|key| key.0 == bank).count() as u64 * u64::from(page);
            assert_eq!(here, net.layout.bytes_per_bank(ArenaPart::Stream), "bank {bank}");
        }
    }
}

/// Section 12, the exact stream check; inventory 75, 133.
#[test]
fn every_page_once_in_order_and_no_more_than_depth_ahead() {
    for (banks, dtype, mode) in [
        (1, StreamDtype::Bf16, ReaderMode::Direct),
        (1, StreamDtype::Bfp8B, ReaderMode::Relay),
        (2, StreamDtype::Bf16, ReaderMode::Relay),
        (2, StreamDtype::Bfp8B, ReaderMode::Direct),
    ] {
        let net = Net::new(banks, 4, dtype, mode);
        check(&net, Schedule::RoundRobin, 4, Launch::stream(0, 4, 1));
        check(&net, Schedule::Uneven(5), 2, Launch::chain(0, 4, 1));
        check(&net, Schedule::Random(3), 1, Launch::stream(1, 2, 2));
    }
}
