//! Embedding lookup: every bit of the table's rows, tiles and rows.

use super::dice::Dice;
use super::{both, error, grid, random, same_bits};
use ttl::prelude::*;
use ttl_kernels::embedding;
use ttl_kernels::exact::Exact;

/// Ids of a shape, all over the table, its first and last row among them.
fn some_ids(shape: &[usize], vocabulary: usize) -> HostTensor {
    let count: usize = shape.iter().product();
    let ids: Vec<u32> =
        (0..count).map(|i| [i * 7919 + 3, vocabulary - 1, 0][(i % 5).min(2)] as u32 % vocabulary as u32).collect();
    HostTensor::from_vec(shape, ids).expect("ids")
}

/// The rows of the table that the ids name.
fn looked_up(ids: &HostTensor, table: &HostTensor) -> HostTensor {
    let n = table.shape()[1];
    let values = table.to_f32_vec();
    let rows: Vec<f32> = (0..ids.len())
        .flat_map(|i| {
            let id = ids.get_integer(i).expect("an id") as usize;
            values[id * n..(id + 1) * n].to_vec()
        })
        .collect();
    let shape: Vec<usize> = ids.shape().iter().copied().chain([n]).collect();
    HostTensor::from_vec(shape, rows).expect("rows").to_format(table.format())
}

fn check<T: Exact>(arch: Arch, cores: (u32, u32), ids: &[usize], [vocabulary, n]: [usize; 2]) {
    let what = format!("ids {ids:?}, table {vocabulary} x {n} of {}, {cores:?} cores", T::FORMAT);
    let table_host = random(&[vocabulary, n], T::FORMAT, 5);
    let ids_host = some_ids(ids, vocabulary);
    let want = looked_up(&ids_host, &table_host);
    let inputs = |device: &mut Device| -> ttl::Result<(Tensor<u32>, Tensor<T>)> {
        let ids = device.upload_row_major::<u32>("ids", &ids_host, MemoryConfig::Dram)?;
        let table = device.upload_row_major::<T>("table", &table_host, MemoryConfig::Dram)?;
        Ok((ids, table))
    };
    let grid = grid(cores.0, cores.1);
    // What was in the padding before must not matter.
    let stale = HostTensor::from_fn(want.shape(), |_| 9.0).expect("a tensor").to_format(T::FORMAT);
    let (device, y) = both(arch, &what, |device| {
        let (ids, table) = inputs(device)?;
        let y = device.upload_padded::<T>("y", &stale, MemoryConfig::Dram, 9.0)?;
        Ok((embedding::program(&grid, &ids, &table, &y)?, y))
    });
    same_bits(&device, &y, &want, 0.0, &what);
    let (device, y) = both(arch, &what, |device| {
        let (ids, table) = inputs(device)?;
        let y = device.zeros_row_major::<T>("y", want.shape(), MemoryConfig::Dram)?;
        Ok((embedding::rows_program(&grid, &ids, &table, &y)?, y))
    });
    same_bits(&device, &y, &want, 0.0, &what);
}

#[test]
fn every_bit_of_the_rows() {
    // One id, one element; a sentence; several of a length that does not divide; one row of a table; odd widths.
    check::<bf16>(Arch::blackhole(), (1, 1), &[1], [1, 1]);
    check::<bf16>(Arch::blackhole(), (3, 2), &[2, 45], [1000, 384]);
    check::<bf16>(Arch::blackhole(), (11, 10), &[2, 3, 33], [70, 100]);
    check::<bf16>(Arch::wormhole(), (2, 2), &[3, 20], [50, 77]);
    check::<bf16>(Arch::wormhole(), (8, 8), &[128], [300, 384]);
    check::<f32>(Arch::blackhole(), (2, 1), &[2, 33], [40, 33]);
    check::<f32>(Arch::wormhole(), (1, 2), &[40, 1], [9, 65]);
}

#[test]
fn over_random_shapes() {
    let mut dice = Dice::new();
    for _ in 0..4 {
        let (arch, cores, [batch, length, _]) = (dice.chip(), dice.cores(), dice.shape());
        let table = [dice.length(), dice.length()];
        match dice.flip() {
            true => check::<bf16>(arch, cores, &[batch, length], table),
            false => check::<f32>(arch, cores, &[batch, length], table),
        }
    }
}

/// A row of the table is larger than the L1 of a core, on one core.
#[test]
fn rows_larger_than_l1() {
    check::<bf16>(Arch::blackhole(), (1, 1), &[2], [3, 750_001]);
}

#[test]
fn an_id_beyond_the_table_is_an_error() {
    for tiles in [true, false] {
        let said = error(|device| {
            let mut ids = some_ids(&[2, 40], 50).to_f64_vec();
            ids[73] = 50.0;
            let ids = HostTensor::from_vec([2, 40], ids.into_iter().map(|v| v as u32).collect::<Vec<_>>())?;
            let ids = device.upload_row_major::<u32>("ids", &ids, MemoryConfig::Dram)?;
            let table = random(&[50, 64], DataFormat::Bf16, 1);
            let table = device.upload_row_major::<bf16>("table", &table, MemoryConfig::Dram)?;
            let shape = [2, 40, 64];
            if tiles {
                let y = device.zeros::<bf16>("y", &shape)?;
                Ok((embedding::program(&grid(2, 2), &ids, &table, &y)?, y))
            } else {
                let y = device.zeros_row_major::<bf16>("y", &shape, MemoryConfig::Dram)?;
                Ok((embedding::rows_program(&grid(2, 2), &ids, &table, &y)?, y))
            }
        });
        let text = "id 50 at place 33 of row 1 of the ids: the table has 50 rows";
        assert!(said[0].contains(text), "{}", said[0]);
        assert!(said[1].contains("does not hold") && said[1].contains("embedding.rs"), "{}", said[1]);
    }
}

#[test]
fn shapes_that_do_not_go_together_are_refused() {
    let [said, _] = error(|device| {
        let ids = device.upload_row_major::<u32>("ids", &some_ids(&[2, 40], 50), MemoryConfig::Dram)?;
        let table = device.zeros_row_major::<bf16>("table", &[50, 64], MemoryConfig::Dram)?;
        let y = device.zeros::<bf16>("y", &[80, 64])?;
        Ok((embedding::program(&grid(2, 2), &ids, &table, &y)?, y))
    });
    let text = "`y` has shape [80, 64]; for ids of shape [2, 40] and rows of 64 elements it must have [2, 40, 64]";
    assert!(said.contains(text), "{said}");
    let [said, _] = error(|device| {
        let ids = device.upload_row_major::<u32>("ids", &some_ids(&[2, 40], 50), MemoryConfig::Dram)?;
        let table = device.zeros::<bf16>("table", &[50, 64])?;
        let y = device.zeros::<bf16>("y", &[2, 40, 64])?;
        Ok((embedding::program(&grid(2, 2), &ids, &table, &y)?, y))
    });
    assert!(said.contains("`table` must be row-major, with whole rows as pages"), "{said}");
}
