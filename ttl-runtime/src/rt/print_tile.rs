//! What `ttl::print_tile!` does in a native run.

use crate::device_api::{Front, Reserved};
use crate::sim::ops::{self, TileSlice};
use crate::site::Site;
use crate::tensor::format::Element;
use std::ops::Range;

/// A block whose tiles can be printed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no block of tiles",
    label = "has no tiles that could be printed",
    note = "`ttl::print_tile!(x, 0)` prints tile 0 of a block that `wait_front` or `reserve_back` gave"
)]
pub trait PrintedTile {
    /// The buffer, and whether the tile lies at its write pointer.
    #[doc(hidden)]
    fn place(&self) -> (u32, bool);
}

#[diagnostic::do_not_recommend]
impl<T: Element> PrintedTile for Front<'_, T> {
    fn place(&self) -> (u32, bool) {
        (self.cb, false)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> PrintedTile for Reserved<'_, T> {
    fn place(&self) -> (u32, bool) {
        (self.cb, true)
    }
}

#[diagnostic::do_not_recommend]
impl<B: PrintedTile> PrintedTile for &B {
    fn place(&self) -> (u32, bool) {
        (**self).place()
    }
}

#[diagnostic::do_not_recommend]
impl<B: PrintedTile> PrintedTile for &mut B {
    fn place(&self) -> (u32, bool) {
        (**self).place()
    }
}

/// Prints rows and columns of a tile, a line for each row.
pub fn print_tile<B: PrintedTile>(
    block: &B,
    tile: u32,
    rows: Range<u32>,
    cols: Range<u32>,
    file: &'static str,
    line: u32,
) {
    let site = Site { file, line, column: 0 };
    if !ops::printing(site) {
        return;
    }
    let (cb, at_write_pointer) = block.place();
    let (rows, cols) = ((rows.start, rows.end, 1), (cols.start, cols.end, 1));
    let slice = TileSlice { cb, tile, rows, cols, at_write_pointer, line_per_row: true };
    ops::print(&ops::tile_text(&slice, site), site);
}

/// In the copy that asks rustc for types: the numbers are `u32`.
pub fn tile_numbers<B>(_block: &B, _numbers: [u32; 5]) {}
