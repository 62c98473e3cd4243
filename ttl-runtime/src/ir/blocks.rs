//! In which block sizes a kernel uses its circular buffers: what validation holds against their page counts.

use super::{Block, Expr, ExprKind, FnId, LocalId, Module, Op, StmtKind};

/// The literal page counts that the kernel waits for or reserves at a time on the buffer of parameter `param`, in ascending order. Counts that
/// are only known at run time are left out.
pub fn used(module: &Module, param: LocalId) -> Vec<u32> {
    let mut found = vec![];
    let entry = FnId(module.fns.len() as u32 - 1);
    in_fn(module, entry, param, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}

fn in_fn(module: &Module, id: FnId, cb: LocalId, found: &mut Vec<u32>) {
    if let Some(f) = module.fns.get(id.0 as usize) {
        in_block(module, &f.body, cb, found);
    }
}

fn in_block(module: &Module, block: &Block, cb: LocalId, found: &mut Vec<u32>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Op(Op::ReserveBack { cb: b, pages } | Op::WaitFront { cb: b, pages }) if *b == cb => {
                if let ExprKind::Int(n) = pages.kind
                    && let Ok(n) = u32::try_from(n)
                {
                    found.push(n);
                }
            }
            StmtKind::Let { init: Some(e), .. }
            | StmtKind::Assign { value: e, .. }
            | StmtKind::Set { value: e, .. }
            | StmtKind::Eval(e) => {
                in_calls(module, e, cb, found);
            }
            StmtKind::If { then, els, .. } => {
                in_block(module, then, cb, found);
                in_block(module, els, cb, found);
            }
            StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::Block(body) => {
                in_block(module, body, cb, found);
            }
            StmtKind::For(f) => in_block(module, &f.body, cb, found),
            _ => {}
        }
    }
}

/// Device functions that get the buffer.
fn in_calls(module: &Module, e: &Expr, cb: LocalId, found: &mut Vec<u32>) {
    match &e.kind {
        ExprKind::Call(id, args) => {
            for (i, arg) in args.iter().enumerate() {
                let callee = module.fns.get(id.0 as usize);
                if arg.kind == ExprKind::Local(cb)
                    && let Some(param) = callee.and_then(|f| f.params.get(i))
                {
                    in_fn(module, *id, *param, found);
                }
                in_calls(module, arg, cb, found);
            }
        }
        ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Cast(a) | ExprKind::Bits(a) | ExprKind::Field(a, _) => {
            in_calls(module, a, cb, found);
        }
        ExprKind::Struct(xs) | ExprKind::Array(xs) => xs.iter().for_each(|x| in_calls(module, x, cb, found)),
        ExprKind::Binary(_, a, b) => {
            in_calls(module, a, cb, found);
            in_calls(module, b, cb, found);
        }
        _ => {}
    }
}
