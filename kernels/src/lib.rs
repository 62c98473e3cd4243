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
//! | [`matmul`] | products, with bias and activation |
//! | [`attention`] | softmax of the scores times the values, for heads, with masks |
//! | [`elementwise`] | operations of one and two operands, the second repeated along rows, columns, matrices; macros that make others |
//! | [`reduce`] | sum, mean, largest, smallest along the last dimension, the last but one, both |
//! | [`transpose`] | of the last two dimensions |
//! | [`tilize`] | row-major to tiles and back |
//! | [`embedding`] | rows of a table, in tiles or row-major |
//! | [`pooling`] | weighted means of rows, rows of length one |
//!
//! | for kernels of your own | |
//! |---|---|
//! | [`split`](mod@split) | work divided among cores |
//! | [`pieces`](mod@pieces) | an axis in pieces, the last of which may be shorter |
//! | [`tiles`], [`row_blocks`] | transfers of blocks of tiles, and of rows |
//! | [`exact`] | element types that registers keep bit for bit |
//!
//! | small ones, of sizes that are constants | |
//! |---|---|
//! | [`fma`], [`linear`], [`norms`] | one expression each |
//!
//! | whole networks | |
//! |---|---|
//! | [`bert`] | a sentence encoder |
//! | [`dit`] | the DiT megakernel |
//! | [`checkpoint`] | their weights, from safetensors files |

#![warn(missing_docs)]

pub mod attention;
pub mod bert;
pub mod checkpoint;
pub mod dit;
pub mod elementwise;
pub mod embedding;
pub mod exact;
pub mod fma;
pub mod layernorm;
pub mod linear;
pub mod matmul;
pub mod norms;
pub mod pieces;
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
