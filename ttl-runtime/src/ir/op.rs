//! Operations of the device, block expressions and set-up calls.

use super::{Expr, LocalId, TileInit, TileOp, call, dag, pipe};
use crate::ops::{BinaryOp, TernaryOp, TileCall, UnaryOp};
use crate::temps::Place;

/// A device operation. Circular buffers and accessors are named by the local that holds them (a parameter of the function).
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    ReserveBack {
        cb: LocalId,
        pages: Expr,
    },
    PushBack {
        cb: LocalId,
        pages: Expr,
    },
    WaitFront {
        cb: LocalId,
        pages: Expr,
    },
    PopFront {
        cb: LocalId,
        pages: Expr,
    },
    /// The guard of a waited block ends and its pages stay: nothing in C++.
    KeepFront {
        cb: LocalId,
    },

    /// Page `page` of the tensor to page `index` of the reserved block.
    ReadPage {
        tensor: LocalId,
        page: Expr,
        cb: LocalId,
        index: Expr,
    },
    /// Page `index` of the waited block to page `page` of the tensor.
    WritePage {
        tensor: LocalId,
        page: Expr,
        cb: LocalId,
        index: Expr,
    },
    /// Word `word` of the reserved block.
    WriteWord {
        cb: LocalId,
        word: Expr,
        value: Expr,
    },
    ReadBarrier,
    WriteBarrier,
    WritesFlushed,
    AtomicBarrier,

    /// The first `pages` pages of block `src` (reserved or waited for) to the place of block `dst` in other cores.
    SendPages {
        src: LocalId,
        dst: LocalId,
        pages: Expr,
        to: Dest,
    },
    SemaphoreSet {
        semaphore: LocalId,
        value: Expr,
    },
    /// Until the semaphore is `value`, or with `min` at least that.
    SemaphoreWait {
        semaphore: LocalId,
        value: Expr,
        min: bool,
    },
    /// Adds to the semaphore of another core.
    SemaphoreInc {
        semaphore: LocalId,
        core: LocalId,
        value: Expr,
    },
    /// This core's value of the semaphore to other cores.
    SemaphoreSend {
        semaphore: LocalId,
        to: Dest,
        /// Data may still be on its way out of the core; on Blackhole it has to leave first. Found by `passes::barriers`.
        flush: bool,
    },

    /// A call of the kernel API for its effect.
    Call(Box<call::Call>),

    /// A block through a pipe, and one out of it. Expanded by `passes::pipes`.
    PipeSend(Box<pipe::Send>),
    PipeReceive(pipe::Receive),

    Acquire,
    /// `tile_regs_commit` and `tile_regs_wait`: math hands the registers over, pack takes them.
    Commit,
    Release,
    CopyTile {
        cb: LocalId,
        tile: Expr,
        dst: Expr,
    },
    /// Both operands in circular buffers. `Mul` adds to the register.
    BinaryTiles {
        op: BinaryOp,
        a: LocalId,
        b: LocalId,
        ia: Expr,
        ib: Expr,
        dst: Expr,
    },
    /// `dst = dst op tile` (`reversed`: `tile op dst`).
    ReuseDest {
        op: BinaryOp,
        reversed: bool,
        cb: LocalId,
        tile: Expr,
        dst: Expr,
    },
    MatmulTiles {
        a: LocalId,
        b: LocalId,
        ia: Expr,
        ib: Expr,
        dst: Expr,
    },
    /// One K-tile step of an rt x ct block: `dst[r*ct+c] += a[ia + r*kt] * b[ib + c]`, of the transposes of `b`'s tiles if so.
    MatmulBlock {
        a: LocalId,
        b: LocalId,
        transposed: bool,
        ia: Expr,
        ib: Expr,
        dst: Expr,
        ct: Expr,
        rt: Expr,
        kt: Expr,
    },
    /// Broadcasts, reductions, transpositions.
    Tile(TileOp),
    /// In place. `words` are those of the C++ calls, init first.
    Unary {
        op: UnaryOp,
        dst: Expr,
        words: Vec<Expr>,
    },
    /// Register `src` to register `dst`, bit for bit.
    CopyRegs {
        src: Expr,
        dst: Expr,
    },
    /// Registers `a op b` into `dst`. `words` are those of the C++ calls, init first.
    BinaryRegs {
        op: BinaryOp,
        a: Expr,
        b: Expr,
        dst: Expr,
        words: Vec<Expr>,
    },
    /// `op` of three registers into `dst`.
    TernaryRegs {
        op: TernaryOp,
        operands: [Expr; 3],
        dst: Expr,
        words: Vec<Expr>,
    },
    /// To the next page of the reserved block, or to page `index`.
    PackTile {
        dst: Expr,
        cb: LocalId,
        index: Option<Expr>,
    },

    /// A block expression stored to a reserved block of `pages` tiles. Expanded by `passes::expand`.
    Store(Box<Store>),
    /// An accumulator of zeros is made: in the tile registers or in L1, as `passes::sums` decides.
    Zeros {
        shape: [Expr; 2],
        place: Place,
    },
    /// `acc += expression`. The registers are acquired. Expanded by `passes::expand`.
    Accumulate(Box<Accumulate>),

    /// Placed by `passes::inits`; never in lowered IR.
    Init(Init),
}

/// Where something is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Dest {
    Core(LocalId),
    /// `loopback`: the sender gets it too and counts among `num_dests`.
    Many {
        range: LocalId,
        num_dests: Expr,
        loopback: bool,
    },
}

impl Dest {
    /// The local that stands for the core or the rectangle.
    pub const fn local(&self) -> LocalId {
        match self {
            Dest::Core(local) | Dest::Many { range: local, .. } => *local,
        }
    }

    pub const fn num_dests(&self) -> Option<&Expr> {
        match self {
            Dest::Core(_) => None,
            Dest::Many { num_dests, .. } => Some(num_dests),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Store {
    pub cb: LocalId,
    pub pages: Expr,
    pub dag: dag::Dag,
    /// What the leaves of `dag` stand for, by leaf number.
    pub leaves: Vec<Leaf>,
    /// What the scalars of `dag` are: words of calls.
    pub scalars: Vec<Expr>,
    /// The registers already hold the accumulator (leaf of kind `Acc`), acquired; the store commits and releases them.
    pub acquired: bool,
    /// The packer adds to what the block holds.
    pub adds: bool,
}

/// What an accumulator is added to: the expression is its sum with the accumulator.
#[derive(Clone, Debug, PartialEq)]
pub struct Accumulate {
    pub dag: dag::Dag,
    pub leaves: Vec<Leaf>,
    pub scalars: Vec<Expr>,
}

/// With rows and columns in tiles. A block without a shape is a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// A waited block.
    Front { cb: LocalId, shape: [Expr; 2] },
    /// The accumulator that is made at `place`: tile i is in register i.
    Acc { shape: [Expr; 2], place: Place },
}

impl Leaf {
    pub const fn shape(&self) -> &[Expr; 2] {
        match self {
            Leaf::Front { shape, .. } | Leaf::Acc { shape, .. } => shape,
        }
    }
}

/// Set-up calls that the passes place.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// `compute_kernel_hw_startup`; `reverse` for a kernel whose first operation is a matmul.
    Startup {
        reverse: bool,
        in0: LocalId,
        in1: LocalId,
        out: LocalId,
    },
    Copy {
        cb: LocalId,
    },
    Binary {
        op: BinaryOp,
        a: LocalId,
        b: LocalId,
    },
    ReuseDest {
        op: BinaryOp,
        reversed: bool,
        cb: LocalId,
    },
    Matmul {
        a: LocalId,
        b: LocalId,
    },
    MatmulBlock {
        a: LocalId,
        b: LocalId,
        transposed: bool,
        ct: Expr,
        rt: Expr,
        kt: Expr,
    },
    Tile(TileInit),
    /// Undoes what the init of this call has set up beyond the matrix unit.
    Undo(TileCall),
    /// Whether the packer adds to what is in L1.
    L1Acc(bool),
    /// With the words that the init takes.
    Unary(UnaryOp, Vec<Expr>),
    BinaryRegs(BinaryOp, Vec<Expr>),
    TernaryRegs(TernaryOp),
    CopyRegs,
    /// Source registers now hold these buffers' formats.
    Reconfig {
        srca: Option<LocalId>,
        srcb: Option<LocalId>,
    },
    PackReconfig {
        cb: LocalId,
    },
}
