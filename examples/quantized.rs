//! y = x * w with weights in block floats: `bfp8_b` takes about half the memory of bf16, `bfp4_b` a quarter.

mod common;

use clap::Parser;
use ttl::prelude::*;

/// Reads a row of tiles of `x` and a column of tiles of `w` for each tile of the result.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers and geometry
fn read<W: Element>(
    noc: Noc,
    x: TensorAccessor<bf16>,
    w: TensorAccessor<W>,
    x_out: CbOut<bf16>,
    w_out: CbOut<W>,
    #[ttl(common)] rows: u32,
    #[ttl(common)] inner: u32,
    #[ttl(common)] columns: u32,
) {
    for row in 0..rows {
        for column in 0..columns {
            for k in 0..inner {
                let mut x_tile = x_out.reserve_back(1);
                let mut w_tile = w_out.reserve_back(1);
                let x_read = noc.read_page(&x, row * inner + k, &mut x_tile);
                let w_read = noc.read_page(&w, k * columns + column, &mut w_tile);
                x_read.wait();
                w_read.wait();
            }
        }
    }
}

/// The matrix unit takes block floats as they are.
#[ttl::kernel(compute)]
fn multiply<W: Element>(
    compute: Compute,
    x_in: CbIn<bf16>,
    w_in: CbIn<W>,
    y_out: CbOut<bf16>,
    #[ttl(common)] tiles: u32,
    #[ttl(common)] inner: u32,
) {
    for _ in 0..tiles {
        let mut sum = compute.zeros(1, 1);
        for _ in 0..inner {
            let x = x_in.wait_front(1);
            let w = w_in.wait_front(1);
            sum += x.block(1, 1).matmul(w.block(1, 1));
        }
        y_out.reserve_back(1).store(sum);
    }
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, #[ttl(common)] tiles: u32) {
    for i in 0..tiles {
        let tile = y_in.wait_front(1);
        noc.write_page(&y, i, &tile).flushed();
    }
}

/// Multiplies a matrix with quantized weights on one core of the simulated chip.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    /// M, N and K
    #[arg(long, num_args = 3, value_names = ["M", "N", "K"], default_values_t = [64, 96, 256])]
    size: Vec<usize>,
    /// Format of the weights
    #[arg(long, default_value = "bfp8_b", value_parser = ["bfp8_b", "bfp4_b", "bf16"])]
    weights: String,
}

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    common::exit(match cli.weights.as_str() {
        "bfp4_b" => run::<bfp4_b>(&cli),
        "bf16" => run::<bf16>(&cli),
        _ => run::<bfp8_b>(&cli),
    })
}

fn run<W: Element>(cli: &Cli) -> ttl::Result<()> {
    let (m, n, k) = (cli.size[0], cli.size[1], cli.size[2]);
    let x_host = common::input(None, &[m, k], cli.options.seed)?;
    let w_host = common::input(None, &[k, n], cli.options.seed.wrapping_add(1))?;

    let mut device = cli.options.open()?;
    let x = device.upload::<bf16>("x", &x_host)?;
    let w = device.upload::<W>("w", &w_host)?;
    let y = device.zeros::<bf16>("y", &[m, n])?;
    let (rows, inner, columns) = (x.tile_rows(), x.tile_cols(), w.tile_cols());
    let tiles = y.pages();
    println!("weights in {}: {} bytes, {} in bf16", W::FORMAT, w.spec().bytes(), w.pages() * 2048);

    let core = Core::new(0, 0);
    let mut program = Program::new("quantized");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", core, 2);
    let (w_out, w_in) = program.circular_buffer::<W>("w", core, 2);
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", core, 2);
    program.kernel(core, read::<W> { x: x.accessor(), w: w.accessor(), x_out, w_out, rows, inner, columns });
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    program.compute(core, config, multiply::<W> { x_in, w_in, y_out, tiles, inner });
    program.kernel(core, write { y: y.accessor(), y_in, tiles });

    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&y)?;
    // Against the product of what the tiles hold: how far the weights are from the original ones is not the device's doing.
    let reference = common::product::product(&common::rounded(&x_host), &w_host.to_format(W::FORMAT))?;
    common::export(&device, &program, &[(y.handle(), &result)], &cli.options)?;
    // One rounding to bf16, and products aligned to 12 bits in groups of eight.
    common::finish("quantized", time, &result, &reference, 2f64.powi(-8), &cli.options)
}
