//! The sizes of an encoder, as a `config.json` has them.

use std::path::Path;

use serde_json::Value;
use ttl::Error;

/// What varies between encoders of this kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// Words that the tokenizer knows.
    pub vocab: usize,
    /// Numbers per token.
    pub hidden: usize,
    /// Layers.
    pub layers: usize,
    /// Heads of each layer's attention.
    pub heads: usize,
    /// Width of the feed-forward part.
    pub intermediate: usize,
    /// Tokens that a sentence has at most.
    pub positions: usize,
    /// Rows of the table of token types.
    pub types: usize,
    /// What the layer norms add to the variance.
    pub eps: f32,
}

impl Config {
    /// all-MiniLM-L6-v2.
    pub fn minilm() -> Config {
        Config {
            vocab: 30522,
            hidden: 384,
            layers: 6,
            heads: 12,
            intermediate: 1536,
            positions: 512,
            types: 2,
            eps: 1e-12,
        }
    }

    /// Reads a `config.json`.
    pub fn read(path: impl AsRef<Path>) -> ttl::Result<Config> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|source| Error::Io { context: format!("cannot read {}", path.display()), source })?;
        Config::parse(&text).map_err(|what| Error::Other(format!("{}: {what}", path.display())))
    }

    fn parse(text: &str) -> Result<Config, String> {
        let json: Value = serde_json::from_str(text).map_err(|e| format!("this is no JSON: {e}"))?;
        let number = |name: &str| match json.get(name).and_then(Value::as_u64) {
            Some(n) if (1..1 << 30).contains(&n) => Ok(n as usize),
            _ => Err(format!("`{name}` must be a positive number, is {}", shown(json.get(name)))),
        };
        for (name, only) in [("hidden_act", "gelu"), ("position_embedding_type", "absolute"), ("model_type", "bert")] {
            let value = json.get(name);
            // Older files leave out what was not yet a choice.
            if value.is_some_and(|value| value.as_str() != Some(only)) {
                return Err(format!("`{name}` is {}, only \"{only}\" is there", shown(value)));
            }
        }
        let eps = json.get("layer_norm_eps").and_then(Value::as_f64);
        let config = Config {
            vocab: number("vocab_size")?,
            hidden: number("hidden_size")?,
            layers: number("num_hidden_layers")?,
            heads: number("num_attention_heads")?,
            intermediate: number("intermediate_size")?,
            positions: number("max_position_embeddings")?,
            types: number("type_vocab_size")?,
            eps: eps.ok_or_else(|| "`layer_norm_eps` must be a number".to_owned())? as f32,
        };
        config.check()?;
        Ok(config)
    }

    /// Numbers per head.
    pub fn head(&self) -> usize {
        self.hidden / self.heads
    }

    /// What the kernels need: whole tiles everywhere.
    fn check(&self) -> Result<(), String> {
        if !self.hidden.is_multiple_of(self.heads) || !self.head().is_multiple_of(32) {
            return Err(format!(
                "{} numbers per token in {} heads: a head must have a multiple of 32",
                self.hidden, self.heads
            ));
        }
        if !self.intermediate.is_multiple_of(32) {
            return Err(format!("the feed-forward part is {} wide, must be a multiple of 32", self.intermediate));
        }
        Ok(())
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or("missing".to_owned(), Value::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINILM: &str = r#"{"hidden_act": "gelu", "hidden_size": 384, "intermediate_size": 1536, "layer_norm_eps": 1e-12,
        "max_position_embeddings": 512, "model_type": "bert", "num_attention_heads": 12, "num_hidden_layers": 6,
        "position_embedding_type": "absolute", "type_vocab_size": 2, "vocab_size": 30522}"#;

    #[test]
    fn a_published_file_is_read() {
        assert_eq!(Config::parse(MINILM), Ok(Config::minilm()));
        assert_eq!(Config::minilm().head(), 32);
    }

    #[test]
    fn what_cannot_be_computed_is_refused() {
        for (from, to, message) in [
            ("\"gelu\"", "\"relu\"", "`hidden_act` is \"relu\", only \"gelu\" is there"),
            ("\"bert\"", "\"gpt2\"", "`model_type` is \"gpt2\""),
            ("384", "-1", "`hidden_size` must be a positive number, is -1"),
            ("\"vocab_size\"", "\"words\"", "`vocab_size` must be a positive number, is missing"),
            ("_heads\": 12", "_heads\": 10", "384 numbers per token in 10 heads"),
            ("_heads\": 12", "_heads\": 24", "384 numbers per token in 24 heads: a head must have a multiple of 32"),
            ("1536", "1530", "the feed-forward part is 1530 wide"),
            ("{", "[", "this is no JSON"),
        ] {
            let text = MINILM.replacen(from, to, 1);
            let error = Config::parse(&text).expect_err(&text);
            assert!(error.contains(message), "{error}");
        }
    }
}
