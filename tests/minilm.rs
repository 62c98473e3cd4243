//! The encoder of example `minilm` with small made-up weights: right on both engines, whatever else is in the batch.

use std::time::Duration;
use ttl::prelude::*;
use ttl_kernels::bert::plan::{Kind, Step};
use ttl_kernels::bert::{Batch, Config, Model, Weights, batches, cosine, reference};

fn small() -> Config {
    Config { vocab: 50, hidden: 64, layers: 2, heads: 2, intermediate: 128, positions: 70, types: 2, eps: 1e-12 }
}

fn weights() -> Weights {
    Weights::random(&small(), 3).expect("weights")
}

/// `length` tokens, other ones for each seed.
fn sentence(length: usize, seed: u64) -> Vec<u32> {
    let ids = HostTensor::integers([length], DataFormat::U32, 0, 49, seed).expect("numbers");
    (0..length).map(|i| ids.get_integer(i).expect("a number") as u32).collect()
}

fn options(arch: Arch, engine: Engine) -> DeviceOptions {
    DeviceOptions { arch, engine, ..DeviceOptions::default() }
}

/// The embeddings of a batch, a row per sentence.
fn encode(device: &mut Device, batch: &Batch) -> Vec<Vec<f32>> {
    let mut model = Model::upload(device, &small(), &weights()).expect("weights fit");
    let rows = model.encode(device, batch, &mut |_, _, _| Ok(())).expect("it runs").to_f32_vec();
    rows.chunks_exact(small().hidden).map(<[f32]>::to_vec).collect()
}

#[track_caller]
fn close(tokens: &[u32], embedding: &[f32], least: f64) {
    let cosine = cosine(embedding, &reference::encode(&small(), &weights(), tokens).embedding);
    assert!(cosine >= least, "{} tokens: cosine {cosine}", tokens.len());
    let length: f64 = embedding.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    assert!((length - 1.0).abs() < 2f64.powi(-10), "length {length}");
}

#[test]
fn embeddings_are_those_of_the_reference_on_both_engines_and_chips() {
    let sentences = [5, 70, 32, 1].map(|n| sentence(n, n as u64));
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for batch in batches(&sentences, 3) {
            let mut devices = [Engine::Native, Engine::Cpp].map(|engine| {
                let mut device = Device::with_options(options(arch, engine)).expect("a device");
                for (tokens, embedding) in batch.tokens.iter().zip(encode(&mut device, &batch)) {
                    close(tokens, &embedding, 0.999);
                }
                device
            });
            let [native, cpp] = &mut devices;
            let difference = native.first_difference(cpp);
            assert!(difference.is_none(), "{} sentences of {}: {difference:?}", batch.tokens.len(), batch.padded);
        }
    }
}

#[test]
fn a_sentence_does_not_see_the_others_of_its_batch() {
    let mut device = Device::open().expect("a device");
    let first = sentence(7, 1);
    let embed = |device: &mut Device, others: &[usize]| {
        let others = others.iter().map(|n| sentence(*n, 100 + *n as u64));
        let all: Vec<_> = [first.clone()].into_iter().chain(others).collect();
        encode(device, &batches(&all, 8)[0]).swap_remove(0)
    };
    let alone = embed(&mut device, &[]);
    // The order of sums is the same, so every bit is.
    assert_eq!(embed(&mut device, &[32, 3]), alone);
    assert_eq!(embed(&mut device, &[1, 31, 12]), alone);
}

#[test]
fn each_layer_is_right() {
    let mut device = Device::open().expect("a device");
    let batch = &batches(&[sentence(40, 1), sentence(50, 2)], 2)[0];
    let expected: Vec<_> = batch.tokens.iter().map(|t| reference::encode(&small(), &weights(), t).states).collect();
    let mut model = Model::upload(&mut device, &small(), &weights()).expect("weights fit");
    let mut state = 0;
    let mut each = |device: &Device, step: &Step, _: Duration| -> ttl::Result<()> {
        let ends = step.what.starts_with("norm of the") || step.what.ends_with("feed-forward");
        if step.kind == Kind::LayerNorm && ends {
            let got = device.contents(&step.result)?.to_f32_vec();
            for (sentence, of_sentence) in expected.iter().enumerate() {
                for (token, row) in of_sentence[state].iter().enumerate() {
                    let at = (sentence * batch.padded + token) * small().hidden;
                    let cosine = cosine(&got[at..at + small().hidden], row);
                    assert!(cosine > 0.999, "{step}: sentence {sentence}, token {token}: {cosine}");
                }
            }
            state += 1;
        }
        Ok(())
    };
    model.encode(&mut device, batch, &mut each).expect("it runs");
    assert_eq!(state, 1 + small().layers);
}

/// The programs of the embeddings, of the first layer and of the end, each after all those before it: so that each can be exported.
#[test]
fn programs_on_both_engines() {
    let batch = &batches(&[sentence(40, 1), sentence(50, 2)], 2)[0];
    let plan = |device: &mut Device| {
        let mut model = Model::upload(device, &small(), &weights())?;
        Ok::<_, ttl::Error>(model.plan(device, batch)?.clone())
    };
    let steps = plan(&mut Device::open().expect("a device")).expect("a plan").steps;
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for step in steps.iter().filter(|step| step.layer.is_none_or(|layer| layer == 0)) {
            let ran = ttl::testing::on_both_engines(&options(arch, Engine::Native), |device| {
                let plan = plan(device)?;
                plan.write(device, batch)?;
                for before in &plan.steps[..step.number] {
                    device.run(&before.checked)?;
                }
                Ok((plan.steps[step.number].program.clone(), ()))
            });
            ran.unwrap_or_else(|e| panic!("{step}: {e}"));
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let mut device = Device::open().expect("a device");
    let mut model = Model::upload(&mut device, &small(), &weights()).expect("weights fit");
    let mut fails = |tokens: Vec<u32>, message: &str| {
        let error = model.plan(&mut device, &batches(&[tokens], 1)[0]).expect_err("an error").to_string();
        assert!(error.contains(message), "{error}");
    };
    fails(vec![], "sentence 1 has no tokens");
    fails(vec![3; 71], "sentence 1 has 71 tokens, the model has 70 positions");
    fails(vec![3, 50], "sentence 1 has token 50, the model knows 50 words");
}
