//! The headers that kernels include: hand-written ones of `include/`, and generated ones: `ttl/abi.h`, and those of unary operations that
//! take no template arguments.

use std::sync::OnceLock;

use super::cache::Hash;
use super::table;
use crate::ops::{UnaryOp, UnaryRow};

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        const WRITTEN: &[(&str, &str)] = &[$( ($name, include_str!(concat!("include/", $name))) ),*];
    };
}

headers! {
    "api/compile_time_args.h",
    "api/compute/bcast.h",
    "api/compute/cb_api.h",
    "api/compute/common.h",
    "api/compute/common_globals.h",
    "api/compute/compute_kernel_hw_startup.h",
    "api/compute/copy_dest_values.h",
    "api/compute/eltwise_binary.h",
    "api/compute/eltwise_binary_sfpu.h",
    "api/compute/eltwise_unary/eltwise_unary.h",
    "api/compute/eltwise_unary/exp.h",
    "api/compute/eltwise_unary/gelu.h",
    "api/compute/eltwise_unary/sqrt.h",
    "api/compute/matmul.h",
    "api/compute/pack.h",
    "api/compute/reconfig_data_format.h",
    "api/compute/reduce.h",
    "api/compute/reg_api.h",
    "api/compute/src_order.h",
    "api/compute/tile_move_copy.h",
    "api/compute/transpose.h",
    "api/compute/transpose_dest.h",
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
    "ttl/tile_calls.h",
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
            let mut headers = Headers { generated: unary_headers(), hash: Hash::new() };
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

/// The headers of the table of unary operations that nobody wrote by hand. What else such a header has on the chip is not simulated: a call
/// of it is refused by its name.
fn unary_headers() -> Vec<(&'static str, String)> {
    let mut headers: Vec<(&'static str, String)> = Vec::new();
    let rows = || UnaryOp::ALL.iter().map(|op| op.row());
    for row in rows() {
        if WRITTEN.iter().any(|(name, _)| *name == row.header) || headers.iter().any(|(name, _)| *name == row.header) {
            continue;
        }
        let mut text = String::from(
            "// Generated from the simulator's table of operations.\n#pragma once\n\n\
             #include \"api/compute/common_globals.h\"\n\nnamespace ckernel {\n",
        );
        for own in rows().filter(|r| r.header == row.header) {
            text.push_str(&unary_functions(own));
        }
        text.push_str("}  // namespace ckernel\n");
        headers.push((row.header, text));
    }
    headers
}

/// Init (with the first operation that has it) and call.
fn unary_functions(row: &UnaryRow) -> String {
    let (init, call, method) = (row.init, row.call, row.method);
    let mut text = String::new();
    if row.op.prepared() == row.op {
        text += &format!(
            "inline void {init}(TTL_AT) {{ ttl_host::table->sfpu_unary_init(ttl_host::unary_{method}, at); }}\n"
        );
    }
    text += &format!(
        "inline void {call}(uint32_t idst, TTL_AT) {{ ttl_host::table->sfpu_unary(ttl_host::unary_{method}, idst, at); }}\n"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{BINARY_FPU_HEADER, BINARY_SFPU_HEADER};

    #[test]
    fn every_operation_of_the_table_has_its_header() {
        let names: Vec<&str> = Headers::get().files().map(|(name, _)| name).collect();
        for op in UnaryOp::ALL {
            assert!(names.contains(&op.row().header), "{}", op.row().header);
        }
        assert!(names.contains(&BINARY_FPU_HEADER) && names.contains(&BINARY_SFPU_HEADER));
    }
}
