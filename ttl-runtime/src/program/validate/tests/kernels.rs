//! Kernels: where they are, and what they have of other programs.

use super::*;
use crate::arch::Core;
use crate::program::{CoreValues, Processor, SemDecl};

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
