//! The operations: from the value loaded from a tile register to what the register then holds.

// Coefficients have the digits by which they are published.
#![allow(clippy::excessive_precision, clippy::approx_constant)]

mod activations;
mod binary;
mod exponential;
mod inverse;
mod logarithm;
mod modulo;
mod pairs;
mod power;
mod powers;
mod scalar;
mod short;
mod simple;
mod special;
mod ternary;
mod trigonometry;
mod whole;

pub(super) use activations::*;
pub(super) use binary::*;
pub(super) use exponential::*;
pub(super) use inverse::*;
pub(super) use logarithm::*;
pub(super) use modulo::*;
pub(super) use pairs::*;
pub(super) use power::*;
pub(super) use powers::*;
pub(super) use scalar::*;
pub(super) use short::*;
pub(super) use simple::*;
pub(super) use special::*;
pub(super) use ternary::*;
pub(super) use trigonometry::*;
pub(super) use whole::*;
