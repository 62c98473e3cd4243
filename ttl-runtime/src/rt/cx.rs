//! The context of lowering: which functions are lowered, and what went wrong.

use crate::ir;
use crate::site::Site;
use crate::snippet::{self, Label};
use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// What a slot of a skeleton stands for.
#[derive(Clone, Debug)]
pub enum Item {
    Ty(ir::Ty),
    Fn(ir::FnId),
    /// A function that gets closures: lowered when these are.
    Late(fn(&mut Cx) -> ir::FnId),
    Const(ir::Expr),
    /// The type that stands for a closure.
    Closure(TypeId),
}

/// What a closure has become.
#[derive(Clone, Debug)]
pub struct ClosureFn {
    /// Its own parameters, then what it uses of the function around it.
    pub function: ir::FnId,
    /// Names and types of what it uses.
    pub captures: Vec<(String, ir::Ty)>,
}

/// An instance of a kernel or device function: the twin type of the function with its generic arguments.
pub trait Inst: 'static {
    fn site() -> FnSite;

    /// Another function which is called in its place: the body that an `impl` gives to a method of a trait.
    fn instead(_: &mut Cx) -> Option<ir::FnId> {
        None
    }

    /// Builds the function's IR, and before it that of the functions it calls.
    fn def(cx: &mut Cx) -> ir::Fn;
}

/// Which function it is, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FnSite {
    pub name: &'static str,
    pub file: &'static str,
    pub line: u32,
}

impl FnSite {
    pub fn site(self) -> Site {
        Site { file: self.file, line: self.line, column: 0 }
    }
}

/// Something in a kernel that rustc accepts and ttl has no translation for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct LowerError {
    pub site: Site,
    pub message: String,
    /// What to write instead; empty when there is nothing to say.
    pub help: String,
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = Label { site: self.site, text: String::new() };
        let help = if self.help.is_empty() { vec![] } else { vec![format!("help: {}", self.help)] };
        snippet::render(f, &self.message, &[label], &help)
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Being lowered: meeting it again is recursion.
    Open,
    Done(ir::FnId),
}

/// Lowers a kernel with every device function it reaches, each instance once, callees before callers.
#[derive(Debug, Default)]
pub struct Cx {
    instances: HashMap<TypeId, State>,
    /// The functions being lowered, outermost first.
    stack: Vec<FnSite>,
    fns: Vec<ir::Fn>,
    /// Parameters by function that stand for no parameter in Rust: the page count of the guard before them.
    page_counts: HashSet<(ir::FnId, ir::LocalId)>,
    errors: Vec<LowerError>,
    closures: HashMap<TypeId, ClosureFn>,
}

/// The id that stands for a function which could not be lowered. An error is recorded whenever it is handed out.
const FAILED: ir::FnId = ir::FnId(u32::MAX);

impl Cx {
    pub fn new() -> Cx {
        Cx::default()
    }

    /// The function of this instance, lowered now unless it is already.
    pub fn instance<I: Inst + ?Sized>(&mut self) -> ir::FnId {
        let key = TypeId::of::<I>();
        match self.instances.get(&key) {
            Some(State::Done(id)) => return *id,
            Some(State::Open) => {
                self.recursion(I::site());
                return FAILED;
            }
            None => {}
        }
        if let Some(id) = I::instead(self) {
            return id;
        }
        self.instances.insert(key, State::Open);
        self.stack.push(I::site());
        let def = I::def(self);
        self.stack.pop();
        let id = ir::FnId(self.fns.len() as u32);
        self.fns.push(def);
        self.instances.insert(key, State::Done(id));
        id
    }

    /// A closure, which is lowered inside the function that gives it.
    pub fn add_closure(&mut self, key: TypeId, function: ir::Fn, captures: Vec<(String, ir::Ty)>) {
        let id = ir::FnId(self.fns.len() as u32);
        self.fns.push(function);
        self.closures.insert(key, ClosureFn { function: id, captures });
    }

    pub fn closure(&self, key: TypeId) -> Option<&ClosureFn> {
        self.closures.get(&key)
    }

    fn recursion(&mut self, callee: FnSite) {
        let from = self.stack.iter().position(|s| *s == callee).unwrap_or_default();
        let chain: Vec<String> = self.stack[from..].iter().map(|s| format!("`{}` ({})", s.name, s.site())).collect();
        let message = match chain.as_slice() {
            [one] => format!("{one} calls itself"),
            many => format!("`{}` calls itself, through {}", callee.name, many.join(" -> ")),
        };
        let site = self.stack.last().map_or(callee.site(), |s| s.site());
        self.error(site, message, "the device has a few KB of stack and no recursion: write a loop");
    }

    /// A lowered function; none for the id of a function that could not be lowered.
    pub fn get(&self, id: ir::FnId) -> Option<&ir::Fn> {
        self.fns.get(id.0 as usize)
    }

    /// The function that is lowered next gets the page count of a guard as a parameter.
    pub fn add_page_count(&mut self, param: ir::LocalId) {
        self.page_counts.insert((ir::FnId(self.fns.len() as u32), param));
    }

    pub fn is_page_count(&self, function: ir::FnId, param: ir::LocalId) -> bool {
        self.page_counts.contains(&(function, param))
    }

    pub fn error(&mut self, site: Site, message: impl Into<String>, help: impl Into<String>) {
        let error = LowerError { site, message: message.into(), help: help.into() };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    pub fn errors(&self) -> &[LowerError] {
        &self.errors
    }

    /// The functions, callees first, or what went wrong.
    pub fn finish(self) -> Result<Vec<ir::Fn>, Vec<LowerError>> {
        if self.errors.is_empty() { Ok(self.fns) } else { Err(self.errors) }
    }
}
