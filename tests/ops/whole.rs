//! Operations of integers and conversions, as `groups.rs` has those of floats: by expression and by explicit call, on both engines, with exact results.

use super::groups::{ALL, CORE, write};
use ttl::prelude::*;
use ttl::runtime::ops::{BinaryOp, TernaryOp, UnaryOp};
use ttl::runtime::tensor::TensorRef;
use ttl::testing::on_both_engines;

#[ttl::kernel(reader)]
fn read<A: Element, B: Element>(noc: Noc, x: TensorAccessor<A>, y: TensorAccessor<B>, a: CbOut<A>, b: CbOut<B>) {
    let mut tile = a.reserve_back(1);
    noc.read_page(&x, 0, &mut tile).wait();
    let mut tile = b.reserve_back(1);
    noc.read_page(&y, 0, &mut tile).wait();
}

/// A buffer for each operand, and one for the results.
pub(crate) struct Ends<A: Element, B: Element, Y: Element> {
    a: Consumer<A>,
    b: Consumer<B>,
    y: Producer<Y>,
}

/// Small numbers of both signs, or from 0; some of the second operand are 0.
fn input(format: DataFormat, second: bool, i: usize) -> f64 {
    let n = (i % 1024) as i64;
    let n = if second { n * 37 % 41 } else { n * n % 3001 };
    match (format, second) {
        (DataFormat::U32 | DataFormat::U16, _) => n as f64,
        (DataFormat::F32, false) => (n - 1500) as f64 * 0.25,
        (DataFormat::F32, true) => (n - 20) as f64 * 0.25,
        (_, false) => (n - 1500) as f64,
        (_, true) => (n - 20) as f64,
    }
}

fn host(format: DataFormat, second: bool) -> HostTensor {
    let value = |i| input(format, second, i);
    match format {
        DataFormat::F32 => HostTensor::from_fn([32, 32], |i| value(i) as f32),
        DataFormat::U32 => HostTensor::from_vec([32, 32], (0..1024).map(|i| value(i) as u32).collect::<Vec<u32>>()),
        DataFormat::U16 => HostTensor::from_vec([32, 32], (0..1024).map(|i| value(i) as u16).collect::<Vec<u16>>()),
        _ => HostTensor::from_vec([32, 32], (0..1024).map(|i| value(i) as i32).collect::<Vec<i32>>()),
    }
    .expect("a tensor")
}

/// The program of some operations: two tiles for each.
pub(crate) fn program<A: Element, B: Element, Y: Element>(
    device: &mut Device,
    config: &ComputeConfig,
    results: usize,
    compute: impl Fn(&mut Program, ComputeConfig, Ends<A, B, Y>),
) -> ttl::Result<(Program, Tensor<Y>)> {
    let x0 = device.upload::<A>("x0", &host(A::FORMAT, false))?;
    let x1 = device.upload::<B>("x1", &host(B::FORMAT, true))?;
    let y = device.zeros::<Y>("y", &[32 * results, 32])?;
    let mut p = Program::new("whole");
    let (a_out, a) = p.circular_buffer::<A>("a", CORE, 1);
    let (b_out, b) = p.circular_buffer::<B>("b", CORE, 1);
    let (y_out, y_in) = p.circular_buffer::<Y>("y", CORE, 2);
    p.kernel(CORE, read::<A, B> { x: x0.accessor(), y: x1.accessor(), a: a_out, b: b_out });
    compute(&mut p, config.clone(), Ends { a, b, y: y_out });
    p.kernel(CORE, write::<Y> { y: y.accessor(), input: y_in, count: (results as u32).into() });
    Ok((p, y))
}

/// The exact result of an operation, and whether another is as near as its row says.
fn judge(name: &str, a: f64, b: f64, got: f64) -> (f64, bool) {
    let named = |op: String| op == name;
    if let Some(op) = UnaryOp::ALL.into_iter().find(|op| named(format!("{op:?}"))) {
        return (op.row().exact(a), op.row().accepts(a, got));
    }
    if let Some(op) = BinaryOp::ALL.into_iter().find(|op| named(format!("{op:?}"))) {
        return (op.row().exact(a, b), op.row().accepts(a, b, got));
    }
    let op = TernaryOp::ALL.into_iter().find(|op| named(format!("{op:?}"))).expect("a row");
    (op.row().exact([a, b, a]), op.row().accepts([a, b, a], got))
}

fn check<A: Element, B: Element, Y: Element>(
    names: &[&str],
    wide: bool,
    compute: impl Fn(&mut Program, ComputeConfig, Ends<A, B, Y>),
) {
    let config = ComputeConfig { fp32_dest_acc: wide, ..ComputeConfig::default() };
    let floats = [A::FORMAT, B::FORMAT, Y::FORMAT].contains(&DataFormat::F32);
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let options = DeviceOptions { arch, ..Default::default() };
        let (device, y) =
            on_both_engines(&options, |device| program::<A, B, Y>(device, &config, 2 * names.len(), &compute))
                .unwrap_or_else(|e| panic!("{names:?} on {}: {e}", arch.name()));
        let result = device.download(&y).expect("a result");
        // What 16-bit registers make of floats is compared between the engines alone.
        for (n, name) in names.iter().enumerate().filter(|_| wide || !floats) {
            for i in 0..2048 {
                let (a, b) = (input(A::FORMAT, false, i), input(B::FORMAT, true, i));
                // What the chip gives for a division by zero is no number of its own; the engines agree on it.
                if b == 0.0 && (name.contains("Div") || name.contains("Remainder") || name.contains("Fmod")) {
                    continue;
                }
                let at = 2048 * n + i;
                let whole = result.get_integer(at).map(|x| x as f64);
                let got = whole.or(result.get(at).map(f64::from)).expect("an element");
                let (want, near) = judge(name, a, b, got);
                assert!(near, "{name} of {a} and {b} on {} is {got}, not {want}", arch.name());
            }
        }
    }
}

/// Some operations of one kind.
#[allow(dead_code)] // the report has the rest
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) operations: &'static [&'static str],
    pub(crate) wide: bool,
    /// Hands over their program, or that of one of them.
    #[allow(clippy::type_complexity)]
    pub(crate) visit: fn(&mut Visitor<'_>, &mut Device, u32) -> ttl::Result<()>,
}

/// Takes a program, its result and the operations in it.
pub(crate) type Visitor<'a> = dyn FnMut(&mut Device, Program, TensorRef, &[&str]) -> ttl::Result<()> + 'a;

const WIDE: bool = true;
const NARROW: bool = false;

/// `name WIDTH first second output (names): Operation (expression) method_of_registers(arguments);`, the third register being the first again.
macro_rules! whole {
    ($group:ident $wide:ident $in:ident $in2:ident $out:ident ($k:ident $a:ident $b:ident): $($op:ident ($($expression:tt)*) $tile:ident($($arguments:tt)*);)*) => {
        pub(crate) mod $group {
            use super::*;

            #[ttl::kernel(compute)]
            fn compute($k: Compute, $a: CbIn<$in>, $b: CbIn<$in2>, y: CbOut<$out>, #[ttl(compile_time)] only: u32) {
                let $a = $a.wait_front(1);
                let $b = $b.wait_front(1);
                $(
                    if only == ALL || only == number::$tile {
                        y.reserve_back(1).store($($expression)*);
                        let mut out = y.reserve_back(1);
                        let mut regs = $k.acquire();
                        regs.copy_tile(&$a, 0, 0);
                        regs.copy_tile(&$b, 0, 1);
                        regs.copy_tile(&$a, 0, 2);
                        regs.$tile($($arguments)*);
                        regs.commit().pack_tile(0, &mut out);
                        out.push_back();
                    }
                )*
            }

            #[allow(non_upper_case_globals)]
            mod number {
                enum Number {
                    $($op),*
                }
                $(pub(super) const $tile: u32 = Number::$op as u32;)*
            }

            pub(crate) const GROUP: Group = Group {
                name: stringify!($group),
                operations: &[$(stringify!($op)),*],
                wide: $wide,
                visit: |visitor, device, only| {
                    let operations = if only == ALL { GROUP.operations } else { &GROUP.operations[only as usize..][..1] };
                    let config = ComputeConfig { fp32_dest_acc: $wide, ..ComputeConfig::default() };
                    let (program, y) = program::<$in, $in2, $out>(device, &config, 2 * operations.len(), build(only))?;
                    visitor(device, program, y.handle().clone(), operations)
                },
            };

            fn build(only: u32) -> impl Fn(&mut Program, ComputeConfig, Ends<$in, $in2, $out>) {
                move |p, config, Ends { a, b, y }| {
                    p.compute(CORE, config, compute { $a: a, $b: b, y, only });
                }
            }

            #[test]
            fn runs() {
                check::<$in, $in2, $out>(GROUP.operations, $wide, build(ALL));
            }
        }
    };
}

macro_rules! numbered {
    ($($group:ident)*) => {
        /// All operations of integers.
        pub(crate) const GROUPS: &[Group] = &[$($group::GROUP),*];
    };
}

whole! { whole_0 WIDE i32 i32 f32 (k a b):
    ToF32 ((&a).to_f32()) typecast_tile_i32_f32(0);
}

whole! { whole_1 WIDE u32 u32 f32 (k a b):
    ToF32Uint32 ((&a).to_f32_uint32()) typecast_tile_u32_f32(0);
}

whole! { whole_2 WIDE f32 f32 i32 (k a b):
    ToI32 ((&a).to_i32()) typecast_tile_f32_i32(0);
}

whole! { whole_3 WIDE f32 f32 u32 (k a b):
    ToU32 ((&a).to_u32()) typecast_tile_f32_u32(0);
}

whole! { whole_4 WIDE i32 i32 i32 (k a b):
    AbsInt32 ((&a).abs_int32()) abs_tile_int32(0);
    NegativeInt32 ((&a).negative_int32()) negative_tile_int32(0);
    SignbitInt32 ((&a).signbit_int32()) signbit_tile_int32(0);
    ReluInt32 ((&a).relu_int32()) relu_tile_int32(0);
    EqzInt32 ((&a).eqz_int32()) eqz_tile_int32(0);
    NezInt32 ((&a).nez_int32()) nez_tile_int32(0);
    GtzInt32 ((&a).gtz_int32()) gtz_tile_int32(0);
    LtzInt32 ((&a).ltz_int32()) ltz_tile_int32(0);
}

whole! { whole_5 WIDE i32 i32 i32 (k a b):
    GezInt32 ((&a).gez_int32()) gez_tile_int32(0);
    LezInt32 ((&a).lez_int32()) lez_tile_int32(0);
    LogicalNotInt32 ((&a).logical_not_int32()) logical_not_tile_int32(0);
    BitwiseNot ((&a).bitwise_not()) bitwise_not_tile(0);
    BitwiseAndNumberInt32 ((&a).bitwise_and_number_int32(0x0ff0)) bitwise_and_tile_int32(0, 0x0ff0);
    BitwiseOrNumberInt32 ((&a).bitwise_or_number_int32(0x0ff0)) bitwise_or_tile_int32(0, 0x0ff0);
    BitwiseXorNumberInt32 ((&a).bitwise_xor_number_int32(0x0ff0)) bitwise_xor_tile_int32(0, 0x0ff0);
    LeftShiftNumberInt32 ((&a).left_shift_number_int32(3)) left_shift_tile_int32(0, 3);
}

whole! { whole_6 WIDE i32 i32 i32 (k a b):
    RightShiftNumberInt32 ((&a).right_shift_number_int32(3)) right_shift_tile_int32(0, 3);
    FillInt32 (k.fill(-7)) fill_tile_int32(0, -7);
    UnaryMaxInt32 ((&a).unary_max_int32(5)) unary_max_int32_tile(0, 5);
    UnaryMinInt32 ((&a).unary_min_int32(5)) unary_min_int32_tile(0, 5);
    AddUnaryInt32 ((&a).add_unary_int32(-70)) add_unary_tile_int32(0, -70);
    SubUnaryInt32 ((&a).sub_unary_int32(-70)) sub_unary_tile_int32(0, -70);
    RsubUnaryInt32 ((&a).rsub_unary_int32(-70)) rsub_unary_int32_tile(0, -70);
    ClampInt32 ((&a).clamp_int32(-100, 70)) clamp_tile_int32(0, -100, 70);
}

whole! { whole_7 WIDE i32 i32 i32 (k a b):
    ReluMaxInt32 ((&a).relu_max_int32(60)) relu_max_tile_int32(0, 60);
    ReluMinInt32 ((&a).relu_min_int32(-15)) relu_min_tile_int32(0, -15);
    UnaryEqInt32 ((&a).unary_eq_int32(7)) unary_eq_tile_int32(0, 7);
    UnaryNeInt32 ((&a).unary_ne_int32(7)) unary_ne_tile_int32(0, 7);
    UnaryGtInt32 ((&a).unary_gt_int32(7)) unary_gt_tile_int32(0, 7);
    UnaryLtInt32 ((&a).unary_lt_int32(7)) unary_lt_tile_int32(0, 7);
    UnaryGeInt32 ((&a).unary_ge_int32(7)) unary_ge_tile_int32(0, 7);
    UnaryLeInt32 ((&a).unary_le_int32(7)) unary_le_tile_int32(0, 7);
}

whole! { whole_8 WIDE u32 u32 u32 (k a b):
    EqzUint32 ((&a).eqz_uint32()) eqz_tile_uint32(0);
    NezUint32 ((&a).nez_uint32()) nez_tile_uint32(0);
    LogicalNotUint32 ((&a).logical_not_uint32()) logical_not_tile_uint32(0);
    BitwiseNotUint32 ((&a).bitwise_not_uint32()) bitwise_not_tile_uint32(0);
    BitwiseAndNumberUint32 ((&a).bitwise_and_number_uint32(0x0ff0)) bitwise_and_tile_uint32(0, 0x0ff0);
    BitwiseOrNumberUint32 ((&a).bitwise_or_number_uint32(0x0ff0)) bitwise_or_tile_uint32(0, 0x0ff0);
    BitwiseXorNumberUint32 ((&a).bitwise_xor_number_uint32(0x0ff0)) bitwise_xor_tile_uint32(0, 0x0ff0);
    LeftShiftNumberUint32 ((&a).left_shift_number_uint32(3)) left_shift_tile_uint32(0, 3);
}

whole! { whole_9 WIDE u32 u32 u32 (k a b):
    RightShiftNumberUint32 ((&a).right_shift_number_uint32(3)) right_shift_tile_uint32(0, 3);
    FillUint32 (k.fill(7u32)) fill_tile_uint32(0, 7);
    UnaryMaxUint32 ((&a).unary_max_uint32(5)) unary_max_uint32_tile(0, 5);
    UnaryMinUint32 ((&a).unary_min_uint32(5)) unary_min_uint32_tile(0, 5);
    ReluMaxUint32 ((&a).relu_max_uint32(60)) relu_max_tile_uint32(0, 60);
    ReluMinUint32 ((&a).relu_min_uint32(15)) relu_min_tile_uint32(0, 15);
}

whole! { whole_10 WIDE i32 i32 i32 (k a b):
    AddInt32 ((&a).add_int32(&b)) add_int_tile_int32(0, 1, 0);
    SubInt32 ((&a).sub_int32(&b)) sub_int_tile_int32(0, 1, 0);
    RsubInt32 ((&a).rsub_int32(&b)) rsub_int_tile_int32(0, 1, 0);
    MulInt32 ((&a).mul_int32(&b)) mul_int_tile_int32(0, 1, 0);
}

whole! { whole_11 WIDE i32 i32 i32 (k a b):
    MaxInt32 ((&a).max_int32(&b)) binary_max_int32_tile(0, 1, 0);
    MinInt32 ((&a).min_int32(&b)) binary_min_int32_tile(0, 1, 0);
    EqInt32 ((&a).eq_int32(&b)) eq_int_tile_int32(0, 1, 0);
    NeInt32 ((&a).ne_int32(&b)) ne_int_tile_int32(0, 1, 0);
    LtInt32 ((&a).lt_int32(&b)) lt_int_tile_int32(0, 1, 0);
    GtInt32 ((&a).gt_int32(&b)) gt_int_tile_int32(0, 1, 0);
    LeInt32 ((&a).le_int32(&b)) le_int_tile_int32(0, 1, 0);
    GeInt32 ((&a).ge_int32(&b)) ge_int_tile_int32(0, 1, 0);
}

whole! { whole_12 WIDE i32 i32 i32 (k a b):
    BitwiseAnd ((&a).bitwise_and(&b)) bitwise_and_binary_tile(0, 1, 0);
    BitwiseOr ((&a).bitwise_or(&b)) bitwise_or_binary_tile(0, 1, 0);
    BitwiseXor ((&a).bitwise_xor(&b)) bitwise_xor_binary_tile(0, 1, 0);
    LeftShift ((&a).left_shift(&b)) binary_left_shift_tile(0, 1, 0);
    RightShift ((&a).right_shift(&b)) binary_right_shift_tile(0, 1, 0);
    Gcd ((&a).gcd(&b)) gcd_tile(0, 1, 0);
}

whole! { whole_13 WIDE u32 u32 u32 (k a b):
    AddUint32 ((&a).add_uint32(&b)) add_int_tile_uint32(0, 1, 0);
    SubUint32 ((&a).sub_uint32(&b)) sub_int_tile_uint32(0, 1, 0);
    RsubUint32 ((&a).rsub_uint32(&b)) rsub_int_tile_uint32(0, 1, 0);
    MulUint32 ((&a).mul_uint32(&b)) mul_int_tile_uint32(0, 1, 0);
    MaxUint32 ((&a).max_uint32(&b)) binary_max_uint32_tile(0, 1, 0);
    MinUint32 ((&a).min_uint32(&b)) binary_min_uint32_tile(0, 1, 0);
    EqUint32 ((&a).eq_uint32(&b)) eq_int_tile_uint32(0, 1, 0);
}

whole! { whole_14 WIDE u32 u32 u32 (k a b):
    NeUint32 ((&a).ne_uint32(&b)) ne_int_tile_uint32(0, 1, 0);
    LtUint32 ((&a).lt_uint32(&b)) lt_int_tile_uint32(0, 1, 0);
    GtUint32 ((&a).gt_uint32(&b)) gt_int_tile_uint32(0, 1, 0);
    LeUint32 ((&a).le_uint32(&b)) le_int_tile_uint32(0, 1, 0);
    GeUint32 ((&a).ge_uint32(&b)) ge_int_tile_uint32(0, 1, 0);
    BitwiseAndUint32 ((&a).bitwise_and_uint32(&b)) bitwise_and_binary_tile_uint32(0, 1, 0);
    BitwiseOrUint32 ((&a).bitwise_or_uint32(&b)) bitwise_or_binary_tile_uint32(0, 1, 0);
    BitwiseXorUint32 ((&a).bitwise_xor_uint32(&b)) bitwise_xor_binary_tile_uint32(0, 1, 0);
}

whole! { whole_15 WIDE u32 u32 u32 (k a b):
    LeftShiftUint32 ((&a).left_shift_uint32(&b)) binary_left_shift_tile_uint32(0, 1, 0);
    RightShiftUint32 ((&a).right_shift_uint32(&b)) binary_right_shift_tile_uint32(0, 1, 0);
}

whole! { whole_16 WIDE i32 i32 i32 (k a b):
    Lcm ((&a).lcm(&b)) lcm_tile(0, 1, 0);
    LogicalRightShift ((&a).logical_right_shift(&b)) binary_logical_right_shift_tile(0, 1, 0);
    MaskInt32 ((&a).mask(&b)) mask_tile_int32(0, 1, 0);
    WhereInt32 ((&a).select(&b, &a)) where_tile_int32(0, 1, 2, 0);
}

whole! { whole_17 WIDE i32 i32 f32 (k a b):
    DivInt32Float ((&a).div_int32(&b)) div_int32_tile(0, 1, 0);
}

whole! { whole_18 WIDE u32 u32 u32 (k a b):
    IdentityUint32 ((&a).identity()) identity_tile_uint32(0);
    WhereUint32 ((&a).select(&b, &a)) where_tile_uint32(0, 1, 2, 0);
}

whole! { whole_19 NARROW u16 u16 u16 (k a b):
    EqzUint16 ((&a).eqz()) eqz_tile_uint16(0);
    NezUint16 ((&a).nez()) nez_tile_uint16(0);
    ReluMaxUint16 ((&a).relu_max_uint16(60)) relu_max_tile_uint16(0, 60);
    ReluMinUint16 ((&a).relu_min_uint16(15)) relu_min_tile_uint16(0, 15);
    AddUint16 (&a + &b) add_int_tile_uint16(0, 1, 0);
    SubUint16 (&a - &b) sub_int_tile_uint16(0, 1, 0);
    RsubUint16 ((&a).rsub(&b)) rsub_int_tile_uint16(0, 1, 0);
    MulUint16 (&a * &b) mul_int_tile_uint16(0, 1, 0);
}

whole! { whole_20 NARROW u16 u16 u16 (k a b):
    EqUint16 ((&a).eq(&b)) eq_int_tile_uint16(0, 1, 0);
    NeUint16 ((&a).ne(&b)) ne_int_tile_uint16(0, 1, 0);
    LtUint16 ((&a).lt(&b)) lt_int_tile_uint16(0, 1, 0);
    GtUint16 ((&a).gt(&b)) gt_int_tile_uint16(0, 1, 0);
    LeUint16 ((&a).le(&b)) le_int_tile_uint16(0, 1, 0);
    GeUint16 ((&a).ge(&b)) ge_int_tile_uint16(0, 1, 0);
    BitwiseAndUint16 (&a & &b) bitwise_and_binary_tile_uint16(0, 1, 0);
    BitwiseOrUint16 (&a | &b) bitwise_or_binary_tile_uint16(0, 1, 0);
}

whole! { whole_21 NARROW u16 u16 u16 (k a b):
    BitwiseXorUint16 (&a ^ &b) bitwise_xor_binary_tile_uint16(0, 1, 0);
}

whole! { whole_22 WIDE f32 f32 u16 (k a b):
    ToU16 ((&a).to_u16()) typecast_tile_f32_u16(0);
}

whole! { whole_23 WIDE i32 i32 u16 (k a b):
    ToU16Int32 ((&a).to_u16()) typecast_tile_i32_u16(0);
}

whole! { whole_24 WIDE u32 u32 u16 (k a b):
    ToU16Uint32 ((&a).to_u16()) typecast_tile_u32_u16(0);
}

whole! { whole_25 WIDE u16 u16 f32 (k a b):
    ToF32Uint16 ((&a).to_f32()) typecast_tile_u16_f32(0);
}

whole! { whole_26 WIDE u16 u16 i32 (k a b):
    ToI32Uint16 ((&a).to_i32()) typecast_tile_u16_i32(0);
}

whole! { whole_27 WIDE u16 u16 u32 (k a b):
    ToU32Uint16 ((&a).to_u32()) typecast_tile_u16_u32(0);
}

whole! { whole_28 WIDE i32 i32 f32 (k a b):
    ToBf16Int32 ((&a).to_bf16()) typecast_tile_i32_bf16(0);
}

whole! { whole_29 WIDE u32 u32 f32 (k a b):
    ToBf16Uint32 ((&a).to_bf16()) typecast_tile_u32_bf16(0);
}

whole! { whole_30 WIDE f32 f32 i32 (k a b):
    Quant ((&a).quant(&b, 3.0)) quant_tile(0, 1, 0, 3.0);
    QuantUint8 ((&a).quant_uint8(&b, 3.0)) quant_uint8_tile(0, 1, 0, 3.0);
    QuantInt8 ((&a).quant_int8(&b, 3.0)) quant_int8_tile(0, 1, 0, 3.0);
}

whole! { whole_31 WIDE i32 f32 i32 (k a b):
    Requant ((&a).requant(&b, 3.0)) requant_tile(0, 1, 0, 3.0);
    RequantUint8 ((&a).requant_uint8(&b, 3.0)) requant_uint8_tile(0, 1, 0, 3.0);
    RequantInt8 ((&a).requant_int8(&b, 3.0)) requant_int8_tile(0, 1, 0, 3.0);
}

whole! { whole_32 WIDE i32 f32 i32 (k a b):
    RequantInt8In ((&a).requant_int8_in(&b, 3.0)) requant_int8_in_tile(0, 1, 0, 3.0);
    RequantInt8InUint8Out ((&a).requant_int8_in_uint8_out(&b, 3.0)) requant_int8_in_uint8_out_tile(0, 1, 0, 3.0);
    RequantInt8InInt8Out ((&a).requant_int8_in_int8_out(&b, 3.0)) requant_int8_in_int8_out_tile(0, 1, 0, 3.0);
}

whole! { whole_33 WIDE i32 f32 f32 (k a b):
    Dequant ((&a).dequant(&b, -3.0)) dequant_tile(0, 1, 0, -3.0);
}

whole! { whole_34 WIDE i32 f32 f32 (k a b):
    DequantInt8 ((&a).dequant_int8(&b, -131.0)) dequant_int8_tile(0, 1, 0, -131.0);
}

// In programs of their own, since the compiler that stands in for the real one refuses some of their headers.
whole! { whole_35 WIDE i32 i32 i32 (k a b):
    DivInt32 ((&a).div_int32_trunc(&b)) div_int32_trunc_tile(0, 1, 0);
    DivInt32Floor ((&a).div_int32_floor(&b)) div_int32_floor_tile(0, 1, 0);
    RemainderInt32 ((&a).remainder_int32(&b)) remainder_int32_tile(0, 1, 0);
    FmodInt32 ((&a).fmod_int32(&b)) fmod_int32_tile(0, 1, 0);
}

whole! { whole_36 WIDE u32 u32 u32 (k a b):
    RemainderUint32 ((&a).remainder_uint32(&b)) remainder_uint32_tile(0, 1, 0);
}

whole! { whole_37 WIDE u32 u32 u32 (k a b):
    RemainderScalarUint32 ((&a).remainder_scalar_uint32(7)) remainder_tile_uint32(0, 7);
}

// With 16-bit registers the engines are compared; the operations are those above.
whole! { narrow_0 NARROW f32 f32 u16 (k a b):
    ToU16 ((&a).to_u16()) typecast_tile_f32_u16(0);
}

whole! { narrow_1 NARROW u16 u16 f32 (k a b):
    ToF32Uint16 ((&a).to_f32()) typecast_tile_u16_f32(0);
}

numbered! { whole_0 whole_1 whole_2 whole_3 whole_4 whole_5 whole_6 whole_7 whole_8 whole_9 whole_10 whole_11 whole_12 whole_13 whole_14 whole_15 whole_16 whole_17 whole_18
whole_19 whole_20 whole_21 whole_22 whole_23 whole_24 whole_25 whole_26 whole_27 whole_28 whole_29 whole_30 whole_31 whole_32 whole_33 whole_34 whole_35 whole_36 whole_37 }
