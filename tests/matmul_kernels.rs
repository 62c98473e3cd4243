//! `ttl_kernels::matmul`: every strategy, against the exact result in f64, natively and as generated C++ bit for bit; shapes that fill nothing
//! evenly, every activation, weights of every format, more than L1 holds, any schedule; and what is refused.

use ttl::prelude::*;
use ttl_kernels::matmul::{self, Activation, Blocks, Layout, Options, Strategy};

const STRATEGIES: [Strategy; 3] = [Strategy::Unicast, Strategy::Multicast, Strategy::KSplit];

fn random(shape: &[usize], seed: u64, format: DataFormat) -> HostTensor {
    HostTensor::normal(shape, seed).expect("a tensor").to_format(format)
}

#[derive(Clone, Debug)]
struct Case {
    arch: Arch,
    /// Of `a`: leading dimensions, rows, k.
    a: Vec<usize>,
    n: usize,
    bias: bool,
    activation: Activation,
    strategy: Strategy,
    blocks: Option<Blocks>,
    l1: Option<u64>,
    grid: (u32, u32),
    wide: bool,
}

impl Case {
    fn new(a: &[usize], n: usize) -> Case {
        Case {
            arch: Arch::blackhole(),
            a: a.to_vec(),
            n,
            bias: false,
            activation: Activation::None,
            strategy: Strategy::Auto,
            blocks: None,
            l1: None,
            grid: (3, 2),
            wide: true,
        }
    }

    fn config(&self) -> ComputeConfig {
        ComputeConfig { fp32_dest_acc: self.wide, ..ComputeConfig::default() }
    }

    fn cores(&self) -> CoreSet {
        CoreRange::grid(self.grid.0, self.grid.1).expect("a grid").into()
    }

    fn k(&self) -> usize {
        self.a[self.a.len() - 1]
    }

    fn build<B: Element>(&self, device: &mut Device) -> ttl::Result<(Program, Tensor<bf16>)> {
        let a = device.upload::<bf16>("a", &random(&self.a, 1, DataFormat::Bf16))?;
        let b = device.upload::<B>("b", &random(&[self.k(), self.n], 2, B::FORMAT))?;
        let bias = device.upload::<bf16>("bias", &random(&[self.n], 3, DataFormat::Bf16))?;
        let c = device.zeros::<bf16>("c", &matmul::result_shape(&a, &b)?)?;
        let options = Options {
            bias: self.bias.then_some(&bias),
            activation: self.activation,
            strategy: self.strategy,
            blocks: self.blocks,
            l1: self.l1,
        };
        Ok((matmul::program(&self.cores(), self.config(), &a, &b, &c, &options)?, c))
    }

    /// The product before the activation, and the result.
    fn exact(&self, b: DataFormat) -> (Vec<f64>, Vec<f64>) {
        let (k, n) = (self.k(), self.n);
        let a = random(&self.a, 1, DataFormat::Bf16).to_f64_vec();
        let b = random(&[k, n], 2, b).to_f64_vec();
        let bias = random(&[n], 3, DataFormat::Bf16).to_f64_vec();
        let mut sums = vec![0.0; a.len() / k * n];
        for (row, sums) in a.chunks(k).zip(sums.chunks_mut(n)) {
            if self.bias {
                sums.copy_from_slice(&bias);
            }
            for (x, row) in row.iter().zip(b.chunks(n)) {
                sums.iter_mut().zip(row).for_each(|(s, w)| *s += x * w);
            }
        }
        let result = sums.iter().map(|s| self.apply(*s)).collect();
        (sums, result)
    }

    fn apply(&self, x: f64) -> f64 {
        use ttl::runtime::ops::UnaryOp;
        let op = match self.activation {
            Activation::None => return x,
            Activation::Relu => return x.max(0.0),
            Activation::Gelu => "gelu",
            Activation::GeluTanh => "gelu_tanh",
            Activation::Silu => "silu",
            Activation::Sigmoid => "sigmoid",
            Activation::Tanh => "tanh",
        };
        UnaryOp::from_method(op).expect("an operation").row().exact(x)
    }

    #[track_caller]
    fn check<B: Element>(&self) {
        let options = DeviceOptions { arch: self.arch, ..DeviceOptions::default() };
        let ran = ttl::testing::on_both_engines(&options, |device| self.build::<B>(device));
        let (device, c) = ran.unwrap_or_else(|e| panic!("{self:?}: {e}"));
        let got = device.download(&c).expect("on this device").to_f64_vec();
        let (sums, exact) = self.exact(B::FORMAT);
        assert_eq!(got.len(), exact.len());
        let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
        let error = norm(&mut got.iter().zip(&exact).map(|(g, e)| g - e));
        // Products are aligned to 12 bits, f32 weights have 11; 16-bit registers round to 8 bits after each tile of k, half a unit of which is at most
        // 2^-8 of the value. No activation is steeper than 1.13. The result is rounded to 8 bits.
        let tiles = if self.wide { 0.0 } else { self.k().div_ceil(32) as f64 };
        let before = 2f64.powi(-10) + tiles * 2f64.powi(-8);
        let bound = 1.13 * before * norm(&mut sums.iter().copied()) + 2f64.powi(-8) * norm(&mut exact.iter().copied());
        assert!(error <= bound, "{self:?}, {}: off by {error:e}, more than {bound:e}", B::FORMAT);
    }
}

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
    let (program, _) = case.build::<bf16>(&mut device).expect("a program");
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
        let (program, _) = case.build::<bf16>(&mut device).expect("a program");
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
                let (program, _) = case.build::<bf16>(&mut device)?;
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

#[test]
fn refusals() {
    let mut device = Device::open().expect("a device");
    let mut tensor = |shape: &[usize]| device.zeros::<bf16>("t", shape).expect("it fits");
    let (x, wide, bias, column) = (tensor(&[64, 64]), tensor(&[64, 96]), tensor(&[1, 96]), tensor(&[64, 1]));
    let counts = device.zeros::<u32>("counts", &[64, 64]).expect("it fits");
    let one = CoreSet::from(Core::new(0, 0));
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let blocks = |m, n, k, sub_m, sub_n| Some(Blocks { m, n, k, sub_m, sub_n });
    let none = Options::default();
    let message = |cores: &CoreSet, b: &Tensor<bf16>, c: &Tensor<bf16>, options: &Options<'_>| {
        let made = matmul::program(cores, config.clone(), &x, b, c, options);
        made.err().map(|e| e.to_string()).unwrap_or_default()
    };
    let cases = [
        (message(&one, &bias, &x, &none), "[64, 64] and [1, 96] cannot be multiplied"),
        (message(&one, &x, &wide, &none), "shape [64, 96], must have [64, 64]"),
        (message(&one, &x, &x, &Options { bias: Some(&bias), ..none }), "[1, 96], must be one row of 64"),
        (message(&one, &x, &x, &Options { bias: Some(&column), ..none }), "[64, 1], must be one row of 64"),
        (message(&one, &x, &x, &Options { blocks: blocks(2, 0, 1, 1, 1), ..none }), "2 x 0 x 1 tiles"),
        (
            message(&one, &x, &x, &Options { blocks: blocks(2, 2, 1, 2, 4), ..none }),
            "2 x 4 tiles do not divide blocks of 2 x 2",
        ),
        (
            message(&one, &x, &x, &Options { blocks: blocks(4, 2, 1, 4, 2), ..none }),
            "4 x 2 tiles takes 8 tile registers, there are 4",
        ),
        (
            message(&one, &x, &x, &Options { blocks: blocks(2, 2, 1, 2, 2), strategy: Strategy::KSplit, ..none }),
            "2 x 2 tiles takes 4 tile registers, there are 2 where k is divided",
        ),
        (
            message(&one, &x, &x, &Options { strategy: Strategy::KSplit, ..none }),
            "it has 2 tiles, and there are 1 cores",
        ),
        (message(&CoreSet::empty(), &x, &x, &none), "the grid has no cores"),
        (message(&one, &x, &x, &Options { l1: Some(4096), ..none }), "needs 12288 bytes of L1"),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "`{message}` does not say `{expected}`");
    }
    let made = matmul::program(&one, config.clone(), &x, &counts, &x, &none);
    let message = made.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message.contains("`b` is u32"), "{message}");
}
