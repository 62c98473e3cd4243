//! Where the set-up of a reduction is undone: behind the section that reduced, and nowhere else.

use crate::build::*;
use crate::passes::calls;
use ttl_runtime::arch::ComputeConfig;
use ttl_runtime::ir::passes::{PassError, Target, prepare};
use ttl_runtime::ir::verify::verify;
use ttl_runtime::ir::{BinOp, Expr, ExprKind, FnId, LocalId, Module, Op, ParamKind, Role, StmtKind, TileOp, Ty};
use ttl_runtime::ops::{Pool, ReduceDim};
use ttl_runtime::tensor::format::DataFormat;

const BF16: DataFormat = DataFormat::Bf16;

/// A compute kernel with tiles in `a`, a tile of ones in `b`, and pages of `y` and `z`; `y` is bf16, `z` f32.
fn kernel(callees: Vec<ttl_runtime::ir::Fn>, body: impl FnOnce(&mut FnBuilder, Bufs)) -> Module {
    let mut k = FnBuilder::new("compute", 1);
    k.param("compute", Ty::Compute);
    let bufs = Bufs {
        a: k.cb_in("a", BF16),
        b: k.cb_in("b", BF16),
        y: k.cb_out("y", BF16),
        z: k.cb_out("z", DataFormat::F32),
        n: k.arg("n", Ty::U32, ParamKind::PerCore),
    };
    k.wait(bufs.a, u32(1));
    k.wait(bufs.b, u32(1));
    k.reserve(bufs.y, u32(8));
    k.reserve(bufs.z, u32(8));
    body(&mut k, bufs);
    k.push(bufs.z, u32(8));
    k.push(bufs.y, u32(8));
    k.pop(bufs.b, u32(1));
    k.pop(bufs.a, u32(1));
    k.kernel(Role::Compute, callees)
}

#[derive(Clone, Copy)]
struct Bufs {
    a: LocalId,
    b: LocalId,
    y: LocalId,
    z: LocalId,
    n: LocalId,
}

fn section(k: &mut FnBuilder, out: LocalId, body: impl FnOnce(&mut FnBuilder)) {
    section_to(k, &[out], body);
}

fn section_to(k: &mut FnBuilder, outs: &[LocalId], body: impl FnOnce(&mut FnBuilder)) {
    k.op(Op::Acquire);
    body(k);
    k.op(Op::Commit);
    for cb in outs.iter().copied() {
        k.op(Op::PackTile { dst: u32(0), cb, index: None });
    }
    k.op(Op::Release);
}

fn reduce_tile(k: &mut FnBuilder, bufs: Bufs, dim: ReduceDim) {
    k.op(Op::Tile(TileOp::reduce(Pool::Sum, dim, [bufs.a, bufs.b], [u32(0), u32(0), u32(0)])));
}

fn reduces(k: &mut FnBuilder, bufs: Bufs, dim: ReduceDim) {
    section(k, bufs.y, |k| reduce_tile(k, bufs, dim));
}

fn copies(k: &mut FnBuilder, bufs: Bufs) {
    section(k, bufs.y, |k| k.op(Op::CopyTile { cb: bufs.a, tile: u32(0), dst: u32(0) }));
}

fn set_up(module: &Module) -> Vec<String> {
    let names = [
        "for",
        "while",
        "if",
        "}",
        "break;",
        "continue;",
        "return;",
        "copy_init",
        "reduce_init",
        "reduce_uninit",
        "pack_reconfig_data_format",
        "tile_regs_acquire",
        "pack_tile",
        "f",
    ];
    calls(module, &ComputeConfig::default(), &names)
        .into_iter()
        .map(|l| l.replace("<PoolType::SUM, ReduceDim::REDUCE_", "<").replace("(uint32_t i = 0; i < n; ++i)", ""))
        .collect()
}

#[test]
fn in_every_round_behind_the_section() {
    let module = kernel(vec![], |k, bufs| {
        let n = k.get(bufs.n);
        k.for_("i", u32(0), n, |k, _| {
            copies(k, bufs);
            reduces(k, bufs, ReduceDim::Row);
        });
    });
    assert_eq!(
        set_up(&module),
        [
            "1 for  {",
            "2 tile_regs_acquire();",
            "2 copy_init(a);",
            "2 pack_tile(0, y);",
            "2 tile_regs_acquire();",
            "2 reduce_init<ROW>(a, b, y);",
            "2 pack_tile(0, y);",
            "2 reduce_uninit();",
            "1 }",
            "0 }",
        ]
    );
}

#[test]
fn once_behind_a_loop_that_only_reduces() {
    let module = kernel(vec![], |k, bufs| {
        let n = k.get(bufs.n);
        k.for_("i", u32(0), n, |k, _| reduces(k, bufs, ReduceDim::Row));
        reduces(k, bufs, ReduceDim::Col);
        copies(k, bufs);
    });
    assert_eq!(
        set_up(&module),
        [
            "1 reduce_init<ROW>(a, b, y);",
            "1 for  {",
            "2 tile_regs_acquire();",
            "2 pack_tile(0, y);",
            "1 }",
            // The next reduction sets the mask anew.
            "1 tile_regs_acquire();",
            "1 reduce_init<COL>(a, b, y);",
            "1 pack_tile(0, y);",
            "1 reduce_uninit();",
            "1 tile_regs_acquire();",
            "1 copy_init(a);",
            "1 pack_tile(0, y);",
            "0 }",
        ]
    );
}

#[test]
fn before_control_leaves_a_round() {
    let module = kernel(vec![], |k, bufs| {
        let n = k.get(bufs.n);
        k.for_("i", u32(0), n, |k, i| {
            copies(k, bufs);
            reduces(k, bufs, ReduceDim::Row);
            for (at, exit) in [StmtKind::Continue, StmtKind::Break].into_iter().enumerate() {
                let cond = bin(BinOp::Eq, k.get(i), u32(at as u32));
                k.if_(cond, |k| k.stmt(exit), |_| ());
            }
            reduces(k, bufs, ReduceDim::Row);
        });
    });
    let lines = set_up(&module);
    let text: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(
        text[6..],
        [
            "2 pack_tile(0, y);",
            "2 if (i == 0) {",
            "3 reduce_uninit();",
            "3 continue;",
            "2 }",
            "2 if (i == 1) {",
            "3 reduce_uninit();",
            "3 break;",
            "2 }",
            "2 tile_regs_acquire();",
            "2 pack_tile(0, y);",
            "2 reduce_uninit();",
            "1 }",
            "0 }",
        ]
    );
}

#[test]
fn in_the_branch_that_reduces() {
    let module = kernel(vec![], |k, bufs| {
        let n = k.get(bufs.n);
        k.if_(lt(n, u32(3)), |k| reduces(k, bufs, ReduceDim::Row), |_| ());
        copies(k, bufs);
    });
    assert_eq!(
        set_up(&module),
        [
            "1 if (n < 3) {",
            "2 tile_regs_acquire();",
            "2 reduce_init<ROW>(a, b, y);",
            "2 pack_tile(0, y);",
            "2 reduce_uninit();",
            "1 }",
            "1 tile_regs_acquire();",
            "1 copy_init(a);",
            "1 pack_tile(0, y);",
            "0 }",
        ]
    );
}

/// Registers in which one branch reduces are packed under the mask if that branch ran: undone behind them.
#[test]
fn not_within_a_section() {
    let module = kernel(vec![], |k, bufs| {
        let n = k.get(bufs.n);
        section(k, bufs.y, |k| {
            let copy = |k: &mut FnBuilder| k.op(Op::CopyTile { cb: bufs.a, tile: u32(0), dst: u32(0) });
            k.if_(lt(n, u32(3)), |k| reduce_tile(k, bufs, ReduceDim::Row), copy);
        });
        copies(k, bufs);
    });
    assert_eq!(
        set_up(&module),
        [
            "1 tile_regs_acquire();",
            "1 if (n < 3) {",
            "2 reduce_init<ROW>(a, b, y);",
            "1 } else {",
            "2 copy_init(a);",
            "1 }",
            "1 pack_tile(0, y);",
            "1 reduce_uninit();",
            "1 tile_regs_acquire();",
            "1 copy_init(a);",
            "1 pack_tile(0, y);",
            "0 }",
        ]
    );
}

/// The library forbids to change the packer's format while it masks.
#[test]
fn the_packer_has_its_format_before() {
    let module = kernel(vec![], |k, bufs| {
        copies(k, bufs);
        section(k, bufs.z, |k| reduce_tile(k, bufs, ReduceDim::Row));
    });
    assert_eq!(
        set_up(&module),
        [
            "1 tile_regs_acquire();",
            "1 copy_init(a);",
            "1 pack_tile(0, y);",
            "1 pack_reconfig_data_format(z);",
            "1 tile_regs_acquire();",
            // The buffer that is packed to first: only its tile shape counts.
            "1 reduce_init<ROW>(a, b, y);",
            "1 pack_tile(0, z);",
            "1 reduce_uninit();",
            "0 }",
        ]
    );
}

#[test]
fn between_reductions_to_two_formats() {
    let module = kernel(vec![], |k, bufs| {
        reduces(k, bufs, ReduceDim::Row);
        section(k, bufs.z, |k| reduce_tile(k, bufs, ReduceDim::Row));
    });
    assert_eq!(
        set_up(&module),
        [
            "1 tile_regs_acquire();",
            "1 reduce_init<ROW>(a, b, y);",
            "1 pack_tile(0, y);",
            "1 reduce_uninit();",
            "1 pack_reconfig_data_format(z);",
            "1 tile_regs_acquire();",
            "1 reduce_init<ROW>(a, b, y);",
            "1 pack_tile(0, z);",
            "1 reduce_uninit();",
            "0 }",
        ]
    );
}

/// All that a section packs is packed under the mask, also after the packer got another format.
#[test]
fn within_a_section_around_another_format() {
    let module = kernel(vec![], |k, bufs| {
        let n = k.get(bufs.n);
        k.for_("i", u32(0), n, |k, _| {
            section_to(k, &[bufs.z, bufs.y], |k| reduce_tile(k, bufs, ReduceDim::Row));
        });
    });
    assert_eq!(
        set_up(&module),
        [
            "1 for  {",
            "2 reduce_uninit();",
            "2 pack_reconfig_data_format(z);",
            "2 tile_regs_acquire();",
            "2 reduce_init<ROW>(a, b, z);",
            "2 pack_tile(0, z);",
            "2 reduce_uninit();",
            "2 pack_reconfig_data_format(y);",
            "2 reduce_init<ROW>(a, b, z);",
            "2 pack_tile(0, y);",
            "1 }",
            "1 reduce_uninit();",
            "0 }",
        ]
    );
}

/// Which mask the section has is not known when the packer would get the second format.
#[test]
fn not_where_only_one_branch_reduced() {
    let module = kernel(vec![], |k, bufs| {
        let n = k.get(bufs.n);
        section_to(k, &[bufs.z, bufs.y], |k| {
            let copy = |k: &mut FnBuilder| k.op(Op::CopyTile { cb: bufs.a, tile: u32(0), dst: u32(0) });
            k.if_(lt(n, u32(3)), |k| reduce_tile(k, bufs, ReduceDim::Row), copy);
        });
    });
    let config = ComputeConfig::default();
    let target = Target { config: &config, cb_ids: &[] };
    let error = prepare(verify(&module).expect("valid"), &target).expect_err("two formats under one mask");
    assert!(matches!(error, PassError::RepackUnknown { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("the packer gets another format while it is set up for a reduction that not every way")
    );
}

#[test]
fn functions_are_called_with_nothing_in_force() {
    let [front, reserved] = [Ty::reference(false, Ty::Front(BF16)), Ty::reference(true, Ty::Reserved(BF16))];
    let mut f = FnBuilder::new("f", 1);
    let [a, b] = ["a", "b"].map(|name| f.param(name, front.clone()));
    let y = f.param("y", reserved.clone());
    let bufs = Bufs { a, b, y, z: y, n: y };
    copies(&mut f, bufs);
    reduces(&mut f, bufs, ReduceDim::Row);
    let (f, _) = f.finish();
    let module = kernel(vec![f], |k, bufs| {
        reduces(k, bufs, ReduceDim::Row);
        let guard = |local, ty: &Ty| Expr { ty: ty.clone(), kind: ExprKind::Local(local) };
        let args = vec![guard(bufs.a, &front), guard(bufs.b, &front), guard(bufs.y, &reserved)];
        k.stmt(StmtKind::Eval(call(FnId(0), args, Ty::Unit)));
        copies(k, bufs);
    });
    let lines = set_up(&module);
    let text: Vec<&str> = lines.iter().map(String::as_str).collect();
    let start = text.iter().position(|l| l.starts_with("1 f(")).expect("the call");
    assert_eq!(text[..start].iter().filter(|l| l.contains("uninit")).count(), 2, "{text:#?}");
    assert_eq!(text[start - 1], "1 reduce_uninit();", "{text:#?}");
    assert!(text[start..].iter().all(|l| !l.contains("uninit")), "{text:#?}");
}
