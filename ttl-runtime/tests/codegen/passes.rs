//! Placement of set-up calls, and what the passes refuse.

use crate::build::*;
use ttl_runtime::arch::ComputeConfig;
use ttl_runtime::ir::passes::buffers::Buffers;
use ttl_runtime::ir::passes::{PassError, Target, inits, prepare, temps};
use ttl_runtime::ir::verify::verify;
use ttl_runtime::ir::{Expr, ExprKind, FnId, Init, LocalId, Module, Op, ParamKind, Role, StmtKind, Ty, visit};
use ttl_runtime::ops::{BinaryOp, UnaryOp};
use ttl_runtime::tensor::format::DataFormat;

/// The lines of the kernel's body that call one of the functions, with their depth of indentation.
pub(crate) fn calls(module: &Module, config: &ComputeConfig, names: &[&str]) -> Vec<String> {
    text(module, config)
        .lines()
        .filter(|l| {
            let name = l.trim().split(['(', '<', ' ']).next().unwrap_or("");
            names.contains(&name)
        })
        .map(|l| {
            let depth = (l.len() - l.trim_start().len()) / 4;
            format!("{depth} {}", l.trim())
        })
        .collect()
}

fn sets_up(module: &Module, config: &ComputeConfig) -> Vec<String> {
    let names = [
        "for",
        "while",
        "if",
        "compute_kernel_hw_startup",
        "copy_init",
        "add_init",
        "sub_init",
        "mul_init",
        "add_reuse_dest_init",
        "matmul_init",
        "matmul_block_init",
        "exp_tile_init",
        "sqrt_tile_init",
        "reconfig_data_format",
        "reconfig_data_format_srca",
        "reconfig_data_format_srcb",
        "pack_reconfig_data_format",
    ];
    calls(module, config, &names)
}

/// A compute kernel with buffers `a`, `b` (inputs) and `y`, and a count `n`.
fn compute(formats: [DataFormat; 3], body: impl FnOnce(&mut FnBuilder, [LocalId; 3], Expr)) -> Module {
    let mut k = FnBuilder::new("compute", 1);
    k.param("compute", Ty::Compute);
    let a = k.cb_in("a", formats[0]);
    let b = k.cb_in("b", formats[1]);
    let y = k.cb_out("y", formats[2]);
    let n = k.arg("n", Ty::U32, ParamKind::PerCore);
    let n = k.get(n);
    k.wait(a, u32(1));
    k.wait(b, u32(1));
    k.reserve(y, u32(1));
    body(&mut k, [a, b, y], n);
    k.push(y, u32(1));
    k.pop(b, u32(1));
    k.pop(a, u32(1));
    k.kernel(Role::Compute, Vec::new())
}

fn binary(k: &mut FnBuilder, [a, b, y]: [LocalId; 3], op: BinaryOp) {
    k.store(y, u32(1), &[a, b], false, |d| {
        let (a, b) = (d.leaf(0), d.leaf(1));
        d.bin(op, a, b)
    });
}

fn exp(k: &mut FnBuilder, [a, _, y]: [LocalId; 3]) {
    k.store(y, u32(1), &[a], false, |d| {
        let a = d.leaf(0);
        d.un(UnaryOp::Exp, a)
    });
}

#[test]
fn one_kind_of_operation_is_set_up_once_outside_all_loops() {
    let module = compute([BF16; 3], |k, cbs, n| {
        k.for_("i", u32(0), n.clone(), |k, _| {
            k.for_("j", u32(0), n, |k, _| binary(k, cbs, BinaryOp::Add));
        });
    });
    assert_eq!(
        sets_up(&module, &ComputeConfig::default()),
        [
            "1 compute_kernel_hw_startup(a, b, y);",
            "1 add_init(a, b);",
            "1 for (uint32_t i = 0; i < n; ++i) {",
            "2 for (uint32_t j = 0; j < n; ++j) {",
        ]
    );
}

#[test]
fn inner_loops_keep_what_the_outer_one_changes() {
    let module = compute([BF16; 3], |k, cbs, n| {
        k.for_("i", u32(0), n.clone(), |k, _| {
            k.for_("j", u32(0), n.clone(), |k, _| exp(k, cbs));
            k.for_("k", u32(0), n, |k, _| binary(k, cbs, BinaryOp::Sub));
        });
    });
    assert_eq!(
        sets_up(&module, &ComputeConfig::default()),
        [
            "1 compute_kernel_hw_startup(a, b, y);",
            // Nothing else uses the SFPU.
            "1 exp_tile_init();",
            "1 for (uint32_t i = 0; i < n; ++i) {",
            "2 copy_init(a);",
            "2 for (uint32_t j = 0; j < n; ++j) {",
            "2 sub_init(a, b);",
            "2 for (uint32_t k = 0; k < n; ++k) {",
        ]
    );
}

#[test]
fn branches_that_disagree_are_set_up_again_after_they_meet() {
    let module = compute([BF16; 3], |k, cbs, n| {
        binary(k, cbs, BinaryOp::Add);
        k.if_(lt(n.clone(), u32(3)), |k| binary(k, cbs, BinaryOp::Sub), |_| {});
        binary(k, cbs, BinaryOp::Sub);
        k.if_(lt(n, u32(5)), |k| binary(k, cbs, BinaryOp::Sub), |k| binary(k, cbs, BinaryOp::Sub));
    });
    assert_eq!(
        sets_up(&module, &ComputeConfig::default()),
        [
            "1 compute_kernel_hw_startup(a, b, y);",
            "1 add_init(a, b);",
            "1 if (n < 3) {",
            "2 sub_init(a, b);",
            "1 sub_init(a, b);",
            "1 if (n < 5) {",
        ]
    );
}

#[test]
fn a_break_carries_its_state_out_of_the_loop() {
    let module = compute([BF16; 3], |k, cbs, n| {
        k.loop_(|k| {
            binary(k, cbs, BinaryOp::Add);
            k.if_(
                lt(n, u32(3)),
                |k| {
                    binary(k, cbs, BinaryOp::Mul);
                    k.stmt(StmtKind::Break);
                },
                |_| {},
            );
        });
        binary(k, cbs, BinaryOp::Mul);
    });
    assert_eq!(
        sets_up(&module, &ComputeConfig::default()),
        [
            "1 compute_kernel_hw_startup(a, b, y);",
            "1 while (true) {",
            // In the loop two operations alternate as far as the structure shows, so each round begins with its set-up.
            "2 add_init(a, b);",
            "2 if (n < 3) {",
            "3 mul_init(a, b);",
        ]
    );
}

#[test]
fn formats_are_reconfigured_only_where_they_change() {
    let module = compute([BF16, F32, BF16], |k, [a, b, y], n| {
        k.for_("i", u32(0), n, |k, _| {
            for cb in [a, b] {
                k.store(y, u32(1), &[cb], false, |d| d.leaf(0));
            }
        });
    });
    assert_eq!(
        sets_up(&module, &wide()),
        [
            "1 compute_kernel_hw_startup(a, y);",
            "1 for (uint32_t i = 0; i < n; ++i) {",
            "2 reconfig_data_format_srca(a);",
            "2 copy_init(a);",
            "2 reconfig_data_format_srca(b);",
            "2 copy_init(b);",
        ]
    );
}

#[test]
fn a_set_up_that_depends_on_the_loop_stays_inside() {
    let mut k = FnBuilder::new("compute", 1);
    k.param("compute", Ty::Compute);
    let a = k.cb_in("a", BF16);
    let b = k.cb_in("b", BF16);
    let y = k.cb_out("y", BF16);
    k.wait(a, u32(8));
    k.wait(b, u32(8));
    k.for_("kt", u32(1), u32(5), |k, kt| {
        let kt = k.get(kt);
        k.op(Op::Acquire);
        k.matmul_acc([a, b], [u32(2), kt, u32(2)]);
        k.reserve(y, u32(4));
        k.store(y, u32(4), &[], true, |d| d.leaf(0));
        k.push(y, u32(4));
    });
    k.pop(b, u32(8));
    k.pop(a, u32(8));
    let module = k.kernel(Role::Compute, Vec::new());
    assert_eq!(
        sets_up(&module, &ComputeConfig::default())[..3],
        [
            "1 compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, y);",
            "1 for (uint32_t kt = 1; kt < 5; ++kt) {",
            "2 matmul_block_init(a, b, 0, 2, 2, kt);",
        ]
    );
}

#[test]
fn the_check_finds_a_missing_set_up() {
    let module = compute([BF16; 3], |k, cbs, n| {
        k.for_("i", u32(0), n, |k, _| {
            exp(k, cbs);
            binary(k, cbs, BinaryOp::Add);
        });
    });
    let config = ComputeConfig::default();
    let good = prepared(&module, &config, &[]).module().clone();
    let target = Target { config: &config, cb_ids: &[] };
    let buffers = Buffers::of(&good, &target).expect("buffers");
    inits::check(&good, &buffers).expect("all is set up");
    // Remove each set-up call in turn: the check must notice every one.
    let mut count = 0;
    visit::each_stmt(&good.entry().body, &mut |s| {
        count += usize::from(matches!(s.kind, StmtKind::Op(Op::Init(_))));
    });
    assert_eq!(count, 4, "start-up, copy, exp, add");
    for nth in 0..count {
        let mut bad = good.clone();
        let at = bad.fns.len() - 1;
        let mut left = nth as i64;
        bad.fns[at].body = without(&bad.fns[at].body, &mut left);
        assert!(inits::check(&bad, &buffers).is_err(), "set-up call {nth} is missing and nothing noticed");
    }
}

/// The block without its `nth` set-up call.
fn without(block: &[ttl_runtime::ir::Stmt], nth: &mut i64) -> Vec<ttl_runtime::ir::Stmt> {
    let mut out = Vec::new();
    for stmt in block {
        if matches!(stmt.kind, StmtKind::Op(Op::Init(_))) {
            *nth -= 1;
            if *nth == -1 {
                continue;
            }
        }
        let mut stmt = stmt.clone();
        if let StmtKind::For(l) = &mut stmt.kind {
            l.body = without(&l.body, nth);
        }
        out.push(stmt);
    }
    out
}

#[test]
fn every_prepared_kernel_starts_up_first_and_once() {
    for case in crate::kernels::all() {
        if case.module.role != Role::Compute {
            continue;
        }
        let prepared = prepared(&case.module, &case.config, &case.cb_ids);
        let body = &prepared.module().entry().body;
        assert!(matches!(body[0].kind, StmtKind::Op(Op::Init(Init::Startup { .. }))));
        let mut count = 0;
        visit::each_stmt(body, &mut |s| {
            count += u32::from(matches!(s.kind, StmtKind::Op(Op::Init(Init::Startup { .. }))));
        });
        assert_eq!(count, 1, "{}", case.name);
    }
}

#[test]
fn expressions_that_do_not_fit_are_errors_with_place_and_numbers() {
    let config = wide();
    let target = Target { config: &config, cb_ids: &[] };
    let module = crate::kernels::matmul([4, 2], false);
    let error = prepare(verify(&module).expect("verified"), &target).expect_err("8 of 4");
    assert!(matches!(error, PassError::AccTooLarge { tiles: 8, available: 4, .. }));
    // Four accumulators fill the registers; the bias of each needs another in 32-bit mode.
    let module = crate::kernels::matmul([2, 2], true);
    let error = prepare(verify(&module).expect("verified"), &target).expect_err("4 of 2");
    let text = error.to_string();
    assert!(text.contains("kernels/demo.rs:"), "{text}");
    assert!(text.contains("4 accumulator tiles"), "{text}");
    let deep = compute([F32; 3], |k, [a, b, y], _| {
        k.store(y, u32(1), &[a, b], false, |d| {
            let (a, b) = (d.leaf(0), d.leaf(1));
            let mut row: Vec<_> = (0..5)
                .map(|n| {
                    let op = UnaryOp::ALL[n];
                    let (x, y) = (d.un(op, a), d.un(op, b));
                    d.bin(BinaryOp::Sub, x, y)
                })
                .collect();
            // Every value is needed again at the very end, so all stay in registers.
            let mut sum = row[0];
            for x in &row[1..] {
                sum = d.bin(BinaryOp::Sub, sum, *x);
            }
            row.reverse();
            for x in row {
                sum = d.bin(BinaryOp::Mul, sum, x);
            }
            sum
        });
    });
    // It is computed in parts, with buffers in between.
    let mut deep = deep;
    let buffers = Buffers::of(&deep, &target).expect("formats");
    let added = temps::add(&mut deep, &buffers, target.config).expect("buffers of its own");
    assert!(!added.is_empty());
    prepare(verify(&deep).expect("verified"), &target).expect("in parts");
}

/// A function that needs a buffer of the compiler's gets it wherever it is called: also in the operands of operations.
#[test]
fn calls_in_operands_get_the_buffers_they_need() {
    let [front, reserved] = [Ty::reference(false, Ty::Front(BF16)), Ty::reference(true, Ty::Reserved(BF16))];
    let mut f = FnBuilder::new("f", 1).ret(Ty::U32);
    let x = f.param("x", front.clone());
    let y = f.param("y", reserved.clone());
    f.store(y, u32(1), &[x], false, |d| {
        let x = d.leaf(0);
        d.sum_row(x)
    });
    f.stmt(StmtKind::Return(Some(u32(1))));
    let (f, _) = f.finish();
    let mut k = FnBuilder::new("compute", 10);
    k.param("compute", Ty::Compute);
    let a = k.cb_in("a", BF16);
    let y = k.cb_out("y", BF16);
    let called = || {
        let guard = |local, ty: &Ty| Expr { ty: ty.clone(), kind: ExprKind::Local(local) };
        call(FnId(0), vec![guard(a, &front), guard(y, &reserved)], Ty::U32)
    };
    let dst = u32(0);
    k.op(Op::WaitFront { cb: a, pages: called() });
    k.op(Op::Unary { op: UnaryOp::Exp, dst: dst.clone(), words: vec![called()] });
    k.op(Op::BinaryRegs { op: BinaryOp::Add, a: dst.clone(), b: dst.clone(), dst, words: vec![add(u32(1), called())] });
    k.op(Op::Init(Init::BinaryRegs(BinaryOp::Add, vec![called()])));
    k.if_(lt(called(), called()), |k| k.op(Op::PopFront { cb: a, pages: called() }), |_| ());
    let mut module = k.kernel(Role::Compute, vec![f]);
    let config = ComputeConfig::default();
    let buffers = Buffers::of(&module, &Target { config: &config, cb_ids: &[] }).expect("formats");
    let added = temps::add(&mut module, &buffers, &config).expect("a tile of ones");
    assert_eq!(added.len(), 1);
    let mut counts = Vec::new();
    visit::each_stmt(&module.entry().body, &mut |stmt| {
        visit::stmt_calls(stmt, &mut |call| counts.push(call.args.len()));
    });
    assert_eq!(counts, [3; 7]);
}

#[test]
fn a_function_cannot_take_buffers_of_both_precisions() {
    let mut f = FnBuilder::new("copy", 1);
    f.param("compute", Ty::reference(false, Ty::Compute));
    let x = f.param("x", Ty::reference(false, Ty::Front(F32)));
    let y = f.param("y", Ty::reference(true, Ty::Reserved(F32)));
    f.store(y, u32(1), &[x], false, |d| d.leaf(0));
    let (copy, _) = f.finish();
    let mut k = FnBuilder::new("compute", 10);
    let token = k.param("compute", Ty::Compute);
    let a = k.cb_in("a", F32);
    let b = k.cb_in("b", F32);
    let y = k.cb_out("y", F32);
    let token = k.get(token);
    k.reserve(y, u32(2));
    for cb in [a, b] {
        k.wait(cb, u32(1));
        let guard = |local, ty| Expr { ty, kind: ExprKind::Local(local) };
        let args = vec![
            token.clone(),
            guard(cb, Ty::reference(false, Ty::Front(F32))),
            guard(y, Ty::reference(true, Ty::Reserved(F32))),
        ];
        k.stmt(StmtKind::Eval(call(FnId(0), args, Ty::Unit)));
        k.pop(cb, u32(1));
    }
    k.push(y, u32(2));
    let module = k.kernel(Role::Compute, vec![copy]);
    let both = |ids: &[u32]| {
        let config = ComputeConfig { unpack_to_dest_fp32: ids.to_vec(), ..wide() };
        let target = Target { config: &config, cb_ids: &[0, 1, 2] };
        prepare(verify(&module).expect("verified"), &target).map(|_| ())
    };
    assert_eq!(both(&[]), Ok(()));
    assert_eq!(both(&[0, 1]), Ok(()));
    let error = both(&[1]).expect_err("f32 tiles of two kinds");
    assert!(matches!(error, PassError::MixedPrecision { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("is called with circular buffers of which only some have f32 tiles at full precision"),
        "{text}"
    );
    assert!(text.contains("help: call it with one kind"), "{text}");
}
