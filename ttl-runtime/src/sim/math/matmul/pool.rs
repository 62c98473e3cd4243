//! The matrix unit's product of one row with one face, as reductions over columns use it.

use super::super::MathConfig;
use super::super::accumulate::{Term, accumulate};
use super::super::lanes::{Lanes, dispatch};
use super::any::{signed_product, sum_of_products};

type Row = [f32; 16];
type Face = [f32; 256];

/// `out += row . face`: 16 products per column in two groups, in as many passes as the fidelity has.
pub(in crate::sim::math) fn add_product(cfg: &MathConfig, row: &Row, face: &Face, out: &mut Row) {
    let run = match (cfg.fp32_dest, cfg.wormhole()) {
        (true, false) => product_32_blackhole,
        (true, true) => product_32_wormhole,
        (false, _) => product_16,
    };
    run(row, face, cfg.phases(), out);
}

dispatch!(fn product_32_blackhole(row: &Row, face: &Face, phases: u32, out: &mut Row) = product[true, false]);
dispatch!(fn product_32_wormhole(row: &Row, face: &Face, phases: u32, out: &mut Row) = product[true, true]);
dispatch!(fn product_16(row: &Row, face: &Face, phases: u32, out: &mut Row) = product[false, false]);

/// The exponent of zero and denormal elements: the shift by the difference leaves nothing of their products.
const ABSENT: u32 = -1000i32 as u32;

#[inline(always)]
unsafe fn product<L: Lanes, const FP32: bool, const WORMHOLE: bool>(
    row: &Row,
    face: &Face,
    phases: u32,
    out: &mut Row,
) {
    // SAFETY: a vector has at most 16 lanes, so that all accesses lie in the row and the face; the instruction set is the caller's.
    unsafe {
        for column in (0..16).step_by(L::N) {
            let at = out.as_mut_ptr().cast::<u32>().add(column);
            let mut sum = L::load(at);
            for phase in 0..phases {
                let terms = [group::<L>(row, face, column, 0, phase), group::<L>(row, face, column, 8, phase)];
                sum = accumulate::<L, 2, FP32, WORMHOLE, false>(terms, sum, 0);
            }
            L::store(at, sum);
        }
    }
}

/// Eight products from `first` on: aligned to the largest exponent, rounded half away from zero, and summed.
#[inline(always)]
unsafe fn group<L: Lanes>(row: &Row, face: &Face, column: usize, first: usize, phase: u32) -> Term<L::V> {
    // SAFETY: as above.
    unsafe {
        let zero = L::splat(0);
        let mut exponents = [zero; 8];
        let mut largest = zero;
        for (i, exponent) in exponents.iter_mut().enumerate() {
            let left = row[first + i].to_bits() >> 23 & 255;
            let left = if left == 0 { ABSENT } else { left };
            let right = L::exponent(L::load(face.as_ptr().cast::<u32>().add((first + i) * 16 + column)));
            let right = L::select(L::gt(right, zero), right, L::splat(ABSENT));
            *exponent = L::add(L::splat(left), right);
            largest = L::max(largest, *exponent);
        }
        let mut total = zero;
        for (i, exponent) in exponents.into_iter().enumerate() {
            let left = L::splat(row[first + i].to_bits());
            let right = L::load(face.as_ptr().cast::<u32>().add((first + i) * 16 + column));
            total = L::add(total, signed_product::<L>(left, right, L::sub(largest, exponent), phase));
        }
        sum_of_products::<L>(total, largest, phase)
    }
}
