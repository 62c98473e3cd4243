//! Pipes: one sender, one or many receivers, and the handshake between them.
//!
//! A pipe has two semaphores, the same on all its cores: `ready`, counted up on the sender by each receiver that has room, and `valid`, set
//! on the receivers behind the data. In the IR an end of a pipe is several values ([`parts`]), each a parameter and a local of its own.

use super::{Block, Expr, ExprKind, FnId, LocalId, Module, Op, ParamKind, Stmt, StmtKind, Ty, visit};
use std::collections::BTreeMap;

/// One of the values that an end of a pipe is made of.
#[derive(Clone, Debug)]
pub struct Part {
    /// Behind the name of the parameter.
    pub suffix: &'static str,
    pub ty: Ty,
    pub kind: ParamKind,
}

/// What a parameter of this type is made of; `None` for one that is a single value.
pub fn parts(ty: &Ty) -> Option<Vec<Part>> {
    let part = |suffix, ty, kind| Part { suffix, ty, kind };
    let ready = part("_ready", Ty::Semaphore, ParamKind::Semaphore);
    let valid = part("_valid", Ty::Semaphore, ParamKind::Semaphore);
    match ty.peeled() {
        Ty::PipeTx => {
            let to = part("_to", Ty::CoreRange, ParamKind::PerCore);
            Some(vec![ready, valid, to, part("_receivers", Ty::U32, ParamKind::PerCore)])
        }
        Ty::UnicastTx => Some(vec![ready, valid, part("_to", Ty::Core, ParamKind::PerCore)]),
        Ty::PipeRx => Some(vec![ready, valid, part("_sender", Ty::Core, ParamKind::PerCore)]),
        _ => None,
    }
}

/// A block through a pipe.
#[derive(Clone, PartialEq, Debug)]
pub struct Send {
    pub ready: LocalId,
    pub valid: LocalId,
    pub to: To,
    /// Cores that must be ready: all but the sender.
    pub receivers: Expr,
    pub src: LocalId,
    /// The block whose place it goes to.
    pub dst: LocalId,
    pub pages: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    Core(LocalId),
    /// `loopback`: the sender gets it too.
    Range {
        range: LocalId,
        loopback: bool,
    },
}

impl To {
    pub const fn local(self) -> LocalId {
        match self {
            To::Core(local) | To::Range { range: local, .. } => local,
        }
    }
}

impl Send {
    pub const fn locals(&self) -> [LocalId; 5] {
        [self.ready, self.valid, self.to.local(), self.src, self.dst]
    }
}

/// A block out of a pipe, to a reserved block.
#[derive(Clone, PartialEq, Debug)]
pub struct Receive {
    pub ready: LocalId,
    pub valid: LocalId,
    pub sender: LocalId,
    pub cb: LocalId,
    /// Until the block is there; else only say that there is room.
    pub wait: bool,
}

impl Receive {
    pub const fn locals(&self) -> [LocalId; 4] {
        [self.ready, self.valid, self.sender, self.cb]
    }
}

/// The flags of the kernel's sending ends, set once: each is what receivers get, behind each block.
pub fn set_flags(module: &mut Module, flags: &[LocalId]) {
    let Some(entry) = module.fns.last_mut() else { return };
    let line = entry.line;
    let set = flags.iter().map(|&semaphore| {
        let kind = StmtKind::Op(Op::SemaphoreSet { semaphore, value: Expr::u32(1) });
        Stmt { line, kind }
    });
    entry.body.splice(0..0, set.collect::<Vec<_>>());
}

/// The circular buffers, by the kernel's parameter, whose blocks go through the pipe that has the kernel's parameter `ready`.
pub fn buffers(module: &Module, ready: LocalId) -> Vec<LocalId> {
    let Some(last) = module.fns.len().checked_sub(1) else { return Vec::new() };
    let own = module.params.iter().map(|p| (p.local, p.local)).collect();
    let mut search = Search { module, ready, found: Vec::new() };
    search.function(FnId(last as u32), &own);
    search.found.sort_unstable();
    search.found.dedup();
    search.found
}

struct Search<'a> {
    module: &'a Module,
    ready: LocalId,
    found: Vec<LocalId>,
}

/// What a function's locals are among the parameters of the kernel.
type Env = BTreeMap<LocalId, LocalId>;

impl Search<'_> {
    fn function(&mut self, id: FnId, env: &Env) {
        let module = self.module;
        let Some(f) = module.fns.get(id.0 as usize) else { return };
        self.block(&f.body, env);
    }

    fn block(&mut self, block: &Block, env: &Env) {
        visit::each_stmt(block, &mut |stmt| {
            let (ready, used) = match &stmt.kind {
                StmtKind::Op(Op::PipeSend(send)) => (send.ready, vec![send.dst]),
                StmtKind::Op(Op::PipeReceive(receive)) => (receive.ready, vec![receive.cb]),
                _ => {
                    visit::stmt_calls(stmt, &mut |call| {
                        let Some(callee) = self.module.fns.get(call.callee.0 as usize) else { return };
                        let given = callee.params.iter().zip(call.args).filter_map(|(param, arg)| match arg.kind {
                            ExprKind::Local(local) => Some((*param, *env.get(&local)?)),
                            _ => None,
                        });
                        let inner: Env = given.collect();
                        if inner.values().any(|l| *l == self.ready) {
                            self.function(call.callee, &inner);
                        }
                    });
                    return;
                }
            };
            if env.get(&ready) == Some(&self.ready) {
                self.found.extend(used.iter().filter_map(|l| env.get(l)));
            }
        });
    }
}
