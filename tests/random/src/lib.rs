//! Random device functions and random block expressions, run natively and as generated C++, bit for bit.
//!
//! The build script writes them from `TTL_RANDOM_SEED` (a number; without it always the same functions). Overflow wraps in both
//! languages: this package is compiled without overflow checks.

#![cfg(test)]

mod blocks;
mod helpers;
mod sections;
#[allow(dead_code)] // what the expressions use is a matter of the seed
mod shaped;

use ttl::prelude::*;

/// Cores that run each kernel, each with arguments of its own.
const CORES: [Core; 4] = [Core { x: 0, y: 0 }, Core { x: 1, y: 0 }, Core { x: 0, y: 1 }, Core { x: 3, y: 2 }];
const ROUNDS: u32 = 32;

/// What a program needs beside its kernel.
struct Parts {
    cores: CoreSet,
    words: Producer<f32>,
    done: Consumer<f32>,
    result: TensorArg<f32>,
    page: PerCore<u32>,
    seed: PerCore<u32>,
}

/// Runs a kernel on one engine. The words of each core.
fn run(name: &str, engine: Engine, add: &dyn Fn(&mut Program, Parts)) -> ttl::Result<(Device, Vec<Vec<u32>>)> {
    let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() })?;
    let result = device.zeros::<f32>("result", &[CORES.len() * 32, 32])?;
    let cores = CORES.iter().fold(CoreSet::default(), |all, core| all.union(&CoreSet::from(*core)));
    let mut program = Program::new(name);
    let (words, done) = program.circular_buffer::<f32>("words", &cores, 1);
    let page = per_core(|core| CORES.iter().position(|c| *c == core).unwrap_or_default() as u32);
    let seed = per_core(|core| SEED as u32 ^ (core.x * 1000 + core.y * 77_000));
    add(&mut program, Parts { cores, words, done, result: result.accessor(), page, seed });
    let program = program.validate(&device)?;
    device.run(&program)?;
    let bytes = device.pages(result.handle())?;
    let words = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect::<Vec<_>>();
    Ok((device, words.chunks(1024).map(<[u32]>::to_vec).collect()))
}

fn compare(name: &str, path: &str, functions: &[&str], add: &dyn Fn(&mut Program, Parts)) {
    println!("seed {SEED} (TTL_RANDOM_SEED), {path}");
    let run = |engine| run(name, engine, add).unwrap_or_else(|e| panic!("seed {SEED}, {path}:\n{e}"));
    let (native, native_words) = run(Engine::Native);
    let (cpp, cpp_words) = run(Engine::Cpp);
    for (core, (native, cpp)) in CORES.iter().zip(native_words.iter().zip(&cpp_words)) {
        for (at, (native, cpp)) in native.iter().zip(cpp).enumerate() {
            let (round, function) = (at / (2 * functions.len()), functions[at / 2 % functions.len()]);
            let what = if at % 2 == 0 { "value" } else { "variable lent to it" };
            assert_eq!(
                native, cpp,
                "`{function}` of {path}, round {round} on {core}: its {what}, native and as C++ (seed {SEED})"
            );
        }
    }
    if let Some(difference) = native.first_difference(&cpp) {
        panic!("{path} leaves different memory (seed {SEED}): {difference}");
    }
    // Functions that give the same whatever they get test little.
    let words = 2 * functions.len();
    let value = |core: &[u32], round: usize, f: usize| core[round * words + 2 * f];
    let varied = (0..functions.len()).filter(|f| {
        let first = value(&native_words[0], 0, *f);
        native_words.iter().any(|core| (0..ROUNDS as usize).any(|round| value(core, round, *f) != first))
    });
    let varied = varied.count();
    println!("{varied} of {} functions depend on their arguments", functions.len());
    assert!(3 * varied > functions.len(), "only {varied} functions of {path} depend on their arguments (seed {SEED})");
}

macro_rules! random {
    ($name:ident, $path:literal, $functions:expr) => {
        #[test]
        fn $name() {
            compare(stringify!($name), $path, &$functions, &|program, parts| {
                let Parts { cores, words, done, result, page, seed } = parts;
                program.kernel(cores, $name::$name { words, done, result, rounds: ROUNDS, page, seed });
            });
        }
    };
}

macro_rules! random_blocks {
    ($name:ident, $path:literal) => {
        #[test]
        fn $name() {
            let what = format!("seed {SEED}, {}: {}", $path, $name::EXPRESSION);
            let add =
                |program: &mut Program, config, ends: blocks::Ends<$name::A, $name::B, $name::C, $name::Y>, blocks| {
                    let blocks::Ends { a, b, c, y } = ends;
                    program.compute(Core::new(0, 0), config, $name::$name { a, b, c, y, blocks, s: blocks::S });
                };
            blocks::check(&what, &$name::SETUP, add, $name::exact);
        }
    };
}

macro_rules! random_shaped {
    ($name:ident, $path:literal) => {
        #[test]
        fn $name() {
            use $name::{A, B, M, T, V, W, Y};
            let what = format!("seed {SEED}, {}: {}", $path, $name::EXPRESSION);
            let add = |program: &mut Program, config, ends: shaped::Ends<A, B, V, W, T, M, Y>, blocks| {
                let shaped::Ends { a, b, v, w, t, m, y } = ends;
                let kernel = $name::$name { a, b, v, w, t, m, y, blocks, s: blocks::S };
                program.compute(Core::new(0, 0), config, kernel);
            };
            shaped::check(&what, &$name::SETUP, add, $name::exact);
        }
    };
}

macro_rules! random_sections {
    ($name:ident, $path:literal) => {
        #[test]
        fn $name() {
            let what = format!("seed {SEED}, {}", $path);
            sections::check(
                &what,
                $name::FP32,
                $name::WORMHOLE,
                |program, config, ends: sections::Ends<$name::X>, rounds| {
                    let sections::Ends { x, one, y, z } = ends;
                    let kernel = $name::$name { x_in: x, one_in: one, y_out: y, z_out: z, rounds };
                    program.compute(Core::new(0, 0), config, kernel);
                },
            );
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/all.rs"));
