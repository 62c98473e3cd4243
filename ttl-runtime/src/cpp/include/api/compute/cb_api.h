// Circular buffers in compute kernels.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
#include "ttl/circular_buffers.h"

// Of a tile at the front: its L1 address, a word of it.
inline uint32_t get_tile_address(uint32_t cb_id, uint32_t tile_index, TTL_AT) {
    return ttl_host::table->get_tile_address(cb_id, tile_index, at);
}
inline uint32_t read_tile_value(uint32_t cb_id, uint32_t tile_index, uint32_t element_offset, TTL_AT) {
    return ttl_host::table->read_tile_value(cb_id, tile_index, element_offset, at);
}
}  // namespace ckernel
