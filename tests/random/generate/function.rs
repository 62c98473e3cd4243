//! One random device function.

use super::dice::Dice;
use super::scope::{Scope, Var};
use super::types::{Ty, U32};

/// A function that later ones may call.
pub(crate) struct Sig {
    pub(crate) name: String,
    pub(crate) params: Vec<Ty>,
    /// Its last parameter is a `&mut u32`.
    pub(crate) lends: bool,
    pub(crate) ret: Ty,
    /// About how many operations a call takes.
    pub(crate) cost: usize,
}

/// The function being written.
pub(crate) struct Gen<'a> {
    pub(crate) dice: &'a mut Dice,
    pub(crate) scope: Scope,
    pub(crate) earlier: &'a [Sig],
    pub(crate) consts: &'a [(String, Ty)],
    pub(crate) ret: Ty,
    /// Loops around.
    pub(crate) loops: usize,
    /// How often this place runs at most.
    pub(crate) rounds: usize,
    pub(crate) cost: usize,
    numbers: usize,
}

impl Gen<'_> {
    pub(crate) fn fresh(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// An expression for the function's result, in which everything observed so far shows.
    pub(crate) fn result(&mut self, depth: usize) -> String {
        let value = self.expr(self.ret, depth, false);
        match self.ret {
            Ty::Bool => format!("({value} ^ (hash & 1 == 0))"),
            Ty::F32 => format!("({value} + (hash & 255) as f32)"),
            ty => format!("({value} ^ hash as {})", ty.name()),
        }
    }

    /// Writes the function.
    pub(crate) fn write(name: &str, dice: &mut Dice, earlier: &[Sig], consts: &[(String, Ty)]) -> (String, Sig) {
        let ret = Ty::any(dice);
        let count = 1 + dice.below(4);
        let types: Vec<Ty> = (0..count).map(|_| Ty::any(dice)).collect();
        let lends = dice.one_in(2);
        let mut scope = Scope::default();
        scope.enter();
        let mut params = vec![];
        for (ty, name) in types.iter().zip(["a", "b", "c", "d"]) {
            let mutable = dice.one_in(3);
            params.push(format!("{}{name}: {}", if mutable { "mut " } else { "" }, ty.name()));
            scope.declare(Var { name: name.into(), ty: *ty, mutable, reference: false });
        }
        if lends {
            params.push("r: &mut u32".into());
            scope.declare(Var { name: "r".into(), ty: U32, mutable: true, reference: true });
        }
        let mut text = format!("#[ttl::device]\npub(crate) fn {name}({}) -> {} {{\n", params.join(", "), ret.name());
        text.push_str("    let mut hash = 1u32;\n");
        scope.declare(Var { name: "hash".into(), ty: U32, mutable: true, reference: false });
        scope.counters.push("hash".into());
        let mut make = Gen { dice, scope, earlier, consts, ret, loops: 0, rounds: 1, cost: 1, numbers: 0 };
        let statements = 4 + make.dice.below(6);
        make.statements(statements, 1, &mut text);
        let all: Vec<Var> = make.scope.visible().into_iter().cloned().collect();
        for var in all {
            text.push_str(&format!("    {}\n", observe(&var)));
        }
        let value = make.result(3);
        text.push_str(&format!("    {value}\n}}\n"));
        let cost = make.cost;
        (text, Sig { name: name.into(), params: types, lends, ret, cost })
    }
}

/// A statement that makes the value of a variable show in the result.
pub(crate) fn observe(var: &Var) -> String {
    let text = var.text();
    match var.ty {
        Ty::F32 => format!("hash = mixed(hash ^ bits({text}));"),
        _ => format!("hash = mixed(hash ^ {text} as u32);"),
    }
}
