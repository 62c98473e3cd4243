// A register transposed in place.
#pragma once

#include "api/compute/common.h"
#include "ttl/tile_calls.h"

namespace ckernel {
template <bool is_32bit = false, bool transpose_of_faces = true>
inline void transpose_dest_init(uint32_t = 0, TTL_AT) {
    static_assert(transpose_of_faces, "transpose_dest_init: only whole tiles are simulated");
    static_assert(is_32bit == DST_ACCUM_MODE, "transpose_dest_init: is_32bit must be what the registers are");
    ttl_host::table->tile_call_init(ttl_host::call_transpose_dest, 0, 0, at);
}
template <bool is_32bit = false, bool transpose_of_faces = true>
inline void transpose_dest(uint32_t idst, TTL_AT) {
    ttl_host::table->tile_call(ttl_host::call_transpose_dest, 0, 0, 0, 0, idst, 0, at);
}
}  // namespace ckernel
