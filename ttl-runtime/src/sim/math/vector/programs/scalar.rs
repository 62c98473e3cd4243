//! Operations of a register and a number, and a register from a number.

use super::super::steps::*;

/// `add_unary_tile`.
pub(crate) fn add_unary(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&unit.add(x, p[0]))
}

/// `sub_unary_tile`.
pub(crate) fn sub_unary(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&unit.sub(x, &Reg([p[0]; BLOCK])))
}

/// `mul_unary_tile`, and `div_unary_tile`, which gets the reciprocal.
pub(crate) fn mul_unary(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store(&unit.mul(x, p[0]))
}

/// `rsub_unary_tile`.
pub(crate) fn rsub_unary(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let difference = unit.sub(&Reg([p[0]; BLOCK]), x);
    unit.store(&if unit.fp32 { difference } else { round_bf16_even(&difference) })
}

/// `fill_tile_bitcast`.
pub(crate) fn fill(unit: Unit, _: &Reg, p: &[u32]) -> Reg {
    unit.store(&Reg([p[0]; BLOCK]))
}

/// `where_tile`: the operands are not looked at as numbers, the condition is compared bit for bit with +0.
pub(crate) fn where_(_: Unit, condition: &Reg, a: &Reg, b: &Reg, _: &[u32]) -> Reg {
    select(&equal(condition, 0), b, a)
}
