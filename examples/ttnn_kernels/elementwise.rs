//! Element-wise operations of one, two and three operands.

use crate::cases::{Built, CORE, Case, READER, ROUNDED, WRITER, address, of, random, reader, writer};
use std::path::Path;
use ttl::prelude::*;

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
const BCAST_READER: &str = "data_movement/bcast/device/kernels/dataflow/reader_bcast_hw_interleaved.cpp";
const BCAST: &str = "data_movement/bcast/device/kernels/compute/bcast_hw.cpp";
const ADDCMUL: &str = "eltwise/ternary/device/kernels/compute/ternary_addc_ops_fpu.cpp";

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
    Case { name: "broadcast of a scalar", kernels: &[BCAST_READER, BCAST, WRITER], build: bcast },
];

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
