//! Random weights, packed into a stream by code of its own.

use ttl::prelude::{DataFormat, HostTensor};
use ttl_kernels::dit::geometry::{OpGeom, op_geom};
use ttl_kernels::dit::offsets::{HEADER_WORDS, WORDS_PER_BLOCK, block_flags};
use ttl_kernels::dit::{DitConfig, Op, ReaderMode, StreamDtype};

/// Weights and bias of one operation, as the device has them: rounded to its formats.
pub(crate) struct Layer {
    pub(crate) k: usize,
    pub(crate) n: usize,
    pub(crate) weights: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    tiles: Vec<u8>,
}

pub(crate) struct Plan {
    pub(crate) cfg: DitConfig,
    pub(crate) dtype: StreamDtype,
    pub(crate) mode: ReaderMode,
    /// By block and operation.
    pub(crate) layers: Vec<[Layer; 4]>,
    pub(crate) table: Vec<u32>,
    /// The stream: page (tile) t of bank b is at t * banks + b.
    pub(crate) stream: Vec<u8>,
    pub(crate) bias_rows: HostTensor,
}

fn normal(shape: [usize; 2], seed: u64, scale: f32) -> HostTensor {
    let values = HostTensor::normal(shape, seed).expect("a shape").to_f32_vec();
    HostTensor::from_fn(shape, |i| values[i] * scale).expect("a shape").to_format(DataFormat::Bf16)
}

impl Plan {
    pub(crate) fn random(cfg: &DitConfig, dtype: StreamDtype, mode: ReaderMode, seed: u64) -> Plan {
        let banks = cfg.banks;
        let tile_bytes = dtype.tile_bytes() as usize;
        let layers: Vec<[Layer; 4]> = (0..cfg.n_blocks)
            .map(|blk| {
                Op::OPS.map(|op| {
                    let (k, n) = (op.k_tiles(banks) as usize * 32, op.n_tiles(banks, cfg.is_cross(blk)) as usize * 32);
                    let seed = seed * 1000 + u64::from(blk * 8 + op as u32 * 2);
                    let tiles = normal([k, n], seed, 0.02).to_tiles(dtype.format()).expect("tiles");
                    let weights = HostTensor::from_tiles([k, n], dtype.format(), &tiles).expect("tiles").to_f32_vec();
                    let bias = normal([1, n], seed + 1, 0.1).to_f32_vec();
                    Layer { k, n, weights, bias, tiles }
                })
            })
            .collect();
        let mut table = vec![0; HEADER_WORDS as usize];
        table[..2].copy_from_slice(&[1, cfg.n_blocks]);
        let mut geoms = vec![];
        let mut offset = 0;
        for blk in 0..cfg.n_blocks {
            let cross = cfg.is_cross(blk);
            table.extend([offset, 4 * blk, 2 * blk, block_flags(cross, 0, if cross { 64 } else { 0 })]);
            let ops = Op::OPS.map(|op| op_geom(banks, dtype.tile_bytes(), offset, 4 * blk, cross, op));
            offset = ops[3].off_bank + ops[3].pages_bank() * banks * dtype.tile_bytes();
            geoms.push(ops);
        }
        assert_eq!(table.len(), (HEADER_WORDS + WORDS_PER_BLOCK * cfg.n_blocks) as usize);
        let mut stream = vec![0; offset as usize * banks as usize];
        for (geoms, layers) in geoms.iter().zip(&layers) {
            for (geom, layer) in geoms.iter().zip(layers) {
                let first = geom.off_bank as usize / tile_bytes;
                for [bank, tile, k, n] in tiles_of(geom, mode, banks) {
                    let from = (k * layer.n / 32 + n) * tile_bytes;
                    let to = ((first + tile) * banks as usize + bank) * tile_bytes;
                    stream[to..to + tile_bytes].copy_from_slice(&layer.tiles[from..from + tile_bytes]);
                }
            }
        }
        let width = cfg.ff_dim() as usize;
        let rows = 4 * cfg.n_blocks as usize;
        let bias_rows = HostTensor::from_fn([rows, width], |i| {
            let bias = &layers[i / width / 4][i / width % 4].bias;
            bias.get(i % width).copied().unwrap_or(0.0)
        });
        let bias_rows = bias_rows.expect("a shape").to_format(DataFormat::Bf16);
        Plan { cfg: cfg.clone(), dtype, mode, layers, table, stream, bias_rows }
    }

    /// Tiles of a bank.
    pub(crate) fn tiles(&self) -> usize {
        self.stream.len() / (self.dtype.tile_bytes() * self.cfg.banks) as usize
    }
}

/// Where every tile of an operation lies: bank, tile counted from the operation's first in the bank, row and column among the tiles of the
/// weights.
fn tiles_of(g: &OpGeom, mode: ReaderMode, banks: u32) -> Vec<[usize; 4]> {
    let mut out = vec![];
    for bank in 0..banks {
        for rank in 0..g.per_bank {
            let slot = g.set.slot(g.set.member(banks, bank, rank));
            for page in 0..g.pages_core {
                let at = match mode {
                    ReaderMode::Direct => g.direct_page(rank) + page,
                    ReaderMode::Relay => g.relay_page(rank, page),
                };
                for i in 0..banks {
                    // Tile of the core's share, whose rows have ct tiles.
                    let t = page * banks + i;
                    out.push([bank, at * banks + i, t / g.ct, slot * g.ct + t % g.ct].map(|n| n as usize));
                }
            }
        }
    }
    out
}
