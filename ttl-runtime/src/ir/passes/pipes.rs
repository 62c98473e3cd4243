//! The handshake of pipes.
//!
//! ```text
//! sender                                              each receiver
//! wait until `ready` counts all receivers             reset `valid`
//! reset `ready`                                       add 1 to `ready` of the sender
//! multicast the block, wait until it has left         wait for `valid`
//! multicast `valid`
//! ```
//!
//! Data and flag go the same way, so the flag arrives behind the data. The data leaves the core before the flag is sent: on Blackhole
//! the flag could overtake it otherwise, and the block may be pushed then. The flag's word never changes on a sender, so nothing waits for
//! it. To one core the flag is an increment, which needs no word of the sender's.

use crate::ir::pipe::{Receive, Send, To};
use crate::ir::{BinOp, Block, Dest, Expr, Module, Op, Stmt, StmtKind};

pub fn expand(module: &mut Module) {
    for f in &mut module.fns {
        f.body = block(std::mem::take(&mut f.body));
    }
}

fn block(stmts: Block) -> Block {
    let mut out = Block::with_capacity(stmts.len());
    for Stmt { line, kind } in stmts {
        let mut op = |op| out.push(Stmt { line, kind: StmtKind::Op(op) });
        let kind = match kind {
            StmtKind::Op(Op::PipeSend(send)) => {
                self::send(*send).into_iter().for_each(op);
                continue;
            }
            StmtKind::Op(Op::PipeReceive(Receive { ready, valid, sender, cb: _, wait })) => {
                op(Op::SemaphoreSet { semaphore: valid, value: Expr::u32(0) });
                op(Op::SemaphoreInc { semaphore: ready, core: sender, value: Expr::u32(1) });
                if wait {
                    op(Op::SemaphoreWait { semaphore: valid, value: Expr::u32(1), min: false });
                }
                continue;
            }
            other => other.map_blocks(&mut block),
        };
        out.push(Stmt { line, kind });
    }
    out
}

fn send(send: Send) -> Vec<Op> {
    let Send { ready, valid, to, receivers, src, dst, pages } = send;
    let mut ops = vec![
        Op::SemaphoreWait { semaphore: ready, value: receivers.clone(), min: false },
        Op::SemaphoreSet { semaphore: ready, value: Expr::u32(0) },
    ];
    match to {
        To::Core(core) => ops.extend([
            Op::SendPages { src, dst, pages, to: Dest::Core(core) },
            Op::SemaphoreInc { semaphore: valid, core, value: Expr::u32(1) },
            Op::WritesFlushed,
        ]),
        To::Range { range, loopback } => {
            let with_sender = Expr::binary(BinOp::Add, receivers.clone(), Expr::u32(1));
            let num_dests = if loopback { with_sender } else { receivers.clone() };
            ops.extend([
                Op::SendPages { src, dst, pages, to: Dest::Many { range, num_dests, loopback } },
                Op::WritesFlushed,
                Op::SemaphoreSend {
                    semaphore: valid,
                    to: Dest::Many { range, num_dests: receivers, loopback: false },
                    flush: false,
                },
            ]);
            if loopback {
                // The sender's own copy has to be there before it is pushed.
                ops.push(Op::WriteBarrier);
            }
        }
    }
    ops
}
