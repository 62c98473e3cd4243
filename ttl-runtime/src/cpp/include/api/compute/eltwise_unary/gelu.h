// gelu
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
template <bool fast_and_approx = true>
inline void gelu_tile_init(TTL_AT) {
    static_assert(!fast_and_approx, "gelu_tile_init<true> (the default): the table is not simulated; use gelu_tile_init<false>");
    ttl_host::table->sfpu_unary_init(ttl_host::unary_gelu, at);
}
template <bool fast_and_approx = true>
inline void gelu_tile(uint32_t idst, TTL_AT) {
    static_assert(!fast_and_approx, "gelu_tile<true> (the default): the table is not simulated; use gelu_tile<false>");
    ttl_host::table->sfpu_unary(ttl_host::unary_gelu, idst, at);
}
}  // namespace ckernel
