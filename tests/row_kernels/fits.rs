//! Whatever the width, the form that is chosen fits L1, and is the whole one as long as that fits.

use crate::{config, grid};
use ttl::prelude::*;
use ttl_kernels::layernorm::{self, LayerNorm};
use ttl_kernels::rmsnorm::{self, RmsNorm};
use ttl_kernels::rows::RowOptions;
use ttl_kernels::softmax::{self, Kind};

type Build = fn(&Device, bool, &Tensor<bf16>) -> ttl::Result<Program>;

fn build_softmax(device: &Device, wide: bool, x: &Tensor<bf16>) -> ttl::Result<Program> {
    softmax::program_with(&grid(1, 1), config(wide), &RowOptions::on(device), Kind::Softmax, x, x)
}

fn build_rmsnorm(device: &Device, wide: bool, x: &Tensor<bf16>) -> ttl::Result<Program> {
    let norm = RmsNorm { x, gamma: Some(x), epsilon: 0.0, y: x };
    rmsnorm::program_with(&grid(1, 1), config(wide), &RowOptions::on(device), &norm)
}

fn build_layernorm(device: &Device, wide: bool, x: &Tensor<bf16>) -> ttl::Result<Program> {
    let norm = LayerNorm { x, residual: Some(x), gamma: Some(x), beta: Some(x), epsilon: 0.0, y: x };
    layernorm::program_with(&grid(1, 1), config(wide), &RowOptions::on(device), &norm)
}

/// Bytes of the buffers of a row of so many tiles.
fn bytes(device: &mut Device, build: Build, wide: bool, width: u32) -> u32 {
    let x = device.zeros::<bf16>("x", &[1, 32 * width as usize]).expect("x");
    let program = build(device, wide, &x).and_then(|p| p.validate(device));
    let program = program.unwrap_or_else(|e| panic!("{width} tiles, wide {wide}: {e}"));
    let bytes = program.checked().cbs().iter().map(|cb| cb.pages * cb.page_size).sum();
    device.free(x).expect("x");
    bytes
}

#[test]
fn every_width() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let options = DeviceOptions { arch, ..DeviceOptions::default() };
        let mut device = Device::with_options(options).expect("a device");
        let l1 = device.l1_left();
        for (build, least) in
            [(build_softmax as Build, 160), (build_rmsnorm as Build, 160), (build_layernorm as Build, 64)]
        {
            for wide in [false, true] {
                let widths = (1..450).step_by(7).chain([1250, 4000]);
                let sizes: Vec<(u32, u32)> = widths.map(|w| (w, bytes(&mut device, build, wide, w))).collect();
                assert!(sizes.iter().all(|(_, bytes)| *bytes <= l1), "{sizes:?}");
                // Buffers grow with the row while it is whole; in blocks they are small.
                let whole = sizes.iter().filter(|(_, bytes)| *bytes > l1 / 4).map(|(w, _)| *w).max();
                assert!(whole.is_some_and(|w| w >= least), "wide {wide}: whole up to {whole:?} tiles");
                let last = sizes.last().expect("widths");
                assert!(last.1 < l1 / 4, "wide {wide}: {last:?}");
            }
        }
    }
}
