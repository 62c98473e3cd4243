//! Element-wise operations: every operation, every way of repeating the second operand.

use super::dice::Dice;
use super::{both, error, grid, near, padding_is, random, settings};
use ttl::prelude::*;
use ttl_kernels::binary_operation;
use ttl_kernels::elementwise::{self as ew, BinaryOperation, UnaryOperation};
use ttl_kernels::exact::Exact;

/// Element `i` of `a` meets this element of `b`.
fn partner(i: usize, a: &[usize], b: &[usize]) -> usize {
    let size = |shape: &[usize], back: usize| shape.len().checked_sub(back).map_or(1, |at| shape[at]);
    let (m, n) = (size(a, 2), size(a, 1));
    let (row, col, matrix) = (i / n % m, i % n, i / (m * n));
    let (b_rows, b_cols) = (size(b, 2), size(b, 1));
    let matrices = b.iter().product::<usize>() / (b_rows * b_cols);
    (matrix % matrices * b_rows + row.min(b_rows - 1)) * b_cols + col.min(b_cols - 1)
}

/// The bound is for the registers: of a result, and of what went in.
struct Case<'a> {
    arch: Arch,
    cores: (u32, u32),
    a: &'a [usize],
    b: &'a [usize],
}

fn check<Op: BinaryOperation, T: Exact>(config: &ComputeConfig, case: &Case<'_>, exact: fn(f64, f64) -> f64) {
    let Case { arch, cores, a: a_shape, b: b_shape } = *case;
    let what = format!("{} of {a_shape:?} and {b_shape:?} of {}, {cores:?} cores, {config:?}", Op::NAME, T::FORMAT);
    let a = random(a_shape, T::FORMAT, 11);
    // Away from zero: it is divided by.
    let b = random(b_shape, T::FORMAT, 12).to_f32_vec();
    let b = HostTensor::from_fn(b_shape, |i| b[i] + b[i].signum() * 0.25).expect("a tensor").to_format(T::FORMAT);
    let (device, y) = both(arch, &what, |device| {
        let a = device.upload::<T>("a", &a)?;
        let b = device.upload::<T>("b", &b)?;
        let y = device.zeros::<T>("y", a_shape)?;
        Ok((ew::binary::<Op, T>(&grid(cores.0, cores.1), config.clone(), &a, &b, &y)?, y))
    });
    let (a, b) = (a.to_f64_vec(), b.to_f64_vec());
    let of_b = |i: usize| b[partner(i, a_shape, b_shape)];
    let want: Vec<f64> = a.iter().enumerate().map(|(i, a)| exact(*a, of_b(i))).collect();
    let whole = a_shape.iter().product::<usize>() == b_shape.iter().product::<usize>();
    let bound = match (T::FORMAT, config.fp32_dest_acc) {
        (DataFormat::F32, true) if whole => 1e-6,
        // 11 bits on the way through the matrix unit, or f32 cut off to bf16 on the way to 16-bit registers.
        (DataFormat::F32, true) => 2f64.powi(-10),
        (DataFormat::F32, false) => 2f64.powi(-7),
        // A product takes four passes, and 16-bit registers round by up to 2^-8 after each.
        (_, false) if Op::NAME == "Mul" => 2f64.powi(-6),
        _ => 2f64.powi(-8),
    };
    // Of the operands: the matrix unit aligns them to 12 bits; where they are rounded, by as much as the result.
    let rounded = T::FORMAT == DataFormat::F32 || Op::NAME == "AddGelu";
    let of_operands = if rounded { bound } else { 2f64.powi(-11) };
    let size = |i: usize| match Op::NAME {
        "Div" | "Mul" => want[i].abs(),
        _ => a[i].abs() + of_b(i).abs(),
    };
    near(&device, &y, &want, |i| bound * want[i].abs() + of_operands * size(i) + 1e-7, &what);
}

/// Shapes of `b` for a batch of matrices that fill no tile: whole, per matrix, one for all.
fn cases() -> Vec<Case<'static>> {
    let mut cases = vec![];
    let bs: [&[usize]; 8] = [&[3, 45, 70], &[45, 70], &[3, 1, 70], &[70], &[3, 45, 1], &[45, 1], &[3, 1, 1], &[1, 1]];
    for (i, b) in bs.into_iter().enumerate() {
        let (arch, cores) = if i % 2 == 0 { (Arch::blackhole(), (3, 2)) } else { (Arch::wormhole(), (2, 1)) };
        cases.push(Case { arch, cores, a: &[3, 45, 70], b });
    }
    cases.push(Case { arch: Arch::blackhole(), cores: (1, 1), a: &[1, 1], b: &[1, 1] });
    cases.push(Case { arch: Arch::blackhole(), cores: (11, 10), a: &[33, 300], b: &[33, 1] });
    cases.push(Case { arch: Arch::blackhole(), cores: (2, 2), a: &[300, 1], b: &[1, 1] });
    cases
}

#[test]
fn every_broadcast_on_the_matrix_unit() {
    for config in settings() {
        for case in cases() {
            check::<ew::Add, bf16>(&config, &case, |a, b| a + b);
        }
        for case in &cases()[2..7] {
            check::<ew::Mul, bf16>(&config, case, |a, b| a * b);
            check::<ew::Sub, bf16>(&config, case, |a, b| a - b);
        }
    }
}

#[test]
fn every_broadcast_on_the_vector_unit() {
    for config in settings() {
        for case in cases() {
            check::<ew::Div, bf16>(&config, &case, |a, b| a / b);
        }
        for case in &cases()[..2] {
            check::<ew::Max, bf16>(&config, case, f64::max);
            check::<ew::Min, bf16>(&config, case, f64::min);
        }
    }
}

#[test]
fn over_random_shapes() {
    let mut dice = Dice::new();
    for _ in 0..12 {
        let (arch, cores, [batch, m, n]) = (dice.chip(), dice.cores(), dice.shape());
        let [of_b, b_m, b_n] = [dice.of(&[1, batch]), dice.of(&[1, m]), dice.of(&[1, n])];
        let case = Case { arch, cores, a: &[batch, m, n], b: &[of_b, b_m, b_n] };
        let config = &settings()[usize::from(dice.flip())];
        match dice.below(5) {
            0 => check::<ew::Add, bf16>(config, &case, |a, b| a + b),
            1 => check::<ew::Mul, bf16>(config, &case, |a, b| a * b),
            2 => check::<ew::Div, bf16>(config, &case, |a, b| a / b),
            3 => check::<ew::Add, f32>(config, &case, |a, b| a + b),
            _ => check::<ew::Div, f32>(config, &case, |a, b| a / b),
        }
    }
}

#[test]
fn all_bits_of_f32() {
    for config in settings() {
        for case in cases().iter().step_by(2) {
            check::<ew::Add, f32>(&config, case, |a, b| a + b);
            check::<ew::Div, f32>(&config, case, |a, b| a / b);
        }
    }
}

binary_operation! {
    /// Several operations in one pass.
    Distance, |a, b| ((a - b).square() + 1.0).sqrt()
}

#[test]
fn operations_of_ones_own() {
    for config in settings() {
        for case in &cases()[1..5] {
            check::<ew::AddRelu, bf16>(&config, case, |a, b| (a + b).max(0.0));
            check::<ew::AddGelu, bf16>(&config, case, |a, b| {
                let x = a + b;
                // The integral of the normal distribution by Simpson's rule.
                let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
                let step = x / 200.0;
                let sum: f64 = (0..=200)
                    .map(|i| {
                        density(i as f64 * step)
                            * if i % 200 == 0 {
                                1.0
                            } else if i % 2 == 1 {
                                4.0
                            } else {
                                2.0
                            }
                    })
                    .sum();
                x * (0.5 + sum * step / 3.0)
            });
        }
    }
    let wide = &settings()[1];
    for case in &cases()[1..5] {
        // Four roundings to bf16 at most, all of numbers near the result.
        let device_config = ComputeConfig { fp32_dest_acc: true, ..wide.clone() };
        check::<Distance, bf16>(&device_config, case, |a, b| ((a - b).powi(2) + 1.0).sqrt());
    }
}

fn check_unary<Op: UnaryOperation, T: Exact>(arch: Arch, shape: &[usize], exact: fn(f64) -> f64) {
    for config in settings() {
        let what = format!("{} of {shape:?} of {}, {config:?}", Op::NAME, T::FORMAT);
        let x = HostTensor::uniform(shape, 0.25, 3.0, 5).expect("a tensor").to_format(T::FORMAT);
        let (device, y) = both(arch, &what, |device| {
            let x = device.upload::<T>("x", &x)?;
            let y = device.zeros::<T>("y", shape)?;
            Ok((ew::unary::<Op, T>(&grid(3, 2), config.clone(), &x, &y)?, y))
        });
        let want: Vec<f64> = x.to_f64_vec().into_iter().map(exact).collect();
        let bound = if T::FORMAT == DataFormat::F32 && config.fp32_dest_acc { 2e-6 } else { 2f64.powi(-7) };
        // f32 is cut off to bf16 on the way to 16-bit registers, and no operation here makes more of that than e^x: x times as much.
        let x = x.to_f64_vec();
        let on_the_way = |i: usize| if T::FORMAT == DataFormat::F32 { 1.0 + x[i] } else { 1.0 };
        near(&device, &y, &want, |i| bound * on_the_way(i) * want[i].abs().max(0.05), &what);
    }
}

#[test]
fn operations_of_one_operand() {
    check_unary::<ew::Relu, bf16>(Arch::blackhole(), &[1, 1], |x| x.max(0.0));
    check_unary::<ew::Sqrt, bf16>(Arch::blackhole(), &[3, 45, 70], f64::sqrt);
    check_unary::<ew::Sqrt, f32>(Arch::wormhole(), &[70, 300], f64::sqrt);
    check_unary::<ew::Exp, f32>(Arch::blackhole(), &[33, 65], f64::exp);
    check_unary::<ew::Log, bf16>(Arch::wormhole(), &[500], f64::ln);
    check_unary::<ew::Silu, bf16>(Arch::blackhole(), &[40, 40], |x| x / (1.0 + (-x).exp()));
    check_unary::<ew::Sigmoid, f32>(Arch::blackhole(), &[40, 40], |x| 1.0 / (1.0 + (-x).exp()));
    check_unary::<ew::Tanh, bf16>(Arch::blackhole(), &[40, 40], f64::tanh);
    check_unary::<ew::Recip, f32>(Arch::wormhole(), &[40, 40], f64::recip);
    check_unary::<ew::Neg, bf16>(Arch::wormhole(), &[40, 40], |x| -x);
    check_unary::<ew::Square, bf16>(Arch::blackhole(), &[40, 40], |x| x * x);
}

/// 800 tiles in a row, on one core.
#[test]
fn larger_than_l1() {
    let case = Case { arch: Arch::blackhole(), cores: (1, 1), a: &[2, 800 * 32 - 5], b: &[800 * 32 - 5] };
    check::<ew::Add, bf16>(&settings()[0], &case, |a, b| a + b);
}

#[test]
fn padding_takes_part() {
    let (device, y) = both(Arch::blackhole(), "padding", |device| {
        let x = HostTensor::from_fn([40, 40], |_| 1.0)?;
        let a = device.upload_padded::<bf16>("a", &x, MemoryConfig::Dram, 2.0)?;
        let b = device.upload_padded::<bf16>("b", &x, MemoryConfig::Dram, 3.0)?;
        let y = device.zeros::<bf16>("y", &[40, 40])?;
        Ok((ew::binary::<ew::Add, bf16>(&grid(1, 1), ComputeConfig::default(), &a, &b, &y)?, y))
    });
    padding_is(&device, &y, 5.0, "2 + 3");
}

#[test]
fn shapes_that_do_not_go_together_are_refused() {
    for b in [&[2usize, 40, 51][..], &[3, 40, 50], &[2, 2, 50], &[40]] {
        let [said, _] = error(|device| {
            let a = device.zeros::<bf16>("a", &[2, 40, 50])?;
            let b = device.zeros::<bf16>("b", b)?;
            let y = device.zeros::<bf16>("y", &[2, 40, 50])?;
            Ok((ew::binary::<ew::Add, bf16>(&grid(1, 1), ComputeConfig::default(), &a, &b, &y)?, y))
        });
        let text = format!("Add: `b` of shape {b:?} does not go with `a` of shape [2, 40, 50]");
        assert!(said.contains(&text), "{said}");
    }
}
