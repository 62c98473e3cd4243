//! The megakernel on a device: weights and tables that stay there, what stays in L1, and launches of the matmul-only modes.

use super::assemble::{self, Tensors};
use super::builder::Builder;
use super::launch::{DescriptorStats, KernelGroups, Launch};
use super::memory::{Extras, Memory, OfFormat, Residents, Tables, with_memory};
use super::plan::{Constants, Run};
use super::steps4::Steps4Io;
use crate::dit::arena::ArenaLayout;
use crate::dit::bindings::{Bound, Masks};
use crate::dit::budget::Policy;
use crate::dit::config::DitConfig;
use crate::dit::consts::{M_ROWS, TILE};
use crate::dit::core_map::CoreMap;
use crate::dit::error::{MegakernelError, Result};
use crate::dit::io::{Io, IoName};
use crate::dit::matrix::Matrix;
use crate::dit::op::{K1Mode, Op};
use crate::dit::pack::ArenaPack;
use crate::dit::readback::{make_x_rep, mm_out_to_matrix, unpack_single_order};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use ttl::prelude::*;

/// The megakernel on a device.
#[derive(Debug)]
pub struct DitMegakernel {
    cfg: DitConfig,
    layout: ArenaLayout,
    map: CoreMap,
    device: Device,
    constants: Constants,
    k1_extras: bool,
    memory: Memory,
    tables: Tables,
    steps4: Option<Steps4Io>,
    launches: u64,
    /// How long the first launch of a mode and operation took, its compilation included.
    first_launch: BTreeMap<(u32, u32), Duration>,
    last: Option<CheckedProgram>,
    last_report: Option<RunReport>,
}

impl DitMegakernel {
    /// Settings for a configuration, the layout of its weights and the cores of a device; [`Builder::build`] makes the megakernel of them.
    pub fn builder(cfg: &DitConfig, layout: ArenaLayout, map: CoreMap, device: Device) -> Builder {
        let policy = Policy::new(&layout);
        Builder { cfg: cfg.clone(), layout, map, device, policy, k1_extras: true, left_out: 0 }
    }

    /// Of what a builder has checked. Nothing is on the device yet.
    pub(super) fn new(
        cfg: DitConfig,
        layout: ArenaLayout,
        map: CoreMap,
        device: Device,
        constants: Constants,
        k1_extras: bool,
    ) -> DitMegakernel {
        DitMegakernel {
            memory: Memory::new(layout.dtype_stream()),
            cfg,
            layout,
            map,
            device,
            constants,
            k1_extras,
            tables: Tables::default(),
            steps4: None,
            launches: 0,
            first_launch: BTreeMap::new(),
            last: None,
            last_report: None,
        }
    }

    /// Where its weights lie.
    pub fn layout(&self) -> &ArenaLayout {
        &self.layout
    }

    /// Which core plays which role.
    pub fn core_map(&self) -> &CoreMap {
        &self.map
    }

    /// The device it is on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The same, to run a program of [`DitMegakernel::program`] on it.
    pub fn device_mut(&mut self) -> &mut Device {
        &mut self.device
    }

    /// The device, with everything of the megakernel that is still on it.
    pub fn into_device(self) -> Device {
        self.device
    }

    /// Launches so far.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// Seconds of the first launch, by mode and operation of single mode (0 of the others).
    pub fn compile_seconds(&self) -> BTreeMap<(u32, u32), f64> {
        self.first_launch.iter().map(|(key, time)| (*key, time.as_secs_f64())).collect()
    }

    /// The last program.
    pub fn last_program(&self) -> Result<&CheckedProgram> {
        self.last.as_ref().ok_or(MegakernelError::NoProgram)
    }

    /// What the simulator counted in the last launch.
    pub fn last_report(&self) -> Result<&RunReport> {
        self.last_report.as_ref().ok_or(MegakernelError::NoProgram)
    }

    /// What the last program consists of; an error before the first.
    pub fn stats(&self) -> Result<DescriptorStats> {
        let program = self.last_program()?.checked();
        let bytes = |core: Core| -> u64 {
            let there = program.cbs().iter().filter(|cb| cb.cores.contains(core));
            there.map(|cb| u64::from(cb.pages) * u64::from(cb.page_size)).sum()
        };
        let kernels = program.kernels();
        Ok(DescriptorStats {
            cbs: program.cbs().len(),
            semaphores: program.semaphores().len(),
            kernels: kernels.len(),
            cb_bytes: self.map.all().iter().map(bytes).max().unwrap_or(0),
            compile_args: kernels.iter().map(|k| k.compile_args.len()).max().unwrap_or(0),
            common_args: kernels.iter().map(|k| k.common_args.len()).max().unwrap_or(0),
        })
    }

    /// The kernels of the last program; an error before the first.
    pub fn kernel_groups(&self) -> Result<KernelGroups> {
        let kernels = self.last_program()?.checked().kernels();
        Ok(kernels.iter().map(|k| (k.name.to_string(), k.cores.len())).collect())
    }

    /// Bytes that the operations of some blocks take in all banks.
    pub fn stream_bytes(&self, blk: u32, n_blk: u32) -> Result<u64> {
        self.layout.stream_bytes(blk, n_blk)
    }

    /// Bytes of weights that one step reads from all banks.
    pub fn arena_bytes_per_step(&self) -> u64 {
        self.layout.arena_bytes_per_step()
    }

    /// Puts the weights and tables of a pack on the device, in place of those before, and makes what stays in L1. Masks, keys and values of the full
    /// program are zeros until they are bound.
    pub fn upload(&mut self, pack: &ArenaPack) -> Result<()> {
        self.layout.check_pack(pack)?;
        self.deallocate()?;
        self.memory.upload_stream(&mut self.device, &self.layout, pack)?;
        self.tables.upload(&mut self.device, &self.layout, pack)?;
        self.make_residents(self.k1_extras)
    }

    /// A table, mask, keys or values on the device.
    pub fn io(&self, io: Io) -> Result<&Tensor<bf16>> {
        self.tables.get(io)
    }

    /// What [`DitMegakernel::io`] has.
    pub fn io_names(&self) -> Vec<Io> {
        self.tables.list()
    }

    /// Which masks, keys and values were bound since the upload.
    pub fn bound(&self) -> &Bound {
        &self.tables.bound
    }

    /// Binds hoisted keys and values of every cross block, by block. The zeros that an upload left are freed; what was bound before stays the caller's.
    pub fn bind_kv(&mut self, kv: BTreeMap<u32, [Tensor<bf16>; 2]>) -> Result<()> {
        self.tables.bind_kv(&mut self.device, &self.layout, kv)
    }

    /// Binds the masks of the key sets that cross blocks use, and perhaps another one for self blocks.
    pub fn bind_masks(&mut self, masks: Masks<Tensor<bf16>>) -> Result<()> {
        self.tables.bind_masks(&mut self.device, &self.layout, masks)
    }

    /// Makes the tensors that stay while the whole loop runs again, those that are there already excepted. `taps` adds the velocities of every step.
    pub fn allocate_steps4_io(&mut self, taps: bool) -> Result<&Steps4Io> {
        match &self.steps4 {
            Some(io) if io.velocity_out.is_some() == taps => {}
            _ => {
                self.release_steps4_io()?;
                self.steps4 = Some(Steps4Io::allocate(&mut self.device, &self.layout, taps)?);
            }
        }
        self.steps4_io()
    }

    /// The tensors of the whole loop.
    pub fn steps4_io(&self) -> Result<&Steps4Io> {
        self.steps4.as_ref().ok_or(MegakernelError::NoSteps4Io)
    }

    /// Writes noise [1, H, A_max] and state features in place: their addresses stay.
    pub fn set_steps4_inputs(&mut self, noise: &HostTensor, state: &HostTensor) -> Result<()> {
        let io = self.steps4.as_ref().ok_or(MegakernelError::NoSteps4Io)?;
        io.set(&mut self.device, &self.layout, noise, state)
    }

    /// Frees the tensors of the whole loop, if they are there.
    pub fn release_steps4_io(&mut self) -> Result<()> {
        match self.steps4.take() {
            Some(io) => io.free(&mut self.device),
            None => Ok(()),
        }
    }

    /// What stays in L1, as far as it is missing: a_rep, and the tensors of K1 if asked for.
    fn make_residents(&mut self, extras: bool) -> Result<()> {
        let pages = self.constants.ring_pages;
        self.memory.make_residents(&mut self.device, &self.cfg, &self.map, pages, extras)
    }

    /// Frees what stays in L1; the next launch makes it again.
    pub fn release_l1_residents(&mut self) -> Result<()> {
        self.last = None;
        self.memory.free_residents(&mut self.device)
    }

    /// Frees every tensor but those that the caller bound. `upload` makes them again.
    pub fn deallocate(&mut self) -> Result<()> {
        self.release_l1_residents()?;
        self.release_steps4_io()?;
        self.memory.free_stream(&mut self.device)?;
        self.tables.free(&mut self.device)
    }

    /// One operation of a block, `n_iters` times over; the result of the last time, [64, N].
    pub fn run_single_op(&mut self, x: &Matrix, blk: u32, op: Op, n_iters: u32) -> Result<Matrix> {
        self.launch(x, Launch::single(blk, op, n_iters))?;
        self.read_mm_out(blk, op)
    }

    /// The result of the last single operation, which must be this one.
    pub fn read_mm_out(&self, blk: u32, op: Op) -> Result<Matrix> {
        let out = Matrix::from_host(&self.device.download(self.memory.mm_out()?)?)?;
        mm_out_to_matrix(&self.map, self.layout.op(blk, op)?, &out)
    }

    /// The products of some blocks, each from the result of the one before; g of the last, [64, width].
    pub fn run_chain(&mut self, x: &Matrix, blk: u32, n_blk: u32, n_iters: u32) -> Result<Matrix> {
        self.launch(x, Launch::chain(blk, n_blk, n_iters))?;
        self.read_hub_a(self.cfg.width() / TILE)
    }

    /// How long [`DitMegakernel::run_chain`] takes; nothing is read back.
    pub fn run_chain_timed(&mut self, x: &Matrix, blk: u32, n_blk: u32, n_iters: u32) -> Result<Duration> {
        self.launch(x, Launch::chain(blk, n_blk, n_iters))
    }

    /// The four products of every block with nothing between them: the pure weight stream. How long it took.
    pub fn run_stream(&mut self, x: &Matrix, blk: u32, n_blk: u32, n_iters: u32) -> Result<Duration> {
        self.launch(x, Launch::stream(blk, n_blk, n_iters))
    }

    /// The first `n_tiles` column tiles of what was gathered last in the hub, in the order Single.
    pub fn read_hub_a(&self, n_tiles: u32) -> Result<Matrix> {
        let (shard, rows) = (self.map.linear_id(self.map.hub())? as usize, M_ROWS as usize);
        let all = Matrix::from_host(&self.device.download(self.memory.a_rep()?)?)?;
        unpack_single_order(&self.cfg, &all.part(shard * rows..(shard + 1) * rows, 0..all.cols), n_tiles)
    }

    /// The program of a launch, validated, with its input on the device: to be looked at or exported. The tensors are its own until
    /// [`DitMegakernel::release_l1_residents`] but for the input, which stays.
    pub fn program(&mut self, x: &Matrix, launch: Launch) -> Result<(CheckedProgram, Tensor<bf16>)> {
        self.check(x, launch)?;
        self.make_residents(true)?;
        let x_rep = self.make_x_rep(x)?;
        match self.assemble(&x_rep, launch) {
            Ok(program) => Ok((program, x_rep)),
            Err(e) => {
                self.device.free(x_rep)?;
                Err(e)
            }
        }
    }

    fn check(&self, x: &Matrix, launch: Launch) -> Result<()> {
        if !self.memory.has_stream() {
            return Err(MegakernelError::NotUploaded);
        }
        self.cfg.check_blocks(launch.blk, launch.n_blk)?;
        if launch.n_iters == 0 {
            return Err(MegakernelError::NoIterations);
        }
        let expected = vec![M_ROWS as usize, launch.columns(&self.cfg) as usize];
        if [x.rows, x.cols] != expected[..] {
            let what = match launch.mode {
                K1Mode::Single => format!("the input of {}", launch.op.name()),
                mode => format!("the input of a {}", mode.name()),
            };
            return Err(MegakernelError::Shape { what, expected, got: vec![x.rows, x.cols] });
        }
        Ok(())
    }

    /// The input on every compute core.
    fn make_x_rep(&mut self, x: &Matrix) -> Result<Tensor<bf16>> {
        let host = make_x_rep(&self.map, x)?.to_bf16()?;
        let shards = ShardSpec::height([x.rows as u32, x.cols as u32], self.map.compute_set());
        Ok(self.device.upload_in("x_rep", &host, MemoryConfig::Sharded(shards))?)
    }

    fn assemble(&self, x_rep: &Tensor<bf16>, launch: Launch) -> Result<CheckedProgram> {
        let run = Run {
            mode: launch.mode as u32,
            single_op: launch.op as u32,
            blk_first: launch.blk,
            n_blk: launch.n_blk,
            n_iters: launch.n_iters,
            x_tiles: 2 * launch.columns(&self.cfg) / TILE,
            pop_mm: launch.mode == K1Mode::Stream || launch.n_iters > 1,
        };
        let table = self.layout.offsets_table().words()?;
        let bias_rows = self.tables.get(Io::Named(IoName::BiasRows))?;
        let program = with_memory!(&self.memory, of, W => {
            let of: &OfFormat<W> = of;
            let OfFormat {
                stream: Some(stream),
                residents: Some(Residents { a_rep, extras: Some(Extras { sync, w_ring, mm_out }) }),
            } = of
            else {
                return Err(MegakernelError::NotUploaded);
            };
            let tensors = Tensors::<W> {
                arena: stream.clone(),
                bias_rows: bias_rows.clone(),
                a_rep: a_rep.clone(),
                x_rep: x_rep.clone(),
                w_ring: w_ring.clone(),
                mm_out: mm_out.clone(),
                sync: sync.clone(),
            };
            assemble::program(&self.map, &table, run, &tensors, self.layout.reader_mode(), self.constants)
        });
        Ok(program.validate(&self.device)?)
    }

    /// Runs a launch; the input is freed again, whatever happens.
    fn launch(&mut self, x: &Matrix, launch: Launch) -> Result<Duration> {
        let start = Instant::now();
        let (program, x_rep) = self.program(x, launch)?;
        let ran = self.run(&program);
        self.device.free(x_rep)?;
        let took = ran?;
        self.last = Some(program);
        self.launches += 1;
        let op = if launch.mode == K1Mode::Single { launch.op.index() } else { 0 };
        self.first_launch.entry((launch.mode as u32, op)).or_insert_with(|| start.elapsed());
        Ok(took)
    }

    /// Runs a program of [`DitMegakernel::program`].
    pub fn run(&mut self, program: &CheckedProgram) -> Result<Duration> {
        self.zero_sync()?;
        self.device.prepare(program)?;
        let start = Instant::now();
        self.last_report = Some(self.device.run(program)?);
        Ok(start.elapsed())
    }

    /// The counters of the relay begin at 0 on both sides.
    pub fn zero_sync(&mut self) -> Result<()> {
        if let Some(sync) = self.memory.sync() {
            self.device.write(sync, &HostTensor::zeros(sync.shape(), DataFormat::U32)?)?;
        }
        Ok(())
    }
}
