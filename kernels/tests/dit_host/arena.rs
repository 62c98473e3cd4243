//! The arena: layout, geometry against it, pack and unpack.

use ttl::prelude::{DataFormat, HostTensor};
use ttl_kernels::dit::check::{check_kernel_table, check_tail_table};
use ttl_kernels::dit::pack::attention_scale;
use ttl_kernels::dit::plan::names;
use ttl_kernels::dit::*;

pub(crate) fn layout(version: Version, banks: u32, n_blocks: u32, options: ArenaOptions) -> ArenaLayout {
    ArenaLayout::plan(&DitConfig::scaled(version, banks, n_blocks).unwrap(), options).unwrap()
}

const MODES: [ReaderMode; 2] = [ReaderMode::Direct, ReaderMode::Relay];
const DTYPES: [StreamDtype; 2] = [StreamDtype::Bf16, StreamDtype::Bfp8B];

#[test]
fn item_065_fields_of_a_layout() {
    let layout = ArenaLayout::plan(&DitConfig::n16(), ArenaOptions::new(192)).unwrap();
    let cfg = layout.cfg();
    assert_eq!((cfg.version, cfg.n_blocks, cfg.n_heads(), cfg.head_dim_pad()), (Version::N16, 32, 32, 64));
    assert_eq!((layout.dtype_stream(), layout.reader_mode()), (StreamDtype::Bf16, ReaderMode::Direct));
    assert_eq!((layout.l_pad(0), layout.l_pad(1), layout.l_pad_of(KeySet::All)), (Some(192), None, None));
    assert_eq!(layout.tiles_per_bank(ArenaPart::Small) * 8 * 2048, 15_335_424);
    let refused = |l_pad| ArenaLayout::plan(&DitConfig::n15(), ArenaOptions::new(l_pad)).unwrap_err().to_string();
    assert_eq!(refused(100), "all keys padded to 100; it must be a multiple of 32, from 32 to 2097120");
    assert_eq!(refused(0), "all keys padded to 0; it must be a multiple of 32, from 32 to 2097120");
    let mut options = ArenaOptions::new(64);
    options.l_pad.remove(&KeySet::Image);
    let text = ArenaLayout::plan(&DitConfig::n16(), options).unwrap_err().to_string();
    assert_eq!(text, "no padded length of the image keys; the cross blocks use them");
}

#[test]
fn item_066_tile_order() {
    let options = ArenaOptions { tile_order: TileOrder::ColumnMajor, ..ArenaOptions::new(64) };
    let layout = layout(Version::N15, 1, 2, options);
    let text = check_kernel_geometry(&layout).unwrap_err().to_string();
    assert_eq!(
        text,
        "the kernel consumes matmul_block in1 order: plan the arena with TileOrder::RowMajor, not ColumnMajor"
    );
    assert_eq!(check_tail_geometry(&layout).unwrap_err().to_string(), text);
}

#[test]
fn item_067_operations_of_a_layout() {
    let layout = ArenaLayout::plan(&DitConfig::n15(), ArenaOptions::new(64)).unwrap();
    let op = layout.op(1, Op::Qkv).unwrap();
    assert_eq!((op.k_tiles, op.n_tiles, op.n_tiles_per_core, op.k_tiles_per_core), (48, 192, 2, 48));
    assert_eq!((op.tiles_per_core(), op.cores, op.core_set, op.split), (96, 96, CoreSet::All, Split::N));
    assert_eq!((op.k_block_tiles, op.k_block_bytes(), op.n_k_blocks()), (8, 32_768, 6));
    assert_eq!(op.bytes_per_bank(), 12 * 196_608);
    assert_eq!(op.cores_in_bank(3), [12, 13, 14, 15, 44, 45, 46, 47, 76, 77, 78, 79]);
    assert_eq!(layout.op(0, Op::Wo).unwrap().cores_in_bank(3), [12, 14, 44, 46, 76, 78]);
    let dec = layout.tail_op(TailOp::DecW2);
    assert_eq!(
        (dec.split, dec.k_tiles_per_core, dec.n_tiles_per_core, dec.cores_in_bank(3)),
        (Split::K, 4, 1, vec![12])
    );
    assert_eq!(op.tiles_of(1, 5)[..3], [(8, 10), (8, 11), (9, 10)]);
}

#[test]
fn item_068_page_order_of_a_bank() {
    let of = |mode| {
        let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64).reader_mode(mode));
        layout.op(0, Op::Wo).unwrap().bank_stream_slots()
    };
    let (direct, relay) = (of(ReaderMode::Direct), of(ReaderMode::Relay));
    assert_eq!((direct.len(), relay.len()), (48, 48));
    assert_eq!((&direct[..2], direct[8]), (&[(0, 0), (1, 0)][..], (0, 1)));
    assert_eq!((&relay[..2], relay[6]), (&[(0, 0), (0, 1)][..], (1, 0)));
    assert!(relay.is_sorted() && direct.is_sorted_by_key(|&(kb, p)| (p, kb)));
}

#[test]
fn item_069_slices_of_the_tail() {
    for mode in MODES {
        let layout = layout(Version::N16, 2, 2, ArenaOptions::new(64).reader_mode(mode));
        // Lead 1 has K tiles 4..8 of all four columns, contiguous.
        let dec = layout.tail_op(TailOp::DecW2);
        let expected: Vec<(u32, u32)> = (4..8).flat_map(|k| (0..4).map(move |n| (k, n))).collect();
        assert_eq!(dec.bank_tiles(1).unwrap(), expected);
        let enc = layout.tail_op(TailOp::EncW1);
        let tiles = enc.bank_tiles(1).unwrap();
        // Even cores of bank 1: 4, 6, 12, 14, 20, 22 with slots 2, 3, 6, 7, 10, 11.
        assert_eq!(tiles[..5], [(0, 2), (1, 2), (2, 2), (3, 2), (0, 3)]);
        assert_eq!(tiles.len(), 24);
    }
}

#[test]
fn item_070_accessors() {
    let layout = layout(Version::N16, 1, 4, ArenaOptions::new(64));
    assert_eq!(layout.stream_ops(ArenaPart::Stream).len(), 16);
    assert_eq!(
        layout.stream_ops(ArenaPart::Small).iter().map(|op| op.name).collect::<Vec<_>>(),
        TailOp::OPS.map(TailOp::name)
    );
    assert_eq!(layout.ops_of_block(2).unwrap().iter().map(|op| op.name).collect::<Vec<_>>(), Op::OPS.map(Op::name));
    assert_eq!(layout.ops_of_block(4).unwrap_err().to_string(), "block 4 out of range for 4 blocks");
    assert!(layout.is_cross(2) && !layout.is_cross(3));
    assert_eq!(layout.bias_row(3, Op::Ff2).unwrap(), 15);
    assert!(layout.bias_row(4, Op::Qkv).is_err());
    assert_eq!(TailOp::OPS.map(|op| layout.tail_bias_row(op)), [Some(16), Some(17), None, Some(19), None, None]);
    let total: u64 = layout.stream_ops(ArenaPart::Stream).iter().map(|op| u64::from(op.bytes_per_bank())).sum();
    assert_eq!(layout.bytes_per_bank(ArenaPart::Stream), total);
    assert!(layout.required_plan_names().contains(&"blocks.3.Wv".to_owned()));
    assert!(!layout.required_plan_names().contains(&"blocks.2.Wv".to_owned()), "K and V of a cross block are hoisted");
}

#[test]
fn item_071_offsets_table() {
    for (cfg, words) in [(DitConfig::n15(), 75), (DitConfig::n16(), 139)] {
        let layout = ArenaLayout::plan(&cfg, ArenaOptions::new(192)).unwrap();
        let table = layout.offsets_table();
        assert_eq!((table.words().unwrap().len(), table.names().len()), (words, words));
        assert_eq!(table.header[..3], [1, cfg.n_blocks, 2 * (cfg.n_blocks + 1)]);
        assert_eq!(table.header[9..], [4 * cfg.n_blocks, 2 * cfg.n_blocks]);
        for (i, op) in TailOp::OPS.into_iter().enumerate() {
            assert_eq!(table.header[3 + i], layout.tail_op(op).byte_offset);
        }
        for blk in 0..cfg.n_blocks {
            let row = &table.blocks[blk as usize];
            assert_eq!(row[0], layout.op(blk, Op::Qkv).unwrap().byte_offset);
            assert_eq!(row[1..3], [4 * blk, 2 * blk]);
            let set = cfg.key_set(blk);
            let flags = set.map_or(0, |set| 1 | (set as u32) << 1 | 6 << 16);
            assert_eq!(row[3], flags);
        }
        assert_eq!(table.names()[11 + 4], "block1_off_first_op");
    }
}

#[test]
fn item_072_streams() {
    for (dtype, page) in DTYPES.into_iter().zip([16_384, 8_704]) {
        let layout = ArenaLayout::plan(&DitConfig::n15(), ArenaOptions::new(64).dtype(dtype)).unwrap();
        assert_eq!((layout.page_bytes(), layout.tile_bytes(ArenaPart::Small)), (page, 2048));
        assert_eq!(layout.k_block_bytes_max(), 2 * page);
    }
    let layout = layout(Version::N15, 2, 1, ArenaOptions::new(64));
    let pack = layout.pack(&Plan::random(&layout, 1, 0.02)).unwrap();
    let tensor = pack.tensor(ArenaPart::Stream).unwrap();
    let tiles = layout.tiles_per_bank(ArenaPart::Stream) as usize;
    assert_eq!(tensor.shape(), [32, 2 * 32 * tiles]);
    // Half the tiles are bank 0, the others bank 1.
    let bytes = tensor.to_tiles(DataFormat::Bf16).unwrap();
    assert_eq!(bytes[..bytes.len() / 2], *pack.bank(ArenaPart::Stream, 0));
    assert_eq!(bytes[bytes.len() / 2..], *pack.bank(ArenaPart::Stream, 1));
}

/// The tensor of a bfp8_b arena packs to the same bytes again.
#[test]
fn item_072_block_floats_come_back_as_bytes() {
    let layout = layout(Version::N15, 1, 1, ArenaOptions::new(64).dtype(StreamDtype::Bfp8B));
    let pack = layout.pack(&Plan::random(&layout, 5, 0.02)).unwrap();
    let bytes = pack.tensor(ArenaPart::Stream).unwrap().to_tiles(DataFormat::Bfp8B).unwrap();
    assert_eq!(bytes, pack.bank(ArenaPart::Stream, 0));
}

/// The weights as the plan has them, padded and scaled here element by element.
fn expected(layout: &ArenaLayout, plan: &Plan, blk: u32, op: Op) -> Matrix {
    let get = |what: &str| Matrix::from_host(&plan.get(&names::block(blk, what)).unwrap()).unwrap();
    let heads = layout.cfg().n_heads() as usize;
    match op {
        Op::Qkv => {
            let parts: Vec<Matrix> =
                if layout.is_cross(blk) { vec![get("Wq")] } else { ["Wq", "Wk", "Wv"].map(get).to_vec() };
            let matrix = Matrix::from_fn(parts[0].rows, parts.len() * heads * 64, |r, c| {
                let (part, head, column) = (c / (heads * 64), c % (heads * 64) / 64, c % 64);
                if column >= 48 {
                    return 0.0;
                }
                let value = parts[part].at(r, head * 48 + column);
                if part == 0 { value * (1.0 / 48f32.sqrt()) } else { value }
            });
            matrix.rounded()
        }
        Op::Wo => {
            let w = get("Wo");
            Matrix::from_fn(heads * 64, w.cols, |r, c| if r % 64 < 48 { w.at(r / 64 * 48 + r % 64, c) } else { 0.0 })
        }
        Op::Ff1 => get("W1"),
        Op::Ff2 => get("W2"),
    }
}

#[test]
fn item_073_unpack_is_the_inverse_of_pack() {
    assert_eq!(attention_scale(), 1.0 / 48f32.sqrt());
    for (version, banks, blocks) in [(Version::N15, 1, 0..2), (Version::N16, 1, 0..1), (Version::N16, 2, 1..2)] {
        let cfg = DitConfig::scaled(version, banks, blocks.end).unwrap();
        let plan = Plan::random_of(&cfg, 7, 0.02);
        let any = layout(version, banks, blocks.end, ArenaOptions::new(64));
        // Does not depend on the order and format of the stream.
        let exact: Vec<(u32, Op, HostTensor)> = blocks
            .flat_map(|blk| Op::OPS.map(|op| (blk, op)))
            .map(|(blk, op)| (blk, op, expected(&any, &plan, blk, op).to_host().unwrap()))
            .collect();
        for mode in MODES {
            for dtype in DTYPES {
                let layout = layout(version, banks, cfg.n_blocks, ArenaOptions::new(64).reader_mode(mode).dtype(dtype));
                let pack = layout.pack(&plan).unwrap();
                for (blk, op, exact) in &exact {
                    let rounded = Matrix::from_host(&exact.to_format(dtype.format())).unwrap();
                    let got = layout.unpack(&pack, *blk, *op).unwrap();
                    assert!(got == rounded, "{version} {banks} {mode} {dtype}: block {blk} {}", op.name());
                }
                for op in TailOp::OPS {
                    let exact = Matrix::from_host(&plan.get(op.name()).unwrap()).unwrap();
                    let got = layout.unpack_tail(&pack, op).unwrap();
                    assert!(got.part(0..exact.rows, 0..exact.cols) == exact, "{}", op.name());
                    assert!(got.data.iter().filter(|v| **v != 0.0).count() <= exact.data.len());
                }
            }
        }
    }
}

#[test]
fn item_073_a_corrupted_page_shows() {
    let layout = layout(Version::N15, 2, 2, ArenaOptions::new(64));
    let plan = Plan::random(&layout, 7, 0.02);
    let mut pack = layout.pack(&plan).unwrap();
    let clean: Vec<Matrix> = Op::OPS.map(|op| layout.unpack(&pack, 1, op).unwrap()).to_vec();
    let op = layout.op(1, Op::Ff1).unwrap();
    let page = op.byte_offset as usize + 5 * layout.page_bytes() as usize;
    for byte in &mut pack.bank_mut(ArenaPart::Stream, 1)[page..page + layout.page_bytes() as usize] {
        *byte ^= 0x55;
    }
    for (op, clean) in Op::OPS.into_iter().zip(clean) {
        let differ = layout.unpack(&pack, 1, op).unwrap().data.iter().zip(&clean.data).filter(|(a, b)| a != b).count();
        assert_eq!(differ, if op == Op::Ff1 { 2 * 1024 } else { 0 }, "{}", op.name());
    }
    // Two pages in the wrong order show as well.
    let mut pack = layout.pack(&plan).unwrap();
    let clean = layout.unpack(&pack, 0, Op::Ff2).unwrap();
    let (at, size) = (layout.op(0, Op::Ff2).unwrap().byte_offset as usize, layout.page_bytes() as usize);
    let bank = pack.bank_mut(ArenaPart::Stream, 0);
    let (first, second) = bank[at..at + 2 * size].split_at_mut(size);
    first.swap_with_slice(second);
    assert_ne!(layout.unpack(&pack, 0, Op::Ff2).unwrap(), clean);
}

#[test]
fn item_068_both_orders_hold_the_same_pages() {
    let plan = Plan::random_of(&DitConfig::scaled(Version::N15, 1, 2).unwrap(), 3, 0.02);
    let [direct, relay] = MODES.map(|mode| {
        let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64).reader_mode(mode));
        let pack = layout.pack(&plan).unwrap();
        pack.bank(ArenaPart::Stream, 0).to_vec()
    });
    assert_ne!(direct, relay);
    let sorted = |bytes: &[u8]| {
        let mut pages: Vec<Vec<u8>> = bytes.chunks(2048).map(<[u8]>::to_vec).collect();
        pages.sort();
        pages
    };
    assert_eq!(sorted(&direct), sorted(&relay));
}

#[test]
fn item_077_bytes_of_a_step() {
    // N1.5 and N1.6, bf16 and bfp8_b: stream, small, both, of a bank.
    let rows = [
        (DitConfig::n15(), StreamDtype::Bf16, 905_969_664u64, 14_843_904u64, 920_813_568u64, 115_101_696u64),
        (DitConfig::n15(), StreamDtype::Bfp8B, 481_296_384, 14_843_904, 496_140_288, 62_017_536),
        (DitConfig::n16(), StreamDtype::Bf16, 1_811_939_328, 15_335_424, 1_827_274_752, 228_409_344),
        (DitConfig::n16(), StreamDtype::Bfp8B, 962_592_768, 15_335_424, 977_928_192, 122_241_024),
    ];
    for (cfg, dtype, stream, small, total, bank) in rows {
        for mode in MODES {
            let layout = ArenaLayout::plan(&cfg, ArenaOptions::new(256).dtype(dtype).reader_mode(mode)).unwrap();
            assert_eq!(layout.bytes_per_bank(ArenaPart::Stream) * 8, stream);
            assert_eq!(layout.bytes_per_bank(ArenaPart::Small) * 8, small);
            assert_eq!(layout.arena_bytes_per_step(), total);
            let floor = [(920_813_568, 1.798), (496_140_288, 0.969), (1_827_274_752, 3.569), (977_928_192, 1.910)];
            let (_, ms) = floor.into_iter().find(|(bytes, _)| *bytes == total).unwrap();
            assert!((layout.floor_seconds(512e9) * 1e3 - ms).abs() < 5e-4);
            assert_eq!(layout.bytes_per_bank(ArenaPart::Stream) + layout.bytes_per_bank(ArenaPart::Small), bank);
            assert_eq!(layout.stream_bytes(0, cfg.n_blocks).unwrap(), stream);
        }
    }
    let layout = ArenaLayout::plan(&DitConfig::n15(), ArenaOptions::new(256)).unwrap();
    assert_eq!((layout.stream_bytes(0, 1).unwrap(), layout.stream_bytes(1, 1).unwrap()), (50_331_648, 62_914_560));
    assert_eq!(layout.stream_bytes(15, 2).unwrap_err().to_string(), "blocks [15, 17) out of range for 16");
    assert_eq!((layout.kv_bytes(0), layout.kv_bytes(1)), (8192 * 256, 0));
    // 16.8 MB per step of N1.5; the masks, read by every head core, are half of it.
    assert_eq!((0..16).map(|blk| layout.kv_bytes(blk)).sum::<u64>(), 16_777_216);
    let mask: usize = layout.mask_shape(KeySet::All).unwrap().iter().product();
    assert_eq!(mask * 2 * 32, 4096 * 256);
}

#[test]
fn item_080_geometry_of_the_kernels() {
    for (cfg, count) in [(DitConfig::n15(), 64), (DitConfig::n16(), 128)] {
        let layout = ArenaLayout::plan(&cfg, ArenaOptions::new(64)).unwrap();
        let geom = kernel_geometry(&layout, 3, Op::Ff1).unwrap();
        let block: u64 = [(0, 1), (1, 1), (2, 1)].into_iter().map(|(b, n)| layout.stream_bytes(b, n).unwrap()).sum();
        let earlier = 12 * 196_608 + 6 * 131_072;
        assert_eq!(u64::from(geom.off_bank), block / 8 + earlier);
        assert_eq!((geom.per_bank, geom.pages_core, geom.bias_row, geom.gelu), (12, 12, 14, true));
        assert_eq!(check_kernel_geometry(&layout).unwrap(), count);
        let text = kernel_geometry(&layout, cfg.n_blocks, Op::Qkv).unwrap_err().to_string();
        assert_eq!(text, format!("block {0} out of range for {0} blocks", cfg.n_blocks));
    }
}

#[test]
fn item_081_every_operation_of_every_scale() {
    for version in [Version::N15, Version::N16] {
        for banks in [1, 2, 4, 8] {
            for mode in MODES {
                for dtype in DTYPES {
                    for l_pad in [64, 192] {
                        let layout = layout(version, banks, 4, ArenaOptions::new(l_pad).reader_mode(mode).dtype(dtype));
                        assert_eq!(check_kernel_geometry(&layout).unwrap(), 16);
                        assert_eq!(check_tail_geometry(&layout).unwrap(), 6);
                        assert_eq!((layout.is_split_block(0), layout.is_split_block(1)), (l_pad == 192, false));
                    }
                }
            }
        }
    }
}

#[test]
fn item_160_wrong_tables_are_found() {
    let layout = layout(Version::N16, 2, 4, ArenaOptions::new(192));
    let with = |change: fn(&mut OffsetsTable)| {
        let mut table = layout.offsets_table();
        change(&mut table);
        table
    };
    let words = "differ from the kernels (header 11, words per block 4): update the kernel constants";
    let table = with(|t| t.header.push(0));
    let text = check_kernel_table(&layout, &table).unwrap_err().to_string();
    assert_eq!(text, format!("offsets table of 12 header words and 4 words per block {words}"));
    assert_eq!(check_tail_table(&layout, &table).unwrap_err().to_string(), text);
    let text = check_kernel_table(&layout, &with(|t| t.blocks[2].push(0))).unwrap_err().to_string();
    assert_eq!(text, format!("offsets table of 11 header words and 5 words per block {words}"));
    let text = check_kernel_table(&layout, &with(|t| drop(t.blocks.pop()))).unwrap_err().to_string();
    assert_eq!(text, "offsets table of 23 words; 4 blocks need 27");
    for (change, text) in [
        (with(|t| t.blocks[1][0] += 4096), "block 1 qkv: offset is 1576960 for the kernel and 1572864 in the arena"),
        (with(|t| t.blocks[3][1] = 11), "block 3 qkv: bias row is 11 for the kernel and 12 in the arena"),
        (with(|t| t.blocks[2][3] &= !1), "block 2 flags: cross is 0 for the kernel and 1 in the arena"),
        (with(|t| t.blocks[2][3] ^= 2), "block 2 flags: key set is 3 for the kernel and 2 in the arena"),
        (with(|t| t.blocks[0][3] -= 1 << 16), "block 0 flags: l_pad is 160 for the kernel and 192 in the arena"),
    ] {
        assert_eq!(check_kernel_table(&layout, &change).unwrap_err().to_string(), text);
    }
    let text = check_tail_table(&layout, &with(|t| t.header[9] += 1)).unwrap_err().to_string();
    assert_eq!(text, "tail proj_out_2: bias row is 17 for the kernel and 16 in the arena");
    let text = check_tail_table(&layout, &with(|t| t.header.swap(4, 5))).unwrap_err().to_string();
    assert!(text.starts_with("tail dec_W1: offset is"), "{text}");
}

#[test]
fn item_083_geometry_of_the_tail() {
    for (cfg, nt) in [(DitConfig::n15(), 1), (DitConfig::n16(), 4)] {
        let layout = ArenaLayout::plan(&cfg, ArenaOptions::new(64)).unwrap();
        let base = 4 * cfg.n_blocks;
        let none = ttl_kernels::dit::op::NO_BIAS;
        let rows = [
            (TailOp::ProjOut2, 48, 1, CoreSet::First, base),
            (TailOp::DecW1, 32, 1, CoreSet::First, base + 1),
            (TailOp::DecW2, 4, nt, CoreSet::Leads, none),
            (TailOp::EncW1, nt, 1, CoreSet::Even, base + 3),
            (TailOp::EncW2a, 48, 1, CoreSet::Even, none),
            (TailOp::EncW3, 48, 1, CoreSet::Even, none),
        ];
        for (op, kt, nt_w, set, bias_row) in rows {
            let geom = tail_kernel_geometry(&layout, op).unwrap();
            assert_eq!((geom.kt, geom.nt_w, geom.tiles, geom.set, geom.bias_row), (kt, nt_w, kt * nt_w, set, bias_row));
            assert_eq!(geom.off_bank, layout.tail_op(op).byte_offset);
        }
        assert_eq!(k4_tw_tiles(&layout), 48);
        assert_eq!(check_tail_geometry(&layout).unwrap(), 6);
    }
}

#[test]
fn item_117_packs_of_other_layouts_are_refused() {
    let ours = layout(Version::N15, 1, 2, ArenaOptions::new(64));
    let pack = |layout: &ArenaLayout| layout.pack(&Plan::random(layout, 1, 0.02)).unwrap();
    ours.check_pack(&pack(&ours)).unwrap();
    let other = layout(Version::N15, 1, 1, ArenaOptions::new(64));
    assert_eq!(
        ours.check_pack(&pack(&other)).unwrap_err().to_string(),
        "pack does not belong to this arena layout: it is for N1.5 with 1 blocks and 1 banks, the layout for N1.5 with 2 blocks and 1 banks"
    );
    let relay = layout(Version::N15, 1, 2, ArenaOptions::new(64).reader_mode(ReaderMode::Relay));
    let text = ours.check_pack(&pack(&relay)).unwrap_err().to_string();
    assert!(text.starts_with("pack does not belong to this arena layout: it was planned with ArenaOptions"), "{text}");
    assert!(ours.unpack(&pack(&relay), 0, Op::Wo).is_err());
    let mut short = pack(&ours);
    short.bank_mut(ArenaPart::Small, 0).truncate(2048);
    let text = ours.check_pack(&short).unwrap_err().to_string();
    assert_eq!(
        text,
        format!(
            "pack's small stream has 2048 bytes in bank 0; the layout has {}",
            ours.bytes_per_bank(ArenaPart::Small)
        )
    );
    let mut wrong = pack(&ours);
    wrong.tables.b3_pos_rows = wrong.tables.b2_step.clone();
    let text = ours.check_pack(&wrong).unwrap_err().to_string();
    assert_eq!(text, "b3_pos_rows has the shape [4, 192]; it must be [64, 192]");
}
