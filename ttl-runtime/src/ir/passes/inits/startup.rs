//! Which buffers the kernel's start-up call names.

use crate::ir::passes::buffers::format_of;
use crate::ir::{ExprKind, FnId, Init, LocalId, Module, Op, StmtKind, visit};
use crate::tensor::format::DataFormat;
use std::collections::HashMap;

/// An operation of the matrix unit, with its operands in the kernel's own terms.
struct First {
    kind: Kind,
    a: LocalId,
    b: LocalId,
}

#[derive(PartialEq)]
enum Kind {
    Copy,
    Binary,
    Matmul,
}

/// The start-up call for a module, or `None` if it has no tile operations.
pub(super) fn startup(module: &Module) -> Option<Init> {
    let entry = module.fns.len().checked_sub(1)? as u32;
    let mut found = Found::default();
    found.walk(module, entry, &HashMap::new());
    let pack = found.pack;
    let Some(first) = found.ops.first() else {
        let out = pack?;
        return Some(Init::Startup { reverse: false, in0: out, in1: out, out });
    };
    let format = |l: LocalId| format_of(&module.entry().local(l).ty);
    let (mut in0, mut in1) = (first.a, first.b);
    // A copy needs one source register only. Set the other up for the first operation that needs it; and where the formats are the
    // same, name that operation's operands, as one would.
    if first.kind == Kind::Copy
        && let Some(pair) = found.ops.iter().find(|o| o.kind != Kind::Copy)
        && pair.kind == Kind::Binary
    {
        in1 = pair.b;
        if format(pair.a) == format(first.a) && format(first.a) != Some(DataFormat::F32) {
            in0 = pair.a;
        }
    }
    Some(Init::Startup { reverse: first.kind == Kind::Matmul, in0, in1, out: pack.unwrap_or(first.a) })
}

#[derive(Default)]
struct Found {
    ops: Vec<First>,
    pack: Option<LocalId>,
}

impl Found {
    /// Operations in program order, through calls. `map` gives the kernel's local for a parameter.
    fn walk(&mut self, module: &Module, at: u32, map: &HashMap<LocalId, LocalId>) {
        let is_entry = at as usize + 1 == module.fns.len();
        let of = |l: LocalId| {
            if is_entry { Some(l) } else { map.get(&l).copied() }
        };
        visit::each_stmt(&module.function(FnId(at)).body, &mut |stmt| {
            visit::stmt_calls(stmt, &mut |call| {
                let (callee, args) = (call.callee, call.args);
                // Callees stand before callers, so this ends.
                if callee.0 >= at {
                    return;
                }
                let params = &module.function(callee).params;
                let inner = params
                    .iter()
                    .zip(args)
                    .filter_map(|(p, a)| match a.kind {
                        ExprKind::Local(l) => Some((*p, of(l)?)),
                        _ => None,
                    })
                    .collect();
                self.walk(module, callee.0, &inner);
            });
            let StmtKind::Op(op) = &stmt.kind else { return };
            let (kind, a, b) = match op {
                Op::CopyTile { cb, .. } => (Kind::Copy, *cb, *cb),
                Op::ReuseDest { cb, .. } => (Kind::Copy, *cb, *cb),
                Op::BinaryTiles { a, b, .. } => (Kind::Binary, *a, *b),
                Op::MatmulTiles { a, b, .. } | Op::MatmulBlock { a, b, .. } => (Kind::Matmul, *a, *b),
                Op::Tile(t) => match t.sources() {
                    [Some(a), Some(b)] if a != b => (Kind::Binary, a, b),
                    [Some(a), _] => (Kind::Copy, a, a),
                    _ => return,
                },
                Op::PackTile { cb, .. } => {
                    self.pack = self.pack.or(of(*cb));
                    return;
                }
                _ => return,
            };
            if let (Some(a), Some(b)) = (of(a), of(b)) {
                self.ops.push(First { kind, a, b });
            }
        });
    }
}
