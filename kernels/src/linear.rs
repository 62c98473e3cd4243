//! y = relu(x * w + bias) as one block expression, on one core: a layer of `M` x `N` tiles with `K` tiles in between. For layers of any size see
//! [`matmul`](crate::matmul).

use crate::tiles::write_tiles;
use ttl::prelude::*;

/// Reads all of `x`, `w` and `bias`, under way together.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // three tensors and their buffers
pub fn read<const M: u32, const K: u32, const N: u32>(
    noc: Noc,
    x: TensorAccessor<bf16>,
    w: TensorAccessor<bf16>,
    bias: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    w_out: CbOut<bf16>,
    bias_out: CbOut<bf16>,
) {
    let mut x_block = x_out.reserve_back(M * K);
    let mut w_block = w_out.reserve_back(K * N);
    let mut row = bias_out.reserve_back(N);
    let mut x_reads = noc.read_into(&mut x_block);
    let mut w_reads = noc.read_into(&mut w_block);
    let mut bias_reads = noc.read_into(&mut row);
    for i in 0..M * K {
        x_reads.page(&x, i, i);
    }
    for i in 0..K * N {
        w_reads.page(&w, i, i);
    }
    for i in 0..N {
        bias_reads.page(&bias, i, i);
    }
    x_reads.wait();
    w_reads.wait();
    bias_reads.wait();
}

/// The bias is in the registers before the product is added to it; relu follows there.
#[ttl::kernel(compute)]
pub fn linear<const M: u32, const K: u32, const N: u32>(
    _compute: Compute,
    x_in: CbIn<bf16>,
    w_in: CbIn<bf16>,
    bias_in: CbIn<bf16>,
    y_out: CbOut<bf16>,
) {
    let x = x_in.wait_front(M * K);
    let w = w_in.wait_front(K * N);
    let bias = bias_in.wait_front(N);
    let product = x.block(M, K).matmul(w.block(K, N));
    y_out.reserve_back(M * N).store((product + bias.block(1, N).bcast_rows()).relu());
}

/// Writes the result.
#[ttl::kernel(writer)]
pub fn write<const TILES: u32>(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>) {
    write_tiles(&noc, &y, &y_in, 0, TILES);
}

/// `x` of `M` x `K` tiles, `w` of `K` x `N`, `bias` of 1 x `N` of which row 0 counts, `y` of `M` x `N`.
pub fn program<const M: u32, const K: u32, const N: u32, const TILES: u32>(
    core: Core,
    config: ComputeConfig,
    [x, w, bias, y]: [&Tensor<bf16>; 4],
) -> ttl::Result<Program> {
    for (name, tensor, rows, cols) in [("x", x, M, K), ("w", w, K, N), ("bias", bias, 1, N), ("y", y, M, N)] {
        if (tensor.tile_rows(), tensor.tile_cols()) != (rows, cols) {
            return Err(ttl::Error::Other(format!(
                "`{name}` has {}x{} tiles, must have {rows}x{cols}",
                tensor.tile_rows(),
                tensor.tile_cols()
            )));
        }
    }
    let mut p = Program::new("linear");
    let (x_out, x_in) = p.circular_buffer::<bf16>("x", core, M * K);
    let (w_out, w_in) = p.circular_buffer::<bf16>("w", core, K * N);
    let (bias_out, bias_in) = p.circular_buffer::<bf16>("bias", core, N);
    let (y_out, y_in) = p.circular_buffer::<bf16>("y", core, TILES);
    let accessors = (x.accessor(), w.accessor(), bias.accessor());
    let reader = read::<M, K, N> { x: accessors.0, w: accessors.1, bias: accessors.2, x_out, w_out, bias_out };
    p.kernel(core, reader);
    p.compute(core, config, linear::<M, K, N> { x_in, w_in, bias_in, y_out });
    p.kernel(core, write::<TILES> { y: y.accessor(), y_in });
    Ok(p)
}
