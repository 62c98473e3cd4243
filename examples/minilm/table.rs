//! Which sentences are alike.

use crate::text::short;
use ttl_kernels::bert::cosine;

/// Sentences of which all pairs are printed.
const MOST: usize = 8;

/// Prints the cosine of every pair; of many sentences the most similar other one of each.
pub(crate) fn print(sentences: &[String], embeddings: &[Vec<f32>]) {
    if sentences.len() < 2 {
        return;
    }
    println!();
    if sentences.len() > MOST {
        for (i, (sentence, a)) in sentences.iter().zip(embeddings).enumerate() {
            let others = embeddings.iter().enumerate().filter(|(j, _)| *j != i).map(|(j, b)| (cosine(a, b), j));
            if let Some((similar, j)) = others.max_by(|a, b| a.0.total_cmp(&b.0)) {
                println!("{:40} {similar:.4} {}", short(sentence, 40), short(&sentences[j], 60));
            }
        }
        return;
    }
    print!("{:40}", "similarity");
    (1..=sentences.len()).for_each(|i| print!(" {i:>7}"));
    println!();
    for (i, (sentence, a)) in sentences.iter().zip(embeddings).enumerate() {
        print!("{:40}", format!("{} {}", i + 1, short(sentence, 36)));
        embeddings.iter().for_each(|b| print!(" {:7.4}", cosine(a, b)));
        println!();
    }
}
