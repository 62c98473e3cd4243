//! Pipes: routes that are none, ends that are missing or in the wrong place, blocks that would arrive elsewhere.

use crate::arch::Core;
use crate::cores::CoreSet;

use super::super::decl::{CbId, KernelDecl, Program};
use super::super::error::{ProblemKind, ProgramError};
use super::super::pipe::{PipeDecl, PipeEnd, PipeKind, PipeUse, Route};
use super::buffers::foreign;

pub(super) fn check<K>(program: &Program<K>, errors: &mut Vec<ProgramError>) {
    for (pipe, index) in program.pipes.iter().zip(0u32..) {
        let before = errors.len();
        routes(pipe, errors);
        if errors.len() > before {
            continue;
        }
        let ends: Vec<(&KernelDecl<K>, &PipeUse)> = program
            .kernels
            .iter()
            .flat_map(|k| k.args.iter().filter_map(move |a| Some((k, a.pipe.as_ref()?))))
            .filter(|(_, used)| used.pipe.program == program.id && used.pipe.index == index)
            .collect();
        for end in [PipeEnd::Tx, PipeEnd::Rx] {
            placed(pipe, end, &ends, errors);
        }
        same_buffer(program, pipe, &ends, errors);
    }
    for kernel in &program.kernels {
        let strange = |a: &&super::super::decl::Arg| a.pipe.as_ref().is_some_and(|p| program.pipe_of(p.pipe).is_none());
        errors.extend(kernel.args.iter().filter(strange).map(|_| foreign(kernel, "pipe")));
    }
}

fn problem(pipe: &PipeDecl, message: String) -> ProgramError {
    ProgramError::new(ProblemKind::Pipe, message).at(pipe.site, format!("`{}` is made here", pipe.name))
}

fn routes(pipe: &PipeDecl, errors: &mut Vec<ProgramError>) {
    let name = &pipe.name;
    if pipe.routes.is_empty() {
        let error = problem(pipe, format!("pipe `{name}` has no routes"));
        errors.push(error.help("give each sender a route; `Route::alone` is that of a sender without receivers"));
    }
    for (i, route) in pipe.routes.iter().enumerate() {
        let Route { sender, receivers } = route;
        if pipe.kind == PipeKind::Unicast && route.receivers().next().is_none() {
            let error = problem(pipe, format!("unicast pipe `{name}`: {sender} sends to nobody but itself"));
            errors.push(error.help("give it a receiver, or leave the route out"));
        }
        if pipe.kind == PipeKind::Unicast && receivers.iter().count() > 1 {
            let error = problem(pipe, format!("unicast pipe `{name}`: {sender} has several receivers, {receivers}"));
            errors.push(error.help("make it with `Program::pipe`, which multicasts"));
        }
        for other in &pipe.routes[..i] {
            if other.sender == *sender {
                let error = problem(pipe, format!("pipe `{name}` has two routes from {sender}"));
                let note = format!("to {} and to {receivers}", other.receivers);
                errors.push(error.note(note).help("a sender has one rectangle of receivers; make two pipes"));
            }
            if let Some(both) = route.receivers().find(|c| other.receivers().any(|o| o == *c)) {
                let error = problem(pipe, format!("pipe `{name}`: {both} receives from {} and {sender}", other.sender));
                errors.push(error.help("a receiver has one sender: make a pipe for each"));
            }
        }
    }
    let both = pipe.senders().intersection(&pipe.receivers());
    if pipe.kind == PipeKind::Multicast && !both.is_empty() {
        let error = problem(pipe, format!("pipe `{name}`: {both} both send and receive"));
        errors.push(
            error
                .note("the flag that a sender multicasts is the word on which a receiver waits")
                .help("make two pipes, or a unicast pipe if every sender has one receiver"),
        );
    }
}

/// Every core of an end has one kernel with it, and no other core has.
fn placed<K>(pipe: &PipeDecl, end: PipeEnd, ends: &[(&KernelDecl<K>, &PipeUse)], errors: &mut Vec<ProgramError>) {
    let (name, what) = (&pipe.name, end.name());
    let expected = match end {
        PipeEnd::Tx => pipe.senders(),
        PipeEnd::Rx => pipe.receivers(),
    };
    let kernels: Vec<&KernelDecl<K>> = ends.iter().filter(|(_, used)| used.end == end).map(|(k, _)| *k).collect();
    let have: CoreSet = kernels.iter().flat_map(|k| k.cores.iter()).collect();
    let missing = expected.difference(&have);
    if !missing.is_empty() {
        let error = problem(pipe, format!("no kernel has the {what} end of pipe `{name}` on {missing}"));
        let other = if end == PipeEnd::Tx { "receivers wait for ever" } else { "its sender waits for ever" };
        errors.push(error.note(other).help(format!("put a kernel with the {what} end on {missing}")));
    }
    for (i, kernel) in kernels.iter().enumerate() {
        let strange = kernel.cores.difference(&expected);
        if !strange.is_empty() {
            let verb = if end == PipeEnd::Tx { "sends" } else { "receives" };
            let message = format!(
                "kernel `{}` has the {what} end of pipe `{name}` on {strange}, where nothing {verb}",
                kernel.name
            );
            let error = ProgramError::new(ProblemKind::Pipe, message).at(kernel.site, "given here");
            errors.push(
                error
                    .at(pipe.site, format!("the {what} cores are {expected}"))
                    .help("put the kernel on `pipe.senders()` or `pipe.receivers()`"),
            );
        }
        for other in &kernels[..i] {
            let both = kernel.cores.intersection(&other.cores);
            if !both.is_empty() {
                let message = format!(
                    "kernels `{}` and `{}` both have the {what} end of pipe `{name}` on {both}",
                    other.name, kernel.name
                );
                let error = ProgramError::new(ProblemKind::Pipe, message).at(kernel.site, "given here");
                errors.push(error.at(other.site, "and here").help("an end of a pipe has one kernel on each core"));
            }
        }
    }
}

/// Data goes to the place that the buffer has on the sender, so sender and receivers must use one buffer.
fn same_buffer<K>(
    program: &Program<K>,
    pipe: &PipeDecl,
    ends: &[(&KernelDecl<K>, &PipeUse)],
    errors: &mut Vec<ProgramError>,
) {
    let cb_name = |cb: CbId| program.cb_of(cb).map_or_else(String::new, |c| format!("`{}`", c.name));
    let mut first: Option<(&KernelDecl<K>, CbId)> = None;
    for (kernel, used) in ends {
        if used.buffers.is_empty() {
            continue;
        }
        for &cb in &used.buffers {
            match first {
                None => first = Some((kernel, cb)),
                Some((other, before)) if before != cb => {
                    let message = format!(
                        "pipe `{}` carries blocks of two circular buffers, {} and {}",
                        pipe.name,
                        cb_name(before),
                        cb_name(cb)
                    );
                    let error = ProgramError::new(ProblemKind::Pipe, message)
                        .at(kernel.site, format!("`{}` uses {}", kernel.name, cb_name(cb)))
                        .at(other.site, format!("`{}` uses {}", other.name, cb_name(before)));
                    errors.push(
                        error
                            .note("a block arrives at the L1 address that it has on the sender")
                            .help("declare one circular buffer on all cores of the pipe and use it on both sides"),
                    );
                    return;
                }
                Some(_) => {}
            }
        }
    }
    if let Some((kernel, cb)) = first
        && let Some(decl) = program.cb_of(cb)
    {
        let cores: CoreSet = pipe.senders().union(&pipe.receivers());
        let missing: CoreSet = cores.iter().filter(|c: &Core| !decl.cores.contains(*c)).collect();
        if !missing.is_empty() {
            let message = format!("pipe `{}` carries blocks of `{}`, which is not on {missing}", pipe.name, decl.name);
            let error = ProgramError::new(ProblemKind::Pipe, message).at(kernel.site, "used here");
            errors.push(
                error.at(decl.site, format!("on {}", decl.cores)).help("declare the buffer on all cores of the pipe"),
            );
        }
    }
}
