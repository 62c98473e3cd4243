//! Which tensors a kernel moves through which circular buffers: what validation holds the sizes of their pages against.

use super::{ExprKind, FnId, LocalId, Module, Op, StmtKind, visit};
use std::collections::{BTreeSet, HashMap};

/// Pairs of parameters, by their positions: whole pages of the tensor go to or come from pages of the buffer. In ascending order.
pub fn pairs(module: &Module) -> Vec<(usize, usize)> {
    let Some(entry) = module.fns.len().checked_sub(1) else { return Vec::new() };
    let params: HashMap<LocalId, usize> = module.params.iter().enumerate().map(|(i, p)| (p.local, i)).collect();
    let mut found = BTreeSet::new();
    in_fn(module, FnId(entry as u32), params, &mut found);
    found.into_iter().collect()
}

/// `known`: which parameter of the kernel a local stands for.
fn in_fn(module: &Module, id: FnId, mut known: HashMap<LocalId, usize>, found: &mut BTreeSet<(usize, usize)>) {
    visit::each_stmt(&module.function(id).body, &mut |stmt| {
        match &stmt.kind {
            StmtKind::Let { local, init: Some(init) } => {
                if let ExprKind::Local(from) = init.kind
                    && let Some(&param) = known.get(&from)
                {
                    known.insert(*local, param);
                }
            }
            StmtKind::Op(Op::ReadPage { tensor, cb, .. } | Op::WritePage { tensor, cb, .. }) => {
                if let (Some(&tensor), Some(&cb)) = (known.get(tensor), known.get(cb)) {
                    found.insert((tensor, cb));
                }
            }
            _ => {}
        }
        visit::stmt_calls(stmt, &mut |call| {
            // Callees stand before their callers, so this ends.
            if call.callee.0 >= id.0 {
                return;
            }
            let params = &module.function(call.callee).params;
            let inner = params.iter().zip(call.args).filter_map(|(param, arg)| match arg.kind {
                ExprKind::Local(from) => Some((*param, *known.get(&from)?)),
                _ => None,
            });
            in_fn(module, call.callee, inner.collect(), found);
        });
    });
}
