//! The report when no thread can run: who waits for what, how much of it there is, and, where it can be told, why.

use std::fmt::Write as _;
use std::sync::Arc;

use super::core::{CoreState, Wait};
use super::error::{ErrorKind, SimError, count};
use super::launch::Processor;
use super::sched::{AllCores, Shared};
use crate::arch::Core;
use crate::site::Site;

/// Groups of threads to show; more are counted.
const SHOWN: usize = 12;

/// Threads that wait for the same thing at the same place, in several cores.
struct Group {
    processor: &'static str,
    kernel: String,
    site: Site,
    waits_for: String,
    help: Option<String>,
    cores: Vec<Core>,
}

/// `polling`: some of them look at memory again and again.
pub(super) fn report(shared: &Shared, cores: &AllCores<'_>, polling: bool) -> SimError {
    let mut groups: Vec<Group> = Vec::new();
    let mut threads = 0u64;
    for core in cores.iter() {
        for (i, t) in core.threads.iter().enumerate() {
            if matches!(t.wait, Wait::Finished) {
                continue;
            }
            threads += 1;
            let (waits_for, help) = describe(core, i);
            let same = |g: &&mut Group| {
                g.site == t.site
                    && g.processor == t.processor.name()
                    && g.waits_for == waits_for
                    && *g.kernel == *t.kernel
            };
            match groups.iter_mut().find(same) {
                Some(group) => {
                    group.cores.push(core.core);
                    group.help = group.help.take().or(help); // evident on one of the cores only
                }
                None => groups.push(Group {
                    processor: t.processor.name(),
                    kernel: t.kernel.to_string(),
                    site: t.site,
                    waits_for,
                    help,
                    cores: vec![core.core],
                }),
            }
        }
    }
    let waiting = if threads == 1 { "1 thread waits".to_owned() } else { format!("{threads} threads wait") };
    let them = if threads == 1 { "it" } else { "them" };
    let mut error = match polling {
        false => SimError::new(ErrorKind::Deadlock, format!("deadlock: {waiting} and nothing can wake {them}")),
        true => {
            let threads = count(threads, "thread");
            SimError::new(ErrorKind::Livelock, format!("livelock: {threads} that wait or poll for ever"))
        }
    };
    for g in groups.iter().take(SHOWN) {
        let cores = core_set(shared.arch.grid_x, &g.cores);
        error = error.label(g.site, format!("{cores} {} `{}` {}", g.processor, g.kernel, g.waits_for));
    }
    if groups.len() > SHOWN {
        error = error.note(format!("{} more groups of threads wait", groups.len() - SHOWN));
    }
    let semaphores = |c: &CoreState| {
        c.threads.iter().any(|t| matches!(t.wait, Wait::SemaphoreEqual { .. } | Wait::SemaphoreMin { .. }))
    };
    if cores.iter().any(semaphores)
        && let Some(note) = ended(shared.arch.grid_x, cores)
    {
        error = error.note(note);
    }
    let mut helps: Vec<&String> = Vec::new();
    for help in groups.iter().filter_map(|g| g.help.as_ref()) {
        if !helps.contains(&help) {
            helps.push(help);
        }
    }
    helps.into_iter().take(4).fold(error, |e, h| e.help(h.clone()))
}

/// What a thread waits for.
pub(super) fn waits_for(core: &CoreState, thread: usize) -> String {
    describe(core, thread).0
}

/// What a thread waits for, and what is wrong if that is evident.
fn describe(core: &CoreState, thread: usize) -> (String, Option<String>) {
    let t = &core.threads[thread];
    match t.wait {
        Wait::Front { cb, pages } => {
            let c = &core.cbs.list[cb];
            let text = format!(
                "waits for {} of {}: {} there, capacity {}",
                count(pages, "page"),
                c.title(),
                c.available(),
                c.num_pages
            );
            let help = match c.producer {
                None => never_used(core, &c.ends.producers, "fills", "pushing", &c.name),
                Some((p, _)) if p == thread => {
                    Some(format!("`{}` is filled by the same kernel, which must push before it waits", c.name))
                }
                Some((p, _)) if core.threads[p].wait == Wait::Finished => Some(format!(
                    "{} has ended after pushing {} of `{}`; {} popped, so a wait for {pages} cannot succeed",
                    core.thread_title(p),
                    count(c.received, "page"),
                    c.name,
                    c.acked
                )),
                Some(_) => None,
            };
            (text, help)
        }
        Wait::Reserve { cb, pages } => {
            let c = &core.cbs.list[cb];
            let text = format!(
                "waits for {} of {}: {} free, capacity {}",
                count(pages, "free page"),
                c.title(),
                c.free(),
                c.num_pages
            );
            let help = match c.consumer {
                None => never_used(core, &c.ends.consumers, "empties", "popping", &c.name),
                Some((p, _)) if p == thread => {
                    Some(format!("`{}` is emptied by the same kernel, which must pop before it reserves more", c.name))
                }
                Some((p, _)) if core.threads[p].wait == Wait::Finished => Some(format!(
                    "{} has ended after popping {} of `{}`; {} pushed, so nobody makes room for {pages} more",
                    core.thread_title(p),
                    count(c.acked, "page"),
                    c.name,
                    c.received
                )),
                Some(_) => None,
            };
            (text, help)
        }
        Wait::SemaphoreEqual { addr, value } | Wait::SemaphoreMin { addr, value } => {
            let exact = matches!(t.wait, Wait::SemaphoreEqual { .. });
            let name = core
                .semaphores
                .iter()
                .find(|s| s.1 == addr)
                .map_or_else(|| format!("the word at L1 {addr:#x}"), |(id, _, name)| semaphore(*id, name));
            let now = core.l1.word(addr);
            let relation = if exact { "to be" } else { "to be at least" };
            let help = (exact && now > value).then(|| {
                format!("{name} has passed {value}: it is compared for equality; use `noc_semaphore_wait_min` or reset it in time")
            });
            (format!("waits for {name} {relation} {value}: it is {now}"), help)
        }
        Wait::Poll { .. } | Wait::Ready | Wait::Delay { .. } => ("polls".to_owned(), None),
        Wait::Reads { trid: None, .. } => ("waits for reads to land".to_owned(), None),
        Wait::Reads { trid: Some(id), .. } => (format!("waits for reads with transaction id {id} to land"), None),
        Wait::Writes { trid: None, .. } => ("waits for writes to arrive".to_owned(), None),
        Wait::Writes { trid: Some(id), .. } => (format!("waits for writes with transaction id {id} to arrive"), None),
        Wait::Atomics { .. } => ("waits for increments to arrive".to_owned(), None),
        Wait::QueueRoom { .. } => ("waits for the NoC".to_owned(), None),
        Wait::Finished | Wait::Failed => (String::new(), None),
    }
}

/// Nobody has called anything of an end of a buffer: because there is no such kernel on the core, or because it has ended already.
fn never_used(core: &CoreState, kernels: &[Arc<str>], verb: &str, doing: &str, cb: &str) -> Option<String> {
    let Some(thread) = core.threads.iter().position(|t| kernels.contains(&t.kernel)) else {
        return Some(format!("no kernel on this core {verb} `{cb}`"));
    };
    let ended = core.threads[thread].wait == Wait::Finished;
    ended.then(|| format!("{} has ended without {doing} a page of `{cb}`", core.thread_title(thread)))
}

fn semaphore(id: u32, name: &str) -> String {
    if name.is_empty() { format!("semaphore {id}") } else { format!("semaphore `{name}` (id {id})") }
}

/// Data-movement kernels that have ended, while others wait for a semaphore that one of them may have had to raise.
fn ended(grid_x: u32, cores: &AllCores<'_>) -> Option<String> {
    let mut groups: Vec<(String, Vec<Core>)> = Vec::new();
    for core in cores.iter() {
        for (i, t) in core.threads.iter().enumerate() {
            if t.wait != Wait::Finished || t.processor == Processor::Compute {
                continue;
            }
            let title = core.thread_title(i);
            match groups.iter_mut().find(|g| g.0 == title) {
                Some(group) => group.1.push(core.core),
                None => groups.push((title, vec![core.core])),
            }
        }
    }
    let more = groups.len().saturating_sub(4);
    let mut list: Vec<String> =
        groups.iter().take(4).map(|(title, on)| format!("{title} on {}", core_set(grid_x, on))).collect();
    if more > 0 {
        list.push(format!("{more} more"));
    }
    (!list.is_empty()).then(|| format!("ended already: {}", list.join("; ")))
}

/// `core(0,0)-(7,3), core(9,9)`: cores as rectangles.
fn core_set(grid_x: u32, cores: &[Core]) -> String {
    let mut left: Vec<Core> = cores.to_vec();
    left.sort_by_key(|c| (c.y, c.x));
    let mut text = String::new();
    let mut shown = 0;
    while let Some(&start) = left.first() {
        if shown == 4 {
            let _ = write!(text, " and {} more cores", left.len());
            break;
        }
        // The widest run to the right, then as many full rows below as there are.
        let has = |x: u32, y: u32| left.contains(&Core::new(x, y));
        let end_x = (start.x..grid_x).take_while(|&x| has(x, start.y)).last().unwrap_or(start.x);
        let full = |y: u32| (start.x..=end_x).all(|x| has(x, y));
        let end_y = (start.y..).take_while(|&y| full(y)).last().unwrap_or(start.y);
        if shown > 0 {
            text.push_str(", ");
        }
        let _ = write!(text, "core({},{})", start.x, start.y);
        if (end_x, end_y) != (start.x, start.y) {
            let _ = write!(text, "-({end_x},{end_y})");
        }
        shown += 1;
        left.retain(|c| !((start.x..=end_x).contains(&c.x) && (start.y..=end_y).contains(&c.y)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_shown_as_rectangles() {
        let all: Vec<Core> = (0..4).flat_map(|y| (0..8).map(move |x| Core::new(x, y))).collect();
        assert_eq!(core_set(8, &all), "core(0,0)-(7,3)");
        assert_eq!(core_set(8, &all[..9]), "core(0,0)-(7,0), core(0,1)");
        assert_eq!(core_set(8, &[Core::new(3, 2)]), "core(3,2)");
        let sparse: Vec<Core> = all.iter().copied().filter(|c| (c.x + c.y) % 2 == 0).collect();
        assert_eq!(core_set(8, &sparse), "core(0,0), core(2,0), core(4,0), core(6,0) and 12 more cores");
    }
}
