//! What is refused, and what is said then.

use ttl::prelude::*;
use ttl_kernels::matmul::{self, Activation, Blocks, Options, Strategy};

#[test]
fn refusals() {
    let mut device = Device::open().expect("a device");
    let mut tensor = |shape: &[usize]| device.zeros::<bf16>("t", shape).expect("it fits");
    let (x, wide, bias, column) = (tensor(&[64, 64]), tensor(&[64, 96]), tensor(&[1, 96]), tensor(&[64, 1]));
    let counts = device.zeros::<u32>("counts", &[64, 64]).expect("it fits");
    let one = CoreSet::from(Core::new(0, 0));
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let blocks = |m, n, k, sub_m, sub_n| Some(Blocks { m, n, k, sub_m, sub_n });
    let none = Options::default();
    let message = |cores: &CoreSet, b: &Tensor<bf16>, c: &Tensor<bf16>, options: &Options<'_>| {
        let made = matmul::program(cores, config.clone(), &x, b, c, options);
        made.err().map(|e| e.to_string()).unwrap_or_default()
    };
    let cases = [
        (message(&one, &bias, &x, &none), "[64, 64] and [1, 96] cannot be multiplied"),
        (message(&one, &x, &wide, &none), "shape [64, 96], must have [64, 64]"),
        (message(&one, &x, &x, &Options { bias: Some(&bias), ..none }), "[1, 96], must be one row of 64"),
        (message(&one, &x, &x, &Options { bias: Some(&column), ..none }), "[64, 1], must be one row of 64"),
        (message(&one, &x, &x, &Options { blocks: blocks(2, 0, 1, 1, 1), ..none }), "2 x 0 x 1 tiles"),
        (
            message(&one, &x, &x, &Options { blocks: blocks(2, 2, 1, 2, 4), ..none }),
            "2 x 4 tiles do not divide blocks of 2 x 2",
        ),
        (
            message(&one, &x, &x, &Options { blocks: blocks(4, 2, 1, 4, 2), ..none }),
            "4 x 2 tiles takes 8 tile registers, there are 4",
        ),
        (
            message(&one, &x, &x, &Options { blocks: blocks(2, 2, 1, 2, 2), strategy: Strategy::KSplit, ..none }),
            "2 x 2 tiles takes 4 tile registers, there are 2 where k is divided",
        ),
        (
            message(&one, &x, &x, &Options { strategy: Strategy::KSplit, ..none }),
            "it has 2 tiles, and there is 1 core: use another strategy",
        ),
        (message(&CoreSet::empty(), &x, &x, &none), "the grid has no cores"),
        (message(&one, &x, &x, &Options { l1: Some(4096), ..none }), "needs 12288 bytes of L1"),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "`{message}` does not say `{expected}`");
    }
    let refused = |made: ttl::Result<Program>| made.expect_err("integers").to_string();
    let program = matmul::program(&one, config.clone(), &x, &counts, &x, &none);
    assert!(refused(program).contains("`b` is u32, and the matrix unit multiplies bf16, f32 and block floats"));
    let program = matmul::program(&one, config.clone(), &counts, &x, &x, &none);
    assert!(refused(program).contains("`a` is u32"));
    let program = matmul::program(&one, config, &x, &x, &counts, &Options::default());
    assert!(refused(program).contains("`c` is u32"));
    let blocks = device.zeros::<bfp8_b>("blocks", &[64, 64]).expect("it fits");
    let relu = Options { activation: Activation::Relu, ..Options::default() };
    let program = matmul::program(&one, ComputeConfig::default(), &x, &x, &blocks, &relu);
    assert!(refused(program).contains("ReLU into `c` of bfp8_b: the packer applies it, to bf16 and f32 only"));
}

#[test]
fn one_tile_along_k() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<bf16>("x", &[64, 20]).expect("it fits");
    let w = device.zeros::<bf16>("w", &[20, 64]).expect("it fits");
    let y = device.zeros::<bf16>("y", &[64, 64]).expect("it fits");
    let options = Options { strategy: Strategy::KSplit, ..Options::default() };
    let plan = matmul::plan(&device.grid(), &ComputeConfig::default(), &x, &w, &y, &options);
    let message = plan.expect_err("nothing to divide").to_string();
    assert!(message.contains("it has 1 tile, and there are 110 cores"), "{message}");
}

/// The reason is the right one: more than two dimensions of `b`, fewer of `a`.
#[test]
fn shapes_that_are_no_matrices() {
    let mut device = Device::open().expect("a device");
    let mut message = |a: &[usize], b: &[usize]| {
        let a = device.zeros::<bf16>("a", a).expect("it fits");
        let b = device.zeros::<bf16>("b", b).expect("it fits");
        matmul::result_shape(&a, &b).expect_err("no product").to_string()
    };
    let batches = message(&[2, 64, 32], &[2, 32, 64]);
    assert!(batches.contains("shapes [2, 64, 32] and [2, 32, 64] cannot be multiplied"), "{batches}");
    assert!(
        batches.contains("the second must be one matrix [k, n], the same for every matrix of the first"),
        "{batches}"
    );
    let row = message(&[64, 32], &[32]);
    assert!(row.contains("the second must be one matrix [k, n]"), "{row}");
    let row = message(&[32], &[32, 64]);
    assert!(row.contains("the first must be a matrix [m, k], or several"), "{row}");
    let columns = message(&[64, 32], &[64, 32]);
    assert!(columns.contains("the columns of the first must be the rows of the second"), "{columns}");
}
