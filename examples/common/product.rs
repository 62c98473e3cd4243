//! What the examples of matrix products share: their options and the exact product.

use super::{FidelityArg, fidelity, input};
use clap::Args;
use std::path::PathBuf;
use ttl::prelude::*;
use ttl_kernels::matmul::Blocks;

#[derive(Args, Debug)]
pub(crate) struct ProductArgs {
    /// Left operand, a .npy file of M x K (default: random)
    #[arg(long)]
    a: Option<PathBuf>,
    /// Right operand, K x N
    #[arg(long)]
    b: Option<PathBuf>,
    /// M, N and K of random operands
    #[arg(long, num_args = 3, value_names = ["M", "N", "K"], default_values_t = [1024, 1024, 1024])]
    size: Vec<usize>,
    /// Tiles along each side of a block: 1, 2, 4, or chosen from the sizes
    #[arg(long, default_value = "4", value_parser = ["1", "2", "4", "auto"])]
    block: String,
    #[arg(long, value_enum, default_value = "hifi4")]
    pub(crate) fidelity: FidelityArg,
}

impl ProductArgs {
    /// Both operands: files, or random numbers from a seed.
    pub(crate) fn operands(&self, seed: u64) -> ttl::Result<[HostTensor; 2]> {
        let &[m, n, k] = self.size.as_slice() else {
            return Err(ttl::Error::Other(format!("--size takes M, N and K, got {:?}", self.size)));
        };
        Ok([input(self.a.as_deref(), &[m, k], seed)?, input(self.b.as_deref(), &[k, n], seed.wrapping_add(1))?])
    }

    /// 32-bit registers: a sum of a thousand products needs them.
    pub(crate) fn config(&self) -> ComputeConfig {
        ComputeConfig { fidelity: fidelity(self.fidelity), fp32_dest_acc: true, ..ComputeConfig::default() }
    }

    /// The blocks that were asked for; none where they are chosen from the sizes.
    pub(crate) fn blocks(&self) -> Option<Blocks> {
        match self.block.as_str() {
            "1" => Some(Blocks { m: 1, n: 1, k: 1, sub_m: 1, sub_n: 1 }),
            "2" => Some(Blocks { m: 2, n: 2, k: 2, sub_m: 2, sub_n: 2 }),
            "4" => Some(Blocks { m: 4, n: 4, k: 4, sub_m: 2, sub_n: 2 }),
            _ => None,
        }
    }
}

/// The product in f64, rounded once to f32.
pub(crate) fn product(a: &HostTensor, b: &HostTensor) -> ttl::Result<HostTensor> {
    let (&[ref rows @ .., k], &[inner, n]) = (a.shape(), b.shape()) else {
        return Err(ttl::Error::Other(format!("no product of shapes {:?} and {:?}", a.shape(), b.shape())));
    };
    if k != inner {
        return Err(ttl::Error::Other(format!("{k} columns cannot be multiplied by {inner} rows")));
    }
    // Leading dimensions are more rows.
    let (m, shape) = (rows.iter().product::<usize>(), [rows, &[n]].concat());
    let (a, b) = (a.to_f32_vec(), b.to_f32_vec());
    let mut c = vec![0f32; m * n];
    let mut row = vec![0f64; n];
    for i in 0..m {
        row.fill(0.0);
        for p in 0..k {
            let x = f64::from(a[i * k + p]);
            for (sum, y) in row.iter_mut().zip(&b[p * n..][..n]) {
                *sum += x * f64::from(*y);
            }
        }
        for (to, sum) in c[i * n..][..n].iter_mut().zip(&row) {
            *to = *sum as f32;
        }
    }
    Ok(HostTensor::from_vec(shape, c)?)
}

/// Relative difference of a product that rounding explains: one rounding to bf16, and products aligned to 12 bits in groups of eight; fewer bits
/// of the operands at lower fidelity.
pub(crate) fn product_bound(fidelity: FidelityArg) -> f64 {
    match fidelity {
        FidelityArg::Lofi => 2f64.powi(-4),
        FidelityArg::Hifi2 => 2f64.powi(-7),
        _ => 2f64.powi(-8),
    }
}
