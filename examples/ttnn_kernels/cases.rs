//! Small programs made of kernels of the package, with what they should compute: what one is, all of them, and what they share. Each kind has a file of
//! its own, with its programs in a table `CASES`.

use crate::{elementwise, movement, norms, products, rows};
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

pub(crate) const READER: &str = "eltwise/unary/device/kernels/dataflow/reader_unary_interleaved_start_id.cpp";
pub(crate) const WRITER: &str = "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp";

/// All programs.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    [elementwise::CASES, movement::CASES, products::CASES, rows::CASES, norms::CASES].into_iter().flatten()
}

/// A kernel of the package, with the folders that its own headers are in.
pub(crate) fn of(package: &Path, role: fn(std::path::PathBuf) -> ForeignKernel, kernel: &str) -> ForeignKernel {
    role(package.join("ttnn/cpp/ttnn/operations").join(kernel))
        .include_dir(package)
        .include_dir(package.join("ttnn/cpp"))
}

pub(crate) fn random(shape: &[usize], seed: u64) -> ttl::Result<HostTensor> {
    Ok(HostTensor::normal(shape.to_vec(), seed)?.to_format(DataFormat::Bf16))
}

pub(crate) fn address(tensor: &Tensor<bf16>) -> Word {
    Word::address(&tensor.accessor())
}

/// All tiles of `x` in order.
pub(crate) fn reader(package: &Path, x: &Tensor<bf16>, out: &Producer<bf16>) -> ForeignKernel {
    of(package, ForeignKernel::reader, READER)
        .uses(out)
        .accessor(&x.accessor())
        .runtime(address(x))
        .runtime(x.pages())
        .runtime(0)
}

/// All tiles of `y` in order.
pub(crate) fn writer(package: &Path, y: &Tensor<bf16>, from: &Consumer<bf16>) -> ForeignKernel {
    of(package, ForeignKernel::writer, WRITER)
        .cb(from)
        .accessor(&y.accessor())
        .runtime(address(y))
        .runtime(y.pages())
        .runtime(0)
}
