//! Every operation of the table in programs of a few each, run on our simulator and exported, so that they can run on the real TT-Metalium: `.ci/op_report`
//! does that and writes `docs/op-report.md`.

#[path = "../tests/ops/groups.rs"]
mod groups;

use clap::Parser;
use groups::{BINARY, Group, TERNARY, UNARY, program};
use std::path::{Path, PathBuf};
use ttl::prelude::*;

/// Exports the programs of all operations, with our results as what is expected.
#[derive(Parser)]
struct Cli {
    /// A directory for the programs: `DIR/CHIP-WIDTH/GROUP/program.json`, and the names of its operations in `operations.txt`
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

fn export(group: &Group, arch: Arch, fp32_dest_acc: bool, dir: &Path) -> ttl::Result<()> {
    let host = HostTensor::from_fn([96, 32], input)?;
    let dir = dir.join(format!("{}-{}", arch.name(), if fp32_dest_acc { 32 } else { 16 })).join(group.name);
    let mut device = Device::with_options(DeviceOptions { arch, ..Default::default() })?;
    let config = ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() };
    let (program, y) = program(group, &mut device, config, &host)?;
    let program = program.validate(&device)?;
    device.run(&program)?;
    let result = device.download(&y)?;
    program.export(&device, &dir, &[(y.handle(), &result)], Tolerance::default())?;
    let names: String = group.operations.iter().map(|name| format!("{name}\n")).collect();
    let path = dir.join("operations.txt");
    std::fs::write(&path, names).map_err(|e| ttl::Error::Other(format!("cannot write {}: {e}", path.display())))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    for group in [UNARY, BINARY, TERNARY].concat().iter().filter(|g| g.name.starts_with(&cli.group)) {
        for arch in [Arch::blackhole(), Arch::wormhole()] {
            for fp32_dest_acc in [false, true].into_iter().filter(|wide| *wide || !group.wide_only()) {
                export(group, arch, fp32_dest_acc, &cli.export)?;
            }
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
