//! The simulated chip.

pub mod math;
