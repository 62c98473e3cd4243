//! One random compute kernel of explicit sections: reductions and other operations, packed to buffers of two formats in any order, in loops and branches.

use super::dice::Dice;
use std::fmt::Write as _;

const REDUCTIONS: [&str; 6] =
    ["reduce_sum_row", "reduce_sum_col", "reduce_sum_scalar", "reduce_max_row", "reduce_max_col", "reduce_max_scalar"];
const VECTOR: [&str; 4] = ["abs_tile", "negative_tile", "relu_tile", "square_tile"];
const PAGES: usize = 3;

struct Body<'a> {
    dice: &'a mut Dice,
    text: String,
    loops: usize,
}

impl Body<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(depth));
    }

    fn block(&mut self, depth: usize, nesting: usize) {
        for _ in 0..1 + self.dice.below(2) {
            match self.dice.below(if nesting == 0 { 4 } else { 6 }) {
                0..=3 => self.section(depth),
                4 => {
                    let name = format!("i{}", self.loops);
                    self.loops += 1;
                    let count = 1 + self.dice.below(3);
                    self.line(depth, &format!("for {name} in 0..{count} {{"));
                    self.block(depth + 1, nesting - 1);
                    self.line(depth, "}");
                }
                _ => {
                    let mask = 1 + self.dice.below(3);
                    self.line(depth, &format!("if (round & {mask}) == 0 {{"));
                    self.block(depth + 1, nesting - 1);
                    if self.dice.one_in(2) {
                        self.line(depth, "} else {");
                        self.block(depth + 1, nesting - 1);
                    }
                    self.line(depth, "}");
                }
            }
        }
    }

    fn section(&mut self, depth: usize) {
        self.line(depth, "let mut regs = c.acquire();");
        match self.dice.below(4) {
            0 => self.line(depth, "regs.copy_tile(&x, 1, 0);"),
            1 => self.line(depth, "regs.add_tiles(&x, &x, 0, 1, 0);"),
            2 => {
                let method = *self.dice.of(&REDUCTIONS);
                self.line(depth, &format!("for t in 0..2 {{ regs.{method}(&x, &one, t, 0, 0); }}"));
            }
            _ => {
                let method = *self.dice.of(&REDUCTIONS);
                self.line(depth, &format!("regs.{method}(&x, &one, 0, 0, 0);"));
            }
        }
        if self.dice.one_in(3) {
            let method = *self.dice.of(&VECTOR);
            self.line(depth, &format!("regs.{method}(0);"));
        }
        self.line(depth, "let mut packing = regs.commit();");
        for _ in 0..1 + self.dice.below(4) {
            let (to, page) = (*self.dice.of(&["y", "z"]), self.dice.below(PAGES));
            self.line(depth, &format!("packing.pack_tile_at(0, &mut {to}, {page});"));
        }
        self.line(depth, "packing.release();");
    }
}

/// The text of a module with the kernel and the settings.
pub(crate) fn write(name: &str, dice: &mut Dice) -> String {
    let x = *dice.of(&["bf16", "bf16", "f32"]);
    let (fp32, wormhole) = (dice.one_in(2), dice.one_in(2));
    let mut body = Body { dice, text: String::new(), loops: 0 };
    body.block(2, 2);
    let text = body.text;
    format!(
        "// Written by the build script of ttl-random-tests.
#![allow(clippy::all, warnings)]

use ttl::prelude::*;

pub(crate) type X = {x};
pub(crate) const FP32: bool = {fp32};
pub(crate) const WORMHOLE: bool = {wormhole};

#[ttl::kernel(compute)]
pub(crate) fn {name}(c: Compute, x_in: CbIn<X>, one_in: CbIn<bf16>, y_out: CbOut<bf16>, z_out: CbOut<f32>, #[ttl(common)] rounds: u32) {{
    let one = one_in.wait_front(1);
    for round in 0..rounds {{
        let x = x_in.wait_front(2);
        let mut y = y_out.reserve_back({PAGES});
        let mut z = z_out.reserve_back({PAGES});
{text}    }}
    let _ = one;
}}
"
    )
}
