//! Circular buffers: ends, cores, pages, formats, ids, and their room in L1.

use super::*;
use crate::program::L1Tensor;

#[test]
fn buffers_without_an_end() {
    let mut p = small();
    p.program.add_cb(CbDecl { site: at(3), ..CbDecl::new("z", grid(1, 1), DataFormat::F32, 2) });
    assert_eq!(
        p.error(),
        "error: no kernel uses circular buffer `z`
 --> p.rs:3:5: declared here
  = help: give its ends to two kernels, or leave the buffer out"
    );
    let mut p = small();
    p.program.kernels[2].args.remove(0);
    assert_eq!(
        p.error(),
        "error: circular buffer `y` has no consumer on (0,0)-(1,0)
 --> p.rs:2:5: 2 pages on (0,0)-(1,0)
 ::: p.rs:20:5: `y` of kernel `copy` on (0,0)-(1,0)
  = help: a kernel on each core of the buffer must have its input end; or declare the buffer on fewer cores"
    );
    let mut p = small();
    p.program.kernels[0].cores = grid(1, 1);
    assert_eq!(
        p.error(),
        "error: circular buffer `a` has no producer on (1,0)
 --> p.rs:1:5: 2 pages on (0,0)-(1,0)
 ::: p.rs:10:5: `out` of kernel `read` on (0,0)
 ::: p.rs:20:5: `a` of kernel `copy` on (0,0)-(1,0)
  = help: a kernel on each core of the buffer must have its output end; or declare the buffer on fewer cores"
    );
}

#[test]
fn buffers_with_two_producers_or_consumers() {
    let mut p = small();
    let a = p.a;
    p.program.kernels[2].args.push(Arg::cb("also", a, CbEnd::Out));
    assert_eq!(
        p.error(),
        "error: circular buffer `a` has two producers on (0,0)-(1,0)
 --> p.rs:30:5: `also` of kernel `write` pushes to it
 ::: p.rs:10:5: `out` of kernel `read` pushes to it
 ::: p.rs:1:5: the buffer
  = help: use one buffer for each pair of kernels"
    );
    let mut p = small();
    let y = p.y;
    p.program.kernels[1].args.push(Arg::cb("back", y, CbEnd::In));
    assert_eq!(
        p.error(),
        "error: circular buffer `y` has two consumers on (0,0)-(1,0)
 --> p.rs:30:5: `from` of kernel `write` pops from it
 ::: p.rs:20:5: `back` of kernel `copy` pops from it
 ::: p.rs:2:5: the buffer
  = help: use one buffer for each pair of kernels"
    );
}

#[test]
fn kernels_where_the_buffer_is_not() {
    let mut p = small();
    for kernel in &mut p.program.kernels[1..] {
        kernel.cores = grid(3, 1);
    }
    p.program.cbs[1].cores = grid(3, 1);
    assert_eq!(
        p.error(),
        "error: kernel `copy` uses circular buffer `a` on (2,0), where there is none
 --> p.rs:20:5: kernel on (0,0)-(2,0)
 ::: p.rs:1:5: buffer on (0,0)-(1,0)
  = help: declare the buffer on all cores of the kernel"
    );
}

#[test]
fn pages_against_the_limits() {
    let mut p = small();
    p.program.cbs[0].pages = 0;
    assert_eq!(
        p.error(),
        "error: circular buffer `a` has 0 pages
 --> p.rs:1:5: declared here
  = help: give it at least as many pages as a block has; twice as many lets both ends work at the same time"
    );
    let mut p = small();
    p.program.cbs[0].pages = 70_000;
    p.program.cbs[0].page_size = 2050;
    let errors = p.errors().errors;
    assert_eq!(
        errors[0].to_string(),
        "error: circular buffer `a` has 70000 pages, the largest count is 65535
 --> p.rs:1:5: declared here
  = help: use fewer or larger pages"
    );
    assert_eq!(
        errors[1].to_string(),
        "error: circular buffer `a` has pages of 2050 bytes, which is not a multiple of 16
 --> p.rs:1:5: declared here
  = help: round the page size up; a tile of bf16 has 2048 bytes"
    );
    let mut p = small();
    p.program.cbs[0].page_size = 64;
    assert_eq!(
        p.error(),
        "error: circular buffer `a` has pages smaller than a tile, and compute kernel `copy` uses it
 --> p.rs:1:5: pages of 64 bytes
 ::: p.rs:20:5: used here
  = a tile of bf16 has 2048 bytes
  = help: leave the page size out; it is a tile then"
    );
}

#[test]
fn pages_against_the_blocks() {
    let blocks = |list: &[u32]| {
        let mut p = small();
        p.program.cbs[0].pages = 6;
        let cb = p.a;
        *p.arg(1, 0) = ArgValue::Cb { cb, end: CbEnd::In, blocks: list.to_vec(), element: None };
        p
    };
    assert_eq!(
        blocks(&[8]).error(),
        "error: kernel `copy` waits for 8 pages of circular buffer `a`, which has 6
 --> p.rs:1:5: 6 pages
 ::: p.rs:20:5: `a` of kernel `copy`: blocks of 8 pages
  = help: give it 8 pages, or 16 to let both ends work at the same time"
    );
    assert_eq!(
        blocks(&[4]).error(),
        "error: circular buffer `a` has 6 pages, which is no multiple of the 4 that kernel `copy` waits for at a time
 --> p.rs:1:5: 6 pages
 ::: p.rs:20:5: `a` of kernel `copy`: blocks of 4 pages
  = help: a block must not wrap around; give it 4 or 8 pages"
    );
    for good in [&[][..], &[1], &[2], &[3], &[6], &[0], &[2, 4]] {
        blocks(good).program.validate(&device()).unwrap();
    }
}

#[test]
fn formats_of_parameters() {
    let mut p = small();
    let cb = p.a;
    *p.arg(1, 0) = ArgValue::Cb { cb, end: CbEnd::In, blocks: vec![], element: Some(DataFormat::F32) };
    assert_eq!(
        p.error(),
        "error: parameter `a` of kernel `copy` is a buffer of f32, circular buffer `a` holds bf16
 --> p.rs:20:5: given here
 ::: p.rs:1:5: declared with bf16
  = help: declare the buffer with f32, or change the parameter's type"
    );
    let mut p = small();
    *p.arg(0, 0) = ArgValue::Tensor { tensor: tensor(0, "src", DataFormat::F32), element: Some(DataFormat::Bf16) };
    assert_eq!(
        p.error(),
        "error: parameter `src` of kernel `read` is a tensor of bf16, tensor `src` has f32
 --> p.rs:10:5: given here
  = help: make the tensor with bf16, or change the parameter's type"
    );
}

#[test]
fn ids_of_buffers() {
    let mut p = small();
    p.program.cbs[0].id = Some(64);
    assert_eq!(
        p.error(),
        "error: circular buffer `a` has id 64, the largest on blackhole is 63
 --> p.rs:1:5: declared here
  = help: leave the id out; a free one is chosen"
    );
    let mut p = small();
    p.program.cbs[0].id = Some(3);
    p.program.cbs[1].id = Some(3);
    assert_eq!(
        p.error(),
        "error: circular buffers `a` and `y` both have id 3 on (0,0)-(1,0)
 --> p.rs:2:5: `y`
 ::: p.rs:1:5: `a`
  = help: leave the ids out; free ones are chosen"
    );
    // Wormhole has 32.
    let cores = grid(1, 1);
    let mut p = Copy3::new(&cores);
    for i in 0..31 {
        let name = format!("m{i}");
        let cb = CbDecl { site: at(50 + i), ..CbDecl::new(name, &cores, DataFormat::Bf16, 1) };
        let cb = p.program.add_cb(cb);
        p.program.kernels[1].args.push(Arg::cb("m", cb, CbEnd::InOut));
    }
    let e = p.program.validate(&DeviceInfo::new(Arch::wormhole(), DEVICE)).unwrap_err();
    assert_eq!(
        aligned(&e.errors[0].to_string()),
        "error: no id is left for circular buffer `m30` on (0,0)
 --> p.rs:80:5: declared here
  = a core of wormhole has 32 circular buffers
  = help: use fewer buffers, or put kernels that do not need each other on other cores"
    );
}

#[test]
fn l1_overflow_shows_who_takes_what() {
    let mut p = small();
    p.program.cbs[0].pages = 400;
    p.program.cbs[1].pages = 300;
    let mut device = device();
    let tensor = L1Tensor { name: "w".into(), address: 1_540_000, bytes: 32_864 };
    device.l1_tensors.push(tensor);
    let e = p.program.clone().validate(&device).unwrap_err();
    assert_eq!(
        e.errors[0].to_string(),
        "error: circular buffers need 4192 bytes more than there are in the L1 of (0,0)-(1,0)
 --> p.rs:1:5: `a` is the largest
  = L1 of core(0,0):
         from        to     bytes  what
            0    110592    110592  firmware, kernels, arguments
       110592    929792    819200  buffer `a`, 400 pages of 2048 (bf16)
       929792   1544192    614400  buffer `y`, 300 pages of 2048 (bf16)
      1540000   1572864     32864  tensor `w`
                1540000      4192  too much: the lowest tensor is at 1540000
  = help: use fewer pages or smaller blocks, or move tensors from L1 to DRAM"
    );
    // Without the tensor it fits; with far too many pages the sum does not wrap.
    assert!(p.program.clone().validate(&super::tests::device()).is_ok());
    p.program.cbs[0].pages = 65_535;
    p.program.cbs[0].page_size = 0xFFFF_FFF0;
    let e = p.program.validate(&super::tests::device()).unwrap_err();
    assert!(e.errors[0].message.starts_with("circular buffers need 2814"), "{e}");
}
