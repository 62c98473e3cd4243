//! Assertions, index checks, printing and zones, on both engines.

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
    weight: f32,
    deltas: [i16; 3],
    mode: Mode,
}

#[ttl::device]
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Whole,
    Part { from: u8, to: u8 },
}

#[ttl::kernel(writer)]
fn checked(_noc: Noc, words: CbOut<f32>, done: CbIn<f32>, n: u32) {
    let list = [5u32, 6, 7];
    ttl::zone!("checks");
    ttl::print!("n is {} or {n:#x}", n);
    assert!(n != 1);
    assert!(n != 2, "n is {}", n);
    assert_eq!(n & 1, 0, "odd {n}");
    let at = n / 10;
    let value = list[at as usize];
    if n == 20 {
        unreachable!("twenty");
    }
    ttl::print!("{} {{}} {}", value, n < 8);
    words.reserve_back(1).write_u32(0, value);
    done.wait_front(1).pop_front();
}

/// What it printed, and its error.
fn run(engine: Engine, n: u32) -> (Vec<String>, String) {
    let log = PrintLog::default();
    let run = RunOptions { prints: Prints::to_log(&log), ..RunOptions::default() };
    let result = (|| -> ttl::Result<()> {
        let mut device = Device::with_options(DeviceOptions { engine, run, ..DeviceOptions::default() })?;
        let core = crate::harness::CORE;
        let mut program = Program::new("checked");
        let (words, done) = program.circular_buffer::<f32>("words", core, 1);
        program.kernel(core, checked { words, done, n: n.into() });
        let program = program.validate(&device)?;
        device.run(&program)?;
        Ok(())
    })();
    let error = result.err().map(|e| e.to_string()).unwrap_or_default();
    (log.take().into_iter().map(|line| line.text).collect(), error)
}

#[test]
fn prints_are_equal() {
    let (lines, error) = run(Engine::Native, 6);
    assert_eq!(error, "");
    assert_eq!(lines, ["n is 6 or 0x6", "5 {} true"]);
    assert_eq!(run(Engine::Cpp, 6), (lines, error));
}

#[test]
fn what_does_not_hold_is_an_error_at_its_line() {
    for (n, native, cpp, text) in [
        (1, "assertion failed: n != 1", "does not hold", "assert!(n != 1);"),
        (2, "n is 2", "does not hold", "assert!(n != 2,"),
        (5, "odd 5", "does not hold", "assert_eq!(n & 1"),
        (30, "index out of bounds: the len is 3 but the index is 3", "does not hold", "let value = list[at"),
        (20, "twenty", "does not hold", "unreachable!"),
    ] {
        let line = include_str!("debug.rs").lines().position(|l| l.trim().starts_with(text)).expect(text) + 1;
        for (engine, what) in [(Engine::Native, native), (Engine::Cpp, cpp)] {
            let (_, error) = run(engine, n);
            assert!(error.contains(what), "{n} on {engine:?}: `{what}` is not in\n{error}");
            let place = format!("tests/semantics/debug.rs:{line}");
            assert!(error.contains(&place), "{n} on {engine:?}: {place} is not in\n{error}");
        }
    }
    // The message of the assertion is printed before the C++ engine stops.
    assert_eq!(run(Engine::Cpp, 5).0.last().map(String::as_str), Some("odd 5"));
}

#[ttl::kernel(writer)]
fn grouped(
    noc: Noc,
    words: CbOut<f32>,
    done: CbIn<f32>,
    result: TensorAccessor<f32>,
    own: Work,
    #[ttl(common)] shared: Work,
    #[ttl(compile_time)] fixed: Work,
    #[ttl(common)] pair: (u8, [bool; 2]),
) {
    let mut page = words.reserve_back(1);
    let mut at = 0;
    for work in [own, shared, fixed] {
        page.write_u32(at, work.first);
        page.write_u32(at + 1, work.weight.to_bits());
        let mut sum = 0;
        for d in work.deltas {
            sum += d as i32;
        }
        page.write_u32(at + 2, sum as u32);
        let part = match work.mode {
            Mode::Whole => 1000,
            Mode::Part { from, to } => from as u32 * 256 + to as u32,
        };
        page.write_u32(at + 3, part);
        at += 4;
    }
    page.write_u32(at, pair.0 as u32 + pair.1[1] as u32 * 1000);
    page.push_back();
    let page = done.wait_front(1);
    noc.write_page(&result, 0, &page).flushed();
}

#[test]
fn structs_travel_as_words() {
    let work = |first, mode| Work { first, weight: first as f32 + 0.5, deltas: [-1, 2, -300], mode };
    let part = Mode::Part { from: 3, to: 9 };
    let words = crate::harness::words(1, |words, done, result| grouped {
        words,
        done,
        result,
        own: per_core(move |core| work(core.x + 7, part)),
        shared: work(u32::MAX, Mode::Whole),
        fixed: work(2, part),
        pair: (200, [false, true]),
    });
    let expected = |first: u32, part| [first, (first as f32 + 0.5).to_bits(), -299i32 as u32, part];
    assert_eq!(words[..4], expected(7, 3 * 256 + 9));
    assert_eq!(words[4..8], expected(u32::MAX, 1000));
    assert_eq!(words[8..12], expected(2, 3 * 256 + 9));
    assert_eq!(words[12], 1200);
}
