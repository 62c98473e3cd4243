// Transfers with transaction ids, transfers in two parts (state, then the rest), words that travel in the request. Part of
// api/dataflow/dataflow_api.h.
#pragma once

// Command buffers: the simulator has one for each kind of transfer, so the parameter is accepted and ignored.
constexpr uint8_t read_cmd_buf = 0;
constexpr uint8_t write_cmd_buf = 1;
constexpr uint8_t write_reg_cmd_buf = 2;
constexpr uint8_t write_at_cmd_buf = 3;

enum class InlineWriteDst : uint8_t { DEFAULT, L1, REG };

namespace ttl_host {
template <bool fixed>
inline uint32_t packet(uint32_t size, const char* message, Place at) {
    if (fixed && size > NOC_MAX_BURST_SIZE) {
        table->fail(message, at);
    }
    return size;
}
}  // namespace ttl_host

// --- reads in two parts

template <bool use_vc = false>
inline void noc_async_read_one_packet_set_state(
    uint64_t src_noc_addr, uint32_t size, const uint32_t = 0, uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_async_read_set_state(noc, src_noc_addr, true, size, at);
}
template <bool inc_num_issued = true, bool use_vc = false>
inline void noc_async_read_one_packet_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, const uint32_t = 0, uint8_t noc = noc_index, TTL_AT) {
    static_assert(inc_num_issued, "noc_async_read_one_packet_with_state: reads that are not counted are not simulated");
    ttl_host::table->noc_async_read_with_state(noc, src_local_l1_addr, dst_local_l1_addr, false, 0, at);
}
inline void noc_async_read_set_state(uint64_t src_noc_addr, uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_async_read_set_state(noc, src_noc_addr, false, 0, at);
}
template <bool inc_num_issued = true>
inline void noc_async_read_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t noc = noc_index, TTL_AT) {
    static_assert(inc_num_issued, "noc_async_read_with_state: reads that are not counted are not simulated");
    ttl_host::table->noc_async_read_with_state(noc, src_local_l1_addr, dst_local_l1_addr, true, size, at);
}

// --- reads with transaction ids

inline void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_async_read_set_trid(noc, trid, at);
}
template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
inline void noc_async_read_one_packet_with_state_with_trid(
    uint32_t src_base_addr, uint32_t src_addr, uint32_t dest_addr, uint32_t trid = 0, uint8_t noc = noc_index, TTL_AT) {
    static_assert(!skip_ptr_update, "noc_async_read_one_packet_with_state_with_trid: reads that are not counted are not simulated");
    ttl_host::table->noc_async_read_with_trid(noc, src_base_addr, src_addr, dest_addr, trid, at);
}
inline void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_async_read_barrier_with_trid(noc, trid, at);
}

// --- writes in two parts

template <bool posted = false>
inline void noc_async_write_one_packet_set_state(
    uint64_t dst_noc_addr, uint32_t size, uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC, TTL_AT) {
    ttl_host::table->noc_async_write_set_state(noc, dst_noc_addr, true, size, posted, at);
}
template <bool posted = false>
inline void noc_async_write_one_packet_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->check_state_posted(noc, posted, at);
    ttl_host::table->noc_async_write_with_state(noc, src_local_l1_addr, dst_local_l1_addr, false, 0, false, 0, at);
}
template <bool posted = false>
inline void noc_async_write_set_state(
    uint64_t dst_noc_addr, uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC, TTL_AT) {
    ttl_host::table->noc_async_write_set_state(noc, dst_noc_addr, false, 0, posted, at);
}
template <bool posted = false, bool update_counter = true>
inline void noc_async_write_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t noc = noc_index, TTL_AT) {
    static_assert(update_counter, "noc_async_write_with_state: writes that are not counted are not simulated");
    ttl_host::table->check_state_posted(noc, posted, at);
    ttl_host::table->noc_async_write_with_state(noc, src_local_l1_addr, dst_local_l1_addr, true, size, false, 0, at);
}

// --- writes with transaction ids

inline void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_async_write_set_trid(noc, trid, at);
}
template <bool update_counter = true, bool posted = false>
inline void noc_async_write_one_packet_with_trid(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size, uint32_t trid, uint8_t = write_cmd_buf,
    uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC, TTL_AT) {
    static_assert(update_counter && !posted, "noc_async_write_one_packet_with_trid: only counted, acknowledged writes are simulated");
    ttl_host::table->noc_async_write_with_trid(noc, src_local_l1_addr, dst_noc_addr, size, trid, at);
}
template <bool posted = false>
inline void noc_async_write_one_packet_with_trid_set_state(
    uint64_t dst_noc_addr, uint8_t = write_cmd_buf, uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC, TTL_AT) {
    ttl_host::table->noc_async_write_set_state(noc, dst_noc_addr, false, 0, posted, at);
}
template <bool update_counter = true, bool posted = false>
inline void noc_async_write_one_packet_with_trid_with_state(
    uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size, uint32_t trid, uint8_t = write_cmd_buf,
    uint8_t noc = noc_index, TTL_AT) {
    static_assert(update_counter, "noc_async_write_one_packet_with_trid_with_state: writes that are not counted are not simulated");
    ttl_host::packet<true>(size, "noc_async_write_one_packet_with_trid_with_state: the size is above NOC_MAX_BURST_SIZE", at);
    ttl_host::table->noc_async_write_with_state(noc, src_local_l1_addr, dst_local_l1_addr, true, size, true, trid, at);
}
inline void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_async_write_barrier_with_trid(noc, trid, at);
}
inline void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_async_write_flushed_with_trid(noc, trid, at);
}
inline void noc_async_posted_writes_flushed(uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_async_posted_writes_flushed(noc, at);
}

// --- words in the request, increments on many cores

template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
inline void noc_inline_dw_write(
    uint64_t addr, uint32_t val, uint8_t be = 0xF, uint8_t noc = noc_index, uint8_t = NOC_UNICAST_WRITE_VC, uint32_t = 0,
    TTL_AT) {
    static_assert(dst_type != InlineWriteDst::REG, "noc_inline_dw_write: registers are not simulated");
    ttl_host::table->noc_inline_dw_write(noc, addr, val, be, posted, at);
}
template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
inline void noc_inline_mcast_dw_write(
    uint64_t addr, uint32_t val, uint8_t be = 0xF, uint8_t noc = noc_index, uint8_t = NOC_MULTICAST_WRITE_VC, uint32_t = 0,
    uint32_t num_dest = 1, TTL_AT) {
    static_assert(dst_type != InlineWriteDst::REG, "noc_inline_mcast_dw_write: registers are not simulated");
    ttl_host::table->noc_inline_mcast_dw_write(noc, addr, val, be, num_dest, posted, at);
}
template <bool posted = false>
inline void noc_semaphore_inc_multicast(
    uint64_t addr, uint32_t incr, uint32_t num_dests, uint8_t noc = noc_index, uint8_t = NOC_MULTICAST_WRITE_VC, TTL_AT) {
    static_assert(!posted, "noc_semaphore_inc_multicast: posted increments are not simulated");
    ttl_host::table->noc_semaphore_inc_multicast(noc, addr, incr, num_dests, at);
}
