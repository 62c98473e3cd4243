// Rows of elements to tiles. The calls take tile registers of their own.
#pragma once

#include "api/compute/common.h"

namespace ckernel {
inline void tilize_init(uint32_t icb, uint32_t block, uint32_t, TTL_AT) { ttl_host::table->tilize_init(icb, block, at); }
inline void tilize_block(
    uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0, TTL_AT) {
    ttl_host::table->tilize_block(icb, block, ocb, input_tile_index, output_tile_index, at);
}
inline void tilize_uninit(uint32_t, uint32_t, TTL_AT) { ttl_host::table->tilize_uninit(at); }
inline void tilize_init_short_with_dt(uint32_t, uint32_t new_icb, uint32_t block, uint32_t, TTL_AT) {
    ttl_host::table->reconfig_srca(new_icb, at);
    ttl_host::table->tilize_init(new_icb, block, at);
}

// The quicker variants give the same tiles.
inline void fast_tilize_init(uint32_t icb, uint32_t full_dim, uint32_t, TTL_AT) {
    ttl_host::table->tilize_init(icb, full_dim, at);
}
inline void fast_tilize_block(
    uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0, TTL_AT) {
    ttl_host::table->tilize_block(icb, block, ocb, input_tile_index, output_tile_index, at);
}
inline void fast_tilize_uninit(uint32_t, uint32_t, uint32_t, TTL_AT) { ttl_host::table->tilize_uninit(at); }
}  // namespace ckernel
