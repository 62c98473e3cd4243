//! The headers that kernels include: hand-written ones of `include/`, and generated ones: `ttl/abi.h`, and those of tile
//! operations.

use std::sync::OnceLock;

use super::cache::Hash;
use super::empty_headers::EMPTY;
use super::op_headers::op_headers;
use super::{split_includes, table};

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        const WRITTEN: &[(&str, &str)] = &[$( ($name, include_str!(concat!("include/", $name))) ),*];
    };
}

headers! {
    "api/alignment.h",
    "api/compile_time_args.h",
    "api/compute/bcast.h",
    "api/compute/cb_api.h",
    "api/compute/common.h",
    "api/compute/common_globals.h",
    "api/compute/compute_kernel_hw_startup.h",
    "api/compute/copy_dest_values.h",
    "api/compute/cumsum.h",
    "api/compute/eltwise_binary.h",
    "api/compute/eltwise_unary/eltwise_unary.h",
    "api/compute/eltwise_unary/recip.h",
    "api/compute/experimental/fast_untilize.h",
    "api/compute/matmul.h",
    "api/compute/pack.h",
    "api/compute/pack_untilize.h",
    "api/compute/reconfig_data_format.h",
    "api/compute/reduce.h",
    "api/compute/reg_api.h",
    "api/compute/src_order.h",
    "api/compute/tile_move_copy.h",
    "api/compute/tilize.h",
    "api/compute/transpose.h",
    "api/compute/transpose_dest.h",
    "api/core_local_mem.h",
    "api/dataflow/circular_buffer.h",
    "api/dataflow/dataflow_api.h",
    "api/dataflow/dataflow_buffer.h",
    "api/dataflow/dfb_access.h",
    "api/dataflow/dfb_binding_token.h",
    "api/dataflow/endpoints.h",
    "api/dataflow/noc.h",
    "api/dataflow/noc_semaphore.h",
    "api/dataflow/semaphore_binding_token.h",
    "api/debug/assert.h",
    "api/debug/device_print.h",
    "api/debug/dprint.h",
    "api/debug/dprint_pages.h",
    "api/debug/dprint_tile.h",
    "api/debug/kernel_profiler.hpp",
    "api/debug/waypoint.h",
    "api/lock.h",
    "api/numeric/bfloat16.h",
    "api/semaphore.h",
    "api/tensor/noc_traits.h",
    "api/tensor/tensor_accessor.h",
    "api/tensor/tensor_accessor_args.h",
    "api/tensor/tensor_binding_token.h",
    "ckernel.h",
    "ckernel_defs.h",
    "ckernel_include.h",
    "experimental/kernel_args.h",
    "hostdevcommon/common_values.hpp",
    "hostdevcommon/kernel_structs.h",
    "internal/llk_metadata.h",
    "llk_defs.h",
    "tools/profiler/kernel_profiler.hpp",
    "tt-metalium/constants.hpp",
    "ttl/arguments.h",
    "ttl/circular_buffers.h",
    "ttl/kernel.h",
    "ttl/l1_pointer.h",
    "ttl/llk_reduce.h",
    "ttl/local_buffer.h",
    "ttl/operations.h",
    "ttl/print.h",
    "ttl/sfpu_reduce.h",
    "ttl/tile_calls.h",
    "ttl/tile_sizes.h",
    "ttl/transfers.h",
    "ttl/undefined.h",
}

#[derive(Debug)]
pub(super) struct Headers {
    generated: Vec<(&'static str, String)>,
    hash: Hash,
}

impl Headers {
    pub(super) fn get() -> &'static Headers {
        static HEADERS: OnceLock<Headers> = OnceLock::new();
        HEADERS.get_or_init(|| {
            let mut headers =
                Headers { generated: op_headers(|name| WRITTEN.iter().any(|(n, _)| *n == name)), hash: Hash::new() };
            headers.generated.push((split_includes::NAME, split_includes::text()));
            let known: Vec<String> = headers.files().map(|(name, _)| name.to_owned()).collect();
            for name in EMPTY.iter().filter(|name| !known.iter().any(|k| k == *name)) {
                let base = if name.starts_with("api/compute/") { "\n#include \"api/compute/common.h\"\n" } else { "" };
                let text = format!("// Nothing of this header is simulated.\n#pragma once\n{base}");
                headers.generated.push((*name, text));
            }
            headers.generated.push(("ttl/abi.h", table::declaration()));
            headers.hash =
                headers.files().fold(Hash::new(), |hash, (name, text)| hash.add(name.as_bytes()).add(text.as_bytes()));
            headers
        })
    }

    pub(super) fn hash(&self) -> Hash {
        self.hash
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        WRITTEN.iter().copied().chain(self.generated.iter().map(|(name, text)| (*name, text.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{BINARY_FPU_HEADER, BinaryOp, TernaryOp, UnaryOp};

    #[test]
    fn every_operation_of_the_table_has_its_header() {
        let names: Vec<&str> = Headers::get().files().map(|(name, _)| name).collect();
        let unary = UnaryOp::ALL.iter().map(|op| op.row().header);
        let binary = BinaryOp::ALL.iter().map(|op| op.row().header);
        let ternary = TernaryOp::ALL.iter().map(|op| op.row().header);
        for header in unary.chain(binary).chain(ternary).chain([BINARY_FPU_HEADER]) {
            assert!(names.contains(&header), "{header}");
        }
    }
}
