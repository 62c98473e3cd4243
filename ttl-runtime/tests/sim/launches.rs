//! Launches and host accesses that make no sense.

use ttl_runtime::arch::{Arch, Core};
use ttl_runtime::sim::{ErrorKind, Machine, Processor};

use crate::harness::*;

fn refused(change: impl Fn(&mut Program<'_>)) -> String {
    let mut p = Program::new();
    p.cb(&[CORE], A, "a", 4);
    p.semaphore(&[CORE], 3, 0);
    p.reader(CORE, &[], &|| ());
    change(&mut p);
    let error = p.error();
    assert_eq!(error.kind(), ErrorKind::Launch);
    error.message().to_owned()
}

#[test]
fn circular_buffers() {
    let cb = |f: fn(&mut ttl_runtime::sim::CbLaunch)| refused(|p| f(&mut p.launch.cbs[0]));
    assert_eq!(cb(|c| c.core = Core::new(11, 0)), "circular buffer `a` (id 0) on core(11,0): the grid is 11 x 10");
    assert_eq!(cb(|c| c.id = 64), "circular buffer `a` (id 64) on core(0,0): ids go from 0 to 63");
    assert_eq!(cb(|c| c.num_pages = 0), "circular buffer `a` (id 0) on core(0,0): 0 pages; 1 to 65535 are possible");
    assert_eq!(
        cb(|c| c.num_pages = 65536),
        "circular buffer `a` (id 0) on core(0,0): 65536 pages; 1 to 65535 are possible"
    );
    assert_eq!(
        cb(|c| c.page_size = 100),
        "circular buffer `a` (id 0) on core(0,0): address 0x20000 and page size 100 must be multiples of 16, and not 0"
    );
    assert_eq!(
        cb(|c| c.num_pages = 1000),
        "circular buffer `a` (id 0) on core(0,0): 0x20000 to 0x214000 is outside of L1 for programs, 0x1b000 to 0x180000"
    );
    assert_eq!(
        cb(|c| c.addr = 0x1000),
        "circular buffer `a` (id 0) on core(0,0): 0x1000 to 0x3000 is outside of L1 for programs, 0x1b000 to 0x180000"
    );
    let twice = refused(|p| p.launch.cbs.push(p.launch.cbs[0].clone()));
    assert_eq!(twice, "circular buffer `a` (id 0) on core(0,0): there are two of this id");
}

#[test]
fn semaphores() {
    let sem = |f: fn(&mut ttl_runtime::sim::SemLaunch)| refused(|p| f(&mut p.launch.semaphores[0]));
    assert_eq!(sem(|s| s.core = Core::new(0, 10)), "semaphore 3 on core(0,10): the grid is 11 x 10");
    assert_eq!(sem(|s| s.id = 16), "semaphore 16 on core(0,0): ids go from 0 to 15");
    assert_eq!(sem(|s| s.addr = 4), "semaphore 3 on core(0,0): address 0x4 must be a multiple of 16 inside L1");
    assert_eq!(
        sem(|s| s.addr = 0xffff_fff0),
        "semaphore 3 on core(0,0): address 0xfffffff0 must be a multiple of 16 inside L1"
    );
    let twice = refused(|p| p.launch.semaphores.push(p.launch.semaphores[0].clone()));
    assert_eq!(twice, "semaphore 3 on core(0,0): there are two of this id");
}

#[test]
fn threads() {
    assert_eq!(
        refused(|p| p.reader(Core::new(20, 0), &[], &|| ())),
        "kernel `read` on core(20,0) ncrisc: the grid is 11 x 10"
    );
    assert_eq!(
        refused(|p| p.kernel(CORE, Processor::Ncrisc, "other", &[], &|| ())),
        "kernel `other` on core(0,0) ncrisc: there are two kernels on this processor"
    );
    assert_eq!(
        refused(|p| p.writer(CORE, &[0; 342], &|| ())),
        "kernel `write` on core(0,0) brisc: 342 runtime arguments; 341 are possible"
    );
    assert_eq!(
        refused(|p| p.launch.threads[0].noc = 2),
        "kernel `read` on core(0,0) ncrisc: NoC 2 does not exist; the chip has NoC 0 and 1"
    );
}

#[test]
fn an_empty_launch_runs() {
    assert_eq!(Program::new().run().unwrap().switches, 0);
}

#[test]
fn host_accesses() {
    let mut m = Machine::new(Arch::wormhole());
    assert_eq!(
        m.write_dram(12, 0, &[1]).unwrap_err().to_string(),
        "error: host access of 1 bytes at 0x0 of DRAM bank 12\n  = wormhole has 12 banks of 0x40000000 bytes\n  = help: use the address of a tensor, and stay within its bytes"
    );
    assert_eq!(
        m.read_dram(0, 1 << 30, &mut [0]).unwrap_err().message(),
        "host access of 1 bytes at 0x40000000 of DRAM bank 0"
    );
    assert_eq!(
        m.write_l1(Core::new(8, 0), 0, &[1]).unwrap_err().to_string(),
        "error: host access of 1 bytes at 0x0 of the L1 of core(8,0)\n  = wormhole has 8 x 8 cores with 0x16e000 bytes of L1\n  = help: use the address of a tensor or buffer, and stay within its bytes"
    );
    assert_eq!(
        m.read_l1(CORE, 0x16e000, &mut [0]).unwrap_err().message(),
        "host access of 1 bytes at 0x16e000 of the L1 of core(0,0)"
    );
    let mut out = [1; 8];
    m.read_l1(CORE, 0x16e000 - 8, &mut out).unwrap();
    assert_eq!(out, [0; 8]);
    m.write_l1(CORE, 0x100, &[3; 4]).unwrap();
    m.read_l1(CORE, 0xfc, &mut out).unwrap();
    assert_eq!(out, [0, 0, 0, 0, 3, 3, 3, 3]);
}
