//! What a checked program does and takes, as text: operations and set-up calls by loop depth, tile registers and sections of block expressions,
//! circular buffers with those the compiler added, semaphores, argument words, and the L1 of each core.

use super::checked_program::CheckedProgram;
use super::error::Result;
use super::program::{Body, KernelCode};
use crate::arch::ComputeConfig;
use crate::codegen::{Called, Lines};
use crate::ir::fuse::Plan;
use crate::ir::passes::buffers::Buffers;
use crate::ir::passes::expand::constant;
use crate::ir::passes::{Target, expand};
use crate::ir::schedule::{self, Part, Schedule};
use crate::ir::sections::Section;
use crate::ir::{FnId, Leaf, Module, Op, StmtKind, visit};
use crate::program::{ArgValue, CheckedKernel, Processor, Role};
use crate::site::Site;
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl CheckedProgram {
    /// A stable text: for each kernel its operations, set-up calls with their loop depth, tile registers and sections, circular buffers,
    /// semaphores and argument words; then the L1 of its cores.
    pub fn report(&self) -> Result<String> {
        let checked = self.checked();
        let mut out = String::new();
        let _ = writeln!(out, "program `{}` for {}", self.name(), checked.arch().name());
        let sources = self.sources(Lines::None)?;
        for (at, (kernel, source)) in checked.kernels().iter().zip(&sources).enumerate() {
            self.kernel(&mut out, kernel);
            match self.modules.get(at) {
                Some(Body::Rust(module)) => self.expressions(&mut out, kernel, module),
                Some(Body::Foreign(_)) => out.push_str("  a hand-written kernel: its calls are not known\n"),
                None => {}
            }
            calls(&mut out, &source.calls);
        }
        self.semaphores(&mut out);
        let _ = writeln!(out, "\nL1");
        for line in checked.l1().to_string().lines() {
            let _ = writeln!(out, "  {line}");
        }
        for (cores, end) in self.totals() {
            let _ = writeln!(out, "  buffers end at {end} of {} on {cores}", checked.arch().l1_size);
        }
        Ok(out)
    }

    fn kernel(&self, out: &mut String, kernel: &CheckedKernel<KernelCode>) {
        let place = match kernel.role {
            Role::Compute => compute(&kernel.config, kernel.config.dst_tiles()),
            role => {
                let processor = match role.processor() {
                    Processor::Brisc => "BRISC",
                    Processor::Ncrisc => "NCRISC",
                    Processor::Compute => "TRISC",
                };
                format!("{processor}, NoC {}", role.noc().unwrap_or(0))
            }
        };
        let _ = writeln!(out, "\nkernel `{}` ({}) on {}: {place}", kernel.name, kernel.role.name(), kernel.cores);
        let layout = &kernel.layout;
        let _ = writeln!(
            out,
            "  arguments: {} compile-time words, {} common, {} per core",
            kernel.compile_args.len(),
            layout.common_words(),
            layout.runtime_words()
        );
        for arg in &kernel.args {
            let ArgValue::Cb { cb, end, .. } = &arg.value else { continue };
            let Some(cb) = self.checked().cb(*cb) else { continue };
            let end = match (end.produces(), end.consumes()) {
                (true, true) => "both ends",
                (true, false) => "pushes",
                _ => "pops",
            };
            let why = cb.automatic.map_or(String::new(), |key| format!(", added by the compiler: {key}"));
            let bytes = u64::from(cb.pages) * u64::from(cb.page_size);
            let _ = writeln!(
                out,
                "  buffer {} `{}` ({end}): {} x {} bytes of {} = {bytes} bytes{why}",
                cb.id, arg.name, cb.pages, cb.page_size, cb.format
            );
        }
    }

    /// How block expressions are computed.
    fn expressions(&self, out: &mut String, kernel: &CheckedKernel<KernelCode>, module: &Module) {
        if kernel.role != Role::Compute {
            return;
        }
        let ids: Vec<u32> = kernel
            .args
            .iter()
            .filter_map(|arg| match &arg.value {
                ArgValue::Cb { cb, .. } => self.checked().cb(*cb).map(|c| c.id),
                _ => None,
            })
            .collect();
        let config: &ComputeConfig = &kernel.config;
        let Ok(buffers) = Buffers::of(module, &Target { config, cb_ids: &ids }) else { return };
        for (at, f) in (0..).zip(&module.fns) {
            visit::each_stmt(&module.function(FnId(at)).body, &mut |stmt| {
                let (dag, leaves, what) = match &stmt.kind {
                    StmtKind::Op(Op::Store(s)) => (&s.dag, &s.leaves, "store"),
                    StmtKind::Op(Op::Accumulate(s)) => (&s.dag, &s.leaves, "+="),
                    _ => return,
                };
                let site = Site { file: f.file, line: stmt.line, column: 0 };
                let infos = expand::leaf_infos(leaves, |cb| buffers.tile_format(module, at, cb), site);
                let Some(schedule) = infos.ok().and_then(|i| schedule::schedule(dag, &i, config).ok()) else { return };
                let _ = writeln!(out, "  {what} at {}:{}", f.file, stmt.line);
                for (n, part) in schedule.parts.iter().enumerate() {
                    let _ = writeln!(out, "    part {}: {}", n + 1, describe(&schedule, part, leaves, config));
                }
            });
        }
    }

    fn semaphores(&self, out: &mut String) {
        let semaphores = self.checked().semaphores();
        let limit = self.checked().arch().semaphores;
        let _ = writeln!(out, "\nsemaphores: {} of {limit}", semaphores.len());
        for s in semaphores {
            let _ = writeln!(out, "  {} `{}` from {} on {}", s.id, s.name, s.init, s.cores);
        }
    }

    /// Where the buffers end, by cores that have the same.
    fn totals(&self) -> Vec<(crate::cores::CoreSet, u64)> {
        let mut by_end: BTreeMap<u64, Vec<crate::arch::Core>> = BTreeMap::new();
        let mut seen = std::collections::BTreeSet::new();
        for kernel in self.checked().kernels() {
            for core in kernel.cores.iter() {
                if seen.insert((core.x, core.y)) {
                    by_end.entry(self.checked().l1().buffers_end(core)).or_default().push(core);
                }
            }
        }
        by_end.into_iter().map(|(end, cores)| (cores.into_iter().collect(), end)).collect()
    }
}

fn compute(config: &ComputeConfig, tiles: u32) -> String {
    let width = if config.fp32_dest_acc { 32 } else { 16 };
    format!("{tiles} tile registers of {width} bits, {:?}", config.fidelity)
}

fn describe(schedule: &Schedule, part: &Part, leaves: &[Leaf], _config: &ComputeConfig) -> String {
    let side = |dim| {
        use crate::ir::shape::Dim;
        match dim {
            Dim::Any => None,
            Dim::One => Some(1),
            Dim::Rows(leaf) => leaves.get(leaf as usize).and_then(|l| constant(&l.shape()[0])),
            Dim::Cols(leaf) => leaves.get(leaf as usize).and_then(|l| constant(&l.shape()[1])),
        }
    };
    let text = |n: Option<u32>| n.map_or("?".to_owned(), |n| n.to_string());
    let (rows, cols) = (side(part.shape.rows), side(part.shape.cols));
    let to = part.to.map_or("to the result".to_owned(), |t| format!("to intermediate block {t}"));
    let plan: &Plan = &part.plan;
    let mut line = format!(
        "{}x{} tiles {to}; {} register{} a tile, up to {} tiles a section",
        text(rows),
        text(cols),
        plan.slots_per_tile,
        if plan.slots_per_tile == 1 { "" } else { "s" },
        plan.tiles_per_section
    );
    if let (Some(rows), Some(cols)) = (rows, cols) {
        let shaped = part.is_shaped() || plan.matmul;
        if !plan.acc && shaped {
            let size = Section::of(plan, shaped, rows, cols);
            let _ = write!(line, ", sub-blocks of {}x{}", size.rows.min(rows), size.cols.min(cols));
        }
    }
    let units: Vec<String> = plan.steps.iter().map(|s| step(schedule, s)).collect();
    let _ = write!(line, ": {}", if units.is_empty() { "pack".to_owned() } else { units.join(", ") });
    line
}

/// A step by its unit.
fn step(schedule: &Schedule, step: &crate::ir::fuse::Step) -> String {
    use crate::ir::fuse::Step;
    let leaf = |n: u32| match schedule.temp(n) {
        Some(temp) => format!("block {temp}"),
        None => format!("operand {n}"),
    };
    match *step {
        Step::Copy { leaf: n, .. } => format!("copy {}", leaf(n)),
        Step::Fpu { op, a, b, .. } => format!("FPU {} of {} and {}", op.row().method, leaf(a), leaf(b)),
        Step::ReuseDest { op, leaf: n, .. } => format!("FPU {} with {}", op.row().method, leaf(n)),
        Step::Unary { op, .. } => format!("SFPU {}", op.row().method),
        Step::Regs { op, .. } => format!("SFPU {}", op.row().method),
        Step::Ternary { op, .. } => format!("SFPU {}", op.row().method),
        Step::CopyRegs { .. } => "SFPU copy of a register".to_owned(),
        Step::CopyBcast { bcast, leaf: n, .. } => format!("copy {}, {bcast:?} broadcast", leaf(n)),
        Step::FpuBcast { op, bcast, a, b, .. } => {
            format!("FPU {} of {} and {}, {bcast:?} broadcast", op.row().method, leaf(a), leaf(b))
        }
        Step::Transpose { leaf: n, .. } => format!("copy {}, transposed", leaf(n)),
        Step::Reduce { pool, dim, leaf: n, .. } => format!("FPU {pool:?} along {dim:?} of {}", leaf(n)),
        Step::Matmul { a, b } => format!("FPU matrix product of {} and {}", leaf(a), leaf(b)),
    }
}

/// The calls of a kernel by loop depth, in the order in which they come first. Set-up calls are on lines of their own.
fn calls(out: &mut String, called: &[Called]) {
    let mut found: Vec<(&Called, u32)> = Vec::new();
    for call in called {
        match found.iter_mut().find(|(known, _)| *known == call) {
            Some((_, count)) => *count += 1,
            None => found.push((call, 1)),
        }
    }
    for (title, sets_up) in [("set-up", true), ("calls", false)] {
        let mut depths: Vec<u32> = found.iter().filter(|f| f.0.sets_up == sets_up).map(|f| f.0.loops).collect();
        depths.sort_unstable();
        depths.dedup();
        for depth in depths {
            let names: Vec<String> = found
                .iter()
                .filter(|(call, _)| call.sets_up == sets_up && call.loops == depth)
                .map(|(call, count)| match count {
                    1 => call.function.clone(),
                    _ => format!("{} x{count}", call.function),
                })
                .collect();
            let _ = writeln!(out, "  {title} in {depth} loops: {}", names.join(", "));
        }
    }
}
