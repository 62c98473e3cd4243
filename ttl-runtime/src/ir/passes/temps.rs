//! Buffers that the compiler adds to a kernel: intermediate results of block expressions, and the scaler tiles of reductions.
//!
//! Both ends are in the kernel. They become parameters at its end, so that their ids reach it like those of other buffers, and parameters of the device
//! functions that need them. A buffer is known by what it is for ([`TempKey`]), not by where it is used: expressions that follow each other share theirs,
//! and the native run finds its buffers by the same key.

use super::PassError;
use super::buffers::Buffers;
use super::expand::{leaf_infos, needs_of};
use crate::arch::ComputeConfig;
use crate::ir::schedule;
use crate::ir::{Expr, ExprKind, FnId, LocalId, Module, Op, Param, ParamKind, Role, Stmt, StmtKind, Ty, visit};
use crate::site::Site;
use crate::temps::TempKey;

/// Adds the buffers that a compute kernel needs, as parameters at its end. Returns what they are, in their order.
pub fn add(module: &mut Module, buffers: &Buffers, config: &ComputeConfig) -> Result<Vec<TempKey>, PassError> {
    if module.role != Role::Compute || module.fns.is_empty() {
        return Ok(Vec::new());
    }
    // By function: callees stand before their callers.
    let mut needs: Vec<Vec<TempKey>> = Vec::with_capacity(module.fns.len());
    for at in 0..module.fns.len() as u32 {
        let mut own = own_needs(module, at, buffers, config)?;
        visit::each_stmt(&module.function(FnId(at)).body, &mut |stmt| {
            visit::stmt_calls(stmt, &mut |call| {
                for key in needs.get(call.callee.0 as usize).into_iter().flatten() {
                    if !own.contains(key) {
                        own.push(*key);
                    }
                }
            });
        });
        needs.push(own);
    }
    let entry = module.fns.len() - 1;
    for (at, keys) in needs.iter().enumerate() {
        let mut blocks = 0;
        for key in keys {
            let name = key.name(blocks);
            blocks += usize::from(name != "ones");
            let ty = Ty::CbIn(key.format());
            let f = &mut module.fns[at];
            let local = f.temp(*key).unwrap_or_else(|| {
                let local = f.add_local(&name, ty.clone());
                f.temps.push((*key, local));
                local
            });
            f.params.push(local);
            if at == entry {
                module.params.push(Param { name, ty, kind: ParamKind::Cb, local });
            }
        }
    }
    for at in 0..module.fns.len() {
        let temps = module.fns[at].temps.clone();
        let mut body = std::mem::take(&mut module.fns[at].body);
        pass_on(&mut body, &needs, &temps);
        module.fns[at].body = body;
    }
    Ok(needs.pop().unwrap_or_default())
}

fn own_needs(module: &Module, at: u32, buffers: &Buffers, config: &ComputeConfig) -> Result<Vec<TempKey>, PassError> {
    let f = module.function(FnId(at));
    // Accumulators in L1 have their locals already.
    let mut needs: Vec<TempKey> = f.temps.iter().map(|(key, _)| *key).collect();
    let mut error = None;
    visit::each_stmt(&f.body, &mut |stmt| {
        let (dag, leaves, pages) = match &stmt.kind {
            StmtKind::Op(Op::Store(s)) => (&s.dag, &s.leaves, s.pages.clone()),
            StmtKind::Op(Op::Accumulate(s)) => (&s.dag, &s.leaves, Expr::u32(1)),
            _ => return,
        };
        let site = Site { file: f.file, line: stmt.line, column: 0 };
        let found = leaf_infos(leaves, |cb| buffers.tile_format(module, at, cb), site).and_then(|infos| {
            let schedule = schedule::schedule(dag, &infos, config).map_err(|error| PassError::Plan { site, error })?;
            needs_of(&schedule, leaves, &pages, config.fp32_dest_acc, site)
        });
        match found {
            Ok(found) => {
                for key in found {
                    if !needs.contains(&key) {
                        needs.push(key);
                    }
                }
            }
            Err(e) => {
                error.get_or_insert(e);
            }
        }
    });
    match error {
        Some(error) => Err(error),
        None => Ok(needs),
    }
}

/// Gives each called function the buffers it needs.
fn pass_on(block: &mut [Stmt], needs: &[Vec<TempKey>], temps: &[(TempKey, LocalId)]) {
    visit::each_value_mut(block, &mut |e| {
        if let ExprKind::Call(callee, args) = &mut e.kind {
            for key in needs.get(callee.0 as usize).into_iter().flatten() {
                if let Some((_, local)) = temps.iter().find(|(k, _)| k == key) {
                    args.push(Expr::local(*local, Ty::CbIn(key.format())));
                }
            }
        }
    });
}
