//! The same program with the real TT-Metalium: exported, run by a command, its result compared bit for bit.

use std::process::Command;
use ttl::prelude::*;

/// Elements that are equal, of all.
#[derive(Clone, Debug)]
pub(crate) enum Card {
    Compared {
        equal: usize,
        of: usize,
    },
    /// The command failed, with its last line.
    Failed(String),
}

pub(crate) fn compare(
    command: &str,
    device: &Device,
    program: &CheckedProgram,
    result: &Tensor<bf16>,
    got: &HostTensor,
) -> ttl::Result<Card> {
    let io = |e: std::io::Error| ttl::Error::Other(format!("cannot run `{command}`: {e}"));
    let dir = std::env::temp_dir().join(format!("ttl-ttnn-kernels-{}", std::process::id()));
    // The numbers are compared here; the command only has to run the program.
    let spec = program.export(
        device,
        &dir,
        &[(result.handle(), got)],
        Tolerance { pcc: Some(-1.0), ..Tolerance::default() },
    )?;
    let spec = spec.to_string_lossy();
    let words: Vec<String> = command
        .split_whitespace()
        .map(|w| w.replace("{arch}", device.arch().name()).replace("{spec}", &spec))
        .collect();
    let (name, args) = words.split_first().ok_or_else(|| ttl::Error::Other("the command is empty".to_owned()))?;
    let output = Command::new(name).args(args).output().map_err(io)?;
    let file = dir.join(format!("{}.out.npy", result.handle().name));
    let outcome = if file.is_file() {
        let theirs = npy::read(&file)?.to_f32_vec();
        let ours = got.to_f32_vec();
        let equal =
            ours.iter().zip(&theirs).filter(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()).count();
        Card::Compared { equal, of: ours.len() }
    } else {
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        let line =
            text.lines().rev().find(|l| l.contains("error")).or_else(|| text.lines().last()).unwrap_or("no message");
        Card::Failed(line.trim().chars().take(160).collect())
    };
    // It is only a temporary directory.
    let _ = std::fs::remove_dir_all(&dir);
    Ok(outcome)
}
