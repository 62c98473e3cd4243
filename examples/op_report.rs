//! Every operation of the table in programs of a few each, and alone, run on our simulator and exported, so that they can run on the real TT-Metalium:
//! `.ci/op_report` does that and writes `docs/op-report.md`.

#[path = "../tests/ops/groups.rs"]
mod groups;
#[allow(dead_code)] // the tests have more
#[path = "../tests/ops/random.rs"]
mod random;
#[allow(dead_code)]
#[path = "../tests/ops/whole.rs"]
mod whole;

use clap::Parser;
use groups::{ALL, BINARY, Group, TERNARY, UNARY, program};
use std::path::{Path, PathBuf};
use ttl::prelude::*;
use ttl::runtime::tensor::TensorRef;

/// Exports the programs of all operations, with our results as what is expected.
#[derive(Parser)]
struct Cli {
    /// A directory for the programs: `DIR/CHIP-WIDTH/GROUP/program.json`, the same of one operation in `GROUP.NUMBER`; the operation of each tile of the
    /// result in `operations.txt`
    #[arg(long)]
    export: PathBuf,
    /// Only groups whose name begins so
    #[arg(long, default_value = "")]
    group: String,
}

/// A grid around zero, then numbers of many sizes; and other orders of the same kind for the other operands.
fn input(i: usize) -> f32 {
    let (operand, n) = (i / 1024, i % 1024);
    let n = [n, n * 37 % 1024, n * 181 % 1024][operand];
    if operand == 2 && n % 8 == 0 {
        return 0.0;
    }
    if n < 512 {
        return (n as f32 - 256.0) / 32.0;
    }
    let exponent = (n / 2 % 64) as i32 - 32;
    let mantissa = 1.0 + (n % 128) as f32 / 128.0;
    let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
    sign * mantissa * 2f32.powi(exponent)
}

/// Where the programs of a chip and a width go.
struct Target {
    arch: Arch,
    wide: bool,
    root: PathBuf,
}

impl Target {
    fn config(&self) -> ComputeConfig {
        ComputeConfig { fp32_dest_acc: self.wide, ..ComputeConfig::default() }
    }

    fn device(&self) -> ttl::Result<Device> {
        Device::with_options(DeviceOptions { arch: self.arch, ..Default::default() })
    }

    fn dir(&self, group: &str, only: u32) -> PathBuf {
        let bits = if self.wide { 32 } else { 16 };
        let alone = if only == ALL { String::new() } else { format!(".{only}") };
        self.root.join(format!("{}-{bits}", self.arch.name())).join(format!("{group}{alone}"))
    }
}

/// Runs a program here and writes it out.
fn export(
    device: &mut Device,
    program: Program,
    y: &TensorRef,
    operations: impl Iterator<Item = String>,
    dir: &Path,
) -> ttl::Result<()> {
    let program = program.validate(device)?;
    device.run(&program)?;
    let result = device.contents(y)?;
    program.export(device, dir, &[(y, &result)], Tolerance::default())?;
    let path = dir.join("operations.txt");
    std::fs::write(&path, operations.collect::<String>())
        .map_err(|e| ttl::Error::Other(format!("cannot write {}: {e}", path.display())))
}

/// A line for each of the two tiles of an operation.
fn twice<'a>(operations: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    operations.iter().map(|name| format!("{name}\n{name}\n"))
}

/// The group as a whole, and each operation alone.
fn choices(operations: &[&str]) -> impl Iterator<Item = u32> + use<> {
    let alone = if operations.len() > 1 { operations.len() as u32 } else { 0 };
    std::iter::once(ALL).chain(0..alone)
}

fn floats(group: &Group, target: &Target) -> ttl::Result<()> {
    let host = HostTensor::from_fn([96, 32], input)?;
    for only in choices(group.operations) {
        let mut device = target.device()?;
        let (program, y) = program(group, &mut device, target.config(), &host, only)?;
        let operations = if only == ALL { group.operations } else { &group.operations[only as usize..][..1] };
        export(&mut device, program, y.handle(), twice(operations), &target.dir(group.name, only))?;
    }
    Ok(())
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let chosen = |name: &str| name.starts_with(&cli.group);
    for (arch, wide) in [Arch::blackhole(), Arch::wormhole()].into_iter().flat_map(|arch| [(arch, false), (arch, true)])
    {
        let target = Target { arch, wide, root: cli.export.clone() };
        for group in [UNARY, BINARY, TERNARY].concat().iter().filter(|g| chosen(g.name) && (wide || !g.wide_only())) {
            floats(group, &target)?;
        }
        for group in whole::GROUPS.iter().filter(|g| chosen(g.name) && g.wide == wide) {
            for only in choices(group.operations) {
                let dir = target.dir(group.name, only);
                let mut write = |device: &mut Device, program, y: TensorRef, operations: &[&str]| {
                    export(device, program, &y, twice(operations), &dir)
                };
                (group.visit)(&mut write, &mut target.device()?, only)?;
            }
        }
        for only in choices(&random::OPERATIONS).filter(|only| chosen("random") && (wide || *only == 1)) {
            let mut device = target.device()?;
            let (program, y) = random::program(&mut device, target.config(), only)?;
            let operations =
                if only == ALL { &random::OPERATIONS[..] } else { &random::OPERATIONS[only as usize..][..1] };
            let tiles = operations.iter().cycle().take(y.spec().shape()[0] / 32).map(|name| format!("{name}\n"));
            export(&mut device, program, y.handle(), tiles, &target.dir("random", only))?;
        }
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("op_report: {e}");
            std::process::ExitCode::FAILURE
        }
    }
}
