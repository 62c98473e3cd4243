//! `acc += expression` over a loop, in the tile registers or in L1.

use crate::data::{Matrix, read, write};
use ttl::prelude::*;

/// A program of one core between the reader and the writer of blocks, and what it should compute.
struct Run<'a, B> {
    name: &'a str,
    /// Blocks of the operands, and of results.
    blocks: u32,
    results: u32,
    /// Of the result.
    shape: [usize; 2],
    exact: &'a Matrix,
    /// The largest distance from it.
    bound: B,
}

impl<B: Fn(&ComputeConfig) -> f64> Run<'_, B> {
    /// Runs it on both engines, on both chips, with both kinds of registers: blocks of `A`, `W` and `Y` tiles, `compute` between them.
    fn check<const A: u32, const W: u32, const Y: u32>(
        &self,
        [a, b]: [&Matrix; 2],
        compute: impl Fn(&mut Program, ComputeConfig, [Consumer<bf16>; 2], Producer<bf16>),
    ) {
        crate::everywhere(|arch, config| {
            let build = |device: &mut Device| {
                let (a, b) = (a.upload(device, "a")?, b.upload(device, "b")?);
                let y = device.zeros::<bf16>("y", &self.shape)?;
                let core = Core::new(0, 0);
                let mut p = Program::new(self.name);
                let (a_out, a_in) = p.circular_buffer::<bf16>("a", core, 2 * A);
                let (b_out, b_in) = p.circular_buffer::<bf16>("b", core, 2 * W);
                let (y_out, y_in) = p.circular_buffer::<bf16>("y", core, Y);
                let (a, b, blocks) = (a.accessor(), b.accessor(), self.blocks);
                p.kernel(core, read::<A, W> { a, b, a_out, b_out, blocks });
                compute(&mut p, config.clone(), [a_in, b_in], y_out);
                p.kernel(core, write::<Y> { y: y.accessor(), y_in, blocks: self.results });
                Ok((p, y))
            };
            let options = DeviceOptions { arch, ..DeviceOptions::default() };
            let ran = ttl::testing::on_both_engines(&options, build);
            let (device, y) = ran.unwrap_or_else(|e| panic!("{}: {e}", self.name));
            let (distance, bound) = (crate::data::distance(&device, &y, self.exact), (self.bound)(config));
            assert!(distance <= bound, "{}, {config:?}: off by {distance:e}", self.name);
        });
    }
}

/// Defines a compute kernel that adds `expression` up over all blocks and stores the sum once.
macro_rules! sums {
    ($name:ident, $a:literal, $b:literal => $y:literal = $rows:literal x $cols:literal, |$x:ident, $w:ident| $expression:expr) => {
        mod $name {
            use super::*;

            #[ttl::kernel(compute)]
            fn compute(
                compute: Compute,
                a_in: CbIn<bf16>,
                b_in: CbIn<bf16>,
                y_out: CbOut<bf16>,
                #[ttl(common)] blocks: u32,
            ) {
                let mut sum = compute.zeros($rows, $cols);
                for _ in 0..blocks {
                    let $x = a_in.wait_front($a);
                    let $w = b_in.wait_front($b);
                    sum += $expression;
                }
                y_out.reserve_back($y).store(sum);
            }

            pub(crate) fn check(blocks: u32, shapes: [[usize; 2]; 3], exact: impl Fn(&Matrix, &Matrix) -> Matrix) {
                let [[ar, ac], [br, bc], y_shape] = shapes;
                let n = blocks as usize;
                let (a, b) = (Matrix::random(n * ar, ac, 1), Matrix::random(n * br, bc, 2));
                let part =
                    |m: &Matrix, rows: usize, at: usize| Matrix::from_fn(rows, m.cols, |r, c| m.at(at * rows + r, c));
                let terms: Vec<Matrix> = (0..n).map(|at| exact(&part(&a, ar, at), &part(&b, br, at))).collect();
                let total = terms[1..].iter().fold(terms[0].clone(), |sum, t| sum.zip(t, |x, y| x + y));
                let bound = |config: &ComputeConfig| if config.fp32_dest_acc { 0.01 } else { 0.03 };
                let run = Run { name: stringify!($name), blocks, results: 1, shape: y_shape, exact: &total, bound };
                run.check::<$a, $b, $y>([&a, &b], |p, config, [a_in, b_in], y_out| {
                    p.compute(Core::new(0, 0), config, compute { a_in, b_in, y_out, blocks });
                });
            }
        }
    };
}

sums!(blocks, 2, 2 => 2 = 1 x 2, |x, w| &x + &w);
sums!(plain, 2, 2 => 2 = 1 x 2, |x, _w| x);
sums!(products, 2, 2 => 2 = 1 x 2, |x, w| &x * &w);
sums!(chains, 1, 1 => 1 = 1 x 1, |x, w| ((&x - &w).exp() * &w).relu());
sums!(row_sums, 2, 1 => 1 = 1 x 1, |x, _w| x.block(1, 2).sum_row());
sums!(matrix_products, 2, 6 => 3 = 1 x 3, |x, w| x.block(1, 2).matmul(w.block(2, 3)));

/// Twelve tiles: more than the registers hold.
#[ttl::kernel(compute)]
fn large(compute: Compute, a_in: CbIn<bf16>, b_in: CbIn<bf16>, y_out: CbOut<bf16>, #[ttl(common)] blocks: u32) {
    let mut sum = compute.zeros(3, 4);
    for _ in 0..blocks {
        let a = a_in.wait_front(12);
        let b = b_in.wait_front(12);
        sum += (a.block(3, 4) + b.block(3, 4)).relu();
    }
    y_out.reserve_back(12).store(sum);
}

#[test]
fn what_does_not_fit_the_registers_adds_up_in_l1() {
    let (a, b) = (Matrix::random(288, 128, 1), Matrix::random(288, 128, 2));
    let exact =
        Matrix::from_fn(96, 128, |r, c| (0..3).map(|n| (a.at(96 * n + r, c) + b.at(96 * n + r, c)).max(0.0)).sum());
    let bound = |config: &ComputeConfig| if config.fp32_dest_acc { 0.01 } else { 0.03 };
    let run = Run { name: "large", blocks: 3, results: 1, shape: [96, 128], exact: &exact, bound };
    run.check::<12, 12, 12>([&a, &b], |p, config, [a_in, b_in], y_out| {
        p.compute(Core::new(0, 0), config, large { a_in, b_in, y_out, blocks: 3 });
    });
}

/// Sums in L1, one after the other: each begins anew, though the packer had been adding.
#[ttl::kernel(compute)]
fn large_ones(compute: Compute, a_in: CbIn<bf16>, b_in: CbIn<bf16>, y_out: CbOut<bf16>, #[ttl(common)] rounds: u32) {
    for _ in 0..rounds {
        let mut sum = compute.zeros(3, 4);
        for _ in 0..2 {
            let a = a_in.wait_front(12);
            let b = b_in.wait_front(12);
            sum += a.block(3, 4) - b.block(3, 4);
        }
        y_out.reserve_back(12).store(sum.abs());
    }
}

#[test]
fn sums_in_l1_one_after_the_other() {
    let (a, b) = (Matrix::random(576, 128, 1), Matrix::random(576, 128, 2));
    let exact = Matrix::from_fn(288, 128, |r, c| {
        let at = |n: usize| 192 * (r / 96) + 96 * n + r % 96;
        (0..2).map(|n| a.at(at(n), c) - b.at(at(n), c)).sum::<f64>().abs()
    });
    let bound = |config: &ComputeConfig| if config.fp32_dest_acc { 0.01 } else { 0.03 };
    let run = Run { name: "large ones", blocks: 6, results: 3, shape: [288, 128], exact: &exact, bound };
    run.check::<12, 12, 12>([&a, &b], |p, config, [a_in, b_in], y_out| {
        p.compute(Core::new(0, 0), config, large_ones { a_in, b_in, y_out, rounds: 3 });
    });
}

/// The sum of all blocks, and a result for each: the registers are needed in between.
#[ttl::kernel(compute)]
fn beside(compute: Compute, a_in: CbIn<bf16>, b_in: CbIn<bf16>, y_out: CbOut<bf16>, #[ttl(common)] blocks: u32) {
    let mut sum = compute.zeros(1, 2);
    for _ in 0..blocks {
        let a = a_in.wait_front(2);
        let b = b_in.wait_front(2);
        sum += &a * &b;
        y_out.reserve_back(2).store(a.exp());
    }
    y_out.reserve_back(2).store(sum);
}

#[test]
fn other_results_leave_while_a_sum_goes_on() {
    let (a, b) = (Matrix::random(96, 64, 1), Matrix::random(96, 64, 2));
    let exact = Matrix::from_fn(128, 64, |r, c| match r {
        0..96 => a.at(r, c).exp(),
        _ => (0..3).map(|n| a.at(32 * n + r - 96, c) * b.at(32 * n + r - 96, c)).sum(),
    });
    let run =
        Run { name: "beside", blocks: 3, results: 4, shape: [128, 64], exact: &exact, bound: |_: &ComputeConfig| 0.01 };
    run.check::<2, 2, 2>([&a, &b], |p, config, [a_in, b_in], y_out| {
        p.compute(Core::new(0, 0), config, beside { a_in, b_in, y_out, blocks: 3 });
    });
}

#[test]
fn element_wise_results_add_up() {
    let shape = [32, 64];
    blocks::check(3, [shape; 3], |x, w| x.zip(w, |x, w| x + w));
    plain::check(3, [shape; 3], |x, _| x.clone());
    products::check(3, [shape; 3], |x, w| x.zip(w, |x, w| x * w));
    chains::check(3, [[32, 32]; 3], |x, w| x.zip(w, |x, w| ((x - w).exp() * w).max(0.0)));
}

#[test]
fn reductions_and_matrix_products_add_up() {
    row_sums::check(3, [[32, 64], [32, 32], [32, 32]], |x, _| x.by_row(|a, b| a + b));
    matrix_products::check(3, [[32, 64], [64, 96], [32, 96]], Matrix::matmul);
}
