//! The table of operations, and that its functions are device code.

use ttl::rt::{Cx, Inst};
use ttl_kernels::dit::core_set::{group_of, rank12, row_of_core};
use ttl_kernels::dit::geometry::{is_split, op_geom, tail_geom};
use ttl_kernels::dit::offsets::{block_flags, block_word, flags_cross, flags_key_set, flags_l_pad, table_words};
use ttl_kernels::dit::*;

#[test]
fn item_041_names_and_modes() {
    assert_eq!(Op::OPS.map(Op::name), ["qkv", "Wo", "ff1", "ff2"]);
    assert_eq!(Op::OPS.map(Op::index), [0, 1, 2, 3]);
    let tail = ["proj_out_2", "dec_W1", "dec_W2", "enc_W1", "enc_W2a", "enc_W3"];
    assert_eq!(TailOp::OPS.map(TailOp::name), tail);
    assert_eq!(TailOp::OPS.map(TailOp::index), [0, 1, 2, 3, 4, 5]);
    assert!((0..6).all(|i| TailOp::from_index(i).index() == i) && (0..4).all(|j| Op::from_index(j).index() == j));
    assert_eq!(In0Order::ORDERS.map(In0Order::name), ["RowMajor", "Pairs", "Single", "RowMajorWrap"]);
    assert_eq!(K1Mode::MODES.map(|m| (m.name(), m as u32)), [("chain", 0), ("single", 1), ("stream", 2)]);
    assert!(tail.into_iter().all(|name| TailOp::from_name(name).unwrap().name() == name));
    assert_eq!(
        TailOp::from_name("dec_W3").unwrap_err().to_string(),
        "tail op must be one of proj_out_2, dec_W1, dec_W2, enc_W1, enc_W2a, enc_W3, got \"dec_W3\""
    );
    assert_eq!(Op::from_name("wo").unwrap_err().to_string(), "no operation \"wo\"; there are qkv, Wo, ff1, ff2");
}

/// The table of the specification: K, N, set, columns of a core, cores, pages of a core, bytes of a core.
#[test]
fn item_079_shapes_at_full_size() {
    let rows = [
        (Op::Qkv, false, 1536, 6144, CoreSet::All, 2, 96, 12, 196_608),
        (Op::Qkv, true, 1536, 2048, CoreSet::First, 2, 32, 12, 196_608),
        (Op::Wo, false, 2048, 1536, CoreSet::Even, 1, 48, 8, 131_072),
        (Op::Ff1, true, 1536, 6144, CoreSet::All, 2, 96, 12, 196_608),
        (Op::Ff2, false, 6144, 1536, CoreSet::Even, 1, 48, 24, 393_216),
    ];
    for (op, cross, k, n, set, ct, cores, pages, bytes) in rows {
        let geom = op_geom(8, 2048, 0, 0, cross, op);
        assert_eq!((32 * geom.kt, 32 * geom.nt, geom.set, geom.ct), (k, n, set, ct), "{}", op.name());
        assert_eq!((geom.cores(), geom.pages_core, geom.pages_core * 8 * 2048), (cores, pages, bytes));
        assert_eq!(geom.gelu, op == Op::Ff1);
        assert_eq!(geom.pages_core, geom.kt * geom.ct / 8);
        // Loop counts do not depend on the scale.
        for banks in [1, 2, 4] {
            let small = op_geom(banks, 2048, 0, 0, cross, op);
            assert_eq!((small.pages_core, small.k_blocks(), small.ct), (pages, geom.k_blocks(), ct));
            assert_eq!((small.kt, small.nt, small.cores()), (k * banks / 256, n * banks / 256, cores * banks / 8));
            assert_eq!(small.cores(), small.set.cores(banks));
        }
    }
    assert_eq!(Op::OPS.map(|op| op_geom(8, 2048, 0, 0, true, op).k_blocks()), [6, 8, 6, 24]);
    assert_eq!(Op::at(4).unwrap_err().to_string(), "op index 4 out of range 0..3");
}

/// The struct that kernels pass around, and that it knows no bytes of a page: they depend on the format of the stream.
#[test]
fn item_078_fields_of_the_geometry() {
    let OpGeom { op, kt, nt, ct, set, per_bank, pages_core, off_bank, bias_row, gelu } =
        op_geom(8, 1088, 4352, 20, true, Op::Ff1);
    assert_eq!((op, kt, nt, ct, set, per_bank), (Op::Ff1, 48, 192, 2, CoreSet::All, 12));
    assert_eq!((pages_core, bias_row, gelu), (12, 22, true));
    // Behind qkv of a cross block and Wo, in tiles of 1088 bytes.
    assert_eq!(off_bank, 4352 + (4 * 48 * 2 + 6 * 64) * 1088);
    let bf16 = op_geom(8, 2048, 4352, 20, true, Op::Ff1);
    assert_eq!(OpGeom { off_bank: 0, ..bf16 }, OpGeom { off_bank: 0, ..op_geom(8, 1088, 4352, 20, true, Op::Ff1) });
}

#[test]
fn item_076_split_rule() {
    // 128 keys are two chunks, 160 begin a third.
    assert_eq!(
        [32, 64, 96, 128, 160, 192, 256].map(|l| is_split(true, l)),
        [false, false, false, false, true, true, true]
    );
    assert!(!is_split(false, 192));
}

#[test]
fn pages_of_a_bank_in_both_orders() {
    for banks in [1, 2, 4, 8] {
        for cross in [false, true] {
            for op in Op::OPS {
                let geom = op_geom(banks, 2048, 0, 0, cross, op);
                let mut relay = vec![None; geom.pages_bank() as usize];
                let mut direct = vec![None; geom.pages_bank() as usize];
                for rank in 0..geom.per_bank {
                    for page in 0..geom.pages_core {
                        let m = geom.relay_page(rank, page);
                        assert_eq!(geom.relay_rank(m), rank);
                        assert_eq!(relay[m as usize].replace((page / geom.ct, rank, page % geom.ct)), None);
                        let at = geom.direct_page(rank) + page;
                        assert_eq!(direct[at as usize].replace((rank, page)), None);
                    }
                }
                assert!(relay.is_sorted() && direct.is_sorted(), "{}", op.name());
            }
        }
    }
}

#[test]
fn in0_orders_put_contributions_side_by_side() {
    let (columns, rows) = (12, 2);
    for order in In0Order::ORDERS {
        let mut pages: Vec<u32> =
            (0..rows).flat_map(|r| (0..columns).map(move |n| order.page_of(r, n, columns))).collect();
        pages.sort();
        assert_eq!(pages, (0..rows * columns).collect::<Vec<_>>(), "{}", order.name());
    }
    // A head's [64, 64] piece is four pages, a column's [64, 32] piece two.
    assert_eq!([(0, 6), (0, 7), (1, 6), (1, 7)].map(|(r, n)| In0Order::Pairs.page_of(r, n, 12)), [12, 13, 14, 15]);
    assert_eq!([(0, 5), (1, 5)].map(|(r, n)| In0Order::Single.page_of(r, n, 12)), [10, 11]);
    assert_eq!(In0Order::RowMajorWrap.page_of(1, 50, 48), 48 + 2);
}

#[test]
fn item_071_words_of_the_offsets_table() {
    assert_eq!((offsets::HEADER.len() as u32, offsets::BLOCK.len() as u32), (11, 4));
    assert_eq!((offsets::HEADER_WORDS, offsets::WORDS_PER_BLOCK), (11, 4));
    assert_eq!((table_words(16), table_words(32)), (75, 139));
    for (i, op) in TailOp::OPS.into_iter().enumerate() {
        assert_eq!(offsets::HEADER[offsets::H_OFF_TAIL as usize + i], format!("off_{}", op.name()));
    }
    let at = |i: u32| offsets::HEADER[i as usize];
    assert_eq!(at(offsets::H_TAIL_BIAS_ROW_BASE), "tail_bias_row_base");
    assert_eq!(at(offsets::H_ADALN_OUT_ROW), "adaln_out_row");
    assert_eq!(block_word(3, offsets::B_FLAGS), 11 + 12 + 3);
    let flags = block_flags(true, KeySet::Image as u32, 192);
    assert_eq!((flags_cross(flags), flags_key_set(flags), flags_l_pad(flags)), (true, 2, 192));
    assert_eq!(block_flags(false, 0, 0), 0);
}

/// As a kernel would use it.
#[ttl::device]
fn k_tiles_of_slices(banks: u32, nt_a: u32) -> u32 {
    let mut sum = 0;
    for i in 0..6 {
        sum += tail_geom(banks, nt_a, 0, 0, TailOp::from_index(i)).kt;
    }
    sum
}

/// The geometry of the tail is device code as well.
#[test]
fn item_085_geometry_of_the_tail_on_the_device() {
    let mut cx = Cx::new();
    cx.instance::<tail_geom>();
    let fns = cx.finish();
    assert!(fns.is_ok(), "{:?}", fns.err());
    assert_eq!((k_tiles_of_slices(8, 4), k_tiles_of_slices(1, 1)), (3 * 48 + 32 + 4 + 4, 3 * 6 + 4 + 4 + 1));
}

/// What kernels call is lowered without complaint.
#[test]
fn item_082_the_functions_are_device_code() {
    fn lowers<I: Inst>() {
        let mut cx = Cx::new();
        cx.instance::<I>();
        let fns = cx.finish();
        assert!(fns.is_ok(), "{:?}", fns.err());
    }
    lowers::<op_geom>();
    lowers::<k_tiles_of_slices>();
    lowers::<is_split>();
    lowers::<group_of>();
    lowers::<rank12>();
    lowers::<row_of_core>();
    lowers::<block_word>();
    lowers::<table_words>();
    lowers::<block_flags>();
    lowers::<flags_l_pad>();
    lowers::<flags_cross>();
    lowers::<flags_key_set>();
}
