//! The matmul-only rung of the DiT megakernel: one program over all roles of cores, native and as generated C++.

mod machine;
mod plan;

use machine::{Launch, build, chain, compare, hub_result, product, settings, single_result};
use plan::Plan;
use ttl::prelude::*;
use ttl_kernels::dit::k1::assemble::{Settings, Tensors};
use ttl_kernels::dit::{DitConfig, K1Mode, Op, ReaderMode, StreamDtype, Version};

fn cfg(banks: u32, n_blocks: u32) -> DitConfig {
    DitConfig::scaled(Version::N15, banks, n_blocks).expect("a configuration")
}

fn input(k: u32) -> HostTensor {
    HostTensor::normal([64, k as usize], 42).expect("a shape").to_format(DataFormat::Bf16)
}

/// The columns of the input of a launch.
fn columns(plan: &Plan, launch: Launch) -> u32 {
    match launch.mode {
        K1Mode::Single => 32 * launch.op.k_tiles(plan.cfg.banks),
        _ => plan.cfg.width(),
    }
}

fn run<W: Element>(plan: &Plan, launch: Launch, settings: &Settings) -> (Device, Tensors<W>) {
    let x = input(columns(plan, launch));
    let made = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        build::<W>(device, plan, &x, launch, settings)
    });
    made.unwrap_or_else(|e| panic!("{launch:?}: {e}"))
}

#[track_caller]
fn near(got: &[f32], want: &[f32], what: &str) {
    let (pcc, re) = compare(got, want);
    println!("{what}: PCC {pcc:.8}, RE {re:.2e}");
    assert!(pcc >= 0.9999 && re <= 5e-3, "{what}: PCC {pcc}, RE {re:e}");
}

#[test]
fn single_operations() {
    let plan = Plan::random(&cfg(1, 2), StreamDtype::Bf16, ReaderMode::Direct, 1);
    for blk in 0..2 {
        for op in Op::OPS {
            let launch = Launch::single(blk, op);
            let (device, tensors) = run::<bf16>(&plan, launch, &settings(plan.mode));
            let got = single_result(&device, &plan, &tensors.mm_out, launch);
            let x = input(columns(&plan, launch)).to_f32_vec();
            let want = product(&plan.layers[blk as usize][op as usize], &x, op == Op::Ff1);
            near(&got, &want, &format!("block {blk}, {}", op.name()));
        }
    }
}

#[test]
fn chains() {
    let plan = Plan::random(&cfg(1, 4), StreamDtype::Bf16, ReaderMode::Direct, 2);
    for (blk, n_blk) in [(0, 1), (1, 1), (0, 4)] {
        let launch = Launch::chain(blk, n_blk);
        let (device, tensors) = run::<bf16>(&plan, launch, &settings(plan.mode));
        let got = hub_result(&device, &plan, &tensors.a_rep, 6);
        let want = chain(&plan, &input(192).to_f32_vec(), blk, n_blk);
        near(&got, &want, &format!("blocks {blk} to {}", blk + n_blk));
    }
}

#[test]
fn streams() {
    let plan = Plan::random(&cfg(1, 4), StreamDtype::Bf16, ReaderMode::Direct, 2);
    run::<bf16>(&plan, Launch::stream(0, 4), &settings(plan.mode));
}
