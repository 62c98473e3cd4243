//! Which strategy, which blocks: chosen from the shapes, the cores and the memory that is left, by an estimate of the time.

use super::sizes::{Blocks, Extent};
use super::{Operands, Options, Strategy};
use crate::pieces::pieces;
use std::fmt;
use ttl::prelude::*;

/// Bytes of a tile of sums.
const F32: u64 = 4096;

/// For estimates, in cycles and bytes per cycle: a pass of the matrix unit over a tile; all memory banks together, and one link of the NoC; a round
/// trip to memory; a handshake between cores; a tile through the packer or back.
const PASS: f64 = 16.0;
const MEMORY: f64 = 380.0;
const LINK: f64 = 32.0;
const ROUND_TRIP: f64 = 600.0;
const HANDSHAKE: f64 = 400.0;
const PACK: f64 = 40.0;

/// How the result is divided among cores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Every core reads what its blocks need.
    Unicast,
    /// `rows` x `columns` blocks on each core.
    Multicast {
        /// The rectangle.
        cores: CoreRange,
        /// Rows of blocks of a core.
        rows: u32,
        /// Columns of blocks of a core.
        columns: u32,
    },
    /// Chains of so many cores.
    KSplit {
        /// Cores of a chain.
        parts: u32,
    },
}

/// What a program does, before it is one.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// How the result is divided among cores.
    pub layout: Layout,
    /// The sizes of blocks.
    pub blocks: Blocks,
    /// The size of the product.
    pub extent: Extent,
    /// The cores that take part.
    pub cores: CoreSet,
    /// Bytes of L1 for the buffers of a core.
    pub l1: u64,
    bias: bool,
}

/// Pages of the buffers of a core.
#[derive(Clone, Copy)]
pub(super) struct Pages {
    pub a: u32,
    pub b: u32,
    pub bias: u32,
    pub c: u32,
    pub sums: u32,
    /// Both buffers of a chain together.
    chain: u32,
}

impl Plan {
    /// Blocks along the rows and columns of the result, and along k.
    pub(super) fn counts(&self) -> [u32; 3] {
        counts(self.extent, self.blocks)
    }

    /// The cores that are number `part` in chains of `parts`.
    pub(super) fn at(&self, parts: u32, part: u32) -> CoreSet {
        self.cores.iter().skip(part as usize).step_by(parts as usize).collect()
    }

    pub(super) fn pages(&self) -> Pages {
        pages(self.layout, self.blocks, self.counts()[2], self.bias)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blocks { m, n, k, sub_m, sub_n } = self.blocks;
        let [rows, columns, steps] = self.counts();
        let how = match self.layout {
            Layout::Unicast => "each core reads its operands".to_owned(),
            Layout::Multicast { cores, rows, columns } => {
                format!(
                    "operands multicast over {} x {} cores, {rows} x {columns} blocks each",
                    cores.height(),
                    cores.width()
                )
            }
            Layout::KSplit { parts } => format!("k divided among chains of {parts} cores"),
        };
        write!(
            f,
            "{rows} x {columns} blocks of {m} x {n} tiles in {} of {k}, {sub_m} x {sub_n} in the registers; {}, {how}; {} bytes of L1",
            counted(steps, "step"),
            counted(self.cores.len() as u32, "core"),
            self.l1
        )
    }
}

fn counted(n: u32, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

fn counts(extent: Extent, blocks: Blocks) -> [u32; 3] {
    [pieces(extent.m, blocks.m), pieces(extent.n, blocks.n), pieces(extent.k, blocks.k)]
}

fn pages(layout: Layout, blocks: Blocks, steps: u32, bias: bool) -> Pages {
    let (tiles, sub) = (blocks.tiles(), blocks.registers());
    let (chain, steps) = match layout {
        Layout::KSplit { parts } => (4 * sub, steps.div_ceil(parts)),
        _ => (0, steps),
    };
    let in_registers = tiles == sub && chain == 0;
    Pages {
        a: 2 * blocks.m * blocks.k,
        b: 2 * blocks.k * blocks.n,
        bias: if bias { blocks.n + 1 } else { 0 },
        c: tiles.max(2 * sub),
        sums: match steps {
            _ if in_registers => 0,
            1 => sub,
            _ => tiles,
        },
        chain,
    }
}

impl Pages {
    fn bytes(self, tile: Tile) -> u64 {
        let (a, b, c) = (u64::from(self.a), u64::from(self.b), u64::from(self.bias + self.c));
        a * tile.a + b * tile.b + c * tile.c + u64::from(self.sums + self.chain) * F32
    }
}

/// Bytes of a tile of each operand. The bias is as the result.
#[derive(Clone, Copy)]
struct Tile {
    a: u64,
    b: u64,
    c: u64,
}

/// What plans are made for.
struct Problem<'t> {
    extent: Extent,
    grid: &'t CoreSet,
    /// The rectangle for multicast.
    rectangle: Option<CoreRange>,
    tile: Tile,
    bias: bool,
    fidelity: MathFidelity,
    /// Tile registers of a section.
    registers: u32,
    l1: u64,
}

/// Chooses a strategy and blocks, or takes those of the options.
pub(super) fn plan<A: Element, B: Element, C: Element>(
    grid: &CoreSet,
    config: &ComputeConfig,
    operands: &Operands<'_, A, B, C>,
    options: &Options<'_, C>,
) -> ttl::Result<Plan> {
    let Operands { a, c, .. } = operands;
    let bytes = |format: DataFormat| u64::from(format.tile_bytes());
    let problem = Problem {
        extent: Extent { m: c.tile_rows(), n: c.tile_cols(), k: a.tile_cols() },
        grid,
        rectangle: grid.rectangles().into_iter().max_by_key(|r| r.width() * r.height()),
        tile: Tile { a: bytes(A::FORMAT), b: bytes(B::FORMAT), c: bytes(C::FORMAT) },
        bias: operands.bias.is_some(),
        fidelity: config.fidelity,
        registers: config.dst_tiles(),
        l1: options.l1.unwrap_or(Options::L1),
    };
    if grid.is_empty() {
        return Err(ttl::Error::Other("matmul: the grid has no cores; give at least one".into()));
    }
    let candidates: Vec<Blocks> = match options.blocks {
        Some(blocks) => {
            check_blocks(blocks, &problem, options.strategy)?;
            vec![blocks]
        }
        None => problem.candidates(),
    };
    let allowed = |strategy| options.strategy == Strategy::Auto || options.strategy == strategy;
    // A simpler strategy stays where another is hardly better.
    let mut best: Option<(f64, Plan)> = None;
    for (strategy, margin) in [(Strategy::Unicast, 1.0), (Strategy::Multicast, 0.95), (Strategy::KSplit, 0.95)] {
        if !allowed(strategy) {
            continue;
        }
        let mut of_strategy: Option<(f64, Plan)> = None;
        for blocks in &candidates {
            for layout in problem.layouts(strategy, *blocks) {
                let Some((time, plan)) = problem.estimate(layout, *blocks, options.blocks.is_some()) else { continue };
                if of_strategy.as_ref().is_none_or(|(least, _)| time < *least) {
                    of_strategy = Some((time, plan));
                }
            }
        }
        if let Some((time, plan)) = of_strategy
            && best.as_ref().is_none_or(|(least, _)| time < least * margin)
        {
            best = Some((time, plan));
        }
    }
    best.map(|(_, plan)| plan).ok_or_else(|| problem.impossible(options))
}

/// Blocks that were asked for.
fn check_blocks(blocks: Blocks, problem: &Problem<'_>, strategy: Strategy) -> ttl::Result<()> {
    let Blocks { m, n, k, sub_m, sub_n } = blocks;
    let refuse = |why: String| Err(ttl::Error::Other(format!("matmul: {why}")));
    if m == 0 || n == 0 || k == 0 || sub_m == 0 || sub_n == 0 {
        return refuse(format!(
            "blocks of {m} x {n} x {k} tiles with sub-blocks of {sub_m} x {sub_n}: no size may be 0"
        ));
    }
    if !m.is_multiple_of(sub_m) || !n.is_multiple_of(sub_n) {
        return refuse(format!("sub-blocks of {sub_m} x {sub_n} tiles do not divide blocks of {m} x {n}"));
    }
    let (registers, what) = problem.registers_for(strategy);
    if blocks.registers() > registers {
        return refuse(format!(
            "a sub-block of {sub_m} x {sub_n} tiles takes {} tile registers, there are {registers}{what}; use smaller sub-blocks, 16-bit \
             registers or `dst_full_sync`",
            blocks.registers()
        ));
    }
    Ok(())
}

impl Problem<'_> {
    /// Registers for a sub-block. A chain needs as many again for what arrives.
    fn registers_for(&self, strategy: Strategy) -> (u32, &'static str) {
        match strategy {
            Strategy::KSplit => (self.registers / 2, " where k is divided"),
            _ => (self.registers, ""),
        }
    }

    /// Blocks that may be good. Along k only sizes that make equal steps.
    fn candidates(&self) -> Vec<Blocks> {
        let Extent { m, n, k } = self.extent;
        let depths: std::collections::BTreeSet<u32> = (1..=k).map(|steps| k.div_ceil(steps)).collect();
        let mut all = vec![];
        for m in 1..=m.min(16) {
            for n in 1..=n.min(16) {
                for k in &depths {
                    for registers in [self.registers, self.registers / 2] {
                        let (sub_m, sub_n) = sub_block(m, n, registers);
                        let blocks = Blocks { m, n, k: *k, sub_m, sub_n };
                        if all.last() != Some(&blocks) {
                            all.push(blocks);
                        }
                    }
                }
            }
        }
        all
    }

    fn layouts(&self, strategy: Strategy, blocks: Blocks) -> Vec<Layout> {
        let [rows, columns, steps] = counts(self.extent, blocks);
        let most = |blocks: u32, cores: u32| (1..=cores.max(1)).rev().find(|n| blocks.is_multiple_of(*n)).unwrap_or(1);
        match (strategy, self.rectangle) {
            (Strategy::Unicast, _) => vec![Layout::Unicast],
            (Strategy::Multicast, Some(grid)) => {
                let (width, height) = (most(columns, grid.width()), most(rows, grid.height()));
                let first = grid.first();
                let cores = CoreRange::new(first, Core::new(first.x + width - 1, first.y + height - 1));
                vec![Layout::Multicast { cores, rows: rows / height, columns: columns / width }]
            }
            (Strategy::KSplit, _) => {
                (2..=steps.min(self.grid.len() as u32).min(16)).map(|parts| Layout::KSplit { parts }).collect()
            }
            _ => vec![],
        }
    }

    /// Cycles of the slowest core, roughly; nothing where the plan is not possible. `asked`: the blocks are the user's, and whether they fit is
    /// told when the program is validated.
    fn estimate(&self, layout: Layout, blocks: Blocks, asked: bool) -> Option<(f64, Plan)> {
        let [rows, columns, all_steps] = counts(self.extent, blocks);
        let (cores, count, steps): (CoreSet, u32, u32) = match layout {
            Layout::Unicast => {
                let used = self.grid.len().min((rows * columns) as usize);
                (self.grid.iter().take(used).collect(), (rows * columns).div_ceil(used as u32), all_steps)
            }
            Layout::Multicast { cores, rows, columns } => (cores.into(), rows * columns, all_steps),
            Layout::KSplit { parts } => {
                if blocks.registers() > self.registers_for(Strategy::KSplit).0 {
                    return None;
                }
                let groups = (self.grid.len() as u32 / parts).min(rows * columns);
                let used = (groups * parts) as usize;
                (self.grid.iter().take(used).collect(), (rows * columns).div_ceil(groups), all_steps.div_ceil(parts))
            }
        };
        let pages = pages(layout, blocks, all_steps, self.bias);
        let l1 = pages.bytes(self.tile);
        if l1 > self.l1 && !asked {
            return None;
        }
        let passes = match self.fidelity {
            MathFidelity::LoFi => 1.0,
            MathFidelity::HiFi2 => 2.0,
            MathFidelity::HiFi3 => 3.0,
            MathFidelity::HiFi4 => 4.0,
        };
        let tiles = f64::from(blocks.tiles());
        let (a_bytes, b_bytes) =
            (f64::from(blocks.m * blocks.k) * self.tile.a as f64, f64::from(blocks.k * blocks.n) * self.tile.b as f64);
        let spilled = if steps > 1 && pages.sums > 0 { tiles * PACK } else { 0.0 };
        let multiply = tiles * f64::from(blocks.k) * PASS * passes + spilled;
        let read = match layout {
            Layout::Multicast { cores, .. } => {
                let memory = (a_bytes * f64::from(cores.height()) + b_bytes * f64::from(cores.width())) / MEMORY;
                let one = ROUND_TRIP + (a_bytes.max(b_bytes) / LINK).max(memory);
                one + HANDSHAKE + a_bytes.max(b_bytes) / LINK
            }
            _ => ROUND_TRIP + (a_bytes + b_bytes) * (cores.len() as f64 / MEMORY).max(1.0 / LINK),
        };
        let chain = match layout {
            Layout::KSplit { parts } => {
                let sub = f64::from(blocks.registers());
                let hop = HANDSHAKE + sub * (F32 as f64 / LINK + 3.0 * PACK);
                f64::from(parts) * hop + f64::from(count) * tiles / sub * hop
            }
            _ => 0.0,
        };
        let (count, steps) = (f64::from(count), f64::from(steps));
        let time = read + count * steps * read.max(multiply) + multiply + count * tiles * PACK + chain;
        Some((time, Plan { layout, blocks, extent: self.extent, cores, l1, bias: self.bias }))
    }

    /// Why there is no plan.
    fn impossible<C>(&self, options: &Options<'_, C>) -> ttl::Error {
        let Extent { m, n, k } = self.extent;
        let one = Blocks { m: 1, n: 1, k: 1, sub_m: 1, sub_n: 1 };
        let least = pages(Layout::Unicast, one, k, self.bias).bytes(self.tile);
        let what = match options.strategy {
            Strategy::KSplit if k < 2 || self.grid.len() < 2 => format!(
                "k is divided among at least 2 cores; it has {}, and there {} {}: use another strategy",
                counted(k, "tile"),
                if self.grid.len() == 1 { "is" } else { "are" },
                counted(self.grid.len() as u32, "core")
            ),
            _ => format!(
                "a product of {m} x {n} tiles over {k} needs {least} bytes of L1 for its smallest blocks, `l1` allows {}; allow more",
                self.l1
            ),
        };
        ttl::Error::Other(format!("matmul: {what}"))
    }
}

/// The largest sub-block in so many registers, of equals the one nearest to a square.
pub(super) fn sub_block(m: u32, n: u32, registers: u32) -> (u32, u32) {
    let divisors = |of: u32| (1..=of).filter(move |d| of.is_multiple_of(*d));
    let all = divisors(m).flat_map(|r| divisors(n).map(move |c| (r, c)));
    all.filter(|(r, c)| r * c <= registers.max(1)).max_by_key(|(r, c)| (r * c, (*r).min(*c), *c)).unwrap_or((1, 1))
}
