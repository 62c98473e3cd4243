//! Numerics of the tile units: unpacker, matrix unit, vector unit and packer, bit for bit.
//!
//! | module | what |
//! | --- | --- |
//! | `format` | L1 bytes to source registers or tile registers, and tile registers to L1 bytes; `block_float` those of `bfp8_b`, `bfp4_b` |
//! | `accumulate` | how the matrix unit adds to a tile register; all its operations end there |
//! | `elementwise` | add, subtract, multiply of two tiles, also with one operand from the tile register |
//! | `broadcast` | operands that repeat a row, column or element; transposition |
//! | `packer` | what the packer does to values: ReLU, adding to what is in L1 |
//! | `reduce` | sums and maxima over rows, columns, tiles |
//! | `matmul` | one 32x32x32 product, exact or fast |
//! | `fma` | the multiply-add of the vector unit, which is not quite the one of IEEE 754 |
//! | `vector` | operations of the vector unit |
//! | `lanes` | vectors of the host processor; everything above is written once over them |
//! | `reference` (tests) | the same rules again, scalar and slow, in plain integers |
//!
//! Values are f32. A 16-bit tile register holds bf16 values: the low 16 bits are zero. The rules are facts about the hardware, as
//! published in Tenstorrent's ISA documentation and in their simulator ttsim; tests hold vectors that ttsim computed.

mod accumulate;
mod block_float;
mod broadcast;
mod elementwise;
mod fma;
mod format;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod golden_tiles;
mod lanes;
mod matmul;
mod packer;
mod reduce;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
mod vector;

use crate::arch::{ArchKind, MathFidelity};

pub use broadcast::{broadcast, copy_transposed, transpose, transpose_tile, unary_bcast};
pub use elementwise::{ReuseDest, add_tiles, mul_tiles, reuse_dest, sub_tiles};
pub use format::{copy_tile, pack, u16_from_register, u16_to_register, unpack_src, unpack_to_dest_fp32};
pub use matmul::{MatmulIn0, MatmulIn1, matmul_step, matmul_tiles};
pub use packer::{accumulate_l1, relu};
pub use reduce::{Before, ReduceFormats, mask, reduce};
pub use vector::{Running, cumsum, sfpu_binary, sfpu_reduce, sfpu_ternary, sfpu_unary};

/// A tile in registers, elements in face order as in L1: F0 F1 F2 F3, each row-major.
#[repr(C, align(64))]
#[derive(Clone, Debug, PartialEq)]
pub struct Tile(pub [f32; 1024]);

impl Tile {
    /// What a never-written tile register reads as, except by the vector unit.
    pub const ZERO: Tile = Tile([0.0; 1024]);

    /// A new zero tile.
    pub fn new() -> Tile {
        Tile::ZERO
    }

    fn words(&self) -> *const u32 {
        self.0.as_ptr().cast()
    }

    fn words_mut(&mut self) -> *mut u32 {
        self.0.as_mut_ptr().cast()
    }
}

impl Default for Tile {
    fn default() -> Tile {
        Tile::ZERO
    }
}

/// Settings of a compute kernel that change results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MathConfig {
    pub arch: ArchKind,
    pub fidelity: MathFidelity,
    /// Tile registers hold 32-bit values.
    pub fp32_dest: bool,
    /// `math_approx_mode`.
    pub approx: bool,
    /// The packer rounds block floats once, not twice.
    pub bfp8_pack_precise: bool,
    pub numerics: Numerics,
}

/// How closely the simulator follows the matrix unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Numerics {
    /// Every operation gives the bits that the card gives.
    #[default]
    Exact,
    /// Matrix products cost a fraction of the time: operands are cut to the significant bits that the fidelity multiplies (LoFi 7 of
    /// in0 and 5 of in1; HiFi2 7 of in0 and 10 of in1; HiFi3 and HiFi4 all), and each of the 32 products is added to the tile
    /// register by an ordinary f32 multiply-add; a 16-bit register is rounded once per tile product. The matrix unit instead aligns
    /// groups of products to the largest of them and rounds after every pass, so that exact results are usually *less* accurate. The
    /// bits are the same on every host. Everything but matrix products is exact in this mode, too.
    Fast,
}

impl MathConfig {
    /// Passes over the mantissa halves.
    fn phases(&self) -> u32 {
        self.fidelity as u32 + 1
    }

    fn wormhole(&self) -> bool {
        self.arch == ArchKind::Wormhole
    }
}
