//! What kernels call. Each type is the Rust side of something TT-Metalium has; natively its methods run on the simulated chip
//! ([`crate::sim::ops`]), and `rt::lower` gives the same methods their C++.
//!
//! - [`Noc`] is the token of reader and writer kernels, [`Compute`] that of compute kernels: their methods are what the thread may do.
//! - [`CbIn`] and [`CbOut`] are the ends of a circular buffer; [`Front`] and [`Reserved`] the pages between wait and pop, reserve and push.
//! - [`TensorAccessor`] finds the pages of a tensor.
//! - [`Semaphore`] is a word that cores wait on; [`NocCore`] and [`NocRange`] are other cores, to which [`Noc`] sends pages and signals.
//! - [`PipeTx`] and [`PipeRx`] are the ends of a pipe: blocks from one core to many, with the handshake that this takes.
//! - [`TileRegs`] and [`PackRegs`] are the tile registers while they are computed and while they are packed.
//! - [`Tiles`] are lazy block expressions, [`Accumulator`] a block of tiles that they are added to.

mod accumulator;
mod cb;
mod compute;
mod noc;
mod param;
mod parts;
mod pipe;
pub mod raw;
mod raw_posted;
mod raw_tensors;
mod register_ops;
mod shaped;
mod signal;
mod store;
mod tagged;
mod tile_calls;
mod tile_ops;
mod tiles;
mod types;
mod words;

pub use accumulator::{Accumulator, TileBlock, place};
pub use cb::{CbIn, CbOut, Front, Reserved};
pub use compute::{Compute, PackRegs, TileRegs};
pub use noc::{Noc, Reads, TensorAccessor, Writes};
pub(crate) use parts::{drop_scalers, fill_scalers};
pub use pipe::{Arriving, PipeRx, PipeTx, UnicastTx};
pub use shaped::TileShape;
pub use signal::{Block, Looped, NocCore, NocRange, Semaphore, Sent};
pub use store::Storable;
pub use tagged::{TaggedReads, TaggedWrites};
pub use tile_ops::{Operand, Scalar, TileBinary, TileMath, TileTernary};
pub use tiles::{TileExpr, Tiles};
pub use words::{CommonWords, CoreTable, Words};

/// The help of what no kernel leads to that `validate` accepts.
const FAULT: &str = "this is a fault of ttl; please report it";

/// What the generated C++ has at its end: data-movement kernels leave no write and no increment under way.
pub(crate) fn end_of_kernel() {
    use crate::sim::{Processor, ops};
    let site = crate::site::Site::UNKNOWN;
    if ops::processor(site) != Processor::Compute {
        let noc = ops::noc_index(site);
        ops::noc_async_read_barrier(noc, site);
        ops::noc_async_write_barrier(noc, site);
        ops::noc_async_posted_writes_flushed(noc, site);
        ops::noc_async_atomic_barrier(noc, site);
    }
}
