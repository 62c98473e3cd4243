//! `for` over ranges with Rust's meaning: bounds evaluated once and in order, nothing for an empty range, every value up to the type's
//! limits, steps that would leave the type end the loop.
//!
//! The common forms read like C++: counting up by one to an exclusive bound cannot overflow, and neither can a step to a literal bound
//! that has room above. Where a counter could leave its type, the header either compares distances or carries a flag `more` that is
//! computed before the counter moves.

use super::expr::fold;
use super::function::Printer;
use super::piece::int_type;
use crate::ir::{Expr, ExprKind, For, IntTy, Order, visit};
use std::collections::BTreeSet;

impl Printer<'_> {
    pub(super) fn for_loop(&mut self, l: &For) {
        let ty = self.f.local(l.local).ty.int().unwrap_or(IntTy::U32);
        let cpp = int_type(ty);
        let mut changed = visit::assigned_locals(&l.body);
        changed.insert(l.local);
        let simple = (l.order == Order::Forward || l.step == 1) && !needs_flag(l, ty, fold(&l.start), fold(&l.end));
        if simple {
            self.scopes.enter();
            self.plain_loop(l, ty, cpp, &changed);
        } else {
            self.flag_loop(l, ty, cpp, &changed);
        }
        self.scopes.leave();
    }

    /// The counter's name: the loop's local, or another if the body changes the local.
    fn counter(&mut self, l: &For) -> String {
        let wanted = self.f.local(l.local).name.clone();
        if self.assigned.contains(&l.local) {
            self.scopes.declare(&format!("next_{wanted}"))
        } else {
            self.declare(l.local)
        }
    }

    /// The body between the header's brace and the closing one.
    fn loop_body(&mut self, l: &For, cpp: &str, counter: &str) {
        self.out.indent();
        self.scopes.enter();
        if self.assigned.contains(&l.local) {
            let name = self.declare(l.local);
            self.out.code(&format!("{cpp} {name} = {counter};"));
        }
        self.loops += 1;
        self.block(&l.body);
        self.loops -= 1;
        self.scopes.leave();
        self.out.dedent();
        self.out.plain("}");
    }

    /// A bound as text, and the declaration that holds its value if it must be evaluated once.
    fn bound(&mut self, name: &str, bound: &Expr, changed: &BTreeSet<crate::ir::LocalId>) -> (String, Option<String>) {
        let text = self.text(bound);
        let stable = fold(bound).is_some() || matches!(bound.kind, ExprKind::Local(local) if !changed.contains(&local));
        if stable {
            return (text, None);
        }
        let name = self.scopes.declare(name);
        let declaration = format!("{name} = {text}");
        (name, Some(declaration))
    }

    fn plain_loop(&mut self, l: &For, ty: IntTy, cpp: &str, changed: &BTreeSet<crate::ir::LocalId>) {
        if l.order != Order::Forward {
            // Unsigned, exclusive, by one: the test before the decrement is the one of the range.
            let (start, hold) = self.bound("start", &l.start, changed);
            let end = self.text(&l.end);
            let counter = self.counter(l);
            let hold = hold.map_or(String::new(), |h| format!("{h}, "));
            self.out.code(&format!("for ({cpp} {hold}{counter} = {end}; {counter}-- > {start};) {{"));
            return self.loop_body(l, cpp, &counter);
        }
        let start = self.text(&l.start);
        let (end, hold) = self.bound("end", &l.end, changed);
        let hold = hold.map_or(String::new(), |h| format!(", {h}"));
        let counter = self.counter(l);
        let (compare, step) = (if l.inclusive { "<=" } else { "<" }, l.step);
        let next = if step == 1 {
            format!("++{counter}")
        } else if room_above(&fold(&l.end), ty, l) {
            format!("{counter} += {step}")
        } else {
            let step = step.min(u64::from(u32::MAX));
            let distance = distance(ty, &end, &counter);
            let stepped = stepped(ty, &counter, "+", step);
            format!("{counter} = {distance} > {step} ? {stepped} : {end}")
        };
        self.out.code(&format!("for ({cpp} {counter} = {start}{hold}; {counter} {compare} {end}; {next}) {{"));
        self.loop_body(l, cpp, &counter);
    }

    fn flag_loop(&mut self, l: &For, ty: IntTy, cpp: &str, changed: &BTreeSet<crate::ir::LocalId>) {
        let (start, hold) = self.bound("start", &l.start, changed);
        if let Some(hold) = hold {
            self.out.code(&format!("const {cpp} {hold};"));
        }
        let (end, hold) = self.bound("end", &l.end, changed);
        if let Some(hold) = hold {
            self.out.code(&format!("const {cpp} {hold};"));
        }
        let more = self.scopes.declare("more");
        let compare = if l.inclusive { "<=" } else { "<" };
        self.out.code(&format!("bool {more} = {start} {compare} {end};"));
        let last = if l.inclusive { end.clone() } else { stepped(ty, &end, "-", 1) };
        let (first, operator) = match l.order {
            Order::Forward => (start.clone(), "+"),
            Order::RevThenStep => (last.clone(), "-"),
            Order::StepThenRev if l.step == 1 => (last.clone(), "-"),
            Order::StepThenRev => {
                let span = distance(ty, &last, &start);
                let step = l.step;
                let offset = match step {
                    s if s > u64::from(u32::MAX) => "0".to_owned(),
                    _ => format!("{} / {step} * {step}", parenthesised(&span)),
                };
                (offset_from(ty, &start, &offset), "-")
            }
        };
        // The flag and the bounds stand before the loop, in the scope around it.
        self.scopes.enter();
        let counter = self.counter(l);
        let step = l.step;
        let going = match l.order {
            Order::Forward if l.inclusive && step == 1 => format!("{counter} != {end}"),
            Order::StepThenRev => format!("{counter} != {start}"),
            Order::RevThenStep if step == 1 => format!("{counter} != {start}"),
            _ if step > u64::from(u32::MAX) => "false".to_owned(),
            Order::Forward if l.inclusive => {
                format!("{} >= {step}", distance(ty, &end, &counter))
            }
            Order::Forward => format!("{} > {step}", distance(ty, &end, &counter)),
            Order::RevThenStep => format!("{} >= {step}", distance(ty, &counter, &start)),
        };
        // An empty range must not compute a first element that does not exist.
        let first = if l.order == Order::Forward { first } else { format!("{more} ? {first} : {start}") };
        let moved = stepped(ty, &counter, operator, step.min(u64::from(u32::MAX)));
        self.out.code(&format!(
            "for ({cpp} {counter} = {first}; {more}; {more} = {going}, {counter} = {more} ? {moved} : {counter}) {{"
        ));
        self.loop_body(l, cpp, &counter);
    }
}

/// Whether the loop's header cannot say it without a flag.
fn needs_flag(l: &For, ty: IntTy, _start: Option<i64>, end: Option<i64>) -> bool {
    match l.order {
        Order::Forward if l.inclusive => !room_above(&end, ty, l),
        Order::Forward => false,
        // `counter-- > start` must not step below the least value of a signed type.
        Order::RevThenStep | Order::StepThenRev => l.inclusive || ty.signed,
    }
}

/// Whether the step from the last element stays in the type.
fn room_above(end: &Option<i64>, ty: IntTy, l: &For) -> bool {
    let max = if ty.signed { (1i64 << (ty.bits - 1)) - 1 } else { (1i64 << ty.bits) - 1 };
    match (end, i64::try_from(l.step)) {
        (Some(end), Ok(step)) => end.checked_add(step).is_some_and(|next| next - i64::from(!l.inclusive) <= max),
        _ => false,
    }
}

/// `high - low` of two values of the type as a number that cannot be negative.
fn distance(ty: IntTy, high: &str, low: &str) -> String {
    if low == "0" {
        high.to_owned()
    } else if ty.signed && ty.bits == 32 {
        format!("static_cast<uint32_t>({high}) - static_cast<uint32_t>({low})")
    } else {
        format!("{high} - {}", parenthesised(low))
    }
}

/// `value + step` or `value - step` in the type.
fn stepped(ty: IntTy, value: &str, operator: &str, step: u64) -> String {
    match (ty.signed, ty.bits) {
        (false, 32) => format!("{} {operator} {step}", parenthesised(value)),
        (true, 32) => {
            format!("static_cast<int32_t>(static_cast<uint32_t>({value}) {operator} {step}u)")
        }
        // A step beyond the type is never taken.
        _ => format!(
            "static_cast<{}>({} {operator} {})",
            int_type(ty),
            parenthesised(value),
            step & ((1 << ty.bits) - 1)
        ),
    }
}

fn offset_from(ty: IntTy, start: &str, offset: &str) -> String {
    if start == "0" && ty == IntTy::U32 {
        return offset.to_owned();
    }
    match (ty.signed, ty.bits) {
        (false, 32) => format!("{} + {offset}", parenthesised(start)),
        (true, 32) => format!("static_cast<int32_t>(static_cast<uint32_t>({start}) + {offset})"),
        _ => format!("static_cast<{}>({} + {offset})", int_type(ty), parenthesised(start)),
    }
}

/// Names and literals stay bare.
fn parenthesised(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') { text.to_owned() } else { format!("({text})") }
}
