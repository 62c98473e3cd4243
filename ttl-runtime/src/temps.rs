//! Buffers that the compiler adds to compute kernels: what each is for. Both engines find them by this.

use crate::ir::schedule::Schedule;
use crate::ops::{Pool, ReduceDim};
use crate::tensor::format::DataFormat;
use std::fmt;

/// What a buffer of the compiler's is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TempKey {
    /// An intermediate block; `number` tells those of one format and size in one expression apart.
    Block {
        format: DataFormat,
        pages: u32,
        number: u32,
    },
    Scaler(Scaler),
    /// An accumulator that does not stay in the tile registers: the packer adds to it. `place` is where it is made.
    Sum {
        place: Place,
        pages: u32,
    },
}

/// A call that makes an accumulator, by the number that the macro gave it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place(pub u64);

/// A tile full of one value, by which a reduction multiplies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scaler {
    /// Of an f32.
    pub bits: u32,
    /// The tile is f32, else bf16.
    pub wide: bool,
}

impl Scaler {
    /// For a reduction of a block of so many rows and columns of tiles. `None` if that has to be known and is not. `wide`: the tile is f32, though its value may
    /// not need that. `wide_registers`: the tile registers have 32 bits.
    ///
    /// The value is rounded to what the source register holds, 8 bits, or 11 bits where the registers have 32: the unpacker would cut the rest off.
    pub fn of(
        pool: Pool,
        dim: ReduceDim,
        [rows, cols]: [Option<u32>; 2],
        wide: bool,
        wide_registers: bool,
    ) -> Option<Scaler> {
        let value = match (pool, dim) {
            (Pool::Sum | Pool::Max, _) => 1.0,
            (Pool::Avg, ReduceDim::Row) => 1.0 / (32.0 * f64::from(cols?)),
            (Pool::Avg, ReduceDim::Col) => 1.0 / (32.0 * f64::from(rows?)),
            // Applied in both directions.
            (Pool::Avg, ReduceDim::Scalar) => 1.0 / (1024.0 * f64::from(rows?) * f64::from(cols?)).sqrt(),
        };
        let lost = if wide_registers { 13 } else { 16 };
        let half = (1 << (lost - 1)) - 1;
        let bits = (value as f32).to_bits();
        // To nearest, ties to even: no exponent overflows, the value is at most 1.
        let bits = (bits + half + (bits >> lost & 1)) & !((1 << lost) - 1);
        // bf16 does not hold every value.
        Some(Scaler { bits, wide: wide || bits & 0xffff != 0 })
    }

    pub const fn format(self) -> DataFormat {
        if self.wide { DataFormat::F32 } else { DataFormat::Bf16 }
    }
}

impl TempKey {
    pub const fn format(self) -> DataFormat {
        match self {
            TempKey::Block { format, .. } => format,
            TempKey::Scaler(scaler) => scaler.format(),
            TempKey::Sum { .. } => DataFormat::F32,
        }
    }

    pub const fn pages(self) -> u32 {
        match self {
            TempKey::Block { pages, .. } | TempKey::Sum { pages, .. } => pages,
            TempKey::Scaler(_) => 1,
        }
    }

    /// A name for the parameter that stands for it.
    pub fn name(self, index: usize) -> String {
        match self {
            TempKey::Block { .. } => format!("mid{index}"),
            TempKey::Sum { .. } => format!("sum{index}"),
            TempKey::Scaler(s) if s.bits == 1f32.to_bits() => if s.wide { "ones_f32" } else { "ones" }.to_owned(),
            TempKey::Scaler(_) => format!("scaler{index}"),
        }
    }
}

impl fmt::Display for TempKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TempKey::Block { .. } => f.write_str("intermediate block"),
            TempKey::Sum { .. } => f.write_str("accumulator in L1"),
            TempKey::Scaler(s) => write!(f, "scaler tile of {}", f32::from_bits(s.bits)),
        }
    }
}

/// The keys of a schedule's buffers; `size` gives the tiles of one, if they are known.
pub fn keys(schedule: &Schedule, size: &dyn Fn(u32) -> Option<u32>) -> Vec<Option<TempKey>> {
    let mut keys: Vec<Option<TempKey>> = Vec::with_capacity(schedule.temps.len());
    for (at, temp) in (0..).zip(&schedule.temps) {
        let format = temp.format;
        let key = size(at).map(|pages| {
            let mut number = 0;
            while keys.contains(&Some(TempKey::Block { format, pages, number })) {
                number += 1;
            }
            TempKey::Block { format, pages, number }
        });
        keys.push(key);
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalers_are_what_a_mean_needs() {
        let value =
            |pool, dim, rows, cols| Scaler::of(pool, dim, [rows, cols], false, true).map(|s| f32::from_bits(s.bits));
        assert_eq!(value(Pool::Sum, ReduceDim::Row, None, None), Some(1.0));
        assert_eq!(value(Pool::Avg, ReduceDim::Row, None, Some(2)), Some(1.0 / 64.0));
        assert_eq!(value(Pool::Avg, ReduceDim::Scalar, Some(2), Some(2)), Some(1.0 / 64.0));
        assert_eq!(value(Pool::Avg, ReduceDim::Col, None, Some(2)), None);
        let of = |wide| Scaler::of(Pool::Avg, ReduceDim::Row, [None, Some(3)], false, wide).expect("a size");
        assert_eq!((of(true).format(), of(false).format()), (DataFormat::F32, DataFormat::Bf16));
        // 1 / 96 is between 0x3c2a and 0x3c2b, nearer to the second.
        assert_eq!(of(false).bits, 0x3c2b_0000);
        assert_eq!(of(true).bits, 0x3c2a_a000);
        let one = |wide| Scaler::of(Pool::Max, ReduceDim::Row, [None; 2], wide, wide);
        assert_eq!(one(false).map(|s| (s.bits, s.format())), Some((1f32.to_bits(), DataFormat::Bf16)));
        assert_eq!(one(true).map(|s| (s.bits, s.format())), Some((1f32.to_bits(), DataFormat::F32)));
    }
}
