//! Kernels that do what no operation can catch: use up their stack, follow a pointer into nowhere, or compute for ever without calling
//! anything. On Linux these become errors of the run; elsewhere they end or hang the process.
//!
//! # Unsafe code
//!
//! A signal handler looks whether the interrupted thread runs a kernel (the stack pointer is in the stack of the coroutine that
//! [`super::thread`] has noted), and then makes the coroutine return instead of going on. Everything it looks at is thread-local and
//! was touched before. The kernel's frames are forgotten, as those of failed threads are: they own nothing whose destructor matters. A
//! signal inside of an operation is left alone, unless the stack ran out there: the state it was changing is given up with the run.
//! Faults that are not ours go to the handler that was there before.
//!
//! [`Pulse`]s are shared between a worker and the watching thread; both hold an `Arc`.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// Why a kernel was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    StackOverflow,
    Memory { address: usize },
    Stuck,
}

/// Signs of life of one OS thread that runs kernels.
#[derive(Debug)]
pub(super) struct Pulse {
    /// Operations so far.
    pub(super) beats: AtomicU64,
    /// A kernel runs now.
    pub(super) in_kernel: AtomicBool,
    /// How long a kernel may go without an operation; 0: for ever.
    limit_ms: AtomicU64,
    /// `pthread_self`.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    thread: u64,
}

/// Pulses of all OS threads that ever ran kernels and still live.
static PULSES: Mutex<Vec<Arc<Pulse>>> = Mutex::new(Vec::new());

struct Own(Arc<Pulse>);

impl Drop for Own {
    fn drop(&mut self) {
        let mut pulses = PULSES.lock().unwrap_or_else(PoisonError::into_inner);
        pulses.retain(|p| !Arc::ptr_eq(p, &self.0));
    }
}

thread_local! {
    static OWN: Own = {
        let pulse = Arc::new(Pulse {
            beats: AtomicU64::new(0),
            in_kernel: AtomicBool::new(false),
            limit_ms: AtomicU64::new(0),
            thread: imp::this_thread(),
        });
        PULSES.lock().unwrap_or_else(PoisonError::into_inner).push(pulse.clone());
        Own(pulse)
    };
}

/// The pulse of this OS thread, which lives as long as the thread. From now on its kernels are watched.
pub(super) fn pulse(limit: Option<Duration>) -> *const Pulse {
    static WATCH: Once = Once::new();
    imp::install();
    if limit.is_some() {
        WATCH.call_once(|| {
            // Without the thread nobody watches; a run does not depend on it.
            let _ = std::thread::Builder::new().name("ttl-watch".to_owned()).spawn(watch);
        });
    }
    OWN.with(|own| {
        let ms = limit.map_or(0, |l| u64::try_from(l.as_millis()).unwrap_or(u64::MAX).max(1));
        own.0.limit_ms.store(ms, Ordering::Relaxed);
        Arc::as_ptr(&own.0)
    })
}

/// Stops kernels that have not called anything for too long.
fn watch() {
    const STEP: Duration = Duration::from_millis(200);
    let mut seen: Vec<(Arc<Pulse>, u64, Instant)> = Vec::new();
    loop {
        std::thread::sleep(STEP);
        let pulses = PULSES.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|(pulse, ..)| pulses.iter().any(|p| Arc::ptr_eq(p, pulse)));
        for pulse in pulses.iter() {
            let (beats, now) = (pulse.beats.load(Ordering::Relaxed), Instant::now());
            let Some(last) = seen.iter_mut().find(|(p, ..)| Arc::ptr_eq(p, pulse)) else {
                seen.push((pulse.clone(), beats, now));
                continue;
            };
            let limit = pulse.limit_ms.load(Ordering::Relaxed);
            if last.1 != beats || limit == 0 || !pulse.in_kernel.load(Ordering::Relaxed) {
                (last.1, last.2) = (beats, now);
            } else if now.duration_since(last.2) >= Duration::from_millis(limit) {
                last.2 = now;
                // The thread is alive: its pulse is still in the list, which is locked.
                imp::interrupt(pulse.thread);
            }
        }
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod imp {
    use super::super::thread;
    use super::Fault;
    use corosensei::trap::TrapHandlerRegs;
    use libc::{c_int, c_void, siginfo_t, ucontext_t};
    use std::mem::MaybeUninit;
    use std::sync::OnceLock;

    /// Ignored by default, and used for nothing else here.
    const INTERRUPT: c_int = libc::SIGURG;

    /// What was there before, for SIGSEGV and SIGBUS.
    static BEFORE: OnceLock<[libc::sigaction; 2]> = OnceLock::new();

    pub(super) fn this_thread() -> u64 {
        // SAFETY: always allowed.
        unsafe { libc::pthread_self() as u64 }
    }

    pub(super) fn interrupt(thread: u64) {
        // SAFETY: the caller says that the thread lives.
        unsafe { libc::pthread_kill(thread as libc::pthread_t, INTERRUPT) };
    }

    pub(super) fn install() {
        BEFORE.get_or_init(|| {
            let set = |signal: c_int| {
                // SAFETY: a zeroed `sigaction` is valid, the handler has the right type, and it runs on the alternative stack that Rust's
                // runtime gives its threads.
                unsafe {
                    let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                    let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
                    action.sa_sigaction = on_signal as *const () as usize;
                    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
                    libc::sigemptyset(&mut action.sa_mask);
                    libc::sigaction(signal, &action, &mut before);
                    before
                }
            };
            set(INTERRUPT);
            [set(libc::SIGSEGV), set(libc::SIGBUS)]
        });
    }

    extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: the kernel passes valid pointers to a handler with SA_SIGINFO.
        let (info_ref, uc) = unsafe { (&*info, &mut *context.cast::<ucontext_t>()) };
        let address = match signal {
            INTERRUPT => 0,
            // SAFETY: a fault has an address.
            _ => unsafe { info_ref.si_addr() as usize },
        };
        let redirected = thread::trapped(stack_pointer(uc), |low, in_operation| {
            let page = 4096;
            if signal != INTERRUPT && address >= low.saturating_sub(page) && address < low + 2 * page {
                return Some(Fault::StackOverflow);
            }
            match (signal, in_operation) {
                (_, true) => None,
                (INTERRUPT, false) => Some(Fault::Stuck),
                (_, false) => Some(Fault::Memory { address }),
            }
        });
        if let Some(regs) = redirected {
            continue_at(uc, regs);
        } else if signal != INTERRUPT {
            pass_on(signal, info, context);
        }
    }

    /// As if we were not here.
    fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let before = BEFORE.get().map(|b| b[usize::from(signal != libc::SIGSEGV)]);
        match before {
            Some(b) if b.sa_sigaction != libc::SIG_DFL && b.sa_sigaction != libc::SIG_IGN => {
                if b.sa_flags & libc::SA_SIGINFO != 0 {
                    // SAFETY: a handler with this flag has this type.
                    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                        unsafe { std::mem::transmute(b.sa_sigaction) };
                    handler(signal, info, context);
                } else {
                    // SAFETY: a handler without the flag has this type.
                    let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(b.sa_sigaction) };
                    handler(signal);
                }
            }
            // The instruction runs again, and ends the process.
            // SAFETY: always allowed.
            _ => unsafe {
                libc::signal(signal, libc::SIG_DFL);
            },
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn stack_pointer(uc: &ucontext_t) -> usize {
        uc.uc_mcontext.gregs[libc::REG_RSP as usize] as usize
    }

    #[cfg(target_arch = "x86_64")]
    fn continue_at(uc: &mut ucontext_t, regs: TrapHandlerRegs) {
        let TrapHandlerRegs { rip, rsp, rbp, rdi, rsi } = regs;
        let gregs = &mut uc.uc_mcontext.gregs;
        gregs[libc::REG_RIP as usize] = rip as i64;
        gregs[libc::REG_RSP as usize] = rsp as i64;
        gregs[libc::REG_RBP as usize] = rbp as i64;
        gregs[libc::REG_RDI as usize] = rdi as i64;
        gregs[libc::REG_RSI as usize] = rsi as i64;
    }

    #[cfg(target_arch = "aarch64")]
    fn stack_pointer(uc: &ucontext_t) -> usize {
        uc.uc_mcontext.sp as usize
    }

    #[cfg(target_arch = "aarch64")]
    fn continue_at(uc: &mut ucontext_t, regs: TrapHandlerRegs) {
        let TrapHandlerRegs { pc, sp, x0, x1, x29, lr } = regs;
        let mc = &mut uc.uc_mcontext;
        (mc.pc, mc.sp) = (pc, sp);
        (mc.regs[0], mc.regs[1], mc.regs[29], mc.regs[30]) = (x0, x1, x29, lr);
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod imp {
    pub(super) fn this_thread() -> u64 {
        0
    }
    pub(super) fn interrupt(_: u64) {}
    pub(super) fn install() {}
}
