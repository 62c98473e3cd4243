//! One random compute kernel: an expression over three blocks, with parts that are used several times, and the same expression on numbers
//! that carry a bound of their error.

use super::dice::Dice;
use std::fmt::Write as _;

/// Operations in place, which the reference has under the same names. Those in the second list blow up where their argument is large, so they get
/// one between -1 and 1.
const UNARY: [&str; 9] = ["abs", "negative", "square", "relu", "sigmoid", "tanh", "silu", "sin", "cos"];
const SMALL: [&str; 5] = ["exp", "exp2", "expm1", "gelu", "softsign"];

struct Expr<'a> {
    dice: &'a mut Dice,
    /// Names that stand for shared parts.
    shared: usize,
}

impl Expr<'_> {
    fn write(&mut self, depth: usize) -> String {
        if depth == 0 {
            if self.shared > 0 && self.dice.one_in(3) {
                return format!("v{}", self.dice.below(self.shared));
            }
            return (*self.dice.of(&["a", "b", "c"])).to_owned();
        }
        let below = |me: &mut Self| {
            let less = 1 + me.dice.below(2);
            me.write(depth.saturating_sub(less))
        };
        match self.dice.below(12) {
            10..=11 => {
                let of = below(self);
                let number = *self.dice.of(&["1.5", "0.25", "-3.0", "s"]);
                match self.dice.below(4) {
                    0 => format!("({of} + {number})"),
                    1 => format!("({of} - {number})"),
                    2 => format!("({number} - {of})"),
                    _ => format!("({of} * {number})"),
                }
            }
            0..=6 => {
                let left = below(self);
                let right = below(self);
                let op = *self.dice.of(&["+", "-", "*"]);
                format!("({left} {op} {right})")
            }
            7..=8 => {
                let of = below(self);
                format!("{}.{}()", value(&of), self.dice.of(&UNARY))
            }
            _ => {
                let of = below(self);
                format!("{}.tanh().{}()", value(&of), self.dice.of(&SMALL))
            }
        }
    }
}

/// A block is borrowed by a method, as by an operator.
fn value(of: &str) -> String {
    if of.len() == 1 { format!("(&{of})") } else { of.to_owned() }
}

/// In the kernel, blocks are borrowed.
fn borrowed(expr: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    let chars: Vec<char> = expr.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let after = chars.get(at + 1).copied().unwrap_or(' ');
        let alone = !before.is_alphanumeric() && before != '.' && before != '&' && !after.is_alphanumeric();
        if matches!(c, 'a' | 'b' | 'c') && alone {
            out.push('&');
        }
        out.push(*c);
        before = *c;
    }
    out
}

/// The text of a module with the kernel, the reference and the settings.
pub(crate) fn write(name: &str, dice: &mut Dice) -> String {
    let formats = [0; 4].map(|_| *dice.of(&["bf16", "bf16", "f32"]));
    let [a, b, c, y] = formats;
    let block = 1 + dice.below(9);
    let shared = dice.below(3);
    let mut lets = vec![];
    for number in 0..shared {
        let depth = 1 + dice.below(2);
        lets.push(Expr { dice, shared: number }.write(depth));
    }
    let depth = 1 + dice.below(5);
    let expr = Expr { dice, shared }.write(depth);
    let (fp32, full_sync, wormhole) = (dice.one_in(2), dice.one_in(3), dice.one_in(2));
    let mut text = format!(
        "// Written by the build script of ttl-random-tests.
#![allow(clippy::all, warnings)]

use crate::blocks::{{Setup, Value}};
use ttl::prelude::*;

pub(crate) type A = {a};
pub(crate) type B = {b};
pub(crate) type C = {c};
pub(crate) type Y = {y};
pub(crate) const EXPRESSION: &str = {expr:?};
pub(crate) const SETUP: Setup = Setup {{ block: {block}, fp32: {fp32}, full_sync: {full_sync}, wormhole: {wormhole} }};

#[ttl::kernel(compute)]
pub(crate) fn {name}(_: Compute, a: CbIn<A>, b: CbIn<B>, c: CbIn<C>, y: CbOut<Y>, #[ttl(common)] blocks: u32, #[ttl(common)] s: f32) {{
    for _ in 0..blocks {{
        let a = a.wait_front({block});
        let b = b.wait_front({block});
        let c = c.wait_front({block});
"
    );
    for (number, shared) in lets.iter().enumerate() {
        let _ = writeln!(text, "        let v{number} = {};", borrowed(shared));
    }
    let _ = write!(
        text,
        "        y.reserve_back({block}).store({});
    }}
}}

pub(crate) fn exact(a: Value, b: Value, c: Value, s: f64) -> Value {{
",
        borrowed(&expr)
    );
    for (number, shared) in lets.iter().enumerate() {
        let _ = writeln!(text, "    let v{number} = {};", shared.replace('&', ""));
    }
    let _ = writeln!(text, "    {}\n}}", expr.replace('&', ""));
    text
}
