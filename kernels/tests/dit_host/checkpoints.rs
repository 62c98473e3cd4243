//! Published weights: files, names, and what is computed from them once.

use std::collections::BTreeMap;
use std::path::Path;

use crate::references::random;
use safetensors::tensor::TensorView;
use ttl::prelude::HostTensor;
use ttl_kernels::dit::hoist::{action_time, time_projection};
use ttl_kernels::dit::matrix::round_bf16;
use ttl_kernels::dit::plan::names;
use ttl_kernels::dit::reference::*;
use ttl_kernels::dit::*;

fn config(version: Version) -> DitConfig {
    DitConfig { categories: 3, ..DitConfig::scaled(version, 1, 2).unwrap() }
}

/// A checkpoint of a scaled network, random, as PyTorch stores one.
fn tensors(cfg: &DitConfig) -> BTreeMap<String, HostTensor> {
    let mut all = BTreeMap::new();
    let mut seed = 0;
    let mut add = |name: &str, shape: &[u32]| {
        seed += 1;
        let shape: Vec<usize> = shape.iter().map(|&n| n as usize).collect();
        let values = HostTensor::normal(shape.clone(), seed).unwrap().to_f32_vec();
        let values: Vec<f32> = values.into_iter().map(|v| v * 0.05).collect();
        all.insert(format!("action_head.{name}"), HostTensor::from_vec(shape, values).unwrap());
    };
    let (w, f, o, d, a, c) = (cfg.width(), cfg.ff_dim(), cfg.out_dim(), cfg.hidden(), cfg.a_max, cfg.categories);
    let mut linear = |name: &str, inputs: u32, outputs: u32| {
        add(&format!("{name}.weight"), &[outputs, inputs]);
        add(&format!("{name}.bias"), &[outputs]);
    };
    linear("model.timestep_encoder.timestep_embedder.linear_1", 256, w);
    linear("model.timestep_encoder.timestep_embedder.linear_2", w, w);
    for blk in 0..cfg.n_blocks {
        let block = format!("model.transformer_blocks.{blk}");
        let keys = if cfg.is_cross(blk) { cfg.vl_width } else { w };
        linear(&format!("{block}.norm1.linear"), w, 2 * w);
        linear(&format!("{block}.attn1.to_q"), w, w);
        linear(&format!("{block}.attn1.to_k"), keys, w);
        linear(&format!("{block}.attn1.to_v"), keys, w);
        linear(&format!("{block}.attn1.to_out.0"), w, w);
        linear(&format!("{block}.ff.net.0.proj"), w, f);
        linear(&format!("{block}.ff.net.2"), f, w);
    }
    linear("model.proj_out_1", w, 2 * w);
    linear("model.proj_out_2", w, o);
    let layers = [
        ("state_encoder.layer1", cfg.state_dim, d),
        ("state_encoder.layer2", d, w),
        ("action_encoder.W1", a, w),
        ("action_encoder.W2", 2 * w, w),
        ("action_encoder.W3", w, w),
        ("action_decoder.layer1", o, d),
        ("action_decoder.layer2", d, a),
    ];
    for (name, inputs, outputs) in layers {
        add(&format!("{name}.W"), &[c, inputs, outputs]);
        add(&format!("{name}.b"), &[c, outputs]);
    }
    add("position_embedding.weight", &[64, w]);
    if cfg.n_fut > 0 {
        add("future_tokens.weight", &[cfg.n_fut, w]);
    }
    // What belongs to other parts of the model is left alone.
    add("vlln.weight", &[cfg.vl_width]);
    all
}

fn save(path: &Path, tensors: &BTreeMap<String, HostTensor>, dtype: safetensors::Dtype) {
    let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, tensor)| {
            let values = tensor.to_f32_vec();
            let bytes = match dtype {
                safetensors::Dtype::F32 => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
                safetensors::Dtype::F16 => values.iter().flat_map(|&v| half::f16::from_f32(v).to_le_bytes()).collect(),
                safetensors::Dtype::BF16 => {
                    values.iter().flat_map(|&v| half::bf16::from_f32(v).to_le_bytes()).collect()
                }
                _ => values.iter().map(|&v| v as i32).flat_map(i32::to_le_bytes).collect(),
            };
            (name.clone(), tensor.shape().to_vec(), bytes)
        })
        .collect();
    let views = bytes.iter().map(|(name, shape, bytes)| (name, TensorView::new(dtype, shape.clone(), bytes).unwrap()));
    safetensors::serialize_to_file(views, None, path).unwrap();
}

#[test]
fn item_087_plans_from_files() {
    for version in [Version::N15, Version::N16] {
        let cfg = config(version);
        let all = tensors(&cfg);
        let dir = tempfile::tempdir().unwrap();
        // Two files, as large checkpoints come.
        let (mut first, mut second) = (BTreeMap::new(), BTreeMap::new());
        for (i, (name, tensor)) in all.iter().enumerate() {
            if i % 2 == 0 { &mut first } else { &mut second }.insert(name.clone(), tensor.clone());
        }
        let paths = [dir.path().join("model-1.safetensors"), dir.path().join("model-2.safetensors")];
        save(&paths[0], &first, safetensors::Dtype::F32);
        save(&paths[1], &second, safetensors::Dtype::F32);
        let checkpoint = Checkpoint::open(&paths).unwrap();
        assert_eq!(checkpoint.names().count(), all.len());
        let plan = Hoist::new(&cfg, &checkpoint, 1).unwrap().plan().unwrap();
        let in_memory = Checkpoint::from_tensors(all.clone());
        let same = Hoist::new(&cfg, &in_memory, 1).unwrap().plan().unwrap();
        assert_eq!(plan.to_tensors().unwrap(), same.to_tensors().unwrap());
        // Linear layers are stored [out, in], those of the embodiments [in, out].
        let raw = |name: &str| all[&format!("action_head.{name}")].to_f32_vec();
        let get = |name: &str| Matrix::from_host(&plan.get(name).unwrap()).unwrap();
        let w = cfg.width() as usize;
        let stored = raw("model.transformer_blocks.1.ff.net.0.proj.weight");
        assert_eq!(get("blocks.1.W1").at(5, 7), round_bf16(stored[7 * w + 5]));
        let stored = raw("action_encoder.W3.W");
        assert_eq!(get("enc_W3").at(5, 7), round_bf16(stored[w * w + 5 * w + 7]), "embodiment 1");
        let other = Hoist::new(&cfg, &in_memory, 2).unwrap().plan().unwrap();
        assert_ne!(other.get("enc_W3").unwrap(), plan.get("enc_W3").unwrap());
        assert_eq!(other.get("blocks.1.W1").unwrap(), plan.get("blocks.1.W1").unwrap());
        // It packs and runs.
        let layout = ArenaLayout::plan(&cfg, ArenaOptions::new(64)).unwrap();
        let x = random(64, w, 1);
        assert_eq!(ref_chain(&layout, &layout.pack(&plan).unwrap(), &x, 0, 2).unwrap().g.cols, w);
    }
}

#[test]
fn item_087_formats_of_files() {
    let dir = tempfile::tempdir().unwrap();
    let tensor = HostTensor::from_vec([2, 2], vec![1.0f32, -2.5, 0.1, 70.0]).unwrap();
    let tensors: BTreeMap<String, HostTensor> = [("a".to_owned(), tensor)].into();
    let path = dir.path().join("a.safetensors");
    let read = |dtype| {
        save(&path, &tensors, dtype);
        Checkpoint::open([&path]).and_then(|c| c.get("a", "a")).map(|t| t.to_f32_vec())
    };
    assert_eq!(read(safetensors::Dtype::F32).unwrap(), [1.0, -2.5, 0.1, 70.0]);
    assert_eq!(read(safetensors::Dtype::BF16).unwrap(), [1.0, -2.5, round_bf16(0.1), 70.0]);
    assert_eq!(read(safetensors::Dtype::F16).unwrap(), [1.0, -2.5, half::f16::from_f32(0.1).to_f32(), 70.0]);
    let text = read(safetensors::Dtype::I32).unwrap_err().to_string();
    assert_eq!(text, "a: I32 elements cannot be read as weights; there are F32, BF16 and F16");
    // One entry of the first dimension.
    save(&path, &tensors, safetensors::Dtype::BF16);
    let checkpoint = Checkpoint::open([&path]).unwrap();
    assert_eq!(checkpoint.get_entry("a", "a", 1).unwrap().to_f32_vec(), [round_bf16(0.1), 70.0]);
    let text = checkpoint.get_entry("a", "a", 2).unwrap_err().to_string();
    assert_eq!(text, "a has the shape [2, 2], and no entry 2 in the first of at least two dimensions");
}

#[test]
fn item_087_broken_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.safetensors");
    let name = path.display().to_string();
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Checkpoint::open([&path]).unwrap_err().to_string().replace(&name, "FILE")
    };
    let header = br#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
    let with = |size: u64, header: &[u8], data: usize| [&size.to_le_bytes()[..], header, &vec![0; data]].concat();
    let n = header.len() as u64;
    std::fs::write(&path, with(n, header, 8)).unwrap();
    assert!(Checkpoint::open([&path]).is_ok());
    assert!(refused(&[1, 2, 3]).starts_with("FILE: "));
    assert_eq!(
        refused(&with(1000, header, 8)),
        format!("safetensors: FILE: a header of 1000 bytes in a file of {}", n + 16)
    );
    assert_eq!(
        refused(&with(n, header, 7)),
        format!("safetensors: FILE: the header speaks of {} bytes, the file has {}", n + 16, n + 15)
    );
    assert!(refused(&with(n, &[b'{'; 54][..n as usize], 8)).starts_with("safetensors: FILE: the header: "));
    std::fs::write(&path, with(n, header, 8)).unwrap();
    let text = Checkpoint::open([&path, &path]).unwrap_err().to_string();
    assert_eq!(text, format!("safetensors: {name}: a is in another file as well"));
    let missing = dir.path().join("none.safetensors");
    let text = Checkpoint::open([&missing]).unwrap_err().to_string();
    assert!(text.starts_with(&missing.display().to_string()), "{text}");
}

#[test]
fn item_087_what_a_checkpoint_lacks() {
    let cfg = config(Version::N15);
    let all = tensors(&cfg);
    let refused = |change: &dyn Fn(&mut BTreeMap<String, HostTensor>)| {
        let mut all = all.clone();
        change(&mut all);
        Hoist::new(&cfg, &Checkpoint::from_tensors(all), 0).unwrap().plan().unwrap_err().to_string()
    };
    assert_eq!(
        refused(&|t| drop(t.remove("action_head.model.transformer_blocks.1.attn1.to_k.weight"))),
        "no tensor action_head.model.transformer_blocks.1.attn1.to_k.weight in the checkpoint, needed for blocks.1.Wk"
    );
    let wrong = HostTensor::zeros([192, 100], ttl::prelude::DataFormat::F32).unwrap();
    assert_eq!(
        refused(&|t| drop(
            t.insert("action_head.model.transformer_blocks.0.attn1.to_q.weight".to_owned(), wrong.clone())
        )),
        "action_head.model.transformer_blocks.0.attn1.to_q.weight has the shape [192, 100]; it must be [192, 192]"
    );
    assert_eq!(
        refused(&|t| drop(t.remove("action_head.model.proj_out_1.bias"))),
        "no tensor action_head.model.proj_out_1.bias in the checkpoint, needed for the layer norms"
    );
    let checkpoint = Checkpoint::from_tensors(all.clone());
    let text = Hoist::new(&cfg, &checkpoint, 3).unwrap_err().to_string();
    assert_eq!(text, "embodiment 3 is not in 0..3");
}

#[test]
fn time_encodings() {
    let proj = time_projection(250);
    assert_eq!((proj.len(), proj[0], proj[128]), (256, 250f64.cos(), 250f64.sin()));
    assert!((proj[127] - 0.025f64.cos()).abs() < 1e-12 && (proj[255] - 0.025f64.sin()).abs() < 1e-12);
    assert!(time_projection(0).iter().enumerate().all(|(i, &v)| v == if i < 128 { 1.0 } else { 0.0 }), "cosines first");
    let tau = action_time(250, 1536);
    assert_eq!((tau.len(), tau[0], tau[768]), (1536, 250f64.sin(), 250f64.cos()));
    let last = 250.0 * 10000f64.powf(-767.0 / 768.0);
    assert!((tau[767] - last.sin()).abs() < 1e-12 && (tau[1535] - last.cos()).abs() < 1e-12);
    assert!(action_time(0, 8).iter().enumerate().all(|(i, &v)| v == if i < 4 { 0.0 } else { 1.0 }), "sines first");
}

/// The two layer norms take scale and shift from opposite halves.
#[test]
fn item_074_scale_and_shift_of_published_weights() {
    let cfg = config(Version::N16);
    let all = tensors(&cfg);
    let checkpoint = Checkpoint::from_tensors(all.clone());
    let plan = Hoist::new(&cfg, &checkpoint, 0).unwrap().plan().unwrap();
    let w = cfg.width() as usize;
    let raw = |name: &str| all[&format!("action_head.{name}")].to_f32_vec();
    // Written out again: the embedding of step 3, one output of a projection.
    let silu = |z: f64| z / (1.0 + (-z).exp());
    let row = |name: &str, wide: usize, x: &[f64], r: usize| {
        let (weights, bias) = (raw(&format!("{name}.weight")), raw(&format!("{name}.bias")));
        let dot: f64 = weights[r * wide..(r + 1) * wide].iter().zip(x).map(|(&a, b)| f64::from(a) * b).sum();
        dot + f64::from(bias[r])
    };
    let embedder = "model.timestep_encoder.timestep_embedder";
    let proj = time_projection(750);
    let hidden: Vec<f64> = (0..w).map(|r| silu(row(&format!("{embedder}.linear_1"), 256, &proj, r))).collect();
    let temb: Vec<f64> = (0..w).map(|r| silu(row(&format!("{embedder}.linear_2"), w, &hidden, r))).collect();
    let get = |name: String| plan.get(&name).unwrap().to_f32_vec();
    let same = |a: f32, b: f64| (f64::from(a) - b).abs() <= b.abs() / 256.0 + 1e-6;
    for j in [0, 17, w - 1] {
        let norm = |half: usize| row("model.transformer_blocks.1.norm1.linear", w, &temb, half * w + j);
        assert!(same(get(names::scale(3, 1))[j], norm(0)) && same(get(names::shift(3, 1))[j], norm(1)));
        assert!(!same(get(names::scale(3, 1))[j], norm(1)), "the halves differ");
        let head = |half: usize| row("model.proj_out_1", w, &temb, half * w + j);
        assert!(same(get(names::shift(3, 2))[j], head(0)) && same(get(names::scale(3, 2))[j], head(1)));
    }
    // And the second layer of the encoder: the lower half of its weights, times the time.
    let (weights, bias) = (raw("action_encoder.W2.W"), raw("action_encoder.W2.b"));
    let tau = action_time(500, w);
    for j in [0, 3, w - 1] {
        let exact: f64 = (0..w).map(|k| tau[k] * f64::from(weights[(w + k) * w + j])).sum::<f64>() + f64::from(bias[j]);
        assert!(same(get(names::b2_step(2))[j], exact));
    }
}

#[test]
fn keys_values_and_state_of_published_weights() {
    let cfg = config(Version::N15);
    let all = tensors(&cfg);
    let checkpoint = Checkpoint::from_tensors(all.clone());
    let hoist = Hoist::new(&cfg, &checkpoint, 2).unwrap();
    let tokens = random(3, 2048, 4);
    let [k, v] = hoist.keys_and_values(0, &tokens).unwrap();
    let raw = |name: &str| all[&format!("action_head.{name}")].to_f32_vec();
    for (which, got) in [("k", &k), ("v", &v)] {
        let name = format!("model.transformer_blocks.0.attn1.to_{which}");
        let (weights, bias) = (raw(&format!("{name}.weight")), raw(&format!("{name}.bias")));
        let exact: f64 = (0..2048).map(|i| f64::from(weights[9 * 2048 + i]) * f64::from(tokens.at(2, i))).sum();
        assert!((f64::from(got.at(2, 9)) - exact - f64::from(bias[9])).abs() < 1e-4);
    }
    assert_eq!(hoist.keys_and_values(1, &tokens).unwrap_err().to_string(), "kv has entries for non-cross blocks [1]");
    let state = random(1, 64, 5);
    let features = hoist.state_features(&state.data).unwrap();
    assert_eq!((features.rows, features.cols), (1, 192));
    assert!(features.data.iter().any(|&v| v != 0.0));
    assert_eq!(
        hoist.state_features(&state.data[1..]).unwrap_err().to_string(),
        "state has 63 elements; it must have 64"
    );
}
