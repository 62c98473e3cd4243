//! The scalars of device code and their literals.

use super::dice::Dice;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Bool,
    F32,
    Int { bits: u32, signed: bool },
}

const fn int(bits: u32, signed: bool) -> Ty {
    Ty::Int { bits, signed }
}

pub(crate) const U32: Ty = int(32, false);

pub(crate) const INTS: [Ty; 6] = [int(8, false), int(8, true), int(16, false), int(16, true), U32, int(32, true)];

impl Ty {
    pub(crate) fn any(dice: &mut Dice) -> Ty {
        match dice.below(10) {
            0 => Ty::Bool,
            1 | 2 => Ty::F32,
            _ => *dice.of(&INTS),
        }
    }

    pub(crate) fn name(self) -> String {
        match self {
            Ty::Bool => "bool".into(),
            Ty::F32 => "f32".into(),
            Ty::Int { bits, signed } => format!("{}{bits}", if signed { 'i' } else { 'u' }),
        }
    }

    pub(crate) fn signed(self) -> bool {
        matches!(self, Ty::Int { signed: true, .. })
    }

    /// The digits of a literal, and whether it needs a suffix to have this type where nothing else says so.
    pub(crate) fn digits(self, dice: &mut Dice) -> (String, bool) {
        match self {
            Ty::Bool => (if dice.one_in(2) { "true" } else { "false" }.into(), false),
            Ty::F32 => {
                let all = ["0.0", "1.0", "-1.5", "0.1", "3.25", "255.5", "-70000.0", "1e10", "1e-40", "2147483648.0"];
                ((*dice.of(&all)).into(), true)
            }
            Ty::Int { bits, signed } => {
                let max = if signed { (1i64 << (bits - 1)) - 1 } else { (1i64 << bits) - 1 };
                let min = if signed { -max - 1 } else { 0 };
                let value = match dice.below(6) {
                    0 => max - dice.below(3) as i64,
                    1 => min + dice.below(3) as i64,
                    2 if signed => -(dice.below(20) as i64),
                    3 => (i64::from(dice.word()) & max).max(min),
                    _ => dice.below(10) as i64,
                };
                (value.to_string(), true)
            }
        }
    }

    /// A literal that says its type.
    pub(crate) fn literal(self, dice: &mut Dice) -> String {
        let (digits, suffix) = self.digits(dice);
        let text = if suffix { format!("{digits}{}", self.name()) } else { digits };
        if text.starts_with('-') { format!("({text})") } else { text }
    }
}
