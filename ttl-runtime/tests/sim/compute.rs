//! Tile registers, inits and formats: the protocol, and the mistakes.

use std::sync::Arc;

use ttl_runtime::arch::{Arch, ComputeConfig};
use ttl_runtime::ops::{BinaryOp, TernaryOp, UnaryOp};
use ttl_runtime::sim::ops::{self, FpuInit, ReuseDest, SfpuInit, SrcOrder};
use ttl_runtime::sim::{ErrorKind, Machine, SimError};
use ttl_runtime::tensor::format::DataFormat;

use crate::harness::*;

pub(crate) const WIDE: u32 = 2;

/// Runs a compute kernel whose inputs `A`, `B` (bf16) and `WIDE` (f32) get 4 tiles of ones; what it packs into `OUT` is taken away.
pub(crate) fn run(config: ComputeConfig, packed: u32, entry: &(dyn Fn() + Sync)) -> Result<Vec<f32>, SimError> {
    let mut p = Program::new();
    p.config = Arc::new(config);
    let a = p.cb(&[CORE], A, "a", 4);
    let b = p.cb(&[CORE], B, "b", 4);
    let wide = p.cb_of(&[CORE], WIDE, "wide", 4, DataFormat::F32);
    let out = p.cb(&[CORE], OUT, "out", 4);
    let mut machine = Machine::new(Arch::blackhole());
    for cb in [a, b] {
        machine.write_l1(CORE, cb, &[0x80, 0x3f].repeat(4 * 1024)).unwrap();
    }
    machine.write_l1(CORE, wide, &[0, 0, 0x80, 0x3f].repeat(4 * 1024)).unwrap();
    let fill = || {
        for cb in [A, B, WIDE] {
            ops::cb_reserve_back(cb, 4, here!());
            ops::cb_push_back(cb, 4, here!());
        }
    };
    let drain = || {
        let n = ops::runtime_arg(0, here!());
        ops::cb_wait_front(OUT, n, here!());
        ops::cb_pop_front(OUT, n, here!());
    };
    let math = || {
        entry();
        for cb in [A, B, WIDE] {
            ops::cb_wait_front(cb, 4, here!());
            ops::cb_pop_front(cb, 4, here!());
        }
    };
    p.reader(CORE, &[], &fill);
    p.compute(CORE, &[], &math);
    p.writer(CORE, &[packed], &drain);
    machine.run(&p.launch, &options(1))?;
    let mut bytes = vec![0; (packed * TILE) as usize];
    machine.read_l1(CORE, out, &mut bytes).unwrap();
    let first = |tile: &[u8]| f32::from_bits(u32::from(u16::from_le_bytes([tile[0], tile[1]])) << 16);
    Ok(bytes.chunks_exact(TILE as usize).map(first).collect())
}

pub(crate) fn error(entry: &(dyn Fn() + Sync)) -> SimError {
    run(ComputeConfig::default(), 0, entry).unwrap_err()
}

/// The usual start: all tiles are there, the formats of `A`, `B` and `OUT`.
pub(crate) fn start() {
    for cb in [A, B, WIDE] {
        ops::cb_wait_front(cb, 4, here!());
    }
    ops::hw_startup(SrcOrder::Regular, A, B, OUT, here!());
}

pub(crate) fn start_and_acquire() {
    start();
    ops::tile_regs_acquire(here!());
}

pub(crate) fn pack_all(tiles: u32) {
    ops::tile_regs_commit(here!());
    ops::cb_reserve_back(OUT, tiles, here!());
    ops::tile_regs_wait(here!());
    for i in 0..tiles {
        ops::pack_tile(i, OUT, here!());
    }
    ops::tile_regs_release(here!());
    ops::cb_push_back(OUT, tiles, here!());
}

#[test]
fn every_operation_once() {
    let got = run(ComputeConfig::default(), 4, &|| {
        start_and_acquire();
        ops::fpu_init(FpuInit::Copy { cb: A }, here!());
        ops::copy_tile(A, 3, 0, here!());
        ops::fpu_init(FpuInit::Mul { a: A, b: B }, here!());
        ops::mul_tiles(A, B, 0, 1, 0, here!()); // 1 + 1
        ops::fpu_init(FpuInit::Add { a: A, b: B, acc: false }, here!());
        ops::add_tiles(A, B, 0, 0, 1, here!()); // 2
        ops::fpu_init(FpuInit::Reuse { op: BinaryOp::Mul, cb: B, dest: ReuseDest::DestToSrcA }, here!());
        ops::reuse_dest_tiles(BinaryOp::Mul, ReuseDest::DestToSrcA, B, 0, 1, here!()); // 2
        ops::fpu_init(FpuInit::Reuse { op: BinaryOp::Sub, cb: A, dest: ReuseDest::DestToSrcB }, here!());
        ops::reuse_dest_tiles(BinaryOp::Sub, ReuseDest::DestToSrcB, A, 0, 1, here!()); // 1 - 2
        ops::sfpu_init(SfpuInit::Unary(UnaryOp::Relu, [0; 3]), here!());
        ops::sfpu_unary(UnaryOp::Relu, 1, [0; 3], here!()); // 0
        ops::sfpu_init(SfpuInit::binary(BinaryOp::Sub, &[]), here!());
        ops::sfpu_binary(BinaryOp::Sub, [1, 0], 2, [0; 3], here!()); // 0 - 2
        ops::fpu_init(FpuInit::Matmul { in0: A, in1: B, transpose: false }, here!());
        ops::matmul_tiles(A, B, 0, 0, 3, here!()); // 32
        ops::matmul_tiles(A, B, 0, 0, 3, here!()); // 64
        pack_all(4);
    });
    assert_eq!(got.unwrap(), [2.0, 0.0, -2.0, 64.0]);
}

#[test]
fn matmul_block_and_accumulating_inits() {
    let got = run(ComputeConfig::default(), 4, &|| {
        start_and_acquire();
        ops::fpu_init(FpuInit::MatmulBlock { in0: A, in1: B, transpose: false, ct: 2, rt: 1, kt: 1 }, here!());
        ops::matmul_block(A, B, 0, 0, 0, false, 2, 1, 1, here!());
        ops::fpu_init(FpuInit::Sub { a: A, b: B, acc: true }, here!());
        ops::sub_tiles(A, B, 0, 0, 1, here!()); // 32 + 0
        ops::fpu_init(FpuInit::Add { a: A, b: B, acc: true }, here!());
        ops::add_tiles(A, B, 0, 0, 2, here!());
        ops::add_tiles(A, B, 0, 0, 2, here!()); // 4
        pack_all(4);
    });
    // A register that nobody wrote packs as zero.
    assert_eq!(got.unwrap(), [32.0, 32.0, 4.0, 0.0]);
}

#[test]
fn formats_follow_reconfiguration() {
    let config = ComputeConfig { fp32_dest_acc: true, unpack_to_dest_fp32: vec![WIDE], ..ComputeConfig::default() };
    let got = run(config, 2, &|| {
        start_and_acquire();
        ops::reconfig_data_format(Some(WIDE), None, here!());
        ops::fpu_init(FpuInit::Copy { cb: WIDE }, here!());
        ops::copy_tile(WIDE, 0, 0, here!());
        ops::reconfig_data_format(Some(A), None, here!());
        ops::fpu_init(FpuInit::Copy { cb: A }, here!());
        ops::copy_tile(B, 0, 1, here!()); // another buffer of the same format
        ops::pack_reconfig_data_format(OUT, here!());
        ops::tile_regs_commit(here!());
        ops::cb_reserve_back(OUT, 2, here!());
        ops::tile_regs_wait(here!());
        ops::pack_tile_at(1, OUT, 0, here!());
        ops::pack_tile_at(0, OUT, 1, here!());
        ops::tile_regs_release(here!());
        ops::cb_push_back(OUT, 2, here!());
    });
    assert_eq!(got.unwrap(), [1.0, 1.0]);
}

#[test]
fn startup_comes_first_and_once() {
    assert_report(
        &error(&|| ops::tile_regs_acquire(here!())),
        "`tile_regs_acquire` before `compute_kernel_hw_startup`
         @ &error(&|| ops::tile_regs_acquire(here!())),
         = core(0,0) compute `math`
         = help: a compute kernel calls `compute_kernel_hw_startup` once, before anything else",
    );
    assert_report(
        &error(&|| {
            ops::hw_startup(SrcOrder::Regular, A, B, OUT, here!());
            ops::hw_startup(SrcOrder::Reverse, A, B, OUT, here!());
        }),
        "a second call of `compute_kernel_hw_startup`
         @ ops::hw_startup(SrcOrder::Reverse, A, B, OUT, here!());
         @ ops::hw_startup(SrcOrder::Regular, A, B, OUT, here!()); the first was here
         = core(0,0) compute `math`
         = help: it must be called exactly once; use `reconfig_data_format` to change formats",
    );
}

#[test]
fn compute_calls_in_other_kernels() {
    assert_report(
        &reader_alone(&|| ops::tile_regs_acquire(here!())),
        "`tile_regs_acquire` in a data-movement kernel
         @ &reader_alone(&|| ops::tile_regs_acquire(here!())),
         = core(0,0) ncrisc `read`
         = help: tile registers and tile maths belong to compute kernels",
    );
}

#[test]
fn the_order_of_the_protocol() {
    let order =
        "help: the order is acquire, tile operations, commit, wait, pack, release; the next of these calls must be";
    assert_report(
        &error(&|| {
            start();
            ops::fpu_init(FpuInit::Copy { cb: A }, here!());
            ops::copy_tile(A, 0, 0, here!());
        }),
        &format!(
            "`copy_tile` is not possible here: the tile registers are not acquired
             @ ops::copy_tile(A, 0, 0, here!());
             = core(0,0) compute `math`
             = {order} `tile_regs_acquire`"
        ),
    );
    assert_report(
        &error(&|| {
            start();
            ops::tile_regs_acquire(here!());
            ops::tile_regs_wait(here!());
        }),
        &format!(
            "`tile_regs_wait` is not possible here: the tile registers are acquired
             @ ops::tile_regs_wait(here!());
             @ ops::tile_regs_acquire(here!()); acquired since here
             = core(0,0) compute `math`
             = {order} `tile_regs_commit`"
        ),
    );
    assert_report(
        &error(&|| {
            start_and_acquire();
            ops::cb_reserve_back(OUT, 1, here!());
            ops::tile_regs_commit(here!());
            ops::pack_tile(0, OUT, here!());
        }),
        &format!(
            "`pack_tile` is not possible here: the tile registers are committed
             @ ops::pack_tile(0, OUT, here!());
             @ ops::tile_regs_commit(here!()); committed since here
             = core(0,0) compute `math`
             = {order} `tile_regs_wait`"
        ),
    );
    assert_report(
        &error(&|| {
            start_and_acquire();
            ops::tile_regs_commit(here!());
            ops::tile_regs_wait(here!());
            ops::tile_regs_acquire(here!());
        }),
        &format!(
            "`tile_regs_acquire` is not possible here: the tile registers are being packed
             @ ops::tile_regs_acquire(here!());
             @ ops::tile_regs_wait(here!()); being packed since here
             = core(0,0) compute `math`
             = {order} `tile_regs_release`"
        ),
    );
}

#[test]
fn registers_kept_at_the_end() {
    let error = {
        let mut p = Program::new();
        p.cb(&[CORE], A, "a", 4);
        p.compute(CORE, &[], &|| {
            ops::hw_startup(SrcOrder::Regular, A, A, A, here!());
            ops::tile_regs_acquire(here!());
        });
        p.error()
    };
    assert_report(
        &error,
        "`math` ended while the tile registers are acquired
         @ ops::tile_regs_acquire(here!());
         = core(0,0) compute `math`
         = help: `tile_regs_commit` is missing",
    );
}

#[test]
fn the_number_of_registers() {
    let limit = |fp32_dest_acc, dst_full_sync, dst: u32| {
        let config = ComputeConfig { fp32_dest_acc, dst_full_sync, ..ComputeConfig::default() };
        run(config, 0, &move || {
            start_and_acquire();
            ops::fpu_init(FpuInit::Copy { cb: A }, here!());
            ops::copy_tile(A, 0, dst, here!());
            ops::tile_regs_commit(here!());
            ops::tile_regs_wait(here!());
            ops::tile_regs_release(here!());
        })
    };
    for (wide, full, tiles) in [(false, false, 8), (true, false, 4), (false, true, 16), (true, true, 8)] {
        assert!(limit(wide, full, tiles - 1).is_ok());
        let error = limit(wide, full, tiles).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Registers);
        assert_eq!(
            error.message(),
            format!("`copy_tile`: tile register {tiles} does not exist; this kernel has {tiles}")
        );
    }
    let block = error(&|| {
        start_and_acquire();
        ops::fpu_init(FpuInit::MatmulBlock { in0: A, in1: B, transpose: false, ct: 4, rt: 2, kt: 1 }, here!());
        ops::matmul_block(A, B, 0, 0, 1, false, 4, 2, 1, here!());
    });
    assert_eq!(block.message(), "`matmul_block`: tile register 8 does not exist; this kernel has 8");
}

#[test]
fn sfpu_reads_of_unwritten_registers() {
    assert_report(
        &error(&|| {
            start();
            ops::tile_regs_acquire(here!());
            ops::sfpu_init(SfpuInit::Unary(UnaryOp::Exp, [0; 3]), here!());
            ops::sfpu_unary(UnaryOp::Exp, 2, [0; 3], here!());
        }),
        "`exp_tile` reads tile register 2, which was not written since it was acquired
         @ ops::sfpu_unary(UnaryOp::Exp, 2, [0; 3], here!());
         @ ops::tile_regs_acquire(here!()); acquired here
         = core(0,0) compute `math`
         = help: the vector unit sees undefined values there; copy or compute a tile into it first",
    );
    // Contents do not survive a release.
    let error = error(&|| {
        start_and_acquire();
        ops::fpu_init(FpuInit::Copy { cb: A }, here!());
        ops::copy_tile(A, 0, 0, here!());
        ops::tile_regs_commit(here!());
        ops::tile_regs_wait(here!());
        ops::tile_regs_release(here!());
        ops::tile_regs_acquire(here!());
        ops::sfpu_init(SfpuInit::binary(BinaryOp::Add, &[]), here!());
        ops::sfpu_binary(BinaryOp::Add, [0, 0], 0, [0; 3], here!());
    });
    assert_eq!(error.message(), "`add_binary_tile` reads tile register 0, which was not written since it was acquired");
}

#[test]
fn wrong_inits() {
    assert_report(
        &error(&|| {
            start_and_acquire();
            ops::copy_tile(A, 0, 0, here!());
        }),
        "`copy_tile` without an init
         @ ops::copy_tile(A, 0, 0, here!());
         = core(0,0) compute `math`
         = help: call `copy_init` before",
    );
    assert_report(
        &error(&|| {
            start_and_acquire();
            ops::fpu_init(FpuInit::Copy { cb: A }, here!());
            ops::mul_tiles(A, B, 0, 0, 0, here!());
        }),
        "`mul_tiles` needs `mul_init`, but `copy_init` is in force
         @ ops::mul_tiles(A, B, 0, 0, 0, here!());
         @ ops::fpu_init(FpuInit::Copy { cb: A }, here!()); the last init was here
         = core(0,0) compute `math`: in force: Copy { cb: 0 }; needed: Mul { a: 0, b: 1 }
         = help: each init replaces the one before; repeat it",
    );
    assert_report(
        &error(&|| {
            start_and_acquire();
            ops::fpu_init(FpuInit::Copy { cb: WIDE }, here!());
            ops::copy_tile(A, 0, 0, here!());
        }),
        "`copy_tile`: the `copy_init` in force is for other operands
         @ ops::copy_tile(A, 0, 0, here!());
         @ ops::fpu_init(FpuInit::Copy { cb: WIDE }, here!()); the last init was here
         = core(0,0) compute `math`: in force: Copy { cb: 2 }; needed: Copy { cb: 0 }
         = help: each init replaces the one before; repeat it",
    );
    assert_report(
        &error(&|| {
            start_and_acquire();
            ops::fpu_init(FpuInit::Copy { cb: A }, here!());
            ops::copy_tile(A, 0, 0, here!());
            ops::sfpu_init(SfpuInit::Unary(UnaryOp::Exp, [0; 3]), here!());
            ops::sfpu_unary(UnaryOp::Exp, 0, [0; 3], here!());
            ops::sfpu_unary(UnaryOp::Sqrt, 0, [0; 3], here!());
        }),
        "`sqrt_tile` needs `sqrt_tile_init`, but `exp_tile_init` is in force
         @ ops::sfpu_unary(UnaryOp::Sqrt, 0, [0; 3], here!());
         @ ops::sfpu_init(SfpuInit::Unary(UnaryOp::Exp, [0; 3]), here!()); the last init was here
         = core(0,0) compute `math`
         = help: each init of the vector unit replaces the one before; repeat it",
    );
    let block = error(&|| {
        start_and_acquire();
        ops::fpu_init(FpuInit::MatmulBlock { in0: A, in1: B, transpose: false, ct: 2, rt: 2, kt: 1 }, here!());
        ops::matmul_block(A, B, 0, 0, 0, false, 2, 1, 1, here!());
    });
    assert_eq!(block.message(), "`matmul_block`: the `matmul_block_init` in force is for other operands");
}

#[test]
fn formats_that_nobody_configured() {
    assert_report(
        &error(&|| {
            start_and_acquire();
            ops::fpu_init(FpuInit::Copy { cb: WIDE }, here!());
            ops::copy_tile(WIDE, 0, 0, here!());
        }),
        "`copy_tile`: cb `wide` (id 2) is f32, but SrcA is configured for bf16
         @ ops::copy_tile(WIDE, 0, 0, here!());
         @ ops::hw_startup(SrcOrder::Regular, A, B, OUT, here!()); configured here
         = core(0,0) compute `math`
         = help: call `reconfig_data_format_srca` for `wide` before",
    );
    let swapped = error(&|| {
        for cb in [A, WIDE] {
            ops::cb_wait_front(cb, 4, here!());
        }
        // Matrix multiplication has its first operand in SrcB: the startup needs the reverse order.
        ops::hw_startup(SrcOrder::Regular, WIDE, A, OUT, here!());
        ops::tile_regs_acquire(here!());
        ops::fpu_init(FpuInit::Matmul { in0: WIDE, in1: A, transpose: false }, here!());
        ops::matmul_tiles(WIDE, A, 0, 0, 0, here!());
    });
    assert_eq!(swapped.message(), "`matmul_tiles`: cb `a` (id 0) is bf16, but SrcA is configured for f32");
    assert_report(
        &error(&|| {
            start_and_acquire();
            ops::pack_reconfig_data_format(WIDE, here!());
            ops::tile_regs_commit(here!());
            ops::tile_regs_wait(here!());
            ops::cb_reserve_back(OUT, 1, here!());
            ops::pack_tile(0, OUT, here!());
        }),
        "`pack_tile`: cb `out` (id 16) is bf16, but the packer is configured for f32
         @ ops::pack_tile(0, OUT, here!());
         @ ops::pack_reconfig_data_format(WIDE, here!()); configured here
         = core(0,0) compute `math`
         = help: call `pack_reconfig_data_format` for `out` before",
    );
}

#[test]
fn tiles_that_are_not_there() {
    assert_report(
        &error(&|| {
            ops::cb_wait_front(A, 2, here!());
            ops::hw_startup(SrcOrder::Regular, A, B, OUT, here!());
            ops::tile_regs_acquire(here!());
            ops::fpu_init(FpuInit::Copy { cb: A }, here!());
            ops::copy_tile(A, 2, 0, here!());
        }),
        "`copy_tile` uses tile 2 of cb `a` (id 0), with 2 waited for
         @ ops::copy_tile(A, 2, 0, here!());
         = core(0,0) compute `math`
         = help: call `cb_wait_front(0, 3)` before",
    );
    assert_report(
        &error(&|| {
            start_and_acquire();
            ops::tile_regs_commit(here!());
            ops::tile_regs_wait(here!());
            ops::cb_reserve_back(OUT, 1, here!());
            ops::pack_tile(0, OUT, here!());
            ops::pack_tile(0, OUT, here!());
        }),
        "`pack_tile` writes page 1 of cb `out` (id 16), with 1 reserved
         @ ops::pack_tile(0, OUT, here!());
         = core(0,0) compute `math`
         = help: call `cb_reserve_back(16, 2)` before",
    );
}

/// What the chip would do with other registers than the call has in mind, or with registers of the wrong width.
#[test]
fn calls_that_ignore_their_operands_or_the_width_are_refused() {
    let mac = error(&|| {
        start_and_acquire();
        ops::sfpu_init(SfpuInit::Ternary(TernaryOp::Mac), here!());
        ops::sfpu_ternary(TernaryOp::Mac, [1, 2, 3], 1, [0; 3], here!());
    });
    assert!(mac.message().contains("of tile registers 1, 2 and 3 into 1: they must be 0, 1 and 2, and 0"), "{mac:?}");
    let narrow = error(&|| {
        start_and_acquire();
        ops::sfpu_init(SfpuInit::Unary(UnaryOp::Fill, [0; 3]), here!());
        ops::sfpu_unary(UnaryOp::FillInt32, 0, [0; 3], here!());
    });
    assert_eq!(narrow.message(), "`fill_tile_int<DataFormat::Int32>` needs tile registers of 32 bits");
}
