//! One random compute kernel on blocks as matrices: broadcasts, reductions, transposes, products, operations with parameters, parts that are used several
//! times; and the same expression on grids of numbers that carry a bound of their error.

use super::dice::Dice;
use std::fmt::Write as _;

const UNARY: [&str; 7] = ["abs()", "negative()", "relu()", "sigmoid()", "tanh()", "silu()", "sin()"];
/// For arguments between -1 and 1.
const SMALL: [&str; 4] = ["exp()", "expm1()", "gelu()", "softsign()"];
/// Continuous in the argument: a value near a step could fall on either side.
const WITH_PARAMETERS: [&str; 8] = [
    "leaky_relu(0.25)",
    "leaky_relu(s)",
    "elu(1.25)",
    "hardtanh(-1.5, 2.0)",
    "relu_max(1.5)",
    "relu_min(-0.5)",
    "softshrink(0.5)",
    "prelu(s)",
];

type Shape = (usize, usize);

struct Expr<'a> {
    dice: &'a mut Dice,
    rows: usize,
    cols: usize,
    /// Shapes of the parts that have names.
    shared: Vec<Shape>,
}

impl Expr<'_> {
    /// The blocks of a shape, and the named parts.
    fn leaves(&self, shape: Shape) -> Vec<String> {
        let (rows, cols) = (self.rows, self.cols);
        let blocks = [
            ("a", (rows, cols)),
            ("b", (rows, cols)),
            ("v", (1, cols)),
            ("w", (rows, 1)),
            ("t", (1, 1)),
            ("m", (cols, cols)),
        ];
        let mut leaves: Vec<String> =
            blocks.iter().filter(|(_, s)| *s == shape).map(|(name, _)| (*name).to_owned()).collect();
        // Named parts are what this is about.
        let named = (0..self.shared.len()).filter(|at| self.shared[*at] == shape).map(|at| format!("p{at}"));
        leaves.extend(named.clone());
        leaves.extend(named);
        leaves
    }

    fn write(&mut self, shape: Shape, depth: usize) -> String {
        let (rows, cols) = shape;
        let turned = (cols, rows);
        if depth == 0 {
            let leaves = self.leaves(shape);
            return match leaves.len() {
                0 => format!("{}.transpose()", self.dice.of(&self.leaves(turned)).clone()),
                _ => self.dice.of(&leaves).clone(),
            };
        }
        let less = depth - 1;
        match self.dice.below(15) {
            0..=1 => {
                let (left, right) = (self.write(shape, less), self.write(shape, less));
                format!("({left} {} {right})", self.dice.of(&["+", "-", "*"]))
            }
            2..=5 => {
                let all = self.write(shape, less);
                let vector = match self.dice.below(3) {
                    0 => format!("{}.bcast_rows()", self.write((1, cols), less)),
                    1 => format!("{}.bcast_cols()", self.write((rows, 1), less)),
                    _ => format!("{}.bcast_scalar()", self.write((1, 1), less)),
                };
                let op = *self.dice.of(&["+", "-", "*"]);
                if self.dice.one_in(3) { format!("({vector} {op} {all})") } else { format!("({all} {op} {vector})") }
            }
            6 => format!("{}.{}", self.write(shape, less), self.dice.of(&UNARY)),
            7 => format!("{}.tanh().{}", self.write(shape, less), self.dice.of(&SMALL)),
            8 => format!("{}.{}", self.write(shape, less), self.dice.of(&WITH_PARAMETERS)),
            9 => {
                let (of, number) = (self.write(shape, less), *self.dice.of(&["1.5", "0.25", "-3.0", "s"]));
                match self.dice.below(3) {
                    0 => format!("({of} + {number})"),
                    1 => format!("({number} - {of})"),
                    _ => format!("({of} * {number})"),
                }
            }
            10..=12 => self.reduction(shape, less),
            13 => format!("{}.transpose()", self.write(turned, less)),
            // A product with the square matrix, where that has the right size.
            _ if cols == self.cols => {
                let (left, right) = (self.write(shape, less), self.write((cols, cols), less));
                format!("({left}.matmul({right}) * 0.125)")
            }
            _ => self.reduction(shape, less),
        }
    }

    /// A reduction to a vector; for other shapes one that is broadcast again.
    fn reduction(&mut self, (rows, cols): Shape, depth: usize) -> String {
        let kind = *self.dice.of(&["sum", "max", "mean"]);
        let scale = if kind == "sum" { " * 0.0625)" } else { ")" };
        match (rows, cols) {
            (1, 1) => {
                let of = self.write((self.rows, self.cols), depth);
                let direction = "scalar";
                format!("({of}.{kind}_{direction}(){scale}")
            }
            (_, 1) => format!("({}.{kind}_row(){scale}", self.write((rows, self.cols), depth)),
            // Of a matrix that there is.
            (1, _) => {
                let of = if cols == self.cols { (self.rows, cols) } else { (self.cols, cols) };
                format!("({}.{kind}_col(){scale}", self.write(of, depth))
            }
            _ => {
                let (of, all) = (self.write((rows, cols), depth), self.write((rows, cols), depth));
                match self.dice.below(2) {
                    0 => format!("({all} - ({of}.{kind}_row(){scale}.bcast_cols())"),
                    _ => format!("({all} * ({of}.{kind}_col(){scale}.bcast_rows())"),
                }
            }
        }
    }
}

/// The text of a module with the kernel, the reference and the settings.
pub(crate) fn write(name: &str, dice: &mut Dice) -> String {
    let formats = [0; 7].map(|_| *dice.of(&["bf16", "bf16", "f32"]));
    let [a, b, v, w, t, m, y] = formats;
    let (rows, cols) = (1 + dice.below(3), 1 + dice.below(3));
    let shapes = [(rows, cols), (rows, cols), (rows, 1), (1, cols), (1, 1), (cols, rows)];
    let mut expr = Expr { dice, rows, cols, shared: vec![] };
    let mut lets = String::new();
    for number in 0..expr.dice.below(3) {
        let (shape, depth) = (*expr.dice.of(&shapes[..5]), 1 + expr.dice.below(2));
        let _ = writeln!(lets, "        let p{number} = {};", expr.write(shape, depth));
        expr.shared.push(shape);
    }
    let (shape, depth) = (*expr.dice.of(&shapes), 1 + expr.dice.below(3));
    let text = expr.write(shape, depth);
    let (fp32, full_sync, wormhole) = (dice.one_in(2), dice.one_in(3), dice.one_in(2));
    let (y_rows, y_cols) = shape;
    let [all, square, out] = [rows * cols, cols * cols, y_rows * y_cols];
    format!(
        "// Written by the build script of ttl-random-tests.
#![allow(clippy::all, warnings)]

use crate::shaped::{{Grid, Setup}};
use ttl::prelude::*;

pub(crate) type A = {a};
pub(crate) type B = {b};
pub(crate) type V = {v};
pub(crate) type W = {w};
pub(crate) type T = {t};
pub(crate) type M = {m};
pub(crate) type Y = {y};
pub(crate) const EXPRESSION: &str = {shown:?};
pub(crate) const SETUP: Setup = Setup {{
    rows: {rows}, cols: {cols}, y: ({y_rows}, {y_cols}), fp32: {fp32}, full_sync: {full_sync}, wormhole: {wormhole},
}};

#[ttl::kernel(compute)]
pub(crate) fn {name}(
    _: Compute, a: CbIn<A>, b: CbIn<B>, v: CbIn<V>, w: CbIn<W>, t: CbIn<T>, m: CbIn<M>, y: CbOut<Y>,
    #[ttl(common)] blocks: u32, #[ttl(common)] s: f32,
) {{
    for _ in 0..blocks {{
        let a_front = a.wait_front({all});
        let b_front = b.wait_front({all});
        let v_front = v.wait_front({cols});
        let w_front = w.wait_front({rows});
        let t_front = t.wait_front(1);
        let m_front = m.wait_front({square});
        let a = a_front.block({rows}, {cols});
        let b = b_front.block({rows}, {cols});
        let v = v_front.block(1, {cols});
        let w = w_front.block({rows}, 1);
        let t = t_front.block(1, 1);
        let m = m_front.block({cols}, {cols});
{lets}        y.reserve_back({out}).store({text});
    }}
}}

pub(crate) fn exact([a, b, v, w, t, m]: [Grid; 6], s: f64) -> Grid {{
{lets}        {text}
}}
",
        shown = format!("{}{text}", lets.replace("        ", "").replace('\n', " ")),
    )
}
