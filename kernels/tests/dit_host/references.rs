//! The references themselves, against products written out, and the figures of agreement.

use crate::arena::layout;
use ttl::runtime::tensor::random::Random;
use ttl_kernels::dit::matrix::round_bf16;
use ttl_kernels::dit::reference::*;
use ttl_kernels::dit::*;

pub(crate) fn random(rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut random = Random::new(seed);
    Matrix::from_fn(rows, cols, |_, _| random.normal())
}

#[test]
fn item_089_weights_are_those_of_the_packed_bytes() {
    let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64).dtype(StreamDtype::Bfp8B));
    let plan = Plan::random(&layout, 1, 0.02);
    let mut pack = layout.pack(&plan).unwrap();
    let (weights, bias) = op_weight_and_bias(&layout, &pack, 0, Op::Ff1).unwrap();
    let exact = Matrix::from_host(&plan.get("blocks.0.W1").unwrap()).unwrap();
    assert_ne!(weights, exact, "bfp8_b rounds");
    assert_eq!(bias, plan.get("blocks.0.b1").unwrap().to_f32_vec());
    let at = layout.op(0, Op::Ff1).unwrap().byte_offset as usize + 64 + 7;
    pack.bank_mut(ArenaPart::Stream, 0)[at] ^= 0x40;
    assert_ne!(op_weight_and_bias(&layout, &pack, 0, Op::Ff1).unwrap().0, weights);
    let (w, b) = tail_weight_and_bias(&layout, &pack, TailOp::DecW2).unwrap();
    assert_eq!((w.rows, w.cols), (128, 32));
    assert_eq!(b, plan.get("dec_W2.bias").unwrap().to_f32_vec());
    assert!(tail_weight_and_bias(&layout, &pack, TailOp::EncW3).unwrap().1.iter().all(|&v| v == 0.0));
}

#[test]
fn item_090_one_operation() {
    let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64));
    let pack = layout.pack(&Plan::random(&layout, 2, 0.05)).unwrap();
    for (blk, op) in [(0, Op::Qkv), (1, Op::Qkv), (0, Op::Wo), (1, Op::Ff1), (0, Op::Ff2)] {
        let (weights, bias) = op_weight_and_bias(&layout, &pack, blk, op).unwrap();
        let x = random(64, weights.rows, 3);
        let y = ref_single_op(&layout, &pack, &x, blk, op).unwrap();
        assert_eq!((y.rows, y.cols), (64, weights.cols));
        for (r, c) in [(0, 0), (17, 31), (63, weights.cols - 1), (40, 100)] {
            let exact: f64 =
                (0..weights.rows).map(|k| f64::from(round_bf16(x.at(r, k))) * f64::from(weights.at(k, c))).sum();
            let z = (exact + f64::from(bias[c])) as f32;
            let z = if op == Op::Ff1 { gelu_tanh(z) } else { z };
            // f32 sums may round to the next bf16.
            assert!((y.at(r, c) - z).abs() <= z.abs() / 128.0 + 1e-5, "{} {r} {c}: {} {z}", op.name(), y.at(r, c));
            assert_eq!(y.at(r, c), round_bf16(y.at(r, c)));
        }
    }
    let text = ref_single_op(&layout, &pack, &random(64, 192, 1), 0, Op::Ff2).unwrap_err().to_string();
    assert_eq!(text, "the input of ff2 has the shape [64, 192]; it must be [64, 768]");
}

#[test]
fn item_091_the_chain() {
    let layout = layout(Version::N15, 1, 2, ArenaOptions::new(64));
    let pack = layout.pack(&Plan::random(&layout, 2, 0.05)).unwrap();
    let x = random(64, 192, 4);
    let both = ref_chain(&layout, &pack, &x, 0, 2).unwrap();
    let first = ref_chain(&layout, &pack, &x, 0, 1).unwrap();
    assert_eq!((first.q.cols, first.o.cols, first.f.cols, first.g.cols), (256, 192, 768, 192));
    // The second block is a self block: the chain takes the queries alone.
    let second = ref_chain(&layout, &pack, &first.g, 1, 1).unwrap();
    assert_eq!(second, both);
    let qkv = ref_single_op(&layout, &pack, &first.g, 1, Op::Qkv).unwrap();
    assert_eq!((qkv.cols, qkv.part(0..64, 0..256)), (768, second.q.clone()));
    assert_eq!(ref_single_op(&layout, &pack, &second.o, 1, Op::Ff1).unwrap(), second.f);
    assert_eq!(ref_chain(&layout, &pack, &x, 1, 2).unwrap_err().to_string(), "blocks [1, 3) out of range for 2");
}

#[test]
fn item_092_gelu_and_rounding() {
    for z in [-8.0f32, -3.0, -0.7, -1e-3, 0.0, 0.3, 1.0, 4.0] {
        let exact = f64::from(z)
            * 0.5
            * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (f64::from(z) + 0.044715 * f64::from(z).powi(3))).tanh());
        assert!((f64::from(gelu_tanh(z)) - exact).abs() < 1e-6, "{z}");
    }
    assert_eq!(round_bf16(1.0 + 1.0 / 256.0), 1.0, "a tie goes to even");
    assert_eq!(round_bf16(1.0 + 3.0 / 256.0), 1.0 + 4.0 / 256.0);
}

#[test]
fn figures_of_agreement_tell_things_apart() {
    let a = random(64, 192, 5);
    let same = Agreement::of(&a, &a);
    assert!((same.pcc - 1.0).abs() < 1e-12 && same.relative_error == 0.0 && same.largest == 0.0);
    let rounded = Agreement::of(&a.clone().rounded(), &a);
    assert!(rounded.within(0.9999, 5e-3), "{rounded}");
    // A constant factor is invisible to the correlation, not to the error.
    let scaled = Agreement::of(&a.clone().map(|v| v * 1.02), &a);
    assert!(scaled.pcc > 0.999999 && !scaled.within(0.9999, 5e-3), "{scaled}");
    // Two heads exchanged.
    let swapped = Matrix::from_fn(64, 192, |r, c| a.at(r, if c < 96 { (c + 48) % 96 } else { c }));
    assert!(!Agreement::of(&swapped, &a).within(0.999, 1e-2));
    let mut nan = a.clone();
    nan.data[5] = f32::NAN;
    assert!(!Agreement::of(&nan, &a).within(0.0, f64::INFINITY));
    let zero = Matrix::zeros(2, 2);
    assert_eq!((pcc(&zero, &zero), relative_error(&zero, &zero)), (1.0, 0.0));
    assert_eq!(relative_error(&a.top(2), &Matrix::zeros(2, 192)), f64::INFINITY);
}
