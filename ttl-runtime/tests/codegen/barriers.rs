//! Placement of barriers.

use crate::build::*;
use crate::passes::calls;
use ttl_runtime::arch::ComputeConfig;
use ttl_runtime::ir::{BinOp, Expr, FnId, LocalId, Op, ParamKind, Role, StmtKind, Ty};

/// The barriers of a reader.
fn barriers(body: impl FnOnce(&mut FnBuilder, LocalId, [LocalId; 2], Expr)) -> Vec<String> {
    let mut k = FnBuilder::new("move", 1);
    k.param("noc", Ty::Noc);
    let tensor = k.tensor("tensor", BF16);
    let input = k.cb_in("input", BF16);
    let out = k.cb_out("out", BF16);
    let n = k.arg("n", Ty::U32, ParamKind::PerCore);
    let n = k.get(n);
    k.wait(input, u32(1));
    k.reserve(out, u32(1));
    body(&mut k, tensor, [input, out], n);
    k.push(out, u32(1));
    k.pop(input, u32(1));
    let module = k.kernel(Role::Reader, Vec::new());
    calls(
        &module,
        &ComputeConfig::default(),
        &[
            "for",
            "if",
            "return;",
            "noc_async_read_page",
            "noc_async_write_page",
            "noc_async_read_barrier",
            "noc_async_write_barrier",
            "noc_async_writes_flushed",
        ],
    )
    .into_iter()
    .map(|l| l.split('(').next().unwrap_or_default().to_owned())
    .collect()
}

fn read(k: &mut FnBuilder, tensor: LocalId, cb: LocalId) {
    k.op(Op::ReadPage { tensor, page: u32(0), cb, index: u32(0) });
}

fn write(k: &mut FnBuilder, tensor: LocalId, cb: LocalId) {
    k.op(Op::WritePage { tensor, page: u32(0), cb, index: u32(0) });
}

#[test]
fn second_barrier_in_a_row_is_dropped() {
    let lines = barriers(|k, tensor, [_, out], _| {
        read(k, tensor, out);
        read(k, tensor, out);
        k.op(Op::ReadBarrier);
        k.op(Op::ReadBarrier);
        read(k, tensor, out);
        k.op(Op::ReadBarrier);
    });
    assert_eq!(
        lines,
        [
            "1 noc_async_read_page",
            "1 noc_async_read_page",
            "1 noc_async_read_barrier",
            "1 noc_async_read_page",
            "1 noc_async_read_barrier",
        ]
    );
}

#[test]
fn a_barrier_that_some_path_needs_stays() {
    let lines = barriers(|k, tensor, [_, out], n| {
        k.if_(
            lt(n, u32(3)),
            |k| read(k, tensor, out),
            |k| {
                read(k, tensor, out);
                k.op(Op::ReadBarrier);
            },
        );
        k.op(Op::ReadBarrier);
        k.op(Op::ReadBarrier);
    });
    assert_eq!(
        lines[1..],
        ["2 noc_async_read_page", "2 noc_async_read_page", "2 noc_async_read_barrier", "1 noc_async_read_barrier",]
    );
    // The read of the round before is still under way at the head of the loop.
    let lines = barriers(|k, tensor, [_, out], n| {
        k.for_("i", u32(0), n, |k, _| {
            k.op(Op::ReadBarrier);
            read(k, tensor, out);
        });
        k.op(Op::ReadBarrier);
    });
    assert_eq!(lines[1..], ["2 noc_async_read_barrier", "2 noc_async_read_page", "1 noc_async_read_barrier"]);
}

#[test]
fn every_exit_waits_for_writes_that_may_be_under_way() {
    let lines = barriers(|k, tensor, [input, out], n| {
        k.if_(
            lt(n.clone(), u32(3)),
            |k| {
                k.push(out, u32(1));
                k.pop(input, u32(1));
                k.stmt(StmtKind::Return(None));
            },
            |_| {},
        );
        k.for_("i", u32(0), n, |k, i| {
            write(k, tensor, input);
            k.op(Op::WritesFlushed);
            k.op(Op::WritesFlushed);
            let i = k.get(i);
            k.if_(
                bin(BinOp::Eq, i, u32(9)),
                |k| {
                    k.push(out, u32(1));
                    k.pop(input, u32(1));
                    k.stmt(StmtKind::Return(None));
                },
                |_| {},
            );
        });
    });
    assert_eq!(
        lines,
        [
            "1 if ",
            "2 return;",
            "1 for ",
            "2 noc_async_write_page",
            "2 noc_async_writes_flushed",
            "2 if ",
            "3 noc_async_write_barrier",
            "3 return;",
            "1 noc_async_write_barrier",
        ]
    );
    let lines = barriers(|k, tensor, [input, _], _| {
        write(k, tensor, input);
        k.op(Op::WriteBarrier);
    });
    assert_eq!(lines, ["1 noc_async_write_page", "1 noc_async_write_barrier"]);
}

#[test]
fn callers_know_what_functions_leave_under_way() {
    let function = |line, wait: bool| {
        let mut f = FnBuilder::new(if wait { "all" } else { "begin" }, line);
        let tensor = f.param("tensor", Ty::reference(false, Ty::TensorAccessor(BF16)));
        let block = f.param("block", Ty::reference(true, Ty::Reserved(BF16)));
        read(&mut f, tensor, block);
        if wait {
            f.op(Op::ReadBarrier);
        }
        f.finish().0
    };
    let mut k = FnBuilder::new("move", 20);
    k.param("noc", Ty::Noc);
    let tensor = k.tensor("tensor", BF16);
    let out = k.cb_out("out", BF16);
    k.reserve(out, u32(1));
    for callee in [0, 1] {
        let args = vec![k.get(tensor), k.get(out)];
        k.stmt(StmtKind::Eval(call(FnId(callee), args, Ty::Unit)));
        k.op(Op::ReadBarrier);
    }
    k.push(out, u32(1));
    let module = k.kernel(Role::Reader, vec![function(1, false), function(8, true)]);
    let names = ["begin", "all", "noc_async_read_barrier"];
    assert_eq!(
        calls(&module, &ComputeConfig::default(), &names),
        [
            "1 noc_async_read_barrier();", // in `all`
            "1 begin(tensor, out);",
            "1 noc_async_read_barrier();",
            "1 all(tensor, out);",
        ]
    );
}
