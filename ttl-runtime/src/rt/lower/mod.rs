//! From the macro's skeleton and the types rustc inferred to the typed IR.
//!
//! - `value.rs`: what an expression can be while it is lowered: scalars, guards, lazy tile expressions, register states.
//! - `scope.rs`: bindings, temporaries, and the release of guards at the end of scopes.
//! - `expr.rs`, `stmt.rs`: scalar expressions and control flow; blocks as values become temporaries. `order.rs`: evaluation order is fixed.
//! - `function.rs`: calls of the user's functions.
//! - `data.rs`, `pattern.rs`: structs, arrays, enums; `match` and other patterns. `debug.rs`: assertions and printing.
//! - `method.rs`: methods of the device API, by type of the receiver and name.
//! - `call.rs`: calls of the kernel API that are a row of a table.
//! - `signal.rs`: what goes to other cores: pages and semaphores; `pipe.rs`: pipes.
//! - `tiles.rs`: block expressions to DAGs; `shaped.rs`: blocks as matrices.
//!
//! rustc has already accepted the body, so types agree. What is left to refuse here is what Rust cannot see: it ends up as a
//! [`LowerError`](super::LowerError) with the user's line.

mod call;
mod closure;
mod data;
mod debug;
mod div_ceil;
mod expr;
mod function;
mod group;
mod method;
mod option;
mod order;
mod pattern;
mod pipe;
mod scope;
mod shaped;
mod signal;
mod stmt;
mod tile_calls;
mod tile_ops;
mod tiles;
mod value;

use super::cx::{Cx, Item};
use crate::ir::{self, Block, LocalId, Stmt, StmtKind, Ty};
use crate::site::Site;
use scope::Scope;
use std::collections::HashMap;
use ttl_skeleton as sk;
use value::{Binding, Resource, Value};

/// Builds the IR of one function instance. `skeleton` is [`sk::Def::encode`]'s output; `items` are what its probes gave; `generics`
/// are its generic arguments as the reader of the C++ should see them.
pub fn lower(
    cx: &mut Cx,
    skeleton: &'static [u8],
    items: Vec<Item>,
    file: &'static str,
    generics: Vec<String>,
) -> ir::Fn {
    match sk::Def::decode(skeleton) {
        Ok(def) => Lower::new(cx, &def, &items, file).function(generics),
        Err(e) => {
            cx.error(
                Site { file, line: 0, column: 0 },
                format!("the code that the ttl macro made cannot be read: {e}"),
                "use the same version of ttl and of its macros",
            );
            ir::Fn {
                name: "invalid".into(),
                generics,
                file,
                line: 0,
                locals: vec![],
                params: vec![],
                ret: Ty::Unit,
                body: vec![],
                temps: vec![],
            }
        }
    }
}

/// Whether a function of C++ can return a value of this type: what is released or borrowed belongs to the function that made it.
fn is_returned(ty: &Ty) -> bool {
    ty.is_data() || matches!(ty, Ty::Unit | Ty::Never)
}

/// The function being lowered.
struct Lower<'a> {
    cx: &'a mut Cx,
    def: &'a sk::Def,
    items: &'a [Item],
    file: &'static str,
    locals: Vec<ir::Local>,
    /// What each skeleton local stands for, once it is bound.
    bindings: Vec<Option<Binding>>,
    /// The scope of each local that is declared without a value.
    declared: HashMap<sk::Local, usize>,
    /// Statements under construction, innermost block last.
    blocks: Vec<Block>,
    scopes: Vec<Scope>,
    /// Guards, transfers and register states, by id.
    resources: Vec<Resource>,
    /// Line of the statement being lowered.
    line: u32,
    /// The current position cannot be reached: after return, break or continue.
    diverged: bool,
    /// Operations of block expressions with numbers so far.
    operations: u32,
    /// Resource states at each `break` of the enclosing loops, innermost last.
    breaks: Vec<Vec<scope::States>>,
    /// What the `usize` locals can be, where that is less than 32 bits hold.
    ranges: HashMap<LocalId, (u64, u64)>,
    /// For guards that are parameters and whose page count is needed: a parameter that holds it.
    page_counts: Vec<(LocalId, LocalId)>,
    /// What a closure can see of the function around it, and what it has used of that.
    around: Option<closure::Around>,
}

impl<'a> Lower<'a> {
    fn new(cx: &'a mut Cx, def: &'a sk::Def, items: &'a [Item], file: &'static str) -> Lower<'a> {
        Lower {
            cx,
            def,
            items,
            file,
            locals: vec![],
            bindings: vec![None; def.locals.len()],
            declared: HashMap::new(),
            blocks: vec![vec![]],
            scopes: vec![],
            resources: vec![],
            line: def.line,
            diverged: false,
            operations: 0,
            breaks: vec![],
            ranges: HashMap::new(),
            page_counts: vec![],
            around: None,
        }
    }

    fn function(mut self, generics: Vec<String>) -> ir::Fn {
        let ret = self.def.ret.map_or(Ty::Unit, |slot| self.ty(slot));
        let returns = is_returned(&ret);
        if !returns {
            let help = match ret {
                Ty::Group(_) => "pass it on by reference, and return numbers",
                Ty::Ref { .. } => "return the value, or the index of what you mean",
                _ => "make it where it is used, and pass it on by reference; numbers and plain data can be returned",
            };
            self.error(format!("a device function cannot return a `{ret}`"), help);
        }
        self.enter_scope(scope::Kind::Function);
        let mut params = vec![];
        for p in 0..self.def.params {
            params.extend(self.bind_param(p));
        }
        let value = self.block_value(&self.def.body);
        if !self.diverged && ret != Ty::Unit && returns {
            let value = self.as_scalar(value);
            self.leave_scope();
            self.emit(StmtKind::Return(Some(value)));
        } else {
            self.discard(value);
            self.leave_scope();
        }
        for (guard, count) in std::mem::take(&mut self.page_counts) {
            if let Some(at) = params.iter().position(|p| *p == guard) {
                params.insert(at + 1, count);
                self.cx.add_page_count(count);
            }
        }
        ir::Fn {
            name: self.def.name.clone(),
            generics,
            file: self.file,
            line: self.def.line,
            locals: self.locals,
            params,
            ret,
            body: self.blocks.pop().unwrap_or_default(),
            temps: vec![],
        }
    }

    /// The parameters of the IR that the function's parameter is.
    fn bind_param(&mut self, p: sk::Local) -> Vec<LocalId> {
        let decl = &self.def.locals[p as usize];
        if let Some(params) = self.closure_param(p) {
            return params;
        }
        let ty = self.ty(decl.slot);
        if let Some((value, params)) = self.pipe_param(&decl.name, &ty) {
            self.bindings[p as usize] = Some(Binding::Alias(Value::Pipe(value)));
            return params;
        }
        if let Ty::Group(group) = ty.peeled() {
            let mut params = vec![];
            let value = self.group_param(&decl.name, group, &ty, decl.mutable, &mut params);
            self.bindings[p as usize] = Some(Binding::Alias(value));
            return params;
        }
        let local = self.new_local(&decl.name, ty.clone(), decl.mutable);
        let binding = self.param_binding(local, &ty);
        if binding.is_none() {
            self.error(
                format!("a `{ty}` cannot be passed by value to a device function"),
                "pass it by reference: `&tile` or `&mut tile`",
            );
        }
        self.bindings[p as usize] = Some(binding.unwrap_or(Binding::Alias(Value::Never)));
        vec![local]
    }

    fn ty(&mut self, slot: sk::Slot) -> Ty {
        match self.items.get(slot as usize) {
            Some(Item::Ty(ty)) => ty.clone(),
            other => {
                let what = format!("slot {slot} of `{}` should hold a type, it holds {other:?}", self.def.name);
                self.fault(what);
                Ty::Unit
            }
        }
    }

    fn new_local(&mut self, name: &str, ty: Ty, mutable: bool) -> LocalId {
        self.locals.push(ir::Local { name: name.to_string(), ty, mutable });
        LocalId(self.locals.len() as u32 - 1)
    }

    fn emit(&mut self, kind: StmtKind) {
        if !self.diverged {
            let line = self.line;
            self.blocks.last_mut().expect("a block is open").push(Stmt { line, kind });
        }
    }

    fn op(&mut self, op: ir::Op) {
        self.emit(StmtKind::Op(op));
    }

    /// What rustc or the macros have refused already: no mistake of a user comes here, other than behind one that is reported.
    fn fault(&mut self, message: impl Into<String>) -> Value {
        if self.cx.errors().is_empty() {
            self.error(message, "this is a fault of ttl; please report it");
        }
        Value::Never
    }

    fn error(&mut self, message: impl Into<String>, help: impl Into<String>) {
        let site = Site { file: self.file, line: self.line, column: 0 };
        self.cx.error(site, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skeletons_of_another_version_are_refused() {
        let mut cx = Cx::new();
        lower(&mut cx, &[0xff; 7], vec![], "src/kernels.rs", vec![]);
        let error = cx.finish().expect_err("no skeleton").remove(0).to_string();
        assert!(error.starts_with("error: the code that the ttl macro made cannot be read: "), "{error}");
        assert!(error.contains("use the same version of ttl and of its macros"), "{error}");
    }
}
