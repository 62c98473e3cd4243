//! Unpacker and packer: bytes in L1 to registers and back.
//!
//! What a tile register holds after `copy_tile`, and what the packer makes of it:
//!
//! | format | 16-bit registers | 32-bit registers | packed from them |
//! | --- | --- | --- | --- |
//! | bf16, bfp8_b, bfp4_b | the bf16 value | the value | rounded to the format |
//! | f32 | cut to bf16 | cut to TF32; all bits with `UnpackToDestFp32` | 16-bit: bf16 precision; 32-bit: all bits |
//! | u32, i32 | not possible | the bits | the bits |
//! | u16 | the bits, in the order of a bf16 register | the number, in the lower half | 16-bit and the *upper* half of 32-bit registers |
//! | u8 | not possible | the number | the number, cut to 0..=255 |
//!
//! So a u16 tile cannot be copied through 32-bit registers: what was unpacked to the lower half is packed from the upper one.

use super::lanes::{Lanes, dispatch};
use super::{MathConfig, Tile, block_float};
use crate::tensor::format::DataFormat;

const BF16_BYTES: usize = 2048;
const F32_BYTES: usize = 4096;
const U8_BYTES: usize = 1024;

/// Unpacks a tile into a source register: bf16 as it is, block floats as the bf16 values they are, f32 cut to TF32 (32-bit tile registers)
/// or bf16. The matrix unit has no use for integers; their bits are taken as bf16 or f32.
///
/// # Panics
/// If `l1` is shorter than a tile of the format.
pub fn unpack_src(cfg: &MathConfig, format: DataFormat, l1: &[u8], src: &mut Tile) {
    match (format, cfg.fp32_dest) {
        (DataFormat::Bf16, _) => widen(l1[..BF16_BYTES].as_ptr().cast(), src),
        (DataFormat::F32 | DataFormat::U32 | DataFormat::I32, true) => cut_tf32(l1[..F32_BYTES].as_ptr().cast(), src),
        (DataFormat::F32 | DataFormat::U32 | DataFormat::I32, false) => cut_bf16(l1[..F32_BYTES].as_ptr().cast(), src),
        (DataFormat::Bfp8B | DataFormat::Bfp4B, _) => block_float::unpack(format, l1, src),
        (DataFormat::U16, _) => {
            for (element, bytes) in src.0.iter_mut().zip(l1[..BF16_BYTES].chunks_exact(2)) {
                *element = f32::from_bits(u16_to_register(u16::from_le_bytes([bytes[0], bytes[1]])));
            }
        }
        (DataFormat::U8, _) => numbers(&l1[..U8_BYTES], src),
    }
}

/// `copy_tile`: through SrcA into the tile register. 16-bit registers take the bits as they are. 32-bit registers are written by an
/// addition of zero, which flushes denormals and -0 and turns NaN into infinity. Integers of 32 bits go there past the source registers.
///
/// # Panics
/// If `l1` is shorter than a tile of the format.
pub fn copy_tile(cfg: &MathConfig, format: DataFormat, l1: &[u8], dst: &mut Tile) {
    match (format, cfg.fp32_dest) {
        (DataFormat::Bf16, true) => copy_fp32_bf16(l1[..BF16_BYTES].as_ptr().cast(), dst),
        (DataFormat::F32, true) => copy_fp32_tf32(l1[..F32_BYTES].as_ptr().cast(), dst),
        (DataFormat::Bfp8B | DataFormat::Bfp4B, true) => {
            block_float::unpack(format, l1, dst);
            add_zero_to(dst);
        }
        (DataFormat::U32 | DataFormat::I32, _) => unpack_to_dest_fp32(l1, dst),
        (DataFormat::U16, true) => {
            for (element, bytes) in dst.0.iter_mut().zip(l1[..BF16_BYTES].chunks_exact(2)) {
                *element = f32::from_bits(u16::from_le_bytes([bytes[0], bytes[1]]).into());
            }
        }
        (DataFormat::U8, _) => numbers(&l1[..U8_BYTES], dst),
        (_, false) => unpack_src(cfg, format, l1, dst),
    }
}

/// Bytes as numbers in the low bits of a register.
fn numbers(l1: &[u8], dst: &mut Tile) {
    for (element, &byte) in dst.0.iter_mut().zip(l1) {
        *element = f32::from_bits(byte.into());
    }
}

/// The bits of a tile register (as the value of a bf16) that hold a u16: registers keep the mantissa above the exponent.
#[inline]
pub fn u16_to_register(value: u16) -> u32 {
    let value = u32::from(value);
    (value & 0x8000 | (value & 0xFF) << 7 | value >> 8 & 0x7F) << 16
}

/// The u16 in (the upper half of) a tile register.
#[inline]
pub fn u16_from_register(bits: u32) -> u16 {
    let half = bits >> 16;
    (half & 0x8000 | (half & 0x7F) << 8 | half >> 7 & 0xFF) as u16
}

/// `copy_tile` of a circular buffer in mode `UnpackToDestFp32`: all 32 bits, past the source registers.
///
/// # Panics
/// If `l1` is shorter than an f32 tile.
pub fn unpack_to_dest_fp32(l1: &[u8], dst: &mut Tile) {
    // SAFETY: the slice holds 4096 bytes and the tile as many; an f32 may hold any bits.
    unsafe { dst.words_mut().cast::<u8>().copy_from_nonoverlapping(l1[..F32_BYTES].as_ptr(), F32_BYTES) }
}

/// Packs a tile register into L1. To bf16 a 32-bit value is rounded half away from zero, NaN becomes infinity, denormals and -0
/// become +0; a 16-bit value only gets the latter two. f32 and integers from 32-bit registers keep every bit.
///
/// # Panics
/// If `l1` is shorter than a tile of the format.
pub fn pack(cfg: &MathConfig, dst: &Tile, format: DataFormat, l1: &mut [u8]) {
    match (format, cfg.fp32_dest) {
        (DataFormat::Bf16, true) => round_bf16(dst, l1[..BF16_BYTES].as_mut_ptr().cast()),
        (DataFormat::Bf16, false) => clean_bf16(dst, l1[..BF16_BYTES].as_mut_ptr().cast()),
        // SAFETY: the slice holds 4096 bytes and the tile as many.
        (DataFormat::F32, true) | (DataFormat::U32 | DataFormat::I32, _) => unsafe {
            l1[..F32_BYTES].as_mut_ptr().copy_from_nonoverlapping(dst.words().cast(), F32_BYTES);
        },
        (DataFormat::F32, false) => clean_f32(dst, l1[..F32_BYTES].as_mut_ptr().cast()),
        (DataFormat::Bfp8B | DataFormat::Bfp4B, _) => block_float::pack(cfg, dst, format, l1),
        (DataFormat::U16, _) => {
            for (bytes, element) in l1[..BF16_BYTES].chunks_exact_mut(2).zip(&dst.0) {
                bytes.copy_from_slice(&u16_from_register(element.to_bits()).to_le_bytes());
            }
        }
        (DataFormat::U8, _) => {
            for (byte, element) in l1[..U8_BYTES].iter_mut().zip(&dst.0) {
                // Sign and magnitude: what is negative becomes 0.
                *byte = element.to_bits().cast_signed().clamp(0, 255) as u8;
            }
        }
    }
}

/// An addition of zero to a whole tile.
fn add_zero_to(tile: &mut Tile) {
    let words = tile.words_mut();
    add_zero_in_place(words);
}

dispatch!(fn add_zero_in_place(words: *mut u32) = add_zero_in_place_lanes);
dispatch!(fn widen(l1: *const u16, tile: &mut Tile) = widen_lanes);
dispatch!(fn cut_tf32(l1: *const u32, tile: &mut Tile) = cut_tf32_lanes);
dispatch!(fn cut_bf16(l1: *const u32, tile: &mut Tile) = cut_bf16_lanes);
dispatch!(fn copy_fp32_bf16(l1: *const u16, tile: &mut Tile) = copy_fp32_bf16_lanes);
dispatch!(fn copy_fp32_tf32(l1: *const u32, tile: &mut Tile) = copy_fp32_tf32_lanes);
dispatch!(fn round_bf16(tile: &Tile, l1: *mut u16) = round_bf16_lanes);
dispatch!(fn clean_bf16(tile: &Tile, l1: *mut u16) = clean_bf16_lanes);
dispatch!(fn clean_f32(tile: &Tile, l1: *mut u32) = clean_f32_lanes);

const MAGNITUDE: u32 = 0x7FFF_FFFF;
const INFINITY: u32 = 0x7F80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;

/// An addition of zero in the matrix unit.
#[inline(always)]
unsafe fn add_zero<L: Lanes>(v: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let magnitude = L::and(v, L::splat(MAGNITUDE));
        let sign = L::and(v, L::splat(!MAGNITUDE));
        let clipped = L::or(L::min(magnitude, L::splat(INFINITY)), sign);
        L::keep(L::gt(magnitude, L::splat(MIN_NORMAL - 1)), clipped)
    }
}

macro_rules! each_vector {
    ($(#[$doc:meta])* $name:ident<$L:ident>($from:ident: $from_ty:ty => $to:ident: $to_ty:ty) $load:expr, |$v:ident| $map:expr, $store:expr) => {
        $(#[$doc])*
        #[inline(always)]
        unsafe fn $name<$L: Lanes>($from: $from_ty, $to: $to_ty) {
            // SAFETY: the callers above pass whole tiles and the instruction set is the caller's.
            unsafe {
                let (from, to) = ($from.pointer(), $to.pointer());
                for i in (0..1024).step_by($L::N) {
                    let $v = $load(from.add(i));
                    let out = $map;
                    $store(to.add(i), out);
                }
            }
        }
    };
}

/// Where the elements of an operand begin.
trait Pointer {
    type To;
    fn pointer(self) -> Self::To;
}
impl<T> Pointer for *const T {
    type To = *const T;
    fn pointer(self) -> *const T {
        self
    }
}
impl<T> Pointer for *mut T {
    type To = *mut T;
    fn pointer(self) -> *mut T {
        self
    }
}
impl Pointer for &Tile {
    type To = *const u32;
    fn pointer(self) -> *const u32 {
        self.words()
    }
}
impl Pointer for &mut Tile {
    type To = *mut u32;
    fn pointer(self) -> *mut u32 {
        self.words_mut()
    }
}

#[inline(always)]
unsafe fn add_zero_in_place_lanes<L: Lanes>(words: *mut u32) {
    // SAFETY: the words are those of a whole tile, and the instruction set is the caller's.
    unsafe {
        for i in (0..1024).step_by(L::N) {
            L::store(words.add(i), add_zero::<L>(L::load(words.add(i))));
        }
    }
}

each_vector!(widen_lanes<L>(l1: *const u16 => tile: &mut Tile) L::load16, |v| L::shl::<16>(v), L::store);
each_vector!(cut_tf32_lanes<L>(l1: *const u32 => tile: &mut Tile) L::load, |v| L::and(v, L::splat(0xFFFF_E000)), L::store);
each_vector!(
    /// Denormals become zeros of their sign here.
    cut_bf16_lanes<L>(l1: *const u32 => tile: &mut Tile)
    L::load,
    |v| {
        let normal = L::gt(L::and(v, L::splat(MAGNITUDE)), L::splat(MIN_NORMAL - 1));
        L::and(v, L::select(normal, L::splat(0xFFFF_0000), L::splat(!MAGNITUDE)))
    },
    L::store
);
each_vector!(copy_fp32_bf16_lanes<L>(l1: *const u16 => tile: &mut Tile) L::load16, |v| add_zero::<L>(L::shl::<16>(v)), L::store);
each_vector!(
    copy_fp32_tf32_lanes<L>(l1: *const u32 => tile: &mut Tile)
    L::load,
    |v| add_zero::<L>(L::and(v, L::splat(0xFFFF_E000))),
    L::store
);
each_vector!(
    round_bf16_lanes<L>(tile: &Tile => l1: *mut u16)
    L::load,
    |v| {
        let magnitude = L::min(L::and(v, L::splat(MAGNITUDE)), L::splat(INFINITY));
        let rounded = L::shr::<16>(L::add(magnitude, L::splat(0x8000)));
        let sign = L::shl::<15>(L::shr::<31>(v));
        L::keep(L::gt(rounded, L::splat(0x7F)), L::or(rounded, sign))
    },
    L::store16
);
each_vector!(clean_bf16_lanes<L>(tile: &Tile => l1: *mut u16) L::load, |v| L::shr::<16>(add_zero::<L>(v)), L::store16);
each_vector!(clean_f32_lanes<L>(tile: &Tile => l1: *mut u32) L::load, |v| add_zero::<L>(v), L::store);
