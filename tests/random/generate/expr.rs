//! Random expressions of a wanted type. Everything is in parentheses: precedence is the semantics table's business.

use super::function::Gen;
use super::scope::Var;
use super::types::{INTS, Ty, U32};

impl Gen<'_> {
    /// An expression. If `known`, the place says the type, and a literal need not.
    pub(crate) fn expr(&mut self, ty: Ty, depth: usize, known: bool) -> String {
        self.cost += self.rounds;
        if depth == 0 || self.dice.one_in(6) {
            return self.leaf(ty, known);
        }
        match self.dice.below(14) {
            12 | 13 => self.through_data(ty, depth - 1),
            0 => self.choice(ty, depth - 1),
            1 => self.block_value(ty, depth - 1),
            2 | 3 => match self.call(ty, depth - 1) {
                Some(call) => call,
                None => self.operation(ty, depth),
            },
            _ => self.operation(ty, depth),
        }
    }

    fn leaf(&mut self, ty: Ty, known: bool) -> String {
        if !self.dice.one_in(5)
            && let Some(var) = self.scope.read(ty, self.dice)
        {
            return var.text();
        }
        if self.dice.one_in(2)
            && let Some(text) = self.converted(ty)
        {
            return text;
        }
        let consts: Vec<&String> = self.consts.iter().filter(|(_, t)| *t == ty).map(|(name, _)| name).collect();
        if !consts.is_empty() && self.dice.one_in(3) {
            return (*self.dice.of(&consts)).clone();
        }
        if known { ty.digits(self.dice).0 } else { ty.literal(self.dice) }
    }

    /// A variable of another type, as this one.
    fn converted(&mut self, ty: Ty) -> Option<String> {
        let from = *self.dice.of(&INTS);
        let var = self.scope.read(from, self.dice)?.text();
        Some(match ty {
            Ty::Bool => format!("({var} > {})", from.digits(self.dice).0),
            _ => format!("({var} as {})", ty.name()),
        })
    }

    fn operation(&mut self, ty: Ty, depth: usize) -> String {
        match ty {
            Ty::Bool => self.condition(depth),
            Ty::F32 => self.float(depth - 1),
            Ty::Int { bits, signed } => self.integer(ty, bits, signed, depth - 1),
        }
    }

    /// A `bool` that is more than a literal.
    pub(crate) fn condition(&mut self, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        let logic = |me: &mut Self, op: &str| {
            let (a, b) = (me.expr(Ty::Bool, depth, true), me.expr(Ty::Bool, depth, true));
            format!("({a} {op} {b})")
        };
        match self.dice.below(10) {
            0 => logic(self, "&&"),
            1 => logic(self, "||"),
            2 => {
                let op = *self.dice.of(&["&", "|", "^", "=="]);
                logic(self, op)
            }
            3 => format!("(!{})", self.expr(Ty::Bool, depth, true)),
            _ => {
                let ty = if self.dice.one_in(4) { Ty::F32 } else { *self.dice.of(&INTS) };
                let op = *self.dice.of(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = (self.expr(ty, depth, false), self.expr(ty, depth, true));
                format!("({a} {op} {b})")
            }
        }
    }

    fn float(&mut self, depth: usize) -> String {
        match self.dice.below(8) {
            0 => format!("(-{})", self.expr(Ty::F32, depth, false)),
            1 => format!("{}.abs()", self.expr(Ty::F32, depth, false)),
            2 | 3 => {
                let from = *self.dice.of(&INTS);
                format!("({} as f32)", self.expr(from, depth, false))
            }
            _ => {
                let op = *self.dice.of(&["+", "-", "*", "/"]);
                let (a, b) = (self.expr(Ty::F32, depth, false), self.expr(Ty::F32, depth, true));
                format!("({a} {op} {b})")
            }
        }
    }

    fn integer(&mut self, ty: Ty, bits: u32, signed: bool, depth: usize) -> String {
        match self.dice.below(16) {
            0 => self.division(ty, depth),
            1 | 2 => self.shift(ty, bits, depth),
            3 => format!("(!{})", self.expr(ty, depth, false)),
            4 if signed => format!("(-{})", self.expr(ty, depth, false)),
            5 if signed => format!("{}.abs()", self.expr(ty, depth, false)),
            6 => {
                let method = *self.dice.of(&["min", "max", "wrapping_add", "wrapping_sub", "wrapping_mul"]);
                let (a, b) = (self.expr(ty, depth, false), self.expr(ty, depth, true));
                format!("{a}.{method}({b})")
            }
            7 => format!("{}.wrapping_neg()", self.expr(ty, depth, false)),
            8..=10 => {
                let from = Ty::any(self.dice);
                format!("({} as {})", self.expr(from, depth, false), ty.name())
            }
            _ => {
                let op = *self.dice.of(&["+", "-", "*", "+", "-", "*", "&", "|", "^"]);
                let (a, b) = (self.expr(ty, depth, false), self.expr(ty, depth, true));
                format!("({a} {op} {b})")
            }
        }
    }

    /// Never by zero, and never the least value by -1.
    fn division(&mut self, ty: Ty, depth: usize) -> String {
        let op = *self.dice.of(if ty.signed() { &["/", "%"][..] } else { &["/", "%", ".div_ceil"] });
        let a = self.expr(ty, depth, false);
        let divisor = match self.dice.below(3) {
            0 if ty.signed() => "-3".to_string(),
            0 => "7".to_string(),
            _ => {
                let b = self.expr(ty, depth, false);
                format!("(({b} & 31) | 1)")
            }
        };
        if op == ".div_ceil" { format!("{a}.div_ceil({divisor})") } else { format!("({a} {op} {divisor})") }
    }

    fn shift(&mut self, ty: Ty, bits: u32, depth: usize) -> String {
        let a = self.expr(ty, depth, false);
        if self.dice.one_in(2) {
            let method = *self.dice.of(&["wrapping_shl", "wrapping_shr"]);
            return format!("{a}.{method}({})", self.expr(U32, depth, true));
        }
        let op = *self.dice.of(&["<<", ">>"]);
        let amount = if self.dice.one_in(2) {
            self.dice.below(bits as usize).to_string()
        } else {
            let by = *self.dice.of(&INTS);
            format!("({} & {})", self.expr(by, depth, false), bits - 1)
        };
        format!("({a} {op} {amount})")
    }

    fn choice(&mut self, ty: Ty, depth: usize) -> String {
        let cond = self.condition(depth);
        let then = self.branch(ty, depth);
        let els = self.branch(ty, depth);
        if self.dice.one_in(4) {
            let other = self.condition(depth);
            let middle = self.branch(ty, depth);
            return format!("(if {cond} {{ {then} }} else if {other} {{ {middle} }} else {{ {els} }})");
        }
        format!("(if {cond} {{ {then} }} else {{ {els} }})")
    }

    /// The inside of a block with a value: perhaps an effect, then the value.
    pub(crate) fn branch(&mut self, ty: Ty, depth: usize) -> String {
        self.scope.enter();
        let mut text = String::new();
        if self.dice.one_in(3) {
            text = self.effect(depth);
            text.push(' ');
        }
        if self.dice.one_in(12) {
            let cond = self.condition(depth);
            let value = self.result(depth);
            text.push_str(&format!("if {cond} {{ return {value}; }} "));
        }
        text.push_str(&self.expr(ty, depth, false));
        self.scope.leave();
        text
    }

    fn block_value(&mut self, ty: Ty, depth: usize) -> String {
        self.scope.enter();
        let inner = Ty::any(self.dice);
        let init = self.expr(inner, depth, false);
        let name = self.scope.name(self.dice);
        let text = format!("let {name} = {init};");
        self.scope.declare(Var { name, ty: inner, mutable: false, reference: false });
        let value = self.branch(ty, depth);
        self.scope.leave();
        format!("({{ {text} {value} }})")
    }

    /// A statement on one line that changes something, or nothing.
    pub(crate) fn effect(&mut self, depth: usize) -> String {
        let Some(var) = self.scope.place(None, self.dice) else {
            return String::new();
        };
        let value = self.expr(var.ty, depth, true);
        let place = if var.reference { format!("*{}", var.name) } else { var.name.clone() };
        match var.ty {
            Ty::Int { .. } if self.dice.one_in(2) => {
                let op = *self.dice.of(&["+", "-", "*", "&", "|", "^"]);
                format!("{place} {op}= {value};")
            }
            Ty::Bool if self.dice.one_in(2) => format!("{place} ^= {value};"),
            Ty::F32 if self.dice.one_in(2) => format!("{place} -= {value};"),
            _ => format!("{place} = {value};"),
        }
    }

    /// A call of an earlier function whose result has the type, or can be cast to it.
    pub(crate) fn call(&mut self, ty: Ty, depth: usize) -> Option<String> {
        const MOST: usize = 20_000;
        let place = self.scope.place(Some(U32), self.dice);
        let earlier = self.earlier;
        let fit: Vec<usize> = (0..earlier.len())
            .filter(|at| {
                let f = &earlier[*at];
                f.ret == ty && self.cost + f.cost * self.rounds < MOST && (!f.lends || place.is_some())
            })
            .collect();
        if fit.is_empty() {
            return None;
        }
        let callee = &earlier[*self.dice.of(&fit)];
        self.cost += callee.cost * self.rounds;
        let lent = place.filter(|_| callee.lends);
        if let Some(var) = &lent {
            self.scope.lent.push(var.name.clone());
        }
        let mut args: Vec<String> = callee.params.iter().map(|ty| self.expr(*ty, depth, true)).collect();
        if let Some(var) = &lent {
            self.scope.lent.pop();
            args.push(var.lent());
        }
        Some(format!("{}({})", callee.name, args.join(", ")))
    }
}
