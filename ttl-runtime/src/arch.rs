//! What differs between the chips: grids, memories, alignments and limits. One table; nothing else hard-codes these numbers.
//!
//! Sources: TT-Metalium 0.81 (`tt_metal/hw/inc/internal/**/noc/noc_parameters.h`, `dev_mem_map.h`, the SoC descriptors) and the
//! Wormhole ISA documentation.

use std::fmt;

/// Which chip.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArchKind {
    /// 64 cores of 8 x 8, 12 banks of DRAM.
    Wormhole,
    /// 110 cores of 11 x 10, 8 banks of DRAM.
    Blackhole,
}

/// A logical worker core: `x` is the column, `y` the row, from (0, 0).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Core {
    /// Its column, from 0 at the left.
    pub x: u32,
    /// Its row, from 0 at the top.
    pub y: u32,
}

impl Core {
    /// The core at a column and a row; whether a chip has it is said when it is used.
    pub const fn new(x: u32, y: u32) -> Core {
        Core { x, y }
    }
}

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "core({},{})", self.x, self.y)
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The values of one chip. All sizes and addresses are bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arch {
    /// Which chip.
    pub kind: ArchKind,
    /// Columns and rows of the compute grid that programs see.
    pub grid_x: u32,
    /// Rows of the compute grid.
    pub grid_y: u32,
    /// L1 of one core, and the first address a program may use: firmware, kernel text and arguments lie below.
    pub l1_size: u32,
    /// The first address of L1 that programs may use.
    pub l1_base: u32,
    /// DRAM banks as the allocator sees them, the bytes of each, and the first address a tensor may use.
    pub dram_banks: u32,
    /// Bytes of a bank.
    pub dram_bank_size: u64,
    /// The first address of a bank that tensors may use.
    pub dram_base: u32,
    /// Allocator alignment of pages.
    pub l1_alignment: u32,
    /// Bytes to whose multiples pages in DRAM are aligned.
    pub dram_alignment: u32,
    /// A NoC read from DRAM needs source and destination congruent modulo this; a write needs `noc_l1_alignment`, like L1 to L1.
    pub noc_dram_read_alignment: u32,
    /// The same for writes to DRAM.
    pub noc_dram_write_alignment: u32,
    /// Bytes modulo which both ends of a transfer between cores agree.
    pub noc_l1_alignment: u32,
    /// Largest single NoC packet.
    pub noc_max_burst: u32,
    /// Transaction ids of a NoC.
    pub noc_transaction_ids: u32,
    /// Circular-buffer ids a program may use, and the largest page count of one (the counters have 16 bits).
    pub cb_ids: u32,
    /// The most pages of a circular buffer.
    pub cb_max_pages: u32,
    /// Semaphores of a core.
    pub semaphores: u32,
    /// Unique and common runtime arguments of one kernel on one core together (the portable limit).
    pub max_runtime_args: u32,
}

impl Arch {
    /// Blackhole p150a: 110 worker cores, 8 DRAM banks.
    pub const fn blackhole() -> Arch {
        Arch {
            kind: ArchKind::Blackhole,
            grid_x: 11,
            grid_y: 10,
            l1_size: 1536 * 1024,
            l1_base: 108 * 1024,
            dram_banks: 8,
            dram_bank_size: 4_278_190_080,
            dram_base: 64,
            l1_alignment: 16,
            dram_alignment: 64,
            noc_dram_read_alignment: 64,
            noc_dram_write_alignment: 16,
            noc_l1_alignment: 16,
            noc_max_burst: 16384,
            noc_transaction_ids: 16,
            cb_ids: 64,
            cb_max_pages: 65535,
            semaphores: 16,
            max_runtime_args: 341,
        }
    }

    /// Wormhole n150: 64 worker cores, 12 DRAM banks.
    pub const fn wormhole() -> Arch {
        Arch {
            kind: ArchKind::Wormhole,
            grid_x: 8,
            grid_y: 8,
            l1_size: 1464 * 1024,
            l1_base: 104 * 1024,
            dram_banks: 12,
            dram_bank_size: 1 << 30,
            dram_base: 32,
            l1_alignment: 16,
            dram_alignment: 32,
            noc_dram_read_alignment: 32,
            noc_dram_write_alignment: 16,
            noc_l1_alignment: 16,
            noc_max_burst: 8192,
            noc_transaction_ids: 16,
            cb_ids: 32,
            cb_max_pages: 65535,
            semaphores: 16,
            max_runtime_args: 341,
        }
    }

    /// As files and options call it.
    pub const fn name(&self) -> &'static str {
        match self.kind {
            ArchKind::Blackhole => "blackhole",
            ArchKind::Wormhole => "wormhole",
        }
    }

    /// How many worker cores it has.
    pub const fn cores(&self) -> u32 {
        self.grid_x * self.grid_y
    }

    /// Whether it has a worker core there.
    pub const fn contains(&self, core: Core) -> bool {
        core.x < self.grid_x && core.y < self.grid_y
    }

    /// Row-major index of a core of the grid.
    pub const fn core_index(&self, core: Core) -> usize {
        (core.y * self.grid_x + core.x) as usize
    }

    /// The coordinates by which the NoC knows a worker core ("virtual" coordinates in TT-Metalium). Kernels get them as arguments.
    pub const fn virtual_core(&self, core: Core) -> Core {
        match self.kind {
            // The NoC translation tables number workers from (1, 2) on Blackhole and from (18, 18) on Wormhole.
            ArchKind::Blackhole => Core::new(if core.x < 7 { core.x + 1 } else { core.x + 3 }, core.y + 2),
            ArchKind::Wormhole => Core::new(core.x + 18, core.y + 18),
        }
    }

    /// The inverse of [`Arch::virtual_core`]; `None` if no worker of the grid has these coordinates.
    pub fn logical_core(&self, x: u32, y: u32) -> Option<Core> {
        (0..self.grid_x)
            .find(|&cx| self.virtual_core(Core::new(cx, 0)).x == x)
            .zip((0..self.grid_y).find(|&cy| self.virtual_core(Core::new(0, cy)).y == y))
            .map(|(x, y)| Core::new(x, y))
    }
}

/// How the matrix unit multiplies: the number of passes over the mantissa halves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum MathFidelity {
    /// One pass, over the upper bits of both operands: 5 bits of SrcA, 7 of SrcB.
    LoFi,
    /// Two passes: all bits of SrcA.
    HiFi2,
    /// Three: the lower bits of SrcB with the upper ones of SrcA too.
    HiFi3,
    /// Four: all bits with all bits.
    #[default]
    HiFi4,
}

/// Settings of a compute kernel, as TT-Metalium's `ComputeConfig` has them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ComputeConfig {
    /// In how many passes the matrix unit multiplies.
    pub fidelity: MathFidelity,
    /// The tile registers hold 32-bit values (`fp32_dest_acc_en`).
    pub fp32_dest_acc: bool,
    /// One section of tile registers instead of two halves (`dst_full_sync_en`).
    pub dst_full_sync: bool,
    /// `math_approx_mode`.
    pub approx: bool,
    /// The packer rounds block floats (`bfp8_b`, `bfp4_b`) once, not twice (`bfp8_pack_precise`).
    pub bfp8_pack_precise: bool,
    /// Circular-buffer ids whose f32 tiles go to the tile registers at full precision (`UnpackToDestFp32`).
    pub unpack_to_dest_fp32: Vec<u32>,
}

impl ComputeConfig {
    /// 32x32 tiles that fit between acquire and release.
    pub const fn dst_tiles(&self) -> u32 {
        let half = if self.fp32_dest_acc { 4 } else { 8 };
        if self.dst_full_sync { 2 * half } else { half }
    }
}
