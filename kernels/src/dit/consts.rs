//! Numbers that no configuration changes.
//!
//! Everything that is a count of cores, tiles of a matrix or bytes of a page depends on the number of banks and lives in
//! [`DitConfig`](super::DitConfig) and [`geometry`](super::geometry).

/// Rows and columns of a tile.
pub const TILE: u32 = 32;
/// Tiles of a page of the weight stream at full size (8 banks): one NoC burst, 16,384 bytes of bf16. A scaled machine of B banks has pages
/// of B tiles.
pub const PAGE_TILES: u32 = 8;
/// Rows of every activation on the device, and their tiles.
pub const M_ROWS: u32 = 64;
/// Rows of tiles.
pub const RT_TILES: u32 = 2;
/// Columns of ff1 that one chunk of the feed-forward gather carries at full size, and the number of chunks of every size.
pub const CHUNK_COLS: u32 = 1024;
/// Chunks of the feed-forward gather.
pub const N_CHUNKS: u32 = 6;
/// DRAM banks of the full machine.
pub const N_BANKS: u32 = 8;

/// Columns of a head, and what they are padded to.
pub const HEAD_DIM: u32 = 48;
/// With its padding.
pub const HEAD_DIM_PAD: u32 = 64;
/// Rows of keys that attention takes at a time, and from how many chunks on the heads of a cross block are split over three cores.
pub const KEY_CHUNK: u32 = 64;
/// Chunks of keys from which on heads are split.
pub const K4_SPLIT_MIN_CHUNKS: u32 = 3;

/// DRAM pages in flight per ring, and relay writes in flight per reader, unless asked otherwise; both are counted in NoC transaction ids.
pub const DEFAULT_RING_DEPTH: u32 = 4;
/// Relay writes in flight.
pub const DEFAULT_RELAY_WINDOW: u32 = 6;
/// Transaction ids that a ring can count with.
pub const MAX_TRANSACTION_IDS: u32 = 15;

/// Euler steps of the denoising loop, and their size.
pub const STEPS4_N_STEPS: u32 = 4;
/// The size of a step.
pub const EULER_DT: f32 = 0.25;

/// `epsilon` of the layer norms of the blocks and of the output head.
pub const BLOCK_EPS: f32 = 1e-5;
/// Of the output head.
pub const HEAD_EPS: f32 = 1e-6;
/// Added to the scores of keys that must not be seen. Finite: a chunk of which every key is masked must not give NaN.
pub const MASKED: f32 = -1e9;

/// Bytes of a tile.
pub const BF16_TILE: u32 = 2048;
/// Bytes of a tile of f32.
pub const F32_TILE: u32 = 4096;
/// Bytes of a tile of bfp8_b.
pub const BFP8_TILE: u32 = 1088;

/// Embodiments of a checkpoint: encoder and decoder weights exist once for each.
pub const CATEGORIES: u32 = 32;
/// Width of the vision-language tokens.
pub const VL_WIDTH: u32 = 2048;
