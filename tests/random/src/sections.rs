//! Random sections of tile registers: set-ups and what undoes them are in order, and native runs and C++ leave the same.

use ttl::prelude::*;

const PAGES: u32 = 3;
const ROUNDS: u32 = 4;

#[ttl::kernel(reader)]
fn read<X: Element>(
    noc: Noc,
    x: TensorAccessor<X>,
    one: TensorAccessor<bf16>,
    x_out: CbOut<X>,
    one_out: CbOut<bf16>,
    #[ttl(common)] rounds: u32,
) {
    noc.read_page(&one, 0, &mut one_out.reserve_back(1)).wait();
    for page in 0..2 * rounds {
        noc.read_page(&x, page, &mut x_out.reserve_back(1)).wait();
    }
}

#[ttl::kernel(writer)]
fn write(
    noc: Noc,
    y: TensorAccessor<bf16>,
    z: TensorAccessor<f32>,
    y_in: CbIn<bf16>,
    z_in: CbIn<f32>,
    #[ttl(common)] rounds: u32,
) {
    for page in 0..PAGES * rounds {
        noc.write_page(&y, page, &y_in.wait_front(1)).flushed();
        noc.write_page(&z, page, &z_in.wait_front(1)).flushed();
    }
}

/// Ends of the buffers, for the kernel under test.
pub(crate) struct Ends<X> {
    pub(crate) x: Consumer<X>,
    pub(crate) one: Consumer<bf16>,
    pub(crate) y: Producer<bf16>,
    pub(crate) z: Producer<f32>,
}

/// Runs a kernel on both engines and compares.
pub(crate) fn check<X: Element>(
    what: &str,
    fp32: bool,
    wormhole: bool,
    add: impl Fn(&mut Program, ComputeConfig, Ends<X>, u32),
) {
    let arch = if wormhole { Arch::wormhole() } else { Arch::blackhole() };
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let config = ComputeConfig { fp32_dest_acc: fp32, ..ComputeConfig::default() };
    let values = HostTensor::normal([64 * ROUNDS as usize, 32], 7).expect("a tensor");
    let ran = ttl::testing::on_both_engines(&options, |device| {
        let core = Core::new(0, 0);
        let x = device.upload::<X>("x", &values)?;
        let one = device.upload::<bf16>("one", &HostTensor::from_fn([32, 32], |_| 1.0)?)?;
        let y = device.zeros::<bf16>("y", &[32 * (PAGES * ROUNDS) as usize, 32])?;
        let z = device.zeros::<f32>("z", &[32 * (PAGES * ROUNDS) as usize, 32])?;
        let mut p = Program::new("sections");
        let (x_out, x_in) = p.circular_buffer::<X>("x", core, 4);
        let (one_out, one_in) = p.circular_buffer::<bf16>("one", core, 1);
        let (y_out, y_in) = p.circular_buffer::<bf16>("y", core, 2 * PAGES);
        let (z_out, z_in) = p.circular_buffer::<f32>("z", core, 2 * PAGES);
        p.kernel(core, read { x: x.accessor(), one: one.accessor(), x_out, one_out, rounds: ROUNDS });
        add(&mut p, config.clone(), Ends { x: x_in, one: one_in, y: y_out, z: z_out }, ROUNDS);
        p.kernel(core, write { y: y.accessor(), z: z.accessor(), y_in, z_in, rounds: ROUNDS });
        Ok((p, (y, z)))
    });
    let (device, (y, z)) = ran.unwrap_or_else(|e| panic!("{what}:\n{e}"));
    let [y, z] = [device.download(&y), device.download(&z)].map(|t| t.expect("on this device").to_f32_vec());
    assert!(y.iter().chain(&z).any(|v| *v != 0.0), "{what}: nothing was packed");
}
