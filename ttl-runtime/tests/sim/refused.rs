//! Calls that the chip would take and get wrong, or that the simulator does not have: what is said of them.

use ttl_runtime::ops::TileCall;
use ttl_runtime::sim::ErrorKind;
use ttl_runtime::sim::ops::{self, FpuInit, SrcOrder};
use ttl_runtime::tensor::format::DataFormat;

use crate::harness::*;

const SCRATCH: u32 = 0x80000;

#[track_caller]
fn reader_says(entry: &(dyn Fn() + Sync), message: &str, help: &str) {
    let error = reader_alone(entry);
    assert_eq!(error.message(), message);
    assert!(error.to_string().contains(help), "{error}");
}

/// What is said of a compute kernel that has one page of `a` of this format in front of it, and one of `out` reserved.
fn compute_says(format: DataFormat, entry: &(dyn Fn() + Sync)) -> String {
    let mut p = Program::new();
    p.cb_of(&[CORE], A, "a", 2, format);
    p.cb(&[CORE], OUT, "out", 2);
    let produce = || {
        ops::cb_reserve_back(A, 1, here!());
        ops::cb_push_back(A, 1, here!());
    };
    let consume = || {
        ops::hw_startup(SrcOrder::Regular, A, A, OUT, here!());
        ops::cb_wait_front(A, 1, here!());
        ops::cb_reserve_back(OUT, 1, here!());
        entry();
    };
    p.reader(CORE, &[], &produce);
    p.compute(CORE, &[], &consume);
    p.error().message().to_owned()
}

#[test]
fn reads_with_state_need_it() {
    let src = || ops::noc_addr_dram(0, 64, here!());
    reader_says(
        &|| ops::noc_async_read_with_state(0, 64, SCRATCH, Some(64), here!()),
        "`noc_async_read_with_state` without `noc_async_read_set_state` before it",
        "call `noc_async_read_set_state` first: it says where the transfers go",
    );
    reader_says(
        &|| {
            ops::noc_async_read_set_state(0, src(), None, here!());
            ops::noc_async_read_with_state(0, 64, SCRATCH, None, here!());
        },
        "`noc_async_read_one_packet_with_state` without a size",
        "set it with `noc_async_read_one_packet_set_state`",
    );
    reader_says(
        &|| {
            ops::noc_async_read_set_state(0, src(), None, here!());
            ops::noc_async_read_set_trid(0, 3, here!());
            ops::noc_async_read_with_trid(0, 0, 64, SCRATCH, 3, here!());
        },
        "`noc_async_read_one_packet_with_state_with_trid` without a size",
        "set it with `noc_async_read_one_packet_set_state`",
    );
}

#[test]
fn reads_have_the_id_that_is_set() {
    reader_says(
        &|| {
            ops::noc_async_read_set_state(0, ops::noc_addr_dram(0, 64, here!()), Some(64), here!());
            ops::noc_async_read_set_trid(0, 3, here!());
            ops::noc_async_read_with_trid(0, 0, 64, SCRATCH, 5, here!());
        },
        "`noc_async_read_one_packet_with_state_with_trid` with transaction id 5, the id that is set is 3",
        "the read has the id of `noc_async_read_set_trid`: call it before",
    );
}

#[test]
fn writes_with_state_need_a_size() {
    reader_says(
        &|| {
            ops::noc_async_write_set_state(0, ops::noc_addr_dram(0, 64, here!()), None, false, here!());
            ops::noc_async_write_with_state(0, SCRATCH, 64, None, None, here!());
        },
        "`noc_async_write_one_packet_with_state` without a size",
        "set it with `noc_async_write_one_packet_set_state`",
    );
}

#[test]
fn words_in_requests_are_whole() {
    let here = || {
        let core = ttl_runtime::arch::Arch::blackhole().virtual_core(CORE);
        ops::noc_addr_worker(core.x, core.y, SCRATCH, here!())
    };
    reader_says(
        &|| ops::noc_inline_dw_write(0, here(), 1, 0x3, false, here!()),
        "`noc_inline_dw_write` with byte enables 0x3: only whole words are simulated",
        "core(0,0) ncrisc `read`",
    );
}

#[test]
fn posted_writes_leave_before_the_end() {
    reader_says(
        &|| ops::noc_async_write_posted(0, SCRATCH, ops::noc_addr_dram(0, 64, here!()), 64, here!()),
        "`read` ended with posted writes that have not left its core",
        "call `noc_async_posted_writes_flushed` before the kernel ends",
    );
}

#[test]
fn words_of_a_tile_are_counted() {
    let read = |word| {
        move || {
            ops::read_tile_value(A, 0, word, here!());
        }
    };
    assert_eq!(
        compute_says(DataFormat::Bf16, &read(512)),
        "`read_tile_value`: word 512 of a tile of cb `a` (id 0), which has 512 words"
    );
}

#[test]
fn rows_are_of_elements_and_waited_for() {
    let tilize = |block| {
        move || {
            ops::fpu_init(FpuInit::Tilize { cb: A, block }, here!());
            ops::tilize_block(A, block, OUT, 0, 0, here!());
        }
    };
    assert_eq!(
        compute_says(DataFormat::Bfp8B, &tilize(1)),
        "`tilize_block`: cb `a` (id 0) is bfp8_b, which has no rows of elements"
    );
    assert_eq!(
        compute_says(DataFormat::Bf16, &tilize(2)),
        "`tilize_block` reads 2 tiles from tile 0 of cb `a` (id 0), with 1 pages of 2048 bytes waited for"
    );
}

#[test]
fn tile_calls_have_their_operands() {
    let message = compute_says(DataFormat::Bf16, &|| ops::tile_call(TileCall::Transpose, &[], &[], 0, 0, here!()));
    assert_eq!(message, "internal error: `transpose_tile` lacks an operand");
}

#[test]
fn compute_kernels_begin_with_their_startup() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 2);
    let body = || ops::fpu_init(FpuInit::Copy { cb: A }, here!());
    p.compute(CORE, &[], &body);
    let error = p.error();
    assert_eq!(error.kind(), ErrorKind::Init);
    assert!(error.message().ends_with("before `compute_kernel_hw_startup`"), "{error}");
}
