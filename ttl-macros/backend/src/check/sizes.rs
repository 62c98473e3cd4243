//! Sizes of blocks as they are written: numbers, and constants whose values only rustc knows.

use crate::messages::Refusal;
use crate::model::{Expr, ExprKind};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use ttl_skeleton::{self as sk, BinOp};

#[derive(Clone)]
pub(crate) enum Size {
    Number(u64),
    Named(Named),
}

/// An expression of constants.
#[derive(Clone)]
pub(crate) struct Named {
    /// Of type `u64`.
    tokens: TokenStream,
    text: String,
    /// It stands on parameters of the function: rustc knows them for each instance.
    generic: bool,
}

impl Size {
    /// `generics` are the parameters of the function, `local` the sizes that locals stand for.
    pub(crate) fn of(expr: &Expr, generics: &[String], local: &dyn Fn(sk::Local) -> Option<Size>) -> Option<Size> {
        match &expr.kind {
            ExprKind::Int { value, .. } => Some(Size::Number(*value)),
            ExprKind::Local { local: number, .. } => local(*number),
            ExprKind::Paren { expr, .. } | ExprKind::Placed { expr, .. } | ExprKind::Cast { expr, .. } => {
                Size::of(expr, generics, local)
            }
            ExprKind::Const { path, .. } => constant(path, generics),
            ExprKind::Binary { op, left, right, .. } => {
                Size::of(left, generics, local)?.with(*op, &Size::of(right, generics, local)?)
            }
            _ => None,
        }
    }

    fn with(&self, op: BinOp, other: &Size) -> Option<Size> {
        if let (Size::Number(a), Size::Number(b)) = (self, other) {
            return match op {
                BinOp::Add => a.checked_add(*b),
                BinOp::Sub => a.checked_sub(*b),
                BinOp::Mul => a.checked_mul(*b),
                _ => None,
            }
            .map(Size::Number);
        }
        // Whether it overflows is a matter of the user's own expression.
        let (method, sign) = match op {
            BinOp::Add => (quote!(wrapping_add), "+"),
            BinOp::Sub => (quote!(wrapping_sub), "-"),
            BinOp::Mul => (quote!(wrapping_mul), "*"),
            _ => return None,
        };
        let (a, b) = (self.tokens(), other.tokens());
        Some(Size::Named(Named {
            tokens: quote!((#a).#method(#b)),
            text: format!("{} {sign} {}", self.factor(), other.factor()),
            generic: self.is_generic() || other.is_generic(),
        }))
    }

    /// Whether they are the same; `None` if only rustc can say.
    pub(crate) fn same(&self, other: &Size) -> Option<bool> {
        match (self, other) {
            (Size::Number(a), Size::Number(b)) => Some(a == b),
            (Size::Named(a), Size::Named(b)) if a.text == b.text => Some(true),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Size::Number(n) => Some(*n),
            Size::Named(_) => None,
        }
    }

    pub(crate) fn times(&self, other: &Size) -> Option<Size> {
        match (self, other) {
            (Size::Number(1), size) | (size, Size::Number(1)) => Some(size.clone()),
            (a, b) => a.with(BinOp::Mul, b),
        }
    }

    fn tokens(&self) -> TokenStream {
        match self {
            Size::Number(n) => quote!(#n),
            Size::Named(named) => named.tokens.clone(),
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Size::Number(n) => n.to_string(),
            Size::Named(named) => named.text.clone(),
        }
    }

    /// As a part of a larger expression.
    pub(crate) fn factor(&self) -> String {
        let text = self.text();
        if text.contains(' ') { format!("({text})") } else { text }
    }

    fn is_generic(&self) -> bool {
        matches!(self, Size::Named(named) if named.generic)
    }
}

/// A path; a lower-case name is a misspelt local, about which rustc says more.
fn constant(path: &TokenStream, generics: &[String]) -> Option<Size> {
    let (mut generic, mut last) = (false, String::new());
    for token in path.clone() {
        match token {
            proc_macro2::TokenTree::Ident(ident) => {
                last = ident.to_string();
                generic |= last == "Self" || generics.contains(&last);
            }
            proc_macro2::TokenTree::Punct(_) => {}
            // `<T as Trait>::SIZE` has its names deeper.
            _ => return None,
        }
    }
    let is_constant = last.starts_with(char::is_uppercase) || generics.contains(&last);
    let text = path.to_string().replace(' ', "");
    is_constant.then(|| Size::Named(Named { tokens: quote!((#path as u64)), text, generic }))
}

/// What rustc is asked about sizes.
pub(crate) struct Question {
    span: Span,
    fits: TokenStream,
    refusal: &'static Refusal,
    detail: String,
    /// The sizes that the answer depends on.
    sizes: Vec<Named>,
}

impl Question {
    pub(crate) fn new(span: Span, refusal: &'static Refusal, detail: String) -> Question {
        Question { span, fits: quote!(true), refusal, detail, sizes: Vec::new() }
    }

    /// Also whether `left` is as large as `right`.
    pub(crate) fn equal(self, left: &Size, right: &Size) -> Question {
        self.and(left, &quote!(==), right)
    }

    /// Also whether `left` is no larger than `right`.
    pub(crate) fn at_most(self, left: &Size, right: &Size) -> Question {
        self.and(left, &quote!(<=), right)
    }

    fn and(mut self, left: &Size, operator: &TokenStream, right: &Size) -> Question {
        let (before, a, b) = (&self.fits, left.tokens(), right.tokens());
        self.fits = quote!(#before && #a #operator #b);
        for size in [left, right] {
            if let Size::Named(named) = size
                && self.sizes.iter().all(|known| known.text != named.text)
            {
                self.sizes.push(named.clone());
            }
        }
        self
    }

    /// As a statement of a function with the generic parameters of the user's.
    pub(crate) fn expand(&self) -> TokenStream {
        let fits = &self.fits;
        let mut before = format!("{}: {} (", self.refusal.what, self.detail);
        let mut parts = TokenStream::new();
        for size in &self.sizes {
            before.push_str(&size.text);
            before.push_str(" is ");
            let tokens = &size.tokens;
            parts.extend(quote!(::ttl::rt::sizes::Part::Text(#before), ::ttl::rt::sizes::Part::Size(#tokens),));
            before = ", ".to_owned();
        }
        let end = format!(")\nhelp: {}", self.refusal.instead);
        parts.extend(quote!(::ttl::rt::sizes::Part::Text(#end)));
        let check = quote_spanned!(self.span=> ::ttl::rt::sizes::fit(#fits, &[#parts]));
        // A constant item cannot name the function's parameters.
        match self.sizes.iter().any(|size| size.generic) {
            true => quote!(const { #check };),
            false => quote!(const _: () = #check;),
        }
    }
}
