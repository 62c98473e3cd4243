//! Every unary operation in kernels of its own, by block expression and by explicit call: natively and as generated C++, the same bits;
//! against the exact function, within the bound of the table.

use ttl::prelude::*;
use ttl::runtime::ops::UnaryOp;
use ttl::testing::on_both_engines;

/// The tile twice.
#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<f32>, out: CbOut<f32>) {
    for _ in 0..2 {
        let mut tile = out.reserve_back(1);
        noc.read_page(&x, 0, &mut tile).wait();
    }
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<f32>, input: CbIn<f32>) {
    for page in 0..2 {
        let tile = input.wait_front(1);
        noc.write_page(&y, page, &tile).flushed();
    }
}

/// A grid around zero that source registers hold exactly.
fn input(i: usize) -> f32 {
    (i as f32 - 512.0) / 64.0
}

macro_rules! operations {
    ($($op:ident $method:ident $tile:ident;)*) => {
        mod kernels {
            use ttl::prelude::*;
            $(
                #[ttl::kernel(compute)]
                pub(crate) fn $method(c: Compute, x: CbIn<f32>, y: CbOut<f32>) {
                    y.reserve_back(1).store(x.wait_front(1).$method());
                    let tile = x.wait_front(1);
                    let mut out = y.reserve_back(1);
                    let mut regs = c.acquire();
                    regs.copy_tile(&tile, 0, 0);
                    regs.$tile(0);
                    regs.commit().pack_tile(0, &mut out);
                }
            )*
        }

        #[test]
        fn every_operation_of_the_table_is_tested() {
            assert_eq!([$(UnaryOp::$op),*], UnaryOp::ALL);
        }

        $(
            #[test]
            fn $method() {
                check(UnaryOp::$op, |p, core, config, x, y| p.compute(core, config, kernels::$method { x, y }));
            }
        )*
    };
}

fn check(op: UnaryOp, compute: impl Fn(&mut Program, Core, ComputeConfig, Consumer<f32>, Producer<f32>)) {
    let core = Core::new(0, 0);
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for fp32_dest_acc in [false, true] {
            let options = DeviceOptions { arch, ..Default::default() };
            let values: Vec<f32> = (0..1024).map(input).collect();
            let host = HostTensor::from_fn([32, 32], input).expect("a tensor");
            let (device, y) = on_both_engines(&options, |device| {
                let x = device.upload::<f32>("x", &host)?;
                let y = device.zeros::<f32>("y", &[64, 32])?;
                let mut p = Program::new(op.row().method);
                let (x_out, x_in) = p.circular_buffer::<f32>("x", core, 2);
                let (y_out, y_in) = p.circular_buffer::<f32>("y", core, 2);
                let config = ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() };
                p.kernel(core, read { x: x.accessor(), out: x_out });
                compute(&mut p, core, config, x_in, y_out);
                p.kernel(core, write { y: y.accessor(), input: y_in });
                Ok((p, y))
            })
            .expect("both engines agree");
            let result = device.download(&y).expect("a result").to_f32_vec();
            let (first, second) = result.split_at(1024);
            for (i, (a, b)) in first.iter().zip(second).enumerate() {
                let x = values[i];
                assert_eq!(a.to_bits(), b.to_bits(), "{op:?} of {x}: the expression and the call");
                if fp32_dest_acc {
                    let exact = (op.row().reference)(f64::from(x));
                    assert!(op.row().accepts(f64::from(x), f64::from(*a)), "{op:?} of {x} is {a}, not {exact}");
                }
            }
        }
    }
}

operations! {
    Exp exp exp_tile;
    Relu relu relu_tile;
    Gelu gelu gelu_tile;
    Sqrt sqrt sqrt_tile;
    Recip recip recip_tile;
    Abs abs abs_tile;
    Negative negative negative_tile;
    Square square square_tile;
    Sign sign sign_tile;
    Identity identity identity_tile;
    Eqz eqz eqz_tile;
    Nez nez nez_tile;
    Gtz gtz gtz_tile;
    Ltz ltz ltz_tile;
    Gez gez gez_tile;
    Lez lez lez_tile;
    Floor floor floor_tile;
    Ceil ceil ceil_tile;
    Trunc trunc trunc_tile;
    Frac frac frac_tile;
    Isinf isinf isinf_tile;
    Isposinf isposinf isposinf_tile;
    Isneginf isneginf isneginf_tile;
    Isnan isnan isnan_tile;
    Isfinite isfinite isfinite_tile;
    Signbit signbit signbit_tile;
    Rsqrt rsqrt rsqrt_tile;
    Sigmoid sigmoid sigmoid_tile;
    Silu silu silu_tile;
    Tanh tanh tanh_tile;
    Log log log_tile;
    Exp2 exp2 exp2_tile;
    Expm1 expm1 expm1_tile;
    Log1p log1p log1p_tile;
    Cbrt cbrt cbrt_tile;
    Sin sin sin_tile;
    Cos cos cos_tile;
    Softsign softsign softsign_tile;
    Hardsigmoid hardsigmoid hardsigmoid_tile;
}
