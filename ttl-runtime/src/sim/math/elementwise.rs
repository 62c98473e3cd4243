//! Element-wise operations of the matrix unit.

use super::accumulate::{Accumulate, Term, accumulate};
use super::lanes::{Lanes, dispatch};
use super::{MathConfig, Tile};
use crate::ops::BinaryOp;
use crate::tensor::format::DataFormat;

/// Which source register the old value of the tile register goes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReuseDest {
    /// DST = DST op tile.
    DestToSrcA,
    /// DST = tile op DST.
    DestToSrcB,
}

/// `dst = a + b`, or `dst += a + b` with `acc`.
pub fn add_tiles(cfg: &MathConfig, a: &Tile, b: &Tile, acc: bool, dst: &mut Tile) {
    add_signed(cfg, a, b, 0, acc, dst);
}

/// `dst = a - b`, or `dst += a - b` with `acc`.
pub fn sub_tiles(cfg: &MathConfig, a: &Tile, b: &Tile, acc: bool, dst: &mut Tile) {
    add_signed(cfg, a, b, 0x8000_0000, acc, dst);
}

/// `dst += a * b`, in as many passes as the fidelity has.
pub fn mul_tiles(cfg: &MathConfig, a: &Tile, b: &Tile, dst: &mut Tile) {
    let run = match (cfg.fp32_dest, cfg.wormhole()) {
        (true, false) => mul_32_blackhole,
        (true, true) => mul_32_wormhole,
        (false, _) => mul_16,
    };
    run(a, b, cfg.phases(), dst);
}

/// One operand is the tile register itself, cut to what a source register holds. The product does not accumulate.
pub fn reuse_dest(cfg: &MathConfig, op: BinaryOp, reuse: ReuseDest, format: DataFormat, tile: &Tile, dst: &mut Tile) {
    let mut old = Tile::ZERO;
    cut_register(cfg, dst, format, &mut old);
    let (a, b) = match reuse {
        ReuseDest::DestToSrcA => (&old, tile),
        ReuseDest::DestToSrcB => (tile, &old),
    };
    match op {
        BinaryOp::Add => add_tiles(cfg, a, b, false, dst),
        BinaryOp::Sub => sub_tiles(cfg, a, b, false, dst),
        _ => {
            dst.0.fill(0.0);
            mul_tiles(cfg, a, b, dst);
        }
    }
}

/// The tile register as a source register sees it.
fn cut_register(cfg: &MathConfig, dst: &Tile, format: DataFormat, out: &mut Tile) {
    let keep = if cfg.fp32_dest && format == DataFormat::F32 { 0xFFFF_E000 } else { 0xFFFF_0000 };
    for (to, from) in out.0.iter_mut().zip(&dst.0) {
        *to = f32::from_bits(from.to_bits() & keep);
    }
}

fn add_signed(cfg: &MathConfig, a: &Tile, b: &Tile, flip: u32, acc: bool, dst: &mut Tile) {
    let run = match (cfg.fp32_dest, cfg.wormhole()) {
        (true, false) => add_32_blackhole,
        (true, true) => add_32_wormhole,
        (false, _) => add_16,
    };
    run(a, b, flip, acc, dst);
}

dispatch!(fn add_32_blackhole(a: &Tile, b: &Tile, flip: u32, acc: bool, dst: &mut Tile) = add_lanes[true, false]);
dispatch!(fn add_32_wormhole(a: &Tile, b: &Tile, flip: u32, acc: bool, dst: &mut Tile) = add_lanes[true, true]);
dispatch!(fn add_16(a: &Tile, b: &Tile, flip: u32, acc: bool, dst: &mut Tile) = add_lanes[false, false]);
dispatch!(fn mul_32_blackhole(a: &Tile, b: &Tile, phases: u32, dst: &mut Tile) = mul_lanes[true, false]);
dispatch!(fn mul_32_wormhole(a: &Tile, b: &Tile, phases: u32, dst: &mut Tile) = mul_lanes[true, true]);
dispatch!(fn mul_16(a: &Tile, b: &Tile, phases: u32, dst: &mut Tile) = mul_lanes[false, false]);

/// The operand with the smaller magnitude is aligned to the other and rounded half up to its 11 bits; their exact sum is the term.
#[inline(always)]
unsafe fn add_lanes<L: Lanes, const FP32: bool, const WORMHOLE: bool>(
    a: &Tile,
    b: &Tile,
    flip: u32,
    acc: bool,
    dst: &mut Tile,
) {
    // SAFETY: tiles hold 1024 words; the instruction set is the caller's.
    unsafe {
        let zero = L::splat(0);
        for i in (0..1024).step_by(L::N) {
            let a = L::load(a.words().add(i));
            let b = L::xor(L::load(b.words().add(i)), L::splat(flip));
            let size = L::splat(0x7FFF_FFFF);
            let a_larger = L::mask_not(L::gt(L::and(b, size), L::and(a, size)));
            let large = L::select(a_larger, a, b);
            let small = L::select(a_larger, b, a);

            let exponent = L::and(L::shr::<23>(large), L::splat(255));
            let small_exponent = L::and(L::shr::<23>(small), L::splat(255));
            let large_bits = significand::<L>(large, exponent);
            let small_bits = L::shl::<1>(significand::<L>(small, small_exponent));
            let aligned = L::shrv(small_bits, L::sub(exponent, small_exponent));
            let aligned = L::shr::<1>(L::add(aligned, L::splat(1)));
            let sum = L::add(signed::<L>(large_bits, large), signed::<L>(aligned, small));
            let term = Term { value: L::shl::<14>(sum), exponent };

            let at = dst.words_mut().add(i);
            let old = if acc { L::load(at) } else { zero };
            L::store(at, accumulate::<L, 1, FP32, WORMHOLE, false>([term], old, 0));
        }
    }
}

/// `bits`, negative if `of` is.
#[inline(always)]
unsafe fn signed<L: Lanes>(bits: L::V, of: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let sign = L::sar::<31>(of);
        L::sub(L::xor(bits, sign), sign)
    }
}

/// 11 significant bits; 0 for zeros and denormals.
#[inline(always)]
unsafe fn significand<L: Lanes>(v: L::V, exponent: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let bits = L::or(L::and(L::shr::<13>(v), L::splat(0x3FF)), L::splat(0x400));
        L::keep(L::mask_not(L::eq(exponent, L::splat(0))), bits)
    }
}

#[inline(always)]
unsafe fn mul_lanes<L: Accumulate, const FP32: bool, const WORMHOLE: bool>(
    a: &Tile,
    b: &Tile,
    phases: u32,
    dst: &mut Tile,
) {
    // SAFETY: tiles hold 1024 words; the instruction set is the caller's.
    unsafe {
        let zero = L::splat(0);
        for i in (0..1024).step_by(L::N) {
            let a = L::load(a.words().add(i));
            let b = L::load(b.words().add(i));
            let a_exponent = L::and(L::shr::<23>(a), L::splat(255));
            let b_exponent = L::and(L::shr::<23>(b), L::splat(255));
            let a_bits = significand::<L>(a, a_exponent);
            let b_bits = significand::<L>(b, b_exponent);
            let present = L::mask_not(L::mask_or(L::eq(a_bits, zero), L::eq(b_bits, zero)));
            let exponent = L::sub(L::add(a_exponent, b_exponent), L::splat(127));
            let sign = L::sar::<31>(L::xor(a, b));
            let at = dst.words_mut().add(i);
            let mut sum = L::load(at);
            if FP32 && L::FAST_FMA {
                // Onto zero, the passes add up to the exact product of what they multiply: it has at most 21 bits.
                let in_range = L::mask_and(L::gt(exponent, L::splat(12)), L::gt(L::splat(251), exponent));
                let finite = L::gt(L::splat(255), L::max(a_exponent, b_exponent));
                let fits = L::mask_and(finite, L::mask_or(in_range, L::mask_not(present)));
                if !L::any(L::mask_not(L::mask_and(fits, L::eq(L::shl::<1>(sum), zero)))) {
                    L::store(at, L::keep(present, product::<L>(a, b, phases)));
                    continue;
                }
            }
            if L::EXACT {
                // Far from the limits of the exponent, as in `matmul::normal`.
                let field = L::exponent(sum);
                let register = L::mask_and(L::gt(field, L::splat(63)), L::gt(L::splat(231), field));
                let register = L::mask_or(register, L::eq(L::shl::<1>(sum), zero));
                let product = L::mask_and(L::gt(exponent, L::splat(63 + 12)), L::gt(L::splat(231), exponent));
                let product = L::mask_or(product, L::mask_not(present));
                let finite = L::gt(L::splat(255), L::max(a_exponent, b_exponent));
                if !L::any(L::mask_not(L::mask_and(L::mask_and(register, product), finite))) {
                    let (a, b) = (L::keep(present, a), L::keep(present, b));
                    L::store(at, add_product::<L, FP32, WORMHOLE>(a, b, L::keep(present, exponent), phases, sum));
                    continue;
                }
            }
            for phase in 0..phases {
                let a_part =
                    if phase & 1 == 0 { L::shr::<6>(a_bits) } else { L::and(L::shr::<1>(a_bits), L::splat(31)) };
                let b_part =
                    if phase & 2 == 0 { L::shr::<4>(b_bits) } else { L::shl::<3>(L::and(b_bits, L::splat(15))) };
                let lower = 5 * (phase & 1) + 7 * (phase >> 1);
                let exponent = L::sub(exponent, L::splat(lower));
                let keep = L::mask_and(present, L::gt(exponent, zero));
                let product = L::shl::<14>(L::mul15(a_part, b_part));
                let value = L::keep(keep, L::sub(L::xor(product, sign), sign));
                let term = Term { value, exponent: L::keep(keep, exponent) };
                sum = accumulate::<L, 1, FP32, WORMHOLE, false>([term], sum, 0);
            }
            L::store(at, sum);
        }
    }
}

/// Adds the products of the passes, each of which is exact in a float. `exponent` is that of the product, or 0.
#[inline(always)]
unsafe fn add_product<L: Accumulate, const FP32: bool, const WORMHOLE: bool>(
    a: L::V,
    b: L::V,
    exponent: L::V,
    phases: u32,
    mut sum: L::V,
) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        // No more than the exponent of any register value here, which cancels to 64 - 23 at the lowest.
        const LEAST: u32 = 27 << 23;
        let minus = L::splat((-1f32).to_bits());
        let a_high = L::and(a, L::splat(0xFFF8_0000));
        let a_low = L::fma(a_high, minus, L::and(a, L::splat(0xFFFF_C000)));
        let b_high = L::and(b, L::splat(0xFFFE_0000));
        let b_low = L::fma(b_high, minus, L::and(b, L::splat(0xFFFF_E000)));
        let exponent = L::shl::<23>(exponent);
        for phase in 0..phases {
            let a_part = if phase & 1 == 0 { a_high } else { a_low };
            let b_part = if phase & 2 == 0 { b_high } else { b_low };
            let product = L::fma(a_part, b_part, L::splat(0));
            let lower = (5 * (phase & 1) + 7 * (phase >> 1)) << 23;
            let largest = L::max(L::sub(exponent, L::splat(lower)), L::splat(LEAST));
            sum = L::add_exact::<1, FP32, WORMHOLE>([product], largest, sum, 0);
        }
        sum
    }
}

/// The product of the parts that so many passes multiply, for normal numbers.
#[inline(always)]
unsafe fn product<L: Lanes>(a: L::V, b: L::V, phases: u32) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let zero = L::splat(0);
        let a_high = L::and(a, L::splat(0xFFF8_0000));
        let a_all = if phases > 1 { L::and(a, L::splat(0xFFFF_C000)) } else { a_high };
        let b_high = L::and(b, L::splat(0xFFFE_0000));
        match phases {
            4 => L::fma(a_all, L::and(b, L::splat(0xFFFF_E000)), zero),
            3 => {
                // The third pass is without the lower bits of a.
                let b_low = L::fma(b_high, L::splat((-1f32).to_bits()), L::and(b, L::splat(0xFFFF_E000)));
                L::fma(a_high, b_low, L::fma(a_all, b_high, zero))
            }
            _ => L::fma(a_all, b_high, zero),
        }
    }
}
