//! Builds launches, and compares reports.

use std::sync::Arc;

use ttl_runtime::arch::{Arch, ComputeConfig, Core};
use ttl_runtime::sim::{
    CbLaunch, Launch, Machine, Processor, RunOptions, RunReport, Schedule, SemLaunch, SimError, ThreadLaunch,
};
use ttl_runtime::tensor::format::DataFormat;

/// The place of the call.
macro_rules! here {
    () => {
        ttl_runtime::site::Site { file: file!(), line: line!(), column: column!() }
    };
}

pub(crate) const TILE: u32 = 2048;
pub(crate) const A: u32 = 0;
pub(crate) const B: u32 = 1;
pub(crate) const OUT: u32 = 16;

pub(crate) const CORE: Core = Core::new(0, 0);

pub(crate) struct Program<'a> {
    pub(crate) launch: Launch<'a>,
    pub(crate) config: Arc<ComputeConfig>,
    next: u32,
}

impl<'a> Program<'a> {
    pub(crate) fn new() -> Program<'a> {
        Program { launch: Launch::default(), config: Arc::default(), next: 0x20000 }
    }

    /// A bf16 circular buffer with one tile a page, at the same address on all cores.
    pub(crate) fn cb(&mut self, cores: &[Core], id: u32, name: &str, pages: u32) -> u32 {
        self.cb_of(cores, id, name, pages, DataFormat::Bf16)
    }

    pub(crate) fn cb_of(&mut self, cores: &[Core], id: u32, name: &str, num_pages: u32, format: DataFormat) -> u32 {
        let addr = self.next;
        let page_size = format.tile_bytes();
        self.next += page_size * num_pages;
        let name: Arc<str> = name.into();
        let cb = |&core: &Core| CbLaunch {
            core,
            id,
            name: name.clone(),
            addr,
            page_size,
            num_pages,
            format,
            on_shard: false,
            ends: Default::default(),
        };
        self.launch.cbs.extend(cores.iter().map(cb));
        addr
    }

    pub(crate) fn semaphore(&mut self, cores: &[Core], id: u32, init: u32) {
        let sem = |&core: &Core| SemLaunch { core, id, name: "".into(), addr: 0x8000 + 16 * id, init };
        self.launch.semaphores.extend(cores.iter().map(sem));
    }

    pub(crate) fn kernel(
        &mut self,
        core: Core,
        processor: Processor,
        name: &str,
        args: &[u32],
        entry: &'a (dyn Fn() + Sync),
    ) {
        self.launch.threads.push(ThreadLaunch {
            core,
            processor,
            noc: u8::from(processor == Processor::Brisc),
            kernel: name.into(),
            entry,
            runtime_args: args.to_vec(),
            common_args: Arc::from([]),
            compile_args: Arc::from([]),
            config: self.config.clone(),
            temps: Arc::default(),
        });
    }

    pub(crate) fn reader(&mut self, core: Core, args: &[u32], entry: &'a (dyn Fn() + Sync)) {
        self.kernel(core, Processor::Ncrisc, "read", args, entry);
    }

    pub(crate) fn writer(&mut self, core: Core, args: &[u32], entry: &'a (dyn Fn() + Sync)) {
        self.kernel(core, Processor::Brisc, "write", args, entry);
    }

    pub(crate) fn compute(&mut self, core: Core, args: &[u32], entry: &'a (dyn Fn() + Sync)) {
        self.kernel(core, Processor::Compute, "math", args, entry);
    }

    pub(crate) fn run(&self) -> Result<RunReport, SimError> {
        Machine::new(Arch::blackhole()).run(&self.launch, &options(1))
    }

    pub(crate) fn error(&self) -> SimError {
        match self.run() {
            Ok(report) => panic!("the run should fail: {report:?}"),
            Err(error) => error,
        }
    }
}

pub(crate) fn options(threads: usize) -> RunOptions {
    RunOptions { threads, ..RunOptions::default() }
}

pub(crate) fn random(seed: u64, threads: usize) -> RunOptions {
    RunOptions { schedule: Schedule::Random(seed), ..options(threads) }
}

pub(crate) fn grid(x: u32, y: u32) -> Vec<Core> {
    (0..y).flat_map(|y| (0..x).map(move |x| Core::new(x, y))).collect()
}

/// One reader kernel alone, with `A` of 4 and `B` of 8 pages.
pub(crate) fn reader_alone(entry: &(dyn Fn() + Sync)) -> SimError {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.cb(&[CORE], B, "b", 8);
    p.semaphore(&[CORE], 3, 0);
    p.reader(CORE, &[], entry);
    p.error()
}

/// Compares a report without its source lines: the message, `@ source line: label` for each place, then the lines of numbers and advice.
#[track_caller]
pub(crate) fn assert_report(error: &SimError, want: &str) {
    let text = error.to_string();
    let mut got = format!("{}\n", error.message());
    for label in &error.details().labels {
        let source = std::fs::read_to_string(find(label.site.file)).unwrap();
        let line = source.lines().nth(label.site.line as usize - 1).unwrap_or("").trim();
        assert!(text.contains(&label.site.to_string()), "{text}");
        got += &format!("@ {line} {}", label.text);
        got = got.trim_end().to_owned() + "\n";
    }
    let lines = text.lines().map(str::trim_start).skip_while(|l| !l.starts_with("= "));
    lines.for_each(|l| got += &format!("{l}\n"));
    let want: String = want.trim().lines().map(|l| l.trim().to_owned() + "\n").collect();
    assert_eq!(got, want, "\n{text}");
}

fn find(file: &str) -> std::path::PathBuf {
    let here = std::env::current_dir().unwrap();
    here.ancestors().map(|d| d.join(file)).find(|p| p.is_file()).unwrap()
}
