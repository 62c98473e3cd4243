//! The DiT megakernel's first rung at full size: one program on 110 cores streams the weights of transformer blocks from eight DRAM banks through
//! 96 cores, while a hub gathers and multicasts the activations.

mod common;

use clap::{Parser, ValueEnum};
use std::collections::BTreeSet;
use std::time::Instant;
use ttl::prelude::*;
use ttl::runtime::sim::ReadLog;
use ttl_kernels::dit::k1::{DitMegakernel, Launch};
use ttl_kernels::dit::matrix::Matrix;
use ttl_kernels::dit::plan::Plan;
use ttl_kernels::dit::reference::{Agreement, chain_limit, ref_chain, ref_single_op};
use ttl_kernels::dit::{
    ArenaLayout, ArenaOptions, CoreMap, DitConfig, K1Mode, MegakernelError, Op, ReaderMode, StreamDtype, Version,
};

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
enum ModeArg {
    /// The four products of each block with their gathers
    Chain,
    /// One product
    Single,
    /// The products with nothing between them: the pure weight stream
    Stream,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
enum OpArg {
    Qkv,
    Wo,
    Ff1,
    Ff2,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
enum ReaderArg {
    /// Each compute core reads its own weights
    Direct,
    /// A reader core per bank hands them out
    Relay,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
enum DtypeArg {
    Bf16,
    Bfp8b,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
enum VersionArg {
    N15,
    N16,
}

/// Streams random weights of a diffusion transformer through the chip.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    /// DRAM banks: 8 is the full machine, 1, 2 and 4 are scaled ones
    #[arg(long, default_value_t = 8)]
    banks: u32,
    /// Blocks of the network
    #[arg(long, default_value_t = 2)]
    blocks: u32,
    /// First block of the launch
    #[arg(long, default_value_t = 0)]
    first: u32,
    /// Blocks of the launch (default: all from the first on)
    #[arg(long)]
    count: Option<u32>,
    #[arg(long, value_enum, default_value = "chain")]
    mode: ModeArg,
    /// The product of single mode
    #[arg(long, value_enum, default_value = "qkv")]
    op: OpArg,
    #[arg(long, value_enum, default_value = "direct")]
    reader: ReaderArg,
    #[arg(long, value_enum, default_value = "bf16")]
    dtype: DtypeArg,
    #[arg(long, value_enum, default_value = "n15")]
    network: VersionArg,
    /// Times over
    #[arg(long, default_value_t = 1)]
    iterations: u32,
    /// Reads in flight per weight ring
    #[arg(long, default_value_t = 4)]
    depth: u32,
    /// Writes in flight per reader core
    #[arg(long, default_value_t = 6)]
    window: u32,
    /// Leave out the reference, which takes long for many blocks
    #[arg(long)]
    no_reference: bool,
}

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    common::exit(run(&cli).map_err(|e| match e {
        MegakernelError::Runtime(e) => e,
        e => ttl::Error::Other(e.to_string()),
    }))
}

fn run(cli: &Cli) -> ttl_kernels::dit::Result<()> {
    let version = match cli.network {
        VersionArg::N15 => Version::N15,
        VersionArg::N16 => Version::N16,
    };
    let cfg = DitConfig::scaled(version, cli.banks, cli.blocks)?;
    let dtype = match cli.dtype {
        DtypeArg::Bf16 => StreamDtype::Bf16,
        DtypeArg::Bfp8b => StreamDtype::Bfp8B,
    };
    let reader = match cli.reader {
        ReaderArg::Direct => ReaderMode::Direct,
        ReaderArg::Relay => ReaderMode::Relay,
    };
    let layout = ArenaLayout::plan(&cfg, ArenaOptions::new(64).dtype(dtype).reader_mode(reader))?;
    let start = Instant::now();
    let pack = layout.pack(&Plan::random(&layout, cli.options.seed, Plan::scale(&cfg)))?;
    println!(
        "{version}: {} blocks of width {}, {} bytes of weights in {} banks, packed in {:.1} s",
        cfg.n_blocks,
        cfg.width(),
        layout.stream_bytes(0, cfg.n_blocks)?,
        cfg.banks,
        start.elapsed().as_secs_f64()
    );

    let log = ReadLog::default();
    let mut options = cli.options.device();
    options.run.dram_reads = Some(log.clone());
    let device = Device::with_options(options)?;
    let mut mk = DitMegakernel::builder(&cfg, layout.clone(), CoreMap::simulated(&cfg), device)
        .ring_depth(cli.depth)
        .relay_window(cli.window)
        .build()?;
    mk.upload(&pack)?;

    let count = cli.count.unwrap_or(cfg.n_blocks.saturating_sub(cli.first));
    let op = [Op::Qkv, Op::Wo, Op::Ff1, Op::Ff2][cli.op as usize];
    let launch = match cli.mode {
        ModeArg::Chain => Launch::chain(cli.first, count, cli.iterations),
        ModeArg::Single => Launch::single(cli.first, op, cli.iterations),
        ModeArg::Stream => Launch::stream(cli.first, count, cli.iterations),
    };
    let columns = launch.columns(&cfg) as usize;
    let x = Matrix::from_host(&HostTensor::normal([64, columns], cli.options.seed.wrapping_add(1))?)?.rounded();
    let (program, _x_rep) = mk.program(&x, launch)?;
    mk.zero_sync()?;
    let time = common::run(mk.device_mut(), &program, &cli.options)?;
    println!(
        "{} on {} cores of the simulated Blackhole: {:.1} ms",
        launch.mode.name(),
        mk.core_map().n_cores(),
        time.as_secs_f64() * 1e3
    );
    bytes(cli, &layout, launch, &log)?;

    let result = match launch.mode {
        K1Mode::Single => Some(mk.read_mm_out(launch.blk, op)?),
        K1Mode::Chain => Some(mk.read_hub_a(cfg.width() / 32)?),
        K1Mode::Stream => None,
    };
    // As they were before the run, for the next one.
    mk.zero_sync()?;
    export(cli, &mk, &program)?;
    let Some(result) = result else { return Ok(()) };
    if let Some(path) = &cli.options.out {
        npy::write(path, &result.to_host()?).map_err(ttl::Error::from)?;
        println!("wrote {}", path.display());
    }
    if cli.no_reference {
        return Ok(());
    }
    let reference = match launch.mode {
        K1Mode::Single => ref_single_op(&layout, &pack, &x, launch.blk, op)?,
        _ => ref_chain(&layout, &pack, &x, launch.blk, launch.n_blk)?.g,
    };
    let agreement = Agreement::of(&result, &reference);
    println!("against the reference: {agreement}");
    let limit = chain_limit(launch.n_blk);
    if !agreement.keeps(limit) {
        return Err(ttl::Error::Other(format!("the result is wrong: the limit of RE is {limit:.1e}")).into());
    }
    println!("ok");
    Ok(())
}

/// What was read of the weights, against what the layout says.
fn bytes(cli: &Cli, layout: &ArenaLayout, launch: Launch, log: &ReadLog) -> ttl_kernels::dit::Result<()> {
    // Biases are read with id 0.
    let reads: Vec<_> = log.take().into_iter().filter(|read| read.trid != 0).collect();
    let passes = u64::from(launch.n_iters);
    let read: u64 = reads.iter().map(|read| u64::from(read.bytes)).sum();
    let pages: BTreeSet<(u32, u64)> = reads.iter().map(|read| (read.bank, read.addr)).collect();
    let deepest = reads.iter().map(|read| read.under_way).max().unwrap_or(0);
    let expected = match launch.mode {
        K1Mode::Single => {
            let op = layout.op(launch.blk, launch.op)?;
            u64::from(op.bytes_per_bank()) * u64::from(layout.cfg().banks)
        }
        _ => layout.stream_bytes(launch.blk, launch.n_blk)?,
    };
    println!(
        "weights read: {} bytes a pass in {} pages, each {} time(s), at most {deepest} under way per ring; the layout has {expected} bytes",
        read / passes,
        pages.len(),
        reads.len() / pages.len().max(1)
    );
    // Section by section the floor of a card with 512 GB/s.
    println!("at 512 GB/s a pass takes {:.1} us", expected as f64 / 512e9 * 1e6 * f64::from(8 / cli.banks.min(8)));
    if read != expected * passes {
        return Err(ttl::Error::Other(format!("{read} bytes were read, {} expected", expected * passes)).into());
    }
    Ok(())
}

fn export(cli: &Cli, mk: &DitMegakernel, program: &CheckedProgram) -> ttl_kernels::dit::Result<()> {
    let Some(dir) = &cli.options.export else { return Ok(()) };
    let name = if cli.mode == ModeArg::Single { "mm_out" } else { "a_rep" };
    let Some(tensor) = program.checked().tensors().iter().find(|t| &*t.name == name) else { return Ok(()) };
    let contents = mk.device().contents(tensor)?;
    let file = program.export(mk.device(), dir, &[(tensor, &contents)], Tolerance::default())?;
    println!("wrote {}", file.display());
    Ok(())
}
