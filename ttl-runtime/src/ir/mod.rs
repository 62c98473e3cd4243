//! The typed kernel IR: what a kernel does, between the macro and the C++ writer.
//!
//! Built by [`lower`](crate::rt) from the macro's skeleton and the types rustc inferred; checked by [`verify`]; block stores are
//! expanded and inits placed by [`passes`]; printed by `codegen`. The IR knows no device.
//!
//! It is close to structured C++: statements and pure expressions. Everything Rust does implicitly is explicit here: blocks as
//! values are temporaries, evaluation order is fixed, guards are pushed, popped and released by statements.

pub mod blocks;
pub mod call;
pub mod dag;
pub mod data;
pub mod debug;
pub mod fuse;
pub mod group;
pub mod kinds;
pub mod operands;
pub mod passes;
pub mod pipe;
pub mod schedule;
pub mod sections;
pub mod shape;
pub mod tile_op;
pub mod transfers;
pub mod ty;
pub mod verify;
pub mod visit;

use crate::ops::{BinaryOp, TernaryOp, TileCall, UnaryOp};
use crate::temps::{Place, TempKey};
pub use debug::{Debug, Text, TilePart};
pub use tile_op::{TileInit, TileOp};
pub use ttl_skeleton::BinOp;
pub use ty::{IntTy, Ty};

/// Which of the kernels of a core a function is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Data movement on RISCV_1 (NCRISC), NoC 0.
    Reader,
    /// Data movement on RISCV_0 (BRISC), NoC 1.
    Writer,
    /// The three TRISCs.
    Compute,
}

impl Role {
    pub const fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Writer => "writer",
            Role::Compute => "compute",
        }
    }
}

/// One kernel with every device function it calls.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name of the kernel function, with its generic arguments if any: `read`, `read<bf16, 4>`.
    pub name: String,
    pub role: Role,
    /// Callees before callers; the last is the kernel itself.
    pub fns: Vec<Fn>,
    /// The kernel's parameters without the role token, in order.
    pub params: Vec<Param>,
}

impl Module {
    pub fn function(&self, id: FnId) -> &Fn {
        &self.fns[id.0 as usize]
    }

    pub fn entry(&self) -> &Fn {
        self.fns.last().expect("a module has its kernel")
    }
}

/// A kernel parameter and how its value reaches the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    pub name: String,
    pub ty: Ty,
    pub kind: ParamKind,
    /// The local of the kernel function that stands for it.
    pub local: LocalId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ParamKind {
    /// A circular-buffer id: a compile-time argument.
    Cb,
    /// Accessor words at the end of the compile-time arguments; base address as a common runtime argument.
    Tensor,
    /// A semaphore's id: a compile-time argument.
    Semaphore,
    /// Scalars by where they travel.
    CompileTime,
    Common,
    /// Also cores and rectangles of cores, which are two and four words.
    PerCore,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FnId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct LocalId(pub u32);

#[derive(Clone, Debug)]
pub struct Fn {
    /// Rust name; unique C++ names are the writer's business.
    pub name: String,
    /// Generic arguments for the reader of the C++: `["bf16", "4"]`.
    pub generics: Vec<String>,
    pub file: &'static str,
    pub line: u32,
    pub locals: Vec<Local>,
    /// Parameters in order. The role token is among them and is not printed.
    pub params: Vec<LocalId>,
    pub ret: Ty,
    pub body: Block,
    /// Buffers that `passes::temps` added, and the parameters that stand for them.
    pub temps: Vec<(TempKey, LocalId)>,
}

impl Fn {
    /// The parameter for a buffer of the compiler's.
    pub fn temp(&self, key: TempKey) -> Option<LocalId> {
        self.temps.iter().find(|(k, _)| *k == key).map(|(_, local)| *local)
    }

    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    pub fn add_local(&mut self, name: &str, ty: Ty) -> LocalId {
        self.locals.push(Local { name: name.to_owned(), ty, mutable: false });
        LocalId(self.locals.len() as u32 - 1)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    pub name: String,
    pub ty: Ty,
    pub mutable: bool,
}

pub type Block = Vec<Stmt>;

#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Line in the function's file.
    pub line: u32,
    pub kind: StmtKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    Let {
        local: LocalId,
        init: Option<Expr>,
    },
    Assign {
        local: LocalId,
        value: Expr,
    },
    /// To a field or an element: `place` is a chain of fields and elements of a local.
    Set {
        place: Expr,
        value: Expr,
    },
    /// A call for its effect.
    Eval(Expr),
    Debug(Debug),
    Op(Op),
    If {
        cond: Expr,
        then: Block,
        els: Block,
    },
    While {
        cond: Expr,
        body: Block,
    },
    Loop {
        body: Block,
    },
    For(Box<For>),
    Break,
    Continue,
    Return(Option<Expr>),
    Block(Block),
}

/// A loop over a range with Rust's meaning: bounds are evaluated once, an empty range runs nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    pub local: LocalId,
    pub start: Expr,
    pub end: Expr,
    pub inclusive: bool,
    /// From the last element of the (stepped) sequence to the first if reversed first, as the adapters were written.
    pub order: Order,
    /// At least 1.
    pub step: u64,
    pub body: Block,
}

/// The adapters of a range. `rev().step_by(n)` counts from the end; `step_by(n).rev()` visits the elements of the forward steps backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Forward,
    RevThenStep,
    StepThenRev,
}

/// A pure expression: no statement has to run before it, and evaluating it has no effect but a call's.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub ty: Ty,
    pub kind: ExprKind,
}

impl Expr {
    pub fn u32(value: u32) -> Expr {
        Expr { ty: Ty::U32, kind: ExprKind::Int(i64::from(value)) }
    }

    pub fn local(local: LocalId, ty: Ty) -> Expr {
        Expr { ty, kind: ExprKind::Local(local) }
    }

    /// An operation whose result has the type of its left operand.
    pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
        Expr { ty: a.ty.clone(), kind: ExprKind::Binary(op, Box::new(a), Box::new(b)) }
    }

    pub fn as_u32(&self) -> Option<u32> {
        match self.kind {
            ExprKind::Int(v) => u32::try_from(v).ok(),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Two's complement value of an integer type.
    Int(i64),
    F32(f32),
    Bool(bool),
    Local(LocalId),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    /// Rust's meaning: integers wrap, shifts mask their amount (a literal amount is in range), division by zero is an error.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// To `ty`, with the meaning of `as`: truncating, sign-extending, saturating from f32.
    Cast(Box<Expr>),
    /// The same 32 bits as `ty`: between f32 and u32.
    Bits(Box<Expr>),
    /// A field of a struct or tuple, an element of an array.
    Field(Box<Expr>, u32),
    Index(Box<Expr>, Box<Expr>),
    /// A struct or tuple with the values of all its fields, an array with those of its elements or with one for all.
    Struct(Vec<Expr>),
    Array(Vec<Expr>),
    Repeat(Box<Expr>),
    /// A variant of an enum without fields, by its position.
    Variant(u32),
    Call(FnId, Vec<Expr>),
    Query(Query),
    /// A role token or register state, given to a device function: nothing in C++.
    Erased,
}

/// A value that the device knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// Logical coordinates of this core.
    CoreX,
    CoreY,
    /// L1 address of the next page to write or read.
    WritePtr(LocalId),
    ReadPtr(LocalId),
    /// Bytes of one page of a tensor, aligned.
    PageSize(LocalId),
    /// Bytes of a tile of the buffer's format.
    TileSize(LocalId),
    /// Word `word` of the waited block.
    Word {
        cb: LocalId,
        word: Box<Expr>,
    },
    /// What a call of the kernel API gives.
    Call(Box<call::Call>),
}

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
