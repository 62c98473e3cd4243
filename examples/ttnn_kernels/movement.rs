//! What moves elements and does not change them.

use crate::cases::{Built, CORE, Case, READER, WRITER, address, of, random, reader, writer};
use std::path::Path;
use ttl::prelude::*;

const STICK_READER: &str = "data_movement/copy/device/kernels/reader_unary_stick_start_id.cpp";
const STICK_WRITER: &str = "data_movement/copy/device/kernels/writer_unary_stick_start_id.cpp";
const COPY_READER: &str = "data_movement/copy/device/kernels/reader_unary_start_id.cpp";
const COPY_WRITER: &str = "data_movement/copy/device/kernels/writer_unary_start_id.cpp";
const SHARDED_COPY: &str = "data_movement/sharded/device/kernels/compute/eltwise_copy.cpp";
const TRANSPOSE_READER: &str =
    "data_movement/transpose/device/kernels/dataflow/reader_unary_transpose_wh_interleaved.cpp";
const TRANSPOSE: &str = "data_movement/transpose/device/kernels/compute/transpose_wh.cpp";
const TILIZE: &str = "data_movement/tilize/device/kernels/compute/tilize.cpp";
const UNTILIZE: &str = "data_movement/untilize/device/kernels/compute/untilize.cpp";

pub(crate) const CASES: &[Case] = &[
    Case { name: "copy of sticks", kernels: &[STICK_READER, STICK_WRITER], build: sticks },
    Case { name: "copy of tiles", kernels: &[COPY_READER, SHARDED_COPY, COPY_WRITER], build: copy },
    Case { name: "transpose", kernels: &[TRANSPOSE_READER, TRANSPOSE, WRITER], build: transpose },
    Case { name: "tilize", kernels: &[READER, TILIZE, WRITER], build: tilize },
    Case { name: "untilize", kernels: &[READER, UNTILIZE, WRITER], build: untilize },
];

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
