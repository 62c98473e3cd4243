// Tiles to rows of elements by a faster way of the chip, to the same rows: here it is the other way.
#pragma once

#include "api/compute/pack_untilize.h"

namespace ttl_host {
constexpr uint32_t untilize_limit = (TTL_DST_SYNC_FULL ? 16 : 8) / (DST_ACCUM_MODE ? 2 : 1);
}  // namespace ttl_host

namespace ckernel {
template <uint32_t full_ct_dim>
inline void fast_untilize_init(uint32_t icb, uint32_t ocb, TTL_AT) {
    static_assert(
        full_ct_dim > 0 && full_ct_dim <= ttl_host::untilize_limit,
        "fast_untilize_init: rows of more tiles than there are registers are not simulated");
    pack_untilize_init<full_ct_dim, full_ct_dim>(icb, ocb, at);
}
template <uint32_t full_ct_dim>
inline void fast_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, TTL_AT) {
    fast_untilize_init<full_ct_dim>(icb, ocb, at);
}
template <uint32_t full_ct_dim>
inline void fast_untilize_block(
    uint32_t icb, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0, TTL_AT) {
    if (input_tile_index != 0 || output_tile_index != 0) {
        ttl_host::table->fail("`fast_untilize_block` from or to another tile than the first is not provided by ttl's simulator", at);
    }
    pack_untilize_block<full_ct_dim, full_ct_dim>(icb, 1, ocb, 0, at);
}
template <uint32_t full_ct_dim>
inline void fast_untilize_uninit(uint32_t ocb, TTL_AT) {
    pack_untilize_uninit(ocb, at);
}
}  // namespace ckernel
