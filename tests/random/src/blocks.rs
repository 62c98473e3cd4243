//! Random block expressions: native against C++ bit for bit, and against f64 within a bound that is carried along.

use std::ops::{Add, Mul, Sub};
use ttl::prelude::*;

pub(crate) struct Setup {
    pub(crate) block: u32,
    pub(crate) fp32: bool,
    pub(crate) full_sync: bool,
    pub(crate) wormhole: bool,
}

/// A value and how far the device's may be from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) exact: f64,
    pub(crate) error: f64,
    /// Relative error of one operation.
    unit: f64,
}

impl Value {
    /// An element of a buffer. f32 tiles are cut on the way to the registers: to bf16, or to TF32 in 32-bit registers.
    pub(crate) fn element(exact: f32, format: DataFormat, unit: f64, fp32: bool) -> Value {
        let cut = match (format, fp32) {
            (DataFormat::F32, true) => 2f64.powi(-10),
            (DataFormat::F32, false) => 2f64.powi(-7),
            _ => 0.0,
        };
        let exact = f64::from(exact);
        Value { exact, error: cut * exact.abs(), unit }
    }

    /// With its error; the unit is that of what it is combined with.
    pub(crate) fn number(exact: f64, error: f64) -> Value {
        Value { exact, error, unit: 0.0 }
    }

    /// The product as the matrix unit adds it up: nothing of it is rounded.
    pub(crate) fn times(self, o: Value) -> Value {
        let error = self.exact.abs() * o.error + o.exact.abs() * self.error + self.error * o.error;
        Value { exact: self.exact * o.exact, error: if error.is_nan() { f64::INFINITY } else { error }, ..self }
    }

    /// What `f` makes of every value within the bound, in five samples, and the rounding of the result.
    pub(crate) fn map(self, f: impl Fn(f64) -> f64) -> Value {
        if self.error.is_infinite() {
            return self;
        }
        let exact = f(self.exact);
        let spread = [-1.0, -0.5, 0.5, 1.0].map(|s| (f(self.exact + s * self.error) - exact).abs());
        let spread = spread.into_iter().fold(0.0, f64::max);
        Value { exact, error: spread + self.unit * exact.abs() + 1e-7, ..self }
    }

    fn join(self, other: Value, exact: f64, error: f64, scale: f64) -> Value {
        // A register as an operand of the matrix unit is cut to 11 bits, a sum aligned to the larger operand's.
        let rounding = (self.unit + 2f64.powi(-9)) * scale.max(exact.abs());
        Value { exact, error: error + rounding + 1e-30, unit: self.unit.max(other.unit) }
    }

    pub(crate) fn abs(self) -> Value {
        self.map(f64::abs)
    }
    pub(crate) fn negative(self) -> Value {
        self.map(|x| -x)
    }
    pub(crate) fn square(self) -> Value {
        self.map(|x| x * x)
    }
    pub(crate) fn relu(self) -> Value {
        self.map(|x| x.max(0.0))
    }
    pub(crate) fn sigmoid(self) -> Value {
        self.map(|x| 1.0 / (1.0 + (-x).exp()))
    }
    pub(crate) fn silu(self) -> Value {
        self.map(|x| x / (1.0 + (-x).exp()))
    }
    pub(crate) fn tanh(self) -> Value {
        self.map(f64::tanh)
    }
    pub(crate) fn sin(self) -> Value {
        self.map(f64::sin)
    }
    pub(crate) fn cos(self) -> Value {
        self.map(f64::cos)
    }
    pub(crate) fn exp(self) -> Value {
        self.map(f64::exp)
    }
    pub(crate) fn exp2(self) -> Value {
        self.map(f64::exp2)
    }
    pub(crate) fn expm1(self) -> Value {
        self.map(f64::exp_m1)
    }
    pub(crate) fn gelu(self) -> Value {
        self.map(|x| ttl::runtime::ops::UnaryOp::Gelu.row().exact(x))
    }
    pub(crate) fn softsign(self) -> Value {
        self.map(|x| x / (1.0 + x.abs()))
    }
}

impl Add for Value {
    type Output = Value;
    fn add(self, o: Value) -> Value {
        let scale = self.exact.abs().max(o.exact.abs());
        self.join(o, self.exact + o.exact, self.error + o.error, scale)
    }
}

impl Sub for Value {
    type Output = Value;
    fn sub(self, o: Value) -> Value {
        let scale = self.exact.abs().max(o.exact.abs());
        self.join(o, self.exact - o.exact, self.error + o.error, scale)
    }
}

impl Mul for Value {
    type Output = Value;
    fn mul(self, o: Value) -> Value {
        self.join(o, self.exact * o.exact, self.times(o).error, 0.0)
    }
}

macro_rules! with_numbers {
    ($($trait:ident $method:ident;)*) => {$(
        impl $trait<f64> for Value {
            type Output = Value;
            fn $method(self, number: f64) -> Value {
                self.$method(Value { exact: number, error: 0.0, ..self })
            }
        }

        impl $trait<Value> for f64 {
            type Output = Value;
            fn $method(self, value: Value) -> Value {
                (Value { exact: self, error: 0.0, ..value }).$method(value)
            }
        }
    )*};
}

with_numbers! {
    Add add;
    Sub sub;
    Mul mul;
}

/// The number that the kernels get when they run.
pub(crate) const S: f32 = 0.7;

#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // three tensors and their buffers
pub(crate) fn read<A: Element, B: Element, C: Element>(
    noc: Noc,
    a: TensorAccessor<A>,
    b: TensorAccessor<B>,
    c: TensorAccessor<C>,
    a_out: CbOut<A>,
    b_out: CbOut<B>,
    c_out: CbOut<C>,
    #[ttl(common)] pages: u32,
) {
    for page in 0..pages {
        let mut a_page = a_out.reserve_back(1);
        let mut b_page = b_out.reserve_back(1);
        let mut c_page = c_out.reserve_back(1);
        noc.read_page(&a, page, &mut a_page).wait();
        noc.read_page(&b, page, &mut b_page).wait();
        noc.read_page(&c, page, &mut c_page).wait();
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
pub(crate) struct Ends<A, B, C, Y> {
    pub(crate) a: Consumer<A>,
    pub(crate) b: Consumer<B>,
    pub(crate) c: Consumer<C>,
    pub(crate) y: Producer<Y>,
}

const BLOCKS: u32 = 3;

/// Runs a kernel on both engines and compares.
pub(crate) fn check<A: Element, B: Element, C: Element, Y: Element>(
    what: &str,
    setup: &Setup,
    add: impl Fn(&mut Program, ComputeConfig, Ends<A, B, C, Y>, u32),
    exact: fn(Value, Value, Value, f64) -> Value,
) {
    let config =
        ComputeConfig { fp32_dest_acc: setup.fp32, dst_full_sync: setup.full_sync, ..ComputeConfig::default() };
    let pages = BLOCKS * setup.block;
    let shape = [32, pages as usize * 32];
    let arch = if setup.wormhole { Arch::wormhole() } else { Arch::blackhole() };
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let inputs = [3, 4, 5].map(|seed| HostTensor::normal(shape.to_vec(), seed).expect("a shape"));
    let ran = ttl::testing::on_both_engines(&options, |device| {
        let a = device.upload::<A>("a", &inputs[0])?;
        let b = device.upload::<B>("b", &inputs[1])?;
        let c = device.upload::<C>("c", &inputs[2])?;
        let y = device.zeros::<Y>("y", &shape)?;
        let core = Core::new(0, 0);
        let mut program = Program::new("blocks");
        let (a_out, a_in) = program.circular_buffer::<A>("a", core, 2 * setup.block);
        let (b_out, b_in) = program.circular_buffer::<B>("b", core, 2 * setup.block);
        let (c_out, c_in) = program.circular_buffer::<C>("c", core, 2 * setup.block);
        let (y_out, y_in) = program.circular_buffer::<Y>("y", core, 2 * setup.block);
        let (at, bt, ct) = (a.accessor(), b.accessor(), c.accessor());
        program.kernel(core, read { a: at, b: bt, c: ct, a_out, b_out, c_out, pages });
        add(&mut program, config.clone(), Ends { a: a_in, b: b_in, c: c_in, y: y_out }, BLOCKS);
        program.kernel(core, write { y: y.accessor(), y_in, pages });
        Ok((program, y))
    });
    let (device, y) = match ran {
        Ok(made) => made,
        // Some expressions need more registers than there are: they have to say so.
        Err(e) if e.to_string().contains("tile registers per tile") => return println!("{what}: {e}"),
        Err(e) => panic!("{what}:\n{e}"),
    };
    let got = device.download(&y).expect("on this device").to_f32_vec();
    let unit = if setup.fp32 { 2f64.powi(-9) } else { 2f64.powi(-6) };
    let formats = [A::FORMAT, B::FORMAT, C::FORMAT];
    let stored: Vec<Vec<f32>> = inputs.iter().zip(formats).map(|(t, f)| t.to_format(f).to_f32_vec()).collect();
    let mut checked = 0;
    for (at, got) in got.iter().enumerate() {
        let [a, b, c] = [0, 1, 2].map(|i| Value::element(stored[i][at], formats[i], unit, setup.fp32));
        let want = exact(a, b, c, S.into());
        let bound = want.error + (unit + 2f64.powi(-8)) * want.exact.abs();
        // A bound as large as the value says nothing.
        if !want.exact.is_finite() || want.exact.abs() > 1e30 || bound > want.exact.abs().max(1.0) {
            continue;
        }
        checked += 1;
        let off = (f64::from(*got) - want.exact).abs();
        assert!(
            off <= bound,
            "{what}: element {at} is {got}, exact {}, off by {off:e}, more than {bound:e}",
            want.exact
        );
    }
    println!("{what}: {checked} of {} elements within their bounds", got.len());
    assert!(checked * 10 > got.len(), "{what}: only {checked} of {} elements can be judged", got.len());
}

#[ttl::kernel(compute)]
fn product(_: Compute, a: CbIn<bf16>, b: CbIn<bf16>, c: CbIn<bf16>, y: CbOut<bf16>, #[ttl(common)] blocks: u32) {
    for _ in 0..blocks {
        let a = a.wait_front(2);
        let b = b.wait_front(2);
        let c = c.wait_front(2);
        y.reserve_back(2).store(&a * &b + &c);
    }
}

fn check_product(exact: fn(Value, Value, Value, f64) -> Value) {
    let setup = Setup { block: 2, fp32: true, full_sync: false, wormhole: false };
    let add = |program: &mut Program, config, ends: Ends<bf16, bf16, bf16, bf16>, blocks| {
        let Ends { a, b, c, y } = ends;
        program.compute(Core::new(0, 0), config, product { a, b, c, y, blocks });
    };
    check("a product", &setup, add, exact);
}

#[test]
fn right_results_are_accepted() {
    check_product(|a, b, c, _| a * b + c);
}

/// A result that is off by some hundredths is found.
#[test]
#[should_panic(expected = "off by")]
fn wrong_results_are_found() {
    check_product(|a, b, c, _| {
        let right = a * b + c;
        Value { exact: right.exact * 1.03, ..right }
    });
}
