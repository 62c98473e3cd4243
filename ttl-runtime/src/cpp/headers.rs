//! The headers that kernels include: hand-written ones of `include/`, and `ttl/abi.h`, which is generated.

use std::sync::OnceLock;

use super::cache::Hash;
use super::table;

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        const WRITTEN: &[(&str, &str)] = &[$( ($name, include_str!(concat!("include/", $name))) ),*];
    };
}

headers! {
    "api/compile_time_args.h",
    "api/compute/cb_api.h",
    "api/compute/common.h",
    "api/compute/common_globals.h",
    "api/compute/compute_kernel_api.h",
    "api/compute/compute_kernel_hw_startup.h",
    "api/compute/copy_dest_values.h",
    "api/compute/eltwise_binary.h",
    "api/compute/eltwise_binary_sfpu.h",
    "api/compute/eltwise_unary/eltwise_unary.h",
    "api/compute/eltwise_unary/exp.h",
    "api/compute/eltwise_unary/gelu.h",
    "api/compute/eltwise_unary/recip.h",
    "api/compute/eltwise_unary/relu.h",
    "api/compute/eltwise_unary/sqrt.h",
    "api/compute/matmul.h",
    "api/compute/pack.h",
    "api/compute/reconfig_data_format.h",
    "api/compute/reg_api.h",
    "api/compute/src_order.h",
    "api/compute/tile_move_copy.h",
    "api/dataflow/dataflow_api.h",
    "api/debug/assert.h",
    "api/debug/device_print.h",
    "api/debug/dprint.h",
    "api/debug/waypoint.h",
    "api/tensor/tensor_accessor.h",
    "hostdevcommon/common_values.hpp",
    "hostdevcommon/kernel_structs.h",
    "ttl/arguments.h",
    "ttl/circular_buffers.h",
    "ttl/kernel.h",
    "ttl/l1_pointer.h",
    "ttl/undefined.h",
}

#[derive(Debug)]
pub(super) struct Headers {
    generated: String,
    hash: Hash,
}

impl Headers {
    pub(super) fn get() -> &'static Headers {
        static HEADERS: OnceLock<Headers> = OnceLock::new();
        HEADERS.get_or_init(|| {
            let generated = table::declaration();
            let hash = WRITTEN
                .iter()
                .fold(Hash::new().add(generated.as_bytes()), |h, (n, t)| h.add(n.as_bytes()).add(t.as_bytes()));
            Headers { generated, hash }
        })
    }

    pub(super) fn hash(&self) -> Hash {
        self.hash
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        WRITTEN.iter().copied().chain([("ttl/abi.h", self.generated.as_str())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{BINARY_FPU_HEADER, BINARY_SFPU_HEADER, UnaryOp};

    #[test]
    fn every_operation_of_the_table_has_its_header() {
        let names: Vec<&str> = Headers::get().files().map(|(name, _)| name).collect();
        for op in UnaryOp::ALL {
            assert!(names.contains(&op.row().header), "{}", op.row().header);
        }
        assert!(names.contains(&BINARY_FPU_HEADER) && names.contains(&BINARY_SFPU_HEADER));
    }
}
