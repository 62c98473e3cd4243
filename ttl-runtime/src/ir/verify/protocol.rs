//! Guards and tile registers on every path, as far as the structure of the code shows it.

use super::ops::{ends, name_of};
use super::{Checker, is_loop};
use crate::ir::{Expr, ExprKind, LocalId, Op, Stmt, StmtKind, Ty, visit};
use crate::ops::When;
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Registers {
    Free,
    /// Acquired: tile operations write them.
    Acquired,
    /// Committed: packs read them.
    Committed,
}

/// What is held at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Held {
    registers: Registers,
    /// Buffer ends with a live block.
    live: BTreeSet<LocalId>,
}

/// States that have to agree: at the loop's head for `continue`, behind the loop for `break`.
struct Loop {
    head: Held,
    breaks: Option<Held>,
}

impl Checker<'_, '_> {
    pub(super) fn protocol(&mut self) {
        let f = self.f;
        let mut entry = Held { registers: Registers::Free, live: BTreeSet::new() };
        for param in &f.params {
            let ty = &f.local(*param).ty;
            match ty.peeled() {
                Ty::Front(_) | Ty::Reserved(_) => {
                    entry.live.insert(*param);
                }
                Ty::TileRegs | Ty::Accumulator => entry.registers = Registers::Acquired,
                Ty::PackRegs => entry.registers = Registers::Committed,
                _ => {}
            }
        }
        // Guards that were lent are there at the end too; those that were given are not.
        let mut exit = entry.clone();
        for param in &f.params {
            let ty = &f.local(*param).ty;
            match ty {
                Ty::Front(_) | Ty::Reserved(_) => {
                    exit.live.remove(param);
                }
                Ty::TileRegs | Ty::PackRegs | Ty::Accumulator => {
                    exit.registers = Registers::Free;
                }
                _ => {}
            }
        }
        let mut held = Some(entry);
        self.held_in(&f.body, &mut held, &mut Vec::new(), &exit);
        if let Some(held) = held {
            self.line = f.body.last().map_or(f.line, |s| s.line);
            self.agree(&exit, &held, "at the end of the function");
        }
    }

    fn agree(&mut self, expected: &Held, found: &Held, place: &str) {
        if expected.registers != found.registers {
            self.fail(format!("tile registers are {:?} {place}, must be {:?}", found.registers, expected.registers));
        }
        let differ: Vec<String> = expected
            .live
            .symmetric_difference(&found.live)
            .map(|l| {
                let state = if found.live.contains(l) { "still" } else { "no longer" };
                format!("`{}` is {state} held", self.f.local(*l).name)
            })
            .collect();
        if !differ.is_empty() {
            self.fail(format!("{} {place}", differ.join(", ")));
        }
    }

    fn held_in(&mut self, block: &[Stmt], held: &mut Option<Held>, loops: &mut Vec<Loop>, exit: &Held) {
        for stmt in block {
            let Some(now) = held else { return };
            self.line = stmt.line;
            visit::stmt_calls(stmt, &mut |call| {
                let callee = self.module.function(call.callee);
                for (param, arg) in callee.params.iter().zip(call.args) {
                    given(&callee.local(*param).ty, arg, now);
                }
            });
            match &stmt.kind {
                StmtKind::Op(op) => self.held_op(op, now),
                StmtKind::If { then, els, .. } => {
                    let mut other = held.clone();
                    self.held_in(then, held, loops, exit);
                    self.held_in(els, &mut other, loops, exit);
                    self.line = stmt.line;
                    match (&held, &other) {
                        (Some(a), Some(b)) => self.agree(a, b, "after one branch only"),
                        (None, Some(_)) => *held = other,
                        _ => {}
                    }
                }
                kind if is_loop(kind) => {
                    let before = now.clone();
                    loops.push(Loop { head: before.clone(), breaks: None });
                    for body in visit::blocks_of(stmt) {
                        self.held_in(body, held, loops, exit);
                    }
                    self.line = stmt.line;
                    if let Some(end) = held {
                        self.agree(&before, end, "after a round of the loop");
                    }
                    let broken = loops.pop().and_then(|l| l.breaks);
                    let endless = matches!(kind, StmtKind::Loop { .. });
                    if let (false, Some(broken)) = (endless, &broken) {
                        self.agree(&before, broken, "at a `break`");
                    }
                    *held = if endless { broken } else { Some(before) };
                }
                StmtKind::Block(body) => self.held_in(body, held, loops, exit),
                StmtKind::Break => {
                    let now = held.take();
                    if let (Some(now), Some(around)) = (now, loops.last_mut()) {
                        match around.breaks.clone() {
                            Some(other) => self.agree(&other, &now, "at a `break`"),
                            None => around.breaks = Some(now),
                        }
                    }
                }
                StmtKind::Continue => {
                    if let (Some(now), Some(around)) = (held.take(), loops.last()) {
                        let head = around.head.clone();
                        self.agree(&head, &now, "at a `continue`");
                    }
                }
                StmtKind::Return(_) => {
                    if let Some(now) = held.take() {
                        self.agree(exit, &now, "at a `return`");
                    }
                }
                _ => {}
            }
        }
    }

    fn held_op(&mut self, op: &Op, held: &mut Held) {
        let name = |me: &Self, l: &LocalId| me.f.local(*l).name.clone();
        match op {
            Op::ReserveBack { cb, .. } | Op::WaitFront { cb, .. } => {
                if !held.live.insert(*cb) {
                    let message = format!("a second block of `{}` is taken", name(self, cb));
                    self.fail(message);
                }
            }
            Op::PushBack { cb, .. } | Op::PopFront { cb, .. } | Op::KeepFront { cb } => {
                if !held.live.remove(cb) {
                    let message = format!("`{}` is released but not held", name(self, cb));
                    self.fail(message);
                }
            }
            _ => {
                let sent = match op {
                    Op::SendPages { src, dst, .. } => vec![*src, *dst],
                    Op::PipeSend(send) => vec![send.src, send.dst],
                    Op::Call(call) => call.guards().collect(),
                    _ => Vec::new(),
                };
                for cb in ends(op).into_iter().map(|(cb, _)| cb).chain(sent) {
                    if !held.live.contains(&cb) {
                        let message = format!("{} of `{}`, which is not held", name_of(op), name(self, &cb));
                        self.fail(message);
                    }
                }
            }
        }
        let (needs, leaves) = match op {
            Op::Acquire | Op::Zeros { .. } => (Registers::Free, Registers::Acquired),
            Op::Commit => (Registers::Acquired, Registers::Committed),
            Op::Release => (Registers::Committed, Registers::Free),
            Op::CopyTile { .. }
            | Op::BinaryTiles { .. }
            | Op::ReuseDest { .. }
            | Op::MatmulTiles { .. }
            | Op::MatmulBlock { .. }
            | Op::Accumulate(_)
            | Op::Unary { .. }
            | Op::CopyRegs { .. }
            | Op::BinaryRegs { .. }
            | Op::TernaryRegs { .. } => (Registers::Acquired, Registers::Acquired),
            Op::Tile(t) => match t.call.when() {
                When::Always => return,
                When::Free => (Registers::Free, Registers::Free),
                When::Acquired => (Registers::Acquired, Registers::Acquired),
                When::Packing => (Registers::Committed, Registers::Committed),
            },
            Op::PackTile { .. } => (Registers::Committed, Registers::Committed),
            Op::Store(s) if s.acquired => (Registers::Acquired, Registers::Free),
            Op::Store(_) => (Registers::Free, Registers::Free),
            _ => return,
        };
        if needs == Registers::Free && held.registers != needs {
            // Two sections at a time, which the types do not exclude; all else they do.
            let now = if held.registers == Registers::Acquired { "computed" } else { "packed" };
            let message = format!("the tile registers are taken here while those of a section before are still {now}");
            self.mistake(
                message,
                "commit, pack and release the section first; stores of blocks and `zeros` are sections of their own",
            );
        } else if held.registers != needs {
            self.fail(format!("{} while the tile registers are {:?}, must be {needs:?}", name_of(op), held.registers));
        }
        held.registers = leaves;
    }
}

/// A guard or register state that a call takes: the parameter is the value, not a reference to it.
fn given(param: &Ty, arg: &Expr, held: &mut Held) {
    match (param, &arg.kind) {
        (Ty::Front(_) | Ty::Reserved(_), ExprKind::Local(l)) => {
            held.live.remove(l);
        }
        (Ty::TileRegs | Ty::PackRegs | Ty::Accumulator, _) => held.registers = Registers::Free,
        _ => {}
    }
}
