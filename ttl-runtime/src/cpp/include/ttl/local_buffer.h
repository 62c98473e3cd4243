// What the objects for circular buffers have in common, and what kernels look up in their description.
#pragma once

#include "ttl/arguments.h"
#include "ttl/tile_sizes.h"

// A copy of the description of a circular buffer as it is now: in bytes, in compute kernels in units of 16 bytes. Changing it changes
// nothing.
struct LocalCBInterface {
    uint32_t fifo_size;
    uint32_t fifo_limit;
    uint32_t fifo_page_size;
    uint32_t fifo_num_pages;
    uint32_t fifo_rd_ptr;
    uint32_t fifo_wr_ptr;
};
inline const LocalCBInterface get_local_cb_interface(uint32_t cb_id, TTL_AT) {
    const ttl_host::Table& t = *ttl_host::table;
    const uint32_t page_size = t.cb_page_size(cb_id, at);
    const uint32_t pages = t.cb_num_pages(cb_id, at);
    const uint32_t size = page_size * pages;
#ifdef TTL_COMPUTE_KERNEL
    constexpr uint32_t shift = 4;
#else
    constexpr uint32_t shift = 0;
#endif
    return {size >> shift, (t.cb_address(cb_id, at) + size) >> shift, page_size >> shift, pages,
            t.cb_read_address(cb_id, at) >> shift, t.cb_write_address(cb_id, at) >> shift};
}

namespace ttl_host {
// The calls that every kind of buffer object has.
class Buffer {
public:
    void reserve_back(int32_t pages, TTL_AT) const { table->cb_reserve_back(id_, static_cast<uint32_t>(pages), at); }
    void push_back(int32_t pages, TTL_AT) const { table->cb_push_back(id_, static_cast<uint32_t>(pages), at); }
    void wait_front(int32_t pages, TTL_AT) const { table->cb_wait_front(id_, static_cast<uint32_t>(pages), at); }
    void pop_front(int32_t pages, TTL_AT) const { table->cb_pop_front(id_, static_cast<uint32_t>(pages), at); }

    uint32_t get_write_ptr(TTL_AT) const { return table->get_write_ptr(id_, at); }
    uint32_t get_read_ptr(TTL_AT) const { return table->get_read_ptr(id_, at); }
    constexpr uint32_t get_tile_size(TTL_AT) const { return static_cast<uint32_t>(::get_tile_size(static_cast<int32_t>(id_), at)); }
    constexpr uint32_t get_tile_hw() const { return 1024; }
    constexpr DataFormat get_dataformat(TTL_AT) const { return ::get_dataformat(static_cast<int32_t>(id_), at); }

#ifdef TTL_COMPUTE_KERNEL
    // The L1 address of a tile at the front.
    uint32_t get_tile_address(uint32_t tile_index, TTL_AT) const {
        return table->cb_read_address(id_, at) + tile_index * table->cb_page_size(id_, at);
    }
    // An element of a tile at the front, counted in units of its size from the tile's beginning in memory.
    template <typename T = uint32_t>
    T read_tile_value(uint32_t tile_index, uint32_t element_offset, TTL_AT) const {
        static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4, "read_tile_value: an element has 1, 2 or 4 bytes");
        return *static_cast<const volatile T*>(table->l1_pointer(
            get_tile_address(tile_index, at) + element_offset * static_cast<uint32_t>(sizeof(T)), at));
    }
#else
    bool pages_reservable_at_back(int32_t pages, TTL_AT) const {
        return table->cb_pages_reservable_at_back(id_, static_cast<uint32_t>(pages), at);
    }
    bool pages_available_at_front(int32_t pages, TTL_AT) const {
        return table->cb_pages_available_at_front(id_, static_cast<uint32_t>(pages), at);
    }
#endif

protected:
    constexpr explicit Buffer(uint32_t id) : id_(id) {}
    uint32_t id_;
};
}  // namespace ttl_host
