//! RMS normalisation.

use crate::reference::{normalised, rounding};
use crate::{CHIPS, check, config, grid, noise, upload, values};
use ttl::prelude::*;
use ttl_kernels::rmsnorm::{self, RmsNorm};
use ttl_kernels::rows::{Form, RowOptions};

fn run<T: Element>(arch: Arch, shape: &[usize], wide: bool, form: Form, scaled: bool) {
    let what = format!("{} {shape:?} of {:?}, wide {wide}, {form:?}, gamma {scaled}", arch.name(), T::FORMAT);
    let width = shape.last().copied().unwrap_or(1);
    let (x_host, gamma_host) = (noise(shape, 1, 2.0, 0.5), noise(&[1, width], 2, 0.25, 1.0));
    let epsilon = 1e-5;
    let (x, gamma) = (values::<T>(&x_host), values::<T>(&gamma_host));
    let rounding = rounding(wide, T::FORMAT == DataFormat::F32);
    let gamma = scaled.then_some(gamma.as_slice());
    let exact: Vec<_> =
        x.chunks(width).flat_map(|row| normalised(row, gamma, None, f64::from(epsilon), false, rounding)).collect();
    check::<T>(&what, arch, &exact, |device| {
        let x = upload::<T>(device, "x", &x_host)?;
        let gamma = upload::<T>(device, "gamma", &gamma_host)?;
        let y = device.zeros::<T>("y", shape)?;
        let norm = RmsNorm { x: &x, gamma: scaled.then_some(&gamma), epsilon, y: &y };
        let options = RowOptions { form, ..RowOptions::on(device) };
        Ok((rmsnorm::program_with(&grid(3, 2), config(wide), &options, &norm)?, y))
    });
}

#[test]
fn over_shapes() {
    crate::over_shapes(|arch, shape, wide, form| run::<bf16>(arch, shape, wide, form, true));
}

#[test]
fn over_random_shapes() {
    crate::over_random_shapes(|arch, shape, wide, form, dice| {
        let gamma = dice.flip();
        match dice.below(3) {
            0 => run::<f32>(arch, shape, wide, form, gamma),
            _ => run::<bf16>(arch, shape, wide, form, gamma),
        }
    });
}

#[test]
fn without_gamma() {
    for chip in CHIPS {
        for form in [Form::Whole, Form::Blocks] {
            run::<bf16>(chip(), &[35, 300], true, form, false);
        }
    }
}

#[test]
fn of_f32_tensors() {
    for form in [Form::Whole, Form::Blocks] {
        for wide in [false, true] {
            run::<f32>(CHIPS[usize::from(wide)](), &[40, 333], wide, form, true);
        }
    }
}

#[test]
fn of_rows_larger_than_l1() {
    run::<bf16>(Arch::blackhole(), &[2, 40_000], true, Form::Auto, true);
    run::<bf16>(Arch::wormhole(), &[1, 33_001], true, Form::Auto, false);
}
