//! An axis in pieces of one size, of which the last may be shorter: how many there are, how long each is, and their transfers. Host and kernels count
//! alike. A piece that is shorter than the room for it in a circular buffer still takes all of the room, so that no block goes round the end of
//! the buffer.

use ttl::prelude::*;

/// How many pieces of `size` an axis of length `total` is.
#[ttl::device]
#[allow(clippy::manual_div_ceil)] // one division: no count of tiles is near the end of a u32
pub fn pieces(total: u32, size: u32) -> u32 {
    (total + size - 1) / size
}

/// How long the piece of an axis of length `total` is that begins at `first`: `size`, or less at the end.
#[ttl::device]
pub fn piece_at(first: u32, size: u32, total: u32) -> u32 {
    (total - first).min(size)
}

/// The size of pieces that are at most `most` long, no more of them than it takes, and as equal as they go. At least 1.
pub fn even_size(total: u32, most: u32) -> u32 {
    total.div_ceil(pieces(total, most.max(1)).max(1)).max(1)
}

/// Reads `tiles` pages of a tensor, from `first` on, into the first pages of a block.
#[ttl::device]
pub fn read_piece<T: Element>(noc: Noc, from: &TensorAccessor<T>, block: &mut Reserved<T>, first: u32, tiles: u32) {
    let mut reads = noc.read_into(block);
    for i in 0..tiles {
        reads.page(from, first + i, i);
    }
    reads.wait();
}

/// Writes the first `tiles` pages of a block of `room` pages to the pages of a tensor from `first` on.
#[ttl::device]
pub fn write_piece<T: Element>(noc: Noc, to: &TensorAccessor<T>, from: &CbIn<T>, room: u32, first: u32, tiles: u32) {
    let block = from.wait_front(room);
    let mut writes = noc.write_from(&block);
    for i in 0..tiles {
        writes.page(to, first + i, i);
    }
    writes.flushed();
}

/// Pushes what a piece of `tiles` pages lacks to its room.
#[ttl::device]
pub fn fill_up<E: Element>(out: &CbOut<E>, room: u32, tiles: u32) {
    if tiles < room {
        out.reserve_back(room - tiles).push_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_an_axis_once() {
        for total in 1..60 {
            for size in 1..60 {
                let lengths: Vec<u32> = (0..pieces(total, size)).map(|at| piece_at(at * size, size, total)).collect();
                assert_eq!(lengths.iter().sum::<u32>(), total);
                let (last, others) = lengths.split_last().unwrap();
                assert!(others.iter().all(|length| *length == size) && (1..=size).contains(last), "{total} in {size}");
            }
        }
    }

    #[test]
    fn even_pieces_are_as_few_as_they_can_be() {
        for total in 1..200 {
            for most in 1..20 {
                let size = even_size(total, most);
                assert!(size <= most);
                assert_eq!(pieces(total, size), pieces(total, most), "{total} in at most {most}");
                // One less would take more pieces.
                assert!(size == 1 || pieces(total, size - 1) > pieces(total, size));
            }
        }
        assert_eq!(
            [even_size(7, 4), even_size(8, 4), even_size(9, 8), even_size(1, 8), even_size(0, 8)],
            [4, 4, 5, 1, 1]
        );
    }
}
