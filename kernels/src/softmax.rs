//! Softmax of each row, over many cores. A core computes whole rows of tiles, each `W` tiles wide.

use crate::split::split;
use ttl::prelude::*;

/// Reads rows of `W` tiles.
#[ttl::kernel(reader)]
pub fn read<const W: u32>(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, first: u32, count: u32) {
    for row in first..first + count {
        let mut tiles = x_out.reserve_back(W);
        let mut reads = noc.read_into(&mut tiles);
        for i in 0..W {
            reads.page(&x, row * W + i, i);
        }
        reads.wait();
    }
}

/// `e^(x - max) / sum of e^(x - max)` of each row.
#[ttl::kernel(compute)]
pub fn softmax<const W: u32>(_compute: Compute, x_in: CbIn<bf16>, y_out: CbOut<bf16>, count: u32) {
    for _ in 0..count {
        let tiles = x_in.wait_front(W);
        let x = tiles.block(1, W);
        let e = (x - x.max_row().bcast_cols()).exp();
        y_out.reserve_back(W).store(e * e.sum_row().recip().bcast_cols());
    }
}

/// Writes rows of `W` tiles.
#[ttl::kernel(writer)]
pub fn write<const W: u32>(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, first: u32, count: u32) {
    for row in first..first + count {
        let tiles = y_in.wait_front(W);
        let mut writes = noc.write_from(&tiles);
        for i in 0..W {
            writes.page(&y, row * W + i, i);
        }
        writes.flushed();
    }
}

/// `y = softmax(x)` along the rows, over the cores of `grid`. Rows are `W` tiles wide, without padding.
pub fn program<const W: u32>(
    grid: &CoreSet,
    config: ComputeConfig,
    x: &Tensor<bf16>,
    y: &Tensor<bf16>,
) -> ttl::Result<Program> {
    if x.shape() != y.shape() || x.shape().last() != Some(&(32 * W as usize)) {
        return Err(ttl::Error::Other(format!(
            "softmax of {:?} into {:?}: both must have rows of {} elements, {W} tiles",
            x.shape(),
            y.shape(),
            32 * W
        )));
    }
    let split = split(x.pages() / W, grid);
    let cores = &split.cores;
    let mut p = Program::new("softmax");
    let (x_out, x_in) = p.circular_buffer::<bf16>("x", cores, 2 * W);
    let (y_out, y_in) = p.circular_buffer::<bf16>("y", cores, 2 * W);
    let first = || {
        per_core({
            let s = split.clone();
            move |core| s.share(core).first
        })
    };
    let count = || {
        per_core({
            let s = split.clone();
            move |core| s.share(core).count
        })
    };
    p.kernel(cores, read::<W> { x: x.accessor(), x_out, first: first(), count: count() });
    p.compute(cores, config, softmax::<W> { x_in, y_out, count: count() });
    p.kernel(cores, write::<W> { y: y.accessor(), y_in, first: first(), count: count() });
    Ok(p)
}
