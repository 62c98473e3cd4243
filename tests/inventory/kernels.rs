//! The kernels of these tests, and the programs around them.

use ttl::prelude::*;

#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors and their buffers
pub fn read(
    noc: Noc,
    a: TensorAccessor<bf16>,
    b: TensorAccessor<bf16>,
    a_out: CbOut<bf16>,
    b_out: CbOut<bf16>,
    first: u32,
    blocks: u32,
    #[ttl(compile_time)] block: u32,
) {
    for i in 0..blocks {
        let mut a_block = a_out.reserve_back(block);
        let mut b_block = b_out.reserve_back(block);
        let mut a_reads = noc.read_into(&mut a_block);
        let mut b_reads = noc.read_into(&mut b_block);
        for index in 0..block {
            let page = first + i * block + index;
            a_reads.page(&a, page, index);
            b_reads.page(&b, page, index);
        }
        a_reads.wait();
        b_reads.wait();
    }
}

#[ttl::kernel(compute)]
pub fn add(
    _: Compute,
    a_in: CbIn<bf16>,
    b_in: CbIn<bf16>,
    y_out: CbOut<bf16>,
    blocks: u32,
    #[ttl(compile_time)] block: u32,
) {
    for _ in 0..blocks {
        let a = a_in.wait_front(block);
        let b = b_in.wait_front(block);
        y_out.reserve_back(block).store(a + b);
    }
}

/// The same with every release written out.
#[ttl::kernel(compute)]
pub fn add_explicit(
    _: Compute,
    a_in: CbIn<bf16>,
    b_in: CbIn<bf16>,
    y_out: CbOut<bf16>,
    blocks: u32,
    #[ttl(compile_time)] block: u32,
) {
    for _ in 0..blocks {
        let a = a_in.wait_front(block);
        let b = b_in.wait_front(block);
        let mut y = y_out.reserve_back(block);
        y.store(&a + &b);
        y.push_back();
        b.pop_front();
        a.pop_front();
    }
}

#[ttl::kernel(compute)]
pub fn add_guards(
    _: Compute,
    a_in: CbIn<bf16>,
    b_in: CbIn<bf16>,
    y_out: CbOut<bf16>,
    blocks: u32,
    #[ttl(compile_time)] block: u32,
) {
    for _ in 0..blocks {
        let a = a_in.wait_front(block);
        let b = b_in.wait_front(block);
        let mut y = y_out.reserve_back(block);
        y.store(&a + &b);
    }
}

/// sqrt(relu(a * b + a - b) * a + b), ten operations with two values that are used twice.
#[ttl::kernel(compute)]
pub fn chain(
    _: Compute,
    a_in: CbIn<bf16>,
    b_in: CbIn<bf16>,
    y_out: CbOut<bf16>,
    blocks: u32,
    #[ttl(compile_time)] block: u32,
) {
    for _ in 0..blocks {
        let a = a_in.wait_front(block);
        let b = b_in.wait_front(block);
        let mut y = y_out.reserve_back(block);
        let product = &a * &b;
        let base = (product + &a - &b).abs();
        y.store(((base * &a).abs() + (&b * &b)).sqrt().exp().log().tanh());
    }
}

#[ttl::kernel(writer)]
pub fn write(
    noc: Noc,
    y: TensorAccessor<bf16>,
    y_in: CbIn<bf16>,
    first: u32,
    blocks: u32,
    #[ttl(compile_time)] block: u32,
) {
    for i in 0..blocks {
        let tiles = y_in.wait_front(block);
        let mut writes = noc.write_from(&tiles);
        for index in 0..block {
            writes.page(&y, first + i * block + index, index);
        }
        writes.flushed();
    }
}

/// Elements of the three tensors: 4 x 6 tiles.
pub const SHAPE: [usize; 2] = [128, 192];

/// Where the tensors are and how the work is divided.
#[derive(Clone)]
pub struct Setup {
    pub cores: CoreRange,
    pub block: u32,
    pub memories: [MemoryConfig; 3],
}

impl Default for Setup {
    fn default() -> Setup {
        let cores = CoreRange::new(Core::new(0, 0), Core::new(0, 0));
        Setup { cores, block: 1, memories: [MemoryConfig::Dram, MemoryConfig::Dram, MemoryConfig::Dram] }
    }
}

pub struct Tensors {
    pub a: Tensor<bf16>,
    pub b: Tensor<bf16>,
    pub y: Tensor<bf16>,
}

pub fn inputs() -> [HostTensor; 2] {
    [1, 2].map(|seed| HostTensor::normal(SHAPE.to_vec(), seed).expect("a shape").to_format(DataFormat::Bf16))
}

pub fn tensors(device: &mut Device, setup: &Setup) -> ttl::Result<Tensors> {
    let [a, b] = inputs();
    let [ma, mb, my] = setup.memories.clone();
    Ok(Tensors {
        a: device.upload_in::<bf16>("a", &a, ma)?,
        b: device.upload_in::<bf16>("b", &b, mb)?,
        y: device.zeros_in::<bf16>("y", &SHAPE, my)?,
    })
}

/// Which compute kernel.
#[derive(Clone, Copy, PartialEq)]
pub enum Compute3 {
    Add,
    Explicit,
    Guards,
    Chain,
}

pub fn program(t: &Tensors, setup: &Setup, which: Compute3) -> Program {
    let cores = CoreSet::from(setup.cores);
    let all: Vec<Core> = cores.iter().collect();
    let each = t.a.pages() / setup.block / all.len() as u32;
    let block = setup.block;
    let first = per_core(move |core| all.iter().position(|c| *c == core).unwrap_or(0) as u32 * each * block);
    let mut program = Program::new("inventory");
    let (a_out, a_in) = program.circular_buffer::<bf16>("a", &cores, 2 * block);
    let (b_out, b_in) = program.circular_buffer::<bf16>("b", &cores, 2 * block);
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", &cores, 2 * block);
    let blocks = per_core(move |_| each);
    let (a, b, y) = (t.a.accessor(), t.b.accessor(), t.y.accessor());
    program.kernel(&cores, read { a, b, a_out, b_out, first: first.clone(), blocks: blocks.clone(), block });
    match which {
        Compute3::Add => program.kernel(&cores, add { a_in, b_in, y_out, blocks: blocks.clone(), block }),
        Compute3::Explicit => program.kernel(&cores, add_explicit { a_in, b_in, y_out, blocks: blocks.clone(), block }),
        Compute3::Guards => program.kernel(&cores, add_guards { a_in, b_in, y_out, blocks: blocks.clone(), block }),
        Compute3::Chain => program.kernel(&cores, chain { a_in, b_in, y_out, blocks: blocks.clone(), block }),
    }
    program.kernel(&cores, write { y, y_in, first, blocks, block });
    program
}

/// Runs on both engines, which must leave the same memory.
#[track_caller]
pub fn run(setup: &Setup, which: Compute3) -> HostTensor {
    let (device, y) = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        let t = tensors(device, setup)?;
        Ok((program(&t, setup, which), t.y))
    })
    .unwrap_or_else(|e| panic!("{e}"));
    device.download(&y).expect("on this device")
}

/// Exact values of `of` for every element, from the inputs as the device has them.
pub fn exact(of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let [a, b] = inputs();
    a.to_f32_vec().into_iter().zip(b.to_f32_vec()).map(|(a, b)| of(a.into(), b.into())).collect()
}

/// Every element within `units` units in the last place of bf16 (at most 1/128 of the value), or within `absolute`.
#[track_caller]
pub fn assert_near(got: &HostTensor, want: &[f64], units: f64, absolute: f64) {
    let got = got.to_f32_vec();
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let off = (f64::from(*g) - w).abs();
        assert!(off <= (units * w.abs() / 128.0).max(absolute), "element {i}: {g} for {w}");
    }
}
