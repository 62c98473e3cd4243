//! Tensors hold formats that the chip has.
use ttl::prelude::*;

fn allocate(device: &mut Device) -> ttl::Result<()> {
    device.zeros::<f64>("x", &[32, 32])?;
    Ok(())
}

fn main() {}
