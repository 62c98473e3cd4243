//! Kernels that use the data-movement calls one to one, and the typed forms of transaction ids and parts of pages.

use ttl::prelude::*;

/// Reads pages ahead into a ring: up to `DEPTH` reads under way, each with an id of its own, and only the oldest is waited for.
#[ttl::kernel(reader)]
pub(crate) fn read_ahead<const DEPTH: u32, const SLOTS: u32>(
    noc: Noc,
    x: TensorAccessor<bf16>,
    ring: CbOut<bf16>,
    pages: CommonWords,
    #[ttl(common)] count: u32,
) {
    let raw = noc.raw();
    let base = raw.get_write_ptr(&ring);
    let bytes = x.page_size();
    let mut issued = 0;
    for retired in 0..count {
        while issued < count && issued - retired < DEPTH {
            raw.cb_reserve_back(&ring, issued - retired + 1);
            raw.noc_async_read_set_trid(1 + issued % DEPTH);
            raw.noc_async_read(x.get_noc_addr(pages.get(issued), 0), base + issued % SLOTS * bytes, bytes);
            issued += 1;
        }
        raw.noc_async_read_barrier_with_trid(1 + retired % DEPTH);
        raw.cb_push_back(&ring, 1);
    }
}

/// Waits for the id of another page than the one it pushes.
#[ttl::kernel(reader)]
pub(crate) fn read_ahead_wrong_id<const DEPTH: u32, const SLOTS: u32>(
    noc: Noc,
    x: TensorAccessor<bf16>,
    ring: CbOut<bf16>,
    pages: CommonWords,
    #[ttl(common)] count: u32,
) {
    let raw = noc.raw();
    let base = raw.get_write_ptr(&ring);
    let bytes = x.page_size();
    let mut issued = 0;
    for retired in 0..count {
        while issued < count && issued - retired < DEPTH {
            raw.cb_reserve_back(&ring, issued - retired + 1);
            raw.noc_async_read_set_trid(1 + issued % DEPTH);
            raw.noc_async_read(x.get_noc_addr(pages.get(issued), 0), base + issued % SLOTS * bytes, bytes);
            issued += 1;
        }
        raw.noc_async_read_barrier_with_trid(1 + (retired + 1) % DEPTH);
        raw.cb_push_back(&ring, 1);
    }
}

/// Writes pages with an id each; two are under way.
#[ttl::kernel(writer)]
pub(crate) fn write_two_at_a_time(noc: Noc, y: TensorAccessor<bf16>, x_in: CbIn<bf16>, #[ttl(common)] count: u32) {
    let raw = noc.raw();
    for page in 0..count {
        raw.cb_wait_front(&x_in, 1);
        let bytes = y.page_size();
        raw.noc_async_write_one_packet_with_trid(raw.get_read_ptr(&x_in), y.get_noc_addr(page, 0), bytes, 1 + page % 2);
        raw.noc_async_write_flushed_with_trid(1 + page % 2);
        raw.cb_pop_front(&x_in, 1);
    }
    raw.noc_async_write_barrier_with_trid(1);
    raw.noc_async_write_barrier_with_trid(2);
}

/// The same read with the typed transfers, two pages at a time.
#[ttl::kernel(reader)]
pub(crate) fn read_with_ids(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, #[ttl(common)] count: u32) {
    for pair in 0..count / 2 {
        let mut tiles = x_out.reserve_back(2);
        let mut reads = noc.read_into_with_trid(&mut tiles, 3 + pair % 2);
        reads.page(&x, pair * 2 + 1, 1);
        reads.page(&x, pair * 2, 0);
        reads.wait();
        tiles.push_back();
    }
    if count % 2 == 1 {
        let mut tile = x_out.reserve_back(1);
        noc.read_page_with_trid(&x, count - 1, &mut tile, 9).wait();
    }
}

#[ttl::kernel(writer)]
pub(crate) fn write_with_ids(noc: Noc, y: TensorAccessor<bf16>, x_in: CbIn<bf16>, #[ttl(common)] count: u32) {
    for page in 0..count {
        let tile = x_in.wait_front(1);
        if page % 2 == 0 {
            noc.write_page_with_trid(&y, page, &tile, 5).flushed();
        } else {
            let mut writes = noc.write_from_with_trid(&tile, 6);
            writes.page(&y, page, 0);
            writes.wait();
        }
    }
}

/// Quarters of pages: the four of each page arrive in reverse order; then a copy within the core.
#[ttl::kernel(reader)]
pub(crate) fn read_quarters(
    noc: Noc,
    x: TensorAccessor<bf16>,
    stage_out: CbOut<bf16>,
    stage_in: CbIn<bf16>,
    x_out: CbOut<bf16>,
    #[ttl(common)] count: u32,
) {
    for page in 0..count {
        let mut stage = stage_out.reserve_back(1);
        let mut reads = noc.read_into(&mut stage);
        for quarter in 0..4 {
            reads.page_at(&x, page, quarter * 512, (3 - quarter) * 512, 512);
        }
        reads.wait();
        stage.push_back();
        let stage = stage_in.wait_front(1);
        let mut tile = x_out.reserve_back(1);
        noc.copy_pages(&stage, &mut tile).wait();
        tile.push_back();
    }
}

#[ttl::kernel(writer)]
pub(crate) fn write_halves(noc: Noc, y: TensorAccessor<bf16>, x_in: CbIn<bf16>, #[ttl(common)] count: u32) {
    for page in 0..count {
        let tile = x_in.wait_front(1);
        noc.write_page_at(&y, page, 1024, &tile, 0, 1024).flushed();
        noc.write_page_at(&y, page, 0, &tile, 1024, 1024).flushed();
    }
}

/// Pages of one bank by their low addresses; posted writes; pages with state out again.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn with_state(
    noc: Noc,
    x: TensorAccessor<bf16>,
    y: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    x_in: CbIn<bf16>,
    #[ttl(common)] banks: u32,
) {
    let raw = noc.raw();
    let bytes = x.page_size();
    raw.cb_reserve_back(&x_out, 4);
    let to = raw.get_write_ptr(&x_out);
    raw.noc_async_read_one_packet_set_state(x.get_noc_addr(0, 0), bytes);
    raw.noc_async_read_one_packet_with_state(x.get_noc_addr(0, 0).low(), to);
    raw.noc_async_read_one_packet_with_state(x.get_noc_addr(banks, 0).low(), to + bytes);
    raw.noc_async_read_set_state(x.get_noc_addr(1, 0));
    raw.noc_async_read_with_state(x.get_noc_addr(1, 0).low(), to + 2 * bytes, bytes);
    raw.noc_async_read_set_trid(4);
    raw.noc_async_read_one_packet_set_state(x.get_noc_addr(1, 0), bytes);
    raw.noc_async_read_one_packet_with_state_with_trid(0, x.get_noc_addr(banks + 1, 0).low(), to + 3 * bytes, 4);
    raw.noc_async_read_barrier_with_trid(4);
    raw.noc_async_read_barrier();
    raw.cb_push_back(&x_out, 4);
    raw.cb_wait_front(&x_in, 4);
    let from = raw.get_read_ptr(&x_in);
    raw.noc_async_write_one_packet_set_state(y.get_noc_addr(0, 0), bytes);
    raw.noc_async_write_one_packet_with_state(from, y.get_noc_addr(0, 0).low());
    raw.noc_async_write_set_state(y.get_noc_addr(0, 0));
    raw.noc_async_write_with_state(from + bytes, y.get_noc_addr(banks, 0).low(), bytes);
    raw.noc_async_write_one_packet_with_trid_set_state(y.get_noc_addr(1, 0));
    raw.noc_async_write_one_packet_with_trid_with_state(from + 2 * bytes, y.get_noc_addr(1, 0).low(), bytes, 7);
    raw.noc_async_write_barrier_with_trid(7);
    raw.noc_async_write_set_trid(0);
    raw.noc_async_write_posted(from + 3 * bytes, y.get_noc_addr(banks + 1, 0), bytes);
    raw.noc_async_writes_flushed();
    raw.noc_async_posted_writes_flushed();
    raw.cb_pop_front(&x_in, 4);
    raw.noc_async_full_barrier();
}

/// Reads with state after another read has used the command buffer.
#[ttl::kernel(reader)]
pub(crate) fn state_overwritten(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, x_in: CbIn<bf16>) {
    let raw = noc.raw();
    let bytes = x.page_size();
    raw.cb_reserve_back(&x_out, 2);
    let to = raw.get_write_ptr(&x_out);
    raw.noc_async_read_set_state(x.get_noc_addr(0, 0));
    raw.noc_async_read(x.get_noc_addr(1, 0), to, bytes);
    raw.noc_async_read_with_state(x.get_noc_addr(0, 0).low(), to + bytes, bytes);
    raw.noc_async_read_barrier();
    raw.cb_push_back(&x_out, 2);
    raw.cb_wait_front(&x_in, 2);
    raw.cb_pop_front(&x_in, 2);
}

/// Numbers made in L1 through typed pointers.
#[ttl::kernel(reader)]
pub(crate) fn numbers(noc: Noc, y: TensorAccessor<f32>, y_out: CbOut<f32>, y_in: CbIn<f32>) {
    let raw = noc.raw();
    {
        let tile = y_out.reserve_back(1);
        let floats = raw.l1_f32(tile.get_write_ptr());
        let words = raw.l1_u32(tile.get_write_ptr());
        for i in 0..1024 {
            floats.write(i, i as f32 * 0.5);
        }
        // The sign bit, a half word, a byte.
        words.write(1, words.read(1) | 0x8000_0000);
        raw.l1_u16(words.at(2).addr()).write(1, 0x4120);
        raw.l1_u8(words.at(3).addr()).write(3, 0xc0);
        raw.l1_i32(words.at(4).addr()).write(0, -1);
    }
    let tile = y_in.wait_front(1);
    noc.write_page(&y, 0, &tile).wait();
}

/// Each contributor writes its tile to the hub's buffer at a place of its own and counts up; the hub multicasts all of them, in two parts, and then
/// the number of the round.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn hub(
    noc: Noc,
    y: TensorAccessor<bf16>,
    all_out: CbOut<bf16>,
    all_in: CbIn<bf16>,
    gathered: Semaphore,
    round: Semaphore,
    credits: Semaphore,
    everyone: NocRange,
    #[ttl(common)] contributors: u32,
    #[ttl(common)] rounds: u32,
) {
    let raw = noc.raw();
    let bytes = y.page_size();
    for n in 0..rounds {
        // Everyone has consumed the round before.
        credits.wait_min(n * contributors);
        raw.cb_reserve_back(&all_out, contributors);
        noc.semaphore_inc_multicast(&credits, everyone, 1, contributors);
        gathered.wait_min((n + 1) * contributors);
        let at = raw.get_write_ptr(&all_out);
        let half = contributors / 2 * bytes;
        raw.noc_async_write_multicast(at, everyone.noc_addr(at), half, contributors, true);
        raw.noc_async_write_multicast(
            at + half,
            everyone.noc_addr(at + half),
            contributors * bytes - half,
            contributors,
            false,
        );
        raw.noc_async_writes_flushed();
        round.set(n + 1);
        raw.noc_semaphore_set_multicast(round.addr(), everyone.noc_addr(round.addr()), contributors, false);
        noc.writes_flushed();
        raw.cb_push_back(&all_out, contributors);
        raw.cb_wait_front(&all_in, contributors);
        raw.cb_pop_front(&all_in, contributors);
    }
}

#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn contribute(
    noc: Noc,
    x: TensorAccessor<bf16>,
    own_out: CbOut<bf16>,
    own_in: CbIn<bf16>,
    all_out: CbOut<bf16>,
    gathered: Semaphore,
    round: Semaphore,
    credits: Semaphore,
    cores: CoreTable,
    place: u32,
    #[ttl(common)] contributors: u32,
    #[ttl(common)] rounds: u32,
) {
    let raw = noc.raw();
    let hub = cores.core(contributors);
    let bytes = x.page_size();
    for n in 0..rounds {
        let mut own = own_out.reserve_back(1);
        noc.read_page(&x, n * contributors + place, &mut own).wait();
        own.push_back();
        let all = all_out.reserve_back(contributors);
        let own = own_in.wait_front(1);
        // The hub has room.
        credits.wait_min(n + 1);
        raw.noc_async_write(own.get_read_ptr(), hub.noc_addr(all.get_write_ptr() + place * bytes), bytes);
        noc.write_barrier();
        noc.semaphore_inc(&gathered, hub, 1);
        round.wait_min(n + 1);
        noc.semaphore_inc(&credits, hub, 1);
    }
}

/// Every core tells the next one a number through a word of a request, and the rest by multicast.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn tell(
    noc: Noc,
    y: TensorAccessor<f32>,
    y_out: CbOut<f32>,
    y_in: CbIn<f32>,
    one: Semaphore,
    many: Semaphore,
    cores: CoreTable,
    values: Words,
    others: NocRange,
    me: u32,
    #[ttl(common)] count: u32,
) {
    let raw = noc.raw();
    let next = cores.core((me + 1) % count);
    let own = values.get(me);
    raw.noc_inline_dw_write(next.noc_addr(one.addr()), own);
    if me == 0 {
        raw.noc_inline_mcast_dw_write(others.noc_addr(many.addr()), 77, count - 1);
        many.set(77);
    }
    many.wait(77);
    let expected = values.get((me + count - 1) % count);
    one.wait(expected);
    {
        let tile = y_out.reserve_back(1);
        let words = raw.l1_u32(tile.get_write_ptr());
        for i in 0..1024 {
            words.write(i, one.value() + many.value() * i);
        }
    }
    let tile = y_in.wait_front(1);
    noc.write_page(&y, me, &tile).wait();
}

/// Takes the tile of another core where it lies.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn fetch(
    noc: Noc,
    x: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    done: Semaphore,
    other: NocCore,
    me: u32,
) {
    let mut tile = x_out.reserve_back(1);
    if me == 0 {
        noc.read_page(&x, 0, &mut tile).wait();
        noc.semaphore_inc(&ready, other, 1);
        done.wait(1);
    } else {
        ready.wait(1);
        noc.read_from_core(other, &mut tile).wait();
        noc.semaphore_inc(&done, other, 1);
    }
}

#[ttl::kernel(writer)]
pub(crate) fn write_pages(noc: Noc, y: TensorAccessor<bf16>, x_in: CbIn<bf16>, first: u32, #[ttl(common)] count: u32) {
    for page in 0..count {
        let tile = x_in.wait_front(1);
        noc.write_page(&y, first + page, &tile).flushed();
    }
}

#[ttl::kernel(writer)]
pub(crate) fn take(_noc: Noc, x_in: CbIn<bf16>, #[ttl(common)] blocks: u32, #[ttl(common)] pages: u32) {
    for _ in 0..blocks {
        x_in.wait_front(pages).pop_front();
    }
}

/// Looks whether there is something before it waits for it.
#[ttl::kernel(writer)]
pub(crate) fn poll(noc: Noc, y: TensorAccessor<bf16>, x_in: CbIn<bf16>, #[ttl(common)] count: u32) {
    let mut page = 0;
    while page < count {
        if x_in.pages_available_at_front(1) {
            let tile = x_in.wait_front(1);
            noc.write_page(&y, page, &tile).flushed();
            page += 1;
        }
    }
}

#[ttl::kernel(reader)]
pub(crate) fn read_when_there_is_room(
    noc: Noc,
    x: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    #[ttl(common)] count: u32,
) {
    let mut page = 0;
    while page < count {
        if x_out.pages_reservable_at_back(1) {
            let mut tile = x_out.reserve_back(1);
            noc.read_page(&x, page, &mut tile).wait();
            page += 1;
        }
    }
}
