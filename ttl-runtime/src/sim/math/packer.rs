//! What the packer does to values on their way to L1: ReLU, and adding to what is there.

use super::MathConfig;
use crate::ops::Relu;
use crate::tensor::format::DataFormat;

/// Applies ReLU with a threshold in bf16 bits to a packed tile. False if that is not known for the format.
pub fn relu(cfg: &MathConfig, relu: Relu, threshold: u16, format: DataFormat, l1: &mut [u8]) -> bool {
    let narrow = |value: u16| match relu {
        Relu::None => value,
        _ if value & 0x8000 != 0 => 0,
        Relu::Min if value <= threshold => 0,
        Relu::Max if value > threshold => threshold,
        _ => value,
    };
    // Of wide values and the threshold, only what TF32 has is compared.
    let wide_threshold = u32::from(threshold) << 16;
    let wide = |value: u32| match relu {
        Relu::None => value,
        _ if value & 0x8000_0000 != 0 => 0,
        Relu::Min if value <= wide_threshold => 0,
        Relu::Max if value >> 13 > wide_threshold >> 13 => wide_threshold,
        _ => value,
    };
    match format {
        DataFormat::Bf16 => {
            for bytes in l1.as_chunks_mut::<2>().0 {
                *bytes = narrow(u16::from_le_bytes(*bytes)).to_le_bytes();
            }
        }
        DataFormat::F32 if cfg.fp32_dest => {
            for bytes in l1.as_chunks_mut::<4>().0 {
                *bytes = wide(u32::from_le_bytes(*bytes)).to_le_bytes();
            }
        }
        DataFormat::F32 => {
            for bytes in l1.as_chunks_mut::<4>().0 {
                let value = u32::from_le_bytes(*bytes) >> 16;
                *bytes = (u32::from(narrow(value as u16)) << 16).to_le_bytes();
            }
        }
        _ => return false,
    }
    true
}

/// Adds a packed tile to the one in L1. False if the packer cannot do that for the format.
pub fn accumulate_l1(format: DataFormat, packed: &[u8], l1: &mut [u8]) -> bool {
    match format {
        DataFormat::F32 => {
            for (old, new) in l1.as_chunks_mut::<4>().0.iter_mut().zip(packed.as_chunks::<4>().0) {
                *old = add_f32(u32::from_le_bytes(*old), u32::from_le_bytes(*new)).to_le_bytes();
            }
        }
        DataFormat::Bf16 => {
            for (old, new) in l1.as_chunks_mut::<2>().0.iter_mut().zip(packed.as_chunks::<2>().0) {
                *old = add_bf16(u16::from_le_bytes(*old), u16::from_le_bytes(*new)).to_le_bytes();
            }
        }
        _ => return false,
    }
    true
}

/// IEEE with denormals as zeros and one NaN.
fn add_f32(old: u32, new: u32) -> u32 {
    let flush = |v: u32| if v & 0x7FFF_FFFF < 0x80_0000 { v & 0x8000_0000 } else { v };
    let sum = (f32::from_bits(flush(old)) + f32::from_bits(flush(new))).to_bits();
    if sum & 0x7FFF_FFFF > 0x7F80_0000 { 0x7FC0_0000 } else { flush(sum) }
}

/// Rounded to nearest, ties to even. Infinities are such, but NaNs are very large numbers.
fn add_bf16(old: u16, new: u16) -> u16 {
    if matches!((old, new), (0x7F80, 0xFF80) | (0xFF80, 0x7F80)) {
        return 0x7FC0;
    }
    let value = |v: u16, nan: u64| {
        let sign = u64::from(v & 0x8000) << 48;
        match v & 0x7FFF {
            0..0x80 => f64::from_bits(sign),
            0x7F81.. => f64::from_bits(sign | nan),
            _ => f64::from(f32::from_bits(u32::from(v) << 16)),
        }
    };
    let largest = (0x7FF << 52) - 1;
    let beyond = (255 - 127 + 1023) << 52 | u64::from(new & 0x7F) << 45;
    let sum = (value(old, largest) + value(new, beyond)).to_bits();
    let sign = (sum >> 63 << 15) as u16;
    let exponent = (sum >> 52 & 0x7FF) as i32 - 1023 + 127;
    let mantissa = sum & ((1 << 52) - 1);
    match exponent {
        ..=0 => sign,
        255.. => sign | 0x7F80,
        _ => {
            let rounded = (mantissa + (1 << 44) - 1 + (mantissa >> 45 & 1)) >> 45;
            sign | ((exponent as u64) << 7).wrapping_add(rounded) as u16
        }
    }
}
