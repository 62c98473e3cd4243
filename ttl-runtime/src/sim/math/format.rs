//! Unpacker and packer: bytes in L1 to registers and back.

use super::lanes::{Lanes, dispatch};
use super::{MathConfig, Tile};
use crate::tensor::format::DataFormat;

const BF16_BYTES: usize = 2048;
const F32_BYTES: usize = 4096;

/// Unpacks a tile into a source register: bf16 as it is, f32 cut to TF32 (32-bit tile registers) or bf16.
///
/// # Panics
/// If `l1` is shorter than a tile of the format.
pub fn unpack_src(cfg: &MathConfig, format: DataFormat, l1: &[u8], src: &mut Tile) {
    match (format, cfg.fp32_dest) {
        (DataFormat::Bf16, _) => widen(l1[..BF16_BYTES].as_ptr().cast(), src),
        (DataFormat::F32, true) => cut_tf32(l1[..F32_BYTES].as_ptr().cast(), src),
        (DataFormat::F32, false) => cut_bf16(l1[..F32_BYTES].as_ptr().cast(), src),
    }
}

/// `copy_tile`: through SrcA into the tile register. 16-bit registers take the bits as they are. 32-bit registers are written by an
/// addition of zero, which flushes denormals and -0 and turns NaN into infinity.
///
/// # Panics
/// If `l1` is shorter than a tile of the format.
pub fn copy_tile(cfg: &MathConfig, format: DataFormat, l1: &[u8], dst: &mut Tile) {
    match (format, cfg.fp32_dest) {
        (DataFormat::Bf16, true) => copy_fp32_bf16(l1[..BF16_BYTES].as_ptr().cast(), dst),
        (DataFormat::F32, true) => copy_fp32_tf32(l1[..F32_BYTES].as_ptr().cast(), dst),
        (_, false) => unpack_src(cfg, format, l1, dst),
    }
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
/// become +0; a 16-bit value only gets the latter two. f32 from 32-bit registers keeps every bit.
///
/// # Panics
/// If `l1` is shorter than a tile of the format.
pub fn pack(cfg: &MathConfig, dst: &Tile, format: DataFormat, l1: &mut [u8]) {
    match (format, cfg.fp32_dest) {
        (DataFormat::Bf16, true) => round_bf16(dst, l1[..BF16_BYTES].as_mut_ptr().cast()),
        (DataFormat::Bf16, false) => clean_bf16(dst, l1[..BF16_BYTES].as_mut_ptr().cast()),
        // SAFETY: the slice holds 4096 bytes and the tile as many.
        (DataFormat::F32, true) => unsafe {
            l1[..F32_BYTES].as_mut_ptr().copy_from_nonoverlapping(dst.words().cast(), F32_BYTES);
        },
        (DataFormat::F32, false) => clean_f32(dst, l1[..F32_BYTES].as_mut_ptr().cast()),
    }
}

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
