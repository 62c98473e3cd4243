//! y = a * b + c, element by element, over many cores.

use crate::split::split;
use crate::tiles::write_tiles;
use ttl::prelude::*;

/// Reads blocks of `BLOCK` tiles of the three operands.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // three tensors and their buffers
pub fn read<const BLOCK: u32>(
    noc: Noc,
    a: TensorAccessor<bf16>,
    b: TensorAccessor<bf16>,
    c: TensorAccessor<bf16>,
    a_out: CbOut<bf16>,
    b_out: CbOut<bf16>,
    c_out: CbOut<bf16>,
    first: u32,
    count: u32,
) {
    for block in first..first + count {
        let mut a_block = a_out.reserve_back(BLOCK);
        let mut b_block = b_out.reserve_back(BLOCK);
        let mut c_block = c_out.reserve_back(BLOCK);
        let mut a_reads = noc.read_into(&mut a_block);
        let mut b_reads = noc.read_into(&mut b_block);
        let mut c_reads = noc.read_into(&mut c_block);
        for i in 0..BLOCK {
            let page = block * BLOCK + i;
            a_reads.page(&a, page, i);
            b_reads.page(&b, page, i);
            c_reads.page(&c, page, i);
        }
        a_reads.wait();
        b_reads.wait();
        c_reads.wait();
    }
}

/// Computes `a * b + c` block by block.
#[ttl::kernel(compute)]
pub fn fma<const BLOCK: u32>(
    _compute: Compute,
    a: CbIn<bf16>,
    b: CbIn<bf16>,
    c: CbIn<bf16>,
    y: CbOut<bf16>,
    count: u32,
) {
    for _ in 0..count {
        let a = a.wait_front(BLOCK);
        let b = b.wait_front(BLOCK);
        let c = c.wait_front(BLOCK);
        let mut y = y.reserve_back(BLOCK);
        y.store(&a * &b + &c);
    }
}

/// Writes the blocks of the result.
#[ttl::kernel(writer)]
pub fn write<const BLOCK: u32>(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, first: u32, count: u32) {
    for block in first..first + count {
        write_tiles(&noc, &y, &y_in, block * BLOCK, BLOCK);
    }
}

/// `y = a * b + c` over the cores of `grid`, in blocks of `BLOCK` tiles. All tensors have the same shape, and a number of tiles that `BLOCK` divides.
pub fn program<const BLOCK: u32>(
    grid: &CoreSet,
    config: ComputeConfig,
    [a, b, c, y]: [&Tensor<bf16>; 4],
) -> ttl::Result<Program> {
    for t in [a, b, c] {
        if t.shape() != y.shape() {
            return Err(ttl::Error::Other(format!(
                "operands of shapes {:?} and {:?}; they must be equal",
                t.shape(),
                y.shape()
            )));
        }
    }
    if !y.pages().is_multiple_of(BLOCK) {
        return Err(ttl::Error::Other(format!(
            "{} tiles are no multiple of the block of {BLOCK} tiles; choose another block size",
            y.pages()
        )));
    }
    let split = split(y.pages() / BLOCK, grid);
    let cores = &split.cores;
    let mut p = Program::new("fma");
    let (a_out, a_in) = p.circular_buffer::<bf16>("a", cores, 2 * BLOCK);
    let (b_out, b_in) = p.circular_buffer::<bf16>("b", cores, 2 * BLOCK);
    let (c_out, c_in) = p.circular_buffer::<bf16>("c", cores, 2 * BLOCK);
    let (y_out, y_in) = p.circular_buffer::<bf16>("y", cores, 2 * BLOCK);
    p.kernel(
        cores,
        read::<BLOCK> {
            a: a.accessor(),
            b: b.accessor(),
            c: c.accessor(),
            a_out,
            b_out,
            c_out,
            first: split.first(),
            count: split.count(),
        },
    );
    p.compute(cores, config, fma::<BLOCK> { a: a_in, b: b_in, c: c_in, y: y_out, count: split.count() });
    p.kernel(cores, write::<BLOCK> { y: y.accessor(), y_in, first: split.first(), count: split.count() });
    Ok(p)
}
