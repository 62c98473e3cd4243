//! Calls of the kernel API that the IR knows by their row in a table only: what they take, what they give, how they are written.
//!
//! Most are calls of `ttl::raw`, one to one. Barriers and the protocol of circular buffers are operations of their own, because passes
//! reason about them.

mod posted;
mod tensors;

use super::{Expr, IntTy, LocalId, Ty};

/// A call with its operands.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub row: &'static Row,
    pub operands: Vec<Operand>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Operand {
    Value(Expr),
    /// A local that is no value: a buffer, a guard, a tensor, a semaphore, a core.
    Name(LocalId),
}

impl Call {
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.operands.iter().filter_map(|o| match o {
            Operand::Value(e) => Some(e),
            Operand::Name(_) => None,
        })
    }

    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.operands.iter_mut().filter_map(|o| match o {
            Operand::Value(e) => Some(e),
            Operand::Name(_) => None,
        })
    }

    pub fn names(&self) -> impl Iterator<Item = LocalId> + '_ {
        self.operands.iter().filter_map(|o| match o {
            Operand::Name(l) => Some(*l),
            Operand::Value(_) => None,
        })
    }

    /// The guards among the operands.
    pub fn guards(&self) -> impl Iterator<Item = LocalId> + '_ {
        let guard = |k: &Kind| matches!(k, Kind::Front | Kind::Reserved);
        self.operands.iter().zip(self.row.operands).filter(move |(_, k)| guard(k)).filter_map(|(o, _)| match o {
            Operand::Name(l) => Some(*l),
            Operand::Value(_) => None,
        })
    }
}

/// One call of the kernel API.
#[derive(PartialEq, Debug)]
pub struct Row {
    /// Name of the Rust method.
    pub method: &'static str,
    /// Its C++: `$0` is the first operand. Operands of operators stand as `%0`: in parentheses where they need them.
    pub cpp: &'static str,
    /// The C++ is an operation with an operator, not one call.
    pub operator: bool,
    pub operands: &'static [Kind],
    pub result: Option<Ty>,
    pub effect: Effect,
    /// What it needs beside the headers of every kernel.
    pub headers: &'static [&'static str],
}

impl Row {
    /// Calls of compute kernels; all others are of data movement.
    pub fn is_for_compute(&self) -> bool {
        COMPUTE.iter().any(|r| r.method == self.method)
    }
}

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    U32,
    Bool,
    /// A NoC address.
    Addr,
    /// A pointer into L1, to any element.
    L1,
    /// An element of what the pointer, the first operand, points to.
    Element,
    CbIn,
    CbOut,
    /// Guards: pages waited for, reserved.
    Front,
    Reserved,
    Tensor,
    Semaphore,
    Core,
    Range,
    /// Words among the arguments.
    Words,
}

/// What a call leaves under way or waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The value depends on the operands only.
    Pure,
    /// Looks at memory or counters that change.
    Looks,
    /// Changes something here and now.
    Acts,
    Reads,
    Writes,
    Posted,
    Increments,
    /// Sets the transaction id of reads, of writes.
    ReadId,
    WriteId,
    PostedFlush,
    FullBarrier,
}

use Effect::{Acts, FullBarrier, Increments, Looks, Posted, PostedFlush, Pure, ReadId, Reads, WriteId, Writes};
use Kind::{Addr, Bool, CbIn, CbOut, Core, Element, Front, L1, Range, Reserved, Semaphore, Tensor, U32, Words};

const U: Option<Ty> = Some(Ty::U32);
const A: Option<Ty> = Some(Ty::NocAddr);
const B: Option<Ty> = Some(Ty::Bool);

const fn row(
    method: &'static str,
    cpp: &'static str,
    operands: &'static [Kind],
    result: Option<Ty>,
    effect: Effect,
) -> Row {
    Row { method, cpp, operator: false, operands, result, effect, headers: &[] }
}

const fn infix(method: &'static str, cpp: &'static str, operands: &'static [Kind], result: Option<Ty>) -> Row {
    Row { method, cpp, operator: true, operands, result, effect: Pure, headers: &[] }
}

/// Methods of the token `Compute` that only look.
static COMPUTE: &[Row] = &[
    row("read_tile_value", "read_tile_value($0, $1, $2)", &[Front, U32, U32], U, Looks),
    row("get_tile_address", "get_tile_address($0, $1)", &[Front, U32], U, Looks),
];

/// Methods of the tokens `Noc` and `Raw`.
pub static TOKEN: &[Row] = &[
    // Addresses.
    row("get_noc_addr", "get_noc_addr($0, $1, $2)", &[U32, U32, U32], A, Pure),
    row("get_own_noc_addr", "get_noc_addr($0)", &[U32], A, Pure),
    row("get_noc_multicast_addr", "get_noc_multicast_addr($0, $1, $2, $3, $4)", &[U32, U32, U32, U32, U32], A, Pure),
    row("get_noc_addr_from_bank_id", "get_noc_addr_from_bank_id<true>($0, $1)", &[U32, U32], A, Pure),
    row("my_x", "my_x[noc_index]", &[], U, Pure),
    row("my_y", "my_y[noc_index]", &[], U, Pure),
    // Reads.
    row("noc_async_read", "noc_async_read($0, $1, $2)", &[Addr, U32, U32], None, Reads),
    row("noc_async_read_one_packet", "noc_async_read_one_packet($0, $1, $2)", &[Addr, U32, U32], None, Reads),
    row("noc_async_read_one_packet_set_state", "noc_async_read_one_packet_set_state($0, $1)", &[Addr, U32], None, Acts),
    row(
        "noc_async_read_one_packet_with_state",
        "noc_async_read_one_packet_with_state($0, $1)",
        &[U32, U32],
        None,
        Reads,
    ),
    row("noc_async_read_set_state", "noc_async_read_set_state($0)", &[Addr], None, Acts),
    row("noc_async_read_with_state", "noc_async_read_with_state($0, $1, $2)", &[U32, U32, U32], None, Reads),
    row("noc_async_read_set_trid", "noc_async_read_set_trid($0)", &[U32], None, ReadId),
    row(
        "noc_async_read_one_packet_with_state_with_trid",
        "noc_async_read_one_packet_with_state_with_trid($0, $1, $2, $3)",
        &[U32, U32, U32, U32],
        None,
        Reads,
    ),
    row("noc_async_read_barrier_with_trid", "noc_async_read_barrier_with_trid($0)", &[U32], None, Acts),
    // Writes.
    row("noc_async_write", "noc_async_write($0, $1, $2)", &[U32, Addr, U32], None, Writes),
    row("noc_async_write_one_packet", "noc_async_write_one_packet($0, $1, $2)", &[U32, Addr, U32], None, Writes),
    row(
        "noc_async_write_posted",
        "noc_async_write<NOC_MAX_BURST_SIZE + 1, true, true>($0, $1, $2)",
        &[U32, Addr, U32],
        None,
        Posted,
    ),
    row("noc_async_posted_writes_flushed", "noc_async_posted_writes_flushed()", &[], None, PostedFlush),
    row(
        "noc_async_write_one_packet_set_state",
        "noc_async_write_one_packet_set_state($0, $1)",
        &[Addr, U32],
        None,
        Acts,
    ),
    row(
        "noc_async_write_one_packet_with_state",
        "noc_async_write_one_packet_with_state($0, $1)",
        &[U32, U32],
        None,
        Writes,
    ),
    row("noc_async_write_set_state", "noc_async_write_set_state($0)", &[Addr], None, Acts),
    row("noc_async_write_with_state", "noc_async_write_with_state($0, $1, $2)", &[U32, U32, U32], None, Writes),
    row("noc_async_write_set_trid", "noc_async_write_set_trid($0)", &[U32], None, WriteId),
    row(
        "noc_async_write_one_packet_with_trid",
        "noc_async_write_one_packet_with_trid($0, $1, $2, $3)",
        &[U32, Addr, U32, U32],
        None,
        Writes,
    ),
    row(
        "noc_async_write_one_packet_with_trid_set_state",
        "noc_async_write_one_packet_with_trid_set_state($0)",
        &[Addr],
        None,
        Acts,
    ),
    row(
        "noc_async_write_one_packet_with_trid_with_state",
        "noc_async_write_one_packet_with_trid_with_state($0, $1, $2, $3)",
        &[U32, U32, U32, U32],
        None,
        Writes,
    ),
    row("noc_async_write_barrier_with_trid", "noc_async_write_barrier_with_trid($0)", &[U32], None, Acts),
    row("noc_async_write_flushed_with_trid", "noc_async_write_flushed_with_trid($0)", &[U32], None, Acts),
    // Multicast.
    row(
        "noc_async_write_multicast",
        "noc_async_write_multicast($0, $1, $2, $3, $4)",
        &[U32, Addr, U32, U32, Bool],
        None,
        Writes,
    ),
    row(
        "noc_async_write_multicast_one_packet",
        "noc_async_write_multicast_one_packet($0, $1, $2, $3, $4)",
        &[U32, Addr, U32, U32, Bool],
        None,
        Writes,
    ),
    row(
        "noc_async_write_multicast_loopback_src",
        "noc_async_write_multicast_loopback_src($0, $1, $2, $3, $4)",
        &[U32, Addr, U32, U32, Bool],
        None,
        Writes,
    ),
    // Words.
    row("noc_inline_dw_write", "noc_inline_dw_write($0, $1)", &[Addr, U32], None, Writes),
    row(
        "noc_inline_mcast_dw_write",
        "noc_inline_mcast_dw_write($0, $1, 0xF, noc_index, NOC_MULTICAST_WRITE_VC, 0, $2)",
        &[Addr, U32, U32],
        None,
        Writes,
    ),
    row("noc_semaphore_inc", "noc_semaphore_inc($0, $1)", &[Addr, U32], None, Increments),
    row("noc_semaphore_inc_multicast", "noc_semaphore_inc_multicast($0, $1, $2)", &[Addr, U32, U32], None, Increments),
    row("noc_semaphore_set_remote", "noc_semaphore_set_remote($0, $1)", &[U32, Addr], None, Writes),
    row(
        "noc_semaphore_set_multicast",
        "noc_semaphore_set_multicast($0, $1, $2, $3)",
        &[U32, Addr, U32, Bool],
        None,
        Writes,
    ),
    row(
        "noc_semaphore_set_multicast_loopback_src",
        "noc_semaphore_set_multicast_loopback_src($0, $1, $2, $3)",
        &[U32, Addr, U32, Bool],
        None,
        Writes,
    ),
    row(
        "noc_semaphore_set",
        "noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>($0), $1)",
        &[U32, U32],
        None,
        Acts,
    ),
    row(
        "noc_semaphore_wait",
        "noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>($0), $1)",
        &[U32, U32],
        None,
        Acts,
    ),
    row(
        "noc_semaphore_wait_min",
        "noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>($0), $1)",
        &[U32, U32],
        None,
        Acts,
    ),
    row("noc_async_full_barrier", "noc_async_full_barrier()", &[], None, FullBarrier),
    row("invalidate_l1_cache", "invalidate_l1_cache()", &[], None, Acts),
    // Circular buffers without guards.
    row("cb_reserve_back", "cb_reserve_back($0, $1)", &[CbOut, U32], None, Acts),
    row("cb_push_back", "cb_push_back($0, $1)", &[CbOut, U32], None, Acts),
    row("cb_wait_front", "cb_wait_front($0, $1)", &[CbIn, U32], None, Acts),
    row("cb_pop_front", "cb_pop_front($0, $1)", &[CbIn, U32], None, Acts),
    row("get_write_ptr", "get_write_ptr($0)", &[CbOut], U, Looks),
    row("get_read_ptr", "get_read_ptr($0)", &[CbIn], U, Looks),
    // Pointers into L1.
    row("l1_u8", "$0", &[U32], Some(Ty::L1Ptr(Some(IntTy::U8))), Pure),
    row("l1_u16", "$0", &[U32], Some(Ty::L1Ptr(Some(IntTy::U16))), Pure),
    row("l1_u32", "$0", &[U32], Some(Ty::L1Ptr(Some(IntTy::U32))), Pure),
    row("l1_i32", "$0", &[U32], Some(Ty::L1Ptr(Some(IntTy::I32))), Pure),
    row("l1_f32", "$0", &[U32], Some(Ty::L1Ptr(None)), Pure),
];

/// Methods of other values, the receiver first.
pub static VALUES: &[Row] = &[
    infix("noc_addr", "$0 | %1", &[Core, U32], A),
    infix("noc_addr", "$0 | %1", &[Range, U32], A),
    row("get_noc_addr", "$0.get_noc_addr($1, $2)", &[Tensor, U32, U32], A, Pure),
    infix("offset", "%0 + %1", &[Addr, U32], A),
    row("get_bank_base_address", "$0.get_bank_base_address()", &[Tensor], U, Pure),
    row("low", "static_cast<uint32_t>($0)", &[Addr], U, Pure),
    row("get_shard_noc_addr", "$0.get_shard_noc_addr($1, $2)", &[Tensor, U32, U32], A, Pure),
    row("addr", "$0", &[Semaphore], U, Pure),
    row("value", "*reinterpret_cast<volatile tt_l1_ptr uint32_t*>($0)", &[Semaphore], U, Looks),
    row("pages_available_at_front", "cb_pages_available_at_front($0, $1)", &[CbIn, U32], B, Looks),
    row("pages_reservable_at_back", "cb_pages_reservable_at_back($0, $1)", &[CbOut, U32], B, Looks),
    row("addr", "$0", &[L1], U, Pure),
    row("write", "@0[$1] = $2", &[L1, U32, Element], None, Acts),
    row("get", "get_arg_val<uint32_t>($0 + %1)", &[Words, U32], U, Pure),
];

/// Reading an element: the result has the pointer's type.
pub static READ_ELEMENT: Row = row("read", "@0[$1]", &[L1, U32], None, Looks);

/// The address of a pointer; the core that a word of a table names.
pub static POINTER_ADDR: Row = row("addr", "$0", &[L1], U, Pure);
pub static CORE_OF_WORD: Row = row("core", "get_noc_addr($0 & 0xff, $0 >> 8, 0)", &[U32], Some(Ty::Core), Pure);

/// Calls that lowering makes for safe methods.
pub static READ_ID: &Row = &row("read_with_trid", "noc_async_read_set_trid($0)", &[U32], None, ReadId);
pub static WRITE_ID: &Row = &row("write_with_trid", "noc_async_write_set_trid($0)", &[U32], None, WriteId);
pub static READ_ID_BARRIER: &Row = &row("wait", "noc_async_read_barrier_with_trid($0)", &[U32], None, Acts);
pub static WRITE_ID_BARRIER: &Row = &row("wait", "noc_async_write_barrier_with_trid($0)", &[U32], None, Acts);
pub static WRITE_ID_FLUSH: &Row = &row("flushed", "noc_async_write_flushed_with_trid($0)", &[U32], None, Acts);
pub static POSTED_FLUSH: Row =
    row("noc_async_posted_writes_flushed", "noc_async_posted_writes_flushed()", &[], None, PostedFlush);
/// Bytes `$2` long of a page, from byte `$3` on, to byte `$5` of a reserved block; the other way round.
pub static READ_AT: &Row = &row(
    "read_page_at",
    "noc_async_read($0.get_noc_addr($1, $2), get_write_ptr($3) + %4, $5)",
    &[Tensor, U32, U32, Reserved, U32, U32],
    None,
    Reads,
);
pub static WRITE_AT: &Row = &row(
    "write_page_at",
    "noc_async_write(get_read_ptr($3) + %4, $0.get_noc_addr($1, $2), $5)",
    &[Tensor, U32, U32, Front, U32, U32],
    None,
    Writes,
);
/// Whole blocks from another core's or this core's L1.
pub static READ_FROM_CORE: &Row = &row(
    "read_from_core",
    "noc_async_read($0 | get_write_ptr($1), get_write_ptr($1), %2 * get_tile_size($1))",
    &[Core, Reserved, U32],
    None,
    Reads,
);
pub static COPY_BLOCK: &Row = &row(
    "copy_pages",
    "noc_async_read(get_noc_addr(get_read_ptr($0)), get_write_ptr($1), %2 * get_tile_size($0))",
    &[Front, Reserved, U32],
    None,
    Reads,
);
pub static INC_MULTICAST: &Row = &row(
    "semaphore_inc_multicast",
    "noc_semaphore_inc_multicast($0 | $1, $2, $3)",
    &[Range, Semaphore, U32, U32],
    None,
    Increments,
);

/// Every row of the token's methods.
pub fn token_rows() -> impl Iterator<Item = &'static Row> {
    [TOKEN, posted::ROWS, tensors::ROWS, COMPUTE].into_iter().flatten()
}

/// Every row there is.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let lowered = [READ_ID, WRITE_ID, READ_ID_BARRIER, WRITE_ID_BARRIER, WRITE_ID_FLUSH, &POSTED_FLUSH];
    let whole = [READ_AT, WRITE_AT, READ_FROM_CORE, COPY_BLOCK, INC_MULTICAST, &READ_ELEMENT];
    token_rows().chain(VALUES).chain(lowered).chain(whole)
}

/// A row of the token's methods.
pub fn of_token(method: &str, operands: usize) -> Option<&'static Row> {
    token_rows().find(|r| r.method == method && r.operands.len() == operands)
}
