//! Const generics, generic element types, device functions from modules, kernels inside functions.
use ttl::prelude::*;

mod geometry {
    #[ttl::device]
    pub fn row(block: u32, columns: u32) -> u32 {
        block / columns
    }
}

#[ttl::device]
fn fill<T: Element, const N: u32>(noc: Noc, src: &TensorAccessor<T>, out: &CbOut<T>, first: u32) {
    let mut block = out.reserve_back(N);
    let mut reads = noc.read_into(&mut block);
    for i in 0..N {
        reads.page(src, first + i, i);
    }
    reads.wait();
}

#[ttl::kernel(reader)]
fn read<T: Element, const N: u32>(noc: Noc, src: TensorAccessor<T>, out: CbOut<T>, block: u32) {
    fill::<T, N>(noc, &src, &out, geometry::row(block, 4) * N);
}

fn main() {
    // Pure device functions work on the host, too.
    assert_eq!(geometry::row(9, 4), 2);

    #[ttl::kernel(compute)]
    fn square(_: Compute, x: CbIn<f32>, y: CbOut<f32>) {
        let x = x.wait_front(1);
        y.reserve_back(1).store((&x * &x).sqrt());
    }
    let mut program = Program::new("square");
    let core = Core::new(0, 0);
    let (_, x) = program.circular_buffer::<f32>("x", core, 1);
    let (y, _) = program.circular_buffer::<f32>("y", core, 1);
    program.kernel(core, square { x, y });
}
