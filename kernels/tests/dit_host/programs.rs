//! What a program gives its kernels: variants, knobs, tensors, names, words.

use std::collections::{BTreeMap, BTreeSet};

use crate::arena::layout;
use ttl::prelude::{Arch, Core, DataFormat};
use ttl::runtime::tensor::TensorSpec;
use ttl_kernels::dit::cta::*;
use ttl_kernels::dit::io::*;
use ttl_kernels::dit::knobs::*;
use ttl_kernels::dit::words::*;
use ttl_kernels::dit::*;

const MODE: &[&str] = &[
    "mode",
    "single_op",
    "blk_first",
    "n_blk",
    "n_iters",
    "x_tiles",
    "addr_sync",
    "addr_w_ring",
    "addr_mm_out",
    "bias_row_bytes",
    "pop_mm",
];

#[test]
fn item_043_words_of_the_matmul_only_program() {
    assert_eq!(MK_RT, MODE);
    let layout = ArenaLayout::plan(&DitConfig::n15(), ArenaOptions::new(64)).unwrap();
    let map = CoreMap::simulated(layout.cfg());
    let arch = Arch::blackhole();
    let noc = |cores: &[Core]| cores.iter().map(|&core| arch.virtual_core(core)).collect::<Vec<_>>();
    let (readers, compute) = (noc(map.readers()), noc(map.compute()));
    let mut words = K1Words::single(&layout, 3, Op::Ff2, 5).unwrap();
    (words.addr_sync, words.addr_w_ring, words.addr_mm_out) = (111, 222, 333);
    let addresses = [1, 2, 3, 4, 5, 6, 7];
    let args = CommonArgs::k1(&layout, &addresses, &words, &readers, &compute).unwrap();
    // Seven addresses, the step, 75 words of the table.
    assert_eq!(args.rt_base(), 7 + 1 + 75);
    let ours = &args.words()[args.rt_base()..];
    assert_eq!(ours[..11], [1, 3, 3, 1, 5, 2 * 192, 111, 222, 333, 2 * 6144, 1]);
    assert_eq!(ours.len(), 11 + 8 + 96);
    assert_eq!(ours[11], readers[0].x | readers[0].y << 8);
    assert_eq!(ours[11 + 8 + 95], compute[95].x | compute[95].y << 8);
    assert_eq!(
        args.names()[args.rt_base()..args.rt_base() + 11],
        MODE.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()
    );
    assert_eq!((args.names()[0].as_str(), args.names()[7].as_str()), ("addr_x_rep", "step_index"));
    assert_eq!(args.names().last().unwrap(), "compute_xy[95]");
    assert_eq!(args.words()[8..8 + 75], layout.offsets_table().words().unwrap());
}

#[test]
fn item_044_words_of_the_full_program() {
    let names = [
        "blk_first",
        "n_blk",
        "bias_row_bytes",
        "adaln_row_bytes",
        "state_row_bytes",
        "b2_row_bytes",
        "future_row_bytes",
        "debug",
    ];
    assert_eq!(MK4_RT, names);
    for (cfg, future) in [(DitConfig::n15(), 3072), (DitConfig::n16(), 0)] {
        let layout = ArenaLayout::plan(&cfg, ArenaOptions::new(64)).unwrap();
        let io = IoList::k4(&layout, Variant::Steps4, true);
        let words = K4Words::of(&layout, 0, cfg.n_blocks, DebugKnob::DumpQ).unwrap();
        let compute = vec![Core::new(1, 2); 96];
        let addresses = vec![0x1000; io.len()];
        let args = CommonArgs::k4(&layout, &io, &addresses, 2, &words, &compute).unwrap();
        let ours = &args.words()[args.rt_base()..];
        assert_eq!(ours[..8], [0, cfg.n_blocks, 12_288, 3072, 3072, 3072, future, 9]);
        assert_eq!((ours.len(), ours[8]), (8 + 96, 1 | 2 << 8));
        if cfg.version == Version::N16 {
            // Close to what the original is said to use.
            assert_eq!(args.words().len(), 291);
        }
    }
}

#[test]
fn item_045_slots_of_tensors() {
    let names = [
        "x_rep",
        "a_rep",
        "arena_stream",
        "arena_small",
        "adaln_rows",
        "bias_rows",
        "b2_step",
        "b3_pos_rows",
        "future_tokens",
        "self_mask",
        "text_mask",
        "image_mask",
        "all_mask",
        "x_t",
        "state_features",
        "action_pred",
        "velocity_out",
    ];
    assert_eq!(IoName::NAMES.map(IoName::name), names);
    assert!(IoName::NAMES.iter().all(|io| io.slot_name() == format!("mk_io_{}", io.name())));
    assert_eq!(NA, 0xFFFF);
    let layout = layout(Version::N16, 1, 4, ArenaOptions::new(64));
    let slots = IoSlots::of(&IoList::k4(&layout, Variant::Block, true));
    let present: Vec<&str> = IoName::NAMES.into_iter().filter(|&io| slots.get(io) != NA).map(IoName::name).collect();
    let expected = [
        "x_rep",
        "a_rep",
        "arena_stream",
        "arena_small",
        "adaln_rows",
        "bias_rows",
        "b2_step",
        "b3_pos_rows",
        "self_mask",
        "text_mask",
        "image_mask",
    ];
    assert_eq!(present, expected);
    let k1 = IoSlots::of(&IoList::k1());
    assert_eq!((k1.get(IoName::XRep), k1.get(IoName::BiasRows), k1.get(IoName::ArenaSmall)), (0, 3, NA));
}

fn k4_program(layout: &ArenaLayout, debug: DebugKnob) -> K4Program {
    K4Program {
        rings: RingPolicy::default(),
        rt_base: 77,
        budget: K4Budget::new(layout),
        hub: HubKnobs::default(),
        debug,
        k1_cbs: K1Cbs::filled(1),
        k4_cbs: K4Cbs::filled(2),
        hub_cbs: K4HubCbs::filled(3),
    }
}

#[test]
fn item_046_every_program_gives_every_name() {
    let union: BTreeSet<&str> = kernel_cta_union().into_iter().collect();
    assert_eq!(union.len(), kernel_cta_union().len(), "a name twice");
    let layout = layout(Version::N15, 1, 4, ArenaOptions::new(64));
    let io = IoList::k4(&layout, Variant::Steps4, false);
    let k1 = KernelCtas::k1(RingPolicy::default(), 83, K1Cbs::filled(5)).values();
    let k4 = KernelCtas::k4(&layout, &io, &k4_program(&layout, DebugKnob::Off)).values();
    for values in [&k1, &k4] {
        assert_eq!(values.keys().copied().collect::<BTreeSet<_>>(), union);
    }
    for name in [
        "mk_k1",
        "mk_ring_depth",
        "mk_relay_window",
        "mk_rt_base",
        "mk_io_x_rep",
        "mk_io_velocity_out",
        "mk_io_kv_base",
        "cb_a",
        "cb_w",
        "cb_mm0",
        "cb_x",
        "k4_land",
        "k4_tw_tiles",
        "k4_sdpa_slots",
        "k4_nt_a",
        "k4_velocity_out_present",
        "k4_zone_rounds",
        "k4_mcast_split",
        "cb_land_bytes",
        "k4_debug_knobs",
    ] {
        assert!(union.contains(name), "{name}");
    }
}

/// Buffers have names of their own in both programs; those of the full program are the rows of its budget.
#[test]
fn item_110_buffers_of_the_full_program() {
    let layout = layout(Version::N15, 2, 4, ArenaOptions::new(64));
    let budget = K4Budget::new(&layout);
    let rows: BTreeSet<&str> = budget.compute_rows(&layout).iter().map(|row| row.name).collect();
    let names: BTreeSet<&str> = K1Cbs::NAMES.iter().chain(K4Cbs::NAMES).copied().collect();
    assert_eq!(names.difference(&rows).copied().collect::<Vec<_>>(), ["cb_relay"], "of a reader");
    assert!(rows.is_subset(&names));
    let hub: BTreeSet<&str> = budget.hub_rows(&layout).iter().map(|row| row.name).collect();
    assert!(K4HubCbs::NAMES.iter().all(|name| hub.contains(name)));
    assert!(K4_UNPACK_FP32_CBS.iter().all(|name| names.contains(name) || hub.contains(name)));
    let all = budget.compute_rows(&layout).into_iter().chain(budget.hub_rows(&layout));
    let full: Vec<u32> = all.filter(|row| K4_UNPACK_FP32_CBS.contains(&row.name)).map(|row| row.bytes).collect();
    assert!(full.len() == 8 && full.iter().all(|bytes| bytes % 4096 == 0));
    assert_eq!((budget.tw_tiles, budget.sdpa_slots, NA, MAX_COMMON_RT_ARGS), (12, 4, 0xFFFF, 341));
}

#[test]
fn item_047_coordinates_have_no_default() {
    let names = [
        "mcast_noc_x0",
        "mcast_noc_y0",
        "mcast_noc_x1",
        "mcast_noc_y1",
        "hub_noc_x",
        "hub_noc_y",
        "hub1_noc_x",
        "hub1_noc_y",
    ];
    assert_eq!(MATERIALISE_CTAS, names);
    assert!(kernel_cta_union().iter().all(|name| !MATERIALISE_CTAS.contains(name)));
}

#[test]
fn item_048_multicast_share() {
    let of =
        |value: &'static str| HubKnobs::from_variables(|name| (name == MCAST_SPLIT_VARIABLE).then(|| value.to_owned()));
    assert_eq!(HubKnobs::from_variables(|_| None).unwrap(), HubKnobs { mcast_split: 2, zone_rounds: 1 });
    assert_eq!(K4_MCAST_SPLIT, 2);
    assert_eq!((of("0").unwrap().mcast_split, of(" 4 ").unwrap().mcast_split), (0, 4));
    assert_eq!(of("5").unwrap_err().to_string(), "GR00T_MK_MCAST_SPLIT=\"5\" is not a number in 0..=4");
    assert_eq!(of("half").unwrap_err().to_string(), "GR00T_MK_MCAST_SPLIT=\"half\" is not a number in 0..=4");
}

#[test]
fn item_049_profiler_zones() {
    let of =
        |value: &'static str| HubKnobs::from_variables(|name| (name == ZONE_ROUNDS_VARIABLE).then(|| value.to_owned()));
    assert_eq!((K4_ZONE_ROUNDS, of("0").unwrap().zone_rounds), (1, 0));
    assert_eq!(of("2").unwrap_err().to_string(), "GR00T_MK_ZONE_ROUNDS=\"2\" is not a number in 0..=1");
}

#[test]
fn item_051_debug_knobs() {
    let names = [
        "OFF",
        "SKIP_G_RESIDUAL",
        "DUMP_H1",
        "DUMP_H2",
        "DUMP_F1",
        "DUMP_G",
        "DUMP_A_H1",
        "DUMP_A_H2",
        "F1_NO_GELU",
        "DUMP_Q",
        "DUMP_O",
    ];
    assert_eq!(DebugKnob::KNOBS.map(DebugKnob::name), names);
    assert!((0..).zip(DebugKnob::KNOBS).all(|(i, knob)| knob as u32 == i));
    let layout = layout(Version::N15, 1, 4, ArenaOptions::new(64));
    let io = IoList::k4(&layout, Variant::Block, false);
    for (knob, compiled_in) in [(DebugKnob::Off, 0), (DebugKnob::DumpG, 1)] {
        let ctas = KernelCtas::k4(&layout, &io, &k4_program(&layout, knob));
        assert_eq!(ctas.k4.k4_debug_knobs, compiled_in);
    }
}

#[test]
fn item_101_variants() {
    assert_eq!(Variant::VARIANTS.map(Variant::name), ["block", "step", "steps4"]);
    assert_eq!(Variant::from_name("steps4").unwrap(), Variant::Steps4);
    let text = Variant::from_name("steps").unwrap_err().to_string();
    assert_eq!(text, "variant must be one of block, step, steps4, got \"steps\"");
    Variant::Step.require("run_step", Variant::Step).unwrap();
    let text = Variant::Steps4.require("run_block", Variant::Block).unwrap_err().to_string();
    assert_eq!(text, "run_block needs variant='block', this is 'steps4'");
}

#[test]
fn item_102_names_of_the_matmul_only_program() {
    let values = KernelCtas::k1(RingPolicy { ring_depth: 3, relay_window: 5 }, 83, K1Cbs::filled(9)).values();
    let of = |name: &str| values[name];
    assert_eq!((of("mk_k1"), of("mk_ring_depth"), of("mk_relay_window"), of("mk_rt_base")), (1, 3, 5, 83));
    let slots = ["mk_io_x_rep", "mk_io_a_rep", "mk_io_arena_stream", "mk_io_bias_rows", "mk_io_arena_small"];
    assert_eq!(slots.map(of), [0, 1, 2, 3, NA]);
    assert_eq!((of("k4_tw_tiles"), of("cb_land_bytes"), of("cb_part"), of("mk_io_kv_base")), (0, 0, 0, NA));
}

#[test]
fn item_103_names_of_the_full_program() {
    let layout = layout(Version::N15, 2, 4, ArenaOptions::new(64));
    let io = IoList::k4(&layout, Variant::Steps4, true);
    let values = KernelCtas::k4(&layout, &io, &k4_program(&layout, DebugKnob::Off)).values();
    let of = |name: &str| values[name];
    assert_eq!((of("mk_k1"), of("mk_rt_base"), of("mk_ring_depth"), of("mk_relay_window")), (0, 77, 4, 6));
    assert_eq!(io.as_slice()[of("mk_io_kv_base") as usize], Io::K(0));
    assert_eq!(io.as_slice()[of("mk_io_kv_base") as usize + 3], Io::V(2));
    assert_eq!((of("k4_zone_rounds"), of("k4_mcast_split"), of("k4_debug_knobs")), (1, 2, 0));
    assert_eq!((of("k4_tw_tiles"), of("k4_sdpa_slots"), of("k4_nt_a"), of("k4_velocity_out_present")), (12, 4, 1, 1));
    assert_eq!(of("cb_land_bytes"), 2 * 2 * 4096);
    let io = IoList::k4(&layout, Variant::Steps4, false);
    let values = KernelCtas::k4(&layout, &io, &k4_program(&layout, DebugKnob::Off)).values();
    assert_eq!((values["k4_velocity_out_present"], values["mk_io_velocity_out"]), (0, NA));
}

#[test]
fn item_104_missing_names_are_filled() {
    let mut table: BTreeMap<String, u32> = [("mk_k1".to_owned(), 7)].into();
    let union = kernel_cta_union();
    let names: Vec<&str> = union.iter().chain(MATERIALISE_CTAS).copied().collect();
    assert_eq!(fill_missing_ctas(&mut table, &names, 0), union.len() - 1);
    assert_eq!((table["mk_k1"], table["cb_p"], table.len()), (7, 0, union.len()));
    assert!(MATERIALISE_CTAS.iter().all(|name| !table.contains_key(*name)));
    assert_eq!(fill_missing_ctas(&mut table, &names, 0), 0);
}

#[test]
fn item_105_limits_of_runtime_words() {
    let layout = layout(Version::N15, 1, 4, ArenaOptions::new(64));
    let (readers, compute) = (vec![Core::new(9, 2)], vec![Core::new(1, 2); 12]);
    let words = K1Words::chain(&layout, 0, 4, 1).unwrap();
    let addresses = [0u64; 7];
    let text = |args: Result<CommonArgs>| args.unwrap_err().to_string();
    assert!(CommonArgs::k1(&layout, &addresses, &words, &readers, &compute).is_ok());
    assert_eq!(
        text(CommonArgs::k1(&layout, &addresses[1..], &words, &readers, &compute)),
        "addresses of io tensors: 6 coordinates, the program has 7"
    );
    let large = [1 << 32, 0, 0, 0, 0, 0, 0];
    assert_eq!(
        text(CommonArgs::k1(&layout, &large, &words, &readers, &compute)),
        "runtime arg addr_x_rep = 4294967296 does not fit uint32"
    );
    let words = K1Words { addr_w_ring: 1 << 33, ..words };
    assert_eq!(
        text(CommonArgs::k1(&layout, &addresses, &words, &readers, &compute)),
        "runtime arg addr_w_ring = 8589934592 does not fit uint32"
    );
    let words = K1Words::chain(&layout, 0, 4, 1).unwrap();
    assert_eq!(
        text(CommonArgs::k1(&layout, &addresses, &words, &readers, &compute[1..])),
        "compute: 11 coordinates, the program has 12"
    );
    let far = [Core::new(256, 2)];
    assert_eq!(
        text(CommonArgs::k1(&layout, &addresses, &words, &far, &compute)),
        "NoC coordinate 256 does not fit a byte"
    );
    assert!(check_count(341).is_ok());
    assert_eq!(check_count(342).unwrap_err().to_string(), "342 common runtime args exceed MAX (341)");
    // The largest programs keep the limit.
    let cfg = DitConfig::n16();
    let full = ArenaLayout::plan(&cfg, ArenaOptions::new(64)).unwrap();
    let words = K1Words::stream(&full, 0, 32, 9).unwrap();
    let args = CommonArgs::k1(&full, &addresses, &words, &[Core::new(1, 1); 8], &[Core::new(1, 1); 96]).unwrap();
    assert_eq!(args.words().len(), 7 + 1 + 139 + 11 + 8 + 96);
}

#[test]
fn item_127_to_129_words_of_the_modes() {
    let layout = layout(Version::N15, 1, 4, ArenaOptions::new(64));
    let single = K1Words::single(&layout, 0, Op::Wo, 1).unwrap();
    assert_eq!((single.mode, single.single_op, single.x_tiles, single.pop_mm), (1, 1, 16, 0));
    assert_eq!(K1Words::single(&layout, 0, Op::Wo, 2).unwrap().pop_mm, 1);
    let chain = K1Words::chain(&layout, 1, 3, 2).unwrap();
    assert_eq!(
        (chain.mode, chain.blk_first, chain.n_blk, chain.n_iters, chain.x_tiles, chain.pop_mm),
        (0, 1, 3, 2, 12, 0)
    );
    let stream = K1Words::stream(&layout, 0, 4, 1).unwrap();
    assert_eq!((stream.mode, stream.pop_mm), (2, 1));
    assert_eq!(K1Words::chain(&layout, 2, 3, 1).unwrap_err().to_string(), "blocks [2, 5) out of range for 4");
    assert_eq!(K1Words::stream(&layout, 0, 1, 0).unwrap_err().to_string(), "n_iters is 0; a launch runs at least once");
}

#[test]
fn item_106_order_of_the_tensors() {
    let k1: Vec<String> = IoList::k1().as_slice().iter().map(Io::to_string).collect();
    assert_eq!(k1, ["x_rep", "a_rep", "arena_stream", "bias_rows", "sync", "w_ring", "mm_out"]);
    let layout = layout(Version::N16, 1, 4, ArenaOptions::new(64));
    let steps4: Vec<String> = IoList::k4(&layout, Variant::Steps4, true).as_slice().iter().map(Io::to_string).collect();
    assert_eq!(
        steps4[8..],
        [
            "self_mask",
            "text_mask",
            "image_mask",
            "x_t",
            "state_features",
            "kv_k_0",
            "kv_v_0",
            "kv_k_2",
            "kv_v_2",
            "velocity_out",
            "action_pred"
        ]
    );
}

#[test]
fn item_107_pages() {
    let spec = |shape: [usize; 2], format| TensorSpec::row_major(shape, format).unwrap();
    check_row_pages("bias_rows", &spec([20, 768], DataFormat::Bf16)).unwrap();
    let tiled = TensorSpec::new([64, 192], DataFormat::Bf16).unwrap();
    assert_eq!(
        check_row_pages("adaln_rows", &tiled).unwrap_err().to_string(),
        "adaln_rows page 2048 B != one row (384 B): the kernel reads rows"
    );
    check_tile_pages("kv_k", &tiled).unwrap();
    check_tile_pages("x_t", &TensorSpec::new([64, 32], DataFormat::F32).unwrap()).unwrap();
    assert_eq!(
        check_tile_pages("all_mask", &spec([64, 192], DataFormat::Bf16)).unwrap_err().to_string(),
        "all_mask: DRAM page 384 B != 2048 (the kernel reads whole tiles)"
    );
    assert_eq!(
        check_tile_pages("x_t", &spec([64, 32], DataFormat::F32)).unwrap_err().to_string(),
        "x_t: DRAM page 128 B != 4096 (the kernel reads whole tiles)"
    );
    let rows = |version| RowBytes::of(&layout(version, 1, 4, ArenaOptions::new(64)));
    assert_eq!(rows(Version::N15), RowBytes { bias: 1536, adaln: 384, state: 384, b2: 384, future: 384 });
    assert_eq!(rows(Version::N16).future, 0);
}

#[test]
fn item_109_masks_of_a_layout() {
    let presence = |version, n_blocks| mask_presence(&layout(version, 1, n_blocks, ArenaOptions::new(64)));
    assert_eq!(presence(Version::N15, 4), MaskPresence { text: false, image: false, all: true });
    assert_eq!(presence(Version::N16, 4), MaskPresence { text: true, image: true, all: false });
    // One cross block alone: its key set.
    assert_eq!(presence(Version::N16, 2), MaskPresence { text: true, image: false, all: false });
}

#[test]
fn item_146_tensors_of_the_variants() {
    let layout = layout(Version::N15, 1, 4, ArenaOptions::new(64));
    for variant in Variant::VARIANTS {
        for taps in [false, true] {
            let list = IoList::k4(&layout, variant, taps);
            list.check_k4(variant).unwrap();
            for other in Variant::VARIANTS.into_iter().filter(|&other| other != variant) {
                assert!(list.check_k4(other).is_err(), "{} as {}", variant.name(), other.name());
            }
        }
    }
    let of = |variant| IoList::k4(&layout, variant, true);
    let text = |list: IoList, variant: Variant| list.check_k4(variant).unwrap_err().to_string();
    let x = Io::Named(IoName::XRep);
    assert_eq!(text(of(Variant::Block).without(x), Variant::Block), "the block program needs the x_rep tensor");
    assert_eq!(text(of(Variant::Step).without(Io::YOut), Variant::Step), "the step program needs the y_out tensor");
    assert_eq!(
        text(of(Variant::Block).with(Io::YOut), Variant::Block),
        "the block program must not carry the y_out tensor"
    );
    assert_eq!(
        text(of(Variant::Steps4).with(Io::YOut), Variant::Steps4),
        "the steps4 program must not carry the y_out tensor"
    );
    let state = Io::Named(IoName::StateFeatures);
    assert_eq!(
        text(of(Variant::Steps4).without(state), Variant::Steps4),
        "the steps4 program needs the state_features tensor"
    );
    assert_eq!(
        text(of(Variant::Step).with(state), Variant::Step),
        "the step program must not carry the state_features tensor"
    );
    let taps = Io::Named(IoName::VelocityOut);
    assert_eq!(
        text(of(Variant::Block).with(taps), Variant::Block),
        "the block program must not carry the velocity_out tensor"
    );
    assert_eq!(text(of(Variant::Block).with(x), Variant::Block), "io tensor x_rep appears twice");
}

#[test]
fn item_138_tensors_that_stay() {
    let layout = layout(Version::N16, 1, 4, ArenaOptions::new(64));
    let shapes: Vec<(&str, Vec<usize>, DataFormat, u32)> = steps4_io(&layout, true)
        .unwrap()
        .into_iter()
        .map(|(io, spec)| (io.name(), spec.shape().to_vec(), spec.format(), spec.page_size()))
        .collect();
    let expected = [
        ("x_t", vec![64, 128], DataFormat::F32, 4096),
        ("state_features", vec![1, 192], DataFormat::Bf16, 384),
        ("action_pred", vec![64, 128], DataFormat::F32, 4096),
        ("velocity_out", vec![256, 128], DataFormat::Bf16, 2048),
    ];
    assert_eq!(shapes, expected);
    assert_eq!(steps4_io(&layout, false).unwrap().len(), 3);
}
