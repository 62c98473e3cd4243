//! Patterns of `match`, `let`, `if let` and `for`.

use crate::{Block, Expr, Local, Slot};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub enum Pat {
    Wild,
    /// A name, and with `@` what the value has to look like.
    Bind(Local, Option<Box<Pat>>),
    Bool(bool),
    /// Two's complement, of the type of what is matched.
    Int(i64),
    /// A constant, or a variant without fields: the item has the value.
    Const(Slot),
    /// Ends that are there, the upper one inclusive or not. Each end is an `Int` or a `Const`.
    Range {
        start: Option<Box<Pat>>,
        end: Option<Box<Pat>>,
        inclusive: bool,
    },
    /// `(a, .., z)`: how many stand before the `..`, if there is one.
    Tuple(Vec<Pat>, Option<u32>),
    /// A struct, or a variant with fields.
    Struct {
        variant: Option<String>,
        fields: Vec<FieldPat>,
    },
    /// `E::V(a, .., z)`.
    Variant {
        name: String,
        fields: Vec<Pat>,
        rest: Option<u32>,
    },
    Array(Vec<Pat>),
    Or(Vec<Pat>),
    /// `&p`.
    Ref(Box<Pat>),
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub struct FieldPat {
    pub name: String,
    pub pat: Pat,
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
pub struct Arm {
    pub pat: Pat,
    pub guard: Option<Expr>,
    pub body: Block,
    pub line: u32,
}
