//! What the macro saw of a function: structure, names and lines, no types.
//!
//! `#[ttl::kernel]` and `#[ttl::device]` encode this as one byte string; the runtime decodes it and adds the types that
//! rustc inferred, which arrive as a list of items: a [`Slot`] is an index into that list. Compact encoding matters: the skeleton is
//! part of every compilation of the user's crate.

mod methods;
mod pattern;

pub use methods::{OPERATIONS, RANGE_ADAPTERS, is_method, methods, takes_self};
pub use pattern::{Arm, FieldPat, Pat};
use serde::{Deserialize, Serialize};

/// Index into the items that the probes of this function gave.
pub type Slot = u32;
/// Index into [`Def::locals`]. Every binding has its own, so shadowing is resolved here.
pub type Local = u32;

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub struct Def {
    pub name: String,
    pub line: u32,
    pub locals: Vec<LocalDecl>,
    /// The first `params` locals are the parameters, in order.
    pub params: u32,
    /// Type of the result; `None` for `()`.
    pub ret: Option<Slot>,
    pub body: Block,
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub struct LocalDecl {
    pub name: String,
    pub mutable: bool,
    /// Its type.
    pub slot: Slot,
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    /// The value of the block.
    pub tail: Option<Box<Stmt>>,
}

/// An expression with the line where it starts. As a statement its value is dropped at the end of the statement.
#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub struct Stmt {
    pub line: u32,
    pub kind: StmtKind,
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub enum StmtKind {
    Let {
        local: Local,
        init: Option<Expr>,
    },
    /// `let (a, b) = e;`, or with `else` what happens if the value has another form.
    Destructure {
        pat: Pat,
        value: Expr,
        els: Option<Block>,
    },
    /// `let _ = e;`
    Discard(Expr),
    Expr(Expr),
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub enum Expr {
    Unit,
    Bool(bool),
    Int {
        value: u64,
        slot: Slot,
    },
    /// The digits as written, without suffix and underscores.
    Float {
        text: String,
        slot: Slot,
    },
    Local(Local),
    /// A constant, or a const generic parameter: the item holds type and value.
    Const(Slot),
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinOp, Box<Expr>, Box<Expr>),
    Cast(Box<Expr>, Slot),
    Ref {
        mutable: bool,
        place: Box<Expr>,
    },
    /// The item is the instance of the called function.
    Call {
        slot: Slot,
        args: Vec<Expr>,
    },
    /// Given to a function.
    Closure(Box<Closure>),
    /// A parameter that is a closure.
    CallClosure {
        local: Local,
        args: Vec<Expr>,
    },
    /// The item is the instance of a method of the user's type.
    UserMethod {
        slot: Slot,
        recv: Box<Expr>,
        args: Vec<Expr>,
        line: u32,
    },
    /// `S { a: 1, ..base }`, `E::V { a: 1 }`, `E::V(1)`: the item is the type.
    Struct {
        slot: Slot,
        variant: Option<String>,
        fields: Vec<(String, Expr)>,
        base: Option<Box<Expr>>,
    },
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    /// `[e; N]`: the item is the type of the array.
    Repeat {
        slot: Slot,
        value: Box<Expr>,
    },
    Field {
        base: Box<Expr>,
        name: String,
    },
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
        line: u32,
    },
    Match {
        value: Box<Expr>,
        arms: Vec<Arm>,
    },
    Print(Print),
    Assert(Box<Assert>),
    Panic(Print),
    /// From here to the end of the block.
    Zone(String),
    /// `for x in array`.
    ForEach {
        pat: Pat,
        array: Box<Expr>,
        body: Block,
    },
    Method {
        recv: Box<Expr>,
        name: String,
        args: Vec<Expr>,
        line: u32,
    },
    /// The last argument of the call that makes an accumulator, with the accumulator's number.
    Placed(Box<Expr>, u64),
    Block(Block),
    If {
        cond: Box<Expr>,
        then: Block,
        els: Option<Box<Expr>>,
    },
    While {
        cond: Box<Expr>,
        body: Block,
    },
    Loop {
        body: Block,
    },
    For {
        local: Option<Local>,
        range: Range,
        body: Block,
    },
    Break,
    Continue,
    Return(Option<Box<Expr>>),
}

/// The item is the type that stands for the closure.
#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub struct Closure {
    pub slot: Slot,
    pub params: Vec<Local>,
    pub body: Block,
    pub line: u32,
}

/// `print!("x = {}", x)`: the text in the language of Rust's `format!`, and its operands in order.
#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub struct Print {
    pub format: String,
    pub args: Vec<Expr>,
}

/// `assert!(cond, ..)`. `what` is what Rust says when there is no message.
#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub struct Assert {
    pub cond: Expr,
    pub what: String,
    pub message: Option<Print>,
}

/// `start..end`, then `.rev()` and `.step_by(n)` in the order written.
#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub struct Range {
    pub start: Box<Expr>,
    pub end: Box<Expr>,
    pub inclusive: bool,
    pub adapters: Vec<Adapter>,
    /// Type of the bounds and of the loop variable.
    pub slot: Slot,
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub enum Adapter {
    Rev,
    /// The step is a `usize` in Rust; only constants and literals are accepted.
    StepBy(Expr),
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Eq, Clone, Copy)]
pub enum UnOp {
    Neg,
    Not,
    Deref,
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Eq, Clone, Copy, Hash)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Def {
    pub fn encode(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_allocvec(self)
    }

    pub fn decode(bytes: &[u8]) -> Result<Def, postcard::Error> {
        postcard::from_bytes(bytes)
    }
}
