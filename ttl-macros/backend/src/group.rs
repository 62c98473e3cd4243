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

#[cfg(test)]
mod tests {
    use super::visible;
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

    fn parse(text: &str) -> TokenStream {
        text.parse().unwrap_or_default()
    }

    /// The tokens with `x` in an invisible group for each `X`.
    fn passed_on(tokens: TokenStream, x: &str) -> TokenStream {
        let replace = |token| match token {
            TokenTree::Ident(ident) if ident == "X" => TokenTree::Group(Group::new(Delimiter::None, parse(x))),
            TokenTree::Group(group) => TokenTree::Group(Group::new(group.delimiter(), passed_on(group.stream(), x))),
            other => other,
        };
        tokens.into_iter().map(replace).collect()
    }

    #[test]
    fn parentheses_where_an_operand_could_fall_apart() {
        for (around, x, expected) in [
            ("X * 2", "a + b", "(a+b)*2"),
            ("1 - X", "a - b", "1-(a-b)"),
            ("X + 1", "a as u32", "(aasu32)+1"),
            ("X.abs()", "-a", "(-a).abs()"),
            ("X + 1", "-a", "-a+1"),
            ("X + 1", "if a { b } else { c }", "(ifa{b}else{c})+1"),
            ("X;", "if a { b } else { c }", "ifa{b}else{c};"),
            ("f(c, X)", "a + b", "f(c,a+b)"),
            ("f(c, X * X)", "a + b", "f(c,(a+b)*(a+b))"),
            ("X + 1", "f(a)", "f(a)+1"),
            ("X * 2", "a", "a*2"),
            ("fn f(x: X)", "&u32", "fnf(x:&u32)"),
        ] {
            let got = visible(passed_on(parse(around), x));
            assert_eq!(got.to_string().replace(' ', ""), expected, "{around} with {x}");
        }
    }
}
