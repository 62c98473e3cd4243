//! The protocol of the gathers under many schedules, and without each of its rules.

use crate::rig::{Net, options};
use ttl::prelude::*;
use ttl_kernels::dit::k1::Launch;
use ttl_kernels::dit::k1::plan::rules;
use ttl_kernels::dit::matrix::Matrix;
use ttl_kernels::dit::{ReaderMode, StreamDtype};

/// What became of a run of the chain.
#[derive(Debug)]
enum Outcome {
    Right,
    Wrong,
    Failed(String),
}

fn run(net: &Net, launch: Launch, schedule: Schedule, left_out: u32, want: &Matrix) -> Outcome {
    match net.run(net.builder(options(schedule)).leave_out(left_out), launch) {
        Ok((_, got)) if got == *want => Outcome::Right,
        Ok(_) => Outcome::Wrong,
        Err(e) => Outcome::Failed(e.to_string()),
    }
}

fn schedules(seeds: u64) -> impl Iterator<Item = Schedule> {
    let seeds = (0..seeds).flat_map(|seed| [Schedule::Random(seed), Schedule::Uneven(seed)]);
    std::iter::once(Schedule::RoundRobin).chain(seeds)
}

/// Section 8: a self, a cross and a self block.
const LAUNCH: Launch = Launch::chain(1, 3, 1);

#[test]
fn any_schedule_gives_the_same() {
    for (banks, mode, seeds) in
        [(1, ReaderMode::Direct, 16), (1, ReaderMode::Relay, 6), (2, ReaderMode::Direct, 2), (2, ReaderMode::Relay, 1)]
    {
        let net = Net::new(banks, 4, StreamDtype::Bf16, mode);
        let (_, want) = net.on_both(Schedule::RoundRobin, LAUNCH, |b| b);
        net.near(&want, LAUNCH);
        for schedule in schedules(seeds) {
            let outcome = run(&net, LAUNCH, schedule, 0, &want);
            assert!(matches!(outcome, Outcome::Right), "{banks} banks, {mode}, {schedule:?}: {outcome:?}");
        }
        // The generated C++ as well.
        let schedule = Schedule::Uneven(banks.into());
        let (_, got) = net.on_both(schedule, LAUNCH, |b| b);
        assert!(got == want, "{schedule:?}");
    }
}

/// The first schedule under which the program without a rule fails.
fn first_failure(left_out: u32) -> Option<(Schedule, Outcome)> {
    let net = Net::new(1, 4, StreamDtype::Bf16, ReaderMode::Direct);
    let (_, want) = net.run(net.builder(options(Schedule::RoundRobin)), LAUNCH).expect("it runs");
    schedules(60).find_map(|schedule| match run(&net, LAUNCH, schedule, left_out, &want) {
        Outcome::Right => None,
        outcome => Some((schedule, outcome)),
    })
}

#[track_caller]
fn fails_without(left_out: u32, how: &str) {
    let Some((schedule, outcome)) = first_failure(left_out) else { panic!("rule {left_out} is not needed") };
    println!("without rule {left_out}, {schedule:?}: {outcome:?}");
    if let Outcome::Failed(message) = outcome {
        assert!(message.contains(how), "{message}");
    }
}

const IN_USE: &str = "that are in use";

#[test]
fn without_credits_for_the_input_of_ff1() {
    fails_without(rules::FF1_INPUT, IN_USE);
}

#[test]
fn without_credits_for_chunks() {
    fails_without(rules::CHUNK_INPUT, IN_USE);
}

#[test]
fn without_the_wait_for_the_chunk_before_to_leave() {
    fails_without(rules::CHUNK_LEFT, IN_USE);
}

#[test]
fn with_the_wait_for_the_chunk_before_in_the_wrong_place() {
    fails_without(rules::CHUNK_WAIT, "deadlock");
}

#[test]
fn without_credits_for_the_input_of_a_self_block() {
    fails_without(rules::SELF_INPUT, IN_USE);
}

#[test]
fn with_one_counter_of_contributions() {
    fails_without(rules::TWO_GATHERS, IN_USE);
}
