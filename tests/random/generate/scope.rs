//! The variables in scope.

use super::dice::Dice;
use super::types::Ty;

#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
    /// A `&mut` to a value of the type.
    pub(crate) reference: bool,
}

impl Var {
    /// As an operand or place.
    pub(crate) fn text(&self) -> String {
        if self.reference { format!("(*{})", self.name) } else { self.name.clone() }
    }

    /// As an argument of type `&mut`.
    pub(crate) fn lent(&self) -> String {
        if self.reference { self.name.clone() } else { format!("&mut {}", self.name) }
    }
}

/// Variables, innermost scope last; later ones shadow earlier ones of the same name.
#[derive(Default)]
pub(crate) struct Scope {
    scopes: Vec<Vec<Var>>,
    /// Lent to a call whose other arguments are being written: Rust forbids to name them there.
    pub(crate) lent: Vec<String>,
    /// Counters that bound a loop: must not be changed.
    pub(crate) counters: Vec<String>,
    made: usize,
}

impl Scope {
    pub(crate) fn enter(&mut self) {
        self.scopes.push(vec![]);
    }

    pub(crate) fn leave(&mut self) {
        self.scopes.pop();
    }

    pub(crate) fn declare(&mut self, var: Var) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(var);
        }
    }

    /// A name: mostly a new one, sometimes one that shadows another.
    pub(crate) fn name(&mut self, dice: &mut Dice) -> String {
        let old: Vec<String> = self.visible().iter().map(|v| v.name.clone()).collect();
        if !old.is_empty() && dice.one_in(4) {
            let name = dice.of(&old).clone();
            if !self.counters.contains(&name) && !self.lent.contains(&name) {
                return name;
            }
        }
        self.made += 1;
        let stems = ["x", "value", "tile", "n", "int", "more", "auto", "end"];
        format!("{}{}", dice.of(&stems), if self.made < 3 { String::new() } else { self.made.to_string() })
    }

    pub(crate) fn visible(&self) -> Vec<&Var> {
        let mut found: Vec<&Var> = vec![];
        for var in self.scopes.iter().rev().flat_map(|s| s.iter().rev()) {
            if !found.iter().any(|v| v.name == var.name) {
                found.push(var);
            }
        }
        found.retain(|v| !self.lent.contains(&v.name));
        found
    }

    pub(crate) fn read(&self, ty: Ty, dice: &mut Dice) -> Option<Var> {
        let fit: Vec<&Var> = self.visible().into_iter().filter(|v| v.ty == ty).collect();
        if fit.is_empty() { None } else { Some((*dice.of(&fit)).clone()) }
    }

    /// A variable that may be assigned to.
    pub(crate) fn place(&self, ty: Option<Ty>, dice: &mut Dice) -> Option<Var> {
        let fits = |v: &&Var| v.mutable && ty.is_none_or(|ty| v.ty == ty) && !self.counters.contains(&v.name);
        let fit: Vec<&Var> = self.visible().into_iter().filter(fits).collect();
        if fit.is_empty() { None } else { Some((*dice.of(&fit)).clone()) }
    }
}
