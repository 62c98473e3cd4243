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
mod module;
mod op;
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

pub use debug::{Debug, Text, TilePart};
pub use module::{Fn, FnId, Local, LocalId, Module, Param, ParamKind, Role};
pub use op::{Accumulate, Dest, Init, Leaf, Op, Store};
pub use tile_op::{TileInit, TileOp};
pub use ttl_skeleton::BinOp;
pub use ty::{IntTy, Ty};

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
