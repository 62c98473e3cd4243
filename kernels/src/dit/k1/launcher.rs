//! The megakernel on a device: weights and tables that stay there, what stays in L1, and launches of the matmul-only modes.

use super::assemble::{self, Settings, Tensors};
use super::plan::Run;
use crate::dit::arena::{ArenaLayout, ArenaPart};
use crate::dit::budget::{CbBudget, K4Budget, Policy, a_rep_columns};
use crate::dit::config::{DitConfig, StreamDtype};
use crate::dit::consts::{M_ROWS, TILE};
use crate::dit::core_map::CoreMap;
use crate::dit::error::{MegakernelError, Result};
use crate::dit::io::check_row_pages;
use crate::dit::knobs::HubKnobs;
use crate::dit::matrix::Matrix;
use crate::dit::op::{K1Mode, Op};
use crate::dit::pack::ArenaPack;
use crate::dit::readback::{make_x_rep, mm_out_to_matrix, unpack_single_order};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use ttl::prelude::*;

/// What a launch does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    pub mode: K1Mode,
    /// Of single mode.
    pub op: Op,
    pub blk: u32,
    pub n_blk: u32,
    pub n_iters: u32,
}

impl Launch {
    pub const fn single(blk: u32, op: Op, n_iters: u32) -> Launch {
        Launch { mode: K1Mode::Single, op, blk, n_blk: 1, n_iters }
    }

    pub const fn chain(blk: u32, n_blk: u32, n_iters: u32) -> Launch {
        Launch { mode: K1Mode::Chain, op: Op::Qkv, blk, n_blk, n_iters }
    }

    pub const fn stream(blk: u32, n_blk: u32, n_iters: u32) -> Launch {
        Launch { mode: K1Mode::Stream, op: Op::Qkv, blk, n_blk, n_iters }
    }

    /// Columns of the input.
    pub fn columns(&self, cfg: &DitConfig) -> u32 {
        match self.mode {
            K1Mode::Single => TILE * self.op.k_tiles(cfg.banks),
            _ => cfg.width(),
        }
    }
}

/// Tensors in DRAM: the arena and the tables.
#[derive(Clone, Debug)]
struct Stored<W> {
    stream: Tensor<W>,
    bias_rows: Tensor<bf16>,
    /// What K1 does not read, in the order in which it was made.
    others: Vec<Tensor<bf16>>,
}

/// Tensors in L1 between launches.
#[derive(Clone, Debug)]
struct Residents<W> {
    a_rep: Tensor<bf16>,
    /// sync, w_ring, mm_out.
    extras: Option<(Tensor<u32>, Tensor<W>, Tensor<bf16>)>,
}

/// What depends on the format of the stream.
#[derive(Debug)]
struct OfFormat<W> {
    stored: Option<Stored<W>>,
    residents: Option<Residents<W>>,
}

impl<W> Default for OfFormat<W> {
    fn default() -> OfFormat<W> {
        OfFormat { stored: None, residents: None }
    }
}

#[derive(Debug)]
enum Memory {
    Bf16(OfFormat<bf16>),
    Bfp8B(OfFormat<bfp8_b>),
}

/// The same expression for the tensors of either format, with the element type as `$w`.
macro_rules! with_memory {
    ($memory:expr, $of:ident, $w:ident => $e:expr) => {
        match $memory {
            Memory::Bf16($of) => {
                type $w = bf16;
                $e
            }
            Memory::Bfp8B($of) => {
                type $w = bfp8_b;
                $e
            }
        }
    };
}

/// Counts of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DescriptorStats {
    pub cbs: usize,
    pub semaphores: usize,
    pub kernels: usize,
    /// Bytes of circular buffers on the core that has most, those on tensors included.
    pub cb_bytes: u64,
    /// The most words of one kernel.
    pub compile_args: usize,
    pub common_args: usize,
}

/// Kernels of a program and how many cores each is on.
pub type KernelGroups = Vec<(String, usize)>;

/// Settings of a [`DitMegakernel`] to be.
#[derive(Debug)]
pub struct Builder {
    cfg: DitConfig,
    layout: ArenaLayout,
    map: CoreMap,
    device: Device,
    policy: Policy,
    k1_extras: bool,
    left_out: u32,
}

impl Builder {
    /// Reads in flight per ring.
    pub fn ring_depth(mut self, depth: u32) -> Builder {
        self.policy.rings.ring_depth = depth;
        self
    }

    /// Writes in flight per reader core.
    pub fn relay_window(mut self, window: u32) -> Builder {
        self.policy.rings.relay_window = window;
        self
    }

    /// The buffers of the matmul-only program.
    pub fn k1_budget(mut self, budget: CbBudget) -> Builder {
        self.policy.k1 = budget;
        self
    }

    /// The buffers of the full program.
    pub fn k4_budget(mut self, budget: K4Budget) -> Builder {
        self.policy.k4 = budget;
        self
    }

    /// How the hub sends.
    pub fn hub(mut self, knobs: HubKnobs) -> Builder {
        self.policy.hub = knobs;
        self
    }

    /// All of it.
    pub fn policy(mut self, policy: Policy) -> Builder {
        self.policy = policy;
        self
    }

    /// Whether the tensors of K1 alone are made by `upload`, before anything else divides L1.
    pub fn k1_extras(mut self, extras: bool) -> Builder {
        self.k1_extras = extras;
        self
    }

    /// Leaves out a rule of the protocol ([`rules`](super::plan::rules)): for tests of the tests.
    #[doc(hidden)]
    pub fn leave_out(mut self, rule: u32) -> Builder {
        self.left_out = rule;
        self
    }

    pub fn build(self) -> Result<DitMegakernel> {
        let Builder { cfg, layout, map, device, policy, k1_extras, left_out } = self;
        policy.check(&cfg, &layout)?;
        let (ring_pages, k_block) = (policy.k1.cb_w.pages(&layout)?, layout.k_block_bytes_max());
        // A K-block of two pages must not run over the end of the ring.
        if !(ring_pages * layout.page_bytes()).is_multiple_of(k_block) {
            return Err(MegakernelError::RingPages { bytes: ring_pages * layout.page_bytes(), page: k_block });
        }
        let settings = Settings {
            reader_mode: layout.reader_mode(),
            ring_depth: policy.rings.ring_depth,
            relay_window: policy.rings.relay_window,
            ring_pages,
            relay_pages: policy.k1.relay_pages(&layout),
            mcast_split: policy.hub.mcast_split,
            left_out,
        };
        let memory = match layout.dtype_stream() {
            StreamDtype::Bf16 => Memory::Bf16(OfFormat::default()),
            StreamDtype::Bfp8B => Memory::Bfp8B(OfFormat::default()),
        };
        map.check_shard_order(map.compute_set().as_slice())?;
        Ok(DitMegakernel {
            cfg,
            layout,
            map,
            device,
            settings,
            k1_extras,
            memory,
            launches: 0,
            first_launch: BTreeMap::new(),
            last: None,
            last_report: None,
        })
    }
}

/// The megakernel on a device.
#[derive(Debug)]
pub struct DitMegakernel {
    cfg: DitConfig,
    layout: ArenaLayout,
    map: CoreMap,
    device: Device,
    settings: Settings,
    k1_extras: bool,
    memory: Memory,
    launches: u64,
    /// How long the first launch of a mode and operation took, its compilation included.
    first_launch: BTreeMap<(u32, u32), Duration>,
    last: Option<CheckedProgram>,
    last_report: Option<RunReport>,
}

impl DitMegakernel {
    pub fn builder(cfg: &DitConfig, layout: ArenaLayout, map: CoreMap, device: Device) -> Builder {
        let policy = Policy::new(&layout);
        Builder { cfg: cfg.clone(), layout, map, device, policy, k1_extras: true, left_out: 0 }
    }

    pub fn layout(&self) -> &ArenaLayout {
        &self.layout
    }

    pub fn core_map(&self) -> &CoreMap {
        &self.map
    }

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

    pub fn kernel_groups(&self) -> Result<KernelGroups> {
        let kernels = self.last_program()?.checked().kernels();
        Ok(kernels.iter().map(|k| (k.name.to_string(), k.cores.len())).collect())
    }

    /// Bytes that the operations of some blocks take in all banks.
    pub fn stream_bytes(&self, blk: u32, n_blk: u32) -> Result<u64> {
        self.layout.stream_bytes(blk, n_blk)
    }

    pub fn arena_bytes_per_step(&self) -> u64 {
        self.layout.arena_bytes_per_step()
    }

    /// Puts the weights and tables of a pack on the device, in place of those before, and makes what stays in L1.
    pub fn upload(&mut self, pack: &ArenaPack) -> Result<()> {
        self.layout.check_pack(pack)?;
        self.deallocate()?;
        let (layout, device) = (&self.layout, &mut self.device);
        with_memory!(&mut self.memory, of, W => of.stored = Some(store::<W>(device, layout, pack)?));
        self.make_residents(self.k1_extras)
    }

    /// What stays in L1, as far as it is missing: a_rep, and the tensors of K1 if asked for.
    fn make_residents(&mut self, extras: bool) -> Result<()> {
        let (cfg, map, device, pages) = (&self.cfg, &self.map, &mut self.device, self.settings.ring_pages);
        with_memory!(&mut self.memory, of, W => {
            if of.residents.is_none() {
                of.residents = Some(Residents { a_rep: make_a_rep(device, cfg, map)?, extras: None });
            }
            if let Some(residents) = &mut of.residents && residents.extras.is_none() && extras {
                residents.extras = Some(make_extras::<W>(device, map, pages)?);
            }
        });
        Ok(())
    }

    /// Frees what stays in L1; the next launch makes it again.
    pub fn release_l1_residents(&mut self) -> Result<()> {
        self.last = None;
        let device = &mut self.device;
        with_memory!(&mut self.memory, of, W => {
            let residents: Option<Residents<W>> = of.residents.take();
            if let Some(Residents { a_rep, extras }) = residents {
                if let Some((sync, w_ring, mm_out)) = extras {
                    device.free(mm_out)?;
                    device.free(w_ring)?;
                    device.free(sync)?;
                }
                device.free(a_rep)?;
            }
        });
        Ok(())
    }

    /// Frees every tensor. `upload` makes them again.
    pub fn deallocate(&mut self) -> Result<()> {
        self.release_l1_residents()?;
        let device = &mut self.device;
        with_memory!(&mut self.memory, of, W => {
            let stored: Option<Stored<W>> = of.stored.take();
            if let Some(Stored { stream, bias_rows, others }) = stored {
                device.free(stream)?;
                device.free(bias_rows)?;
                for tensor in others {
                    device.free(tensor)?;
                }
            }
        });
        Ok(())
    }

    /// One operation of a block, `n_iters` times over; the result of the last time, [64, N].
    pub fn run_single_op(&mut self, x: &Matrix, blk: u32, op: Op, n_iters: u32) -> Result<Matrix> {
        self.launch(x, Launch::single(blk, op, n_iters))?;
        self.read_mm_out(blk, op)
    }

    /// The result of the last single operation, which must be this one.
    pub fn read_mm_out(&self, blk: u32, op: Op) -> Result<Matrix> {
        let (device, map, layout) = (&self.device, &self.map, &self.layout);
        with_memory!(&self.memory, of, W => {
            let residents: Option<&Residents<W>> = of.residents.as_ref();
            let extras = residents.and_then(|r| r.extras.as_ref()).ok_or(MegakernelError::NotUploaded)?;
            mm_out_to_matrix(map, layout.op(blk, op)?, &Matrix::from_host(&device.download(&extras.2)?)?)
        })
    }

    /// The products of some blocks, each from the result of the one before; g of the last, [64, width].
    pub fn run_chain(&mut self, x: &Matrix, blk: u32, n_blk: u32, n_iters: u32) -> Result<Matrix> {
        self.launch(x, Launch::chain(blk, n_blk, n_iters))?;
        self.read_hub_a(self.cfg.width() / TILE)
    }

    /// The four products of every block with nothing between them: the pure weight stream. How long it took.
    pub fn run_stream(&mut self, x: &Matrix, blk: u32, n_blk: u32, n_iters: u32) -> Result<Duration> {
        self.launch(x, Launch::stream(blk, n_blk, n_iters))
    }

    /// The first `n_tiles` column tiles of what was gathered last in the hub, in the order Single.
    pub fn read_hub_a(&self, n_tiles: u32) -> Result<Matrix> {
        with_memory!(&self.memory, of, W => {
            let residents: Option<&Residents<W>> = of.residents.as_ref();
            let a_rep = &residents.ok_or(MegakernelError::NotUploaded)?.a_rep;
            let (shard, rows) = (self.map.linear_id(self.map.hub())? as usize, M_ROWS as usize);
            let all = Matrix::from_host(&self.device.download(a_rep)?)?;
            unpack_single_order(&self.cfg, &all.part(shard * rows..(shard + 1) * rows, 0..all.cols), n_tiles)
        })
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
        let stored = with_memory!(&self.memory, of, W => {
            let stored: &Option<Stored<W>> = &of.stored;
            stored.is_some()
        });
        if !stored {
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
        let program = with_memory!(&self.memory, of, W => {
            let (Some(stored), Some(Residents { a_rep, extras: Some((sync, w_ring, mm_out)) })) =
                (&of.stored, &of.residents)
            else {
                return Err(MegakernelError::NotUploaded);
            };
            let tensors = Tensors::<W> {
                arena: stored.stream.clone(),
                bias_rows: stored.bias_rows.clone(),
                a_rep: a_rep.clone(),
                x_rep: x_rep.clone(),
                w_ring: w_ring.clone(),
                mm_out: mm_out.clone(),
                sync: sync.clone(),
            };
            assemble::program(&self.map, &table, run, &tensors, &self.settings)
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
        let device = &mut self.device;
        with_memory!(&self.memory, of, W => {
            let residents: Option<&Residents<W>> = of.residents.as_ref();
            if let Some((sync, ..)) = residents.and_then(|r| r.extras.as_ref()) {
                device.write(sync, &HostTensor::zeros(sync.shape(), DataFormat::U32)?)?;
            }
        });
        Ok(())
    }
}

fn store<W: Element>(device: &mut Device, layout: &ArenaLayout, pack: &ArenaPack) -> Result<Stored<W>> {
    let stream = upload_arena::<W>(device, layout, pack, ArenaPart::Stream, "arena_stream")?;
    let small = upload_arena::<bf16>(device, layout, pack, ArenaPart::Small, "arena_small")?;
    let tables = &pack.tables;
    let bias_rows = upload_rows(device, "bias_rows", &tables.bias_rows)?;
    let mut others = vec![small];
    others.push(upload_rows(device, "adaln_rows", &tables.adaln_rows)?);
    others.push(upload_rows(device, "b2_step", &tables.b2_step)?);
    others.push(device.upload("b3_pos_rows", &tables.b3_pos_rows)?);
    if let Some(tokens) = &tables.future_tokens {
        others.push(upload_rows(device, "future_tokens", tokens)?);
    }
    others.push(device.upload("self_mask", &tables.self_mask)?);
    Ok(Stored { stream, bias_rows, others })
}

/// A part of the arena as one row of tiles; every bank has a shard.
fn upload_arena<W: Element>(
    device: &mut Device,
    layout: &ArenaLayout,
    pack: &ArenaPack,
    part: ArenaPart,
    name: &str,
) -> Result<Tensor<W>> {
    let banks = layout.cfg().banks;
    let columns = layout.tiles_per_bank(part) as u32 * TILE;
    let memory = MemoryConfig::DramSharded(ShardSpec::width_over_banks([TILE, columns], banks));
    let bytes: Vec<&[u8]> = (0..banks).map(|bank| pack.bank(part, bank)).collect();
    Ok(device.upload_packed(name, &[TILE as usize, (columns * banks) as usize], memory, &bytes)?)
}

/// A table whose pages are its rows.
fn upload_rows(device: &mut Device, name: &'static str, rows: &HostTensor) -> Result<Tensor<bf16>> {
    let tensor = device.upload_row_major::<bf16>(name, rows, MemoryConfig::Dram)?;
    check_row_pages(name, tensor.spec())?;
    Ok(tensor)
}

fn make_a_rep(device: &mut Device, cfg: &DitConfig, map: &CoreMap) -> Result<Tensor<bf16>> {
    let columns = a_rep_columns(cfg);
    let shards = ShardSpec::height([M_ROWS, columns], map.all());
    let shape = [(M_ROWS * map.n_cores()) as usize, columns as usize];
    Ok(device.zeros_in("a_rep", &shape, MemoryConfig::Sharded(shards))?)
}

/// sync, w_ring, mm_out.
fn make_extras<W: Element>(
    device: &mut Device,
    map: &CoreMap,
    ring_pages: u32,
) -> Result<(Tensor<u32>, Tensor<W>, Tensor<bf16>)> {
    let compute = map.compute_set();
    let (all, n) = (map.n_cores(), map.n_compute());
    let sync = ShardSpec::height([TILE, TILE], map.all());
    let sync = device.zeros_in("sync", &[(TILE * all) as usize, TILE as usize], MemoryConfig::Sharded(sync))?;
    let columns = ring_pages * map.banks() * TILE;
    let ring = ShardSpec::width([TILE, columns], &compute);
    let w_ring = device.zeros_in("w_ring", &[TILE as usize, (columns * n) as usize], MemoryConfig::Sharded(ring))?;
    let out = ShardSpec::height([M_ROWS, 2 * TILE], &compute);
    let shape = [(M_ROWS * n) as usize, 2 * TILE as usize];
    let mm_out = device.zeros_in("mm_out", &shape, MemoryConfig::Sharded(out))?;
    Ok((sync, w_ring, mm_out))
}
