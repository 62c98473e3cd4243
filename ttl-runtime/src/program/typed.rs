//! Typed handles that a host program passes to kernels: the ends of circular buffers, tensors, per-core values.

use super::decl::{CbId, SemId};
use super::pipe::{PipeArg, PipeEnd, Route};
use crate::arch::Core;
use crate::cores::CoreSet;
use crate::tensor::TensorRef;
use crate::tensor::format::Element;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The producer end of a circular buffer of `T` tiles, for a kernel's `CbOut<T>`. Each core has one producer: clone the end only for
/// kernels on different cores.
pub struct Producer<T> {
    cb: CbId,
    _format: PhantomData<T>,
}

/// The consumer end of a circular buffer of `T` tiles, for a kernel's `CbIn<T>`. Each core has one consumer: clone the end only for
/// kernels on different cores.
pub struct Consumer<T> {
    cb: CbId,
    _format: PhantomData<T>,
}

macro_rules! end {
    ($end:ident) => {
        impl<T: Element> $end<T> {
            pub(crate) fn new(cb: CbId) -> $end<T> {
                $end { cb, _format: PhantomData }
            }

            /// Which buffer it is an end of.
            pub fn cb(&self) -> CbId {
                self.cb
            }
        }

        impl<T> Clone for $end<T> {
            fn clone(&self) -> Self {
                $end { cb: self.cb, _format: PhantomData }
            }
        }

        /// The buffer whose end it is.
        impl<T> From<&$end<T>> for CbId {
            fn from(end: &$end<T>) -> CbId {
                end.cb
            }
        }

        impl<T> fmt::Debug for $end<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($end), "({:?})"), self.cb)
            }
        }
    };
}
end!(Producer);
end!(Consumer);

/// A tensor of `T` elements, for a kernel's `TensorAccessor<T>`.
pub struct TensorArg<T> {
    tensor: TensorRef,
    _format: PhantomData<T>,
}

impl<T: Element> TensorArg<T> {
    pub(crate) fn new(tensor: TensorRef) -> TensorArg<T> {
        TensorArg { tensor, _format: PhantomData }
    }

    /// The tensor it is for.
    pub fn tensor(&self) -> &TensorRef {
        &self.tensor
    }
}

impl<T> Clone for TensorArg<T> {
    fn clone(&self) -> Self {
        TensorArg { tensor: self.tensor.clone(), _format: PhantomData }
    }
}

impl<T> fmt::Debug for TensorArg<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TensorArg({})", self.tensor.name)
    }
}

/// A semaphore, for a kernel's `Semaphore`. Give it to every kernel that uses it.
#[derive(Clone, Copy, Debug)]
pub struct SemaphoreArg {
    semaphore: SemId,
}

impl SemaphoreArg {
    pub(crate) fn new(semaphore: SemId) -> SemaphoreArg {
        SemaphoreArg { semaphore }
    }

    /// Which semaphore it is.
    pub fn semaphore(&self) -> SemId {
        self.semaphore
    }
}

/// A pipe: from the senders of its routes to their receivers. Give [`Pipe::tx`] to the kernels on [`Pipe::senders`] and [`Pipe::rx`] to those
/// on [`Pipe::receivers`].
#[derive(Clone, Debug)]
pub struct Pipe {
    arg: PipeArg,
}

/// The sending end, for a kernel's `PipeTx`.
#[derive(Clone, Debug)]
pub struct PipeSender(pub(crate) PipeArg);

/// The receiving end, for a kernel's `PipeRx`.
#[derive(Clone, Debug)]
pub struct PipeReceiver(pub(crate) PipeArg);

impl Pipe {
    pub(crate) fn new(arg: PipeArg) -> Pipe {
        Pipe { arg }
    }

    /// The sending end, for a parameter `PipeTx`.
    pub fn tx(&self) -> PipeSender {
        PipeSender(PipeArg { end: PipeEnd::Tx, ..self.arg.clone() })
    }

    /// The receiving end, for a parameter `PipeRx`.
    pub fn rx(&self) -> PipeReceiver {
        PipeReceiver(PipeArg { end: PipeEnd::Rx, ..self.arg.clone() })
    }

    /// The cores that send.
    pub fn senders(&self) -> CoreSet {
        self.arg.routes.iter().map(|r| r.sender).collect()
    }

    /// The cores that receive.
    pub fn receivers(&self) -> CoreSet {
        self.arg.routes.iter().flat_map(Route::receivers).collect()
    }
}

/// A pipe whose senders have one receiver each, which may itself be a sender of the pipe: a chain or a ring.
#[derive(Clone, Debug)]
pub struct UnicastPipe {
    pipe: Pipe,
}

/// The sending end, for a kernel's `UnicastTx`.
#[derive(Clone, Debug)]
pub struct UnicastSender(pub(crate) PipeArg);

impl UnicastPipe {
    pub(crate) fn new(arg: PipeArg) -> UnicastPipe {
        UnicastPipe { pipe: Pipe::new(arg) }
    }

    /// The sending end, for a parameter `UnicastTx`.
    pub fn tx(&self) -> UnicastSender {
        UnicastSender(self.pipe.tx().0)
    }

    /// The receiving end, for a parameter `PipeRx`.
    pub fn rx(&self) -> PipeReceiver {
        self.pipe.rx()
    }

    /// The cores that send.
    pub fn senders(&self) -> CoreSet {
        self.pipe.senders()
    }

    /// The cores that receive.
    pub fn receivers(&self) -> CoreSet {
        self.pipe.receivers()
    }
}

/// A runtime argument of its own on each core.
#[derive(Clone)]
pub struct PerCore<T> {
    of: Arc<dyn Fn(Core) -> T + Send + Sync>,
}

impl<T> PerCore<T> {
    /// The value of a core.
    pub fn get(&self, core: Core) -> T {
        (self.of)(core)
    }
}

/// The value of each core, computed from its logical coordinates when the program is validated.
pub fn per_core<T>(of: impl Fn(Core) -> T + Send + Sync + 'static) -> PerCore<T> {
    PerCore { of: Arc::new(of) }
}

/// The same value on all cores.
impl<T: Copy + Send + Sync + 'static> From<T> for PerCore<T> {
    fn from(value: T) -> PerCore<T> {
        per_core(move |_| value)
    }
}

impl<T> fmt::Debug for PerCore<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PerCore(..)")
    }
}
