use std::collections::HashSet;

use super::*;
use crate::tensor::format::DataFormat;
use crate::tensor::memory::MemoryConfig;
use crate::tensor::spec::TensorSpec;

#[path = "accessor_case.rs"]
mod case;
#[path = "accessor_pages.rs"]
mod pages;
#[path = "accessor_words.rs"]
mod words;

const ARCHS: [Arch; 2] = [Arch::blackhole(), Arch::wormhole()];

#[test]
fn interleaved_words_are_those_of_ttnn() {
    for arch in &ARCHS {
        for (format, page) in [(DataFormat::Bf16, 2048), (DataFormat::F32, 4096)] {
            let spec = TensorSpec::new([64, 96], format).unwrap();
            assert_eq!(spec.accessor_words(arch), Ok(vec![2, page]));
            let spec = spec.with_memory(MemoryConfig::L1);
            assert_eq!(spec.accessor_words(arch), Ok(vec![0, page]));
        }
    }
}

#[test]
fn words_are_those_of_ttnn() {
    for case in words::SHARDED.iter().chain(pages::CASES) {
        let spec = case.spec();
        if let Some(pages) = case.pages {
            assert_eq!((spec.pages(), spec.page_size()), pages, "{}", case.name);
        }
        for (arch, expect) in ARCHS.iter().zip(case.words) {
            match (spec.accessor_words(arch), expect) {
                (got, Some(expect)) => assert_eq!(got.as_deref(), Ok(expect), "{} on {}", case.name, arch.name()),
                (got, None) => assert!(got.is_err(), "{} on {}", case.name, arch.name()),
            }
        }
        if let Some(bytes) = case.per_bank {
            assert_eq!(spec.bytes_per_bank(&ARCHS[0]), Ok(bytes), "{}", case.name);
        }
    }
}

#[test]
fn decoding_uses_exactly_its_words() {
    for case in words::SHARDED {
        let mut words = case.words[0].expect("the words").to_vec();
        let n = words.len();
        words.extend([2, 2048]);
        let (first, used) = Accessor::decode(&words, &Arch::blackhole()).unwrap();
        assert_eq!(used, n, "{}", case.name);
        assert!(first.is_sharded() && !first.is_dram());
        let (second, used) = Accessor::decode(&words[used..], &Arch::blackhole()).unwrap();
        assert_eq!((second.is_sharded(), used), (false, 2));
        for cut in 0..n {
            let e = Accessor::decode(&words[..cut], &Arch::blackhole()).unwrap_err();
            assert!(matches!(e, AccessorError::TooFewWords { have, .. } if have == cut));
        }
    }
}

/// Element by element from the definition: which core holds the shard, and where in it the tile lies.
#[test]
fn sharded_pages_lie_in_their_shards() {
    for case in words::SHARDED {
        let arch = Arch::blackhole();
        let (spec, shard) = (case.spec(), case.shard());
        let accessor = spec.accessor(&arch).unwrap();
        let tiles = spec.tiles();
        let (high, wide) = (tiles.batch * tiles.tile_rows(), tiles.tile_cols());
        let (sh, sw) = (shard[0] as usize / 32, shard[1] as usize / 32);
        let across = wide.div_ceil(sw);
        let banks = spec.shard_grid(&arch).unwrap().unwrap().banks;
        let mut seen = HashSet::new();
        for page in 0..high * wide {
            let (r, c) = (page / wide, page % wide);
            let shard = (r / sh) * across + c / sw;
            let slot = (r % sh) * sw + c % sw;
            let Core { x, y } = arch.virtual_core(banks[shard]);
            let addr = 0x1000 + slot as u32 * spec.page_size() + 20;
            let got = accessor.locate(0x1000, page as u32, 20);
            assert_eq!(got, PageAddr::L1 { x, y, addr }, "{} page {page}", case.name);
            assert!(seen.insert(got));
            let end = u64::from(addr - 20 + spec.page_size() - 0x1000);
            assert!(end <= spec.bytes_per_bank(&arch).unwrap());
        }
        assert_eq!(accessor.pages(), Some((high * wide) as u64));
    }
}

#[test]
fn interleaved_pages_go_round_the_banks() {
    for (arch, banks) in ARCHS.iter().zip([8, 12]) {
        let spec = TensorSpec::new([320, 320], DataFormat::Bf16).unwrap();
        let accessor = spec.accessor(arch).unwrap();
        for page in 0..100u32 {
            let addr = 4096 + u64::from(page / banks) * 2048 + 7;
            let expect = PageAddr::Dram { bank: page % banks, addr };
            assert_eq!(accessor.locate(4096, page, 7), expect);
        }
        let accessor = spec.with_memory(MemoryConfig::L1).accessor(arch).unwrap();
        let core = arch.virtual_core(Core::new(1, 1));
        let page = arch.cores() + arch.grid_x + 1;
        let expect = PageAddr::L1 { x: core.x, y: core.y, addr: 4096 + 2048 };
        assert_eq!(accessor.locate(4096, page, 0), expect);
    }
}

#[test]
fn dram_addresses_have_more_than_32_bits() {
    let (accessor, _) = Accessor::decode(&[2, 4096], &Arch::blackhole()).unwrap();
    let expect = PageAddr::Dram { bank: 7, addr: 0xFFFF_F000 + (u64::from(u32::MAX / 8)) * 4096 };
    assert_eq!(accessor.locate(0xFFFF_F000, u32::MAX, 0), expect);
}

#[test]
fn page_size_can_be_replaced() {
    let (accessor, _) = Accessor::decode(&[2, 2048], &Arch::blackhole()).unwrap();
    assert_eq!(accessor.with_page_size(1000).aligned_page_size(), 1024);
    let (accessor, _) = Accessor::decode(&[0, 2048], &Arch::blackhole()).unwrap();
    assert_eq!(accessor.with_page_size(1000).aligned_page_size(), 1008);
}

#[test]
fn bad_words_are_refused() {
    let arch = Arch::blackhole();
    let text = |words: &[u32]| Accessor::decode(words, &arch).unwrap_err().to_string();
    assert_eq!(text(&[]), "tensor accessor: 1 words are needed, 0 are there");
    assert_eq!(text(&[2]), "tensor accessor: 2 words are needed, 1 are there");
    assert_eq!(
        text(&[128, 2048]),
        "tensor accessor: configuration 0x80 asks for runtime arguments, which are not supported"
    );
    assert_eq!(text(&[2, 0]), "tensor accessor: the page size is 0");
    assert_eq!(text(&[1, 2048, 0, 1]), "tensor accessor: rank 0 is not in 1..=8");
    assert_eq!(text(&[1, 2048, 9, 1]), "tensor accessor: rank 9 is not in 1..=8");
    assert_eq!(text(&[1, 2048, 1, 0]), "tensor accessor: 0 banks are not in 1..=160");
    assert_eq!(text(&[1, 2048, 1, 161]), "tensor accessor: 161 banks are not in 1..=160");
    assert_eq!(text(&[1, 2048, 1, 1 << 31 | 2]), "tensor accessor: contiguous shards are not supported");
    assert_eq!(text(&[1, 2048, 1, 2, 4]), "tensor accessor: 7 words are needed, 5 are there");
    assert_eq!(text(&[1, 2048, 1, 2, 0, 2, 0]), "tensor accessor: a dimension is 0");
}

#[test]
fn shards_in_dram_are_understood() {
    // Two banks, given as 3 and 5, with shards of two pages.
    let words = [3, 2048, 1, 2, 8, 2, 5 << 24 | 3 << 8];
    let (accessor, used) = Accessor::decode(&words, &Arch::blackhole()).unwrap();
    assert_eq!(used, 7);
    assert_eq!(accessor.locate(64, 2, 0), PageAddr::Dram { bank: 5, addr: 64 });
    assert_eq!(accessor.locate(64, 5, 1), PageAddr::Dram { bank: 3, addr: 64 + 3 * 2048 + 1 });
}
