//! A device with the tensors of a plan, and launches on it.

use crate::plan::{Layer, Plan};
use ttl::prelude::*;
use ttl_kernels::dit::k1::assemble::{self, Settings, Tensors};
use ttl_kernels::dit::k1::plan::Run;
use ttl_kernels::dit::{CoreMap, K1Mode, Op, ReaderMode};

pub(crate) fn settings(mode: ReaderMode) -> Settings {
    Settings {
        reader_mode: mode,
        ring_depth: 4,
        relay_window: 6,
        ring_pages: 6,
        relay_pages: 12,
        mcast_split: 2,
        left_out: 0,
    }
}

/// What a launch does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) mode: K1Mode,
    pub(crate) op: Op,
    pub(crate) blk: u32,
    pub(crate) n_blk: u32,
    pub(crate) n_iters: u32,
}

impl Launch {
    pub(crate) fn single(blk: u32, op: Op) -> Launch {
        Launch { mode: K1Mode::Single, op, blk, n_blk: 1, n_iters: 1 }
    }

    pub(crate) fn chain(blk: u32, n_blk: u32) -> Launch {
        Launch { mode: K1Mode::Chain, op: Op::Qkv, blk, n_blk, n_iters: 1 }
    }

    pub(crate) fn stream(blk: u32, n_blk: u32) -> Launch {
        Launch { mode: K1Mode::Stream, op: Op::Qkv, blk, n_blk, n_iters: 1 }
    }
}

pub(crate) fn build<W: Element>(
    device: &mut Device,
    plan: &Plan,
    x: &HostTensor,
    launch: Launch,
    settings: &Settings,
) -> ttl::Result<(Program, Tensors<W>)> {
    let map = CoreMap::simulated(&plan.cfg);
    let banks = plan.cfg.banks;
    let b = banks as usize;
    let (n_cores, n_compute) = (map.n_cores() as usize, map.n_compute() as usize);
    let compute = map.compute_set();
    let everywhere: CoreSet = map.all().into();
    let height = |shape: [u32; 2], cores: &CoreSet| MemoryConfig::Sharded(ShardSpec::height(shape, cores));
    let rows = plan.tiles() * 32;
    let arena = MemoryConfig::DramSharded(ShardSpec::width_over_banks([rows as u32, 32], banks));
    let a_cols = 256 * banks;
    let k = x.shape()[1];
    let replicated = x.to_f32_vec();
    let x = HostTensor::from_fn([64 * n_compute, k], |i| replicated[i % replicated.len()])?;
    let ring_cols = settings.ring_pages * banks * 32;
    let ring = MemoryConfig::Sharded(ShardSpec::width([32, ring_cols], &compute));
    let tensors = Tensors::<W> {
        arena: device.upload_packed("arena", &[rows, 32 * b], arena, &plan.stream)?,
        bias_rows: device.upload_row_major("bias_rows", &plan.bias_rows, MemoryConfig::Dram)?,
        a_rep: device.zeros_in("a_rep", &[64 * n_cores, a_cols as usize], height([64, a_cols], &everywhere))?,
        sync: device.zeros_in("sync", &[32 * n_cores, 32], height([32, 32], &everywhere))?,
        w_ring: device.zeros_in("w_ring", &[32, ring_cols as usize * n_compute], ring)?,
        mm_out: device.zeros_in("mm_out", &[64 * n_compute, 64], height([64, 64], &compute))?,
        x_rep: device.upload_in("x_rep", &x, height([64, k as u32], &compute))?,
    };
    let run = Run {
        mode: launch.mode as u32,
        single_op: launch.op as u32,
        blk_first: launch.blk,
        n_blk: launch.n_blk,
        n_iters: launch.n_iters,
        x_tiles: 2 * k as u32 / 32,
        pop_mm: launch.n_iters > 1 || launch.mode == K1Mode::Stream,
    };
    let program = assemble::program(&map, &plan.table, run, &tensors, settings);
    Ok((program, tensors))
}

/// The result of a single operation: [64, N].
pub(crate) fn single_result(device: &Device, plan: &Plan, mm_out: &Tensor<bf16>, launch: Launch) -> Vec<f32> {
    let map = CoreMap::simulated(&plan.cfg);
    let all = device.download(mm_out).expect("on this device").to_f32_vec();
    let cross = plan.cfg.is_cross(launch.blk);
    let set = launch.op.core_set(cross);
    let n = launch.op.n_tiles(plan.cfg.banks, cross) as usize * 32;
    let ct = launch.op.ct() as usize;
    let mut out = vec![0.0; 64 * n];
    for (shard, c) in map.shard_order().into_iter().enumerate() {
        if !set.participates(plan.cfg.banks, c) {
            continue;
        }
        let column = set.slot(c) as usize * 32 * ct;
        for r in 0..64 {
            for i in 0..32 * ct {
                // One column of tiles: rows 32 to 63 lie in the second tile of the first row.
                let (row, col) = if ct == 2 { (r, i) } else { (r % 32, r / 32 * 32 + i) };
                out[r * n + column + i] = all[(shard * 64 + row) * 64 + col];
            }
        }
    }
    out
}

/// The matrix that was gathered last in the hub, [64, 32 * n_tiles] in the order Single.
pub(crate) fn hub_result(device: &Device, plan: &Plan, a_rep: &Tensor<bf16>, n_tiles: usize) -> Vec<f32> {
    let map = CoreMap::simulated(&plan.cfg);
    let shard = map.linear_id(map.hub()).expect("a core") as usize;
    let pages = a_rep.shard_pages() as usize;
    let bytes = device.pages(a_rep.handle()).expect("on this device");
    let tile = |page: usize| {
        let at = (shard * pages + page) * 2048;
        HostTensor::from_tiles([32, 32], DataFormat::Bf16, &bytes[at..at + 2048]).expect("a tile").to_f32_vec()
    };
    let n = n_tiles * 32;
    let mut out = vec![0.0; 64 * n];
    for column in 0..n_tiles {
        for r in 0..2 {
            let tile = tile(2 * column + r);
            for i in 0..1024 {
                out[(r * 32 + i / 32) * n + column * 32 + i % 32] = tile[i];
            }
        }
    }
    out
}

fn r(x: f64) -> f32 {
    bf16::from_f64(x).to_f32()
}

/// `r(x w + b)` with GELU behind ff1; K is taken modulo the columns of x.
pub(crate) fn product(layer: &Layer, x: &[f32], gelu: bool) -> Vec<f32> {
    let columns = x.len() / 64;
    let mut out = Vec::with_capacity(64 * layer.n);
    for row in 0..64 {
        let mut sums = vec![0f64; layer.n];
        for k in 0..layer.k {
            let a = f64::from(x[row * columns + k % columns]);
            for (sum, w) in sums.iter_mut().zip(&layer.weights[k * layer.n..]) {
                *sum += a * f64::from(*w);
            }
        }
        for (sum, bias) in sums.iter().zip(&layer.bias) {
            let y = sum + f64::from(*bias);
            out.push(r(if gelu {
                0.5 * y * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (y + 0.044715 * y * y * y)).tanh())
            } else {
                y
            }));
        }
    }
    out
}

/// g of the last of a chain of blocks.
pub(crate) fn chain(plan: &Plan, x: &[f32], blk: u32, n_blk: u32) -> Vec<f32> {
    let mut x = x.to_vec();
    for layers in &plan.layers[blk as usize..(blk + n_blk) as usize] {
        let qkv = product(&layers[0], &x, false);
        let inner = plan.cfg.inner() as usize;
        let q: Vec<f32> = qkv.chunks(layers[0].n).flat_map(|row| row[..inner].to_vec()).collect();
        let o = product(&layers[1], &q, false);
        let f = product(&layers[2], &o, true);
        x = product(&layers[3], &f, false);
    }
    x
}

/// PCC and relative error.
pub(crate) fn compare(got: &[f32], want: &[f32]) -> (f64, f64) {
    assert_eq!(got.len(), want.len());
    let n = got.len() as f64;
    let mean = |v: &[f32]| v.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
    let (mg, mw) = (mean(got), mean(want));
    let (mut gg, mut ww, mut gw, mut dd, mut w2) = (0f64, 0f64, 0f64, 0f64, 0f64);
    for (&g, &w) in got.iter().zip(want) {
        let (g, w) = (f64::from(g), f64::from(w));
        gg += (g - mg) * (g - mg);
        ww += (w - mw) * (w - mw);
        gw += (g - mg) * (w - mw);
        dd += (g - w) * (g - w);
        w2 += w * w;
    }
    (gw / (gg * ww).sqrt(), (dd / w2).sqrt())
}
