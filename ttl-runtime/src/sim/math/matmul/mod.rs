//! One 32x32x32 product of tiles: `dst += in0 . in1`.
//!
//! The matrix unit takes dot products of 16 as two groups of 8. In a group, the products of one fidelity phase (5 by 7 bits) are
//! aligned to the largest exponent of the group, rounded half away from zero to that product's last bit, and summed exactly. The two
//! sums and the old register value are then added as `accumulate` says. A tile product is, for each phase, first the 16 inner
//! indices of the left faces, then those of the right.
//!
//! The group sum in floats: start from 1.5 * 2^23 units, where the unit is the last bit of the largest product, and multiply-add
//! each product onto it. Every such step rounds to a whole number of units, ties to even; in0 carries a factor 1 + 2^-16, which
//! turns exactly the ties into more than a half and nothing else, since a product has 12 bits. The sum is then in the low mantissa
//! bits. The lower parts of the operands carry 2^5 and 2^7, so that all phases start from the same numbers.
//!
//! | module | what |
//! | --- | --- |
//! | `operands` | elements cut into the parts that the phases multiply, in the order in which the products read them |
//! | `normal` | for operands and registers far from the limits of the exponent: nearly all |
//! | `any` | for all others, with all checks |
//! | `pool` | one row with one face, for reductions |
//! | `fast` | [`Numerics::Fast`]: plain multiply-adds |

mod any;
mod fast;
mod normal;
mod operands;
pub(super) mod pool;
#[cfg(test)]
mod tests;

use self::operands::Operand;
use super::accumulate::Accumulate;
use super::lanes::dispatch;
use super::{MathConfig, Numerics, Tile};

/// The left operand, prepared (it goes to SrcB).
#[derive(Clone)]
pub struct MatmulIn0(Operand);

/// The right operand, prepared (it goes to SrcA).
#[derive(Clone)]
pub struct MatmulIn1(Operand);

impl MatmulIn0 {
    /// A zero tile.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> MatmulIn0 {
        MatmulIn0(Operand::NEW)
    }

    /// Prepares an unpacked tile for products with this configuration.
    pub fn set(&mut self, cfg: &MathConfig, in0: &Tile) {
        operands::set_in0(cfg, in0, &mut self.0);
    }
}

impl MatmulIn1 {
    /// A zero tile.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> MatmulIn1 {
        MatmulIn1(Operand::NEW)
    }

    /// Prepares an unpacked tile, or its transpose, for products with this configuration.
    pub fn set(&mut self, cfg: &MathConfig, in1: &Tile, transpose: bool) {
        if transpose {
            operands::set_in1(cfg, &operands::transposed(in1), &mut self.0);
        } else {
            operands::set_in1(cfg, in1, &mut self.0);
        }
    }
}

impl std::fmt::Debug for MatmulIn0 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatmulIn0").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for MatmulIn1 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatmulIn1").finish_non_exhaustive()
    }
}

/// `dst += in0 . in1` with unpacked tiles; `transpose` transposes in1.
pub fn matmul_tiles(cfg: &MathConfig, in0: &Tile, in1: &Tile, transpose: bool, dst: &mut Tile) {
    let (mut left, mut right) = (MatmulIn0::new(), MatmulIn1::new());
    left.set(cfg, in0);
    right.set(cfg, in1, transpose);
    matmul_step(cfg, &left, &right, dst);
}

/// `dst += in0 . in1` with operands prepared for this configuration.
pub fn matmul_step(cfg: &MathConfig, in0: &MatmulIn0, in1: &MatmulIn1, dst: &mut Tile) {
    if cfg.numerics == Numerics::Fast {
        return fast::step(cfg, &in0.0, &in1.0, dst);
    }
    let run = match (cfg.fp32_dest, cfg.wormhole()) {
        (true, false) => step_32_blackhole,
        (true, true) => step_32_wormhole,
        (false, _) => step_16,
    };
    run(&in0.0, &in1.0, cfg.phases(), dst);
}

dispatch!(fn step_32_blackhole(in0: &Operand, in1: &Operand, phases: u32, dst: &mut Tile) = step[true, false]);
dispatch!(fn step_32_wormhole(in0: &Operand, in1: &Operand, phases: u32, dst: &mut Tile) = step[true, true]);
dispatch!(fn step_16(in0: &Operand, in1: &Operand, phases: u32, dst: &mut Tile) = step[false, false]);

#[inline(always)]
unsafe fn step<L: Accumulate, const FP32: bool, const WORMHOLE: bool>(
    in0: &Operand,
    in1: &Operand,
    phases: u32,
    dst: &mut Tile,
) {
    // SAFETY: passed on to the caller.
    unsafe {
        if !L::FAST_FMA || !normal::applies::<L>(in0, in1, dst) {
            any::step::<L, FP32, WORMHOLE>(in0, in1, phases, dst);
        } else if L::N == 16 {
            normal::step::<L, FP32, WORMHOLE, 4>(in0, in1, phases, dst);
        } else {
            normal::step::<L, FP32, WORMHOLE, 2>(in0, in1, phases, dst);
        }
    }
}

/// Where element (row, column) of a row-major tile is in face order, for a run of 16 columns.
fn face_offset(row: usize, column: usize) -> usize {
    (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16
}

/// What a phase takes off the exponent: its parts are lower bits.
fn phase_shift(phase: u32) -> u32 {
    5 * (phase & 1) + 7 * (phase >> 1)
}
