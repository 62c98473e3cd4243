//! Kernels written in ttl. Each module has the thread kernels and a function that puts them on cores as a program.

pub mod dit;
pub mod fma;
pub mod linear;
pub mod matmul;
pub mod norms;
pub mod softmax;
pub mod split;
pub mod tiles;
