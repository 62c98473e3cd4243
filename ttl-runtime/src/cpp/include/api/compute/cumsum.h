// Sums down the columns of a tile register, from tile to tile of a column.
#pragma once

#include "api/compute/common.h"

namespace ckernel {
inline void cumsum_tile_init(TTL_AT) { ttl_host::table->tile_call_init(ttl_host::call_cumsum_tile, 0, 0, at); }
inline void cumsum_tile(uint32_t idst, bool first = true, TTL_AT) {
    ttl_host::table->tile_call(ttl_host::call_cumsum_tile, 0, 0, 0, 0, idst, first, at);
}
}  // namespace ckernel
