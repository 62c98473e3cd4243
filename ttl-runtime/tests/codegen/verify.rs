//! Each invariant of the verifier is noticed when it is broken, with place and reason.

use crate::build::*;
use ttl_runtime::ir::verify::verify;
use ttl_runtime::ir::{
    BinOp, Expr, FnId, Init, IntTy, LocalId, Module, Op, Order, ParamKind, Query, Role, StmtKind, Ty,
};
use ttl_runtime::ops::BinaryOp;

/// What the verifier says of a kernel with buffers `input` and `out` and a scalar `n`.
fn says(role: Role, body: impl FnOnce(&mut FnBuilder, [LocalId; 2], Expr)) -> Vec<String> {
    let mut k = FnBuilder::new("kernel", 1);
    let token = if role == Role::Compute { Ty::Compute } else { Ty::Noc };
    k.param("token", token);
    let input = k.cb_in("input", BF16);
    let out = k.cb_out("out", BF16);
    let n = k.arg("n", Ty::U32, ParamKind::PerCore);
    let n = k.get(n);
    body(&mut k, [input, out], n);
    messages(&k.kernel(role, Vec::new()))
}

fn messages(module: &Module) -> Vec<String> {
    match verify(module) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[track_caller]
fn refused(role: Role, expected: &str, body: impl FnOnce(&mut FnBuilder, [LocalId; 2], Expr)) {
    let said = says(role, body);
    assert!(said.iter().any(|m| m.contains(expected)), "{expected:?} not in {said:?}");
    assert!(said.iter().all(|m| m.starts_with("error: ") && m.contains("--> kernels/demo.rs:")));
}

#[test]
fn golden_kernels_are_accepted() {
    for case in crate::kernels::all() {
        assert_eq!(messages(&case.module), [""; 0], "{}", case.name);
    }
}

#[test]
fn wrong_types_are_refused() {
    use Role::Reader;
    refused(Reader, "the right operand is i32, must be u32", |k, _, n| {
        k.let_("x", add(n, int(1, IntTy::I32)));
    });
    refused(Reader, "a condition is u32, must be bool", |k, _, n| {
        k.if_(n, |_| {}, |_| {});
    });
    refused(Reader, "literal 256 does not fit u8", |k, _, _| {
        k.let_("x", int(256, IntTy::U8));
    });
    refused(Reader, "a `u32` is shifted by 32 bits, it has 32", |k, _, n| {
        k.let_("x", bin(BinOp::Shl, n, u32(32)));
    });
    refused(Reader, "Rem of f32 and f32", |k, _, _| {
        k.let_("x", bin(BinOp::Rem, f32(1.0), f32(2.0)));
    });
    refused(Reader, "a cast from f32 to bool", |k, _, _| {
        k.let_("x", cast(f32(1.0), Ty::Bool));
    });
    refused(Reader, "negation of u32", |k, _, n| {
        k.let_("x", neg(n));
    });
    refused(Reader, "a division by 0, which is a constant here", |k, _, n| {
        k.let_("x", bin(BinOp::Div, n, u32(0)));
    });
    refused(Reader, "an operand is i32, must be u32", |k, [_, out], _| {
        k.reserve(out, int(1, IntTy::I32));
        k.push(out, u32(1));
    });
    refused(Reader, "a loop with step 0", |k, _, n| {
        k.range("i", u32(0), n, false, Order::Forward, 0, |_, _| {});
    });
    refused(Reader, "a result is u32, must be ()", |k, _, n| {
        k.stmt(StmtKind::Return(Some(n)));
    });
}

#[test]
fn locals_must_be_declared_and_assigned() {
    use Role::Reader;
    refused(Reader, "`x` is used where it is not declared", |k, _, _| {
        let x = k.local("x", Ty::U32);
        let x = k.get(x);
        k.let_("y", x);
    });
    refused(Reader, "`i` is used where it is not declared", |k, _, n| {
        let mut at = None;
        k.for_("i", u32(0), n, |_, i| at = Some(i));
        let i = k.get(at.expect("the variable"));
        k.let_("y", i);
    });
    refused(Reader, "`x` may be read before it is assigned", |k, _, n| {
        let x = k.local("x", Ty::U32);
        k.stmt(StmtKind::Let { local: x, init: None });
        k.if_(lt(n, u32(1)), |k| k.assign(x, u32(1)), |_| {});
        let x = k.get(x);
        k.let_("y", x);
    });
    refused(Reader, "local 99 does not exist", |k, _, _| {
        k.assign_raw(LocalId(99), u32(1));
    });
    refused(Reader, "`break` or `continue` outside of a loop", |k, _, _| {
        k.stmt(StmtKind::Break);
    });
}

#[test]
fn operations_must_fit_role_and_end() {
    refused(Role::Reader, "Acquire in a reader kernel", |k, _, _| {
        k.op(Op::Acquire);
    });
    refused(Role::Compute, "ReadBarrier in a compute kernel", |k, _, _| {
        k.op(Op::ReadBarrier);
    });
    refused(Role::Compute, "WritePtr(LocalId(2)) in a compute kernel", |k, [_, out], _| {
        k.let_("p", query(Query::WritePtr(out)));
    });
    refused(Role::Reader, "ReserveBack of `input: CbIn<bf16>`", |k, [input, _], _| {
        k.reserve(input, u32(1));
        k.push(input, u32(1));
    });
    refused(Role::Writer, "WaitFront of `out: CbOut<bf16>`", |k, [_, out], _| {
        k.wait(out, u32(1));
        k.pop(out, u32(1));
    });
    refused(Role::Reader, "ReadPage without a tensor", |k, [_, out], _| {
        k.reserve(out, u32(1));
        k.op(Op::ReadPage { tensor: out, page: u32(0), cb: out, index: u32(0) });
        k.push(out, u32(1));
    });
    refused(Role::Compute, "a set-up operation before the passes", |k, [input, _], _| {
        k.op(Op::Init(Init::Copy { cb: input }));
    });
}

#[test]
fn guards_are_balanced_on_every_path() {
    use Role::Reader;
    refused(Reader, "a second block of `out` is taken", |k, [_, out], _| {
        k.reserve(out, u32(1));
        k.reserve(out, u32(1));
        k.push(out, u32(1));
    });
    refused(Reader, "`out` is released but not held", |k, [_, out], _| {
        k.push(out, u32(1));
    });
    refused(Reader, "`out` is still held at the end of the function", |k, [_, out], _| {
        k.reserve(out, u32(1));
    });
    refused(Reader, "`out` is still held at a `return`", |k, [_, out], n| {
        k.reserve(out, u32(1));
        k.if_(lt(n, u32(1)), |k| k.stmt(StmtKind::Return(None)), |_| {});
        k.push(out, u32(1));
    });
    refused(Reader, "after one branch only", |k, [_, out], n| {
        k.if_(lt(n, u32(1)), |k| k.reserve(out, u32(1)), |_| {});
        k.push(out, u32(1));
    });
    refused(Reader, "after a round of the loop", |k, [_, out], n| {
        k.for_("i", u32(0), n, |k, _| k.reserve(out, u32(1)));
    });
    refused(Reader, "at a `continue`", |k, [_, out], n| {
        k.for_("i", u32(0), n, |k, i| {
            k.reserve(out, u32(1));
            let i = k.get(i);
            k.if_(lt(i, u32(1)), |k| k.stmt(StmtKind::Continue), |_| {});
            k.push(out, u32(1));
        });
    });
    let fine = says(Reader, |k, [_, out], n| {
        k.loop_(|k| {
            k.reserve(out, u32(1));
            k.if_(
                lt(n, u32(1)),
                |k| {
                    k.push(out, u32(1));
                    k.stmt(StmtKind::Break);
                },
                |_| {},
            );
            k.push(out, u32(1));
        });
    });
    assert_eq!(fine, [""; 0]);
}

#[test]
fn tile_registers_follow_their_protocol() {
    use Role::Compute;
    refused(Compute, "CopyTile while the tile registers are Free", |k, [input, _], _| {
        k.wait(input, u32(1));
        k.op(Op::CopyTile { cb: input, tile: u32(0), dst: u32(0) });
        k.pop(input, u32(1));
    });
    refused(Compute, "CopyTile of `input`, which is not held", |k, [input, _], _| {
        k.op(Op::CopyTile { cb: input, tile: u32(0), dst: u32(0) });
    });
    refused(Compute, "PackTile while the tile registers are Acquired", |k, [_, out], _| {
        k.op(Op::Acquire);
        k.reserve(out, u32(1));
        k.op(Op::PackTile { dst: u32(0), cb: out, index: None });
        k.push(out, u32(1));
        k.op(Op::Commit);
        k.op(Op::Release);
    });
    refused(Compute, "tile registers are Acquired at the end", |k, _, _| {
        k.op(Op::Acquire);
    });
    refused(Compute, "tile register 16 does not exist", |k, _, _| {
        k.op(Op::Acquire);
        k.op(Op::BinaryRegs { op: BinaryOp::Add, a: u32(0), b: u32(1), dst: u32(16), words: vec![] });
        k.op(Op::Commit);
        k.op(Op::Release);
    });
}

#[test]
fn calls_and_parameters_must_match() {
    let mut f = FnBuilder::new("twice", 3).ret(Ty::U32);
    let x = f.param("x", Ty::U32);
    let x = f.get(x);
    f.if_(lt(x.clone(), u32(9)), |f| f.stmt(StmtKind::Return(Some(x))), |_| {});
    let (twice, _) = f.finish();
    let with_call = |callee: u32, args: Vec<Expr>| {
        let mut k = FnBuilder::new("kernel", 10);
        k.param("noc", Ty::Noc);
        k.stmt(StmtKind::Eval(call(FnId(callee), args, Ty::U32)));
        messages(&k.kernel(Role::Reader, vec![twice.clone()]))
    };
    let said = with_call(0, vec![u32(1), f32(1.0)]);
    assert!(said[0].contains("it may end without its u32 result") && said[0].contains("in `twice`"), "{said:?}");
    assert!(said[1].contains("`twice` takes 1 arguments, 2 are given"), "{said:?}");
    let said = with_call(0, vec![f32(1.0)]);
    assert!(said[1].contains("an argument is f32, must be u32"), "{said:?}");
    let said = with_call(1, vec![u32(1)]);
    assert!(said[1].contains("does not stand before its caller"), "{said:?}");

    let mut k = FnBuilder::new("kernel", 10);
    k.param("noc", Ty::Noc);
    k.param("lost", Ty::U32);
    k.arg("cb", Ty::U32, ParamKind::Cb);
    let said = messages(&k.kernel(Role::Reader, Vec::new()));
    assert!(said[0].contains("`cb` of type u32 cannot be a Cb argument"), "{said:?}");
    assert!(said[1].contains("`lost` has no argument"), "{said:?}");

    let empty = Module { name: "none".to_owned(), role: Role::Reader, fns: Vec::new(), params: Vec::new() };
    assert!(messages(&empty)[0].contains("the module has no kernel"));
}

#[test]
fn order_of_effects_is_fixed() {
    // A function that pushes, and one that only computes.
    let mut f = FnBuilder::new("push", 3).ret(Ty::U32);
    let out = f.param("out", Ty::CbOut(BF16));
    f.reserve(out, u32(1));
    f.push(out, u32(1));
    f.stmt(StmtKind::Return(Some(u32(1))));
    let (push, _) = f.finish();
    let mut f = FnBuilder::new("twice", 8).ret(Ty::U32);
    let x = f.param("x", Ty::U32);
    let x = f.get(x);
    f.stmt(StmtKind::Return(Some(add(x.clone(), x))));
    let (twice, _) = f.finish();
    let says = |value: &dyn Fn(Expr, Expr, Expr) -> Expr| {
        let mut k = FnBuilder::new("kernel", 20);
        k.param("noc", Ty::Noc);
        let out = k.cb_out("out", BF16);
        let pushes = call(FnId(0), vec![k.get(out)], Ty::U32);
        let computes = call(FnId(1), vec![u32(2)], Ty::U32);
        k.let_("x", value(pushes, computes, query(Query::WritePtr(out))));
        messages(&k.kernel(Role::Reader, vec![push.clone(), twice.clone()]))
    };
    let open = "calls with effects whose order C++ leaves open";
    assert!(says(&|p, _, _| add(p.clone(), p))[0].contains(open));
    assert!(says(&|p, _, q| add(p, q))[0].contains(open));
    assert!(says(&|p, _, q| call(FnId(1), vec![add(q, p)], Ty::U32))[0].contains(open));
    assert_eq!(says(&|p, c, _| add(add(p, c.clone()), c)), [""; 0]);
    let is_one = |x: Expr| bin(BinOp::Eq, x, u32(1));
    assert_eq!(says(&|p, _, _| bin(BinOp::And, is_one(p.clone()), is_one(p))), [""; 0]);
}

#[test]
fn a_query_of_the_wrong_value_is_refused() {
    refused(Role::Reader, "of another kind of value", |k, [input, _], _| {
        k.let_("p", query(Query::WritePtr(input)));
    });
}
