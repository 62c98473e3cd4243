//! Arguments: semaphores, scalars by core, tensors.

use super::*;
use crate::arch::Core;
use crate::program::{CoreValues, SemDecl};
use crate::tensor::{MemoryConfig, ShardSpec};

#[test]
fn semaphores() {
    let add = |p: &mut Copy3, i: u32, id| {
        let cores = grid(2, 1);
        let sem = SemDecl { site: at(60 + i), id, ..SemDecl::new(format!("s{i}"), &cores, 0) };
        p.program.add_semaphore(sem)
    };
    let mut p = small();
    for i in 0..17 {
        add(&mut p, i, None);
    }
    assert_eq!(
        p.error(),
        "error: no id is left for semaphore `s16` on (0,0)-(1,0)
 --> p.rs:76:5: declared here
  = a core has 16 semaphores; core(1,0) has `s0`, `s1`, `s2`, `s3`, `s4`, `s5`, `s6`, `s7`, `s8`, `s9`, `s10`, `s11`, `s12`, `s13`, `s14`, `s15`
  = help: use fewer semaphores, or one of them for several purposes; routes of one pipe share its two"
    );
    let mut p = small();
    add(&mut p, 0, Some(2));
    add(&mut p, 1, Some(2));
    assert_eq!(
        p.error(),
        "error: semaphores `s0` and `s1` both have id 2 on (0,0)-(1,0)
 --> p.rs:61:5: `s1`
 ::: p.rs:60:5: `s0`
  = help: leave the ids out; free ones are chosen"
    );
    let mut p = small();
    add(&mut p, 0, Some(16));
    assert_eq!(
        p.error(),
        "error: semaphore `s0` has id 16, the largest is 15
 --> p.rs:60:5: declared here
  = help: leave the id out; a free one is chosen"
    );
}

#[test]
fn what_compute_kernels_cannot_have() {
    let mut p = small();
    p.program.kernels[1].args.push(Arg::tensor("t", &tensor(9, "t", DataFormat::Bf16)));
    assert_eq!(
        p.error(),
        "error: compute kernel `copy` has a tensor argument, `t`
 --> p.rs:20:5
  = help: compute kernels see circular buffers and scalars only: let a reader or writer use it"
    );
    let mut p = small();
    let s = p.program.add_semaphore(SemDecl::new("s", grid(1, 1), 0));
    p.program.kernels[1].args.push(Arg::semaphore("s", s));
    assert!(p.error().starts_with("error: compute kernel `copy` has a semaphore argument, `s`"));
    let mut p = small();
    let a = p.a;
    p.program.kernels[1].unpack_to_dest_fp32.push(a);
    assert_eq!(
        p.error(),
        "error: kernel `copy` unpacks circular buffer `a` at full precision, which needs f32 tiles and 32-bit tile registers
 --> p.rs:20:5
  = the buffer holds bf16, `fp32_dest_acc` is false
  = help: set `fp32_dest_acc`, and use f32 buffers only"
    );
}

#[test]
fn argument_counts() {
    let mut p = small();
    // 1 address and `count` are common, `first` is per core: 3 + 338 = 341 words fit.
    p.program.kernels[0].args.push(Arg::new("t", ArgValue::Common(vec![1; 338])));
    let checked = p.program.clone().validate(&device()).unwrap();
    assert_eq!(checked.kernels()[0].common_args.len(), 340);
    let per_core = ArgValue::PerCore { words: 2, values: CoreValues::List(vec![1; 4]) };
    p.program.kernels[0].args.push(Arg::new("u", per_core));
    assert_eq!(
        p.error(),
        "error: kernel `read` has 343 words of runtime arguments, the largest number is 341
 --> p.rs:10:5
  = 3 per core and 340 common ones
  = help: make constants compile-time arguments, or put large tables into a tensor"
    );
}

#[test]
fn per_core_values() {
    let with = |words, values| {
        let mut p = small();
        *p.arg(0, 2) = ArgValue::PerCore { words, values };
        p
    };
    let checked = with(2, CoreValues::List(vec![1, 2, 3, 4])).program.validate(&device()).unwrap();
    assert_eq!(checked.kernels()[0].runtime_args, [[1, 2], [3, 4]]);
    assert_eq!(
        with(1, CoreValues::List(vec![1])).error(),
        "error: argument `first` of kernel `read` has 1 per-core word for 2 cores
 --> p.rs:10:5: given here
  = help: give one value for each core of the kernel, row by row"
    );
    assert!(
        with(2, CoreValues::List(vec![1; 5]))
            .error()
            .starts_with("error: argument `first` of kernel `read` has 5 per-core words for 2 cores of 2 words each")
    );
    let uneven = CoreValues::Of(Arc::new(|core| vec![0; core.x as usize]));
    assert_eq!(
        with(0, uneven).error(),
        "error: argument `first` of kernel `read` has 1 word on core(1,0), its parameter takes 0
 --> p.rs:10:5: given here
  = help: give as many words on every core"
    );
}

#[test]
fn tables_of_cores() {
    let with = |kernel: usize, core| {
        let mut p = small();
        p.program.kernels[kernel].args.push(Arg::new("to", ArgValue::CoreTable(vec![Core::new(0, 0), core])));
        p.error()
    };
    assert_eq!(
        with(0, Core::new(5, 5)),
        "error: entry 1 of argument `to` of kernel `read` is core(5,5): there is no kernel of the program on it
 --> p.rs:10:5: given here
  = help: kernels may only send to cores on which the program runs"
    );
    assert!(with(0, Core::new(99, 0)).contains("is core(99,0): there is no core of the device on it"));
    let compute = with(1, Core::new(0, 0));
    assert!(compute.starts_with("error: compute kernel `copy` has a core argument, `to`"), "{compute}");
    assert!(compute.contains("compute kernels see circular buffers and scalars only: let a reader or writer use it"));
}

#[test]
fn tensors_of_this_device() {
    let mut p = small();
    *p.arg(0, 0) =
        ArgValue::Tensor { tensor: TensorRef { device: 4, ..tensor(0, "src", DataFormat::Bf16) }, element: None };
    assert_eq!(
        p.error(),
        "error: tensor `src`, argument `src` of kernel `read`, is on another device
 --> p.rs:10:5: given here
  = the tensor is on device 4, the program runs on device 1
  = help: make the tensor on the device that runs the program"
    );
    let mut p = small();
    let shards = MemoryConfig::Sharded(ShardSpec::height([32, 32], grid(2, 1)));
    let spec = TensorSpec::new([64, 64], DataFormat::Bf16).unwrap().with_memory(shards);
    let bad = TensorRef { spec: Arc::new(spec), ..tensor(3, "w", DataFormat::Bf16) };
    *p.arg(0, 0) = ArgValue::Tensor { tensor: bad, element: None };
    assert_eq!(
        p.error(),
        "error: tensor `w`, argument `src` of kernel `read`, cannot be on this device
 --> p.rs:10:5: given here
  = a height-sharded tensor of 64x64 (padded to tiles) needs shards of the full width, 64, not 32x32
  = help: change the shape of the shards, or shard it another way"
    );
}
