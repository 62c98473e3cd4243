// What data-movement kernels call. Every function forwards to the simulator, with the place of the call.
#pragma once

#ifdef TTL_COMPUTE_KERNEL
#error "api/dataflow/dataflow_api.h: a compute kernel cannot move data; this header is for data-movement kernels"
#endif

#include "ttl/arguments.h"
#include "ttl/circular_buffers.h"
#include "ttl/local_buffer.h"

constexpr uint8_t noc_index = NOC_INDEX;

#include "api/tensor/tensor_accessor.h"

// Virtual channels are not simulated: the parameter is accepted and ignored.
#define NOC_UNICAST_WRITE_VC 1
#define NOC_MULTICAST_WRITE_VC 4

// --- identity

namespace ttl_host {
struct OwnX {
    uint8_t operator[](uint32_t) const { return static_cast<uint8_t>(table->own_noc_x(Place{__FILE__, __LINE__})); }
};
struct OwnY {
    uint8_t operator[](uint32_t) const { return static_cast<uint8_t>(table->own_noc_y(Place{__FILE__, __LINE__})); }
};
}  // namespace ttl_host
constexpr ttl_host::OwnX my_x{};
constexpr ttl_host::OwnY my_y{};

// --- circular buffers

inline bool cb_pages_reservable_at_back(uint32_t cb, uint32_t pages, TTL_AT) {
    return ttl_host::table->cb_pages_reservable_at_back(cb, pages, at) != 0;
}
inline bool cb_pages_available_at_front(uint32_t cb, uint32_t pages, TTL_AT) {
    return ttl_host::table->cb_pages_available_at_front(cb, pages, at) != 0;
}
inline uint32_t get_write_ptr(uint32_t cb, TTL_AT) { return ttl_host::table->get_write_ptr(cb, at); }
inline uint32_t get_read_ptr(uint32_t cb, TTL_AT) { return ttl_host::table->get_read_ptr(cb, at); }

// --- addresses

inline uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t noc = noc_index, TTL_AT) {
    return ttl_host::table->noc_addr_worker(noc, noc_x, noc_y, addr, at);
}
inline uint64_t get_noc_addr(uint32_t addr, uint8_t noc = noc_index, TTL_AT) {
    return ttl_host::table->noc_addr_own(noc, addr, at);
}
template <typename DSpec>
inline uint64_t get_noc_addr(
    uint32_t id, const TensorAccessor<DSpec>& accessor, uint32_t offset = 0, uint8_t noc = noc_index, TTL_AT) {
    return accessor.get_noc_addr(id, offset, noc, at);
}
// On NoC 1 the start is the bottom right corner.
inline uint64_t get_noc_multicast_addr(
    uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end, uint32_t addr,
    uint8_t noc = noc_index, TTL_AT) {
    return ttl_host::table->noc_addr_multicast(noc, noc_x_start, noc_y_start, noc_x_end, noc_y_end, addr, at);
}
template <bool DRAM>
inline uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t bank_address_offset, uint8_t noc = noc_index, TTL_AT) {
    static_assert(DRAM, "get_noc_addr_from_bank_id<false>: banks in L1 are not simulated");
    return ttl_host::table->noc_addr_dram(noc, bank_id, bank_address_offset, at);
}

// --- reads

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
inline void noc_async_read(
    uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC,
    TTL_AT) {
    if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
        if (size > max_page_size) {
            ttl_host::table->fail("noc_async_read: the size is above the largest page that its template argument names", at);
        }
    }
    ttl_host::table->noc_async_read(noc, src_noc_addr, dst_local_l1_addr, size, at);
}
template <bool enable_noc_tracing = true>
inline void noc_async_read_one_packet(
    uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC,
    TTL_AT) {
    if (size > NOC_MAX_BURST_SIZE) {
        ttl_host::table->fail("noc_async_read_one_packet: the size is above NOC_MAX_BURST_SIZE", at);
    }
    ttl_host::table->noc_async_read(noc, src_noc_addr, dst_local_l1_addr, size, at);
}
template <typename DSpec>
inline void noc_async_read_page(
    uint32_t id, const TensorAccessor<DSpec>& addrgen, uint32_t dst_local_l1_addr, uint32_t offset = 0, uint8_t noc = noc_index,
    TTL_AT) {
    ttl_host::table->noc_async_read_page(
        noc, addrgen.state, addrgen.bank_base_address, id, offset, dst_local_l1_addr, addrgen.aligned_page_size, at);
}
template <typename DSpec>
inline void noc_async_read_tile(
    uint32_t id, const TensorAccessor<DSpec>& addrgen, uint32_t dst_local_l1_addr, uint32_t offset = 0, uint8_t noc = noc_index,
    TTL_AT) {
    noc_async_read_page(id, addrgen, dst_local_l1_addr, offset, noc, at);
}

// --- writes

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, bool posted = false>
inline void noc_async_write(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC,
    TTL_AT) {
    if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
        if (size > max_page_size) {
            ttl_host::table->fail("noc_async_write: the size is above the largest page that its template argument names", at);
        }
    }
    if constexpr (posted) {
        ttl_host::table->noc_async_write_posted(noc, src_local_l1_addr, dst_noc_addr, size, at);
    } else {
        ttl_host::table->noc_async_write(noc, src_local_l1_addr, dst_noc_addr, size, at);
    }
}
template <bool enable_noc_tracing = true, bool posted = false>
inline void noc_async_write_one_packet(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC,
    TTL_AT) {
    if (size > NOC_MAX_BURST_SIZE) {
        ttl_host::table->fail("noc_async_write_one_packet: the size is above NOC_MAX_BURST_SIZE", at);
    }
    noc_async_write<NOC_MAX_BURST_SIZE + 1, enable_noc_tracing, posted>(
        src_local_l1_addr, dst_noc_addr, size, noc, NOC_UNICAST_WRITE_VC, at);
}
template <typename AddrGen, bool enable_noc_tracing = true, bool posted = false>
inline void noc_async_write_page(
    uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr, uint32_t size = 0, uint32_t offset = 0,
    uint8_t noc = noc_index, TTL_AT) {
    const uint32_t bytes = size ? size : addrgen.aligned_page_size;
    if constexpr (posted) {
        ttl_host::table->noc_async_write_posted(noc, src_local_l1_addr, addrgen.get_noc_addr(id, offset, noc, at), bytes, at);
    } else {
        ttl_host::table->noc_async_write_page(
            noc, addrgen.state, addrgen.bank_base_address, id, offset, src_local_l1_addr, bytes, at);
    }
}
template <typename DSpec>
inline void noc_async_write_tile(
    uint32_t id, const TensorAccessor<DSpec>& addrgen, uint32_t src_local_l1_addr, uint8_t noc = noc_index, TTL_AT) {
    noc_async_write_page(id, addrgen, src_local_l1_addr, 0, 0, noc, at);
}

// --- whole shards of sharded tensors

template <typename DSpec>
inline void noc_async_read_shard(
    const uint32_t shard_id, const TensorAccessor<DSpec>& s, uint32_t dst_local_l1_addr, uint8_t noc = noc_index, TTL_AT) {
    noc_async_read(
        s.get_shard_noc_addr(shard_id, 0, noc, at), dst_local_l1_addr, s.aligned_page_size * DSpec::shard_volume(), noc,
        NOC_UNICAST_WRITE_VC, at);
}
template <typename DSpec, bool posted = false>
inline void noc_async_write_shard(
    const uint32_t shard_id, const TensorAccessor<DSpec>& s, uint32_t src_local_l1_addr, uint8_t noc = noc_index, TTL_AT) {
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, posted>(
        src_local_l1_addr, s.get_shard_noc_addr(shard_id, 0, noc, at), s.aligned_page_size * DSpec::shard_volume(), noc,
        NOC_UNICAST_WRITE_VC, at);
}

// --- writes to a rectangle of cores. What `linked` asks for, the order of transfers, holds here anyway.

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
inline void noc_async_write_multicast(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size, uint32_t num_dests, bool = false,
    uint8_t noc = noc_index, uint32_t = NOC_MULTICAST_WRITE_VC, TTL_AT) {
    ttl_host::table->noc_async_write_multicast(noc, src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, false, at);
}
inline void noc_async_write_multicast_one_packet(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size, uint32_t num_dests, bool = false,
    uint8_t noc = noc_index, uint32_t = NOC_MULTICAST_WRITE_VC, TTL_AT) {
    if (size > NOC_MAX_BURST_SIZE) {
        ttl_host::table->fail("noc_async_write_multicast_one_packet: the size is above NOC_MAX_BURST_SIZE", at);
    }
    ttl_host::table->noc_async_write_multicast(noc, src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, false, at);
}
inline void noc_async_write_multicast_loopback_src(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size, uint32_t num_dests, bool = false,
    uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_async_write_multicast(noc, src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, true, at);
}

// --- barriers

inline void noc_async_read_barrier(uint8_t noc = noc_index, TTL_AT) { ttl_host::table->noc_async_read_barrier(noc, at); }
inline void noc_async_write_barrier(uint8_t noc = noc_index, TTL_AT) { ttl_host::table->noc_async_write_barrier(noc, at); }
inline void noc_async_writes_flushed(uint8_t noc = noc_index, TTL_AT) { ttl_host::table->noc_async_writes_flushed(noc, at); }
inline void noc_async_atomic_barrier(uint8_t noc = noc_index, TTL_AT) { ttl_host::table->noc_async_atomic_barrier(noc, at); }
inline void noc_async_full_barrier(uint8_t noc = noc_index, TTL_AT) { ttl_host::table->noc_async_full_barrier(noc, at); }

// --- semaphores: `sem_addr` is what reinterpret_cast makes of the address that get_semaphore returns

inline uint32_t get_semaphore(uint32_t semaphore_id, TTL_AT) { return ttl_host::table->get_semaphore(semaphore_id, at); }

inline void noc_semaphore_set(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val, TTL_AT) {
    ttl_host::table->noc_semaphore_set(const_cast<uint32_t*>(sem_addr), val, at);
}
inline void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val, TTL_AT) {
    ttl_host::table->noc_semaphore_wait(const_cast<uint32_t*>(sem_addr), val, at);
}
inline void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val, TTL_AT) {
    ttl_host::table->noc_semaphore_wait_min(const_cast<uint32_t*>(sem_addr), val, at);
}
template <bool posted = false>
inline void noc_semaphore_inc(
    uint64_t addr, uint32_t incr, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC, TTL_AT) {
    if constexpr (posted) {
        ttl_host::table->noc_semaphore_inc_posted(noc, addr, incr, at);
    } else {
        ttl_host::table->noc_semaphore_inc(noc, addr, incr, at);
    }
}
inline void noc_semaphore_set_remote(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint8_t noc = noc_index, TTL_AT) {
    ttl_host::table->noc_semaphore_set_remote(noc, src_local_l1_addr, dst_noc_addr, at);
}
inline void noc_semaphore_set_multicast(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t num_dests, bool = false, uint8_t noc = noc_index,
    uint32_t = NOC_MULTICAST_WRITE_VC, TTL_AT) {
    ttl_host::table->noc_semaphore_set_multicast(noc, src_local_l1_addr, dst_noc_addr_multicast, num_dests, false, at);
}
inline void noc_semaphore_set_multicast_loopback_src(
    uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t num_dests, bool = false, uint8_t noc = noc_index,
    uint32_t = NOC_MULTICAST_WRITE_VC, TTL_AT) {
    ttl_host::table->noc_semaphore_set_multicast(noc, src_local_l1_addr, dst_noc_addr_multicast, num_dests, true, at);
}

#include "ttl/transfers.h"

// L1 is never cached here.
inline void invalidate_l1_cache() {}
