//! Formats through the unpacker, the tile registers and the packer.

use super::{PAGES, SHAPE, contents};
use ttl::prelude::*;
use ttl::testing::on_both_engines;

#[ttl::kernel(reader)]
fn read<T: Element>(noc: Noc, src: TensorAccessor<T>, out: CbOut<T>, #[ttl(common)] pages: u32) {
    for page in 0..pages {
        let mut tile = out.reserve_back(1);
        noc.read_page(&src, page, &mut tile).wait();
    }
}

#[ttl::kernel(writer)]
fn write<T: Element>(noc: Noc, dst: TensorAccessor<T>, input: CbIn<T>, #[ttl(common)] pages: u32) {
    for page in 0..pages {
        let tile = input.wait_front(1);
        noc.write_page(&dst, page, &tile).flushed();
    }
}

#[ttl::kernel(compute)]
fn convert<T: Element, U: Element>(compute: Compute, x: CbIn<T>, y: CbOut<U>, #[ttl(common)] pages: u32) {
    for _ in 0..pages {
        let tile = x.wait_front(1);
        let mut out = y.reserve_back(1);
        let mut regs = compute.acquire();
        regs.copy_tile(&tile, 0, 0);
        regs.commit().pack_tile(0, &mut out);
    }
}

/// As a block expression.
#[ttl::kernel(compute)]
fn copy<T: Element>(_compute: Compute, x: CbIn<T>, y: CbOut<T>, #[ttl(common)] pages: u32) {
    for _ in 0..pages {
        y.reserve_back(1).store(x.wait_front(1));
    }
}

fn wide() -> ComputeConfig {
    ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() }
}

/// What comes out when `host` is copied from a tensor of `T` to one of `U`.
fn converted<T: Element, U: Element>(arch: Arch, config: &ComputeConfig, host: &HostTensor) -> HostTensor {
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let ran = on_both_engines(&options, |device| {
        let x = device.upload::<T>("x", host)?;
        let y = device.zeros::<U>("y", host.shape())?;
        let core = Core::new(0, 0);
        let mut program = Program::new("convert");
        let (x_out, x_in) = program.circular_buffer::<T>("x", core, 2);
        let (y_out, y_in) = program.circular_buffer::<U>("y", core, 2);
        program.kernel(core, read { src: x.accessor(), out: x_out, pages: PAGES });
        program.compute(core, config.clone(), convert::<T, U> { x: x_in, y: y_out, pages: PAGES });
        program.kernel(core, write { dst: y.accessor(), input: y_in, pages: PAGES });
        Ok((program, y))
    });
    let (device, y) = ran.unwrap_or_else(|e| panic!("{} to {}: {e}", T::FORMAT, U::FORMAT));
    device.download(&y).expect("the result")
}

/// What is exact: same formats and wider ones.
#[test]
fn copies_keep_every_bit() {
    fn same<T: Element>(arch: Arch, config: &ComputeConfig) {
        let host = contents(T::FORMAT);
        assert_eq!(converted::<T, T>(arch, config, &host), host, "{}", T::FORMAT);
    }
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        same::<bf16>(arch, &ComputeConfig::default());
        same::<bf16>(arch, &wide());
        same::<u16>(arch, &ComputeConfig::default());
        same::<u32>(arch, &wide());
        same::<i32>(arch, &wide());
        same::<u8>(arch, &wide());
        for (config, bf) in
            [(ComputeConfig::default(), contents(DataFormat::Bfp8B)), (wide(), contents(DataFormat::Bfp4B))]
        {
            let as_f32 = bf.to_format(DataFormat::F32);
            assert_eq!(converted::<bfp8_b, bf16>(arch, &config, &bf).to_format(DataFormat::F32), as_f32);
            assert_eq!(converted::<bfp8_b, f32>(arch, &config, &bf), as_f32);
        }
        let four = contents(DataFormat::Bfp4B);
        assert_eq!(converted::<bfp4_b, f32>(arch, &wide(), &four), four);
    }
}

/// The packer rounds block floats half away from zero, to within a step of the largest value of their row.
#[test]
fn packed_block_floats_are_near() {
    let host = contents(DataFormat::Bf16);
    let values = host.to_f32_vec();
    let precise = ComputeConfig { bfp8_pack_precise: true, ..ComputeConfig::default() };
    for (config, slack) in [(ComputeConfig::default(), 1.0), (wide(), 1.0), (precise, 0.5)] {
        let eight = converted::<bf16, bfp8_b>(Arch::blackhole(), &config, &host).to_f32_vec();
        let four = converted::<bf16, bfp4_b>(Arch::blackhole(), &config, &host).to_f32_vec();
        let mut twice = 0;
        for start in (0..values.len()).step_by(SHAPE[1]) {
            // A face row begins every 16 columns.
            for row in (0..SHAPE[1]).step_by(16) {
                let range = start + row..start + (row + 16).min(SHAPE[1]);
                let largest = values[range.clone()].iter().fold(0f32, |m, v| m.max(v.abs()));
                // Rounding to 7 bits may bring the largest value to the next power of two.
                let step = 2f32.powi(largest.log2().floor() as i32 - 6) * slack * 2.0;
                for i in range {
                    assert!((values[i] - eight[i]).abs() <= step, "{i}: {} {}", values[i], eight[i]);
                    assert!((values[i] - four[i]).abs() <= 16.0 * step, "{i}: {} {}", values[i], four[i]);
                    twice += usize::from((values[i] - eight[i]).abs() > step / (4.0 * slack));
                }
            }
        }
        // Half a step is exceeded only by what is rounded twice, or cut off at the top.
        assert_eq!(twice > 50, slack == 1.0, "{twice}");
    }
}

/// A kernel with several formats: every change of format is a reconfiguration, integers included.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)]
fn several(
    compute: Compute,
    a: CbIn<bfp8_b>,
    b: CbIn<i32>,
    c: CbIn<bf16>,
    a_out: CbOut<bf16>,
    b_out: CbOut<i32>,
    c_out: CbOut<bfp4_b>,
    #[ttl(common)] pages: u32,
) {
    for _ in 0..pages {
        a_out.reserve_back(1).store(a.wait_front(1));
        let tile = b.wait_front(1);
        let mut out = b_out.reserve_back(1);
        let mut regs = compute.acquire();
        regs.copy_tile(&tile, 0, 0);
        regs.commit().pack_tile(0, &mut out);
        c_out.reserve_back(1).store(c.wait_front(1));
    }
}

#[test]
fn formats_change_within_a_kernel() {
    let (a_host, b_host) = (contents(DataFormat::Bfp8B), contents(DataFormat::I32));
    // Values that even 4 bits hold.
    let c_host = HostTensor::from_fn(SHAPE, |i| [1.0, -0.5, 0.25, 0.0][i % 4]).expect("floats");
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let options = DeviceOptions { arch, ..DeviceOptions::default() };
        let ran = on_both_engines(&options, |device| {
            let core = Core::new(0, 0);
            let mut program = Program::new("several");
            let a = device.upload::<bfp8_b>("a", &a_host)?;
            let b = device.upload::<i32>("b", &b_host)?;
            let c = device.upload::<bf16>("c", &c_host)?;
            let x = device.zeros::<bf16>("x", &SHAPE)?;
            let y = device.zeros::<i32>("y", &SHAPE)?;
            let z = device.zeros::<bfp4_b>("z", &SHAPE)?;
            let (a_out, a_in) = program.circular_buffer::<bfp8_b>("a", core, 2);
            let (b_out, b_in) = program.circular_buffer::<i32>("b", core, 2);
            let (c_out, c_in) = program.circular_buffer::<bf16>("c", core, 2);
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", core, 2);
            let (y_out, y_in) = program.circular_buffer::<i32>("y", core, 2);
            let (z_out, z_in) = program.circular_buffer::<bfp4_b>("z", core, 2);
            program.kernel(
                core,
                read_three { a: a.accessor(), b: b.accessor(), c: c.accessor(), a_out, b_out, c_out, pages: PAGES },
            );
            program.compute(
                core,
                wide(),
                several { a: a_in, b: b_in, c: c_in, a_out: x_out, b_out: y_out, c_out: z_out, pages: PAGES },
            );
            program.kernel(
                core,
                write_three { x: x.accessor(), y: y.accessor(), z: z.accessor(), x_in, y_in, z_in, pages: PAGES },
            );
            Ok((program, (x, y, z)))
        });
        let (device, (x, y, z)) = ran.unwrap_or_else(|e| panic!("{e}"));
        let same = |a: &HostTensor, b: &HostTensor| Comparison::of(a, b).expect("one shape").is_bit_equal();
        assert!(same(&device.download(&x).expect("x"), &a_host));
        assert!(same(&device.download(&y).expect("y"), &b_host));
        assert!(same(&device.download(&z).expect("z"), &c_host));
    }
}

#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
fn read_three(
    noc: Noc,
    a: TensorAccessor<bfp8_b>,
    b: TensorAccessor<i32>,
    c: TensorAccessor<bf16>,
    a_out: CbOut<bfp8_b>,
    b_out: CbOut<i32>,
    c_out: CbOut<bf16>,
    #[ttl(common)] pages: u32,
) {
    for page in 0..pages {
        noc.read_page(&a, page, &mut a_out.reserve_back(1)).wait();
        noc.read_page(&b, page, &mut b_out.reserve_back(1)).wait();
        noc.read_page(&c, page, &mut c_out.reserve_back(1)).wait();
    }
}

#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)]
fn write_three(
    noc: Noc,
    x: TensorAccessor<bf16>,
    y: TensorAccessor<i32>,
    z: TensorAccessor<bfp4_b>,
    x_in: CbIn<bf16>,
    y_in: CbIn<i32>,
    z_in: CbIn<bfp4_b>,
    #[ttl(common)] pages: u32,
) {
    for page in 0..pages {
        noc.write_page(&x, page, &x_in.wait_front(1)).wait();
        noc.write_page(&y, page, &y_in.wait_front(1)).wait();
        noc.write_page(&z, page, &z_in.wait_front(1)).wait();
    }
}

#[test]
fn block_expressions_copy_integers() {
    let host = contents(DataFormat::I32);
    let ran = on_both_engines(&DeviceOptions::default(), |device| {
        let x = device.upload::<i32>("x", &host)?;
        let y = device.zeros::<i32>("y", &SHAPE)?;
        let core = Core::new(0, 0);
        let mut program = Program::new("copy");
        let (x_out, x_in) = program.circular_buffer::<i32>("x", core, 2);
        let (y_out, y_in) = program.circular_buffer::<i32>("y", core, 2);
        program.kernel(core, read { src: x.accessor(), out: x_out, pages: PAGES });
        program.compute(core, wide(), copy::<i32> { x: x_in, y: y_out, pages: PAGES });
        program.kernel(core, write { dst: y.accessor(), input: y_in, pages: PAGES });
        Ok((program, y))
    });
    let (device, y) = ran.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(device.download(&y).expect("the result"), host);
}
