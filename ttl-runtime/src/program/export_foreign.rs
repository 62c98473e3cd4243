//! The arguments of a foreign kernel in `program.json`.

use serde_json::{Map, Value};

use crate::tensor::TensorRef;

use super::checked::CheckedKernel;
use super::export::runtime;
use super::foreign::{CheckedForeign, CompileTime, Word};

pub(super) fn arguments<K>(
    out: &mut Map<String, Value>,
    k: &CheckedKernel<K>,
    foreign: &CheckedForeign,
    tensor: impl Fn(&TensorRef) -> String,
) {
    let word = |word: &Word, value: u32| match word {
        Word::Address(t) => Value::from(format!("addr:{}", tensor(t))),
        _ => value.into(),
    };
    let args = &foreign.args;
    let mut compile: Vec<Value> = Vec::new();
    // Where the words of the item begin: accessors have several.
    let mut at = 0;
    let mut accessors = k.accessor_offsets.iter().skip(1);
    for (i, item) in args.compile.iter().enumerate() {
        match item {
            CompileTime::Word(w) => {
                compile.push(word(w, k.compile_args.get(at).copied().unwrap_or(0)));
                at += 1;
            }
            CompileTime::Accessor(t) => {
                compile.push(format!("accessor:{}", tensor(t)).into());
                // Up to the next accessor, or the end, less the single words between.
                let rest = &args.compile[i + 1..];
                let words = rest.iter().take_while(|item| matches!(item, CompileTime::Word(_))).count();
                let next = accessors.next().map_or(k.compile_args.len(), |&next| next as usize);
                at = next.saturating_sub(words);
            }
        }
    }
    out.insert("compile_args".into(), compile.into());
    out.insert(
        "runtime_args".into(),
        runtime(k, |i, value| args.runtime.get(i).map_or(value.into(), |w| word(w, value))),
    );
    let common: Vec<Value> = args.common.iter().zip(k.common_args.iter()).map(|(w, &value)| word(w, value)).collect();
    out.insert("common_runtime_args".into(), common.into());
    if !args.named.is_empty() {
        let named: Map<String, Value> = args
            .named
            .iter()
            .zip(&foreign.named)
            .map(|((name, w), (_, value))| (name.to_string(), word(w, *value)))
            .collect();
        out.insert("named_compile_args".into(), named.into());
    }
    if !foreign.defines.is_empty() {
        let defines: Map<String, Value> =
            foreign.defines.iter().map(|(name, text)| (name.to_string(), Value::from(&**text))).collect();
        out.insert("defines".into(), defines.into());
    }
}
