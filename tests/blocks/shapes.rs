//! Each operation of blocks, and what comes before and after it.

use crate::data::{Matrix, program};
use ttl::prelude::*;

/// A few roundings to bf16: in 16-bit registers of each step, in 32-bit ones of the result.
const BOUND: [f64; 2] = [0.01, 0.005];

/// Of the sum so far on average over all additions, with the unit in the last place below it (3/4 of the value on average): for numbers of one sign it grows evenly, for
/// random ones like a square root.
const POSITIVE: f64 = 0.5 * 0.75;
const RANDOM: f64 = 0.67 * 0.75;

/// For sums that the matrix unit adds up in `chunks` of 16 elements, each in `parts` additions: one for each part of the elements' bits, upper and lower, and as many more for the
/// lower bits of the other operand, if it has more than five. The scaler of a mean is applied `scalers` times.
///
/// In 16-bit registers each addition is rounded to bf16, by at most 2^-9 of the sum so far; not at random: what the lower bits add may be lost each time. In 32-bit registers the
/// elements alone are cut, to 11 bits, which loses at most 2^-10. The scaler is rounded to 8 or 11 bits; then there are two roundings to bf16, of what is done with the sum
/// and of the result.
fn sum(chunks: u32, parts: u32, scalers: u32, so_far: f64) -> [f64; 2] {
    let half = 2f64.powi(-9);
    let rounded = f64::from(chunks * parts) * half * so_far;
    [
        rounded + f64::from(scalers) * half + 2.0 * half,
        2f64.powi(-10) + f64::from(scalers) * 2f64.powi(-12) + 2.0 * half,
    ]
}

/// The sums of the columns go through a source register, which on Blackhole cuts them to 8 bits where the scaler is bf16: by at most 2^-7.
fn sum_of_all(chunks: u32, scalers: u32) -> [f64; 2] {
    let [narrow, wide] = sum(chunks, 2, scalers, POSITIVE);
    [narrow, wide + 2f64.powi(-7)]
}

/// Both operands have lower bits.
fn product(tiles: u32) -> [f64; 2] {
    sum(2 * tiles, 4, 0, RANDOM)
}

program!(bcast_rows, 6, 3 => 6, |x, w| x.block(2, 3) * w.bcast_rows());
program!(bcast_cols, 6, 2 => 6, |x, w| x.block(2, 3) - w.block(2, 1).bcast_cols());
program!(bcast_scalar, 6, 1 => 6, |x, w| x.block(2, 3) + w.bcast_scalar());
program!(bcast_of_value, 6, 3 => 6, |x, w| x.block(2, 3).exp() * w.bcast_rows());
program!(bcast_of_column_value, 6, 2 => 6, |x, w| w.block(2, 1).bcast_cols() - x.block(2, 3).exp());
program!(outer, 3, 2 => 6, |x, w| x.bcast_rows() * w.block(2, 1).bcast_cols());
program!(bcast_computed, 6, 3 => 6, |x, w| x.block(2, 3) * w.exp().bcast_rows());
program!(sum_row, 6, 1 => 2, |x, w| x.block(2, 3).sum_row() * w.bcast_scalar());
program!(sum_col, 6, 1 => 3, |x, w| (&w).exp().bcast_scalar() * x.block(2, 3).sum_col());
program!(max_row, 6, 1 => 2, |x, w| x.block(2, 3).max_row() - w.bcast_scalar());
program!(max_col, 6, 1 => 3, |x, w| x.block(2, 3).max_col() + w.bcast_scalar());
program!(mean_row, 6, 1 => 2, |x, w| x.block(2, 3).exp().mean_row() + w.bcast_scalar());
program!(mean_col, 8, 1 => 4, |x, w| x.block(2, 4).exp().mean_col() + w.bcast_scalar());
program!(sum_scalar, 6, 1 => 1, |x, w| x.block(2, 3).exp().sum_scalar() + w);
program!(max_scalar, 6, 1 => 1, |x, w| x.block(2, 3).max_scalar() + w);
program!(mean_scalar, 4, 1 => 1, |x, w| x.block(2, 2).exp().mean_scalar() + w);
program!(transposed, 6, 6 => 6, |x, w| x.block(2, 3).transpose() + w.block(3, 2));
program!(transposed_value, 6, 6 => 6, |x, w| {
    let x = x.block(2, 3);
    (x * x).transpose() - w.block(3, 2)
});
program!(centred, 6, 3 => 6, |x, w| {
    let x = x.block(2, 3);
    (x - x.mean_row().bcast_cols()) * w.bcast_rows()
});
program!(matmul_bias, 6, 12 => 8, |x, w| x.block(2, 3).matmul(w.block(3, 4)).relu());
program!(matmul_of_values, 6, 12 => 8, |x, w| x.block(2, 3).abs().matmul(w.block(3, 4).tanh()));
program!(matmul_large, 12, 18 => 24, |x, w| {
    let x = x.block(4, 3);
    x.matmul(w.block(3, 6)) * x.sum_row().bcast_cols()
});
program!(twice, 6, 2 => 6, |x, w| {
    let e = (x.block(2, 3) - w.block(2, 1).bcast_cols()).exp();
    e * e.sum_row().recip().bcast_cols()
});

fn tiles(rows: usize, cols: usize) -> [usize; 2] {
    [32 * rows, 32 * cols]
}

/// Row 0, column 0 and element 0 of the tiles of a vector.
fn row(w: &Matrix) -> Matrix {
    Matrix::from_fn(1, w.cols, |_, c| w.at(0, c))
}
fn col(w: &Matrix) -> Matrix {
    Matrix::from_fn(w.rows, 1, |r, _| w.at(r, 0))
}
fn scalar(w: &Matrix) -> Matrix {
    Matrix::from_fn(1, 1, |_, _| w.at(0, 0))
}

#[test]
fn rows_are_broadcast() {
    bcast_rows::check([tiles(2, 3), tiles(1, 3), tiles(2, 3)], BOUND, |x, w| x.zip(&row(w), |x, w| x * w));
    bcast_of_value::check([tiles(2, 3), tiles(1, 3), tiles(2, 3)], BOUND, |x, w| x.zip(&row(w), |x, w| x.exp() * w));
    bcast_computed::check([tiles(2, 3), tiles(1, 3), tiles(2, 3)], BOUND, |x, w| x.zip(&row(w), |x, w| x * w.exp()));
}

#[test]
fn columns_are_broadcast() {
    bcast_cols::check([tiles(2, 3), tiles(2, 1), tiles(2, 3)], BOUND, |x, w| x.zip(&col(w), |x, w| x - w));
    bcast_of_column_value::check([tiles(2, 3), tiles(2, 1), tiles(2, 3)], BOUND, |x, w| {
        x.zip(&col(w), |x, w| w - x.exp())
    });
    outer::check([tiles(1, 3), tiles(2, 1), tiles(2, 3)], BOUND, |x, w| {
        Matrix::from_fn(64, 96, |r, c| x.at(0, c) * w.at(r, 0))
    });
}

#[test]
fn scalars_are_broadcast() {
    bcast_scalar::check([tiles(2, 3), tiles(1, 1), tiles(2, 3)], BOUND, |x, w| x.zip(&scalar(w), |x, w| x + w));
}

#[test]
fn rows_are_reduced() {
    let shapes = [tiles(2, 3), tiles(1, 1), tiles(2, 1)];
    sum_row::check(shapes, sum(6, 2, 0, RANDOM), |x, w| x.by_row(|a, b| a + b).map(|v| v * w.at(0, 0)));
    max_row::check(shapes, BOUND, |x, w| x.by_row(f64::max).map(|v| v - w.at(0, 0)));
    mean_row::check(shapes, sum(6, 4, 1, POSITIVE), |x, w| {
        x.map(f64::exp).by_row(|a, b| a + b).map(|v| v / 96.0 + w.at(0, 0))
    });
}

#[test]
fn columns_are_reduced() {
    let shapes = [tiles(2, 3), tiles(1, 1), tiles(1, 3)];
    sum_col::check(shapes, sum(4, 2, 0, RANDOM), |x, w| x.by_col(|a, b| a + b).map(|v| v * w.at(0, 0).exp()));
    max_col::check(shapes, BOUND, |x, w| x.by_col(f64::max).map(|v| v + w.at(0, 0)));
    mean_col::check([tiles(2, 4), tiles(1, 1), tiles(1, 4)], sum(4, 2, 1, POSITIVE), |x, w| {
        x.map(f64::exp).by_col(|a, b| a + b).map(|v| v / 64.0 + w.at(0, 0))
    });
}

#[test]
fn blocks_are_reduced() {
    let shapes = [tiles(2, 3), tiles(1, 1), tiles(1, 1)];
    let all = |x: &Matrix, f: fn(f64, f64) -> f64| x.by_row(f).by_col(f);
    // Each face is a chunk for its columns; then there is the row of their sums.
    sum_scalar::check(shapes, sum_of_all(6 * 4 + 1, 0), |x, w| {
        all(&x.map(f64::exp), |a, b| a + b).map(|v| v + w.at(0, 0))
    });
    max_scalar::check(shapes, BOUND, |x, w| all(x, f64::max).map(|v| v + w.at(0, 0)));
    mean_scalar::check([tiles(2, 2), tiles(1, 1), tiles(1, 1)], sum_of_all(4 * 4 + 1, 2), |x, w| {
        all(&x.map(f64::exp), |a, b| a + b).map(|v| v / 4096.0 + w.at(0, 0))
    });
}

#[test]
fn blocks_are_transposed() {
    let shapes = [tiles(2, 3), tiles(3, 2), tiles(3, 2)];
    transposed::check(shapes, BOUND, |x, w| x.transposed().zip(w, |x, w| x + w));
    transposed_value::check(shapes, BOUND, |x, w| x.transposed().zip(w, |x, w| x * x - w));
}

#[test]
fn reductions_are_broadcast_again() {
    centred::check([tiles(2, 3), tiles(1, 3), tiles(2, 3)], sum(6, 4, 1, RANDOM), |x, w| {
        let mean = x.by_row(|a, b| a + b).map(|v| v / 96.0);
        x.zip(&mean, |x, m| x - m).zip(&row(w), |x, w| x * w)
    });
    // The difference is rounded before e^x.
    let [sums, wide] = sum(6, 2, 0, POSITIVE);
    twice::check([tiles(2, 3), tiles(2, 1), tiles(2, 3)], [sums + BOUND[0], wide + BOUND[1]], |x, w| {
        let e = x.zip(&col(w), |x, w| (x - w).exp());
        e.zip(&e.by_row(|a, b| a + b), |e, s| e / s)
    });
}

#[test]
fn matrix_products_and_values_feed_each_other() {
    let shapes = [tiles(2, 3), tiles(3, 4), tiles(2, 4)];
    matmul_bias::check(shapes, product(3), |x, w| x.matmul(w).map(|v| v.max(0.0)));
    matmul_of_values::check(shapes, product(3), |x, w| x.map(f64::abs).matmul(&w.map(f64::tanh)));
    let both = [0, 1].map(|i| product(3)[i] + sum(6, 2, 0, RANDOM)[i]);
    matmul_large::check([tiles(4, 3), tiles(3, 6), tiles(4, 6)], both, |x, w| {
        x.matmul(w).zip(&x.by_row(|a, b| a + b), |p, s| p * s)
    });
}
