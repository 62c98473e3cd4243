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
pub(crate) fn write(noc: Noc, y: TensorAccessor<f32>, input: CbIn<f32>, count: u32) {
    for page in 0..count {
        let tile = input.wait_front(1);
        noc.write_page(&y, page, &tile).flushed();
    }
}

/// The buffers of a compute kernel.
pub(crate) struct Ends {
    a: Consumer<f32>,
    b: Consumer<f32>,
    c: Consumer<f32>,
    y: Producer<f32>,
}

/// Some operations, and the kernel that does each twice: as an expression, then by explicit call.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) operations: &'static [&'static str],
    compute: fn(&mut Program, ComputeConfig, Ends),
}

pub(crate) const CORE: Core = Core { x: 0, y: 0 };

/// The program of a group over the three tiles of `x`. Its results are two tiles for each operation.
pub(crate) fn program(
    group: &Group,
    device: &mut Device,
    config: ComputeConfig,
    x: &HostTensor,
) -> ttl::Result<(Program, Tensor<f32>)> {
    let results = 2 * group.operations.len() as u32;
    let x = device.upload::<f32>("x", x)?;
    let y = device.zeros::<f32>("y", &[32 * results as usize, 32])?;
    let mut program = Program::new(group.name);
    let [(a_out, a), (b_out, b), (c_out, c)] =
        ["a", "b", "c"].map(|name| program.circular_buffer::<f32>(name, CORE, 1));
    let (y_out, y_in) = program.circular_buffer::<f32>("y", CORE, 2);
    program.kernel(CORE, read { x: x.accessor(), a: a_out, b: b_out, c: c_out });
    (group.compute)(&mut program, config, Ends { a, b, c, y: y_out });
    program.kernel(CORE, write { y: y.accessor(), input: y_in, count: results.into() });
    Ok((program, y))
}

/// `name { Operation (expression of a, b, c) method_of_registers(arguments); }`
macro_rules! groups {
    ($list:ident ($k:ident $a:ident $b:ident $c:ident): $($group:ident { $($op:ident ($($expression:tt)*) $tile:ident($($arguments:tt)*);)* })*) => {
        $(
            #[ttl::kernel(compute)]
            pub(crate) fn $group($k: Compute, $a: CbIn<f32>, $b: CbIn<f32>, $c: CbIn<f32>, y: CbOut<f32>) {
                let $a = $a.wait_front(1);
                let $b = $b.wait_front(1);
                let $c = $c.wait_front(1);
                $(
                    y.reserve_back(1).store($($expression)*);
                    let mut out = y.reserve_back(1);
                    let mut regs = $k.acquire();
                    regs.copy_tile(&$a, 0, 0);
                    regs.copy_tile(&$b, 0, 1);
                    regs.copy_tile(&$c, 0, 2);
                    regs.$tile($($arguments)*);
                    regs.commit().pack_tile(0, &mut out);
                    out.push_back();
                )*
            }
        )*

        pub(crate) const $list: &[Group] = &[$(
            Group {
                name: stringify!($group),
                operations: &[$(stringify!($op)),*],
                compute: |p, config, Ends { a, b, c, y }| { p.compute(CORE, config, $group { $a: a, $b: b, $c: c, y }); },
            },
        )*];
    };
}

groups! { UNARY (k a b c):
    unary_0 {
        Exp ((&a).exp()) exp_tile(0);
        Relu ((&a).relu()) relu_tile(0);
        Gelu ((&a).gelu()) gelu_tile(0);
        Sqrt ((&a).sqrt()) sqrt_tile(0);
        Recip ((&a).recip()) recip_tile(0);
        Abs ((&a).abs()) abs_tile(0);
        Negative ((&a).negative()) negative_tile(0);
        Square ((&a).square()) square_tile(0);
    }
    unary_1 {
        Sign ((&a).sign()) sign_tile(0);
        Identity ((&a).identity()) identity_tile(0);
        Eqz ((&a).eqz()) eqz_tile(0);
        Nez ((&a).nez()) nez_tile(0);
        Gtz ((&a).gtz()) gtz_tile(0);
        Ltz ((&a).ltz()) ltz_tile(0);
        Gez ((&a).gez()) gez_tile(0);
        Lez ((&a).lez()) lez_tile(0);
    }
    unary_2 {
        Floor ((&a).floor()) floor_tile(0);
        Ceil ((&a).ceil()) ceil_tile(0);
        Trunc ((&a).trunc()) trunc_tile(0);
        Frac ((&a).frac()) frac_tile(0);
        Isinf ((&a).isinf()) isinf_tile(0);
        Isposinf ((&a).isposinf()) isposinf_tile(0);
        Isneginf ((&a).isneginf()) isneginf_tile(0);
        Isnan ((&a).isnan()) isnan_tile(0);
    }
    unary_3 {
        Isfinite ((&a).isfinite()) isfinite_tile(0);
        Signbit ((&a).signbit()) signbit_tile(0);
        Rsqrt ((&a).rsqrt()) rsqrt_tile(0);
        Sigmoid ((&a).sigmoid()) sigmoid_tile(0);
        Silu ((&a).silu()) silu_tile(0);
        Tanh ((&a).tanh()) tanh_tile(0);
        Log ((&a).log()) log_tile(0);
        Exp2 ((&a).exp2()) exp2_tile(0);
    }
    unary_4 {
        Expm1 ((&a).expm1()) expm1_tile(0);
        Log1p ((&a).log1p()) log1p_tile(0);
        Cbrt ((&a).cbrt()) cbrt_tile(0);
        Sin ((&a).sin()) sin_tile(0);
        Cos ((&a).cos()) cos_tile(0);
        Softsign ((&a).softsign()) softsign_tile(0);
        Hardsigmoid ((&a).hardsigmoid()) hardsigmoid_tile(0);
        AddUnary ((&a).add_unary(0.7)) add_unary_tile(0, 0.7);
    }
    unary_5 {
        SubUnary ((&a).sub_unary(0.7)) sub_unary_tile(0, 0.7);
        MulUnary ((&a).mul_unary(0.7)) mul_unary_tile(0, 0.7);
        DivUnary ((&a).div_unary(0.7)) div_unary_tile(0, 0.7);
        RsubUnary ((&a).rsub_unary(0.7)) rsub_unary_tile(0, 0.7);
        Fill (k.fill(0.7)) fill_tile(0, 0.7);
    }
}

groups! { BINARY (k a b c):
    binary_0 {
        Add (&a + &b) add_binary_tile(0, 1, 0);
        Sub (&a - &b) sub_binary_tile(0, 1, 0);
        Mul (&a * &b) mul_binary_tile(0, 1, 0);
    }
}

groups! { TERNARY (k a b c):
    ternary_0 {
        Where ((&a).select(&b, &c)) where_tile(0, 1, 2, 0);
    }
}
