//! Numbers in block expressions: constants and run-time values, on either side, as operands and as parameters.

use super::groups::CORE;
use ttl::prelude::*;
use ttl::runtime::codegen::Lines;
use ttl::runtime::ops::UnaryOp;
use ttl::testing::on_both_engines;

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<f32>, a: CbOut<f32>, b: CbOut<f32>) {
    let mut tile = a.reserve_back(1);
    noc.read_page(&x, 0, &mut tile).wait();
    let mut tile = b.reserve_back(1);
    noc.read_page(&x, 1, &mut tile).wait();
}

/// Each store is one tile.
#[ttl::kernel(compute)]
fn numbers(c: Compute, a: CbIn<f32>, b: CbIn<f32>, y: CbOut<f32>, s: f32, t: f32) {
    let a = a.wait_front(1);
    let b = b.wait_front(1);
    y.reserve_back(1).store(2.0 * &a + s);
    y.reserve_back(1).store((&a - t) / (3.0 - &b / 8.0));
    y.reserve_back(1).store(-(&a).max(s).leaky_relu(t * 0.5));
    y.reserve_back(1).store(s / (&a * &a + 1.0));
    y.reserve_back(1).store((&a).gt(0.0).select(&a, c.fill(s)));
    y.reserve_back(1).store((&a).mask((&b).gt(t)) + (&b).clamp(-s, s));
    // The same number twice, and a value with a number that is used twice.
    let scaled = &a * s;
    y.reserve_back(1).store(scaled * scaled + s);
    y.reserve_back(1).store((&a).logsigmoid_of((-&a).exp()));
    let positive = (&a).abs() + 1.0;
    y.reserve_back(1).store(positive.lgamma_stirling_of(positive.log()));
    let mut sum = 0.5;
    for i in 0..3 {
        sum += t;
        y.reserve_back(1).store((&a * sum).softplus(sum, 4.0) + (i as f32));
    }
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<f32>, input: CbIn<f32>) {
    for page in 0..12 {
        let tile = input.wait_front(1);
        noc.write_page(&y, page, &tile).flushed();
    }
}

const S: f32 = 1.25;
const T: f32 = -0.75;

fn softplus(x: f64, beta: f64) -> f64 {
    if beta * x > 4.0 { x } else { (beta * x).exp().ln_1p() / beta }
}

fn lgamma(x: f64) -> f64 {
    UnaryOp::LgammaStirling.row().exact(x)
}

/// What the kernel stores.
fn exact(page: usize, a: f64, b: f64) -> f64 {
    let (s, t) = (f64::from(S), f64::from(T));
    let masked = if b > t { a } else { 0.0 };
    match page {
        0 => 2.0 * a + s,
        1 => (a - t) / (3.0 - b / 8.0),
        2 => {
            let x = a.max(s);
            -if x > 0.0 { x } else { t * 0.5 * x }
        }
        3 => s / (a * a + 1.0),
        4 => {
            if a > 0.0 {
                a
            } else {
                s
            }
        }
        5 => masked + b.clamp(-s, s),
        6 => a * s * a * s + s,
        7 => -(-a).exp().ln_1p(),
        8 => lgamma(a.abs() + 1.0),
        _ => {
            let sum = 0.5 + t * (page - 8) as f64;
            softplus(a * sum, sum) + (page - 9) as f64
        }
    }
}

fn program(device: &mut Device, config: ComputeConfig) -> ttl::Result<(Program, Tensor<f32>)> {
    let host = HostTensor::from_fn([64, 32], value)?;
    let x = device.upload::<f32>("x", &host)?;
    let y = device.zeros::<f32>("y", &[384, 32])?;
    let mut p = Program::new("numbers");
    let [(a_out, a), (b_out, b)] = ["a", "b"].map(|name| p.circular_buffer::<f32>(name, CORE, 1));
    let (y_out, y_in) = p.circular_buffer::<f32>("y", CORE, 2);
    p.kernel(CORE, read { x: x.accessor(), a: a_out, b: b_out });
    p.compute(CORE, config, numbers { a, b, y: y_out, s: S.into(), t: T.into() });
    p.kernel(CORE, write { y: y.accessor(), input: y_in });
    Ok((p, y))
}

fn value(i: usize) -> f32 {
    if i < 1024 { (i as f32 - 512.0) / 128.0 } else { ((i * 37 % 1024) as f32 - 500.0) / 128.0 }
}

#[test]
fn numbers_in_expressions() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for fp32_dest_acc in [false, true] {
            let options = DeviceOptions { arch, ..Default::default() };
            let config = ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() };
            let (device, y) =
                on_both_engines(&options, |device| program(device, config.clone())).expect("both engines agree");
            // A few roundings to bf16, or to 11 bits by the matrix unit; softplus has its own bound.
            let result = device.download(&y).expect("a result").to_f32_vec();
            for (n, got) in result.iter().enumerate() {
                let (page, i) = (n / 1024, n % 1024);
                let (a, b) = (f64::from(value(i)), f64::from(value(1024 + i)));
                let want = exact(page, a, b);
                let size = want.abs().max(a.abs()).max(1.0);
                let bound = size * if fp32_dest_acc { 2f64.powi(-10) } else { 2f64.powi(-5) }
                    + if page > 6 { 0.03 } else { 0.0 };
                assert!((f64::from(*got) - want).abs() <= bound, "page {page}, a {a}, b {b}: {got}, not {want}");
            }
        }
    }
}

/// With 32-bit registers the library is told to use its long polynomials, as TT-Metalium's own kernels do for f32.
#[test]
fn polynomials_follow_the_registers() {
    let mut device = Device::with_options(DeviceOptions::default()).expect("a device");
    for fp32_dest_acc in [false, true] {
        let config = ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() };
        let (program, _) = program(&mut device, config).expect("a program");
        let sources = program.validate(&device).expect("a valid program").sources(Lines::None).expect("sources");
        let defined = sources.iter().filter(|s| s.text.contains("#define INP_FLOAT32 1\n#include")).count();
        assert_eq!(defined, usize::from(fp32_dest_acc), "in the compute kernel alone");
    }
}

/// Constants are bit patterns with their value beside, what needs arithmetic is computed once, outside of the loop over tiles.
#[test]
fn words_of_calls() {
    let mut device = Device::with_options(DeviceOptions::default()).expect("a device");
    let (program, _) = program(&mut device, ComputeConfig::default()).expect("a program");
    let program = program.validate(&device).expect("a valid program");
    let sources = program.sources(Lines::None).expect("sources");
    let text = &sources.iter().find(|s| s.text.contains("tile_regs_acquire")).expect("the compute kernel").text;
    for part in [
        "mul_unary_tile(0, 0x40000000u /* 2.0 */);",
        "add_unary_tile(0, __builtin_bit_cast(uint32_t, s));",
        "0x3e000000u /* 0.125 */",
        "fill_tile_bitcast(",
        "mask_tile(0, 1);",
        "where_tile<DataFormat::Float16_b>(",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}
