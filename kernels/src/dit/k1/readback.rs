//! Results where the kernels leave them, as matrices.

use crate::dit::arena::ArenaOp;
use crate::dit::consts::{M_ROWS, TILE};
use crate::dit::core_map::CoreMap;
use crate::dit::error::{MegakernelError, Result};
use crate::dit::matrix::Matrix;
use ttl::prelude::HostTensor;

const T: usize = TILE as usize;
const ROWS: usize = M_ROWS as usize;

/// The result of one operation, [64, N], from [64, 64] of every compute core, which lie in the order of shards. A core with one column of
/// tiles has rows 32 to 63 beside rows 0 to 31.
pub fn mm_out_to_matrix(mm_out: &HostTensor, map: &CoreMap, op: &ArenaOp) -> Result<Matrix> {
    let expected = vec![ROWS * map.n_compute() as usize, 2 * T];
    if mm_out.shape() != expected {
        return Err(MegakernelError::Shape { what: "mm_out".to_owned(), expected, got: mm_out.shape().to_vec() });
    }
    let all = Matrix::from_host(mm_out)?;
    let wide = op.n_tiles_per_core as usize;
    let mut out = Matrix::zeros(ROWS, op.n_tiles as usize * T);
    for (shard, c) in map.shard_order().into_iter().enumerate() {
        if !op.core_set.participates(map.banks(), c) {
            continue;
        }
        let (top, column) = (shard * ROWS, op.core_set.slot(c) as usize * wide * T);
        if wide == 2 {
            out.place(0, column, &all.part(top..top + ROWS, 0..2 * T));
        } else {
            out.place(0, column, &all.part(top..top + T, 0..T));
            out.place(T, column, &all.part(top..top + T, T..2 * T));
        }
    }
    Ok(out)
}

/// The first `n_tiles` column tiles of what a core's shard of a_rep holds in the order Single: tile (r, n) at page 2n + r.
pub fn hub_matrix(a_rep: &HostTensor, shard: u32, n_tiles: u32) -> Result<Matrix> {
    let (columns, rows) = (a_rep.shape().last().copied().unwrap_or(0), (shard + 1) as usize * ROWS);
    if a_rep.shape().len() != 2 || a_rep.shape()[0] < rows {
        return Err(MegakernelError::SingleShard { columns: columns as u32, got: a_rep.shape().to_vec() });
    }
    let wide = columns / T;
    if n_tiles as usize > wide {
        return Err(MegakernelError::ShardTiles { n_tiles, columns: columns as u32 });
    }
    let shard = Matrix::from_host(a_rep)?.part(rows - ROWS..rows, 0..columns);
    let mut out = Matrix::zeros(ROWS, n_tiles as usize * T);
    for n in 0..n_tiles as usize {
        for r in 0..2 {
            // Page p of a shard is its tile (p / wide, p % wide).
            let (y, x) = ((2 * n + r) / wide * T, (2 * n + r) % wide * T);
            out.place(r * T, n * T, &shard.part(y..y + T, x..x + T));
        }
    }
    Ok(out)
}
