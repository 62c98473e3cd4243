//! Operations of a register and numbers given with the call.

use super::super::integers::*;
use super::super::steps::*;
use super::binary::{flag, store_even};
use super::power::{reciprocal, reciprocal_1, reciprocal_approx};
use super::simple::truncated;

/// `add_unary_tile`.
pub(crate) fn add_unary(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&unit.add(x, p[0]))
}

/// `sub_unary_tile`.
pub(crate) fn sub_unary(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&unit.sub(x, &splat(p[0])))
}

/// `mul_unary_tile`.
pub(crate) fn mul_unary(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&unit.mul(x, p[0]))
}

/// `div_unary_tile`, which is given the reciprocal.
pub(crate) fn div_unary(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    mul_unary(unit, x, p)
}

/// `rsub_unary_tile` and `rsub_tile`.
pub(crate) fn rsub_unary(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    store_even(unit, &unit.sub(&splat(p[0]), x))
}

fn divided(unit: Unit, x: &Reg, p: u32) -> Reg {
    let y = if unit.approx {
        reciprocal_approx(unit, x)
    } else if unit.fp32 {
        reciprocal(unit, x)
    } else {
        round_bf16(&reciprocal_1(unit, x))
    };
    unit.mul(&y, p)
}

/// `rdiv_tile`.
pub(crate) fn rdiv(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&divided(unit, x, p[0]))
}

/// `rdiv_tile<RoundingMode::Trunc>`.
pub(crate) fn rdiv_trunc(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&truncated(&divided(unit, x, p[0])))
}

/// `rdiv_tile<RoundingMode::Floor>`.
pub(crate) fn rdiv_floor(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    super::simple::floor(unit, &divided(unit, x, p[0]))
}

/// `unary_max_tile`.
pub(crate) fn unary_max(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&max(x, p[0]))
}

/// `unary_min_tile`.
pub(crate) fn unary_min(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&min(x, p[0]))
}

/// `clamp_tile`: the value is stored between the two comparisons.
pub(crate) fn clamp(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unary_min(unit, &unary_max(unit, x, &p[..1]), &p[1..])
}

/// `hardtanh_tile`.
pub(crate) fn hardtanh(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&min(&max(x, p[0]), p[1]))
}

/// `unary_eq_tile`: compares bits.
pub(crate) fn unary_eq(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    flag(unit, &equal(x, p[0]))
}

/// `unary_ne_tile`: compares bits.
pub(crate) fn unary_ne(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    flag(unit, &not(&equal(x, p[0])))
}

/// `unary_gt_tile`.
pub(crate) fn unary_gt(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    flag(unit, &unit.gt(x, &splat(p[0])))
}

/// `unary_lt_tile`.
pub(crate) fn unary_lt(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    flag(unit, &unit.lt(x, &splat(p[0])))
}

/// `unary_ge_tile`.
pub(crate) fn unary_ge(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    flag(unit, &unit.ge(x, &splat(p[0])))
}

/// `unary_le_tile`.
pub(crate) fn unary_le(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    flag(unit, &unit.le(x, &splat(p[0])))
}

/// `relu_max_tile`: min(max(x, 0), limit).
pub(crate) fn relu_max(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    if unit.wormhole {
        let limit = splat(p[0]);
        let y = select(&unit.gt(x, &limit), &limit, x);
        return unit.store(&and(&y, &not(&is_negative(&y))));
    }
    unit.store(&max(&min(x, p[0]), 0))
}

/// `relu_min_tile`: max(x, limit).
pub(crate) fn relu_min(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    if unit.wormhole {
        return unit.store(&max(x, p[0]));
    }
    let limit = splat(p[0]);
    unit.store_where(&unit.lt(x, &limit), &limit, x)
}

/// `leaky_relu_tile`.
pub(crate) fn leaky_relu(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&select(&is_negative(x), &unit.mul(x, p[0]), x))
}

/// `prelu_tile`.
pub(crate) fn prelu(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    leaky_relu(unit, x, p)
}

/// `threshold_tile`: the value where x is at most the threshold.
pub(crate) fn threshold(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store_where(&unit.le(x, &splat(p[0])), &splat(p[1]), x)
}

/// `fill_tile` and `fill_tile_bitcast`.
pub(crate) fn fill(unit: Unit, _: &Reg, p: &[u32]) -> Reg {
    unit.store(&splat(p[0]))
}

/// `heaviside_tile`.
pub(crate) fn heaviside(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let step = unit.add(&copy_sign(0.5, x), 0.5);
    unit.store(&select(&equal(&float_abs(x), 0), p[0], &step))
}

/// `round_tile`: to a number of decimals, ties to even.
pub(crate) fn round(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let decimals = p[0] as i32;
    let scaled = unit.mul(x, power_of_ten(decimals));
    // Where the last place is one, adding and subtracting it rounds.
    let rounded = unit.add(&unit.add(&abs_bits(&scaled), 8_388_608.0), -8_388_608.0);
    let whole = select(&int_less(&power_of(&scaled), 23), &copy_sign(&rounded, &scaled), &scaled);
    unit.store(&unit.mul(power_of_ten(decimals.wrapping_neg()), &whole))
}

fn power_of_ten(n: i32) -> f32 {
    match n {
        39.. => f32::INFINITY,
        ..-45 => 0.0,
        // The nearest float, as a literal would be.
        n => format!("1e{n}").parse().unwrap_or(0.0),
    }
}

/// `where_tile`: the second where the first is anything but +0, else the third; bits are moved as they are.
pub(crate) fn where_(_: Unit, a: &Reg, b: &Reg, c: &Reg, _: &[u32]) -> Reg {
    select(&equal(a, 0), c, b)
}
