// Circular buffers to tile registers.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/reconfig_data_format.h"

namespace ckernel {
inline void copy_init(uint32_t cbid, uint32_t transpose = 0, uint32_t transpose_within_16x16_face = 0, TTL_AT) {
    if (transpose == 0 && transpose_within_16x16_face == 0) {
        ttl_host::table->copy_init(cbid, at);
    } else {
        ttl_host::table->copy_transposed_init(cbid, transpose != 0, transpose_within_16x16_face != 0, at);
    }
}
inline void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TTL_AT) {
    ttl_host::table->copy_tile(in_cb_id, in_tile_index, dst_tile_index, at);
}
inline void copy_block(uint32_t in_cb_id, uint32_t start_in_tile_index, uint32_t start_dst_tile_index, uint32_t ntiles, TTL_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        ttl_host::table->copy_tile(in_cb_id, start_in_tile_index + i, start_dst_tile_index + i, at);
    }
}
// Names of before, deprecated there too.
inline void copy_tile_init(uint32_t cbid, TTL_AT) { copy_init(cbid, 0, 0, at); }
inline void copy_tile_to_dst_init_short(uint32_t cbid, uint32_t transpose = 0, TTL_AT) { copy_init(cbid, transpose, 0, at); }
}  // namespace ckernel
