//! The kernels of the golden files.

use crate::build::*;
use ttl_runtime::arch::ComputeConfig;
use ttl_runtime::codegen::Lines;
use ttl_runtime::ir::{BinOp, Expr, ExprKind, FnId, IntTy, Module, Op, Order, ParamKind, Query, Role, StmtKind, Ty};
use ttl_runtime::ops::{BinaryOp, UnaryOp};

pub(crate) struct KernelCase {
    pub(crate) name: &'static str,
    pub(crate) module: Module,
    pub(crate) config: ComputeConfig,
    pub(crate) cb_ids: Vec<u32>,
    pub(crate) lines: Lines,
    /// Compile-time words for a compile check: scalars after the buffer ids.
    scalars: Vec<u32>,
}

impl KernelCase {
    fn new(name: &'static str, module: Module, config: ComputeConfig) -> KernelCase {
        KernelCase { name, module, config, cb_ids: Vec::new(), lines: Lines::Comments, scalars: Vec::new() }
    }

    pub(crate) fn text(&self) -> String {
        text_with(&self.module, &self.config, &self.cb_ids, self.lines)
    }

    /// Options for a compile check: arguments, buffer formats, configuration.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut words: Vec<u32> = Vec::new();
        let mut formats: Vec<String> = Vec::new();
        let mut tensors = 0;
        for param in &self.module.params {
            match &param.ty {
                Ty::CbIn(f) | Ty::CbOut(f) => {
                    let id = words.len() as u32;
                    formats.push(format!("{id}={f}"));
                    words.push(id);
                }
                Ty::TensorAccessor(_) => tensors += 1,
                _ => {}
            }
        }
        words.extend(&self.scalars);
        for _ in 0..tensors {
            words.extend([2, 2048]);
        }
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let mut options = vec![format!("--ct={}", words.join(","))];
        if !formats.is_empty() {
            options.push(format!("--cb={}", formats.join(",")));
        }
        let compute = self.module.role == Role::Compute;
        options.push(format!("--risc={}", if compute { "trisc" } else { "dm" }));
        if self.config.fp32_dest_acc {
            options.push("--fp32-acc".to_owned());
        }
        if !self.config.unpack_to_dest_fp32.is_empty() {
            let ids = &self.config.unpack_to_dest_fp32;
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            options.push(format!("--to-dest={}", ids.join(",")));
        }
        options
    }
}

pub(crate) fn all() -> Vec<KernelCase> {
    let mut cases = vec![
        KernelCase::new("fma_1", fma(1), ComputeConfig::default()),
        KernelCase::new("fma_4", fma(4), ComputeConfig::default()),
        KernelCase::new("fma_20", fma(20), ComputeConfig::default()),
        KernelCase::new("fma_unknown_count", fma_unknown(), ComputeConfig::default()),
        KernelCase::new("matmul_1x1", matmul([1, 1], false), wide()),
        KernelCase::new("matmul_2x2", matmul([2, 2], false), ComputeConfig::default()),
        KernelCase::new("matmul_bias_relu", matmul([2, 2], true), ComputeConfig::default()),
        KernelCase::new("copy_used_twice", used_twice(), wide()),
        KernelCase::new("mixed_formats", mixed_formats(), wide()),
        KernelCase::new("read_blocks", read_blocks(), ComputeConfig::default()),
        KernelCase::new("write_blocks", write_blocks(), ComputeConfig::default()),
        KernelCase::new("fma_reader", fma_reader(), ComputeConfig::default()),
        KernelCase::new("words", words(), ComputeConfig::default()),
        KernelCase::new("loops", loops(), ComputeConfig::default()),
        KernelCase::new("scalars", scalars(), ComputeConfig::default()),
        KernelCase::new("names", names(), ComputeConfig::default()),
        KernelCase::new("device_functions", device_functions(), ComputeConfig::default()),
        KernelCase::new("compute_function", compute_function(), ComputeConfig::default()),
    ];
    let mut exact = KernelCase::new("exact_f32", exact_f32(), wide());
    exact.config.unpack_to_dest_fp32 = vec![0, 1];
    exact.cb_ids = vec![0, 1, 2];
    cases.push(exact);
    let mut lines = KernelCase::new("fma_4_lines", fma(4), ComputeConfig::default());
    lines.lines = Lines::Directives;
    cases.push(lines);
    for case in &mut cases {
        case.scalars = case.module.params.iter().filter(|p| p.kind == ParamKind::CompileTime).map(|_| 3).collect();
    }
    cases
}

/// `y.store(a * b + c)` over `n` blocks of `tiles` tiles.
pub(crate) fn fma(tiles: u32) -> Module {
    let mut k = FnBuilder::new("compute", 12);
    k.param("compute", Ty::Compute);
    let a = k.cb_in("a", BF16);
    let b = k.cb_in("b", BF16);
    let c = k.cb_in("c", BF16);
    let y = k.cb_out("y", BF16);
    let count = k.arg("blocks", Ty::U32, ParamKind::PerCore);
    let end = k.get(count);
    k.for_("_", u32(0), end, |k, _| {
        for cb in [a, b, c] {
            k.wait(cb, u32(tiles));
        }
        k.reserve(y, u32(tiles));
        k.store(y, u32(tiles), &[a, b, c], false, |d| {
            let (a, b, c) = (d.leaf(0), d.leaf(1), d.leaf(2));
            let product = d.bin(BinaryOp::Mul, a, b);
            d.bin(BinaryOp::Add, product, c)
        });
        k.push(y, u32(tiles));
        for cb in [c, b, a] {
            k.pop(cb, u32(tiles));
        }
    });
    k.generics(&[&tiles.to_string()]).kernel(Role::Compute, Vec::new())
}

/// The same with a block size that only the running kernel knows.
fn fma_unknown() -> Module {
    let mut k = FnBuilder::new("compute", 12);
    k.param("compute", Ty::Compute);
    let a = k.cb_in("a", BF16);
    let b = k.cb_in("b", BF16);
    let c = k.cb_in("c", BF16);
    let y = k.cb_out("y", BF16);
    let tiles = k.arg("block", Ty::U32, ParamKind::PerCore);
    let tiles = k.get(tiles);
    for cb in [a, b, c] {
        k.wait(cb, tiles.clone());
    }
    k.reserve(y, tiles.clone());
    k.store(y, tiles.clone(), &[a, b, c], false, |d| {
        let (a, b, c) = (d.leaf(0), d.leaf(1), d.leaf(2));
        let product = d.bin(BinaryOp::Mul, a, b);
        d.bin(BinaryOp::Add, product, c)
    });
    k.push(y, tiles.clone());
    for cb in [c, b, a] {
        k.pop(cb, tiles.clone());
    }
    k.kernel(Role::Compute, Vec::new())
}

/// `acc += a.block(rt, kt).matmul(b.block(kt, ct))` over K blocks, stored as it is or with bias and relu.
pub(crate) fn matmul([rt, ct]: [u32; 2], epilogue: bool) -> Module {
    let mut k = FnBuilder::new("matmul", 30);
    k.param("compute", Ty::Compute);
    let a = k.cb_in("a", BF16);
    let b = k.cb_in("b", BF16);
    let bias = epilogue.then(|| k.cb_in("bias", BF16));
    let out = k.cb_out("out", BF16);
    let kt = k.arg("kt", Ty::U32, ParamKind::CompileTime);
    let blocks = k.arg("k_blocks", Ty::U32, ParamKind::PerCore);
    let outputs = k.arg("outputs", Ty::U32, ParamKind::Common);
    let (kt, blocks, outputs) = (k.get(kt), k.get(blocks), k.get(outputs));
    k.for_("_", u32(0), outputs, |k, _| {
        k.op(Op::Acquire);
        k.for_("block", u32(0), blocks, |k, _| {
            let pages_a = mul(u32(rt), kt.clone());
            let pages_b = mul(kt.clone(), u32(ct));
            k.wait(a, pages_a.clone());
            k.wait(b, pages_b.clone());
            k.matmul_acc([a, b], [u32(rt), kt.clone(), u32(ct)]);
            k.pop(b, pages_b);
            k.pop(a, pages_a);
        });
        let tiles = u32(rt * ct);
        k.reserve(out, tiles.clone());
        match bias {
            None => k.store(out, tiles.clone(), &[], true, |d| d.leaf(0)),
            Some(bias) => {
                k.wait(bias, tiles.clone());
                k.store(out, tiles.clone(), &[bias], true, |d| {
                    let (acc, bias) = (d.leaf(0), d.leaf(1));
                    let sum = d.bin(BinaryOp::Add, acc, bias);
                    d.un(UnaryOp::Relu, sum)
                });
                k.pop(bias, tiles.clone());
            }
        }
        k.push(out, tiles);
    });
    k.kernel(Role::Compute, Vec::new())
}

/// `let t = a * b; y.store(t.exp() - t)` in 32-bit registers.
fn used_twice() -> Module {
    let mut k = FnBuilder::new("twice", 3);
    k.param("compute", Ty::Compute);
    let a = k.cb_in("a", BF16);
    let b = k.cb_in("b", BF16);
    let y = k.cb_out("y", F32);
    k.wait(a, u32(2));
    k.wait(b, u32(2));
    k.reserve(y, u32(2));
    k.store(y, u32(2), &[a, b], false, |d| {
        let (a, b) = (d.leaf(0), d.leaf(1));
        let t = d.bin(BinaryOp::Mul, a, b);
        let e = d.un(UnaryOp::Exp, t);
        d.bin(BinaryOp::Sub, e, t)
    });
    k.push(y, u32(2));
    k.pop(b, u32(2));
    k.pop(a, u32(2));
    k.kernel(Role::Compute, Vec::new())
}

/// A product of bf16 tiles and an f32 addend, to a bf16 and an f32 buffer.
fn mixed_formats() -> Module {
    let mut k = FnBuilder::new("mixed", 3);
    k.param("compute", Ty::Compute);
    let a = k.cb_in("a", BF16);
    let b = k.cb_in("b", BF16);
    let c = k.cb_in("c", F32);
    let y = k.cb_out("y", BF16);
    let z = k.cb_out("z", F32);
    let n = k.arg("n", Ty::U32, ParamKind::Common);
    let n = k.get(n);
    k.for_("i", u32(0), n, |k, _| {
        for cb in [a, b, c] {
            k.wait(cb, u32(4));
        }
        k.reserve(y, u32(4));
        k.store(y, u32(4), &[a, b, c], false, |d| {
            let (a, b, c) = (d.leaf(0), d.leaf(1), d.leaf(2));
            let product = d.bin(BinaryOp::Mul, a, b);
            d.bin(BinaryOp::Add, c, product)
        });
        k.push(y, u32(4));
        k.reserve(z, u32(4));
        k.store(z, u32(4), &[c], false, |d| {
            let c = d.leaf(0);
            d.un(UnaryOp::Recip, c)
        });
        k.push(z, u32(4));
        for cb in [c, b, a] {
            k.pop(cb, u32(4));
        }
    });
    k.kernel(Role::Compute, Vec::new())
}

/// Sums of f32 tiles that must not be rounded on the way to the registers.
fn exact_f32() -> Module {
    let mut k = FnBuilder::new("exact", 3);
    k.param("compute", Ty::Compute);
    let a = k.cb_in("a", F32);
    let b = k.cb_in("b", F32);
    let y = k.cb_out("y", F32);
    k.loop_(|k| {
        k.wait(a, u32(2));
        k.wait(b, u32(2));
        k.reserve(y, u32(2));
        k.store(y, u32(2), &[a, b], false, |d| {
            let (a, b) = (d.leaf(0), d.leaf(1));
            let sum = d.bin(BinaryOp::Add, a, b);
            d.un(UnaryOp::Sqrt, sum)
        });
        k.push(y, u32(2));
        k.pop(b, u32(2));
        k.pop(a, u32(2));
    });
    k.kernel(Role::Compute, Vec::new())
}

/// Two tensors, block by block.
fn read_blocks() -> Module {
    let mut k = FnBuilder::new("read", 8);
    k.param("noc", Ty::Noc);
    let src = k.tensor("src", BF16);
    let out = k.cb_out("out", BF16);
    let weights = k.tensor("weights", BF16);
    let w_out = k.cb_out("w_out", BF16);
    let block = k.arg("block", Ty::U32, ParamKind::CompileTime);
    let first = k.arg("first", Ty::U32, ParamKind::PerCore);
    let count = k.arg("count", Ty::U32, ParamKind::PerCore);
    k.reserve(w_out, u32(2));
    for index in 0..2 {
        k.op(Op::ReadPage { tensor: weights, page: u32(index), cb: w_out, index: u32(index) });
    }
    // The guards of both transfers are waited for: one barrier is enough.
    k.op(Op::ReadBarrier);
    k.op(Op::ReadBarrier);
    k.push(w_out, u32(2));
    let (first, count, block) = (k.get(first), k.get(count), k.get(block));
    k.for_("page", first.clone(), add(first, count), |k, page| {
        k.reserve(out, block.clone());
        k.for_("i", u32(0), block.clone(), |k, i| {
            let (page, i) = (k.get(page), k.get(i));
            k.op(Op::ReadPage { tensor: src, page: add(mul(page, block.clone()), i.clone()), cb: out, index: i });
        });
        k.op(Op::ReadBarrier);
        k.push(out, block.clone());
    });
    k.kernel(Role::Reader, Vec::new())
}

/// The operands of `fma(4)`, block by block.
fn fma_reader() -> Module {
    let mut k = FnBuilder::new("read", 8);
    k.param("noc", Ty::Noc);
    let names = ["a", "b", "c"];
    let tensors = names.map(|name| k.tensor(name, BF16));
    let buffers = names.map(|name| k.cb_out(&format!("{name}_out"), BF16));
    let first = k.arg("first", Ty::U32, ParamKind::PerCore);
    let count = k.arg("count", Ty::U32, ParamKind::PerCore);
    let (first, count) = (k.get(first), k.get(count));
    let end = add(first.clone(), count);
    k.range("page", first, end, false, Order::Forward, 4, |k, page| {
        let page = k.get(page);
        for cb in buffers {
            k.reserve(cb, u32(4));
        }
        k.for_("i", u32(0), u32(4), |k, i| {
            let i = k.get(i);
            for (tensor, cb) in tensors.into_iter().zip(buffers) {
                k.op(Op::ReadPage { tensor, page: add(page.clone(), i.clone()), cb, index: i.clone() });
            }
        });
        k.op(Op::ReadBarrier);
        for cb in buffers {
            k.push(cb, u32(4));
        }
    });
    k.kernel(Role::Reader, Vec::new())
}

/// Single words of blocks, as numbers and as floats.
fn words() -> Module {
    let mut k = FnBuilder::new("words", 8);
    k.param("noc", Ty::Noc);
    let input = k.cb_in("input", F32);
    let out = k.cb_out("out", F32);
    let scale = k.arg("scale", Ty::F32, ParamKind::Common);
    let scale = k.get(scale);
    k.wait(input, u32(1));
    k.reserve(out, u32(1));
    k.for_("i", u32(0), u32(1024), |k, i| {
        let i = k.get(i);
        let word = query(Query::Word { cb: input, word: Box::new(i.clone()) });
        let x = k.let_("x", mul(bits(word), scale));
        let x = k.get(x);
        k.op(Op::WriteWord { cb: out, word: i, value: bits(x) });
    });
    k.push(out, u32(1));
    k.pop(input, u32(1));
    k.kernel(Role::Writer, Vec::new())
}

/// A writer that may return early; its writes are only flushed.
fn write_blocks() -> Module {
    let mut k = FnBuilder::new("write", 8);
    k.param("noc", Ty::Noc);
    let dst = k.tensor("dst", BF16);
    let input = k.cb_in("input", BF16);
    let first = k.arg("first", Ty::U32, ParamKind::PerCore);
    let count = k.arg("count", Ty::U32, ParamKind::PerCore);
    let limit = k.arg("limit", Ty::U32, ParamKind::Common);
    let unused = k.arg("unused", Ty::F32, ParamKind::Common);
    let _ = unused;
    let (first, count, limit) = (k.get(first), k.get(count), k.get(limit));
    k.range("page", first.clone(), add(first, count), false, Order::Forward, 4, |k, page| {
        let page = k.get(page);
        k.if_(bin(BinOp::Ge, page.clone(), limit), |k| k.stmt(StmtKind::Return(None)), |_| {});
        k.wait(input, u32(4));
        k.for_("i", u32(0), u32(4), |k, i| {
            let i = k.get(i);
            k.op(Op::WritePage { tensor: dst, page: add(page.clone(), i.clone()), cb: input, index: i });
        });
        k.op(Op::WritesFlushed);
        k.pop(input, u32(4));
    });
    k.kernel(Role::Writer, Vec::new())
}

/// Ranges of every kind.
fn loops() -> Module {
    let mut k = FnBuilder::new("loops", 3);
    k.param("noc", Ty::Noc);
    let n = k.arg("n", Ty::U32, ParamKind::PerCore);
    let s = k.arg("s", Ty::Int(IntTy::I32), ParamKind::PerCore);
    let b = k.arg("b", Ty::Int(IntTy::U8), ParamKind::PerCore);
    let out = k.cb_out("out", BF16);
    let sum = k.let_("sum", u32(0));
    let (n, s, b) = (k.get(n), k.get(s), k.get(b));
    let i32s = |v| int(v, IntTy::I32);
    use Order::{Forward, RevThenStep, StepThenRev};
    let forms: Vec<(Expr, Expr, bool, Order, u64)> = vec![
        (u32(0), n.clone(), false, Forward, 1),
        (u32(2), add(n.clone(), u32(1)), false, Forward, 1),
        (u32(0), u32(64), false, Forward, 8),
        (u32(0), n.clone(), false, Forward, 8),
        (u32(1), u32(10), true, Forward, 1),
        (u32(1), n.clone(), true, Forward, 1),
        (u32(1), n.clone(), true, Forward, 3),
        (u32(0), n.clone(), false, RevThenStep, 1),
        (u32(0), n.clone(), false, RevThenStep, 3),
        (u32(0), n.clone(), false, StepThenRev, 3),
        (u32(0), n.clone(), true, RevThenStep, 1),
        (u32(0), n.clone(), true, StepThenRev, 3),
        (i32s(-4), s.clone(), false, Forward, 1),
        (i32s(-4), s.clone(), false, Forward, 3),
        (i32s(-4), s.clone(), true, Forward, 1),
        (i32s(-4), s.clone(), false, RevThenStep, 1),
        (i32s(-4), s, false, StepThenRev, 2),
        (int(0, IntTy::U8), b.clone(), true, Forward, 1),
        (int(0, IntTy::U8), b, false, RevThenStep, 5),
    ];
    for (start, end, inclusive, order, step) in forms {
        k.range("i", start, end, inclusive, order, step, |k, i| {
            let (old, i) = (k.get(sum), k.get(i));
            let i = if i.ty == Ty::U32 { i } else { cast(i, Ty::U32) };
            k.assign(sum, add(mul(old, u32(31)), i));
        });
    }
    // The body changes its copy of the variable and an outer bound.
    let bound = k.let_("bound", n.clone());
    let end = k.get(bound);
    k.range("i", u32(0), end, false, Forward, 1, |k, i| {
        let (i_now, old) = (k.get(i), k.get(sum));
        k.assign(i, mul(i_now.clone(), u32(2)));
        k.assign(bound, i_now.clone());
        k.assign(sum, add(old, i_now));
    });
    k.reserve(out, u32(1));
    let total = k.get(sum);
    k.if_(
        bin(BinOp::Eq, total, n),
        |k| {
            k.push(out, u32(1));
            k.stmt(StmtKind::Return(None));
        },
        |_| {},
    );
    k.push(out, u32(1));
    k.kernel(Role::Reader, Vec::new())
}

/// Scalars of every type and kind, and arithmetic on them.
fn scalars() -> Module {
    let mut k = FnBuilder::new("scalars", 3);
    k.param("noc", Ty::Noc);
    let out = k.cb_out("out", BF16);
    let kinds = [ParamKind::CompileTime, ParamKind::Common, ParamKind::PerCore];
    let types = [
        ("flag", Ty::Bool),
        ("a8", Ty::Int(IntTy::U8)),
        ("b8", Ty::Int(IntTy::I8)),
        ("a16", Ty::Int(IntTy::U16)),
        ("b16", Ty::Int(IntTy::I16)),
        ("a32", Ty::U32),
        ("b32", Ty::Int(IntTy::I32)),
        ("x", Ty::F32),
    ];
    let mut sum = None;
    for (at, kind) in kinds.into_iter().enumerate() {
        let mut all = Vec::new();
        for (name, ty) in &types {
            all.push(k.arg(&format!("{name}_{at}"), ty.clone(), kind));
        }
        for local in all {
            let value = k.get(local);
            let word = match value.ty {
                Ty::U32 => value,
                _ => cast(value, Ty::U32),
            };
            sum = Some(match sum {
                None => word,
                Some(sum) => add(sum, word),
            });
        }
    }
    let sum = k.let_("sum", sum.expect("some"));
    let total = k.get(sum);
    k.if_(
        bin(BinOp::Gt, total, query(Query::TileSize(out))),
        |k| {
            k.reserve(out, u32(1));
            k.push(out, u32(1));
        },
        |_| {},
    );
    k.kernel(Role::Reader, Vec::new())
}

/// Keywords, reserved names, shadowing, siblings, unused variables.
fn names() -> Module {
    let mut k = FnBuilder::new("kernel_main", 3);
    k.param("noc", Ty::Noc);
    let a = k.arg("int", Ty::U32, ParamKind::PerCore);
    let out = k.cb_out("cb_reserve_back", BF16);
    let value = k.get(a);
    let first = k.let_("tile", value);
    let value = k.get(first);
    let second = k.let_("tile", add(value, u32(1)));
    k.let_("unused", u32(7));
    k.let_("_ignored", u32(8));
    let value = k.get(second);
    for _ in 0..2 {
        k.for_("i", u32(0), value.clone(), |k, i| {
            let i = k.get(i);
            let inner = k.let_("tile", add(i, u32(1)));
            let inner = k.get(inner);
            k.reserve(out, inner.clone());
            k.push(out, inner);
        });
    }
    let late = k.local("template", Ty::U32);
    k.stmt(StmtKind::Let { local: late, init: None });
    k.if_(lt(value, u32(3)), |k| k.assign(late, u32(1)), |k| k.assign(late, u32(2)));
    let value = k.get(late);
    k.reserve(out, value.clone());
    k.push(out, value);
    k.kernel(Role::Reader, Vec::new())
}

/// A reader with device functions: arithmetic, a lent guard with an accessor, two instances of one generic.
fn device_functions() -> Module {
    let mut f = FnBuilder::new("clamp", 3).ret(Ty::U32);
    let x = f.param("x", Ty::U32);
    let max = f.param("max", Ty::U32);
    let (x, max) = (f.get(x), f.get(max));
    f.if_(
        bin(BinOp::Gt, x.clone(), max.clone()),
        |f| f.stmt(StmtKind::Return(Some(max))),
        |f| f.stmt(StmtKind::Return(Some(x))),
    );
    let (clamp, _) = f.finish();

    let fill = |n: u32, line| {
        let mut f = FnBuilder::new("fill", line).generics(&["bf16", &n.to_string()]);
        f.param("noc", Ty::reference(false, Ty::Noc));
        let src = f.param("src", Ty::reference(false, Ty::TensorAccessor(BF16)));
        let page = f.param("page", Ty::U32);
        let block = f.param("block", Ty::reference(true, Ty::Reserved(BF16)));
        let page = f.get(page);
        f.for_("i", u32(0), u32(n), |f, i| {
            let i = f.get(i);
            f.op(Op::ReadPage { tensor: src, page: add(page.clone(), i.clone()), cb: block, index: i });
        });
        f.op(Op::ReadBarrier);
        f.finish().0
    };

    let mut k = FnBuilder::new("read", 20);
    let noc = k.param("noc", Ty::Noc);
    let src = k.tensor("src", BF16);
    let out = k.cb_out("out", BF16);
    let first = k.arg("first", Ty::U32, ParamKind::PerCore);
    let (noc, src, first) = (k.get(noc), k.get(src), k.get(first));
    for (callee, pages) in [(1, 4), (2, 8)] {
        k.reserve(out, u32(pages));
        let page = call(FnId(0), vec![first.clone(), u32(100)], Ty::U32);
        let guard = Expr { ty: Ty::reference(true, Ty::Reserved(BF16)), kind: ExprKind::Local(out) };
        let args = vec![noc.clone(), src.clone(), page, guard];
        k.stmt(StmtKind::Eval(call(FnId(callee), args, Ty::Unit)));
        k.push(out, u32(pages));
    }
    k.kernel(Role::Reader, vec![clamp, fill(4, 10), fill(8, 10)])
}

/// A compute kernel whose tile work is in a device function with guards.
fn compute_function() -> Module {
    let mut f = FnBuilder::new("scale", 3);
    f.param("compute", Ty::reference(false, Ty::Compute));
    let x = f.param("x", Ty::reference(false, Ty::Front(BF16)));
    let w = f.param("w", Ty::reference(false, Ty::Front(BF16)));
    let y = f.param("y", Ty::reference(true, Ty::Reserved(BF16)));
    f.store(y, u32(1), &[x, w], false, |d| {
        let (x, w) = (d.leaf(0), d.leaf(1));
        d.bin(BinaryOp::Mul, x, w)
    });
    let (scale, _) = f.finish();

    let mut k = FnBuilder::new("compute", 12);
    let token = k.param("compute", Ty::Compute);
    let x = k.cb_in("x", BF16);
    let w = k.cb_in("w", BF16);
    let y = k.cb_out("y", BF16);
    let n = k.arg("n", Ty::U32, ParamKind::PerCore);
    let (token, n) = (k.get(token), k.get(n));
    k.wait(w, u32(1));
    k.for_("i", u32(0), n, |k, _| {
        k.wait(x, u32(1));
        k.reserve(y, u32(1));
        let guard = |cb, mutable, ty| Expr { ty: Ty::reference(mutable, ty), kind: ExprKind::Local(cb) };
        let args = vec![
            token,
            guard(x, false, Ty::Front(BF16)),
            guard(w, false, Ty::Front(BF16)),
            guard(y, true, Ty::Reserved(BF16)),
        ];
        k.stmt(StmtKind::Eval(call(FnId(0), args, Ty::Unit)));
        k.push(y, u32(1));
        k.pop(x, u32(1));
    });
    k.pop(w, u32(1));
    k.kernel(Role::Compute, vec![scale])
}
