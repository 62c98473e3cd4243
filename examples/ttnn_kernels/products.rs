//! Matrix products.

use crate::cases::{Built, CORE, Case, ROUNDED, WRITER, address, of, random, writer};
use std::path::Path;
use ttl::prelude::*;

const BMM_READER: &str = "matmul/device/kernels/dataflow/reader_bmm_8bank_output_tiles_partitioned.cpp";
const BMM: &str = "matmul/device/kernels/compute/bmm.cpp";
const BLOCK_READER: &str = "matmul/device/kernels/dataflow/reader_bmm_tile_layout.cpp";
const BLOCK: &str = "matmul/device/kernels/compute/bmm_large_block_zm.cpp";
const BLOCK_WRITER: &str = "matmul/device/kernels/dataflow/writer_bmm_tile_layout.cpp";

pub(crate) const CASES: &[Case] = &[
    Case { name: "matmul", kernels: &[BMM_READER, BMM, WRITER], build: matmul },
    Case { name: "matmul in blocks", kernels: &[BLOCK_READER, BLOCK, BLOCK_WRITER], build: matmul_blocks },
];

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
