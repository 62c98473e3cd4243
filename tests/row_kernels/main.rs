//! The kernels along rows: softmax, log-softmax, layer normalisation, RMS normalisation. Each on both engines, bit for bit, and natively against f64
//! arithmetic, within bounds that follow from what rounds where; over shapes that do not fill their tiles, one row, one column, rows larger than L1; with both widths of
//! the tile registers, on both chips, with padding that holds anything.

#[path = "../common/dice.rs"]
mod dice;
mod fits;
mod layernorm;
mod reference;
mod refused;
mod rmsnorm;
mod softmax;

use dice::Dice;
use reference::Bounded;
use ttl::prelude::*;
use ttl_kernels::rows::Form;

const CHIPS: [fn() -> Arch; 2] = [Arch::blackhole, Arch::wormhole];

fn config(fp32_dest_acc: bool) -> ComputeConfig {
    ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() }
}

fn grid(x: u32, y: u32) -> CoreSet {
    CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(x - 1, y - 1)))
}

/// As a tensor of `T` holds it, with what must not be seen beside its last column and below its last row.
fn upload<T: Element>(device: &mut Device, name: &str, host: &HostTensor) -> ttl::Result<Tensor<T>> {
    device.upload_padded::<T>(name, host, MemoryConfig::Dram, f32::NAN)
}

/// The values that a tensor of `T` holds.
fn values<T: Element>(host: &HostTensor) -> Vec<f64> {
    host.to_format(T::FORMAT).to_f32_vec().into_iter().map(f64::from).collect()
}

/// Noise with a mean that is not zero.
fn noise(shape: &[usize], seed: u64, scale: f32, shift: f32) -> HostTensor {
    let noise = HostTensor::normal(shape.to_vec(), seed).expect("a shape").to_f32_vec();
    HostTensor::from_fn(shape.to_vec(), |i| noise[i] * scale + shift).expect("a shape")
}

/// Shapes that do not fill their tiles, in one or the other direction or both; one row, one column, one element; several dimensions; more rows of tiles than cores.
const SHAPES: [&[usize]; 10] =
    [&[1, 1], &[1, 32], &[32, 1], &[5, 31], &[40, 33], &[70, 90], &[1, 500], &[2, 3, 33, 47], &[250, 64], &[3, 1000]];

/// Each of [`SHAPES`] in both forms, chips and widths of the registers taking turns.
fn over_shapes(run: impl Fn(Arch, &[usize], bool, Form)) {
    for (i, shape) in SHAPES.iter().enumerate() {
        for (j, form) in [Form::Whole, Form::Blocks].into_iter().enumerate() {
            run(CHIPS[(i + j) % 2](), shape, (i / 2 + j) % 2 == 1, form);
        }
    }
}

/// Shapes by chance, in either form, on either chip, with either width of the registers.
fn over_random_shapes(mut run: impl FnMut(Arch, &[usize], bool, Form, &mut Dice)) {
    let mut dice = Dice::new();
    for _ in 0..8 {
        let (chip, shape, wide) = (dice.chip(), dice.shape(), dice.flip());
        let form = dice.of(&[Form::Auto, Form::Whole, Form::Blocks]);
        run(chip, &shape, wide, form, &mut dice);
    }
}

/// Runs on both engines, compares their memory, and holds each element against its bound.
#[track_caller]
fn check<T: Element>(
    what: &str,
    arch: Arch,
    exact: &[Bounded],
    build: impl Fn(&mut Device) -> ttl::Result<(Program, Tensor<T>)>,
) {
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let (device, y) = ttl::testing::on_both_engines(&options, build).unwrap_or_else(|e| panic!("{what}: {e}"));
    let result = device.download(&y).expect("the tensor is on this device").to_f32_vec();
    assert_eq!(result.len(), exact.len(), "{what}");
    let mut used: f64 = 0.0;
    for (i, (y, e)) in result.iter().zip(exact).enumerate() {
        let off = (f64::from(*y) - e.value).abs();
        used = used.max(off / e.bound);
        assert!(
            off <= e.bound,
            "{what}: element {i} is {y}, exactly {}: off by {off:e}, more than {:e}",
            e.value,
            e.bound
        );
    }
    println!("{what}: the largest error is {used:.3} of its bound");
}
