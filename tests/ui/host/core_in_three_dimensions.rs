//! Grids have two dimensions.
use ttl::prelude::*;

fn core() -> Core {
    Core::new(0, 0, 0)
}

fn main() {}
