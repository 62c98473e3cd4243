//! One test for each mistake, on its whole text; and what a program without mistakes resolves to.

use std::sync::Arc;

use super::*;
use crate::arch::{Arch, Core};
use crate::cores::{CoreRange, CoreSet};
use crate::program::{
    Arg, ArgValue, CbDecl, CbEnd, CbId, CoreValues, KernelDecl, L1Tensor, Processor, Role, SemDecl, Slot,
};
use crate::site::Site;
use crate::tensor::{DataFormat, MemoryConfig, ShardSpec, TensorId, TensorRef, TensorSpec};

const DEVICE: u64 = 1;

fn device() -> DeviceInfo {
    DeviceInfo::new(Arch::blackhole(), DEVICE)
}

fn grid(x: u32, y: u32) -> CoreSet {
    CoreRange::grid(x, y).unwrap().into()
}

fn at(line: u32) -> Site {
    Site { file: "p.rs", line, column: 5 }
}

fn tensor(id: u64, name: &str, format: DataFormat) -> TensorRef {
    TensorRef {
        id: TensorId(id),
        name: name.into(),
        spec: Arc::new(TensorSpec::new([64, 64], format).unwrap()),
        address: 0x1000 * (id as u32 + 1),
        device: DEVICE,
    }
}

/// A program with a reader, a compute and a writer kernel, which tests then break.
struct Copy3 {
    program: Program<&'static str>,
    a: CbId,
    y: CbId,
}

impl Copy3 {
    fn new(cores: &CoreSet) -> Copy3 {
        let mut program = Program::new("copy");
        let cb = |name: &str, line| CbDecl { site: at(line), ..CbDecl::new(name, cores, DataFormat::Bf16, 2) };
        let a = program.add_cb(cb("a", 1));
        let y = program.add_cb(cb("y", 2));
        let bf16 = DataFormat::Bf16;
        let kernel = |name: &str, role, args, line| KernelDecl {
            site: at(line),
            ..KernelDecl::new(name, role, cores, args, "code")
        };
        let src = tensor(0, "src", bf16);
        let dst = tensor(1, "dst", bf16);
        program.add_kernel(kernel(
            "read",
            Role::Reader,
            vec![
                Arg::tensor("src", &src),
                Arg::cb("out", a, CbEnd::Out),
                Arg::per_core("first", |c| 100 * c.y + c.x),
                Arg::common("count", 7),
            ],
            10,
        ));
        program.add_kernel(kernel(
            "copy",
            Role::Compute,
            vec![Arg::cb("a", a, CbEnd::In), Arg::cb("y", y, CbEnd::Out), Arg::compile_time("count", 8)],
            20,
        ));
        program.add_kernel(kernel(
            "write",
            Role::Writer,
            vec![Arg::cb("from", y, CbEnd::In), Arg::tensor("dst", &dst), Arg::tensor("src", &src)],
            30,
        ));
        Copy3 { program, a, y }
    }

    fn arg(&mut self, kernel: usize, arg: usize) -> &mut ArgValue {
        &mut self.program.kernels[kernel].args[arg].value
    }

    fn extra(&mut self, name: &str, role: Role, cores: CoreSet, args: Vec<Arg>) {
        let kernel = KernelDecl { site: at(40), ..KernelDecl::new(name, role, cores, args, "code") };
        self.program.add_kernel(kernel);
    }

    fn errors(self) -> ProgramErrors {
        self.program.validate(&device()).unwrap_err()
    }

    /// The text of the only mistake.
    fn error(self) -> String {
        let errors = self.errors();
        assert_eq!(errors.errors.len(), 1, "{errors}");
        aligned(&errors.errors[0].to_string())
    }
}

/// With the indentation of one-digit line numbers, whatever the numbers are.
fn aligned(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let rest = line.trim_start();
        match rest.get(..2) {
            Some("--" | "::") => format!(" {rest}"),
            Some("= ") => format!("  {rest}"),
            _ if line.starts_with("     ") => line[1..].to_string(),
            _ => line.to_string(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn small() -> Copy3 {
    Copy3::new(&grid(2, 1))
}

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

#[test]
fn empty_program() {
    let e = Program::<()>::new("p").validate(&device()).unwrap_err();
    assert_eq!(
        e.to_string(),
        "error: the program has no kernel\n  = help: add at least one kernel\n\nerror: program `p` cannot run: 1 mistake"
    );
    assert_eq!(format!("{e:?}"), format!("\n{e}"));
}

#[test]
fn all_mistakes_are_reported() {
    let mut p = small();
    p.program.cbs[0].pages = 0;
    p.program.kernels[1].args.remove(1);
    *p.arg(0, 2) = ArgValue::PerCore { words: 1, values: CoreValues::List(vec![1]) };
    let errors = p.errors();
    let kinds: Vec<ProblemKind> = errors.errors.iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [ProblemKind::CbPages, ProblemKind::CbEnds, ProblemKind::CoreValues]);
    assert!(errors.to_string().ends_with("\n\nerror: program `copy` cannot run: 3 mistakes"));
}

#[test]
fn cores_of_nothing_and_outside_the_grid() {
    let mut p = small();
    p.extra("idle", Role::Dm { processor: Processor::Brisc, noc: 1 }, CoreSet::empty(), vec![]);
    assert_eq!(
        p.error(),
        "error: kernel `idle` has no cores
 --> p.rs:40:5: declared here
  = help: give it at least one core, or leave it out"
    );
    let mut p = small();
    let cores = CoreRange::new(Core::new(9, 9), Core::new(11, 10)).into();
    p.extra("far", Role::Writer, cores, vec![]);
    assert_eq!(
        p.error(),
        "error: kernel `far` is on (11,9), (9,10)-(11,10), outside the grid of the device
 --> p.rs:40:5: declared here
  = blackhole has 11 x 10 cores: (0,0)-(10,9)
  = help: take the grid from the device instead of fixing it"
    );
}

#[test]
fn kernels_share_a_processor_or_a_noc() {
    let mut p = small();
    p.extra("again", Role::Reader, grid(1, 3), vec![]);
    assert_eq!(
        p.error(),
        "error: kernels `read` and `again` both run on NCRISC of (0,0)
 --> p.rs:40:5: `again` (reader)
 ::: p.rs:10:5: `read` (reader)
  = help: a core runs at most one reader, one writer and one compute kernel; use other cores or join the kernels"
    );
    let mut p = small();
    p.program.kernels[2].role = Role::Dm { processor: Processor::Brisc, noc: 0 };
    assert_eq!(
        p.error(),
        "error: kernels `read` and `write` both use NoC 0 on (0,0)-(1,0)
 --> p.rs:30:5: `write`
 ::: p.rs:10:5: `read`
  = help: give the two data-movement kernels of a core different NoCs"
    );
    let mut p = small();
    let role = Role::Dm { processor: Processor::Ncrisc, noc: 2 };
    p.extra("odd", role, Core::new(5, 5).into(), vec![]);
    assert_eq!(
        p.error(),
        "error: kernel `odd` cannot move data on NCRISC with NoC 2
 --> p.rs:40:5: put on its cores here
  = help: choose BRISC or NCRISC, and NoC 0 or 1"
    );
}

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
fn things_of_other_programs() {
    let other = {
        let mut p = Program::<()>::new("other");
        (p.add_cb(CbDecl::new("o", grid(1, 1), DataFormat::Bf16, 1)), p.add_semaphore(SemDecl::new("s", grid(1, 1), 0)))
    };
    let mut p = small();
    p.program.kernels[0].args.push(Arg::cb("o", other.0, CbEnd::Out));
    assert_eq!(
        p.error(),
        "error: kernel `read` uses a circular buffer of another program
 --> p.rs:10:5
  = help: declare the circular buffer in this program"
    );
    let mut p = small();
    p.program.kernels[0].args.push(Arg::semaphore("s", other.1));
    assert!(p.error().starts_with("error: kernel `read` uses a semaphore of another program"));
    // A clone that got more buffers.
    let p = small();
    let mut clone = p.program.clone();
    let more = clone.add_cb(CbDecl::new("more", grid(2, 1), DataFormat::Bf16, 1));
    let mut p = p;
    p.program.kernels[1].args.push(Arg::cb("m", more, CbEnd::InOut));
    assert!(p.error().starts_with("error: kernel `copy` uses a circular buffer of another program"));
    let mut p = small();
    p.program.kernels[1].unpack_to_dest_fp32.push(other.0);
    assert!(p.error().starts_with("error: kernel `copy` uses a circular buffer of another program"));
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
  = a height-sharded tensor of 64x64 (padded to tiles) needs shards of the full width, 64, not 32x32"
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
