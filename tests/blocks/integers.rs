//! Expressions of integers that are computed in parts: what lies between them are integers too. And what the matrix unit would have to do is refused.

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read<T: Element>(
    noc: Noc,
    a: TensorAccessor<T>,
    b: TensorAccessor<T>,
    a_out: CbOut<T>,
    b_out: CbOut<T>,
    #[ttl(common)] pages: u32,
) {
    for page in 0..pages {
        noc.read_page(&a, page, &mut a_out.reserve_back(1)).wait();
        noc.read_page(&b, page, &mut b_out.reserve_back(1)).wait();
    }
}

#[ttl::kernel(writer)]
fn write<T: Element>(noc: Noc, y: TensorAccessor<T>, y_in: CbIn<T>, #[ttl(common)] pages: u32) {
    for page in 0..pages {
        noc.write_page(&y, page, &y_in.wait_front(1)).wait();
    }
}

const PAGES: u32 = 4;
const SHAPE: [usize; 2] = [64, 64];

/// Defines `name::run(a, b)`: the result of an expression over blocks `a` and `b` of two tiles, the same on both engines; or why it does not validate.
macro_rules! integers {
    ($name:ident, $t:ident -> $y:ident, $results:literal, |$a:ident, $b:ident| { $($lets:tt)* } => $expression:expr) => {
        mod $name {
            use super::*;

            #[ttl::kernel(compute)]
            fn compute(_: Compute, a_in: CbIn<$t>, b_in: CbIn<$t>, y_out: CbOut<$y>, #[ttl(common)] blocks: u32) {
                for _ in 0..blocks {
                    let a_front = a_in.wait_front(2);
                    let b_front = b_in.wait_front(2);
                    let $a = a_front.block(1, 2);
                    let $b = b_front.block(1, 2);
                    $($lets)*
                    y_out.reserve_back($results).store($expression);
                }
            }

            pub(super) fn run(arch: Arch, a: &HostTensor, b: &HostTensor) -> Result<HostTensor, String> {
                let options = DeviceOptions { arch, ..DeviceOptions::default() };
                let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
                let ran = ttl::testing::on_both_engines(&options, |device| {
                    let (a, b) = (device.upload::<$t>("a", a)?, device.upload::<$t>("b", b)?);
                    let y = device.zeros::<$y>("y", &SHAPE)?;
                    let core = Core::new(0, 0);
                    let mut p = Program::new(stringify!($name));
                    let (a_out, a_in) = p.circular_buffer::<$t>("a", core, 4);
                    let (b_out, b_in) = p.circular_buffer::<$t>("b", core, 4);
                    let (y_out, y_in) = p.circular_buffer::<$y>("y", core, 4);
                    p.kernel(core, read::<$t> { a: a.accessor(), b: b.accessor(), a_out, b_out, pages: PAGES });
                    p.compute(core, config.clone(), compute { a_in, b_in, y_out, blocks: PAGES / 2 });
                    p.kernel(core, write::<$y> { y: y.accessor(), y_in, pages: PAGES / 2 * $results });
                    Ok((p, y))
                });
                let (device, y) = ran.map_err(|e| e.to_string())?;
                Ok(device.download(&y).expect("the result"))
            }
        }
    };
}

// Five values, all of them needed again at the end: more than there are registers.
integers!(signed, i32 -> i32, 2, |a, b| {
    let v0 = a + b;
    let v1 = a - b;
    let v2 = a.max(b);
    let v3 = a.bitwise_xor(b);
    let v4 = a * b;
} => v0 - v1 - v2 - v3 - v4 + (v4.bitwise_and(v3) - v2.min(v1)) * v0);

integers!(unsigned, u32 -> u32, 2, |a, b| {
    let v0 = a + b;
    let v1 = a.max(b);
    let v2 = a.min(b);
    let v3 = a.bitwise_xor(b);
    let v4 = a.bitwise_or(b);
} => v0 - v2 - v3.bitwise_and(v1) + v4 + (v4.bitwise_and(v3) + v1.min(v2)) * v0);

// The flags are integers, and floats from there on.
integers!(to_floats, i32 -> f32, 2, |a, b| {
    let v0 = a + b;
    let v1 = a - b;
    let v2 = a.max(b);
    let v3 = a.bitwise_xor(b);
    let v4 = a.min(b);
    let sum = v0 - v1 - v2 - v3 - v4;
} => (sum + v4.bitwise_and(v3) - v2.min(v1)).to_f32() * v0.to_f32());

// The sum is of floats that were made of integers: those have to be in a buffer before.
integers!(summed, i32 -> f32, 1, |a, b| {} => (a - b).to_f32().sum_row());

integers!(sum_of_integers, i32 -> i32, 1, |a, b| {} => (a + b).sum_row());
integers!(maximum_of_integers, i32 -> i32, 2, |a, b| {} => (a - b).max_col());
integers!(product_of_integers, u32 -> u32, 2, |a, b| {} => a.transpose().transpose().matmul(b.transpose().matmul(b)));

fn signed_of(seed: u32) -> Vec<i32> {
    (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 24) as i32 - 128).collect()
}

fn both<T: Copy>(a: &[T], b: &[T], f: impl Fn(T, T) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

fn everywhere(
    name: &str,
    run: fn(Arch, &HostTensor, &HostTensor) -> Result<HostTensor, String>,
    [a, b]: [&HostTensor; 2],
    exact: &[f64],
) {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let got = run(arch, a, b).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (at, (got, exact)) in got.to_f64_vec().into_iter().zip(exact).enumerate() {
            assert_eq!(got, *exact, "{name}: element {at}");
        }
    }
}

#[test]
fn integers_between_the_parts_stay_integers() {
    let (a, b) = (signed_of(1), signed_of(0x5555_5555));
    let host = |v: &[i32]| HostTensor::from_vec(SHAPE, v.to_vec()).expect("a shape");
    let inputs = [&host(&a), &host(&b)];
    let exact = |a: i32, b: i32| {
        let (v0, v1, v2, v3, v4) = (a + b, a - b, a.max(b), a ^ b, a * b);
        f64::from(v0 - v1 - v2 - v3 - v4 + ((v4 & v3) - v2.min(v1)) * v0)
    };
    everywhere("signed", signed::run, inputs, &both(&a, &b, exact));
    let exact = |a: i32, b: i32| {
        let (v0, v1, v2, v3, v4) = (a + b, a - b, a.max(b), a ^ b, a.min(b));
        let sum = v0 - v1 - v2 - v3 - v4;
        // f32 from here on.
        f64::from((sum + (v4 & v3) - v2.min(v1)) as f32 * v0 as f32)
    };
    everywhere("to floats", to_floats::run, inputs, &both(&a, &b, exact));
}

#[test]
fn unsigned_integers_too() {
    let of = |seed| -> Vec<u32> { signed_of(seed).iter().map(|v| v.unsigned_abs()).collect() };
    let (a, b) = (of(3), of(0x7777_0000));
    let host = |v: &[u32]| HostTensor::from_vec(SHAPE, v.to_vec()).expect("a shape");
    let exact = |a: u32, b: u32| {
        let (v0, v1, v2, v3, v4) = (a + b, a.max(b), a.min(b), a ^ b, a | b);
        f64::from(v0 - v2 - (v3 & v1) + v4 + ((v4 & v3) + v1.min(v2)) * v0)
    };
    everywhere("unsigned", unsigned::run, [&host(&a), &host(&b)], &both(&a, &b, exact));
}

#[test]
fn floats_made_of_integers_are_reduced() {
    let (a, b) = (signed_of(1), signed_of(0x5555_5555));
    let host = |v: &[i32]| HostTensor::from_vec(SHAPE, v.to_vec()).expect("a shape");
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let got = summed::run(arch, &host(&a), &host(&b)).expect("it runs").to_f64_vec();
        for r in 0..64 {
            let exact: i32 = (0..64).map(|c| a[r * 64 + c] - b[r * 64 + c]).sum();
            // Tile `r / 32` of the result, column 0 of it. 9 bits go through the source registers as they are.
            assert_eq!(got[r % 32 * 64 + r / 32 * 32], f64::from(exact), "row {r}");
        }
    }
}

#[test]
fn the_matrix_unit_has_no_integers() {
    let host = HostTensor::from_vec(SHAPE, signed_of(1)).expect("a shape");
    let words = HostTensor::from_vec(SHAPE, vec![3u32; 4096]).expect("a shape");
    let cases = [
        (sum_of_integers::run(Arch::blackhole(), &host, &host), "`sum_row` does not exist for tiles of i32"),
        (maximum_of_integers::run(Arch::blackhole(), &host, &host), "`max_col` does not exist for tiles of i32"),
        (product_of_integers::run(Arch::blackhole(), &words, &words), "`matmul` does not exist for tiles of u32"),
    ];
    for (result, message) in cases {
        let text = result.expect_err("a mistake");
        assert!(text.contains(message) && text.contains("tests/blocks/integers.rs:"), "{text}");
    }
}
