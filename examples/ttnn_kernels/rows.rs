//! What goes along rows: sums and softmax.

use crate::cases::{Built, CORE, Case, ROUNDED, WRITER, of, random, writer};
use std::path::Path;
use ttl::prelude::*;

const REDUCE_READER: &str = "reduction/generic/device/kernels/dataflow/reader_unary_reduce_universal_start_id.cpp";
const REDUCE: &str = "reduction/generic/device/kernels/compute/reduce.cpp";
const SOFTMAX_READER: &str = "normalization/softmax/device/kernels/attention/dataflow/reader_unary_interleaved_sm.cpp";
const SOFTMAX: &str = "normalization/softmax/device/kernels/attention/compute/softmax.cpp";
const SOFTMAX_WRITER: &str =
    "normalization/softmax/device/kernels/attention/dataflow/writer_unary_interleaved_start_id_blocked_sm.cpp";

pub(crate) const CASES: &[Case] = &[
    Case { name: "sum of rows", kernels: &[REDUCE_READER, REDUCE, WRITER], build: reduce },
    Case { name: "softmax", kernels: &[SOFTMAX_READER, SOFTMAX, SOFTMAX_WRITER], build: |d, p| softmax(d, p, false) },
    Case {
        name: "softmax, numerically stable",
        kernels: &[SOFTMAX_READER, SOFTMAX, SOFTMAX_WRITER],
        build: |d, p| softmax(d, p, true),
    },
];

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
