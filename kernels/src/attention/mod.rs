//! Attention: `out = softmax(scale * q * k^T + mask) * v`, for each head of each batch entry, over many cores.
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::attention::{self, Attention, Mask};
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! // Two sentences of 20 words, 4 heads of 32 numbers; the second sentence has 12 words.
//! let x = HostTensor::normal([2, 20, 128], 0)?;
//! let [q, k, v] = [("q", &x), ("k", &x), ("v", &x)].map(|(name, x)| device.upload::<bf16>(name, x));
//! let (q, k, v) = (q?, k?, v?);
//! let lengths = [20, 12];
//! let mask = HostTensor::from_fn([2, 1, 20], |i| if i % 20 < lengths[i / 20] { 0.0 } else { -1e9 })?;
//! let mask = device.upload::<bf16>("mask", &mask)?;
//! let out = device.zeros::<bf16>("out", q.shape())?;
//!
//! let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
//! let attention = Attention { mask: Mask::Add(&mask), ..Attention::of_heads(4) };
//! let program = attention::program(&device.grid(), config, [&q, &k, &v, &out], &attention)?;
//! device.run(&program.validate(&device)?)?;
//! # Ok(())
//! # }
//! ```
//!
//! **Shapes.** `q` is `[batch, queries, heads * d]`, `k` is `[batch, keys, key heads * d]`, `v` is `[batch, keys, key heads * e]` and `out` is
//! `[batch, queries, heads * e]`, as linear layers leave and take them: a head is a range of columns. `d` and `e` are multiples of 32; the numbers of queries
//! and keys may be any. The batch may be any number of dimensions, or none. Fewer key heads than heads serve several heads each, in order.
//!
//! **Masks.** See [`Mask`]. What is added has the format of the other tensors and is finite: `-1e9` rather than `-inf`. A query all of whose keys have the same
//! low number gets their mean. The padding of tiles never counts.
//!
//! **Schedule.** A work item is a block of queries of one head; the cores share the items ([`split`]; with a causal mask, where late queries have more
//! keys, [`split_by_work`]: of 8 heads of 4096 queries the busiest of 110 cores has 27 blocks of keys, where as many items for each would be 47, and all cores have 20 on
//! average). For each, block after block of keys:
//!
//! 1. `s = scale * q * k^T + mask`, with the mask in the tile registers before the product;
//! 2. `m' = max(m, row maximum of s)` and, from the second block on, `shrink = e^(m - m')`, in one section;
//! 3. `p = e^(s - m')`;
//! 4. `l = shrink * l + row sum of p`, and after the last block `1 / l`;
//! 5. `o = shrink * o + p * v`, in one section; after the last block times `1 / l`, and out.
//!
//! The queries are scaled once. A block of keys that a causal mask leaves nothing of is neither read nor computed. Sequences can be of any length: a core
//! holds two blocks of keys and values, whatever their number.
//!
//! **Blocks** are of at most 4 tiles of queries and 8 of keys, as even as they go, smaller if L1 would be too small; [`Attention::blocks`] sets others. Tiles
//! that are missing to the last block are computed and masked: at most one less than there are blocks.
//!
//! **L1**, in tiles, for blocks of `r` tiles of queries and `c` of keys, with heads of `d` and `e` tiles: `2 r d + 2 c d + 2 c e + r c + 2 r e` of the tensors'
//! elements, and of what is kept between steps `r d + r c + 5 r + 2 r e`, f32 with 32-bit registers, else bf16. A mask takes 2 c + 1 or 2 r c of the tensors' elements;
//! an edge takes 3 of bf16, and there is one of ones.
//!
//! **Numerics.** The tensors are all bf16 or all f32. With `fp32_dest_acc` scores, maxima, sums and values are f32, and the matrix unit reads them with 11 bits
//! (tf32), as second operand of a product with 10: the others are cut off, of a number up to 2^-10, or 2^-9. It reads f32 tensors so, too: `q` and the mask with 11 bits,
//! `k` and `v` with 10. Weights are stored in the tensors' format (f32 ones are cut when they are read), and their sums are those of the weights that the values are
//! multiplied by. So a weight is off by what its score is, up to `3 * 2^-10` of the largest score, with f32 tensors `6 * 2^-10`, and by its own rounding; in the end
//! up to `3 * 2^-10` of the result are cut off, and bf16 rounds. f32 tensors thus have operands of 10 or 11 bits rather than 8, but not results as exact as f32: cuts all
//! go toward zero. With 16-bit registers everything is bf16 between the steps, and f32 tensors are cut to bf16: a weight is off by about `2^-8` of the largest score for
//! each of some roundings.

pub mod buffers;
pub mod compute;
pub mod movement;
mod scores;
pub mod shape;
mod sums;

use crate::exact::Exact;
use crate::pieces::even_size;
use crate::rows::{lowest, tile};
use crate::split::{Split, split, split_by_work};
use buffers::BuffersHost;
use compute::{attend, attend_with_edge, attend_with_mask, attend_with_row};
use movement::{MaskShape, read, read_with_mask, write, write_with_edge};
use shape::{Sections, Shape};
use ttl::prelude::*;

/// Which keys count for which queries.
#[derive(Clone, Copy, Debug, Default)]
pub enum Mask<'a, E: Element = bf16> {
    /// All.
    #[default]
    None,
    /// Those up to the query itself, the queries being the last of the keys: key `j` counts for query `i` if `j <= i + keys - queries`.
    Causal,
    /// This tensor is added to the scores: `[batch or 1, queries or 1, keys]`.
    Add(&'a Tensor<E>),
}

/// What is to be computed, beyond what the tensors' shapes say.
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a, E: Element = bf16> {
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values, a divisor of `heads`.
    pub key_heads: usize,
    /// `1 / sqrt(d)` if not given.
    pub scale: Option<f32>,
    /// Which keys count for which queries.
    pub mask: Mask<'a, E>,
    /// Tiles of a block of queries and of a block of keys, at most.
    pub blocks: Option<(u32, u32)>,
}

impl<E: Element> Attention<'_, E> {
    /// `heads` heads with keys of their own, without a mask.
    pub const fn of_heads(heads: usize) -> Attention<'static, E> {
        Attention { heads, key_heads: heads, scale: None, mask: Mask::None, blocks: None }
    }
}

fn wrong<T>(message: String) -> ttl::Result<T> {
    Err(ttl::Error::Other(message))
}

/// A tensor as `[batch, length, width]`.
fn sizes<E: Element>(name: &str, tensor: &Tensor<E>) -> ttl::Result<[usize; 3]> {
    match tensor.shape() {
        [batch @ .., length, width] if !tensor.shape().contains(&0) => Ok([batch.iter().product(), *length, *width]),
        shape => wrong(format!("`{name}` is {shape:?}; it must be [batch, sequence, width], and not empty")),
    }
}

/// The width of each of `heads` heads, in elements.
fn of_head(name: &str, width: usize, heads: usize) -> ttl::Result<usize> {
    if heads == 0 || !width.is_multiple_of(32 * heads) {
        return wrong(format!(
            "`{name}` is {width} wide, which is not {heads} heads of a multiple of 32; a head must begin with a tile"
        ));
    }
    Ok(width / heads)
}

/// What the shapes come to.
struct Job {
    shape: Shape,
    batch: u32,
    scale: f32,
    edge: Option<u32>,
    mask: Option<MaskShape>,
}

impl Job {
    fn new<E: Element>(
        config: &ComputeConfig,
        tensors: [&Tensor<E>; 4],
        attention: &Attention<'_, E>,
    ) -> ttl::Result<Job> {
        let [q, k, v, out] = tensors;
        let Attention { heads, key_heads, scale, mask, blocks } = *attention;
        let [batch, queries, q_width] = sizes("q", q)?;
        let [k_batch, keys, k_width] = sizes("k", k)?;
        if key_heads == 0 || !heads.is_multiple_of(key_heads) {
            return wrong(format!("{heads} heads cannot share {key_heads} heads of keys evenly"));
        }
        let depth = of_head("q", q_width, heads)?;
        if (k_batch, of_head("k", k_width, key_heads)?) != (batch, depth) {
            return wrong(format!(
                "`q` is {:?} with {heads} heads, `k` is {:?} with {key_heads}: batch and width of a head must be equal ({batch} and {k_batch}, {depth} and {})",
                q.shape(),
                k.shape(),
                k_width / key_heads
            ));
        }
        let [v_batch, v_keys, v_width] = sizes("v", v)?;
        if (v_batch, v_keys) != (batch, keys) {
            return wrong(format!("`v` is {:?}, `k` is {:?}: each key needs one value", v.shape(), k.shape()));
        }
        let width = of_head("v", v_width, key_heads)?;
        let wanted = [batch, queries, heads * width];
        if sizes("out", out)? != wanted {
            return wrong(format!("`out` is {:?}, must be {wanted:?}: {heads} heads of {width}", out.shape()));
        }
        let tiles = |n: usize| n.div_ceil(32) as u32;
        let mut job = Job {
            shape: Shape {
                queries: tiles(queries),
                keys: tiles(keys),
                heads: heads as u32,
                group: (heads / key_heads) as u32,
                depth: tiles(depth),
                width: tiles(width),
                rows: 0,
                cols: 0,
                edge: (keys / 32) as u32,
                slope: 0,
                reach: 1,
                sections: Sections::of(1, 1, 1, 1, 1),
            },
            batch: batch as u32,
            scale: scale.unwrap_or(1.0 / (depth as f32).sqrt()),
            edge: None,
            mask: None,
        };
        match mask {
            Mask::None => {}
            Mask::Causal if keys < queries => {
                return wrong(format!(
                    "a causal mask with {queries} queries and {keys} keys: the queries are the last of the keys, so there must be at least as many keys"
                ));
            }
            Mask::Causal => {
                let before = keys - queries;
                let part = (before % 32) as u32;
                job.shape.edge = (before / 32) as u32;
                job.shape.slope = 1;
                job.shape.reach = if part > 0 { 2 } else { 1 };
                job.edge = Some(part + 1);
            }
            Mask::Add(mask) => job.mask = Some(job.mask_shape(mask, [batch, queries, keys])?),
        }
        job.cut::<E>(config, blocks);
        let padded = !keys.is_multiple_of(32) || !job.shape.keys.is_multiple_of(job.shape.cols);
        if job.edge.is_none() && job.mask.is_none() && padded {
            job.edge = Some((keys % 32) as u32);
        }
        Ok(job)
    }

    fn mask_shape<E: Element>(&self, mask: &Tensor<E>, [batch, queries, keys]: [usize; 3]) -> ttl::Result<MaskShape> {
        let [of_batch, of_queries, of_keys] = sizes("mask", mask)?;
        let fits = |of: usize, all: usize| of == all || of == 1;
        if !fits(of_batch, batch) || !fits(of_queries, queries) || of_keys != keys {
            return wrong(format!(
                "the mask is {:?}, must be [{batch} or 1, {queries} or 1, {keys}]: batch, queries, keys",
                mask.shape()
            ));
        }
        let rows = if of_queries == 1 { 1 } else { self.shape.queries };
        let last = (keys - 1) % 32 + 1;
        Ok(MaskShape {
            pitch: if of_batch == 1 { 0 } else { rows },
            rows,
            full: of_queries > 1,
            last: last as u32,
            lowest: lowest(E::FORMAT),
        })
    }

    /// Bytes of L1 that the buffers take.
    fn bytes<E: Element, T: Element>(&self, rows: u32, cols: u32) -> u64 {
        let Shape { depth, width, .. } = self.shape;
        let elements = 2 * rows * depth + 2 * cols * (depth + width) + rows * cols + 2 * rows * width;
        let kept = rows * depth + rows * cols + 5 * rows + 2 * rows * width;
        // A mask, and the zeros that its one row is added to; else the three tiles of an edge. There is one of ones.
        let (mask, own): (u32, u32) = match self.mask {
            Some(m) if m.full => (2 * cols * rows, 1),
            Some(_) => (2 * cols + 1, 1),
            None => (0, 3 + 1),
        };
        u64::from(elements + mask) * tile::<E>() + u64::from(kept) * tile::<T>() + u64::from(own) * tile::<bf16>()
    }

    /// Items for cores. With a causal mask late queries have more blocks of keys.
    fn split(&self, grid: &CoreSet) -> Split {
        let (items, blocks) = (self.batch * self.shape.heads * self.shape.query_blocks(), self.shape.query_blocks());
        if self.shape.slope == 0 {
            return split(items, grid);
        }
        split_by_work(items, grid, |item| self.shape.key_blocks(item % blocks))
    }

    /// Chooses the blocks.
    fn cut<E: Element>(&mut self, config: &ComputeConfig, blocks: Option<(u32, u32)>) {
        /// What the smaller of the chips has for programs, less what others may need.
        const MOST: u64 = 1_200_000;
        let (mut rows, mut cols) = blocks.unwrap_or((4, 8));
        (rows, cols) = (even_size(self.shape.queries, rows), even_size(self.shape.keys, cols));
        if blocks.is_none() {
            let bytes = if config.fp32_dest_acc { Self::bytes::<E, f32> } else { Self::bytes::<E, bf16> };
            while bytes(self, rows, cols) > MOST && (rows, cols) != (1, 1) {
                (rows, cols) = if rows >= cols { (rows - 1, cols) } else { (rows, cols - 1) };
            }
        }
        let Shape { depth, width, .. } = self.shape;
        (self.shape.rows, self.shape.cols) = (rows, cols);
        self.shape.sections = Sections::of(rows, cols, depth, width, config.dst_tiles());
    }
}

/// Attention over the cores of `grid`: `[q, k, v, out]`. See the [module](self) for shapes, masks and numerics.
pub fn program<E: Exact>(
    grid: &CoreSet,
    config: ComputeConfig,
    tensors: [&Tensor<E>; 4],
    attention: &Attention<'_, E>,
) -> ttl::Result<Program> {
    let job = Job::new(&config, tensors, attention)?;
    if config.fp32_dest_acc {
        Ok(build::<E, f32>(grid, config, tensors, attention, &job))
    } else {
        Ok(build::<E, bf16>(grid, config, tensors, attention, &job))
    }
}

fn build<E: Element, T: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    [q, k, v, out]: [&Tensor<E>; 4],
    attention: &Attention<'_, E>,
    job: &Job,
) -> Program {
    let (shape, scale) = (job.shape, job.scale);
    let Shape { rows, cols, depth, width, .. } = shape;
    let split = job.split(grid);
    let cores = &split.cores;
    let (first, count) = (|| split.first(), || split.count());
    let mut p = Program::new("attention");
    let (q_out, q_in) = p.circular_buffer::<E>("q", cores, 2 * rows * depth);
    let (k_out, k_in) = p.circular_buffer::<E>("k", cores, 2 * cols * depth);
    let (v_out, v_in) = p.circular_buffer::<E>("v", cores, 2 * cols * width);
    let (out_out, out_in) = p.circular_buffer::<E>("out", cores, 2 * rows * width);
    let (ones_out, ones_in) = p.circular_buffer::<bf16>("ones", cores, 1);
    let (scaled_out, scaled_in) = p.circular_buffer::<T>("scaled", cores, rows * depth);
    let (scores_out, scores_in) = p.circular_buffer::<T>("scores", cores, rows * cols);
    let (weights_out, weights_in) = p.circular_buffer::<E>("weights", cores, rows * cols);
    let (max_out, max_in) = p.circular_buffer::<T>("max", cores, 2 * rows);
    let (shrink_out, shrink_in) = p.circular_buffer::<T>("shrink", cores, rows);
    let (sum_out, sum_in) = p.circular_buffer::<T>("sum", cores, 2 * rows);
    let (acc_out, acc_in) = p.circular_buffer::<T>("acc", cores, 2 * rows * width);
    let b = BuffersHost {
        q: q_in,
        k: k_in,
        v: v_in,
        out: out_out,
        ones_out,
        ones_in,
        scaled_out,
        scaled_in,
        scores_out,
        scores_in,
        weights_out,
        weights_in,
        max_out,
        max_in,
        shrink_out,
        shrink_in,
        sum_out,
        sum_in,
        acc_out,
        acc_in,
    };
    let (q, k, v, out) = (q.accessor(), k.accessor(), v.accessor(), out.accessor());
    if let (Some(mask_shape), Mask::Add(mask)) = (job.mask, attention.mask) {
        let tiles = if mask_shape.full { rows * cols } else { cols };
        let (mask_out, mask_in) = p.circular_buffer::<E>("mask", cores, 2 * tiles);
        let reader = read_with_mask::<E> {
            q,
            k,
            v,
            mask: mask.accessor(),
            q_out,
            k_out,
            v_out,
            mask_out,
            shape,
            mask_shape,
            first: first(),
            count: count(),
        };
        p.kernel(cores, reader);
        let mask = mask_in;
        if mask_shape.full {
            p.compute(
                cores,
                config,
                attend_with_mask::<E, T> { b, mask, shape, scale, first: first(), count: count() },
            );
        } else {
            let (zeros_out, zeros_in) = p.circular_buffer::<E>("zeros", cores, 1);
            let kernel =
                attend_with_row::<E, T> { b, mask, zeros_out, zeros_in, shape, scale, first: first(), count: count() };
            p.compute(cores, config, kernel);
        }
        p.kernel(cores, write::<E> { out, out_in, shape, first: first(), count: count() });
        return p;
    }
    p.kernel(cores, read::<E> { q, k, v, q_out, k_out, v_out, shape, first: first(), count: count() });
    if let Some(whole) = job.edge {
        let (mask_out, mask) = p.circular_buffer::<bf16>("mask", cores, 3);
        p.compute(cores, config, attend_with_edge::<E, T> { b, mask, shape, scale, first: first(), count: count() });
        p.kernel(cores, write_with_edge::<E> { out, out_in, mask_out, shape, whole, first: first(), count: count() });
    } else {
        p.compute(cores, config, attend::<E, T> { b, shape, scale, first: first(), count: count() });
        p.kernel(cores, write::<E> { out, out_in, shape, first: first(), count: count() });
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 heads of 4096 queries on all cores of a Blackhole: blocks of keys of the busiest core, and of one on average.
    #[test]
    fn causal_work_is_divided_by_blocks_of_keys() {
        let mut device = Device::open().expect("a device");
        let x = device.zeros::<bf16>("x", &[4096, 512]).expect("a tensor");
        let config = ComputeConfig::default();
        let causal = Attention { mask: Mask::Causal, ..Attention::of_heads(8) };
        let job = Job::new(&config, [&x; 4], &causal).expect("the shapes fit");
        let grid = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(10, 9)));
        let blocks = job.shape.query_blocks();
        let items = blocks * 8;
        let busiest = |split: &Split| {
            let of = |core| {
                let share = split.share(core);
                (share.first..share.first + share.count).map(|i| job.shape.key_blocks(i % blocks)).sum::<u32>()
            };
            split.cores.iter().map(of).max()
        };
        let all: u32 = (0..items).map(|i| job.shape.key_blocks(i % blocks)).sum();
        assert_eq!((all, all.div_ceil(110)), (2176, 20));
        assert_eq!(busiest(&split(items, &grid)), Some(47));
        assert_eq!(busiest(&job.split(&grid)), Some(27));
    }
}
