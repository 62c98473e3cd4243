//! Random numbers by seed, for inputs and tests.
//!
//! The generator is SplitMix64 (a Weyl sequence with increment 0x9E3779B97F4A7C15 and a two-multiply finaliser). It and the
//! distributions below use only operations that are exact or correctly rounded, so a seed gives the same numbers on every machine and
//! in every later version; tests pin the first ones.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator: equal seeds, equal numbers.
    pub const fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1): the upper 24 bits of a draw, so every value is an f32.
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// Uniform in `low..high`.
    pub fn uniform(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Mean 0, variance 1: the sum of twelve uniform 16-bit lanes of three draws, centred. No logarithm, no cosine, hence the same
    /// bits everywhere; the tails end at 6.
    pub fn normal(&mut self) -> f32 {
        let mut sum = 0u32;
        for _ in 0..3 {
            let draw = self.next_u64();
            for lane in 0..4 {
                sum += (draw >> (16 * lane)) as u32 & 0xFFFF;
            }
        }
        // Twelve lanes with mean 32767.5 and variance (65536^2 - 1) / 12 each.
        (f64::from(sum) - 12.0 * 32767.5) as f32 / 65536.0
    }

    /// Uniform in `low..=high`; `low` where `high` is smaller.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        let span = high.wrapping_sub(low).max(0) as u128 + 1;
        low.wrapping_add(((u128::from(self.next_u64()) * span) >> 64) as i64)
    }

    /// Uniform in `0..bound`; 0 for a bound of 0.
    pub const fn below(&mut self, bound: u32) -> u32 {
        (((self.next_u64() >> 32) * bound as u64) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_stay_as_they_are() {
        let mut r = Random::new(0);
        assert_eq!(r.next_u64(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(r.next_u64(), 0x6E78_9E6A_A1B9_65F4);
        let mut r = Random::new(1);
        assert_eq!((r.unit(), r.uniform(-1.0, 1.0), r.normal(), r.below(100)), PINNED);
    }

    const PINNED: (f32, f32, f32, u32) = (0.5665615, 0.49156344, 1.9101868, 76);

    #[test]
    fn distributions_have_their_moments() {
        let mut r = Random::new(42);
        let n = 100_000;
        let values: Vec<f64> = (0..n).map(|_| f64::from(r.normal())).collect();
        let mean = values.iter().sum::<f64>() / f64::from(n);
        let var = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n);
        // Four standard errors: 4/sqrt(n) and 4*sqrt(2/n).
        assert!(mean.abs() < 0.0127, "{mean}");
        assert!((var - 1.0).abs() < 0.018, "{var}");
        let unit: Vec<f32> = (0..n).map(|_| r.unit()).collect();
        assert!(unit.iter().all(|v| (0.0..1.0).contains(v)));
        let mean = unit.iter().map(|&v| f64::from(v)).sum::<f64>() / f64::from(n);
        assert!((mean - 0.5).abs() < 0.0037, "{mean}");
        assert!((0..1000).all(|_| r.below(7) < 7));
        assert_eq!(r.below(0), 0);
    }
}
