//! Broadcasts, reductions and transpositions: the mistakes.

use ttl_runtime::arch::ComputeConfig;
use ttl_runtime::ops::{Bcast, BinaryOp, MAX_WORDS, Pool, ReduceDim, TileCall, UnaryOp};
use ttl_runtime::sim::ErrorKind;
use ttl_runtime::sim::ops::{self, FpuInit, SfpuInit};

use crate::compute::{WIDE, error, pack_all, run, start, start_and_acquire};
use crate::harness::*;

const SUM_ROW: TileCall = TileCall::Reduce(Pool::Sum, ReduceDim::Row);
const FILL: SfpuInit = SfpuInit::Unary(UnaryOp::Fill, [0; MAX_WORDS]);
const MAX_COL: TileCall = TileCall::Reduce(Pool::Max, ReduceDim::Col);

fn init(call: TileCall, cbs: &[u32]) {
    ops::fpu_init(FpuInit::tile_call(call, cbs), here!());
}

#[test]
fn a_sum_of_ones() {
    let got = run(ComputeConfig::default(), 2, &|| {
        start_and_acquire();
        init(SUM_ROW, &[A, B]);
        ops::tile_call(SUM_ROW, &[A, B], &[0, 0], 0, 0, here!());
        ops::tile_call(SUM_ROW, &[A, B], &[1, 0], 0, 0, here!());
        init(MAX_COL, &[A, B]);
        ops::tile_call(MAX_COL, &[A, B], &[0, 0], 1, 0, here!());
        pack_all(2);
        ops::reduce_uninit(here!());
    });
    assert_eq!(got.unwrap(), [64.0, 1.0]);
}

#[test]
fn a_reduction_must_be_undone_before_other_tiles_are_packed() {
    let e = error(&|| {
        start_and_acquire();
        init(SUM_ROW, &[A, B]);
        ops::tile_call(SUM_ROW, &[A, B], &[0, 0], 0, 0, here!());
        pack_all(1);
        ops::tile_regs_acquire(here!());
        ops::sfpu_init(FILL, here!());
        ops::sfpu_unary(UnaryOp::Fill, 0, [0; MAX_WORDS], here!());
        pack_all(1);
    });
    assert_eq!(e.kind(), ErrorKind::Init);
    assert!(e.message().contains("which no reduction made, while the packer writes only column 0 of a tile"), "{e}");
    assert!(e.to_string().contains("call `reduce_uninit` after the last reduction"), "{e}");
}

/// Also where the same section reduces into another register.
#[test]
fn only_reductions_are_packed_while_one_is_set_up() {
    let copy_beside = |undone: bool| {
        move || {
            start_and_acquire();
            init(SUM_ROW, &[A, B]);
            ops::tile_call(SUM_ROW, &[A, B], &[0, 0], 0, 0, here!());
            ops::fpu_init(FpuInit::Copy { cb: A }, here!());
            ops::copy_tile(A, 0, 1, here!());
            if undone {
                ops::reduce_uninit(here!());
            }
            pack_all(2);
        }
    };
    let e = error(&copy_beside(false));
    assert_eq!(e.kind(), ErrorKind::Init);
    assert!(e.message().contains("packs tile register 1, which no reduction made"), "{e}");
    assert!(run(ComputeConfig::default(), 2, &copy_beside(true)).is_ok());
}

/// As the library's reductions over several blocks do: the sum so far is copied back, and added to.
#[test]
fn a_sum_is_continued_without_undoing() {
    let got = run(ComputeConfig::default(), 1, &|| {
        start_and_acquire();
        init(SUM_ROW, &[A, B]);
        ops::fpu_init(FpuInit::Copy { cb: A }, here!());
        ops::copy_tile(A, 0, 0, here!());
        init(SUM_ROW, &[A, B]);
        ops::tile_call(SUM_ROW, &[A, B], &[0, 0], 0, 0, here!());
        pack_all(1);
    });
    assert!(got.is_ok(), "{got:?}");
}

#[test]
fn the_packer_keeps_its_format_while_a_reduction_is_set_up() {
    let reconfigured = |undone: bool| {
        move || {
            start_and_acquire();
            init(SUM_ROW, &[A, B]);
            ops::tile_call(SUM_ROW, &[A, B], &[0, 0], 0, 0, here!());
            pack_all(1);
            if undone {
                ops::reduce_uninit(here!());
            }
            ops::pack_reconfig_data_format(OUT, here!());
        }
    };
    let e = error(&reconfigured(false));
    assert_eq!(e.kind(), ErrorKind::Init);
    let what = "while the packer is set up for a reduction and writes only column 0 of a tile";
    assert_eq!(e.message(), format!("`pack_reconfig_data_format` {what}"));
    assert!(run(ComputeConfig::default(), 1, &reconfigured(true)).is_ok());
}

/// As behind an `if` of whose branches only one reduces.
#[test]
fn nothing_to_undo_does_no_harm() {
    let got = run(ComputeConfig::default(), 1, &|| {
        start_and_acquire();
        ops::reduce_uninit(here!());
        ops::fpu_init(FpuInit::Copy { cb: A }, here!());
        ops::copy_tile(A, 0, 0, here!());
        pack_all(1);
    });
    assert_eq!(got.unwrap(), [1.0]);
}

#[test]
fn the_init_of_another_call() {
    let cases: [(TileCall, TileCall, &str); 4] = [
        (SUM_ROW, MAX_COL, "`reduce_tile`: the `reduce_init` in force is for other operands"),
        (
            TileCall::Bcast(BinaryOp::Add, Bcast::Row),
            TileCall::Bcast(BinaryOp::Add, Bcast::Col),
            "`add_tiles_bcast_cols` needs `add_bcast_cols_init`, but `add_bcast_rows_init` is in force",
        ),
        (TileCall::Transpose, SUM_ROW, "`reduce_tile` needs `reduce_init`, but `transpose_init` is in force"),
        (SUM_ROW, TileCall::Transpose, "`transpose_tile` needs `transpose_init`, but `reduce_init` is in force"),
    ];
    for (prepared, called, message) in cases {
        let e = error(&|| {
            start_and_acquire();
            init(prepared, &[A, B]);
            ops::tile_call(called, &[A, B], &[0, 0], 0, 0, here!());
        });
        assert_eq!((e.kind(), e.message()), (ErrorKind::Init, message));
    }
}

#[test]
fn the_scaler_of_a_row_sum_goes_to_srca() {
    let e = error(&|| {
        start_and_acquire();
        ops::reconfig_data_format(Some(A), Some(WIDE), here!());
        init(SUM_ROW, &[A, WIDE]);
        ops::tile_call(SUM_ROW, &[A, WIDE], &[0, 0], 0, 0, here!());
    });
    assert!(e.message().contains("SrcA is configured for bf16"), "{e}");
}

#[test]
fn the_scaler_of_a_maximum_is_one() {
    let e = error(&|| {
        start_and_acquire();
        ops::fpu_init(FpuInit::Add { a: A, b: B, acc: false }, here!());
        ops::add_tiles(A, B, 0, 0, 0, here!());
        pack_all(1);
        // The tile of twos is the scaler now.
        ops::cb_wait_front(OUT, 1, here!());
        ops::tile_regs_acquire(here!());
        init(MAX_COL, &[A, OUT]);
        ops::tile_call(MAX_COL, &[A, OUT], &[0, 0], 0, 0, here!());
    });
    assert!(e.message().contains("the scaler of a maximum is 2 in tile 0"), "{e}");
}

#[test]
fn a_row_of_a_tile() {
    let e = error(&|| {
        start_and_acquire();
        let call = TileCall::Bcast(BinaryOp::Add, Bcast::Row);
        init(call, &[A, B]);
        ops::tile_call(call, &[A, B], &[0, 0], 0, 32, here!());
    });
    assert_eq!(e.message(), "`add_tiles_bcast_rows`: row 32 of a tile with 32 rows");
}

#[test]
fn a_register_to_transpose_must_be_written() {
    let e = error(&|| {
        start_and_acquire();
        init(TileCall::TransposeDest, &[]);
        ops::tile_call(TileCall::TransposeDest, &[], &[], 2, 0, here!());
    });
    assert_eq!(e.kind(), ErrorKind::Registers);
    assert!(e.message().contains("reads tile register 2, which was not written"), "{e}");
}

#[test]
fn row_broadcast_of_bf16_into_wide_registers() {
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let e = run(config, 0, &|| {
        start_and_acquire();
        let call = TileCall::UnaryBcast(Bcast::Row);
        init(call, &[A]);
        ops::tile_call(call, &[A], &[0], 0, 0, here!());
    });
    let e = e.unwrap_err();
    assert!(e.message().contains("into 32-bit tile registers gives wrong values on the chip"), "{e}");
}

#[test]
fn transposing_within_faces_needs_the_source_registers() {
    let config = ComputeConfig { fp32_dest_acc: true, unpack_to_dest_fp32: vec![WIDE], ..ComputeConfig::default() };
    let e = run(config, 0, &|| {
        start_and_acquire();
        ops::reconfig_data_format(Some(WIDE), None, here!());
        let call = TileCall::CopyTransposed { faces: false, within: true };
        init(call, &[WIDE]);
        ops::copy_tile(WIDE, 0, 0, here!());
    });
    let e = e.unwrap_err();
    assert!(e.message().contains("past the source registers"), "{e}");
}

#[test]
fn layout_changes_have_registers_of_their_own() {
    let e = error(&|| {
        start_and_acquire();
        ops::fpu_init(FpuInit::Tilize { cb: A, block: 1 }, here!());
        ops::tilize_block(A, 1, OUT, 0, 0, here!());
    });
    assert_eq!((e.kind(), e.message()), (ErrorKind::Registers, "`tilize_block` while the tile registers are acquired"));
}

#[test]
fn a_tilize_of_another_width_than_its_init() {
    let e = error(&|| {
        start();
        ops::fpu_init(FpuInit::Tilize { cb: A, block: 2 }, here!());
        ops::cb_reserve_back(OUT, 4, here!());
        ops::tilize_block(A, 4, OUT, 0, 0, here!());
    });
    assert_eq!(e.message(), "`tilize_block`: the `tilize_init` in force is for other operands");
}

#[test]
fn more_tiles_to_untilize_than_registers() {
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let e = run(config, 0, &|| {
        start();
        ops::fpu_init(FpuInit::Untilize { cb: A, block: 8, full: 8 }, here!());
        ops::pack_untilize_block(A, 8, 8, OUT, 0, here!());
    });
    let e = e.unwrap_err();
    assert!(e.to_string().contains("a block has at most as many tiles as there are registers, 4"), "{e}");
}

#[test]
fn a_layout_change_is_not_undone_twice() {
    let e = error(&|| {
        start();
        ops::layout_uninit("tilize_uninit", here!());
    });
    assert_eq!(e.message(), "`tilize_uninit` without an init to undo");
}

#[test]
fn a_negative_threshold() {
    let e = error(&|| {
        start();
        ops::pack_relu_config(ttl_runtime::ops::Relu::Min, 0xBF80, here!());
    });
    assert_eq!(e.message(), "`pack_relu_config`: the threshold 0xbf80 is no positive bf16 value");
}

#[test]
fn a_format_switch_leaves_accumulation_in_l1_on() {
    let got = run(ComputeConfig::default(), 2, &|| {
        start_and_acquire();
        ops::fpu_init(FpuInit::Copy { cb: A }, here!());
        ops::copy_tile(A, 0, 0, here!());
        ops::tile_regs_commit(here!());
        ops::cb_reserve_back(OUT, 2, here!());
        ops::tile_regs_wait(here!());
        ops::pack_tile_at(0, OUT, 0, here!());
        ops::pack_tile_at(0, OUT, 1, here!());
        ops::pack_reconfig_l1_acc(true, here!());
        ops::pack_tile_at(0, OUT, 0, here!());
        ops::pack_tile_at(0, OUT, 0, here!());
        ops::pack_reconfig_data_format(OUT, here!());
        ops::pack_tile_at(0, OUT, 1, here!());
        ops::tile_regs_release(here!());
        ops::cb_push_back(OUT, 2, here!());
    });
    assert_eq!(got.unwrap(), [3.0, 2.0]);
}
