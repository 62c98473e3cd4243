//! Several accumulators in L1 at a time: each has a buffer of its own, wherever the calls that make them are written.

use crate::data::{Matrix, read, write};
use ttl::prelude::*;

/// A kernel with two sums, made by two calls of the macro: natively both are on the line where the macro is used.
macro_rules! two_sums {
    ($name:ident, $rows:expr, $cols:expr) => {
        #[ttl::kernel(compute)]
        fn $name(compute: Compute, a_in: CbIn<bf16>, b_in: CbIn<bf16>, y_out: CbOut<bf16>, #[ttl(common)] blocks: u32) {
            let mut sizes = compute.zeros($rows, $cols);
            let mut products = compute.zeros($rows, $cols);
            for _ in 0..blocks {
                let a = a_in.wait_front(12);
                let b = b_in.wait_front(12);
                sizes += a.block($rows, $cols).abs();
                products += a.block($rows, $cols) * b.block($rows, $cols);
            }
            y_out.reserve_back(12).store(sizes);
            y_out.reserve_back(12).store(products);
        }
    };
}

two_sums!(by_macro, 3, 4);
two_sums!(by_macro_with_expressions, 1 + 2, N + N);

const N: u32 = 2;

/// Two calls on a line.
#[ttl::kernel(compute)]
#[rustfmt::skip]
fn on_one_line(compute: Compute, a_in: CbIn<bf16>, b_in: CbIn<bf16>, y_out: CbOut<bf16>, #[ttl(common)] blocks: u32) {
    let mut sizes = compute.zeros(3, 4); let mut products = compute.zeros(3, 2 * N);
    for _ in 0..blocks {
        let a = a_in.wait_front(12);
        let b = b_in.wait_front(12);
        sizes += a.block(3, 4).abs();
        products += a.block(3, 4) * b.block(3, 4);
    }
    y_out.reserve_back(12).store(sizes);
    y_out.reserve_back(12).store(products);
}

/// A device function whose instances decide differently by themselves: one block of the waited tiles fits the registers, twelve do not.
#[ttl::device]
fn total<const ROWS: u32>(compute: &Compute, a_in: &CbIn<bf16>, y_out: &CbOut<bf16>, blocks: u32) {
    let mut sum = compute.zeros(ROWS, 4);
    for _ in 0..blocks {
        sum += a_in.wait_front(4 * ROWS).block(ROWS, 4).abs();
    }
    y_out.reserve_back(4 * ROWS).store(sum);
}

#[ttl::kernel(compute)]
fn in_functions(compute: Compute, a_in: CbIn<bf16>, b_in: CbIn<bf16>, y_out: CbOut<bf16>, #[ttl(common)] blocks: u32) {
    total::<3>(&compute, &a_in, &y_out, blocks);
    for _ in 0..blocks {
        total::<1>(&compute, &b_in, &y_out, 3);
    }
}

macro_rules! check {
    ($compute:ident, $results:expr, $exact:expr) => {{
        let (a, b) = (Matrix::random(288, 128, 1), Matrix::random(288, 128, 2));
        let rows = 32 * $results / 4;
        let exact = Matrix::from_fn(rows, 128, |r, c| {
            let exact: fn(&Matrix, &Matrix, usize, usize) -> f64 = $exact;
            exact(&a, &b, r, c)
        });
        crate::everywhere(|arch, config| {
            let build = |device: &mut Device| {
                let (a, b) = (a.upload(device, "a")?, b.upload(device, "b")?);
                let y = device.zeros::<bf16>("y", &[rows, 128])?;
                let core = Core::new(0, 0);
                let mut p = Program::new(stringify!($compute));
                let (a_out, a_in) = p.circular_buffer::<bf16>("a", core, 36);
                let (b_out, b_in) = p.circular_buffer::<bf16>("b", core, 36);
                let (y_out, y_in) = p.circular_buffer::<bf16>("y", core, 24);
                p.kernel(core, read::<12, 12> { a: a.accessor(), b: b.accessor(), a_out, b_out, blocks: 3 });
                p.compute(core, config.clone(), $compute { a_in, b_in, y_out, blocks: 3 });
                p.kernel(core, write::<4> { y: y.accessor(), y_in, blocks: $results / 4 });
                Ok((p, y))
            };
            let options = DeviceOptions { arch, ..DeviceOptions::default() };
            let (device, y) = ttl::testing::on_both_engines(&options, build).unwrap_or_else(|e| panic!("{e}"));
            let distance = crate::data::distance(&device, &y, &exact);
            let bound = if config.fp32_dest_acc { 0.01 } else { 0.03 };
            assert!(distance <= bound, "{}, {config:?}: off by {distance:e}", stringify!($compute));
        });
    }};
}

/// The sum of |a|, then that of a * b, over three blocks of 96 rows.
fn sizes_and_products(a: &Matrix, b: &Matrix, r: usize, c: usize) -> f64 {
    let of = |m: &Matrix, n: usize| m.at(96 * n + r % 96, c);
    (0..3).map(|n| if r < 96 { of(a, n).abs() } else { of(a, n) * of(b, n) }).sum()
}

#[test]
fn sums_of_one_line_have_their_own_buffers() {
    check!(on_one_line, 24, sizes_and_products);
}

#[test]
fn sums_that_a_macro_writes_have_their_own_buffers() {
    check!(by_macro, 24, sizes_and_products);
    check!(by_macro_with_expressions, 24, sizes_and_products);
}

#[test]
fn instances_of_a_function_have_sums_by_their_size() {
    check!(in_functions, 24, |a, b, r, c| match r {
        0..96 => (0..3).map(|n| a.at(96 * n + r, c).abs()).sum(),
        // Three blocks of a row of tiles each, from what the reader gives twelve at a time.
        _ => (0..3).map(|n| b.at(96 * ((r - 96) / 32) + 32 * n + r % 32, c).abs()).sum(),
    });
}
