//! The compute side of a core: tile registers with their protocol, and what the units are configured for.

use std::fmt;
use std::sync::Arc;

use super::math::{Generator, MathConfig, MatmulIn0, MatmulIn1, Numerics, ReuseDest, Running, Tile};
use crate::arch::{ArchKind, ComputeConfig};
use crate::ops::{BinaryOp, MAX_WORDS, ReduceDim, Relu, TernaryOp, TileCall, UnaryOp};
use crate::site::Site;
use crate::tensor::format::DataFormat;

/// Which operand goes to which source register in `compute_kernel_hw_startup`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SrcOrder {
    /// The first to SrcA.
    Regular,
    /// The first to SrcB: matrix multiplication.
    Reverse,
}

/// An init of the unpackers and the matrix unit; each replaces the one before. Operands are circular-buffer ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FpuInit {
    Copy {
        cb: u32,
    },
    Add {
        a: u32,
        b: u32,
        acc: bool,
    },
    Sub {
        a: u32,
        b: u32,
        acc: bool,
    },
    Mul {
        a: u32,
        b: u32,
    },
    Matmul {
        in0: u32,
        in1: u32,
        transpose: bool,
    },
    MatmulBlock {
        in0: u32,
        in1: u32,
        transpose: bool,
        ct: u32,
        rt: u32,
        kt: u32,
    },
    Reuse {
        op: BinaryOp,
        cb: u32,
        dest: ReuseDest,
    },
    Tilize {
        cb: u32,
        block: u32,
    },
    Untilize {
        cb: u32,
        block: u32,
        full: u32,
    },
    /// With the buffers in SrcA and SrcB.
    Call {
        call: TileCall,
        a: Option<u32>,
        b: Option<u32>,
    },
}

impl FpuInit {
    /// Of a tile call with these circular buffers.
    pub fn tile_call(call: TileCall, cbs: &[u32]) -> FpuInit {
        let sources = call.sources();
        let cb = |operand: Option<usize>| operand.and_then(|o| cbs.get(o)).copied();
        FpuInit::Call { call, a: cb(sources.a), b: cb(sources.b) }
    }

    /// The C++ function.
    pub(super) fn call(self) -> &'static str {
        match self {
            FpuInit::Copy { .. } => "copy_init",
            FpuInit::Add { .. } => "add_init",
            FpuInit::Sub { .. } => "sub_init",
            FpuInit::Mul { .. } => "mul_init",
            FpuInit::Matmul { .. } => "matmul_init",
            FpuInit::MatmulBlock { .. } => "matmul_block_init",
            FpuInit::Reuse { op, .. } => op.fpu().reuse_init,
            FpuInit::Tilize { .. } => "tilize_init",
            FpuInit::Untilize { .. } => "pack_untilize_init",
            FpuInit::Call { call, .. } => call.init_name(),
        }
    }

    /// Circular buffers in SrcA and SrcB.
    pub(super) fn operands(self) -> (Option<u32>, Option<u32>) {
        match self {
            FpuInit::Copy { cb } | FpuInit::Reuse { cb, dest: ReuseDest::DestToSrcB, .. } => (Some(cb), None),
            FpuInit::Reuse { cb, dest: ReuseDest::DestToSrcA, .. } => (None, Some(cb)),
            FpuInit::Add { a, b, .. } | FpuInit::Sub { a, b, .. } | FpuInit::Mul { a, b } => (Some(a), Some(b)),
            FpuInit::Matmul { in0, in1, .. } | FpuInit::MatmulBlock { in0, in1, .. } => (Some(in1), Some(in0)),
            FpuInit::Tilize { cb, .. } | FpuInit::Untilize { cb, .. } => (Some(cb), None),
            FpuInit::Call { a, b, .. } => (a, b),
        }
    }
}

/// An init of the vector unit; each replaces the one before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SfpuInit {
    /// With the words that it takes.
    Unary(UnaryOp, [u32; MAX_WORDS]),
    Binary(BinaryOp, [u32; MAX_WORDS]),
    Ternary(TernaryOp),
    /// Register to register (`copy_dest_values`).
    CopyDest,
    /// Across the rows and columns of a tile.
    Call(TileCall),
}

impl SfpuInit {
    /// What a unary operation needs: operations with one init are prepared together. `words` are all of the operation.
    pub(crate) fn unary(op: UnaryOp, words: &[u32]) -> SfpuInit {
        SfpuInit::Unary(op.prepared(), first(words, op.row().init_words))
    }

    /// The same for two operands.
    pub fn binary(op: BinaryOp, words: &[u32]) -> SfpuInit {
        SfpuInit::Binary(op.prepared(), first(words, op.row().init_words))
    }

    /// The same but for words, which the operation takes as it finds them.
    pub(super) fn serves(self, want: SfpuInit) -> bool {
        match (self, want) {
            (SfpuInit::Unary(have, _), SfpuInit::Unary(want, _)) => have == want,
            (SfpuInit::Binary(have, _), SfpuInit::Binary(want, _)) => have == want,
            (have, want) => have == want,
        }
    }

    pub(super) fn call(self) -> &'static str {
        match self {
            SfpuInit::Unary(op, _) => op.row().init,
            SfpuInit::Binary(op, _) => op.row().init,
            SfpuInit::Ternary(op) => op.row().init,
            SfpuInit::CopyDest => "copy_dest_values_init",
            SfpuInit::Call(call) => call.init_name(),
        }
    }
}

/// The first `count` of the words; the rest is 0.
fn first(words: &[u32], count: usize) -> [u32; MAX_WORDS] {
    let mut own = [0; MAX_WORDS];
    for (to, word) in own.iter_mut().zip(words.iter().take(count)) {
        *to = *word;
    }
    own
}

/// How far the current section of tile registers is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Free,
    /// The math side writes them.
    Acquired,
    Committed,
    /// The packer reads them.
    Packing,
}

impl Phase {
    /// What the registers are now, and the call that comes next.
    pub(super) const fn describe(self) -> (&'static str, &'static str) {
        match self {
            Phase::Free => ("not acquired", "tile_regs_acquire"),
            Phase::Acquired => ("acquired", "tile_regs_commit"),
            Phase::Committed => ("committed", "tile_regs_wait"),
            Phase::Packing => ("being packed", "tile_regs_release"),
        }
    }
}

/// A unit's data format and who set it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Configured {
    pub(super) format: DataFormat,
    pub(super) site: Site,
}

const UNSET: Configured = Configured { format: DataFormat::Bf16, site: Site::UNKNOWN };

pub(super) struct ComputeUnit {
    pub(super) math: MathConfig,
    pub(super) config: Arc<ComputeConfig>,
    pub(super) tiles: Vec<Tile>,
    /// Bit per register: written in this section.
    pub(super) written: u32,
    pub(super) phase: Phase,
    /// Place of the last change of `phase`.
    pub(super) phase_site: Site,
    pub(super) startup: Option<Site>,
    pub(super) src_a: Configured,
    pub(super) src_b: Configured,
    pub(super) packer: Configured,
    pub(super) fpu: Option<(FpuInit, Site)>,
    pub(super) sfpu: Option<(SfpuInit, Site)>,
    /// Random numbers of the vector unit.
    pub(super) generator: Generator,
    /// Sums that `cumsum_tile` left, unless another operation of the vector unit came after it.
    pub(super) running: Option<Running>,
    /// The packer is set up for rows of elements: tiles of a block and of the whole row.
    pub(super) packs_rows: Option<(u32, u32, Site)>,
    /// The matrix unit has done something since the registers were acquired.
    pub(super) computed: bool,
    /// Bit per register: a reduction is in it, whatever else was done with it since.
    pub(super) reduced: u32,
    /// The part of tiles that the packer writes, since the init of a reduction.
    pub(super) edge_mask: Option<(ReduceDim, Site)>,
    /// The packer adds to what is in L1.
    pub(super) l1_acc: bool,
    /// With the threshold in bf16 bits.
    pub(super) relu: (Relu, u16),
    /// Bit per register: its scratch row was given back by a reduction to a scalar.
    pub(super) scratch_free: u32,
    /// Unpacked operands.
    pub(super) a: Tile,
    pub(super) b: Tile,
    pub(super) in0: Vec<MatmulIn0>,
    pub(super) in1: MatmulIn1,
}

/// What the units compute by before an operation says otherwise.
fn math_config(config: &ComputeConfig, arch: ArchKind, numerics: Numerics) -> MathConfig {
    MathConfig {
        arch,
        fidelity: config.fidelity,
        fp32_dest: config.fp32_dest_acc,
        long: config.fp32_dest_acc,
        approx: config.approx,
        bfp8_pack_precise: config.bfp8_pack_precise,
        numerics,
    }
}

impl ComputeUnit {
    pub(super) fn new(config: &Arc<ComputeConfig>, arch: ArchKind, numerics: Numerics) -> ComputeUnit {
        ComputeUnit {
            math: math_config(config, arch, numerics),
            tiles: vec![Tile::ZERO; config.dst_tiles() as usize],
            config: config.clone(),
            written: 0,
            phase: Phase::Free,
            phase_site: Site::UNKNOWN,
            startup: None,
            src_a: UNSET,
            src_b: UNSET,
            packer: UNSET,
            fpu: None,
            sfpu: None,
            generator: Generator::seeded(0),
            running: None,
            packs_rows: None,
            computed: false,
            reduced: 0,
            edge_mask: None,
            l1_acc: false,
            relu: (Relu::None, 0),
            scratch_free: 0,
            a: Tile::ZERO,
            b: Tile::ZERO,
            in0: Vec::new(),
            in1: MatmulIn1::new(),
        }
    }

    /// As new, but with the memory of the run before.
    pub(super) fn reset(&mut self, config: &Arc<ComputeConfig>, arch: ArchKind, numerics: Numerics) {
        self.math = math_config(config, arch, numerics);
        // Contents do not matter: what this run has not written is not read.
        self.tiles.resize(config.dst_tiles() as usize, Tile::ZERO);
        self.config = config.clone();
        self.written = 0;
        self.phase = Phase::Free;
        self.phase_site = Site::UNKNOWN;
        self.startup = None;
        (self.src_a, self.src_b, self.packer) = (UNSET, UNSET, UNSET);
        (self.fpu, self.sfpu) = (None, None);
        (self.running, self.packs_rows) = (None, None);
        (self.l1_acc, self.relu) = (false, (Relu::None, 0));
        (self.computed, self.reduced, self.edge_mask, self.scratch_free) = (false, 0, None, 0);
    }

    pub(super) fn is_written(&self, dst: u32) -> bool {
        self.written & 1 << dst != 0
    }

    /// Marks a register written; one that accumulates starts from zero, as on the chip.
    pub(super) fn begin(&mut self, dst: u32, accumulates: bool) {
        if accumulates && !self.is_written(dst) {
            self.tiles[dst as usize] = Tile::ZERO;
        }
        self.written |= 1 << dst;
        self.scratch_free &= !(1 << dst);
        if !accumulates {
            self.reduced &= !(1 << dst);
        }
    }

    /// The same for a result that the vector unit makes of registers: of reductions, if one of them holds one.
    pub(super) fn begin_of(&mut self, dst: u32, operands: &[u32]) {
        let reduced = operands.iter().any(|r| self.reduced & 1 << r != 0);
        self.begin(dst, false);
        self.reduced |= u32::from(reduced) << dst;
    }
}

impl fmt::Debug for ComputeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComputeUnit")
            .field("phase", &self.phase)
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}
