//! Blocks that add up in the tile registers over a loop.

use super::cb::Front;
use super::store::accumulate;
use super::tiles::TileExpr;
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::format::Element;
use std::fmt;
use std::marker::PhantomData;
use std::ops::AddAssign;

/// A block of tiles in the tile registers. `acc += a.block(r, k).matmul(b.block(k, c))` adds to it, as does any block expression of its shape;
/// `y.store(acc)` stores it.
#[derive(Debug)]
#[must_use = "an accumulator must be stored"]
pub struct Accumulator<'c> {
    pub(crate) rows: u32,
    pub(crate) cols: u32,
    site: Site,
    stored: bool,
    _token: PhantomData<&'c ()>,
}

impl<'c> Accumulator<'c> {
    pub(crate) fn new(rows: u32, cols: u32, site: Site) -> Accumulator<'c> {
        ops::ensure_started(site);
        ops::tile_regs_acquire(site);
        Accumulator { rows, cols, site, stored: false, _token: PhantomData }
    }

    /// The store has taken over the registers.
    pub(crate) fn disarm(&mut self) {
        self.stored = true;
    }
}

impl Drop for Accumulator<'_> {
    fn drop(&mut self) {
        if !self.stored && !std::thread::panicking() {
            ops::fail_with_help(
                "this accumulator was never stored",
                "store it into a reserved block: `y.reserve_back(n).store(acc)`",
                self.site,
            );
        }
    }
}

impl<E: TileExpr> AddAssign<E> for Accumulator<'_> {
    #[track_caller]
    fn add_assign(&mut self, value: E) {
        accumulate([self.rows, self.cols], &value, Site::caller());
    }
}

/// Tiles of a waited block as a matrix, row-major.
pub struct TileBlock<'a, T> {
    pub(super) cb: u32,
    pub(super) rows: u32,
    pub(super) cols: u32,
    _front: PhantomData<&'a T>,
}

impl<T> Clone for TileBlock<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TileBlock<'_, T> {}

impl<T> fmt::Debug for TileBlock<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TileBlock(cb {}, {}x{} tiles)", self.cb, self.rows, self.cols)
    }
}

impl<T: Element> Front<'_, T> {
    /// The block as a matrix of `rows` x `cols` tiles, row-major: as many as were waited for, or fewer.
    #[track_caller]
    pub fn block(&self, rows: u32, cols: u32) -> TileBlock<'_, T> {
        if rows.saturating_mul(cols) > self.pages {
            ops::fail_with_help(
                &format!("a block of {rows}x{cols} tiles is made of {} waited tiles", self.pages),
                "wait for as many tiles as the block has",
                Site::caller(),
            );
        }
        TileBlock { cb: self.cb, rows, cols, _front: PhantomData }
    }
}
