//! What formats do not allow.

use ttl::prelude::*;

#[ttl::kernel(compute)]
fn convert<T: Element, U: Element>(compute: Compute, x: CbIn<T>, y: CbOut<U>) {
    let tile = x.wait_front(1);
    let mut out = y.reserve_back(1);
    let mut regs = compute.acquire();
    regs.copy_tile(&tile, 0, 0);
    regs.commit().pack_tile(0, &mut out);
}

#[ttl::kernel(compute)]
fn add<T: Element>(compute: Compute, x: CbIn<T>, y: CbOut<T>) {
    let tiles = x.wait_front(2);
    let mut out = y.reserve_back(1);
    let mut regs = compute.acquire();
    regs.add_tiles(&tiles, &tiles, 0, 1, 0);
    regs.commit().pack_tile(0, &mut out);
}

#[ttl::kernel(reader)]
fn produce<T: Element>(_noc: Noc, x: CbOut<T>) {
    x.reserve_back(2).push_back();
}

#[ttl::kernel(writer)]
fn consume<T: Element>(_noc: Noc, y: CbIn<T>) {
    y.wait_front(1).pop_front();
}

const CORE: Core = Core::new(0, 0);

/// A program with a compute kernel between two others.
fn program<T: Element, U: Element>(put: impl FnOnce(&mut Program, Consumer<T>, Producer<U>)) -> Program {
    let mut program = Program::new("refused");
    let (x_out, x_in) = program.circular_buffer::<T>("x", CORE, 2);
    let (y_out, y_in) = program.circular_buffer::<U>("y", CORE, 2);
    program.kernel(CORE, produce { x: x_out });
    put(&mut program, x_in, y_out);
    program.kernel(CORE, consume { y: y_in });
    program
}

#[test]
fn wide_integers_need_wide_registers() {
    fn message<T: Element, U: Element>() -> String {
        let device = Device::open().expect("a device");
        let program = program::<T, U>(|p, x, y| p.kernel(CORE, convert { x, y }));
        program.validate(&device).expect_err("refused").to_string()
    }
    let e = message::<i32, bf16>();
    assert!(
        e.contains("compute kernel `convert` uses circular buffer `x` of i32, which 16-bit tile registers cannot hold"),
        "{e}"
    );
    assert!(e.contains("set `fp32_dest_acc: true` in the kernel's `ComputeConfig`"), "{e}");
    assert!(message::<bf16, u32>().contains("circular buffer `y` of u32"));
    assert!(message::<u8, u16>().contains("circular buffer `x` of u8"));
}

#[test]
fn the_matrix_unit_has_no_integers() {
    let wide = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    for engine in [Engine::Native, Engine::Cpp] {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let program = program::<i32, i32>(|p, x, y| p.compute(CORE, wide.clone(), add { x, y }));
        let result = program.validate(&device).and_then(|program| device.run(&program));
        let e = result.expect_err("refused").to_string();
        assert!(e.contains("`add_tiles`: cb `x` (id 0) is i32, and the matrix unit computes with floats only"), "{e}");
        assert!(e.contains("tests/formats/refused.rs:"), "{e}");
    }
}

#[test]
fn uploads_do_not_guess() {
    let mut device = Device::open().expect("a device");
    let floats = HostTensor::zeros([4], DataFormat::F32).expect("a tensor");
    let e = device.upload::<i32>("x", &floats).expect_err("refused").to_string();
    assert!(e.contains("f32 elements for a tensor of i32"), "{e}");
    let large = HostTensor::from_vec([2], vec![1u32, 300]).expect("a tensor");
    let e = device.upload::<u8>("x", &large).expect_err("refused").to_string();
    assert!(e.contains("element 1 is 300, which u8 cannot hold"), "{e}");
    assert!(device.upload::<u16>("x", &large).is_ok());
}
