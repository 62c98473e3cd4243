//! Mistakes with shapes: what is said, and where.

use crate::data::{Matrix, program};
use ttl::prelude::*;

/// In a form that the macro does not compute: sizes that it sees are compile errors (`tests/ui/tiles`).
const TWO: u32 = 2;
const THREE: u32 = 3;
const FOUR: u32 = 4;

program!(sides, 6, 6 => 6, |x, w| x.block(TWO.div_ceil(1), THREE.div_ceil(1)) + w.block(THREE.div_ceil(1), TWO.div_ceil(1)));
program!(flat_and_shaped, 6, 6 => 6, |x, w| x.block(2, 3) * &w);
program!(inner, 6, 6 => 4, |x, w| x.block(TWO.div_ceil(1), THREE.div_ceil(1)).matmul(w.block(TWO.div_ceil(1), THREE.div_ceil(1))));
program!(no_row, 6, 6 => 6, |x, w| x.block(TWO.div_ceil(1), THREE.div_ceil(1)) + w.block(TWO.div_ceil(1), THREE.div_ceil(1)).bcast_rows());
program!(no_column, 6, 6 => 6, |x, w| x.block(TWO.div_ceil(1), THREE.div_ceil(1)) + w.block(TWO.div_ceil(1), THREE.div_ceil(1)).bcast_cols());
program!(no_number, 6, 2 => 6, |x, w| x.block(TWO.div_ceil(1), THREE.div_ceil(1)) + w.block(1, TWO.div_ceil(1)).bcast_scalar());
program!(vector_length, 6, 2 => 6, |x, w| x.block(TWO.div_ceil(1), THREE.div_ceil(1)) * w.block(1, TWO.div_ceil(1)).bcast_rows());
program!(small_result, 6, 1 => 3, |x, w| x.block(TWO.div_ceil(1), THREE.div_ceil(1)).sum_row() * w.bcast_scalar());
program!(large_block, 6, 1 => 8, |x, w| x.block(TWO.div_ceil(1), FOUR.div_ceil(1)) * w.bcast_scalar());

type Build = fn(&mut Device, &ComputeConfig, [&Matrix; 2], [usize; 2], u32) -> ttl::Result<(Program, Tensor<bf16>)>;

/// What validation says.
fn message(build: Build) -> String {
    let mut device = Device::open().expect("a device");
    let m = Matrix::from_fn(64, 96, |_, _| 0.0);
    let (program, _) = build(&mut device, &ComputeConfig::default(), [&m, &m], [64, 96], 1).expect("a program");
    program.validate(&device).expect_err("a mistake").to_string()
}

#[test]
fn shapes_that_do_not_fit_are_named() {
    let cases: [(Build, &str, &str); 8] = [
        (sides::build, "blocks of 2x3 and 3x2 tiles are combined", "must have the same shape"),
        (
            flat_and_shaped::build,
            "blocks of 2x3 and 1x6 tiles are combined",
            "give it its shape with `.block(rows, cols)`",
        ),
        (inner::build, "a matrix product of 2x3 and 2x3 tiles", "the columns of the left block must be the rows"),
        (no_row::build, "`bcast_rows` of 2x3 tiles", "row 0 of a row of tiles"),
        (no_column::build, "`bcast_cols` of 2x3 tiles", "column 0 of a column of tiles"),
        (no_number::build, "`bcast_scalar` of 1x2 tiles", "the first element of one tile"),
        (vector_length::build, "blocks of 2x3 and ?x2 tiles are combined", "must have the same shape"),
        (small_result::build, "2x1 tiles are stored to a block of 3", "reserve as many pages"),
    ];
    for (build, what, help) in cases {
        let text = message(build);
        assert!(text.contains(what) && text.contains(help), "{text}");
        assert!(text.starts_with("error: ") && text.contains("--> tests/blocks/errors.rs:"), "no place in: {text}");
    }
}

#[test]
fn a_block_has_at_most_the_tiles_that_were_waited_for() {
    let text = message(large_block::build);
    assert!(text.contains("a block of 2x4 tiles is made of 6 waited tiles"), "{text}");
    assert!(text.contains("wait for as many tiles as the block has"), "{text}");
    assert_eq!(text.matches("error: ").count(), 1, "what follows from it is no mistake of its own: {text}");
}
