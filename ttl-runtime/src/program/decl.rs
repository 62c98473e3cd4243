//! A program as it is declared, before anything is checked.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::arch::{Arch, ComputeConfig, Core};
use crate::cores::{CoreRange, CoreSet};
use crate::site::Site;
use crate::temps::TempKey;
use crate::tensor::{DataFormat, TensorRef};

use super::arg_layout::{ArgLayout, ParamKind};
use super::foreign::ForeignArgs;
use super::pipe::{PipeDecl, PipeUse};

/// A circular buffer of one program. Not the id by which the chip knows it: `validate` chooses that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CbId {
    pub(super) program: u32,
    pub(super) index: u32,
}

impl CbId {
    /// Its number among the buffers of its program.
    pub(crate) const fn index(self) -> u32 {
        self.index
    }
}

/// A semaphore of one program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SemId {
    pub(super) program: u32,
    pub(super) index: u32,
}

/// Which end of a circular buffer a kernel has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CbEnd {
    /// The kernel consumes pages: waits for them at the front and pops them.
    In,
    /// The kernel produces pages: reserves room at the back and pushes.
    Out,
    /// Both: an intermediate buffer of a compute kernel.
    InOut,
}

impl CbEnd {
    pub const fn consumes(self) -> bool {
        matches!(self, CbEnd::In | CbEnd::InOut)
    }

    pub const fn produces(self) -> bool {
        matches!(self, CbEnd::Out | CbEnd::InOut)
    }
}

/// A processor of a core. The three compute processors run one kernel and count as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Processor {
    Brisc,
    Ncrisc,
    Compute,
}

impl Processor {
    pub const fn name(self) -> &'static str {
        match self {
            Processor::Brisc => "BRISC",
            Processor::Ncrisc => "NCRISC",
            Processor::Compute => "the compute processors",
        }
    }
}

/// What kind of kernel, and so where it runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// NCRISC, NoC 0.
    Reader,
    /// BRISC, NoC 1.
    Writer,
    Compute,
    /// Data movement on a processor and a NoC of choice.
    Dm {
        processor: Processor,
        noc: u8,
    },
}

impl Role {
    pub const fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Writer => "writer",
            Role::Compute => "compute",
            Role::Dm { .. } => "data movement",
        }
    }

    pub const fn processor(self) -> Processor {
        match self {
            Role::Reader => Processor::Ncrisc,
            Role::Writer => Processor::Brisc,
            Role::Compute => Processor::Compute,
            Role::Dm { processor, .. } => processor,
        }
    }

    /// The NoC of a data-movement kernel.
    pub const fn noc(self) -> Option<u8> {
        match self {
            Role::Reader => Some(0),
            Role::Writer => Some(1),
            Role::Compute => None,
            Role::Dm { noc, .. } => Some(noc),
        }
    }
}

/// A circular buffer: the same memory on each of its cores.
#[derive(Clone, Debug)]
pub struct CbDecl {
    pub name: Arc<str>,
    pub cores: CoreSet,
    pub format: DataFormat,
    /// Bytes; a tile of `format` unless said otherwise.
    pub page_size: u32,
    pub pages: u32,
    /// The chip's id of the buffer, if it must be a certain one.
    pub id: Option<u32>,
    /// The buffer is this tensor's shard on each core: it takes no memory of its own.
    pub tensor: Option<TensorRef>,
    /// The buffer has the memory of this one, which is on the same cores.
    pub shares: Option<CbId>,
    /// What the compiler added it for, if it did.
    pub automatic: Option<TempKey>,
    pub site: Site,
}

impl CbDecl {
    #[track_caller]
    pub fn new(name: impl Into<Arc<str>>, cores: impl Into<CoreSet>, format: DataFormat, pages: u32) -> CbDecl {
        CbDecl {
            name: name.into(),
            cores: cores.into(),
            format,
            page_size: format.tile_bytes(),
            pages,
            id: None,
            tensor: None,
            shares: None,
            automatic: None,
            site: Site::caller(),
        }
    }

    /// The shards of a tensor, whole, on all cores that have one. Whether it is sharded is for `validate` to say.
    #[track_caller]
    pub fn on_shards(name: impl Into<Arc<str>>, tensor: &TensorRef) -> CbDecl {
        let spec = &tensor.spec;
        let cores = spec.memory().shards().map_or(CoreSet::from(Core::new(0, 0)), |s| s.cores.clone());
        // The alignment of pages in L1 is the same on all chips.
        let page_size = spec.page_size().next_multiple_of(16);
        CbDecl {
            page_size,
            tensor: Some(tensor.clone()),
            ..CbDecl::new(name, cores, spec.format(), spec.pages_of_shard().unwrap_or(1))
        }
    }
}

/// A semaphore: a word of L1 at the same address on each of its cores, set to `init` when the program starts.
#[derive(Clone, Debug)]
pub struct SemDecl {
    pub name: Arc<str>,
    pub cores: CoreSet,
    pub init: u32,
    /// The chip's id of the semaphore, if it must be a certain one.
    pub id: Option<u32>,
    pub site: Site,
}

impl SemDecl {
    #[track_caller]
    pub fn new(name: impl Into<Arc<str>>, cores: impl Into<CoreSet>, init: u32) -> SemDecl {
        SemDecl { name: name.into(), cores: cores.into(), init, id: None, site: Site::caller() }
    }
}

/// Per-core values of a parameter.
#[derive(Clone)]
pub enum CoreValues {
    /// All words of the first core, of the second, ... in the order of the kernel's [`CoreSet`].
    List(Vec<u32>),
    /// Called once for each core, by `validate`.
    Of(Arc<dyn Fn(Core) -> Vec<u32> + Send + Sync>),
}

impl fmt::Debug for CoreValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoreValues::List(words) => write!(f, "List({words:?})"),
            CoreValues::Of(_) => f.write_str("Of(..)"),
        }
    }
}

/// Cores that each core is told of: a value of [`Core`] or [`CoreRange`] by core.
#[derive(Clone)]
pub struct CoreOf<T>(Arc<dyn Fn(Core) -> T + Send + Sync>);

impl<T> CoreOf<T> {
    pub fn new(of: impl Fn(Core) -> T + Send + Sync + 'static) -> CoreOf<T> {
        CoreOf(Arc::new(of))
    }

    pub fn get(&self, core: Core) -> T {
        (self.0)(core)
    }
}

impl<T> fmt::Debug for CoreOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CoreOf(..)")
    }
}

/// One argument of a kernel, for the parameter `name`.
#[derive(Clone, Debug)]
pub struct Arg {
    pub name: Arc<str>,
    pub value: ArgValue,
    /// The end of a pipe that begins with this argument.
    pub pipe: Option<PipeUse>,
}

#[derive(Clone, Debug)]
pub enum ArgValue {
    Cb {
        cb: CbId,
        end: CbEnd,
        /// How many pages the kernel waits for or reserves at a time, where that is known.
        blocks: Vec<u32>,
        /// The element type of the parameter, where that is known.
        element: Option<DataFormat>,
    },
    Tensor {
        tensor: TensorRef,
        /// The element type of the parameter, where that is known.
        element: Option<DataFormat>,
    },
    Semaphore(SemId),
    /// A core by its logical coordinates: two per-core words, the coordinates that the NoC knows.
    Core(CoreOf<Core>),
    /// Words of each core that its kernel indexes at run time: as many on every core as on the first.
    Table(CoreOf<Vec<u32>>),
    /// Cores that the kernel indexes at run time: one common word each, `x | y << 8` of the coordinates that the NoC knows.
    CoreTable(Vec<Core>),
    /// A rectangle of cores to send to: four words, its corners in the order of the kernel's NoC.
    CoreRange(CoreOf<CoreRange>),
    /// One core, or rectangle of cores, for all cores: common words.
    CommonCore(Core),
    CommonCoreRange(CoreRange),
    CompileTime(Vec<u32>),
    Common(Vec<u32>),
    PerCore {
        /// Words for each core.
        words: u32,
        values: CoreValues,
    },
}

impl Arg {
    pub fn new(name: impl Into<Arc<str>>, value: ArgValue) -> Arg {
        Arg { name: name.into(), value, pipe: None }
    }

    pub fn cb(name: impl Into<Arc<str>>, cb: CbId, end: CbEnd) -> Arg {
        Arg::new(name, ArgValue::Cb { cb, end, blocks: Vec::new(), element: None })
    }

    pub fn tensor(name: impl Into<Arc<str>>, tensor: &TensorRef) -> Arg {
        Arg::new(name, ArgValue::Tensor { tensor: tensor.clone(), element: None })
    }

    pub fn semaphore(name: impl Into<Arc<str>>, semaphore: SemId) -> Arg {
        Arg::new(name, ArgValue::Semaphore(semaphore))
    }

    pub fn compile_time(name: impl Into<Arc<str>>, word: u32) -> Arg {
        Arg::new(name, ArgValue::CompileTime(vec![word]))
    }

    pub fn common(name: impl Into<Arc<str>>, word: u32) -> Arg {
        Arg::new(name, ArgValue::Common(vec![word]))
    }

    /// One word per core.
    pub fn per_core(name: impl Into<Arc<str>>, value: impl Fn(Core) -> u32 + Send + Sync + 'static) -> Arg {
        let values = CoreValues::Of(Arc::new(move |core| vec![value(core)]));
        Arg::new(name, ArgValue::PerCore { words: 1, values })
    }

    /// One word per core, listed in the order of the kernel's cores.
    pub fn per_core_list(name: impl Into<Arc<str>>, values: Vec<u32>) -> Arg {
        Arg::new(name, ArgValue::PerCore { words: 1, values: CoreValues::List(values) })
    }

    /// How this argument travels.
    pub fn kind(&self) -> ParamKind {
        match &self.value {
            ArgValue::Cb { .. } => ParamKind::Cb,
            ArgValue::Tensor { .. } => ParamKind::Tensor,
            ArgValue::Semaphore(_) => ParamKind::Semaphore,
            ArgValue::Core(_) => ParamKind::PerCore { words: 2 },
            ArgValue::CoreRange(_) => ParamKind::PerCore { words: 4 },
            // Made to per-core words when the kernel gets its cores.
            ArgValue::Table(_) => ParamKind::PerCore { words: 0 },
            ArgValue::CommonCore(_) => ParamKind::Common { words: 2 },
            ArgValue::CommonCoreRange(_) => ParamKind::Common { words: 4 },
            ArgValue::CoreTable(cores) => ParamKind::Common { words: cores.len() as u32 },
            ArgValue::CompileTime(words) => ParamKind::CompileTime { words: words.len() as u32 },
            ArgValue::Common(words) => ParamKind::Common { words: words.len() as u32 },
            ArgValue::PerCore { words, .. } => ParamKind::PerCore { words: *words },
        }
    }
}

/// A kernel on some cores.
#[derive(Clone, Debug)]
pub struct KernelDecl<K> {
    pub name: Arc<str>,
    pub role: Role,
    pub cores: CoreSet,
    /// In the order of the parameters.
    pub args: Vec<Arg>,
    /// What a foreign kernel gets; `args` are then what it has of buffers, semaphores and tensors.
    pub foreign: Option<ForeignArgs>,
    /// Settings of a compute kernel. Its `unpack_to_dest_fp32` is filled from the field below.
    pub config: ComputeConfig,
    /// Buffers whose f32 tiles go to the tile registers at full precision.
    pub unpack_to_dest_fp32: Vec<CbId>,
    /// Which tensors go page by page through which buffers, by the positions of both among the arguments, where that is known.
    pub transfers: Vec<(usize, usize)>,
    /// Where the kernel was put on its cores.
    pub site: Site,
    /// The code, in whatever form the caller has it.
    pub code: K,
}

impl<K> KernelDecl<K> {
    #[track_caller]
    pub fn new(
        name: impl Into<Arc<str>>,
        role: Role,
        cores: impl Into<CoreSet>,
        args: Vec<Arg>,
        code: K,
    ) -> KernelDecl<K> {
        KernelDecl {
            name: name.into(),
            role,
            cores: cores.into(),
            args,
            foreign: None,
            config: ComputeConfig::default(),
            unpack_to_dest_fp32: Vec::new(),
            transfers: Vec::new(),
            site: Site::caller(),
            code,
        }
    }
}

impl<K> KernelDecl<K> {
    /// The places of the arguments, where they follow from the parameters.
    pub(super) fn layout(&self) -> ArgLayout {
        match self.foreign {
            Some(_) => ArgLayout::default(),
            None => ArgLayout::new(self.args.iter().map(Arg::kind)),
        }
    }
}

/// A program: kernels on cores, and what they share.
#[derive(Clone, Debug)]
pub struct Program<K> {
    pub name: Arc<str>,
    pub(super) id: u32,
    pub(super) cbs: Vec<CbDecl>,
    pub(super) semaphores: Vec<SemDecl>,
    pub(super) pipes: Vec<PipeDecl>,
    pub(super) kernels: Vec<KernelDecl<K>>,
}

impl<K> Program<K> {
    pub fn new(name: impl Into<Arc<str>>) -> Program<K> {
        // Tells the buffers of one program from those of another; only equality matters.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Program {
            name: name.into(),
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            cbs: Vec::new(),
            semaphores: Vec::new(),
            pipes: Vec::new(),
            kernels: Vec::new(),
        }
    }

    pub fn add_cb(&mut self, cb: CbDecl) -> CbId {
        self.cbs.push(cb);
        CbId { program: self.id, index: self.cbs.len() as u32 - 1 }
    }

    pub fn add_semaphore(&mut self, semaphore: SemDecl) -> SemId {
        self.semaphores.push(semaphore);
        SemId { program: self.id, index: self.semaphores.len() as u32 - 1 }
    }

    pub fn add_kernel(&mut self, kernel: KernelDecl<K>) {
        self.kernels.push(kernel);
    }

    /// The buffer, if it is one of this program.
    pub(super) fn cb_of(&self, id: CbId) -> Option<&CbDecl> {
        self.cbs.get(id.index as usize).filter(|_| id.program == self.id)
    }

    /// The semaphore, if it is one of this program.
    pub(super) fn semaphore_of(&self, id: SemId) -> Option<&SemDecl> {
        self.semaphores.get(id.index as usize).filter(|_| id.program == self.id)
    }

    pub fn cbs(&self) -> &[CbDecl] {
        &self.cbs
    }

    pub fn semaphores(&self) -> &[SemDecl] {
        &self.semaphores
    }

    pub fn kernels_mut(&mut self) -> &mut [KernelDecl<K>] {
        &mut self.kernels
    }

    pub fn kernels(&self) -> &[KernelDecl<K>] {
        &self.kernels
    }
}

/// A tensor in L1 that lies there while a program runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct L1Tensor {
    pub name: Arc<str>,
    pub address: u32,
    /// Bytes on each core.
    pub bytes: u32,
}

/// What `validate` must know of a device.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    pub arch: Arch,
    /// Which device; the `device` of its tensors.
    pub device: u64,
    pub l1_tensors: Vec<L1Tensor>,
}

impl DeviceInfo {
    pub fn new(arch: Arch, device: u64) -> DeviceInfo {
        DeviceInfo { arch, device, l1_tensors: Vec::new() }
    }
}
