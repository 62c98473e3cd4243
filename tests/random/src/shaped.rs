//! Random expressions of blocks as matrices: native against C++ bit for bit, and against f64 within a bound that is carried along.
//!
//! The bound of a sum follows the matrix unit: it adds 16 elements of a row or a column at a time to the register, in two groups of eight, once for each
//! fidelity phase that has a part of both operands. Each time the groups and the register are aligned to the largest of them, with 11 bits in 16-bit
//! registers, and the sum is rounded to the 8 bits of bf16; in 32-bit registers to 24 bits.

use crate::blocks::{S, Value};
use std::cell::RefCell;
use std::ops::{Add, Mul, Sub};
use ttl::prelude::*;
use ttl::runtime::ops::UnaryOp;

pub(crate) struct Setup {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    /// Of the result.
    pub(crate) y: (usize, usize),
    pub(crate) fp32: bool,
    pub(crate) full_sync: bool,
    pub(crate) wormhole: bool,
}

/// A matrix of values, by its number: expressions use one several times.
#[derive(Clone, Copy)]
pub(crate) struct Grid(usize);

struct Data {
    rows: usize,
    cols: usize,
    values: Vec<Value>,
}

thread_local! {
    static GRIDS: RefCell<(Vec<Data>, bool)> = RefCell::default();
}

/// Beside the result of a reduction: whatever was there.
const UNKNOWN: f64 = f64::INFINITY;

impl Grid {
    fn new(rows: usize, cols: usize, f: impl Fn(usize, usize) -> Value) -> Grid {
        let values = (0..rows * cols).map(|at| f(at / cols, at % cols)).collect();
        GRIDS.with_borrow_mut(|(grids, _)| {
            grids.push(Data { rows, cols, values });
            Grid(grids.len() - 1)
        })
    }

    fn size(self) -> (usize, usize) {
        GRIDS.with_borrow(|(grids, _)| (grids[self.0].rows, grids[self.0].cols))
    }

    fn values(self) -> Vec<Value> {
        GRIDS.with_borrow(|(grids, _)| grids[self.0].values.clone())
    }

    fn map(self, f: impl Fn(Value) -> Value) -> Grid {
        let ((rows, cols), values) = (self.size(), self.values());
        Grid::new(rows, cols, |r, c| f(values[r * cols + c]))
    }

    /// A side that is one is repeated.
    fn zip(self, other: Grid, f: impl Fn(Value, Value) -> Value) -> Grid {
        let ((ar, ac), (br, bc)) = (self.size(), other.size());
        let (a, b) = (self.values(), other.values());
        let at = |r: usize, c: usize, rows: usize, cols: usize| {
            (if rows == 1 { 0 } else { r }) * cols + if cols == 1 { 0 } else { c }
        };
        Grid::new(ar.max(br), ac.max(bc), |r, c| f(a[at(r, c, ar, ac)], b[at(r, c, br, bc)]))
    }

    pub(crate) fn bcast_rows(self) -> Grid {
        let ((_, cols), values) = (self.size(), self.values());
        Grid::new(1, cols, |_, c| values[c])
    }

    pub(crate) fn bcast_cols(self) -> Grid {
        let ((rows, cols), values) = (self.size(), self.values());
        Grid::new(rows, 1, |r, _| values[r * cols])
    }

    pub(crate) fn bcast_scalar(self) -> Grid {
        let values = self.values();
        Grid::new(1, 1, |_, _| values[0])
    }

    pub(crate) fn transpose(self) -> Grid {
        let ((rows, cols), values) = (self.size(), self.values());
        Grid::new(cols, rows, |r, c| values[c * cols + r])
    }

    fn row(self, r: usize) -> Vec<Value> {
        let ((_, cols), values) = (self.size(), self.values());
        values[r * cols..(r + 1) * cols].to_vec()
    }

    fn by_rows(self, f: impl Fn(&[Value]) -> Value) -> Grid {
        let rows = self.size().0;
        let results: Vec<Value> = (0..rows).map(|r| f(&self.row(r))).collect();
        Grid::new(rows, 32, |r, c| if c == 0 { results[r] } else { Value::number(0.0, UNKNOWN) })
    }

    fn by_cols(self, f: impl Fn(&[Value]) -> Value) -> Grid {
        self.transpose().by_rows(f).transpose()
    }

    /// Columns first, then the row of their results.
    fn by_both(self, f: impl Fn(&[Value]) -> Value, all: impl Fn(&[Value]) -> Value) -> Grid {
        let by_col: Vec<Value> = (0..self.size().1).map(|c| f(&self.transpose().row(c))).collect();
        let result = all(&by_col);
        Grid::new(32, 32, |r, c| if r + c == 0 { result } else { Value::number(0.0, UNKNOWN) })
    }

    pub(crate) fn sum_row(self) -> Grid {
        self.by_rows(sum)
    }
    pub(crate) fn sum_col(self) -> Grid {
        self.by_cols(sum)
    }
    pub(crate) fn sum_scalar(self) -> Grid {
        self.by_both(sum, sum)
    }
    pub(crate) fn mean_row(self) -> Grid {
        self.sum_row() * (1.0 / self.size().1 as f64)
    }
    pub(crate) fn mean_col(self) -> Grid {
        self.sum_col() * (1.0 / self.size().0 as f64)
    }
    pub(crate) fn mean_scalar(self) -> Grid {
        let (rows, cols) = self.size();
        self.sum_scalar() * (1.0 / (rows * cols) as f64)
    }
    pub(crate) fn max_row(self) -> Grid {
        self.by_rows(max)
    }
    pub(crate) fn max_col(self) -> Grid {
        self.by_cols(max)
    }
    pub(crate) fn max_scalar(self) -> Grid {
        self.by_both(max, max)
    }

    pub(crate) fn matmul(self, right: Grid) -> Grid {
        let ((rows, inner), (_, cols)) = (self.size(), right.size());
        let turned = right.transpose();
        let columns: Vec<Vec<Value>> = (0..cols).map(|c| turned.row(c)).collect();
        let lines: Vec<Vec<Value>> = (0..rows).map(|r| self.row(r)).collect();
        Grid::new(rows, cols, |r, c| {
            let products: Vec<Value> = (0..inner).map(|k| lines[r][k].times(columns[c][k])).collect();
            sum(&products)
        })
    }

    fn op(self, op: UnaryOp, params: &[f64]) -> Grid {
        self.map(|v| v.map(|x| op.row().reference.of(&[&[x], params].concat())))
    }

    pub(crate) fn leaky_relu(self, slope: f64) -> Grid {
        self.op(UnaryOp::LeakyRelu, &[slope])
    }
    pub(crate) fn prelu(self, slope: f64) -> Grid {
        self.op(UnaryOp::Prelu, &[slope])
    }
    pub(crate) fn elu(self, alpha: f64) -> Grid {
        self.op(UnaryOp::Elu, &[alpha])
    }
    pub(crate) fn hardtanh(self, min: f64, max: f64) -> Grid {
        self.op(UnaryOp::Hardtanh, &[min, max])
    }
    pub(crate) fn relu_max(self, limit: f64) -> Grid {
        self.op(UnaryOp::ReluMax, &[limit])
    }
    pub(crate) fn relu_min(self, limit: f64) -> Grid {
        self.op(UnaryOp::ReluMin, &[limit])
    }
    pub(crate) fn softshrink(self, lambda: f64) -> Grid {
        self.op(UnaryOp::Softshrink, &[lambda])
    }
}

macro_rules! unary {
    ($($name:ident)*) => {
        impl Grid {
            $(pub(crate) fn $name(self) -> Grid {
                self.map(Value::$name)
            })*
        }
    };
}

unary!(abs negative relu sigmoid tanh silu sin exp expm1 gelu softsign);

macro_rules! binary {
    ($($trait:ident $method:ident;)*) => {$(
        impl $trait for Grid {
            type Output = Grid;
            fn $method(self, other: Grid) -> Grid {
                self.zip(other, |a, b| a.$method(b))
            }
        }
        impl $trait<f64> for Grid {
            type Output = Grid;
            fn $method(self, number: f64) -> Grid {
                self.map(|v| v.$method(number))
            }
        }
        impl $trait<Grid> for f64 {
            type Output = Grid;
            fn $method(self, grid: Grid) -> Grid {
                grid.map(|v| self.$method(v))
            }
        }
    )*};
}

binary! {
    Add add;
    Sub sub;
    Mul mul;
}

/// Adds up what is, step by step: see above.
fn sum(values: &[Value]) -> Value {
    let fp32 = GRIDS.with_borrow(|(_, fp32)| *fp32);
    let (mut total, mut error, mut largest, mut steps) = (0.0, 0.0, 0.0f64, 0.0);
    for part in values.chunks(16) {
        for group in part.chunks(8) {
            largest = largest.max(group.iter().map(|v| v.exact.abs() + v.error).sum());
        }
        total += part.iter().map(|v| v.exact).sum::<f64>();
        error += part.iter().map(|v| v.error).sum::<f64>();
        largest = largest.max(total.abs());
        // Both parts of one operand with the upper part of the other; of a matrix product also with the lower.
        steps += 4.0;
    }
    // In a step three terms are cut, and the result is rounded. f32 operands are cut when they are read.
    let step = if fp32 { 2f64.powi(-20) } else { 3.0 * 2f64.powi(-11) + 2f64.powi(-9) };
    let read = if fp32 { 2f64.powi(-10) } else { 0.0 };
    let read: f64 = values.iter().map(|v| read * v.exact.abs()).sum();
    Value::number(total, error + read + steps * step * (largest + error))
}

/// The maximum goes through source registers: 8 bits of it are kept, in 32-bit registers 11, or all 8 of a bf16 element.
fn max(values: &[Value]) -> Value {
    let kept = GRIDS.with_borrow(|(_, fp32)| if *fp32 { 2f64.powi(-10) } else { 2f64.powi(-7) });
    let exact = values.iter().map(|v| v.exact).fold(f64::NEG_INFINITY, f64::max);
    let error = values.iter().map(|v| v.error).fold(0.0, f64::max);
    Value::number(exact, error + kept * exact.abs())
}

#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // six tensors and their buffers
pub(crate) fn read<A: Element, B: Element, V: Element, W: Element, T: Element, M: Element>(
    noc: Noc,
    a: TensorAccessor<A>,
    b: TensorAccessor<B>,
    v: TensorAccessor<V>,
    w: TensorAccessor<W>,
    t: TensorAccessor<T>,
    m: TensorAccessor<M>,
    a_out: CbOut<A>,
    b_out: CbOut<B>,
    v_out: CbOut<V>,
    w_out: CbOut<W>,
    t_out: CbOut<T>,
    m_out: CbOut<M>,
    #[ttl(common)] rows: u32,
    #[ttl(common)] cols: u32,
    #[ttl(common)] blocks: u32,
) {
    for block in 0..blocks {
        for i in 0..rows * cols {
            let mut a_page = a_out.reserve_back(1);
            let mut b_page = b_out.reserve_back(1);
            noc.read_page(&a, block * rows * cols + i, &mut a_page).wait();
            noc.read_page(&b, block * rows * cols + i, &mut b_page).wait();
        }
        for i in 0..cols {
            let mut page = v_out.reserve_back(1);
            noc.read_page(&v, block * cols + i, &mut page).wait();
        }
        for i in 0..rows {
            let mut page = w_out.reserve_back(1);
            noc.read_page(&w, block * rows + i, &mut page).wait();
        }
        let mut page = t_out.reserve_back(1);
        noc.read_page(&t, block, &mut page).wait();
        for i in 0..cols * cols {
            let mut page = m_out.reserve_back(1);
            noc.read_page(&m, block * cols * cols + i, &mut page).wait();
        }
    }
}

#[ttl::kernel(writer)]
pub(crate) fn write<Y: Element>(noc: Noc, y: TensorAccessor<Y>, y_in: CbIn<Y>, #[ttl(common)] pages: u32) {
    for page in 0..pages {
        let tile = y_in.wait_front(1);
        noc.write_page(&y, page, &tile).flushed();
    }
}

/// Ends of the buffers, for the kernel under test.
pub(crate) struct Ends<A, B, V, W, T, M, Y> {
    pub(crate) a: Consumer<A>,
    pub(crate) b: Consumer<B>,
    pub(crate) v: Consumer<V>,
    pub(crate) w: Consumer<W>,
    pub(crate) t: Consumer<T>,
    pub(crate) m: Consumer<M>,
    pub(crate) y: Producer<Y>,
}

const BLOCKS: u32 = 2;

/// Runs a kernel on both engines and compares. Blocks lie below each other in their tensors.
pub(crate) fn check<A: Element, B: Element, V: Element, W: Element, T: Element, M: Element, Y: Element>(
    what: &str,
    setup: &Setup,
    add: impl Fn(&mut Program, ComputeConfig, Ends<A, B, V, W, T, M, Y>, u32),
    exact: fn([Grid; 6], f64) -> Grid,
) {
    let config =
        ComputeConfig { fp32_dest_acc: setup.fp32, dst_full_sync: setup.full_sync, ..ComputeConfig::default() };
    let (rows, cols) = (setup.rows, setup.cols);
    let sizes = [(rows, cols), (rows, cols), (1, cols), (rows, 1), (1, 1), (cols, cols)];
    let shape = |(r, c): (usize, usize)| [BLOCKS as usize * r * 32, c * 32];
    let arch = if setup.wormhole { Arch::wormhole() } else { Arch::blackhole() };
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let inputs: Vec<HostTensor> =
        (3..).zip(sizes).map(|(seed, s)| HostTensor::normal(shape(s).to_vec(), seed).expect("a shape")).collect();
    let ran = ttl::testing::on_both_engines(&options, |device| {
        let core = Core::new(0, 0);
        let mut p = Program::new("shaped");
        let a = device.upload::<A>("a", &inputs[0])?;
        let b = device.upload::<B>("b", &inputs[1])?;
        let v = device.upload::<V>("v", &inputs[2])?;
        let w = device.upload::<W>("w", &inputs[3])?;
        let t = device.upload::<T>("t", &inputs[4])?;
        let m = device.upload::<M>("m", &inputs[5])?;
        let y = device.zeros::<Y>("y", &shape(setup.y))?;
        let pages = sizes.map(|(r, c)| (r * c) as u32);
        let (a_out, a_in) = p.circular_buffer::<A>("a", core, 2 * pages[0]);
        let (b_out, b_in) = p.circular_buffer::<B>("b", core, 2 * pages[1]);
        let (v_out, v_in) = p.circular_buffer::<V>("v", core, 2 * pages[2]);
        let (w_out, w_in) = p.circular_buffer::<W>("w", core, 2 * pages[3]);
        let (t_out, t_in) = p.circular_buffer::<T>("t", core, 2 * pages[4]);
        let (m_out, m_in) = p.circular_buffer::<M>("m", core, 2 * pages[5]);
        let y_pages = (setup.y.0 * setup.y.1) as u32;
        let (y_out, y_in) = p.circular_buffer::<Y>("y", core, 2 * y_pages);
        let (at, bt, vt) = (a.accessor(), b.accessor(), v.accessor());
        let (wt, tt, mt) = (w.accessor(), t.accessor(), m.accessor());
        let reader = read {
            a: at,
            b: bt,
            v: vt,
            w: wt,
            t: tt,
            m: mt,
            a_out,
            b_out,
            v_out,
            w_out,
            t_out,
            m_out,
            rows: rows as u32,
            cols: cols as u32,
            blocks: BLOCKS,
        };
        p.kernel(core, reader);
        let ends = Ends { a: a_in, b: b_in, v: v_in, w: w_in, t: t_in, m: m_in, y: y_out };
        add(&mut p, config.clone(), ends, BLOCKS);
        p.kernel(core, write { y: y.accessor(), y_in, pages: BLOCKS * y_pages });
        Ok((p, y))
    });
    let (device, y) = match ran {
        Ok(made) => made,
        // Some expressions need more registers than there are: they have to say so.
        Err(e) if e.to_string().contains("tile registers per tile") => return println!("{what}: {e}"),
        Err(e) => panic!("{what}:\n{e}"),
    };
    let got = device.download(&y).expect("on this device").to_f32_vec();
    let unit = if setup.fp32 { 2f64.powi(-9) } else { 2f64.powi(-6) };
    let formats = [A::FORMAT, B::FORMAT, V::FORMAT, W::FORMAT, T::FORMAT, M::FORMAT];
    let stored: Vec<Vec<f32>> = inputs.iter().zip(formats).map(|(t, f)| t.to_format(f).to_f32_vec()).collect();
    let (y_rows, y_cols) = (setup.y.0 * 32, setup.y.1 * 32);
    let (mut checked, mut known) = (0, 0);
    for block in 0..BLOCKS as usize {
        GRIDS.with_borrow_mut(|(grids, fp32)| {
            grids.clear();
            *fp32 = setup.fp32;
        });
        let grids: [Grid; 6] = std::array::from_fn(|i| {
            let (rows, cols) = (sizes[i].0 * 32, sizes[i].1 * 32);
            let value = |r: usize, c: usize| stored[i][(block * rows + r) * cols + c];
            Grid::new(rows, cols, |r, c| Value::element(value(r, c), formats[i], unit, setup.fp32))
        });
        let result = exact(grids, S.into());
        // What is broadcast in one direction only has the other side of the result.
        let ((rows, cols), values) = (result.size(), result.values());
        for (r, c) in (0..y_rows).flat_map(|r| (0..y_cols).map(move |c| (r, c))) {
            let want = values[(if rows == 1 { 0 } else { r }) * cols + if cols == 1 { 0 } else { c }];
            let got = f64::from(got[(block * y_rows + r) * y_cols + c]);
            let bound = want.error + (unit + 2f64.powi(-8)) * want.exact.abs();
            known += usize::from(want.error.is_finite());
            // A bound as large as the value says nothing.
            if !want.exact.is_finite() || want.exact.abs() > 1e30 || bound > want.exact.abs().max(1.0) {
                continue;
            }
            checked += 1;
            let off = (got - want.exact).abs();
            assert!(
                off <= bound,
                "{what}: element [{r}, {c}] of block {block} is {got}, exact {}, off by {off:e}, more than {bound:e}",
                want.exact
            );
        }
    }
    // A reduction of what another one left beside its result is the same on both engines, and nothing else is known of it.
    println!("{what}: {checked} of {known} elements within their bounds");
}
