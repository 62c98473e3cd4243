//! Kernels written in ttl. Each module has the thread kernels and a function that puts them on cores as a program.

pub mod dit;
pub mod elementwise;
pub mod embedding;
pub mod exact;
pub mod fma;
pub mod linear;
pub mod matmul;
pub mod matmul_mcast;
pub mod norms;
pub mod pooling;
pub mod reduce;
pub mod row_blocks;
pub mod softmax;
pub mod split;
pub mod tiles;
pub mod tilize;
pub mod transpose;
