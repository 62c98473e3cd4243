//! Operations of 16-bit unsigned integers in 16-bit registers, which keep their bits in another order.

use super::super::integers::*;
use super::super::steps::*;

/// The number in a register; see `u16_from_register` of the formats.
pub(super) fn number(x: &Reg) -> Reg {
    let half = shift_right_16(x);
    or(&or(&and(&half, 0x8000), &shift_left(&and(&half, 0x7F), 8)), &and(&shift_right(&half, 7), 0xFF))
}

/// The register that holds the lower 16 bits of a number.
pub(super) fn register(x: &Reg) -> Reg {
    let half = or(&or(&and(x, 0x8000), &shift_left(&and(x, 0xFF), 7)), &and(&shift_right(x, 8), 0x7F));
    shift_left(&half, 16)
}

fn one_where(mask: &Reg) -> Reg {
    register(&and(mask, 1))
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = |$x:ident, $y:ident| $result:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name(_: Unit, x: &Reg, y: &Reg) -> Reg {
                let ($x, $y) = (&number(x), &number(y));
                $result
            }
        )*
    };
}

binary! {
    /// `add_int_tile<DataFormat::UInt16>`, modulo 2^16.
    add_u16 = |x, y| register(&int_add(x, y));
    /// `sub_int_tile<DataFormat::UInt16>`, modulo 2^16.
    sub_u16 = |x, y| register(&int_sub(x, y));
    /// `rsub_int_tile<DataFormat::UInt16>`, modulo 2^16.
    rsub_u16 = |x, y| register(&int_sub(y, x));
    /// `mul_int_tile<DataFormat::UInt16>`, modulo 2^16.
    mul_u16 = |x, y| register(&int_mul(x, y));
    /// `eq_int_tile<DataFormat::UInt16>`.
    eq_u16 = |x, y| one_where(&equal(x, y));
    /// `ne_int_tile<DataFormat::UInt16>`.
    ne_u16 = |x, y| one_where(&not(&equal(x, y)));
    /// `lt_int_tile<DataFormat::UInt16>`.
    lt_u16 = |x, y| one_where(&greater(y, x));
    /// `gt_int_tile<DataFormat::UInt16>`.
    gt_u16 = |x, y| one_where(&greater(x, y));
    /// `le_int_tile<DataFormat::UInt16>`.
    le_u16 = |x, y| one_where(&not(&greater(x, y)));
    /// `ge_int_tile<DataFormat::UInt16>`.
    ge_u16 = |x, y| one_where(&not(&greater(y, x)));
    /// `bitwise_and_binary_tile<DataFormat::UInt16>`.
    bitwise_and_binary_u16 = |x, y| register(&and(x, y));
    /// `bitwise_or_binary_tile<DataFormat::UInt16>`.
    bitwise_or_binary_u16 = |x, y| register(&or(x, y));
    /// `bitwise_xor_binary_tile<DataFormat::UInt16>`.
    bitwise_xor_binary_u16 = |x, y| register(&xor(x, y));
}

/// `eqz_tile_uint16`.
pub(crate) fn eqz_uint16(_: Unit, x: &Reg) -> Reg {
    one_where(&equal(x, 0))
}

/// `nez_tile_uint16`.
pub(crate) fn nez_uint16(_: Unit, x: &Reg) -> Reg {
    one_where(&not(&equal(x, 0)))
}

/// `relu_max_tile_uint16`.
pub(crate) fn relu_max_uint16(_: Unit, x: &Reg, p: &[u32]) -> Reg {
    register(&Reg(number(x).0.map(|x| x.min(p[0]))))
}

/// `relu_min_tile_uint16`.
pub(crate) fn relu_min_uint16(_: Unit, x: &Reg, p: &[u32]) -> Reg {
    register(&Reg(number(x).0.map(|x| x.max(p[0]))))
}
