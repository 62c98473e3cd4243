//! Only what was validated can run.
use ttl::prelude::*;

fn run(device: &mut Device, program: Program) -> ttl::Result<()> {
    device.run(&program)?;
    Ok(())
}

fn main() {}
