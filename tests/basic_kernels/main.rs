//! The basic kernels of `ttl-kernels` over whole tensors, against references of their own on the host: many shapes, both chips, both widths of the
//! registers; natively and as generated C++ the same bytes.

#[path = "../common/dice.rs"]
mod dice;
mod elementwise;
mod embedding;
mod pooling;
mod reduce;
mod tilize;
mod transpose;

use ttl::prelude::*;

/// Cores of any arrangement.
fn grid(columns: u32, rows: u32) -> CoreSet {
    CoreRange::grid(columns, rows).expect("a grid").into()
}

/// The native device after a run of a program that leaves the same bytes on both engines, and what `build` made.
#[track_caller]
fn both<T>(arch: Arch, what: &str, build: impl Fn(&mut Device) -> ttl::Result<(Program, T)>) -> (Device, T) {
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    ttl::testing::on_both_engines(&options, build).unwrap_or_else(|e| panic!("{what} on {}: {e}", arch.name()))
}

/// Standard normal numbers as the format has them.
fn random(shape: &[usize], format: DataFormat, seed: u64) -> HostTensor {
    HostTensor::normal(shape, seed).expect("a tensor").to_format(format)
}

/// Every bit of a tensor on the device, its padding included, is that of `want` padded with `padding`.
#[track_caller]
fn same_bits<T: Element>(device: &Device, tensor: &Tensor<T>, want: &HostTensor, padding: f32, what: &str) {
    let got = device.pages(tensor.handle()).expect("on this device");
    let want = match tensor.spec().layout() {
        ttl::runtime::tensor::TensorLayout::Tile => {
            want.padded_to_tiles(padding).and_then(|t| t.to_tiles(T::FORMAT)).expect("tiles")
        }
        _ => want.to_rows(T::FORMAT).expect("rows"),
    };
    let bytes = T::FORMAT.element_bytes().expect("elements of bytes") as usize;
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (got, want)) in got.chunks(bytes).zip(want.chunks(bytes)).enumerate() {
        assert_eq!(got, want, "{what}: element {i} of the pages");
    }
}

/// What a program that must fail says, when it is built, validated or run, natively and as generated C++.
#[track_caller]
fn error<T>(build: impl Fn(&mut Device) -> ttl::Result<(Program, T)>) -> [String; 2] {
    [Engine::Native, Engine::Cpp].map(|engine| {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let run = |device: &mut Device| {
            let (program, _) = build(device)?;
            let program = program.validate(device)?;
            device.run(&program)
        };
        run(&mut device).expect_err("it must fail").to_string()
    })
}

/// Settings with 16-bit registers and with 32-bit ones.
fn settings() -> [ComputeConfig; 2] {
    [false, true].map(|fp32_dest_acc| ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() })
}

/// Every element is within its bound of the exact one; the first that is not is named.
#[track_caller]
fn near<T: Element>(device: &Device, tensor: &Tensor<T>, exact: &[f64], bound: impl Fn(usize) -> f64, what: &str) {
    let got = device.download(tensor).expect("on this device").to_f64_vec();
    assert_eq!(got.len(), exact.len(), "{what}");
    for (i, (got, want)) in got.iter().zip(exact).enumerate() {
        let (distance, bound) = ((got - want).abs(), bound(i));
        // Equal infinities have no distance.
        assert!(got == want || distance <= bound, "{what}: element {i} is {got}, not {want}: {distance:e} > {bound:e}");
    }
}

/// The padding of a tiled tensor holds this value everywhere.
#[track_caller]
fn padding_is<T: Element>(device: &Device, tensor: &Tensor<T>, value: f32, what: &str) {
    let shape = tensor.spec().padded_shape();
    let bytes = device.pages(tensor.handle()).expect("on this device");
    let all = HostTensor::from_tiles(shape.clone(), T::FORMAT, &bytes).expect("tiles").to_f32_vec();
    let tiles = tensor.spec().tiles();
    let (rows, cols) = (shape[shape.len() - 2], shape[shape.len() - 1]);
    for (i, got) in all.iter().enumerate() {
        let (row, col) = (i / cols % rows, i % cols);
        if row >= tiles.rows || col >= tiles.cols {
            assert_eq!(*got, value, "{what}: the padding at row {row}, column {col}");
        }
    }
}
