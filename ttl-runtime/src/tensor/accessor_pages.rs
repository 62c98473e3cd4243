//! As `accessor_words.rs`, of row-major tensors and of tensors that are sharded in DRAM: words, pages, bytes of a page, and how far behind the
//! allocator of ttnn 0.81.1 put the next tensor in DRAM.

use super::case::Case;
use crate::tensor::format::DataFormat::{Bf16, Bfp4B, Bfp8B, F32, U8};
use crate::tensor::memory::Orientation::{Col, Row};
use crate::tensor::memory::ShardLayout::{Block, Height, Width};

pub(super) const CASES: &[Case] = &[
    Case::rows("row dram 96 bf16", &[5, 96], Bf16)
        .dram()
        .blackhole(&[2, 192])
        .wormhole(&[2, 192])
        .pages(5, 192)
        .per_bank(192),
    Case::rows("row dram 70 bf16", &[5, 70], Bf16)
        .dram()
        .blackhole(&[2, 192])
        .wormhole(&[2, 160])
        .pages(5, 140)
        .per_bank(192),
    Case::rows("row dram 33 bf16", &[5, 33], Bf16)
        .dram()
        .blackhole(&[2, 128])
        .wormhole(&[2, 96])
        .pages(5, 66)
        .per_bank(128),
    Case::rows("row dram 1 bf16", &[5, 1], Bf16).dram().blackhole(&[2, 64]).wormhole(&[2, 32]).pages(5, 2).per_bank(64),
    Case::rows("row l1 70 bf16", &[5, 70], Bf16).blackhole(&[0, 144]).wormhole(&[0, 144]).pages(5, 140),
    Case::rows("row dram 96 f32", &[5, 96], F32)
        .dram()
        .blackhole(&[2, 384])
        .wormhole(&[2, 384])
        .pages(5, 384)
        .per_bank(384),
    Case::rows("row dram 70 f32", &[5, 70], F32)
        .dram()
        .blackhole(&[2, 320])
        .wormhole(&[2, 288])
        .pages(5, 280)
        .per_bank(320),
    Case::rows("row dram 33 f32", &[5, 33], F32)
        .dram()
        .blackhole(&[2, 192])
        .wormhole(&[2, 160])
        .pages(5, 132)
        .per_bank(192),
    Case::rows("row dram 1 f32", &[5, 1], F32).dram().blackhole(&[2, 64]).wormhole(&[2, 32]).pages(5, 4).per_bank(64),
    Case::rows("row l1 70 f32", &[5, 70], F32).blackhole(&[0, 288]).wormhole(&[0, 288]).pages(5, 280),
    Case::rows("row dram 96 u8", &[5, 96], U8)
        .dram()
        .blackhole(&[2, 128])
        .wormhole(&[2, 96])
        .pages(5, 96)
        .per_bank(128),
    Case::rows("row dram 70 u8", &[5, 70], U8)
        .dram()
        .blackhole(&[2, 128])
        .wormhole(&[2, 96])
        .pages(5, 70)
        .per_bank(128),
    Case::rows("row dram 33 u8", &[5, 33], U8).dram().blackhole(&[2, 64]).wormhole(&[2, 64]).pages(5, 33).per_bank(64),
    Case::rows("row dram 1 u8", &[5, 1], U8).dram().blackhole(&[2, 64]).wormhole(&[2, 32]).pages(5, 1).per_bank(64),
    Case::rows("row l1 70 u8", &[5, 70], U8).blackhole(&[0, 80]).wormhole(&[0, 80]).pages(5, 70),
    Case::rows("row 3d bf16", &[2, 3, 40], Bf16)
        .dram()
        .blackhole(&[2, 128])
        .wormhole(&[2, 96])
        .pages(6, 80)
        .per_bank(128),
    Case::rows("row 1d bf16", &[100], Bf16).dram().blackhole(&[2, 256]).wormhole(&[2, 224]).pages(1, 200).per_bank(256),
    Case::tiles("tile bf8b bf8b", &[64, 96], Bfp8B)
        .dram()
        .blackhole(&[2, 1088])
        .wormhole(&[2, 1088])
        .pages(6, 1088)
        .per_bank(1088),
    Case::tiles("tile bf4b l1 bf4b", &[64, 96], Bfp4B).blackhole(&[0, 576]).wormhole(&[0, 576]).pages(6, 576),
    Case::tiles("tile u8 u8", &[64, 96], U8)
        .dram()
        .blackhole(&[2, 1024])
        .wormhole(&[2, 1024])
        .pages(6, 1024)
        .per_bank(1024),
    Case::rows("row height bf16", &[64, 96], Bf16)
        .cut(Height, [16, 96], (0, 0, 3, 0), Row)
        .blackhole(&[1, 192, 1, 4, 64, 16, 33685762, 67240706])
        .wormhole(&[1, 192, 1, 4, 64, 16, 319951378, 353506322])
        .pages(64, 192),
    Case::rows("row height uneven bf16", &[50, 96], Bf16)
        .cut(Height, [16, 96], (0, 0, 3, 0), Row)
        .blackhole(&[1, 192, 1, 4, 50, 16, 33685762, 67240706])
        .wormhole(&[1, 192, 1, 4, 50, 16, 319951378, 353506322])
        .pages(50, 192),
    Case::rows("row height odd cols bf16", &[64, 70], Bf16)
        .cut(Height, [16, 70], (0, 0, 3, 0), Row)
        .blackhole(&[1, 144, 1, 4, 64, 16, 33685762, 67240706])
        .wormhole(&[1, 144, 1, 4, 64, 16, 319951378, 353506322])
        .pages(64, 140),
    Case::rows("row width bf16", &[20, 96], Bf16)
        .cut(Width, [20, 32], (0, 0, 2, 0), Row)
        .blackhole(&[1, 64, 2, 3, 20, 3, 20, 1, 33685762, 770])
        .wormhole(&[1, 64, 2, 3, 20, 3, 20, 1, 319951378, 5138])
        .pages(60, 64),
    Case::rows("row width uneven bf16", &[20, 80], Bf16)
        .cut(Width, [20, 32], (0, 0, 2, 0), Row)
        .blackhole(&[1, 64, 2, 3, 20, 3, 20, 1, 33685762, 770])
        .wormhole(&[1, 64, 2, 3, 20, 3, 20, 1, 319951378, 5138])
        .pages(60, 64),
    Case::rows("row width 8 bf16", &[20, 24], Bf16)
        .cut(Width, [20, 8], (0, 0, 2, 0), Row)
        .blackhole(&[1, 16, 2, 3, 20, 3, 20, 1, 33685762, 770])
        .wormhole(&[1, 16, 2, 3, 20, 3, 20, 1, 319951378, 5138])
        .pages(60, 16),
    Case::rows("row width 4 bf16", &[20, 12], Bf16)
        .cut(Width, [20, 4], (0, 0, 2, 0), Row)
        .blackhole(&[1, 16, 2, 3, 20, 3, 20, 1, 33685762, 770])
        .wormhole(&[1, 16, 2, 3, 20, 3, 20, 1, 319951378, 5138])
        .pages(60, 8),
    Case::rows("row block f32", &[40, 96], F32)
        .cut(Block, [20, 32], (0, 0, 2, 1), Row)
        .blackhole(&[1, 128, 2, 6, 40, 3, 20, 1, 33685762, 16974594, 50528771])
        .wormhole(&[1, 128, 2, 6, 40, 3, 20, 1, 319951378, 303240210, 336794387])
        .pages(120, 128),
    Case::rows("row block col f32", &[40, 96], F32)
        .cut(Block, [20, 32], (0, 0, 1, 2), Col)
        .blackhole(&[1, 128, 2, 6, 40, 3, 20, 1, 16974082, 33685764, 33817091])
        .wormhole(&[1, 128, 2, 6, 40, 3, 20, 1, 303239698, 319951380, 320082707])
        .pages(120, 128),
    Case::rows("row one stick width bf16", &[1, 96], Bf16)
        .cut(Width, [1, 32], (0, 0, 2, 0), Row)
        .blackhole(&[1, 64, 1, 3, 3, 1, 33685762, 770])
        .wormhole(&[1, 64, 1, 3, 3, 1, 319951378, 5138])
        .pages(3, 64),
    Case::tiles("dram width bf16", &[64, 256], Bf16)
        .dram()
        .cut(Width, [64, 32], (0, 0, 7, 0), Row)
        .blackhole(&[3, 2048, 2, 8, 2, 8, 2, 1, 16777216, 50332160, 83887104, 117442048])
        .wormhole(&[3, 2048, 2, 8, 2, 8, 2, 1, 16777216, 50332160, 83887104, 117442048])
        .pages(16, 2048)
        .per_bank(4096),
    Case::tiles("dram width bfp8 bf8b", &[64, 256], Bfp8B)
        .dram()
        .cut(Width, [64, 64], (0, 0, 3, 0), Row)
        .blackhole(&[3, 1088, 2, 4, 2, 8, 2, 2, 16777216, 50332160])
        .wormhole(&[3, 1088, 2, 4, 2, 8, 2, 2, 16777216, 50332160])
        .pages(16, 1088)
        .per_bank(4352),
    Case::tiles("dram width one row bf16", &[32, 256], Bf16)
        .dram()
        .cut(Width, [32, 64], (0, 0, 3, 0), Row)
        .blackhole(&[3, 2048, 1, 4, 8, 2, 16777216, 50332160])
        .wormhole(&[3, 2048, 1, 4, 8, 2, 16777216, 50332160])
        .pages(8, 2048)
        .per_bank(4096),
    Case::tiles("dram width uneven bf16", &[64, 224], Bf16)
        .dram()
        .cut(Width, [64, 64], (0, 0, 3, 0), Row)
        .blackhole(&[3, 2048, 2, 4, 2, 7, 2, 2, 16777216, 50332160])
        .wormhole(&[3, 2048, 2, 4, 2, 7, 2, 2, 16777216, 50332160])
        .pages(14, 2048)
        .per_bank(8192),
    Case::tiles("dram width 2nd banks bf16", &[64, 128], Bf16)
        .dram()
        .cut(Width, [64, 64], (2, 0, 3, 0), Row)
        .blackhole(&[3, 2048, 2, 2, 2, 4, 2, 2, 50332160])
        .wormhole(&[3, 2048, 2, 2, 2, 4, 2, 2, 50332160])
        .pages(8, 2048)
        .per_bank(8192),
    Case::tiles("dram width col bf16", &[64, 256], Bf16)
        .dram()
        .cut(Width, [64, 64], (0, 0, 3, 0), Col)
        .blackhole(&[3, 2048, 2, 4, 2, 8, 2, 2, 16777216, 50332160])
        .wormhole(&[3, 2048, 2, 4, 2, 8, 2, 2, 16777216, 50332160])
        .pages(16, 2048)
        .per_bank(8192),
    Case::tiles("dram height bf16", &[256, 64], Bf16)
        .dram()
        .cut(Height, [64, 64], (0, 0, 3, 0), Row)
        .blackhole(&[3, 2048, 1, 4, 16, 4, 16777216, 50332160])
        .wormhole(&[3, 2048, 1, 4, 16, 4, 16777216, 50332160])
        .pages(16, 2048)
        .per_bank(8192),
    Case::tiles("dram block bf16", &[64, 128], Bf16)
        .dram()
        .cut(Block, [64, 32], (0, 0, 3, 0), Row)
        .blackhole(&[3, 2048, 2, 4, 2, 4, 2, 1, 16777216, 50332160])
        .wormhole(&[3, 2048, 2, 4, 2, 4, 2, 1, 16777216, 50332160])
        .pages(8, 2048)
        .per_bank(4096),
    Case::rows("dram width row bf16", &[20, 256], Bf16)
        .dram()
        .cut(Width, [20, 64], (0, 0, 3, 0), Row)
        .blackhole(&[3, 128, 2, 4, 20, 4, 20, 1, 16777216, 50332160])
        .wormhole(&[3, 128, 2, 4, 20, 4, 20, 1, 16777216, 50332160])
        .pages(80, 128)
        .per_bank(2560),
    Case::tiles("dram width 12 bf16", &[32, 384], Bf16)
        .dram()
        .cut(Width, [32, 32], (0, 0, 11, 0), Row)
        .wormhole(&[3, 2048, 1, 12, 12, 1, 16777216, 50332160, 83887104, 117442048, 150996992, 184551936])
        .pages(12, 2048),
];
