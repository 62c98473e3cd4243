//! c = a * b, a matrix product over many cores. Each core computes blocks of `M` x `N` tiles of the result, in steps of `K` tiles.

use crate::split::split;
use ttl::prelude::*;

/// Reads the blocks of both operands for each result block and each step.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers and geometry
pub fn read<const M: u32, const N: u32, const K: u32>(
    noc: Noc,
    a: TensorAccessor<bf16>,
    b: TensorAccessor<bf16>,
    a_out: CbOut<bf16>,
    b_out: CbOut<bf16>,
    #[ttl(common)] columns: u32,
    #[ttl(common)] steps: u32,
    first: u32,
    count: u32,
) {
    for block in first..first + count {
        let row = block / columns * M;
        let column = block % columns * N;
        for step in 0..steps {
            let mut a_block = a_out.reserve_back(M * K);
            let mut b_block = b_out.reserve_back(K * N);
            let mut a_reads = noc.read_into(&mut a_block);
            let mut b_reads = noc.read_into(&mut b_block);
            for m in 0..M {
                for k in 0..K {
                    a_reads.page(&a, (row + m) * (steps * K) + step * K + k, m * K + k);
                }
            }
            for k in 0..K {
                for n in 0..N {
                    b_reads.page(&b, (step * K + k) * (columns * N) + column + n, k * N + n);
                }
            }
            a_reads.wait();
            b_reads.wait();
        }
    }
}

/// Result blocks that fit the tile registers: they stay there over all steps.
#[ttl::kernel(compute)]
pub fn multiply<const M: u32, const N: u32, const K: u32>(
    compute: Compute,
    a: CbIn<bf16>,
    b: CbIn<bf16>,
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
        c.reserve_back(M * N).store(acc);
    }
}

/// Adds the product of two blocks to the `SM` x `SN` registers of one sub-block, whose first tile is row `m`, column `n` of the result block.
#[ttl::device]
fn multiply_part<const N: u32, const K: u32, const SM: u32, const SN: u32>(
    regs: &mut TileRegs,
    a: &Front<bf16>,
    b: &Front<bf16>,
    m: u32,
    n: u32,
) {
    for k in 0..K {
        regs.matmul_block(a, b, m * K + k, k * N + n, 0, SN, SM, K);
    }
}

/// Result blocks larger than the tile registers: sub-blocks of `SM` x `SN` tiles, with partial sums in f32 between the steps. `SM` divides
/// `M`, `SN` divides `N`. The result leaves sub-block after sub-block.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // both ends of the partial sums
pub fn multiply_large<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    compute: Compute,
    a: CbIn<bf16>,
    b: CbIn<bf16>,
    partials_in: CbIn<f32>,
    partials_out: CbOut<f32>,
    c: CbOut<bf16>,
    #[ttl(common)] steps: u32,
    count: u32,
) {
    for _ in 0..count {
        for step in 0..steps {
            let a = a.wait_front(M * K);
            let b = b.wait_front(K * N);
            for m in (0..M).step_by(SM as usize) {
                for n in (0..N).step_by(SN as usize) {
                    let mut regs = compute.acquire();
                    if step > 0 {
                        let before = partials_in.wait_front(SM * SN);
                        for i in 0..SM * SN {
                            regs.copy_tile(&before, i, i);
                        }
                    }
                    multiply_part::<N, K, SM, SN>(&mut regs, &a, &b, m, n);
                    if step < steps - 1 {
                        let mut sums = partials_out.reserve_back(SM * SN);
                        let mut done = regs.commit();
                        for i in 0..SM * SN {
                            done.pack_tile(i, &mut sums);
                        }
                    } else {
                        let mut part = c.reserve_back(SM * SN);
                        let mut done = regs.commit();
                        for i in 0..SM * SN {
                            done.pack_tile(i, &mut part);
                        }
                    }
                }
            }
        }
    }
}

/// Writes the result blocks, which come as sub-blocks of `SM` x `SN` tiles.
#[ttl::kernel(writer)]
pub fn write<const M: u32, const N: u32, const SM: u32, const SN: u32>(
    noc: Noc,
    c: TensorAccessor<bf16>,
    c_in: CbIn<bf16>,
    #[ttl(common)] columns: u32,
    first: u32,
    count: u32,
) {
    for block in first..first + count {
        for m in (block / columns * M..block / columns * M + M).step_by(SM as usize) {
            for n in (block % columns * N..block % columns * N + N).step_by(SN as usize) {
                let part = c_in.wait_front(SM * SN);
                let mut writes = noc.write_from(&part);
                for i in 0..SM {
                    for j in 0..SN {
                        writes.page(&c, (m + i) * (columns * N) + n + j, i * SN + j);
                    }
                }
                writes.flushed();
            }
        }
    }
}

/// `c = a * b` over the cores of `grid`, in blocks of `M` x `N` tiles of the result and steps of `K` tiles, which must divide the sizes. Blocks
/// that do not fit the tile registers are computed in sub-blocks of `SM` x `SN` tiles.
pub fn program<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    grid: &CoreSet,
    config: ComputeConfig,
    a: &Tensor<bf16>,
    b: &Tensor<bf16>,
    c: &Tensor<bf16>,
) -> ttl::Result<Program> {
    let sizes = [("M", c.tile_rows(), M), ("N", c.tile_cols(), N), ("K", a.tile_cols(), K)];
    for (name, tiles, block) in sizes {
        if !tiles.is_multiple_of(block) {
            return Err(ttl::Error::Other(format!(
                "{name} has {tiles} tiles, which blocks of {block} do not divide; choose another block size or pad the matrices"
            )));
        }
    }
    let (rows, columns) = (c.tile_rows() / M, c.tile_cols() / N);
    let steps = a.tile_cols() / K;
    let split = split(rows * columns, grid);
    let cores = &split.cores;
    let mut p = Program::new("matmul");
    let (a_out, a_in) = p.circular_buffer::<bf16>("a", cores, 2 * M * K);
    let (b_out, b_in) = p.circular_buffer::<bf16>("b", cores, 2 * K * N);
    let (c_out, c_in) = p.circular_buffer::<bf16>("c", cores, 2 * M * N);
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
    p.kernel(
        cores,
        read::<M, N, K> {
            a: a.accessor(),
            b: b.accessor(),
            a_out,
            b_out,
            columns,
            steps,
            first: first(),
            count: count(),
        },
    );
    if (M, N) == (SM, SN) {
        let kernel = multiply::<M, N, K> { a: a_in, b: b_in, c: c_out, steps, count: count() };
        p.compute(cores, config, kernel);
    } else {
        let (partials_out, partials_in) = p.circular_buffer::<f32>("partials", cores, M * N);
        // Partial sums come back into the registers at full precision.
        let full = [&partials_in.clone()];
        let kernel = multiply_large::<M, N, K, SM, SN> {
            a: a_in,
            b: b_in,
            partials_in,
            partials_out,
            c: c_out,
            steps,
            count: count(),
        };
        p.compute_with_full_precision(cores, config, &full, kernel);
    }
    p.kernel(cores, write::<M, N, SM, SN> { c: c.accessor(), c_in, columns, first: first(), count: count() });
    Ok(p)
}

/// The shape of `a * b`, or why there is none.
pub fn result_shape(a: &Tensor<bf16>, b: &Tensor<bf16>) -> ttl::Result<Vec<usize>> {
    match (a.shape(), b.shape()) {
        (&[m, k], &[rows, n]) if k == rows => Ok(vec![m, n]),
        (a, b) => Err(ttl::Error::Other(format!(
            "matrices of shapes {a:?} and {b:?} cannot be multiplied: the columns of the first must be the rows of the second"
        ))),
    }
}
