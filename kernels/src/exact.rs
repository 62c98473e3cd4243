//! Element types that the tile registers keep bit for bit: for kernels that only move numbers.

use ttl::prelude::*;

/// `bf16`, which every register holds, and `f32`, which has to go to 32-bit registers by a way of its own.
pub trait Exact: Element {
    /// Bytes of an element.
    const BYTES: u32;

    /// Puts a compute kernel on cores that moves tiles of `input` through the registers unchanged.
    fn compute<K: ttl::rt::Kernel>(program: &mut Program, cores: &CoreSet, input: &Consumer<Self>, kernel: K);
}

impl Exact for bf16 {
    const BYTES: u32 = 2;

    #[track_caller]
    fn compute<K: ttl::rt::Kernel>(program: &mut Program, cores: &CoreSet, _input: &Consumer<bf16>, kernel: K) {
        program.compute(cores, ComputeConfig::default(), kernel);
    }
}

impl Exact for f32 {
    const BYTES: u32 = 4;

    #[track_caller]
    fn compute<K: ttl::rt::Kernel>(program: &mut Program, cores: &CoreSet, input: &Consumer<f32>, kernel: K) {
        let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
        program.compute_with_full_precision(cores, config, &[input], kernel);
    }
}
