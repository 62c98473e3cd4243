//! Modules, functions and their locals.

use super::{Block, Ty};
use crate::temps::TempKey;

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
