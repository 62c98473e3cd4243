//! Writes that nobody acknowledges, alone and with state, and increments of that kind.

use super::Effect::{Acts, Posted};
use super::Kind::{Addr, U32};
use super::{Row, row};

pub(super) static ROWS: &[Row] = &[
    row(
        "noc_async_write_one_packet_posted",
        "noc_async_write_one_packet<true, true>($0, $1, $2)",
        &[U32, Addr, U32],
        None,
        Posted,
    ),
    row(
        "noc_async_write_one_packet_set_state_posted",
        "noc_async_write_one_packet_set_state<true>($0, $1)",
        &[Addr, U32],
        None,
        Acts,
    ),
    row(
        "noc_async_write_one_packet_with_state_posted",
        "noc_async_write_one_packet_with_state<true>($0, $1)",
        &[U32, U32],
        None,
        Posted,
    ),
    row("noc_async_write_set_state_posted", "noc_async_write_set_state<true>($0)", &[Addr], None, Acts),
    row(
        "noc_async_write_with_state_posted",
        "noc_async_write_with_state<true>($0, $1, $2)",
        &[U32, U32, U32],
        None,
        Posted,
    ),
    row(
        "noc_inline_dw_write_posted",
        "noc_inline_dw_write<InlineWriteDst::DEFAULT, true>($0, $1)",
        &[Addr, U32],
        None,
        Posted,
    ),
    // Nothing waits for it: whoever needs to know polls the word.
    row("noc_semaphore_inc_posted", "noc_semaphore_inc<true>($0, $1)", &[Addr, U32], None, Acts),
];
