//! The C++ of the kernels in `ttl-kernels`, as people read it. `TTL_UPDATE_GOLDEN=1 cargo test --test golden` writes the files: read the difference.

#[path = "common/data_kernel.rs"]
mod data;
#[path = "common/golden.rs"]
mod files;

use ttl::prelude::*;
use ttl::runtime::codegen::Lines;
use ttl_kernels::attention::{self, Attention, Mask};
use ttl_kernels::layernorm::{self, LayerNorm};
use ttl_kernels::matmul::{self, Activation, Strategy};
use ttl_kernels::reduce::{self, Axis, Reduction};
use ttl_kernels::rmsnorm::{self, RmsNorm};
use ttl_kernels::{elementwise, embedding, fma, linear, norms, softmax, transpose};

fn check(program: &CheckedProgram, name: &str) {
    let sources = program.sources(Lines::Comments).expect("C++");
    assert_eq!(sources, program.sources(Lines::Comments).expect("C++"), "the same every time");
    files::sources(name, &sources);
}

#[test]
fn fma_kernels() {
    let mut device = Device::open().expect("a device");
    let [a, b, c, y] = ["a", "b", "c", "y"].map(|n| device.zeros::<bf16>(n, &[256, 256]).expect("a tensor"));
    let tensors = [&a, &b, &c, &y];
    let grid = device.grid();
    let one = fma::program::<1>(&grid, ComputeConfig::default(), tensors).expect("fits");
    check(&one.validate(&device).expect("valid"), "fma_1");
    let four = fma::program::<4>(&grid, ComputeConfig::default(), tensors).expect("fits");
    check(&four.validate(&device).expect("valid"), "fma_4");
}

#[test]
fn matmul_kernels() {
    let mut device = Device::open().expect("a device");
    let [a, b, c] = ["a", "b", "c"].map(|n| device.zeros::<bf16>(n, &[256, 256]).expect("a tensor"));
    let grid = device.grid();
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let bias = device.zeros::<bf16>("bias", &[256]).expect("a tensor");
    let golden = |name: &str, strategy, [m, n, k, sub_m, sub_n]: [u32; 5], bias, activation| {
        let blocks = Some(matmul::Blocks { m, n, k, sub_m, sub_n });
        let options = matmul::Options { bias, activation, strategy, blocks, ..matmul::Options::default() };
        let program = matmul::program(&grid, config.clone(), &a, &b, &c, &options).expect("fits");
        check(&program.validate(&device).expect("valid"), name);
    };
    golden("matmul_2x2", Strategy::Unicast, [2, 2, 2, 2, 2], None, Activation::None);
    golden("matmul_4x4", Strategy::Unicast, [4, 4, 4, 2, 2], None, Activation::None);
    golden("matmul_bias_relu", Strategy::Multicast, [2, 2, 2, 2, 2], Some(&bias), Activation::Relu);
    golden("matmul_k_split", Strategy::KSplit, [4, 2, 1, 1, 2], Some(&bias), Activation::Gelu);
}

#[test]
fn softmax_kernels() {
    let mut device = Device::open().expect("a device");
    let [x, y] = ["x", "y"].map(|n| device.zeros::<bf16>(n, &[128, 384]).expect("a tensor"));
    let program = softmax::program_of_width::<12>(&device.grid(), ComputeConfig::default(), &x, &y).expect("fits");
    let program = program.validate(&device).expect("valid");
    check(&program, "softmax");
    report(&program, "softmax");
}

#[test]
fn norms_kernels() {
    let mut device = Device::open().expect("a device");
    let mut tensor = |n: &str, shape: [usize; 2]| device.zeros::<f32>(n, &shape).expect("a tensor");
    let (a, b, c) = (tensor("a", [128, 96]), tensor("b", [128, 32]), tensor("c", [32, 96]));
    let (d, y, z) = (tensor("d", [32, 32]), tensor("y", [128, 32]), tensor("z", [32, 96]));
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let program = norms::program::<2, 3>(Core::new(0, 0), config, [&a, &b, &c, &d, &y, &z]).expect("fits");
    check(&program.validate(&device).expect("valid"), "norms");
}

#[test]
fn attention_kernels() {
    let mut device = Device::open().expect("a device");
    let mut tensor = |name: &str, rows| device.zeros::<bf16>(name, &[2, rows, 128]).expect("a tensor");
    let [q, y] = ["q", "y"].map(|name| tensor(name, 100));
    let [k, v] = ["k", "v"].map(|name| tensor(name, 300));
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let attention = Attention { mask: Mask::Causal, ..Attention::of_heads(2) };
    let program = attention::program(&Core::new(0, 0).into(), config, [&q, &k, &v, &y], &attention).expect("fits");
    check(&program.validate(&device).expect("valid"), "attention");
}

#[test]
fn kernels_along_rows() {
    let mut device = Device::open().expect("a device");
    let mut tensor = |name: &str, shape: [usize; 2]| device.zeros::<bf16>(name, &shape).expect("a tensor");
    let [x, residual, y] = ["x", "residual", "y"].map(|name| tensor(name, [100, 300]));
    let [gamma, beta] = ["gamma", "beta"].map(|name| tensor(name, [1, 300]));
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let grid = device.grid();
    let norm = RmsNorm { x: &x, gamma: Some(&gamma), epsilon: 1e-5, y: &y };
    let program = rmsnorm::program(&grid, config.clone(), &norm).expect("fits");
    check(&program.validate(&device).expect("valid"), "rmsnorm");
    let (residual, gamma, beta) = (Some(&residual), Some(&gamma), Some(&beta));
    let norm = LayerNorm { x: &x, residual, gamma, beta, epsilon: 1e-5, y: &y };
    let program = layernorm::program(&grid, config, &norm).expect("fits");
    check(&program.validate(&device).expect("valid"), "layernorm");
}

#[test]
fn reduce_kernels() {
    let mut device = Device::open().expect("a device");
    let grid = device.grid();
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let x = device.zeros::<bf16>("x", &[100, 300]).expect("a tensor");
    let y = device.zeros::<bf16>("y", &[100, 1]).expect("a tensor");
    let program = reduce::program(&grid, config.clone(), Reduction::Mean, Axis::Last, &x, &y).expect("fits");
    check(&program.validate(&device).expect("valid"), "reduce_mean");
    let x = device.zeros::<f32>("x", &[100, 300]).expect("a tensor");
    let y = device.zeros::<f32>("y", &[1, 1]).expect("a tensor");
    let program = reduce::program(&grid, config.clone(), Reduction::Sum, Axis::Both, &x, &y).expect("fits");
    check(&program.validate(&device).expect("valid"), "reduce_sum_f32");
    let y = device.zeros::<f32>("y", &[1, 300]).expect("a tensor");
    let program = reduce::program(&grid, config, Reduction::Max, Axis::SecondLast, &x, &y).expect("fits");
    check(&program.validate(&device).expect("valid"), "reduce_max_f32");
}

#[test]
fn kernels_that_move_elements() {
    let mut device = Device::open().expect("a device");
    let grid = device.grid();
    let x = device.zeros::<bf16>("x", &[100, 300]).expect("a tensor");
    let y = device.zeros::<bf16>("y", &[300, 100]).expect("a tensor");
    let program = transpose::program(&grid, &x, &y).expect("fits");
    check(&program.validate(&device).expect("valid"), "transpose");
    let ids = HostTensor::from_fn([40], |i| i as f32).expect("numbers").to_format(DataFormat::U32);
    let ids = device.upload_row_major::<u32>("ids", &ids, MemoryConfig::Dram).expect("a tensor");
    let table = device.zeros_row_major::<bf16>("table", &[100, 300], MemoryConfig::Dram).expect("a tensor");
    let y = device.zeros::<bf16>("y", &[40, 300]).expect("a tensor");
    let program = embedding::program(&grid, &ids, &table, &y).expect("fits");
    check(&program.validate(&device).expect("valid"), "embedding");
}

#[test]
fn elementwise_kernels() {
    let mut device = Device::open().expect("a device");
    let [a, y] = ["a", "y"].map(|name| device.zeros::<bf16>(name, &[100, 300]).expect("a tensor"));
    let b = device.zeros::<bf16>("b", &[1, 300]).expect("a tensor");
    let (grid, config) = (device.grid(), ComputeConfig::default());
    let program = elementwise::binary::<elementwise::Mul, _>(&grid, config.clone(), &a, &b, &y).expect("fits");
    check(&program.validate(&device).expect("valid"), "multiply_rows");
    let program = elementwise::unary::<elementwise::Gelu, _>(&grid, config, &a, &y).expect("fits");
    check(&program.validate(&device).expect("valid"), "gelu");
}

#[test]
fn linear_kernels() {
    let mut device = Device::open().expect("a device");
    let mut tensor = |n: &str, shape: [usize; 2]| device.zeros::<bf16>(n, &shape).expect("a tensor");
    let (x, w, bias, y) =
        (tensor("x", [64, 96]), tensor("w", [96, 128]), tensor("bias", [32, 128]), tensor("y", [64, 128]));
    let tensors = [&x, &w, &bias, &y];
    let narrow = linear::program::<2, 3, 4, 8>(Core::new(0, 0), ComputeConfig::default(), tensors).expect("fits");
    check(&narrow.validate(&device).expect("valid"), "linear");
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let wide = linear::program::<2, 3, 4, 8>(Core::new(0, 0), config, tensors).expect("fits");
    let wide = wide.validate(&device).expect("valid");
    check(&wide, "linear_f32");
    report(&wide, "linear_f32");
}

/// The report of a program, beside its C++.
fn report(program: &CheckedProgram, name: &str) {
    files::same(format!("{name}/report.txt"), &program.report().expect("a report"));
}

#[test]
fn data_kernels() {
    use data::{Order, Share, copy};
    let mut device = Device::open().expect("a device");
    let x = HostTensor::from_fn([128, 128], |i| i as f32).expect("values");
    let x = device.upload::<f32>("x", &x).expect("a tensor");
    let y = device.zeros::<f32>("y", &[128, 128]).expect("a tensor");
    let cores = CoreRange::new(Core::new(0, 0), Core::new(3, 0));
    let mut program = Program::new("copy");
    let (out, input) = program.circular_buffer::<f32>("tiles", cores, 1);
    let share = per_core(|core| Share { first: 4 * core.x, count: 4 });
    let order = Order::Listed([2, 0, 3, 1]);
    program.kernel(cores, copy { x: x.accessor(), y: y.accessor(), out, input, share, order });
    let program = program.validate(&device).expect("valid");
    check(&program, "data");
    device.run(&program).expect("it runs");
    let result = device.download(&y).expect("y");
    assert_eq!(result.get(77), Some(77.0));
    // For a run outside of the simulator.
    if let Some(dir) = std::env::var_os("TTL_EXPORT_DATA") {
        program
            .export(
                &device,
                std::path::Path::new(&dir),
                &[(y.handle(), &result)],
                Tolerance { max_abs: Some(0.0), ..Tolerance::default() },
            )
            .expect("exported");
    }
}
