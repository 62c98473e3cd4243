//! What an expression can be while it is lowered.

use crate::ir::dag::Dag;
use crate::ir::{Expr, LocalId, Ty};
use crate::temps::Place;

/// Index into `Lower::resources`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ResId(pub(super) usize);

/// The value of an expression. Only scalars exist in the C++; the rest is resolved here.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Unit,
    /// Control never comes here.
    Never,
    Scalar(Expr),
    /// A place that holds plain data: what `&x` and `&mut x` give. Its indices do not change.
    Place(Expr),
    /// The role token.
    Token,
    CbIn(LocalId),
    CbOut(LocalId),
    Tensor(LocalId),
    Semaphore(LocalId),
    /// A core and a rectangle of cores.
    Core(LocalId),
    CoreRange(LocalId),
    /// Argument words that are indexed at run time.
    Words(LocalId),
    /// An end of a pipe.
    Pipe(Pipe),
    /// A closure that this function got.
    Closure(super::closure::Closure),
    /// A struct that groups parameters.
    Group(super::group::Group),
    /// A guard, transfer, accumulator or register state. `by_ref` when reached through `&` or `&mut`.
    Res {
        id: ResId,
        by_ref: bool,
    },
    Tiles(Tiles),
}

/// An end of a pipe by the locals that it is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pipe {
    pub(super) ready: LocalId,
    pub(super) valid: LocalId,
    /// The rectangle or core of the receivers; the sender's core.
    pub(super) other: LocalId,
    pub(super) end: PipeEnd,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PipeEnd {
    Tx { receivers: LocalId },
    UnicastTx,
    Rx,
}

/// A lazy block expression with what its leaves stand for.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    pub(super) dag: Dag,
    pub(super) leaves: Vec<TileLeaf>,
    /// The scalars of the DAG with the operation of the kernel that they belong to, by number.
    pub(super) scalars: Vec<(u32, Expr)>,
    /// Guards the expression took by value, left to right: released after the store.
    pub(super) owned: Vec<ResId>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TileLeaf {
    Front {
        front: ResId,
        /// Rows and columns, if the kernel gave it a shape.
        shape: Option<[Expr; 2]>,
    },
    Acc(ResId),
}

/// What a local of the skeleton stands for.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a few per function, while it is lowered
pub(super) enum Binding {
    /// A scalar local of the IR (also one that C++ sees as a reference).
    Scalar(LocalId),
    /// Anything else: the local is another name for the value.
    Alias(Value),
}

/// Something that Rust releases at the end of its scope.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) kind: ResKind,
    pub(super) state: State,
    /// The line where it came to be.
    pub(super) line: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Live,
    /// Moved or released.
    Gone,
    /// A parameter by reference: released by the caller.
    Borrowed,
}

#[derive(Clone, Debug)]
pub(super) enum ResKind {
    /// Pages between wait and pop. `None`: not known here, the guard is a parameter.
    Front {
        cb: LocalId,
        pages: Option<Expr>,
    },
    /// Pages between reserve and push.
    Reserved {
        cb: LocalId,
        pages: Option<Expr>,
    },
    /// Reads into a reserved block; writes from a waited block.
    Read {
        cb: LocalId,
    },
    Write {
        cb: LocalId,
    },
    /// The same with a transaction id.
    TaggedRead {
        cb: LocalId,
        trid: Expr,
    },
    TaggedWrite {
        cb: LocalId,
        trid: Expr,
    },
    /// Pages on their way to other cores. `loopback`: also to this one, so that they have to arrive.
    Sent {
        loopback: bool,
    },
    /// A block that is on its way here through a pipe.
    Arriving {
        valid: LocalId,
    },
    TileRegs,
    PackRegs,
    Accumulator {
        rows: Expr,
        cols: Expr,
        place: Place,
    },
}

impl Value {
    /// For messages.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Value::Unit => "nothing",
            Value::Never => "an expression that never ends",
            Value::Scalar(e) | Value::Place(e) => match e.ty {
                Ty::Struct(_) => "a struct",
                Ty::Array(..) => "an array",
                Ty::Enum(_) => "an enum",
                _ => "a number",
            },
            Value::Token => "the role token",
            Value::CbIn(..) => "the consumer end of a circular buffer",
            Value::CbOut(..) => "the producer end of a circular buffer",
            Value::Tensor(_) => "a tensor accessor",
            Value::Semaphore(_) => "a semaphore",
            Value::Core(_) => "a core",
            Value::CoreRange(_) => "a rectangle of cores",
            Value::Words(_) => "a table of argument words",
            Value::Pipe(_) => "an end of a pipe",
            Value::Closure(_) => "a closure",
            Value::Group(_) => "a struct that groups parameters",
            Value::Res { .. } => "a guard",
            Value::Tiles(_) => "a block expression",
        }
    }
}
