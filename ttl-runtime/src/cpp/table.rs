//! The table of C functions through which compiled kernels reach the simulator: one list, from which come the Rust structure, its C++
//! declaration (`ttl/abi.h`) and the functions.
//!
//! # Unsafe code
//!
//! The functions are called by C++ that was compiled against the declaration made from the same list, so arguments have the declared
//! types. Pointers among them are explained where they are used. None of the functions unwinds: a failing operation suspends the kernel's
//! coroutine for good.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::place::Place;
use super::print::{self, PrintArg};
use crate::arch::Core;
use crate::ops::{BinaryOp, Relu, TILE_METHODS, TernaryOp, TileCall, UnaryOp};
use crate::sim::ops::{self, FpuInit, NocAddr, Receivers, ReuseDest, SfpuInit, SrcOrder};
use crate::site::Site;
use crate::tensor::accessor::{Accessor, PageAddr};

/// A pointer into L1, as C++ kernels hold it.
type L1Ptr = *mut c_void;
type Text = *const c_char;
type Words = *const u32;
type PrintArgs = *const PrintArg;
/// Room for an [`Accessor`] in a C++ object.
type AccessorOut = *mut MaybeUninit<Accessor>;
type AccessorRef = *const Accessor;

/// The C++ name of a parameter's type.
macro_rules! cpp_type {
    (u8) => {
        "uint8_t"
    };
    (u32) => {
        "uint32_t"
    };
    (u64) => {
        "uint64_t"
    };
    (bool) => {
        "bool"
    };
    (L1Ptr) => {
        "void*"
    };
    (Text) => {
        "const char*"
    };
    (Words) => {
        "const uint32_t*"
    };
    (PrintArgs) => {
        "const PrintArg*"
    };
    (AccessorOut) => {
        "void*"
    };
    (AccessorRef) => {
        "const void*"
    };
}

/// `fn name(parameters) -> result at site { body }`: C functions take the place of the call as last parameter.
macro_rules! table {
    ($( fn $name:ident($($arg:ident: $ty:ident),* $(,)?) $(-> $ret:ident)? at $site:ident $body:block )*) => {
        /// The functions in the order of `ttl_host::Table`.
        #[repr(C)]
        pub(super) struct Table {
            $( $name: extern "C" fn($($ty,)* Place) $(-> $ret)?, )*
        }

        mod entries {
            use super::*;
            $( pub(super) extern "C" fn $name($($arg: $ty,)* place: Place) $(-> $ret)? {
                if COUNTING.load(Relaxed) {
                    calls::$name.fetch_add(1, Relaxed);
                }
                let $site = place.site();
                $body
            } )*
        }

        /// How often each function was called while calls are counted.
        #[allow(non_upper_case_globals)] // the functions' names
        mod calls {
            use super::AtomicU64;
            $( pub(super) static $name: AtomicU64 = AtomicU64::new(0); )*
        }

        const CALLS: &[(&str, &AtomicU64)] = &[$( (stringify!($name), &calls::$name), )*];

        /// What kernels get.
        pub(super) static TABLE: Table = Table { $( $name: entries::$name, )* };

        /// Result, name and parameters of each function, in C++.
        const DECLARATIONS: &[(&str, &str, &[(&str, &str)])] = &[
            $( (table!(@ret $($ret)?), stringify!($name), &[$( (cpp_type!($ty), stringify!($arg)) ),*]), )*
        ];
    };
    (@ret) => { "void" };
    (@ret $ret:ident) => { cpp_type!($ret) };
}

table! {
    // --- arguments and identity
    fn runtime_arg(index: u32) -> u32 at site { ops::runtime_arg(index, site) }
    fn common_arg(index: u32) -> u32 at site { ops::common_arg(index, site) }
    fn core_x() -> u32 at site { ops::core(site).x }
    fn core_y() -> u32 at site { ops::core(site).y }
    fn own_noc_x() -> u32 at site { ops::arch(site).virtual_core(ops::core(site)).x }
    fn own_noc_y() -> u32 at site { ops::arch(site).virtual_core(ops::core(site)).y }

    // --- errors
    fn fail(message: Text) at site { fail_with(message, site) }
    fn undefined(kind: u32, detail: u64) at site { ops::fail(undefined_message(kind, detail), site) }

    // --- debugging
    fn assert_failed(message: Text) at site { assert_failed_with(message, site) }
    fn printing() -> bool at site { ops::printing(site) }
    fn print(format: Text, args: PrintArgs, count: u32) at site {
        // SAFETY: the header passes a literal and an array of `count` arguments (`ttl/print.h`).
        unsafe { print::print(format, args, count, site) }
    }
    fn zone_begin(name: Text) at site { ops::zone_begin(&text(name), site) }
    fn zone_end() at site { ops::zone_end(site) }

    // --- circular buffers
    fn cb_reserve_back(cb: u32, pages: u32) at site { ops::cb_reserve_back(cb, pages, site) }
    fn cb_push_back(cb: u32, pages: u32) at site { ops::cb_push_back(cb, pages, site) }
    fn cb_wait_front(cb: u32, pages: u32) at site { ops::cb_wait_front(cb, pages, site) }
    fn cb_pop_front(cb: u32, pages: u32) at site { ops::cb_pop_front(cb, pages, site) }
    fn cb_pages_reservable_at_back(cb: u32, pages: u32) -> bool at site { ops::cb_pages_reservable_at_back(cb, pages, site) }
    fn cb_pages_available_at_front(cb: u32, pages: u32) -> bool at site { ops::cb_pages_available_at_front(cb, pages, site) }
    fn get_write_ptr(cb: u32) -> u32 at site { ops::get_write_ptr(cb, site) }
    fn get_read_ptr(cb: u32) -> u32 at site { ops::get_read_ptr(cb, site) }
    fn get_tile_address(cb: u32, tile: u32) -> u32 at site { ops::get_tile_address(cb, tile, site) }
    fn read_tile_value(cb: u32, tile: u32, element: u32) -> u32 at site { ops::read_tile_value(cb, tile, element, site) }
    fn get_tile_size(cb: u32) -> u32 at site { ops::get_tile_size(cb, site) }
    fn get_data_format(cb: u32) -> u32 at site { ops::cb_format(cb, site).metalium_value() }
    fn cb_page_size(cb: u32) -> u32 at site { ops::cb_page_size(cb, site) }
    fn cb_num_pages(cb: u32) -> u32 at site { ops::cb_num_pages(cb, site) }
    fn cb_address(cb: u32) -> u32 at site { ops::cb_address(cb, site) }
    fn cb_read_address(cb: u32) -> u32 at site { ops::cb_read_address(cb, site) }
    fn cb_write_address(cb: u32) -> u32 at site { ops::cb_write_address(cb, site) }
    fn cb_same_format(cb0: u32, cb1: u32) -> bool at site { ops::cb_format(cb0, site) == ops::cb_format(cb1, site) }

    // --- L1 pointers
    fn l1_pointer(address: u32) -> L1Ptr at site { ops::l1_bytes(address, 1, site).cast() }
    fn l1_read_u32(address: u32) -> u32 at site { ops::l1_read_u32(address, site) }
    fn l1_address(pointer: L1Ptr) -> u64 at site {
        own_l1_address(pointer, site).map_or(pointer as usize as u64, u64::from)
    }

    // --- NoC
    fn noc_addr_worker(_noc: u8, x: u32, y: u32, address: u32) -> u64 at site { ops::noc_addr_worker(x, y, address, site).0 }
    fn noc_addr_own(_noc: u8, address: u32) -> u64 at site {
        let own = ops::arch(site).virtual_core(ops::core(site));
        ops::noc_addr_worker(own.x, own.y, address, site).0
    }
    fn noc_addr_multicast(_noc: u8, start_x: u32, start_y: u32, end_x: u32, end_y: u32, address: u32) -> u64 at site {
        ops::noc_addr_multicast(Core::new(start_x, start_y), Core::new(end_x, end_y), address, site).0
    }
    fn noc_addr_dram(_noc: u8, bank: u32, address: u32) -> u64 at site { ops::noc_addr_dram(bank, u64::from(address), site).0 }
    fn noc_async_read(noc: u8, source: u64, dest: u32, size: u32) at site { ops::noc_async_read(noc, NocAddr(source), dest, size, site) }
    fn noc_async_write(noc: u8, source: u32, dest: u64, size: u32) at site { ops::noc_async_write(noc, source, NocAddr(dest), size, site) }
    fn noc_async_write_multicast(noc: u8, source: u32, dest: u64, size: u32, num_dests: u32, loopback: bool) at site {
        ops::noc_async_write_multicast(noc, source, NocAddr(dest), size, Receivers { num_dests, loopback }, site)
    }
    fn noc_async_read_barrier(noc: u8) at site { ops::noc_async_read_barrier(noc, site) }
    fn noc_async_write_barrier(noc: u8) at site { ops::noc_async_write_barrier(noc, site) }
    fn noc_async_writes_flushed(noc: u8) at site { ops::noc_async_writes_flushed(noc, site) }
    fn noc_async_atomic_barrier(noc: u8) at site { ops::noc_async_atomic_barrier(noc, site) }
    fn noc_async_full_barrier(noc: u8) at site { ops::noc_async_full_barrier(noc, site) }

    // --- NoC: transaction ids, transfers in two parts, posted writes, words in requests
    fn noc_async_write_posted(noc: u8, source: u32, dest: u64, size: u32) at site {
        ops::noc_async_write_posted(noc, source, NocAddr(dest), size, site)
    }
    fn noc_async_posted_writes_flushed(noc: u8) at site { ops::noc_async_posted_writes_flushed(noc, site) }
    fn noc_async_read_set_trid(noc: u8, trid: u32) at site { ops::noc_async_read_set_trid(noc, trid, site) }
    fn noc_async_read_barrier_with_trid(noc: u8, trid: u32) at site { ops::noc_async_read_barrier_with_trid(noc, trid, site) }
    fn noc_async_write_set_trid(noc: u8, trid: u32) at site { ops::noc_async_write_set_trid(noc, trid, site) }
    fn noc_async_write_with_trid(noc: u8, source: u32, dest: u64, size: u32, trid: u32) at site {
        ops::noc_async_write_with_trid(noc, source, NocAddr(dest), size, trid, site)
    }
    fn noc_async_write_barrier_with_trid(noc: u8, trid: u32) at site { ops::noc_async_write_barrier_with_trid(noc, trid, site) }
    fn noc_async_write_flushed_with_trid(noc: u8, trid: u32) at site { ops::noc_async_write_flushed_with_trid(noc, trid, site) }
    fn noc_async_read_set_state(noc: u8, source: u64, fixed: bool, size: u32) at site {
        ops::noc_async_read_set_state(noc, NocAddr(source), fixed.then_some(size), site)
    }
    fn noc_async_read_with_state(noc: u8, source: u32, dest: u32, sized: bool, size: u32) at site {
        ops::noc_async_read_with_state(noc, source, dest, sized.then_some(size), site)
    }
    fn noc_async_read_with_trid(noc: u8, base: u32, source: u32, dest: u32, trid: u32) at site {
        ops::noc_async_read_with_trid(noc, base, source, dest, trid, site)
    }
    fn noc_async_write_set_state(noc: u8, dest: u64, fixed: bool, size: u32, posted: bool) at site {
        ops::noc_async_write_set_state(noc, NocAddr(dest), fixed.then_some(size), posted, site)
    }
    fn check_state_posted(noc: u8, posted: bool) at site { ops::check_state_posted("noc_async_write_with_state", noc, posted, site) }
    fn noc_async_write_zeros(noc: u8, dest: u32, size: u32) at site { ops::noc_async_write_zeros(noc, dest, size, site) }
    fn noc_async_write_with_state(noc: u8, source: u32, dest: u32, sized: bool, size: u32, tagged: bool, trid: u32) at site {
        ops::noc_async_write_with_state(noc, source, dest, sized.then_some(size), tagged.then_some(trid), site)
    }
    fn noc_inline_dw_write(noc: u8, dest: u64, value: u32, byte_enables: u32, posted: bool) at site {
        ops::noc_inline_dw_write(noc, NocAddr(dest), value, byte_enables, posted, site)
    }
    fn noc_inline_mcast_dw_write(noc: u8, dest: u64, value: u32, byte_enables: u32, num_dests: u32, posted: bool) at site {
        ops::noc_inline_mcast_dw_write(noc, NocAddr(dest), value, byte_enables, num_dests, posted, site)
    }
    fn noc_semaphore_inc_posted(noc: u8, dest: u64, increment: u32) at site {
        ops::noc_semaphore_inc_posted(noc, NocAddr(dest), increment, site)
    }
    fn noc_semaphore_inc_multicast(noc: u8, dest: u64, increment: u32, num_dests: u32) at site {
        ops::noc_semaphore_inc_multicast(noc, NocAddr(dest), increment, num_dests, site)
    }

    // --- pages of tensors
    fn accessor(out: AccessorOut, words: Words, count: u32, page_size: u32) at site { decode_accessor(out, words, count, page_size, site) }
    fn accessor_noc_addr(_noc: u8, accessor: AccessorRef, base: u32, page: u32, offset: u32) -> u64 at site {
        page_address(accessor, base, page, offset, site).0
    }
    fn noc_async_read_page(noc: u8, accessor: AccessorRef, base: u32, page: u32, offset: u32, dest: u32, size: u32) at site {
        ops::noc_async_read(noc, page_address(accessor, base, page, offset, site), dest, size, site)
    }
    fn noc_async_write_page(noc: u8, accessor: AccessorRef, base: u32, page: u32, offset: u32, source: u32, size: u32) at site {
        ops::noc_async_write(noc, source, page_address(accessor, base, page, offset, site), size, site)
    }

    // --- semaphores
    fn get_semaphore(id: u32) -> u32 at site { ops::get_semaphore(id, site) }
    fn noc_semaphore_set(semaphore: L1Ptr, value: u32) at site { ops::noc_semaphore_set(semaphore_address(semaphore, site), value, site) }
    fn noc_semaphore_wait(semaphore: L1Ptr, value: u32) at site { ops::noc_semaphore_wait(semaphore_address(semaphore, site), value, site) }
    fn noc_semaphore_wait_min(semaphore: L1Ptr, value: u32) at site {
        ops::noc_semaphore_wait_min(semaphore_address(semaphore, site), value, site)
    }
    fn noc_semaphore_inc(noc: u8, dest: u64, increment: u32) at site { ops::noc_semaphore_inc(noc, NocAddr(dest), increment, site) }
    fn noc_semaphore_set_remote(noc: u8, source: u32, dest: u64) at site { ops::noc_semaphore_set_remote(noc, source, NocAddr(dest), site) }
    fn noc_semaphore_set_multicast(noc: u8, source: u32, dest: u64, num_dests: u32, loopback: bool) at site {
        ops::noc_semaphore_set_multicast(noc, source, NocAddr(dest), Receivers { num_dests, loopback }, site)
    }

    // --- compute: start-up and formats
    fn hw_startup(order: u32, in0: u32, in1: u32, out: u32) at site {
        ops::hw_startup(if order == 0 { SrcOrder::Regular } else { SrcOrder::Reverse }, in0, in1, out, site)
    }
    fn reconfig_srca(cb: u32) at site { ops::reconfig_data_format(Some(cb), None, site) }
    fn reconfig_srcb(cb: u32) at site { ops::reconfig_data_format(None, Some(cb), site) }
    fn reconfig_pack(cb: u32) at site { ops::pack_reconfig_data_format(cb, site) }

    // --- compute: inits
    fn copy_init(cb: u32) at site { ops::fpu_init(FpuInit::Copy { cb }, site) }
    fn binary_init(op: u32, a: u32, b: u32, acc: bool) at site {
        let init = match binary_op(op, site) {
            BinaryOp::Add => FpuInit::Add { a, b, acc },
            BinaryOp::Sub => FpuInit::Sub { a, b, acc },
            _ => FpuInit::Mul { a, b },
        };
        ops::fpu_init(init, site)
    }
    fn reuse_dest_init(op: u32, dest: u32, cb: u32) at site {
        ops::fpu_init(FpuInit::Reuse { op: binary_op(op, site), cb, dest: reuse_dest(dest) }, site)
    }
    fn matmul_init(in0: u32, in1: u32, transpose: bool) at site { ops::fpu_init(FpuInit::Matmul { in0, in1, transpose }, site) }
    fn matmul_block_init(in0: u32, in1: u32, transpose: bool, ct: u32, rt: u32, kt: u32) at site {
        ops::fpu_init(FpuInit::MatmulBlock { in0, in1, transpose, ct, rt, kt }, site)
    }
    fn tile_call_init(call: u32, cb0: u32, cb1: u32) at site {
        match call_of(call, site) {
            call if call.on_vector_unit() => ops::sfpu_init(SfpuInit::Call(call.prepared()), site),
            call => ops::fpu_init(FpuInit::tile_call(call, &[cb0, cb1]), site),
        }
    }
    fn copy_transposed_init(cb: u32, faces: bool, within: bool) at site {
        ops::fpu_init(FpuInit::tile_call(TileCall::CopyTransposed { faces, within }, &[cb]), site)
    }
    fn pack_reconfig_l1_acc(on: bool) at site { ops::pack_reconfig_l1_acc(on, site) }
    fn pack_relu_config(mode: u32, threshold: u32) at site { ops::pack_relu_config(relu(mode), threshold, site) }
    fn tilize_init(cb: u32, block: u32) at site { ops::fpu_init(FpuInit::Tilize { cb, block }, site) }
    fn tilize_block(cb: u32, block: u32, out: u32, input: u32, output: u32) at site {
        ops::tilize_block(cb, block, out, input, output, site)
    }
    fn tilize_uninit() at site { ops::layout_uninit("tilize_uninit", site) }
    fn pack_untilize_init(cb: u32, out: u32, block: u32, full: u32) at site {
        ops::fpu_init(FpuInit::Untilize { cb, block, full }, site);
        ops::pack_reconfig_data_format(out, site)
    }
    fn pack_untilize_block(cb: u32, block: u32, full: u32, out: u32, index: u32) at site {
        ops::pack_untilize_block(cb, block, full, out, index, site)
    }
    fn pack_untilize_dest_init(out: u32, block: u32, full: u32) at site {
        ops::pack_reconfig_data_format(out, site);
        ops::pack_untilize_dest_init(block, full, site)
    }
    fn pack_untilize_dest(block: u32, full: u32, out: u32, rows: u32, column: u32) at site {
        ops::pack_untilize_dest(block, full, out, rows, column, site)
    }
    fn pack_untilize_uninit(out: u32) at site {
        if !ops::pack_untilize_dest_uninit(site) {
            ops::layout_uninit("pack_untilize_uninit", site);
        }
        ops::pack_reconfig_data_format(out, site)
    }
    fn reduce_uninit() at site { ops::reduce_uninit(site) }
    fn sfpu_unary_init(op: u32, word0: u32, word1: u32, word2: u32) at site {
        ops::sfpu_init(SfpuInit::unary(unary_op(op, site), &[word0, word1, word2]), site)
    }
    fn sfpu_ternary_init(op: u32) at site { ops::sfpu_init(SfpuInit::Ternary(ternary_op(op, site).prepared()), site) }
    fn copy_dest_init() at site { ops::sfpu_init(SfpuInit::CopyDest, site) }
    fn sfpu_binary_init(op: u32, word0: u32, word1: u32, word2: u32) at site {
        ops::sfpu_init(SfpuInit::binary(binary_op(op, site), &[word0, word1, word2]), site)
    }

    // --- compute: tile registers
    fn tile_regs_acquire() at site { ops::tile_regs_acquire(site) }
    fn tile_regs_commit() at site { ops::tile_regs_commit(site) }
    fn tile_regs_wait() at site { ops::tile_regs_wait(site) }
    fn tile_regs_release() at site { ops::tile_regs_release(site) }

    // --- compute: tiles
    fn copy_tile(cb: u32, tile: u32, dst: u32) at site { ops::copy_tile(cb, tile, dst, site) }
    fn binary_tiles(op: u32, a: u32, b: u32, tile_a: u32, tile_b: u32, dst: u32) at site {
        match binary_op(op, site) {
            BinaryOp::Add => ops::add_tiles(a, b, tile_a, tile_b, dst, site),
            BinaryOp::Sub => ops::sub_tiles(a, b, tile_a, tile_b, dst, site),
            _ => ops::mul_tiles(a, b, tile_a, tile_b, dst, site),
        }
    }
    fn reuse_dest_tiles(op: u32, dest: u32, cb: u32, tile: u32, dst: u32) at site {
        ops::reuse_dest_tiles(binary_op(op, site), reuse_dest(dest), cb, tile, dst, site)
    }
    fn matmul_tiles(in0: u32, in1: u32, tile0: u32, tile1: u32, dst: u32) at site {
        ops::matmul_tiles(in0, in1, tile0, tile1, dst, site)
    }
    fn matmul_block(
        in0: u32, in1: u32, tile0: u32, tile1: u32, dst: u32, transpose: bool, ct: u32, rt: u32, kt: u32,
    ) at site {
        ops::matmul_block(in0, in1, tile0, tile1, dst, transpose, ct, rt, kt, site)
    }
    fn tile_call(call: u32, cb0: u32, cb1: u32, tile0: u32, tile1: u32, dst: u32, row: u32) at site {
        ops::tile_call(call_of(call, site), &[cb0, cb1], &[tile0, tile1], dst, row, site)
    }
    fn sfpu_unary(op: u32, dst: u32, word0: u32, word1: u32, word2: u32) at site {
        ops::sfpu_unary(unary_op(op, site), dst, [word0, word1, word2], site)
    }
    fn sfpu_unary_by(op: u32, long_polynomials: bool, dst: u32, word0: u32, word1: u32, word2: u32) at site {
        ops::sfpu_unary_by(unary_op(op, site), long_polynomials, dst, [word0, word1, word2], site)
    }
    fn sfpu_ternary(op: u32, dst0: u32, dst1: u32, dst2: u32, out: u32, word0: u32, word1: u32, word2: u32) at site {
        ops::sfpu_ternary(ternary_op(op, site), [dst0, dst1, dst2], out, [word0, word1, word2], site)
    }
    fn sfpu_binary(op: u32, dst0: u32, dst1: u32, out: u32, word0: u32, word1: u32, word2: u32) at site {
        ops::sfpu_binary(binary_op(op, site), [dst0, dst1], out, [word0, word1, word2], site)
    }
    fn copy_dest_values(source: u32, dst: u32) at site { ops::copy_dest_values(source, dst, site) }
    fn pack_tile(dst: u32, cb: u32) at site { ops::pack_tile(dst, cb, site) }
    fn pack_tile_at(dst: u32, cb: u32, index: u32) at site { ops::pack_tile_at(dst, cb, index, site) }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({} functions)", DECLARATIONS.len())
    }
}

static COUNTING: AtomicBool = AtomicBool::new(false);

/// Runs `f` and counts the calls that C++ kernels make meanwhile, of every thread: names of the table's functions. For comparing kernels; one
/// count at a time.
pub fn counting<T>(f: impl FnOnce() -> T) -> (T, Vec<(&'static str, u64)>) {
    for (_, count) in CALLS {
        count.store(0, Relaxed);
    }
    COUNTING.store(true, Relaxed);
    let result = f();
    COUNTING.store(false, Relaxed);
    (result, CALLS.iter().map(|(name, count)| (*name, count.load(Relaxed))).filter(|(_, n)| *n > 0).collect())
}

/// What the sanitizer's checks found, in the words that Rust's panics use; the order of `UNDEFINED` in C++.
const UNDEFINED: [(&str, &str); 10] = [
    ("divide_by_zero", "attempt to divide by zero"),
    ("divide_overflow", "attempt to divide with overflow"),
    ("add_overflow", "attempt to add with overflow"),
    ("subtract_overflow", "attempt to subtract with overflow"),
    ("multiply_overflow", "attempt to multiply with overflow"),
    ("negate_overflow", "attempt to negate with overflow"),
    ("shift", "attempt to shift with overflow"),
    ("index", "index out of bounds"),
    ("float_cast", "a float does not fit the integer type it is converted to"),
    ("unreachable", "code was reached that the kernel declares unreachable"),
];
const MISSING_RETURN: &str = "a function ended without returning its value";

fn undefined_message(kind: u32, detail: u64) -> String {
    let (name, text) = UNDEFINED.get(kind as usize).copied().unwrap_or(("missing_return", MISSING_RETURN));
    match name {
        "shift" => format!("{text}: by {detail} bits"),
        "index" => format!("{text}: the index is {detail}"),
        _ => text.to_owned(),
    }
}

/// The generated part of `ttl/abi.h`.
pub(super) fn declaration() -> String {
    let mut out = String::from(
        "// Generated from the simulator's list of functions: what kernels call, and the constants of the calls.\n#pragma once\n\n\
         #include <cstddef>\n#include <cstdint>\n\nnamespace ttl_host {\n\
         // File and line of a call.\nstruct Place {\n    const char* file;\n    uint32_t line;\n};\n\nstruct PrintArg;\n\nstruct Table {\n",
    );
    for (result, name, parameters) in DECLARATIONS {
        let list: String = parameters.iter().map(|(ty, name)| format!("{ty} {name}, ")).collect();
        out.push_str(&format!("    {result} (*{name})({list}Place at);\n"));
    }
    out.push_str("};\n\nenum class UndefinedKind : uint32_t {\n");
    for name in UNDEFINED.iter().map(|(name, _)| *name).chain(["missing_return"]) {
        out.push_str(&format!("    {name},\n"));
    }
    out.push_str("};\n\n// Numbers of the operations.\n");
    for op in UnaryOp::ALL {
        out.push_str(&format!("constexpr uint32_t unary_{} = {};\n", op.row().method, op as u32));
    }
    for op in BinaryOp::ALL {
        out.push_str(&format!("constexpr uint32_t binary_{} = {};\n", op.row().method, op as u32));
    }
    for op in TernaryOp::ALL {
        out.push_str(&format!("constexpr uint32_t ternary_{} = {};\n", op.row().method, op as u32));
    }
    for (at, (method, _)) in TILE_METHODS.iter().enumerate() {
        out.push_str(&format!("constexpr uint32_t call_{method} = {at};\n"));
    }
    out.push_str(&format!(
        "\n// Room for the simulator's own description of a tensor.\nconstexpr size_t accessor_size = {};\nconstexpr size_t accessor_align = {};\n}}  // namespace ttl_host\n",
        size_of::<Accessor>(),
        align_of::<Accessor>(),
    ));
    out
}

/// The numbers come from our own headers; others are possible only in a kernel that reaches around them.
fn unary_op(op: u32, site: Site) -> UnaryOp {
    match UnaryOp::ALL.get(op as usize) {
        Some(&op) => op,
        None => ops::fail(format!("there is no unary operation {op}"), site),
    }
}

/// The numbers of `ReluType`.
fn relu(mode: u32) -> Relu {
    match mode {
        0 => Relu::None,
        1 => Relu::Zero,
        2 => Relu::Min,
        _ => Relu::Max,
    }
}

fn call_of(call: u32, site: Site) -> TileCall {
    match TILE_METHODS.get(call as usize) {
        Some(&(_, call)) => call,
        None => ops::fail(format!("there is no tile call {call}"), site),
    }
}

fn binary_op(op: u32, site: Site) -> BinaryOp {
    match BinaryOp::ALL.get(op as usize) {
        Some(&op) => op,
        None => ops::fail(format!("there is no binary operation {op}"), site),
    }
}

fn ternary_op(op: u32, site: Site) -> TernaryOp {
    match TernaryOp::ALL.get(op as usize) {
        Some(&op) => op,
        None => ops::fail(format!("there is no ternary operation {op}"), site),
    }
}

/// The numbers of `EltwiseBinaryReuseDestType`.
fn reuse_dest(dest: u32) -> ReuseDest {
    if dest == 1 { ReuseDest::DestToSrcA } else { ReuseDest::DestToSrcB }
}

/// A text that a header passes.
fn text(text: Text) -> String {
    // SAFETY: our headers pass string literals.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn fail_with(message: Text, site: Site) -> ! {
    ops::fail(text(message), site)
}

fn assert_failed_with(message: Text, site: Site) -> ! {
    ops::assert_failed(&text(message), site)
}

/// The L1 address of a pointer into the L1 of the running kernel's core.
fn own_l1_address(pointer: L1Ptr, site: Site) -> Option<u32> {
    let arch = ops::arch(site);
    // Any address that a program may use will do to find where this L1 begins.
    let base = (ops::l1_bytes(arch.l1_base, 1, site) as usize).checked_sub(arch.l1_base as usize)?;
    let offset = (pointer as usize).checked_sub(base)?;
    (offset < arch.l1_size as usize).then_some(offset as u32)
}

/// A semaphore's pointer: into L1, or an L1 address that was made a pointer without translation.
fn semaphore_address(pointer: L1Ptr, site: Site) -> u32 {
    if let Some(address) = own_l1_address(pointer, site) {
        return address;
    }
    match u32::try_from(pointer as usize) {
        Ok(address) => address,
        Err(_) => ops::fail("the pointer to a semaphore does not point into the L1 of this core".to_owned(), site),
    }
}

/// Decodes accessor words; `page_size` replaces the page size in them unless it is 0.
fn decode_accessor(out: AccessorOut, words: Words, count: u32, page_size: u32, site: Site) {
    // SAFETY: the header passes a part of the kernel's array of compile-time arguments, checked there.
    let words = unsafe { std::slice::from_raw_parts(words, count as usize) };
    match Accessor::decode(words, &ops::arch(site)) {
        Ok((accessor, _)) => {
            let accessor = if page_size == 0 { accessor } else { accessor.with_page_size(page_size) };
            // SAFETY: the header passes storage of the size and alignment of an `Accessor` (`declaration`).
            unsafe { (*out).write(accessor) };
        }
        Err(error) => ops::fail(error.to_string(), site),
    }
}

#[inline]
fn page_address(accessor: AccessorRef, base: u32, page: u32, offset: u32, site: Site) -> NocAddr {
    // SAFETY: the storage of a C++ `TensorAccessor`, which its constructor filled; an `Accessor` may be copied bytewise.
    let accessor = unsafe { &*accessor };
    ops::check_page(accessor.is_dram(), base, page, site);
    match accessor.locate(base, page, offset) {
        PageAddr::Dram { bank, addr } => ops::noc_addr_dram(bank, addr, site),
        PageAddr::L1 { x, y, addr } => ops::noc_addr_worker(x, y, addr, site),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declaration_and_structure_have_the_same_length() {
        assert_eq!(size_of::<Table>(), DECLARATIONS.len() * size_of::<usize>());
        assert!(declaration().contains("uint32_t (*runtime_arg)(uint32_t index, Place at);"));
    }

    #[test]
    fn undefined_behaviour_is_worded_like_a_panic() {
        assert_eq!(undefined_message(0, 0), "attempt to divide by zero");
        assert_eq!(undefined_message(7, 4), "index out of bounds: the index is 4");
        assert_eq!(undefined_message(10, 0), MISSING_RETURN);
    }
}
