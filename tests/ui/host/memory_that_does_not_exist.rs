//! Memory configurations are values of a type.
use ttl::prelude::*;

fn allocate(device: &mut Device) -> ttl::Result<Tensor<bf16>> {
    device.zeros_in::<bf16>("x", &[32, 32], MemoryConfig::System)
}

fn main() {}
