//! Every operation of the table, by block expression and by explicit call: natively and as generated C++, the same bits; against the exact function, within the
//! bound of the table. Both chips, both widths of the tile registers, and the approximate mode.

mod groups;
mod numbers;
mod random;
mod whole;

use groups::{ALL, BINARY, Group, TERNARY, UNARY, program};
use ttl::prelude::*;
use ttl::runtime::ops::{BinaryOp, TernaryOp, UnaryOp};
use ttl::testing::on_both_engines;

#[test]
fn every_operation_of_the_table_is_tested() {
    let tested: Vec<&str> = [UNARY, BINARY, TERNARY]
        .concat()
        .iter()
        .flat_map(|g| g.operations)
        .copied()
        .chain(whole::GROUPS.iter().flat_map(|g| g.operations).copied())
        .chain(random::OPERATIONS)
        .collect();
    let unary = UnaryOp::ALL.iter().map(|op| format!("{op:?}"));
    let binary = BinaryOp::ALL.iter().map(|op| format!("{op:?}"));
    let ternary = TernaryOp::ALL.iter().map(|op| format!("{op:?}"));
    let rows: Vec<String> = unary.chain(binary).chain(ternary).collect();
    let missing: Vec<&String> = rows.iter().filter(|row| !tested.contains(&row.as_str())).collect();
    assert!(missing.is_empty(), "these need a line in groups.rs, whole.rs, mixed.rs or random.rs: {missing:?}");
    assert_eq!(tested.len(), rows.len());
}

/// A grid around zero that source registers hold exactly; another and one with zeros for the other operands.
fn input(i: usize) -> f32 {
    match i / 1024 {
        0 => (i as f32 - 512.0) / 64.0,
        1 => ((i * 37 % 1024) as f32 - 500.0) / 128.0,
        _ => (i * 11 % 7) as f32 - 3.0,
    }
}

/// Runs a group everywhere; `accepts` says whether a result of 32-bit registers in exact mode is right: operation, values of the three operands, result.
fn check(group: &Group, accepts: impl Fn(usize, [f64; 3], f64) -> Result<(), String>) {
    let host = HostTensor::from_fn([96, 32], input).expect("a tensor");
    let values: Vec<f32> = (0..3072).map(input).collect();
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for (fp32_dest_acc, approx) in [(false, false), (true, false), (false, true), (true, true)] {
            if group.wide_only() && !fp32_dest_acc {
                continue;
            }
            let options = DeviceOptions { arch, ..Default::default() };
            let config = ComputeConfig { fp32_dest_acc, approx, ..ComputeConfig::default() };
            let (device, y) = on_both_engines(&options, |device| program(group, device, config.clone(), &host, ALL))
                .unwrap_or_else(|e| {
                    panic!("{} on {}, 32 bits {fp32_dest_acc}, approximate {approx}: {e}", group.name, arch.name())
                });
            let result = device.download(&y).expect("a result").to_f32_vec();
            for (n, pair) in result.chunks(2048).enumerate() {
                let op = group.operations[n];
                let (expression, call) = pair.split_at(1024);
                for i in 0..1024 {
                    let operands = [values[i], values[1024 + i], values[2048 + i]];
                    let (a, b) = (expression[i], call[i]);
                    // Sums and products of two buffers are computed by the matrix unit.
                    if !matches!(op, "Add" | "Sub" | "Mul") {
                        assert_eq!(a.to_bits(), b.to_bits(), "{op} of {operands:?}: the expression and the call");
                    }
                    if fp32_dest_acc
                        && !approx
                        && let Err(exact) = accepts(n, operands.map(f64::from), f64::from(b))
                    {
                        panic!("{op} of {operands:?} on {} is {b}, not {exact}", arch.name());
                    }
                }
            }
        }
    }
}

fn unary(number: usize) {
    let Some(group) = UNARY.get(number) else { return };
    let named = |name: &str| UnaryOp::ALL.into_iter().find(|op| format!("{op:?}") == name).expect("a row").row();
    let rows: Vec<_> = group.operations.iter().map(|name| named(name)).collect();
    check(
        group,
        |n, [x, ..], result| {
            if rows[n].accepts(x, result) { Ok(()) } else { Err(rows[n].exact(x).to_string()) }
        },
    );
}

fn binary(number: usize) {
    let Some(group) = BINARY.get(number) else { return };
    let named = |name: &str| BinaryOp::ALL.into_iter().find(|op| format!("{op:?}") == name).expect("a row").row();
    let rows: Vec<_> = group.operations.iter().map(|name| named(name)).collect();
    check(
        group,
        |n, [a, b, _], result| {
            if rows[n].accepts(a, b, result) { Ok(()) } else { Err(rows[n].exact(a, b).to_string()) }
        },
    );
}

#[test]
fn ternary() {
    for group in TERNARY {
        let named = |name: &str| TernaryOp::ALL.into_iter().find(|op| format!("{op:?}") == name).expect("a row").row();
        let rows: Vec<_> = group.operations.iter().map(|name| named(name)).collect();
        check(
            group,
            |n, operands, result| {
                if rows[n].accepts(operands, result) { Ok(()) } else { Err(rows[n].exact(operands).to_string()) }
            },
        );
    }
}

/// A test for each group, so that they run side by side.
macro_rules! numbered {
    ($check:ident: $($name:ident $number:literal)*) => {
        $(
            #[test]
            fn $name() {
                $check($number);
            }
        )*

        mod $check {
            #[test]
            fn no_group_is_left_out() {
                assert!([$($number),*].len() >= super::list(stringify!($check)).len());
            }
        }
    };
}

fn list(name: &str) -> &'static [Group] {
    if name == "unary" { UNARY } else { BINARY }
}

numbered! { unary: unary_0 0 unary_1 1 unary_2 2 unary_3 3 unary_4 4 unary_5 5 unary_6 6 unary_7 7 unary_8 8 unary_9 9 unary_10 10 unary_11 11
unary_12 12 unary_13 13 unary_14 14 unary_15 15 unary_16 16 unary_17 17 unary_18 18 unary_19 19 unary_20 20 unary_21 21 unary_22 22 unary_23 23
    unary_24 24 unary_25 25 unary_26 26 unary_27 27 unary_28 28 unary_29 29 unary_30 30 unary_31 31 unary_32 32 unary_33 33 unary_34 34 unary_35 35
    unary_36 36 unary_37 37 unary_38 38 unary_39 39 }
numbered! { binary: binary_0 0 binary_1 1 binary_2 2 binary_3 3 binary_4 4 binary_5 5 binary_6 6 binary_7 7 binary_8 8 binary_9 9 }
