//! Words that `ttnn.TensorAccessorArgs(tensor).get_compile_time_args()` of ttnn 0.81.1 gave for tensors on a simulated Blackhole and
//! Wormhole, copied from its output.

use super::case::Case;
use crate::tensor::format::DataFormat::{Bf16, F32};
use crate::tensor::memory::Orientation::{Col, Row};
use crate::tensor::memory::ShardLayout::{Block, Height, Width};

pub(super) const SHARDED: &[Case] = &[
    Case::tiles("height 4 of 4", &[256, 96], Bf16)
        .cut(Height, [64, 96], (0, 0, 3, 0), Row)
        .blackhole(&[1, 2048, 1, 4, 24, 6, 33685762, 67240706])
        .wormhole(&[1, 2048, 1, 4, 24, 6, 319951378, 353506322]),
    Case::tiles("height 2x2", &[256, 96], Bf16)
        .cut(Height, [64, 96], (0, 0, 1, 1), Row)
        .blackhole(&[1, 2048, 1, 4, 24, 6, 33685762, 33751299])
        .wormhole(&[1, 2048, 1, 4, 24, 6, 319951378, 320016915]),
    Case::tiles("height 2x2 col", &[256, 96], Bf16)
        .cut(Height, [64, 96], (0, 0, 1, 1), Col)
        .blackhole(&[1, 2048, 1, 4, 24, 6, 16974082, 33751554])
        .wormhole(&[1, 2048, 1, 4, 24, 6, 303239698, 320017170]),
    Case::tiles("height 3 shards on 4", &[192, 96], Bf16)
        .cut(Height, [64, 96], (0, 0, 3, 0), Row)
        .blackhole(&[1, 2048, 1, 4, 18, 6, 33685762, 67240706])
        .wormhole(&[1, 2048, 1, 4, 18, 6, 319951378, 353506322]),
    Case::tiles("height uneven", &[224, 96], Bf16)
        .cut(Height, [64, 96], (0, 0, 3, 0), Row)
        .blackhole(&[1, 2048, 1, 4, 21, 6, 33685762, 67240706])
        .wormhole(&[1, 2048, 1, 4, 21, 6, 319951378, 353506322]),
    Case::tiles("height x>=7", &[256, 96], Bf16)
        .cut(Height, [64, 96], (6, 0, 7, 1), Row)
        .blackhole(&[1, 2048, 1, 4, 24, 6, 167905026, 167970563])
        .wormhole(&[1, 2048, 1, 4, 24, 6, 420616210, 420681747]),
    Case::tiles("height 3 dims", &[2, 96, 64], Bf16)
        .cut(Height, [96, 64], (0, 0, 1, 0), Row)
        .blackhole(&[1, 2048, 1, 2, 12, 6, 33685762])
        .wormhole(&[1, 2048, 1, 2, 12, 6, 319951378]),
    Case::tiles("height padded", &[2, 50, 70], Bf16)
        .cut(Height, [64, 96], (0, 0, 1, 0), Row)
        .blackhole(&[1, 2048, 1, 2, 12, 6, 33685762])
        .wormhole(&[1, 2048, 1, 2, 12, 6, 319951378]),
    Case::tiles("width 3", &[64, 192], Bf16)
        .cut(Width, [64, 64], (0, 0, 2, 0), Row)
        .blackhole(&[1, 2048, 2, 3, 2, 6, 2, 2, 33685762, 770])
        .wormhole(&[1, 2048, 2, 3, 2, 6, 2, 2, 319951378, 5138]),
    Case::tiles("width one row", &[32, 192], Bf16)
        .cut(Width, [32, 64], (0, 0, 2, 0), Row)
        .blackhole(&[1, 2048, 1, 3, 6, 2, 33685762, 770])
        .wormhole(&[1, 2048, 1, 3, 6, 2, 319951378, 5138]),
    Case::tiles("width one row uneven", &[32, 160], Bf16)
        .cut(Width, [32, 64], (0, 0, 2, 0), Row)
        .blackhole(&[1, 2048, 1, 3, 5, 2, 33685762, 770])
        .wormhole(&[1, 2048, 1, 3, 5, 2, 319951378, 5138]),
    Case::tiles("width col", &[64, 256], Bf16)
        .cut(Width, [64, 64], (0, 0, 1, 1), Col)
        .blackhole(&[1, 2048, 2, 4, 2, 8, 2, 2, 16974082, 33751554])
        .wormhole(&[1, 2048, 2, 4, 2, 8, 2, 2, 303239698, 320017170]),
    Case::tiles("width uneven", &[64, 160], Bf16)
        .cut(Width, [64, 64], (0, 0, 2, 0), Row)
        .blackhole(&[1, 2048, 2, 3, 2, 5, 2, 2, 33685762, 770])
        .wormhole(&[1, 2048, 2, 3, 2, 5, 2, 2, 319951378, 5138]),
    Case::tiles("width 2 on 3", &[64, 128], Bf16)
        .cut(Width, [64, 64], (0, 0, 2, 0), Row)
        .blackhole(&[1, 2048, 2, 3, 2, 4, 2, 2, 33685762, 770])
        .wormhole(&[1, 2048, 2, 3, 2, 4, 2, 2, 319951378, 5138]),
    Case::tiles("block 2x3", &[128, 192], Bf16)
        .cut(Block, [64, 64], (0, 0, 2, 1), Row)
        .blackhole(&[1, 2048, 2, 6, 4, 6, 2, 2, 33685762, 16974594, 50528771])
        .wormhole(&[1, 2048, 2, 6, 4, 6, 2, 2, 319951378, 303240210, 336794387]),
    Case::tiles("block 2x3 f32", &[128, 192], F32)
        .cut(Block, [64, 64], (0, 0, 2, 1), Row)
        .blackhole(&[1, 4096, 2, 6, 4, 6, 2, 2, 33685762, 16974594, 50528771])
        .wormhole(&[1, 4096, 2, 6, 4, 6, 2, 2, 319951378, 303240210, 336794387]),
    Case::tiles("block col", &[128, 192], Bf16)
        .cut(Block, [64, 64], (0, 0, 1, 2), Col)
        .blackhole(&[1, 2048, 2, 6, 4, 6, 2, 2, 16974082, 33685764, 33817091])
        .wormhole(&[1, 2048, 2, 6, 4, 6, 2, 2, 303239698, 319951380, 320082707]),
    Case::tiles("block smaller than grid", &[128, 128], Bf16)
        .cut(Block, [64, 64], (0, 0, 2, 1), Row)
        .blackhole(&[1, 2048, 2, 4, 4, 4, 2, 2, 33685762, 33751299])
        .wormhole(&[1, 2048, 2, 4, 4, 4, 2, 2, 319951378, 320016915]),
    Case::tiles("block smaller rows", &[64, 192], Bf16)
        .cut(Block, [64, 64], (0, 0, 2, 1), Row)
        .blackhole(&[1, 2048, 2, 3, 2, 6, 2, 2, 33685762, 770])
        .wormhole(&[1, 2048, 2, 3, 2, 6, 2, 2, 319951378, 5138]),
    Case::tiles("block one col", &[128, 64], Bf16)
        .cut(Block, [64, 64], (0, 0, 2, 1), Row)
        .blackhole(&[1, 2048, 1, 2, 8, 4, 16974082])
        .wormhole(&[1, 2048, 1, 2, 8, 4, 303239698]),
    Case::tiles("block one row", &[32, 192], Bf16)
        .cut(Block, [32, 64], (0, 0, 2, 0), Row)
        .blackhole(&[1, 2048, 1, 3, 6, 2, 33685762, 770])
        .wormhole(&[1, 2048, 1, 3, 6, 2, 319951378, 5138]),
    Case::tiles("block offset", &[128, 192], Bf16)
        .cut(Block, [64, 64], (5, 3, 7, 4), Row)
        .blackhole(&[1, 2048, 2, 6, 4, 6, 2, 2, 117769733, 101059077, 168167174])
        .wormhole(&[1, 2048, 2, 6, 4, 6, 2, 2, 404035349, 387324181, 420878358]),
    Case::tiles("block uneven", &[96, 160], Bf16)
        .cut(Block, [64, 64], (0, 0, 2, 1), Row)
        .blackhole(&[1, 2048, 2, 6, 3, 5, 2, 2, 33685762, 16974594, 50528771])
        .wormhole(&[1, 2048, 2, 6, 3, 5, 2, 2, 319951378, 303240210, 336794387]),
    Case::tiles("single", &[32, 32], Bf16)
        .cut(Height, [32, 32], (0, 0, 0, 0), Row)
        .blackhole(&[1, 2048, 1, 1, 1, 1, 258])
        .wormhole(&[1, 2048, 1, 1, 1, 1, 4626]),
    Case::tiles("sh1 even", &[64, 192], Bf16)
        .cut(Block, [32, 64], (0, 0, 2, 1), Row)
        .blackhole(&[1, 2048, 1, 6, 12, 2, 33685762, 16974594, 50528771])
        .wormhole(&[1, 2048, 1, 6, 12, 2, 319951378, 303240210, 336794387]),
    Case::tiles("sh1 uneven", &[64, 160], Bf16)
        .cut(Block, [32, 64], (0, 0, 2, 1), Row)
        .blackhole(&[1, 2048, 2, 6, 2, 5, 1, 2, 33685762, 16974594, 50528771])
        .wormhole(&[1, 2048, 2, 6, 2, 5, 1, 2, 319951378, 303240210, 336794387]),
    Case::tiles("sh1 col", &[64, 192], Bf16)
        .cut(Block, [32, 64], (0, 0, 1, 2), Col)
        .blackhole(&[1, 2048, 1, 6, 12, 2, 16974082, 33685764, 33817091])
        .wormhole(&[1, 2048, 1, 6, 12, 2, 303239698, 319951380, 320082707]),
    Case::tiles("sh1 even smaller", &[64, 128], Bf16)
        .cut(Block, [32, 64], (0, 0, 2, 1), Row)
        .blackhole(&[1, 2048, 1, 4, 8, 2, 33685762, 33751299])
        .wormhole(&[1, 2048, 1, 4, 8, 2, 319951378, 320016915]),
    Case::tiles("height col 2x3", &[384, 32], Bf16)
        .cut(Height, [64, 32], (0, 0, 2, 1), Col)
        .blackhole(&[1, 2048, 1, 6, 12, 2, 16974082, 33751554, 50529026])
        .wormhole(&[1, 2048, 1, 6, 12, 2, 303239698, 320017170, 336794642]),
    Case::tiles("height shard higher than tensor", &[32, 96], Bf16)
        .cut(Height, [64, 96], (0, 0, 1, 0), Row)
        .blackhole(&[1, 2048, 1, 2, 3, 6, 33685762])
        .wormhole(&[1, 2048, 1, 2, 3, 6, 319951378]),
    Case::tiles("width shard wider than tensor", &[32, 96], Bf16)
        .cut(Width, [32, 128], (0, 0, 1, 0), Row)
        .blackhole(&[1, 2048, 1, 2, 3, 4, 33685762])
        .wormhole(&[1, 2048, 1, 2, 3, 4, 319951378]),
    Case::tiles("block shard larger", &[32, 96], Bf16)
        .cut(Block, [64, 128], (0, 0, 1, 0), Row)
        .blackhole(&[1, 2048, 2, 1, 1, 3, 2, 4, 258])
        .wormhole(&[1, 2048, 2, 1, 1, 3, 2, 4, 4626]),
    Case::tiles("block col smaller", &[64, 64], Bf16)
        .cut(Block, [32, 32], (0, 0, 2, 2), Col)
        .blackhole(&[1, 2048, 1, 4, 4, 1, 16974082, 33751554])
        .wormhole(&[1, 2048, 1, 4, 4, 1, 303239698, 320017170]),
    Case::tiles("rank 4", &[2, 2, 32, 32], Bf16)
        .cut(Width, [128, 32], (0, 0, 0, 0), Row)
        .blackhole(&[1, 2048, 1, 1, 4, 4, 258])
        .wormhole(&[1, 2048, 1, 1, 4, 4, 4626]),
    Case::tiles("rank1", &[100], Bf16)
        .cut(Height, [32, 128], (0, 0, 0, 0), Row)
        .blackhole(&[1, 2048, 1, 1, 4, 4, 258])
        .wormhole(&[1, 2048, 1, 1, 4, 4, 4626]),
];
