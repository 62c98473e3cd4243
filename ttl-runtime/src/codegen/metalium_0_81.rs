//! Headers and names of TT-Metalium 0.81. Names of tile operations stand in [the table of operations](crate::ops).

pub const DATAFLOW_HEADER: &str = "api/dataflow/dataflow_api.h";
pub const COMPUTE_HEADER: &str = "api/compute/common.h";
pub const COPY_HEADER: &str = "api/compute/tile_move_copy.h";
pub const MATMUL_HEADER: &str = "api/compute/matmul.h";
pub const COPY_REGS_HEADER: &str = "api/compute/copy_dest_values.h";

/// Debugging, with the headers that have it.
pub const ASSERT: &str = "ASSERT";
pub const ASSERT_HEADER: &str = "api/debug/assert.h";
pub const PRINT: &str = "DPRINT";
/// In a compute kernel: by the processor that reads, or writes, circular buffers.
pub const PRINT_UNPACK: &str = "DPRINT_UNPACK";
pub const PRINT_PACK: &str = "DPRINT_PACK";
pub const TILE_SLICE: &str = "TSLICE";
pub const WIDE_TILE_SLICE: &str = "TileSlice<128>";
/// Which side of the buffer, for data-movement kernels.
pub const TILE_SLICE_IN: &str = ", TSLICE_INPUT_CB, TSLICE_RD_PTR";
pub const TILE_SLICE_OUT: &str = ", TSLICE_OUTPUT_CB, TSLICE_WR_PTR";
/// A local of ours.
pub const TILE_ROW: &str = "tile_row";
pub const PRINT_HEADER: &str = "api/debug/dprint.h";
pub const ZONE: &str = "DeviceZoneScopedN";
pub const ZONE_HEADER: &str = "tools/profiler/kernel_profiler.hpp";

pub const ENTRY: &str = "kernel_main";

pub const COMPILE_TIME_ARG: &str = "get_compile_time_arg_val";
pub const PER_CORE_ARG: &str = "get_arg_val";
pub const COMMON_ARG: &str = "get_common_arg_val";
pub const ACCESSOR_ARGS: &str = "TensorAccessorArgs";
pub const ACCESSOR: &str = "TensorAccessor";
pub const NEXT_ACCESSOR: &str = "next_compile_time_args_offset";

pub const CORE_X: &str = "get_absolute_logical_x";
pub const CORE_Y: &str = "get_absolute_logical_y";
pub const WRITE_PTR: &str = "get_write_ptr";
pub const READ_PTR: &str = "get_read_ptr";
pub const TILE_SIZE: &str = "get_tile_size";
/// What a processor knows of a circular buffer, and the bytes of a page in it (data movement).
pub const LOCAL_INTERFACE: &str = "get_local_cb_interface";
pub const LOCAL_PAGE_SIZE: &str = "fifo_page_size";
pub const PAGE_SIZE: &str = "get_aligned_page_size";

pub const RESERVE_BACK: &str = "cb_reserve_back";
pub const PUSH_BACK: &str = "cb_push_back";
pub const WAIT_FRONT: &str = "cb_wait_front";
pub const POP_FRONT: &str = "cb_pop_front";

pub const READ_PAGE: &str = "noc_async_read_page";
pub const WRITE_PAGE: &str = "noc_async_write_page";
pub const READ_BARRIER: &str = "noc_async_read_barrier";
pub const WRITE_BARRIER: &str = "noc_async_write_barrier";
pub const WRITES_FLUSHED: &str = "noc_async_writes_flushed";

pub const NOC_ADDR: &str = "get_noc_addr";
pub const MULTICAST_ADDR: &str = "get_noc_multicast_addr";
pub const WRITE: &str = "noc_async_write";
pub const WRITE_MULTICAST: &str = "noc_async_write_multicast";
pub const WRITE_MULTICAST_LOOPBACK: &str = "noc_async_write_multicast_loopback_src";
pub const ATOMIC_BARRIER: &str = "noc_async_atomic_barrier";
pub const SEMAPHORE: &str = "get_semaphore";
pub const SEMAPHORE_SET: &str = "noc_semaphore_set";
pub const SEMAPHORE_WAIT: &str = "noc_semaphore_wait";
pub const SEMAPHORE_WAIT_MIN: &str = "noc_semaphore_wait_min";
pub const SEMAPHORE_INC: &str = "noc_semaphore_inc";
pub const SEMAPHORE_SET_REMOTE: &str = "noc_semaphore_set_remote";
pub const SEMAPHORE_SET_MULTICAST: &str = "noc_semaphore_set_multicast";
pub const SEMAPHORE_SET_MULTICAST_LOOPBACK: &str = "noc_semaphore_set_multicast_loopback_src";
/// Defined when a kernel is compiled for Blackhole.
pub const IF_BLACKHOLE: &str = "#ifdef ARCH_BLACKHOLE";

pub const STARTUP: &str = "compute_kernel_hw_startup";
pub const STARTUP_REVERSE: &str = "compute_kernel_hw_startup<SrcOrder::Reverse>";
pub const RECONFIG: &str = "reconfig_data_format";
pub const RECONFIG_SRCA: &str = "reconfig_data_format_srca";
pub const RECONFIG_SRCB: &str = "reconfig_data_format_srcb";
pub const PACK_RECONFIG: &str = "pack_reconfig_data_format";

pub const ACQUIRE: &str = "tile_regs_acquire";
pub const COMMIT: &str = "tile_regs_commit";
pub const WAIT: &str = "tile_regs_wait";
pub const RELEASE: &str = "tile_regs_release";

pub const COPY_INIT: &str = "copy_init";
pub const COPY_TILE: &str = "copy_tile";
pub const MATMUL_INIT: &str = "matmul_init";
pub const MATMUL_TILES: &str = "matmul_tiles";
pub const MATMUL_BLOCK_INIT: &str = "matmul_block_init";
pub const MATMUL_BLOCK: &str = "matmul_block";
pub const COPY_REGS_INIT: &str = "copy_dest_values_init";
/// Takes the format of the tile registers as template argument.
pub const COPY_REGS: &str = "copy_dest_values";
pub const COPY_REGS_FORMAT_16: &str = "DataFormat::Float16_b";
pub const COPY_REGS_FORMAT_32: &str = "DataFormat::Float32";
/// The register goes to SrcA: register op tile. To SrcB: tile op register.
pub const REUSE_AS_FIRST: &str = "EltwiseBinaryReuseDestType::DEST_TO_SRCA";
pub const REUSE_AS_SECOND: &str = "EltwiseBinaryReuseDestType::DEST_TO_SRCB";
pub const TILIZE_INIT: &str = "tilize_init";
pub const TILIZE: &str = "tilize_block";
pub const TILIZE_UNINIT: &str = "tilize_uninit";
pub const PACK_UNTILIZE_UNINIT: &str = "pack_untilize_uninit";
pub const PACK_L1_ACC: &str = "pack_reconfig_l1_acc";
pub const PACK_TILE: &str = "pack_tile";
pub const PACK_TILE_AT: &str = "pack_tile<true>";

/// Names that a kernel's own identifiers must leave alone: a local of this name would hide the function that the kernel calls.
pub const RESERVED: &[&str] = &[
    ENTRY,
    COMPILE_TIME_ARG,
    PER_CORE_ARG,
    COMMON_ARG,
    ACCESSOR_ARGS,
    ACCESSOR,
    CORE_X,
    CORE_Y,
    WRITE_PTR,
    READ_PTR,
    TILE_SIZE,
    LOCAL_INTERFACE,
    RESERVE_BACK,
    PUSH_BACK,
    WAIT_FRONT,
    POP_FRONT,
    READ_PAGE,
    WRITE_PAGE,
    READ_BARRIER,
    WRITE_BARRIER,
    WRITES_FLUSHED,
    NOC_ADDR,
    MULTICAST_ADDR,
    WRITE,
    WRITE_MULTICAST,
    WRITE_MULTICAST_LOOPBACK,
    ATOMIC_BARRIER,
    SEMAPHORE,
    SEMAPHORE_SET,
    SEMAPHORE_WAIT,
    SEMAPHORE_WAIT_MIN,
    SEMAPHORE_INC,
    SEMAPHORE_SET_REMOTE,
    SEMAPHORE_SET_MULTICAST,
    SEMAPHORE_SET_MULTICAST_LOOPBACK,
    STARTUP,
    RECONFIG,
    RECONFIG_SRCA,
    RECONFIG_SRCB,
    PACK_RECONFIG,
    ACQUIRE,
    COMMIT,
    WAIT,
    RELEASE,
    COPY_INIT,
    COPY_TILE,
    MATMUL_INIT,
    MATMUL_TILES,
    MATMUL_BLOCK_INIT,
    MATMUL_BLOCK,
    COPY_REGS_INIT,
    COPY_REGS,
    PACK_TILE,
    TILIZE_INIT,
    TILIZE,
    TILIZE_UNINIT,
    PACK_UNTILIZE_UNINIT,
    PACK_L1_ACC,
    // Types, macros and variables of the headers.
    "SrcOrder",
    "EltwiseBinaryReuseDestType",
    "DataFormat",
    "ckernel",
    "tt",
    "tt_l1_ptr",
    "noc_index",
    "my_x",
    "my_y",
    "MATH",
    "PACK",
    "UNPACK",
    "ALWI",
    "APPROX",
    "VALID",
    "INVALID",
    "FORCE_INLINE",
    "NOC_INDEX",
    "NOC_MODE",
    "ASSERT",
    "DPRINT",
    "DPRINT_UNPACK",
    "DPRINT_PACK",
    "TSLICE",
    "TileSlice",
    "SliceRange",
    TILE_ROW,
];
