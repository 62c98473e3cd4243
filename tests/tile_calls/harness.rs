//! Programs of a reader that reads the pages of up to three tensors in turn, a compute kernel, and a writer.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use ttl::prelude::*;
use ttl::testing::on_both_engines;

pub(crate) const CORE: Core = Core::new(1, 2);

#[ttl::kernel(reader)]
fn read<T: Element, U: Element>(
    noc: Noc,
    a: TensorAccessor<T>,
    b: TensorAccessor<U>,
    a_out: CbOut<T>,
    b_out: CbOut<U>,
    #[ttl(common)] count: u32,
    #[ttl(common)] second: u32,
) {
    for i in 0..count {
        let mut tile = a_out.reserve_back(1);
        noc.read_page(&a, i, &mut tile).wait();
        tile.push_back();
        if i < second {
            let mut tile = b_out.reserve_back(1);
            noc.read_page(&b, i, &mut tile).wait();
        }
    }
}

#[ttl::kernel(writer)]
fn write<T: Element>(noc: Noc, y: TensorAccessor<T>, input: CbIn<T>, #[ttl(common)] count: u32) {
    for page in 0..count {
        let tile = input.wait_front(1);
        noc.write_page(&y, page, &tile).flushed();
    }
}

/// What a compute kernel works with.
pub(crate) struct Ends<T, U, V> {
    pub(crate) a: Consumer<T>,
    pub(crate) b: Consumer<U>,
    pub(crate) y: Producer<V>,
}

/// Tiles of `a` and `b`, and the number of tiles that come out.
pub(crate) struct Shape {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) y: u32,
}

pub(crate) fn tile(rows: u32, f: impl Fn(usize, usize) -> f32) -> HostTensor {
    HostTensor::from_fn([32 * rows as usize, 32], |i| f(i / 32, i % 32)).expect("a tensor")
}

/// Both architectures, both register widths.
pub(crate) fn settings() -> Vec<(Arch, ComputeConfig)> {
    let mut all = Vec::new();
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for fp32_dest_acc in [false, true] {
            all.push((arch, ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() }));
        }
    }
    all
}

/// A program of one compute kernel.
pub(crate) fn build<T: Element, U: Element, V: Element>(
    device: &mut Device,
    (a, b): (&HostTensor, &HostTensor),
    shape: &Shape,
    config: &ComputeConfig,
    compute: &impl Fn(&mut Program, ComputeConfig, Ends<T, U, V>),
) -> ttl::Result<(Program, Tensor<V>)> {
    let a = device.upload::<T>("a", a)?;
    let b = device.upload::<U>("b", b)?;
    let y = device.zeros::<V>("y", &[32 * shape.y as usize, 32])?;
    let mut p = Program::new("tile_calls");
    let (a_out, a_in) = p.circular_buffer::<T>("a", CORE, 8);
    let (b_out, b_in) = p.circular_buffer::<U>("b", CORE, 8);
    let (y_out, y_in) = p.circular_buffer::<V>("y", CORE, 8);
    p.kernel(CORE, read { a: a.accessor(), b: b.accessor(), a_out, b_out, count: shape.a, second: shape.b });
    compute(&mut p, config.clone(), Ends { a: a_in, b: b_in, y: y_out });
    p.kernel(CORE, write { y: y.accessor(), input: y_in, count: shape.y });
    Ok((p, y))
}

/// What comes out, tile rows under one another: the same on both engines.
#[track_caller]
pub(crate) fn run<T: Element, U: Element, V: Element>(
    (arch, config): &(Arch, ComputeConfig),
    inputs: (&HostTensor, &HostTensor),
    shape: &Shape,
    compute: impl Fn(&mut Program, ComputeConfig, Ends<T, U, V>),
) -> Vec<f32> {
    let options = DeviceOptions { arch: *arch, ..Default::default() };
    let made = on_both_engines(&options, |device| build(device, inputs, shape, config, &compute));
    let (device, y) = made.unwrap_or_else(|e| panic!("{} {config:?}: {e}", arch.name()));
    let result = device.download(&y).expect("the tensor is on this device");
    if let Some(dir) = std::env::var_os("TTL_EXPORT") {
        export(Path::new(&dir), &options, config, &result, |device| build(device, inputs, shape, config, &compute));
    }
    result.to_f32_vec()
}

/// With `TTL_EXPORT=DIR`, every program is written there with what it should give, to be run on another device.
fn export<V: Element>(
    dir: &Path,
    options: &DeviceOptions,
    config: &ComputeConfig,
    result: &HostTensor,
    build: impl Fn(&mut Device) -> ttl::Result<(Program, Tensor<V>)>,
) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let write = || {
        let mut device = Device::with_options(options.clone())?;
        let (program, y) = build(&mut device)?;
        let program = program.validate(&device)?;
        let test = std::thread::current().name().unwrap_or_default().replace("::", "-");
        let bits = if config.fp32_dest_acc { 32 } else { 16 };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let dir = dir.join(format!("{test}-{}-{bits}-{number}", options.arch.name()));
        let exact = Tolerance { max_abs: Some(0.0), ..Tolerance::default() };
        program.export(&device, &dir, &[(y.handle(), result)], exact)
    };
    write().unwrap_or_else(|e: ttl::Error| panic!("{e}"));
}
