//! A network of random weights, and the megakernel on simulated devices.

use ttl::prelude::*;
use ttl::runtime::sim::ReadLog;
use ttl_kernels::dit::k1::launcher::Builder;
use ttl_kernels::dit::k1::{DitMegakernel, Launch};
use ttl_kernels::dit::matrix::Matrix;
use ttl_kernels::dit::pack::ArenaPack;
use ttl_kernels::dit::plan::Plan;
use ttl_kernels::dit::reference::{Agreement, ref_chain, ref_single_op};
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
        let pack = layout.pack(&Plan::random(&layout, 7, 0.02)).expect("a pack");
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

    pub(crate) fn reference(&self, launch: Launch) -> Matrix {
        let x = self.input(launch);
        let (layout, pack) = (&self.layout, &self.pack);
        match launch.mode {
            K1Mode::Single => ref_single_op(layout, pack, &x, launch.blk, launch.op),
            _ => ref_chain(layout, pack, &x, launch.blk, launch.n_blk).map(|chain| chain.g),
        }
        .expect("a reference")
    }

    /// The limits of a single operation and of a chain.
    #[track_caller]
    pub(crate) fn near(&self, got: &Matrix, launch: Launch) {
        let agreement = Agreement::of(got, &self.reference(launch));
        println!(
            "{} {} {:?}, blocks {}+{}: {agreement}",
            self.cfg.banks,
            launch.mode.name(),
            launch.op,
            launch.blk,
            launch.n_blk
        );
        assert!(agreement.within(0.9999, 5e-3), "{launch:?}: {agreement}");
    }
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
