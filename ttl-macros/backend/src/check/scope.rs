//! Names: gives each binding its number, and tells locals from constants.

use crate::messages as m;
use crate::model::{Binding, Block, Expr, ExprKind, For, Func, If, Pat, Print, Range, Step, Stmt};
use crate::report::Report;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::Path;
use ttl_skeleton as sk;

/// What resolving found.
#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) locals: Vec<LocalInfo>,
    pub(crate) consts: Vec<Const>,
}

pub(crate) struct LocalInfo {
    pub(crate) name: String,
    pub(crate) mutable: bool,
    /// By an assignment; its `let` does not count.
    pub(crate) assigned: bool,
}

/// A constant that the function uses.
pub(crate) struct Const {
    pub(crate) tokens: TokenStream,
    pub(crate) kind: ConstKind,
    key: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConstKind {
    Value,
    Step,
    /// The n-th closure of the function.
    Closure,
    /// One lower-case name that is no local. It is nearly always a misspelt local, about which rustc says more inside the copy; if it is
    /// a constant after all, lowering refuses it.
    LowerCase,
}

pub(crate) fn resolve(func: &mut Func, report: &mut Report) -> Scope {
    let sig = &func.original.sig;
    let body = func.original.body.clone().into_iter().next();
    let mut resolver = Resolver {
        mixed: is_from_macro(sig.fn_token.span)
            || is_from_macro(sig.ident.span())
            || body.is_some_and(|token| is_from_macro(token.span())),
        report,
        scope: Scope::default(),
        names: Vec::new(),
        closures: Vec::new(),
        generics: func.original.sig.generics.const_params().map(|p| p.ident.to_string()).collect(),
    };
    for param in &mut func.params {
        resolver.bind(&mut param.binding);
        if param.closure.is_some() {
            resolver.closures.push(param.binding.local);
        }
    }
    resolver.block(&mut func.body);
    resolver.scope
}

/// A name, and the macro expansion that it comes from if the function is written by a macro: two locals with one name may be different
/// ones there.
type Name = (String, String);

/// The expansion that a token comes from, as rustc's debug output names it: `#3` of `#3 bytes(1..2)`. There is no other way to ask on
/// stable Rust. Empty when the output looks otherwise; then names alone decide.
fn context(span: Span) -> String {
    let text = format!("{span:?}");
    match text.split_once(' ') {
        Some((context, _)) if context.starts_with('#') => context.to_string(),
        _ => String::new(),
    }
}

fn is_from_macro(span: Span) -> bool {
    !matches!(context(span).as_str(), "" | "#0")
}

struct Resolver<'a> {
    report: &'a mut Report,
    scope: Scope,
    /// Written by a `macro_rules!`, at least in part.
    mixed: bool,
    /// Names in scope, innermost last.
    names: Vec<(Name, sk::Local)>,
    /// Parameters that are closures.
    closures: Vec<sk::Local>,
    /// Const generics: constants whatever their case.
    generics: Vec<String>,
}

impl Resolver<'_> {
    fn bind(&mut self, binding: &mut Binding) {
        let name = binding.name.to_string();
        binding.local = self.scope.locals.len() as sk::Local;
        self.scope.locals.push(LocalInfo {
            name: match name.as_str() {
                _ if binding.wild => "_".to_string(),
                "__ttl_self" => "self".to_string(),
                ours if ours.starts_with("__ttl") => "value".to_string(),
                own => own.trim_start_matches("r#").to_string(),
            },
            mutable: binding.mutability.is_some(),
            assigned: false,
        });
        let key = self.key(&binding.name);
        self.names.push((key, binding.local));
    }

    fn key(&self, name: &Ident) -> Name {
        let context = if self.mixed { context(name.span()) } else { String::new() };
        (name.to_string(), context)
    }

    fn find(&self, name: &Ident) -> Option<sk::Local> {
        let name = self.key(name);
        let found = self.names.iter().rev().find(|(n, _)| *n == name);
        found.map(|(_, local)| *local)
    }

    fn block(&mut self, block: &mut Block) {
        let depth = self.names.len();
        for stmt in &mut block.stmts {
            self.stmt(stmt);
        }
        if let Some(tail) = &mut block.tail {
            self.expr(tail);
        }
        self.names.truncate(depth);
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Let { binding, init, .. } => {
                if let Some(init) = init {
                    self.expr(init);
                }
                self.bind(binding);
            }
            Stmt::Destructure { pattern, init, els, .. } => {
                self.expr(init);
                if let Some((_, els)) = els {
                    self.block(els);
                }
                self.pat(&mut pattern.pat);
            }
            Stmt::Discard { init, .. } => self.expr(init),
            Stmt::Expr { expr, .. } => self.expr(expr),
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Refused
            | ExprKind::Unit(_)
            | ExprKind::Bool(_)
            | ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Local { .. }
            | ExprKind::Const { .. }
            | ExprKind::Break(_)
            | ExprKind::Continue(_) => {}
            ExprKind::Path(path) => {
                let resolved = self.path(path);
                expr.kind = resolved;
            }
            ExprKind::QPath(tokens) => {
                let path = tokens.clone();
                let index = self.constant(path.clone(), ConstKind::Value);
                expr.kind = ExprKind::Const { path, index };
            }
            ExprKind::Struct { fields, base, .. } => {
                fields.iter_mut().for_each(|f| self.expr(&mut f.value));
                if let Some((_, base)) = base {
                    self.expr(base);
                }
            }
            ExprKind::Construct { args: list, .. }
            | ExprKind::Tuple { elems: list, .. }
            | ExprKind::Array { elems: list, .. }
            | ExprKind::Print(Print { args: list, .. })
            | ExprKind::PrintTile(list)
            | ExprKind::Panic(Print { args: list, .. }) => list.iter_mut().for_each(|e| self.expr(e)),
            ExprKind::Assert(a) => {
                self.expr(&mut a.cond);
                a.message.iter_mut().flat_map(|m| &mut m.args).for_each(|e| self.expr(e));
            }
            ExprKind::Zone(_) => {}
            ExprKind::Repeat { value, .. } => self.expr(value),
            ExprKind::Field { base, .. } => self.expr(base),
            ExprKind::Index { base, index, .. } => {
                self.expr(base);
                self.expr(index);
            }
            ExprKind::Match(e) => {
                self.expr(&mut e.value);
                for arm in &mut e.arms {
                    let depth = self.names.len();
                    self.pat(&mut arm.pattern.pat);
                    if let Some((_, guard)) = &mut arm.guard {
                        self.expr(guard);
                    }
                    self.block(&mut arm.body);
                    self.names.truncate(depth);
                }
            }
            ExprKind::IfLet(e) => {
                self.expr(&mut e.value);
                let depth = self.names.len();
                self.pat(&mut e.pattern.pat);
                self.block(&mut e.then);
                self.names.truncate(depth);
                if let Some((_, els)) = &mut e.els {
                    self.expr(els);
                }
            }
            ExprKind::ForEach(e) => {
                self.expr(&mut e.array);
                let depth = self.names.len();
                self.pat(&mut e.pattern.pat);
                self.block(&mut e.body);
                self.names.truncate(depth);
            }
            ExprKind::Unary { expr, .. }
            | ExprKind::Cast { expr, .. }
            | ExprKind::Ref { place: expr, .. }
            | ExprKind::Paren { expr, .. }
            | ExprKind::Placed { expr, .. } => self.expr(expr),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Assign { place, value, .. } | ExprKind::AssignOp { place, value, .. } => {
                self.expr(place);
                self.expr(value);
                if let ExprKind::Local { local, .. } = &place.kind
                    && let Some(info) = self.scope.locals.get_mut(*local as usize)
                {
                    info.assigned = true;
                }
            }
            ExprKind::Call { callee, args, paren } => {
                for arg in args.iter_mut() {
                    self.expr(arg);
                }
                let name = callee.get_ident();
                match name.and_then(|name| Some((name.clone(), self.find(name)?))) {
                    Some((name, local)) if self.closures.contains(&local) => {
                        let args = std::mem::take(args);
                        expr.kind = ExprKind::CallClosure { name, local, paren: *paren, args };
                    }
                    Some((name, _)) => self.report.refuse(name, &m::LOCAL_CALL),
                    None => {}
                }
            }
            ExprKind::CallClosure { args, .. } => args.iter_mut().for_each(|e| self.expr(e)),
            ExprKind::Closure(closure) => {
                let depth = self.names.len();
                closure.params.iter_mut().for_each(|(b, _)| self.bind(b));
                self.block(&mut closure.body);
                self.names.truncate(depth);
                let number = self.scope.consts.iter().filter(|c| c.kind == ConstKind::Closure).count();
                let number = proc_macro2::Literal::usize_unsuffixed(number);
                closure.index = self.constant(number.to_token_stream(), ConstKind::Closure);
            }
            ExprKind::FromBits { arg, .. } => self.expr(arg),
            ExprKind::Method { recv, args, .. } => {
                self.expr(recv);
                for arg in args {
                    self.expr(arg);
                }
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::If(e) => self.if_(e),
            ExprKind::While { cond, body, .. } => {
                self.expr(cond);
                self.block(body);
            }
            ExprKind::Loop { body, .. } => self.block(body),
            ExprKind::For(e) => self.for_(e),
            ExprKind::Return { value, .. } => {
                if let Some(value) = value {
                    self.expr(value);
                }
            }
        }
    }

    fn pat(&mut self, pat: &mut Pat) {
        match pat {
            Pat::Bind { binding, sub } => {
                self.bind(binding);
                if let Some(sub) = sub {
                    self.pat(sub);
                }
            }
            Pat::Const { path, index } => *index = self.constant(path.clone(), ConstKind::Value),
            Pat::Range { start, end, .. } => start.iter_mut().chain(end).for_each(|p| self.pat(p)),
            Pat::Tuple(pats, _) | Pat::Variant { fields: pats, .. } | Pat::Array(pats) | Pat::Or(pats) => {
                pats.iter_mut().for_each(|p| self.pat(p));
            }
            Pat::Struct { fields, .. } => fields.iter_mut().for_each(|(_, p)| self.pat(p)),
            Pat::Ref(p) => self.pat(p),
            Pat::Wild | Pat::Bool(_) | Pat::Int(_) => {}
        }
    }

    fn if_(&mut self, e: &mut If) {
        self.expr(&mut e.cond);
        self.block(&mut e.then);
        if let Some((_, els)) = &mut e.els {
            self.expr(els);
        }
    }

    fn for_(&mut self, e: &mut For) {
        self.range(&mut e.range);
        let depth = self.names.len();
        self.bind(&mut e.binding);
        self.block(&mut e.body);
        self.names.truncate(depth);
    }

    fn range(&mut self, range: &mut Range) {
        self.expr(&mut range.start);
        self.expr(&mut range.end);
        for adapter in &mut range.adapters {
            let Some(Step::Const { path, tokens, index }) = &mut adapter.step else {
                continue;
            };
            match path.get_ident() {
                Some(name) if self.find(name).is_some() => {
                    self.report.refuse(&*tokens, &m::STEP);
                }
                _ => *index = self.constant(tokens.clone(), ConstKind::Step),
            }
        }
    }

    fn path(&mut self, path: &Path) -> ExprKind {
        if let Some(name) = path.get_ident() {
            if let Some(local) = self.find(name) {
                return ExprKind::Local { name: name.clone(), local };
            }
            let text = name.to_string();
            let lower = text.starts_with(|c: char| c.is_lowercase() || c == '_');
            if lower && !self.generics.contains(&text) {
                let index = self.constant(path.to_token_stream(), ConstKind::LowerCase);
                return ExprKind::Const { path: path.to_token_stream(), index };
            }
        }
        let tokens = path.to_token_stream();
        ExprKind::Const { index: self.constant(tokens.clone(), ConstKind::Value), path: tokens }
    }

    fn constant(&mut self, tokens: TokenStream, kind: ConstKind) -> u32 {
        let key = tokens.to_string();
        let consts = &mut self.scope.consts;
        let at = consts.iter().position(|c| c.key == key && c.kind == kind);
        at.unwrap_or_else(|| {
            consts.push(Const { tokens, kind, key });
            consts.len().saturating_sub(1)
        }) as u32
    }
}
