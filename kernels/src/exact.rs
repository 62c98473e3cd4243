//! Element types that the tile registers keep bit for bit: for kernels that only move numbers, and for those that want all bits of f32.

use ttl::prelude::*;

/// `bf16`, which every register holds, and `f32`, which has to go to 32-bit registers by a way of its own.
pub trait Exact: Element {
    /// Bytes of an element.
    const BYTES: u32;

    /// A number as a word of L1: one element, or two that are equal.
    fn word(number: f32) -> u32;

    /// Puts a compute kernel on cores. f32 tiles of `inputs` go to 32-bit registers with all their bits (`UnpackToDestFp32`): the kernel copies,
    /// transposes or broadcasts them to registers and computes there.
    fn compute_with<K: ttl::rt::Kernel>(
        program: &mut Program,
        cores: &CoreSet,
        config: ComputeConfig,
        inputs: &[&Consumer<Self>],
        kernel: K,
    );

    /// Puts a compute kernel on cores that moves tiles of `input` through the registers unchanged.
    #[track_caller]
    fn compute<K: ttl::rt::Kernel>(program: &mut Program, cores: &CoreSet, input: &Consumer<Self>, kernel: K) {
        let config = ComputeConfig { fp32_dest_acc: Self::BYTES == 4, ..ComputeConfig::default() };
        Self::compute_with(program, cores, config, &[input], kernel);
    }
}

impl Exact for bf16 {
    const BYTES: u32 = 2;

    fn word(number: f32) -> u32 {
        u32::from(bf16::from_f32(number).to_bits()) * 0x1_0001
    }

    #[track_caller]
    fn compute_with<K: ttl::rt::Kernel>(
        program: &mut Program,
        cores: &CoreSet,
        config: ComputeConfig,
        _inputs: &[&Consumer<bf16>],
        kernel: K,
    ) {
        program.compute(cores, config, kernel);
    }
}

impl Exact for f32 {
    const BYTES: u32 = 4;

    fn word(number: f32) -> u32 {
        number.to_bits()
    }

    #[track_caller]
    fn compute_with<K: ttl::rt::Kernel>(
        program: &mut Program,
        cores: &CoreSet,
        config: ComputeConfig,
        inputs: &[&Consumer<f32>],
        kernel: K,
    ) {
        let full = if config.fp32_dest_acc { inputs } else { &[] };
        program.compute_with_full_precision(cores, config, full, kernel);
    }
}
