//! The operations: from the value loaded from a tile register to what the register then holds.

// Coefficients have the digits by which they are published.
#![allow(clippy::excessive_precision, clippy::approx_constant)]

mod binary;
mod exponential;
mod logarithm;
mod power;
mod scalar;
mod simple;
mod trigonometry;

pub(super) use binary::*;
pub(super) use exponential::*;
pub(super) use logarithm::*;
pub(super) use power::*;
pub(super) use scalar::*;
pub(super) use simple::*;
pub(super) use trigonometry::*;
