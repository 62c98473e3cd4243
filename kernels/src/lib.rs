//! Kernels written in ttl. Each module has the thread kernels and a function that puts them on cores as a program.

pub mod attention;
pub mod bert;
pub mod dit;
pub mod embedding;
pub mod exact;
pub mod fma;
pub mod linear;
pub mod matmul;
pub mod matmul_mcast;
pub mod norms;
pub mod softmax;
pub mod split;
pub mod tiles;
