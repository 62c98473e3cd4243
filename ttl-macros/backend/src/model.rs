//! The accepted subset of Rust, with the user's tokens where they have to be emitted again. Nothing after `parse` looks at
//! `syn::Expr`.

use crate::item::RawFn;
use proc_macro2::{Span, TokenStream};
use syn::{Ident, Path, Token, token};
use ttl_skeleton as sk;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Reader,
    Writer,
    Compute,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Kernel(Role),
    Device,
}

pub(crate) struct Func {
    pub(crate) kind: Kind,
    /// The NoC of a data-movement kernel, if it says which.
    pub(crate) noc: Option<u8>,
    /// The user's function; only `#[ttl(..)]` is removed from its parameters.
    pub(crate) original: RawFn,
    pub(crate) params: Vec<Param>,
    /// None for `()`.
    pub(crate) ret: Option<Ty>,
    pub(crate) body: Block,
    pub(crate) types: Types,
    /// No errors before the body.
    pub(crate) signature_is_right: bool,
}

/// Where a scalar parameter travels, if marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    Common,
    CompileTime,
}

pub(crate) struct Param {
    pub(crate) binding: Binding,
    pub(crate) ty: Ty,
    pub(crate) mark: Option<Mark>,
}

/// A name that a `let`, a parameter or a `for` introduces.
pub(crate) struct Binding {
    /// A parameter or loop variable `_` gets a name that no user can write.
    pub(crate) name: Ident,
    /// Was `_`.
    pub(crate) wild: bool,
    pub(crate) mutability: Option<Token![mut]>,
    /// Set by `check::scope`.
    pub(crate) local: sk::Local,
}

/// A type as written. Types without `_` are known before inference and stand in [`Types`].
pub(crate) struct Ty {
    pub(crate) syn: syn::Type,
    pub(crate) slot: Option<sk::Slot>,
}

/// The types that are written out in a function, each once: the first slots.
#[derive(Default)]
pub(crate) struct Types {
    pub(crate) list: Vec<syn::Type>,
    pub(crate) keys: Vec<String>,
}

impl Types {
    pub(crate) fn intern(&mut self, ty: &syn::Type) -> sk::Slot {
        let key = quote::quote!(#ty).to_string();
        let at = self.keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.list.push(ty.clone());
            self.list.len().saturating_sub(1)
        });
        at as sk::Slot
    }
}

pub(crate) struct Block {
    pub(crate) brace: token::Brace,
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) tail: Option<Box<Expr>>,
}

pub(crate) enum Stmt {
    Let {
        let_token: Token![let],
        binding: Binding,
        ty: Option<Ty>,
        init: Option<Expr>,
    },
    /// `let _ = e;`
    Discard {
        let_token: Token![let],
        underscore: Token![_],
        ty: Option<Ty>,
        init: Expr,
    },
    Expr {
        expr: Expr,
        semi: Option<Token![;]>,
    },
}

pub(crate) struct Expr {
    /// Of the first token.
    pub(crate) span: Span,
    pub(crate) kind: ExprKind,
}

// Trees live for one expansion; boxing the larger variants would only add noise.
#[allow(clippy::large_enum_variant)]
pub(crate) enum ExprKind {
    /// Something that was refused.
    Refused,
    Unit(token::Paren),
    Bool(syn::LitBool),
    Int {
        lit: syn::Lit,
        value: u64,
        /// Slot of the type if the literal has a suffix.
        ty: Option<sk::Slot>,
    },
    Float {
        lit: syn::Lit,
        text: String,
        ty: Option<sk::Slot>,
    },
    /// Becomes `Local` or `Const` in `check::scope`.
    Path(Path),
    Local {
        name: Ident,
        local: sk::Local,
    },
    /// Index into the constants that `check::scope` found.
    Const {
        path: Path,
        index: u32,
    },
    Unary {
        op: sk::UnOp,
        token: syn::UnOp,
        expr: Box<Expr>,
    },
    Binary {
        op: sk::BinOp,
        token: syn::BinOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Assign {
        place: Box<Expr>,
        token: Token![=],
        value: Box<Expr>,
    },
    AssignOp {
        op: sk::BinOp,
        token: syn::BinOp,
        place: Box<Expr>,
        value: Box<Expr>,
    },
    Cast {
        expr: Box<Expr>,
        token: Token![as],
        ty: Ty,
    },
    Ref {
        token: Token![&],
        mutability: Option<Token![mut]>,
        place: Box<Expr>,
    },
    Paren {
        /// None for the invisible groups of `macro_rules!`.
        paren: Option<token::Paren>,
        expr: Box<Expr>,
    },
    Call {
        callee: Path,
        paren: token::Paren,
        args: Vec<Expr>,
    },
    /// `f32::from_bits(x)`: a method in the IR.
    FromBits {
        callee: Path,
        paren: token::Paren,
        arg: Box<Expr>,
    },
    Method {
        recv: Box<Expr>,
        dot: Token![.],
        name: Ident,
        paren: token::Paren,
        args: Vec<Expr>,
    },
    Block(Block),
    If(Box<If>),
    While {
        token: Token![while],
        cond: Box<Expr>,
        body: Block,
    },
    Loop {
        token: Token![loop],
        body: Block,
    },
    For(Box<For>),
    Break(Token![break]),
    Continue(Token![continue]),
    Return {
        token: Token![return],
        value: Option<Box<Expr>>,
    },
}

pub(crate) struct If {
    pub(crate) token: Token![if],
    pub(crate) cond: Expr,
    pub(crate) then: Block,
    /// A block or another `if`.
    pub(crate) els: Option<(Token![else], Expr)>,
}

pub(crate) struct For {
    pub(crate) token: Token![for],
    pub(crate) binding: Binding,
    pub(crate) in_token: Token![in],
    pub(crate) range: Range,
    pub(crate) body: Block,
}

pub(crate) struct Range {
    /// Around the range if adapters follow.
    pub(crate) paren: Option<token::Paren>,
    pub(crate) start: Expr,
    pub(crate) limits: syn::RangeLimits,
    pub(crate) end: Expr,
    pub(crate) adapters: Vec<Adapter>,
}

pub(crate) struct Adapter {
    pub(crate) dot: Token![.],
    pub(crate) name: Ident,
    pub(crate) paren: token::Paren,
    /// None for `rev`.
    pub(crate) step: Option<Step>,
}

/// The step of a range: known before the kernel runs.
pub(crate) enum Step {
    Literal {
        lit: syn::LitInt,
        value: u64,
    },
    /// A constant, or a cast of one to `usize`.
    Const {
        path: Path,
        tokens: TokenStream,
        index: u32,
    },
}
