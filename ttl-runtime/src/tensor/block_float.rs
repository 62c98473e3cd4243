//! Block floats (`bfp8_b`, `bfp4_b`) on the host: f32 to tiles and back.
//!
//! A tile is one exponent byte for each of its 64 face rows of 16 elements (in the order of the faces), then the elements in tile order:
//! a sign bit and 7 or 3 bits of magnitude with an explicit leading one; of two 4-bit elements the first is in the low half of their
//! byte. The value is `magnitude / 2^(bits - 1) * 2^(exponent - 127)`. The host rounds to nearest, ties to even, as TT-Metalium's host
//! side does; the packer of the chip rounds otherwise.

use super::format::{DataFormat, FACE_DIM, TILE_ELEMENTS};

const ROW: usize = FACE_DIM as usize;
const EXPONENTS: usize = TILE_ELEMENTS / ROW;

/// Bits of a magnitude. Other formats have none.
const fn magnitude_bits(format: DataFormat) -> u32 {
    match format {
        DataFormat::Bfp4B => 3,
        _ => 7,
    }
}

/// Puts the element codes of a tile (sign above the magnitude) behind its exponents.
fn write_codes(format: DataFormat, index: usize, code: u8, tile: &mut [u8]) {
    let codes = &mut tile[EXPONENTS..];
    if format == DataFormat::Bfp4B {
        codes[index / 2] |= code << (4 * (index % 2));
    } else {
        codes[index] = code;
    }
}

/// The code of an element of a tile.
fn read_code(format: DataFormat, index: usize, tile: &[u8]) -> u8 {
    let codes = &tile[EXPONENTS..];
    if format == DataFormat::Bfp4B { codes[index / 2] >> (4 * (index % 2)) & 15 } else { codes[index] }
}

/// Rounds 1024 elements in tile order to a tile, of which every byte must be 0.
pub(super) fn pack_tile(format: DataFormat, elements: &[f32], tile: &mut [u8]) {
    let bits = magnitude_bits(format);
    for (row, values) in elements.chunks_exact(ROW).enumerate() {
        let exponent_of = |v: f32| v.to_bits() >> 23 & 0xFF;
        let shared = values.iter().map(|&v| exponent_of(v)).fold(0, u32::max);
        tile[row] = shared as u8;
        for (i, &value) in values.iter().enumerate() {
            let exponent = exponent_of(value);
            // Denormals are zero.
            let mantissa = if exponent == 0 { 0 } else { value.to_bits() & 0x7F_FFFF | 0x80_0000 };
            let shift = (shared - exponent + 24 - bits).min(31);
            let (whole, rest, half) = (mantissa >> shift, mantissa & ((1 << shift) - 1), 1u32 << (shift - 1));
            let up = rest > half || rest == half && whole & 1 == 1;
            let magnitude = (whole + u32::from(up)).min((1 << bits) - 1);
            let sign = if magnitude == 0 { 0 } else { value.to_bits() >> 31 };
            write_codes(format, row * ROW + i, (sign << bits | magnitude) as u8, tile);
        }
    }
}

/// The elements of a tile, in tile order. A magnitude of 0 is a zero of its sign here; the chip takes -0 for minus infinity, but neither
/// the host nor the packer writes it.
pub(super) fn unpack_tile(format: DataFormat, tile: &[u8], elements: &mut [f32]) {
    let bits = magnitude_bits(format);
    for (i, element) in elements.iter_mut().enumerate() {
        let code = u32::from(read_code(format, i, tile));
        let magnitude = code & ((1 << bits) - 1);
        let power = i32::from(tile[i / ROW]) - 127 - (bits as i32 - 1);
        // Exact in f64; what exceeds f32 becomes infinity, what is below its denormals rounds as usual.
        let value = (f64::from(magnitude) * 2f64.powi(power)) as f32;
        *element = if code >> bits == 1 { -value } else { value };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::random::Random;

    fn packed(format: DataFormat, first: &[f32]) -> (u8, Vec<u8>) {
        let mut elements = vec![0.0; TILE_ELEMENTS];
        elements[..first.len()].copy_from_slice(first);
        let mut tile = vec![0; format.tile_bytes() as usize];
        pack_tile(format, &elements, &mut tile);
        assert!(tile[1..EXPONENTS].iter().all(|&e| e == 0));
        (tile[0], (0..first.len()).map(|i| read_code(format, i, &tile)).collect())
    }

    #[test]
    fn magnitudes_round_to_nearest_even_of_the_largest_exponent() {
        // 1.0 has magnitude 64, steps of 1/64.
        let (exponent, codes) =
            packed(DataFormat::Bfp8B, &[1.0, -1.0, 0.5, 1.0 / 128.0, 3.0 / 128.0, 0.0, 1.984375, 1.9999]);
        assert_eq!(exponent, 127);
        assert_eq!(codes, [64, 0x80 | 64, 32, 0, 2, 0, 127, 127]);
        let (exponent, codes) = packed(DataFormat::Bfp4B, &[1.0, 1.75, -1.125, 1.375, 0.125, -0.1, 0.25, 3.9]);
        assert_eq!(exponent, 128);
        // Steps of a half: 1.125 and 1.375 lie nearer to 1 and 1.5; 0.25 is a tie, down to even 0.
        assert_eq!(codes, [2, 4, 8 | 2, 3, 0, 0, 0, 7]);
    }

    #[test]
    fn small_elements_and_denormals_vanish() {
        let (exponent, codes) = packed(DataFormat::Bfp8B, &[f32::from_bits(1), -f32::from_bits(0x7F_FFFF)]);
        assert_eq!((exponent, codes), (0, vec![0, 0]));
        let (exponent, codes) = packed(DataFormat::Bfp8B, &[1e30, 1.0, -1.0]);
        assert_eq!((exponent, &codes[1..]), (226, &[0u8, 0][..]));
        let (exponent, codes) = packed(DataFormat::Bfp8B, &[f32::INFINITY, 1e38]);
        assert_eq!((exponent, codes), (255, vec![64, 19]));
    }

    #[test]
    fn what_a_tile_holds_comes_back_and_packs_to_the_same_tile() {
        let mut random = Random::new(3);
        for format in [DataFormat::Bfp8B, DataFormat::Bfp4B] {
            let elements: Vec<f32> = (0..TILE_ELEMENTS).map(|i| random.normal() * 2f32.powi(i as i32 % 7)).collect();
            let bytes = format.tile_bytes() as usize;
            let (mut tile, mut again) = (vec![0; bytes], vec![0; bytes]);
            let (mut back, mut twice) = (vec![0.0; TILE_ELEMENTS], vec![0.0; TILE_ELEMENTS]);
            pack_tile(format, &elements, &mut tile);
            unpack_tile(format, &tile, &mut back);
            pack_tile(format, &back, &mut again);
            unpack_tile(format, &again, &mut twice);
            assert_eq!(back, twice);
            let step = 2f32.powi(-(magnitude_bits(format) as i32));
            for (row, (e, b)) in elements.chunks(16).zip(back.chunks(16)).enumerate() {
                let largest = e.iter().fold(0f32, |m, v| m.max(v.abs()));
                for (x, y) in e.iter().zip(b) {
                    // Half a step of the row, or a whole one where the largest was cut off.
                    assert!((x - y).abs() <= 2.0 * largest * step, "{format} row {row}: {x} {y}");
                }
            }
        }
    }
}
