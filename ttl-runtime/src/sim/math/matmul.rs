//! One 32x32x32 product of tiles: `dst += in0 . in1`.
//!
//! The matrix unit takes dot products of 16 as two groups of 8. In a group, the products of one fidelity phase (5 by 7 bits) are
//! aligned to the largest exponent of the group, rounded half away from zero to that product's last bit, and summed exactly. The two
//! sums and the old register value are then added as `accumulate` says. A tile product is, for each phase, first the 16 inner
//! indices of the left faces, then those of the right.
//!
//! The group sum in floats: start from 1.5 * 2^23 units, where the unit is the last bit of the largest product, and multiply-add
//! each product onto it. Every such step rounds to a whole number of units, ties to even; in0 carries a factor 1 + 2^-16, which
//! turns exactly the ties into more than a half and nothing else, since a product has 12 bits. The sum is then in the low mantissa
//! bits. That needs exponents which are not too large or small ([`in_range`]); other tiles take the same steps in integers.

use super::accumulate::{Term, accumulate};
use super::lanes::{Lanes, dispatch};
use super::{MathConfig, Tile};

/// Biased exponent of zero (and denormal) elements: their products are never the largest of a group.
const ZERO_EXPONENT: i16 = -1000;

/// Elements in row-major order and cut into the parts that the phases multiply.
#[derive(Clone)]
struct Parts {
    /// As unpacked.
    raw: [u32; 1024],
    /// The upper and lower significant bits, as floats; only where multiply-add is fast.
    part: [[u32; 1024]; 2],
    exponent: [i16; 1024],
    /// Over the non-zero elements; smallest > largest if there are none.
    smallest: i32,
    largest: i32,
}

impl Parts {
    const NEW: Parts =
        Parts { raw: [0; 1024], part: [[0; 1024]; 2], exponent: [ZERO_EXPONENT; 1024], smallest: 255, largest: 0 };
}

/// The left operand, prepared (it goes to SrcB).
#[derive(Clone)]
pub struct MatmulIn0(Parts);

/// The right operand, prepared (it goes to SrcA).
#[derive(Clone)]
pub struct MatmulIn1(Parts);

impl MatmulIn0 {
    /// A zero tile.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> MatmulIn0 {
        MatmulIn0(Parts::NEW)
    }

    /// Prepares an unpacked tile.
    pub fn set(&mut self, in0: &Tile) {
        row_major(in0, &mut self.0.raw);
        split_in0(&mut self.0);
    }
}

impl MatmulIn1 {
    /// A zero tile.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> MatmulIn1 {
        MatmulIn1(Parts::NEW)
    }

    /// Prepares an unpacked tile, or its transpose.
    pub fn set(&mut self, in1: &Tile, transpose: bool) {
        if transpose {
            transposed(in1, &mut self.0.raw);
        } else {
            row_major(in1, &mut self.0.raw);
        }
        split_in1(&mut self.0);
    }
}

impl std::fmt::Debug for MatmulIn0 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatmulIn0").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for MatmulIn1 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatmulIn1").finish_non_exhaustive()
    }
}

/// `dst += in0 . in1` with unpacked tiles; `transpose` transposes in1.
pub fn matmul_tiles(cfg: &MathConfig, in0: &Tile, in1: &Tile, transpose: bool, dst: &mut Tile) {
    let (mut left, mut right) = (MatmulIn0::new(), MatmulIn1::new());
    left.set(in0);
    right.set(in1, transpose);
    matmul_step(cfg, &left, &right, dst);
}

/// `dst += in0 . in1` with prepared operands.
pub fn matmul_step(cfg: &MathConfig, in0: &MatmulIn0, in1: &MatmulIn1, dst: &mut Tile) {
    let run = match (cfg.fp32_dest, cfg.wormhole()) {
        (true, false) => step_32_blackhole,
        (true, true) => step_32_wormhole,
        (false, _) => step_16,
    };
    run(&in0.0, &in1.0, cfg.phases(), dst);
}

/// Where element (row, column) of a row-major tile is in face order, for a run of 16 columns.
fn face_offset(row: usize, column: usize) -> usize {
    (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16
}

fn row_major(tile: &Tile, out: &mut [u32; 1024]) {
    for (i, run) in out.chunks_exact_mut(16).enumerate() {
        let at = face_offset(i / 2, i % 2 * 16);
        for (to, from) in run.iter_mut().zip(&tile.0[at..at + 16]) {
            *to = from.to_bits();
        }
    }
}

fn transposed(tile: &Tile, out: &mut [u32; 1024]) {
    for row in 0..32 {
        for column in 0..32 {
            out[column * 32 + row] = tile.0[face_offset(row, column)].to_bits();
        }
    }
}

dispatch!(fn split_in0(parts: &mut Parts) = split_in0_lanes);
dispatch!(fn split_in1(parts: &mut Parts) = split_in1_lanes);
dispatch!(fn step_32_blackhole(in0: &Parts, in1: &Parts, phases: u32, dst: &mut Tile) = step[true, false]);
dispatch!(fn step_32_wormhole(in0: &Parts, in1: &Parts, phases: u32, dst: &mut Tile) = step[true, true]);
dispatch!(fn step_16(in0: &Parts, in1: &Parts, phases: u32, dst: &mut Tile) = step[false, false]);

#[inline(always)]
unsafe fn split_in0_lanes<L: Lanes>(parts: &mut Parts) {
    // SrcB: 1 + 6 bits, then 4; both with the factor that decides ties.
    // SAFETY: passed on to the caller.
    unsafe { split::<L>(parts, 0xFFFE_0000, 0xFFFF_E000, 1.0 + 1.0 / 65536.0) }
}

#[inline(always)]
unsafe fn split_in1_lanes<L: Lanes>(parts: &mut Parts) {
    // SrcA: 1 + 4 bits, then 5; the last bit of TF32 is ignored.
    // SAFETY: passed on to the caller.
    unsafe { split::<L>(parts, 0xFFF8_0000, 0xFFFF_C000, 1.0) }
}

#[inline(always)]
unsafe fn split<L: Lanes>(parts: &mut Parts, upper: u32, all: u32, factor: f32) {
    // SAFETY: all arrays have 1024 words; the instruction set is the caller's.
    unsafe {
        let zero = L::splat(0);
        let factor = L::splat(factor.to_bits());
        let (mut smallest, mut largest) = (L::splat(255), zero);
        for i in (0..1024).step_by(L::N) {
            let raw = L::load(parts.raw.as_ptr().add(i));
            let field = L::and(L::shr::<23>(raw), L::splat(255));
            let present = L::gt(field, zero);
            largest = L::max(largest, field);
            smallest = L::min(smallest, L::select(present, field, L::splat(255)));
            let exponent = L::select(present, field, L::splat(ZERO_EXPONENT as u32));
            L::store16(parts.exponent.as_mut_ptr().cast::<u16>().add(i), exponent);
            if L::FAST_FMA {
                let high = L::and(L::keep(present, raw), L::splat(upper));
                let whole = L::and(L::keep(present, raw), L::splat(all));
                let low = L::fma(high, L::splat((-1f32).to_bits()), whole);
                L::store(parts.part[0].as_mut_ptr().add(i), L::fma(high, factor, zero));
                L::store(parts.part[1].as_mut_ptr().add(i), L::fma(low, factor, zero));
            }
        }
        let mut lanes = [0i32; 16];
        L::store(lanes.as_mut_ptr().cast(), smallest);
        parts.smallest = lanes[..L::N].iter().copied().min().unwrap_or(255);
        L::store(lanes.as_mut_ptr().cast(), largest);
        parts.largest = lanes[..L::N].iter().copied().max().unwrap_or(0);
    }
}

/// Whether the float path is exact: parts are normal numbers, no group sum is below the smallest exponent in any phase, and the
/// starting value of a sum is a normal number. Tiles of zeros are in range.
fn in_range(in0: &Parts, in1: &Parts) -> bool {
    let zero = in0.largest == 0 || in1.largest == 0;
    let finite = in0.largest < 255 && in1.largest < 255;
    let large = in0.largest + in1.largest <= 340;
    let small = in0.smallest >= 20 && in1.smallest >= 20 && in0.smallest + in1.smallest >= 140;
    finite && (zero || (large && small))
}

#[inline(always)]
unsafe fn step<L: Lanes, const FP32: bool, const WORMHOLE: bool>(
    in0: &Parts,
    in1: &Parts,
    phases: u32,
    dst: &mut Tile,
) {
    // SAFETY: passed on to the caller.
    unsafe {
        if L::FAST_FMA && in_range(in0, in1) {
            if far_from_limits::<L>(in0, in1, dst) {
                float_step::<L, FP32, WORMHOLE, true>(in0, in1, phases, dst);
            } else {
                float_step::<L, FP32, WORMHOLE, false>(in0, in1, phases, dst);
            }
        } else {
            integer_step::<L, FP32, WORMHOLE>(in0, in1, phases, dst);
        }
    }
}

/// What a phase takes off the exponent: its parts are lower bits.
fn phase_shift(phase: u32) -> u32 {
    5 * (phase & 1) + 7 * (phase >> 1)
}

/// Whether the checks of `accumulate` are unnecessary: products and register values in the middle of the range.
#[inline(always)]
unsafe fn far_from_limits<L: Lanes>(in0: &Parts, in1: &Parts, dst: &Tile) -> bool {
    // A group without products has exponents 27..=39 in the phases. Register values stay zero or above: a sum that cancels keeps an
    // exponent at most 24 below that of its largest term.
    if in0.largest == 0 || in1.largest == 0 || in0.smallest + in1.smallest < 127 + 12 + 64 {
        return false;
    }
    // SAFETY: a tile has 1024 words; the instruction set is the caller's.
    unsafe {
        let mut bad = L::mask_not(L::eq(L::splat(0), L::splat(0)));
        for i in (0..1024).step_by(L::N) {
            let v = L::load(dst.words().add(i));
            let field = L::exponent(v);
            let outside = L::mask_or(L::gt(L::splat(64), field), L::gt(field, L::splat(230)));
            bad = L::mask_or(bad, L::mask_and(outside, L::not_eq(L::shl::<1>(v), L::splat(0))));
        }
        !L::any(bad)
    }
}

/// Rows whose chains of dependent operations run side by side.
const ROWS: usize = 2;

#[allow(clippy::needless_range_loop)]
#[inline(always)]
unsafe fn float_step<L: Lanes, const FP32: bool, const WORMHOLE: bool, const NORMAL: bool>(
    in0: &Parts,
    in1: &Parts,
    phases: u32,
    dst: &mut Tile,
) {
    // The exponent of groups without products: 0 after the subtraction below, or as `far_from_limits` says.
    let least = if NORMAL { 127 + 12 + 27 } else { 127 };
    // SAFETY: indices stay below 1024; the instruction set is the caller's.
    unsafe {
        for row in (0..32).step_by(ROWS) {
            for column in (0..32).step_by(2 * L::N) {
                let mut halves = [[L::splat_half(least); 4]; ROWS];
                for k in 0..32 {
                    let right = L::load_half(in1.exponent.as_ptr().add(k * 32 + column));
                    for (r, groups) in halves.iter_mut().enumerate() {
                        let left = L::splat_half(in0.exponent[(row + r) * 32 + k]);
                        groups[k / 8] = L::max_half(groups[k / 8], L::add_half(left, right));
                    }
                }
                // Loops rather than closures: those would not be compiled for the instruction set.
                let mut exponents = [[[L::splat(0); 2]; 4]; ROWS];
                let mut sums = [[L::splat(0); 2]; ROWS];
                for r in 0..ROWS {
                    for group in 0..4 {
                        exponents[r][group] = L::widen(halves[r][group]);
                    }
                    for h in 0..2 {
                        sums[r][h] = L::load(dst.words().add(face_offset(row + r, column + h * L::N)));
                    }
                }
                for phase in 0..phases {
                    let left = in0.part[(phase >> 1) as usize].as_ptr();
                    let right = in1.part[(phase & 1) as usize].as_ptr();
                    let less = L::splat(127 + phase_shift(phase));
                    for face in 0..2 {
                        for r in 0..ROWS {
                            for h in 0..2 {
                                let left = left.add((row + r) * 32);
                                let right = right.add(column + h * L::N);
                                let (one, two) = (face * 2, face * 2 + 1);
                                let terms = [
                                    float_group::<L>(left, right, one, L::sub(exponents[r][one][h], less)),
                                    float_group::<L>(left, right, two, L::sub(exponents[r][two][h], less)),
                                ];
                                sums[r][h] = accumulate::<L, 2, FP32, WORMHOLE, NORMAL>(terms, sums[r][h]);
                            }
                        }
                    }
                }
                for r in 0..ROWS {
                    for h in 0..2 {
                        L::store(dst.words_mut().add(face_offset(row + r, column + h * L::N)), sums[r][h]);
                    }
                }
            }
        }
    }
}

/// The sum of one group; `left` is a row, `right` a column, `exponent` that of the largest product.
#[inline(always)]
unsafe fn float_group<L: Lanes>(left: *const u32, right: *const u32, group: usize, exponent: L::V) -> Term<L::V> {
    // SAFETY: the caller passes whole rows of prepared parts.
    unsafe {
        let mut sum = L::add(L::shl::<23>(exponent), L::splat((13 << 23) | 0x40_0000));
        for k in group * 8..group * 8 + 8 {
            sum = L::fma(L::splat(*left.add(k)), L::load(right.add(k * 32)), sum);
        }
        Term { value: L::shl::<14>(sum), exponent }
    }
}

/// The same for any inputs: every product is shifted and rounded on its own.
#[inline(always)]
unsafe fn integer_step<L: Lanes, const FP32: bool, const WORMHOLE: bool>(
    in0: &Parts,
    in1: &Parts,
    phases: u32,
    dst: &mut Tile,
) {
    // SAFETY: indices stay below 1024; the instruction set is the caller's.
    unsafe {
        for row in 0..32 {
            for column in (0..32).step_by(L::N) {
                let at = dst.words_mut().add(face_offset(row, column));
                let mut sum = L::load(at);
                for phase in 0..phases {
                    for face in 0..2 {
                        let terms = [
                            integer_group::<L>(in0, in1, row, column, face * 2, phase),
                            integer_group::<L>(in0, in1, row, column, face * 2 + 1, phase),
                        ];
                        sum = accumulate::<L, 2, FP32, WORMHOLE, false>(terms, sum);
                    }
                }
                L::store(at, sum);
            }
        }
    }
}

#[inline(always)]
unsafe fn integer_group<L: Lanes>(
    in0: &Parts,
    in1: &Parts,
    row: usize,
    column: usize,
    group: usize,
    phase: u32,
) -> Term<L::V> {
    // SAFETY: indices stay below 1024; the instruction set is the caller's.
    unsafe {
        let zero = L::splat(0);
        let mut exponents = [zero; 8];
        let mut largest = zero;
        for (i, exponent) in exponents.iter_mut().enumerate() {
            let k = group * 8 + i;
            let left = L::splat(i32::from(in0.exponent[row * 32 + k]) as u32);
            let right = L::sar::<16>(L::shl::<16>(L::load16(in1.exponent.as_ptr().cast::<u16>().add(k * 32 + column))));
            *exponent = L::add(left, right);
            largest = L::max(largest, *exponent);
        }
        let mut total = zero;
        for (i, exponent) in exponents.into_iter().enumerate() {
            let k = group * 8 + i;
            let left = L::splat(in0.raw[row * 32 + k]);
            let right = L::load(in1.raw.as_ptr().add(k * 32 + column));
            // A zero element has an exponent so low that the shift leaves nothing of its made-up leading one.
            let product = L::mul15(right_bits::<L>(right, phase), left_bits::<L>(left, phase));
            let shifted = L::shrv(L::shl::<1>(product), L::sub(largest, exponent));
            let rounded = L::shr::<1>(L::add(shifted, L::splat(1)));
            let sign = L::sar::<31>(L::xor(left, right));
            total = L::add(total, L::sub(L::xor(rounded, sign), sign));
        }
        let exponent = L::sub(largest, L::splat(127 + phase_shift(phase)));
        let keep = L::gt(exponent, zero);
        Term { value: L::keep(keep, L::shl::<14>(total)), exponent: L::keep(keep, exponent) }
    }
}

/// The 5 bits of SrcA that a phase multiplies.
#[inline(always)]
unsafe fn right_bits<L: Lanes>(raw: L::V, phase: u32) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        if phase & 1 == 0 {
            L::or(L::and(L::shr::<19>(raw), L::splat(0xF)), L::splat(0x10))
        } else {
            L::and(L::shr::<14>(raw), L::splat(0x1F))
        }
    }
}

/// The 7 bits of SrcB that a phase multiplies.
#[inline(always)]
unsafe fn left_bits<L: Lanes>(raw: L::V, phase: u32) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        if phase & 2 == 0 {
            L::or(L::and(L::shr::<17>(raw), L::splat(0x3F)), L::splat(0x40))
        } else {
            L::shl::<3>(L::and(L::shr::<13>(raw), L::splat(0xF)))
        }
    }
}
