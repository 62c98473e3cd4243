//! Operands that do not exist: tiles, registers, sizes, addresses, stacks.

use ttl_runtime::arch::{Arch, ComputeConfig, Core};
use ttl_runtime::ops::BinaryOp;
use ttl_runtime::sim::ops::{self, FpuInit, Receivers, SfpuInit, SrcOrder};
use ttl_runtime::sim::{ErrorKind, Machine, RunOptions, SimError};
use ttl_runtime::tensor::format::DataFormat;

use crate::compute::{self, start_and_acquire};
use crate::harness::*;

#[track_caller]
fn says(error: SimError, kind: ErrorKind, message: &str, help: &str) {
    assert_eq!((error.kind(), error.message()), (kind, message));
    assert!(error.to_string().contains(help), "{error}");
}

#[test]
fn matrix_products_of_nothing() {
    let error = compute::error(&|| {
        start_and_acquire();
        ops::fpu_init(FpuInit::MatmulBlock { in0: A, in1: B, transpose: false, ct: 0, rt: 2, kt: 1 }, here!());
    });
    says(error, ErrorKind::Init, "`matmul_block_init` of a block of 2 x 0 tiles with kt 1 is empty", "at least 1");
    let error = compute::error(&|| {
        start_and_acquire();
        ops::matmul_block_auto(A, B, 0, 0, 0, false, 1, 1, 0, here!());
    });
    says(error, ErrorKind::Kernel, "a block of 1 x 1 tiles with kt 0 is empty", "use sizes of at least 1");
}

#[test]
fn the_second_register_of_a_pair() {
    let error = compute::error(&|| {
        start_and_acquire();
        ops::sfpu_init(SfpuInit::binary(BinaryOp::Mask, &[]), here!());
        ops::sfpu_binary(BinaryOp::Mask, [0, 2], 0, [0; 3], here!());
    });
    says(
        error,
        ErrorKind::Registers,
        "`mask_tile` of tile registers 0 and 2: the second must be the one after the first",
        "the chip ignores the second index and takes the next register",
    );
}

/// The packer is set up for rows of elements.
fn packs_rows(entry: &(dyn Fn() + Sync)) -> SimError {
    compute::error(&|| {
        start_and_acquire();
        ops::pack_untilize_dest_init(2, 4, here!());
        ops::tile_regs_commit(here!());
        ops::cb_reserve_back(OUT, 4, here!());
        ops::tile_regs_wait(here!());
        entry();
    })
}

#[test]
fn rows_of_elements_from_registers() {
    says(
        packs_rows(&|| ops::pack_tile(0, OUT, here!())),
        ErrorKind::Init,
        "`pack_tile` while the packer writes rows of elements",
        "call `pack_untilize_uninit` before",
    );
    says(
        packs_rows(&|| ops::pack_untilize_dest(2, 4, OUT, 1, 2, here!())),
        ErrorKind::Kernel,
        "`pack_untilize_dest`: 1 rows of 2 tiles, number 2 of a row of 4",
        "a block divides the row",
    );
}

#[test]
fn the_packer_adds_floats_only() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 1);
    p.cb_of(&[CORE], OUT, "out", 1, DataFormat::U32);
    p.config = std::sync::Arc::new(ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() });
    let math = || {
        ops::hw_startup(SrcOrder::Regular, A, A, OUT, here!());
        ops::pack_reconfig_l1_acc(true, here!());
        ops::tile_regs_acquire(here!());
        ops::tile_regs_commit(here!());
        ops::cb_reserve_back(OUT, 1, here!());
        ops::tile_regs_wait(here!());
        ops::pack_tile(0, OUT, here!());
    };
    p.compute(CORE, &[], &math);
    says(
        p.error(),
        ErrorKind::Kernel,
        "`pack_tile`: cb `out` (id 16) is u32, and the packer adds to L1",
        "that is possible for bf16 and f32 only",
    );
}

#[test]
fn pages_that_hold_no_tile() {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 2);
    p.cb(&[CORE], OUT, "out", 1);
    p.launch.cbs[0].page_size = 1024;
    let read = || {
        ops::cb_reserve_back(A, 1, here!());
        ops::cb_push_back(A, 1, here!());
    };
    let math = || {
        ops::hw_startup(SrcOrder::Regular, A, A, OUT, here!());
        ops::fpu_init(FpuInit::Copy { cb: A }, here!());
        ops::cb_wait_front(A, 1, here!());
        ops::tile_regs_acquire(here!());
        ops::copy_tile(A, 0, 0, here!());
    };
    p.reader(CORE, &[], &read);
    p.compute(CORE, &[], &math);
    says(
        p.error(),
        ErrorKind::CircularBuffer,
        "`copy_tile`: pages of cb `a` (id 0) have 1024 bytes, a bf16 tile 2048",
        "give the buffer pages of a tile or more",
    );
}

#[test]
fn elements_have_their_alignment() {
    says(
        reader_alone(&|| {
            ops::l1_read(0x20001, 2, here!());
        }),
        ErrorKind::Memory,
        "`l1_read`: L1 address 0x20001 of an element is not a multiple of its 2 bytes",
        "add a multiple of the element's size",
    );
}

#[test]
fn packets_and_rectangles() {
    says(
        reader_alone(&|| ops::check_one_packet("noc_async_read_one_packet", 20_000, here!())),
        ErrorKind::Noc,
        "`noc_async_read_one_packet` of 20000 bytes, a packet has at most 16384",
        "use the call for any size, or several packets",
    );
    let to = Receivers { num_dests: 1, loopback: false };
    says(
        reader_alone(&|| {
            let one = ops::noc_addr_worker(1, 2, 0x20000, here!());
            ops::noc_semaphore_set_multicast(0, 0x20000, one, to, here!());
        }),
        ErrorKind::Noc,
        "`noc_semaphore_set_multicast`: the address is not one of a rectangle of cores",
        "make it with `get_noc_multicast_addr`",
    );
}

#[test]
fn corners_that_are_no_workers() {
    let to = Receivers { num_dests: 1, loopback: false };
    says(
        reader_alone(&|| {
            let corners = [Core::new(0, 0), Core::new(1, 2)];
            let range = ops::noc_addr_multicast(corners[0], corners[1], 0x20000, here!());
            ops::noc_semaphore_set_multicast(0, 0x20000, range, to, here!());
        }),
        ErrorKind::Noc,
        "`noc_semaphore_set_multicast`: there is no worker core at NoC coordinates (0,0)",
        "kernels need virtual coordinates: pass them as arguments",
    );
}

#[test]
fn stacks_that_no_memory_holds() {
    let mut p = Program::new();
    p.reader(CORE, &[], &|| {});
    let options = RunOptions { stack_bytes: 1 << 60, ..options(1) };
    let error = Machine::new(Arch::blackhole()).run(&p.launch, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Launch);
    assert!(error.message().starts_with("no memory for the stack of a kernel thread: "), "{error}");
    assert!(error.to_string().contains("`RunOptions::stack_bytes`"), "{error}");
}

/// In a process whose threads would need more memory than there is.
#[test]
fn os_threads_that_the_system_does_not_give() {
    const STACK: &str = "RUST_MIN_STACK";
    let large = (1u64 << 60).to_string();
    if std::env::var(STACK).as_ref() != Ok(&large) {
        let name = "operands::os_threads_that_the_system_does_not_give";
        let test = std::process::Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--test-threads=1"])
            .env(STACK, large)
            .output()
            .unwrap();
        assert!(test.status.success(), "{}", String::from_utf8_lossy(&test.stdout));
        assert!(String::from_utf8_lossy(&test.stdout).contains("1 passed"));
        return;
    }
    let mut p = Program::new();
    for core in grid(2, 1) {
        p.reader(core, &[], &|| {});
    }
    let error = Machine::new(Arch::blackhole()).run(&p.launch, &options(2)).unwrap_err();
    says(
        error,
        ErrorKind::Launch,
        "the system gave no OS thread number 1 for the simulator",
        "run on fewer threads: `RunOptions::threads`",
    );
}
