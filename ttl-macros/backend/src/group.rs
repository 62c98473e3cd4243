//! What a `macro_rules!` passes on as `$x:expr` is one operand, whatever is around it. Its tokens come in an invisible group, which rustc
//! forgets when an attribute macro emits them again: `$x * 2` with `a + b` for `$x` would be `a + b * 2` to rustc and `(a + b) * 2` to the IR.
//! So groups that need it become parentheses, before anything else looks at the function.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens with parentheses for invisible groups, where they matter.
pub(crate) fn visible(tokens: TokenStream) -> TokenStream {
    if has_invisible(&tokens) { convert(tokens) } else { tokens }
}

fn has_invisible(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::None || has_invisible(&group.stream()),
        _ => false,
    })
}

fn convert(tokens: TokenStream) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Group(group) = token else {
            out.push(token);
            continue;
        };
        let inner = convert(group.stream());
        let parenthesise = group.delimiter() == Delimiter::None && needed(&inner, out.last(), tokens.peek());
        let delimiter = if parenthesise { Delimiter::Parenthesis } else { group.delimiter() };
        let mut made = Group::new(delimiter, inner);
        made.set_span(group.span());
        out.push(TokenTree::Group(made));
    }
    out.into_iter().collect()
}

/// Whether the expression could fall apart between these neighbours.
fn needed(inner: &TokenStream, before: Option<&TokenTree>, after: Option<&TokenTree>) -> bool {
    use syn::Expr as E;
    // A single token cannot, and types, patterns and visibilities are no expressions with operators.
    if inner.clone().into_iter().nth(1).is_none() {
        return false;
    }
    let Ok(expr) = syn::parse2::<syn::Expr>(inner.clone()) else {
        return false;
    };
    let separates = |token: Option<&TokenTree>| match token {
        None => true,
        Some(TokenTree::Punct(p)) => matches!(p.as_char(), ',' | ';'),
        Some(_) => false,
    };
    let postfix = match after {
        Some(TokenTree::Punct(p)) => matches!(p.as_char(), '.' | '?'),
        Some(TokenTree::Group(g)) => matches!(g.delimiter(), Delimiter::Parenthesis | Delimiter::Bracket),
        _ => false,
    };
    match expr {
        E::Binary(_) | E::Cast(_) | E::Assign(_) | E::Closure(_) => !separates(before) || !separates(after),
        // A sign binds tighter than any operator, and a range is a value only to a `for`.
        E::Unary(_) | E::Reference(_) | E::Range(_) => postfix,
        // At the begin of a statement they would be one.
        E::Block(_) | E::If(_) | E::Loop(_) | E::Match(_) | E::While(_) | E::ForLoop(_) | E::Unsafe(_) => {
            postfix || (matches!(after, Some(TokenTree::Punct(_))) && !separates(after))
        }
        _ => false,
    }
}
