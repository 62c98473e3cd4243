//! Sentences in, tokens out; and what is printed of them.

use std::path::Path;
use tokenizers::{Tokenizer, TruncationParams};
use ttl::Error;

/// Tokens of each sentence, with the marks of its beginning and end, and which sentences were too long for `most` tokens.
pub(crate) fn tokens(model: &Path, sentences: &[String], most: usize) -> ttl::Result<(Vec<Vec<u32>>, Vec<usize>)> {
    let path = model.join("tokenizer.json");
    let broken = |e: &dyn std::fmt::Display| Error::Other(format!("{}: {e}", path.display()));
    let mut tokenizer = Tokenizer::from_file(&path).map_err(|e| broken(&e))?;
    // We pad batches ourselves, and know better how long a sentence may be.
    tokenizer.with_padding(None);
    let truncation = TruncationParams { max_length: most, ..TruncationParams::default() };
    tokenizer.with_truncation(Some(truncation)).map_err(|e| broken(&e))?;
    let mut all = Vec::with_capacity(sentences.len());
    let mut cut = vec![];
    for (i, sentence) in sentences.iter().enumerate() {
        let encoding = tokenizer.encode(sentence.as_str(), true).map_err(|e| broken(&e))?;
        if !encoding.get_overflowing().is_empty() {
            cut.push(i);
        }
        all.push(encoding.get_ids().to_vec());
    }
    Ok((all, cut))
}

/// The sentences of a file, one a line.
pub(crate) fn lines(path: &Path) -> ttl::Result<Vec<String>> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| Error::Io { context: format!("cannot read {}", path.display()), source })?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// The tokens that a sentence may have: what the model was trained with, or else what it has positions for.
pub(crate) fn most_tokens(model: &Path, positions: usize) -> usize {
    let settings = std::fs::read_to_string(model.join("sentence_bert_config.json")).unwrap_or_default();
    let settings: serde_json::Value = serde_json::from_str(&settings).unwrap_or_default();
    let most = settings.get("max_seq_length").and_then(serde_json::Value::as_u64).unwrap_or(positions as u64);
    positions.min(most as usize)
}

/// A sentence in at most `width` characters.
pub(crate) fn short(sentence: &str, width: usize) -> String {
    if sentence.chars().count() <= width {
        return sentence.to_owned();
    }
    sentence.chars().take(width - 2).chain("..".chars()).collect()
}
