//! The copy of the body that never runs, with its probes, and the skeleton beside it.
//!
//! Slots number the items: first the types written in the function, then its constants, then the probes in the order in which they
//! are made here. A block hands its probes to the block around it (`carry`), which keeps that order.
//!
//! Tokens that can be wrong carry the user's span; everything else the span of the attribute.

mod closure;
pub(crate) mod data;
mod expr;
mod scalar;
mod twin;

use crate::check::flow::Flow;
use crate::check::scope::Scope;
use crate::model::{Binding, Block, Expr, ExprKind, Func, Param, Stmt, Ty};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Token;
use ttl_skeleton as sk;

type Copied = (TokenStream, sk::Expr);

pub(crate) struct Copy {
    pub(crate) closure: TokenStream,
    pub(crate) def: sk::Def,
    pub(crate) has_probes: bool,
}

/// A block that is being copied.
#[derive(Default)]
struct Frame {
    /// What has to stand before the current statement: probes, literals.
    prelude: TokenStream,
    /// Probes and carriers to hand on.
    probes: Vec<Ident>,
}

struct Copier<'a> {
    func: &'a Func,
    flow: &'a Flow,
    frames: Vec<Frame>,
    next_slot: sk::Slot,
    next_carrier: u32,
    first_const: sk::Slot,
    locals: Vec<sk::LocalDecl>,
    /// Locals that are known to be scalars.
    scalars: Vec<bool>,
    scope: &'a Scope,
    /// The functions that it calls.
    twins: Vec<twin::Twin>,
    /// In the guard of an arm, whose names are not there before the `match`.
    in_guard: bool,
}

impl Copy {
    pub(crate) fn of(func: &Func, scope: &Scope, flow: &Flow) -> Copy {
        let first_const = func.types.list.len() as sk::Slot;
        let copier = Copier {
            func,
            flow,
            frames: Vec::new(),
            next_slot: first_const.saturating_add(scope.consts.len() as sk::Slot),
            next_carrier: 0,
            first_const,
            scope,
            twins: Vec::new(),
            in_guard: false,
            scalars: vec![false; scope.locals.len()],
            locals: scope
                .locals
                .iter()
                .map(|l| sk::LocalDecl { name: l.name.clone(), mutable: l.mutable, slot: 0 })
                .collect(),
        };
        copier.function()
    }
}

/// A copied block without its braces.
struct Parts {
    stmts: TokenStream,
    tail: Option<TokenStream>,
    skeleton: sk::Block,
}

impl Copier<'_> {
    fn function(mut self) -> Copy {
        let func = self.func;
        self.frames.push(Frame::default());
        let mut out = TokenStream::new();
        for (ty, name) in self.scalar_types() {
            let name = Ident::new(name, Span::call_site());
            out.extend(quote!(let _: #ty = ::ttl::rt::any::<::core::primitive::#name>();));
        }
        for param in &func.params {
            out.extend(self.param(param));
        }
        let ret = func.ret.as_ref().and_then(|ty| ty.slot);
        let parts = self.parts(&func.body, ret);
        out.extend(parts.stmts);
        let probes = self.frames.pop().unwrap_or_default().probes;
        if !probes.is_empty() {
            out.extend(carry(&Ident::new("__ttl_root", Span::call_site()), &probes));
        }
        let out = [self.imports(), out].into_iter().collect::<TokenStream>();
        let closure = match (&func.ret, parts.tail) {
            // A value where there should be none is reported for the user's function; the copy accepts it.
            (None, Some(tail)) => quote!(|| { #out let _ = #tail; }),
            (None, None) => quote!(|| { #out }),
            (Some(ty), tail) => {
                let ty = &ty.syn;
                let tail = tail.unwrap_or_else(|| quote!(::ttl::rt::any()));
                quote!(|| -> #ty { #out #tail })
            }
        };
        let name = func.original.sig.ident.to_string();
        Copy {
            closure,
            has_probes: !probes.is_empty(),
            def: sk::Def {
                name: name.trim_start_matches("r#").to_string(),
                line: line(func.original.sig.ident.span()),
                locals: self.locals,
                params: func.params.len() as u32,
                ret,
                body: parts.skeleton,
            },
        }
    }

    fn param(&mut self, param: &Param) -> TokenStream {
        let binding = &param.binding;
        let (name, mutability, ty) = (&binding.name, &binding.mutability, &param.ty.syn);
        let slot = param.ty.slot.unwrap_or(0);
        self.set_slot(binding.local, slot);
        if let Some(closure) = &param.closure {
            let pointer = &closure.pointer;
            return quote!(let #mutability #name: #pointer = ::ttl::rt::any(););
        }
        if self.is_scalar_type(slot) {
            self.set_scalar(binding.local);
        }
        let mut out = quote!(let #mutability #name: #ty = ::ttl::rt::any(););
        out.extend(self.uneven(binding.local, None, Some(&param.ty)));
        out
    }

    /// A block with its braces. `expect` is the slot of the block's value, where that is known.
    fn block(&mut self, block: &Block, before: TokenStream, expect: Option<sk::Slot>) -> (TokenStream, sk::Block) {
        self.frames.push(Frame::default());
        let parts = self.parts(block, expect);
        let probes = self.frames.pop().unwrap_or_default().probes;
        let carried = if probes.is_empty() {
            TokenStream::new()
        } else {
            let number = self.next_carrier;
            self.next_carrier = number.saturating_add(1);
            let carrier = Ident::new(&format!("__ttl_k{number}"), Span::call_site());
            self.declare(&carrier);
            carry(&carrier, &probes)
        };
        let (stmts, tail) = (parts.stmts, parts.tail);
        let mut tokens = TokenStream::new();
        block.brace.surround(&mut tokens, |t| t.extend(quote!(#before #stmts #carried #tail)));
        (tokens, parts.skeleton)
    }

    fn parts(&mut self, block: &Block, expect: Option<sk::Slot>) -> Parts {
        let mut stmts = TokenStream::new();
        let mut skeleton = sk::Block::default();
        for stmt in &block.stmts {
            let (tokens, sk) = self.stmt(stmt);
            stmts.extend(self.take_prelude());
            stmts.extend(tokens);
            skeleton.stmts.push(sk);
        }
        let mut tail = None;
        if let Some(expr) = &block.tail {
            let (tokens, sk) = self.expr(expr, expect);
            stmts.extend(self.take_prelude());
            tail = Some(tokens);
            skeleton.tail = Some(Box::new(sk::Stmt { line: line(expr.span), kind: sk::StmtKind::Expr(sk) }));
        }
        Parts { stmts, tail, skeleton }
    }

    fn take_prelude(&mut self) -> TokenStream {
        self.frames.last_mut().map(|f| std::mem::take(&mut f.prelude)).unwrap_or_default()
    }

    fn stmt(&mut self, stmt: &Stmt) -> (TokenStream, sk::Stmt) {
        match stmt {
            Stmt::Let { let_token, binding, ty, init } => {
                let line = line(let_token.span);
                let (tokens, init) = self.local(let_token, binding, ty.as_ref(), init.as_ref());
                let kind = sk::StmtKind::Let { local: binding.local, init };
                (tokens, sk::Stmt { line, kind })
            }
            Stmt::Destructure { let_token, pattern, ty, init, els } => {
                let annotation = ty.as_ref().map(|ty| {
                    let ty = &ty.syn;
                    quote!(: #ty)
                });
                let (value, value_sk) = self.expr(init, ty.as_ref().and_then(|ty| ty.slot));
                let (ties, pat) = self.bind_pattern(pattern, els.is_some());
                let pattern = &pattern.tokens;
                let (els, els_sk) = match els {
                    // That another form is possible, rustc says about the user's own function.
                    None => (quote!(else { loop {} }), None),
                    Some((token, els)) => {
                        let (tokens, sk) = self.block(els, TokenStream::new(), None);
                        (quote!(#token #tokens), Some(sk))
                    }
                };
                let kind = sk::StmtKind::Destructure { pat, value: value_sk, els: els_sk };
                let tokens = quote!(#let_token #pattern #annotation = #value #els; #ties);
                (tokens, sk::Stmt { line: line(let_token.span), kind })
            }
            Stmt::Discard { let_token, underscore, ty, init } => {
                let annotation = ty.as_ref().map(|ty| {
                    let ty = &ty.syn;
                    quote!(: #ty)
                });
                let (tokens, init) = self.expr(init, ty.as_ref().and_then(|ty| ty.slot));
                let sk = sk::Stmt { line: line(let_token.span), kind: sk::StmtKind::Discard(init) };
                (quote!(#let_token #underscore #annotation = #tokens;), sk)
            }
            Stmt::Expr { expr, semi } => {
                let (tokens, sk) = self.expr(expr, None);
                let sk = sk::Stmt { line: line(expr.span), kind: sk::StmtKind::Expr(sk) };
                (quote!(#tokens #semi), sk)
            }
        }
    }

    fn local(
        &mut self,
        let_token: &Token![let],
        binding: &Binding,
        ty: Option<&Ty>,
        init: Option<&Expr>,
    ) -> (TokenStream, Option<sk::Expr>) {
        let (name, mutability) = (&binding.name, &binding.mutability);
        let annotation = ty.map(|ty| {
            let ty = &ty.syn;
            quote!(: #ty)
        });
        let written = ty.and_then(|ty| ty.slot);
        let known = written.or_else(|| init.filter(|_| ty.is_none()).and_then(|e| self.scalar(e)));
        // Its value has a probe already.
        let typed = written.is_none() && init.is_some_and(has_own_probe);
        let (probe, slot) = match known {
            Some(slot) => (None, slot),
            None if typed => (None, 0),
            None => {
                let (probe, slot) = self.probe(name.span());
                (Some(probe), slot)
            }
        };
        let (mut tokens, sk) = match init {
            Some(init) => {
                let (value, sk) = self.expr(init, Some(slot));
                (quote!(#let_token #mutability #name #annotation = #value;), Some(sk))
            }
            // Whether it is set before its use is checked in the user's function.
            None => {
                let assigned = self.scope.locals.get(binding.local as usize);
                let value = match &probe {
                    // Never set: rustc says so for the user's function.
                    _ if assigned.is_some_and(|l| !l.assigned) => quote!(::ttl::rt::any::<()>()),
                    Some(probe) => quote!(::ttl::rt::any_of(&#probe)),
                    None => quote!(::ttl::rt::any()),
                };
                (quote!(#let_token mut #name #annotation = #value;), None)
            }
        };
        let slot = match &sk {
            Some(sk::Expr::Struct { slot, .. } | sk::Expr::Repeat { slot, .. }) if typed => *slot,
            _ => slot,
        };
        self.set_slot(binding.local, slot);
        let scalar = match written {
            Some(slot) => self.is_scalar_type(slot),
            None => known.is_some() || init.is_some_and(is_bare_literal),
        };
        if scalar {
            self.set_scalar(binding.local);
        }
        if let Some(probe) = &probe {
            tokens.extend(tie(name, probe));
            // Literals in place of the value have no probe of their own.
            if init.is_none_or(ends_in_float) {
                tokens.extend(supported(name.span(), probe));
            }
        }
        tokens.extend(self.uneven(binding.local, probe.as_ref(), ty));
        (tokens, sk)
    }

    fn uneven(&mut self, local: sk::Local, probe: Option<&Ident>, ty: Option<&Ty>) -> TokenStream {
        let found = self.flow.uneven.iter().find(|(l, _)| *l == local);
        let Some((_, span)) = found else {
            return TokenStream::new();
        };
        let probe = match (probe, ty) {
            (Some(probe), _) => quote!(&#probe),
            (None, Some(ty)) => {
                let ty = &ty.syn;
                quote!(&<#ty as ::ttl::rt::DeviceTy>::PROBE)
            }
            (None, None) => return TokenStream::new(),
        };
        // rustc blames the argument, so it gets a name at the token that releases.
        let guard = Ident::new("__ttl_g", *span);
        quote_spanned!(*span=> { let #guard = #probe; ::ttl::rt::ReleasedOnEveryPath::check(#guard); })
    }

    /// A new probe, declared before the current statement.
    /// What rustc says about it, it says at `span`.
    fn probe(&mut self, span: Span) -> (Ident, sk::Slot) {
        let slot = self.next_slot;
        self.next_slot = slot.saturating_add(1);
        let name = Ident::new(&format!("__ttl_p{slot}"), span);
        self.declare(&name);
        (name, slot)
    }

    fn declare(&mut self, name: &Ident) {
        if let Some(frame) = self.frames.last_mut() {
            frame.prelude.extend(quote_spanned!(name.span()=> let #name = ::ttl::rt::Probe::new();));
            frame.probes.push(name.clone());
        }
    }

    fn set_scalar(&mut self, local: sk::Local) {
        if let Some(slot) = self.scalars.get_mut(local as usize) {
            *slot = true;
        }
    }

    fn before(&mut self, tokens: TokenStream) {
        if let Some(frame) = self.frames.last_mut() {
            frame.prelude.extend(tokens);
        }
    }

    fn set_slot(&mut self, local: sk::Local, slot: sk::Slot) {
        if let Some(decl) = self.locals.get_mut(local as usize) {
            decl.slot = slot;
        }
    }

    fn slot_of(&self, local: sk::Local) -> Option<sk::Slot> {
        self.locals.get(local as usize).map(|l| l.slot)
    }
}

/// Ties a local to its probe.
fn tie(name: &Ident, probe: &Ident) -> TokenStream {
    quote_spanned!(name.span()=> ::ttl::rt::DeviceTy::on_device(&#name, &#probe);)
}

/// Refuses `f64`.
fn supported(span: Span, probe: &Ident) -> TokenStream {
    quote_spanned!(span=> ::ttl::rt::Supported::check(&#probe);)
}

fn line(span: Span) -> u32 {
    span.start().line as u32
}

/// `carry(&k, (&p1, &p2, ..))`: tuples of at most twelve, nested.
fn carry(carrier: &Ident, probes: &[Ident]) -> TokenStream {
    let list = tuple(probes.iter().map(|p| quote!(&#p)).collect());
    quote!(::ttl::rt::carry(&#carrier, #list);)
}

fn tuple(mut items: Vec<TokenStream>) -> TokenStream {
    const WIDTH: usize = 12;
    while items.len() > WIDTH {
        items = items.chunks(WIDTH).map(|chunk| quote!((#(#chunk,)*))).collect();
    }
    quote!((#(#items,)*))
}

/// Whether the copy asks for the type of the expression itself.
fn has_own_probe(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Struct { .. } | ExprKind::Construct { .. } | ExprKind::Repeat { .. })
}

/// Whether a float literal that is copied in place can be the value.
fn ends_in_float(expr: &Expr) -> bool {
    let block = |b: &Block| b.tail.as_ref().is_some_and(|t| ends_in_float(t));
    match &expr.kind {
        ExprKind::Paren { expr, .. } => ends_in_float(expr),
        ExprKind::Block(b) => block(b),
        ExprKind::If(e) => block(&e.then) || e.els.as_ref().is_some_and(|(_, e)| ends_in_float(e)),
        ExprKind::Unary { expr, .. } => ends_in_float(expr),
        ExprKind::Float { ty, .. } => ty.is_none(),
        _ => false,
    }
}

/// A literal, or its negation, without suffix: its type is the one of the place it goes to.
fn is_bare_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int { ty: None, .. } | ExprKind::Float { ty: None, .. } => true,
        ExprKind::Unary { op: sk::UnOp::Neg, expr, .. } | ExprKind::Paren { expr, .. } => is_bare_literal(expr),
        _ => false,
    }
}
