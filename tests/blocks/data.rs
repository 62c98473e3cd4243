//! Matrices on the host, and kernels that bring them to the compute kernel and back.

use ttl::prelude::*;

/// A matrix in f64.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) values: Vec<f64>,
}

impl Matrix {
    pub(crate) fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> f64) -> Matrix {
        let values = (0..rows * cols).map(|i| f(i / cols, i % cols)).collect();
        Matrix { rows, cols, values }
    }

    /// Random bf16 values.
    pub(crate) fn random(rows: usize, cols: usize, seed: u64) -> Matrix {
        let host = HostTensor::normal(vec![rows, cols], seed).expect("a shape").to_format(DataFormat::Bf16);
        let values = host.to_f32_vec().into_iter().map(f64::from).collect();
        Matrix { rows, cols, values }
    }

    pub(crate) fn at(&self, r: usize, c: usize) -> f64 {
        self.values[r * self.cols + c]
    }

    pub(crate) fn map(&self, f: impl Fn(f64) -> f64) -> Matrix {
        Matrix { values: self.values.iter().map(|v| f(*v)).collect(), ..self.clone() }
    }

    /// Element by element; a side of `b` that is one is repeated.
    pub(crate) fn zip(&self, b: &Matrix, f: impl Fn(f64, f64) -> f64) -> Matrix {
        Matrix::from_fn(self.rows, self.cols, |r, c| {
            f(self.at(r, c), b.at(if b.rows == 1 { 0 } else { r }, if b.cols == 1 { 0 } else { c }))
        })
    }

    /// Each row to one value.
    pub(crate) fn by_row(&self, f: impl Fn(f64, f64) -> f64) -> Matrix {
        let row = |r: usize| (1..self.cols).fold(self.at(r, 0), |x, c| f(x, self.at(r, c)));
        Matrix::from_fn(self.rows, 1, |r, _| row(r))
    }

    pub(crate) fn transposed(&self) -> Matrix {
        Matrix::from_fn(self.cols, self.rows, |r, c| self.at(c, r))
    }

    pub(crate) fn by_col(&self, f: impl Fn(f64, f64) -> f64) -> Matrix {
        self.transposed().by_row(f).transposed()
    }

    pub(crate) fn matmul(&self, b: &Matrix) -> Matrix {
        Matrix::from_fn(self.rows, b.cols, |r, c| (0..self.cols).map(|k| self.at(r, k) * b.at(k, c)).sum())
    }

    pub(crate) fn upload(&self, device: &mut Device, name: &str) -> ttl::Result<Tensor<bf16>> {
        let values = &self.values;
        device.upload::<bf16>(name, &HostTensor::from_fn([self.rows, self.cols], |i| values[i] as f32)?)
    }
}

/// Relative distance of a result from the exact one, over the part of the tensor that the exact one covers.
pub(crate) fn distance(device: &Device, y: &Tensor<bf16>, exact: &Matrix) -> f64 {
    let host = device.download(y).expect("the tensor is on this device");
    let cols = host.shape()[1];
    let result = host.to_f32_vec();
    let (mut square, mut size) = (0.0, 0.0);
    for r in 0..exact.rows {
        for c in 0..exact.cols {
            square += (f64::from(result[r * cols + c]) - exact.at(r, c)).powi(2);
            size += exact.at(r, c).powi(2);
        }
    }
    (square / size).sqrt()
}

/// Reads `A` tiles of `a` and `B` of `b`.
#[ttl::kernel(reader)]
pub(crate) fn read<const A: u32, const B: u32>(
    noc: Noc,
    a: TensorAccessor<bf16>,
    b: TensorAccessor<bf16>,
    a_out: CbOut<bf16>,
    b_out: CbOut<bf16>,
    #[ttl(common)] blocks: u32,
) {
    for block in 0..blocks {
        let mut a_block = a_out.reserve_back(A);
        let mut b_block = b_out.reserve_back(B);
        let mut a_reads = noc.read_into(&mut a_block);
        let mut b_reads = noc.read_into(&mut b_block);
        for i in 0..A {
            a_reads.page(&a, block * A + i, i);
        }
        for i in 0..B {
            b_reads.page(&b, block * B + i, i);
        }
        a_reads.wait();
        b_reads.wait();
    }
}

/// Writes `Y` tiles a block.
#[ttl::kernel(writer)]
pub(crate) fn write<const Y: u32>(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, #[ttl(common)] blocks: u32) {
    for block in 0..blocks {
        let y_block = y_in.wait_front(Y);
        let mut writes = noc.write_from(&y_block);
        for i in 0..Y {
            writes.page(&y, block * Y + i, i);
        }
        writes.flushed();
    }
}

/// Defines `name(device, config, a, b, [rows, cols] of y)`: a program of one core whose compute kernel stores `expression` over the blocks `a` and
/// `b`, of `A`, `B` and `Y` tiles.
macro_rules! program {
    ($name:ident, $a:literal, $b:literal => $y:literal, |$x:ident, $w:ident| $expression:expr) => {
        pub(crate) mod $name {
            use super::*;
            use crate::data::{read, write};

            #[ttl::kernel(compute)]
            fn compute(
                _compute: Compute,
                a_in: CbIn<bf16>,
                b_in: CbIn<bf16>,
                y_out: CbOut<bf16>,
                #[ttl(common)] blocks: u32,
            ) {
                for _ in 0..blocks {
                    let $x = a_in.wait_front($a);
                    let $w = b_in.wait_front($b);
                    y_out.reserve_back($y).store($expression);
                }
            }

            pub(crate) fn build(
                device: &mut Device,
                config: &ComputeConfig,
                [a, b]: [&Matrix; 2],
                shape: [usize; 2],
                blocks: u32,
            ) -> ttl::Result<(Program, Tensor<bf16>)> {
                let a = a.upload(device, "a")?;
                let b = b.upload(device, "b")?;
                let y = device.zeros::<bf16>("y", &shape)?;
                let core = Core::new(0, 0);
                let mut p = Program::new(stringify!($name));
                let (a_out, a_in) = p.circular_buffer::<bf16>("a", core, 2 * $a);
                let (b_out, b_in) = p.circular_buffer::<bf16>("b", core, 2 * $b);
                let (y_out, y_in) = p.circular_buffer::<bf16>("y", core, 2 * $y);
                let reader = read::<$a, $b> { a: a.accessor(), b: b.accessor(), a_out, b_out, blocks };
                p.kernel(core, reader);
                p.compute(core, config.clone(), compute { a_in, b_in, y_out, blocks });
                p.kernel(core, write::<$y> { y: y.accessor(), y_in, blocks });
                Ok((p, y))
            }

            /// Runs on both engines and holds the result against the exact one.
            #[allow(dead_code)] // programs that are refused are not run
            pub(crate) fn check(shapes: [[usize; 2]; 3], bound: [f64; 2], exact: impl Fn(&Matrix, &Matrix) -> Matrix) {
                crate::data::check(stringify!($name), shapes, bound, exact, &build);
            }
        }
    };
}
pub(crate) use program;

type Build<'a> =
    &'a dyn Fn(&mut Device, &ComputeConfig, [&Matrix; 2], [usize; 2], u32) -> ttl::Result<(Program, Tensor<bf16>)>;

/// `shapes` of a, b and y in elements, and the largest relative distance in registers of 16 and of 32 bits.
#[track_caller]
pub(crate) fn check(
    name: &str,
    [a, b, y]: [[usize; 2]; 3],
    bound: [f64; 2],
    exact: impl Fn(&Matrix, &Matrix) -> Matrix,
    build: Build<'_>,
) {
    let (a, b) = (Matrix::random(a[0], a[1], 1), Matrix::random(b[0], b[1], 2));
    let exact = exact(&a, &b);
    crate::everywhere(|arch, config| {
        let options = DeviceOptions { arch, ..DeviceOptions::default() };
        let what = format!("{name}, fp32 registers: {}, {}", config.fp32_dest_acc, arch.name());
        if let Some(dir) = std::env::var_os("TTL_EXPORT_BLOCKS") {
            let wide = if config.fp32_dest_acc { "wide" } else { "narrow" };
            let dir = std::path::PathBuf::from(dir).join(format!("{name}_{wide}_{}", arch.name()));
            export(&dir, &options, config, [&a, &b], y, build);
        }
        let (device, y) = ttl::testing::on_both_engines(&options, |device| build(device, config, [&a, &b], y, 1))
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        let distance = distance(&device, &y, &exact);
        let bound = bound[usize::from(config.fp32_dest_acc)];
        println!("{what}: {distance:e} of {bound:e}");
        assert!(distance <= bound, "{what}: off by {distance:e}, more than {bound:e}");
    });
}

/// Writes the program with its result, to be run elsewhere and compared bit for bit.
fn export(
    dir: &std::path::Path,
    options: &DeviceOptions,
    config: &ComputeConfig,
    inputs: [&Matrix; 2],
    shape: [usize; 2],
    build: Build<'_>,
) {
    let write = || -> ttl::Result<()> {
        let mut device = Device::with_options(options.clone())?;
        let (program, y) = build(&mut device, config, inputs, shape, 1)?;
        let program = program.validate(&device)?;
        device.run(&program)?;
        let result = device.download(&y)?;
        program.export(
            &device,
            dir,
            &[(y.handle(), &result)],
            Tolerance { max_abs: Some(0.0), ..Tolerance::default() },
        )?;
        Ok(())
    };
    write().unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
}
