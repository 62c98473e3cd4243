//! Softmax as one block expression, for rows whose width is a constant of the program and fills its tiles: the compiler cuts it into parts, and adds the buffers
//! between them and the tile of ones.

use crate::split::split;
use crate::tiles::{read_tiles, write_tiles};
use ttl::prelude::*;

/// Reads rows of `W` tiles.
#[ttl::kernel(reader)]
fn read<const W: u32>(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, first: u32, count: u32) {
    for row in first..first + count {
        read_tiles(&noc, &x, &x_out, row * W, W);
    }
}

/// `e^(x - max) / sum of e^(x - max)` of each row.
#[ttl::kernel(compute)]
pub fn of_width<const W: u32>(_compute: Compute, x_in: CbIn<bf16>, y_out: CbOut<bf16>, count: u32) {
    for _ in 0..count {
        let tiles = x_in.wait_front(W);
        let x = tiles.block(1, W);
        let e = (x - x.max_row().bcast_cols()).exp();
        y_out.reserve_back(W).store(e * e.sum_row().recip().bcast_cols());
    }
}

/// Writes rows of `W` tiles.
#[ttl::kernel(writer)]
fn write<const W: u32>(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, first: u32, count: u32) {
    for row in first..first + count {
        write_tiles(&noc, &y, &y_in, row * W, W);
    }
}

/// `y = softmax(x)` along the rows, over the cores of `grid`. Rows are `W` tiles wide, without padding.
pub fn program_of_width<const W: u32>(
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
    p.kernel(cores, read::<W> { x: x.accessor(), x_out, first: split.first(), count: split.count() });
    p.compute(cores, config, of_width::<W> { x_in, y_out, count: split.count() });
    p.kernel(cores, write::<W> { y: y.accessor(), y_in, first: split.first(), count: split.count() });
    Ok(p)
}
