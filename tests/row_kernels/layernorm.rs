//! Layer normalisation.

use crate::reference::{Bounded, normalised, rounding};
use crate::{CHIPS, check, config, grid, upload, values};
use ttl::prelude::*;
use ttl_kernels::layernorm::{self, LayerNorm};
use ttl_kernels::rows::{Form, RowOptions};

/// Which tensors there are beside `x`.
#[derive(Clone, Copy, Debug)]
struct With {
    residual: bool,
    gamma: bool,
    beta: bool,
}

const ALL: With = With { residual: true, gamma: true, beta: true };
const NONE: With = With { residual: false, gamma: false, beta: false };

struct Data {
    x: HostTensor,
    residual: HostTensor,
    gamma: HostTensor,
    beta: HostTensor,
}

impl Data {
    /// With a mean that is not zero.
    fn random(shape: &[usize]) -> Data {
        let width = shape.last().copied().unwrap_or(1);
        Data {
            x: crate::noise(shape, 1, 1.0, 0.5),
            residual: crate::noise(shape, 2, 0.5, 0.25),
            gamma: crate::noise(&[width], 3, 0.25, 1.0),
            beta: crate::noise(&[width], 4, 0.5, 0.0),
        }
    }

    fn exact<T: Element>(&self, with: With, epsilon: f64, wide: bool) -> Vec<Bounded> {
        let rounding = rounding(wide, T::FORMAT == DataFormat::F32);
        let [x, residual, gamma, beta] = [&self.x, &self.residual, &self.gamma, &self.beta].map(values::<T>);
        let sum: Vec<f64> = x.iter().zip(&residual).map(|(x, r)| if with.residual { x + r } else { *x }).collect();
        let gamma = with.gamma.then_some(gamma.as_slice());
        let beta = with.beta.then_some(beta.as_slice());
        let width = self.gamma.len();
        sum.chunks(width).flat_map(|row| normalised(row, gamma, beta, epsilon, true, rounding)).collect()
    }
}

fn run<T: Element>(arch: Arch, shape: &[usize], wide: bool, form: Form, with: With, epsilon: f32) {
    let what = format!("{:?} {shape:?} of {:?}, wide {wide}, {form:?}, {with:?}", arch.name(), T::FORMAT);
    let data = Data::random(shape);
    let exact = data.exact::<T>(with, f64::from(epsilon), wide);
    check::<T>(&what, arch, &exact, |device| {
        let x = upload::<T>(device, "x", &data.x)?;
        let residual = upload::<T>(device, "residual", &data.residual)?;
        let gamma = upload::<T>(device, "gamma", &data.gamma)?;
        let beta = upload::<T>(device, "beta", &data.beta)?;
        let y = device.zeros::<T>("y", shape)?;
        let norm = LayerNorm {
            x: &x,
            residual: with.residual.then_some(&residual),
            gamma: with.gamma.then_some(&gamma),
            beta: with.beta.then_some(&beta),
            epsilon,
            y: &y,
        };
        let options = RowOptions { form, ..RowOptions::on(device) };
        Ok((layernorm::program_with(&grid(3, 2), config(wide), &options, &norm)?, y))
    });
}

/// As a sentence-embedding model has it.
#[test]
fn with_everything() {
    for chip in CHIPS {
        for wide in [false, true] {
            run::<bf16>(chip(), &[70, 384], wide, Form::Auto, ALL, 1e-12);
        }
    }
}

#[test]
fn over_shapes() {
    crate::over_shapes(|arch, shape, wide, form| run::<bf16>(arch, shape, wide, form, ALL, 1e-5));
}

#[test]
fn over_random_shapes() {
    crate::over_random_shapes(|arch, shape, wide, form, dice| {
        let with = With { residual: dice.flip(), gamma: dice.flip(), beta: dice.flip() };
        match dice.below(3) {
            0 => run::<f32>(arch, shape, wide, form, with, 1e-5),
            _ => run::<bf16>(arch, shape, wide, form, with, 1e-5),
        }
    });
}

#[test]
fn with_any_tensor_left_out() {
    for form in [Form::Whole, Form::Blocks] {
        for i in 0..7 {
            let with = With { residual: i & 1 != 0, gamma: i & 2 != 0, beta: i & 4 != 0 };
            run::<bf16>(CHIPS[i % 2](), &[35, 300], i % 3 != 0, form, with, 1e-5);
        }
    }
}

#[test]
fn of_f32_tensors() {
    for form in [Form::Whole, Form::Blocks] {
        for wide in [false, true] {
            run::<f32>(CHIPS[usize::from(wide)](), &[40, 333], wide, form, ALL, 1e-6);
        }
    }
}

#[test]
fn of_rows_larger_than_l1() {
    run::<bf16>(Arch::blackhole(), &[2, 40_000], true, Form::Auto, ALL, 1e-5);
    run::<bf16>(Arch::wormhole(), &[1, 33_001], true, Form::Auto, NONE, 1e-5);
}
