//! c = a * b, where every tile of a and b is read from DRAM once. Cores of a row need the same blocks of a, cores of a column the same blocks
//! of b: the first core of each row reads those of a and multicasts them along the row, the first core of each column reads those of b and
//! multicasts them down the column.
//!
//! A bias of one row is multicast like b, and added before relu.
//!
//! Readers move a over NoC 0; writers move b and the result over NoC 1, so that the two multicasts do not share a network.

use crate::matmul::{multiply, multiply_large};
use ttl::prelude::*;

/// The part of the result that each core computes, in blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Cores that take part.
    pub cores: CoreRange,
    /// Result blocks of a core along rows and columns, the same for all of them.
    pub rows: u32,
    pub columns: u32,
    pub steps: u32,
}

/// Reads one block of a: `M` rows from `row` on, the `K` columns of step `step`.
#[ttl::device]
fn read_a<const M: u32, const K: u32>(
    noc: Noc,
    a: &TensorAccessor<bf16>,
    block: &mut Reserved<bf16>,
    row: u32,
    step: u32,
    steps: u32,
) {
    let mut reads = noc.read_into(block);
    for m in 0..M {
        for k in 0..K {
            reads.page(a, (row + m) * (steps * K) + step * K + k, m * K + k);
        }
    }
    reads.wait();
}

/// Reads one block of b: the `K` rows of step `step`, `N` columns from `column` on of `width`.
#[ttl::device]
fn read_b<const N: u32, const K: u32>(
    noc: Noc,
    b: &TensorAccessor<bf16>,
    block: &mut Reserved<bf16>,
    step: u32,
    column: u32,
    width: u32,
) {
    let mut reads = noc.read_into(block);
    for k in 0..K {
        for n in 0..N {
            reads.page(b, (step * K + k) * width + column + n, k * N + n);
        }
    }
    reads.wait();
}

/// Writes one result block, which comes as sub-blocks of `SM` x `SN` tiles.
#[ttl::device]
fn write_c<const M: u32, const N: u32, const SM: u32, const SN: u32>(
    noc: Noc,
    c: &TensorAccessor<bf16>,
    c_in: &CbIn<bf16>,
    row: u32,
    column: u32,
    width: u32,
) {
    for m in (row..row + M).step_by(SM as usize) {
        for n in (column..column + N).step_by(SN as usize) {
            let part = c_in.wait_front(SM * SN);
            let mut writes = noc.write_from(&part);
            for i in 0..SM {
                for j in 0..SN {
                    writes.page(c, (m + i) * width + n + j, i * SN + j);
                }
            }
            writes.flushed();
        }
    }
}

/// First core of a row: reads a and sends it along, if the row has other cores.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // a tensor, its buffer and pipe, and geometry
pub fn send_a<const M: u32, const K: u32>(
    noc: Noc,
    a: TensorAccessor<bf16>,
    a_out: CbOut<bf16>,
    along: PipeTx,
    first_row: u32,
    #[ttl(common)] rows: u32,
    #[ttl(common)] columns: u32,
    #[ttl(common)] steps: u32,
) {
    for row in 0..rows {
        for _ in 0..columns {
            for step in 0..steps {
                let mut block = a_out.reserve_back(M * K);
                read_a::<M, K>(noc, &a, &mut block, first_row + row * M, step, steps);
                if along.receivers() > 0 {
                    along.send(noc, &block);
                }
            }
        }
    }
}

/// The other cores of a row.
#[ttl::kernel(reader)]
pub fn receive_a<const M: u32, const K: u32>(noc: Noc, a_out: CbOut<bf16>, along: PipeRx, #[ttl(common)] blocks: u32) {
    for _ in 0..blocks {
        let mut block = a_out.reserve_back(M * K);
        along.receive(noc, &mut block);
    }
}

/// Reads the blocks of b for one result block and sends them down, if the column has other cores.
#[ttl::device]
fn send_column<const N: u32, const K: u32>(
    noc: Noc,
    b: &TensorAccessor<bf16>,
    b_out: &CbOut<bf16>,
    down: &PipeTx,
    column: u32,
    width: u32,
    steps: u32,
) {
    for step in 0..steps {
        let mut block = b_out.reserve_back(K * N);
        read_b::<N, K>(noc, b, &mut block, step, column, width);
        if down.receivers() > 0 {
            down.send(noc, &block);
        }
    }
}

#[ttl::device]
fn receive_column<const N: u32, const K: u32>(noc: Noc, b_out: &CbOut<bf16>, down: &PipeRx, steps: u32) {
    for _ in 0..steps {
        let mut block = b_out.reserve_back(K * N);
        down.receive(noc, &mut block);
    }
}

/// First core of a column: reads b and sends it down; writes the result.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers, a pipe and geometry
pub fn send_b<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    noc: Noc,
    b: TensorAccessor<bf16>,
    b_out: CbOut<bf16>,
    down: PipeTx,
    c: TensorAccessor<bf16>,
    c_in: CbIn<bf16>,
    first_row: u32,
    first_column: u32,
    #[ttl(common)] width: u32,
    #[ttl(common)] rows: u32,
    #[ttl(common)] columns: u32,
    #[ttl(common)] steps: u32,
) {
    for row in 0..rows {
        for column in 0..columns {
            send_column::<N, K>(noc, &b, &b_out, &down, first_column + column * N, width, steps);
            write_c::<M, N, SM, SN>(noc, &c, &c_in, first_row + row * M, first_column + column * N, width);
        }
    }
}

/// The other cores of a column.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // a pipe, a tensor, its buffer and geometry
pub fn receive_b<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    noc: Noc,
    b_out: CbOut<bf16>,
    down: PipeRx,
    c: TensorAccessor<bf16>,
    c_in: CbIn<bf16>,
    first_row: u32,
    first_column: u32,
    #[ttl(common)] width: u32,
    #[ttl(common)] rows: u32,
    #[ttl(common)] columns: u32,
    #[ttl(common)] steps: u32,
) {
    for row in 0..rows {
        for column in 0..columns {
            receive_column::<N, K>(noc, &b_out, &down, steps);
            write_c::<M, N, SM, SN>(noc, &c, &c_in, first_row + row * M, first_column + column * N, width);
        }
    }
}

/// Reads the part of the bias for one result block and sends it down, if the column has other cores.
#[ttl::device]
fn send_bias<const N: u32>(noc: Noc, bias: &TensorAccessor<bf16>, bias_out: &CbOut<bf16>, down: &PipeTx, column: u32) {
    let mut row = bias_out.reserve_back(N);
    let mut reads = noc.read_into(&mut row);
    for n in 0..N {
        reads.page(bias, column + n, n);
    }
    reads.wait();
    if down.receivers() > 0 {
        down.send(noc, &row);
    }
}

/// As [`send_b`](fn@send_b), with the bias before the blocks of b.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // three tensors, their buffers, two pipes and geometry
pub fn send_b_and_bias<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    noc: Noc,
    b: TensorAccessor<bf16>,
    b_out: CbOut<bf16>,
    down: PipeTx,
    bias: TensorAccessor<bf16>,
    bias_out: CbOut<bf16>,
    bias_down: PipeTx,
    c: TensorAccessor<bf16>,
    c_in: CbIn<bf16>,
    first_row: u32,
    first_column: u32,
    #[ttl(common)] width: u32,
    #[ttl(common)] rows: u32,
    #[ttl(common)] columns: u32,
    #[ttl(common)] steps: u32,
) {
    for row in 0..rows {
        for column in 0..columns {
            send_bias::<N>(noc, &bias, &bias_out, &bias_down, first_column + column * N);
            send_column::<N, K>(noc, &b, &b_out, &down, first_column + column * N, width, steps);
            write_c::<M, N, SM, SN>(noc, &c, &c_in, first_row + row * M, first_column + column * N, width);
        }
    }
}

/// As [`receive_b`](fn@receive_b), with the bias before the blocks of b.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // two pipes, a tensor, its buffer and geometry
pub fn receive_b_and_bias<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    noc: Noc,
    b_out: CbOut<bf16>,
    down: PipeRx,
    bias_out: CbOut<bf16>,
    bias_down: PipeRx,
    c: TensorAccessor<bf16>,
    c_in: CbIn<bf16>,
    first_row: u32,
    first_column: u32,
    #[ttl(common)] width: u32,
    #[ttl(common)] rows: u32,
    #[ttl(common)] columns: u32,
    #[ttl(common)] steps: u32,
) {
    for row in 0..rows {
        for column in 0..columns {
            {
                let mut row = bias_out.reserve_back(N);
                bias_down.receive(noc, &mut row);
            }
            receive_column::<N, K>(noc, &b_out, &down, steps);
            write_c::<M, N, SM, SN>(noc, &c, &c_in, first_row + row * M, first_column + column * N, width);
        }
    }
}

/// Result blocks that fit the tile registers; bias and relu follow when all products are there.
#[ttl::kernel(compute)]
pub fn multiply_add_relu<const M: u32, const N: u32, const K: u32>(
    compute: Compute,
    a: CbIn<bf16>,
    b: CbIn<bf16>,
    bias: CbIn<bf16>,
    c: CbOut<bf16>,
    #[ttl(common)] steps: u32,
    count: u32,
) {
    for _ in 0..count {
        let mut acc = compute.zeros(M, N);
        for _ in 0..steps {
            let a = a.wait_front(M * K);
            let b = b.wait_front(K * N);
            acc += a.block(M, K).matmul(b.block(K, N));
        }
        let bias = bias.wait_front(N);
        c.reserve_back(M * N).store((acc + bias.block(1, N).bcast_rows()).relu());
    }
}

/// Divides a result of `rows` x `columns` blocks among the cores of `grid`: as many rows and columns of cores as divide it evenly, since cores
/// that share a pipe take the same number of blocks.
pub fn divide(rows: u32, columns: u32, steps: u32, grid: CoreRange) -> Shape {
    let most = |blocks: u32, cores: u32| (1..=cores.max(1)).rev().find(|n| blocks.is_multiple_of(*n)).unwrap_or(1);
    let (width, height) = (most(columns, grid.width()), most(rows, grid.height()));
    let first = grid.first();
    let cores = CoreRange::new(first, Core::new(first.x + width - 1, first.y + height - 1));
    Shape { cores, rows: rows / height, columns: columns / width, steps }
}

/// The buffers and kernels of a program, and the ends of its buffers that a compute kernel takes.
struct Parts {
    program: Program,
    shape: Shape,
    a: Consumer<bf16>,
    b: Consumer<bf16>,
    c: Producer<bf16>,
}

/// Everything but the computation.
fn parts<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    name: &str,
    grid: CoreRange,
    [a, b, c]: [&Tensor<bf16>; 3],
    bias: Option<&Tensor<bf16>>,
) -> ttl::Result<(Parts, Option<Consumer<bf16>>)> {
    let sizes = [("M", c.tile_rows(), M), ("N", c.tile_cols(), N), ("K", a.tile_cols(), K)];
    for (name, tiles, block) in sizes {
        if !tiles.is_multiple_of(block) {
            return Err(ttl::Error::Other(format!(
                "{name} has {tiles} tiles, which blocks of {block} do not divide; choose another block size or pad the matrices"
            )));
        }
    }
    let width = c.tile_cols();
    let shape = divide(c.tile_rows() / M, width / N, a.tile_cols() / K, grid);
    let Shape { cores, rows, columns, steps } = shape;
    let corner = cores.first();
    let first_row = per_core(move |core: Core| (core.y - corner.y) * rows * M);
    let first_column = per_core(move |core: Core| (core.x - corner.x) * columns * N);
    let mut p = Program::new(name);
    let (a_out, a_in) = p.circular_buffer::<bf16>("a", cores, 2 * M * K);
    let (b_out, b_in) = p.circular_buffer::<bf16>("b", cores, 2 * K * N);
    let (c_out, c_in) = p.circular_buffer::<bf16>("c", cores, 2 * M * N);

    let along = p.pipe("along", Route::along_rows(cores));
    let (a, tx, out) = (a.accessor(), along.tx(), a_out.clone());
    let kernel = send_a::<M, K> { a, a_out: out, along: tx, first_row: first_row.clone(), rows, columns, steps };
    p.kernel(along.senders(), kernel);
    if !along.receivers().is_empty() {
        p.kernel(along.receivers(), receive_a::<M, K> { a_out, along: along.rx(), blocks: rows * columns * steps });
    }

    let down = p.pipe("down", Route::down_columns(cores));
    let (senders, receivers) = (down.senders(), down.receivers());
    let (b, c) = (b.accessor(), c.accessor());
    let Some(bias) = bias else {
        let (first_row, first_column) = (first_row, first_column);
        p.kernel(
            senders,
            send_b::<M, N, K, SM, SN> {
                b,
                b_out: b_out.clone(),
                down: down.tx(),
                c: c.clone(),
                c_in: c_in.clone(),
                first_row: first_row.clone(),
                first_column: first_column.clone(),
                width,
                rows,
                columns,
                steps,
            },
        );
        if !receivers.is_empty() {
            let down = down.rx();
            let kernel = receive_b::<M, N, K, SM, SN> {
                b_out,
                down,
                c,
                c_in,
                first_row,
                first_column,
                width,
                rows,
                columns,
                steps,
            };
            p.kernel(receivers, kernel);
        }
        return Ok((Parts { program: p, shape, a: a_in, b: b_in, c: c_out }, None));
    };

    let (bias_out, bias_in) = p.circular_buffer::<bf16>("bias", cores, 2 * N);
    let bias_down = p.pipe("bias down", Route::down_columns(cores));
    p.kernel(
        senders,
        send_b_and_bias::<M, N, K, SM, SN> {
            b,
            b_out: b_out.clone(),
            down: down.tx(),
            bias: bias.accessor(),
            bias_out: bias_out.clone(),
            bias_down: bias_down.tx(),
            c: c.clone(),
            c_in: c_in.clone(),
            first_row: first_row.clone(),
            first_column: first_column.clone(),
            width,
            rows,
            columns,
            steps,
        },
    );
    if !receivers.is_empty() {
        let kernel = receive_b_and_bias::<M, N, K, SM, SN> {
            b_out,
            down: down.rx(),
            bias_out,
            bias_down: bias_down.rx(),
            c,
            c_in,
            first_row,
            first_column,
            width,
            rows,
            columns,
            steps,
        };
        p.kernel(receivers, kernel);
    }
    Ok((Parts { program: p, shape, a: a_in, b: b_in, c: c_out }, Some(bias_in)))
}

/// `c = a * b` over the cores of `grid`, in blocks of `M` x `N` tiles of the result and steps of `K` tiles, which must divide the sizes. Blocks
/// that do not fit the tile registers are computed in sub-blocks of `SM` x `SN` tiles.
pub fn program<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    grid: CoreRange,
    config: ComputeConfig,
    a: &Tensor<bf16>,
    b: &Tensor<bf16>,
    c: &Tensor<bf16>,
) -> ttl::Result<Program> {
    let (parts, _) = parts::<M, N, K, SM, SN>("matmul_mcast", grid, [a, b, c], None)?;
    let Parts { program: mut p, shape, a, b, c } = parts;
    let Shape { cores, rows, columns, steps } = shape;
    let count = (rows * columns).into();
    if (M, N) == (SM, SN) {
        p.compute(cores, config, multiply::<M, N, K> { a, b, c, steps, count });
    } else {
        let (partials_out, partials_in) = p.circular_buffer::<f32>("partials", cores, M * N);
        // Partial sums come back into the registers at full precision.
        let full = [&partials_in.clone()];
        let kernel = multiply_large::<M, N, K, SM, SN> { a, b, partials_in, partials_out, c, steps, count };
        p.compute_with_full_precision(cores, config, &full, kernel);
    }
    Ok(p)
}

/// `c = relu(a * b + bias)` with a bias of one row, as [`program`]. Result blocks fit the tile registers: 4 tiles with 32-bit registers, else 8. The first
/// core of each column reads its part of the bias and multicasts it down with b.
pub fn program_with_bias_and_relu<const M: u32, const N: u32, const K: u32>(
    grid: CoreRange,
    config: ComputeConfig,
    [a, b, bias, c]: [&Tensor<bf16>; 4],
) -> ttl::Result<Program> {
    if (bias.tile_rows(), bias.tile_cols()) != (1, c.tile_cols()) {
        return Err(ttl::Error::Other(format!(
            "the bias has {} x {} tiles, must be a row of {}, as wide as the result",
            bias.tile_rows(),
            bias.tile_cols(),
            c.tile_cols()
        )));
    }
    let (parts, bias) = parts::<M, N, K, M, N>("matmul_mcast_bias_relu", grid, [a, b, c], Some(bias))?;
    let (Parts { program: mut p, shape, a, b, c }, Some(bias)) = (parts, bias) else {
        return Err(ttl::Error::Other("a bias without a buffer".into()));
    };
    let Shape { cores, rows, columns, steps } = shape;
    let count = (rows * columns).into();
    p.compute(cores, config, multiply_add_relu::<M, N, K> { a, b, bias, c, steps, count });
    Ok(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_core_has_the_same_share() {
        let grid = CoreRange::new(Core::new(1, 2), Core::new(11, 11));
        for (rows, columns) in [(1, 1), (8, 8), (10, 11), (7, 13), (64, 22)] {
            let shape = divide(rows, columns, 3, grid);
            assert_eq!(shape.cores.first(), grid.first());
            assert_eq!(shape.rows * shape.cores.height(), rows);
            assert_eq!(shape.columns * shape.cores.width(), columns);
            assert!(shape.cores.width() <= grid.width() && shape.cores.height() <= grid.height());
        }
        assert_eq!(divide(20, 22, 1, grid).cores, grid);
    }
}
