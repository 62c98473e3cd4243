//! Plans and tables.

use std::collections::BTreeMap;

use crate::arena::layout;
use ttl::prelude::{DataFormat, HostTensor};
use ttl_kernels::dit::consts::MASKED;
use ttl_kernels::dit::pack::attention_scale;
use ttl_kernels::dit::plan::names;
use ttl_kernels::dit::tables::{bias_table_width, key_mask, valid_mask};
use ttl_kernels::dit::*;

fn matrix(tensor: &HostTensor) -> Matrix {
    Matrix::from_host(tensor).unwrap()
}

#[test]
fn item_074_tables() {
    for version in [Version::N15, Version::N16] {
        let layout = layout(version, 1, 4, ArenaOptions::new(64));
        let cfg = layout.cfg().clone();
        let plan = Plan::random(&layout, 11, 0.02);
        let get = |name: &str| matrix(&plan.get(name).unwrap());
        let tables = layout.pack(&plan).unwrap().tables;

        let bias = matrix(&tables.bias_rows);
        assert_eq!((bias.rows, bias.cols), (20, bias_table_width(&cfg) as usize));
        for blk in 0..4u32 {
            let row = |op: Op| bias.row((4 * blk + op.index()) as usize);
            for (op, what) in [(Op::Wo, "bo"), (Op::Ff1, "b1"), (Op::Ff2, "b2")] {
                let own = get(&names::block(blk, what));
                assert_eq!(row(op)[..own.cols], own.data);
                assert!(row(op)[own.cols..].iter().all(|&v| v == 0.0));
            }
            let q = get(&names::block(blk, "bq"));
            for (head, own) in q.data.chunks(48).enumerate() {
                let padded = &row(Op::Qkv)[64 * head..64 * head + 64];
                let scaled = Matrix { rows: 1, cols: 48, data: own.iter().map(|v| v * attention_scale()).collect() };
                assert_eq!(padded[..48], scaled.rounded().data);
                assert!(padded[48..].iter().all(|&v| v == 0.0));
            }
            let inner = cfg.inner() as usize;
            if layout.is_cross(blk) {
                assert!(row(Op::Qkv)[inner..].iter().all(|&v| v == 0.0));
            } else {
                assert_eq!(row(Op::Qkv)[inner + 64..inner + 64 + 48], get(&names::block(blk, "bk")).data[48..96]);
                assert_eq!(row(Op::Qkv)[2 * inner..2 * inner + 48], get(&names::block(blk, "bv")).data[..48]);
            }
        }
        for (i, name) in ["proj_out_2", "dec_W1", "dec_W2", "enc_W1"].into_iter().enumerate() {
            let own = get(&format!("{name}.bias"));
            assert_eq!(bias.row(16 + i)[..own.cols], own.data, "{name}");
        }

        let adaln = matrix(&tables.adaln_rows);
        assert_eq!((adaln.rows as u32, adaln.cols as u32), (4 * layout.adaln_rows_per_step(), cfg.width()));
        for step in 0..4 {
            for blk in 0..=4 {
                // First the scale, then the shift; step after step.
                let row = (step * 10 + 2 * blk) as usize;
                assert_eq!(adaln.row(row), get(&names::scale(step, blk)).data);
                assert_eq!(adaln.row(row + 1), get(&names::shift(step, blk)).data);
            }
        }
        let b2 = matrix(&tables.b2_step);
        assert_eq!((b2.rows, b2.row(3)), (4, get(&names::b2_step(3)).row(0)));

        let b3 = matrix(&tables.b3_pos_rows);
        let (pos, bias) = (get("pos"), get("enc_W3.bias"));
        for r in 0..64u32 {
            let row = b3.row(r as usize);
            if cfg.action_rows().contains(&r) {
                let action = (r - cfg.action_rows().start) as usize;
                let sum = Matrix {
                    rows: 1,
                    cols: bias.cols,
                    data: pos.row(action).iter().zip(&bias.data).map(|(a, b)| a + b).collect(),
                };
                assert_eq!(row, sum.rounded().data);
            } else {
                assert!(row.iter().all(|&v| v == 0.0), "row {r}");
            }
        }
        assert_eq!(tables.future_tokens.is_some(), version == Version::N15);
        if let Some(future) = &tables.future_tokens {
            assert_eq!(matrix(future), get("future_tokens"));
        }
        tables.check(&layout).unwrap();
    }
}

#[test]
fn item_074_masks_are_finite() {
    let cfg = DitConfig::scaled(Version::N15, 1, 4).unwrap();
    let layout = layout(Version::N15, 1, 4, ArenaOptions::new(192));
    let tables = layout.pack(&Plan::random(&layout, 1, 0.02)).unwrap().tables;
    let mask = matrix(&tables.self_mask);
    let hidden = Matrix::from_fn(1, 1, |_, _| MASKED).rounded().data[0];
    assert!(hidden < -9e8 && hidden.is_finite());
    for r in 0..64 {
        for c in 0..64 {
            assert_eq!(mask.at(r, c), if c < 49 { 0.0 } else { hidden });
        }
    }
    assert_eq!(tables.self_mask.shape(), [1, 1, 64, 64]);
    let keys = key_mask(&cfg, 150, 192).unwrap();
    assert_eq!((keys.shape(), layout.mask_shape(KeySet::All)), (&[1, 1, 64, 192][..], Some([1, 1, 64, 192])));
    assert_eq!(matrix(&keys).row(63).iter().filter(|&&v| v == 0.0).count(), 150);
    let valid = matrix(&valid_mask(&cfg, &[true, false, true], 64).unwrap());
    assert_eq!(valid.row(5)[..4], [0.0, hidden, 0.0, hidden]);
}

#[test]
fn keys_and_values_are_placed_head_by_head() {
    let layout = layout(Version::N16, 1, 4, ArenaOptions::new(64));
    let k = Matrix::from_fn(40, 192, |r, c| (r * 192 + c) as f32 / 64.0).rounded();
    let placed = layout.place_kv(2, "K", &k).unwrap();
    assert_eq!(placed.shape(), [1, 4, 64, 64]);
    let values = placed.to_f32_vec();
    for (i, &value) in values.iter().enumerate() {
        let (head, key, column) = (i / 4096, i / 64 % 64, i % 64);
        let expected = if key < 40 && column < 48 { k.at(key, head * 48 + column) } else { 0.0 };
        assert_eq!(value, expected);
    }
    assert_eq!(layout.kv_shape(1), None);
    let text = layout.place_kv(1, "K", &k).unwrap_err().to_string();
    assert_eq!(text, "kv has entries for non-cross blocks [1]");
    let text = layout.place_kv(0, "V", &Matrix::zeros(65, 192)).unwrap_err().to_string();
    assert_eq!(text, "block 0 hoisted V must be [64, 192], got [65, 192]");
}

#[test]
fn item_086_random_plans() {
    let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64));
    let plan = Plan::random(&layout, 42, 0.02);
    let names: Vec<String> = plan.shapes().keys().cloned().collect();
    assert_eq!(names, layout.required_plan_names());
    let deviation =
        |values: &[f32]| (values.iter().map(|v| f64::from(v * v)).sum::<f64>() / values.len() as f64).sqrt();
    for name in &names {
        let tensor = plan.get(name).unwrap();
        assert_eq!((tensor.format(), tensor.shape()), (DataFormat::Bf16, plan.shapes()[name].as_slice()));
        let matrix = tensor.shape().len() == 2 && tensor.shape().iter().all(|&n| n > 1);
        let (values, scale) = (tensor.to_f32_vec(), if matrix { 0.02 } else { 0.1 });
        // Six standard errors of a deviation of n draws.
        let slack = 6.0 / (2.0 * values.len() as f64).sqrt();
        assert!((deviation(&values) / scale - 1.0).abs() < slack, "{name}: {}", deviation(&values));
    }
    let again = Plan::random(&layout, 42, 0.02);
    let other = Plan::random(&layout, 43, 0.02);
    for name in ["blocks.0.Wq", "adaln.3.2.shift"] {
        assert_eq!(plan.get(name).unwrap(), again.get(name).unwrap());
        assert_ne!(plan.get(name).unwrap(), other.get(name).unwrap());
    }
    assert_ne!(plan.get("blocks.0.W1").unwrap(), plan.get("blocks.1.W1").unwrap());
    assert!(plan.get("blocks.2.W1").is_err());
}

#[test]
fn item_087_given_plans_are_checked() {
    let layout = layout(Version::N16, 1, 1, ArenaOptions::new(64));
    let cfg = layout.cfg();
    let random = Plan::random(&layout, 1, 0.02);
    let tensors = random.to_tensors().unwrap();
    let given = Plan::from_tensors(cfg, tensors.clone()).unwrap();
    assert!(layout.pack(&given).unwrap() == layout.pack(&random).unwrap());
    let refused = |change: &dyn Fn(&mut BTreeMap<String, HostTensor>)| {
        let mut tensors = tensors.clone();
        change(&mut tensors);
        Plan::from_tensors(cfg, tensors).unwrap_err().to_string()
    };
    assert_eq!(refused(&|t| drop(t.remove("blocks.0.Wq"))), "the plan lacks blocks.0.Wq of shape [192, 192]");
    let extra = HostTensor::zeros([2], DataFormat::F32).unwrap();
    assert_eq!(
        refused(&|t| drop(t.insert("future_tokens".to_owned(), extra.clone()))),
        "the plan has future_tokens, which N1.6 does not use"
    );
    let wrong = HostTensor::zeros([192, 768], DataFormat::F32).unwrap();
    assert_eq!(
        refused(&|t| drop(t.insert("blocks.0.W2".to_owned(), wrong.clone()))),
        "blocks.0.W2 has the shape [192, 768]; it must be [768, 192]"
    );
    let integers = HostTensor::zeros([192], DataFormat::I32).unwrap();
    assert_eq!(
        refused(&|t| drop(t.insert("blocks.0.bq".to_owned(), integers.clone()))),
        "blocks.0.bq: i32 elements cannot be read as weights; there are F32, BF16 and F16"
    );
    let infinite = HostTensor::from_fn([192], |i| if i == 7 { f32::INFINITY } else { 0.0 }).unwrap();
    assert_eq!(
        refused(&|t| drop(t.insert("blocks.0.bq".to_owned(), infinite.clone()))),
        "blocks.0.bq holds inf at element 7; weights must be finite"
    );
}

#[test]
fn item_088_names_of_a_plan() {
    let plan = enumerate_plan(&DitConfig::n15());
    assert_eq!(plan["blocks.1.Wk"], [1536, 1536]);
    assert_eq!(plan["blocks.1.Wo"], [1536, 1536]);
    assert_eq!(plan["blocks.15.W2"], [6144, 1536]);
    assert_eq!((&plan["enc_W1"][..], &plan["dec_W2"][..]), (&[32, 1536][..], &[1024, 32][..]));
    assert_eq!(plan["future_tokens"], [32, 1536]);
    // 8 cross blocks of 8 tensors, 8 self blocks of 12, 4 * (2 * 17 + 1) rows of tables, 13 of the tail.
    assert_eq!(plan.len(), 8 * 8 + 8 * 12 + 4 * 35 + 13);
    let plan = enumerate_plan(&DitConfig::n16());
    assert!(!plan.contains_key("future_tokens"));
    assert_eq!((&plan["enc_W1"][..], &plan["pos"][..]), (&[128, 1536][..], &[50, 1536][..]));
}
