//! Rates without the cost of a launch: the difference between many and few iterations.

use std::fmt;
use std::time::Duration;

use super::error::{MegakernelError, Result};

/// What [`measure_rate`] found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rate {
    /// How long the shorter launch took.
    pub t_small: Duration,
    /// How long the longer one took.
    pub t_large: Duration,
    /// Seconds of one iteration; 0 or less if the larger run was no slower.
    pub per_iter: f64,
    /// Bytes read from DRAM in one iteration.
    pub bytes_per_iter: u64,
    /// Infinite where an iteration took no time.
    pub gb_per_s: f64,
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.3} ms and {} bytes an iteration: {:.2} GB/s",
            self.per_iter * 1e3,
            self.bytes_per_iter,
            self.gb_per_s
        )
    }
}

/// Runs `launch` with few and many iterations, each once to warm up and then `repeats` times, and takes the best of each. `launch` says how
/// long a run took.
pub fn measure_rate(
    mut launch: impl FnMut(u32) -> Result<Duration>,
    n_small: u32,
    n_large: u32,
    bytes_per_iter: u64,
    repeats: u32,
) -> Result<Rate> {
    if n_small == 0 || n_small >= n_large {
        return Err(MegakernelError::RateCounts { n_small, n_large });
    }
    if repeats == 0 {
        return Err(MegakernelError::RateRepeats);
    }
    launch(n_small)?;
    launch(n_large)?;
    let mut best = |n: u32| -> Result<Duration> {
        let mut best = Duration::MAX;
        for _ in 0..repeats {
            best = best.min(launch(n)?);
        }
        Ok(best)
    };
    let (t_small, t_large) = (best(n_small)?, best(n_large)?);
    let per_iter = (t_large.as_secs_f64() - t_small.as_secs_f64()) / f64::from(n_large - n_small);
    let gb_per_s = if per_iter > 0.0 { bytes_per_iter as f64 / per_iter / 1e9 } else { f64::INFINITY };
    Ok(Rate { t_small, t_large, per_iter, bytes_per_iter, gb_per_s })
}
