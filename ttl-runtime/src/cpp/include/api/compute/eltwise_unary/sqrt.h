// sqrt
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
inline void sqrt_tile_init(TTL_AT) { ttl_host::table->sfpu_unary_init(ttl_host::unary_sqrt, at); }
template <bool FAST_APPROX = false>
inline void sqrt_tile(uint32_t idst, TTL_AT) {
    static_assert(!FAST_APPROX, "sqrt_tile<true>: the approximation is not simulated");
    ttl_host::table->sfpu_unary(ttl_host::unary_sqrt, idst, at);
}
}  // namespace ckernel
