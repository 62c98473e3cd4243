//! Row-major tensors: a page is a row, or the part of a row that lies in one shard.

use ttl::prelude::*;
use ttl::runtime::codegen::Lines;
use ttl::testing::on_both_engines;

/// Rows of a length that no alignment divides.
const SHAPE: [usize; 3] = [2, 12, 70];
const ROWS: u32 = 24;

/// Blocks of `N` rows.
#[ttl::kernel(reader)]
fn read<T: Element, const N: u32>(noc: Noc, src: TensorAccessor<T>, out: CbOut<T>, #[ttl(common)] pages: u32) {
    for first in (0..pages).step_by(N as usize) {
        let mut block = out.reserve_back(N);
        let mut reads = noc.read_into(&mut block);
        for i in 0..N {
            reads.page(&src, first + i, i);
        }
        reads.wait();
    }
}

/// To the rows in reverse order.
#[ttl::kernel(writer)]
fn write<T: Element, const N: u32>(noc: Noc, dst: TensorAccessor<T>, input: CbIn<T>, #[ttl(common)] pages: u32) {
    for first in (0..pages).step_by(N as usize) {
        let block = input.wait_front(N);
        let mut writes = noc.write_from(&block);
        for i in 0..N {
            writes.page(&dst, pages - 1 - first - i, i);
        }
        writes.wait();
    }
}

fn contents(format: DataFormat) -> HostTensor {
    if format.is_integer() {
        HostTensor::integers(SHAPE, format, 0, 255, 7).expect("integers")
    } else {
        HostTensor::normal(SHAPE, 7).expect("floats").to_format(format)
    }
}

fn reversed(host: &HostTensor, width: usize) -> Vec<f64> {
    host.to_f64_vec().chunks(width).rev().flatten().copied().collect()
}

/// From one memory to another and one chip to the other, rows in reverse.
fn copy<T: Element>(arch: Arch, from: MemoryConfig, to: MemoryConfig) {
    let host = contents(T::FORMAT);
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let ran = on_both_engines(&options, |device| {
        let src = device.upload_row_major::<T>("src", &host, from.clone())?;
        let dst = device.zeros_row_major::<T>("dst", &SHAPE, to.clone())?;
        let core = Core::new(0, 0);
        let mut program = Program::new("rows");
        let (out, input) = program.circular_buffer_of_rows::<T>("rows", core, 8, 70);
        program.kernel(core, read::<T, 4> { src: src.accessor(), out, pages: ROWS });
        program.kernel(core, write::<T, 4> { dst: dst.accessor(), input, pages: ROWS });
        Ok((program, (src, dst)))
    });
    let (device, (src, dst)) = ran.unwrap_or_else(|e| panic!("{} from {from} to {to}: {e}", T::FORMAT));
    assert_eq!(device.download(&src).expect("the source"), host);
    let got = device.download(&dst).expect("the result");
    assert_eq!(got.to_f64_vec(), reversed(&host, 70), "{} from {from} to {to}", T::FORMAT);
}

#[test]
fn rows_move_between_memories() {
    let cores = CoreRange::grid(3, 2).expect("cores");
    let height = MemoryConfig::Sharded(ShardSpec::height([4, 70], cores));
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        copy::<bf16>(arch, MemoryConfig::Dram, MemoryConfig::L1);
        copy::<f32>(arch, MemoryConfig::L1, height.clone());
        copy::<u8>(arch, height.clone(), MemoryConfig::Dram);
    }
    copy::<u16>(Arch::blackhole(), MemoryConfig::Dram, height.clone());
    copy::<i32>(Arch::blackhole(), height, MemoryConfig::L1);
    copy::<u32>(Arch::blackhole(), MemoryConfig::Dram, MemoryConfig::Dram);
}

/// Where a width is cut, the pieces of a row are pages.
#[test]
fn pieces_of_rows() {
    let host = contents(DataFormat::F32);
    let cores = CoreRange::grid(3, 2).expect("cores");
    let memories = [
        MemoryConfig::Sharded(ShardSpec::width([24, 12], cores)),
        MemoryConfig::Sharded(ShardSpec::block([12, 24], cores)),
        MemoryConfig::DramSharded(ShardSpec::width_over_banks([24, 10], 8)),
    ];
    for (memory, (pieces, width)) in memories.into_iter().zip([(6u32, 12), (3, 24), (7, 10)]) {
        let pages = ROWS * pieces;
        let ran = on_both_engines(&DeviceOptions::default(), |device| {
            let src = device.upload_row_major::<f32>("src", &host, memory.clone())?;
            let dst = device.zeros_row_major::<f32>("dst", &SHAPE, memory.clone())?;
            assert_eq!((src.pages(), src.spec().page_size()), (pages, 4 * width));
            let core = Core::new(1, 1);
            let mut program = Program::new("pieces");
            let (out, input) = program.circular_buffer_of_rows::<f32>("pieces", core, 2, width);
            program.kernel(core, read::<f32, 1> { src: src.accessor(), out, pages });
            program.kernel(core, write::<f32, 1> { dst: dst.accessor(), input, pages });
            Ok((program, dst))
        });
        let (device, dst) = ran.unwrap_or_else(|e| panic!("{memory}: {e}"));
        // The page order is reversed: rows from last to first, and in each its pieces from last to first.
        let values = host.to_f64_vec();
        let padded: Vec<f64> = values
            .chunks(70)
            .flat_map(|row| {
                let mut row = row.to_vec();
                row.resize((pieces * width) as usize, 0.0);
                row
            })
            .collect();
        let turned: Vec<f64> = padded.chunks(width as usize).rev().flatten().copied().collect();
        let expect: Vec<f64> = turned.chunks((pieces * width) as usize).flat_map(|row| row[..70].to_vec()).collect();
        assert_eq!(device.download(&dst).expect("the result").to_f64_vec(), expect, "{memory}");
    }
}

#[test]
fn pages_of_a_block_are_as_far_apart_as_the_buffer_says() {
    let mut device = Device::open().expect("a device");
    let src = device.zeros_row_major::<bf16>("src", &SHAPE, MemoryConfig::Dram).expect("a tensor");
    let dst = device.zeros_row_major::<bf16>("dst", &SHAPE, MemoryConfig::Dram).expect("a tensor");
    let core = Core::new(0, 0);
    let mut program = Program::new("rows");
    let (out, input) = program.circular_buffer_of_rows::<bf16>("rows", core, 8, 70);
    program.kernel(core, read::<bf16, 4> { src: src.accessor(), out, pages: ROWS });
    program.kernel(core, write::<bf16, 4> { dst: dst.accessor(), input, pages: ROWS });
    let sources = program.validate(&device).and_then(|p| p.sources(Lines::None)).expect("C++");
    let text = &sources[0].text;
    assert!(text.contains("get_write_ptr(out) + i * get_local_cb_interface(out).fifo_page_size"), "{text}");
}

#[test]
fn pages_that_do_not_fit_are_refused() {
    let mut device = Device::open().expect("a device");
    let src = device.zeros_row_major::<bf16>("src", &SHAPE, MemoryConfig::Dram).expect("a tensor");
    let dst = device.zeros_row_major::<bf16>("dst", &SHAPE, MemoryConfig::L1).expect("a tensor");
    let core = Core::new(0, 0);
    let mut program = Program::new("rows");
    let (out, input) = program.circular_buffer_of_bytes::<bf16>("rows", core, 8, 144);
    program.kernel(core, read::<bf16, 4> { src: src.accessor(), out, pages: ROWS });
    program.kernel(core, write::<bf16, 4> { dst: dst.accessor(), input, pages: ROWS });
    let e = program.validate(&device).expect_err("refused").to_string();
    // 144 bytes are enough for L1, not for DRAM.
    assert!(
        e.contains("kernel `read` moves pages of tensor `src` through circular buffer `rows`, whose pages are smaller"),
        "{e}"
    );
    assert!(e.contains("a page of the tensor has 140 bytes, with its alignment 192"), "{e}");
    assert!(e.contains("`circular_buffer_of_rows`"), "{e}");
    assert!(!e.contains("`dst`"), "{e}");
}

#[test]
fn block_floats_have_no_rows() {
    let mut device = Device::open().expect("a device");
    let host = HostTensor::zeros([4, 32], DataFormat::F32).expect("a tensor");
    let e = device.upload_row_major::<bfp8_b>("x", &host, MemoryConfig::Dram).expect_err("refused").to_string();
    assert!(e.contains("bfp8_b exists in tiles only"), "{e}");
    assert!(e.contains("use bf16 rows"), "{e}");
}
