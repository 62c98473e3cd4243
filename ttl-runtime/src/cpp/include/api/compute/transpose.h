// The transpose of a tile.
#pragma once

#include "api/compute/common.h"
#include "ttl/tile_calls.h"

namespace ckernel {
inline void transpose_init(uint32_t icb, TTL_AT) {
    ttl_host::table->tile_call_init(ttl_host::call_transpose_tile, icb, icb, at);
}
inline void transpose_tile(uint32_t icb, uint32_t itile, uint32_t idst, TTL_AT) {
    ttl_host::table->tile_call(ttl_host::call_transpose_tile, icb, icb, itile, 0, idst, 0, at);
}
inline void transpose_block(uint32_t icb, uint32_t start_itile, uint32_t start_idst, uint32_t ntiles, TTL_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        transpose_tile(icb, start_itile + i, start_idst + i, at);
    }
}
}  // namespace ckernel
