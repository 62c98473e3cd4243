//! What reductions of f32 tiles keep with 32-bit registers: 11 bits, also where the result goes through the source registers once more.

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<f32>, x_out: CbOut<f32>) {
    let mut block = x_out.reserve_back(2);
    let mut reads = noc.read_into(&mut block);
    for page in 0..2 {
        reads.page(&x, page, page);
    }
    reads.wait();
}

#[ttl::kernel(compute)]
fn reduced(_: Compute, x_in: CbIn<f32>, y_out: CbOut<f32>) {
    let front = x_in.wait_front(2);
    let x = front.block(1, 2);
    y_out.reserve_back(1).store(x.max_row());
    y_out.reserve_back(1).store(x.max_col().max_scalar());
    y_out.reserve_back(1).store(x.max_scalar());
    y_out.reserve_back(1).store(x.sum_scalar());
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<f32>, y_in: CbIn<f32>) {
    for page in 0..4 {
        noc.write_page(&y, page, &y_in.wait_front(1)).flushed();
    }
}

/// Numbers of 11 bits, the largest of a row and of all in odd places; every column has one that is not zero.
fn value(r: usize, c: usize) -> f32 {
    if (c + 5 * r) % 32 == 7 { 1.0 + (17 * r + c) as f32 / 1024.0 } else { 0.0 }
}

#[test]
fn f32_tiles_keep_eleven_bits() {
    let host = HostTensor::from_fn([32, 64], |i| value(i / 64, i % 64)).expect("a tensor");
    let row = |r: usize| (0..64).map(move |c| value(r, c));
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let options = DeviceOptions { arch, ..DeviceOptions::default() };
        let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
        let ran = ttl::testing::on_both_engines(&options, |device| {
            let x = device.upload::<f32>("x", &host)?;
            let y = device.zeros::<f32>("y", &[128, 32])?;
            let core = Core::new(0, 0);
            let mut p = Program::new("precision");
            let (x_out, x_in) = p.circular_buffer::<f32>("x", core, 2);
            let (y_out, y_in) = p.circular_buffer::<f32>("y", core, 2);
            p.kernel(core, read { x: x.accessor(), x_out });
            p.compute(core, config.clone(), reduced { x_in, y_out });
            p.kernel(core, write { y: y.accessor(), y_in });
            Ok((p, y))
        });
        let (device, y) = ran.unwrap_or_else(|e| panic!("{}: {e}", arch.name()));
        let y = device.download(&y).expect("on this device").to_f32_vec();
        for r in 0..32 {
            let largest = row(r).fold(f32::MIN, f32::max);
            assert_eq!(y[r * 32], largest, "{}: row {r}", arch.name());
        }
        let largest = (0..32).flat_map(row).fold(f32::MIN, f32::max);
        assert_ne!(largest, f32::from_bits(largest.to_bits() & 0xffff_0000), "8 bits would do");
        assert_eq!([y[1024], y[2048]], [largest; 2], "{}", arch.name());
        // What the source registers cut off is less than this; of 8 bits it would be three times as much.
        let sum: f32 = (0..32).flat_map(row).sum();
        assert!((y[3072] - sum).abs() <= sum * 2f32.powi(-10), "{}: {} for {sum}", arch.name(), y[3072]);
    }
}
