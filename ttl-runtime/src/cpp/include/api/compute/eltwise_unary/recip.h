// recip
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
inline void recip_tile_init(TTL_AT) { ttl_host::table->sfpu_unary_init(ttl_host::unary_recip, at); }
inline void recip_tile(uint32_t idst, TTL_AT) { ttl_host::table->sfpu_unary(ttl_host::unary_recip, idst, at); }
}  // namespace ckernel
