//! What a launch does, and what can be told of its program.

use crate::dit::config::DitConfig;
use crate::dit::consts::TILE;
use crate::dit::op::{K1Mode, Op};

/// What a launch does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// One operation, a chain of blocks, or the pure stream.
    pub mode: K1Mode,
    /// Of single mode.
    pub op: Op,
    /// The first block.
    pub blk: u32,
    /// How many blocks.
    pub n_blk: u32,
    /// How many times over, at least 1.
    pub n_iters: u32,
}

impl Launch {
    /// One operation of a block.
    pub const fn single(blk: u32, op: Op, n_iters: u32) -> Launch {
        Launch { mode: K1Mode::Single, op, blk, n_blk: 1, n_iters }
    }

    /// The products of some blocks, each from the result of the one before.
    pub const fn chain(blk: u32, n_blk: u32, n_iters: u32) -> Launch {
        Launch { mode: K1Mode::Chain, op: Op::Qkv, blk, n_blk, n_iters }
    }

    /// The products of some blocks with nothing between them.
    pub const fn stream(blk: u32, n_blk: u32, n_iters: u32) -> Launch {
        Launch { mode: K1Mode::Stream, op: Op::Qkv, blk, n_blk, n_iters }
    }

    /// Columns of the input.
    pub fn columns(&self, cfg: &DitConfig) -> u32 {
        match self.mode {
            K1Mode::Single => TILE * self.op.k_tiles(cfg.banks),
            _ => cfg.width(),
        }
    }
}

/// Counts of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DescriptorStats {
    /// Circular buffers.
    pub cbs: usize,
    /// Semaphores.
    pub semaphores: usize,
    /// Kernels, each counted once.
    pub kernels: usize,
    /// Bytes of circular buffers on the core that has most, those on tensors included.
    pub cb_bytes: u64,
    /// The most words of one kernel.
    pub compile_args: usize,
    /// The most common words of one kernel.
    pub common_args: usize,
}

/// Kernels of a program and how many cores each is on.
pub type KernelGroups = Vec<(String, usize)>;
