//! Circular buffers that are the shards of tensors.

use ttl::prelude::*;
use ttl::testing::on_both_engines;

#[ttl::kernel(reader)]
fn publish<T: Element>(_noc: Noc, out: CbOut<T>, #[ttl(common)] pages: u32) {
    out.reserve_back(pages).push_back();
}

#[ttl::kernel(compute)]
fn double(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>, #[ttl(common)] pages: u32) {
    for _ in 0..pages {
        let x = x.wait_front(1);
        y.reserve_back(1).store(&x + &x);
    }
}

#[ttl::kernel(writer)]
fn write<T: Element>(noc: Noc, dst: TensorAccessor<T>, input: CbIn<T>, #[ttl(common)] pages: u32, first: u32) {
    for page in 0..pages {
        let tile = input.wait_front(1);
        noc.write_page(&dst, first + page, &tile).wait();
    }
}

const SHAPE: [usize; 2] = [192, 96];

fn memory(kind: &str, way: Orientation) -> MemoryConfig {
    let cores = |x: u32, y: u32| CoreRange::grid(x, y).expect("cores");
    MemoryConfig::Sharded(match (kind, way) {
        ("height", _) => ShardSpec::new(ShardLayout::Height, [64, 96], cores(3, 1), way),
        ("width", _) => ShardSpec::new(ShardLayout::Width, [192, 32], cores(3, 1), way),
        (_, Orientation::Row) => ShardSpec::new(ShardLayout::Block, [96, 32], cores(3, 2), way),
        (_, Orientation::Col) => ShardSpec::new(ShardLayout::Block, [96, 32], cores(2, 3), way),
    })
}

use ttl::runtime::tensor::{Orientation, ShardLayout};

/// Sharded in, sharded out.
#[test]
fn shards_in_and_out() {
    let host = HostTensor::normal(SHAPE, 5).expect("floats").to_format(DataFormat::Bf16);
    let twice: Vec<f32> = host.to_f32_vec().iter().map(|v| v * 2.0).collect();
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for kind in ["height", "width", "block"] {
            for way in [Orientation::Row, Orientation::Col] {
                let options = DeviceOptions { arch, ..DeviceOptions::default() };
                let ran = on_both_engines(&options, |device| {
                    let x = device.upload_in::<bf16>("x", &host, memory(kind, way))?;
                    let y = device.zeros_in::<bf16>("y", &SHAPE, memory(kind, way))?;
                    let pages = x.shard_pages();
                    let cores = memory(kind, way).shards().expect("shards").cores.clone();
                    let mut program = Program::new("shards");
                    let (x_out, x_in) = program.circular_buffer_on(&x);
                    let (y_out, _) = program.circular_buffer_on(&y);
                    program.kernel(cores.clone(), publish { out: x_out, pages });
                    program.kernel(cores, double { x: x_in, y: y_out, pages });
                    Ok((program, (x, y)))
                });
                let (device, (x, y)) = ran.unwrap_or_else(|e| panic!("{kind} {way:?}: {e}"));
                assert_eq!(device.download(&x).expect("the input"), host, "{kind} {way:?}");
                assert_eq!(device.download(&y).expect("the output").to_f32_vec(), twice, "{kind} {way:?}");
            }
        }
    }
}

/// Row-major shards, whose pages are rows, from the buffer to DRAM.
#[test]
fn rows_in_shards() {
    let host = HostTensor::integers([20, 50], DataFormat::U16, 0, 65_535, 5).expect("integers");
    let cores = CoreRange::grid(4, 1).expect("cores");
    let shards = MemoryConfig::Sharded(ShardSpec::height([5, 50], cores));
    let ran = on_both_engines(&DeviceOptions::default(), |device| {
        let x = device.upload_row_major::<u16>("x", &host, shards.clone())?;
        let y = device.zeros_row_major::<u16>("y", &[20, 50], MemoryConfig::L1)?;
        let mut program = Program::new("rows");
        let (x_out, x_in) = program.circular_buffer_on(&x);
        program.kernel(cores, publish { out: x_out, pages: 5 });
        let first = per_core(|core| core.x * 5);
        program.kernel(cores, write { dst: y.accessor(), input: x_in, pages: 5, first });
        Ok((program, y))
    });
    let (device, y) = ran.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(device.download(&y).expect("the rows"), host);
}

fn refused(build: impl FnOnce(&mut Device, &mut Program)) -> String {
    let mut device = Device::open().expect("a device");
    let mut program = Program::new("refused");
    build(&mut device, &mut program);
    program.validate(&device).expect_err("refused").to_string()
}

#[test]
fn only_shards_in_l1_can_be_buffers() {
    for (memory, place) in [
        (MemoryConfig::Dram, "DRAM, interleaved"),
        (MemoryConfig::L1, "L1, interleaved"),
        (
            MemoryConfig::DramSharded(ShardSpec::width_over_banks([192, 32], 3)),
            "DRAM, width-sharded in 192x32 on banks (0,0)-(2,0)",
        ),
    ] {
        let e = refused(|device, program| {
            let x = device.zeros_in::<bf16>("x", &SHAPE, memory).expect("a tensor");
            let (out, _) = program.circular_buffer_on(&x);
            program.kernel(Core::new(0, 0), publish { out, pages: 1 });
        });
        assert!(e.contains("circular buffer `x` lies on tensor `x`, which is not sharded in L1"), "{e}");
        assert!(e.contains(&format!("the tensor is in {place}")), "{e}");
        assert!(e.contains("give the tensor a `MemoryConfig::Sharded`"), "{e}");
    }
}

#[test]
fn a_shard_must_be_published() {
    let e = refused(|device, program| {
        let x = device.zeros_in::<bf16>("x", &SHAPE, memory("height", Orientation::Row)).expect("a tensor");
        let y = device.zeros_in::<bf16>("y", &SHAPE, memory("height", Orientation::Row)).expect("a tensor");
        let (_, x_in) = program.circular_buffer_on(&x);
        let (y_out, _) = program.circular_buffer_on(&y);
        program.kernel(CoreRange::grid(3, 1).expect("cores"), double { x: x_in, y: y_out, pages: 6 });
    });
    assert!(e.contains("circular buffer `x` has no producer on (0,0)-(2,0)"), "{e}");
    assert!(e.contains("`reserve_back` all its pages and `push_back` once"), "{e}");
    assert!(!e.contains("circular buffer `y`"), "{e}");
}

#[test]
fn kernels_stay_on_the_cores_of_the_shards() {
    let e = refused(|device, program| {
        let x = device.zeros_in::<bf16>("x", &SHAPE, memory("height", Orientation::Row)).expect("a tensor");
        let (x_out, _) = program.circular_buffer_on(&x);
        program.kernel(CoreRange::grid(4, 1).expect("cores"), publish { out: x_out, pages: 6 });
    });
    assert!(e.contains("kernel `publish` uses circular buffer `x` on (3,0), where there is none"), "{e}");
}

/// More pages than the shard has.
#[test]
fn a_shard_has_so_many_pages() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros_in::<bf16>("x", &SHAPE, memory("height", Orientation::Row)).expect("a tensor");
    let mut program = Program::new("too many");
    let (out, _) = program.circular_buffer_on(&x);
    program.kernel(CoreRange::grid(3, 1).expect("cores"), publish { out, pages: 7 });
    let e = program.validate(&device).and_then(|p| device.run(&p)).expect_err("refused").to_string();
    assert!(e.contains("`cb_reserve_back` of 7 pages of cb `x` (id 0), which has 6"), "{e}");
}
