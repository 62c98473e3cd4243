//! ttl: Tenstorrent kernels as Rust functions.
//!
//! A kernel is an ordinary function with an attribute. The same function runs on a simulated chip inside this program and is
//! printed as the TT-Metalium C++ kernel that a Tenstorrent card runs.
//!
//! Three thread kernels of a core, a reader, a compute and a writer kernel, pass tiles through circular buffers:
//!
//! ```
//! use ttl::prelude::*;
//!
//! #[ttl::kernel(reader)]
//! fn read(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, #[ttl(common)] tiles: u32) {
//!     for i in 0..tiles {
//!         let mut tile = x_out.reserve_back(1);
//!         noc.read_page(&x, i, &mut tile).wait();
//!     }
//! }
//!
//! #[ttl::kernel(compute)]
//! fn square(_compute: Compute, x_in: CbIn<bf16>, y_out: CbOut<bf16>, #[ttl(common)] tiles: u32) {
//!     for _ in 0..tiles {
//!         let x = x_in.wait_front(1);
//!         y_out.reserve_back(1).store(&x * &x);
//!     }
//! }
//!
//! #[ttl::kernel(writer)]
//! fn write(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, #[ttl(common)] tiles: u32) {
//!     for i in 0..tiles {
//!         let tile = y_in.wait_front(1);
//!         noc.write_page(&y, i, &tile).flushed();
//!     }
//! }
//!
//! fn main() -> ttl::Result<()> {
//!     let mut device = Device::open()?; // a simulated Blackhole
//!     let x = device.upload::<bf16>("x", &HostTensor::from_fn(&[32, 64], |i| i as f32 / 256.0)?)?;
//!     let y = device.zeros::<bf16>("y", x.shape())?;
//!     let tiles = x.pages();
//!
//!     let core = Core::new(0, 0);
//!     let mut program = Program::new("square");
//!     let (x_out, x_in) = program.circular_buffer::<bf16>("x", core, 2);
//!     let (y_out, y_in) = program.circular_buffer::<bf16>("y", core, 2);
//!     program.kernel(core, read { x: x.accessor(), x_out, tiles });
//!     program.kernel(core, square { x_in, y_out, tiles });
//!     program.kernel(core, write { y: y.accessor(), y_in, tiles });
//!
//!     let program = program.validate(&device)?;
//!     device.run(&program)?;
//!     assert_eq!(device.download(&y)?.get(512), Some(4.0));
//!     Ok(())
//! }
//! ```

pub use operation::{buffer, compute, reader, writer};
pub use ttl_macros::{device, kernel};
pub use ttl_runtime::device_api::raw;
pub use ttl_runtime::host::{Error, Result, testing};
pub use ttl_runtime::rt::{Data, Scalar};

mod operation;

#[doc(hidden)]
pub use ttl_runtime::rt;

/// The layers below, for tools: programs as data, the kernel IR, the simulator, the C++ writer and engine.
pub mod runtime {
    pub use ttl_runtime::{arch, codegen, cores, cpp, host, ir, ops, program, sim, site, tensor};
}

/// What kernels and the programs around them use.
pub mod prelude {
    pub use half::bf16;
    pub use ttl_runtime::arch::{Arch, ArchKind, ComputeConfig, Core, MathFidelity};
    pub use ttl_runtime::cores::{CoreRange, CoreSet};
    pub use ttl_runtime::device_api::{
        Accumulator, Arriving, CbIn, CbOut, CommonWords, Compute, CoreTable, Front, Looped, Noc, NocCore, NocRange,
        PackRegs, PipeRx, PipeTx, Reads, Reserved, Semaphore, Sent, Storable, TaggedReads, TaggedWrites,
        TensorAccessor, TileBinary, TileBlock, TileExpr, TileMath, TileRegs, TileShape, TileTernary, Tiles, UnicastTx,
        Words, Writes,
    };
    pub use ttl_runtime::host::{
        Backend, CheckedProgram, Device, DeviceOptions, DmNoc, DmProcessor, Engine, ForeignKernel, Program, Tensor,
    };
    pub use ttl_runtime::program::export::Tolerance;
    pub use ttl_runtime::program::foreign::Word;
    pub use ttl_runtime::program::pipe::Route;
    pub use ttl_runtime::program::typed::{
        Consumer, PerCore, Pipe, Producer, SemaphoreArg, TensorArg, UnicastPipe, per_core,
    };
    pub use ttl_runtime::sim::{
        Numerics, PrintLog, Printed, Prints, Progress, RunOptions, RunReport, Schedule, Timeline, ZoneReport,
    };
    pub use ttl_runtime::tensor::format::{DataFormat, Element, bfp4_b, bfp8_b};
    pub use ttl_runtime::tensor::{Comparison, HostTensor, MemoryConfig, ShardSpec, TensorRef, npy};
}

/// Around everything that the macros emit beside the user's own function. rust-analyzer would report the user's mistakes a second
/// time in there, so for it this is empty.
#[cfg(not(rust_analyzer))]
#[doc(hidden)]
#[macro_export]
macro_rules! __ttl_check_copy {
    ($($item:tt)*) => { $($item)* };
}
#[cfg(rust_analyzer)]
#[doc(hidden)]
#[macro_export]
macro_rules! __ttl_check_copy {
    ($($item:tt)*) => {};
}

/// Around the function of an operation as it is written: only the editor looks at it, rustc sees the kernels that it becomes.
#[cfg(rust_analyzer)]
#[doc(hidden)]
#[macro_export]
macro_rules! __ttl_in_the_editor {
    ($($item:tt)*) => { $($item)* };
}
#[cfg(not(rust_analyzer))]
#[doc(hidden)]
#[macro_export]
macro_rules! __ttl_in_the_editor {
    ($($item:tt)*) => {};
}

/// Prints a line from a kernel, as `println!` does on the host: `ttl::print!("x = {} {y:#x}", x)`. The simulator puts the core and the
/// processor in front; in C++ it is `DPRINT`, which is nothing unless it is switched on.
#[macro_export]
macro_rules! print {
    ($($text:tt)*) => {
        $crate::rt::print(::core::format_args!($($text)*), ::core::file!(), ::core::line!())
    };
}

/// Prints a tile of a block, or a part of it, a line for each row: `ttl::print_tile!(x, 0)`, `ttl::print_tile!(x, 0, 0..4, 0..8)` for rows and
/// columns. The block is one that `wait_front` or `reserve_back` gave, of any kind of kernel. In C++ it is `DPRINT` of a `TSLICE`, which is nothing
/// unless it is switched on.
#[macro_export]
macro_rules! print_tile {
    ($block:expr, $tile:expr $(,)?) => {
        $crate::print_tile!($block, $tile, 0..32, 0..32)
    };
    ($block:expr, $tile:expr, $rows:expr, $cols:expr $(,)?) => {
        $crate::rt::print_tile(&$block, $tile, $rows, $cols, ::core::file!(), ::core::line!())
    };
    // The attribute of the kernel says what is wrong.
    ($($other:tt)*) => {};
}

/// A named zone of a kernel, from here to the end of the block: `ttl::zone!("matmul")`. The simulator counts how often threads go through it
/// and where they wait; in C++ it is `DeviceZoneScopedN`.
#[macro_export]
macro_rules! zone {
    ($name:literal) => {
        let _zone = $crate::rt::Zone::enter($name, ::core::file!(), ::core::line!());
    };
}

#[cfg(any(doc, doctest))]
pub mod book;

/// The program of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
