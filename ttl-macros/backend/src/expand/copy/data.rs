//! Structs, arrays, `match`, methods of the user's types, assertions in the copy.

use super::{Copied, Copier, is_bare_literal, line, tie};
use crate::model::{Assert, Expr, ExprKind, FieldValue, ForEach, IfLet, Match, Pat, Pattern, Print};
use crate::parse::pat::member_name;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Token, token};
use ttl_skeleton as sk;

impl Copier<'_> {
    /// A value whose type is asked for: structs, variants, repeated values.
    pub(super) fn typed(&mut self, span: Span, tokens: TokenStream) -> (TokenStream, sk::Slot) {
        let (probe, slot) = self.probe(span);
        // rustc blames the argument, so it gets a name.
        let value = Ident::new("__ttl_v", span);
        let tie = tie(&value, &probe);
        (quote_spanned!(span=> { let #value = #tokens; #tie #value }), slot)
    }

    /// A struct or a variant: only plain data can be built.
    fn built(&mut self, span: Span, tokens: TokenStream) -> (TokenStream, sk::Slot) {
        let (probe, slot) = self.probe(span);
        let value = Ident::new("__ttl_v", span);
        let tie = tie(&value, &probe);
        (quote_spanned!(span=> { let #value = #tokens; ::ttl::rt::Built::check(&#value); #tie #value }), slot)
    }

    pub(super) fn struct_(
        &mut self,
        path: &syn::Path,
        brace: &token::Brace,
        variant: &Option<String>,
        fields: &[FieldValue],
        base: Option<&(Token![..], Box<Expr>)>,
    ) -> Copied {
        let mut inside = TokenStream::new();
        let mut sks = Vec::new();
        for field in fields {
            let (value, sk) = self.expr(&field.value, None);
            let member = &field.member;
            match field.colon {
                Some(colon) => inside.extend(quote!(#member #colon #value,)),
                None => inside.extend(quote!(#value,)),
            }
            sks.push((member_name(member), sk));
        }
        let mut base_sk = None;
        if let Some((dots, base)) = base {
            let (tokens, sk) = self.expr(base, None);
            inside.extend(quote!(#dots #tokens));
            base_sk = Some(Box::new(sk));
        }
        let mut tokens = path.to_token_stream();
        brace.surround(&mut tokens, |t| t.extend(inside));
        let (tokens, slot) = self.built(span_of(path), tokens);
        (tokens, sk::Expr::Struct { slot, variant: variant.clone(), fields: sks, base: base_sk })
    }

    pub(super) fn construct(&mut self, path: &syn::Path, paren: &token::Paren, variant: &str, args: &[Expr]) -> Copied {
        let (args, sks) = self.args(args);
        let mut tokens = path.to_token_stream();
        paren.surround(&mut tokens, |t| t.extend(args));
        let (tokens, slot) = self.built(span_of(path), tokens);
        let fields = sks.into_iter().enumerate().map(|(i, sk)| (i.to_string(), sk)).collect();
        (tokens, sk::Expr::Struct { slot, variant: Some(variant.to_string()), fields, base: None })
    }

    /// The names of a pattern: ties to stand at the beginning of what sees them. `refutable`: a name in lower case may be a constant,
    /// which rustc would compare with; that is an error in the copy.
    pub(super) fn bind_pattern(&mut self, pattern: &Pattern, refutable: bool) -> (TokenStream, sk::Pat) {
        let mut ties = TokenStream::new();
        let mut names = Vec::new();
        pattern.pat.bindings(&mut |b| names.push((b.name.clone(), b.local)));
        for (name, local) in names {
            let (probe, slot) = self.probe(name.span());
            self.set_slot(local, slot);
            ties.extend(tie(&name, &probe));
            if refutable {
                ties.extend(quote_spanned!(name.span()=> let _ = |#name @ _: ()| ();));
            }
        }
        (ties, self.pat(&pattern.pat))
    }

    fn pat(&self, pat: &Pat) -> sk::Pat {
        let all = |pats: &[Pat]| pats.iter().map(|p| self.pat(p)).collect();
        let boxed = |p: &Option<Box<Pat>>| p.as_ref().map(|p| Box::new(self.pat(p)));
        match pat {
            Pat::Wild => sk::Pat::Wild,
            Pat::Bind { binding, sub } => sk::Pat::Bind(binding.local, boxed(sub)),
            Pat::Bool(b) => sk::Pat::Bool(*b),
            Pat::Int(v) => sk::Pat::Int(*v),
            Pat::Const { index, .. } => sk::Pat::Const(self.first_const.saturating_add(*index)),
            Pat::Range { start, end, inclusive } => {
                sk::Pat::Range { start: boxed(start), end: boxed(end), inclusive: *inclusive }
            }
            Pat::Tuple(pats, rest) => sk::Pat::Tuple(all(pats), *rest),
            Pat::Struct { variant, fields } => sk::Pat::Struct {
                variant: variant.clone(),
                fields: fields.iter().map(|(name, p)| sk::FieldPat { name: name.clone(), pat: self.pat(p) }).collect(),
            },
            Pat::Variant { name, fields, rest } => {
                sk::Pat::Variant { name: name.clone(), fields: all(fields), rest: *rest }
            }
            Pat::Array(pats) => sk::Pat::Array(all(pats)),
            Pat::Or(pats) => sk::Pat::Or(all(pats)),
            Pat::Ref(p) => sk::Pat::Ref(Box::new(self.pat(p))),
        }
    }

    pub(super) fn match_(&mut self, e: &Match, expect: Option<sk::Slot>) -> Copied {
        let (value, value_sk) = self.expr(&e.value, None);
        let mut inside = TokenStream::new();
        let mut arms = Vec::new();
        for arm in &e.arms {
            let (ties, pat) = self.bind_pattern(&arm.pattern, true);
            let pattern = &arm.pattern.tokens;
            inside.extend(pattern.clone());
            let guard = match &arm.guard {
                None => None,
                Some((token, guard)) => {
                    let outside = std::mem::replace(&mut self.in_guard, true);
                    let (tokens, sk) = self.expr(guard, None);
                    self.in_guard = outside;
                    inside.extend(quote!(#token #tokens));
                    Some(sk)
                }
            };
            let (body, body_sk) = self.block(&arm.body, ties, expect);
            let arrow = &arm.arrow;
            inside.extend(quote!(#arrow #body));
            arms.push(sk::Arm { pat, guard, body: body_sk, line: arm.line });
        }
        // That a form is missing, rustc says about the user's own function.
        inside.extend(quote!(_ => loop {}));
        let token = &e.token;
        let mut tokens = quote!(#token #value);
        e.brace.surround(&mut tokens, |t| t.extend(inside));
        (tokens, sk::Expr::Match { value: Box::new(value_sk), arms })
    }

    pub(super) fn if_let(&mut self, e: &IfLet, expect: Option<sk::Slot>) -> Copied {
        let (value, value_sk) = self.expr(&e.value, None);
        let (ties, pat) = self.bind_pattern(&e.pattern, true);
        let (then, then_sk) = self.block(&e.then, ties, expect);
        let (els, els_sk) = match &e.els {
            None => (TokenStream::new(), sk::Block::default()),
            Some((token, els)) => {
                let (tokens, sk) = self.expr(els, expect);
                let tail = Some(Box::new(sk::Stmt { line: line(els.span), kind: sk::StmtKind::Expr(sk) }));
                (quote!(#token #tokens), sk::Block { stmts: Vec::new(), tail })
            }
        };
        let line = line(e.token.span);
        let arms = vec![
            sk::Arm { pat, guard: None, body: then_sk, line },
            sk::Arm { pat: sk::Pat::Wild, guard: None, body: els_sk, line },
        ];
        let (if_, let_, eq, pattern) = (&e.token, &e.let_token, &e.eq, &e.pattern.tokens);
        (quote!(#if_ #let_ #pattern #eq #value #then #els), sk::Expr::Match { value: Box::new(value_sk), arms })
    }

    pub(super) fn for_each(&mut self, e: &ForEach) -> Copied {
        let (array, array_sk) = self.expr(&e.array, None);
        let (ties, pat) = self.bind_pattern(&e.pattern, false);
        let (body, body_sk) = self.block(&e.body, ties, None);
        let (for_, in_, pattern) = (&e.token, &e.in_token, &e.pattern.tokens);
        let sk = sk::Expr::ForEach { pat, array: Box::new(array_sk), body: body_sk };
        (quote!(#for_ #pattern #in_ #array #body), sk)
    }

    /// A method that is none of ttl's: of a type of the user. Which one, the type of the receiver says.
    pub(super) fn user_method(
        &mut self,
        recv: &Expr,
        dot: &Token![.],
        name: &Ident,
        paren: &token::Paren,
        args: &[Expr],
    ) -> Copied {
        let (mut receiver, recv_sk) = self.expr(recv, None);
        let span = name.span();
        let (probe, slot) = self.probe(span);
        let of = Ident::new(&format!("__ttl_r{slot}"), span);
        self.before(quote_spanned!(span=> let #of = ::ttl::rt::Probe::new();));
        if is_place(recv) && !self.in_guard {
            self.before(quote_spanned!(span=> ::ttl::rt::DeviceTy::on_device(&#receiver, &#of);));
        } else {
            let value = Ident::new("__ttl_v", span);
            let tie = tie(&value, &of);
            receiver = quote_spanned!(span=> { let #value = #receiver; #tie #value });
        }
        let (args, sk_args) = self.args(args);
        let mut tokens = quote!(#receiver #dot #name);
        paren.surround(&mut tokens, |t| t.extend(args));
        let tag = tag(&name.to_string());
        let tokens = quote_spanned!(span=> ::ttl::rt::DeviceMethod::<_, _, #tag>::check(#tokens, &#of, &#probe));
        let sk = sk::Expr::UserMethod { slot, recv: Box::new(recv_sk), args: sk_args, line: line(span) };
        (tokens, sk)
    }

    /// `T::f(x)`.
    pub(super) fn associated(&mut self, callee: &syn::Path, paren: &token::Paren, args: &[Expr]) -> Copied {
        let mut owner = callee.clone();
        let mut segments: Vec<syn::PathSegment> = callee.segments.iter().cloned().collect();
        let name = segments.pop().map_or_else(|| Ident::new("f", Span::call_site()), |s| s.ident);
        owner.segments = segments.into_iter().collect();
        let span = name.span();
        let (probe, slot) = self.probe(span);
        let tag = tag(&name.to_string());
        let owner_span = span_of(&owner);
        let of = quote_spanned!(owner_span=> <#owner as ::ttl::rt::DeviceTy>::PROBE);
        let (args, sk_args) = self.args(args);
        let mut tokens = callee.to_token_stream();
        paren.surround(&mut tokens, |t| t.extend(args));
        let tokens = quote_spanned!(span=> ::ttl::rt::DeviceMethod::<_, _, #tag>::check(#tokens, &#of, &#probe));
        (tokens, sk::Expr::Call { slot, args: sk_args })
    }

    pub(super) fn print(&mut self, print: &Print) -> (TokenStream, sk::Print) {
        let mut tokens = TokenStream::new();
        let mut sks = Vec::new();
        for arg in &print.args {
            let (arg, sk) = self.expr(arg, None);
            tokens.extend(quote!(::ttl::rt::Printed::check(&(#arg));));
            sks.push(sk);
        }
        (tokens, sk::Print { format: print.format.clone(), args: sks })
    }

    /// A method of the block for whoever lowers it. That it is one is for the function as it is written to say.
    pub(super) fn print_tile(&mut self, parts: &[Expr], line: u32) -> Copied {
        let Some((block, numbers)) = parts.split_first() else {
            return (TokenStream::new(), sk::Expr::Tuple(Vec::new()));
        };
        let known = is_place(block);
        let (block, recv) = self.expr(block, None);
        let (numbers, args) = self.args(numbers);
        let sk = sk::Expr::Method { recv: Box::new(recv), name: "print_tile".to_string(), args, line };
        // A block that is gone is reported once.
        let block = if known { quote!(()) } else { block };
        (quote!(::ttl::rt::tile_numbers(&#block, [#numbers])), sk)
    }

    pub(super) fn assert(&mut self, a: &Assert) -> Copied {
        let (cond, cond_sk) = self.expr(&a.cond, None);
        let (shown, message) = match &a.message {
            None => (TokenStream::new(), None),
            Some(message) => {
                let (tokens, sk) = self.print(message);
                (tokens, Some(sk))
            }
        };
        let sk = sk::Assert { cond: cond_sk, what: a.what.clone(), message };
        // That it is a `bool` is for the function as it is written to say, once.
        (quote!({ let _ = #cond; #shown }), sk::Expr::Assert(Box::new(sk)))
    }
}

/// Whether evaluating it a second time has no effect and moves nothing: it can be borrowed for a moment before its use.
fn is_place(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Local { .. } => true,
        ExprKind::Field { base, .. } => is_place(base),
        ExprKind::Index { base, index, .. } => is_place(base) && is_simple(index),
        ExprKind::Paren { expr, .. } | ExprKind::Unary { op: sk::UnOp::Deref, expr, .. } => is_place(expr),
        _ => false,
    }
}

fn is_simple(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const { .. } | ExprKind::Int { .. } => true,
        ExprKind::Cast { expr, .. } | ExprKind::Paren { expr, .. } => is_simple(expr),
        ExprKind::Binary { left, right, .. } => is_simple(left) && is_simple(right),
        _ => is_place(e) || is_bare_literal(e),
    }
}

/// A method's name as a number, which types can carry.
pub(crate) fn tag(name: &str) -> Literal {
    let hash = name
        .trim_start_matches("r#")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    Literal::u64_unsuffixed(hash)
}

fn span_of(path: &syn::Path) -> Span {
    path.segments.last().map_or_else(Span::call_site, |s| s.ident.span())
}
