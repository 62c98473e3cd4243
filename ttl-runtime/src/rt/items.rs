//! The items of one function, in the order of its slots.

use crate::ir::{Expr, ExprKind, FnId, Ty};
use crate::rt::cx::{Cx, Item};
use crate::rt::probe::Named;
use crate::site::Site;

/// Filled by the generated code: the types written out in the function, its constants, then what the probes found.
#[derive(Debug, Default)]
pub struct Items(Vec<Item>);

impl Items {
    pub fn new() -> Items {
        Items::default()
    }

    /// A type that is written in the function.
    pub fn ty<E: Named + ?Sized>(&mut self) {
        self.0.push(Item::Ty(E::ty()));
    }

    pub fn konst(&mut self, value: Expr) {
        self.0.push(Item::Const(value));
    }

    /// A name in lower case which the macro did not find among the locals.
    pub fn lower_case(&mut self, cx: &mut Cx, name: &str, file: &'static str, line: u32) {
        cx.error(
            Site { file, line, column: 0 },
            format!("`{name}` is no local variable, and constants of device code are written in upper case"),
            format!("rename the constant to `{}`", name.to_uppercase()),
        );
        self.0.push(Item::Const(Expr { ty: Ty::U32, kind: ExprKind::Int(0) }));
    }

    /// The step of a range. Rust's type is `usize`; a step that is no u32 becomes 0, which lowering refuses like a real 0.
    pub fn step(&mut self, step: usize) {
        self.0.push(Item::Const(Expr { ty: Ty::U32, kind: ExprKind::Int(u32::try_from(step).unwrap_or(0).into()) }));
    }

    /// The instance that a call means.
    pub fn call(&mut self, id: FnId) {
        self.0.push(Item::Fn(id));
    }

    /// An instance which is made when the closures that it gets are there.
    pub fn late(&mut self, make: fn(&mut Cx) -> FnId) {
        self.0.push(Item::Late(make));
    }

    /// The type that stands for a closure.
    pub fn closure<C: 'static>(&mut self) {
        self.0.push(Item::Closure(std::any::TypeId::of::<C>()));
    }

    pub fn into_vec(self) -> Vec<Item> {
        self.0
    }

    /// The name of a generic argument for readers of the generated code.
    pub fn generic_type<T: ?Sized>() -> String {
        let full = std::any::type_name::<T>();
        full.rsplit("::").next().unwrap_or(full).to_string()
    }
}
