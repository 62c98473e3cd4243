//! Operations of two registers.

use super::super::steps::*;

/// `add_binary_tile`.
pub(crate) fn add(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store(&unit.add(x, y))
}

/// `sub_binary_tile`.
pub(crate) fn sub(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store(&unit.sub(x, y))
}

/// `mul_binary_tile`. With 16-bit registers +0 times anything is 0.
pub(crate) fn mul(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let product = unit.mul(x, y);
    if unit.fp32 {
        return unit.store(&product);
    }
    let absent = or(&equal(x, 0), &equal(y, 0));
    unit.store(&and(&round_bf16_even(&product), &xor(&absent, !0)))
}
