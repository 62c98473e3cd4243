//! A network of random weights, and the megakernel on simulated devices.

use ttl::prelude::*;
use ttl::runtime::sim::ReadLog;
use ttl_kernels::dit::k1::Builder;
use ttl_kernels::dit::k1::{DitMegakernel, Launch};
use ttl_kernels::dit::matrix::Matrix;
use ttl_kernels::dit::pack::ArenaPack;
use ttl_kernels::dit::plan::Plan;
use ttl_kernels::dit::reference::{Agreement, chain_limit, ref_chain, ref_single_op};
use ttl_kernels::dit::{ArenaLayout, ArenaOptions, CoreMap, DitConfig, K1Mode, ReaderMode, StreamDtype, Version};

pub(crate) struct Net {
    pub(crate) cfg: DitConfig,
    pub(crate) layout: ArenaLayout,
    pub(crate) pack: ArenaPack,
}

impl Net {
    pub(crate) fn new(banks: u32, n_blocks: u32, dtype: StreamDtype, mode: ReaderMode) -> Net {
        let cfg = DitConfig::scaled(Version::N15, banks, n_blocks).expect("a configuration");
        let options = ArenaOptions::new(64).dtype(dtype).reader_mode(mode);
        let layout = ArenaLayout::plan(&cfg, options).expect("a layout");
        let pack = layout.pack(&Plan::random(&layout, 7, Plan::scale(&cfg))).expect("a pack");
        Net { cfg, layout, pack }
    }

    pub(crate) fn input(&self, launch: Launch) -> Matrix {
        let columns = launch.columns(&self.cfg) as usize;
        let x = HostTensor::normal([64, columns], 42).expect("a shape");
        Matrix::from_host(&x).expect("floats").rounded()
    }

    pub(crate) fn builder(&self, options: DeviceOptions) -> Builder {
        let device = Device::with_options(options).expect("a device");
        DitMegakernel::builder(&self.cfg, self.layout.clone(), CoreMap::simulated(&self.cfg), device)
    }

    /// A launch on a device of its own.
    pub(crate) fn run(&self, builder: Builder, launch: Launch) -> ttl_kernels::dit::Result<(DitMegakernel, Matrix)> {
        let mut mk = builder.build()?;
        mk.upload(&self.pack)?;
        let x = self.input(launch);
        let result = match launch.mode {
            K1Mode::Single => mk.run_single_op(&x, launch.blk, launch.op, launch.n_iters)?,
            K1Mode::Chain => mk.run_chain(&x, launch.blk, launch.n_blk, launch.n_iters)?,
            K1Mode::Stream => {
                mk.run_stream(&x, launch.blk, launch.n_blk, launch.n_iters)?;
                Matrix::zeros(0, 0)
            }
        };
        Ok((mk, result))
    }

    /// The same on both engines, which must leave the same bytes.
    #[track_caller]
    pub(crate) fn on_both(
        &self,
        schedule: Schedule,
        launch: Launch,
        with: impl Fn(Builder) -> Builder,
    ) -> (DitMegakernel, Matrix) {
        let run = |engine| {
            let builder = with(self.builder(DeviceOptions { engine, ..options(schedule) }));
            self.run(builder, launch).unwrap_or_else(|e| panic!("{launch:?}, {schedule:?}, {engine:?}: {e}"))
        };
        let (native, result) = run(Engine::Native);
        let (cpp, _) = run(Engine::Cpp);
        if let Some(difference) = native.device().first_difference(cpp.device()) {
            panic!("{launch:?}, {schedule:?}: the engines leave different memory: {difference}");
        }
        (native, result)
    }

    pub(crate) fn reference(&self, x: &Matrix, launch: Launch) -> Matrix {
        let (layout, pack) = (&self.layout, &self.pack);
        match launch.mode {
            K1Mode::Single => ref_single_op(layout, pack, x, launch.blk, launch.op),
            _ => ref_chain(layout, pack, x, launch.blk, launch.n_blk).map(|chain| chain.g),
        }
        .expect("a reference")
    }

    /// Section 12: PCC at least 0.9999 and RE at most 5e-3, of what depends on the input as well (the means of the columns are mostly biases). An operation
    /// differs by 1.1e-3, which is the rounding of the matrix unit's sums (`sim::math` is bit-exact with the chip there, the reference adds in f32), and a block of
    /// four by up to 3.7e-3; so the last block is held to the limits from the megakernel's own result of the block before, and the whole chain to
    /// [`chain_limit`].
    #[track_caller]
    pub(crate) fn near(&self, got: &Matrix, launch: Launch) {
        let x = self.input(launch);
        let whole = Agreement::of(got, &self.reference(&x, launch));
        let last = if launch.mode == K1Mode::Chain && launch.n_blk > 1 {
            let before = Launch::chain(launch.blk, launch.n_blk - 1, 1);
            let (_, x) = self.run(self.builder(options(Schedule::RoundRobin)), before).expect("it runs");
            self.reference(&x, Launch::chain(launch.blk + launch.n_blk - 1, 1, 1))
        } else {
            self.reference(&x, launch)
        };
        let block = Agreement::of(got, &last);
        let spread = Agreement::of(&without_column_means(got), &without_column_means(&last));
        let (banks, mode) = (self.cfg.banks, launch.mode.name());
        println!("{banks} {mode} {:?}, blocks {}+{}: {whole}", launch.op, launch.blk, launch.n_blk);
        println!("  the last block: {block}; without the means of its columns: {spread}");
        assert!(whole.keeps(chain_limit(launch.n_blk)), "{launch:?}: {whole}");
        assert!(block.keeps(5e-3), "{launch:?}, the last block: {block}");
        assert!(spread.within(0.9999, 7e-3), "{launch:?}, without the means of columns: {spread}");
    }
}

/// What depends on the input: the means of the columns are mostly the bias.
fn without_column_means(m: &Matrix) -> Matrix {
    let mean = |c| (0..m.rows).map(|r| m.at(r, c)).sum::<f32>() / m.rows as f32;
    let means: Vec<f32> = (0..m.cols).map(|c| -mean(c)).collect();
    m.clone().plus_row(&means)
}

pub(crate) fn options(schedule: Schedule) -> DeviceOptions {
    DeviceOptions { run: RunOptions { schedule, ..RunOptions::default() }, ..DeviceOptions::default() }
}

/// Options of a device whose reads from DRAM are logged.
pub(crate) fn logged(log: &ReadLog, schedule: Schedule) -> DeviceOptions {
    let mut options = options(schedule);
    options.run.dram_reads = Some(log.clone());
    options
}
