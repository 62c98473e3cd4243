// A circular buffer under the name that newer kernels use. On these chips both are the same thing.
#pragma once

#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dfb_access.h"
#include "api/dataflow/dfb_binding_token.h"
#include "api/debug/assert.h"

class DataflowBuffer : public ttl_host::Buffer {
public:
    constexpr DataflowBuffer(uint16_t logical_dfb_id) : Buffer(logical_dfb_id) {}
    constexpr uint16_t get_id() const { return static_cast<uint16_t>(id_); }

    uint32_t get_entry_size(TTL_AT) const { return ttl_host::table->cb_page_size(id_, at); }
    uint32_t get_stride_size(TTL_AT) const { return get_entry_size(at); }
    uint32_t get_total_num_entries(TTL_AT) const { return ttl_host::table->cb_num_pages(id_, at); }
    uint32_t get_total_size_bytes(TTL_AT) const { return get_entry_size(at) * get_total_num_entries(at); }
    uint32_t get_local_num_entries(TTL_AT) const { return get_total_num_entries(at); }
    uint32_t get_local_size_bytes(TTL_AT) const { return get_total_size_bytes(at); }
    uint32_t get_ring_span_bytes(TTL_AT) const { return get_total_size_bytes(at); }
    uint32_t get_ring_span_num_entries(TTL_AT) const { return get_total_num_entries(at); }

    constexpr uint16_t get_producer_share() const { return 1; }
    constexpr uint16_t get_consumer_share() const { return 1; }
    constexpr uint16_t get_producer_stride_tiles() const { return 1; }
    constexpr uint16_t get_consumer_stride_tiles() const { return 1; }

    constexpr uint32_t get_tile_r_dim() const { return 32; }
    constexpr uint32_t get_tile_c_dim() const { return 32; }
    constexpr uint32_t get_tile_num_faces() const { return 4; }
    constexpr uint32_t get_face_r_dim() const { return 16; }
    constexpr uint32_t get_partial_face() const { return 0; }
    constexpr uint32_t get_narrow_tile() const { return 0; }
    constexpr uint32_t get_num_faces_r_dim() const { return 2; }
    constexpr uint32_t get_num_faces_c_dim() const { return 2; }

    void finish() const {}

    // Locks are for the watcher; they hold the pointer.
    [[nodiscard]] auto scoped_write_lock(uint16_t = 1, TTL_AT) const { return ScopedLock<true>{get_write_ptr(at)}; }
    [[nodiscard]] auto scoped_read_lock(uint16_t = 1, TTL_AT) const { return ScopedLock<false>{get_read_ptr(at)}; }

#ifndef TTL_COMPUTE_KERNEL
    void write_barrier(const Noc& noc, TTL_AT) const { noc.async_write_barrier({}, at); }
#endif

private:
    template <bool IsWrite>
    struct ScopedLock {
        uint32_t pointer;
        ~ScopedLock() {}
        template <typename T = uint32_t>
        [[nodiscard]] auto get_ptr() const {
            if constexpr (IsWrite) {
                return CoreLocalMem<T>(pointer);
            } else {
                return CoreLocalMem<const T>(pointer);
            }
        }
    };
};

#ifndef TTL_COMPUTE_KERNEL
using DataflowBufferArgs = ttl_host::BufferTraits<DataflowBuffer>::src_args_type;
template <>
struct noc_traits_t<DataflowBuffer> : ttl_host::BufferTraits<DataflowBuffer> {};
#endif
