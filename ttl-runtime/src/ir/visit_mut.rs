//! The operands of operations, to be changed.

use super::{Dest, Expr, Init, Leaf, Op};

/// As [`op_exprs`](super::visit::op_exprs).
pub fn op_exprs_mut(op: &mut Op, f: &mut dyn FnMut(&mut Expr)) {
    match op {
        Op::ReserveBack { pages, .. }
        | Op::PushBack { pages, .. }
        | Op::WaitFront { pages, .. }
        | Op::PopFront { pages, .. } => f(pages),
        Op::ReadPage { page, index, .. } | Op::WritePage { page, index, .. } => {
            f(page);
            f(index);
        }
        Op::WriteWord { word, value, .. } => {
            f(word);
            f(value);
        }
        Op::SendPages { pages, to, .. } => {
            f(pages);
            num_dests(to, f);
        }
        Op::SemaphoreSet { value, .. } | Op::SemaphoreWait { value, .. } | Op::SemaphoreInc { value, .. } => f(value),
        Op::SemaphoreSend { to, .. } => num_dests(to, f),
        Op::PipeSend(send) => {
            f(&mut send.pages);
            f(&mut send.receivers);
        }
        Op::Call(call) => call.exprs_mut().for_each(f),
        Op::KeepFront { .. }
        | Op::PipeReceive(_)
        | Op::ReadBarrier
        | Op::WriteBarrier
        | Op::WritesFlushed
        | Op::AtomicBarrier
        | Op::Acquire
        | Op::Commit
        | Op::Release => {}
        Op::CopyTile { tile, dst, .. } | Op::ReuseDest { tile, dst, .. } => {
            f(tile);
            f(dst);
        }
        Op::BinaryTiles { ia, ib, dst, .. } | Op::MatmulTiles { ia, ib, dst, .. } => {
            f(ia);
            f(ib);
            f(dst);
        }
        Op::MatmulBlock { ia, ib, dst, ct, rt, kt, .. } => [ia, ib, dst, ct, rt, kt].into_iter().for_each(f),
        Op::Tile(t) => t.args.iter_mut().for_each(f),
        Op::Unary { dst, words, .. } => {
            f(dst);
            words.iter_mut().for_each(f);
        }
        Op::TernaryRegs { operands, dst, words, .. } => {
            operands.iter_mut().for_each(&mut *f);
            f(dst);
            words.iter_mut().for_each(f);
        }
        Op::CopyRegs { src, dst } => {
            f(src);
            f(dst);
        }
        Op::BinaryRegs { a, b, dst, .. } => {
            f(a);
            f(b);
            f(dst);
        }
        Op::PackTile { dst, index, .. } => {
            f(dst);
            index.iter_mut().for_each(f);
        }
        Op::Store(s) => {
            f(&mut s.pages);
            shapes(&mut s.leaves, f);
            s.scalars.iter_mut().for_each(f);
        }
        Op::Zeros { shape } => shape.iter_mut().for_each(f),
        Op::Accumulate(s) => {
            shapes(&mut s.leaves, f);
            s.scalars.iter_mut().for_each(f);
        }
        Op::Init(Init::MatmulBlock { ct, rt, kt, .. }) => [ct, rt, kt].into_iter().for_each(f),
        Op::Init(Init::Unary(_, words)) => words.iter_mut().for_each(f),
        Op::Init(_) => {}
    }
}

fn num_dests(to: &mut Dest, f: &mut dyn FnMut(&mut Expr)) {
    if let Dest::Many { num_dests, .. } = to {
        f(num_dests);
    }
}

fn shapes(leaves: &mut [Leaf], f: &mut dyn FnMut(&mut Expr)) {
    for leaf in leaves {
        let (Leaf::Front { shape, .. } | Leaf::Acc { shape, .. }) = leaf;
        shape.iter_mut().for_each(&mut *f);
    }
}
