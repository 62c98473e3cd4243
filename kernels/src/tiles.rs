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

/// Overwrites what lies outside of the first `rows` rows and `cols` columns of the tile at L1 address `at`, whose elements have `bytes` bytes, 2 or 4.
/// `value` is a word: one element, or two that are equal. What an operation that looks at whole tiles needs at the edge of a tensor.
#[ttl::device]
#[allow(clippy::manual_div_ceil)] // one division: nothing is near the end of a u32
pub fn pad_tile(noc: &Noc, at: u32, bytes: u32, rows: u32, cols: u32, value: u32) {
    // Four faces of 16 x 16, of which those that are full stay as they are.
    for face in 0..4 {
        let (top, left) = (face / 2 * 16, face % 2 * 16);
        if rows < top + 16 || cols < left + 16 {
            for row in 0..16 {
                let line = at + (face * 256 + row * 16) * bytes;
                let begin = if top + row < rows { cols.max(left).min(left + 16) - left } else { 0 };
                if bytes == 2 {
                    if begin % 2 == 1 {
                        noc.raw().l1_u16(line).write(begin, value as u16);
                    }
                    for word in (begin + 1) / 2..8 {
                        noc.raw().l1_u32(line).write(word, value);
                    }
                } else {
                    for col in begin..16 {
                        noc.raw().l1_u32(line).write(col, value);
                    }
                }
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
