//! Kernel threads as stackful coroutines, and the way from a free function of `ops` to the thread that runs.
//!
//! # Unsafe code
//!
//! A thread-local pointer names the [`Running`] of the thread that is being resumed on this OS thread. Invariants:
//!
//! * [`Fiber::resume`] sets it before it switches to the coroutine and restores it after. The pointers in `Running` come from
//!   references that the caller of `resume` holds for the whole call and does not use meanwhile.
//! * [`with`] takes the pointer out while its closure has the `&mut CoreState`, so a nested `with` finds nothing and cannot make a
//!   second one. The closure cannot suspend, since [`suspend`] looks for the same pointer.
//! * A coroutine stays on the OS thread that created it.
//! * A failed or deadlocked thread is never resumed: its stack is given back without unwinding (`force_reset`). Frames of kernels own
//!   nothing whose destructor matters; at worst memory is leaked.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, Once, PoisonError};

use corosensei::stack::{DefaultStack, Stack};
use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::core::{CoreState, OP_BUDGET, Wait};
use super::error::{ErrorKind, SimError};
use super::memory::Dram;
use super::sched::Shared;
use super::timeline;
use super::trap::{self, Fault, Pulse};
use crate::site::Site;

/// What an operation of a running thread works on.
pub(super) struct Cx<'a> {
    pub(super) core: &'a mut CoreState,
    /// Index of the running thread in `core.threads`.
    pub(super) me: usize,
    pub(super) shared: &'a Shared,
    pub(super) dram: &'a Dram,
}

struct Running {
    core: Cell<*mut CoreState>,
    shared: Cell<*const Shared>,
    dram: Cell<*const Dram>,
    yielder: Cell<*const Yielder<(), ()>>,
    thread: usize,
}

struct Local {
    running: Cell<*const Running>,
    /// How to end the kernel that runs, for a signal handler, and the low end of its stack.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    trap: Cell<Option<(CoroutineTrapHandler<Exit>, usize)>>,
    /// Of this OS thread; null before its first run.
    pulse: Cell<*const Pulse>,
    /// Inside `Fiber::resume`, also while `running` is taken out.
    in_kernel: Cell<bool>,
}

thread_local! {
    // Without a destructor, so that access costs nothing.
    static LOCAL: Local = const {
        Local {
            running: Cell::new(std::ptr::null()),
            trap: Cell::new(None),
            pulse: Cell::new(std::ptr::null()),
            in_kernel: Cell::new(false),
        }
    };
    /// What a kernel panicked with.
    static PAYLOAD: RefCell<Option<Box<dyn Any + Send>>> = const { RefCell::new(None) };
    /// What the panic hook saw.
    static PANIC: RefCell<Option<(String, Site)>> = const { RefCell::new(None) };
}

/// How a kernel's coroutine ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exit {
    Returned,
    /// With the payload in [`PAYLOAD`].
    Panicked,
    Fault(Fault),
}

/// Watches this OS thread from now on; called when it begins to run kernels.
pub(super) fn watch(shared: &Shared) {
    let pulse = trap::pulse(shared.options.stuck_after);
    LOCAL.with(|l| l.pulse.set(pulse));
}

/// For the signal handler: the registers with which the running kernel ends, if the stack pointer is in its stack and `fault` says so.
/// `fault` gets the low end of the stack, and whether the thread was inside of an operation.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(super) fn trapped(
    stack_pointer: usize,
    fault: impl FnOnce(usize, bool) -> Option<Fault>,
) -> Option<corosensei::trap::TrapHandlerRegs> {
    LOCAL.with(|l| {
        let (handler, low) = l.trap.get()?;
        if !handler.stack_ptr_in_bounds(stack_pointer) {
            return None;
        }
        let fault = fault(low, l.running.get().is_null())?;
        l.trap.set(None);
        // SAFETY: the interrupted context is in the coroutine, which lives as long as `trap` is set, and the caller continues it with these
        // registers; see `trap`.
        Some(unsafe { handler.setup_trap_handler(move || Exit::Fault(fault)) })
    })
}

/// Whether the caller is a kernel thread.
pub(super) fn in_kernel() -> bool {
    LOCAL.with(|l| l.in_kernel.get())
}

/// Runs `f` on the state of the running thread; `None` outside of kernels.
#[inline]
pub(super) fn with<R>(f: impl FnOnce(&mut Cx<'_>) -> R) -> Option<R> {
    LOCAL.with(|l| {
        let running = l.running.replace(std::ptr::null());
        if running.is_null() {
            return None;
        }
        // SAFETY: null, or the pulse of this OS thread, which lives as long as it.
        if let Some(pulse) = unsafe { l.pulse.get().as_ref() } {
            // Only this thread writes.
            pulse.beats.store(pulse.beats.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        }
        // SAFETY: `resume` keeps the pointee alive while the coroutine runs, and only shared references to it exist.
        let r = unsafe { &*running };
        // SAFETY: see the module docs; the pointer was taken out, so this is the only reference made from it.
        let mut cx =
            unsafe { Cx { core: &mut *r.core.get(), me: r.thread, shared: &*r.shared.get(), dram: &*r.dram.get() } };
        let result = f(&mut cx);
        l.running.set(running);
        Some(result)
    })
}

/// Gives way to the scheduler until it resumes this thread. Only inside a kernel.
#[inline]
pub(super) fn suspend() {
    let yielder = LOCAL.with(|l| {
        let running = l.running.get();
        // SAFETY: as in `with`; the yielder lives on the coroutine's own stack, which is the one we run on.
        (!running.is_null()).then(|| unsafe { &*(*running).yielder.get() })
    });
    if let Some(yielder) = yielder {
        yielder.suspend(());
    }
}

/// One kernel thread's coroutine.
pub(super) struct Fiber {
    coroutine: Coroutine<(), (), Exit, DefaultStack>,
    /// The low end of the stack.
    low: usize,
    running: Box<Running>,
}

impl Fiber {
    /// # Safety
    ///
    /// `entry` must outlive the fiber.
    pub(super) unsafe fn new(stack: DefaultStack, thread: usize, entry: &(dyn Fn() + Sync)) -> Fiber {
        let running = Box::new(Running {
            core: Cell::new(std::ptr::null_mut()),
            shared: Cell::new(std::ptr::null()),
            dram: Cell::new(std::ptr::null()),
            yielder: Cell::new(std::ptr::null()),
            thread,
        });
        let body = move |yielder: &Yielder<(), ()>, ()| {
            LOCAL.with(|l| {
                // SAFETY: the body runs inside `resume`, which has set the pointer.
                unsafe { (*l.running.get()).yielder.set(yielder) }
            });
            match panic::catch_unwind(AssertUnwindSafe(entry)) {
                Ok(()) => Exit::Returned,
                Err(payload) => {
                    PAYLOAD.set(Some(payload));
                    Exit::Panicked
                }
            }
        };
        let low = stack.limit().get();
        // SAFETY: the caller promises that `entry` lives long enough; the body borrows nothing else.
        let coroutine = unsafe { Coroutine::with_stack_unchecked(stack, body) };
        Fiber { coroutine, low, running }
    }

    /// Runs the thread until it blocks, fails or ends, and leaves the outcome in its state.
    pub(super) fn resume(&mut self, core: &mut CoreState, shared: &Shared, dram: &Dram) {
        let thread = self.running.thread;
        core.counters.switches += 1;
        timeline::resumed(core, thread);
        let state = &mut core.threads[thread];
        state.wait = Wait::Ready;
        state.budget = OP_BUDGET;
        self.running.core.set(core);
        self.running.shared.set(shared);
        self.running.dram.set(dram);
        let trap = (self.coroutine.trap_handler(), self.low);
        let outer = LOCAL.with(|l| {
            beating(l, true);
            (l.running.replace(&*self.running), l.in_kernel.replace(true), l.trap.replace(Some(trap)))
        });
        let result = self.coroutine.resume(());
        LOCAL.with(|l| {
            l.trap.set(outer.2);
            l.running.set(outer.0);
            l.in_kernel.set(outer.1);
            beating(l, outer.1);
        });
        match result {
            CoroutineResult::Yield(()) => {}
            CoroutineResult::Return(Exit::Returned) => {
                super::sched::thread_ended(core, thread);
                if let Some(progress) = &shared.options.progress {
                    progress.finished();
                }
            }
            CoroutineResult::Return(exit) => {
                let error = match exit {
                    Exit::Panicked => panic_error(core, thread, PAYLOAD.take().as_deref()),
                    Exit::Fault(fault) => fault_error(core, thread, fault, shared),
                    Exit::Returned => unreachable!("the arm before"),
                };
                core.threads[thread].wait = Wait::Failed;
                core.error.get_or_insert(error);
            }
        }
        timeline::stopped(core, thread);
    }

    /// The stack, for another thread.
    pub(super) fn into_stack(mut self) -> DefaultStack {
        // SAFETY: see the module docs: what is left on the stack need not be dropped.
        unsafe { self.coroutine.force_reset() };
        self.coroutine.into_stack()
    }
}

/// Whether a kernel runs now, for those who watch.
fn beating(l: &Local, in_kernel: bool) {
    // SAFETY: null, or the pulse of this OS thread, which lives as long as it.
    if let Some(pulse) = unsafe { l.pulse.get().as_ref() } {
        pulse.in_kernel.store(in_kernel, Ordering::Relaxed);
    }
}

fn fault_error(core: &CoreState, thread: usize, fault: Fault, shared: &Shared) -> SimError {
    let kernel = &core.threads[thread].kernel;
    let error = |kind, message| SimError::new(kind, message).who(core.who(thread));
    let error = match fault {
        Fault::StackOverflow => error(ErrorKind::Kernel, format!("kernel `{kernel}` has used up its stack"))
            .numbers(format!("the stack has {} bytes", shared.options.stack_bytes))
            .help("kernels have small stacks on the chip, too: put large arrays into circular buffers; or set `RunOptions::stack_bytes`"),
        Fault::Memory { address } => {
            error(ErrorKind::Memory, format!("kernel `{kernel}` followed a pointer to {address:#x}, where nothing is"))
                .help("pointers into L1 come from `reinterpret_cast` of an address, and end where L1 ends")
        }
        Fault::Stuck => {
            let limit = shared.options.stuck_after.unwrap_or_default();
            error(ErrorKind::Livelock, format!("kernel `{kernel}` has called nothing for {limit:?}"))
                .help("a loop that waits for memory to change must call something: `noc_semaphore_wait`, or read the word with a call")
                .help("if it computes that long, set `RunOptions::stuck_after`")
        }
    };
    match core.threads[thread].site {
        site if site.line > 0 => error.label(site, "its last call that had to wait"),
        _ => error,
    }
}

fn panic_error(core: &CoreState, thread: usize, payload: Option<&(dyn Any + Send)>) -> SimError {
    let (message, site) = PANIC.take().unwrap_or_else(|| {
        let text = payload.and_then(|payload| {
            let literal = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
            literal.or_else(|| payload.downcast_ref::<String>().cloned())
        });
        (text.unwrap_or_else(|| "a panic without a message".to_owned()), Site::UNKNOWN)
    });
    core.error(thread, ErrorKind::Panic, format!("the kernel panicked: {message}"), site)
}

/// Makes panics inside kernels quiet: they become errors of the run. Others go to the hook that was there before.
pub(super) fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if in_kernel() {
                let site = info.location().map_or(Site::UNKNOWN, |l| Site {
                    file: intern(l.file()),
                    line: l.line(),
                    column: l.column(),
                });
                let message = info.payload_as_str().unwrap_or("a panic without a message").to_owned();
                PANIC.set(Some((message, site)));
            } else {
                previous(info);
            }
        }));
    });
}

/// File names of panics as `&'static str`: each is kept once for the life of the process.
fn intern(file: &str) -> &'static str {
    static FILES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut guard = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let files = guard.get_or_insert_with(HashSet::new);
    match files.get(file) {
        Some(known) => known,
        None => {
            let kept: &'static str = Box::leak(file.to_owned().into_boxed_str());
            files.insert(kept);
            kept
        }
    }
}
