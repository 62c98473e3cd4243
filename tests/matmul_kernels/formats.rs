//! Operands and results of any format.

use super::STRATEGIES;
use super::case::Case;
use super::dice::Dice;
use ttl::prelude::*;
use ttl_kernels::matmul::{self, Activation, Blocks, Options, Strategy};

/// Shapes that fill nothing evenly, every strategy, bias and activation, both widths of the registers, sums in registers and in L1.
fn strategies_and_registers<A: Element, B: Element, C: Element>(other: Activation) {
    for (i, strategy) in STRATEGIES.into_iter().enumerate() {
        for wide in [true, false] {
            let arch = [Arch::blackhole(), Arch::wormhole()][(i + usize::from(wide)) % 2];
            let case = Case { arch, strategy, wide, ..Case::new(&[2, 50, 100], 70) };
            case.check_of::<A, B, C>();
            let blocks = Some(Blocks { m: 2, n: 2, k: 1, sub_m: 1, sub_n: 2 });
            Case { blocks, bias: true, activation: Activation::Gelu, ..case.clone() }.check_of::<A, B, C>();
            Case { bias: true, activation: other, ..case }.check_of::<A, B, C>();
        }
    }
}

#[test]
fn all_of_f32() {
    strategies_and_registers::<f32, f32, f32>(Activation::Relu);
}

#[test]
fn bf16_with_f32_results() {
    strategies_and_registers::<bf16, bf16, f32>(Activation::Relu);
}

#[test]
fn f32_with_bf16_results() {
    strategies_and_registers::<f32, bf16, bf16>(Activation::Relu);
}

#[test]
fn block_floats() {
    strategies_and_registers::<bfp8_b, bfp8_b, bfp8_b>(Activation::Tanh);
}

/// What f32 results are for: they are closer than bf16 can be. 16-bit registers are just widened.
#[test]
fn bits_of_f32_results() {
    let lower = |wide| {
        let case = Case { wide, ..Case::new(&[64, 64], 64) };
        let mut device = Device::open()?;
        let (program, c) = case.build::<bf16, bf16, f32>(&mut device)?;
        let program = program.validate(&device)?;
        device.run(&program)?;
        let values = device.download(&c)?.to_f32_vec();
        Ok(values.iter().filter(|v| v.to_bits() & 0xFFFF != 0).count())
    };
    let [wide, narrow] = [true, false].map(|wide| lower(wide).unwrap_or_else(|e: ttl::Error| panic!("{e}")));
    assert!(wide > 4000, "{wide} of 4096");
    assert_eq!(narrow, 0);
}

/// The estimate of L1 is what the program takes, whatever the formats.
#[test]
fn the_plan_counts_the_bytes_of_each_format() {
    fn check<A: Element, B: Element, C: Element>() {
        let mut device = Device::open().expect("a device");
        let a = device.zeros::<A>("a", &[320, 2048]).expect("it fits");
        let b = device.zeros::<B>("b", &[2048, 192]).expect("it fits");
        let bias = device.zeros::<C>("bias", &[192]).expect("it fits");
        let c = device.zeros::<C>("c", &[320, 192]).expect("it fits");
        let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
        for strategy in [Strategy::Unicast, Strategy::Multicast] {
            let options = Options { bias: Some(&bias), strategy, ..Options::default() };
            let plan = matmul::plan(&device.grid(), &config, &a, &b, &c, &options).expect("a plan");
            let program = matmul::program(&device.grid(), config.clone(), &a, &b, &c, &options).expect("a program");
            let program = program.validate(&device).expect("valid");
            let (l1, base) = (program.checked().l1(), u64::from(device.arch().l1_base));
            let most = plan.cores.iter().map(|core| l1.buffers_end(core) - base).max().expect("a core");
            assert_eq!(most, plan.l1, "{plan}");
        }
    }
    check::<f32, f32, f32>();
    check::<bf16, bf16, f32>();
    check::<f32, bf16, bf16>();
    check::<bfp8_b, bfp8_b, bfp8_b>();
}

#[test]
fn over_random_shapes() {
    use Activation::{Gelu, GeluTanh, None, Relu, Sigmoid, Silu, Tanh};
    let mut dice = Dice::new();
    for _ in 0..8 {
        let mut case = Case::new(&dice.shape(), dice.length());
        (case.arch, case.grid, case.wide, case.bias) = (dice.chip(), dice.cores(), dice.flip(), dice.flip());
        case.activation = dice.of(&[None, None, Relu, Gelu, GeluTanh, Silu, Sigmoid, Tanh]);
        // k can be divided if it has two steps and there are two cores.
        let can_divide = case.k() > 32 && case.grid != (1, 1);
        let strategies = [Strategy::Auto, Strategy::Unicast, Strategy::Multicast, Strategy::KSplit];
        case.strategy = dice.of(&strategies[..if can_divide { 4 } else { 3 }]);
        if dice.flip() {
            let (m, n, sub_n) = (1 + dice.below(3), 1 + dice.below(3), dice.flip());
            let sub_n = if sub_n && n == 2 { 2 } else { 1 };
            case.blocks = Some(Blocks { m, n, k: 1, sub_m: 1, sub_n });
        }
        match dice.below(5) {
            0 => case.check_of::<f32, f32, f32>(),
            1 => case.check_of::<bf16, bf16, f32>(),
            2 => case.check_of::<f32, bf16, bf16>(),
            3 if case.activation != Relu => case.check_of::<bfp8_b, bfp8_b, bfp8_b>(),
            _ => case.check_of::<bf16, bf16, bf16>(),
        }
    }
}
