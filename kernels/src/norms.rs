//! Reductions along both sides of a matrix, with broadcasts of both: `y[n]` is the sum over m of `sqrt(a^2 + b^2 + c^2 + d^2)`, `z[m]` the sum over n of
//! `sqrt(|a^2 - b^2 - c^2 - d^2|)`, for a matrix `a`, a column `b`, a row `c` and a number `d`. One core takes `N` x `M` tiles of `a` a block.

use crate::tiles::write_tiles;
use ttl::prelude::*;

/// Reads the row and the number once, and a block of the matrix and of the column for each step.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // four tensors and their buffers
pub fn read<const N: u32, const M: u32>(
    noc: Noc,
    a: TensorAccessor<f32>,
    b: TensorAccessor<f32>,
    c: TensorAccessor<f32>,
    d: TensorAccessor<f32>,
    a_out: CbOut<f32>,
    b_out: CbOut<f32>,
    c_out: CbOut<f32>,
    d_out: CbOut<f32>,
    #[ttl(common)] steps: u32,
) {
    {
        let mut row = c_out.reserve_back(M);
        let mut number = d_out.reserve_back(1);
        let mut reads = noc.read_into(&mut row);
        for m in 0..M {
            reads.page(&c, m, m);
        }
        reads.wait();
        noc.read_page(&d, 0, &mut number).wait();
    }
    for step in 0..steps {
        let mut matrix = a_out.reserve_back(N * M);
        let mut column = b_out.reserve_back(N);
        let mut a_reads = noc.read_into(&mut matrix);
        let mut b_reads = noc.read_into(&mut column);
        for i in 0..N * M {
            a_reads.page(&a, step * N * M + i, i);
        }
        for n in 0..N {
            b_reads.page(&b, step * N + n, n);
        }
        a_reads.wait();
        b_reads.wait();
    }
}

/// The sums of each block's rows leave at once; those of the columns go on from block to block in a buffer of f32 tiles.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // six tensors' buffers
pub fn norms<const N: u32, const M: u32>(
    _compute: Compute,
    a_in: CbIn<f32>,
    b_in: CbIn<f32>,
    c_in: CbIn<f32>,
    d_in: CbIn<f32>,
    sums_in: CbIn<f32>,
    sums_out: CbOut<f32>,
    y_out: CbOut<f32>,
    z_out: CbOut<f32>,
    #[ttl(common)] steps: u32,
) {
    let c = c_in.wait_front(M);
    let d = d_in.wait_front(1);
    let row = c.block(1, M).square().bcast_rows();
    let number = d.block(1, 1).square().bcast_scalar();
    for step in 0..steps {
        let matrix = a_in.wait_front(N * M);
        let column = b_in.wait_front(N);
        let a = matrix.block(N, M).square();
        let b = column.block(N, 1).square().bcast_cols();
        y_out.reserve_back(N).store((a + b + row + number).sqrt().sum_row());
        let z = (a - b - row - number).abs().sqrt().sum_col();
        if step == 0 {
            sums_out.reserve_back(M).store(z);
        } else {
            let before = sums_in.wait_front(M);
            sums_out.reserve_back(M).store(before.block(1, M) + z);
        }
    }
    z_out.reserve_back(M).store(sums_in.wait_front(M));
}

/// Writes `N` sums of rows for each step, and the `M` sums of columns at the end.
#[ttl::kernel(writer)]
pub fn write<const N: u32, const M: u32>(
    noc: Noc,
    y: TensorAccessor<f32>,
    z: TensorAccessor<f32>,
    y_in: CbIn<f32>,
    z_in: CbIn<f32>,
    #[ttl(common)] steps: u32,
) {
    for step in 0..steps {
        write_tiles(&noc, &y, &y_in, step * N, N);
    }
    write_tiles(&noc, &z, &z_in, 0, M);
}

/// `a`, `b`, `c`, `d`, `y`, `z`: column 0 of `b` and `y`, row 0 of `c` and `z`, and the first element of `d` count.
pub fn program<const N: u32, const M: u32>(
    core: Core,
    config: ComputeConfig,
    [a, b, c, d, y, z]: [&Tensor<f32>; 6],
) -> ttl::Result<Program> {
    let steps = a.tile_rows() / N;
    let sizes = [
        ("a", a, steps * N, M),
        ("b", b, steps * N, 1),
        ("c", c, 1, M),
        ("d", d, 1, 1),
        ("y", y, steps * N, 1),
        ("z", z, 1, M),
    ];
    for (name, tensor, rows, cols) in sizes {
        if (tensor.tile_rows(), tensor.tile_cols()) != (rows, cols) {
            return Err(ttl::Error::Other(format!(
                "`{name}` has {}x{} tiles, must have {rows}x{cols}",
                tensor.tile_rows(),
                tensor.tile_cols()
            )));
        }
    }
    let mut p = Program::new("norms");
    let (a_out, a_in) = p.circular_buffer::<f32>("a", core, 2 * N * M);
    let (b_out, b_in) = p.circular_buffer::<f32>("b", core, 2 * N);
    let (c_out, c_in) = p.circular_buffer::<f32>("c", core, M);
    let (d_out, d_in) = p.circular_buffer::<f32>("d", core, 1);
    let (sums_out, sums_in) = p.circular_buffer::<f32>("sums", core, 2 * M);
    let (y_out, y_in) = p.circular_buffer::<f32>("y", core, 2 * N);
    let (z_out, z_in) = p.circular_buffer::<f32>("z", core, M);
    let reader = read::<N, M> {
        a: a.accessor(),
        b: b.accessor(),
        c: c.accessor(),
        d: d.accessor(),
        a_out,
        b_out,
        c_out,
        d_out,
        steps,
    };
    p.kernel(core, reader);
    p.compute(core, config, norms::<N, M> { a_in, b_in, c_in, d_in, sums_in, sums_out, y_out, z_out, steps });
    p.kernel(core, write::<N, M> { y: y.accessor(), z: z.accessor(), y_in, z_in, steps });
    Ok(p)
}
