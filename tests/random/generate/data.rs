//! Values that go through structs, enums, tuples, arrays and `match`.

use super::function::Gen;
use super::scope::Var;
use super::types::{INTS, Ty, U32};

impl Gen<'_> {
    /// An expression whose value was a member of something for a moment.
    pub(crate) fn through_data(&mut self, ty: Ty, depth: usize) -> String {
        match self.dice.below(11) {
            0 => self.tuple(ty, depth),
            1 => self.structure(ty, depth),
            2 => self.method(ty, depth),
            3 => self.array(ty, depth),
            4 => self.changed_array(ty, depth),
            5 => self.sum(ty, depth),
            6 => self.taken_apart(ty, depth),
            7 => self.either(ty, depth),
            8 => self.match_pair(ty, depth),
            _ => self.match_number(ty, depth),
        }
    }

    fn index(&mut self, depth: usize) -> String {
        format!("({} & 3) as usize", self.expr(U32, depth, false))
    }

    fn tuple(&mut self, ty: Ty, depth: usize) -> String {
        let at = self.dice.below(3);
        let members: Vec<String> = (0..3)
            .map(|i| {
                let ty = if i == at { ty } else { Ty::any(self.dice) };
                self.expr(ty, depth, false)
            })
            .collect();
        format!("({}).{at}", members.join(", "))
    }

    fn structure(&mut self, ty: Ty, depth: usize) -> String {
        let (first, second) = (self.expr(ty, depth, false), self.expr(ty, depth, false));
        let member = *self.dice.of(&["a", "b"]);
        // Evaluated in the order they are written.
        let (x, y) = *self.dice.of(&[("a", "b"), ("b", "a")]);
        format!("(Pair {{ {x}: {first}, {y}: {second} }}).{member}")
    }

    fn method(&mut self, ty: Ty, depth: usize) -> String {
        let name = format!("pair{}", self.fresh());
        let (a, b) = (self.expr(ty, depth, false), self.expr(ty, depth, false));
        let value = self.expr(ty, depth, false);
        let (by, last) = (self.expr(Ty::Bool, depth, false), *self.dice.of(&["a", "b", "swapped().a"]));
        format!(
            "({{ let mut {name} = Pair::<{}>::new({a}, {b}); {name}.put({value}, {by}); {name}.{last} }})",
            ty.name()
        )
    }

    fn array(&mut self, ty: Ty, depth: usize) -> String {
        let members: Vec<String> = (0..4).map(|_| self.expr(ty, depth, false)).collect();
        format!("[{}][{}]", members.join(", "), self.index(depth))
    }

    fn changed_array(&mut self, ty: Ty, depth: usize) -> String {
        let name = format!("list{}", self.fresh());
        let start = self.expr(ty, depth, false);
        let (at, value) = (self.index(depth), self.expr(ty, depth, false));
        let read = self.index(depth);
        format!("({{ let mut {name} = [{start}; 4]; {name}[{at}] = {value}; {name}[{read}] }})")
    }

    fn sum(&mut self, ty: Ty, depth: usize) -> String {
        let Ty::Int { .. } = ty else { return self.tuple(ty, depth) };
        let (list, total) = (format!("list{}", self.fresh()), format!("total{}", self.fresh()));
        let members: Vec<String> = (0..3).map(|_| self.expr(ty, depth, false)).collect();
        let members = members.join(", ");
        let t = ty.name();
        format!(
            "({{ let {list} = [{members}]; let mut {total}: {t} = 0; for v in {list} {{ {total} += v; }} {total} }})"
        )
    }

    fn taken_apart(&mut self, ty: Ty, depth: usize) -> String {
        self.scope.enter();
        let others = [ty, Ty::any(self.dice)];
        let values: Vec<String> = others.iter().map(|ty| self.expr(*ty, depth, false)).collect();
        let names: Vec<String> = others.iter().map(|_| format!("part{}", self.fresh())).collect();
        for (name, ty) in names.iter().zip(others) {
            self.scope.declare(Var { name: name.clone(), ty, mutable: true, reference: false });
        }
        let value = self.branch(ty, depth);
        self.scope.leave();
        format!("({{ let (mut {}, mut {}) = ({}); {value} }})", names[0], names[1], values.join(", "))
    }

    fn either(&mut self, ty: Ty, depth: usize) -> String {
        let made = match self.dice.below(3) {
            0 => format!("Either::Left({})", self.expr(U32, depth, true)),
            1 => {
                let x = self.expr(INTS[3], depth, true);
                format!("Either::Right {{ y: {}, x: {x} }}", self.expr(Ty::Bool, depth, true))
            }
            _ => format!(
                "if {} {{ Either::Neither }} else {{ Either::Left({}) }}",
                self.condition(depth),
                self.expr(U32, depth, true)
            ),
        };
        let (n, x) = (format!("left{}", self.fresh()), format!("right{}", self.fresh()));
        self.scope.enter();
        self.scope.declare(Var { name: n.clone(), ty: U32, mutable: false, reference: false });
        let left = self.branch(ty, depth);
        self.scope.leave();
        self.scope.enter();
        self.scope.declare(Var { name: x.clone(), ty: INTS[3], mutable: false, reference: false });
        let right = self.branch(ty, depth);
        self.scope.leave();
        let last = self.branch(ty, depth);
        let made_in = format!("either{}", self.fresh());
        format!(
            "({{ let {made_in} = {made}; match {made_in} {{ Either::Left({n}) => {{ {left} }} Either::Right {{ x: {x}, y: true }} => {{ {right} }} _ => {{ {last} }} }} }})"
        )
    }

    fn match_pair(&mut self, ty: Ty, depth: usize) -> String {
        let (flag, number) = (self.expr(Ty::Bool, depth, false), self.expr(U32, depth, false));
        let name = format!("n{}", self.fresh());
        let first = self.branch(ty, depth);
        self.scope.enter();
        self.scope.declare(Var { name: name.clone(), ty: U32, mutable: false, reference: false });
        let guard = self.condition(depth);
        let second = self.branch(ty, depth);
        let third = self.branch(ty, depth);
        self.scope.leave();
        format!(
            "(match ({flag}, {number} & 7) {{ (true, 0 | 3) => {{ {first} }} (false, {name} @ 2..=5) if {guard} => {{ {second} }} (_, {name}) => {{ {third} }} }})"
        )
    }

    fn match_number(&mut self, ty: Ty, depth: usize) -> String {
        let of = *self.dice.of(&INTS);
        let value = self.expr(of, depth, false);
        let name = format!("n{}", self.fresh());
        let arms: Vec<String> = (0..4).map(|_| self.branch(ty, depth)).collect();
        self.scope.enter();
        self.scope.declare(Var { name: name.clone(), ty: of, mutable: false, reference: false });
        let guard = self.condition(depth);
        let guarded = self.branch(ty, depth);
        self.scope.leave();
        let t = of.name();
        format!(
            "(match {value} {{ 0 => {{ {} }} 1 | 5 | 9 => {{ {} }} 10..=100 => {{ {} }} {name} if {guard} => {{ {guarded} }} {t}::MIN..={t}::MAX => {{ {} }} }})",
            arms[0], arms[1], arms[2], arms[3]
        )
    }
}
