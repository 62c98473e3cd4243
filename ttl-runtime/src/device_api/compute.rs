//! Tile registers: explicit tile calls, for experts. Everyday compute uses block expressions (`tiles.rs`).
//!
//! Inits are placed by the C++ writer; natively each call puts its own in force, which changes nothing but the checks.

use super::accumulator::Accumulator;
use super::cb::{Front, Reserved};
use crate::ops::BinaryOp;
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::format::Element;
use std::marker::PhantomData;

/// The token of a compute kernel.
#[derive(Clone, Copy, Debug)]
pub struct Compute {
    _private: (),
}

impl Compute {
    pub(crate) fn new() -> Compute {
        Compute { _private: () }
    }

    /// Logical column of this core.
    #[track_caller]
    pub fn core_x(&self) -> u32 {
        ops::core(Site::caller()).x
    }

    /// Logical row of this core.
    #[track_caller]
    pub fn core_y(&self) -> u32 {
        ops::core(Site::caller()).y
    }

    /// Waits for a free section of tile registers (`tile_regs_acquire`). Sections do not nest.
    #[track_caller]
    pub fn acquire(&self) -> TileRegs<'_> {
        let site = Site::caller();
        ops::ensure_started(site);
        ops::tile_regs_acquire(site);
        TileRegs { site, _token: PhantomData }
    }

    /// Word `element` of tile `tile` of a waited block, for decisions: 4 bytes of it whatever the format (`read_tile_value`). All three
    /// processors wait for it.
    #[track_caller]
    pub fn read_tile_value<T: Element>(&self, src: &Front<'_, T>, tile: u32, element: u32) -> u32 {
        ops::read_tile_value(src.cb, tile, element, Site::caller())
    }

    /// L1 address of tile `tile` of a waited block (`get_tile_address`).
    #[track_caller]
    pub fn get_tile_address<T: Element>(&self, src: &Front<'_, T>, tile: u32) -> u32 {
        ops::get_tile_address(src.cb, tile, Site::caller())
    }

    /// A block of `rows` x `cols` tiles of zeros in the tile registers, for matrix products to be added to. It must fit: `rows * cols`
    /// is at most 8 tiles, 4 with 32-bit registers.
    #[track_caller]
    pub fn zeros(&self, rows: u32, cols: u32) -> Accumulator<'_> {
        Accumulator::new(rows, cols, Site::caller())
    }
}

/// Tile registers that are being computed.
#[derive(Debug)]
#[must_use = "acquired registers must be committed"]
pub struct TileRegs<'c> {
    site: Site,
    _token: PhantomData<&'c Compute>,
}

macro_rules! fpu_binary {
    ($($(#[$doc:meta])* $name:ident, $reuse:ident => $op:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Element, U: Element>(&mut self, a: &Front<'_, T>, b: &Front<'_, U>, ia: u32, ib: u32, dst: u32) {
            ops::binary_tiles(BinaryOp::$op, a.cb, b.cb, ia, ib, dst, Site::caller());
        }

        /// The register and tile `tile` of `src`: `dst = dst op tile`. The register's value passes through a source register: it is
        /// exact for bf16, and 11 bits of an f32.
        #[track_caller]
        pub fn $reuse<T: Element>(&mut self, src: &Front<'_, T>, tile: u32, dst: u32) {
            ops::reuse_dest(BinaryOp::$op, false, src.cb, tile, dst, Site::caller());
        }
    )*};
}

impl<'c> TileRegs<'c> {
    /// Tile `tile` of `src` into register `dst`.
    #[track_caller]
    pub fn copy_tile<T: Element>(&mut self, src: &Front<'_, T>, tile: u32, dst: u32) {
        ops::copy(src.cb, tile, dst, Site::caller());
    }

    fpu_binary! {
        /// `dst = a + b`, on tiles `ia` and `ib`.
        add_tiles, add_reuse_dest_tiles => Add;
        /// `dst = a - b`, on tiles `ia` and `ib`.
        sub_tiles, sub_reuse_dest_tiles => Sub;
        /// `dst += a * b`, on tiles `ia` and `ib`: the multiply adds to what the register holds (zero after acquire).
        mul_tiles, mul_reuse_dest_tiles => Mul;
    }

    /// `dst += a * b`, the matrix product of tile `ia` of `a` and tile `ib` of `b`.
    #[track_caller]
    pub fn matmul_tiles<T: Element, U: Element>(
        &mut self,
        a: &Front<'_, T>,
        b: &Front<'_, U>,
        ia: u32,
        ib: u32,
        dst: u32,
    ) {
        ops::matmul(a.cb, b.cb, ia, ib, dst, Site::caller());
    }

    /// One step along K for a block of `rt` x `ct` tiles: `dst[r*ct + c] += a[ia + r*kt] * b[ib + c]`. `kt` is the row length of the block of
    /// `a`, in tiles.
    #[track_caller]
    #[allow(clippy::too_many_arguments)] // as TT-Metalium has it
    pub fn matmul_block<T: Element, U: Element>(
        &mut self,
        a: &Front<'_, T>,
        b: &Front<'_, U>,
        ia: u32,
        ib: u32,
        dst: u32,
        ct: u32,
        rt: u32,
        kt: u32,
    ) {
        ops::matmul_block_auto(a.cb, b.cb, ia, ib, dst, false, ct, rt, kt, Site::caller());
    }

    /// [`TileRegs::matmul_block`] with the transpose of each tile of `b`: `dst[r*ct + c] += a[ia + r*kt] * b[ib + c]^T`. A product with the transpose of a
    /// matrix `m`: the tiles of `b` stand as those of the transpose do, tile `[c, k]` of `m` in row `k`, column `c`.
    #[track_caller]
    #[allow(clippy::too_many_arguments)] // as TT-Metalium has it
    pub fn matmul_block_transposed<T: Element, U: Element>(
        &mut self,
        a: &Front<'_, T>,
        b: &Front<'_, U>,
        ia: u32,
        ib: u32,
        dst: u32,
        ct: u32,
        rt: u32,
        kt: u32,
    ) {
        ops::matmul_block_auto(a.cb, b.cb, ia, ib, dst, true, ct, rt, kt, Site::caller());
    }

    /// Hands the registers to the packer (`tile_regs_commit`, `tile_regs_wait`).
    #[track_caller]
    pub fn commit(self) -> PackRegs<'c> {
        let site = Site::caller();
        std::mem::forget(self);
        ops::tile_regs_commit(site);
        ops::tile_regs_wait(site);
        PackRegs { site, _token: PhantomData }
    }
}

impl Drop for TileRegs<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::fail_with_help(
                "tile registers were acquired here and never committed",
                super::FAULT, // lowering has refused it
                self.site,
            );
        }
    }
}

/// Tile registers that are being packed. Dropped, they are free again (`tile_regs_release`).
#[derive(Debug)]
pub struct PackRegs<'c> {
    site: Site,
    _token: PhantomData<&'c Compute>,
}

impl PackRegs<'_> {
    /// Register `dst` to the next page of `out`: the pages of a reservation fill in the order of the calls.
    #[track_caller]
    pub fn pack_tile<T: Element>(&mut self, dst: u32, out: &mut Reserved<'_, T>) {
        ops::pack(dst, out.cb, None, Site::caller());
    }

    /// Register `dst` to page `index` of `out`.
    #[track_caller]
    pub fn pack_tile_at<T: Element>(&mut self, dst: u32, out: &mut Reserved<'_, T>, index: u32) {
        ops::pack(dst, out.cb, Some(index), Site::caller());
    }

    /// Frees the registers for the next section (`tile_regs_release`).
    #[track_caller]
    pub fn release(mut self) {
        self.site = Site::caller();
    }
}

impl Drop for PackRegs<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            ops::tile_regs_release(self.site);
        }
    }
}
