//! Softmax and log-softmax.

use crate::reference::{rounding, softmax as exact_softmax};
use crate::{CHIPS, check, config, grid, noise, upload, values};
use ttl::prelude::*;
use ttl_kernels::rows::{Form, RowOptions};
use ttl_kernels::softmax::{self, Kind};

fn run<T: Element>(arch: Arch, shape: &[usize], wide: bool, form: Form, kind: Kind) {
    let what = format!("{kind:?} {} {shape:?} of {:?}, wide {wide}, {form:?}", arch.name(), T::FORMAT);
    let width = shape.last().copied().unwrap_or(1);
    // Far below zero: a zero beside the row would be its maximum.
    let host = noise(shape, 1, 2.0, -20.0);
    let x = values::<T>(&host);
    let rounding = rounding(wide, T::FORMAT == DataFormat::F32);
    let exact: Vec<_> =
        x.chunks(width).flat_map(|row| exact_softmax(row, kind == Kind::LogSoftmax, rounding)).collect();
    check::<T>(&what, arch, &exact, |device| {
        let x = upload::<T>(device, "x", &host)?;
        let y = device.zeros::<T>("y", shape)?;
        let options = RowOptions { form, ..RowOptions::on(device) };
        Ok((softmax::program_with(&grid(3, 2), config(wide), &options, kind, &x, &y)?, y))
    });
}

#[test]
fn softmax_over_shapes() {
    crate::over_shapes(|arch, shape, wide, form| run::<bf16>(arch, shape, wide, form, Kind::Softmax));
}

#[test]
fn log_softmax_over_shapes() {
    crate::over_shapes(|arch, shape, wide, form| run::<bf16>(arch, shape, wide, form, Kind::LogSoftmax));
}

#[test]
fn over_random_shapes() {
    crate::over_random_shapes(|arch, shape, wide, form, dice| {
        let kind = dice.of(&[Kind::Softmax, Kind::LogSoftmax]);
        match dice.below(3) {
            0 => run::<f32>(arch, shape, wide, form, kind),
            _ => run::<bf16>(arch, shape, wide, form, kind),
        }
    });
}

#[test]
fn of_f32_tensors() {
    for kind in [Kind::Softmax, Kind::LogSoftmax] {
        for form in [Form::Whole, Form::Blocks] {
            for wide in [false, true] {
                run::<f32>(CHIPS[usize::from(wide)](), &[40, 333], wide, form, kind);
            }
        }
    }
}

#[test]
fn of_rows_larger_than_l1() {
    run::<bf16>(Arch::blackhole(), &[2, 40_000], true, Form::Auto, Kind::Softmax);
    run::<bf16>(Arch::wormhole(), &[1, 33_001], true, Form::Auto, Kind::LogSoftmax);
}

/// Scores that a mask has taken out have the lowest number, which must leave zero.
#[test]
fn of_masked_scores() {
    let lowest = f32::from_bits(0xFF7F_0000);
    for form in [Form::Whole, Form::Blocks] {
        for wide in [false, true] {
            let host = HostTensor::from_fn([33, 70], |i| if i % 70 % 3 == 0 { lowest } else { (i % 7) as f32 })
                .expect("a shape");
            let rounding = rounding(wide, false);
            let exact: Vec<_> =
                values::<bf16>(&host).chunks(70).flat_map(|row| exact_softmax(row, false, rounding)).collect();
            check::<bf16>(&format!("masked, wide {wide}, {form:?}"), CHIPS[usize::from(wide)](), &exact, |device| {
                let x = upload::<bf16>(device, "x", &host)?;
                let y = device.zeros::<bf16>("y", x.shape())?;
                let options = RowOptions { form, ..RowOptions::on(device) };
                Ok((softmax::program_with(&grid(1, 1), config(wide), &options, Kind::Softmax, &x, &y)?, y))
            });
        }
    }
}
