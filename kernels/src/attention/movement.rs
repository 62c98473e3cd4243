//! Readers and writers: the blocks of queries, keys, values and masks, and the results back.

use super::shape::Shape;
use crate::tiles::pad_tile;
use ttl::prelude::*;

/// The lowest bf16: a score from which nothing is left after `exp`, and which is a number all the same.
const LOWEST: u32 = 0xff7f;

/// Where a work item is: a block of queries of a head of a batch entry.
#[ttl::device]
#[derive(Clone, Copy)]
struct Item {
    batch: u32,
    head: u32,
    block: u32,
}

#[ttl::device]
fn item(shape: Shape, number: u32) -> Item {
    let blocks = shape.query_blocks();
    Item { batch: number / blocks / shape.heads, head: number / blocks % shape.heads, block: number % blocks }
}

/// The tiles of one head in a tensor `[batch, rows, heads * width]`, whose tiles of batch entry `batch` begin with row `batch * rows`.
#[ttl::device]
#[derive(Clone, Copy)]
struct Head {
    batch: u32,
    rows: u32,
    heads: u32,
    head: u32,
    width: u32,
}

/// Rows `first..first + count` of a head; tile `d` of row `i` goes to page `i * down + d * along` of a block. Rows beyond the last are the last once
/// more: of queries the results go nowhere, keys and values are taken away by the mask.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // a tensor and its buffer, rows, and their places
fn read_rows<E: Element>(
    noc: &Noc,
    from: &TensorAccessor<E>,
    out: &CbOut<E>,
    of: Head,
    first: u32,
    count: u32,
    down: u32,
    along: u32,
) {
    let mut block = out.reserve_back(count * of.width);
    let mut reads = noc.read_into(&mut block);
    for row in 0..count {
        let tile = of.batch * of.rows + (first + row).min(of.rows - 1);
        for d in 0..of.width {
            reads.page(from, (tile * of.heads + of.head) * of.width + d, row * down + d * along);
        }
    }
    reads.wait();
}

/// The queries of an item.
#[ttl::device]
fn read_queries<E: Element>(noc: &Noc, q: &TensorAccessor<E>, q_out: &CbOut<E>, shape: Shape, at: Item) {
    let of = Head { batch: at.batch, rows: shape.queries, heads: shape.heads, head: at.head, width: shape.depth };
    read_rows(noc, q, q_out, of, at.block * shape.rows, shape.rows, shape.depth, 1);
}

/// A block of keys, its tiles where those of its transpose stand.
#[ttl::device]
fn read_keys<E: Element>(noc: &Noc, k: &TensorAccessor<E>, k_out: &CbOut<E>, shape: Shape, at: Item, first: u32) {
    let (heads, head) = (shape.heads / shape.group, at.head / shape.group);
    let of = Head { batch: at.batch, rows: shape.keys, heads, head, width: shape.depth };
    read_rows(noc, k, k_out, of, first, shape.cols, 1, shape.cols);
}

/// The values of the same keys.
#[ttl::device]
fn read_values<E: Element>(noc: &Noc, v: &TensorAccessor<E>, v_out: &CbOut<E>, shape: Shape, at: Item, first: u32) {
    let (heads, head) = (shape.heads / shape.group, at.head / shape.group);
    let of = Head { batch: at.batch, rows: shape.keys, heads, head, width: shape.width };
    read_rows(noc, v, v_out, of, first, shape.cols, shape.width, 1);
}

/// Reads, for each item, the queries and then block by block the keys and their values.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // three tensors and their buffers
pub fn read<E: Element>(
    noc: Noc,
    q: TensorAccessor<E>,
    k: TensorAccessor<E>,
    v: TensorAccessor<E>,
    q_out: CbOut<E>,
    k_out: CbOut<E>,
    v_out: CbOut<E>,
    #[ttl(compile_time)] shape: Shape,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let at = item(shape, number);
        read_queries(&noc, &q, &q_out, shape, at);
        for block in 0..shape.key_blocks(at.block) {
            read_keys(&noc, &k, &k_out, shape, at, block * shape.cols);
            read_values(&noc, &v, &v_out, shape, at, block * shape.cols);
        }
    }
}

/// What a mask tensor is, in tiles.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaskShape {
    /// Rows of tiles of one batch entry.
    pub rows: u32,
    /// Rows of tiles from one batch entry to the next; 0 if all have the same.
    pub pitch: u32,
    /// Whether each query has a row of its own.
    pub full: bool,
    /// Elements of the last tile of keys that are keys.
    pub last: u32,
    /// What stands where there is no key: the lowest number, as [`pad_tile`] takes it.
    pub lowest: u32,
}

/// The place of an element among those of a tile: faces of 16 x 16.
#[ttl::device]
fn in_tile(row: u32, col: u32) -> u32 {
    (row / 16 * 2 + col / 16) * 256 + row % 16 * 16 + col % 16
}

/// The tiles of the mask for a block. What is no key gets the lowest score.
#[ttl::device]
fn read_mask<E: Element>(
    noc: &Noc,
    mask: &TensorAccessor<E>,
    mask_out: &CbOut<E>,
    shape: Shape,
    mask_shape: MaskShape,
    at: Item,
    first: u32,
) {
    let mut rows = 1;
    if mask_shape.full {
        rows = shape.rows;
    }
    let mut block = mask_out.reserve_back(rows * shape.cols);
    let mut reads = noc.read_into(&mut block);
    for row in 0..rows {
        let tile = at.batch * mask_shape.pitch + (at.block * rows + row).min(mask_shape.rows - 1);
        for col in 0..shape.cols {
            reads.page(mask, tile * shape.keys + (first + col).min(shape.keys - 1), row * shape.cols + col);
        }
    }
    reads.wait();
    let bytes = mask_out.get_tile_size();
    for col in 0..shape.cols {
        let mut whole = 32;
        if first + col >= shape.keys {
            whole = 0;
        } else if first + col == shape.keys - 1 {
            whole = mask_shape.last;
        }
        for row in 0..rows {
            let at = block.get_write_ptr() + (row * shape.cols + col) * bytes;
            pad_tile(noc, at, bytes / 1024, 32, whole, mask_shape.lowest);
        }
    }
}

/// [`read()`] with a mask: its tiles for each block come between the keys and the values.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // four tensors and their buffers
pub fn read_with_mask<E: Element>(
    noc: Noc,
    q: TensorAccessor<E>,
    k: TensorAccessor<E>,
    v: TensorAccessor<E>,
    mask: TensorAccessor<E>,
    q_out: CbOut<E>,
    k_out: CbOut<E>,
    v_out: CbOut<E>,
    mask_out: CbOut<E>,
    #[ttl(compile_time)] shape: Shape,
    #[ttl(compile_time)] mask_shape: MaskShape,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let at = item(shape, number);
        read_queries(&noc, &q, &q_out, shape, at);
        for block in 0..shape.key_blocks(at.block) {
            read_mask(&noc, &mask, &mask_out, shape, mask_shape, at, block * shape.cols);
            read_keys(&noc, &k, &k_out, shape, at, block * shape.cols);
            read_values(&noc, &v, &v_out, shape, at, block * shape.cols);
        }
    }
}

/// The result of an item; rows beyond the last query stay where they are.
#[ttl::device]
fn write_result<E: Element>(noc: &Noc, out: &TensorAccessor<E>, out_in: &CbIn<E>, shape: Shape, at: Item) {
    let block = out_in.wait_front(shape.rows * shape.width);
    let mut writes = noc.write_from(&block);
    for row in 0..shape.rows {
        let tile = at.block * shape.rows + row;
        if tile < shape.queries {
            for d in 0..shape.width {
                let page = ((at.batch * shape.queries + tile) * shape.heads + at.head) * shape.width + d;
                writes.page(out, page, row * shape.width + d);
            }
        }
    }
    writes.flushed();
}

/// Writes the results.
#[ttl::kernel(writer)]
pub fn write<E: Element>(
    noc: Noc,
    out: TensorAccessor<E>,
    out_in: CbIn<E>,
    #[ttl(compile_time)] shape: Shape,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        write_result(&noc, &out, &out_in, shape, item(shape, number));
    }
}

/// Makes the three tiles of a mask that is known beforehand, then writes the results: element `[r, c]` of tile `t` counts if
/// `c < whole + slope * r - 32 * t`.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // buffers and the mask
pub fn write_with_edge<E: Element>(
    noc: Noc,
    out: TensorAccessor<E>,
    out_in: CbIn<E>,
    mask_out: CbOut<bf16>,
    #[ttl(compile_time)] shape: Shape,
    #[ttl(common)] whole: u32,
    first: u32,
    count: u32,
) {
    {
        let mut tiles = mask_out.reserve_back(3);
        for t in 0..3 {
            for r in 0..32 {
                for pair in 0..16 {
                    let mut word = 0;
                    for half in 0..2 {
                        if pair * 2 + half + 32 * t >= whole + shape.slope * r {
                            word |= LOWEST << (16 * half);
                        }
                    }
                    tiles.write_u32(t * 512 + in_tile(r, pair * 2) / 2, word);
                }
            }
        }
    }
    for number in first..first + count {
        write_result(&noc, &out, &out_in, shape, item(shape, number));
    }
}
