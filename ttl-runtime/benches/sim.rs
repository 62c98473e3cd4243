//! What the simulator itself costs: operations, switches between kernel threads, and a copy pipeline on 64 cores.
//!
//! `cargo bench -p ttl-runtime --bench sim`. Prints the median and the best of several runs; on a busy
//! machine only the best says something.

use std::sync::Arc;
use std::time::Instant;

use ttl_runtime::arch::{Arch, ComputeConfig, Core};
use ttl_runtime::sim::ops::{self, FpuInit, SrcOrder};
use ttl_runtime::sim::{CbLaunch, Launch, Machine, Processor, RunOptions, ThreadLaunch};
use ttl_runtime::site::Site;
use ttl_runtime::tensor::format::DataFormat;

const A: u32 = 0;
const OUT: u32 = 16;
const TILE: u32 = 2048;
const RUNS: usize = 25;

fn cb(core: Core, id: u32, pages: u32) -> CbLaunch {
    let addr = if id == A { 0x20000 } else { 0x80000 };
    CbLaunch {
        core,
        id,
        name: "cb".into(),
        addr,
        page_size: TILE,
        num_pages: pages,
        format: DataFormat::Bf16,
        on_shard: false,
        ends: Default::default(),
    }
}

fn kernel<'a>(core: Core, processor: Processor, args: &[u32], entry: &'a (dyn Fn() + Sync)) -> ThreadLaunch<'a> {
    ThreadLaunch {
        core,
        processor,
        noc: u8::from(processor == Processor::Brisc),
        kernel: "kernel".into(),
        entry,
        runtime_args: args.to_vec(),
        common_args: Arc::from([]),
        compile_args: Arc::from([]),
        config: Arc::new(ComputeConfig::default()),
        temps: Arc::default(),
    }
}

/// Median and best seconds of a run on a machine that has run before.
fn measure(launch: &Launch<'_>, threads: usize) -> [f64; 2] {
    let mut machine = Machine::new(Arch::blackhole());
    let options = RunOptions { threads, ..RunOptions::default() };
    let mut times: Vec<f64> = (0..=RUNS)
        .map(|_| {
            let start = Instant::now();
            if let Err(error) = machine.run(launch, &options) {
                eprintln!("{error}");
                std::process::exit(1);
            }
            start.elapsed().as_secs_f64()
        })
        .skip(1)
        .collect();
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[0]]
}

/// Measures and prints, if the command line does not ask for something else.
fn row(name: &str, seconds: impl FnOnce() -> [f64; 2], count: u32, unit: &str) {
    let mut words = std::env::args().skip(1).filter(|a| !a.starts_with('-'));
    if words.any(|w| !name.contains(&w)) {
        return;
    }
    let [median, best] = seconds().map(|s| s * 1e9 / f64::from(count));
    println!("{name:58} {median:9.1} ({best:.1}) ns / {unit}");
}

fn single(name: &str, count: u32, unit: &str, entry: &(dyn Fn() + Sync)) {
    let core = Core::new(0, 0);
    let launch = Launch {
        cbs: vec![cb(core, A, 2)],
        threads: vec![kernel(core, Processor::Ncrisc, &[], entry)],
        ..Launch::default()
    };
    row(name, || measure(&launch, 1), count, unit);
}

fn read() {
    let s = Site::UNKNOWN;
    let (first, count, block) = (ops::runtime_arg(0, s), ops::runtime_arg(1, s), ops::runtime_arg(2, s));
    for b in 0..count / block {
        ops::cb_reserve_back(A, block, s);
        let at = ops::get_write_ptr(A, s);
        for i in 0..block {
            let page = first + b * block + i;
            let src = ops::noc_addr_dram(page % 8, 0x1000 + u64::from(page / 8 * TILE), s);
            ops::noc_async_read(0, src, at + i * TILE, TILE, s);
        }
        ops::noc_async_read_barrier(0, s);
        ops::cb_push_back(A, block, s);
    }
}

fn compute() {
    let s = Site::UNKNOWN;
    let (count, block) = (ops::runtime_arg(0, s), ops::runtime_arg(1, s));
    ops::hw_startup(SrcOrder::Regular, A, A, OUT, s);
    ops::fpu_init(FpuInit::Copy { cb: A }, s);
    for _ in 0..count / block {
        ops::cb_wait_front(A, block, s);
        ops::tile_regs_acquire(s);
        for i in 0..block {
            ops::copy_tile(A, i, i, s);
        }
        ops::tile_regs_commit(s);
        ops::cb_pop_front(A, block, s);
        ops::cb_reserve_back(OUT, block, s);
        ops::tile_regs_wait(s);
        for i in 0..block {
            ops::pack_tile(i, OUT, s);
        }
        ops::tile_regs_release(s);
        ops::cb_push_back(OUT, block, s);
    }
}

fn write() {
    let s = Site::UNKNOWN;
    let (first, count, block) = (ops::runtime_arg(0, s), ops::runtime_arg(1, s), ops::runtime_arg(2, s));
    let (cb, each_barrier) = (ops::runtime_arg(3, s), ops::runtime_arg(4, s));
    for b in 0..count / block {
        ops::cb_wait_front(cb, block, s);
        let at = ops::get_read_ptr(cb, s);
        for i in 0..block {
            let page = first + b * block + i;
            let dst = ops::noc_addr_dram(page % 8, 0x400_0000 + u64::from(page / 8 * TILE), s);
            ops::noc_async_write(1, at + i * TILE, dst, TILE, s);
        }
        if each_barrier == 1 {
            ops::noc_async_write_barrier(1, s);
        } else {
            ops::noc_async_writes_flushed(1, s);
        }
        ops::cb_pop_front(cb, block, s);
    }
    ops::noc_async_write_barrier(1, s);
}

/// 64 cores, 64 tiles each.
fn pipeline(name: &str, block: u32, with_compute: bool, each_barrier: bool) {
    const COUNT: u32 = 64;
    let mut launch = Launch::default();
    for i in 0..64 {
        let core = Core::new(i % 8, i / 8);
        let out = if with_compute { OUT } else { A };
        launch.cbs.push(cb(core, A, 2 * block));
        launch.cbs.push(cb(core, OUT, 2 * block));
        launch.threads.push(kernel(core, Processor::Ncrisc, &[i * COUNT, COUNT, block], &read));
        if with_compute {
            launch.threads.push(kernel(core, Processor::Compute, &[COUNT, block], &compute));
        }
        let args = [i * COUNT, COUNT, block, out, u32::from(each_barrier)];
        launch.threads.push(kernel(core, Processor::Brisc, &args, &write));
    }
    for threads in [1, 2] {
        row(&format!("{name}, block {block}, {threads} OS threads"), || measure(&launch, threads), 64 * COUNT, "tile");
    }
}

fn main() {
    const N: u32 = 200_000;
    let s = Site::UNKNOWN;
    single("argument read", N, "call", &|| {
        for _ in 0..N {
            std::hint::black_box(ops::noc_index(s));
        }
    });
    single("reserve, push, wait, pop on one thread", N, "round of 4 calls", &|| {
        for _ in 0..N {
            ops::cb_reserve_back(A, 1, s);
            ops::cb_push_back(A, 1, s);
            ops::cb_wait_front(A, 1, s);
            ops::cb_pop_front(A, 1, s);
        }
    });
    let core = Core::new(0, 0);
    let push = || {
        for _ in 0..N {
            ops::cb_reserve_back(A, 1, s);
            ops::cb_push_back(A, 1, s);
        }
    };
    let pop = || {
        for _ in 0..N {
            ops::cb_wait_front(A, 1, s);
            ops::cb_pop_front(A, 1, s);
        }
    };
    let launch = Launch {
        cbs: vec![cb(core, A, 1)],
        threads: vec![kernel(core, Processor::Ncrisc, &[], &push), kernel(core, Processor::Brisc, &[], &pop)],
        ..Launch::default()
    };
    row("reserve, push | wait, pop with 2 switches", || measure(&launch, 1), N, "round of 4 calls");
    single("read of 2 KiB of DRAM and its barrier", N, "read", &|| {
        for i in 0..N {
            let src = ops::noc_addr_dram(i % 8, 0x1000 + u64::from(i % 64 * TILE), s);
            ops::noc_async_read(0, src, 0x40000, TILE, s);
            ops::noc_async_read_barrier(0, s);
        }
    });
    pipeline("reader, writer", 1, false, false);
    pipeline("reader, writer", 4, false, false);
    pipeline("reader, writer, barrier per block", 1, false, true);
    pipeline("reader, compute, writer", 1, true, false);
    pipeline("reader, compute, writer", 4, true, false);
    let empty = Launch::default();
    row("an empty run", || measure(&empty, 1), 1, "run");
    let nothing = || ();
    let mut threads = Vec::new();
    for i in 0..110 {
        for p in [Processor::Ncrisc, Processor::Compute, Processor::Brisc] {
            threads.push(kernel(Core::new(i % 11, i / 11), p, &[], &nothing));
        }
    }
    let full = Launch { threads, ..Launch::default() };
    row("330 kernels that do nothing", || measure(&full, 1), 330, "kernel");
    let first = || {
        let start = Instant::now();
        let mut machine = Machine::new(Arch::blackhole());
        let done = machine.run(&full, &RunOptions { threads: 1, ..RunOptions::default() });
        assert!(done.is_ok());
        [start.elapsed().as_secs_f64(); 2]
    };
    row("a new machine and its first run of these", first, 1, "run");
}
