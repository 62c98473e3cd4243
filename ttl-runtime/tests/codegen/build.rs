//! Builds kernel IR by hand, so that passes and writer are tested without macros.

use ttl_runtime::arch::ComputeConfig;
use ttl_runtime::codegen::{ArgSlots, Lines, Options, emit};
use ttl_runtime::ir::dag::{Dag, Node, NodeId};
use ttl_runtime::ir::passes::{Prepared, Target, prepare};
use ttl_runtime::ir::verify::verify;
use ttl_runtime::ir::{
    Accumulate, BinOp, Block, Expr, ExprKind, Fn, FnId, For, IntTy, Leaf, Local, LocalId, Module, Op, Order, Param,
    ParamKind, Query, Role, Stmt, StmtKind, Store, Ty,
};
use ttl_runtime::ops::{BinaryOp, Pool, ReduceDim, UnaryOp};
use ttl_runtime::temps::Place;
use ttl_runtime::tensor::format::DataFormat;

pub(crate) const BF16: DataFormat = DataFormat::Bf16;
pub(crate) const F32: DataFormat = DataFormat::F32;
pub(crate) const FILE: &str = "kernels/demo.rs";

pub(crate) fn u32(value: u32) -> Expr {
    Expr::u32(value)
}

pub(crate) fn int(value: i64, ty: IntTy) -> Expr {
    Expr { ty: Ty::Int(ty), kind: ExprKind::Int(value) }
}

pub(crate) fn f32(value: f32) -> Expr {
    Expr { ty: Ty::F32, kind: ExprKind::F32(value) }
}

pub(crate) fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
    let comparison = matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge);
    Expr { ty: if comparison { Ty::Bool } else { a.ty.clone() }, kind: ExprKind::Binary(op, Box::new(a), Box::new(b)) }
}

pub(crate) fn add(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Add, a, b)
}

pub(crate) fn mul(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Mul, a, b)
}

pub(crate) fn lt(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Lt, a, b)
}

pub(crate) fn cast(x: Expr, ty: Ty) -> Expr {
    Expr { ty, kind: ExprKind::Cast(Box::new(x)) }
}

pub(crate) fn not(x: Expr) -> Expr {
    Expr { ty: x.ty.clone(), kind: ExprKind::Not(Box::new(x)) }
}

pub(crate) fn neg(x: Expr) -> Expr {
    Expr { ty: x.ty.clone(), kind: ExprKind::Neg(Box::new(x)) }
}

pub(crate) fn bits(x: Expr) -> Expr {
    let ty = if x.ty == Ty::F32 { Ty::U32 } else { Ty::F32 };
    Expr { ty, kind: ExprKind::Bits(Box::new(x)) }
}

pub(crate) fn query(query: Query) -> Expr {
    Expr { ty: Ty::U32, kind: ExprKind::Query(query) }
}

pub(crate) fn call(callee: FnId, args: Vec<Expr>, ty: Ty) -> Expr {
    Expr { ty, kind: ExprKind::Call(callee, args) }
}

/// A function under construction. Every statement stands on a line of its own unless `same_line` is used.
pub(crate) struct FnBuilder {
    f: Fn,
    params: Vec<Param>,
    blocks: Vec<Block>,
    line: u32,
    step: u32,
}

impl FnBuilder {
    pub(crate) fn new(name: &str, line: u32) -> FnBuilder {
        FnBuilder {
            f: Fn {
                name: name.to_owned(),
                generics: Vec::new(),
                file: FILE,
                line,
                locals: Vec::new(),
                params: Vec::new(),
                ret: Ty::Unit,
                body: Vec::new(),
                temps: Vec::new(),
            },
            params: Vec::new(),
            blocks: vec![Vec::new()],
            line: line + 1,
            step: 1,
        }
    }

    pub(crate) fn generics(mut self, generics: &[&str]) -> FnBuilder {
        self.f.generics = generics.iter().map(|g| (*g).to_owned()).collect();
        self
    }

    pub(crate) fn ret(mut self, ty: Ty) -> FnBuilder {
        self.f.ret = ty;
        self
    }

    pub(crate) fn local(&mut self, name: &str, ty: Ty) -> LocalId {
        self.f.locals.push(Local { name: name.to_owned(), ty, mutable: false });
        LocalId(self.f.locals.len() as u32 - 1)
    }

    pub(crate) fn param(&mut self, name: &str, ty: Ty) -> LocalId {
        let local = self.local(name, ty);
        self.f.params.push(local);
        local
    }

    /// A parameter of the kernel, with how its argument travels.
    pub(crate) fn arg(&mut self, name: &str, ty: Ty, kind: ParamKind) -> LocalId {
        let local = self.param(name, ty.clone());
        self.params.push(Param { name: name.to_owned(), ty, kind, local });
        local
    }

    pub(crate) fn cb_in(&mut self, name: &str, format: DataFormat) -> LocalId {
        self.arg(name, Ty::CbIn(format), ParamKind::Cb)
    }

    pub(crate) fn cb_out(&mut self, name: &str, format: DataFormat) -> LocalId {
        self.arg(name, Ty::CbOut(format), ParamKind::Cb)
    }

    pub(crate) fn tensor(&mut self, name: &str, format: DataFormat) -> LocalId {
        self.arg(name, Ty::TensorAccessor(format), ParamKind::Tensor)
    }

    pub(crate) fn get(&self, local: LocalId) -> Expr {
        Expr::local(local, self.f.locals[local.0 as usize].ty.clone())
    }

    pub(crate) fn stmt(&mut self, kind: StmtKind) {
        let line = self.line;
        self.line += self.step;
        self.blocks.last_mut().expect("a block").push(Stmt { line, kind });
    }

    pub(crate) fn op(&mut self, op: Op) {
        self.stmt(StmtKind::Op(op));
    }

    pub(crate) fn let_(&mut self, name: &str, value: Expr) -> LocalId {
        let local = self.local(name, value.ty.clone());
        self.stmt(StmtKind::Let { local, init: Some(value) });
        local
    }

    pub(crate) fn assign(&mut self, local: LocalId, value: Expr) {
        self.f.locals[local.0 as usize].mutable = true;
        self.stmt(StmtKind::Assign { local, value });
    }

    /// An assignment to a local that need not exist.
    pub(crate) fn assign_raw(&mut self, local: LocalId, value: Expr) {
        self.stmt(StmtKind::Assign { local, value });
    }

    /// The statements that `body` adds, as a block.
    pub(crate) fn block(&mut self, body: impl FnOnce(&mut FnBuilder)) -> Block {
        self.line += self.step;
        self.blocks.push(Vec::new());
        body(self);
        self.line += self.step;
        self.blocks.pop().expect("the block")
    }

    pub(crate) fn for_(&mut self, name: &str, start: Expr, end: Expr, body: impl FnOnce(&mut FnBuilder, LocalId)) {
        self.range(name, start, end, false, Order::Forward, 1, body);
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn range(
        &mut self,
        name: &str,
        start: Expr,
        end: Expr,
        inclusive: bool,
        order: Order,
        step: u64,
        body: impl FnOnce(&mut FnBuilder, LocalId),
    ) {
        let local = self.local(name, start.ty.clone());
        let line = self.line;
        let body = self.block(|b| body(b, local));
        let kind = StmtKind::For(Box::new(For { local, start, end, inclusive, order, step, body }));
        self.blocks.last_mut().expect("a block").push(Stmt { line, kind });
    }

    pub(crate) fn if_(&mut self, cond: Expr, then: impl FnOnce(&mut FnBuilder), els: impl FnOnce(&mut FnBuilder)) {
        let line = self.line;
        let then = self.block(then);
        let els = self.block(els);
        let kind = StmtKind::If { cond, then, els };
        self.blocks.last_mut().expect("a block").push(Stmt { line, kind });
    }

    pub(crate) fn while_(&mut self, cond: Expr, body: impl FnOnce(&mut FnBuilder)) {
        let line = self.line;
        let body = self.block(body);
        let kind = StmtKind::While { cond, body };
        self.blocks.last_mut().expect("a block").push(Stmt { line, kind });
    }

    pub(crate) fn loop_(&mut self, body: impl FnOnce(&mut FnBuilder)) {
        let line = self.line;
        let body = self.block(body);
        self.blocks.last_mut().expect("a block").push(Stmt { line, kind: StmtKind::Loop { body } });
    }

    pub(crate) fn wait(&mut self, cb: LocalId, pages: Expr) {
        self.op(Op::WaitFront { cb, pages });
    }

    pub(crate) fn pop(&mut self, cb: LocalId, pages: Expr) {
        self.op(Op::PopFront { cb, pages });
    }

    pub(crate) fn reserve(&mut self, cb: LocalId, pages: Expr) {
        self.op(Op::ReserveBack { cb, pages });
    }

    pub(crate) fn push(&mut self, cb: LocalId, pages: Expr) {
        self.op(Op::PushBack { cb, pages });
    }

    /// `out.store(expression)`; `acc` says that leaf 0 is the accumulator and `inputs` follow it.
    pub(crate) fn store(
        &mut self,
        out: LocalId,
        pages: Expr,
        inputs: &[LocalId],
        acc: bool,
        expression: impl FnOnce(&mut DagBuilder) -> NodeId,
    ) {
        let mut dag = DagBuilder::default();
        let root = expression(&mut dag);
        dag.0.root = Some(root);
        let mut leaves = Vec::new();
        if acc {
            leaves.push(Leaf::Acc { shape: [u32(1), pages.clone()], place: Place::default() });
        }
        leaves.extend(inputs.iter().map(|cb| Leaf::Front { cb: *cb, shape: [u32(1), pages.clone()] }));
        self.op(Op::Store(Box::new(Store {
            cb: out,
            pages,
            dag: dag.0,
            leaves,
            scalars: vec![],
            acquired: acc,
            adds: false,
        })));
    }

    /// `acc += a.block(rt, kt).matmul(b.block(kt, ct))`.
    pub(crate) fn matmul_acc(&mut self, [a, b]: [LocalId; 2], [rt, kt, ct]: [Expr; 3]) {
        let mut dag = DagBuilder::default();
        let (acc, left, right) = (dag.leaf(0), dag.leaf(1), dag.leaf(2));
        let product = dag.0.add(Node::Matmul(left, right));
        dag.0.root = Some(dag.bin(BinaryOp::Add, acc, product));
        let leaves = vec![
            Leaf::Acc { shape: [rt.clone(), ct.clone()], place: Place::default() },
            Leaf::Front { cb: a, shape: [rt, kt.clone()] },
            Leaf::Front { cb: b, shape: [kt, ct] },
        ];
        self.op(Op::Accumulate(Box::new(Accumulate { dag: dag.0, leaves, scalars: vec![] })));
    }

    pub(crate) fn finish(mut self) -> (Fn, Vec<Param>) {
        self.f.body = self.blocks.pop().expect("the body");
        (self.f, self.params)
    }

    pub(crate) fn kernel(self, role: Role, callees: Vec<Fn>) -> Module {
        let (f, params) = self.finish();
        let mut name = f.name.clone();
        if !f.generics.is_empty() {
            name += &format!("<{}>", f.generics.join(", "));
        }
        let mut fns = callees;
        fns.push(f);
        Module { name, role, fns, params }
    }
}

#[derive(Default)]
pub(crate) struct DagBuilder(Dag);

impl DagBuilder {
    pub(crate) fn leaf(&mut self, n: u32) -> NodeId {
        self.0.add(Node::Leaf(n))
    }
    pub(crate) fn un(&mut self, op: UnaryOp, x: NodeId) -> NodeId {
        self.0.add(Node::Unary(op, x, ttl_runtime::ir::dag::Words::NONE))
    }
    pub(crate) fn sum_row(&mut self, x: NodeId) -> NodeId {
        self.0.add(Node::Reduce(Pool::Sum, ReduceDim::Row, x))
    }
    pub(crate) fn bin(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> NodeId {
        self.0.add(Node::pair(op, a, b))
    }
}

pub(crate) fn wide() -> ComputeConfig {
    ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() }
}

pub(crate) fn prepared(module: &Module, config: &ComputeConfig, cb_ids: &[u32]) -> Prepared {
    let verified = verify(module).unwrap_or_else(|errors| {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", all.join("\n"))
    });
    prepare(verified, &Target { config, cb_ids }).unwrap_or_else(|e| panic!("{e}"))
}

/// The text without `#line`.
pub(crate) fn text(module: &Module, config: &ComputeConfig) -> String {
    text_with(module, config, &[], Lines::None)
}

pub(crate) fn text_with(module: &Module, config: &ComputeConfig, cb_ids: &[u32], lines: Lines) -> String {
    let prepared = prepared(module, config, cb_ids);
    let options = Options { lines };
    emit(&prepared, &ArgSlots::of(module), &options).unwrap_or_else(|e| panic!("{e}")).text
}
