//! Whole programs: softmax, sums along both sides, a layer with bias and relu, a chain of ten operations.

use crate::data::{Matrix, program};
use ttl::prelude::*;
use ttl_kernels::{linear, norms, softmax};

program!(chain, 4, 4 => 4, |x, w| {
    let x = x.block(1, 4);
    let w = w.block(1, 4);
    (((x + w).tanh() * x).exp().sqrt() - w.abs()).sigmoid().square().relu().log1p()
});

#[test]
fn ten_operations_in_one_section() {
    let shape = [64, 64];
    chain::check([shape; 3], [0.02, 0.01], |x, w| {
        x.zip(w, |x, w| {
            let v = ((x + w).tanh() * x).exp().sqrt() - w.abs();
            (1.0 / (1.0 + (-v).exp())).powi(2).max(0.0).ln_1p()
        })
    });
}

/// Where programs go, to be run elsewhere and compared bit for bit.
fn exported<T: Element>(device: &mut Device, program: Program, name: &str, results: &[&Tensor<T>]) -> ttl::Result<()> {
    let Some(dir) = std::env::var_os("TTL_EXPORT_BLOCKS") else { return Ok(()) };
    let program = program.validate(device)?;
    device.run(&program)?;
    let hosts = results.iter().map(|t| device.download(*t)).collect::<ttl::Result<Vec<_>>>()?;
    let results: Vec<_> = results.iter().zip(&hosts).map(|(t, h)| (t.handle(), h)).collect();
    let exact = Tolerance { max_abs: Some(0.0), ..Tolerance::default() };
    program.export(device, &std::path::Path::new(&dir).join(name), &results, exact)?;
    Ok(())
}

fn name(what: &str, arch: &Arch, config: &ComputeConfig) -> String {
    format!("{what}_{}_{}", if config.fp32_dest_acc { "wide" } else { "narrow" }, arch.name())
}

#[test]
fn rows_sum_to_one() {
    crate::everywhere(|arch, config| {
        let x = Matrix::random(96, 384, 5);
        let options = DeviceOptions { arch, ..DeviceOptions::default() };
        let build = |device: &mut Device| {
            let input = x.upload(device, "x")?;
            let y = device.zeros::<bf16>("y", &[96, 384])?;
            let grid = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(1, 0)));
            Ok((softmax::program_of_width::<12>(&grid, config.clone(), &input, &y)?, y))
        };
        let (device, y) = ttl::testing::on_both_engines(&options, build).unwrap_or_else(|e| panic!("{e}"));
        let max = x.by_row(f64::max);
        let e = x.zip(&max, |x, m| (x - m).exp());
        let exact = e.zip(&e.by_row(|a, b| a + b), |e, s| e / s);
        let distance = crate::data::distance(&device, &y, &exact);
        let bound = if config.fp32_dest_acc { 0.01 } else { 0.03 };
        assert!(distance < bound, "{}, {config:?}: {distance}", arch.name());
        let mut other = Device::with_options(options.clone()).expect("a device");
        let (program, y) = build(&mut other).expect("a program");
        exported(&mut other, program, &name("softmax", &arch, config), &[&y]).unwrap_or_else(|e| panic!("{e}"));
    });
}

#[test]
fn sums_along_both_sides() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
        let value = |seed: u64, rows: usize, cols: usize| Matrix::random(rows, cols, seed);
        let (a, b, c, d) = (value(1, 128, 96), value(2, 128, 32), value(3, 32, 96), value(4, 32, 32));
        let options = DeviceOptions { arch, ..DeviceOptions::default() };
        let build = |device: &mut Device| {
            let mut upload = |name: &str, m: &Matrix| {
                let values = &m.values;
                device.upload::<f32>(name, &HostTensor::from_fn([m.rows, m.cols], |i| values[i] as f32)?)
            };
            let (a, b, c, d) = (upload("a", &a)?, upload("b", &b)?, upload("c", &c)?, upload("d", &d)?);
            let (y, z) = (device.zeros::<f32>("y", &[128, 32])?, device.zeros::<f32>("z", &[32, 96])?);
            let program = norms::program::<2, 3>(Core::new(0, 0), config.clone(), [&a, &b, &c, &d, &y, &z])?;
            Ok((program, [y, z]))
        };
        let (device, [y, z]) = ttl::testing::on_both_engines(&options, build).unwrap_or_else(|e| panic!("{e}"));
        let term = |r: usize, c_: usize, sign: f64| {
            let others = b.at(r, 0).powi(2) + c.at(0, c_).powi(2) + d.at(0, 0).powi(2);
            (a.at(r, c_).powi(2) + sign * others).abs().sqrt()
        };
        let (y, z) = (device.download(&y).expect("y"), device.download(&z).expect("z"));
        let (y, z) = (y.to_f32_vec(), z.to_f32_vec());
        for r in 0..128 {
            let exact: f64 = (0..96).map(|c| term(r, c, 1.0)).sum();
            assert!((f64::from(y[r * 32]) / exact - 1.0).abs() < 4e-3, "row {r}: {} instead of {exact}", y[r * 32]);
        }
        for (c, z) in z.iter().enumerate().take(96) {
            let exact: f64 = (0..128).map(|r| term(r, c, -1.0)).sum();
            assert!((f64::from(*z) / exact - 1.0).abs() < 4e-3, "column {c}: {z} instead of {exact}");
        }
        let mut other = Device::with_options(options.clone()).expect("a device");
        let (program, [y, z]) = build(&mut other).expect("a program");
        exported(&mut other, program, &name("norms", &arch, &config), &[&y, &z]).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn a_layer_with_bias_and_relu() {
    crate::everywhere(|arch, config| {
        let (x, w, bias) = (Matrix::random(64, 96, 1), Matrix::random(96, 128, 2), Matrix::random(32, 128, 3));
        let options = DeviceOptions { arch, ..DeviceOptions::default() };
        let build = |device: &mut Device| {
            let (x, w, bias) = (x.upload(device, "x")?, w.upload(device, "w")?, bias.upload(device, "bias")?);
            let y = device.zeros::<bf16>("y", &[64, 128])?;
            let program = linear::program::<2, 3, 4, 8>(Core::new(0, 0), config.clone(), [&x, &w, &bias, &y])?;
            Ok((program, y))
        };
        let (device, y) = ttl::testing::on_both_engines(&options, build).unwrap_or_else(|e| panic!("{e}"));
        let row = Matrix::from_fn(1, 128, |_, c| bias.at(0, c));
        let exact = x.matmul(&w).zip(&row, |p, b| (p + b).max(0.0));
        let distance = crate::data::distance(&device, &y, &exact);
        assert!(distance < 0.02, "{}, {config:?}: {distance}", arch.name());
        let mut other = Device::with_options(options.clone()).expect("a device");
        let (program, y) = build(&mut other).expect("a program");
        exported(&mut other, program, &name("linear", &arch, config), &[&y]).unwrap_or_else(|e| panic!("{e}"));
    });
}
