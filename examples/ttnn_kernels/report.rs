//! What happened, as lines and as a page.

use crate::card::Card;
use crate::cases::Case;
use std::fmt;

pub(crate) struct Line {
    pub(crate) case: &'static Case,
    pub(crate) arch: &'static str,
    pub(crate) outcome: Outcome,
}

pub(crate) enum Outcome {
    Runs {
        rel_l2: f64,
        card: Option<Card>,
    },
    /// What the kernels call and the simulator does not have.
    Missing(Vec<String>),
    Failed(String),
    Wrong {
        rel_l2: f64,
        bound: f64,
    },
}

impl Outcome {
    pub(crate) fn is_wrong(&self) -> bool {
        match self {
            Outcome::Wrong { .. } => true,
            Outcome::Runs { card: Some(Card::Compared { equal, of }), .. } => equal != of,
            _ => false,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Runs { rel_l2, card } => {
                write!(f, "runs; relative L2 difference from exact arithmetic {rel_l2:.1e}")?;
                match card {
                    None => Ok(()),
                    Some(Card::Compared { equal, of }) => write!(f, "; TT-Metalium: {equal} of {of} elements equal"),
                    Some(Card::Failed(line)) => write!(f, "; TT-Metalium: {line}"),
                }
            }
            Outcome::Missing(names) => {
                let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
                write!(f, "not provided by the simulator: {}", names.join(", "))
            }
            Outcome::Failed(text) => write!(f, "fails: {text}"),
            Outcome::Wrong { rel_l2, bound } => {
                write!(f, "WRONG: relative L2 difference {rel_l2:.1e}, rounding explains {bound:.1e}")
            }
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]: {}", self.case.name, self.arch, self.outcome)
    }
}

pub(crate) fn markdown(lines: &[Line]) -> String {
    let mut out = String::from(
        "# Kernels of the ttnn package on the simulator\n\n\
         Kernels of TT-Metalium's own operations, from the `ttnn` package 0.81.1, compiled as they are and run on the simulated chip in native\n\
         runs (so the same launch may hold Rust kernels). Each line is one small program; all its kernels are from the package. \"TT-Metalium\"\n\
         is the same program with the real headers and host library on a simulated card (ttsim), compared element by element for equal bits.\n\n\
         Made by `cargo run --release --example ttnn_kernels -- PATH/ttnn --card \"run.py --arch {arch} {spec}\" --report docs/foreign-kernels.md`.\n\n\
         | program | kernels (in `ttnn/cpp/ttnn/operations`) | chip | outcome |\n| --- | --- | --- | --- |\n",
    );
    for line in lines {
        let kernels: Vec<String> = line.case.kernels.iter().map(|k| format!("`{k}`")).collect();
        out += &format!("| {} | {} | {} | {} |\n", line.case.name, kernels.join("<br>"), line.arch, line.outcome);
    }
    let runs = lines.iter().filter(|l| matches!(l.outcome, Outcome::Runs { .. })).count();
    let mut kernels: Vec<&str> = lines
        .iter()
        .filter(|l| matches!(l.outcome, Outcome::Runs { .. }))
        .flat_map(|l| l.case.kernels.iter().copied())
        .collect();
    kernels.sort_unstable();
    kernels.dedup();
    out + &format!("\n{runs} of {} programs run; {} different kernels take part in them.\n", lines.len(), kernels.len())
}
