//! Sentences of about one length, padded to the same one.

use std::collections::BTreeMap;

/// Rows of a tile: sentences are padded to a multiple of it.
const TILE: usize = 32;

/// Sentences that go through the network together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    /// Which sentences they are, in the order of all of them.
    pub sentences: Vec<usize>,
    /// Tokens of each, without padding.
    pub tokens: Vec<Vec<u32>>,
    /// Tokens of each with padding.
    pub padded: usize,
}

impl Batch {
    /// Tokens of each sentence.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.tokens.iter().map(Vec::len)
    }

    /// The ids of all tokens, row after row, with 0 as padding: no result depends on it.
    pub fn ids(&self) -> Vec<u32> {
        let padded =
            |tokens: &Vec<u32>| (0..self.padded).map(|i| tokens.get(i).copied().unwrap_or(0)).collect::<Vec<_>>();
        self.tokens.iter().flat_map(padded).collect()
    }
}

/// Sentences of as many tiles go together, at most `most` of them: nothing is padded by a whole tile.
pub fn batches(sentences: &[Vec<u32>], most: usize) -> Vec<Batch> {
    let mut classes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, tokens) in sentences.iter().enumerate() {
        classes.entry(tokens.len().max(1).next_multiple_of(TILE)).or_default().push(i);
    }
    let batch = |padded: usize, part: &[usize]| Batch {
        sentences: part.to_vec(),
        tokens: part.iter().map(|i| sentences[*i].clone()).collect(),
        padded,
    };
    let of_class = |(padded, all): (usize, Vec<usize>)| {
        all.chunks(most.max(1)).map(|part| batch(padded, part)).collect::<Vec<_>>()
    };
    classes.into_iter().flat_map(of_class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_is_in_one_batch() {
        let sentences: Vec<Vec<u32>> = [3, 33, 32, 64, 5, 1, 65, 7].iter().map(|n| (1..=*n).collect()).collect();
        let made = batches(&sentences, 2);
        let shapes: Vec<_> = made.iter().map(|b| (b.padded, b.sentences.clone())).collect();
        let expected = [(32, vec![0, 2]), (32, vec![4, 5]), (32, vec![7]), (64, vec![1, 3]), (96, vec![6])];
        assert_eq!(shapes, expected);
        let ids = made[1].ids();
        assert_eq!((&ids[..6], ids[32], ids.len()), (&[1, 2, 3, 4, 5, 0][..], 1, 64));
        assert_eq!(made[1].lengths().collect::<Vec<_>>(), [5, 1]);
    }
}
