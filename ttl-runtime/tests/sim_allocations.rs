//! A run does not allocate in steady state: as many allocations for many tiles as for few.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ttl_runtime::arch::{Arch, ComputeConfig, Core};
use ttl_runtime::sim::ops::{self, FpuInit, SrcOrder};
use ttl_runtime::sim::{CbLaunch, Launch, Machine, Processor, RunOptions, ThreadLaunch};
use ttl_runtime::site::Site;
use ttl_runtime::tensor::format::DataFormat;

struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is left to the system's allocator; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TILE: u32 = 2048;
const S: Site = Site::UNKNOWN;

fn read() {
    for page in 0..ops::runtime_arg(0, S) {
        ops::cb_reserve_back(0, 1, S);
        let src = ops::noc_addr_dram(page % 8, 64, S);
        ops::noc_async_read(0, src, ops::get_write_ptr(0, S), TILE, S);
        ops::noc_async_read_barrier(0, S);
        ops::cb_push_back(0, 1, S);
    }
}

fn compute() {
    ops::hw_startup(SrcOrder::Regular, 0, 0, 1, S);
    ops::fpu_init(FpuInit::Copy { cb: 0 }, S);
    for _ in 0..ops::runtime_arg(0, S) {
        ops::cb_wait_front(0, 1, S);
        ops::tile_regs_acquire(S);
        ops::copy_tile(0, 0, 0, S);
        ops::tile_regs_commit(S);
        ops::cb_pop_front(0, 1, S);
        ops::cb_reserve_back(1, 1, S);
        ops::tile_regs_wait(S);
        ops::pack_tile(0, 1, S);
        ops::tile_regs_release(S);
        ops::cb_push_back(1, 1, S);
    }
}

fn write() {
    for page in 0..ops::runtime_arg(0, S) {
        ops::cb_wait_front(1, 1, S);
        let dst = ops::noc_addr_dram(page % 8, 0x10000, S);
        ops::noc_async_write(1, ops::get_read_ptr(1, S), dst, TILE, S);
        // Both ways, so that the queue has captured data and data in place.
        if page % 16 == 15 {
            ops::noc_async_write_barrier(1, S);
        } else {
            ops::noc_async_writes_flushed(1, S);
        }
        ops::cb_pop_front(1, 1, S);
    }
    ops::noc_async_write_barrier(1, S);
}

fn launch(tiles: u32) -> Launch<'static> {
    let mut launch = Launch::default();
    for x in 0..4 {
        let core = Core::new(x, 0);
        for id in 0..2 {
            let (addr, format) = (0x20000 + id * 0x2000, DataFormat::Bf16);
            launch.cbs.push(CbLaunch {
                core,
                id,
                name: "cb".into(),
                addr,
                page_size: TILE,
                num_pages: 2,
                format,
                on_shard: false,
                ends: Default::default(),
            });
        }
        let kernels: [(Processor, &'static (dyn Fn() + Sync)); 3] =
            [(Processor::Ncrisc, &read), (Processor::Compute, &compute), (Processor::Brisc, &write)];
        for (processor, entry) in kernels {
            launch.threads.push(ThreadLaunch {
                core,
                processor,
                noc: 0,
                kernel: "kernel".into(),
                entry,
                runtime_args: vec![tiles],
                common_args: Arc::from([]),
                compile_args: Arc::from([]),
                config: Arc::new(ComputeConfig::default()),
                temps: Arc::default(),
            });
        }
    }
    launch
}

#[test]
fn allocations_do_not_grow_with_the_work() {
    let mut machine = Machine::new(Arch::blackhole());
    let options = RunOptions { threads: 1, ..RunOptions::default() };
    let (few, many) = (launch(128), launch(4096));
    let mut count = |launch: &Launch<'_>| {
        let before = COUNT.load(Ordering::Relaxed);
        machine.run(launch, &options).unwrap();
        COUNT.load(Ordering::Relaxed) - before
    };
    count(&many);
    assert_eq!(count(&few), count(&many));
}
