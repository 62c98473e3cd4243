//! The kernels of `ttl-kernels` and block expressions like them: on both engines, with every block size, precision and fidelity, on shapes
//! that fill their tiles and on shapes that do not; under schedules by chance and any number of OS threads the memory is the same.

use ttl::prelude::*;
use ttl_kernels::{fma, matmul};

const FIDELITIES: [MathFidelity; 4] =
    [MathFidelity::LoFi, MathFidelity::HiFi2, MathFidelity::HiFi3, MathFidelity::HiFi4];

/// Both widths of the registers, both ways to divide them.
fn configs() -> Vec<ComputeConfig> {
    let mut all = vec![];
    for fp32_dest_acc in [false, true] {
        for dst_full_sync in [false, true] {
            all.push(ComputeConfig { fp32_dest_acc, dst_full_sync, ..ComputeConfig::default() });
        }
    }
    all
}

fn grid(x: u32, y: u32) -> CoreSet {
    CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(x - 1, y - 1)))
}

fn random(shape: &[usize], seed: u64) -> HostTensor {
    HostTensor::normal(shape.to_vec(), seed).expect("a shape")
}

/// As the device has it.
fn rounded(host: &HostTensor) -> Vec<f64> {
    host.to_format(DataFormat::Bf16).to_f32_vec().into_iter().map(f64::from).collect()
}

/// The distance of a result from the exact one, relative to its size.
fn error(device: &Device, tensor: &Tensor<bf16>, exact: &[f64]) -> f64 {
    let result = device.download(tensor).expect("the tensor is on this device").to_f32_vec();
    assert_eq!(result.len(), exact.len());
    let (mut square, mut size) = (0.0, 0.0);
    for (r, e) in result.iter().zip(exact) {
        square += (f64::from(*r) - e).powi(2);
        size += e * e;
    }
    (square / size).sqrt()
}

/// The largest relative error of operands cut to the bits that a fidelity multiplies.
fn cut(fidelity: MathFidelity) -> f64 {
    match fidelity {
        // One operand with 5 bits, the other with 7.
        MathFidelity::LoFi => 2f64.powi(-4),
        // The other has them all.
        MathFidelity::HiFi2 => 2f64.powi(-7),
        _ => 0.0,
    }
}

type Built<T> = ttl::Result<(Program, T)>;

/// Compares the memory of both engines, and gives the native device.
#[track_caller]
fn both<T>(arch: Arch, what: &str, build: &impl Fn(&mut Device) -> Built<T>) -> (Device, T) {
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    ttl::testing::on_both_engines(&options, build).unwrap_or_else(|e| panic!("{what}: {e}"))
}

/// Runs on one engine with these options.
fn run<T>(engine: Engine, run: RunOptions, build: &impl Fn(&mut Device) -> Built<T>) -> Device {
    let made = || {
        let mut device = Device::with_options(DeviceOptions { engine, run, ..DeviceOptions::default() })?;
        let (program, _) = build(&mut device)?;
        let program = program.validate(&device)?;
        device.run(&program)?;
        Ok(device)
    };
    made().unwrap_or_else(|e: ttl::Error| panic!("{e}"))
}

/// The same memory after every schedule, on any number of OS threads, on both engines.
fn whatever_the_schedule<T>(build: &impl Fn(&mut Device) -> Built<T>) {
    let first = run(Engine::Native, RunOptions::default(), build);
    for engine in [Engine::Native, Engine::Cpp] {
        for schedule in [Schedule::RoundRobin, Schedule::Random(1), Schedule::Random(77), Schedule::Random(4242)] {
            for threads in [1, 2, 4] {
                let options = RunOptions { threads, schedule, ..RunOptions::default() };
                let other = run(engine, options, build);
                if let Some(difference) = first.first_difference(&other) {
                    panic!("{engine:?}, {schedule:?}, {threads} threads: {difference}");
                }
            }
        }
    }
}

fn fma_of<const BLOCK: u32>(
    device: &mut Device,
    shape: &[usize],
    config: &ComputeConfig,
) -> ttl::Result<(Program, Tensor<bf16>)> {
    let mut tensor = |name: &str, seed| device.upload::<bf16>(name, &random(shape, seed));
    let (a, b, c) = (tensor("a", 1)?, tensor("b", 2)?, tensor("c", 3)?);
    let y = device.zeros::<bf16>("y", shape)?;
    let program = fma::program::<BLOCK>(&grid(3, 2), config.clone(), [&a, &b, &c, &y])?;
    Ok((program, y))
}

fn check_fma<const BLOCK: u32>(arch: Arch, shape: &[usize], config: &ComputeConfig) {
    let what = format!("fma of {shape:?} in blocks of {BLOCK} with {config:?}");
    let (device, y) = both(arch, &what, &|device| fma_of::<BLOCK>(device, shape, config));
    let [a, b, c] = [1, 2, 3].map(|seed| rounded(&random(shape, seed)));
    let exact: Vec<f64> = a.iter().zip(&b).zip(&c).map(|((a, b), c)| a * b + c).collect();
    let error = error(&device, &y, &exact);
    // The result is rounded to bf16; in 16-bit registers the product is too.
    let bound = 2f64.powi(-8) + cut(config.fidelity);
    assert!(error <= bound, "{what}: off by {error:e}, more than {bound:e}");
    assert!(error > 0.0, "{what}: nothing was rounded");
}

#[test]
fn fma_in_blocks_of_every_size() {
    for config in configs() {
        // 3 x 3 tiles, the last ones partly filled.
        check_fma::<1>(Arch::blackhole(), &[70, 90], &config);
        check_fma::<3>(Arch::blackhole(), &[70, 90], &config);
        check_fma::<9>(Arch::blackhole(), &[70, 90], &config);
        check_fma::<2>(Arch::wormhole(), &[33, 65], &config);
        check_fma::<16>(Arch::wormhole(), &[128, 256], &config);
    }
}

#[test]
fn fma_at_every_fidelity() {
    for fidelity in FIDELITIES {
        for fp32_dest_acc in [false, true] {
            let config = ComputeConfig { fidelity, fp32_dest_acc, ..ComputeConfig::default() };
            check_fma::<2>(Arch::blackhole(), &[2, 64, 50], &config);
            check_fma::<4>(Arch::wormhole(), &[64, 64], &config);
        }
    }
}

#[test]
fn fma_whatever_the_schedule() {
    whatever_the_schedule(&|device| fma_of::<2>(device, &[200, 100], &ComputeConfig::default()));
}

fn matmul_of<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    device: &mut Device,
    [m, k, n]: [usize; 3],
    config: &ComputeConfig,
) -> ttl::Result<(Program, Tensor<bf16>)> {
    let a = device.upload::<bf16>("a", &random(&[m, k], 1))?;
    let b = device.upload::<bf16>("b", &random(&[k, n], 2))?;
    let c = device.zeros::<bf16>("c", &matmul::result_shape(&a, &b)?)?;
    let blocks = Some(matmul::Blocks { m: M, n: N, k: K, sub_m: SM, sub_n: SN });
    let options = matmul::Options { blocks, strategy: matmul::Strategy::Unicast, ..matmul::Options::default() };
    Ok((matmul::program(&grid(2, 2), config.clone(), &a, &b, &c, &options)?, c))
}

fn check_matmul<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    arch: Arch,
    sizes: [usize; 3],
    config: &ComputeConfig,
) {
    let what = format!("matmul of {sizes:?} in blocks of {M}x{N}x{K}, {SM}x{SN}, with {config:?}");
    let (device, c) = both(arch, &what, &|device| matmul_of::<M, N, K, SM, SN>(device, sizes, config));
    let [m, k, n] = sizes;
    let (a, b) = (rounded(&random(&[m, k], 1)), rounded(&random(&[k, n], 2)));
    let mut exact = vec![0.0; m * n];
    for i in 0..m {
        for p in 0..k {
            for j in 0..n {
                exact[i * n + j] += a[i * k + p] * b[p * n + j];
            }
        }
    }
    let error = error(&device, &c, &exact);
    // One rounding to bf16 and products aligned to 12 bits; in 16-bit registers each step of 32 products rounds the sum.
    let steps = if config.fp32_dest_acc { 1 } else { k.div_ceil(32) };
    let bound = steps as f64 * 2f64.powi(-8) + cut(config.fidelity);
    assert!(error <= bound, "{what}: off by {error:e}, more than {bound:e}");
    assert!(error > 0.0, "{what}: nothing was rounded");
}

#[test]
fn matmul_in_blocks_of_every_shape() {
    for config in configs() {
        // 4 x 5 by 5 x 4 tiles, the last ones partly filled.
        check_matmul::<1, 1, 1, 1, 1>(Arch::blackhole(), [100, 150, 128], &config);
        check_matmul::<2, 2, 5, 2, 2>(Arch::wormhole(), [128, 140, 111], &config);
        check_matmul::<1, 4, 1, 1, 4>(Arch::blackhole(), [33, 65, 128], &config);
        check_matmul::<4, 1, 2, 4, 1>(Arch::wormhole(), [128, 64, 96], &config);
    }
}

/// Partial sums go through a buffer of f32 between the steps.
#[test]
fn matmul_in_sub_blocks() {
    for dst_full_sync in [false, true] {
        let config = ComputeConfig { fp32_dest_acc: true, dst_full_sync, ..ComputeConfig::default() };
        check_matmul::<4, 4, 2, 2, 2>(Arch::blackhole(), [128, 128, 250], &config);
        check_matmul::<2, 4, 1, 1, 4>(Arch::wormhole(), [64, 96, 120], &config);
        check_matmul::<4, 2, 3, 2, 1>(Arch::blackhole(), [100, 192, 64], &config);
    }
}

#[test]
fn matmul_at_every_fidelity() {
    for fidelity in FIDELITIES {
        for fp32_dest_acc in [false, true] {
            let config = ComputeConfig { fidelity, fp32_dest_acc, ..ComputeConfig::default() };
            check_matmul::<2, 2, 2, 2, 2>(Arch::blackhole(), [64, 128, 64], &config);
        }
    }
}

#[test]
fn matmul_whatever_the_schedule() {
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    whatever_the_schedule(&|device| matmul_of::<2, 2, 1, 2, 2>(device, [128, 96, 128], &config));
    whatever_the_schedule(&|device| matmul_of::<4, 4, 2, 2, 2>(device, [128, 128, 128], &config));
}

/// Brings blocks of both operands.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors and their buffers
fn read<const BLOCK: u32>(
    noc: Noc,
    a: TensorAccessor<bf16>,
    b: TensorAccessor<bf16>,
    a_out: CbOut<bf16>,
    b_out: CbOut<bf16>,
    first: u32,
    #[ttl(common)] blocks: u32,
) {
    for block in first..first + blocks {
        let mut a_block = a_out.reserve_back(BLOCK);
        let mut b_block = b_out.reserve_back(BLOCK);
        let mut a_reads = noc.read_into(&mut a_block);
        let mut b_reads = noc.read_into(&mut b_block);
        for i in 0..BLOCK {
            a_reads.page(&a, block * BLOCK + i, i);
            b_reads.page(&b, block * BLOCK + i, i);
        }
        a_reads.wait();
        b_reads.wait();
    }
}

#[ttl::kernel(writer)]
fn write<const BLOCK: u32>(
    noc: Noc,
    y: TensorAccessor<bf16>,
    y_in: CbIn<bf16>,
    first: u32,
    #[ttl(common)] blocks: u32,
) {
    for block in first..first + blocks {
        let y_block = y_in.wait_front(BLOCK);
        let mut writes = noc.write_from(&y_block);
        for i in 0..BLOCK {
            writes.page(&y, block * BLOCK + i, i);
        }
        writes.flushed();
    }
}

/// A kernel that stores an expression over two blocks, and a test that compares it with the same expression on the host.
macro_rules! expressions {
    ($($name:ident($a:ident, $b:ident) $device:expr, $host:expr;)*) => {$(
        mod $name {
            use super::*;

            #[ttl::kernel(compute)]
            fn compute<const BLOCK: u32>(
                _compute: Compute,
                a_in: CbIn<bf16>,
                b_in: CbIn<bf16>,
                y_out: CbOut<bf16>,
                #[ttl(common)] blocks: u32,
            ) {
                for _ in 0..blocks {
                    let $a = a_in.wait_front(BLOCK);
                    let $b = b_in.wait_front(BLOCK);
                    y_out.reserve_back(BLOCK).store($device);
                }
            }

            fn check<const BLOCK: u32>(config: &ComputeConfig) {
                // 6 tiles on each of two cores.
                const SHAPE: [usize; 2] = [100, 96];
                let what = format!("{} in blocks of {BLOCK} with {config:?}", stringify!($name));
                let (device, y) = both(Arch::blackhole(), &what, &|device: &mut Device| {
                    let a = device.upload::<bf16>("a", &random(&SHAPE, 5))?;
                    let b = device.upload::<bf16>("b", &random(&SHAPE, 6))?;
                    let y = device.zeros::<bf16>("y", &SHAPE)?;
                    let cores = grid(2, 1);
                    let mut p = Program::new(stringify!($name));
                    let (a_out, a_in) = p.circular_buffer::<bf16>("a", &cores, 2 * BLOCK);
                    let (b_out, b_in) = p.circular_buffer::<bf16>("b", &cores, BLOCK);
                    let (y_out, y_in) = p.circular_buffer::<bf16>("y", &cores, BLOCK);
                    let blocks = 6 / BLOCK;
                    let first = || per_core(move |core| core.x * blocks);
                    let (a, b) = (a.accessor(), b.accessor());
                    p.kernel(&cores, read::<BLOCK> { a, b, a_out, b_out, first: first(), blocks });
                    p.compute(&cores, config.clone(), compute::<BLOCK> { a_in, b_in, y_out, blocks });
                    p.kernel(&cores, write::<BLOCK> { y: y.accessor(), y_in, first: first(), blocks });
                    Ok((p, y))
                });
                let (a, b) = (rounded(&random(&SHAPE, 5)), rounded(&random(&SHAPE, 6)));
                let host = |$a: f64, $b: f64| -> f64 { $host };
                let exact: Vec<f64> = a.iter().zip(&b).map(|(a, b)| host(*a, *b)).collect();
                let error = error(&device, &y, &exact);
                // Each operation may round to bf16, and the approximations of the functions are no better.
                assert!(error <= 2f64.powi(-6), "{what}: off by {error:e}");
            }

            #[test]
            fn on_both_engines() {
                for config in configs() {
                    check::<1>(&config);
                    check::<3>(&config);
                    check::<6>(&config);
                }
            }
        }
    )*};
}

expressions! {
    add(a, b) &a + &b, a + b;
    subtract_owned(a, b) a - b, a - b;
    multiply(a, b) &a * &b, a * b;
    reversed(a, b) &b - &a, b - a;
    twice(a, b) &a + &b + &a, a + b + a;
    sum_of_products(a, b) &a * &b + (&b - &a) * &a, a * b + (b - a) * a;
    functions(a, b) (&a * &a + &b * &b).sqrt() + (&a).relu(), (a * a + b * b).sqrt() + a.max(0.0);
    nested(a, b) ((&a - &b).relu() + (&b - &a).relu()).exp(), (a - b).abs().exp();
}
