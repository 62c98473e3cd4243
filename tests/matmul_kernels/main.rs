//! `ttl_kernels::matmul`: every strategy, against the exact result in f64, natively and as generated C++ bit for bit; shapes that fill nothing
//! evenly, every activation, weights of every format, more than L1 holds, any schedule; and what is refused.

mod case;
#[path = "../common/dice.rs"]
mod dice;
mod formats;
mod refused;

use case::{Case, random};
use ttl::prelude::*;
use ttl_kernels::matmul::{self, Activation, Blocks, Layout, Options, Strategy};

const STRATEGIES: [Strategy; 3] = [Strategy::Unicast, Strategy::Multicast, Strategy::KSplit];

/// One tile, one row, one column, partly filled tiles, leading dimensions, with each strategy that can be.
#[test]
fn any_shape_with_every_strategy() {
    let shapes: [(&[usize], usize); 7] = [
        (&[1, 1], 1),
        (&[1, 70], 40),
        (&[100, 70], 1),
        (&[33, 65], 97),
        (&[2, 48, 96], 80),
        (&[2, 2, 5, 100], 33),
        (&[160, 224], 224),
    ];
    for (a, n) in shapes {
        for strategy in STRATEGIES {
            if strategy == Strategy::KSplit && a[a.len() - 1] <= 32 {
                continue;
            }
            Case { strategy, bias: true, ..Case::new(a, n) }.check::<bf16>();
        }
    }
}

#[test]
fn any_grid() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for grid in [(1, 1), (4, 3), (1, 4), (5, 1)] {
            for strategy in STRATEGIES {
                if strategy == Strategy::KSplit && grid == (1, 1) {
                    continue;
                }
                Case { arch, grid, strategy, ..Case::new(&[128, 160], 96) }.check::<bf16>();
            }
        }
    }
}

/// Blocks that divide nothing: 7 x 5 tiles over 5, in several steps with sums in L1.
#[test]
fn blocks_that_do_not_divide() {
    for (m, n, k, sub_m, sub_n) in [(4, 4, 2, 2, 1), (3, 2, 3, 1, 2), (2, 4, 1, 2, 1), (8, 8, 8, 1, 2), (1, 2, 2, 1, 2)]
    {
        let blocks = Some(Blocks { m, n, k, sub_m, sub_n });
        for strategy in STRATEGIES {
            if strategy == Strategy::KSplit && k == 8 {
                continue;
            }
            for bias in [false, true] {
                Case { strategy, blocks, bias, ..Case::new(&[200, 150], 150) }.check::<bf16>();
            }
        }
    }
}

/// Blocks that divide everything, in registers and in sub-blocks, on grids that do and do not divide.
#[test]
fn blocks_that_divide() {
    let square = |m, k, sub| Some(Blocks { m, n: m, k, sub_m: sub, sub_n: sub });
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for (blocks, grid) in [(square(1, 1, 1), (4, 3)), (square(2, 2, 2), (3, 2)), (square(4, 2, 2), (2, 2))] {
            for strategy in [Strategy::Unicast, Strategy::Multicast] {
                Case { arch, strategy, blocks, grid, ..Case::new(&[256, 128], 256) }.check::<bf16>();
            }
        }
    }
}

#[test]
fn every_activation() {
    use Activation::{Gelu, GeluTanh, None, Relu, Sigmoid, Silu, Tanh};
    for (i, activation) in [None, Relu, Gelu, GeluTanh, Silu, Sigmoid, Tanh].into_iter().enumerate() {
        let arch = [Arch::blackhole(), Arch::wormhole()][i % 2];
        for (strategy, k) in [(Strategy::Unicast, 1), (Strategy::Multicast, 4), (Strategy::KSplit, 1)] {
            // Of 1 tile along k the sums go through L1, of 4 they do not.
            let blocks = Some(Blocks { m: 2, n: 2, k, sub_m: 1, sub_n: 2 });
            let case = Case { arch, activation, strategy, blocks, bias: i % 2 == 1, ..Case::new(&[100, 128], 70) };
            case.check::<bf16>();
        }
        Case { arch, activation, bias: true, ..Case::new(&[64, 64], 64) }.check::<bf16>();
    }
}

#[test]
fn sixteen_bit_registers() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for strategy in STRATEGIES {
            for activation in [Activation::Relu, Activation::Gelu] {
                let case = Case { arch, strategy, activation, bias: true, wide: false, ..Case::new(&[100, 200], 100) };
                case.check::<bf16>();
                let blocks = Some(Blocks { m: 4, n: 4, k: 2, sub_m: 1, sub_n: 4 });
                Case { blocks, ..case }.check::<bf16>();
            }
        }
    }
}

#[test]
fn weights_of_every_format() {
    for (strategy, arch) in STRATEGIES.into_iter().zip([Arch::blackhole(), Arch::wormhole(), Arch::blackhole()]) {
        let case = Case { arch, strategy, bias: true, activation: Activation::Gelu, ..Case::new(&[70, 130], 100) };
        case.check::<bfp8_b>();
        case.check::<bfp4_b>();
        case.check::<f32>();
    }
}

/// A strip of `a` alone is 2 MiB.
#[test]
fn longer_than_l1() {
    for strategy in STRATEGIES {
        Case { strategy, ..Case::new(&[64, 16384], 64) }.check::<bf16>();
    }
}

/// With little memory the blocks are small.
#[test]
fn little_memory() {
    let mut device = Device::open().expect("a device");
    let a = device.zeros::<bf16>("a", &[512, 512]).expect("it fits");
    for strategy in STRATEGIES {
        let mut last = None;
        for l1 in [1 << 20, 1 << 18, 1 << 16] {
            let options = Options { strategy, l1: Some(l1), ..Options::default() };
            let plan = matmul::plan(&device.grid(), &ComputeConfig::default(), &a, &a, &a, &options).expect("a plan");
            assert!(plan.l1 <= l1, "{plan} takes more than {l1}");
            last = Some(plan);
        }
        let plan = last.expect("three plans");
        let case = Case { strategy, l1: Some(1 << 16), bias: true, ..Case::new(&[512, 512], 64) };
        assert!(plan.to_string().contains(&format!("{} bytes of L1", plan.l1)), "{plan}");
        case.check::<bf16>();
    }
}

/// What a plan takes is what the program has.
#[test]
fn the_plan_tells_the_memory() {
    let mut device = Device::open().expect("a device");
    let a = device.zeros::<bf16>("a", &[320, 2048]).expect("it fits");
    let b = device.zeros::<bfp8_b>("b", &[2048, 192]).expect("it fits");
    let bias = device.zeros::<bf16>("bias", &[192]).expect("it fits");
    let c = device.zeros::<bf16>("c", &[320, 192]).expect("it fits");
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    for strategy in STRATEGIES {
        let options = Options { bias: Some(&bias), strategy, ..Options::default() };
        let plan = matmul::plan(&device.grid(), &config, &a, &b, &c, &options).expect("a plan");
        let program = matmul::program(&device.grid(), config.clone(), &a, &b, &c, &options).expect("a program");
        let program = program.validate(&device).expect("valid");
        let (l1, base) = (program.checked().l1(), u64::from(device.arch().l1_base));
        let most = plan.cores.iter().map(|core| l1.buffers_end(core) - base).max().expect("a core");
        // In a chain no core has all buffers.
        let exact = strategy != Strategy::KSplit;
        assert!(most == plan.l1 || !exact && most < plan.l1, "{plan}: {most}");
    }
}

/// The strategies that the shapes ask for.
#[test]
fn the_choice() {
    let mut device = Device::open().expect("a device");
    let mut layout = |m: usize, k: usize, n: usize, grid: (u32, u32)| {
        let a = device.zeros::<bf16>("a", &[m, k]).expect("it fits");
        let b = device.zeros::<bf16>("b", &[k, n]).expect("it fits");
        let c = device.zeros::<bf16>("c", &[m, n]).expect("it fits");
        let cores = CoreRange::grid(grid.0, grid.1).expect("a grid").into();
        let plan = matmul::plan(&cores, &ComputeConfig::default(), &a, &b, &c, &Options::default()).expect("a plan");
        println!("{m} x {k} x {n} on {grid:?}: {plan}");
        plan.layout
    };
    assert!(matches!(layout(1024, 1024, 1024, (11, 10)), Layout::Multicast { .. }));
    assert!(matches!(layout(384, 384, 1536, (8, 8)), Layout::Multicast { .. }));
    assert!(matches!(layout(64, 8192, 64, (8, 8)), Layout::KSplit { .. }));
    assert_eq!(layout(256, 256, 256, (1, 1)), Layout::Unicast);
    assert_eq!(layout(32, 32, 32, (11, 10)), Layout::Unicast);
}

/// Each tile is read once, by one core.
#[test]
fn multicast_reads_every_tile_once() {
    let blocks = Some(Blocks { m: 2, n: 2, k: 2, sub_m: 2, sub_n: 2 });
    let case = Case { strategy: Strategy::Multicast, blocks, grid: (4, 4), ..Case::new(&[250, 128], 256) };
    let mut device = Device::open().expect("a device");
    let (program, _) = case.build::<bf16, bf16, bf16>(&mut device).expect("a program");
    let program = program.validate(&device).expect("valid");
    let report = device.run(&program).expect("it runs");
    assert_eq!(report.noc_read_bytes, 2 * (256 / 32) * (128 / 32) * 2048);
}

/// ReLU is the packer's: the C++ has its switch, and nothing for the vector unit.
#[test]
fn relu_in_the_packer() {
    for (k, strategy) in [(4, Strategy::Unicast), (1, Strategy::Multicast), (1, Strategy::KSplit)] {
        let blocks = Some(Blocks { m: 2, n: 2, k, sub_m: 1, sub_n: 2 });
        let activation = Activation::Relu;
        let case = Case { strategy, blocks, activation, bias: true, ..Case::new(&[128, 128], 128) };
        let mut device = Device::open().expect("a device");
        let (program, _) = case.build::<bf16, bf16, bf16>(&mut device).expect("a program");
        let program = program.validate(&device).expect("valid");
        let sources = program.sources(ttl::runtime::codegen::Lines::None).expect("C++");
        let text: String = sources.iter().map(|s| s.text.as_str()).collect();
        assert!(text.contains("pack_relu_config(ReluConfig::zero())") && !text.contains("relu_tile"), "{text}");
    }
}

/// Padding beyond k that is not zero on one side changes nothing.
#[test]
fn padding_of_one_operand() {
    let run = |value: f32| {
        let mut device = Device::open()?;
        let a =
            device.upload_padded::<bf16>("a", &random(&[40, 70], 1, DataFormat::Bf16), MemoryConfig::Dram, value)?;
        let b = device.upload::<bf16>("b", &random(&[70, 50], 2, DataFormat::Bf16))?;
        let c = device.zeros::<bf16>("c", &[40, 50])?;
        let program = matmul::program(&device.grid(), ComputeConfig::default(), &a, &b, &c, &Options::default())?;
        let program = program.validate(&device)?;
        device.run(&program)?;
        Ok(device.download(&c)?.to_f32_vec())
    };
    let [zeros, sevens] = [0.0, 7.0].map(|value| run(value).unwrap_or_else(|e: ttl::Error| panic!("{e}")));
    assert_eq!(zeros, sevens);
}

#[test]
fn whatever_the_schedule() {
    for strategy in STRATEGIES {
        let blocks = Some(Blocks { m: 2, n: 2, k: 1, sub_m: 2, sub_n: 1 });
        let case = Case { strategy, blocks, bias: true, ..Case::new(&[120, 128], 160) };
        let run = |engine, schedule, threads| {
            let run = RunOptions { schedule, threads, ..RunOptions::default() };
            let made = || {
                let mut device = Device::with_options(DeviceOptions { engine, run, ..DeviceOptions::default() })?;
                let (program, _) = case.build::<bf16, bf16, bf16>(&mut device)?;
                let program = program.validate(&device)?;
                device.run(&program)?;
                Ok(device)
            };
            made().unwrap_or_else(|e: ttl::Error| panic!("{strategy:?}, {engine:?} {schedule:?}: {e}"))
        };
        let first = run(Engine::Native, Schedule::RoundRobin, 1);
        for engine in [Engine::Native, Engine::Cpp] {
            for seed in 0..6 {
                let other = run(engine, Schedule::Random(seed), 1 + seed as usize % 3);
                if let Some(difference) = first.first_difference(&other) {
                    panic!("{strategy:?}, {engine:?}, seed {seed}: {difference}");
                }
            }
        }
    }
}
