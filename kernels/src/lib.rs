//! Kernels written in ttl. Each module has the thread kernels and a function that puts them on cores as a program.
//!
//! | along rows, of any shape | |
//! |---|---|
//! | [`softmax`] | softmax and log-softmax |
//! | [`layernorm`] | layer normalisation, with gamma, beta and a residual |
//! | [`rmsnorm`] | RMS normalisation, with gamma |
//! | [`rows`] | what these share: rows in blocks, padding, sums |

pub mod attention;
pub mod bert;
pub mod dit;
pub mod embedding;
pub mod exact;
pub mod fma;
pub mod layernorm;
pub mod linear;
pub mod matmul;
pub mod matmul_mcast;
pub mod norms;
pub mod rmsnorm;
pub mod rows;
pub mod softmax;
pub mod split;
pub mod tiles;
