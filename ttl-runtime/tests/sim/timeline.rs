//! The record of what threads did and waited for.

use ttl_runtime::arch::{Arch, Core};
use ttl_runtime::sim::timeline::{Event, What};
use ttl_runtime::sim::{Machine, Processor, RunOptions, Timeline, ops};

use crate::harness::*;

const PAGES: u32 = 3;

fn produce() {
    for _ in 0..PAGES {
        ops::zone_begin("page", here!());
        ops::cb_reserve_back(A, 1, here!());
        ops::cb_push_back(A, 1, here!());
        ops::zone_end(here!());
    }
}

fn consume() {
    for _ in 0..PAGES {
        ops::cb_wait_front(A, 1, here!());
        ops::cb_pop_front(A, 1, here!());
    }
}

/// A buffer of one page on every core: producer and consumer wait for each other.
fn program(cores: &[Core], consumer: bool) -> Program<'static> {
    let mut p = Program::new();
    p.cb(cores, A, "a", 1);
    for &core in cores {
        p.reader(core, &[], &produce);
        if consumer {
            p.writer(core, &[], &consume);
        }
    }
    p
}

fn recorded(p: &Program<'_>, options: RunOptions) -> Vec<Event> {
    let timeline = Timeline::default();
    let options = RunOptions { timeline: Some(timeline.clone()), ..options };
    // A run that fails is recorded, too.
    let _ = Machine::new(Arch::blackhole()).run(&p.launch, &options);
    assert_eq!(timeline.left_out(), 0);
    timeline.events()
}

fn line(event: &Event) -> String {
    let what = match &event.what {
        What::Ran { who, .. } => format!("{} ran", who.processor),
        What::Waited { who, why, .. } => format!("{} {why}", who.processor),
        What::Zone { who, name, .. } => format!("{} zone {name}", who.processor),
        What::Pages { cb, pages } => format!("{cb} has {pages}"),
    };
    format!("{}-{} {what}", event.from, event.to)
}

#[test]
fn two_threads_take_turns() {
    let lines: Vec<String> = recorded(&program(&[CORE], true), options(1)).iter().map(line).collect();
    let room = "ncrisc waits for 1 free page of cb `a` (id 0): 0 free, capacity 1";
    assert_eq!(lines[..4], ["1-4 ncrisc zone page", "0-6 ncrisc ran", "6-6 a has 1", "6-9 brisc ran"]);
    assert!(lines.contains(&format!("6-9 {room}")), "{lines:#?}");
    assert_eq!(lines.iter().filter(|l| l.ends_with("brisc ran")).count(), 3, "{lines:#?}");
    assert_eq!(lines.iter().filter(|l| l.ends_with("zone page")).count(), PAGES as usize);
    assert_eq!(lines.last().map(String::as_str), Some("22-22 a has 0"), "{lines:#?}");
}

#[test]
fn a_deadlock_is_recorded_to_its_end() {
    let events = recorded(&program(&[CORE], false), options(1));
    let Some(Event { what: What::Waited { who, why, site }, .. }) = events.last() else {
        panic!("the producer waits at the end: {events:#?}")
    };
    assert_eq!((who.processor, &*who.kernel), (Processor::Ncrisc, "read"));
    assert_eq!(why, "waits for 1 free page of cb `a` (id 0): 0 free, capacity 1");
    assert_eq!((site.file, site.line), (file!(), 14));
}

#[test]
fn recording_changes_nothing_and_does_not_depend_on_os_threads() {
    let p = program(&grid(4, 2), true);
    for options in [options(1), random(3, 1)] {
        let plain = Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap();
        let timeline = Timeline::default();
        let with = RunOptions { timeline: Some(timeline.clone()), ..options.clone() };
        assert_eq!(Machine::new(Arch::blackhole()).run(&p.launch, &with).unwrap(), plain);
        let on_three = recorded(&p, RunOptions { threads: 3, ..options });
        assert_eq!(timeline.events(), on_three);
        let ran = on_three.iter().filter(|e| matches!(e.what, What::Ran { .. })).count();
        assert_eq!(ran as u64, plain.switches);
    }
}

#[test]
fn the_picture_is_json_and_the_limit_counts() {
    let timeline = Timeline::with_limit(5);
    let options = RunOptions { timeline: Some(timeline.clone()), ..options(1) };
    Machine::new(Arch::blackhole()).run(&program(&[CORE], true).launch, &options).unwrap();
    assert_eq!(timeline.events().len(), 5);
    assert!(timeline.left_out() > 0);
    let mut text = Vec::new();
    timeline.write_json(&mut text).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let of = |phase: &str| events.iter().filter(|e| e["ph"] == phase).count();
    // Titles of a core, two threads, and a line for the zones of one.
    assert_eq!((of("M"), of("X") + of("C")), (4, 5));
    assert_eq!(json["otherData"]["events left out"], timeline.left_out().to_string());
    let run = events.iter().find(|e| e["cat"] == "run").unwrap();
    assert_eq!((&run["name"], &run["ts"], &run["dur"]), (&"read".into(), &0.into(), &6.into()));
}
