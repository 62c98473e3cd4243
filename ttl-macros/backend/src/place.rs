//! Accumulators get a number each. `compute.zeros(rows, cols)` may need a buffer in L1, which the native run and the generated C++ have to find
//! for the same call: there the line does not tell two calls apart, and what a `macro_rules!` writes has the line of its call.
//!
//! So `cols` becomes `{ ::ttl::rt::place(number); cols }` in the function that is emitted, and the number goes with the call into the skeleton.

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Token;
use syn::parse::Parser;
use syn::punctuated::Punctuated;

/// The method that makes an accumulator.
const METHOD: &str = "zeros";

/// The item with a number at each call that makes an accumulator.
pub(crate) fn number(tokens: TokenStream) -> TokenStream {
    if !has_call(&tokens) {
        return tokens;
    }
    // Other functions number theirs too: the numbers start from what this one says and where it says it.
    let start = tokens.clone().into_iter().map(|t| t.span().start()).next();
    let at = start.map_or((0, 0), |at| (at.line, at.column));
    let text = format!("{at:?}{tokens}");
    // FNV-1a.
    let mut next =
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    numbered(tokens, &mut next)
}

fn is(token: Option<&TokenTree>, name: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident == name)
}

fn has_call(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => has_call(&group.stream()),
        token => is(Some(&token), METHOD),
    })
}

fn numbered(tokens: TokenStream, next: &mut u64) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = token else {
            out.push(token);
            continue;
        };
        let mut inner = numbered(group.stream(), next);
        let mut before = out.iter().rev();
        let is_call = group.delimiter() == Delimiter::Parenthesis
            && is(before.next(), METHOD)
            && matches!(before.next(), Some(TokenTree::Punct(dot)) if dot.as_char() == '.');
        if is_call && let Some(args) = arguments(&inner, *next) {
            inner = args;
            *next = next.wrapping_add(1);
        }
        let mut made = Group::new(group.delimiter(), inner);
        made.set_span(group.span());
        out.push(TokenTree::Group(made));
    }
    out.into_iter().collect()
}

/// `rows, { ::ttl::rt::place(number); cols }`; `None` if there are not two arguments: rustc says so then.
fn arguments(tokens: &TokenStream, number: u64) -> Option<TokenStream> {
    let args = Punctuated::<syn::Expr, Token![,]>::parse_terminated.parse2(tokens.clone()).ok()?;
    let mut args = args.into_iter();
    let (rows, cols) = (args.next()?, args.next()?);
    if args.next().is_some() {
        return None;
    }
    // What begins like a statement would end like one.
    let simple = matches!(cols, syn::Expr::Lit(_) | syn::Expr::Path(_) | syn::Expr::Paren(_) | syn::Expr::Group(_));
    let cols = if simple { cols.to_token_stream() } else { quote!((#cols)) };
    let number = Literal::u64_suffixed(number);
    Some(quote!(#rows, { ::ttl::rt::place(#number); #cols }))
}

/// The number and the expression of a numbered argument.
pub(crate) fn of(expr: &syn::Expr) -> Option<(u64, &syn::Expr)> {
    let syn::Expr::Block(block) = expr else { return None };
    let [syn::Stmt::Expr(syn::Expr::Call(call), Some(_)), syn::Stmt::Expr(value, None)] = block.block.stmts.as_slice()
    else {
        return None;
    };
    let syn::Expr::Path(function) = &*call.func else { return None };
    let names: Vec<String> = function.path.segments.iter().map(|s| s.ident.to_string()).collect();
    let is_place = function.path.leading_colon.is_some() && names == ["ttl", "rt", "place"];
    match call.args.first() {
        Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. })) if is_place => {
            Some((number.base10_parse().ok()?, value))
        }
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn numbers(source: &str) -> Vec<u64> {
        let mut found = Vec::new();
        collect(number(source.parse().unwrap()), &mut found);
        found
    }

    fn collect(tokens: TokenStream, found: &mut Vec<u64>) {
        for token in tokens {
            let TokenTree::Group(group) = token else { continue };
            let block: TokenStream = [TokenTree::Group(group.clone())].into_iter().collect();
            if let Ok(expr) = syn::parse2::<syn::Expr>(block)
                && let Some((number, _)) = of(&expr)
            {
                found.push(number);
            }
            collect(group.stream(), found);
        }
    }

    #[test]
    fn each_call_has_its_number() {
        let two = numbers("fn f(c: &Compute) { let (a, b) = (c.zeros(1, 2), c.zeros(N, if x { 1 } else { 2 } + 1)); }");
        assert_eq!(two.len(), 2);
        assert_ne!(two.first(), two.last());
        // Another function, another number.
        let other = numbers("fn g(c: &Compute) { c.zeros(1, 2); }");
        assert!(other.iter().all(|n| !two.contains(n)) && other.len() == 1);
        // Not a call of the method, or not one that compiles.
        assert_eq!(numbers("fn f(zeros: u32) { g(zeros(1, 2), a.zeros, a.zeros(1), a.zeros(1, 2, 3)); }"), []);
    }
}
