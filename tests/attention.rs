//! `ttl_kernels::attention`: on both engines the same bytes, and beside a reference in f64, over shapes that fill their tiles and shapes that do not.

#[path = "common/dice.rs"]
mod dice;

use dice::Dice;
use ttl::prelude::*;
use ttl_kernels::attention::{self, Attention, Mask};
use ttl_kernels::exact::Exact;

/// A mask to be made for a case.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Masked {
    No,
    Causal,
    /// A row of keys for each batch entry: the last ones do not count, entry after entry one more.
    Keys,
    /// One row for all.
    SharedKeys,
    /// A number for each query and key.
    Full,
}

#[derive(Clone, Debug)]
struct Case {
    batch: usize,
    queries: usize,
    keys: usize,
    heads: usize,
    key_heads: usize,
    depth: usize,
    width: usize,
    mask: Masked,
    blocks: Option<(u32, u32)>,
    scale: Option<f32>,
    /// Columns and rows of cores.
    grid: (u32, u32),
}

const CASE: Case = Case {
    batch: 1,
    queries: 64,
    keys: 64,
    heads: 1,
    key_heads: 1,
    depth: 32,
    width: 32,
    mask: Masked::No,
    blocks: None,
    scale: None,
    grid: (2, 2),
};

fn random(shape: &[usize], seed: u64) -> HostTensor {
    HostTensor::normal(shape.to_vec(), seed).expect("a shape")
}

impl Case {
    fn q(&self) -> HostTensor {
        random(&[self.batch, self.queries, self.heads * self.depth], 1)
    }

    fn k(&self) -> HostTensor {
        random(&[self.batch, self.keys, self.key_heads * self.depth], 2)
    }

    fn v(&self) -> HostTensor {
        random(&[self.batch, self.keys, self.key_heads * self.width], 3)
    }

    fn mask(&self) -> Option<HostTensor> {
        let Case { batch, queries, keys, .. } = *self;
        let made = match self.mask {
            Masked::No | Masked::Causal => return None,
            Masked::Keys => HostTensor::from_fn([batch, 1, keys], |i| {
                let (entry, key) = (i / keys, i % keys);
                if key == 0 || key + entry + 2 < keys { 0.0 } else { -1e9 }
            }),
            Masked::SharedKeys => HostTensor::from_fn([1, 1, keys], |i| if i % 3 == 2 { -1e9 } else { 0.0 }),
            Masked::Full => HostTensor::from_fn([batch, queries, keys], |i| {
                let (query, key) = (i / keys % queries, i % keys);
                if (query + key) % 7 == 3 && key > 0 { -1e9 } else { -(query.abs_diff(key) as f32) / 64.0 }
            }),
        };
        Some(made.expect("a mask"))
    }

    fn build<E: Exact>(&self, device: &mut Device, config: &ComputeConfig) -> ttl::Result<(Program, Tensor<E>)> {
        let q = device.upload::<E>("q", &self.q())?;
        let k = device.upload::<E>("k", &self.k())?;
        let v = device.upload::<E>("v", &self.v())?;
        let mask = self.mask().map(|mask| device.upload::<E>("mask", &mask)).transpose()?;
        let out = device.zeros::<E>("out", &[self.batch, self.queries, self.heads * self.width])?;
        let grid = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(self.grid.0 - 1, self.grid.1 - 1)));
        let how = Attention {
            key_heads: self.key_heads,
            scale: self.scale,
            blocks: self.blocks,
            mask: match &mask {
                Some(mask) => Mask::Add(mask),
                None if self.mask == Masked::Causal => Mask::Causal,
                None => Mask::None,
            },
            ..Attention::of_heads(self.heads)
        };
        Ok((attention::program(&grid, config.clone(), [&q, &k, &v, &out], &how)?, out))
    }

    /// The exact result of the operands as they are uploaded, and how far an element may be from it.
    fn exact<E: Exact>(&self, config: &ComputeConfig) -> Vec<(f64, f64)> {
        let rounded =
            |t: HostTensor| -> Vec<f64> { t.to_format(E::FORMAT).to_f32_vec().into_iter().map(f64::from).collect() };
        let Case { batch, queries, keys, heads, key_heads, depth, width, .. } = *self;
        let (q, k, v) = (rounded(self.q()), rounded(self.k()), rounded(self.v()));
        let mask = self.mask().map(|m| (m.shape().to_vec(), rounded(m)));
        let scale = self.scale.map_or(1.0 / (depth as f64).sqrt(), f64::from);
        let mut all = vec![(0.0, 0.0); batch * queries * heads * width];
        for b in 0..batch {
            for h in 0..heads {
                let kh = h / (heads / key_heads);
                for i in 0..queries {
                    let mut scores = vec![None; keys];
                    // The largest sum of the sizes of what is added to a score.
                    let mut size = 0f64;
                    for (j, score) in scores.iter_mut().enumerate() {
                        if self.mask == Masked::Causal && j > i + keys - queries {
                            continue;
                        }
                        let added = mask.as_ref().map_or(0.0, |(shape, values)| {
                            let entry = if shape[0] == 1 { 0 } else { b };
                            let row = if shape[1] == 1 { 0 } else { i };
                            values[(entry * shape[1] + row) * keys + j]
                        });
                        let products = (0..depth).map(|d| {
                            q[(b * queries + i) * heads * depth + h * depth + d]
                                * k[(b * keys + j) * key_heads * depth + kh * depth + d]
                                * scale
                        });
                        let (sum, sizes) = products.fold((added, 0.0), |(s, t), p| (s + p, t + p.abs()));
                        *score = Some(sum);
                        if added > -1e8 {
                            size = size.max(sizes + added.abs());
                        }
                    }
                    let max = scores.iter().flatten().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
                    let weights: Vec<f64> = scores.iter().map(|s| s.map_or(0.0, |s| (s - max).exp())).collect();
                    let total: f64 = weights.iter().sum();
                    for d in 0..width {
                        let value = |j: usize| v[(b * keys + j) * key_heads * width + kh * width + d];
                        let sum: f64 = weights.iter().enumerate().map(|(j, w)| w * value(j)).sum();
                        let sizes: f64 = weights.iter().enumerate().map(|(j, w)| w * value(j).abs()).sum();
                        let bound = self.bound::<E>(config, size, sum / total, sizes / total);
                        all[((b * queries + i) * heads + h) * width + d] = (sum / total, bound);
                    }
                }
            }
        }
        all
    }

    /// `size`: of the terms of the largest score; `sizes`: of the terms of the result `value`.
    fn bound<E: Exact>(&self, config: &ComputeConfig, size: f64, value: f64, sizes: f64) -> f64 {
        let tiles = self.keys.div_ceil(32) as f64;
        let blocks = self.blocks.map_or(8, |b| b.1).max(1);
        let blocks = self.keys.div_ceil(32).div_ceil(blocks as usize) as f64;
        let wide = E::FORMAT == DataFormat::F32;
        // The largest parts of a number that are lost: half of the last bit of bf16, the last bits that tf32 and bf16 cut off.
        let (round, cut, cut_bf16) = (2f64.powi(-8), 2f64.powi(-10), 2f64.powi(-7));
        let (score, sums, last) = if config.fp32_dest_acc {
            // The scaled query and the score, and the maximum that is taken from it, are cut on their way; of f32 the query before, and the key by
            // one bit more, as the second operand of a product. A bf16 weight rounds, an f32 one is cut, and its value is a second operand. What
            // was summed up is one from block to block, and what it is multiplied by is cut. In the end the quotient and what it is multiplied by
            // are cut, and bf16 rounds. What is lost when the matrix unit aligns products to the largest of 16 is smaller for most and goes both ways.
            let (operands, weight, result) = if wide { (3.0 * cut, 3.0 * cut, 0.0) } else { (0.0, round, round) };
            ((operands + 3.0 * cut) * size, weight + blocks * 3.0 * cut, result + 3.0 * cut)
        } else {
            // Everything rounds to bf16: the scaled query, the score with each tile of its depth and each pass over it, the difference, the weight; and
            // the sums with each tile of keys and each pass; the quotient, the product and the result. Operands of f32 are cut to bf16.
            let passes = 4.0;
            let depth = self.depth.div_ceil(32) as f64;
            let (operands, values) = if wide { (2.0 * cut_bf16, cut_bf16) } else { (0.0, 0.0) };
            (
                (operands + (3.0 + passes * depth) * round) * size,
                values + (1.0 + passes * tiles + blocks) * round,
                3.0 * round,
            )
        };
        // Both in the values and in the sum they are divided by; then the result.
        2.0 * (score.exp_m1() + sums) * sizes + last * value.abs() + 1e-30
    }

    #[track_caller]
    fn check<E: Exact>(&self, arch: Arch, config: &ComputeConfig) {
        let options = DeviceOptions { arch, ..DeviceOptions::default() };
        let bits = if config.fp32_dest_acc { 32 } else { 16 };
        let what = format!("{self:?} of {}, {}, {bits} bits", E::FORMAT, arch.name());
        let made = ttl::testing::on_both_engines(&options, |device| self.build::<E>(device, config));
        let (device, out) = made.unwrap_or_else(|e| panic!("{what}: {e}"));
        let result = device.download(&out).expect("the tensor is on this device").to_f32_vec();
        let (mut worst, mut at, mut square) = (0f64, 0, 0f64);
        let exact = self.exact::<E>(config);
        assert_eq!(result.len(), exact.len());
        for (i, (r, (e, bound))) in result.iter().zip(&exact).enumerate() {
            let off = (f64::from(*r) - e).abs();
            assert!(off.is_finite(), "{what}: element {i} is {r}");
            square += off * off;
            if off / bound > worst {
                (worst, at) = (off / bound, i);
            }
        }
        let (e, bound) = exact[at];
        let mean = (square / exact.len() as f64).sqrt();
        let size = (exact.iter().map(|(_, bound)| bound * bound).sum::<f64>() / exact.len() as f64).sqrt();
        assert!(worst <= 1.0, "{what}: element {at} is {}, must be {e} within {bound:e}", result[at]);
        // The bounds add up what can go wrong; of many roundings some go up and some down. With few keys little but the rounding of the result is left,
        // whose mean is about 2^-8 / 5 and which is less than a third of the bound.
        assert!(mean <= size / 16.0, "{what}: off by {mean:e} on average, bounds are {size:e}");
    }
}

fn config(fp32_dest_acc: bool) -> ComputeConfig {
    ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() }
}

#[track_caller]
fn everywhere(case: &Case) {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for wide in [true, false] {
            case.check::<bf16>(arch, &config(wide));
            case.check::<f32>(arch, &config(wide));
        }
    }
}

#[test]
fn one_block() {
    everywhere(&CASE);
}

#[test]
fn keys_in_several_blocks() {
    // Two blocks of two tiles; three of one, the last partly filled; a block of which only one of two tiles is there.
    everywhere(&Case { queries: 32, keys: 128, blocks: Some((1, 2)), ..CASE });
    everywhere(&Case { queries: 40, keys: 70, blocks: Some((2, 1)), ..CASE });
    CASE_OF_FIVE.check::<bf16>(Arch::blackhole(), &config(true));
    CASE_OF_FIVE.check::<bf16>(Arch::wormhole(), &config(false));
}

/// Five tiles of keys in two blocks of three.
const CASE_OF_FIVE: Case = Case { queries: 33, keys: 150, depth: 64, blocks: Some((2, 4)), ..CASE };

#[test]
fn one_query_and_one_key() {
    Case { queries: 1, keys: 1, ..CASE }.check::<bf16>(Arch::blackhole(), &config(true));
    Case { queries: 1, keys: 100, heads: 2, key_heads: 2, ..CASE }.check::<bf16>(Arch::blackhole(), &config(true));
    Case { queries: 1, keys: 300, blocks: Some((1, 2)), mask: Masked::Causal, ..CASE }
        .check::<bf16>(Arch::wormhole(), &config(true));
    Case { queries: 50, keys: 1, ..CASE }.check::<bf16>(Arch::wormhole(), &config(false));
}

#[test]
fn several_heads_and_batch_entries() {
    let case = Case { batch: 3, queries: 45, keys: 45, heads: 4, key_heads: 4, grid: (4, 3), ..CASE };
    case.check::<bf16>(Arch::blackhole(), &config(true));
    Case { mask: Masked::Keys, ..case.clone() }.check::<bf16>(Arch::blackhole(), &config(true));
    Case { mask: Masked::Keys, ..case.clone() }.check::<bf16>(Arch::wormhole(), &config(false));
    Case { mask: Masked::Keys, ..case.clone() }.check::<f32>(Arch::wormhole(), &config(true));
    // Heads that share keys and values; values of another width; more cores than work.
    let shared = Case { batch: 2, heads: 6, key_heads: 2, depth: 64, width: 96, grid: (8, 8), ..case };
    shared.check::<bf16>(Arch::wormhole(), &config(true));
    shared.check::<f32>(Arch::blackhole(), &config(true));
    Case { mask: Masked::Causal, ..shared }.check::<bf16>(Arch::blackhole(), &config(false));
}

#[test]
fn causal_masks() {
    everywhere(&Case { queries: 96, keys: 96, mask: Masked::Causal, blocks: Some((2, 1)), ..CASE });
    // The queries are the last of the keys, at the edge of a tile and within one.
    Case { queries: 64, keys: 160, mask: Masked::Causal, blocks: Some((1, 2)), ..CASE }
        .check::<bf16>(Arch::blackhole(), &config(true));
    Case { queries: 70, keys: 129, mask: Masked::Causal, blocks: Some((2, 3)), ..CASE }
        .check::<bf16>(Arch::blackhole(), &config(true));
    Case { queries: 33, keys: 150, mask: Masked::Causal, blocks: Some((2, 2)), ..CASE }
        .check::<bf16>(Arch::wormhole(), &config(false));
}

#[test]
fn added_masks() {
    everywhere(&Case { batch: 2, queries: 40, keys: 70, mask: Masked::Full, blocks: Some((1, 2)), ..CASE });
    everywhere(&Case { batch: 2, queries: 40, keys: 75, mask: Masked::Keys, blocks: Some((2, 2)), ..CASE });
    Case { batch: 2, queries: 40, keys: 64, mask: Masked::SharedKeys, ..CASE }
        .check::<bf16>(Arch::blackhole(), &config(true));
}

#[test]
fn settings_of_registers_and_scale() {
    for dst_full_sync in [false, true] {
        let config = ComputeConfig { dst_full_sync, ..config(true) };
        let case = Case { queries: 128, keys: 256, depth: 64, width: 64, scale: Some(0.5), ..CASE };
        case.check::<bf16>(Arch::blackhole(), &config);
    }
}

/// Ten query blocks with 1 to 5 blocks of keys: four cores get 5, 2, 2 and 1 of them.
#[test]
fn causal_work_on_few_cores() {
    let case = Case { queries: 320, keys: 320, mask: Masked::Causal, blocks: Some((1, 2)), ..CASE };
    case.check::<bf16>(Arch::blackhole(), &config(true));
    case.check::<f32>(Arch::wormhole(), &config(true));
}

#[test]
fn over_random_shapes() {
    let mut dice = Dice::new();
    for _ in 0..6 {
        let queries = 1 + dice.below(100) as usize;
        let more = dice.of(&[1, 32, 150]);
        let key_heads = 1 + dice.below(2) as usize;
        let case = Case {
            batch: 1 + dice.below(3) as usize,
            queries,
            keys: queries + dice.below(more) as usize,
            heads: key_heads * (1 + dice.below(3) as usize),
            key_heads,
            depth: 32 * (1 + dice.below(3) as usize),
            width: 32 * (1 + dice.below(3) as usize),
            mask: dice.of(&[Masked::No, Masked::Causal, Masked::Keys, Masked::SharedKeys, Masked::Full]),
            blocks: dice.flip().then(|| (1 + dice.below(4), 1 + dice.below(4))),
            scale: None,
            grid: dice.cores(),
        };
        let (arch, config) = (dice.chip(), config(dice.flip()));
        match dice.flip() {
            true => case.check::<bf16>(arch, &config),
            false => case.check::<f32>(arch, &config),
        };
    }
}

/// 70 tiles of keys with heads of 8 tiles: 2.2 MB of keys and values.
#[test]
fn more_keys_than_fit_l1() {
    let case = Case { queries: 20, keys: 2230, depth: 256, width: 256, grid: (1, 1), ..CASE };
    case.check::<bf16>(Arch::wormhole(), &config(true));
}

/// Heads of 10 tiles: eight tiles of keys with their values, twice, are 0.7 MB of bf16 and 1.3 MB of f32, which with the rest no core has.
#[test]
fn blocks_of_f32_fit_l1() {
    let case = Case { queries: 40, keys: 300, depth: 320, width: 320, ..CASE };
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        case.check::<f32>(arch, &config(true));
        case.check::<f32>(arch, &config(false));
    }
}

/// Operands that differ from 1 by what bf16 does not have and the matrix unit has: a result is half of that, and of bf16 it would be nothing.
#[test]
fn ten_bits_of_f32_operands_count() {
    const LITTLE: f32 = 1.0 / 512.0;
    const KEYS: usize = 64;
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for operand in ["q", "k", "v", "mask of keys", "mask of queries and keys"] {
            let options = DeviceOptions { arch, ..DeviceOptions::default() };
            let more = |name: &str| if operand == name { LITTLE } else { 0.0 };
            // Of the odd keys the score is `LITTLE` and the value 1, or the score 0 and the value `1 + LITTLE`; of the even ones they are 0 and -1.
            let made = ttl::testing::on_both_engines(&options, |device| {
                let odd = |i: usize, yes: f32, no: f32| if i / 32 % 2 == 1 { yes } else { no };
                let q = HostTensor::from_fn([1, 32, 32], |i| [1.0 + more("q"), 1.0, 0.0][(i % 32).min(2)])?;
                let k =
                    HostTensor::from_fn([1, KEYS, 32], |i| odd(i, [1.0 + more("k"), -1.0, 0.0][(i % 32).min(2)], 0.0))?;
                let v = HostTensor::from_fn([1, KEYS, 32], |i| odd(i, 1.0 + more("v"), -1.0))?;
                let queries = if operand == "mask of keys" { 1 } else { 32 };
                let mask = HostTensor::from_fn([1, queries, KEYS], |i| 1.0 + if i % 2 == 1 { LITTLE } else { 0.0 })?;
                let [q, k, v, mask] = [("q", q), ("k", k), ("v", v), ("mask", mask)]
                    .map(|(name, host)| device.upload::<f32>(name, &host));
                let (q, k, v, mask) = (q?, k?, v?, mask?);
                let out = device.zeros::<f32>("out", q.shape())?;
                let mask = if operand.starts_with("mask") { Mask::Add(&mask) } else { Mask::None };
                let how = Attention { mask, scale: Some(1.0), ..Attention::of_heads(1) };
                let program = attention::program(&Core::new(0, 0).into(), config(true), [&q, &k, &v, &out], &how)?;
                Ok((program, out))
            });
            let (device, out) = made.unwrap_or_else(|e| panic!("{operand}, {}: {e}", arch.name()));
            // A weight just below 1 loses less than 2^-11, which is half as much in the mean; the mean then loses three times less than 2^-10 of itself.
            let bound = 2f32.powi(-12) + 3.0 * 2f32.powi(-10) * LITTLE;
            for result in device.download(&out).expect("the tensor is on this device").to_f32_vec() {
                let off = result - LITTLE / 2.0;
                assert!(off.abs() <= bound, "{operand}, {}: {result:e}, off by {off:e}", arch.name());
            }
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let mut device = Device::open().expect("a device");
    let mut tensor = |name: &str, shape: &[usize]| device.zeros::<bf16>(name, shape).expect("a tensor");
    let q = tensor("q", &[2, 40, 128]);
    let (k, out) = (tensor("k", &[2, 50, 128]), tensor("out", &[2, 40, 128]));
    let (other_batch, short, thin) =
        (tensor("a", &[3, 50, 128]), tensor("b", &[2, 49, 128]), tensor("c", &[2, 40, 64]));
    let (flat, mask) = (tensor("d", &[128]), tensor("e", &[2, 7, 50]));
    let grid = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(1, 1)));
    let of = Attention::of_heads;
    let refused = |tensors: [&Tensor<bf16>; 4], how: &Attention<'_>| match attention::program(
        &grid,
        config(true),
        tensors,
        how,
    ) {
        Ok(_) => panic!("accepted"),
        Err(e) => e.to_string(),
    };
    let cases: [(&str, String); 9] = [
        ("`q` is 128 wide, which is not 3 heads of a multiple of 32", refused([&q, &k, &k, &out], &of(3))),
        ("`q` is 128 wide, which is not 8 heads", refused([&q, &k, &k, &out], &of(8))),
        ("(2 and 3, 32 and 32)", refused([&q, &other_batch, &other_batch, &out], &of(4))),
        ("`v` is [2, 49, 128], `k` is [2, 50, 128]", refused([&q, &k, &short, &out], &of(4))),
        ("`out` is [2, 40, 64], must be [2, 40, 128]: 4 heads of 32", refused([&q, &k, &k, &thin], &of(4))),
        ("`q` is [128]; it must be [batch, sequence, width]", refused([&flat, &k, &k, &out], &of(4))),
        (
            "the mask is [2, 7, 50], must be [2 or 1, 40 or 1, 50]",
            refused([&q, &k, &k, &out], &Attention { mask: Mask::Add(&mask), ..of(4) }),
        ),
        ("4 heads cannot share 3 heads of keys", refused([&q, &k, &k, &out], &Attention { key_heads: 3, ..of(4) })),
        (
            "a causal mask with 50 queries and 40 keys",
            refused([&k, &q, &q, &k], &Attention { mask: Mask::Causal, ..of(4) }),
        ),
    ];
    for (part, message) in cases {
        assert!(message.contains(part), "{message}");
    }
}
