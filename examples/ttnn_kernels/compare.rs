//! Calls that generated C++ makes, beside those of the package's kernel for the same job: both run on the C++ engine, where every call of the kernel API
//! goes through one table of functions, and are counted there.

use crate::cases;
use std::fmt::Write as _;
use std::path::Path;
use ttl::prelude::*;
use ttl::runtime::cpp::counting;
use ttl_kernels::layernorm::{self, LayerNorm};
use ttl_kernels::rmsnorm::{self, RmsNorm};
use ttl_kernels::{fma, matmul, softmax};

const CORE: Core = Core::new(0, 0);

/// Between these lines of the page the numbers stand.
const BEGIN: &str = "<!-- counted -->";
const END: &str = "<!-- end of what is counted -->";

struct Pair {
    title: &'static str,
    case: &'static str,
    ours: fn(&mut Device) -> ttl::Result<Program>,
}

const PAIRS: [Pair; 6] = [
    Pair { title: "a * b + c, 4 tiles, one at a time", case: "a + b * c", ours: our_fma },
    Pair { title: "softmax, 2 rows of 2 tiles", case: "softmax, numerically stable", ours: our_softmax },
    Pair { title: "layer norm, 2 rows of 2 tiles", case: "layer norm", ours: our_layernorm },
    Pair {
        title: "layer norm with residual, gamma and beta, 2 rows of 2 tiles",
        case: "layer norm with residual, gamma and beta",
        ours: our_layernorm_with_all,
    },
    Pair { title: "RMS norm, 2 rows of 2 tiles", case: "RMS norm", ours: our_rmsnorm },
    Pair { title: "matrix product, 2 x 2 tiles from 2 steps of 2", case: "matmul in blocks", ours: our_matmul },
];

fn our_fma(device: &mut Device) -> ttl::Result<Program> {
    let [a, b, c] = [1, 2, 3].map(|seed| HostTensor::normal(vec![64, 64], seed));
    let (a, b) = (device.upload::<bf16>("a", &a?)?, device.upload::<bf16>("b", &b?)?);
    let c = device.upload::<bf16>("c", &c?)?;
    let y = device.zeros::<bf16>("y", &[64, 64])?;
    fma::program::<1>(&CORE.into(), ComputeConfig::default(), [&a, &b, &c, &y])
}

fn our_softmax(device: &mut Device) -> ttl::Result<Program> {
    let x = device.upload::<bf16>("x", &HostTensor::normal(vec![64, 64], 1)?)?;
    let y = device.zeros::<bf16>("y", &[64, 64])?;
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    softmax::program(&CORE.into(), config, &x, &y)
}

fn wide() -> ComputeConfig {
    ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() }
}

fn our_layernorm(device: &mut Device) -> ttl::Result<Program> {
    let x = device.upload::<bf16>("x", &HostTensor::normal(vec![64, 64], 1)?)?;
    let y = device.zeros::<bf16>("y", &[64, 64])?;
    let norm = LayerNorm { x: &x, residual: None, gamma: None, beta: None, epsilon: 1e-5, y: &y };
    layernorm::program(&CORE.into(), wide(), &norm)
}

fn our_layernorm_with_all(device: &mut Device) -> ttl::Result<Program> {
    let x = device.upload::<bf16>("x", &HostTensor::normal(vec![64, 64], 1)?)?;
    let residual = device.upload::<bf16>("residual", &HostTensor::normal(vec![64, 64], 2)?)?;
    let gamma = device.upload::<bf16>("gamma", &HostTensor::normal(vec![1, 64], 3)?)?;
    let beta = device.upload::<bf16>("beta", &HostTensor::normal(vec![1, 64], 4)?)?;
    let y = device.zeros::<bf16>("y", &[64, 64])?;
    let (residual, gamma, beta) = (Some(&residual), Some(&gamma), Some(&beta));
    let norm = LayerNorm { x: &x, residual, gamma, beta, epsilon: 1e-5, y: &y };
    layernorm::program(&CORE.into(), wide(), &norm)
}

fn our_rmsnorm(device: &mut Device) -> ttl::Result<Program> {
    let x = device.upload::<bf16>("x", &HostTensor::normal(vec![64, 64], 1)?)?;
    let y = device.zeros::<bf16>("y", &[64, 64])?;
    rmsnorm::program(&CORE.into(), wide(), &RmsNorm { x: &x, gamma: None, epsilon: 1e-5, y: &y })
}

fn our_matmul(device: &mut Device) -> ttl::Result<Program> {
    let a = device.upload::<bf16>("a", &HostTensor::normal(vec![64, 128], 1)?)?;
    let b = device.upload::<bf16>("b", &HostTensor::normal(vec![128, 64], 2)?)?;
    let c = device.zeros::<bf16>("c", &[64, 64])?;
    let blocks = Some(matmul::Blocks { m: 2, n: 2, k: 2, sub_m: 2, sub_n: 2 });
    let options = matmul::Options { blocks, strategy: matmul::Strategy::Unicast, ..matmul::Options::default() };
    matmul::program(&CORE.into(), ComputeConfig::default(), &a, &b, &c, &options)
}

type Counts = Vec<(&'static str, u64)>;

/// Calls, and the bytes of L1 that the circular buffers take.
fn count(build: impl Fn(&mut Device) -> ttl::Result<Program>) -> ttl::Result<(Counts, u64)> {
    let mut device = Device::with_options(DeviceOptions { engine: Engine::Cpp, ..DeviceOptions::default() })?;
    let program = build(&mut device)?.validate(&device)?;
    device.prepare(&program)?;
    let (ran, counts) = counting(|| device.run(&program));
    ran?;
    let bytes = program.checked().cbs().iter().map(|cb| u64::from(cb.pages) * u64::from(cb.page_size)).sum();
    Ok((counts, bytes))
}

/// What the calls do, and which they are; all others ask for arguments and addresses.
const GROUPS: [(&str, &[&str]); 11] = [
    (
        "tiles through the matrix unit",
        &["copy_tile", "binary_tiles", "reuse_dest_tiles", "matmul_tiles", "matmul_block", "tile_call"],
    ),
    ("tiles through the vector unit", &["sfpu_unary", "sfpu_binary", "sfpu_ternary", "copy_dest_values"]),
    ("tiles packed", &["pack_tile", "pack_tile_at"]),
    ("sections of tile registers", &["tile_regs_acquire"]),
    (
        "set-ups of a unit",
        &[
            "copy_init",
            "binary_init",
            "reuse_dest_init",
            "matmul_init",
            "matmul_block_init",
            "tile_call_init",
            "sfpu_unary_init",
            "sfpu_binary_init",
            "sfpu_ternary_init",
            "copy_dest_init",
            "reduce_uninit",
        ],
    ),
    ("switches of a format", &["reconfig_srca", "reconfig_srcb", "reconfig_pack", "pack_reconfig_l1_acc"]),
    ("calls of circular buffers", &["cb_reserve_back", "cb_push_back", "cb_wait_front", "cb_pop_front"]),
    ("reads over the NoC", &["noc_async_read", "noc_async_read_page", "noc_async_write_zeros"]),
    ("waits for reads", &["noc_async_read_barrier"]),
    ("writes over the NoC", &["noc_async_write", "noc_async_write_page"]),
    ("waits for writes", &["noc_async_write_barrier", "noc_async_writes_flushed"]),
];

/// The sum of a group, with what it is made of.
fn cell(counts: &Counts, names: &[&str]) -> (u64, String) {
    let parts: Vec<(&str, u64)> = counts.iter().copied().filter(|(name, _)| names.contains(name)).collect();
    let sum = parts.iter().map(|(_, n)| n).sum();
    let detail = parts.iter().map(|(name, n)| format!("{n} {name}")).collect::<Vec<_>>().join(", ");
    (sum, if sum == 0 { "0".to_owned() } else { format!("{sum} ({detail})") })
}

fn section(pair: &Pair, package: &Path) -> ttl::Result<String> {
    let case = cases::all().find(|c| c.name == pair.case);
    let case = case.ok_or_else(|| ttl::Error::Other(format!("there is no case `{}`", pair.case)))?;
    let (ours, our_bytes) = count(pair.ours)?;
    let (theirs, their_bytes) = count(|device| Ok((case.build)(device, package)?.program))?;
    let kernels: Vec<String> = case.kernels.iter().map(|k| format!("`{k}`")).collect();
    let mut text =
        format!("### {}\n\nTheirs: {}.\n\n| what | ours | theirs |\n|---|---|---|\n", pair.title, kernels.join(", "));
    for (what, names) in GROUPS {
        let ((a, mine), (b, other)) = (cell(&ours, names), cell(&theirs, names));
        let more = if a > b { " **more**" } else { "" };
        if a + b > 0 {
            let _ = writeln!(text, "| {what} | {mine}{more} | {other} |");
        }
    }
    let more = if our_bytes > their_bytes { " **more**" } else { "" };
    let _ = writeln!(text, "| bytes of circular buffers | {our_bytes}{more} | {their_bytes} |");
    Ok(text)
}

/// Puts the numbers into the page, in place of those that are there.
pub(crate) fn write(package: &Path, page: &Path) -> ttl::Result<()> {
    let io = |e: std::io::Error| ttl::Error::Other(format!("{}: {e}", page.display()));
    let text = std::fs::read_to_string(page).map_err(io)?;
    let (Some(begin), Some(end)) = (text.find(BEGIN), text.find(END)) else {
        return Err(ttl::Error::Other(format!("{} has no lines `{BEGIN}` and `{END}`", page.display())));
    };
    let sections = PAIRS.iter().map(|pair| section(pair, package)).collect::<ttl::Result<Vec<_>>>()?;
    let new = format!("{}{BEGIN}\n\n{}\n{}", &text[..begin], sections.join("\n"), &text[end..]);
    std::fs::write(page, new).map_err(io)
}
