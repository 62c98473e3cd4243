//! What comes with a call, and what comes back.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::arena::layout;
use crate::references::random;
use ttl::prelude::{DataFormat, HostTensor};
use ttl::runtime::tensor::TensorSpec;
use ttl_kernels::dit::bindings::*;
use ttl_kernels::dit::readback::*;
use ttl_kernels::dit::*;

type Kv = BTreeMap<u32, [TensorSpec; 2]>;

fn spec(shape: &[usize], format: DataFormat) -> TensorSpec {
    TensorSpec::new(shape, format).unwrap()
}

#[test]
fn item_135_keys_and_values() {
    let layout = layout(Version::N16, 1, 4, ArenaOptions::new(64));
    let good = || spec(&[1, 4, 64, 64], DataFormat::Bf16);
    let kv: Kv = [(0, [good(), good()]), (2, [good(), good()])].into();
    check_kv(&layout, &kv).unwrap();
    let refused = |change: &dyn Fn(&mut Kv)| {
        let mut kv = kv.clone();
        change(&mut kv);
        check_kv(&layout, &kv).unwrap_err().to_string()
    };
    assert_eq!(refused(&|kv| drop(kv.remove(&2))), "kv lacks cross block 2");
    assert_eq!(refused(&|kv| drop(kv.insert(3, [good(), good()]))), "kv has entries for non-cross blocks [3]");
    assert_eq!(refused(&|kv| drop(kv.insert(4, [good(), good()]))), "kv has entries for non-cross blocks [4]");
    // Transposed keys.
    let wrong = spec(&[1, 4, 64, 32], DataFormat::Bf16);
    assert_eq!(
        refused(&|kv| drop(kv.insert(2, [wrong.clone(), good()]))),
        "block 2 hoisted K must be [1, 4, 64, 64], got [1, 4, 64, 32]"
    );
    let wrong = spec(&[1, 4, 64, 64], DataFormat::F32);
    assert_eq!(refused(&|kv| drop(kv.insert(0, [good(), wrong.clone()]))), "block 0 hoisted V must be bf16, got f32");
    let rows = TensorSpec::row_major([1, 4, 64, 64], DataFormat::Bf16).unwrap();
    assert_eq!(
        refused(&|kv| drop(kv.insert(0, [rows.clone(), good()]))),
        "kv_k: DRAM page 128 B != 2048 (the kernel reads whole tiles)"
    );
}

#[test]
fn item_136_masks() {
    let layout = layout(Version::N16, 1, 4, ArenaOptions::new(192));
    let good = || Some(spec(&[1, 1, 64, 192], DataFormat::Bf16));
    let masks = Masks { text: good(), image: good(), all: None, own: None };
    check_masks(&layout, &masks).unwrap();
    let refused = |change: &dyn Fn(&mut Masks<TensorSpec>)| {
        let mut masks = masks.clone();
        change(&mut masks);
        check_masks(&layout, &masks).unwrap_err().to_string()
    };
    assert_eq!(refused(&|m| m.text = None), "mask 'text' is read by the kernel of this layout but missing");
    assert_eq!(refused(&|m| m.all = good()), "mask 'all' is not read by the kernel of this layout");
    let short = Some(spec(&[1, 1, 64, 64], DataFormat::Bf16));
    assert_eq!(refused(&|m| m.image = short.clone()), "mask 'image' must be [1, 1, 64, 192], got [1, 1, 64, 64]");
    assert_eq!(refused(&|m| m.own = good()), "mask 'self' must be [1, 1, 64, 64], got [1, 1, 64, 192]");
    let mut own = masks.clone();
    own.own = short;
    check_masks(&layout, &own).unwrap();
    let wide = Some(spec(&[1, 1, 64, 192], DataFormat::F32));
    assert_eq!(refused(&|m| m.text = wide.clone()), "mask 'text' holds f32; it must be bf16");
}

#[test]
fn item_137_launches_with_nothing_bound() {
    let n16 = layout(Version::N16, 1, 4, ArenaOptions::new(64));
    let strict = AllowPlaceholders::default();
    let mut bound = Bound::default();
    assert_eq!(bound.check_launch(&n16, strict).unwrap_err().to_string(), "call upload(pack) first");
    bound.upload();
    let text = bound.check_launch(&n16, strict).unwrap_err().to_string();
    assert_eq!(text, "hoisted K/V not bound for cross blocks [0, 2] (bind_kv)");
    assert!(bound.bind_kv(2), "a placeholder is freed");
    assert!(!bound.bind_kv(2), "what was bound is the caller's");
    let text = bound.check_launch(&n16, strict).unwrap_err().to_string();
    assert_eq!(text, "hoisted K/V not bound for cross blocks [0] (bind_kv)");
    bound.bind_kv(0);
    let text = bound.check_launch(&n16, strict).unwrap_err().to_string();
    assert_eq!(text, "per-call masks not bound: [\"text\"] (bind_masks)");
    bound.bind_mask(KeySet::Text);
    bound.check_launch(&n16, strict).unwrap(); // the image mask may be a placeholder
    bound.upload();
    assert!(bound.check_launch(&n16, strict).is_err(), "an upload makes new placeholders");
    bound.check_launch(&n16, AllowPlaceholders { kv: true, masks: true }).unwrap();
    let text = bound.check_launch(&n16, AllowPlaceholders { kv: true, masks: false }).unwrap_err().to_string();
    assert_eq!(text, "per-call masks not bound: [\"text\"] (bind_masks)");
    let n15 = layout(Version::N15, 1, 4, ArenaOptions::new(64));
    let text = bound.check_launch(&n15, AllowPlaceholders { kv: true, masks: false }).unwrap_err().to_string();
    assert_eq!(text, "per-call masks not bound: [\"all\"] (bind_masks)");
}

#[test]
fn item_139_noise_and_state() {
    for version in [Version::N15, Version::N16] {
        let cfg = DitConfig::scaled(version, 1, 4).unwrap();
        let (h, a) = (cfg.horizon as usize, cfg.a_max as usize);
        let noise = HostTensor::from_fn([1, h, a], |i| i as f32 + 1.0).unwrap();
        let x = place_noise(&cfg, &noise).unwrap();
        assert_eq!((x.shape(), x.format()), (&[64, cfg.a_pad() as usize][..], DataFormat::F32));
        let placed = Matrix::from_host(&x).unwrap();
        let first = (cfg.m() - cfg.horizon) as usize;
        for r in 0..64 {
            let action = (first..first + h).contains(&r);
            assert!(placed.row(r).iter().all(|&v| (v != 0.0) == action), "row {r}");
        }
        assert_eq!(placed.at(first + 1, 2), (a + 3) as f32);
        assert_eq!(take_actions(&cfg, &placed).unwrap(), noise);
        let wrong = HostTensor::zeros([h, a], DataFormat::F32).unwrap();
        let text = place_noise(&cfg, &wrong).unwrap_err().to_string();
        assert_eq!(text, format!("noise has the shape [{h}, {a}]; it must be [1, {h}, {a}]"));
        let state = HostTensor::from_fn([1, 1, 192], |i| i as f32).unwrap();
        assert_eq!(place_state(&cfg, &state).unwrap().shape(), [1, 192]);
        let short = HostTensor::zeros([191], DataFormat::F32).unwrap();
        assert_eq!(place_state(&cfg, &short).unwrap_err().to_string(), "state has 191 elements; it must have 192");
    }
}

#[test]
fn item_094_single_order() {
    let cfg = DitConfig::n15();
    let x = random(64, 1536, 1);
    let shard = pack_order(&x, In0Order::Single, 2048);
    assert_eq!(unpack_single_order(&cfg, &shard, 48).unwrap(), x);
    // By hand: tile (1, 5) is page 11, in the first row of pages.
    assert_eq!(shard.part(0..32, 11 * 32..12 * 32), x.part(32..64, 160..192));
    let text = unpack_single_order(&cfg, &shard.part(0..64, 0..1024), 32).unwrap_err().to_string();
    assert_eq!(text, "expected a [64, 2048] shard, got [64, 1024]");
    assert_eq!(
        unpack_single_order(&cfg, &shard, 65).unwrap_err().to_string(),
        "65 column tiles do not fit a shard of 2048 columns"
    );
    assert_ne!(unpack_pairs_order(&shard, 48).unwrap(), x, "the wrong order");
}

#[test]
fn item_095_pairs_order() {
    let x = random(64, 2048, 2);
    let shard = pack_order(&x, In0Order::Pairs, 2048);
    assert_eq!(unpack_pairs_order(&shard, 64).unwrap(), x);
    // Tile (1, 2) is page 4 + 2.
    assert_eq!(shard.part(0..32, 6 * 32..7 * 32), x.part(32..64, 64..96));
    assert_eq!(unpack_pairs_order(&shard.top(32), 64).unwrap_err().to_string(), "expected 64 rows, got [32, 2048]");
    let rows = pack_order(&x, In0Order::RowMajor, 2048);
    assert_eq!((unpack_row_major_order(&rows, 64).unwrap(), rows), (x.clone(), x));
}

/// Results as the cores hold them, by hand, in a given order of cores.
fn mm_out(map: &CoreMap, op: &ArenaOp, result: &Matrix, order: &[u32]) -> Matrix {
    let mut out = Matrix::from_fn(order.len() * 64, 64, |_, _| f32::NAN);
    for (shard, &c) in order.iter().enumerate() {
        if let Ok(slot) = op.core_set.slot_of(map.banks(), c) {
            let wide = 32 * op.n_tiles_per_core as usize;
            let slice = result.part(0..64, slot as usize * wide..(slot as usize + 1) * wide);
            if wide == 64 {
                out.place(shard * 64, 0, &slice);
            } else {
                out.place(shard * 64, 0, &slice.top(32));
                out.place(shard * 64, 32, &slice.part(32..64, 0..32));
            }
        }
    }
    out
}

#[test]
fn item_096_results_of_all_cores() {
    for banks in [1, 2, 8] {
        let layout = layout(Version::N15, banks, 2, ArenaOptions::new(64));
        let map = CoreMap::simulated(layout.cfg());
        for (blk, op) in [(0, Op::Qkv), (1, Op::Qkv), (0, Op::Wo), (0, Op::Ff2)] {
            let op = layout.op(blk, op).unwrap();
            let result = random(64, op.n_tiles as usize * 32, 3);
            let there = mm_out(&map, op, &result, &map.shard_order());
            assert!(mm_out_to_matrix(&map, op, &there).unwrap() == result, "{banks} banks, {}", op.name);
            // In the order of compute cores the columns are permuted, or those of idle cores.
            let compute: Vec<u32> = (0..map.n_compute()).collect();
            assert!(mm_out_to_matrix(&map, op, &mm_out(&map, op, &result, &compute)).unwrap() != result);
        }
    }
    let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64));
    let map = CoreMap::simulated(layout.cfg());
    let text = mm_out_to_matrix(&map, layout.op(0, Op::Wo).unwrap(), &Matrix::zeros(64, 64)).unwrap_err().to_string();
    assert_eq!(text, "mm_out has the shape [64, 64]; it must be [768, 64]");
}

#[test]
fn item_097_rows_of_x() {
    let cfg = DitConfig::scaled(Version::N15, 2, 2).unwrap();
    let map = CoreMap::simulated(&cfg);
    let x = random(64, 384, 4);
    let tensor = make_x_rows(&map, &x).unwrap();
    let rows = read_x_rows_all(&map, &tensor).unwrap();
    assert_eq!(rows.len(), 24);
    for (c, row) in rows.iter().enumerate() {
        assert_eq!(*row, x.part(c / 12 * 32..c / 12 * 32 + 32, 0..384), "core {c}");
    }
    assert_eq!(x_row_cores(&cfg), (0, 12));
    assert_eq!(x_row_cores(&DitConfig::n15()), (0, 48));
    assert_eq!(read_x_rows(&map, &tensor, (0, 12)).unwrap(), x);
    assert_eq!(read_x_rows(&map, &tensor, (11, 23)).unwrap(), x);
    assert_eq!(
        read_x_rows(&map, &tensor, (0, 11)).unwrap_err().to_string(),
        "core 11 keeps tile row 0 of x, asked for row 1: core c keeps tile row c / 6B"
    );
    assert!(read_x_rows(&map, &tensor, (0, 24)).is_err());
    // Compute order instead of shard order: a core would have the other row.
    let by_index = Matrix { data: rows.iter().flat_map(|m| m.data.clone()).collect(), ..tensor.clone() };
    assert_ne!(by_index, tensor);
    assert!(read_x_rows_all(&map, &x).is_err());
}

#[test]
fn item_120_inputs_of_all_cores() {
    let cfg = DitConfig::scaled(Version::N15, 1, 2).unwrap();
    let map = CoreMap::simulated(&cfg);
    let x = random(64, 768, 5);
    let rep = make_x_rep(&map, &x).unwrap();
    assert_eq!((rep.rows, rep.cols), (12 * 64, 768));
    assert!((0..12).all(|c| rep.part(64 * c..64 * c + 64, 0..768) == x));
    let text = |m: Result<Matrix>| m.unwrap_err().to_string();
    assert_eq!(text(make_x_rep(&map, &x.top(32))), "x has the shape [32, 768]; it must be [64, 768]");
    assert_eq!(text(make_x_rep(&map, &x.part(0..64, 0..100))), "x has the shape [64, 100]; it must be [64, 128]");
    assert_eq!(text(make_x_rows(&map, &x.top(49))), "x has the shape [49, 768]; it must be [64, 768]");
}

#[test]
fn item_099_dumps() {
    let layout = layout(Version::N15, 2, 2, ArenaOptions::new(64));
    let cfg = layout.cfg().clone();
    let width = cfg.width() as usize;
    // Each dump as its cores would leave it.
    let dumped = |tile: &dyn Fn(u32, usize) -> Option<Matrix>| {
        let rows = (0..cfg.compute_cores()).map(|c| {
            let mut row = Matrix::from_fn(32, width, |_, _| f32::NAN);
            (0..4).for_each(|i| tile(c, i).into_iter().for_each(|t| row.place(0, 32 * i, &t)));
            row
        });
        Dumped::new(&layout, rows.collect()).unwrap()
    };
    let tile = |m: &Matrix, r: usize, n: usize| m.part(32 * r..32 * r + 32, 32 * n..32 * n + 32);

    let h = random(64, width, 1);
    let got = dumped(&|c, i| (i == 0).then(|| tile(&h, c as usize / 12, c as usize % 12)));
    assert_eq!(got.tiles(), h);

    let f = random(64, cfg.ff_dim() as usize, 2);
    let got = dumped(&|c, i| (i < 2).then(|| tile(&f, c as usize / 12, 2 * c as usize + i))).ff1();
    // Core c has the columns 64c of its own row only: the rest stays zero.
    for c in 0..24usize {
        let (own, columns) = (c / 12, 64 * c..64 * c + 64);
        assert_eq!(
            got.part(32 * own..32 * own + 32, columns.clone()),
            f.part(32 * own..32 * own + 32, columns.clone())
        );
        assert!(got.part(32 * (1 - own)..32 * (1 - own) + 32, columns).data.iter().all(|&v| v == 0.0));
    }

    let g = random(64, width, 3);
    let got = dumped(&|c, i| (c % 2 == 0 && i < 2).then(|| tile(&g, i, c as usize / 2)));
    assert_eq!(got.g(), g);

    let q = random(64, cfg.inner() as usize, 4);
    let got = dumped(&|c, i| (c < 8).then(|| tile(&q, i / 2, 2 * c as usize + i % 2)));
    assert_eq!(got.heads(), q);

    let rows = (0..24).map(|c| h.part(c / 12 * 32..c / 12 * 32 + 32, 0..width)).collect();
    assert_eq!(Dumped::new(&layout, rows).unwrap().rows(), h);
    let text = Dumped::new(&layout, vec![Matrix::zeros(32, 10); 24]).unwrap_err().to_string();
    assert_eq!(text, "the dumped rows has the shape [24, 32, 10]; it must be [24, 32, 384]");
}

#[test]
fn item_158_rates() {
    // 5 ms to launch, 2 ms an iteration; the first run of each is slower, and so is one more.
    let mut calls = Vec::new();
    let rate = measure_rate(
        |n| {
            calls.push(n);
            let slow = if calls.len() < 3 || calls.len() == 4 { 100 } else { 0 };
            Ok(Duration::from_millis(u64::from(5 + 2 * n + slow)))
        },
        2,
        10,
        4_000_000,
        3,
    )
    .unwrap();
    assert_eq!(calls, [2, 10, 2, 2, 2, 10, 10, 10]);
    assert_eq!((rate.t_small, rate.t_large), (Duration::from_millis(9), Duration::from_millis(25)));
    assert!((rate.per_iter - 2e-3).abs() < 1e-12 && (rate.gb_per_s - 2.0).abs() < 1e-9);
    let flat = measure_rate(|_| Ok(Duration::from_millis(1)), 1, 2, 100, 1).unwrap();
    assert_eq!((flat.per_iter, flat.gb_per_s), (0.0, f64::INFINITY));
    for (small, large) in [(0, 2), (3, 3), (4, 3)] {
        let text = measure_rate(|_| Ok(Duration::ZERO), small, large, 1, 3).unwrap_err().to_string();
        assert_eq!(text, format!("need 1 <= n_small < n_large, got {small} and {large}"));
    }
    assert!(measure_rate(|_| Ok(Duration::ZERO), 1, 2, 1, 0).is_err());
    let failed = measure_rate(|_| Err(MegakernelError::NotUploaded), 1, 2, 1, 3).unwrap_err();
    assert_eq!(failed.to_string(), "call upload(pack) first");
}
