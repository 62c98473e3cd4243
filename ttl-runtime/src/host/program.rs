//! Programs: kernels on cores, built from typed pieces, checked before anything runs.

use super::checked_program::CheckedProgram;
use super::error::{Error, Result};
use super::foreign::{ForeignKernel, ForeignSource, ForeignText};
use super::temps;
use super::{Device, Tensor};
use crate::arch::ComputeConfig;
use crate::cores::CoreSet;
use crate::ir::passes::{self, Target};
use crate::ir::{self, verify};
use crate::program::pipe::{PipeArg, PipeEnd, PipeId, PipeKind, Route};
use crate::program::typed::{Consumer, Pipe, Producer, SemaphoreArg, UnicastPipe};
use crate::program::{self, ArgValue, CbDecl, CbId, CoreValues, KernelDecl, Processor, Role, SemDecl};
use crate::rt::{self, Args, Binder, Kernel, LowerError, MovesData};
use crate::site::Site;
use crate::tensor::format::Element;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// The code of a kernel.
#[derive(Clone, Debug)]
pub enum KernelCode {
    /// A kernel in Rust.
    Rust(RustCode),
    /// One in C++ that somebody wrote by hand.
    Foreign(Arc<ForeignSource>),
}

/// A Rust kernel: its body to run natively, and how to get its IR.
#[derive(Clone, Copy)]
pub struct RustCode {
    pub(super) run: fn(&Args<'_>),
    module: fn() -> Result<ir::Module, Vec<LowerError>>,
    /// Where the kernel function stands.
    pub site: Site,
}

impl RustCode {
    fn of<K: Kernel>() -> RustCode {
        let site = Site { file: K::FILE, line: K::LINE, column: 0 };
        RustCode { run: K::run, module: rt::module::<K>, site }
    }
}

impl fmt::Debug for RustCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RustCode({})", self.site)
    }
}

/// A program under construction: circular buffers and kernels on cores. [`Program::validate`] finds every mistake that can be found before
/// it runs, and gives the [`CheckedProgram`] that a device runs. Nothing here fails or panics before.
///
/// ```ignore
/// let mut program = Program::new("fma");
/// let (a_out, a_in) = program.circular_buffer::<bf16>("a", &cores, 2);     // two tiles; an end for each of two kernels
/// program.kernel(&cores, read { a: a.accessor(), a_out, tiles });          // a struct with the name and parameters of the kernel function
/// program.compute(&cores, ComputeConfig::default(), compute { a_in, y_out, tiles });
/// program.kernel(&cores, write { y: y.accessor(), y_in, tiles });
/// device.run(&program.validate(&device)?)?;
/// ```
///
/// The front page of `ttl` has a whole one.
#[derive(Clone, Debug)]
pub struct Program {
    inner: program::Program<KernelCode>,
}

impl Program {
    /// A program without buffers and kernels. The name stands in messages and reports.
    pub fn new(name: &str) -> Program {
        Program { inner: program::Program::new(name) }
    }

    /// A circular buffer of `pages` tiles of `T` in the L1 of each of `cores`. Its ends go to one producer and one consumer kernel.
    #[track_caller]
    pub fn circular_buffer<T: Element>(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        pages: u32,
    ) -> (Producer<T>, Consumer<T>) {
        let cb = self.inner.add_cb(CbDecl::new(name, cores, T::FORMAT, pages));
        (Producer::new(cb), Consumer::new(cb))
    }

    /// As [`Program::circular_buffer`], with the id by which the chip knows it: for foreign kernels that have the id in their text.
    #[track_caller]
    pub fn circular_buffer_with_id<T: Element>(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        pages: u32,
        id: u32,
    ) -> (Producer<T>, Consumer<T>) {
        let mut cb = CbDecl::new(name, cores, T::FORMAT, pages);
        cb.id = Some(id);
        let cb = self.inner.add_cb(cb);
        (Producer::new(cb), Consumer::new(cb))
    }

    /// A circular buffer whose pages are rows of `elements` elements of `T`, for row-major tensors. A page is rounded up to 64 bytes, so that
    /// rows from any memory of any chip fit.
    #[track_caller]
    pub fn circular_buffer_of_rows<T: Element>(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        pages: u32,
        elements: u32,
    ) -> (Producer<T>, Consumer<T>) {
        // Block floats have no rows: a page of 0 bytes is refused.
        let bytes = elements.saturating_mul(T::FORMAT.element_bytes().unwrap_or(0));
        self.circular_buffer_of_bytes(name, cores, pages, bytes.checked_next_multiple_of(64).unwrap_or(u32::MAX))
    }

    /// A circular buffer with pages of any size, a multiple of 16 bytes.
    #[track_caller]
    pub fn circular_buffer_of_bytes<T: Element>(
        &mut self,
        name: &str,
        cores: impl Into<CoreSet>,
        pages: u32,
        page_size: u32,
    ) -> (Producer<T>, Consumer<T>) {
        let cb = self.inner.add_cb(CbDecl { page_size, ..CbDecl::new(name, cores, T::FORMAT, pages) });
        (Producer::new(cb), Consumer::new(cb))
    }

    /// A circular buffer that is a tensor's shard on each core that has one: nothing is copied. For an input, a kernel on each of these
    /// cores gives the shard to its consumer once (`x_out.reserve_back(pages)` and `push_back`); an output is in the tensor when its
    /// producer has pushed, and the consumer end can be left unused.
    #[track_caller]
    pub fn circular_buffer_on<T: Element>(&mut self, tensor: &Tensor<T>) -> (Producer<T>, Consumer<T>) {
        let tensor = tensor.handle();
        let cb = self.inner.add_cb(CbDecl::on_shards(tensor.name.clone(), tensor));
        (Producer::new(cb), Consumer::new(cb))
    }

    /// As [`Program::circular_buffer_on`], on some of the tensor's cores: on the others its shards are memory for whoever knows the address.
    #[track_caller]
    pub fn circular_buffer_on_cores<T: Element>(
        &mut self,
        tensor: &Tensor<T>,
        cores: impl Into<CoreSet>,
    ) -> (Producer<T>, Consumer<T>) {
        let tensor = tensor.handle();
        let cb = self.inner.add_cb(CbDecl { cores: cores.into(), ..CbDecl::on_shards(tensor.name.clone(), tensor) });
        (Producer::new(cb), Consumer::new(cb))
    }

    /// A circular buffer in the memory of another, which it shares: tiles of its own format, as many as fit. Both ends of both buffers are used as
    /// ever, and the buffers take turns: all pages of one must be popped from a piece of memory before the other fills it. For instance sums and the
    /// result that follows them:
    ///
    /// ```text
    /// let (sum_out, sum_in) = program.circular_buffer::<f32>("sum", cores, 4);
    /// let (y_out, y_in) = program.circular_buffer_sharing::<bf16>("y", &sum_in);
    /// ```
    ///
    /// A producer that must not overtake the other buffer's consumer on another thread waits with `reserve_back` of the other buffer until that
    /// one is empty, as TT-Metalium's own kernels do.
    #[track_caller]
    pub fn circular_buffer_sharing<T: Element>(
        &mut self,
        name: &str,
        with: impl Into<CbId>,
    ) -> (Producer<T>, Consumer<T>) {
        self.circular_buffer_of_bytes_sharing(name, with, T::FORMAT.tile_bytes())
    }

    /// As [`Program::circular_buffer_sharing`], with pages of any size, a multiple of 16 bytes.
    #[track_caller]
    pub fn circular_buffer_of_bytes_sharing<T: Element>(
        &mut self,
        name: &str,
        with: impl Into<CbId>,
        page_size: u32,
    ) -> (Producer<T>, Consumer<T>) {
        let cb = self.inner.add_sharing_cb(name, T::FORMAT, with.into(), page_size);
        (Producer::new(cb), Consumer::new(cb))
    }

    /// A semaphore on each of `cores`: a word that is `init` when the program starts. A core has 16.
    #[track_caller]
    pub fn semaphore(&mut self, name: &str, cores: impl Into<CoreSet>, init: u32) -> SemaphoreArg {
        SemaphoreArg::new(self.inner.add_semaphore(SemDecl::new(name, cores, init)))
    }

    /// A pipe: each route's sender multicasts blocks to its receivers, which announce when they have room. Takes two semaphores of each core,
    /// however many routes there are. A core is on one route.
    #[track_caller]
    pub fn pipe(&mut self, name: &str, routes: impl IntoIterator<Item = Route>) -> Pipe {
        let id = self.inner.add_pipe(name, PipeKind::Multicast, routes);
        Pipe::new(self.pipe_arg(id))
    }

    /// A pipe whose senders have one receiver each, which may send on: a chain or a ring of cores. Takes two semaphores of each core.
    #[track_caller]
    pub fn unicast_pipe(&mut self, name: &str, routes: impl IntoIterator<Item = Route>) -> UnicastPipe {
        let id = self.inner.add_pipe(name, PipeKind::Unicast, routes);
        UnicastPipe::new(self.pipe_arg(id))
    }

    fn pipe_arg(&self, id: PipeId) -> PipeArg {
        let decl = self.inner.pipe(id);
        PipeArg {
            id,
            kind: decl.kind,
            end: PipeEnd::Tx,
            routes: decl.routes.clone(),
            ready: decl.ready,
            valid: decl.valid,
        }
    }

    /// Puts a kernel on cores. Its arguments are the fields of the struct that `#[ttl::kernel]` made.
    #[track_caller]
    pub fn kernel<K: Kernel>(&mut self, cores: impl Into<CoreSet>, kernel: K) {
        let decl = declare(cores.into(), kernel);
        self.inner.add_kernel(decl);
    }

    /// As [`Program::kernel`], for a reader or writer: on this processor of its cores, with this NoC. The two data-movement kernels of a core need
    /// different processors and different NoCs. A reader is on NCRISC with NoC 0 otherwise, a writer on BRISC with NoC 1, unless
    /// `#[ttl::kernel(reader, noc = 1)]` says more.
    #[track_caller]
    pub fn kernel_on<K: MovesData>(
        &mut self,
        cores: impl Into<CoreSet>,
        processor: DmProcessor,
        noc: DmNoc,
        kernel: K,
    ) {
        let mut decl = declare(cores.into(), kernel);
        let processor = match processor {
            DmProcessor::Brisc => Processor::Brisc,
            DmProcessor::Ncrisc => Processor::Ncrisc,
        };
        let noc = match noc {
            DmNoc::Noc0 => 0,
            DmNoc::Noc1 => 1,
        };
        decl.role = Role::Dm { processor, noc };
        self.inner.add_kernel(decl);
    }

    /// A circular buffer of an operation, at its place in the operation.
    #[doc(hidden)]
    pub fn buffer_at<T: Element>(
        &mut self,
        name: &str,
        cores: CoreSet,
        pages: u32,
        place: &'static Location<'static>,
    ) -> (Producer<T>, Consumer<T>) {
        let cb = self.inner.add_cb(CbDecl { site: Site::from(place), ..CbDecl::new(name, cores, T::FORMAT, pages) });
        (Producer::new(cb), Consumer::new(cb))
    }

    /// The kernel of a section of an operation, at its place in the operation.
    #[doc(hidden)]
    pub fn section_at<K: Kernel>(&mut self, cores: CoreSet, kernel: K, place: &'static Location<'static>) {
        let mut decl = declare(cores, kernel);
        decl.site = Site::from(place);
        self.inner.add_kernel(decl);
    }

    /// Puts an operation on cores: its buffers and the kernels of its sections.
    pub fn operation(&mut self, cores: impl Into<CoreSet>, operation: impl crate::rt::Operation) {
        operation.add_to(self, cores.into());
    }

    /// As [`Program::operation`], with settings for its compute section.
    pub fn operation_with(
        &mut self,
        cores: impl Into<CoreSet>,
        config: ComputeConfig,
        operation: impl crate::rt::Operation,
    ) {
        let others = self.inner.kernels().len();
        operation.add_to(self, cores.into());
        for kernel in self.inner.kernels_mut().iter_mut().skip(others).filter(|k| k.role == Role::Compute) {
            kernel.config = config.clone();
        }
    }

    /// Puts a compute kernel on cores, with settings of its own.
    #[track_caller]
    pub fn compute<K: Kernel>(&mut self, cores: impl Into<CoreSet>, config: ComputeConfig, kernel: K) {
        let mut decl = declare(cores.into(), kernel);
        decl.config = config;
        self.inner.add_kernel(decl);
    }

    /// As [`Program::compute`]; the f32 tiles of `full` go to the tile registers with all their bits (`UnpackToDestFp32`). Such a buffer
    /// should only be copied to registers, not be an operand of the matrix unit.
    #[track_caller]
    pub fn compute_with_full_precision<K: Kernel>(
        &mut self,
        cores: impl Into<CoreSet>,
        config: ComputeConfig,
        full: &[&Consumer<f32>],
        kernel: K,
    ) {
        let mut decl = declare(cores.into(), kernel);
        decl.config = config;
        decl.unpack_to_dest_fp32 = full.iter().map(|c| c.cb()).collect();
        self.inner.add_kernel(decl);
    }

    /// Puts a hand-written TT-Metalium kernel on cores.
    #[track_caller]
    pub fn foreign(&mut self, cores: impl Into<CoreSet>, kernel: ForeignKernel) {
        self.inner.add_kernel(kernel.declare(cores.into(), Site::caller()));
    }

    /// Finds every mistake that can be found before the program runs, and resolves ids, addresses and arguments.
    pub fn validate(&self, device: &Device) -> Result<CheckedProgram> {
        let mut inner = self.inner.clone();
        let mut modules = build_modules(&mut inner)?;
        let temps = temps::declare(&mut inner, &mut modules)?;
        let checked = inner.validate(&device.info())?;
        device.own_all(checked.name(), checked.tensors())?;
        let mut prepared = vec![];
        for (kernel, module) in checked.kernels().iter().zip(&modules) {
            let module = match module {
                Body::Foreign(text) => {
                    prepared.push(Body::Foreign(text.clone()));
                    continue;
                }
                Body::Rust(module) => module,
            };
            let verified = verify::verify(module).map_err(Error::Verify)?;
            let cb_ids = cb_ids(&checked, kernel);
            let target = Target { config: &kernel.config, cb_ids: &cb_ids };
            let ready = passes::prepare(verified, &target)?.with_tile_pages(tile_pages(&checked, kernel));
            prepared.push(Body::Rust(ready));
        }
        let temps = temps::resolve(&checked, &temps);
        let program =
            CheckedProgram { inner: Arc::new(checked), modules: modules.into(), prepared: prepared.into(), temps };
        if let Some(dir) = std::env::var_os("TTL_DUMP").filter(|dir| !dir.is_empty()) {
            program.dump(dir.as_ref())?;
        }
        Ok(program)
    }
}

/// What becomes of a kernel: its IR and later stages, or the text of a foreign one as it was when the program was validated.
#[derive(Clone, Debug)]
pub(super) enum Body<R> {
    Rust(R),
    Foreign(ForeignText),
}

/// The processors of a core that move data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DmProcessor {
    /// RISCV_0, where writers run.
    Brisc,
    /// RISCV_1, where readers run.
    Ncrisc,
}

/// The two networks of the chip.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DmNoc {
    /// The one that readers have, unless another is asked for.
    Noc0,
    /// The one of writers.
    Noc1,
}

#[track_caller]
fn declare<K: Kernel>(cores: CoreSet, kernel: K) -> KernelDecl<KernelCode> {
    let role = match (K::ROLE, K::NOC) {
        (ir::Role::Reader, None | Some(0)) => Role::Reader,
        (ir::Role::Writer, None | Some(1)) => Role::Writer,
        (ir::Role::Reader, Some(noc)) => Role::Dm { processor: Processor::Ncrisc, noc },
        (ir::Role::Writer, Some(noc)) => Role::Dm { processor: Processor::Brisc, noc },
        (ir::Role::Compute, _) => Role::Compute,
    };
    let mut binder = Binder::default();
    kernel.bind(&mut binder);
    let mut args = binder.into_args();
    for arg in &mut args {
        if let ArgValue::Table(of) = &arg.value {
            let of = of.clone();
            let words = cores.as_slice().first().map_or(0, |first| of.get(*first).len() as u32);
            arg.value = ArgValue::PerCore { words, values: CoreValues::Of(Arc::new(move |core| of.get(core))) };
        }
    }
    KernelDecl::new(K::NAME, role, cores, args, KernelCode::Rust(RustCode::of::<K>()))
}

/// The IR of every kernel, and from it the block sizes in which each uses its buffers.
fn build_modules(program: &mut program::Program<KernelCode>) -> Result<Vec<Body<ir::Module>>> {
    let mut modules = vec![];
    let mut errors = vec![];
    for kernel in program.kernels_mut() {
        let code = match &kernel.code {
            KernelCode::Foreign(source) => {
                modules.push(Body::Foreign(source.read()?));
                continue;
            }
            KernelCode::Rust(code) => code,
        };
        match (code.module)() {
            Ok(module) => {
                through_pipes(kernel, &module);
                for (arg, param) in kernel.args.iter_mut().zip(&module.params) {
                    if let ArgValue::Cb { blocks, .. } = &mut arg.value {
                        *blocks = ir::blocks::used(&module, param.local);
                    }
                }
                kernel.transfers = ir::transfers::pairs(&module);
                modules.push(Body::Rust(module));
            }
            Err(e) => errors.extend(e),
        }
    }
    if errors.is_empty() { Ok(modules) } else { Err(Error::Lower(errors)) }
}

/// The buffers whose blocks the kernel sends or receives through its pipes.
fn through_pipes(kernel: &mut KernelDecl<KernelCode>, module: &ir::Module) {
    let cb_of = |args: &[program::Arg], local| {
        let at = module.params.iter().position(|p| p.local == local)?;
        match args.get(at)?.value {
            ArgValue::Cb { cb, .. } => Some(cb),
            _ => None,
        }
    };
    for at in 0..kernel.args.len().min(module.params.len()) {
        if kernel.args[at].pipe.is_none() {
            continue;
        }
        let locals = ir::pipe::buffers(module, module.params[at].local);
        let buffers = locals.into_iter().filter_map(|l| cb_of(&kernel.args, l)).collect();
        if let Some(used) = &mut kernel.args[at].pipe {
            used.buffers = buffers;
        }
    }
}

/// All buffers of a kernel have tiles as pages.
fn tile_pages(checked: &program::Checked<KernelCode>, kernel: &program::CheckedKernel<KernelCode>) -> bool {
    kernel.args.iter().all(|arg| match &arg.value {
        ArgValue::Cb { cb, .. } => checked.cb(*cb).is_none_or(|cb| cb.page_size == cb.format.tile_bytes()),
        _ => true,
    })
}

fn cb_ids(checked: &program::Checked<KernelCode>, kernel: &program::CheckedKernel<KernelCode>) -> Vec<u32> {
    kernel
        .args
        .iter()
        .filter_map(|arg| match &arg.value {
            ArgValue::Cb { cb, .. } => checked.cb(*cb).map(|c| c.id),
            _ => None,
        })
        .collect()
}
