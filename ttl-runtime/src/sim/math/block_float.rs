//! Block floats in the unpacker and the packer. Tiles lie in L1 as on the host: 64 exponents, then the elements.

use super::{MathConfig, Tile};
use crate::tensor::format::{DataFormat, TILE_ELEMENTS};

const ROW: usize = 16;
const EXPONENTS: usize = TILE_ELEMENTS / ROW;
const SIGN: u32 = 0x8000_0000;

/// Elements as bf16 values, which is exact. A magnitude of 0 with a sign is minus infinity, and exponents wrap around below 0: the chip
/// does so, and the packer writes neither.
pub(super) fn unpack(format: DataFormat, l1: &[u8], tile: &mut Tile) {
    let (exponents, codes) = l1[..format.tile_bytes() as usize].split_at(EXPONENTS);
    let rows = tile.0.chunks_exact_mut(ROW).zip(exponents);
    if format == DataFormat::Bfp4B {
        for ((row, &exponent), codes) in rows.zip(codes.chunks_exact(ROW / 2)) {
            for (pair, &code) in row.chunks_exact_mut(2).zip(codes) {
                // The unpacker widens 4 bits to 8.
                pair[0] = value(exponent, code << 4);
                pair[1] = value(exponent, code & 0xF0);
            }
        }
    } else {
        for ((row, &exponent), codes) in rows.zip(codes.chunks_exact(ROW)) {
            for (element, &code) in row.iter_mut().zip(codes) {
                *element = value(exponent, code);
            }
        }
    }
}

/// The value of an 8-bit element.
#[inline]
fn value(exponent: u8, code: u8) -> f32 {
    let magnitude = u32::from(code & 0x7F);
    let sign = u32::from(code & 0x80) << 24;
    if magnitude == 0 {
        return if sign == 0 { 0.0 } else { f32::NEG_INFINITY };
    }
    // The magnitude's own exponent is relative to bit 6, which is 1.0.
    let normal = (magnitude as f32).to_bits();
    let biased = normal.wrapping_add((u32::from(exponent).wrapping_sub(133)) << 23) & 0x7F80_0000;
    f32::from_bits(sign | biased | normal & 0x007F_FFFF)
}

/// Packs a tile register. Unless `bfp8_pack_precise` is set, each value is first rounded on its own to 7 significant bits; then all of a
/// row are aligned to its largest exponent and rounded to 7 bits, both half away from zero. 4-bit elements are the upper bits of these.
pub(super) fn pack(cfg: &MathConfig, tile: &Tile, format: DataFormat, l1: &mut [u8]) {
    let (exponents, codes) = l1[..format.tile_bytes() as usize].split_at_mut(EXPONENTS);
    let narrow = format == DataFormat::Bfp4B;
    let width = if narrow { ROW / 2 } else { ROW };
    let rows = tile.0.chunks_exact(ROW).zip(exponents).zip(codes.chunks_exact_mut(width));
    for ((row, exponent), codes) in rows {
        let mut halves = [0u32; ROW];
        for (half, value) in halves.iter_mut().zip(row) {
            *half = early(cfg, value.to_bits());
        }
        let shared = halves.iter().map(|h| h >> 7 & 0xFF).fold(0, u32::max);
        *exponent = shared as u8;
        let code = |half: u32| -> u8 {
            let own = half >> 7 & 0xFF;
            let mantissa = if own == 0 { half & 0x7F } else { half & 0x7F | 0x80 };
            let shift = shared - own;
            let magnitude = if shift >= 8 { 0 } else { ((mantissa + (1 << shift)) >> (shift + 1)).min(0x7F) };
            let magnitude = if narrow { magnitude & 0x70 } else { magnitude };
            let sign = if magnitude == 0 { 0 } else { half >> 8 & 0x80 };
            (sign | magnitude) as u8
        };
        if narrow {
            for (byte, pair) in codes.iter_mut().zip(halves.chunks_exact(2)) {
                *byte = code(pair[0]) >> 4 | code(pair[1]) & 0xF0;
            }
        } else {
            for (byte, &half) in codes.iter_mut().zip(&halves) {
                *byte = code(half);
            }
        }
    }
}

/// A register value as the 16 bits that the packer aligns.
#[inline]
fn early(cfg: &MathConfig, bits: u32) -> u32 {
    let infinity = bits >> 16 & 0x8000 | 0x7F80;
    match (cfg.fp32_dest, cfg.bfp8_pack_precise) {
        (true, true) => flushed(bits >> 16),
        (true, false) => {
            let half = if bits & !SIGN > 0x7F80_0000 { infinity } else { bits >> 16 };
            flushed((half + 1) & !1)
        }
        (false, precise) => {
            let half = if bits & !SIGN > 0x7F80_0000 { infinity } else { flushed(bits >> 16) };
            if precise { half } else { (half + 1) & !1 }
        }
    }
}

/// Denormals and -0 become +0.
#[inline]
fn flushed(half: u32) -> u32 {
    if half & 0x7FFF < 0x80 { 0 } else { half }
}
