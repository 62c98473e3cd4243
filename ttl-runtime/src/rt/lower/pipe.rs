//! Ends of pipes: parameters of several values, and blocks that go through.

use super::Lower;
use super::value::{Pipe, PipeEnd, ResKind, Value};
use crate::ir::pipe::{self, Receive, Send, To};
use crate::ir::{Expr, LocalId, Op, Ty};
use ttl_skeleton as sk;

impl Pipe {
    /// In the order of [`pipe::parts`].
    pub(super) fn locals(self) -> Vec<LocalId> {
        let mut locals = vec![self.ready, self.valid, self.other];
        if let PipeEnd::Tx { receivers } = self.end {
            locals.push(receivers);
        }
        locals
    }
}

impl Lower<'_> {
    /// The parameters that an end of a pipe is.
    pub(super) fn pipe_param(&mut self, name: &str, ty: &Ty) -> Option<(Pipe, Vec<LocalId>)> {
        let parts = pipe::parts(ty)?;
        let params: Vec<LocalId> =
            parts.into_iter().map(|p| self.new_local(&format!("{name}{}", p.suffix), p.ty, false)).collect();
        let &[ready, valid, other, ref rest @ ..] = params.as_slice() else { return None };
        let end = match (ty.peeled(), rest) {
            (Ty::PipeTx, &[receivers]) => PipeEnd::Tx { receivers },
            (Ty::UnicastTx, _) => PipeEnd::UnicastTx,
            _ => PipeEnd::Rx,
        };
        Some((Pipe { ready, valid, other, end }, params))
    }

    pub(super) fn pipe_method(&mut self, pipe: Pipe, name: &str, args: &[sk::Expr]) -> Value {
        // rustc has seen to the types; without a value the error is reported already.
        self.try_pipe(pipe, name, args).unwrap_or(Value::Never)
    }

    fn try_pipe(&mut self, pipe: Pipe, name: &str, args: &[sk::Expr]) -> Option<Value> {
        match (pipe.end, name, args) {
            (PipeEnd::Tx { receivers }, "receivers", []) => Some(Value::Scalar(self.read(receivers))),
            (PipeEnd::Tx { .. }, "send_loopback", [_, src, dst]) => {
                let (src, pages) = self.sent_block(src)?;
                let dst = self.guard_cb(dst)?;
                Some(self.through(pipe, (src, dst), pages, true))
            }
            (PipeEnd::Tx { .. } | PipeEnd::UnicastTx, "send", [_, src]) => {
                let (src, pages) = self.sent_block(src)?;
                Some(self.through(pipe, (src, src), pages, false))
            }
            (PipeEnd::Tx { .. } | PipeEnd::UnicastTx, "send_to", [_, src, dst]) => {
                let (src, pages) = self.sent_block(src)?;
                let dst = self.guard_cb(dst)?;
                Some(self.through(pipe, (src, dst), pages, false))
            }
            (PipeEnd::Rx, "receive", [_, block]) => {
                let cb = self.guard_cb(block)?;
                let Pipe { ready, valid, other: sender, .. } = pipe;
                Some(self.effect(Op::PipeReceive(Receive { ready, valid, sender, cb, wait: true })))
            }
            (PipeEnd::Rx, "announce", [_, block]) => {
                let cb = self.guard_cb(block)?;
                let Pipe { ready, valid, other: sender, .. } = pipe;
                self.op(Op::PipeReceive(Receive { ready, valid, sender, cb, wait: false }));
                Some(self.resource(ResKind::Arriving { valid }))
            }
            (PipeEnd::Tx { .. }, ..) => Some(self.no_method("PipeTx", name)),
            (PipeEnd::UnicastTx, ..) => Some(self.no_method("UnicastTx", name)),
            (PipeEnd::Rx, ..) => Some(self.no_method("PipeRx", name)),
        }
    }

    fn through(&mut self, pipe: Pipe, (src, dst): (LocalId, LocalId), pages: Expr, loopback: bool) -> Value {
        let Pipe { ready, valid, other, end } = pipe;
        let (to, receivers) = match end {
            PipeEnd::Tx { receivers } => (To::Range { range: other, loopback }, self.read(receivers)),
            PipeEnd::UnicastTx | PipeEnd::Rx => (To::Core(other), Expr::u32(1)),
        };
        self.effect(Op::PipeSend(Box::new(Send { ready, valid, to, receivers, src, dst, pages })))
    }
}
