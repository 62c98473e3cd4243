// relu
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
inline void relu_tile_init(TTL_AT) { ttl_host::table->sfpu_unary_init(ttl_host::unary_relu, at); }
inline void relu_tile(uint32_t idst, TTL_AT) { ttl_host::table->sfpu_unary(ttl_host::unary_relu, idst, at); }
}  // namespace ckernel
