// exp
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
template <bool approx = false, uint32_t scale = 0x3F800000>
inline void exp_tile_init(TTL_AT) {
    static_assert(!approx, "exp_tile_init<true>: the approximation is not simulated");
    static_assert(scale == 0x3F800000, "exp_tile_init: a scale is not simulated");
    ttl_host::table->sfpu_unary_init(ttl_host::unary_exp, 0, 0, 0, at);
}
template <bool approx = false, bool scale_en = false>
inline void exp_tile(uint32_t idst, TTL_AT) {
    static_assert(!approx, "exp_tile<true>: the approximation is not simulated");
    static_assert(!scale_en, "exp_tile: a scale is not simulated");
    ttl_host::table->sfpu_unary(ttl_host::unary_exp, idst, 0, 0, 0, at);
}
}  // namespace ckernel
