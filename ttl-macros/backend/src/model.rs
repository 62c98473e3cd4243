//! The accepted subset of Rust, with the user's tokens where they have to be emitted again. Nothing after `parse` looks at
//! `syn::Expr`.

mod inside;

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
    /// `impl Fn(..) -> ..`. Its type is then the name of the type parameter that stands for the closure.
    pub(crate) closure: Option<ClosureTy>,
}

pub(crate) struct ClosureTy {
    /// The type parameter.
    pub(crate) tag: Ident,
    /// `Fn(u32) -> u32`.
    pub(crate) bound: TokenStream,
    /// `fn(u32) -> u32`.
    pub(crate) pointer: TokenStream,
}

impl Func {
    /// The generic parameters of the struct that stands for it: those of the function, and one for each closure that it gets.
    pub(crate) fn generics(&self) -> syn::Generics {
        let mut generics = self.original.sig.generics.clone();
        for closure in self.params.iter().filter_map(|p| p.closure.as_ref()) {
            let tag = &closure.tag;
            generics.params.push(syn::parse_quote!(#tag));
        }
        generics
    }
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
    /// `let (a, b) = e;`, `let E::V(a) = e else { .. };`
    Destructure {
        let_token: Token![let],
        pattern: Pattern,
        ty: Option<Ty>,
        init: Expr,
        els: Option<(Token![else], Block)>,
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
    /// `<T as Trait>::CONST`.
    QPath(TokenStream),
    Local {
        name: Ident,
        local: sk::Local,
    },
    /// Index into the constants that `check::scope` found.
    Const {
        path: TokenStream,
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
    /// The last argument of the call that makes an accumulator, with the accumulator's number.
    Placed {
        expr: Box<Expr>,
        number: u64,
    },
    Call {
        callee: Path,
        paren: token::Paren,
        args: Vec<Expr>,
    },
    /// A parameter `impl Fn(..)` that is called.
    CallClosure {
        name: Ident,
        local: sk::Local,
        paren: token::Paren,
        args: Vec<Expr>,
    },
    /// Given to a function.
    Closure(Box<Closure>),
    /// `S { a: 1 }`, `E::V { a: 1 }`.
    Struct {
        path: Path,
        brace: token::Brace,
        variant: Option<String>,
        fields: Vec<FieldValue>,
        base: Option<(Token![..], Box<Expr>)>,
    },
    /// `E::V(1)`.
    Construct {
        path: Path,
        paren: token::Paren,
        variant: String,
        args: Vec<Expr>,
    },
    Tuple {
        paren: token::Paren,
        elems: Vec<Expr>,
    },
    Array {
        bracket: token::Bracket,
        elems: Vec<Expr>,
    },
    Repeat {
        bracket: token::Bracket,
        value: Box<Expr>,
        semi: Token![;],
        len: TokenStream,
    },
    Field {
        base: Box<Expr>,
        dot: Token![.],
        member: syn::Member,
    },
    Index {
        base: Box<Expr>,
        bracket: token::Bracket,
        index: Box<Expr>,
    },
    Match(Box<Match>),
    /// `if let`.
    IfLet(Box<IfLet>),
    ForEach(Box<ForEach>),
    Print(Print),
    /// The block, the tile, the first row and the one after the last, the same of the columns.
    PrintTile(Vec<Expr>),
    Assert(Box<Assert>),
    Panic(Print),
    Zone(String),
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

pub(crate) struct Closure {
    pub(crate) or1: Token![|],
    pub(crate) params: Vec<(Binding, Option<Ty>)>,
    pub(crate) or2: Token![|],
    pub(crate) output: syn::ReturnType,
    pub(crate) body: Block,
    /// Index into the constants that `check::scope` found.
    pub(crate) index: u32,
}

/// A pattern that is more than a name. It is emitted as it was written.
pub(crate) struct Pattern {
    pub(crate) tokens: TokenStream,
    pub(crate) pat: Pat,
}

pub(crate) enum Pat {
    Wild,
    Bind {
        binding: Binding,
        sub: Option<Box<Pat>>,
    },
    Bool(bool),
    Int(i64),
    /// Index into the constants that `check::scope` found.
    Const {
        path: TokenStream,
        index: u32,
    },
    Range {
        start: Option<Box<Pat>>,
        end: Option<Box<Pat>>,
        inclusive: bool,
    },
    Tuple(Vec<Pat>, Option<u32>),
    Struct {
        variant: Option<String>,
        fields: Vec<(String, Pat)>,
    },
    Variant {
        name: String,
        fields: Vec<Pat>,
        rest: Option<u32>,
    },
    Array(Vec<Pat>),
    Or(Vec<Pat>),
    Ref(Box<Pat>),
}

pub(crate) struct FieldValue {
    pub(crate) member: syn::Member,
    /// None in `S { x }`.
    pub(crate) colon: Option<Token![:]>,
    pub(crate) value: Expr,
}

pub(crate) struct Match {
    pub(crate) token: Token![match],
    pub(crate) value: Expr,
    pub(crate) brace: token::Brace,
    pub(crate) arms: Vec<Arm>,
}

pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<(Token![if], Expr)>,
    pub(crate) arrow: Token![=>],
    pub(crate) body: Block,
    pub(crate) line: u32,
}

pub(crate) struct IfLet {
    pub(crate) token: Token![if],
    pub(crate) let_token: Token![let],
    pub(crate) pattern: Pattern,
    pub(crate) eq: Token![=],
    pub(crate) value: Expr,
    pub(crate) then: Block,
    pub(crate) els: Option<(Token![else], Expr)>,
}

/// `for x in array`.
pub(crate) struct ForEach {
    pub(crate) token: Token![for],
    pub(crate) pattern: Pattern,
    pub(crate) in_token: Token![in],
    pub(crate) array: Expr,
    pub(crate) body: Block,
}

pub(crate) struct Print {
    pub(crate) format: String,
    pub(crate) args: Vec<Expr>,
}

pub(crate) struct Assert {
    pub(crate) cond: Expr,
    pub(crate) what: String,
    pub(crate) message: Option<Print>,
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
