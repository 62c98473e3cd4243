//! The types that the macros find: by lowering a function and looking at its locals.

mod support;

use support::*;
use ttl::rt::{Cx, Inst, Ty};
use ttl_runtime::ir::IntTy;

#[ttl::kernel(reader)]
fn read(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>, first: u32, count: u32) {
    for page in first..first + count {
        let mut tile = out.reserve_back(1);
        noc.read_page(&src, page, &mut tile).wait();
        tile.push_back();
    }
}

#[test]
fn kernel() {
    let mut cx = Cx::new();
    cx.instance::<read>();
    let fns = cx.finish().unwrap();
    println!("{fns:#?}");
}
