//! L1, rings, and what a constructor refuses.

use crate::arena::layout;
use ttl::prelude::Arch;
use ttl_kernels::dit::budget::*;
use ttl_kernels::dit::*;

fn full(mode: ReaderMode, dtype: StreamDtype) -> ArenaLayout {
    ArenaLayout::plan(&DitConfig::n15(), ArenaOptions::new(256).reader_mode(mode).dtype(dtype)).unwrap()
}

#[test]
fn item_050_l1_of_the_card() {
    assert_eq!(L1_USABLE_BYTES, 1_469_312);
    assert_eq!((K4_KERNEL_CONFIG_EXTRA_BYTES, K4_WORKER_L1_SIZE), (98_304, 1_371_008));
    assert_eq!(BLACKHOLE_L1.for_buffers(K4_WORKER_L1_SIZE), 1_338_240);
    assert_eq!(BLACKHOLE_L1.for_buffers(L1_USABLE_BYTES), 1_436_544);
    assert_eq!(Arch::blackhole().l1_size, BLACKHOLE_L1.size);
}

#[test]
fn item_125_the_kernel_ring() {
    // The default ring, up to the rounding of its end, and with the bytes that K4 needs on top.
    let ring = BLACKHOLE_L1.kernel_ring(L1_USABLE_BYTES);
    assert_eq!((ring, ring - 70_656), (70_672, 16));
    assert_eq!(BLACKHOLE_L1.kernel_ring(K4_WORKER_L1_SIZE), ring + 98_304);
}

#[test]
fn item_108_budgets_of_the_full_program() {
    let layout = full(ReaderMode::Direct, StreamDtype::Bf16);
    let budget = K4Budget::new(&layout);
    let rows = budget.compute_rows(&layout);
    let of = |names: &[&str]| -> u64 {
        let found: Vec<&L1Row> = rows.iter().filter(|row| names.contains(&row.name)).collect();
        assert_eq!(found.len(), names.len());
        found.iter().map(|row| u64::from(row.bytes)).sum()
    };
    // The rows of the specification.
    assert_eq!(of(&["cb_a"]), 262_144);
    assert_eq!(of(&["cb_x"]), 98_304);
    assert_eq!(of(&["cb_w"]), 131_072);
    assert_eq!(of(&["cb_tw"]), 98_304);
    assert_eq!(of(&["cb_bias", "cb_mod"]), 16_384);
    assert_eq!(of(&["cb_stat", "cb_h"]), 20_480);
    assert_eq!(of(&["cb_mm0", "cb_acc"]), 24_576);
    assert_eq!(of(&["cb_q", "cb_k", "cb_v", "cb_mask"]), 106_496);
    assert_eq!(of(&["cb_s", "cb_p", "cb_ml", "cb_o"]), 90_112);
    assert_eq!(of(&["cb_part"]), 65_536);
    assert_eq!(of(&["cb_row", "cb_scalar"]), 20_480);
    assert_eq!(total_bytes(&rows) - of(&["cb_f1"]), 933_888);
    assert_eq!(total_bytes(&rows), 942_080);
    assert_eq!(u64::from(BLACKHOLE_L1.for_buffers(K4_WORKER_L1_SIZE)) - 933_888, 404_352);
    budget.check_l1(&layout).unwrap();
    for (cfg, land) in [(DitConfig::n15(), 65_536), (DitConfig::n16(), 262_144)] {
        assert_eq!(cb_land_bytes(&cfg), land);
        let layout = ArenaLayout::plan(&cfg, ArenaOptions::new(256)).unwrap();
        assert!(total_bytes(&K4Budget::new(&layout).hub_rows(&layout)) < 600_000);
    }
}

#[test]
fn item_108_budget_of_the_matmul_only_program() {
    let layout = full(ReaderMode::Relay, StreamDtype::Bf16);
    let budget = CbBudget::new(layout.cfg());
    let rows = budget.compute_rows(&layout, layout.cfg().ff_dim());
    let bytes: Vec<u32> = rows.iter().map(|row| row.bytes).collect();
    assert_eq!(bytes, [262_144, 786_432, 98_304, 8_192, 4_096]);
    assert_eq!(total_bytes(&rows), 1_159_168);
    assert_eq!(budget.relay_pages(&layout), 12);
    assert_eq!(budget.cb_w_bytes(layout.k_block_bytes_max()), 6 * 16_384);
    budget.check_l1(&layout).unwrap();
    // Block floats: the same pages, smaller.
    let layout = full(ReaderMode::Relay, StreamDtype::Bfp8B);
    assert_eq!(budget.cb_w_bytes(layout.k_block_bytes_max()), 6 * 8_704);
    assert_eq!((budget.cb_w.pages(&layout).unwrap(), budget.relay_pages(&layout)), (6, 12));
}

#[test]
fn item_108_what_does_not_fit_is_named() {
    let layout = full(ReaderMode::Direct, StreamDtype::Bf16);
    let k1 = CbBudget { cb_w: Ring::KBlocks(12), ..CbBudget::new(layout.cfg()) };
    assert_eq!(
        k1.check_l1(&layout).unwrap_err().to_string(),
        "the buffers of a K1 compute core take 1454080 B of 1436544 B of L1; the largest: x_rep 786432 B, w_ring 393216 B, a_rep 262144 B"
    );
    let k4 = K4Budget { cb_w: Ring::KBlocks(17), ..K4Budget::new(&layout) };
    assert_eq!(
        k4.check_l1(&layout).unwrap_err().to_string(),
        "the buffers of a K4 compute core take 1368064 B of 1338240 B of L1; the largest: cb_w 557056 B, cb_a 262144 B, cb_x 98304 B"
    );
    let k4 = K4Budget { tw_tiles: 40, ..K4Budget::new(&layout) };
    assert_eq!(k4.check_l1(&layout).unwrap_err().to_string(), "the largest tail slice has 48 tiles, cb_tw holds 40");
}

#[test]
fn item_112_defaults_of_the_constructor() {
    let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64));
    let policy = Policy::new(&layout);
    assert_eq!((policy.rings.ring_depth, policy.rings.relay_window, policy.reader_mode), (4, 6, None));
    policy.check(layout.cfg(), &layout).unwrap();
}

#[test]
fn item_113_checks_of_the_constructor() {
    let direct = layout(Version::N15, 1, 2, ArenaOptions::new(64));
    let refused = |cfg: &DitConfig, change: fn(&mut Policy)| {
        let mut policy = Policy::new(&direct);
        change(&mut policy);
        policy.check(cfg, &direct).unwrap_err().to_string()
    };
    let cfg = direct.cfg().clone();
    let other = DitConfig::scaled(Version::N16, 1, 2).unwrap();
    assert_eq!(refused(&other, |_| ()), "arena is N1.5, cfg is N1.6");
    let more = DitConfig { n_blocks: 4, ..cfg.clone() };
    assert_eq!(
        refused(&more, |_| ()),
        "the arena was planned for another configuration: the number of blocks is 2, cfg has 4"
    );
    assert_eq!(
        refused(&cfg, |p| p.reader_mode = Some(ReaderMode::Relay)),
        "the arena is laid out for direct readers, the policy asks for relay"
    );
    for (depth, text) in [(0, "ring_depth 0"), (16, "ring_depth 16")] {
        let mut policy = Policy::new(&direct);
        policy.rings.ring_depth = depth;
        let got = policy.check(&cfg, &direct).unwrap_err().to_string();
        assert_eq!(got, format!("{text} is not in 1..=15 (NoC transaction ids)"));
    }
    assert_eq!(refused(&cfg, |p| p.rings.relay_window = 16), "relay_window 16 is not in 1..=15 (NoC transaction ids)");
    assert_eq!(refused(&cfg, |p| p.hub.mcast_split = 5), "multicast share 5 is not in 0..=4 quarters");
    let options = ArenaOptions { tile_order: TileOrder::ColumnMajor, ..ArenaOptions::new(64) };
    let wrong = layout(Version::N15, 1, 2, options);
    let text = Policy::new(&wrong).check(wrong.cfg(), &wrong).unwrap_err().to_string();
    assert!(text.starts_with("the kernel consumes matmul_block in1 order"), "{text}");
    // The order: a wrong arena comes before a wrong depth, that before the rings.
    assert!(refused(&other, |p| p.rings.ring_depth = 0).starts_with("arena is"));
    assert!(refused(&cfg, |p| (p.rings.ring_depth, p.k1.cb_w) = (16, Ring::Bytes(5))).starts_with("ring_depth 16"));
}

#[test]
fn item_114_ring_progress() {
    let layout = full(ReaderMode::Direct, StreamDtype::Bf16);
    let with = |depth, change: fn(&mut Policy)| {
        let mut policy = Policy::new(&layout);
        policy.rings.ring_depth = depth;
        change(&mut policy);
        policy.check(layout.cfg(), &layout).map_err(|e| e.to_string())
    };
    // Six pages: a depth of four just goes.
    assert_eq!(with(4, |_| ()), Ok(()));
    assert_eq!(
        with(5, |_| ()).unwrap_err(),
        "CBBudget: ring_depth 5 + 2 > cb_w pages 6: PageRing could never issue into a ring that holds one un-consumed K-block"
    );
    let eight = |p: &mut Policy| p.k1.cb_w = Ring::KBlocks(6);
    assert_eq!(with(6, eight), Ok(()));
    assert_eq!(
        with(7, eight).unwrap_err(),
        "K4Budget: ring_depth 7 + 2 > cb_w pages 8: PageRing could never issue into a ring that holds one un-consumed K-block"
    );
}

#[test]
fn item_115_relay_progress() {
    let with = |mode, window, slots| {
        let layout = full(mode, StreamDtype::Bf16);
        let mut policy = Policy::new(&layout);
        policy.rings.relay_window = window;
        policy.k1.cb_relay_slots = slots;
        policy.check(layout.cfg(), &layout).map_err(|e| e.to_string())
    };
    // 12 pages: 9 + 4 = 12 + 1 goes, one more does not.
    assert_eq!(with(ReaderMode::Relay, 9, 6), Ok(()));
    assert_eq!(
        with(ReaderMode::Relay, 10, 6).unwrap_err(),
        "relay_window 10 + ring_depth 4 > relay pages 12 + 1: the reader NCRISC/BRISC pair would deadlock"
    );
    assert_eq!(
        with(ReaderMode::Relay, 6, 4).unwrap_err(),
        "relay_window 6 + ring_depth 4 > relay pages 8 + 1: the reader NCRISC/BRISC pair would deadlock"
    );
    assert_eq!(with(ReaderMode::Direct, 10, 6), Ok(()), "nobody relays");
}

#[test]
fn item_116_k_blocks_and_pages() {
    for banks in [1, 2, 4, 8] {
        let bf16 = layout(Version::N15, banks, 2, ArenaOptions::new(64));
        assert_eq!((bf16.page_bytes(), bf16.k_block_bytes_max()), (banks * 2048, 2 * banks * 2048));
        let bfp8 = layout(Version::N15, banks, 2, ArenaOptions::new(64).dtype(StreamDtype::Bfp8B));
        assert_eq!((bfp8.page_bytes(), bfp8.k_block_bytes_max()), (banks * 1088, 2 * banks * 1088));
    }
}

#[test]
fn item_117_rings_of_whole_pages() {
    let layout = full(ReaderMode::Direct, StreamDtype::Bf16);
    let mut policy = Policy::new(&layout);
    policy.k1.cb_w = Ring::Bytes(100_000);
    let text = policy.check(layout.cfg(), &layout).unwrap_err().to_string();
    assert_eq!(text, "cb_w 100000 B is not a whole number of 16384 B pages");
}

#[test]
fn item_118_a_rep() {
    let cfg = DitConfig::n15();
    assert_eq!((a_rep_columns(&cfg), a_rep_bytes(&cfg)), (2048, 262_144));
    // 128 pages: two chunks of 64 pages, or all heads.
    assert_eq!(a_rep_bytes(&cfg) / 2048, 2 * 2 * cfg.chunk_cols() / 32);
    assert_eq!(a_rep_columns(&cfg), cfg.inner());
    let small = DitConfig::scaled(Version::N15, 1, 2).unwrap();
    assert_eq!((a_rep_columns(&small), small.inner()), (256, 256));
}

#[test]
fn item_124_grids_of_the_card() {
    check_device(&Arch::blackhole()).unwrap();
    assert_eq!(
        check_device(&Arch::wormhole()).unwrap_err().to_string(),
        format!(
            "the device has a compute grid of {}x{}; the megakernel needs (11, 10)",
            Arch::wormhole().grid_x,
            Arch::wormhole().grid_y
        )
    );
    assert_eq!(
        check_grids((11, 10), (7, 1)).unwrap_err().to_string(),
        "the device has a DRAM grid of 7x1; the megakernel needs (8, 1)"
    );
    assert_eq!(
        check_grids((10, 11), (8, 1)).unwrap_err().to_string(),
        "the device has a compute grid of 10x11; the megakernel needs (11, 10)"
    );
}
