//! Set-up calls: start-up of the compute kernel, inits of operations, data-format changes.
//!
//! The device keeps five things between operations: what the matrix unit is set up for, what the SFPU is set up for, and the data
//! formats of the two source registers and of the packer. Each operation needs some of them to be something (`state::needs`).
//!
//! [`place`] walks the structured code forwards with what is known of each. Where an operation's need is not known to be met it puts
//! the set-up call in front. Before a loop in which only one value of a thing is ever needed, it puts the call in front of the loop,
//! so that calls end up as far outside as possible. [`check`] is a separate proof that every operation has its set-up on every path.
//!
//! A device function is prepared on its own: it assumes nothing about the units, and about formats only what holds in the whole kernel
//! (`uniform formats`: nearly every kernel works on one format throughout).

mod check;
mod place;
mod repack;
mod startup;
mod state;
mod undo;

pub use check::{CheckError, check};
pub use place::place;
