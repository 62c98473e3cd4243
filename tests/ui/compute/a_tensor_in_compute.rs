//! Compute kernels see circular buffers and scalars.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn compute(_compute: Compute, _x: TensorAccessor<bf16>) {}

fn main() {}
