//! Moving tiles between tensors and circular buffers: what most readers and writers do in their loops.

use ttl::prelude::*;

/// Reads the pages `first`, `first + 1`, ... into a block of `count` tiles.
#[ttl::device]
pub fn read_tiles<T: Element>(noc: &Noc, from: &TensorAccessor<T>, to: &CbOut<T>, first: u32, count: u32) {
    let mut block = to.reserve_back(count);
    let mut reads = noc.read_into(&mut block);
    for i in 0..count {
        reads.page(from, first + i, i);
    }
    reads.wait();
}

/// Writes a block of `count` tiles to the pages `first`, `first + 1`, ...
#[ttl::device]
pub fn write_tiles<T: Element>(noc: &Noc, to: &TensorAccessor<T>, from: &CbIn<T>, first: u32, count: u32) {
    let block = from.wait_front(count);
    let mut writes = noc.write_from(&block);
    for i in 0..count {
        writes.page(to, first + i, i);
    }
    writes.flushed();
}

/// Overwrites what lies outside of the first `rows` rows and `cols` columns of the tile at L1 address `at` with `value`: the bits of an element of
/// `bytes` bytes, 2 or 4. What an operation that looks at whole tiles needs at the edge of a tensor.
#[ttl::device]
pub fn pad_tile(noc: &Noc, at: u32, bytes: u32, rows: u32, cols: u32, value: u32) {
    let halves = noc.raw().l1_u16(at);
    let words = noc.raw().l1_u32(at);
    for row in 0..32 {
        let begin = if row < rows { cols } else { 0 };
        for col in begin..32 {
            // Four faces of 16 x 16.
            let i = (row / 16 * 2 + col / 16) * 256 + row % 16 * 16 + col % 16;
            if bytes == 2 {
                halves.write(i, value as u16);
            } else {
                words.write(i, value);
            }
        }
    }
}

/// Reads `rows` x `cols` tiles of a matrix that is `pitch` tiles wide, the first of them page `first`, into the top left of a block that is `width`
/// tiles wide. The rest of the block stays as it is.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // a part of a matrix, and a part of a block
pub fn read_part<T: Element>(
    noc: &Noc,
    from: &TensorAccessor<T>,
    block: &mut Reserved<T>,
    first: u32,
    pitch: u32,
    rows: u32,
    cols: u32,
    width: u32,
) {
    let mut reads = noc.read_into(block);
    for row in 0..rows {
        for col in 0..cols {
            reads.page(from, first + row * pitch + col, row * width + col);
        }
    }
    reads.wait();
}
