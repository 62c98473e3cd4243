//! Which processor and which NoC a data-movement kernel gets when it is put in the program.

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, x: CbOut<f32>, src: TensorAccessor<f32>) {
    let mut block = x.reserve_back(1);
    noc.read_page(&src, 0, &mut block).wait();
    // Where this core is by the coordinates of the kernel's NoC.
    block.write_u32(1, noc.raw().my_x());
}

#[ttl::kernel(writer)]
fn write(noc: Noc, x: CbIn<f32>, dst: TensorAccessor<f32>) {
    noc.write_page(&dst, 0, &x.wait_front(1)).flushed();
}

const CORE: Core = Core { x: 1, y: 2 };

fn program(device: &mut Device, put: &dyn Fn(&mut Program, read, write)) -> ttl::Result<(Program, Tensor<f32>)> {
    let src = device.upload::<f32>("src", &HostTensor::from_fn([32, 32], |i| i as f32)?)?;
    let dst = device.zeros::<f32>("dst", &[32, 32])?;
    let mut program = Program::new("placed");
    let (x_out, x) = program.circular_buffer::<f32>("x", CORE, 1);
    put(&mut program, read { x: x_out, src: src.accessor() }, write { x, dst: dst.accessor() });
    Ok((program, dst))
}

#[test]
fn a_reader_runs_where_a_writer_does() {
    let swapped = |program: &mut Program, read: read, write: write| {
        program.kernel_on(CORE, DmProcessor::Brisc, DmNoc::Noc1, read);
        program.kernel_on(CORE, DmProcessor::Ncrisc, DmNoc::Noc0, write);
    };
    let ran = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| program(device, &swapped));
    let (device, dst) = ran.unwrap_or_else(|e| panic!("{e}"));
    let values = device.download(&dst).unwrap().to_f32_vec();
    assert!(values[2..].iter().zip(2..).all(|(v, i)| *v == i as f32));

    let mut device = Device::open().unwrap();
    let (program, _) = program(&mut device, &swapped).unwrap();
    let report = program.validate(&device).unwrap().report().unwrap();
    assert!(report.contains("BRISC, NoC 1") && report.contains("NCRISC, NoC 0"), "{report}");
}

#[test]
fn two_kernels_need_two_processors_and_two_nocs() {
    let refused = |put: &dyn Fn(&mut Program, read, write)| {
        let mut device = Device::open().unwrap();
        let (program, _) = program(&mut device, put).unwrap();
        program.validate(&device).expect_err("refused").to_string()
    };
    let message = refused(&|program, read, write| {
        program.kernel_on(CORE, DmProcessor::Brisc, DmNoc::Noc0, read);
        program.kernel(CORE, write);
    });
    assert!(message.contains("kernels `read` and `write` both run on BRISC of (1,2)"), "{message}");
    let message = refused(&|program, read, write| {
        program.kernel_on(CORE, DmProcessor::Ncrisc, DmNoc::Noc1, read);
        program.kernel(CORE, write);
    });
    assert!(message.contains("kernels `read` and `write` both use NoC 1 on (1,2)"), "{message}");
}
