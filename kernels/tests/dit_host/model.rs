//! The references of blocks, steps and the loop against the published network, and that each trap is found.

use crate::arena::layout;
use crate::references::random;
use ttl::prelude::HostTensor;
use ttl::runtime::tensor::random::Random;
use ttl_kernels::dit::plan::names;
use ttl_kernels::dit::reference::*;
use ttl_kernels::dit::*;

/// A network with weights large enough that every part of it matters, and a call.
struct Case {
    layout: ArenaLayout,
    plan: Plan,
    pack: ArenaPack,
    inputs: ModelInputs,
    /// M rows.
    x: Matrix,
}

fn case(version: Version, banks: u32, l_pad: u32, keys: usize) -> Case {
    let layout = layout(version, banks, 4, ArenaOptions::new(l_pad));
    let cfg = layout.cfg().clone();
    let plan = Plan::random(&layout, 21, 0.06);
    let pack = layout.pack(&plan).unwrap();
    let mut inputs = ModelInputs::default();
    let mut draw = Random::new(5);
    for set in cfg.key_sets() {
        // Some keys hidden among the valid ones, others in each set.
        inputs.valid.insert(set, (0..keys).map(|_| draw.below(4) > 0).collect());
    }
    for blk in cfg.cross_blocks() {
        let of = |seed| random(keys, (cfg.n_heads() * 48) as usize, seed).rounded();
        inputs.kv.insert(blk, [of(100 + u64::from(blk)), of(200 + u64::from(blk))]);
    }
    let x = random(cfg.m() as usize, cfg.width() as usize, 9).rounded();
    Case { layout, plan, pack, inputs, x }
}

impl Case {
    /// The rows on the device: those behind M hold something finite.
    fn padded(&self) -> Matrix {
        let mut x = random(64, self.x.cols, 77).rounded();
        x.place(0, 0, &self.x);
        x
    }

    fn model(&self) -> Model<'_> {
        Model::new(self.layout.cfg(), &self.plan, &self.inputs)
    }

    /// What block `blk` adds to x: of the reference, and of the model.
    fn deltas(&self, inputs: &CallInputs, blk: u32) -> Agreement {
        let got = ref_block(&self.layout, &self.pack, inputs, &self.padded(), (blk, 1), 2).unwrap().x.top(self.x.rows);
        let exact = self.model().block(&self.x, blk, 2).unwrap();
        Agreement::of(&got.minus(&self.x), &exact.minus(&self.x))
    }
}

const DELTA: (f64, f64) = (0.999, 3e-2);

#[test]
fn item_093_blocks_are_those_of_the_network() {
    for (version, banks, l_pad, keys) in
        [(Version::N15, 1, 64, 50), (Version::N16, 1, 192, 170), (Version::N16, 2, 96, 90)]
    {
        let case = case(version, banks, l_pad, keys);
        let inputs = case.inputs.for_device(&case.layout).unwrap();
        for blk in 0..4 {
            let agreement = case.deltas(&inputs, blk);
            assert!(agreement.within(DELTA.0, DELTA.1), "{version}, {banks} banks, block {blk}: {agreement}");
        }
        if banks > 1 {
            continue;
        }
        // All four in a row.
        let got = ref_block(&case.layout, &case.pack, &inputs, &case.padded(), (0, 4), 1).unwrap().x.top(case.x.rows);
        let mut exact = case.x.clone();
        for blk in 0..4 {
            exact = case.model().block(&exact, blk, 1).unwrap();
        }
        let agreement = Agreement::of(&got.minus(&case.x), &exact.minus(&case.x));
        assert!(agreement.within(DELTA.0, DELTA.1), "{version}: {agreement}");
    }
}

#[test]
fn item_093_swapped_scale_and_shift_are_found() {
    let case = case(Version::N15, 1, 64, 50);
    let inputs = case.inputs.for_device(&case.layout).unwrap();
    let mut rows = Matrix::from_host(&case.pack.tables.adaln_rows).unwrap();
    for r in (0..rows.rows).step_by(2) {
        let (scale, shift) = (rows.row(r).to_vec(), rows.row(r + 1).to_vec());
        rows.row_mut(r).copy_from_slice(&shift);
        rows.row_mut(r + 1).copy_from_slice(&scale);
    }
    let mut wrong = Case { layout: case.layout.clone(), plan: case.plan.clone(), pack: case.pack.clone(), ..case };
    wrong.pack.tables.adaln_rows = rows.to_bf16().unwrap();
    for blk in 0..4 {
        let agreement = wrong.deltas(&inputs, blk);
        assert!(!agreement.within(DELTA.0, DELTA.1), "block {blk}: {agreement}");
    }
}

#[test]
fn item_093_masks_heads_and_key_sets_are_found() {
    let case = case(Version::N16, 1, 192, 150);
    let good = case.inputs.for_device(&case.layout).unwrap();
    let refused = |what: &str, blk: u32, change: &dyn Fn(&mut CallInputs)| {
        let mut inputs = good.clone();
        change(&mut inputs);
        let agreement = case.deltas(&inputs, blk);
        assert!(!agreement.within(DELTA.0, DELTA.1), "{what}, block {blk}: {agreement}");
    };
    let zeros = |shape: [usize; 4]| HostTensor::zeros(shape, ttl::prelude::DataFormat::Bf16).unwrap();
    refused("no text mask", 0, &|inputs| inputs.masks.text = Some(zeros([1, 1, 64, 192])));
    refused("no image mask", 2, &|inputs| inputs.masks.image = Some(zeros([1, 1, 64, 192])));
    refused("no self mask", 1, &|inputs| inputs.masks.own = Some(zeros([1, 1, 64, 64])));
    refused("the mask of the other key set", 0, &|inputs| inputs.masks.text = inputs.masks.image.clone());
    refused("two heads exchanged", 2, &|inputs| {
        let [k, v] = &case.inputs.kv[&2];
        let swap = |m: &Matrix| {
            let mut out = m.clone();
            out.place(0, 0, &m.part(0..m.rows, 48..96));
            out.place(0, 48, &m.part(0..m.rows, 0..48));
            out
        };
        let placed = [case.layout.place_kv(2, "K", &swap(k)).unwrap(), case.layout.place_kv(2, "V", &swap(v)).unwrap()];
        inputs.kv.insert(2, placed);
    });
    refused("keys of another block", 0, &|inputs| drop(inputs.kv.insert(0, inputs.kv[&2].clone())));
    // A corrupted page of weights.
    let mut wrong = Case { pack: case.pack.clone(), layout: case.layout.clone(), plan: case.plan.clone(), ..case };
    let at = wrong.layout.op(3, Op::Wo).unwrap().byte_offset as usize;
    wrong.pack.bank_mut(ArenaPart::Stream, 0)[at..at + 2048].fill(0x3F);
    let agreement = wrong.deltas(&good, 3);
    assert!(!agreement.within(DELTA.0, DELTA.1), "{agreement}");
}

/// Splitting the heads over three cores changes the order of sums and nothing else.
#[test]
fn item_076_split_heads_compute_the_same() {
    let case = case(Version::N16, 1, 192, 192);
    let inputs = case.inputs.for_device(&case.layout).unwrap();
    assert!(case.layout.is_split_block(0) && !case.layout.is_split_block(1));
    let split = ref_block(&case.layout, &case.pack, &inputs, &case.padded(), (0, 1), 0).unwrap();
    // One chunk more of hidden keys, still three parts: other chunks in each.
    let wider = layout(Version::N16, 1, 4, ArenaOptions::new(256));
    let pack = wider.pack(&case.plan).unwrap();
    let other = ref_block(&wider, &pack, &case.inputs.for_device(&wider).unwrap(), &case.padded(), (0, 1), 0).unwrap();
    let agreement = Agreement::of(&other.a, &split.a);
    assert!(agreement.within(0.99999, 4e-3), "{agreement}");
    assert_eq!(other.h, split.h);
}

/// A chunk of which all keys are hidden gives no NaN.
#[test]
fn item_074_hidden_chunks_stay_finite() {
    let mut case = case(Version::N15, 1, 256, 256);
    case.inputs.valid.insert(KeySet::All, (0..256).map(|key| (64..80).contains(&key)).collect());
    let inputs = case.inputs.for_device(&case.layout).unwrap();
    let agreement = case.deltas(&inputs, 0);
    assert!(agreement.within(DELTA.0, DELTA.1), "{agreement}");
}

#[test]
fn item_093_a_step_is_that_of_the_network() {
    for version in [Version::N15, Version::N16] {
        let case = case(version, 1, 64, 60);
        let inputs = case.inputs.for_device(&case.layout).unwrap();
        let got = ref_step(&case.layout, &case.pack, &inputs, &case.padded(), 3).unwrap();
        let [y, x] = case.model().step(&case.x, 3).unwrap();
        for (what, got, exact) in [("y", &got.y, &y), ("x", &got.x, &x)] {
            let agreement = Agreement::of(&got.top(exact.rows), exact);
            assert!(agreement.within(0.999, 3e-2), "{version} {what}: {agreement}");
        }
        // Another step has other scales and shifts.
        let other = ref_step(&case.layout, &case.pack, &inputs, &case.padded(), 2).unwrap();
        assert!(!Agreement::of(&other.y.top(y.rows), &y).within(0.999, 3e-2));
        let text = ref_step(&case.layout, &case.pack, &inputs, &case.padded(), 4).unwrap_err().to_string();
        assert_eq!(text, "step 4 is not in 0..4");
    }
}

#[test]
fn item_093_the_loop_is_that_of_the_network() {
    for (version, keys) in [(Version::N15, 60), (Version::N16, 64)] {
        let case = case(version, 1, 64, keys);
        let cfg = case.layout.cfg();
        let noise = HostTensor::normal([1, cfg.horizon as usize, cfg.a_max as usize], 31).unwrap();
        let state = random(1, cfg.width() as usize, 32).to_bf16().unwrap();
        let inputs = case.inputs.for_device(&case.layout).unwrap();
        let got = ref_steps4(&case.layout, &case.pack, &inputs, &noise, &state).unwrap();
        assert_eq!((got.velocity.len(), got.velocity[0].rows, got.velocity[0].cols as u32), (4, 64, cfg.a_pad()));
        let exact = case.model().steps4(&noise, &state).unwrap();
        let rows = cfg.action_rows();
        let actions = got.action_pred.part(rows.start as usize..rows.end as usize, 0..cfg.a_max as usize);
        let agreement = Agreement::of(&actions, &exact);
        assert!(agreement.within(0.999, 3e-2), "{version}: {agreement}");
        // What the loop did, not the noise that it began with.
        let noise = Matrix::from_host(&noise).unwrap();
        let moved = Agreement::of(&actions.minus(&noise), &exact.clone().minus(&noise));
        assert!(moved.within(0.999, 3e-2), "{version}: {moved}");
        // Other rows are not touched.
        for r in (0..64).filter(|r| !rows.contains(r)) {
            assert!(got.action_pred.row(r as usize).iter().all(|&v| v == 0.0));
        }
    }
}

#[test]
fn item_093_missing_inputs_are_refused() {
    let case = case(Version::N15, 1, 64, 50);
    let mut inputs = case.inputs.for_device(&case.layout).unwrap();
    let text = |inputs: &CallInputs| {
        ref_block(&case.layout, &case.pack, inputs, &case.padded(), (0, 1), 0).unwrap_err().to_string()
    };
    inputs.masks.all = None;
    assert_eq!(text(&inputs), "mask 'all' is read by the kernel of this layout but missing");
    inputs.kv.clear();
    assert_eq!(text(&inputs), "kv lacks cross block 0");
    let x = Matrix::zeros(49, 192);
    let text = ref_block(&case.layout, &case.pack, &inputs, &x, (1, 1), 0).unwrap_err().to_string();
    assert_eq!(text, "x has the shape [49, 192]; it must be [64, 192]");
    assert!(case.plan.get(&names::scale(0, 4)).is_ok(), "the output head");
}
