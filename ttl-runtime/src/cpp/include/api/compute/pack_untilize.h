// Tiles to rows of elements. The calls take tile registers of their own.
#pragma once

#include "api/compute/common.h"

namespace ckernel {
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
inline void pack_untilize_init(uint32_t icb, uint32_t ocb, TTL_AT) {
    static_assert(full_ct_dim % block_ct_dim == 0, "pack_untilize_init: the row must be a multiple of the block");
    ttl_host::table->pack_untilize_init(icb, ocb, block_ct_dim, full_ct_dim, at);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
inline void pack_untilize_block(uint32_t icb, uint32_t block_rt_dim, uint32_t ocb, uint32_t block_c_index = 0, TTL_AT) {
    if (block_rt_dim != 1) {
        ttl_host::table->fail("pack_untilize_block: only one row of tiles at a time is simulated", at);
    }
    ttl_host::table->pack_untilize_block(icb, block_ct_dim, full_ct_dim, ocb, block_c_index, at);
}
inline void pack_untilize_uninit(uint32_t ocb, TTL_AT) { ttl_host::table->pack_untilize_uninit(ocb, at); }
}  // namespace ckernel
