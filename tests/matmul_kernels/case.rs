//! One product: built, run on both engines, compared with the result in f64.

use ttl::prelude::*;
use ttl_kernels::matmul::{self, Activation, Blocks, Options, Strategy};

pub(crate) fn random(shape: &[usize], seed: u64, format: DataFormat) -> HostTensor {
    HostTensor::normal(shape, seed).expect("a tensor").to_format(format)
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) arch: Arch,
    /// Of `a`: leading dimensions, rows, k.
    pub(crate) a: Vec<usize>,
    pub(crate) n: usize,
    pub(crate) bias: bool,
    pub(crate) activation: Activation,
    pub(crate) strategy: Strategy,
    pub(crate) blocks: Option<Blocks>,
    pub(crate) l1: Option<u64>,
    pub(crate) grid: (u32, u32),
    /// 32-bit registers.
    pub(crate) wide: bool,
}

impl Case {
    pub(crate) fn new(a: &[usize], n: usize) -> Case {
        Case {
            arch: Arch::blackhole(),
            a: a.to_vec(),
            n,
            bias: false,
            activation: Activation::None,
            strategy: Strategy::Auto,
            blocks: None,
            l1: None,
            grid: (3, 2),
            wide: true,
        }
    }

    fn config(&self) -> ComputeConfig {
        ComputeConfig { fp32_dest_acc: self.wide, ..ComputeConfig::default() }
    }

    fn cores(&self) -> CoreSet {
        CoreRange::grid(self.grid.0, self.grid.1).expect("a grid").into()
    }

    pub(crate) fn k(&self) -> usize {
        self.a[self.a.len() - 1]
    }

    pub(crate) fn build<A: Element, B: Element, C: Element>(
        &self,
        device: &mut Device,
    ) -> ttl::Result<(Program, Tensor<C>)> {
        let a = device.upload::<A>("a", &random(&self.a, 1, A::FORMAT))?;
        let b = device.upload::<B>("b", &random(&[self.k(), self.n], 2, B::FORMAT))?;
        let bias = device.upload::<C>("bias", &random(&[self.n], 3, C::FORMAT))?;
        let c = device.zeros::<C>("c", &matmul::result_shape(&a, &b)?)?;
        let options = Options {
            bias: self.bias.then_some(&bias),
            activation: self.activation,
            strategy: self.strategy,
            blocks: self.blocks,
            l1: self.l1,
        };
        Ok((matmul::program(&self.cores(), self.config(), &a, &b, &c, &options)?, c))
    }

    /// The product in f64: before the activation, the roots of the sums of the squares of its terms, and the result.
    fn exact(&self, [a, b, c]: [DataFormat; 3]) -> [Vec<f64>; 3] {
        let (k, n) = (self.k(), self.n);
        let a = random(&self.a, 1, a).to_f64_vec();
        let b = random(&[k, n], 2, b).to_f64_vec();
        let bias = if self.bias { random(&[n], 3, c).to_f64_vec() } else { vec![0.0; n] };
        let (mut sums, mut squares) = (vec![], vec![]);
        for row in a.chunks(k) {
            let (mut sum, mut square) = (bias.clone(), bias.iter().map(|x| x * x).collect::<Vec<_>>());
            for (x, row) in row.iter().zip(b.chunks(n)) {
                sum.iter_mut().zip(row).for_each(|(s, w)| *s += x * w);
                square.iter_mut().zip(row).for_each(|(s, w)| *s += (x * w).powi(2));
            }
            sums.extend(sum);
            squares.extend(square);
        }
        let result = sums.iter().map(|s| self.apply(*s)).collect();
        [sums, squares.into_iter().map(f64::sqrt).collect(), result]
    }

    fn apply(&self, x: f64) -> f64 {
        use ttl::runtime::ops::UnaryOp;
        let op = match self.activation {
            Activation::None => return x,
            Activation::Relu => return x.max(0.0),
            Activation::Gelu => "gelu",
            Activation::GeluTanh => "gelu_tanh",
            Activation::Silu => "silu",
            Activation::Sigmoid => "sigmoid",
            Activation::Tanh => "tanh",
        };
        UnaryOp::from_method(op).expect("an operation").row().exact(x)
    }

    /// Operands and result of bf16, but for `b`.
    #[track_caller]
    pub(crate) fn check<B: Element>(&self) {
        self.check_of::<bf16, B, bf16>();
    }

    #[track_caller]
    pub(crate) fn check_of<A: Element, B: Element, C: Element>(&self) {
        let formats = [A::FORMAT, B::FORMAT, C::FORMAT];
        let options = DeviceOptions { arch: self.arch, ..DeviceOptions::default() };
        let ran = ttl::testing::on_both_engines(&options, |device| self.build::<A, B, C>(device));
        let (device, c) = ran.unwrap_or_else(|e| panic!("{self:?} of {formats:?}: {e}"));
        let got = device.download(&c).expect("on this device").to_f64_vec();
        let [sums, terms, exact] = self.exact(formats);
        assert_eq!(got.len(), exact.len());
        let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
        let error = norm(&mut got.iter().zip(&exact).map(|(g, e)| g - e));
        let size = |values: &[f64]| norm(&mut values.iter().copied());
        // No activation is steeper than 1.13.
        let before = 1.13 * self.relative(formats) * size(&sums).max(size(&terms));
        let bound = before + self.rounding(C::FORMAT) * size(&exact);
        assert!(error <= bound, "{self:?} of {formats:?}: off by {error:e}, more than {bound:e}");
    }

    /// How far sums may be off, as a part of them or of their terms, which are as good as independent.
    fn relative(&self, [a, b, c]: [DataFormat; 3]) -> f64 {
        // The matrix unit cuts f32: to 11 bits, as `b` to 10, with 16-bit registers to 8. What is cut off is less than one unit.
        let cut = |format, bits| match format {
            DataFormat::F32 => 2f64.powi(1 - if self.wide { bits } else { 8 }),
            _ => 0.0,
        };
        let bias = if self.bias { cut(c, 11) } else { 0.0 };
        // Products are aligned to 12 bits. 16-bit registers round to 8 bits after each tile of k, half a unit of which is at most 2^-8 of the value.
        let tiles = if self.wide { 0.0 } else { self.k().div_ceil(32) as f64 };
        2f64.powi(-11) + cut(a, 11) + cut(b, 10) + bias + tiles * 2f64.powi(-8)
    }

    /// The last rounding, as a part of the result: half a unit of bf16, or of block floats in which the largest of 16 neighbours, at most 4 times
    /// their root mean square, has 7 bits. f32 keeps what 32-bit registers hold: the activation, which is good to 1e-5.
    fn rounding(&self, c: DataFormat) -> f64 {
        match c {
            DataFormat::F32 if self.wide && self.activation == Activation::None => 0.0,
            DataFormat::F32 if self.wide => 2e-5,
            DataFormat::Bfp8B => 2f64.powi(-8) + 4.0 * 2f64.powi(-7),
            _ => 2f64.powi(-8),
        }
    }
}
