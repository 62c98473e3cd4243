//! The methods that device code may call, by name.
//!
//! The macros refuse every other name at its token; lowering resolves a name by the type of its receiver. To add a method: its name
//! here, its row in lowering, and the method itself in the device API. Unary operations of tiles come from the runtime's table: for them
//! only the name is needed here.

macro_rules! methods {
    (unary: [$($unary:literal),* $(,)?], others: [$($other:literal),* $(,)?], takes_self: [$($taker:literal),* $(,)?]) => {
        /// Unary operations of block expressions, in the order of the runtime's table; with `_tile` they are operations of tile registers.
        pub const UNARY_METHODS: &[&str] = &[$($unary),*];

        /// Every method of device code.
        pub const METHODS: &[&str] = &[$($other,)* $($unary, concat!($unary, "_tile"),)*];

        /// Those of [`METHODS`] that may take their receiver by value when it is a guard, a transfer or a set of registers.
        pub const TAKES_SELF: &[&str] = &[$($taker,)* $($unary,)*];
    };
}

methods! {
    unary: [
        "exp",
        "relu",
        "gelu",
        "sqrt",
        "recip",
        "abs",
        "negative",
        "square",
        "sign",
        "identity",
        "eqz",
        "nez",
        "gtz",
        "ltz",
        "gez",
        "lez",
        "floor",
        "ceil",
        "trunc",
        "frac",
        "isinf",
        "isposinf",
        "isneginf",
        "isnan",
        "isfinite",
        "signbit",
        "rsqrt",
        "sigmoid",
        "silu",
        "tanh",
        "log",
        "exp2",
        "expm1",
        "log1p",
        "cbrt",
        "sin",
        "cos",
        "softsign",
        "hardsigmoid",
    ],
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
        "add_binary_tile",
        "sub_binary_tile",
        "mul_binary_tile",
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
        "len",
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
        for (i, name) in METHODS.iter().enumerate() {
            assert!(!METHODS[..i].contains(name), "{name} is listed twice");
            assert!(!RANGE_ADAPTERS.contains(name), "{name}");
        }
        for name in TAKES_SELF {
            assert!(METHODS.contains(name), "{name} is no method");
        }
    }
}
