//! The mission's inventory of behaviours, items 1 to 39: each test names its number. `docs/inventory.md` says for each item what holds here
//! and where ours differs by design.

mod kernels;
mod language;
mod products;
mod types;
