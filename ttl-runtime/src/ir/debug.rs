//! What kernels say about themselves: assertions, prints, zones.

use super::{Expr, LocalId};

/// What a kernel says about itself while it runs: nothing in C++ unless it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Debug {
    /// `what` is the condition in Rust's words.
    Assert {
        cond: Expr,
        what: String,
        message: Option<Text>,
    },
    Print(Text),
    Tile(Box<TilePart>),
    /// To the end of the block.
    Zone(String),
}

/// Text with a `{}` or `{:x}` for each of `args`.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub format: String,
    pub args: Vec<Expr>,
}

/// Rows and columns of a tile to print.
#[derive(Clone, Debug, PartialEq)]
pub struct TilePart {
    pub cb: LocalId,
    /// Of the block that is reserved, not of the one that is there.
    pub reserved: bool,
    /// The tile, the first row and the one after the last, the same of the columns.
    pub numbers: [Expr; 5],
}

impl Debug {
    /// The circular buffer that it names.
    pub const fn local(&self) -> Option<LocalId> {
        match self {
            Debug::Tile(part) => Some(part.cb),
            _ => None,
        }
    }
}
