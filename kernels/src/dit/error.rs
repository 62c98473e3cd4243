//! Everything that can be wrong with a configuration, an arena, a plan or a launch.

#![allow(missing_docs)] // the message of a variant says what it and its fields are

use super::config::{ReaderMode, Version};
use super::core_map::CoreRole;
use crate::checkpoint::CheckpointError;
use thiserror::Error;
use ttl::prelude::{Core, DataFormat};

/// What is refused gives a [`MegakernelError`].
pub type Result<T> = std::result::Result<T, MegakernelError>;

/// A refusal, with its numbers.
#[derive(Debug, Error)]
pub enum MegakernelError {
    // Configurations.
    #[error("{banks} banks\n  = help: the geometry is that of 1, 2, 4 or 8 banks")]
    Banks { banks: u32 },
    #[error("{n_blocks} blocks; the offsets table travels as runtime words and has room for 1 to 32")]
    Blocks { n_blocks: u32 },
    #[error(
        "a sequence of {m} rows (1 state, {n_fut} future tokens, {horizon} actions); the device has {rows} rows, and there must be an action"
    )]
    SequenceLength { m: u32, horizon: u32, n_fut: u32, rows: u32 },
    #[error("actions of width {a_max}; 1 to 128 fit the decoder's slice of a core")]
    ActionWidth { a_max: u32 },
    #[error("{steps} Euler steps; the tables and the program are those of 4")]
    Steps { steps: u32 },
    #[error("step {step} is not in 0..{steps}")]
    Step { step: u32, steps: u32 },
    #[error("blocks [{first}, {end}) out of range for {n_blocks}")]
    BlockRange { first: u32, end: u64, n_blocks: u32 },
    #[error("block {blk} out of range for {n_blocks} blocks")]
    NoBlock { blk: u32, n_blocks: u32 },

    // Names and indices.
    #[error("no core set {name:?}; there are all96, first32, even48, leads8")]
    UnknownCoreSet { name: String },
    #[error("core {core} is not in {set} (of {cores} compute cores)")]
    NotInSet { core: u32, set: &'static str, cores: u32 },
    #[error("{set} has no member {rank} of bank {bank}; there are {banks} banks of {per_bank}")]
    NoMember { set: &'static str, bank: u32, rank: u32, banks: u32, per_bank: u32 },
    #[error("no operation {name:?}; there are qkv, Wo, ff1, ff2")]
    UnknownOp { name: String },
    #[error("op index {j} out of range 0..3")]
    OpIndex { j: u32 },
    #[error("tail op must be one of proj_out_2, dec_W1, dec_W2, enc_W1, enc_W2a, enc_W3, got {name:?}")]
    UnknownTailOp { name: String },
    #[error("variant must be one of block, step, steps4, got {name:?}")]
    UnknownVariant { name: String },

    // Cores.
    #[error("{readers} readers for {banks} banks; there is one per bank")]
    ReaderCount { readers: usize, banks: u32 },
    #[error("{core} is the reader of banks {} and {}", .banks[0], .banks[1])]
    ReaderTwice { core: Core, banks: [u32; 2] },
    #[error("{core} lies outside of the grid of {}x{}", .grid.0, .grid.1)]
    OutsideGrid { core: Core, grid: (u32, u32) },
    #[error("{core} is no compute core but {role:?}")]
    NotCompute { core: Core, role: CoreRole },
    #[error("the runtime deals out {runtime} shards to the {ours} compute cores")]
    ShardCount { ours: usize, runtime: usize },
    #[error(
        "the runtime's shard order of the compute cores differs from the core map's row-major order: shard {shard} lies on {runtime}, not on {ours}"
    )]
    ShardOrder { shard: u32, ours: Core, runtime: Core },
    #[error("NoC coordinate {value} does not fit a byte")]
    NocCoordinate { value: u32 },
    #[error("the device has a compute grid of {}x{}; the megakernel needs ({}, {})", .got.0, .got.1, .need.0, .need.1)]
    ComputeGrid { got: (u32, u32), need: (u32, u32) },
    #[error("the device has a DRAM grid of {}x{}; the megakernel needs ({}, {})", .got.0, .got.1, .need.0, .need.1)]
    DramGrid { got: (u32, u32), need: (u32, u32) },

    // Arena and geometry.
    #[error("arena is {arena}, cfg is {cfg}")]
    ArenaVersion { arena: Version, cfg: Version },
    #[error("the arena was planned for another configuration: {what} is {arena}, cfg has {cfg}")]
    ArenaConfig { what: &'static str, arena: u32, cfg: u32 },
    #[error("the arena is laid out for {arena} readers, the policy asks for {policy}")]
    ReaderMode { arena: ReaderMode, policy: ReaderMode },
    #[error("the kernel consumes matmul_block in1 order: plan the arena with TileOrder::RowMajor, not {order}")]
    TileOrder { order: &'static str },
    #[error("{set} keys padded to {l_pad}; it must be a multiple of 32, from 32 to {most}")]
    LPad { set: &'static str, l_pad: u32, most: u32 },
    #[error("no padded length of the {set} keys; the cross blocks use them")]
    NoLPad { set: &'static str },
    #[error("the {stream} stream takes {bytes} bytes a bank; an offset has 32 bits")]
    ArenaTooLarge { stream: &'static str, bytes: u64 },
    #[error(
        "offsets table of {header} header words and {block} words per block differ from the kernels (header 11, words per block 4): update the kernel constants"
    )]
    OffsetsWords { header: usize, block: usize },
    #[error("offsets table of {got} words; {n_blocks} blocks need {expected}")]
    OffsetsLength { got: usize, n_blocks: u32, expected: usize },
    #[error("{op}: {what} is {kernel} for the kernel and {arena} in the arena")]
    Geometry { op: String, what: &'static str, kernel: u64, arena: u64 },
    #[error("pack does not belong to this arena layout: {what}")]
    ForeignPack { what: String },
    #[error("pack's {stream} stream has {got} bytes in bank {bank}; the layout has {expected}")]
    PackBytes { stream: &'static str, bank: u32, got: u64, expected: u64 },

    // Plans.
    #[error("the plan lacks {name} of shape {shape:?}")]
    PlanLacks { name: String, shape: Vec<usize> },
    #[error("the plan has {name}, which {version} does not use")]
    PlanExtra { name: String, version: Version },
    #[error("{name} has the shape {got:?}; it must be {expected:?}")]
    PlanShape { name: String, expected: Vec<usize>, got: Vec<usize> },
    #[error("{name}: {dtype} elements cannot be read as weights; there are F32, BF16 and F16")]
    PlanDtype { name: String, dtype: String },
    #[error("{name} holds {value} at element {index}; weights must be finite")]
    PlanValue { name: String, index: usize, value: f32 },
    #[error("embodiment {id} is not in 0..{categories}")]
    Embodiment { id: u32, categories: u32 },
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),

    // Tables and pages.
    #[error("{name} page {page} B != one row ({row} B): the kernel reads rows")]
    RowPage { name: &'static str, page: u32, row: u32 },
    #[error("{name}: DRAM page {page} B != {tile} (the kernel reads whole tiles)")]
    TilePage { name: &'static str, page: u32, tile: u32 },
    #[error("b3_pos_rows has the shape {got:?}; it must be {expected:?}")]
    B3PosShape { expected: Vec<usize>, got: Vec<usize> },
    #[error("{what} has the shape {got:?}; it must be {expected:?}")]
    Shape { what: String, expected: Vec<usize>, got: Vec<usize> },
    #[error("{what} holds {got}; it must be {expected}")]
    Dtype { what: String, expected: DataFormat, got: DataFormat },
    #[error("expected a [64, {columns}] shard, got {got:?}")]
    SingleShard { columns: u32, got: Vec<usize> },
    #[error("expected 64 rows, got {got:?}")]
    PairsShard { got: Vec<usize> },
    #[error("core {core} keeps tile row {keeps} of x, asked for row {asked}: core c keeps tile row c / 6B")]
    TileRow { core: u32, keeps: u32, asked: u32 },
    #[error("{n_tiles} column tiles do not fit a shard of {columns} columns")]
    ShardTiles { n_tiles: u32, columns: u32 },

    // Budgets.
    #[error("{name} {value} is not in 1..={most} (NoC transaction ids)")]
    TransactionIds { name: &'static str, value: u32, most: u32 },
    #[error("cb_w {bytes} B is not a whole number of {page} B pages")]
    RingPages { bytes: u32, page: u32 },
    #[error(
        "{name}: ring_depth {depth} + 2 > cb_w pages {pages}: PageRing could never issue into a ring that holds one un-consumed K-block"
    )]
    RingDepth { name: &'static str, depth: u32, pages: u32 },
    #[error(
        "relay_window {window} + ring_depth {depth} > relay pages {pages} + 1: the reader NCRISC/BRISC pair would deadlock"
    )]
    RelayWindow { window: u32, depth: u32, pages: u32 },
    #[error("{what} take {need} B of {have} B of L1; the largest: {largest}")]
    L1Budget { what: &'static str, need: u64, have: u64, largest: String },
    #[error("the largest tail slice has {tiles} tiles, cb_tw holds {have}")]
    TailSlice { tiles: u32, have: u32 },
    #[error("multicast share {quarters} is not in 0..=4 quarters")]
    McastSplit { quarters: u32 },
    #[error("{name}={value:?} is not a number in {range}")]
    Environment { name: &'static str, value: String, range: &'static str },

    // Arguments.
    #[error("{count} common runtime args exceed MAX ({max})")]
    RuntimeArgs { count: usize, max: usize },
    #[error("runtime arg {name} = {value} does not fit uint32")]
    RuntimeArg { name: String, value: u64 },
    #[error("{what}: {got} coordinates, the program has {expected}")]
    Coordinates { what: &'static str, got: usize, expected: usize },
    #[error("io tensor {name} appears twice")]
    IoTwice { name: String },
    #[error("the {variant} program needs the {tensor} tensor")]
    IoMissing { variant: &'static str, tensor: &'static str },
    #[error("the {variant} program must not carry the {tensor} tensor")]
    IoExtra { variant: &'static str, tensor: &'static str },

    // Bindings.
    #[error("kv lacks cross block {blk}")]
    KvLacks { blk: u32 },
    #[error("kv has entries for non-cross blocks {blocks:?}")]
    KvExtra { blocks: Vec<u32> },
    #[error("block {blk} hoisted {which} must be {expected:?}, got {got:?}")]
    KvShape { blk: u32, which: &'static str, expected: Vec<usize>, got: Vec<usize> },
    #[error("block {blk} hoisted {which} must be {expected}, got {got}")]
    KvDtype { blk: u32, which: &'static str, expected: DataFormat, got: DataFormat },
    #[error("mask '{set}' is read by the kernel of this layout but missing")]
    MaskMissing { set: &'static str },
    #[error("mask '{set}' is not read by the kernel of this layout")]
    MaskExtra { set: &'static str },
    #[error("mask '{set}' must be {expected:?}, got {got:?}")]
    MaskShape { set: &'static str, expected: Vec<usize>, got: Vec<usize> },

    // Launches.
    #[error("call upload(pack) first")]
    NotUploaded,
    #[error("call allocate_steps4_io() first")]
    NoSteps4Io,
    #[error("no program built yet")]
    NoProgram,
    #[error("hoisted K/V not bound for cross blocks {blocks:?} (bind_kv)")]
    KvUnbound { blocks: Vec<u32> },
    #[error("per-call masks not bound: {masks:?} (bind_masks)")]
    MasksUnbound { masks: Vec<&'static str> },
    #[error("{call} needs variant='{need}', this is '{got}'")]
    Variant { call: &'static str, need: &'static str, got: &'static str },
    #[error("{call} runs once per launch, n_iters is {n_iters}")]
    NIters { call: &'static str, n_iters: u32 },
    #[error("n_iters is 0; a launch runs at least once")]
    NoIterations,
    #[error("K4 launches need a direct-mode arena, this one is for {mode} readers")]
    K4Reader { mode: ReaderMode },
    #[error("noise has the shape {got:?}; it must be {expected:?}")]
    NoiseShape { expected: Vec<usize>, got: Vec<usize> },
    #[error("state has {got} elements; it must have {expected}")]
    StateLength { expected: usize, got: usize },
    #[error("need 1 <= n_small < n_large, got {n_small} and {n_large}")]
    RateCounts { n_small: u32, n_large: u32 },
    #[error("measure_rate needs at least one repeat")]
    RateRepeats,

    /// From the runtime: tensors, programs, the simulator.
    #[error(transparent)]
    Runtime(#[from] ttl::Error),
    #[error(transparent)]
    Tensor(#[from] ttl::runtime::tensor::TensorError),
}
