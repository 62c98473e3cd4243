//! What goes to other cores: pages, increments, semaphores.

use super::Lower;
use super::value::{ResId, ResKind, Value};
use crate::ir::{Dest, Expr, LocalId, Op, Ty};
use ttl_skeleton as sk;

/// The methods of the token which this file lowers.
pub(super) const SENDS: &[&str] = &[
    "write_to_core",
    "write_to_core_at",
    "write_multicast",
    "write_multicast_at",
    "write_multicast_loopback_src",
    "semaphore_inc",
    "semaphore_set_remote",
    "semaphore_set_multicast",
    "semaphore_set_multicast_loopback_src",
    "atomic_barrier",
];

impl Lower<'_> {
    pub(super) fn semaphore_method(&mut self, semaphore: LocalId, name: &str, args: &[sk::Expr]) -> Value {
        let [value] = args else { return self.no_method("Semaphore", name) };
        let value = self.scalar(value);
        match name {
            "set" => self.effect(Op::SemaphoreSet { semaphore, value }),
            "wait" => self.effect(Op::SemaphoreWait { semaphore, value, min: false }),
            "wait_min" => self.effect(Op::SemaphoreWait { semaphore, value, min: true }),
            _ => self.no_method("Semaphore", name),
        }
    }

    pub(super) fn send(&mut self, name: &str, args: &[sk::Expr]) -> Value {
        // rustc has seen to the types; without a value the error is reported already.
        self.try_send(name, args).unwrap_or(Value::Never)
    }

    fn try_send(&mut self, name: &str, args: &[sk::Expr]) -> Option<Value> {
        match (name, args) {
            ("atomic_barrier", []) => Some(self.effect(Op::AtomicBarrier)),
            ("write_to_core", [src, core]) => {
                let (src, pages) = self.sent_block(src)?;
                let to = Dest::Core(self.core(core)?);
                Some(self.pages_to(src, src, pages, to, false))
            }
            ("write_to_core_at", [src, dst, core]) => {
                let (src, pages) = self.sent_block(src)?;
                let dst = self.guard_cb(dst)?;
                let to = Dest::Core(self.core(core)?);
                Some(self.pages_to(src, dst, pages, to, false))
            }
            ("write_multicast", [src, range, num_dests]) => {
                let (src, pages) = self.sent_block(src)?;
                let to = self.many(range, num_dests, false)?;
                Some(self.pages_to(src, src, pages, to, false))
            }
            ("write_multicast_at" | "write_multicast_loopback_src", [src, dst, range, num_dests]) => {
                let loopback = name == "write_multicast_loopback_src";
                let (src, pages) = self.sent_block(src)?;
                let dst = self.guard_cb(dst)?;
                let to = self.many(range, num_dests, loopback)?;
                Some(self.pages_to(src, dst, pages, to, loopback))
            }
            ("semaphore_inc", [semaphore, core, value]) => {
                let semaphore = self.semaphore(semaphore)?;
                let core = self.core(core)?;
                let value = self.scalar(value);
                Some(self.effect(Op::SemaphoreInc { semaphore, core, value }))
            }
            ("semaphore_set_remote", [semaphore, core]) => {
                let semaphore = self.semaphore(semaphore)?;
                let to = Dest::Core(self.core(core)?);
                Some(self.effect(Op::SemaphoreSend { semaphore, to, flush: false }))
            }
            (_, [semaphore, range, num_dests]) => {
                let semaphore = self.semaphore(semaphore)?;
                let to = self.many(range, num_dests, name == "semaphore_set_multicast_loopback_src")?;
                Some(self.effect(Op::SemaphoreSend { semaphore, to, flush: false }))
            }
            _ => Some(self.no_method("Noc", name)),
        }
    }

    fn pages_to(&mut self, src: LocalId, dst: LocalId, pages: Expr, to: Dest, loopback: bool) -> Value {
        self.op(Op::SendPages { src, dst, pages, to });
        self.resource(ResKind::Sent { loopback })
    }

    /// A block to be sent and its pages.
    pub(super) fn sent_block(&mut self, e: &sk::Expr) -> Option<(LocalId, Expr)> {
        let Value::Res { id, .. } = self.expr(e) else {
            return None;
        };
        match self.resources[id.0].kind.clone() {
            ResKind::Front { cb, pages } | ResKind::Reserved { cb, pages } => {
                let pages = pages.unwrap_or_else(|| self.page_count_of(cb));
                Some((cb, pages))
            }
            _ => None,
        }
    }

    pub(super) fn page_count_of_guard(&mut self, guard: ResId) -> Expr {
        match self.resources[guard.0].kind.clone() {
            ResKind::Front { pages: Some(pages), .. } | ResKind::Reserved { pages: Some(pages), .. } => pages,
            ResKind::Front { cb, .. } | ResKind::Reserved { cb, .. } => self.page_count_of(cb),
            _ => Expr::u32(0),
        }
    }

    /// The page count of a guard that is a parameter: the caller gives it as a further argument.
    pub(super) fn page_count_of(&mut self, guard: LocalId) -> Expr {
        let known = self.page_counts.iter().find(|(g, _)| *g == guard).map(|(_, count)| *count);
        let count = known.unwrap_or_else(|| {
            let name = format!("{}_pages", self.locals[guard.0 as usize].name);
            let count = self.new_local(&name, Ty::U32, false);
            self.page_counts.push((guard, count));
            count
        });
        self.read(count)
    }

    fn many(&mut self, range: &sk::Expr, num_dests: &sk::Expr, loopback: bool) -> Option<Dest> {
        let Value::CoreRange(range) = self.expr(range) else {
            return None;
        };
        let num_dests = self.scalar(num_dests);
        Some(Dest::Many { range, num_dests, loopback })
    }

    pub(super) fn core(&mut self, e: &sk::Expr) -> Option<LocalId> {
        match self.expr(e) {
            Value::Core(core) => Some(core),
            _ => None,
        }
    }

    pub(super) fn semaphore(&mut self, e: &sk::Expr) -> Option<LocalId> {
        match self.expr(e) {
            Value::Semaphore(semaphore) => Some(semaphore),
            _ => None,
        }
    }
}
