//! Layer and RMS normalisation by kernels of the package.

use crate::cases::{Built, CORE, Case, ROUNDED, of, random};
use std::path::Path;
use ttl::prelude::*;

const NORM_READER: &str = "normalization/layernorm/device/kernels/dataflow/reader_unary_interleaved_ln.cpp";
const NORM: &str = "normalization/layernorm/device/kernels/compute/layernorm.cpp";
const NORM_WRITER: &str =
    "normalization/layernorm/device/kernels/dataflow/writer_unary_interleaved_start_id_blocked.cpp";

pub(crate) const CASES: &[Case] = &[
    Case { name: "layer norm", kernels: &[NORM_READER, NORM, NORM_WRITER], build: |d, p| norm(d, p, Norm::Layer) },
    Case { name: "RMS norm", kernels: &[NORM_READER, NORM, NORM_WRITER], build: |d, p| norm(d, p, Norm::Rms) },
    Case {
        name: "layer norm with residual, gamma and beta",
        kernels: &[NORM_READER, NORM, NORM_WRITER],
        build: |d, p| norm(d, p, Norm::Fused),
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Norm {
    Layer,
    Rms,
    /// Layer normalisation of the sum of two tensors, with gamma and beta.
    Fused,
}

/// Two rows of two tiles.
fn norm(device: &mut Device, package: &Path, norm: Norm) -> ttl::Result<Built> {
    let host = random(&[64, 64], 21)?;
    let rows = [random(&[64, 64], 22)?, random(&[1, 64], 23)?, random(&[1, 64], 24)?];
    let x = device.upload::<bf16>("x", &host)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let (ht, wt) = (x.tile_rows(), x.tile_cols());
    let (rms, fused) = (norm == Norm::Rms, norm == Norm::Fused);
    let mut program = Program::new("norm");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2 * wt);
    let (scaler_out, scaler_in) = program.circular_buffer::<bf16>("scaler", CORE, 1);
    let (eps_out, eps_in) = program.circular_buffer::<bf16>("eps", CORE, 1);
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", CORE, 2 * wt);
    let flags = |mut kernel: ForeignKernel| {
        let names: &[&str] = match norm {
            Norm::Layer => &[],
            Norm::Rms => &["RMSNORM"],
            Norm::Fused => &["FUSE_PRE_ADD", "FUSE_GAMMA", "FUSE_BETA"],
        };
        for name in names {
            kernel = kernel.define(name, "1");
        }
        kernel
    };
    let mut reader = of(package, ForeignKernel::reader, NORM_READER)
        .bind_runtime("NCHt", ht)
        .bind_runtime("Wt", wt)
        .bind_runtime("reader_start", 0)
        .bind_runtime("eps", 1e-5)
        .bind_compile_time("block_size", wt)
        .bind_compile_time("W", 64)
        .bind_cb("in", &x_out)
        .bind_cb("scaler", &scaler_out)
        .bind_cb("eps", &eps_out)
        .bind_tensor("src", &x.accessor());
    let mut compute = of(package, ForeignKernel::compute, NORM)
        .bind_runtime("NCHt", ht)
        .bind_compile_time("Wt", wt)
        .bind_compile_time("block_size", wt)
        .bind_compile_time("do_gamma", u32::from(fused))
        .bind_compile_time("do_beta", u32::from(fused))
        .bind_compile_time("fp32_dest_acc_en", 1)
        .bind_compile_time("float32_reduction", 0)
        .bind_compile_time("W", 64)
        .bind_compile_time("tile_width", 32)
        .bind_cb("scaler", &scaler_in)
        .bind_cb("eps", &eps_in)
        .bind_cb("in", &x_in)
        .bind_cb("out", &y_out)
        .config(ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() });
    if fused {
        for ((host, tensor), buffer) in rows.iter().zip(["src_b", "gamma", "beta"]).zip(["inb", "gamma", "beta"]) {
            let more = device.upload::<bf16>(tensor, host)?;
            let (out, from) = program.circular_buffer::<bf16>(buffer, CORE, 2 * wt);
            reader = reader.bind_cb(buffer, &out).bind_tensor(tensor, &more.accessor());
            compute = compute.bind_cb(buffer, &from);
        }
    }
    program.foreign(CORE, flags(reader));
    let own: &[(&str, u32)] = &[("ex2", 1), ("xmm2", wt), ("ex2pe", 1)];
    let layer: &[(&str, u32)] = if rms { &[] } else { &[("xmm", wt), ("ex", 1)] };
    let more: &[(&str, u32)] = if fused { &[("x", wt), ("fusion", wt)] } else { &[] };
    for &(name, pages) in own.iter().chain(layer).chain(more) {
        let (out, from) = program.circular_buffer::<bf16>(name, CORE, 2 * pages);
        compute = compute.bind_cb(name, &out).uses(&from);
    }
    program.foreign(CORE, flags(compute));
    let writer = of(package, ForeignKernel::writer, NORM_WRITER)
        .bind_runtime("Wt", wt)
        .bind_runtime("num_tile_rows", ht)
        .bind_runtime("writer_start", 0)
        .bind_compile_time("block_size", wt)
        .bind_cb("out", &y_in)
        .bind_tensor("dst", &y.accessor());
    program.foreign(CORE, flags(writer));
    let values = host.to_f32_vec();
    let [residual, gamma, beta] = rows.map(|r| r.to_f32_vec());
    let value = |i: usize| f64::from(values[i]) + if fused { f64::from(residual[i]) } else { 0.0 };
    let reference = HostTensor::from_fn(y.shape(), |i| {
        let row: Vec<f64> = (i / 64 * 64..i / 64 * 64 + 64).map(value).collect();
        let mean = if rms { 0.0 } else { row.iter().sum::<f64>() / 64.0 };
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 64.0;
        let normal = (value(i) - mean) / (variance + 1e-5).sqrt();
        let scaled = normal * f64::from(gamma[i % 64]) + f64::from(beta[i % 64]);
        (if fused { scaled } else { normal }) as f32
    })?;
    Ok(Built { program, result: y, reference, bound: 4.0 * ROUNDED })
}
