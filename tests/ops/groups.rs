//! Kernels that use every operation of the table, a few in each: by block expression and by explicit call. The tests and the report of operations
//! (`examples/op_report.rs`) build their programs from these.

use ttl::prelude::*;

/// A tile of the tensor for each of three buffers.
#[ttl::kernel(reader)]
pub(crate) fn read(noc: Noc, x: TensorAccessor<f32>, a: CbOut<f32>, b: CbOut<f32>, c: CbOut<f32>) {
    let mut tile = a.reserve_back(1);
    noc.read_page(&x, 0, &mut tile).wait();
    let mut tile = b.reserve_back(1);
    noc.read_page(&x, 1, &mut tile).wait();
    let mut tile = c.reserve_back(1);
    noc.read_page(&x, 2, &mut tile).wait();
}

#[ttl::kernel(writer)]
pub(crate) fn write<T: Element>(noc: Noc, y: TensorAccessor<T>, input: CbIn<T>, count: u32) {
    for page in 0..count {
        let tile = input.wait_front(1);
        noc.write_page(&y, page, &tile).flushed();
    }
}

/// All operations of a group, where a number would choose one.
pub(crate) const ALL: u32 = u32::MAX;

/// The buffers of a compute kernel.
pub(crate) struct Ends {
    a: Consumer<f32>,
    b: Consumer<f32>,
    c: Consumer<f32>,
    y: Producer<f32>,
}

/// Some operations, and the kernel that does each twice, or only one: as an expression, then by explicit call.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) operations: &'static [&'static str],
    compute: fn(&mut Program, ComputeConfig, Ends, u32),
}

impl Group {
    /// Its operations are not there for 16-bit registers.
    pub(crate) fn wide_only(&self) -> bool {
        self.operations.iter().any(|name| ["Nextafter", "ToBf16"].contains(name))
    }
}

pub(crate) const CORE: Core = Core { x: 0, y: 0 };

/// The program of a group, or of one of its operations, over the three tiles of `x`. Its results are two tiles for each operation.
pub(crate) fn program(
    group: &Group,
    device: &mut Device,
    config: ComputeConfig,
    x: &HostTensor,
    only: u32,
) -> ttl::Result<(Program, Tensor<f32>)> {
    let results = 2 * if only == ALL { group.operations.len() as u32 } else { 1 };
    let x = device.upload::<f32>("x", x)?;
    let y = device.zeros::<f32>("y", &[32 * results as usize, 32])?;
    let mut program = Program::new(group.name);
    let [(a_out, a), (b_out, b), (c_out, c)] =
        ["a", "b", "c"].map(|name| program.circular_buffer::<f32>(name, CORE, 1));
    let (y_out, y_in) = program.circular_buffer::<f32>("y", CORE, 2);
    program.kernel(CORE, read { x: x.accessor(), a: a_out, b: b_out, c: c_out });
    (group.compute)(&mut program, config, Ends { a, b, c, y: y_out }, only);
    program.kernel(CORE, write::<f32> { y: y.accessor(), input: y_in, count: results.into() });
    Ok((program, y))
}

/// `name { Operation (expression of a, b, c) method_of_registers(arguments); }`
macro_rules! groups {
    ($list:ident $numbers:ident ($k:ident $a:ident $b:ident $c:ident): $($group:ident { $($op:ident ($($expression:tt)*) $tile:ident($($arguments:tt)*);)* })*) => {
        #[allow(non_upper_case_globals)]
        mod $numbers {
            $(
                pub(super) mod $group {
                    enum Number {
                        $($op),*
                    }
                    $(pub(crate) const $tile: u32 = Number::$op as u32;)*
                }
            )*
        }

        $(
            #[ttl::kernel(compute)]
            pub(crate) fn $group(
                $k: Compute,
                $a: CbIn<f32>,
                $b: CbIn<f32>,
                $c: CbIn<f32>,
                y: CbOut<f32>,
                #[ttl(compile_time)] only: u32,
            ) {
                let $a = $a.wait_front(1);
                let $b = $b.wait_front(1);
                let $c = $c.wait_front(1);
                $(
                    if only == ALL || only == $numbers::$group::$tile {
                        y.reserve_back(1).store($($expression)*);
                        let mut out = y.reserve_back(1);
                        let mut regs = $k.acquire();
                        regs.copy_tile(&$a, 0, 0);
                        regs.copy_tile(&$b, 0, 1);
                        regs.copy_tile(&$c, 0, 2);
                        regs.$tile($($arguments)*);
                        regs.commit().pack_tile(0, &mut out);
                        out.push_back();
                    }
                )*
            }
        )*

        pub(crate) const $list: &[Group] = &[$(
            Group {
                name: stringify!($group),
                operations: &[$(stringify!($op)),*],
                compute: |p, config, Ends { a, b, c, y }, only| {
                    p.compute(CORE, config, $group { $a: a, $b: b, $c: c, y, only });
                },
            },
        )*];
    };
}

groups! { UNARY unary_numbers (k a b c):
    unary_0 {
        Exp ((&a).exp()) exp_tile(0);
        Relu ((&a).relu()) relu_tile(0);
        Sqrt ((&a).sqrt()) sqrt_tile(0);
        Recip ((&a).recip()) recip_tile(0);
        Abs ((&a).abs()) abs_tile(0);
        Negative ((&a).negative()) negative_tile(0);
        Square ((&a).square()) square_tile(0);
        Sign ((&a).sign()) sign_tile(0);
    }
    unary_1 {
        Identity ((&a).identity()) identity_tile(0);
        Eqz ((&a).eqz()) eqz_tile(0);
        Nez ((&a).nez()) nez_tile(0);
        Gtz ((&a).gtz()) gtz_tile(0);
        Ltz ((&a).ltz()) ltz_tile(0);
        Gez ((&a).gez()) gez_tile(0);
        Lez ((&a).lez()) lez_tile(0);
        Floor ((&a).floor()) floor_tile(0);
    }
    unary_2 {
        Ceil ((&a).ceil()) ceil_tile(0);
        Trunc ((&a).trunc()) trunc_tile(0);
        Frac ((&a).frac()) frac_tile(0);
        Isinf ((&a).isinf()) isinf_tile(0);
        Isposinf ((&a).isposinf()) isposinf_tile(0);
        Isneginf ((&a).isneginf()) isneginf_tile(0);
        Isnan ((&a).isnan()) isnan_tile(0);
        Isfinite ((&a).isfinite()) isfinite_tile(0);
    }
    unary_3 {
        Signbit ((&a).signbit()) signbit_tile(0);
        Rsqrt ((&a).rsqrt()) rsqrt_tile(0);
        Sigmoid ((&a).sigmoid()) sigmoid_tile(0);
        Silu ((&a).silu()) silu_tile(0);
        Tanh ((&a).tanh()) tanh_tile(0);
        Log ((&a).log()) log_tile(0);
        Exp2 ((&a).exp2()) exp2_tile(0);
        Expm1 ((&a).expm1()) expm1_tile(0);
    }
    unary_4 {
        Log1p ((&a).log1p()) log1p_tile(0);
        Cbrt ((&a).cbrt()) cbrt_tile(0);
        Sin ((&a).sin()) sin_tile(0);
        Cos ((&a).cos()) cos_tile(0);
        Softsign ((&a).softsign()) softsign_tile(0);
        Hardsigmoid ((&a).hardsigmoid()) hardsigmoid_tile(0);
        AddUnary ((&a).add_unary(0.7)) add_unary_tile(0, 0.7);
        SubUnary ((&a).sub_unary(0.7)) sub_unary_tile(0, 0.7);
    }
    unary_5 {
        MulUnary ((&a).mul_unary(0.7)) mul_unary_tile(0, 0.7);
        DivUnary ((&a).div_unary(0.7)) div_unary_tile(0, 0.7);
        RsubUnary ((&a).rsub_unary(0.7)) rsub_unary_tile(0, 0.7);
        Fill (k.fill(0.7)) fill_tile(0, 0.7);
        LeakyRelu ((&a).leaky_relu(0.01)) leaky_relu_tile(0, 0.01);
        ReluMax ((&a).relu_max(6.0)) relu_max_tile(0, 6.0);
        ReluMin ((&a).relu_min(-1.5)) relu_min_tile(0, -1.5);
        Prelu ((&a).prelu(0.2)) prelu_tile(0, 0.2);
    }
    unary_6 {
        Elu ((&a).elu(1.2)) elu_tile(0, 1.2);
        Selu ((&a).selu(1.0507, 1.67326)) selu_tile(0, 1.0507, 1.67326);
        Celu ((&a).celu(1.3)) celu_tile(0, 1.3);
        Softplus ((&a).softplus(1.5, 6.0)) softplus_tile(0, 1.5, 6.0);
        Softshrink ((&a).softshrink(0.5)) softshrink_tile(0, 0.5);
        Hardshrink ((&a).hardshrink(0.5)) hardshrink_tile(0, 0.5);
        Hardtanh ((&a).hardtanh(-1.5, 2.0)) hardtanh_tile(0, -1.5, 2.0);
        Threshold ((&a).threshold(0.5, -2.0)) threshold_tile(0, 0.5, -2.0);
    }
    unary_7 {
        Hardmish ((&a).hardmish()) hardmish_tile(0);
        Tanhshrink ((&a).tanhshrink()) tanhshrink_tile(0);
        LogFast ((&a).log_fast()) log_fast_tile(0);
        LogWithBase ((&a).log_with_base(10.0)) log_with_base_tile(0, 10.0);
        Log1pFast ((&a).log1p_fast()) log1p_fast_tile(0);
        Expm1Fast ((&a).expm1_fast()) expm1_fast_tile(0);
        SqrtFast ((&a).sqrt_fast()) sqrt_fast_tile(0);
        RsqrtFast ((&a).rsqrt_fast()) rsqrt_fast_tile(0);
    }
    unary_8 {
        Tan ((&a).tan()) tan_tile(0);
        Asin ((&a).asin()) asin_tile(0);
        Acos ((&a).acos()) acos_tile(0);
        Sinh ((&a).sinh()) sinh_tile(0);
        Cosh ((&a).cosh()) cosh_tile(0);
        Asinh ((&a).asinh()) asinh_tile(0);
        Acosh ((&a).acosh()) acosh_tile(0);
        Atanh ((&a).atanh()) atanh_tile(0);
    }
    unary_9 {
        Power ((&a).power(2.3)) power_tile(0, 2.3);
        PowerIterative ((&a).power_iterative(3)) power_iterative_tile(0, 3);
        Rpow ((&a).rpow(1.5)) rpow_tile(0, 1.5);
        Heaviside ((&a).heaviside(0.5)) heaviside_tile(0, 0.5);
        UnaryMax ((&a).unary_max(0.7)) unary_max_tile(0, 0.7);
        UnaryMin ((&a).unary_min(0.7)) unary_min_tile(0, 0.7);
        Clamp ((&a).clamp(-1.5, 2.0)) clamp_tile(0, -1.5, 2.0);
        Rdiv ((&a).rdiv(0.7)) rdiv_tile(0, 0.7);
    }
    unary_10 {
        RdivTrunc ((&a).rdiv_trunc(20.0)) rdiv_trunc_tile(0, 20.0);
        RdivFloor ((&a).rdiv_floor(20.0)) rdiv_floor_tile(0, 20.0);
        RsubScalar ((&a).rsub_scalar(0.7)) rsub_tile(0, 0.7);
        UnaryEq ((&a).unary_eq(0.75)) unary_eq_tile(0, 0.75);
        UnaryNe ((&a).unary_ne(0.75)) unary_ne_tile(0, 0.75);
        UnaryGt ((&a).unary_gt(0.75)) unary_gt_tile(0, 0.75);
        UnaryLt ((&a).unary_lt(0.75)) unary_lt_tile(0, 0.75);
        UnaryGe ((&a).unary_ge(0.75)) unary_ge_tile(0, 0.75);
    }
    unary_11 {
        UnaryLe ((&a).unary_le(0.75)) unary_le_tile(0, 0.75);
        Round ((&a).round(1)) round_tile(0, 1);
        ErfFast ((&a).erf_fast()) erf_fast_tile(0);
        LogicalNot ((&a).logical_not()) logical_not_tile(0);
    }
    unary_12 {
        Gelu ((&a).gelu()) gelu_tile(0);
    }
    unary_13 {
        Mish ((&a).mish()) mish_tile(0);
    }
    unary_14 {
        MishFast ((&a).mish_fast()) mish_fast_tile(0);
    }
    unary_15 {
        Xielu ((&a).xielu(0.8, 0.6)) xielu_tile(0, 0.8, 0.6);
    }
    unary_16 {
        TanhDerivative ((&a).tanh_derivative()) tanh_derivative_tile(0);
    }
    unary_17 {
        TanhDerivativeFast ((&a).tanh_derivative_fast()) tanh_derivative_fast_tile(0);
    }
    unary_18 {
        TanhFast ((&a).tanh_fast()) tanh_fast_tile(0);
    }
    unary_19 {
        SigmoidFast ((&a).sigmoid_fast()) sigmoid_fast_tile(0);
    }
    unary_20 {
        GeluFast ((&a).gelu_fast()) gelu_fast_tile(0);
    }
    unary_21 {
        GeluTanh ((&a).gelu_tanh()) gelu_tanh_tile(0);
    }
    unary_22 {
        GeluDerivative ((&a).gelu_derivative()) gelu_derivative_tile(0);
    }
    unary_23 {
        ExpFast ((&a).exp_fast()) exp_fast_tile(0);
    }
    unary_24 {
        ExpFastUnclamped ((&a).exp_fast_unclamped()) exp_fast_unclamped_tile(0);
    }
    unary_25 {
        ExpScaled ((&a).exp_scaled(0.375)) exp_scaled_tile(0, 0.375);
    }
    unary_26 {
        Atan ((&a).atan()) atan_tile(0);
    }
    unary_27 {
        Erf ((&a).erf()) erf_tile(0);
    }
    unary_28 {
        Erfc ((&a).erfc()) erfc_tile(0);
    }
    unary_29 {
        Erfinv ((&a).erfinv()) erfinv_tile(0);
    }
    unary_30 {
        I0 ((&a).i0()) i0_tile(0);
    }
    unary_31 {
        I1 ((&a).i1()) i1_tile(0);
    }
    unary_32 {
        Digamma ((&a).digamma()) digamma_tile(0);
    }
    unary_33 {
        FmodScalar ((&a).fmod_scalar(0.75)) fmod_tile(0, 0.75);
    }
    unary_34 {
        RemainderScalar ((&a).remainder_scalar(0.75)) remainder_tile(0, 0.75);
    }
    unary_35 {
        LgammaStirling ((&a).lgamma_stirling()) lgamma_stirling_tile(0);
    }
    unary_36 {
        Polygamma ((&a).polygamma(1.0, 1.0)) polygamma_tile(0, 1.0, 1.0);
    }
    unary_37 {
        GeluTanhFast ((&a).gelu_tanh_fast()) gelu_tanh_fast_tile(0);
        GeluDerivativeFast ((&a).gelu_derivative_fast()) gelu_derivative_fast_tile(0);
        StochasticRound ((&a).stochastic_round()) stochastic_round_tile(0);
    }
    unary_38 {
        ToBf16 ((&a).to_bf16()) typecast_tile_f32_bf16(0);
    }
}

groups! { BINARY binary_numbers (k a b c):
    binary_0 {
        Add (&a + &b) add_binary_tile(0, 1, 0);
        Sub (&a - &b) sub_binary_tile(0, 1, 0);
        Mul (&a * &b) mul_binary_tile(0, 1, 0);
        Rsub ((&a).rsub(&b)) rsub_binary_tile(0, 1, 0);
        AddEven ((&a).add_even(&b)) add_even_binary_tile(0, 1, 0);
        SubEven ((&a).sub_even(&b)) sub_even_binary_tile(0, 1, 0);
        RsubEven ((&a).rsub_even(&b)) rsub_even_binary_tile(0, 1, 0);
        Max ((&a).max(&b)) binary_max_tile(0, 1, 0);
    }
    binary_1 {
        Min ((&a).min(&b)) binary_min_tile(0, 1, 0);
        Pow ((&a).pow(&b)) power_binary_tile(0, 1, 0);
        Eq ((&a).eq(&b)) eq_binary_tile(0, 1, 0);
        Ne ((&a).ne(&b)) ne_binary_tile(0, 1, 0);
        Lt ((&a).lt(&b)) lt_binary_tile(0, 1, 0);
        Gt ((&a).gt(&b)) gt_binary_tile(0, 1, 0);
        Le ((&a).le(&b)) le_binary_tile(0, 1, 0);
        Ge ((&a).ge(&b)) ge_binary_tile(0, 1, 0);
    }
    binary_2 {
        Mask ((&a).mask(&b)) mask_tile(0, 1, 0);
        MaskPosinf ((&a).mask_posinf(&b)) mask_posinf_tile(0, 1, 0);
        LogsigmoidOf ((&a).logsigmoid_of(&b)) logsigmoid_tile(0, 1, 0);
        Atan2 ((&a).atan2(&b)) atan2_binary_tile(0, 1, 0);
        Xlogy ((&a).xlogy(&b)) xlogy_binary_tile(0, 1, 0);
        Logaddexp ((&a).logaddexp(&b)) logaddexp_binary_tile(0, 1, 0);
    }
    binary_3 {
        Logaddexp2 ((&a).logaddexp2(&b)) logaddexp2_binary_tile(0, 1, 0);
        NextafterBf16 ((&a).nextafter_bf16(&b)) nextafter_bf16_binary_tile(0, 1, 0);
        Isclose ((&a).isclose(&b, 0.125, 0.25)) isclose_binary_tile(0, 1, 0, 0.125, 0.25);
        IscloseNan ((&a).isclose_nan(&b, 0.125, 0.25)) isclose_nan_binary_tile(0, 1, 0, 0.125, 0.25);
    }
    binary_4 {
        Div (&a / &b) div_binary_tile(0, 1, 0);
    }
    // Alone, since the compiler that stands in for the real one refuses their headers for Wormhole.
    binary_7 {
        Fmod ((&a).fmod(&b)) fmod_binary_tile(0, 1, 0);
        Remainder ((&a).remainder(&b)) remainder_binary_tile(0, 1, 0);
    }
    binary_6 {
        LgammaStirlingOf ((&a).lgamma_stirling_of(&b)) lgamma_stirling_float_tile(0, 1, 0);
    }
    binary_5 {
        Nextafter ((&a).nextafter(&b)) nextafter_binary_tile(0, 1, 0);
    }
}

groups! { TERNARY ternary_numbers (k a b c):
    ternary_0 {
        Where ((&a).select(&b, &c)) where_tile(0, 1, 2, 0);
        Addcmul ((&a).addcmul(&b, &c, 0.75)) addcmul_tile(0, 1, 2, 0, 0.75);
        Addcdiv ((&a).addcdiv(&b, &c, 0.75)) addcdiv_tile(0, 1, 2, 0, 0.75);
        Lerp ((&a).lerp(&b, &c)) lerp_tile(0, 1, 2, 0);
        LgammaAdjusted ((&a).lgamma_adjusted(&b, &c)) lgamma_adjusted_tile(0, 1, 2, 0);
        Mac ((&c).addcmul(&a, &b, 1.0)) mac_tile(0, 1, 2, 0);
        SnakeBeta ((&a).snake_beta(&b, &c)) snake_beta_tile(0, 1, 2, 0);
    }
}
