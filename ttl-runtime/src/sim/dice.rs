//! A small random generator (PCG-XSH-RR 64/32) for schedules by seed. Own code, so that a seed means the same run for ever.

#[derive(Clone, Debug)]
pub(super) struct Dice {
    state: u64,
    stream: u64,
}

impl Dice {
    /// `lane` tells generators of one seed apart (one per core).
    pub(super) fn new(seed: u64, lane: u64) -> Dice {
        let mut dice = Dice { state: 0, stream: (lane << 1) | 1 };
        dice.next();
        dice.state = dice.state.wrapping_add(seed);
        dice.next();
        dice
    }

    pub(super) fn next(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.stream);
        let shifted = (((old >> 18) ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }

    /// A number below `n` (`n` > 0). The slight bias of the multiplication does not matter here.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(n)) >> 32) as u32
    }

    /// True once in `n` times.
    pub(super) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
}
