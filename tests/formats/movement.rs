//! Tiles of every format in every kind of memory arrive as they left, to the byte.

use super::{PAGES, SHAPE, contents, for_each_format};
use ttl::prelude::*;

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
        noc.write_page(&dst, page, &tile).wait();
    }
}

fn memories() -> [MemoryConfig; 5] {
    let cores = |x: u32, y: u32, to_x: u32, to_y: u32| CoreRange::new(Core::new(x, y), Core::new(to_x, to_y));
    [
        MemoryConfig::Dram,
        MemoryConfig::L1,
        MemoryConfig::Sharded(ShardSpec::height([32, 96], cores(0, 0, 3, 0))),
        MemoryConfig::Sharded(ShardSpec::width([128, 32], cores(1, 1, 3, 1))),
        MemoryConfig::Sharded(ShardSpec::block([64, 32], cores(2, 2, 4, 3))),
    ]
}

/// A core for each memory copies from it to the next one.
fn copy<T: Element>(arch: Arch) {
    let host = contents(T::FORMAT);
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let ran = ttl::testing::on_both_engines(&options, |device| {
        let mut program = Program::new("copy");
        let mut copies = Vec::new();
        let memories = memories();
        for (i, memory) in memories.iter().enumerate() {
            let to = memories[(i + 1) % memories.len()].clone();
            let src = device.upload_in::<T>(&format!("src{i}"), &host, memory.clone())?;
            let dst = device.zeros_in::<T>(&format!("dst{i}"), &SHAPE, to)?;
            let core = Core::new(i as u32, 0);
            let (out, input) = program.circular_buffer::<T>("tile", core, 2);
            program.kernel(core, read { src: src.accessor(), out, pages: PAGES });
            program.kernel(core, write { dst: dst.accessor(), input, pages: PAGES });
            copies.push((src, dst));
        }
        Ok((program, copies))
    });
    let (device, copies) = ran.unwrap_or_else(|e| panic!("{}: {e}", T::FORMAT));
    let tiles = host.to_tiles(T::FORMAT).expect("tiles");
    for (src, dst) in copies {
        assert_eq!(device.pages(src.handle()).expect("its pages"), tiles, "{src:?} of {}", T::FORMAT);
        assert_eq!(device.pages(dst.handle()).expect("its pages"), tiles, "{dst:?} of {}", T::FORMAT);
        assert_eq!(device.download(&dst).expect("contents"), host, "{dst:?} of {}", T::FORMAT);
    }
}

#[test]
fn every_format_in_every_memory_of_blackhole() {
    for_each_format!(copy(Arch::blackhole()));
}

#[test]
fn every_format_in_every_memory_of_wormhole() {
    for_each_format!(copy(Arch::wormhole()));
}
