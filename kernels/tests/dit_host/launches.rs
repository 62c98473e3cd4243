//! Launches of the full program as far as the host decides them, and what the generated kernels of the matmul-only program read.

use std::collections::BTreeSet;

use crate::arena::layout;
use crate::references::random;
use ttl::prelude::Device;
use ttl::runtime::codegen::Lines;
use ttl_kernels::dit::bindings::{AllowPlaceholders, Bound};
use ttl_kernels::dit::k1::{DitMegakernel, Launch};
use ttl_kernels::dit::launch::*;
use ttl_kernels::dit::*;

fn bound(layout: &ArenaLayout) -> Bound {
    let mut bound = Bound::default();
    bound.upload();
    for blk in layout.cfg().cross_blocks() {
        bound.bind_kv(blk);
    }
    for set in layout.cfg().key_sets() {
        bound.bind_mask(set);
    }
    bound
}

const STRICT: AllowPlaceholders = AllowPlaceholders { kv: false, masks: false };

#[test]
fn item_141_launches_of_blocks() {
    let layout = layout(Version::N15, 1, 4, ArenaOptions::new(64));
    let bound = bound(&layout);
    let check = |variant, n_iters, blk, n_blk, step| {
        let call = K4Call::Block { blk, n_blk, step, debug: DebugKnob::Off };
        check_k4_launch(&layout, variant, &call, n_iters, &bound, STRICT).map_err(|e| e.to_string())
    };
    assert_eq!(check(Variant::Block, 1, 1, 3, 3), Ok(()));
    assert_eq!(check(Variant::Steps4, 1, 0, 1, 0).unwrap_err(), "run_block needs variant='block', this is 'steps4'");
    assert_eq!(check(Variant::Block, 2, 0, 1, 0).unwrap_err(), "run_block runs once per launch, n_iters is 2");
    assert_eq!(check(Variant::Block, 1, 0, 1, 4).unwrap_err(), "step 4 is not in 0..4");
    assert_eq!(check(Variant::Block, 1, 2, 3, 0).unwrap_err(), "blocks [2, 5) out of range for 4");
}

#[test]
fn item_142_launches_of_steps() {
    let layout = layout(Version::N16, 1, 4, ArenaOptions::new(64));
    let check = |variant, step, bound: &Bound| {
        check_k4_launch(&layout, variant, &K4Call::Step { step }, 1, bound, STRICT).map_err(|e| e.to_string())
    };
    let ready = bound(&layout);
    assert_eq!(check(Variant::Step, 3, &ready), Ok(()));
    assert_eq!(check(Variant::Block, 3, &ready).unwrap_err(), "run_step needs variant='step', this is 'block'");
    assert_eq!(check(Variant::Step, 9, &ready).unwrap_err(), "step 9 is not in 0..4");
    assert_eq!(check(Variant::Step, 0, &Bound::default()).unwrap_err(), "call upload(pack) first");
    let mut fresh = Bound::default();
    fresh.upload();
    let text = check(Variant::Step, 0, &fresh).unwrap_err();
    assert_eq!(text, "hoisted K/V not bound for cross blocks [0, 2] (bind_kv)");
    assert_eq!(K4Call::Step { step: 2 }.range(4), (0, 4, 2));
}

#[test]
fn item_145_the_full_program_needs_direct_readers() {
    let relay = layout(Version::N15, 1, 4, ArenaOptions::new(64).reader_mode(ReaderMode::Relay));
    let bound = bound(&relay);
    let text = check_k4_launch(&relay, Variant::Steps4, &K4Call::Steps4, 1, &bound, STRICT).unwrap_err().to_string();
    assert_eq!(text, "K4 launches need a direct-mode arena, this one is for relay readers");
}

#[test]
fn item_123_changing_the_variant() {
    let mut state = VariantState::new(Variant::Block);
    state.built();
    state.set(Variant::Block);
    assert!(state.is_built(), "the same variant keeps the program");
    state.set(Variant::Step);
    assert_eq!((state.variant(), state.is_built()), (Variant::Step, false));
    state.built();
    state.drop_program();
    assert!(!state.is_built());
}

/// Everything before a device: this file opens one only below.
#[test]
fn item_111_no_device_is_needed() {
    let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64));
    let pack = layout.pack(&Plan::random(&layout, 1, 0.02)).unwrap();
    Policy::new(&layout).check(layout.cfg(), &layout).unwrap();
    let x = random(64, 192, 1);
    assert_eq!(reference::ref_chain(&layout, &pack, &x, 0, 2).unwrap().g.rows, 64);
}

#[test]
fn item_053_what_the_crate_exports() {
    // Constants, vocabularies, words and names: one use of each.
    use ttl_kernels::dit::{budget, consts, cta, io, knobs, words};
    let numbers = [
        consts::TILE,
        consts::PAGE_TILES,
        consts::M_ROWS,
        consts::RT_TILES,
        consts::CHUNK_COLS,
        consts::N_CHUNKS,
        consts::N_BANKS,
        consts::DEFAULT_RING_DEPTH,
        consts::DEFAULT_RELAY_WINDOW,
        consts::STEPS4_N_STEPS,
        consts::K4_SPLIT_MIN_CHUNKS,
        knobs::K4_MCAST_SPLIT,
        knobs::K4_ZONE_ROUNDS,
        budget::K4_KERNEL_CONFIG_EXTRA_BYTES,
        budget::K4_WORKER_L1_SIZE,
        budget::L1_USABLE_BYTES,
        io::NA,
        offsets::HEADER_WORDS,
        offsets::WORDS_PER_BLOCK,
    ];
    assert!(numbers.iter().all(|&n| n > 0));
    assert_eq!(
        (words::MK_RT.len(), words::MK4_RT.len(), IoName::NAMES.len(), words::MAX_COMMON_RT_ARGS),
        (11, 8, 17, 341)
    );
    assert_eq!((cta::MATERIALISE_CTAS.len(), DebugKnob::KNOBS.len(), Variant::VARIANTS.len()), (8, 11, 3));
    assert_eq!(
        (K1Mode::MODES.len(), Op::OPS.len(), CoreSet::SETS.len(), TailOp::OPS.len(), In0Order::ORDERS.len()),
        (3, 4, 4, 6, 4)
    );
}

/// The numbers in `name(N)` or `name<..>(N)` of a source.
fn indices(source: &str, name: &str) -> BTreeSet<usize> {
    let after = |at: usize| {
        let rest = &source[at + name.len()..];
        let rest = rest.strip_prefix('<').and_then(|r| r.split_once('>')).map_or(rest, |(_, r)| r);
        rest.strip_prefix('(')?.split(')').next()?.trim().parse().ok()
    };
    source.match_indices(name).filter_map(|(at, _)| after(at)).collect()
}

/// A name or word that a kernel reads and the program does not give fails on the device. Names of kernels are fields of structs here, so the
/// compiler sees to the names; this looks at what came out.
#[test]
fn item_161_generated_kernels_read_what_the_program_gives() {
    for mode in [ReaderMode::Direct, ReaderMode::Relay] {
        let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64).reader_mode(mode));
        let pack = layout.pack(&Plan::random(&layout, 1, 0.02)).unwrap();
        let (cfg, map) = (layout.cfg().clone(), CoreMap::simulated(layout.cfg()));
        let mut mk = DitMegakernel::builder(&cfg, layout, map, Device::open().unwrap()).build().unwrap();
        mk.upload(&pack).unwrap();
        let (program, _x) = mk.program(&random(64, 192, 1), Launch::chain(0, 2, 1)).unwrap();
        let sources = program.sources(Lines::None).unwrap();
        let kernels = program.checked().kernels();
        let (mut compile, mut common) = (0, 0);
        assert_eq!(sources.len(), kernels.len());
        for (kernel, source) in kernels.iter().zip(&sources) {
            let read = indices(&source.text, "get_compile_time_arg_val");
            assert!(read.iter().all(|&i| i < kernel.compile_args.len()), "{}: {read:?}", kernel.name);
            compile += read.len();
            let read = indices(&source.text, "get_common_arg_val");
            assert!(read.iter().all(|&i| i < kernel.common_args.len()), "{}: {read:?}", kernel.name);
            common += read.len();
            assert!(kernel.common_args.len() <= words::MAX_COMMON_RT_ARGS, "{}", kernel.name);
        }
        assert!(compile > 0 && common > 0, "nothing was compared");
    }
}
