//! Random statements, indented as a reader wants them.

use super::function::{Gen, observe};
use super::scope::Var;
use super::types::{INTS, Ty, U32};

const DEPTH: usize = 3;

impl Gen<'_> {
    /// Statements, each on lines of its own. Whether the last one leaves.
    pub(crate) fn statements(&mut self, count: usize, indent: usize, out: &mut String) {
        for _ in 0..count {
            self.statement(indent, out);
        }
    }

    fn line(&self, indent: usize, text: &str, out: &mut String) {
        if !text.is_empty() {
            out.push_str(&"    ".repeat(indent));
            out.push_str(text);
            out.push('\n');
        }
    }

    fn statement(&mut self, indent: usize, out: &mut String) {
        let nested = indent < 4 && self.rounds <= 8;
        match self.dice.below(16) {
            0..=3 => self.declaration(indent, out),
            4 if nested => self.for_loop(indent, out),
            5 if nested => self.while_loop(indent, out),
            6 if nested => self.endless_loop(indent, out),
            7 | 8 if indent < 5 => self.branches(indent, out),
            9 if self.loops > 0 || self.dice.one_in(3) => self.leave(indent, out),
            10 => {
                let ty = Ty::any(self.dice);
                if let Some(call) = self.call(ty, DEPTH - 1) {
                    let discard = if self.dice.one_in(2) { "let _ = " } else { "" };
                    self.line(indent, &format!("{discard}{call};"), out);
                }
            }
            11 => self.deferred(indent, out),
            12 => {
                let ty = Ty::any(self.dice);
                if let Some(var) = self.scope.read(ty, self.dice) {
                    self.line(indent, &observe(&var), out);
                }
            }
            _ => {
                let text = self.effect(DEPTH);
                self.line(indent, &text, out);
            }
        }
    }

    fn declaration(&mut self, indent: usize, out: &mut String) {
        let ty = Ty::any(self.dice);
        let typed = self.dice.one_in(2);
        let init = self.expr(ty, DEPTH, typed);
        let name = self.scope.name(self.dice);
        let mutable = !self.dice.one_in(3);
        let (keyword, of) =
            (if mutable { "let mut" } else { "let" }, if typed { format!(": {}", ty.name()) } else { String::new() });
        self.line(indent, &format!("{keyword} {name}{of} = {init};"), out);
        self.scope.declare(Var { name, ty, mutable, reference: false });
    }

    /// Declared first, given a value in both branches.
    fn deferred(&mut self, indent: usize, out: &mut String) {
        let ty = Ty::any(self.dice);
        let name = format!("late{}", self.fresh());
        self.line(indent, &format!("let {name}: {};", ty.name()), out);
        let cond = self.condition(DEPTH);
        for (head, last) in [(format!("if {cond} {{"), false), ("} else {".to_string(), true)] {
            self.line(indent, &head, out);
            self.scope.enter();
            self.statements(1, indent + 1, out);
            let value = self.expr(ty, DEPTH - 1, true);
            self.line(indent + 1, &format!("{name} = {value};"), out);
            self.scope.leave();
            if last {
                self.line(indent, "}", out);
            }
        }
        self.scope.declare(Var { name, ty, mutable: false, reference: false });
    }

    fn branches(&mut self, indent: usize, out: &mut String) {
        let cond = self.condition(DEPTH);
        self.line(indent, &format!("if {cond} {{"), out);
        self.inside(indent, out);
        if self.dice.one_in(3) {
            let cond = self.condition(DEPTH - 1);
            self.line(indent, &format!("}} else if {cond} {{"), out);
            self.inside(indent, out);
        }
        if self.dice.one_in(2) {
            self.line(indent, "} else {", out);
            self.inside(indent, out);
        }
        self.line(indent, "}", out);
    }

    fn inside(&mut self, indent: usize, out: &mut String) {
        self.scope.enter();
        let count = 1 + self.dice.below(2);
        self.statements(count, indent + 1, out);
        self.scope.leave();
    }

    /// Out of the loop, to its next round, or out of the function.
    fn leave(&mut self, indent: usize, out: &mut String) {
        let cond = self.condition(DEPTH);
        let how = match self.dice.below(4) {
            0 | 1 if self.loops > 0 => "break".to_string(),
            2 if self.loops > 0 => "continue".to_string(),
            _ => format!("return {}", self.result(DEPTH - 1)),
        };
        self.line(indent, &format!("if {cond} {{"), out);
        self.scope.enter();
        if self.dice.one_in(2) {
            let text = self.effect(1);
            self.line(indent + 1, &text, out);
        }
        self.scope.leave();
        self.line(indent + 1, &format!("{how};"), out);
        self.line(indent, "}", out);
    }

    /// The inside of a loop that runs at most `rounds` times.
    fn body(&mut self, rounds: usize, indent: usize, out: &mut String) {
        self.loops += 1;
        self.rounds *= rounds;
        let count = 1 + self.dice.below(3);
        self.statements(count, indent + 1, out);
        self.rounds /= rounds;
        self.loops -= 1;
    }

    fn for_loop(&mut self, indent: usize, out: &mut String) {
        let ty = *self.dice.of(&INTS);
        let depth = DEPTH - 1;
        let t = ty.name();
        let range = match self.dice.below(5) {
            // From anywhere, at most eight values: an end that wraps makes it empty.
            0 => {
                // Named twice, so without effects: else the two would differ, and the range could be long.
                let start = self.scope.read(ty, self.dice).map_or_else(|| ty.literal(self.dice), |v| v.text());
                let end = self.expr(ty, 0, false);
                format!("({start} | 7) - 7..=(({start} | 7) - 7) | ({end} & 7)")
            }
            1 => format!("{t}::MAX - ({} & 7)..={t}::MAX", self.expr(ty, depth, false)),
            2 => format!("{t}::MIN..{t}::MIN + ({} & 7)", self.expr(ty, depth, false)),
            3 => format!("({} & 7)..({} & 7)", self.expr(ty, depth, false), self.expr(ty, depth, false)),
            _ => format!("0..({} & 7)", self.expr(ty, depth, false)),
        };
        let range = match self.dice.below(6) {
            0 => format!("({range}).rev()"),
            1 => format!("({range}).step_by({})", 1 + self.dice.below(300)),
            2 => format!("({range}).rev().step_by({})", 1 + self.dice.below(4)),
            3 if !(range.contains("..=") && t.ends_with("32")) => {
                format!("({range}).step_by({}).rev()", 1 + self.dice.below(4))
            }
            _ => range,
        };
        self.scope.enter();
        let name = self.scope.name(self.dice);
        let mutable = self.dice.one_in(4);
        let word = if mutable { "mut " } else { "" };
        self.line(indent, &format!("for {word}{name} in {range} {{"), out);
        self.scope.declare(Var { name, ty, mutable, reference: false });
        self.body(8, indent, out);
        self.line(indent, "}", out);
        self.scope.leave();
    }

    fn counter(&mut self, indent: usize, out: &mut String) -> String {
        let name = format!("count{}", self.fresh());
        self.line(indent, &format!("let mut {name} = 0u32;"), out);
        self.scope.declare(Var { name: name.clone(), ty: U32, mutable: true, reference: false });
        self.scope.counters.push(name.clone());
        name
    }

    fn while_loop(&mut self, indent: usize, out: &mut String) {
        let name = self.counter(indent, out);
        let cond = self.condition(DEPTH);
        let bound = 1 + self.dice.below(7);
        let head = if self.dice.one_in(2) {
            format!("while {name} < {bound} && {cond} {{")
        } else {
            format!("while {cond} && {name} < {bound} {{")
        };
        self.line(indent, &head, out);
        self.scope.enter();
        self.line(indent + 1, &format!("{name} += 1;"), out);
        self.body(8, indent, out);
        self.scope.leave();
        self.line(indent, "}", out);
    }

    fn endless_loop(&mut self, indent: usize, out: &mut String) {
        let name = self.counter(indent, out);
        let bound = 1 + self.dice.below(6);
        self.line(indent, "loop {", out);
        self.scope.enter();
        self.line(indent + 1, &format!("{name} += 1;"), out);
        self.line(indent + 1, &format!("if {name} > {bound} {{"), out);
        self.line(indent + 2, "break;", out);
        self.line(indent + 1, "}", out);
        self.body(8, indent, out);
        self.scope.leave();
        self.line(indent, "}", out);
    }
}
