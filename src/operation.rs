//! What an operation is written with: `#[ttl::kernel]` on a function without a role makes three kernels of it.
//!
//! ```
//! use ttl::prelude::*;
//!
//! #[ttl::kernel]
//! fn square(x: TensorAccessor<bf16>, y: TensorAccessor<bf16>, #[ttl(common)] tiles: u32) {
//!     let (x_out, x_in) = ttl::buffer::<bf16>(2);
//!     let (y_out, y_in) = ttl::buffer::<bf16>(2);
//!     ttl::reader(|noc| {
//!         for i in 0..tiles {
//!             noc.read_page(&x, i, &mut x_out.reserve_back(1)).wait();
//!         }
//!     });
//!     ttl::compute(|_| {
//!         for _ in 0..tiles {
//!             let x = x_in.wait_front(1);
//!             y_out.reserve_back(1).store(&x * &x);
//!         }
//!     });
//!     ttl::writer(|noc| {
//!         for i in 0..tiles {
//!             noc.write_page(&y, i, &y_in.wait_front(1)).flushed();
//!         }
//!     });
//! }
//!
//! # fn main() -> ttl::Result<()> {
//! # let mut device = Device::open()?;
//! # let x = device.upload::<bf16>("x", &HostTensor::from_fn(&[32, 64], |i| i as f32 / 256.0)?)?;
//! # let y = device.zeros::<bf16>("y", x.shape())?;
//! let mut program = Program::new("square");
//! program.operation(Core::new(0, 0), square { x: x.accessor(), y: y.accessor(), tiles: x.pages() });
//! # let program = program.validate(&device)?;
//! # device.run(&program)?;
//! # assert_eq!(device.download(&y)?.get(512), Some(4.0));
//! # Ok(())
//! # }
//! ```

use ttl_runtime::device_api::{CbIn, CbOut, Compute, Noc};
use ttl_runtime::tensor::format::Element;

/// A circular buffer of `pages` tiles on each core of the operation: its producer end and its consumer end. Each end belongs to the section
/// that uses it. The number of pages may depend on constants and on parameters that are `#[ttl(common)]` or `#[ttl(compile_time)]`.
pub fn buffer<T: Element>(pages: u32) -> (CbOut<T>, CbIn<T>) {
    let _ = pages;
    only_in_operations()
}

/// The section that brings data in: a data-movement kernel.
pub fn reader(section: impl FnOnce(Noc)) {
    let _ = section;
    only_in_operations()
}

/// The section that computes.
pub fn compute(section: impl FnOnce(Compute)) {
    let _ = section;
    only_in_operations()
}

/// The section that takes data out: a data-movement kernel.
pub fn writer(section: impl FnOnce(Noc)) {
    let _ = section;
    only_in_operations()
}

fn only_in_operations() -> ! {
    panic!(
        "`ttl::buffer`, `ttl::reader`, `ttl::compute` and `ttl::writer` belong into a `#[ttl::kernel]` function without a role"
    )
}
