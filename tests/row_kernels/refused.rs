//! What does not fit is refused with its numbers.

use crate::{config, grid};
use ttl::prelude::*;
use ttl_kernels::layernorm::{self, LayerNorm};
use ttl_kernels::rmsnorm::{self, RmsNorm};
use ttl_kernels::rows::{Form, RowOptions};
use ttl_kernels::softmax::{self, Kind};

#[track_caller]
fn says(result: ttl::Result<Program>, parts: &[&str]) {
    let message = match result {
        Ok(_) => panic!("nothing was refused"),
        Err(e) => e.to_string(),
    };
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn shapes_that_differ() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<bf16>("x", &[64, 100]).expect("x");
    let y = device.zeros::<bf16>("y", &[64, 101]).expect("y");
    says(softmax::program(&grid(1, 1), config(true), &x, &y), &["softmax", "`x`", "[64, 100]", "`y`", "[64, 101]"]);
    let norm = RmsNorm { x: &x, gamma: None, epsilon: 0.0, y: &y };
    says(rmsnorm::program(&grid(1, 1), config(true), &norm), &["rmsnorm", "[64, 100]", "[64, 101]"]);
    let norm = LayerNorm { x: &x, residual: Some(&y), gamma: None, beta: None, epsilon: 0.0, y: &x };
    says(layernorm::program(&grid(1, 1), config(true), &norm), &["layernorm", "`residual`", "[64, 101]"]);
}

#[test]
fn rows_of_another_width() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<bf16>("x", &[64, 100]).expect("x");
    let row = device.zeros::<bf16>("row", &[1, 96]).expect("row");
    let rows = device.zeros::<bf16>("rows", &[2, 100]).expect("rows");
    let norm = LayerNorm { x: &x, residual: None, gamma: None, beta: Some(&row), epsilon: 0.0, y: &x };
    says(layernorm::program(&grid(1, 1), config(true), &norm), &["`beta`", "[1, 96]", "100 elements"]);
    let norm = RmsNorm { x: &x, gamma: Some(&rows), epsilon: 0.0, y: &x };
    says(rmsnorm::program(&grid(1, 1), config(true), &norm), &["`gamma`", "[2, 100]", "100 elements"]);
}

#[test]
fn formats_without_fractions() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<u32>("x", &[64, 100]).expect("x");
    says(softmax::program(&grid(1, 1), config(true), &x, &x), &["u32 tensors", "bf16 or f32"]);
}

#[test]
fn rows_that_must_be_whole_and_do_not_fit() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<bf16>("x", &[1, 40_000]).expect("x");
    let options = RowOptions { form: Form::Whole, ..RowOptions::on(&device) };
    let program = softmax::program_with(&grid(1, 1), config(true), &options, Kind::Softmax, &x, &x);
    says(program, &["1250 tiles", "10258432 bytes", "1462272 are there", "Form::Auto"]);
    let options = RowOptions { form: Form::Auto, l1: 9_999 };
    let program = softmax::program_with(&grid(1, 1), config(true), &options, Kind::Softmax, &x, &x);
    says(program, &["blocks of one tile", "9999 are there"]);
}
