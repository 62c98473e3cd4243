//! Where the time goes.

use std::time::{Duration, Instant};

/// Time by what it was spent on, in the order of first appearance.
#[derive(Default)]
pub(crate) struct Profile {
    rows: Vec<(&'static str, u32, Duration)>,
}

impl Profile {
    pub(crate) fn add(&mut self, what: &'static str, time: Duration) {
        match self.rows.iter_mut().find(|row| row.0 == what) {
            Some((_, count, sum)) => {
                *count += 1;
                *sum += time;
            }
            None => self.rows.push((what, 1, time)),
        }
    }

    /// Does something and adds the time that it took.
    pub(crate) fn time<T>(&mut self, what: &'static str, of: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = of();
        self.add(what, start.elapsed());
        result
    }

    pub(crate) fn print(&self) {
        let total: Duration = self.rows.iter().map(|row| row.2).sum();
        println!("\n{:24} {:>7} {:>10} {:>9} {:>7}", "time for", "times", "ms", "ms each", "share");
        for (what, count, time) in &self.rows {
            let ms = time.as_secs_f64() * 1e3;
            let share = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
            println!("{what:24} {count:>7} {ms:>10.1} {:>9.2} {share:>6.1}%", ms / f64::from(*count));
        }
    }
}
