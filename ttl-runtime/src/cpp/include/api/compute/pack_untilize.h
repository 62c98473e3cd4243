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
template <
    uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool narrow_row = false, uint32_t row_num_datums = 32,
    bool dense = false>
inline void pack_untilize_dest_init(uint32_t ocb, TTL_AT) {
    static_assert(!narrow_row && row_num_datums == 32 && !dense, "pack_untilize_dest_init: only whole tiles are simulated");
    static_assert(full_ct_dim % block_ct_dim == 0, "pack_untilize_dest_init: the row must be a multiple of the block");
    ttl_host::table->pack_untilize_dest_init(ocb, block_ct_dim, full_ct_dim, at);
}
template <
    uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false, bool narrow_row = false,
    uint32_t row_num_datums = 32, uint32_t tile_dst_ct_offset = 0, bool dense = false>
inline void pack_untilize_dest(
    uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0, uint32_t tile_dst_rt_offset = 0, TTL_AT) {
    static_assert(
        !diagonal && !narrow_row && row_num_datums == 32 && tile_dst_ct_offset == 0 && !dense,
        "pack_untilize_dest: only whole tiles from the first register on are simulated");
    if (tile_dst_rt_offset != 0) {
        ttl_host::table->fail("pack_untilize_dest: only registers from the first on are simulated", at);
    }
    ttl_host::table->pack_untilize_dest(block_ct_dim, full_ct_dim, ocb, block_rt_dim, block_c_index, at);
}
inline void pack_untilize_uninit(uint32_t ocb, TTL_AT) { ttl_host::table->pack_untilize_uninit(ocb, at); }
}  // namespace ckernel
