//! What the examples share: options, inputs, progress, the summary at the end.

// Each example is a crate of its own and uses a part of this.
#![allow(dead_code)]

pub(crate) mod product;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use ttl::prelude::*;

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum EngineArg {
    /// The Rust kernels as rustc compiled them
    Native,
    /// The generated C++, compiled with the system's C++ compiler
    Cpp,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum ArchArg {
    Blackhole,
    Wormhole,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum FidelityArg {
    Lofi,
    Hifi2,
    Hifi3,
    Hifi4,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum NumericsArg {
    /// Every result has the bits that the card gives
    Exact,
    /// Matrix products in plain f32 arithmetic: several times as fast, and not the same bits
    Fast,
}

#[derive(Args, Debug)]
pub(crate) struct Options {
    /// How kernels run on the simulated chip
    #[arg(long, value_enum, default_value = "native")]
    pub(crate) engine: EngineArg,
    /// Which chip is simulated
    #[arg(long, value_enum, default_value = "blackhole")]
    pub(crate) arch: ArchArg,
    /// How closely the simulator follows the matrix unit
    #[arg(long, value_enum, default_value = "exact")]
    pub(crate) numerics: NumericsArg,
    /// OS threads of the simulator (0: as many as there are processors)
    #[arg(long, default_value_t = 0)]
    pub(crate) threads: usize,
    /// Run the threads of each core in a random order that this seed decides
    #[arg(long, value_name = "SEED")]
    pub(crate) schedule: Option<u64>,
    /// Seed of the random inputs
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Drop the lines that kernels print
    #[arg(long)]
    pub(crate) no_prints: bool,
    /// Write the generated C++ kernels to this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) emit: Option<PathBuf>,
    /// Write kernels, inputs, result and a description of the program to this directory, to run it elsewhere
    #[arg(long, value_name = "DIR")]
    pub(crate) export: Option<PathBuf>,
    /// Print what the program does and takes: operations, set-up calls, registers, buffers, L1
    #[arg(long)]
    pub(crate) report: bool,
    /// Write what every kernel thread did and waited for to this file, to be shown by Perfetto or chrome://tracing
    #[arg(long, value_name = "FILE")]
    pub(crate) timeline: Option<PathBuf>,
    /// Write the result to this .npy file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

impl Options {
    pub(crate) fn open(&self) -> ttl::Result<Device> {
        Device::with_options(self.device())
    }

    pub(crate) fn device(&self) -> DeviceOptions {
        let arch = match self.arch {
            ArchArg::Blackhole => Arch::blackhole(),
            ArchArg::Wormhole => Arch::wormhole(),
        };
        let engine = match self.engine {
            EngineArg::Native => Engine::Native,
            EngineArg::Cpp => Engine::Cpp,
        };
        let run = RunOptions {
            threads: self.threads,
            schedule: self.schedule.map_or(Schedule::RoundRobin, Schedule::Random),
            numerics: match self.numerics {
                NumericsArg::Exact => Numerics::Exact,
                NumericsArg::Fast => Numerics::Fast,
            },
            progress: Some(Progress::default()),
            prints: if self.no_prints { Prints::Off } else { Prints::Stdout },
            timeline: self.timeline.as_ref().map(|_| Timeline::default()),
            ..RunOptions::default()
        };
        DeviceOptions { arch, engine, run }
    }
}

pub(crate) fn fidelity(arg: FidelityArg) -> MathFidelity {
    match arg {
        FidelityArg::Lofi => MathFidelity::LoFi,
        FidelityArg::Hifi2 => MathFidelity::HiFi2,
        FidelityArg::Hifi3 => MathFidelity::HiFi3,
        FidelityArg::Hifi4 => MathFidelity::HiFi4,
    }
}

/// An input: the file if one is given, else random numbers of a normal distribution.
pub(crate) fn input(file: Option<&Path>, shape: &[usize], seed: u64) -> ttl::Result<HostTensor> {
    Ok(match file {
        Some(path) => npy::read(path)?,
        None => HostTensor::normal(shape, seed)?,
    })
}

/// Runs the program; what was asked for is emitted before. A progress bar appears when it takes more than a second.
pub(crate) fn run(device: &mut Device, program: &CheckedProgram, options: &Options) -> ttl::Result<Duration> {
    if options.report {
        print!("{}", program.report()?);
    }
    if let Some(dir) = &options.emit {
        for file in program.emit(dir)? {
            println!("wrote {}", file.display());
        }
    }
    if options.engine == EngineArg::Cpp {
        // Compile first, so that the time below is that of the run.
        device.prepare(program)?;
    }
    let progress = device.progress().unwrap_or_default();
    let done = Arc::new(AtomicBool::new(false));
    let watcher = std::thread::spawn({
        let done = done.clone();
        move || watch(&progress, &done)
    });
    let start = Instant::now();
    let result = device.run(program);
    let time = start.elapsed();
    done.store(true, Ordering::Relaxed);
    watcher.thread().unpark();
    // The watcher only draws; there is nothing to do if it failed.
    let _ = watcher.join();
    if let (Some(path), Some(timeline)) = (&options.timeline, device.timeline()) {
        // Of a run that failed, too.
        let written = File::create(path).and_then(|file| timeline.write_json(BufWriter::new(file)));
        written.map_err(|source| ttl::Error::Io { context: format!("cannot write {}", path.display()), source })?;
        println!("wrote {}", path.display());
    }
    let report = result?;
    for zone in &report.zones {
        println!("{zone}");
    }
    Ok(time)
}

fn watch(progress: &Progress, done: &AtomicBool) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        if done.load(Ordering::Relaxed) {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(100));
    }
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} kernel threads finished  {elapsed}") {
        bar.set_style(style);
    }
    while !done.load(Ordering::Relaxed) {
        let (finished, all) = progress.get();
        bar.set_length(all);
        bar.set_position(finished);
        std::thread::park_timeout(Duration::from_millis(100));
    }
    bar.finish_and_clear();
}

/// Prints the time and the comparison with the reference, writes what was asked for, and fails if the result is wrong. `bound` is the largest
/// relative L2 difference that rounding explains.
pub(crate) fn finish(
    what: &str,
    time: Duration,
    result: &HostTensor,
    reference: &HostTensor,
    bound: f64,
    options: &Options,
) -> ttl::Result<()> {
    let against = Comparison::of(result, reference)?;
    let equal = Comparison::of(result, &rounded(reference))?.share_equal();
    let engine = match options.engine {
        EngineArg::Native => "native",
        EngineArg::Cpp => "generated C++",
    };
    println!("{what} on the simulated {:?}, {engine}: {:.1} ms", options.arch, time.as_secs_f64() * 1e3);
    println!(
        "against exact arithmetic: largest difference {:.3e}, PCC {:.7}, {:.1} % correctly rounded",
        against.max_abs,
        against.pcc,
        100.0 * equal
    );
    if let Some(path) = &options.out {
        npy::write(path, result)?;
        println!("wrote {}", path.display());
    }
    if against.rel_l2 > bound || !against.same_non_finite {
        return Err(ttl::Error::Other(format!(
            "the result is wrong: relative L2 difference {:.2e}, more than the {bound:.1e} that rounding explains",
            against.rel_l2
        )));
    }
    println!("ok: relative L2 difference {:.2e}, rounding explains {bound:.1e}", against.rel_l2);
    Ok(())
}

/// The exit code of an example: errors are printed whole, and give 1.
pub(crate) fn exit(result: ttl::Result<()>) -> std::process::ExitCode {
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// A tensor as the device holds it: rounded to bf16.
pub(crate) fn rounded(host: &HostTensor) -> HostTensor {
    host.to_format(DataFormat::Bf16)
}

/// Element by element, in f32.
pub(crate) fn map2(a: &HostTensor, b: &HostTensor, f: impl Fn(f32, f32) -> f32) -> ttl::Result<HostTensor> {
    let (x, y) = (a.to_f32_vec(), b.to_f32_vec());
    Ok(HostTensor::from_fn(a.shape(), |i| f(x[i], y[i]))?)
}

pub(crate) fn same_shape(name: &str, tensor: &HostTensor, other: &str, expected: &HostTensor) -> ttl::Result<()> {
    if tensor.shape() == expected.shape() {
        return Ok(());
    }
    let (a, b) = (tensor.shape(), expected.shape());
    Err(ttl::Error::Other(format!("{name} has shape {a:?}, {other} has {b:?}; they must be equal")))
}

/// Exports the program with its inputs and the result we got, if that was asked for.
pub(crate) fn export(
    device: &Device,
    program: &CheckedProgram,
    results: &[(&TensorRef, &HostTensor)],
    options: &Options,
) -> ttl::Result<()> {
    if let Some(dir) = &options.export {
        let file = program.export(device, dir, results, Tolerance::default())?;
        println!("wrote {}", file.display());
    }
    Ok(())
}
