//! Small programs made of kernels of the package, with what they should compute.

use crate::norms::{NORM, NORM_READER, NORM_WRITER, Norm, norm};
use std::path::Path;
use ttl::prelude::*;

pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Below `ttnn/cpp/ttnn/operations`.
    pub(crate) kernels: &'static [&'static str],
    pub(crate) build: fn(&mut Device, &Path) -> ttl::Result<Built>,
}

pub(crate) struct Built {
    pub(crate) program: Program,
    pub(crate) result: Tensor<bf16>,
    pub(crate) reference: HostTensor,
    /// Relative L2 difference that rounding explains.
    pub(crate) bound: f64,
}

pub(crate) const CORE: Core = Core::new(0, 0);
/// One rounding to bf16.
pub(crate) const ROUNDED: f64 = 0.004;

const READER: &str = "eltwise/unary/device/kernels/dataflow/reader_unary_interleaved_start_id.cpp";
const WRITER: &str = "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp";
const EXAMPLE: &str = "examples/example/device/kernels/compute/eltwise_sfpu.cpp";
const EXAMPLE_READER: &str = "examples/example/device/kernels/dataflow/reader_unary.cpp";
const EXAMPLE_WRITER: &str = "examples/example/device/kernels/dataflow/writer_unary.cpp";
const SFPU: &str = "eltwise/unary/device/kernels/compute/eltwise_sfpu.cpp";
const BINARY_READER: &str = "eltwise/binary/device/kernels/dataflow/reader_binary_interleaved_start_id.cpp";
const BINARY: &str = "eltwise/binary/device/kernels/compute/eltwise_binary_kernel.cpp";
const NG_READER: &str = "eltwise/binary_ng/device/kernels_ng/dataflow/reader_interleaved_no_bcast.cpp";
const NG_BINARY: &str = "eltwise/binary_ng/device/kernels/compute/eltwise_binary_no_bcast.cpp";
const NG_WRITER: &str = "eltwise/binary_ng/device/kernels_ng/dataflow/writer_interleaved_no_bcast.cpp";
const TERNARY_READER: &str = "eltwise/ternary/device/kernels/dataflow/ternary_reader_nobcast_ttt.cpp";
const TERNARY: &str = "eltwise/ternary/device/kernels/compute/ternary_sfpu_no_bcast_ttt.cpp";
const TERNARY_WRITER: &str = "eltwise/ternary/device/kernels/dataflow/ternary_writer_nobcast.cpp";
const STICK_READER: &str = "data_movement/copy/device/kernels/reader_unary_stick_start_id.cpp";
const STICK_WRITER: &str = "data_movement/copy/device/kernels/writer_unary_stick_start_id.cpp";
const COPY_READER: &str = "data_movement/copy/device/kernels/reader_unary_start_id.cpp";
const COPY_WRITER: &str = "data_movement/copy/device/kernels/writer_unary_start_id.cpp";
const SHARDED_COPY: &str = "data_movement/sharded/device/kernels/compute/eltwise_copy.cpp";
const BMM_READER: &str = "matmul/device/kernels/dataflow/reader_bmm_8bank_output_tiles_partitioned.cpp";
const BMM: &str = "matmul/device/kernels/compute/bmm.cpp";
const BLOCK_READER: &str = "matmul/device/kernels/dataflow/reader_bmm_tile_layout.cpp";
const BLOCK: &str = "matmul/device/kernels/compute/bmm_large_block_zm.cpp";
const BLOCK_WRITER: &str = "matmul/device/kernels/dataflow/writer_bmm_tile_layout.cpp";
const TRANSPOSE_READER: &str =
    "data_movement/transpose/device/kernels/dataflow/reader_unary_transpose_wh_interleaved.cpp";
const TRANSPOSE: &str = "data_movement/transpose/device/kernels/compute/transpose_wh.cpp";
const BCAST_READER: &str = "data_movement/bcast/device/kernels/dataflow/reader_bcast_hw_interleaved.cpp";
const BCAST: &str = "data_movement/bcast/device/kernels/compute/bcast_hw.cpp";
const TILIZE: &str = "data_movement/tilize/device/kernels/compute/tilize.cpp";
const UNTILIZE: &str = "data_movement/untilize/device/kernels/compute/untilize.cpp";
const REDUCE_READER: &str = "reduction/generic/device/kernels/dataflow/reader_unary_reduce_universal_start_id.cpp";
const REDUCE: &str = "reduction/generic/device/kernels/compute/reduce.cpp";
const ADDCMUL: &str = "eltwise/ternary/device/kernels/compute/ternary_addc_ops_fpu.cpp";
const SOFTMAX_READER: &str = "normalization/softmax/device/kernels/attention/dataflow/reader_unary_interleaved_sm.cpp";
const SOFTMAX: &str = "normalization/softmax/device/kernels/attention/compute/softmax.cpp";
const SOFTMAX_WRITER: &str =
    "normalization/softmax/device/kernels/attention/dataflow/writer_unary_interleaved_start_id_blocked_sm.cpp";

pub(crate) const CASES: &[Case] = &[
    Case { name: "exp", kernels: &[READER, SFPU, WRITER], build: |d, p| unary(d, p, SFPU, "exp", "EXP", f32::exp) },
    Case {
        name: "relu (example operation)",
        kernels: &[READER, EXAMPLE, WRITER],
        build: |d, p| unary(d, p, EXAMPLE, "relu", "RELU_FAMILY", |x| x.max(0.0)),
    },
    Case { name: "endpoints", kernels: &[EXAMPLE_READER, EXAMPLE, EXAMPLE_WRITER], build: endpoints },
    Case { name: "add", kernels: &[BINARY_READER, BINARY, WRITER], build: |d, p| binary(d, p, "add", "") },
    Case {
        name: "sub, then relu",
        kernels: &[BINARY_READER, BINARY, WRITER],
        build: |d, p| binary(d, p, "sub", "relu_tile_init(); relu_tile(i);"),
    },
    Case { name: "mul (binary_ng)", kernels: &[NG_READER, NG_BINARY, NG_WRITER], build: binary_ng },
    Case { name: "where", kernels: &[TERNARY_READER, TERNARY, TERNARY_WRITER], build: |d, p| ternary(d, p, false) },
    Case { name: "a + b * c", kernels: &[TERNARY_READER, ADDCMUL, TERNARY_WRITER], build: |d, p| ternary(d, p, true) },
    Case { name: "copy of sticks", kernels: &[STICK_READER, STICK_WRITER], build: sticks },
    Case { name: "copy of tiles", kernels: &[COPY_READER, SHARDED_COPY, COPY_WRITER], build: copy },
    Case { name: "matmul", kernels: &[BMM_READER, BMM, WRITER], build: matmul },
    Case { name: "matmul in blocks", kernels: &[BLOCK_READER, BLOCK, BLOCK_WRITER], build: matmul_blocks },
    Case { name: "transpose", kernels: &[TRANSPOSE_READER, TRANSPOSE, WRITER], build: transpose },
    Case { name: "broadcast of a scalar", kernels: &[BCAST_READER, BCAST, WRITER], build: bcast },
    Case { name: "tilize", kernels: &[READER, TILIZE, WRITER], build: tilize },
    Case { name: "untilize", kernels: &[READER, UNTILIZE, WRITER], build: untilize },
    Case { name: "sum of rows", kernels: &[REDUCE_READER, REDUCE, WRITER], build: reduce },
    Case { name: "softmax", kernels: &[SOFTMAX_READER, SOFTMAX, SOFTMAX_WRITER], build: |d, p| softmax(d, p, false) },
    Case {
        name: "softmax, numerically stable",
        kernels: &[SOFTMAX_READER, SOFTMAX, SOFTMAX_WRITER],
        build: |d, p| softmax(d, p, true),
    },
    Case { name: "layer norm", kernels: &[NORM_READER, NORM, NORM_WRITER], build: |d, p| norm(d, p, Norm::Layer) },
    Case { name: "RMS norm", kernels: &[NORM_READER, NORM, NORM_WRITER], build: |d, p| norm(d, p, Norm::Rms) },
    Case {
        name: "layer norm with residual, gamma and beta",
        kernels: &[NORM_READER, NORM, NORM_WRITER],
        build: |d, p| norm(d, p, Norm::Fused),
    },
];

/// A kernel of the package, with the folders that its own headers are in.
pub(crate) fn of(package: &Path, role: fn(std::path::PathBuf) -> ForeignKernel, kernel: &str) -> ForeignKernel {
    role(package.join("ttnn/cpp/ttnn/operations").join(kernel))
        .include_dir(package)
        .include_dir(package.join("ttnn/cpp"))
}

pub(crate) fn random(shape: &[usize], seed: u64) -> ttl::Result<HostTensor> {
    Ok(HostTensor::normal(shape.to_vec(), seed)?.to_format(DataFormat::Bf16))
}

fn address(tensor: &Tensor<bf16>) -> Word {
    Word::address(&tensor.accessor())
}

/// All tiles of `x` in order.
fn reader(package: &Path, x: &Tensor<bf16>, out: &Producer<bf16>) -> ForeignKernel {
    of(package, ForeignKernel::reader, READER)
        .uses(out)
        .accessor(&x.accessor())
        .runtime(address(x))
        .runtime(x.pages())
        .runtime(0)
}

/// All tiles of `y` in order.
fn writer(package: &Path, y: &Tensor<bf16>, from: &Consumer<bf16>) -> ForeignKernel {
    of(package, ForeignKernel::writer, WRITER)
        .cb(from)
        .accessor(&y.accessor())
        .runtime(address(y))
        .runtime(y.pages())
        .runtime(0)
}

fn unary(
    device: &mut Device,
    package: &Path,
    kernel: &str,
    op: &str,
    include: &str,
    reference: fn(f32) -> f32,
) -> ttl::Result<Built> {
    let host = random(&[64, 96], 1)?;
    let x = device.upload::<bf16>("x", &host)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let mut program = Program::new(op);
    let (x_out, x_in) = program.circular_buffer_with_id::<bf16>("x", CORE, 2, 0);
    let (y_out, y_in) = program.circular_buffer_with_id::<bf16>("y", CORE, 2, 2);
    program.foreign(CORE, reader(package, &x, &x_out));
    let compute = of(package, ForeignKernel::compute, kernel)
        .uses(&x_in)
        .uses(&y_out)
        .define("SFPU_OP_CHAIN_0", &format!("{op}_tile_init(); {op}_tile(0);"))
        .define(&format!("SFPU_OP_{include}_INCLUDE"), "1");
    // The example's kernel counts blocks of one tile, at compile time.
    let compute = match kernel {
        EXAMPLE => compute.compile_time(x.pages() / 2).compile_time(2),
        _ => compute.runtime(x.pages()),
    };
    program.foreign(CORE, compute);
    program.foreign(CORE, writer(package, &y, &y_in));
    let values = host.to_f32_vec();
    let reference = HostTensor::from_fn(host.shape(), |i| reference(values[i]))?;
    Ok(Built { program, result: y, reference, bound: ROUNDED })
}

/// Tiles that lie one after another in the memory of another core.
fn endpoints(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let host = random(&[64, 64], 2)?;
    let place = Core::new(2, 1);
    let memory = || MemoryConfig::Sharded(ShardSpec::height([64, 64], CoreSet::from(place)));
    let x = device.upload_in::<bf16>("x", &host, memory())?;
    let y = device.zeros_in::<bf16>("y", x.shape(), memory())?;
    let mut program = Program::new("endpoints");
    let (x_out, x_in) = program.circular_buffer_with_id::<bf16>("x", CORE, 2, 0);
    let (y_out, y_in) = program.circular_buffer_with_id::<bf16>("y", CORE, 2, 2);
    let ends = |kernel: ForeignKernel, tensor: &Tensor<bf16>| {
        kernel.runtime(address(tensor)).runtime(Word::noc_x(place)).runtime(Word::noc_y(place)).runtime(tensor.pages())
    };
    program.foreign(CORE, ends(of(package, ForeignKernel::reader, EXAMPLE_READER).uses(&x_out), &x));
    let compute =
        of(package, ForeignKernel::compute, EXAMPLE).uses(&x_in).uses(&y_out).compile_time(x.pages()).compile_time(1);
    program.foreign(CORE, compute);
    program.foreign(CORE, ends(of(package, ForeignKernel::writer, EXAMPLE_WRITER).uses(&y_in), &y));
    Ok(Built { program, result: y, reference: host, bound: 0.0 })
}

fn binary(device: &mut Device, package: &Path, op: &str, chain: &str) -> ttl::Result<Built> {
    let hosts = [random(&[96, 64], 3)?, random(&[96, 64], 4)?];
    let a = device.upload::<bf16>("a", &hosts[0])?;
    let b = device.upload::<bf16>("b", &hosts[1])?;
    let y = device.zeros::<bf16>("y", a.shape())?;
    let mut program = Program::new(op);
    let (a_out, a_in) = program.circular_buffer_with_id::<bf16>("a", CORE, 4, 0);
    let (b_out, b_in) = program.circular_buffer_with_id::<bf16>("b", CORE, 4, 1);
    let (y_out, y_in) = program.circular_buffer_with_id::<bf16>("y", CORE, 4, 2);
    let reader = of(package, ForeignKernel::reader, BINARY_READER)
        .uses(&a_out)
        .uses(&b_out)
        .compile_time(0)
        .accessor(&a.accessor())
        .accessor(&b.accessor())
        .runtime(address(&a))
        .runtime(address(&b))
        .runtime(a.pages())
        .runtime(0);
    program.foreign(CORE, (0..3).fold(reader, |kernel, _| kernel.runtime(0)));
    let compute = of(package, ForeignKernel::compute, BINARY)
        .uses(&a_in)
        .uses(&b_in)
        .uses(&y_out)
        .define("ELTWISE_OP", &format!("{op}_tiles"))
        .define("ELTWISE_OP_TYPE", &format!("EltwiseBinaryType::ELW{}", op.to_uppercase()))
        .runtime(a.pages() / 2)
        .runtime(2);
    let compute = if chain.is_empty() {
        compute
    } else {
        compute.define("SFPU_OP_CHAIN_0", chain).define("SFPU_OP_RELU_FAMILY_INCLUDE", "1")
    };
    program.foreign(CORE, compute);
    program.foreign(CORE, writer(package, &y, &y_in));
    let values = hosts.map(|h| h.to_f32_vec());
    let reference = HostTensor::from_fn(y.shape(), |i| {
        let (a, b) = (values[0][i], values[1][i]);
        if op == "add" { a + b } else { (a - b).max(0.0) }
    })?;
    Ok(Built { program, result: y, reference, bound: 3.0 * ROUNDED })
}

fn binary_ng(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let hosts = [random(&[64, 96], 5)?, random(&[64, 96], 6)?];
    let a = device.upload::<bf16>("a", &hosts[0])?;
    let b = device.upload::<bf16>("b", &hosts[1])?;
    let y = device.zeros::<bf16>("y", a.shape())?;
    let (tiles, ht, wt) = (a.pages(), a.tile_rows(), a.tile_cols());
    let mut program = Program::new("mul");
    let (a_out, a_in) = program.circular_buffer_with_id::<bf16>("a", CORE, 2, 0);
    let (b_out, b_in) = program.circular_buffer_with_id::<bf16>("b", CORE, 2, 1);
    let (y_out, y_in) = program.circular_buffer_with_id::<bf16>("y", CORE, 2, 2);
    let words = |kernel: ForeignKernel, words: &[u32]| words.iter().fold(kernel, |kernel, &w| kernel.runtime(w));
    let reader = of(package, ForeignKernel::reader, NG_READER)
        .uses(&a_out)
        .uses(&b_out)
        .accessor(&a.accessor())
        .accessor(&b.accessor())
        .compile_time(0)
        .define("SRC_SHARDED", "0")
        .define("SRC_SHARDED_B", "0")
        .runtime(address(&a));
    // First tile, counts, shard width, strides, sizes of the dimensions.
    let reader = words(reader, &[0, tiles, tiles, 0, tiles, tiles, tiles, tiles, 1, 1, 1, ht, wt, 1]);
    let reader = words(reader.runtime(address(&b)), &[tiles, tiles, tiles, tiles, tiles, wt, wt]);
    program.foreign(CORE, reader);
    let compute = of(package, ForeignKernel::compute, NG_BINARY)
        .uses(&a_in)
        .uses(&b_in)
        .uses(&y_out)
        .compile_time(1)
        .define("BINARY_OP", "mul_tiles")
        .define("BINARY_OP_TYPE", "EltwiseBinaryType::ELWMUL")
        .define("PROCESS_LHS_ACTIVATIONS(i)", "")
        .define("PROCESS_RHS_ACTIVATIONS(i)", "")
        .define("PROCESS_POST_ACTIVATIONS(i)", "")
        .runtime(tiles);
    program.foreign(CORE, compute);
    let writer = of(package, ForeignKernel::writer, NG_WRITER)
        .uses(&y_in)
        .accessor(&y.accessor())
        .compile_time(0)
        .define("DST_SHARDED", "0")
        .runtime(address(&y));
    program.foreign(CORE, words(writer, &[0, tiles, 0, 1, 1, 1, ht, wt, 1]));
    let values = hosts.map(|h| h.to_f32_vec());
    let reference = HostTensor::from_fn(y.shape(), |i| values[0][i] * values[1][i])?;
    Ok(Built { program, result: y, reference, bound: 2.0 * ROUNDED })
}

fn ternary(device: &mut Device, package: &Path, multiplies: bool) -> ttl::Result<Built> {
    let mask = HostTensor::from_fn([64, 64], |i| if i % 3 == 0 { 1.0 } else { 0.0 })?;
    let first = if multiplies { random(&[64, 64], 6)? } else { mask };
    let hosts = [first, random(&[64, 64], 7)?, random(&[64, 64], 8)?];
    let a = device.upload::<bf16>("a", &hosts[0])?;
    let b = device.upload::<bf16>("b", &hosts[1])?;
    let c = device.upload::<bf16>("c", &hosts[2])?;
    let y = device.zeros::<bf16>("y", a.shape())?;
    let (tiles, ht, wt) = (a.pages(), a.tile_rows(), a.tile_cols());
    let mut program = Program::new("where");
    let (a_out, a_in) = program.circular_buffer_with_id::<bf16>("a", CORE, 2, 0);
    let (b_out, b_in) = program.circular_buffer_with_id::<bf16>("b", CORE, 2, 1);
    let (c_out, c_in) = program.circular_buffer_with_id::<bf16>("c", CORE, 2, 2);
    let (y_out, y_in) = program.circular_buffer_with_id::<bf16>("y", CORE, 2, 3);
    let reader = of(package, ForeignKernel::reader, TERNARY_READER)
        .cb(&a_out)
        .cb(&b_out)
        .cb(&c_out)
        .accessor(&a.accessor())
        .accessor(&b.accessor())
        .accessor(&c.accessor())
        .runtime(address(&a))
        .runtime(address(&b))
        .runtime(address(&c))
        .runtime(tiles)
        .runtime(0);
    program.foreign(CORE, reader);
    let compute = of(package, ForeignKernel::compute, if multiplies { ADDCMUL } else { TERNARY })
        .uses(&a_in)
        .uses(&b_in)
        .uses(&c_in)
        .uses(&y_out)
        .runtime(tiles);
    let compute = if multiplies {
        // The last word is the factor of the product: none.
        [0, 0, 1].into_iter().fold(compute, |kernel, word| kernel.runtime(word))
    } else {
        compute
            .compile_time(1)
            .define("TERNARY_SFPU_OP_INIT", "where_tile_init")
            .define("TERNARY_SFPU_OP_FUNC", "where_tile<DataFormat::Float16_b>")
    };
    program.foreign(CORE, compute);
    let writer = of(package, ForeignKernel::writer, TERNARY_WRITER)
        .cb(&y_in)
        .accessor(&y.accessor())
        .compile_time(0)
        .define("DST_SHARDED", "0")
        .runtime(address(&y));
    let words = [tiles, 0, 0, 1, 1, 1, ht, wt, 1];
    program.foreign(CORE, words.iter().fold(writer, |kernel, &w| kernel.runtime(w)));
    let values = hosts.map(|h| h.to_f32_vec());
    let reference = HostTensor::from_fn(y.shape(), |i| match multiplies {
        true => values[0][i] + values[1][i] * values[2][i],
        false if values[0][i] != 0.0 => values[1][i],
        false => values[2][i],
    })?;
    Ok(Built { program, result: y, reference, bound: if multiplies { 2.0 * ROUNDED } else { 0.0 } })
}

/// Pages of any kind: here tiles.
fn sticks(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let host = random(&[64, 64], 9)?;
    let x = device.upload::<bf16>("x", &host)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let mut program = Program::new("sticks");
    let (out, from) = program.circular_buffer::<bf16>("pages", CORE, 2);
    let words = |kernel: ForeignKernel, tensor: &Tensor<bf16>| {
        let kernel = kernel.compile_time(0).accessor(&tensor.accessor()).runtime(address(tensor));
        kernel.runtime(tensor.spec().page_size()).runtime(tensor.pages()).runtime(0).runtime(1)
    };
    program.foreign(CORE, words(of(package, ForeignKernel::reader, STICK_READER).cb(&out), &x));
    program.foreign(CORE, words(of(package, ForeignKernel::writer, STICK_WRITER).cb(&from), &y));
    Ok(Built { program, result: y, reference: host, bound: 0.0 })
}

fn copy(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let host = random(&[96, 64], 10)?;
    let x = device.upload::<bf16>("x", &host)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let mut program = Program::new("copy");
    let (x_out, x_in) = program.circular_buffer_with_id::<bf16>("x", CORE, 2, 0);
    let (y_out, y_in) = program.circular_buffer_with_id::<bf16>("y", CORE, 2, 16);
    let words = |kernel: ForeignKernel, tensor: &Tensor<bf16>| {
        kernel.accessor(&tensor.accessor()).runtime(address(tensor)).runtime(tensor.pages()).runtime(0)
    };
    program.foreign(CORE, words(of(package, ForeignKernel::reader, COPY_READER).uses(&x_out), &x));
    let compute = of(package, ForeignKernel::compute, SHARDED_COPY).uses(&x_in).uses(&y_out).runtime(x.pages());
    program.foreign(CORE, compute);
    program.foreign(CORE, words(of(package, ForeignKernel::writer, COPY_WRITER).cb(&y_in), &y));
    Ok(Built { program, result: y, reference: host, bound: 0.0 })
}

fn product(a: &HostTensor, b: &HostTensor) -> ttl::Result<HostTensor> {
    let (inner, cols) = (a.shape()[1], b.shape()[1]);
    let (x, y) = (a.to_f32_vec(), b.to_f32_vec());
    let sum = |i: usize| {
        let (row, col) = (i / cols, i % cols);
        (0..inner).map(|k| f64::from(x[row * inner + k]) * f64::from(y[k * cols + col])).sum::<f64>() as f32
    };
    Ok(HostTensor::from_fn([a.shape()[0], cols], sum)?)
}

fn matmul(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let (a_host, b_host) = (random(&[64, 96], 11)?, random(&[96, 64], 12)?);
    let a = device.upload::<bf16>("a", &a_host)?;
    let b = device.upload::<bf16>("b", &b_host)?;
    let y = device.zeros::<bf16>("y", &[64, 64])?;
    let (mt, kt, nt) = (2, 3, 2);
    let mut program = Program::new("matmul");
    let (a_out, a_in) = program.circular_buffer::<bf16>("a", CORE, 2);
    let (b_out, b_in) = program.circular_buffer::<bf16>("b", CORE, 2);
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", CORE, 2);
    let reader = of(package, ForeignKernel::reader, BMM_READER)
        .compile_time(0)
        .compile_time(0)
        .accessor(&a.accessor())
        .accessor(&b.accessor())
        .named("cb_in0", &a_out)
        .named("cb_in1", &b_out)
        .runtime(address(&a))
        .runtime(address(&b));
    let words = [mt, kt, nt, mt * kt, kt * nt, 1, 0, 0, mt * nt, mt * nt];
    program.foreign(CORE, words.iter().fold(reader, |kernel, &w| kernel.runtime(w)));
    let compute = of(package, ForeignKernel::compute, BMM)
        .compile_time(1)
        .compile_time(mt)
        .compile_time(kt)
        .compile_time(nt)
        .named("cb_in0", &a_in)
        .named("cb_in1", &b_in)
        .named("cb_out", &y_out)
        .config(ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() });
    program.foreign(CORE, compute);
    program.foreign(CORE, writer(package, &y, &y_in));
    let reference = product(&a_host, &b_host)?;
    Ok(Built { program, result: y, reference, bound: ROUNDED })
}

fn matmul_blocks(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let (a_host, b_host) = (random(&[64, 128], 13)?, random(&[128, 64], 14)?);
    let a = device.upload::<bf16>("a", &a_host)?;
    let b = device.upload::<bf16>("b", &b_host)?;
    let y = device.zeros::<bf16>("y", &[64, 64])?;
    // Two blocks of two tiles along the inner dimension; the result is one sub-block of 2 x 2.
    let (kt, nt, block, blocks) = (4, 2, 2, 2);
    let mut program = Program::new("matmul_blocks");
    let (a_out, a_in) = program.circular_buffer::<bf16>("a", CORE, 8);
    let (b_out, b_in) = program.circular_buffer::<bf16>("b", CORE, 8);
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", CORE, 4);
    let (partial_out, partial_in) = program.circular_buffer::<bf16>("partial", CORE, 4);
    let reader = of(package, ForeignKernel::reader, BLOCK_READER)
        .accessor(&a.accessor())
        .accessor(&b.accessor())
        .named("cb_in0", &a_out)
        .named("cb_in1", &b_out);
    let words = |kernel: ForeignKernel, words: &[u32]| words.iter().fold(kernel, |kernel, &w| kernel.runtime(w));
    let reader = words(reader.runtime(address(&a)), &[0, 1, kt, block, block, 2, 2 * block]);
    let reader = words(reader.runtime(address(&b)), &[0, 1, nt, block * nt, nt, block, nt * block]);
    program.foreign(CORE, words(reader, &[blocks, 2 * kt, kt * nt, 1, 0]));
    let compute = of(package, ForeignKernel::compute, BLOCK)
        .named("cb_in0", &a_in)
        .named("cb_in1", &b_in)
        .named("cb_out", &y_out)
        .named("cb_intermed0", &partial_out)
        .uses(&partial_in);
    let sizes = [block, 1, 2 * block, 2 * block, 1, nt * block, nt, blocks, 2, nt, 2 * nt, 1];
    program.foreign(CORE, sizes.iter().fold(compute, |kernel, &w| kernel.compile_time(w)));
    let writer = of(package, ForeignKernel::writer, BLOCK_WRITER)
        .accessor(&y.accessor())
        .named("cb_out", &y_in)
        .runtime(address(&y));
    program.foreign(CORE, words(writer, &[0, 1, nt, nt, 2 * nt, nt, 2, 2 * nt, 1, 1, 2 * nt, 1]));
    let reference = product(&a_host, &b_host)?;
    // Partial sums of 16 bits.
    Ok(Built { program, result: y, reference, bound: 4.0 * ROUNDED })
}

fn transpose(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let host = random(&[64, 96], 15)?;
    let x = device.upload::<bf16>("x", &host)?;
    let y = device.zeros::<bf16>("y", &[96, 64])?;
    let mut program = Program::new("transpose");
    let (x_out, x_in) = program.circular_buffer_with_id::<bf16>("x", CORE, 2, 0);
    let (y_out, y_in) = program.circular_buffer_with_id::<bf16>("y", CORE, 2, 16);
    let reader = of(package, ForeignKernel::reader, TRANSPOSE_READER)
        .uses(&x_out)
        .accessor(&x.accessor())
        .runtime(address(&x))
        .runtime(1)
        .runtime(x.tile_rows())
        .runtime(x.tile_cols())
        .runtime(x.pages());
    program.foreign(CORE, reader);
    let compute = of(package, ForeignKernel::compute, TRANSPOSE).uses(&x_in).uses(&y_out).runtime(x.pages());
    program.foreign(CORE, compute);
    program.foreign(CORE, writer(package, &y, &y_in));
    let values = host.to_f32_vec();
    let reference = HostTensor::from_fn([96, 64], |i| values[i % 64 * 96 + i / 64])?;
    Ok(Built { program, result: y, reference, bound: 0.0 })
}

fn bcast(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let host = random(&[64, 64], 16)?;
    let a = device.upload::<bf16>("a", &host)?;
    let b = device.upload::<bf16>("b", &HostTensor::from_fn([32, 32], |i| if i == 0 { 1.5 } else { 7.0 })?)?;
    let y = device.zeros::<bf16>("y", a.shape())?;
    let mut program = Program::new("bcast");
    let (a_out, a_in) = program.circular_buffer_with_id::<bf16>("a", CORE, 2, 0);
    let (b_out, b_in) = program.circular_buffer_with_id::<bf16>("b", CORE, 2, 1);
    let (y_out, y_in) = program.circular_buffer_with_id::<bf16>("y", CORE, 2, 16);
    let mut reader = of(package, ForeignKernel::reader, BCAST_READER)
        .uses(&a_out)
        .uses(&b_out)
        .accessor(&a.accessor())
        .accessor(&b.accessor())
        .define("BCAST_SCALAR", "1");
    let tiles = a.pages();
    for (i, word) in [0, 0, 0, tiles, 0, 0, 0, 1, tiles, 1, a.tile_rows(), a.tile_cols(), 0].into_iter().enumerate() {
        reader = match i {
            0 => reader.runtime(address(&a)),
            4 => reader.runtime(address(&b)),
            _ => reader.runtime(word),
        };
    }
    program.foreign(CORE, reader);
    let compute = of(package, ForeignKernel::compute, BCAST)
        .uses(&a_in)
        .uses(&b_in)
        .uses(&y_out)
        .define("BCAST_SCALAR", "1")
        .define("CHAIN_BCAST_OP", "compute_kernel_lib::BinaryFpuOp::Mul")
        .define("CHAIN_BCAST_DIM", "compute_kernel_lib::BroadcastDim::Scalar")
        .runtime(1)
        .runtime(a.tile_rows())
        .runtime(a.tile_cols());
    program.foreign(CORE, compute);
    program.foreign(CORE, writer(package, &y, &y_in));
    let values = host.to_f32_vec();
    let reference = HostTensor::from_fn(y.shape(), |i| values[i] * 1.5)?;
    Ok(Built { program, result: y, reference, bound: 2.0 * ROUNDED })
}

/// The rows of a matrix one after another, as pages of the size of a tile.
fn rows_as_tiles(matrix: &HostTensor) -> ttl::Result<HostTensor> {
    let bytes: Vec<u8> =
        matrix.to_f32_vec().into_iter().flat_map(|x| bf16::from_f32(x).to_bits().to_le_bytes()).collect();
    Ok(HostTensor::from_tiles(matrix.shape(), DataFormat::Bf16, &bytes)?)
}

fn tilize(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let host = random(&[64, 96], 17)?;
    let x = device.upload::<bf16>("x", &rows_as_tiles(&host)?)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let mut program = Program::new("tilize");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2 * x.tile_cols());
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", CORE, 2 * x.tile_cols());
    program.foreign(CORE, reader(package, &x, &x_out));
    let compute = of(package, ForeignKernel::compute, TILIZE)
        .cb(&x_in)
        .cb(&y_out)
        .compile_time(x.tile_rows())
        .compile_time(x.tile_cols());
    program.foreign(CORE, compute);
    program.foreign(CORE, writer(package, &y, &y_in));
    Ok(Built { program, result: y, reference: host, bound: 0.0 })
}

fn untilize(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let host = random(&[64, 96], 18)?;
    let x = device.upload::<bf16>("x", &host)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let mut program = Program::new("untilize");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2 * x.tile_cols());
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", CORE, 2 * x.tile_cols());
    program.foreign(CORE, reader(package, &x, &x_out));
    let compute = of(package, ForeignKernel::compute, UNTILIZE)
        .compile_time(x.tile_rows())
        .compile_time(x.tile_cols())
        .cb(&x_in)
        .cb(&y_out);
    program.foreign(CORE, compute);
    program.foreign(CORE, writer(package, &y, &y_in));
    Ok(Built { program, result: y, reference: rows_as_tiles(&host)?, bound: 0.0 })
}

fn reduce(device: &mut Device, package: &Path) -> ttl::Result<Built> {
    let host = random(&[64, 96], 19)?;
    let x = device.upload::<bf16>("x", &host)?;
    let y = device.zeros::<bf16>("y", &[64, 32])?;
    let mut program = Program::new("reduce");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2);
    let (scaler_out, scaler_in) = program.circular_buffer::<bf16>("scaler", CORE, 1);
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", CORE, 2);
    let reduce = |kernel: ForeignKernel| {
        kernel.define("REDUCE_OP", "ckernel::PoolType::SUM").define("REDUCE_DIM", "ckernel::ReduceDim::REDUCE_ROW")
    };
    let reader = of(package, ForeignKernel::reader, REDUCE_READER)
        .bind_runtime("num_tiles", x.pages())
        .bind_runtime("start_id", 0)
        .bind_runtime("scaler_bits", 1.0)
        .bind_compile_time("tiles_per_batch", 1)
        .bind_cb("in0", &x_out)
        .bind_cb("scaler", &scaler_out)
        .bind_tensor("src", &x.accessor());
    program.foreign(CORE, reduce(reader));
    let compute = of(package, ForeignKernel::compute, REDUCE)
        .bind_runtime("Ht", x.tile_rows())
        .bind_runtime("Wt", x.tile_cols())
        .bind_runtime("NC", 1)
        .bind_compile_time("enable_fp32_sfpu", 0)
        .bind_cb("in0", &x_in)
        .bind_cb("scaler", &scaler_in)
        .bind_cb("out", &y_out)
        .config(ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() });
    program.foreign(CORE, reduce(compute));
    program.foreign(CORE, writer(package, &y, &y_in));
    let values = host.to_f32_vec();
    // The sums are the first column.
    let reference = HostTensor::from_fn([64, 32], |i| match i % 32 {
        0 => values[i / 32 * 96..][..96].iter().sum(),
        _ => 0.0,
    })?;
    Ok(Built { program, result: y, reference, bound: 2.0 * ROUNDED })
}

fn softmax(device: &mut Device, package: &Path, stable: bool) -> ttl::Result<Built> {
    let host = random(&[64, 64], 20)?;
    let x = device.upload::<bf16>("x", &host)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let (ht, wt) = (x.tile_rows(), x.tile_cols());
    let mut program = Program::new("softmax");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2 * wt);
    let (max_scaler_out, max_scaler_in) = program.circular_buffer::<bf16>("max_scaler", CORE, 1);
    let (sum_scaler_out, sum_scaler_in) = program.circular_buffer::<bf16>("sum_scaler", CORE, 1);
    let (exps_out, exps_in) = program.circular_buffer::<bf16>("exps", CORE, wt);
    let (recip_out, recip_in) = program.circular_buffer::<bf16>("recip", CORE, 1);
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", CORE, 2 * wt);
    let reader = of(package, ForeignKernel::reader, SOFTMAX_READER)
        .bind_runtime("blk", wt)
        .bind_runtime("num_rows", ht)
        .bind_runtime("tile_offset", 0)
        .bind_runtime("Wt", wt)
        .bind_compile_time("in0_t", 2 * wt)
        .bind_cb("in0", &x_out)
        .bind_cb("max_scaler", &max_scaler_out)
        .bind_cb("sum_scaler", &sum_scaler_out)
        .bind_tensor("src", &x.accessor());
    program.foreign(CORE, reader);
    let mut compute = of(package, ForeignKernel::compute, SOFTMAX)
        .bind_runtime("num_rows", ht)
        .bind_runtime("Ht", ht)
        .bind_runtime("Wt", wt)
        .bind_runtime("blk", wt)
        .bind_runtime("start_ht", 0)
        .bind_compile_time("in0_t", 2 * wt)
        .bind_cb("in0", &x_in)
        .bind_cb("max_scaler", &max_scaler_in)
        .bind_cb("sum_scaler", &sum_scaler_in)
        .bind_cb("exps", &exps_out)
        .uses(&exps_in)
        .bind_cb("recip_sum_exps", &recip_out)
        .uses(&recip_in)
        .bind_cb("out0", &y_out)
        .define("EXP_APPROX", "0")
        .config(ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() });
    if stable {
        let (max_out, max_in) = program.circular_buffer::<bf16>("max", CORE, 1);
        compute = compute.bind_cb("max", &max_out).uses(&max_in).define("NUMERIC_STABLE", "1");
    }
    program.foreign(CORE, compute);
    let writer = of(package, ForeignKernel::writer, SOFTMAX_WRITER)
        .bind_runtime("num_tiles", y.pages())
        .bind_runtime("tile_offset", 0)
        .bind_runtime("blk", wt)
        .bind_runtime("Wt", wt)
        .bind_runtime("mask_padded_data", 0)
        .bind_compile_time("num_datum_padded", 0)
        .bind_compile_time("tile_hw", 1024)
        .bind_cb("out0", &y_in)
        // Not used without padding.
        .bind_cb("mask_padded", &y_in)
        .bind_tensor("dst", &y.accessor());
    program.foreign(CORE, writer);
    let values = host.to_f32_vec();
    let reference = HostTensor::from_fn(y.shape(), |i| {
        let row = &values[i / 64 * 64..][..64];
        let sum: f64 = row.iter().map(|&x| f64::from(x).exp()).sum();
        (f64::from(values[i]).exp() / sum) as f32
    })?;
    Ok(Built { program, result: y, reference, bound: 3.0 * ROUNDED })
}
