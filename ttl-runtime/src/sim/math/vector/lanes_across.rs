//! Operations of the vector unit across the rows and columns of a tile: running sums, reductions.
//!
//! Here the unit is taken as it is: eight registers of four rows of eight lanes. A load takes the even or the odd columns of four rows of a
//! face; rows are exchanged by transposing four registers, columns by rotating each row. The order of the additions is what counts, and it differs between the
//! chips, so the kernel library's sequences are followed instruction by instruction. What they leave beside the result is left here too.

use super::steps::{BLOCK, Reg, Unit, max, min};
use super::unit;
use crate::ops::{ReduceDim, SfpuPool};
use crate::sim::math::{MathConfig, Tile};

const ROWS: usize = 4;
const COLUMNS: usize = 8;
const LANES: usize = ROWS * COLUMNS;

type Lanes = [u32; LANES];

/// The registers that `cumsum_tile` leaves the sums of a column of tiles in.
#[derive(Clone, Debug, Default)]
pub struct Running([Lanes; 4]);

struct Registers {
    unit: Unit,
    l: [Lanes; 8],
}

impl Registers {
    fn new(cfg: &MathConfig) -> Registers {
        Registers { unit: unit(cfg), l: [[0; LANES]; 8] }
    }

    /// Where the lanes of a load or store at an address of the tile stand: rows count by 4, and 2 more are the odd columns.
    fn places(address: usize) -> impl Iterator<Item = usize> {
        let (row, odd) = (address & !3, address >> 1 & 1);
        (0..LANES).map(move |lane| (row + lane / COLUMNS) * 16 + lane % COLUMNS * 2 + odd)
    }

    fn load(&mut self, register: usize, tile: &Tile, address: usize) {
        for (lane, place) in self.l[register].iter_mut().zip(Self::places(address)) {
            *lane = tile.0[place].to_bits();
        }
    }

    fn store(&self, register: usize, tile: &mut Tile, address: usize) {
        let stored = self.unit.store(&wide(&self.l[register]));
        for (value, place) in stored.0.into_iter().zip(Self::places(address)) {
            tile.0[place] = f32::from_bits(value);
        }
    }

    /// `to = a + b`.
    fn add(&mut self, a: usize, b: usize, to: usize) {
        let sum = self.unit.add(&wide(&self.l[a]), &wide(&self.l[b]));
        self.l[to] = narrow(&sum);
    }

    fn multiply(&mut self, register: usize, by: f32) {
        let product = self.unit.mul(&wide(&self.l[register]), by);
        self.l[register] = narrow(&product);
    }

    /// Rows of the first four registers become registers, and of the last four.
    fn transpose(&mut self) {
        for four in self.l.chunks_exact_mut(4) {
            let old = [four[0], four[1], four[2], four[3]];
            for (register, lanes) in four.iter_mut().enumerate() {
                for (row, line) in lanes.chunks_exact_mut(COLUMNS).enumerate() {
                    line.copy_from_slice(&old[row][register * COLUMNS..][..COLUMNS]);
                }
            }
        }
    }

    /// `to` is `from` with each row moved right by `by` lanes, those at the end coming in at the front.
    fn rotate(&mut self, from: usize, to: usize, by: usize) {
        let mut lanes = self.l[from];
        for row in lanes.chunks_exact_mut(COLUMNS) {
            row.rotate_right(by);
        }
        self.l[to] = lanes;
    }

    /// The larger to `high`, the smaller to `low`, lane by lane.
    fn swap(&mut self, high: usize, low: usize) {
        let (a, b) = (wide(&self.l[high]), wide(&self.l[low]));
        self.l[high] = narrow(&max(&a, &b));
        self.l[low] = narrow(&min(&a, &b));
    }

    /// A swap that keeps the extreme of the pool in `keep`.
    fn keep(&mut self, pool: SfpuPool, keep: usize, other: usize) {
        match pool {
            SfpuPool::Min => self.swap(other, keep),
            _ => self.swap(keep, other),
        }
    }

    /// The first four registers into the first, the last four into the fifth.
    fn add_fours(&mut self) {
        for first in [0, 4] {
            for at in (first..first + 3).rev() {
                self.add(at, at + 1, at);
            }
        }
    }

    fn add_first_four(&mut self, wormhole: bool) {
        if wormhole {
            self.add(2, 3, 2);
            self.add(0, 1, 0);
            self.add(0, 2, 0);
        } else {
            for at in (0..3).rev() {
                self.add(at, at + 1, at);
            }
        }
    }
}

fn wide(lanes: &Lanes) -> Reg {
    let mut reg = Reg([0; BLOCK]);
    reg.0[..LANES].copy_from_slice(lanes);
    reg
}

fn narrow(reg: &Reg) -> Lanes {
    std::array::from_fn(|i| reg.0[i])
}

/// The sums of each column down to each row (`cumsum_tile`), going on from `running` unless the tile is the first.
pub fn cumsum(cfg: &MathConfig, running: Option<&Running>, tile: &mut Tile) -> Running {
    let mut r = Registers::new(cfg);
    if let Some(Running(last)) = running {
        r.l[4..].copy_from_slice(last);
    }
    // Upper faces, then lower ones; four rows at a time, in one half of the registers and the other in turn. The last row of one half is where the
    // next begins.
    for (turn, row) in [0, 4, 8, 12, 32, 36, 40, 44].into_iter().enumerate() {
        let first = turn % 2 * 4;
        for (register, address) in [row, row + 2, row + 16, row + 18].into_iter().enumerate() {
            r.load(first + register, tile, address);
        }
        r.transpose();
        for register in first..first + 4 {
            r.add((register + 7) % 8, register, register);
        }
        r.transpose();
        for (register, address) in [row, row + 2, row + 16, row + 18].into_iter().enumerate() {
            r.store(first + register, tile, address);
        }
    }
    Running([r.l[4], r.l[5], r.l[6], r.l[7]])
}

/// A reduction of one tile to its first row or its first column (`sfpu_reduce`).
pub fn sfpu_reduce(cfg: &MathConfig, pool: SfpuPool, dim: ReduceDim, tile: &mut Tile) {
    let mut r = Registers::new(cfg);
    match (dim, pool) {
        (ReduceDim::Row, _) => to_column(&mut r, pool, tile),
        (_, SfpuPool::Sum | SfpuPool::Avg) => sum_to_row(&mut r, pool, cfg.wormhole(), tile),
        _ => extreme_to_row(&mut r, pool, cfg.wormhole(), tile),
    }
}

fn sum_to_row(r: &mut Registers, pool: SfpuPool, wormhole: bool, tile: &mut Tile) {
    for upper in [0, 2, 16, 18] {
        for four in 0..4 {
            r.load(four, tile, upper + 4 * four);
            r.load(4 + four, tile, upper + 32 + 4 * four);
        }
        r.add_fours();
        r.add(0, 4, 0);
        r.transpose();
        r.add_first_four(wormhole);
        if pool == SfpuPool::Avg {
            r.multiply(0, 1.0 / 32.0);
        }
        r.store(0, tile, upper);
    }
}

fn extreme_to_row(r: &mut Registers, pool: SfpuPool, wormhole: bool, tile: &mut Tile) {
    let chain = |r: &mut Registers| {
        for (keep, other) in [(6, 7), (5, 6), (4, 5)] {
            r.keep(pool, keep, other);
        }
    };
    for top in [0, 16] {
        // Wormhole keeps the four partial results in registers.
        let partial = [top, top + 32, top + 2, top + 34].map(|address| {
            for four in 0..4 {
                r.load(4 + four, tile, address + 4 * four);
            }
            chain(r);
            if !wormhole {
                r.store(4, tile, address);
            }
            r.l[4]
        });
        r.l[4..].copy_from_slice(&partial);
        r.transpose();
        chain(r);
        r.transpose();
        r.keep(pool, 6, 7);
        r.keep(pool, 4, 5);
        r.store(4, tile, top);
        r.store(6, tile, top + 2);
    }
}

fn to_column(r: &mut Registers, pool: SfpuPool, tile: &mut Tile) {
    let combine = |r: &mut Registers, keep: usize, other: usize| match pool {
        SfpuPool::Sum | SfpuPool::Avg => r.add(keep, other, keep),
        _ => r.keep(pool, keep, other),
    };
    for first in [0, 8, 32, 40] {
        for (half, base) in [(0, first), (4, first + 4)] {
            for (register, address) in [base, base + 2, base + 16, base + 18].into_iter().enumerate() {
                r.load(half + register, tile, address);
            }
        }
        match pool {
            SfpuPool::Sum | SfpuPool::Avg => r.add_fours(),
            _ => {
                for (keep, other) in [(0, 2), (1, 3), (0, 1)] {
                    r.keep(pool, keep, other);
                    r.keep(pool, 4 + keep, 4 + other);
                }
            }
        }
        for half in [0, 4] {
            for by in [4, 2, 1] {
                r.rotate(half, half + 1, by);
                combine(r, half, half + 1);
            }
            r.store(half, tile, first + half);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{ArchKind, MathFidelity};
    use crate::sim::math::Numerics;

    fn config(arch: ArchKind) -> MathConfig {
        MathConfig {
            arch,
            fidelity: MathFidelity::HiFi4,
            fp32_dest: true,
            approx: false,
            bfp8_pack_precise: false,
            numerics: Numerics::Exact,
        }
    }

    fn at(tile: &Tile, row: usize, column: usize) -> f32 {
        tile.0[(row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16]
    }

    fn sample() -> Tile {
        Tile(std::array::from_fn(|i| ((i * 37 + i / 16 * 11) % 101) as f32 - 50.0))
    }

    #[test]
    fn running_sums_go_on_in_the_next_tile() {
        for arch in [ArchKind::Blackhole, ArchKind::Wormhole] {
            let cfg = config(arch);
            let (before, mut first) = (sample(), sample());
            let running = cumsum(&cfg, None, &mut first);
            let mut second = sample();
            cumsum(&cfg, Some(&running), &mut second);
            for c in 0..32 {
                let mut sum = 0.0;
                for tile in [&first, &second] {
                    for r in 0..32 {
                        sum += at(&before, r, c);
                        assert_eq!(at(tile, r, c), sum, "row {r}, column {c}");
                    }
                }
            }
        }
    }

    #[test]
    fn reductions_of_whole_numbers_are_exact() {
        use SfpuPool::{Avg, Max, Min, Sum};
        for arch in [ArchKind::Blackhole, ArchKind::Wormhole] {
            for (pool, dim) in [
                (Sum, ReduceDim::Col),
                (Avg, ReduceDim::Col),
                (Max, ReduceDim::Col),
                (Min, ReduceDim::Col),
                (Sum, ReduceDim::Row),
                (Max, ReduceDim::Row),
                (Min, ReduceDim::Row),
            ] {
                let (before, mut tile) = (sample(), sample());
                sfpu_reduce(&config(arch), pool, dim, &mut tile);
                for line in 0..32 {
                    let value =
                        |i: usize| if dim == ReduceDim::Col { at(&before, i, line) } else { at(&before, line, i) };
                    let values = (0..32).map(value);
                    let expected = match pool {
                        Sum => values.sum(),
                        Avg => values.sum::<f32>() / 32.0,
                        Max => values.fold(f32::MIN, f32::max),
                        Min => values.fold(f32::MAX, f32::min),
                    };
                    let got = if dim == ReduceDim::Col { at(&tile, 0, line) } else { at(&tile, line, 0) };
                    assert_eq!(got, expected, "{pool:?} {dim:?}, line {line}");
                }
            }
        }
    }
}
