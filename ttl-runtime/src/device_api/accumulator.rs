//! Blocks that add up over a loop: in the tile registers, or in L1 where the registers are needed for something else.

use super::cb::Front;
use super::store::{Builder, accumulate};
use super::tiles::TileExpr;
use crate::ir::dag::NodeId;
use crate::sim::ops;
use crate::site::Site;
use crate::temps::{Place, TempKey};
use crate::tensor::format::{DataFormat, Element};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::AddAssign;

/// A block of tiles that others are added to. `acc += a.block(r, k).matmul(b.block(k, c))` adds to it, as does any block expression of its shape;
/// `y.store(acc)` stores it.
#[derive(Debug)]
#[must_use = "an accumulator must be stored"]
pub struct Accumulator<'c> {
    pub(crate) rows: u32,
    pub(crate) cols: u32,
    /// The buffer in L1, if it is not in the registers.
    buffer: Option<u32>,
    site: Site,
    stored: bool,
    _token: PhantomData<&'c ()>,
}

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place(0)) };
}

/// Which call makes the next accumulator: the macro puts this into the last argument of `zeros`. No other coroutine runs before the call.
#[doc(hidden)]
pub fn place(number: u64) {
    PLACE.set(Place(number));
}

impl<'c> Accumulator<'c> {
    pub(crate) fn new(rows: u32, cols: u32, site: Site) -> Accumulator<'c> {
        let pages = rows.saturating_mul(cols);
        let key = TempKey::Sum { place: PLACE.take(), pages };
        let buffer = ops::temp(key, site);
        match buffer {
            Some(cb) => zeros(cb, pages, site),
            None => {
                ops::ensure_started(site);
                ops::tile_regs_acquire(site);
            }
        }
        Accumulator { rows, cols, buffer, site, stored: false, _token: PhantomData }
    }

    /// As a leaf of an expression.
    pub(super) fn leaf(&self, b: &mut Builder) -> NodeId {
        match self.buffer {
            Some(cb) => b.front(cb, [self.rows, self.cols], DataFormat::F32),
            None => b.accumulator(self.rows, self.cols),
        }
    }

    /// The store takes over the registers, or reads the buffer.
    pub(crate) fn disarm(&mut self) {
        if let (false, Some(cb)) = (self.stored, self.buffer) {
            ops::cb_push_back(cb, self.rows * self.cols, self.site);
            ops::cb_wait_front(cb, self.rows * self.cols, self.site);
        }
        self.stored = true;
    }
}

/// Reserves a buffer and packs registers of zeros: fresh ones have them here, the generated C++ fills them.
fn zeros(cb: u32, pages: u32, site: Site) {
    ops::cb_reserve_back(cb, pages, site);
    let registers = ops::compute_config(site).dst_tiles();
    let mut packed = 0;
    while packed < pages {
        let count = registers.min(pages - packed);
        ops::ensure_started(site);
        ops::tile_regs_acquire(site);
        ops::tile_regs_commit(site);
        ops::tile_regs_wait(site);
        for i in 0..count {
            ops::pack(i, cb, None, site);
        }
        ops::tile_regs_release(site);
        packed += count;
    }
}

impl Drop for Accumulator<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        if !self.stored {
            ops::fail_with_help(
                "this accumulator was never stored",
                super::FAULT, // lowering has refused it
                self.site,
            );
        }
        if let Some(cb) = self.buffer {
            ops::cb_pop_front(cb, self.rows * self.cols, self.site);
        }
    }
}

impl<E: TileExpr> AddAssign<E> for Accumulator<'_> {
    #[track_caller]
    fn add_assign(&mut self, value: E) {
        accumulate([self.rows, self.cols], self.buffer, &value, Site::caller());
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
