//! Comparisons of floats as masks.
//!
//! Blackhole compares in the order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN. Wormhole has no such instruction: it looks at the sign of a
//! difference, so that two equal infinities, or a NaN, can come out either way.

use super::integers::is_negative;
use super::steps::*;

impl Unit {
    /// Sign of `a - b`.
    fn difference_negative(self, a: &Reg, b: &Reg) -> Reg {
        is_negative(&self.mad(b, -1.0, a))
    }

    /// `a < b`. A constant is compared in another way than a register, and zero in yet another.
    pub(super) fn lt<'a>(self, a: &Reg, b: impl Into<Arg<'a>>) -> Reg {
        match b.into() {
            Arg::Word(0) => is_negative(a),
            Arg::Word(b) if self.wormhole => is_negative(&self.add(a, b ^ SIGN)),
            Arg::Reg(b) if self.wormhole => self.difference_negative(a, b),
            b => above(b, a),
        }
    }

    /// `a >= b`.
    pub(super) fn ge<'a>(self, a: &Reg, b: impl Into<Arg<'a>>) -> Reg {
        not(&self.lt(a, b))
    }

    /// `a > b`.
    pub(super) fn gt<'a>(self, a: &Reg, b: impl Into<Arg<'a>>) -> Reg {
        match b.into() {
            Arg::Word(0) if self.wormhole => greater(a, 0),
            Arg::Word(b) if self.wormhole => greater(&self.add(a, b ^ SIGN), 0),
            Arg::Reg(b) if self.wormhole => self.difference_negative(b, a),
            b => above(a, b),
        }
    }

    /// `a <= b`.
    pub(super) fn le<'a>(self, a: &Reg, b: impl Into<Arg<'a>>) -> Reg {
        not(&self.gt(a, b))
    }

    /// Where the mask is set the value is stored; elsewhere the register keeps what it had, even a denormal.
    pub(super) fn store_where(self, mask: &Reg, value: &Reg, old: &Reg) -> Reg {
        select(mask, &self.store(value), old)
    }
}
