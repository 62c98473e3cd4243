//! Kernels written in ttl. Each module has the thread kernels and a function that puts them on cores as a program.
//!
//! | along rows, of any shape | |
//! |---|---|
//! | [`softmax`] | softmax and log-softmax |
//! | [`layernorm`] | layer normalisation, with gamma, beta and a residual |
//! | [`rmsnorm`] | RMS normalisation, with gamma |
//! | [`rows`] | what these share: rows in blocks, padding, sums |
//!
//! | over whole tensors, of any shape | |
//! |---|---|
//! | [`elementwise`] | operations of one and two operands, the second repeated along rows, columns, matrices; macros that make others |
//! | [`reduce`] | sum, mean, largest, smallest along the last dimension, the last but one, both |
//! | [`transpose`] | of the last two dimensions |
//! | [`tilize`] | row-major to tiles and back |
//! | [`embedding`] | rows of a table, in tiles or row-major |
//! | [`pooling`] | weighted means of rows, rows of length one |
//!
//! | whole networks | |
//! |---|---|
//! | [`bert`] | a sentence encoder |
//! | [`dit`] | the DiT megakernel |

pub mod attention;
pub mod bert;
pub mod dit;
pub mod elementwise;
pub mod embedding;
pub mod exact;
pub mod fma;
pub mod layernorm;
pub mod linear;
pub mod matmul;
pub mod norms;
pub mod pooling;
pub mod reduce;
pub mod rmsnorm;
pub mod row_blocks;
pub mod rows;
pub mod softmax;
pub mod split;
pub mod tiles;
pub mod tilize;
pub mod transpose;
