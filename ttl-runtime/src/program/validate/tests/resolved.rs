//! What a program without mistakes resolves to.

use super::*;
use crate::arch::Core;
use crate::program::{SemDecl, Slot};
use crate::tensor::{MemoryConfig, ShardSpec};

#[test]
fn a_good_program_is_resolved() {
    let cores = grid(2, 2);
    let mut p = Copy3::new(&cores);
    let ready = SemDecl::new("ready", &cores, 3);
    let sem = p.program.add_semaphore(ready);
    p.program.kernels[2].args.push(Arg::semaphore("ready", sem));
    let checked = p.program.validate(&device()).unwrap();
    let [read, copy, write] = checked.kernels() else { panic!() };
    assert_eq!(*read.compile_args, [0, 2, 2048]);
    assert_eq!(read.accessor_offsets, [1]);
    assert_eq!(*read.common_args, [0x1000, 7]);
    assert_eq!(read.runtime_args, [[0], [1], [100], [101]]);
    assert_eq!(read.runtime_args_of(Core::new(1, 1)), Some(&[101][..]));
    assert_eq!(read.runtime_args_of(Core::new(2, 1)), None);
    assert_eq!(read.layout.slots()[2], Slot::PerCore { runtime: 0, words: 1 });
    assert_eq!(*copy.compile_args, [0, 1, 8]);
    assert!(copy.common_args.is_empty());
    // Ids of buffers, then of semaphores, then the accessors.
    assert_eq!(*write.compile_args, [1, 0, 2, 2048, 2, 2048]);
    assert_eq!(write.accessor_offsets, [2, 4]);
    assert_eq!(*write.common_args, [0x2000, 0x1000]);
    let [a, y] = checked.cbs() else { panic!() };
    assert_eq!((a.id, a.address, y.id, y.address), (0, 110_592, 1, 114_688));
    assert_eq!((&a.producers[..], &a.consumers[..]), (&[0][..], &[1][..]));
    assert_eq!((&y.producers[..], &y.consumers[..]), (&[1][..], &[2][..]));
    let s = checked.semaphore(sem).unwrap();
    assert_eq!((s.id, s.init, s.address), (0, 3, 110_592 - 256));
    let names: Vec<&str> = checked.tensors().iter().map(|t| &*t.name).collect();
    assert_eq!(names, ["src", "dst"]);
    assert_eq!(checked.l1().parts.len(), 3);
}

/// Interleaved and sharded tensors take different numbers of words; every offset must follow.

#[test]
fn accessor_offsets_follow_the_words() {
    let mut p = small();
    let shards = MemoryConfig::Sharded(ShardSpec::block([32, 32], grid(2, 2)));
    let spec = TensorSpec::new([64, 64], DataFormat::Bf16).unwrap().with_memory(shards);
    let sharded = TensorRef { spec: Arc::new(spec), ..tensor(5, "w", DataFormat::Bf16) };
    let dram = tensor(6, "b", DataFormat::Bf16);
    p.program.kernels[0].args.push(Arg::tensor("w", &sharded));
    p.program.kernels[0].args.push(Arg::tensor("b", &dram));
    let checked = p.program.validate(&device()).unwrap();
    let read = &checked.kernels()[0];
    // out | src: 2 words | w: 4 + 2 * 1 + 2 words | b: 2 words
    assert_eq!(read.accessor_offsets, [1, 3, 11]);
    assert_eq!(read.compile_args.len(), 13);
    let words = sharded.spec.accessor_words(checked.arch()).unwrap();
    assert_eq!(words.len(), 8);
    assert_eq!(read.compile_args[3..11], words);
    assert_eq!(*read.common_args, [0x1000, sharded.address, dram.address, 7]);
}

#[test]
fn disjoint_cores_share_ids_and_addresses() {
    let (left, right) = (grid(1, 2), CoreSet::from(CoreRange::new(Core::new(1, 0), Core::new(2, 0))));
    let mut program = Program::new("two");
    let both = program.add_cb(CbDecl::new("both", left.union(&right), DataFormat::F32, 1));
    let l = program.add_cb(CbDecl::new("l", &left, DataFormat::Bf16, 3));
    let r = program.add_cb(CbDecl { id: Some(7), ..CbDecl::new("r", &right, DataFormat::Bf16, 1) });
    let r2 = program.add_cb(CbDecl::new("r2", &right, DataFormat::Bf16, 1));
    for (cores, cbs) in [(&left, vec![both, l]), (&right, vec![both, r, r2])] {
        let ends = |end| cbs.iter().map(|&cb| Arg::cb("c", cb, end)).collect::<Vec<_>>();
        program.add_kernel(KernelDecl::new("r", Role::Reader, cores, ends(CbEnd::Out), ()));
        program.add_kernel(KernelDecl::new("w", Role::Writer, cores, ends(CbEnd::In), ()));
    }
    let checked = program.validate(&device()).unwrap();
    let got: Vec<(u32, u32)> = checked.cbs().iter().map(|cb| (cb.id, cb.address)).collect();
    let base = 110_592;
    assert_eq!(got, [(0, base), (1, base + 4096), (7, base + 4096), (1, base + 6144)]);
    assert_eq!(checked.cb(r2).unwrap().id, 1);
}

#[test]
fn an_intermediate_buffer_has_both_ends_in_one_kernel() {
    let mut p = small();
    let m = p.program.add_cb(CbDecl::new("m", grid(2, 1), DataFormat::F32, 1));
    p.program.kernels[1].args.push(Arg::cb("m", m, CbEnd::InOut));
    p.program.kernels[1].unpack_to_dest_fp32.push(m);
    p.program.kernels[1].config.fp32_dest_acc = true;
    let checked = p.program.validate(&device()).unwrap();
    assert_eq!(checked.kernels()[1].config.unpack_to_dest_fp32, [2]);
    assert_eq!(checked.cb(m).unwrap().producers, checked.cb(m).unwrap().consumers);
}
