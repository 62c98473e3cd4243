//! Device operations as calls of the kernel API.

use super::expr::fold;
use super::function::Printer;
use super::metalium_0_81 as api;
use crate::ir::{Dest, Expr, ExprKind, Init, LocalId, Op, Ty};
use crate::ops::{BINARY_FPU_HEADER, with_register_format};

impl Printer<'_> {
    /// The words of the first page of a block.
    pub(super) fn words(&mut self, pointer: &str, cb: LocalId) -> String {
        format!("reinterpret_cast<volatile tt_l1_ptr uint32_t*>({pointer}({}))", self.name(cb))
    }

    pub(super) fn op(&mut self, op: &Op) {
        match op {
            Op::ReserveBack { cb, pages } => self.pages(api::RESERVE_BACK, *cb, pages),
            Op::PushBack { cb, pages } => self.pages(api::PUSH_BACK, *cb, pages),
            Op::WaitFront { cb, pages } => self.pages(api::WAIT_FRONT, *cb, pages),
            Op::PopFront { cb, pages } => self.pages(api::POP_FRONT, *cb, pages),
            Op::KeepFront { .. } => {}
            Op::ReadPage { tensor, page, cb, index } => {
                self.transfer(api::READ_PAGE, *tensor, page, api::WRITE_PTR, *cb, index)
            }
            Op::WritePage { tensor, page, cb, index } => {
                self.transfer(api::WRITE_PAGE, *tensor, page, api::READ_PTR, *cb, index)
            }
            Op::WriteWord { cb, word, value } => {
                let pointer = self.words(api::WRITE_PTR, *cb);
                let (word, value) = (self.text(word), self.text(value));
                self.out.code(&format!("{pointer}[{word}] = {value};"));
            }
            Op::ReadBarrier => self.call(api::READ_BARRIER, &[]),
            Op::WriteBarrier => self.call(api::WRITE_BARRIER, &[]),
            Op::WritesFlushed => self.call(api::WRITES_FLUSHED, &[]),
            Op::AtomicBarrier => self.call(api::ATOMIC_BARRIER, &[]),
            Op::SendPages { src, dst, pages, to } => self.send(*src, *dst, pages, to),
            Op::SemaphoreSet { semaphore, value } => {
                let args = [self.semaphore_word(*semaphore), self.text(value)];
                self.call(api::SEMAPHORE_SET, &args);
            }
            Op::SemaphoreWait { semaphore, value, min } => {
                let args = [self.semaphore_word(*semaphore), self.text(value)];
                self.call(if *min { api::SEMAPHORE_WAIT_MIN } else { api::SEMAPHORE_WAIT }, &args);
            }
            Op::SemaphoreInc { semaphore, core, value } => {
                let args = [format!("{} | {}", self.name(*core), self.name(*semaphore)), self.text(value)];
                self.call(api::SEMAPHORE_INC, &args);
            }
            Op::Call(call) => {
                let text = self.api_call(call);
                self.called_row(call);
                self.out.code(&format!("{text};"));
            }
            Op::SemaphoreSend { semaphore, to, flush } => self.send_semaphore(*semaphore, to, *flush),
            Op::Acquire => self.call(api::ACQUIRE, &[]),
            Op::Commit => {
                self.call(api::COMMIT, &[]);
                self.call(api::WAIT, &[]);
            }
            Op::Release => self.call(api::RELEASE, &[]),
            Op::CopyTile { cb, tile, dst } => {
                self.headers.insert(api::COPY_HEADER);
                let args = [self.name(*cb), self.text(tile), self.text(dst)];
                self.call(api::COPY_TILE, &args);
            }
            Op::BinaryTiles { op, a, b, ia, ib, dst } => {
                self.headers.insert(BINARY_FPU_HEADER);
                let args = self.pair(*a, *b, [ia, ib, dst]);
                self.call(op.fpu().call, &args);
            }
            Op::ReuseDest { op, reversed, cb, tile, dst } => {
                self.headers.insert(BINARY_FPU_HEADER);
                let call = reuse(op.fpu().reuse_call, *reversed);
                let args = [self.name(*cb), self.text(tile), self.text(dst)];
                self.call(&call, &args);
            }
            Op::MatmulTiles { a, b, ia, ib, dst } => {
                self.headers.insert(api::MATMUL_HEADER);
                let args = self.pair(*a, *b, [ia, ib, dst]);
                self.call(api::MATMUL_TILES, &args);
            }
            Op::MatmulBlock { a, b, transposed, ia, ib, dst, ct, rt, kt } => {
                self.headers.insert(api::MATMUL_HEADER);
                let mut args = self.pair(*a, *b, [ia, ib, dst]);
                args.push(u32::from(*transposed).to_string());
                args.extend([ct, rt, kt].map(|e| self.text(e)));
                self.call(api::MATMUL_BLOCK, &args);
            }
            Op::Tile(op) => self.tile_op(op),
            Op::Unary { op, dst, words } => {
                self.headers.insert(op.row().header);
                let mut args = vec![self.text(dst)];
                args.extend(op.row().extra.map(str::to_owned));
                args.extend(words.iter().skip(op.row().init_words).map(|w| self.word(w)));
                self.tile_call(op.row().call, &args);
            }
            Op::CopyRegs { src, dst } => {
                self.headers.insert(api::COPY_REGS_HEADER);
                let format =
                    if self.config.fp32_dest_acc { api::COPY_REGS_FORMAT_32 } else { api::COPY_REGS_FORMAT_16 };
                let args = [self.text(src), self.text(dst)];
                self.call(&format!("{}<{format}>", api::COPY_REGS), &args);
            }
            Op::BinaryRegs { op, a, b, dst, words } => {
                let row = op.row();
                self.headers.insert(row.header);
                let mut args = vec![self.text(a), self.text(b)];
                if !row.adjacent {
                    args.push(self.text(dst));
                }
                args.extend(row.extra.map(str::to_owned));
                args.extend(words.iter().skip(row.init_words).map(|w| self.word(w)));
                self.tile_call(op.row().call, &args);
            }
            Op::TernaryRegs { op, operands, dst, words } => {
                self.headers.insert(op.row().header);
                let mut args: Vec<String> = operands.iter().chain([dst]).map(|e| self.text(e)).collect();
                args.extend(words.iter().map(|w| self.word(w)));
                self.tile_call(op.row().call, &args);
            }
            Op::PackTile { dst, cb, index } => {
                let mut args = vec![self.text(dst), self.name(*cb)];
                let call = match index {
                    Some(index) => {
                        args.push(self.text(index));
                        api::PACK_TILE_AT
                    }
                    None => api::PACK_TILE,
                };
                self.call(call, &args);
            }
            Op::Init(init) => self.set_up(|me| me.init(init)),
            // The passes leave none of these.
            Op::Store(_) | Op::Zeros { .. } | Op::Accumulate(_) | Op::PipeSend(_) | Op::PipeReceive(_) => {}
        }
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Startup { reverse, in0, in1, out } => {
                let call = if *reverse { api::STARTUP_REVERSE } else { api::STARTUP };
                let mut args = [*in0, *in1, *out].map(|l| self.name(l)).to_vec();
                if in0 == in1 && !reverse {
                    args.remove(1);
                }
                self.call(call, &args);
                self.rows_from_registers(*out);
            }
            Init::Copy { cb } => {
                self.headers.insert(api::COPY_HEADER);
                let args = [self.name(*cb)];
                self.call(api::COPY_INIT, &args);
            }
            Init::Binary { op, a, b } => {
                self.headers.insert(BINARY_FPU_HEADER);
                let args = self.pair(*a, *b, []);
                self.call(op.fpu().init, &args);
            }
            Init::ReuseDest { op, reversed, cb } => {
                self.headers.insert(BINARY_FPU_HEADER);
                let args = [self.name(*cb)];
                self.call(&reuse(op.fpu().reuse_init, *reversed), &args);
            }
            Init::Matmul { a, b } => {
                self.headers.insert(api::MATMUL_HEADER);
                let args = self.pair(*a, *b, []);
                self.call(api::MATMUL_INIT, &args);
            }
            Init::MatmulBlock { a, b, transposed, ct, rt, kt } => {
                self.headers.insert(api::MATMUL_HEADER);
                let mut args = self.pair(*a, *b, []);
                args.push(u32::from(*transposed).to_string());
                args.extend([ct, rt, kt].map(|e| self.text(e)));
                self.call(api::MATMUL_BLOCK_INIT, &args);
            }
            Init::Tile(init) => self.tile_init(init),
            Init::Undo(call) => self.tile_undo(*call),
            Init::L1Acc(on) => self.call(api::PACK_L1_ACC, &[u32::from(*on).to_string()]),
            Init::Unary(op, words) => {
                self.headers.insert(op.row().header);
                let args: Vec<String> = words.iter().map(|w| self.word(w)).collect();
                self.tile_call(op.row().init, &args);
            }
            Init::BinaryRegs(op, words) => {
                self.headers.insert(op.row().header);
                let args: Vec<String> = words.iter().map(|w| self.word(w)).collect();
                self.tile_call(op.row().init, &args);
            }
            Init::TernaryRegs(op) => {
                self.headers.insert(op.row().header);
                self.tile_call(op.row().init, &[]);
            }
            Init::CopyRegs => {
                self.headers.insert(api::COPY_REGS_HEADER);
                self.call(api::COPY_REGS_INIT, &[]);
            }
            Init::Reconfig { srca, srcb } => match (srca, srcb) {
                (Some(a), Some(b)) => {
                    let args = self.pair(*a, *b, []);
                    self.call(api::RECONFIG, &args);
                }
                (Some(a), None) => {
                    let args = [self.name(*a)];
                    self.call(api::RECONFIG_SRCA, &args);
                }
                (None, Some(b)) => {
                    let args = [self.name(*b)];
                    self.call(api::RECONFIG_SRCB, &args);
                }
                (None, None) => {}
            },
            Init::PackReconfig { cb } => {
                let args = [self.name(*cb)];
                self.call(api::PACK_RECONFIG, &args);
            }
        }
    }

    /// The word that a semaphore is.
    fn semaphore_word(&self, semaphore: LocalId) -> String {
        format!("reinterpret_cast<volatile tt_l1_ptr uint32_t*>({})", self.name(semaphore))
    }

    /// Pages to the same or another block of other cores, which is at the same address there.
    fn send(&mut self, src: LocalId, dst: LocalId, pages: &Expr, to: &Dest) {
        let pointer = |this: &Self, block: LocalId| {
            let waited = matches!(this.f.local(block).ty.peeled(), Ty::CbIn(_) | Ty::Front(_));
            format!("{}({})", if waited { api::READ_PTR } else { api::WRITE_PTR }, this.name(block))
        };
        let page = self.page_of(&self.name(src));
        let size = match fold(pages) {
            Some(1) => page,
            _ => format!("{} * {page}", self.factor(pages)),
        };
        let there = format!("{} | {}", self.name(to.local()), pointer(self, dst));
        let mut args = vec![pointer(self, src), there, size];
        args.extend(to.num_dests().map(|n| self.text(n)));
        let call = match to {
            Dest::Core(_) => api::WRITE,
            Dest::Many { loopback: false, .. } => api::WRITE_MULTICAST,
            Dest::Many { loopback: true, .. } => api::WRITE_MULTICAST_LOOPBACK,
        };
        self.call(call, &args);
    }

    fn send_semaphore(&mut self, semaphore: LocalId, to: &Dest, flush: bool) {
        if flush {
            self.out.directive(api::IF_BLACKHOLE);
            self.call(api::WRITES_FLUSHED, &[]);
            self.out.directive("#endif");
        }
        let name = self.name(semaphore);
        let mut args = vec![name.clone(), format!("{} | {name}", self.name(to.local()))];
        args.extend(to.num_dests().map(|n| self.text(n)));
        let call = match to {
            Dest::Core(_) => api::SEMAPHORE_SET_REMOTE,
            Dest::Many { loopback: false, .. } => api::SEMAPHORE_SET_MULTICAST,
            Dest::Many { loopback: true, .. } => api::SEMAPHORE_SET_MULTICAST_LOOPBACK,
        };
        self.call(call, &args);
    }

    /// A call of the table of operations.
    fn tile_call(&mut self, function: &str, args: &[String]) {
        let function = with_register_format(function, self.config.fp32_dest_acc);
        self.call(&function, args);
    }

    /// A word of such a call: the bits of a float constant with the constant beside.
    fn word(&mut self, word: &Expr) -> String {
        match &word.kind {
            ExprKind::Bits(x) => match &x.kind {
                ExprKind::F32(value) => format!("0x{:08x}u /* {value:?} */", value.to_bits()),
                _ => self.text(word),
            },
            _ => self.text(word),
        }
    }

    fn pages(&mut self, function: &str, cb: LocalId, pages: &Expr) {
        let args = [self.name(cb), self.text(pages)];
        self.call(function, &args);
    }

    /// Two buffers and further operands.
    fn pair<const N: usize>(&mut self, a: LocalId, b: LocalId, more: [&Expr; N]) -> Vec<String> {
        let mut args = vec![self.name(a), self.name(b)];
        args.extend(more.map(|e| self.text(e)));
        args
    }

    /// A page of a tensor to or from page `index` of a block.
    fn transfer(&mut self, function: &str, tensor: LocalId, page: &Expr, pointer: &str, cb: LocalId, index: &Expr) {
        let cb = self.name(cb);
        let mut address = format!("{pointer}({cb})");
        match fold(index) {
            Some(0) => {}
            Some(1) => address.push_str(&format!(" + {}", self.page_of(&cb))),
            _ => {
                let index = self.factor(index);
                address.push_str(&format!(" + {index} * {}", self.page_of(&cb)));
            }
        }
        let args = [self.text(page), self.name(tensor), address];
        self.call(function, &args);
    }
}

fn reuse(function: &str, reversed: bool) -> String {
    let way = if reversed { api::REUSE_AS_SECOND } else { api::REUSE_AS_FIRST };
    format!("{function}<{way}>")
}
