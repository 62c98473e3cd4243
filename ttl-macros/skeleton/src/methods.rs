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
        "keep_front",
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
        // Transaction ids, parts of pages, blocks from other cores.
        "read_page_with_trid",
        "read_into_with_trid",
        "write_page_with_trid",
        "write_from_with_trid",
        "read_page_at",
        "write_page_at",
        "page_at",
        "read_from_core",
        "copy_pages",
        "semaphore_inc_multicast",
        // The calls of TT-Metalium one to one, addresses, pointers, tables of words.
        "raw",
        "noc_async_read_barrier",
        "noc_async_write_barrier",
        "noc_async_writes_flushed",
        "noc_async_atomic_barrier",
        "get_noc_addr",
        "get_bank_base_address",
        "get_own_noc_addr",
        "get_noc_multicast_addr",
        "get_noc_addr_from_bank_id",
        "my_x",
        "my_y",
        "noc_async_read",
        "noc_async_read_one_packet",
        "noc_async_read_one_packet_set_state",
        "noc_async_read_one_packet_with_state",
        "noc_async_read_set_state",
        "noc_async_read_with_state",
        "noc_async_read_set_trid",
        "noc_async_read_one_packet_with_state_with_trid",
        "noc_async_read_barrier_with_trid",
        "noc_async_write",
        "noc_async_write_one_packet",
        "noc_async_write_posted",
        "noc_async_posted_writes_flushed",
        "noc_async_write_one_packet_set_state",
        "noc_async_write_one_packet_with_state",
        "noc_async_write_set_state",
        "noc_async_write_with_state",
        "noc_async_write_set_trid",
        "noc_async_write_one_packet_with_trid",
        "noc_async_write_one_packet_with_trid_set_state",
        "noc_async_write_one_packet_with_trid_with_state",
        "noc_async_write_barrier_with_trid",
        "noc_async_write_flushed_with_trid",
        "noc_async_write_multicast",
        "noc_async_write_multicast_one_packet",
        "noc_async_write_multicast_loopback_src",
        "noc_inline_dw_write",
        "noc_inline_mcast_dw_write",
        "noc_async_write_one_packet_posted",
        "noc_async_write_one_packet_set_state_posted",
        "noc_async_write_one_packet_with_state_posted",
        "noc_async_write_set_state_posted",
        "noc_async_write_with_state_posted",
        "noc_inline_dw_write_posted",
        "noc_semaphore_inc_posted",
        "noc_async_write_zeros",
        "noc_async_read_page",
        "noc_async_write_page",
        "noc_async_write_page_posted",
        "noc_async_read_shard",
        "noc_async_write_shard",
        "get_shard_noc_addr",
        "noc_semaphore_inc",
        "noc_semaphore_inc_multicast",
        "noc_semaphore_set_remote",
        "noc_semaphore_set_multicast",
        "noc_semaphore_set_multicast_loopback_src",
        "noc_semaphore_set",
        "noc_semaphore_wait",
        "noc_semaphore_wait_min",
        "noc_async_full_barrier",
        "invalidate_l1_cache",
        "cb_reserve_back",
        "cb_push_back",
        "cb_wait_front",
        "cb_pop_front",
        "l1_u8",
        "l1_u16",
        "l1_u32",
        "l1_i32",
        "l1_f32",
        "noc_addr",
        "low",
        "offset",
        "addr",
        "value",
        "pages_available_at_front",
        "pages_reservable_at_back",
        "read",
        "write",
        "at",
        "get",
        "core",
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
        "matmul_block_transposed",
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
        "add_tiles_acc",
        "sub_tiles_acc",
        "matmul_tiles_transposed",
        "copy_block",
        "transpose_block",
        "add_block",
        "sub_block",
        "mul_block",
        "pack_block",
        "pack_tile_l1_acc",
        "pack_relu_none",
        "pack_relu_zero",
        "pack_relu_min_threshold",
        "pack_relu_max_threshold",
        "tilize_block",
        "pack_untilize_block",
        "pack_untilize_block_part",
        "pack_untilize_dest",
        "cumsum_tile",
        "sfpu_reduce_sum_row",
        "sfpu_reduce_max_row",
        "sfpu_reduce_min_row",
        "sfpu_reduce_sum_col",
        "sfpu_reduce_avg_col",
        "sfpu_reduce_max_col",
        "sfpu_reduce_min_col",
        "read_tile_value",
        "get_tile_address",
        "pack_tile",
        "pack_tile_at",
        "release",
        // Block expressions.
        "store",
        "block",
        "matmul",
        "bcast_rows",
        "bcast_cols",
        "bcast_scalar",
        "sum_row",
        "sum_col",
        "sum_scalar",
        "max_row",
        "max_col",
        "max_scalar",
        "mean_row",
        "mean_col",
        "mean_scalar",
        "transpose",
        "zeros",
        // Scalars.
        "min",
        "max",
        "div_ceil",
        "wrapping_add",
        "wrapping_sub",
        "wrapping_mul",
        "wrapping_neg",
        "wrapping_shl",
        "wrapping_shr",
        "to_bits",
        "from_bits",
        "len",
        "is_some",
        "is_none",
        "unwrap_or",
    ],
    takes_self: [
        "push_back",
        "pop_front",
        "keep_front",
        "wait",
        "flushed",
        "commit",
        "release",
        "store",
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
