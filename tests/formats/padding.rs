//! What the padding of tiles holds, and what an operation over whole tiles makes of it.

use ttl::prelude::*;
use ttl::testing::on_both_engines;

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<bf16>, out: CbOut<bf16>, #[ttl(common)] pages: u32) {
    for page in 0..pages {
        noc.read_page(&x, page, &mut out.reserve_back(1)).wait();
    }
}

#[ttl::kernel(compute)]
fn exponentials(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>, #[ttl(common)] pages: u32) {
    for _ in 0..pages {
        y.reserve_back(1).store(x.wait_front(1).exp());
    }
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<bf16>, input: CbIn<bf16>, #[ttl(common)] pages: u32) {
    for page in 0..pages {
        noc.write_page(&y, page, &input.wait_front(1)).wait();
    }
}

/// The bf16 elements of one tile.
fn tile(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(2).map(|b| bf16::from_le_bytes([b[0], b[1]]).to_f32()).collect()
}

#[test]
fn padding_takes_part() {
    let host = HostTensor::from_fn([3, 20], |_| -4.0).expect("a tensor");
    for (padding, after) in [(0.0f32, 1.0f32), (f32::NEG_INFINITY, 0.0)] {
        let ran = on_both_engines(&DeviceOptions::default(), |device| {
            let x = device.upload_padded::<bf16>("x", &host, MemoryConfig::Dram, padding)?;
            let y = device.zeros::<bf16>("y", &[3, 20])?;
            let core = Core::new(0, 0);
            let mut program = Program::new("exp");
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", core, 1);
            let (y_out, y_in) = program.circular_buffer::<bf16>("y", core, 1);
            program.kernel(core, read { x: x.accessor(), out: x_out, pages: 1 });
            program.kernel(core, exponentials { x: x_in, y: y_out, pages: 1 });
            program.kernel(core, write { y: y.accessor(), input: y_in, pages: 1 });
            Ok((program, (x, y)))
        });
        let (device, (x, y)) = ran.unwrap_or_else(|e| panic!("{e}"));
        // The host sees none of it.
        assert_eq!(device.download(&x).expect("x").to_f32_vec(), host.to_f32_vec());
        let y_host = device.download(&y).expect("y").to_f32_vec();
        assert!(y_host.iter().all(|&v| (v - (-4f32).exp()).abs() < 1e-3));
        let (x, y) = (tile(&device.pages(x.handle()).expect("x")), tile(&device.pages(y.handle()).expect("y")));
        // Row 0 of the second face: columns 16 to 31, of which four are elements.
        assert_eq!((x[256 + 3], x[256 + 4], x[16 * 3]), (-4.0, padding, padding));
        assert_eq!((y[256 + 4], y[16 * 3], y[1023]), (after, after, after));
        assert_eq!(y.iter().filter(|&&v| v == after).count(), 1024 - 60);
    }
}
