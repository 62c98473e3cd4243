//! Branches that are never taken: `if` on what is constant once const generics have their values.
//!
//! A C++ compiler would drop them as well; but the set-ups that their operations need must not be counted among those of the rest. Lowering leaves out
//! the branches that it sees to be dead (with `truth`), and the functions that only they call; what other passes make constant is left to this one.

use super::conditions::{simplify, truth};
use crate::ir::{Block, Module, Stmt, StmtKind, visit};

pub fn prune(module: &mut Module) {
    for f in &mut module.fns {
        visit::each_value_mut(&mut f.body, &mut |e| simplify(e));
        f.body = block(std::mem::take(&mut f.body));
    }
}

fn block(stmts: Block) -> Block {
    let mut out = Block::with_capacity(stmts.len());
    for Stmt { line, kind } in stmts {
        let kind = match kind {
            StmtKind::If { cond, then, els } => match truth(&cond) {
                Some(taken) => {
                    let taken = block(if taken { then } else { els });
                    // What it names keeps its scope.
                    if taken.iter().any(|s| matches!(s.kind, StmtKind::Let { .. })) {
                        out.push(Stmt { line, kind: StmtKind::Block(taken) });
                    } else {
                        out.extend(taken);
                    }
                    continue;
                }
                None => StmtKind::If { cond, then: block(then), els: block(els) },
            },
            other => other.map_blocks(&mut block),
        };
        out.push(Stmt { line, kind });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, Expr, ExprKind, Ty};

    fn eval(line: u32) -> Stmt {
        Stmt { line, kind: StmtKind::Eval(Expr::u32(line)) }
    }

    fn when(cond: Expr) -> Block {
        vec![Stmt { line: 1, kind: StmtKind::If { cond, then: vec![eval(2)], els: vec![eval(3)] } }]
    }

    fn bool_of(kind: ExprKind) -> Expr {
        Expr { ty: Ty::Bool, kind }
    }

    #[test]
    fn what_is_known_is_taken() {
        let yes = bool_of(ExprKind::Bool(true));
        let no = bool_of(ExprKind::Not(Box::new(yes.clone())));
        let less = bool_of(ExprKind::Binary(BinOp::Lt, Box::new(Expr::u32(3)), Box::new(Expr::u32(4))));
        let both = bool_of(ExprKind::Binary(BinOp::And, Box::new(less.clone()), Box::new(no.clone())));
        let lines = |cond: Expr| block(when(cond)).iter().map(|s| s.line).collect::<Vec<_>>();
        assert_eq!(lines(yes), [2]);
        assert_eq!(lines(no), [3]);
        assert_eq!(lines(less), [2]);
        assert_eq!(lines(both), [3]);
        let unknown = bool_of(ExprKind::Local(crate::ir::LocalId(0)));
        assert_eq!(block(when(unknown.clone())), when(unknown.clone()));
        let inside = vec![Stmt { line: 1, kind: StmtKind::Loop { body: when(bool_of(ExprKind::Bool(false))) } }];
        assert_eq!(block(inside), [Stmt { line: 1, kind: StmtKind::Loop { body: vec![eval(3)] } }]);
    }
}
