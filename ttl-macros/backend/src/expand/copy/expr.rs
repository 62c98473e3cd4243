//! Expressions of the copy.

use super::{Copied, Copier, is_bare_literal, line, supported, tie};
use crate::model::{Adapter, Expr, ExprKind, For, If, Range, Step};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use ttl_skeleton as sk;

impl Copier<'_> {
    /// `expect` is the slot of a place whose type the expression has, if it is a literal or ends in one: then the literal
    /// needs no probe and stays where it is.
    pub(super) fn expr(&mut self, expr: &Expr, expect: Option<sk::Slot>) -> Copied {
        match &expr.kind {
            ExprKind::Refused => (quote!(()), sk::Expr::Unit),
            ExprKind::Unit(paren) => {
                let mut tokens = TokenStream::new();
                paren.surround(&mut tokens, |_| {});
                (tokens, sk::Expr::Unit)
            }
            ExprKind::Bool(lit) => (lit.to_token_stream(), sk::Expr::Bool(lit.value)),
            ExprKind::Int { lit, value, ty } => {
                let (tokens, slot) = self.literal(lit, ty.or(expect));
                let value = *value;
                (tokens, sk::Expr::Int { value, slot })
            }
            ExprKind::Float { lit, text, ty } => {
                let (tokens, slot) = self.literal(lit, ty.or(expect));
                let text = text.clone();
                (tokens, sk::Expr::Float { text, slot })
            }
            // Resolved before.
            ExprKind::Path(path) => (path.to_token_stream(), sk::Expr::Unit),
            ExprKind::QPath(path) => (path.clone(), sk::Expr::Unit),
            ExprKind::Local { name, local } => (name.to_token_stream(), sk::Expr::Local(*local)),
            ExprKind::Const { path, index } => {
                let slot = self.first_const.saturating_add(*index);
                (path.clone(), sk::Expr::Const(slot))
            }
            ExprKind::Struct { path, brace, variant, fields, base } => {
                self.struct_(path, brace, variant, fields, base.as_ref())
            }
            ExprKind::Construct { path, paren, variant, args } => self.construct(path, paren, variant, args),
            ExprKind::Tuple { paren, elems } => {
                let (inside, sks) = self.args(elems);
                let comma = (elems.len() == 1).then(|| quote!(,));
                let mut tokens = TokenStream::new();
                paren.surround(&mut tokens, |t| t.extend(quote!(#inside #comma)));
                (tokens, sk::Expr::Tuple(sks))
            }
            ExprKind::Array { bracket, elems } => {
                let (inside, sks) = self.args(elems);
                let mut tokens = TokenStream::new();
                bracket.surround(&mut tokens, |t| t.extend(inside));
                (tokens, sk::Expr::Array(sks))
            }
            ExprKind::Repeat { bracket, value, semi, len } => {
                let (value, sk) = self.expr(value, None);
                let mut tokens = TokenStream::new();
                bracket.surround(&mut tokens, |t| t.extend(quote!(#value #semi #len)));
                let (tokens, slot) = self.typed(semi.span, tokens);
                (tokens, sk::Expr::Repeat { slot, value: Box::new(sk) })
            }
            ExprKind::Field { base, dot, member } => {
                let (base, sk) = self.expr(base, None);
                let name = crate::parse::pat::member_name(member);
                (quote!(#base #dot #member), sk::Expr::Field { base: Box::new(sk), name })
            }
            ExprKind::Index { base, bracket, index } => {
                let (base, base_sk) = self.expr(base, None);
                // An index is a `usize`; rustc says so where it is something else.
                let (index, index_sk) = self.expr(index, None);
                let mut tokens = base;
                bracket.surround(&mut tokens, |t| t.extend(index));
                let line = line(bracket.span.open());
                (tokens, sk::Expr::Index { base: Box::new(base_sk), index: Box::new(index_sk), line })
            }
            ExprKind::Match(e) => self.match_(e, expect),
            ExprKind::IfLet(e) => self.if_let(e, expect),
            ExprKind::ForEach(e) => self.for_each(e),
            ExprKind::Print(print) => {
                let (tokens, sk) = self.print(print);
                (quote!({ #tokens }), sk::Expr::Print(sk))
            }
            ExprKind::PrintTile(parts) => self.print_tile(parts, line(expr.span)),
            ExprKind::Assert(a) => self.assert(a),
            ExprKind::Panic(print) => {
                let (tokens, sk) = self.print(print);
                (quote!({ #tokens ::core::panic!() }), sk::Expr::Panic(sk))
            }
            ExprKind::Zone(name) => (quote!({}), sk::Expr::Zone(name.clone())),
            ExprKind::Unary { op, token, expr } => {
                let expect = expect.filter(|_| *op == sk::UnOp::Neg && is_bare_literal(expr));
                let (tokens, sk) = self.expr(expr, expect);
                (quote!(#token #tokens), sk::Expr::Unary(*op, Box::new(sk)))
            }
            ExprKind::Binary { op, token, left, right } => {
                let (on_left, on_right) = self.sides(*op, left, right);
                let (l, left_sk) = self.expr(left, on_left.filter(|_| is_bare_literal(left)));
                let (r, right_sk) = self.expr(right, on_right.filter(|_| is_bare_literal(right)));
                let sk = sk::Expr::Binary(*op, Box::new(left_sk), Box::new(right_sk));
                (quote!(#l #token #r), sk)
            }
            ExprKind::Assign { place, token, value } => {
                let (p, place_sk) = self.expr(place, None);
                let (v, value_sk) = self.expr(value, self.local_slot(place));
                let sk = sk::Expr::Assign(Box::new(place_sk), Box::new(value_sk));
                (quote!(#p #token #v), sk)
            }
            ExprKind::AssignOp { op, token, place, value } => {
                let (p, place_sk) = self.expr(place, None);
                let shift = matches!(op, sk::BinOp::Shl | sk::BinOp::Shr);
                let same = self.local_slot(place).filter(|_| !shift && is_bare_literal(value));
                let (v, value_sk) = self.expr(value, same);
                let sk = sk::Expr::AssignOp(*op, Box::new(place_sk), Box::new(value_sk));
                (quote!(#p #token #v), sk)
            }
            ExprKind::Cast { expr, token, ty } => {
                let (tokens, sk) = self.expr(expr, None);
                let slot = ty.slot.unwrap_or(0);
                let ty = &ty.syn;
                (quote!(#tokens #token #ty), sk::Expr::Cast(Box::new(sk), slot))
            }
            ExprKind::Ref { token, mutability, place } => {
                let (tokens, sk) = self.expr(place, None);
                let sk = sk::Expr::Ref { mutable: mutability.is_some(), place: Box::new(sk) };
                (quote!(#token #mutability #tokens), sk)
            }
            ExprKind::Paren { paren, expr } => {
                let (inner, sk) = self.expr(expr, expect);
                let mut tokens = TokenStream::new();
                match paren {
                    Some(paren) => paren.surround(&mut tokens, |t| t.extend(inner)),
                    None => {
                        let group = Group::new(Delimiter::None, inner);
                        tokens.extend([TokenTree::Group(group)]);
                    }
                }
                (tokens, sk)
            }
            ExprKind::Placed { expr, number } => {
                let (tokens, sk) = self.expr(expr, expect);
                (tokens, sk::Expr::Placed(Box::new(sk), *number))
            }
            ExprKind::Call { callee, paren, args } if is_associated(callee) => self.associated(callee, paren, args),
            ExprKind::Call { callee, paren, args } if args.iter().any(|a| self.is_closure(a)) => {
                self.call_with_closures(last_span(callee.to_token_stream()), callee, paren, args)
            }
            ExprKind::Closure(closure) => self.closure(closure),
            ExprKind::CallClosure { name, local, paren, args } => self.call_closure(name, *local, paren, args),
            ExprKind::Call { callee, paren, args } => {
                let span = last_span(callee.to_token_stream());
                let (probe, slot) = self.probe(span);
                self.before(quote_spanned!(span=> ::ttl::rt::Callable::check(&#probe);));
                let (args, sk_args) = self.args(args);
                let (twin, function) = self.twin(callee);
                let mut tokens = quote_spanned!(span=> #twin::device_fn(&#probe, #function));
                paren.surround(&mut tokens, |t| t.extend(args));
                let sk = sk::Expr::Call { slot, args: sk_args };
                (tokens, sk)
            }
            ExprKind::FromBits { callee, paren, arg } => {
                let (arg, sk) = self.expr(arg, None);
                let mut tokens = callee.to_token_stream();
                paren.surround(&mut tokens, |t| t.extend(arg));
                let sk = sk::Expr::Method {
                    recv: Box::new(sk),
                    name: "from_bits".to_string(),
                    args: Vec::new(),
                    line: line(expr.span),
                };
                (tokens, sk)
            }
            ExprKind::Method { recv, dot, name, paren, args } if !sk::is_method(&name.to_string()) => {
                self.user_method(recv, dot, name, paren, args)
            }
            ExprKind::Method { recv, dot, name, paren, args } => {
                let (mut tokens, recv_sk) = self.expr(recv, None);
                let (args, sk_args) = self.args(args);
                dot.to_tokens(&mut tokens);
                name.to_tokens(&mut tokens);
                paren.surround(&mut tokens, |t| t.extend(args));
                let sk = sk::Expr::Method {
                    recv: Box::new(recv_sk),
                    name: name.to_string(),
                    args: sk_args,
                    line: line(name.span()),
                };
                (tokens, sk)
            }
            ExprKind::Block(block) => {
                let (tokens, sk) = self.block(block, TokenStream::new(), expect);
                (tokens, sk::Expr::Block(sk))
            }
            ExprKind::If(e) => self.if_(e, expect),
            ExprKind::While { token, cond, body } => {
                let (cond, cond_sk) = self.expr(cond, None);
                let (body, body_sk) = self.block(body, TokenStream::new(), None);
                let sk = sk::Expr::While { cond: Box::new(cond_sk), body: body_sk };
                (quote!(#token #cond #body), sk)
            }
            ExprKind::Loop { token, body } => {
                let (body, body_sk) = self.block(body, TokenStream::new(), None);
                (quote!(#token #body), sk::Expr::Loop { body: body_sk })
            }
            ExprKind::For(e) => self.for_(e),
            ExprKind::Break(token) => (token.to_token_stream(), sk::Expr::Break),
            ExprKind::Continue(token) => (token.to_token_stream(), sk::Expr::Continue),
            ExprKind::Return { token, value } => match value {
                None => (token.to_token_stream(), sk::Expr::Return(None)),
                Some(value) => {
                    let ret = self.func.ret.as_ref();
                    let (tokens, sk) = self.expr(value, ret.and_then(|ty| ty.slot));
                    let tokens = match ret {
                        Some(_) => quote!(#token #tokens),
                        None => quote!({ let _ = #tokens; #token }),
                    };
                    (tokens, sk::Expr::Return(Some(Box::new(sk))))
                }
            },
        }
    }

    /// In place if its type is known, else as a variable of its own before the statement: not a call, which would change what the borrow
    /// checker says about the code around it.
    fn literal(&mut self, lit: &syn::Lit, known: Option<sk::Slot>) -> (TokenStream, sk::Slot) {
        if let Some(slot) = known {
            return (lit.to_token_stream(), slot);
        }
        let (probe, slot) = self.probe(lit.span());
        let name = Ident::new(&format!("__ttl_l{slot}"), lit.span());
        let tie = tie(&name, &probe);
        self.before(quote!(let #name = #lit; #tie));
        if matches!(lit, syn::Lit::Float(_)) {
            self.before(supported(lit.span(), &probe));
        }
        (name.to_token_stream(), slot)
    }

    pub(super) fn args(&mut self, args: &[Expr]) -> (TokenStream, Vec<sk::Expr>) {
        let mut tokens = Vec::new();
        let mut sks = Vec::new();
        for arg in args {
            let (t, sk) = self.expr(arg, None);
            tokens.push(t);
            sks.push(sk);
        }
        (quote!(#(#tokens),*), sks)
    }

    pub(super) fn local_slot(&self, expr: &Expr) -> Option<sk::Slot> {
        match &expr.kind {
            ExprKind::Local { local, .. } => self.slot_of(*local),
            _ => None,
        }
    }

    fn if_(&mut self, e: &If, expect: Option<sk::Slot>) -> Copied {
        let token = &e.token;
        let (cond, cond_sk) = self.expr(&e.cond, None);
        let (then, then_sk) = self.block(&e.then, TokenStream::new(), expect);
        let (els, els_sk) = match &e.els {
            None => (TokenStream::new(), None),
            Some((token, els)) => {
                let (tokens, sk) = self.expr(els, expect);
                (quote!(#token #tokens), Some(Box::new(sk)))
            }
        };
        let sk = sk::Expr::If { cond: Box::new(cond_sk), then: then_sk, els: els_sk };
        (quote!(#token #cond #then #els), sk)
    }

    fn for_(&mut self, e: &For) -> Copied {
        let name = &e.binding.name;
        let range = &e.range;
        // Both ends have one type.
        let known = self.scalar(&range.start).or_else(|| self.scalar(&range.end));
        let (slot, tie) = match known {
            Some(slot) => (slot, TokenStream::new()),
            None => {
                let (probe, slot) = self.probe(name.span());
                (slot, tie(name, &probe))
            }
        };
        let (start, start_sk) = self.expr(&range.start, Some(slot).filter(|_| is_bare_literal(&range.start)));
        let (end, end_sk) = self.expr(&range.end, Some(slot).filter(|_| is_bare_literal(&range.end)));
        self.set_slot(e.binding.local, slot);
        // Ranges run over integers, and over nothing else that is known to the device.
        self.set_scalar(e.binding.local);
        let (body, body_sk) = self.block(&e.body, tie, None);

        let limits = &range.limits;
        let mut tokens = TokenStream::new();
        match &range.paren {
            Some(paren) => paren.surround(&mut tokens, |t| t.extend(quote!(#start #limits #end))),
            None => tokens.extend(quote!(#start #limits #end)),
        }
        let mut adapters = Vec::new();
        for adapter in &range.adapters {
            adapters.push(self.adapter(adapter, slot, &mut tokens));
        }
        let sk = sk::Expr::For {
            local: (!e.binding.wild).then_some(e.binding.local),
            range: sk::Range {
                start: Box::new(start_sk),
                end: Box::new(end_sk),
                inclusive: is_closed(range),
                adapters,
                slot,
            },
            body: body_sk,
        };
        let (for_, mutability, in_) = (&e.token, &e.binding.mutability, &e.in_token);
        (quote!(#for_ #mutability #name #in_ #tokens #body), sk)
    }

    fn adapter(&self, adapter: &Adapter, range: sk::Slot, tokens: &mut TokenStream) -> sk::Adapter {
        adapter.dot.to_tokens(tokens);
        adapter.name.to_tokens(tokens);
        let (step, sk) = match &adapter.step {
            None => (TokenStream::new(), sk::Adapter::Rev),
            Some(Step::Literal { lit, value }) => {
                // Its type is `usize`; lowering looks at the number only.
                let int = sk::Expr::Int { value: *value, slot: range };
                (lit.to_token_stream(), sk::Adapter::StepBy(int))
            }
            Some(Step::Const { tokens, index, .. }) => {
                let slot = self.first_const.saturating_add(*index);
                let konst = sk::Expr::Const(slot);
                (tokens.clone(), sk::Adapter::StepBy(konst))
            }
        };
        adapter.paren.surround(tokens, |t| t.extend(step));
        sk
    }
}

/// A function of a type: `T::f`.
fn is_associated(callee: &syn::Path) -> bool {
    let owner = callee.segments.iter().rev().nth(1);
    owner.is_some_and(|s| s.ident.to_string().starts_with(char::is_uppercase))
}

fn is_closed(range: &Range) -> bool {
    matches!(range.limits, syn::RangeLimits::Closed(_))
}

fn last_span(tokens: TokenStream) -> Span {
    tokens.into_iter().last().map_or_else(Span::call_site, |t| t.span())
}
