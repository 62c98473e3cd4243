//! Block expressions with shapes: broadcasts, reductions, transposes, matrix products, accumulation; on both engines, both chips and both
//! widths of the registers, against the exact result.

mod accumulate;
mod data;
mod errors;
mod integers;
mod precision;
mod programs;
mod shapes;
mod two_sums;

use ttl::prelude::*;

/// Both chips and both widths of the registers.
pub(crate) fn everywhere(check: impl Fn(Arch, &ComputeConfig)) {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for fp32_dest_acc in [false, true] {
            check(arch, &ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() });
        }
    }
}
