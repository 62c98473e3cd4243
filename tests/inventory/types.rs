//! Section B, first half: formats, layouts, memories.

use crate::kernels::*;
use ttl::prelude::*;
use ttl::runtime::tensor::TensorSpec;

#[test]
fn item_31_layouts() {
    let arch = Arch::blackhole();
    let cores = |x: u32, y: u32| CoreRange::new(Core::new(0, 0), Core::new(x, y));
    for (memory, fits) in [
        (MemoryConfig::Dram, true),
        (MemoryConfig::L1, true),
        (MemoryConfig::Sharded(ShardSpec::height([32, 192], cores(3, 0))), true),
        (MemoryConfig::Sharded(ShardSpec::width([128, 32], cores(5, 0))), true),
        (MemoryConfig::Sharded(ShardSpec::block([64, 96], cores(1, 1))), true),
        // No whole tiles, and fewer cores than shards.
        (MemoryConfig::Sharded(ShardSpec::height([20, 192], cores(6, 0))), false),
        (MemoryConfig::Sharded(ShardSpec::height([32, 192], cores(2, 0))), false),
    ] {
        let spec = TensorSpec::new(SHAPE, DataFormat::Bf16).expect("a shape").with_memory(memory.clone());
        let checked = spec.check(&arch);
        assert_eq!(checked.is_ok(), fits, "{memory:?}: {checked:?}");
        assert_eq!(spec.pages(), 24);
    }
}

/// Each tensor of a kernel in a memory of its own.
#[test]
fn item_32_dram_and_l1_mixed() {
    let block = ShardSpec::block([64, 96], CoreRange::new(Core::new(2, 2), Core::new(3, 3)));
    let places = [MemoryConfig::Dram, MemoryConfig::L1, MemoryConfig::Sharded(block)];
    for i in 0..3 {
        let memories = [0, 1, 2].map(|j| places[(i + j) % 3].clone());
        let setup = Setup { memories, ..Setup::default() };
        assert_near(&run(&setup, Compute3::Add), &exact(|a, b| a + b), 0.55, 0.0);
    }
}
