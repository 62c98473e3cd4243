//! The methods that device code may call, by name.
//!
//! The macros refuse every other name at its token; lowering resolves a name by the type of its receiver. To add a method: its name
//! here, its row in lowering, and the method itself in the device API. Operations of tiles come from the runtime's table: for
//! them only the names are needed, in `methods/ops.rs`.

mod ops;

pub use ops::OPERATIONS;
use ops::{EXPRESSIONS, TILES};

macro_rules! methods {
    (others: [$($other:literal),* $(,)?], takes_self: [$($taker:literal),* $(,)?]) => {
        const OTHERS: &[&str] = &[$($other),*];
        const TAKERS: &[&str] = &[$($taker),*];
    };
}

/// Every method of device code.
pub fn methods() -> impl Iterator<Item = &'static str> {
    [OTHERS, EXPRESSIONS, TILES].into_iter().flatten().copied()
}

pub fn is_method(name: &str) -> bool {
    [OTHERS, EXPRESSIONS, TILES].iter().any(|list| list.contains(&name))
}

/// Whether a method may take its receiver by value when it is a guard, a transfer or a set of registers.
pub fn takes_self(name: &str) -> bool {
    [TAKERS, EXPRESSIONS].iter().any(|list| list.contains(&name))
}

methods! {
    others: [
        // Circular buffers and their guards.
        "reserve_back",
        "push_back",
        "wait_front",
        "pop_front",
        "page",
        "get_write_ptr",
        "get_read_ptr",
        "get_tile_size",
        "write_u32",
        "read_u32",
        // Tensor accessors, transfers, barriers.
        "read_page",
        "write_page",
        "read_into",
        "write_from",
        "page_size",
        "wait",
        "flushed",
        "read_barrier",
        "write_barrier",
        "writes_flushed",
        // Other cores: pages and semaphores.
        "write_to_core",
        "write_to_core_at",
        "write_multicast",
        "write_multicast_at",
        "write_multicast_loopback_src",
        "set",
        "wait_min",
        "semaphore_inc",
        "semaphore_set_remote",
        "semaphore_set_multicast",
        "semaphore_set_multicast_loopback_src",
        "atomic_barrier",
        // Pipes.
        "send",
        "send_to",
        "send_loopback",
        "receive",
        "receivers",
        "announce",
        // Cores.
        "core_x",
        "core_y",
        // Tile registers.
        "acquire",
        "commit",
        "copy_tile",
        "add_tiles",
        "sub_tiles",
        "mul_tiles",
        "matmul_tiles",
        "matmul_block",
        "add_reuse_dest_tiles",
        "sub_reuse_dest_tiles",
        "mul_reuse_dest_tiles",
        "add_tiles_bcast_rows",
        "add_tiles_bcast_cols",
        "add_tiles_bcast_scalar",
        "sub_tiles_bcast_rows",
        "sub_tiles_bcast_cols",
        "sub_tiles_bcast_scalar",
        "mul_tiles_bcast_rows",
        "mul_tiles_bcast_cols",
        "mul_tiles_bcast_scalar",
        "add_tiles_bcast_row_at",
        "sub_tiles_bcast_row_at",
        "mul_tiles_bcast_row_at",
        "unary_bcast_rows",
        "unary_bcast_cols",
        "unary_bcast_scalar",
        "reduce_sum_row",
        "reduce_sum_col",
        "reduce_sum_scalar",
        "reduce_avg_row",
        "reduce_avg_col",
        "reduce_avg_scalar",
        "reduce_max_row",
        "reduce_max_col",
        "reduce_max_scalar",
        "transpose_tile",
        "transpose_faces",
        "transpose_within_faces",
        "transpose_dest",
        "pack_tile",
        "pack_tile_at",
        "release",
        // Block expressions.
        "store",
        "block",
        "matmul",
        "zeros",
        // Scalars.
        "min",
        "max",
        "wrapping_add",
        "wrapping_sub",
        "wrapping_mul",
        "wrapping_neg",
        "wrapping_shl",
        "wrapping_shr",
        "to_bits",
        "from_bits",
    ],
    takes_self: [
        "push_back",
        "pop_front",
        "wait",
        "flushed",
        "commit",
        "release",
        "store",
        "matmul",
        "block",
    ]
}

/// Adapters of the range of a `for`. They are not methods of device code anywhere else.
pub const RANGE_ADAPTERS: &[&str] = &["rev", "step_by"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_once_and_consumers_are_methods() {
        for (i, name) in OTHERS.iter().enumerate() {
            assert!(!OTHERS[..i].contains(name) && !TILES.contains(name), "{name} is listed twice");
        }
        for name in TAKERS {
            assert!(OTHERS.contains(name), "{name} is no method");
        }
        for name in RANGE_ADAPTERS {
            assert!(!is_method(name), "{name}");
        }
    }
}
