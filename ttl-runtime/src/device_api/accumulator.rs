//! Matrix products that add up in the tile registers over a loop.

use super::cb::Front;
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::format::Element;
use std::fmt;
use std::marker::PhantomData;
use std::ops::AddAssign;

/// A block of tiles in the tile registers. `acc += a.block(r, k).matmul(b.block(k, c))` adds to it, `y.store(acc)` stores it.
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

/// Tiles of a waited block as a matrix, row-major.
pub struct TileBlock<'a, T> {
    cb: u32,
    rows: u32,
    cols: u32,
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

/// The product of two blocks of tiles, to be added to an [`Accumulator`] or stored.
#[derive(Clone, Copy, Debug)]
#[must_use = "a matrix product is computed when it is added to an accumulator or stored"]
pub struct MatmulTiles<'a> {
    a: u32,
    b: u32,
    rt: u32,
    kt: u32,
    ct: u32,
    _fronts: PhantomData<&'a ()>,
}

impl<'a, T: Element> TileBlock<'a, T> {
    /// The matrix product: the columns of `self` are the rows of `other`.
    #[track_caller]
    pub fn matmul<U: Element>(self, other: TileBlock<'a, U>) -> MatmulTiles<'a> {
        if self.cols != other.rows {
            ops::fail_with_help(
                &format!("the left block has {} columns of tiles, the right one {} rows", self.cols, other.rows),
                "the inner sizes of a matrix product must be equal",
                Site::caller(),
            );
        }
        MatmulTiles { a: self.cb, b: other.cb, rt: self.rows, kt: self.cols, ct: other.cols, _fronts: PhantomData }
    }
}

impl MatmulTiles<'_> {
    pub(crate) fn shape(&self) -> (u32, u32) {
        (self.rt, self.ct)
    }

    /// The steps along K, as the generated C++ has them.
    pub(crate) fn add_to_registers(&self, site: Site) {
        for k in 0..self.kt {
            if self.rt == 1 && self.ct == 1 {
                ops::matmul(self.a, self.b, k, k, 0, site);
            } else {
                ops::matmul_block_auto(self.a, self.b, k, k * self.ct, 0, self.ct, self.rt, self.kt, site);
            }
        }
    }
}

impl AddAssign<MatmulTiles<'_>> for Accumulator<'_> {
    #[track_caller]
    fn add_assign(&mut self, product: MatmulTiles<'_>) {
        let site = Site::caller();
        if product.shape() != (self.rows, self.cols) {
            let (r, c) = product.shape();
            ops::fail_with_help(
                &format!("a product of {r}x{c} tiles is added to an accumulator of {}x{}", self.rows, self.cols),
                "make `zeros(rows, cols)` the rows of the left and the columns of the right block",
                site,
            );
        }
        product.add_to_registers(site);
    }
}
