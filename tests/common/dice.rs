//! Random cases for tests of kernels: always the same, or others with `TTL_RANDOM_SEED`. What a case is stands in the message of its failure.

use ttl::prelude::*;
use ttl::runtime::tensor::random::Random;

pub(crate) struct Dice(Random);

impl Dice {
    pub(crate) fn new() -> Dice {
        let seed =
            std::env::var("TTL_RANDOM_SEED").map_or(0, |text| text.parse().expect("TTL_RANDOM_SEED is a number"));
        Dice(Random::new(seed))
    }

    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0.below(bound)
    }

    pub(crate) fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, these: &[T]) -> T {
        these[self.below(these.len() as u32) as usize]
    }

    /// The length of a dimension: 1, part of a tile, whole tiles, anything.
    #[allow(dead_code)] // not every kernel takes any length
    pub(crate) fn length(&mut self) -> usize {
        let length = match self.below(6) {
            0 => 1,
            1 => 32,
            2 => 1 + self.below(31),
            3 => 33 + self.below(64),
            4 => 32 * (1 + self.below(6)),
            _ => 1 + self.below(300),
        };
        length as usize
    }

    /// Matrices: mostly one.
    #[allow(dead_code)] // nor matrices
    pub(crate) fn shape(&mut self) -> [usize; 3] {
        let batch = if self.below(3) == 0 { 2 + self.below(2) } else { 1 };
        [batch as usize, self.length(), self.length()]
    }

    pub(crate) fn chip(&mut self) -> Arch {
        if self.flip() { Arch::blackhole() } else { Arch::wormhole() }
    }

    /// Columns and rows of cores: one, few, all of a Wormhole.
    #[allow(dead_code)] // not every file of tests has a choice
    pub(crate) fn cores(&mut self) -> (u32, u32) {
        match self.below(4) {
            0 => (1, 1),
            1 => (8, 8),
            _ => (1 + self.below(4), 1 + self.below(4)),
        }
    }
}
