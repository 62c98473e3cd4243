//! Macros that kernels may call: printing, assertions, zones, `matches!`.

use super::Parser;
use crate::messages as m;
use crate::model::{Assert, Expr, ExprKind, Print};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Ident, LitStr, Token};
use ttl_skeleton as sk;

type Args = Punctuated<syn::Expr, Token![,]>;

impl Parser<'_> {
    pub(super) fn macro_expr(&mut self, mac: syn::Macro) -> ExprKind {
        let name = mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        // `ttl::print!` is ours, `print!` is Rust's.
        let ours = mac.path.segments.len() > 1;
        match name.as_str() {
            "matches" => self.matches(mac),
            "assert" | "debug_assert" => self.assert(mac),
            "assert_eq" | "debug_assert_eq" => self.assert_two(mac, sk::BinOp::Eq),
            "assert_ne" | "debug_assert_ne" => self.assert_two(mac, sk::BinOp::Ne),
            "panic" | "unreachable" | "todo" | "unimplemented" => {
                let what = match name.as_str() {
                    "panic" => "explicit panic",
                    "unreachable" => "entered unreachable code",
                    "todo" => "not yet implemented",
                    _ => "not implemented",
                };
                match self.arguments(&mac).and_then(|args| self.message(args)) {
                    Some(message) => {
                        let plain = Print { format: what.to_string(), args: Vec::new() };
                        ExprKind::Panic(message.unwrap_or(plain))
                    }
                    None => ExprKind::Refused,
                }
            }
            "print" if ours => match self.arguments(&mac).and_then(|args| self.message(args)) {
                Some(Some(print)) => ExprKind::Print(print),
                Some(None) => self.no(mac.path, &m::PRINT_FORMAT),
                None => ExprKind::Refused,
            },
            "print_tile" if ours => self.print_tile(mac),
            "zone" if ours => match syn::parse2::<LitStr>(mac.tokens.clone()) {
                Ok(name) => ExprKind::Zone(name.value()),
                Err(_) => self.no(mac.path, &m::ZONE_NAME),
            },
            _ => {
                self.macro_call(&mac);
                ExprKind::Refused
            }
        }
    }

    /// `x, tile` or `x, tile, 0..4, 0..8`.
    fn print_tile(&mut self, mac: syn::Macro) -> ExprKind {
        let Some(args) = self.arguments(&mac) else { return ExprKind::Refused };
        let mut args = args.into_iter();
        let (Some(block), Some(tile)) = (args.next(), args.next()) else {
            return self.no(mac.path, &m::PRINT_TILE);
        };
        let mut parts = vec![self.expr(block), self.expr(tile)];
        let mut ranges: Vec<syn::Expr> = args.collect();
        if ranges.is_empty() {
            ranges = vec![syn::parse_quote!(0..32), syn::parse_quote!(0..32)];
        }
        if ranges.len() != 2 {
            return self.no(mac.path, &m::PRINT_TILE);
        }
        for range in ranges {
            match range {
                syn::Expr::Range(syn::ExprRange {
                    start: Some(start),
                    end: Some(end),
                    limits: syn::RangeLimits::HalfOpen(_),
                    ..
                }) => parts.extend([self.expr(*start), self.expr(*end)]),
                other => return self.no(other, &m::PRINT_TILE),
            }
        }
        ExprKind::PrintTile(parts)
    }

    fn arguments(&mut self, mac: &syn::Macro) -> Option<Vec<syn::Expr>> {
        match Args::parse_terminated.parse2(mac.tokens.clone()) {
            Ok(args) => Some(args.into_iter().collect()),
            Err(error) => {
                self.report.push(error);
                None
            }
        }
    }

    fn assert(&mut self, mac: syn::Macro) -> ExprKind {
        let Some(mut args) = self.arguments(&mac) else { return ExprKind::Refused };
        if args.is_empty() {
            return self.no(mac.path, &m::ASSERT_CONDITION);
        }
        let rest = args.split_off(1);
        let Some(cond) = args.pop() else { return ExprKind::Refused };
        let what = format!("assertion failed: {}", readable(cond.to_token_stream()));
        let cond = self.expr(cond);
        match self.message(rest) {
            Some(message) => ExprKind::Assert(Box::new(Assert { cond, what, message })),
            None => ExprKind::Refused,
        }
    }

    fn assert_two(&mut self, mac: syn::Macro, op: sk::BinOp) -> ExprKind {
        let Some(mut args) = self.arguments(&mac) else { return ExprKind::Refused };
        if args.len() < 2 {
            return self.no(mac.path, &m::ASSERT_TWO);
        }
        let rest = args.split_off(2);
        let (Some(right), Some(left)) = (args.pop(), args.pop()) else { return ExprKind::Refused };
        let symbol = if op == sk::BinOp::Eq { "==" } else { "!=" };
        let what = format!("assertion `left {symbol} right` failed");
        let token = if op == sk::BinOp::Eq {
            syn::BinOp::Eq(Token![==](Span::call_site()))
        } else {
            syn::BinOp::Ne(Token![!=](Span::call_site()))
        };
        let (left, right) = (self.boxed(left), self.boxed(right));
        let cond = Expr { span: left.span, kind: ExprKind::Binary { op, token, left, right } };
        match self.message(rest) {
            Some(message) => ExprKind::Assert(Box::new(Assert { cond, what, message })),
            None => ExprKind::Refused,
        }
    }

    /// `"text {} {x}", a`: nothing, or the text with its operands in order. Refused if it is none of the two.
    fn message(&mut self, args: Vec<syn::Expr>) -> Option<Option<Print>> {
        let mut args = args.into_iter();
        let Some(first) = args.next() else { return Some(None) };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &first else {
            self.report.refuse(first, &m::PRINT_FORMAT);
            return None;
        };
        let mut given: Vec<Option<syn::Expr>> = args.map(Some).collect();
        let (mut format, mut operands, mut next) = (String::new(), Vec::new(), 0_usize);
        let value = text.value();
        let mut chars = value.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '{' || chars.peek() == Some(&'{') {
                format.push(c);
                if matches!(c, '{' | '}') {
                    format.extend(chars.next());
                }
                continue;
            }
            let hole: String = chars.by_ref().take_while(|c| *c != '}').collect();
            let (name, spec) = match hole.split_once(':') {
                Some((name, spec)) => (name.trim().to_string(), spec.trim().to_string()),
                None => (hole.trim().to_string(), String::new()),
            };
            if !is_plain(&spec) {
                self.report.refuse(text, &m::PRINT_SPEC);
                return None;
            }
            let operand = if name.is_empty() {
                let at = next;
                next = next.saturating_add(1);
                given.get_mut(at).and_then(Option::take)
            } else if let Ok(at) = name.parse::<usize>() {
                given.get(at).cloned().flatten()
            } else {
                syn::parse_str::<Ident>(&name).ok().map(|mut ident| {
                    ident.set_span(text.span());
                    syn::parse_quote!(#ident)
                })
            };
            let Some(operand) = operand else {
                self.report.refuse(text, &m::PRINT_OPERAND);
                return None;
            };
            operands.push(self.expr(operand));
            format.push_str(if spec.is_empty() { "{" } else { "{:" });
            format.push_str(&spec);
            format.push('}');
        }
        Some(Some(Print { format, args: operands }))
    }
}

/// A format that Rust and the device's printing read alike.
fn is_plain(spec: &str) -> bool {
    spec.chars().all(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X' | 'b' | '#' | '.' | '<' | '>' | '^' | '+'))
}

/// The tokens as somebody would write them, near enough for a message.
fn readable(tokens: TokenStream) -> String {
    let text = quote!(#tokens).to_string();
    let text = text.replace(" . ", ".").replace(" (", "(").replace("( ", "(").replace(" )", ")").replace(" ,", ",");
    text.replace(" :: ", "::").replace("& ", "&").replace(" [", "[").replace("[ ", "[").replace(" ]", "]")
}
