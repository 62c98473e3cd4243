//! There are no tiles of i64.

use ttl::prelude::*;

fn main() -> ttl::Result<()> {
    let mut device = Device::open()?;
    device.upload::<i64>("x", &HostTensor::from_vec([4], vec![1i32, 2, 3, 4])?)?;
    Ok(())
}
