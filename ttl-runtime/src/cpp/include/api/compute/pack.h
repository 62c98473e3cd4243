// Tile registers to circular buffers.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
// In order, the tile goes behind the one packed before (since the last push) and `output_tile_index` is not looked at.
template <bool out_of_order_output = false>
inline void pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t output_tile_index = 0, TTL_AT) {
    if constexpr (out_of_order_output) {
        ttl_host::table->pack_tile_at(ifrom_dst, icb, output_tile_index, at);
    } else {
        ttl_host::table->pack_tile(ifrom_dst, icb, at);
    }
}
inline void pack_block(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles, TTL_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        ttl_host::table->pack_tile(ifrom_dst + i, icb, at);
    }
}
}  // namespace ckernel
