//! Operations of integers and conversions, as `groups.rs` has those of floats: by expression and by explicit call, on both engines, with exact results.

use ttl::prelude::*;
use ttl::runtime::ops::{BinaryOp, UnaryOp};
use ttl::testing::on_both_engines;

const CORE: Core = Core { x: 0, y: 0 };

#[ttl::kernel(reader)]
fn read<T: Element>(noc: Noc, x: TensorAccessor<T>, a: CbOut<T>, b: CbOut<T>) {
    let mut tile = a.reserve_back(1);
    noc.read_page(&x, 0, &mut tile).wait();
    let mut tile = b.reserve_back(1);
    noc.read_page(&x, 1, &mut tile).wait();
}

#[ttl::kernel(writer)]
fn write<T: Element>(noc: Noc, y: TensorAccessor<T>, input: CbIn<T>, count: u32) {
    for page in 0..count {
        let tile = input.wait_front(1);
        noc.write_page(&y, page, &tile).flushed();
    }
}

/// Small numbers of both signs, or from 0; some of the second operand are 0.
fn input(signed: bool, i: usize) -> i64 {
    let (n, second) = ((i % 1024) as i64, i >= 1024);
    let n = if second { n * 37 % 41 } else { n * n % 3001 };
    match (signed, second) {
        (true, false) => n - 1500,
        (true, true) => n - 20,
        (false, _) => n,
    }
}

fn program<A: Element, B: Element>(
    device: &mut Device,
    host: &HostTensor,
    results: usize,
    compute: impl Fn(&mut Program, ComputeConfig, Consumer<A>, Consumer<A>, Producer<B>),
) -> ttl::Result<(Program, Tensor<B>)> {
    let x = device.upload::<A>("x", host)?;
    let y = device.zeros::<B>("y", &[32 * results, 32])?;
    let mut p = Program::new("whole");
    let [(a_out, a), (b_out, b)] = ["a", "b"].map(|name| p.circular_buffer::<A>(name, CORE, 1));
    let (y_out, y_in) = p.circular_buffer::<B>("y", CORE, 2);
    p.kernel(CORE, read::<A> { x: x.accessor(), a: a_out, b: b_out });
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    compute(&mut p, config, a, b, y_out);
    p.kernel(CORE, write::<B> { y: y.accessor(), input: y_in, count: (results as u32).into() });
    Ok((p, y))
}

fn exact(name: &str, a: f64, b: f64) -> f64 {
    let unary = UnaryOp::ALL.into_iter().find(|op| format!("{op:?}") == name);
    let binary = BinaryOp::ALL.into_iter().find(|op| format!("{op:?}") == name);
    match (unary, binary) {
        (Some(op), _) => op.row().exact(a),
        (_, Some(op)) => op.row().reference.of(&[a, b]),
        _ => panic!("no operation {name}"),
    }
}

fn check<A: Element, B: Element>(
    names: &[&str],
    compute: impl Fn(&mut Program, ComputeConfig, Consumer<A>, Consumer<A>, Producer<B>),
) {
    let signed = A::FORMAT != DataFormat::U32;
    let scale = if A::FORMAT == DataFormat::F32 { 0.25 } else { 1.0 };
    let value = |i: usize| input(signed, i) as f64 * scale;
    let host = match A::FORMAT {
        DataFormat::F32 => HostTensor::from_fn([64, 32], |i| value(i) as f32),
        DataFormat::U32 => HostTensor::from_vec([64, 32], (0..2048).map(|i| value(i) as u32).collect::<Vec<u32>>()),
        _ => HostTensor::from_vec([64, 32], (0..2048).map(|i| value(i) as i32).collect::<Vec<i32>>()),
    }
    .expect("a tensor");
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let options = DeviceOptions { arch, ..Default::default() };
        let (device, y) = on_both_engines(&options, |device| program::<A, B>(device, &host, 2 * names.len(), &compute))
            .unwrap_or_else(|e| panic!("{names:?} on {}: {e}", arch.name()));
        let result = device.download(&y).expect("a result");
        for (n, name) in names.iter().enumerate() {
            for i in 0..2048 {
                let (a, b) = (value(i % 1024), value(1024 + i % 1024));
                // What the chip gives for a division by zero is no number of its own; the engines agree on it.
                if b == 0.0 && (name.contains("Div") || name.contains("Remainder") || name.contains("Fmod")) {
                    continue;
                }
                let at = 2048 * n + i;
                let whole = result.get_integer(at).map(|x| x as f64);
                let got = whole.or(result.get(at).map(f64::from)).expect("an element");
                let want = exact(name, a, b);
                // Integers are exact, and small enough for an f32 where they become one.
                let near = got == want;
                assert!(near, "{name} of {a} and {b} on {} is {got}, not {want}", arch.name());
            }
        }
    }
}

/// `name KIND input output (names): Operation (expression) method_of_registers(arguments);`
macro_rules! whole {
    ($group:ident $kind:ident $in:ident $out:ident ($k:ident $a:ident $b:ident): $($op:ident ($($expression:tt)*) $tile:ident($($arguments:tt)*);)*) => {
        mod $group {
            use super::*;

            #[ttl::kernel(compute)]
            fn compute($k: Compute, $a: CbIn<$in>, $b: CbIn<$in>, y: CbOut<$out>) {
                let $a = $a.wait_front(1);
                let $b = $b.wait_front(1);
                $(
                    y.reserve_back(1).store($($expression)*);
                    let mut out = y.reserve_back(1);
                    let mut regs = $k.acquire();
                    regs.copy_tile(&$a, 0, 0);
                    regs.copy_tile(&$b, 0, 1);
                    regs.$tile($($arguments)*);
                    regs.commit().pack_tile(0, &mut out);
                    out.push_back();
                )*
            }

            pub(super) const NAMES: &[&str] = &[$(stringify!($op)),*];

            #[test]
            fn runs() {
                check::<$in, $out>(NAMES, |p, config, a, b, y| {
                    p.compute(CORE, config, compute { $a: a, $b: b, y });
                });
            }
        }
    };
}

macro_rules! numbered {
    ($($group:ident)*) => {
        /// All operations of integers.
        pub(super) const OPERATIONS: &[&[&str]] = &[$($group::NAMES),*];
    };
}

whole! { whole_0 UNARY i32 f32 (k a b):
    ToF32 ((&a).to_f32()) typecast_tile_i32_f32(0);
}

whole! { whole_1 UNARY u32 f32 (k a b):
    ToF32Uint32 ((&a).to_f32_uint32()) typecast_tile_u32_f32(0);
}

whole! { whole_2 UNARY f32 i32 (k a b):
    ToI32 ((&a).to_i32()) typecast_tile_f32_i32(0);
}

whole! { whole_3 UNARY f32 u32 (k a b):
    ToU32 ((&a).to_u32()) typecast_tile_f32_u32(0);
}

whole! { whole_4 UNARY i32 i32 (k a b):
    AbsInt32 ((&a).abs_int32()) abs_tile_int32(0);
    NegativeInt32 ((&a).negative_int32()) negative_tile_int32(0);
    SignbitInt32 ((&a).signbit_int32()) signbit_tile_int32(0);
    ReluInt32 ((&a).relu_int32()) relu_tile_int32(0);
    EqzInt32 ((&a).eqz_int32()) eqz_tile_int32(0);
    NezInt32 ((&a).nez_int32()) nez_tile_int32(0);
    GtzInt32 ((&a).gtz_int32()) gtz_tile_int32(0);
    LtzInt32 ((&a).ltz_int32()) ltz_tile_int32(0);
}

whole! { whole_5 UNARY i32 i32 (k a b):
    GezInt32 ((&a).gez_int32()) gez_tile_int32(0);
    LezInt32 ((&a).lez_int32()) lez_tile_int32(0);
    LogicalNotInt32 ((&a).logical_not_int32()) logical_not_tile_int32(0);
    BitwiseNot ((&a).bitwise_not()) bitwise_not_tile(0);
    BitwiseAndNumberInt32 ((&a).bitwise_and_number_int32(0x0ff0)) bitwise_and_tile_int32(0, 0x0ff0);
    BitwiseOrNumberInt32 ((&a).bitwise_or_number_int32(0x0ff0)) bitwise_or_tile_int32(0, 0x0ff0);
    BitwiseXorNumberInt32 ((&a).bitwise_xor_number_int32(0x0ff0)) bitwise_xor_tile_int32(0, 0x0ff0);
    LeftShiftNumberInt32 ((&a).left_shift_number_int32(3)) left_shift_tile_int32(0, 3);
}

whole! { whole_6 UNARY i32 i32 (k a b):
    RightShiftNumberInt32 ((&a).right_shift_number_int32(3)) right_shift_tile_int32(0, 3);
    FillInt32 (k.fill(-7)) fill_tile_int32(0, -7);
    UnaryMaxInt32 ((&a).unary_max_int32(5)) unary_max_int32_tile(0, 5);
    UnaryMinInt32 ((&a).unary_min_int32(5)) unary_min_int32_tile(0, 5);
    AddUnaryInt32 ((&a).add_unary_int32(-70)) add_unary_tile_int32(0, -70);
    SubUnaryInt32 ((&a).sub_unary_int32(-70)) sub_unary_tile_int32(0, -70);
    RsubUnaryInt32 ((&a).rsub_unary_int32(-70)) rsub_unary_int32_tile(0, -70);
    ClampInt32 ((&a).clamp_int32(-100, 70)) clamp_tile_int32(0, -100, 70);
}

whole! { whole_7 UNARY i32 i32 (k a b):
    ReluMaxInt32 ((&a).relu_max_int32(60)) relu_max_tile_int32(0, 60);
    ReluMinInt32 ((&a).relu_min_int32(-15)) relu_min_tile_int32(0, -15);
    UnaryEqInt32 ((&a).unary_eq_int32(7)) unary_eq_tile_int32(0, 7);
    UnaryNeInt32 ((&a).unary_ne_int32(7)) unary_ne_tile_int32(0, 7);
    UnaryGtInt32 ((&a).unary_gt_int32(7)) unary_gt_tile_int32(0, 7);
    UnaryLtInt32 ((&a).unary_lt_int32(7)) unary_lt_tile_int32(0, 7);
    UnaryGeInt32 ((&a).unary_ge_int32(7)) unary_ge_tile_int32(0, 7);
    UnaryLeInt32 ((&a).unary_le_int32(7)) unary_le_tile_int32(0, 7);
}

whole! { whole_8 UNARY u32 u32 (k a b):
    EqzUint32 ((&a).eqz_uint32()) eqz_tile_uint32(0);
    NezUint32 ((&a).nez_uint32()) nez_tile_uint32(0);
    LogicalNotUint32 ((&a).logical_not_uint32()) logical_not_tile_uint32(0);
    BitwiseNotUint32 ((&a).bitwise_not_uint32()) bitwise_not_tile_uint32(0);
    BitwiseAndNumberUint32 ((&a).bitwise_and_number_uint32(0x0ff0)) bitwise_and_tile_uint32(0, 0x0ff0);
    BitwiseOrNumberUint32 ((&a).bitwise_or_number_uint32(0x0ff0)) bitwise_or_tile_uint32(0, 0x0ff0);
    BitwiseXorNumberUint32 ((&a).bitwise_xor_number_uint32(0x0ff0)) bitwise_xor_tile_uint32(0, 0x0ff0);
    LeftShiftNumberUint32 ((&a).left_shift_number_uint32(3)) left_shift_tile_uint32(0, 3);
}

whole! { whole_9 UNARY u32 u32 (k a b):
    RightShiftNumberUint32 ((&a).right_shift_number_uint32(3)) right_shift_tile_uint32(0, 3);
    FillUint32 (k.fill(7u32)) fill_tile_uint32(0, 7);
    UnaryMaxUint32 ((&a).unary_max_uint32(5)) unary_max_uint32_tile(0, 5);
    UnaryMinUint32 ((&a).unary_min_uint32(5)) unary_min_uint32_tile(0, 5);
    ReluMaxUint32 ((&a).relu_max_uint32(60)) relu_max_tile_uint32(0, 60);
    ReluMinUint32 ((&a).relu_min_uint32(15)) relu_min_tile_uint32(0, 15);
}

whole! { whole_10 BINARY i32 i32 (k a b):
    AddInt32 ((&a).add_int32(&b)) add_int_tile_int32(0, 1, 0);
    SubInt32 ((&a).sub_int32(&b)) sub_int_tile_int32(0, 1, 0);
    RsubInt32 ((&a).rsub_int32(&b)) rsub_int_tile_int32(0, 1, 0);
    MulInt32 ((&a).mul_int32(&b)) mul_int_tile_int32(0, 1, 0);
    DivInt32 ((&a).div_int32_trunc(&b)) div_int32_trunc_tile(0, 1, 0);
    DivInt32Floor ((&a).div_int32_floor(&b)) div_int32_floor_tile(0, 1, 0);
    RemainderInt32 ((&a).remainder_int32(&b)) remainder_int32_tile(0, 1, 0);
    FmodInt32 ((&a).fmod_int32(&b)) fmod_int32_tile(0, 1, 0);
}

whole! { whole_11 BINARY i32 i32 (k a b):
    MaxInt32 ((&a).max_int32(&b)) binary_max_int32_tile(0, 1, 0);
    MinInt32 ((&a).min_int32(&b)) binary_min_int32_tile(0, 1, 0);
    EqInt32 ((&a).eq_int32(&b)) eq_int_tile_int32(0, 1, 0);
    NeInt32 ((&a).ne_int32(&b)) ne_int_tile_int32(0, 1, 0);
    LtInt32 ((&a).lt_int32(&b)) lt_int_tile_int32(0, 1, 0);
    GtInt32 ((&a).gt_int32(&b)) gt_int_tile_int32(0, 1, 0);
    LeInt32 ((&a).le_int32(&b)) le_int_tile_int32(0, 1, 0);
    GeInt32 ((&a).ge_int32(&b)) ge_int_tile_int32(0, 1, 0);
}

whole! { whole_12 BINARY i32 i32 (k a b):
    BitwiseAnd ((&a).bitwise_and(&b)) bitwise_and_binary_tile(0, 1, 0);
    BitwiseOr ((&a).bitwise_or(&b)) bitwise_or_binary_tile(0, 1, 0);
    BitwiseXor ((&a).bitwise_xor(&b)) bitwise_xor_binary_tile(0, 1, 0);
    LeftShift ((&a).left_shift(&b)) binary_left_shift_tile(0, 1, 0);
    RightShift ((&a).right_shift(&b)) binary_right_shift_tile(0, 1, 0);
    Gcd ((&a).gcd(&b)) gcd_tile(0, 1, 0);
}

whole! { whole_13 BINARY u32 u32 (k a b):
    AddUint32 ((&a).add_uint32(&b)) add_int_tile_uint32(0, 1, 0);
    SubUint32 ((&a).sub_uint32(&b)) sub_int_tile_uint32(0, 1, 0);
    RsubUint32 ((&a).rsub_uint32(&b)) rsub_int_tile_uint32(0, 1, 0);
    MulUint32 ((&a).mul_uint32(&b)) mul_int_tile_uint32(0, 1, 0);
    RemainderUint32 ((&a).remainder_uint32(&b)) remainder_uint32_tile(0, 1, 0);
    MaxUint32 ((&a).max_uint32(&b)) binary_max_uint32_tile(0, 1, 0);
    MinUint32 ((&a).min_uint32(&b)) binary_min_uint32_tile(0, 1, 0);
    EqUint32 ((&a).eq_uint32(&b)) eq_int_tile_uint32(0, 1, 0);
}

whole! { whole_14 BINARY u32 u32 (k a b):
    NeUint32 ((&a).ne_uint32(&b)) ne_int_tile_uint32(0, 1, 0);
    LtUint32 ((&a).lt_uint32(&b)) lt_int_tile_uint32(0, 1, 0);
    GtUint32 ((&a).gt_uint32(&b)) gt_int_tile_uint32(0, 1, 0);
    LeUint32 ((&a).le_uint32(&b)) le_int_tile_uint32(0, 1, 0);
    GeUint32 ((&a).ge_uint32(&b)) ge_int_tile_uint32(0, 1, 0);
    BitwiseAndUint32 ((&a).bitwise_and_uint32(&b)) bitwise_and_binary_tile_uint32(0, 1, 0);
    BitwiseOrUint32 ((&a).bitwise_or_uint32(&b)) bitwise_or_binary_tile_uint32(0, 1, 0);
    BitwiseXorUint32 ((&a).bitwise_xor_uint32(&b)) bitwise_xor_binary_tile_uint32(0, 1, 0);
}

whole! { whole_15 BINARY u32 u32 (k a b):
    LeftShiftUint32 ((&a).left_shift_uint32(&b)) binary_left_shift_tile_uint32(0, 1, 0);
    RightShiftUint32 ((&a).right_shift_uint32(&b)) binary_right_shift_tile_uint32(0, 1, 0);
}

numbered! { whole_0 whole_1 whole_2 whole_3 whole_4 whole_5 whole_6 whole_7 whole_8 whole_9 whole_10 whole_11 whole_12 whole_13 whole_14 whole_15 }
