//! Runs kernels of TT-Metalium's operations, as the `ttnn` package has them, on the simulated chip, and says which run and what the others
//! call that the simulator does not have.
//!
//! `pip download ttnn==0.81.1 --no-deps` and unpack it anywhere; then `cargo run --release --example ttnn_kernels -- PATH/ttnn`. Nothing of the
//! package is copied: kernels are compiled where they are. With `--card` every program that runs is exported and run by that command
//! too, on a card or a simulated one with the real TT-Metalium, and the results are compared.

mod card;
mod cases;
mod compare;
mod elementwise;
mod movement;
mod norms;
mod products;
mod report;
mod rows;

use cases::{Built, Case};
use clap::Parser;
use report::{Line, Outcome};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use ttl::prelude::*;
use ttl::runtime::cpp::CppError;

/// Runs kernels of the ttnn package on the simulated chip
#[derive(Parser)]
struct Cli {
    /// The package: the directory that has `tt_metal` and `ttnn` in it
    package: PathBuf,
    /// Write the report to this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Only the cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Run each program with this command, too: `{arch}` and `{spec}` are replaced
    #[arg(long, value_name = "COMMAND")]
    card: Option<String>,
    /// Count the calls of kernels that do what kernels of ours do, and write the numbers into this page
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if !cli.package.join("ttnn/cpp/ttnn/operations").is_dir() {
        println!("skipped: {} is not the ttnn package (it has no ttnn/cpp/ttnn/operations)", cli.package.display());
        return ExitCode::SUCCESS;
    }
    if let Some(page) = &cli.compare {
        return match compare::write(&cli.package, page) {
            Ok(()) => ExitCode::SUCCESS,
            Err(e) => {
                eprintln!("{e}");
                ExitCode::FAILURE
            }
        };
    }
    let mut lines = vec![];
    for case in cases::all().filter(|c| cli.only.as_ref().is_none_or(|only| c.name.contains(only.as_str()))) {
        for arch in [Arch::blackhole(), Arch::wormhole()] {
            let line = Line { case, arch: arch.name(), outcome: run(case, &cli, arch) };
            println!("{line}");
            lines.push(line);
        }
    }
    if let Some(path) = &cli.report {
        if let Err(e) = std::fs::write(path, report::markdown(&lines)) {
            eprintln!("error: cannot write {}: {e}", path.display());
            return ExitCode::FAILURE;
        }
        println!("wrote {}", path.display());
    }
    // What is not simulated is for the report. A result that is wrong, or not the card's, is a fault.
    if lines.iter().any(|line| line.outcome.is_wrong()) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run(case: &Case, cli: &Cli, arch: Arch) -> Outcome {
    let error = match attempt(case, &cli.package, arch, cli.card.as_deref()) {
        Ok(outcome) => return outcome,
        Err(error) => error,
    };
    if let ttl::Error::Cpp(error) = &error
        && let CppError::Compile { kernel, missing, messages, .. } = &**error
    {
        if missing.is_empty() {
            let first = messages.lines().find(|l| l.contains("error")).unwrap_or("no message");
            return Outcome::Failed(format!("`{kernel}` does not compile: {first}"));
        }
        return Outcome::Missing(missing.iter().map(|m| m.name.clone()).collect());
    }
    let text = error.to_string();
    Outcome::Failed(text.lines().next().unwrap_or_default().to_owned())
}

fn attempt(case: &Case, package: &Path, arch: Arch, card: Option<&str>) -> ttl::Result<Outcome> {
    let mut device = Device::with_options(DeviceOptions { arch, ..DeviceOptions::default() })?;
    let Built { program, result, reference, bound } = (case.build)(&mut device, package)?;
    let program = program.validate(&device)?;
    device.run(&program)?;
    let got = device.download(&result)?;
    let against = Comparison::of(&got, &reference)?;
    if against.rel_l2 > bound || !against.same_non_finite {
        return Ok(Outcome::Wrong { rel_l2: against.rel_l2, bound });
    }
    let card = match card {
        None => None,
        Some(command) => Some(card::compare(command, &device, &program, &result, &got)?),
    };
    Ok(Outcome::Runs { rel_l2: against.rel_l2, card })
}
