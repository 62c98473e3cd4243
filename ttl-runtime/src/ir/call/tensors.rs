//! Pages and whole shards of tensors by their number, and zeros, to and from L1 addresses.

use super::Effect::{Posted, Reads, Writes};
use super::Kind::{Tensor, U32};
use super::{Row, row};

pub(super) static ROWS: &[Row] = &[
    row("noc_async_read_page", "noc_async_read_page($1, $0, $2)", &[Tensor, U32, U32], None, Reads),
    row("noc_async_write_page", "noc_async_write_page($1, $0, $2)", &[Tensor, U32, U32], None, Writes),
    row(
        "noc_async_write_page_posted",
        "noc_async_write_page<decltype($0), true, true>($1, $0, $2)",
        &[Tensor, U32, U32],
        None,
        Posted,
    ),
    row("noc_async_read_shard", "noc_async_read_shard($1, $0, $2)", &[Tensor, U32, U32], None, Reads),
    row("noc_async_write_shard", "noc_async_write_shard($1, $0, $2)", &[Tensor, U32, U32], None, Writes),
    // The only call of 0.81 for this is one of its objects. It reads from a place in L1 that firmware keeps zero, so reads are what it leaves
    // under way.
    Row {
        method: "noc_async_write_zeros",
        cpp: "Noc().async_write_zeros(CoreLocalMem<uint32_t>($0), $1)",
        operator: false,
        operands: &[U32, U32],
        result: None,
        effect: Reads,
        headers: &["api/dataflow/noc.h", "api/core_local_mem.h"],
    },
];
