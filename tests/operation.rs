//! The operation form: what it becomes runs as the three kernels written out do, on both engines.

use ttl::prelude::*;

/// `a * b + c`, tile by tile.
#[ttl::kernel]
fn fma(
    a: TensorAccessor<bf16>,
    b: TensorAccessor<bf16>,
    c: TensorAccessor<bf16>,
    y: TensorAccessor<bf16>,
    #[ttl(common)] tiles: u32,
) {
    let (a_out, a_in) = ttl::buffer::<bf16>(2);
    let (b_out, b_in) = ttl::buffer::<bf16>(2);
    let (c_out, c_in) = ttl::buffer::<bf16>(2);
    let (y_out, y_in) = ttl::buffer::<bf16>(2);

    ttl::reader(|noc| {
        for i in 0..tiles {
            noc.read_page(&a, i, &mut a_out.reserve_back(1)).wait();
            noc.read_page(&b, i, &mut b_out.reserve_back(1)).wait();
            noc.read_page(&c, i, &mut c_out.reserve_back(1)).wait();
        }
    });
    ttl::compute(|_| {
        for _ in 0..tiles {
            let (a, b, c) = (a_in.wait_front(1), b_in.wait_front(1), c_in.wait_front(1));
            y_out.reserve_back(1).store(&a * &b + &c);
        }
    });
    ttl::writer(|noc| {
        for i in 0..tiles {
            noc.write_page(&y, i, &y_in.wait_front(1)).flushed();
        }
    });
}

/// Blocks of `N` tiles of any format, the share of each core by its column; a variable that two sections use.
#[ttl::kernel]
fn doubled<T: Element, const N: u32>(
    x: TensorAccessor<T>,
    y: TensorAccessor<T>,
    #[ttl(compile_time)] depth: u32,
    share: u32,
) {
    let blocks = share / N;
    let (x_out, x_in) = ttl::buffer::<T>(depth * N);
    let (y_out, y_in) = ttl::buffer::<T>(depth * N);

    ttl::reader(|noc| {
        let first = noc.core_x() * share;
        for block in 0..blocks {
            let mut tiles = x_out.reserve_back(N);
            let mut reads = noc.read_into(&mut tiles);
            for i in 0..N {
                reads.page(&x, first + block * N + i, i);
            }
            reads.wait();
        }
    });
    ttl::compute(|_compute| {
        for _ in 0..blocks {
            let x = x_in.wait_front(N);
            y_out.reserve_back(N).store(&x + &x);
        }
    });
    ttl::writer(|noc| {
        let first = noc.core_x() * share;
        for block in 0..blocks {
            let tiles = y_in.wait_front(N);
            let mut writes = noc.write_from(&tiles);
            for i in 0..N {
                writes.page(&y, first + block * N + i, i);
            }
            writes.flushed();
        }
    });
}

#[test]
fn fma_on_both_engines() {
    let shape = [96, 64];
    let of = |f: fn(usize) -> f32| HostTensor::from_fn(shape, f);
    let ran = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        let a = device.upload::<bf16>("a", &of(|i| (i % 7) as f32)?)?;
        let b = device.upload::<bf16>("b", &of(|i| (i % 5) as f32 - 2.0)?)?;
        let c = device.upload::<bf16>("c", &of(|i| (i % 3) as f32)?)?;
        let y = device.zeros::<bf16>("y", &shape)?;
        let mut program = Program::new("fma");
        let args = fma { a: a.accessor(), b: b.accessor(), c: c.accessor(), y: y.accessor(), tiles: y.pages() };
        program.operation(Core::new(0, 0), args);
        Ok((program, y))
    });
    let (device, y) = ran.unwrap_or_else(|e| panic!("{e}"));
    let y = device.download(&y).expect("download");
    for i in 0..96 * 64 {
        let expected = (i % 7) as f32 * ((i % 5) as f32 - 2.0) + (i % 3) as f32;
        assert_eq!(y.get(i), Some(expected), "element {i}");
    }
}

#[test]
fn generic_over_cores() {
    let shape = [64, 128];
    let ran = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        let x = device.upload::<f32>("x", &HostTensor::from_fn(shape, |i| (i % 128) as f32)?)?;
        let y = device.zeros::<f32>("y", &shape)?;
        let mut program = Program::new("doubled");
        let cores = CoreRange::new(Core::new(0, 0), Core::new(1, 0));
        let args = doubled::<f32, 2> { x: x.accessor(), y: y.accessor(), depth: 2, share: 4.into() };
        program.operation(cores, args);
        Ok((program, y))
    });
    let (device, y) = ran.unwrap_or_else(|e| panic!("{e}"));
    let y = device.download(&y).expect("download");
    for i in 0..64 * 128 {
        assert_eq!(y.get(i), Some(2.0 * (i % 128) as f32), "element {i}");
    }
}

/// One operand several times: methods borrow it, operators take it or borrow it with `&`.
#[ttl::kernel]
fn square(x: TensorAccessor<bf16>, y: TensorAccessor<bf16>, #[ttl(common)] tiles: u32) {
    let (x_out, x_in) = ttl::buffer::<bf16>(2);
    let (y_out, y_in) = ttl::buffer::<bf16>(2);
    ttl::reader(|noc| {
        for i in 0..tiles {
            noc.read_page(&x, i, &mut x_out.reserve_back(1)).wait();
        }
    });
    ttl::compute(|_compute| {
        for _ in 0..tiles {
            let x = x_in.wait_front(1);
            y_out.reserve_back(1).store(x.abs() * x.relu() + x.square() - &x);
        }
    });
    ttl::writer(|noc| {
        for i in 0..tiles {
            noc.write_page(&y, i, &y_in.wait_front(1)).flushed();
        }
    });
}

#[test]
fn an_operand_used_several_times() {
    let (device, y) = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        let x = device.upload::<bf16>("x", &HostTensor::from_fn([64, 64], |i| (i % 8) as f32)?)?;
        let y = device.zeros::<bf16>("y", x.shape())?;
        let tiles = x.pages();
        let mut program = Program::new("square");
        program.operation(Core::new(0, 0), square { x: x.accessor(), y: y.accessor(), tiles });
        Ok((program, y))
    })
    .unwrap_or_else(|e| panic!("{e}"));
    let y = device.download(&y).expect("on this device");
    for i in 0..64 * 64 {
        assert_eq!(y.get(i), Some((2 * (i % 8) * (i % 8) - i % 8) as f32), "element {i}");
    }
}

/// 1 + x - 1 for an x that is less than the last place of a bf16 1: registers of 16 bits lose it.
#[ttl::kernel]
fn difference(x: TensorAccessor<f32>, y: TensorAccessor<f32>) {
    let (x_out, x_in) = ttl::buffer::<f32>(1);
    let (y_out, y_in) = ttl::buffer::<f32>(1);
    ttl::reader(|noc| noc.read_page(&x, 0, &mut x_out.reserve_back(1)).wait());
    ttl::compute(|_compute| {
        let x = x_in.wait_front(1);
        y_out.reserve_back(1).store((&x + 1.0) - 1.0);
    });
    ttl::writer(|noc| noc.write_page(&y, 0, &y_in.wait_front(1)).flushed());
}

#[test]
fn settings_of_the_compute_section() {
    for (wide, expected) in [(false, 0.0), (true, 2f32.powi(-9))] {
        let (device, y) = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
            let x = device.upload::<f32>("x", &HostTensor::from_fn([32, 32], |_| 2f32.powi(-9))?)?;
            let y = device.zeros::<f32>("y", x.shape())?;
            let mut program = Program::new("difference");
            let config = ComputeConfig { fp32_dest_acc: wide, ..ComputeConfig::default() };
            program.operation_with(Core::new(0, 0), config, difference { x: x.accessor(), y: y.accessor() });
            Ok((program, y))
        })
        .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(device.download(&y).expect("on this device").get(0), Some(expected), "wide: {wide}");
    }
}
