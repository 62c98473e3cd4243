//! Constants and configurations.

use ttl_kernels::dit::consts::*;
use ttl_kernels::dit::*;

#[test]
fn item_040_constants() {
    assert_eq!((TILE, PAGE_TILES, M_ROWS, RT_TILES, CHUNK_COLS, N_CHUNKS, N_BANKS), (32, 8, 64, 2, 1024, 6, 8));
    // One page of bf16 is one NoC burst.
    assert_eq!(PAGE_TILES * BF16_TILE, 16_384);
    assert_eq!(PAGE_TILES * BFP8_TILE, 8_704);
    let cfg = DitConfig::n15();
    assert_eq!((cfg.page_tiles(), cfg.chunk_cols(), cfg.banks), (PAGE_TILES, CHUNK_COLS, N_BANKS));
    assert_eq!(N_CHUNKS * CHUNK_COLS, cfg.ff_dim());
}

#[test]
fn item_042_defaults() {
    assert_eq!((DEFAULT_RING_DEPTH, DEFAULT_RELAY_WINDOW, MAX_TRANSACTION_IDS), (4, 6, 15));
}

#[test]
fn item_052_euler_steps() {
    assert_eq!((STEPS4_N_STEPS, EULER_DT), (4, 0.25));
    let cfg = DitConfig::n16();
    assert_eq!([0, 1, 2, 3].map(|k| cfg.timestep(k)), [0, 250, 500, 750]);
    assert!(cfg.check_step(3).is_ok());
    assert_eq!(cfg.check_step(4).unwrap_err().to_string(), "step 4 is not in 0..4");
}

#[test]
fn the_published_networks() {
    let cfg = DitConfig::n15();
    assert_eq!((cfg.n_blocks, cfg.n_heads(), cfg.width(), cfg.inner(), cfg.ff_dim()), (16, 32, 1536, 2048, 6144));
    assert_eq!(
        (cfg.out_dim(), cfg.hidden(), cfg.horizon, cfg.a_max, cfg.a_pad(), cfg.nt_a()),
        (1024, 1024, 16, 32, 32, 1)
    );
    assert_eq!((cfg.n_fut, cfg.m(), cfg.m_pad(), cfg.action_rows()), (32, 49, 64, 33..49));
    assert_eq!((cfg.vl_width, cfg.state_dim, cfg.categories, cfg.grid()), (2048, 64, 32, (11, 10)));
    assert_eq!(cfg.key_sets(), [KeySet::All]);
    let cfg = DitConfig::n16();
    assert_eq!((cfg.n_blocks, cfg.horizon, cfg.a_pad(), cfg.nt_a(), cfg.n_fut), (32, 50, 128, 4, 0));
    assert_eq!((cfg.m(), cfg.action_rows(), cfg.state_dim), (51, 1..51, 128));
    assert_eq!(cfg.key_sets(), [KeySet::Text, KeySet::Image]);
    let sets: Vec<_> = (0..5).map(|blk| cfg.key_set(blk)).collect();
    assert_eq!(sets, [Some(KeySet::Text), None, Some(KeySet::Image), None, Some(KeySet::Text)]);
    assert_eq!(DitConfig::scaled(Version::N16, 1, 4).unwrap().cross_blocks().collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn widths_are_proportional_to_the_banks() {
    for (banks, grid) in [(1, (7, 2)), (2, (7, 4)), (4, (9, 6)), (8, (11, 10))] {
        let cfg = DitConfig::scaled(Version::N15, banks, 4).unwrap();
        let all = [
            cfg.compute_cores(),
            cfg.n_heads(),
            cfg.width(),
            cfg.inner(),
            cfg.ff_dim(),
            cfg.out_dim(),
            cfg.chunk_cols(),
        ];
        assert_eq!(all, [12, 4, 192, 256, 768, 128, 128].map(|n| n * banks));
        assert_eq!(cfg.grid(), grid);
        assert!(grid.0 * grid.1 > cfg.compute_cores() + banks);
    }
}

#[test]
fn item_131_block_ranges() {
    let cfg = DitConfig::n15();
    assert!(cfg.check_blocks(0, 16).is_ok() && cfg.check_blocks(15, 1).is_ok());
    for (first, n, text) in [
        (8, 9, "blocks [8, 17) out of range for 16"),
        (16, 1, "blocks [16, 17) out of range for 16"),
        (3, 0, "blocks [3, 3) out of range for 16"),
        (u32::MAX, 2, "blocks [4294967295, 4294967297) out of range for 16"),
    ] {
        assert_eq!(cfg.check_blocks(first, n).unwrap_err().to_string(), text);
    }
}

#[test]
fn configurations_that_the_program_cannot_have() {
    let refused = |change: fn(&mut DitConfig)| {
        let mut cfg = DitConfig::n15();
        change(&mut cfg);
        cfg.check().unwrap_err().to_string()
    };
    assert_eq!(refused(|c| c.banks = 3), "3 banks\n  = help: the geometry is that of 1, 2, 4 or 8 banks");
    assert_eq!(
        refused(|c| c.n_blocks = 0),
        "0 blocks; the offsets table travels as runtime words and has room for 1 to 32"
    );
    assert_eq!(
        refused(|c| c.n_blocks = 33),
        "33 blocks; the offsets table travels as runtime words and has room for 1 to 32"
    );
    assert_eq!(
        refused(|c| c.horizon = 32),
        "a sequence of 65 rows (1 state, 32 future tokens, 32 actions); the device has 64 rows, and there must be an action"
    );
    assert!(refused(|c| c.horizon = 0).contains("there must be an action"));
    assert_eq!(refused(|c| c.a_max = 132), "actions of width 132; 1 to 128 fit the decoder's slice of a core");
    assert_eq!(refused(|c| c.steps = 8), "8 Euler steps; the tables and the program are those of 4");
    assert!(DitConfig::scaled(Version::N16, 16, 4).is_err());
}
