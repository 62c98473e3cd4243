// Start-up of unary kernels under its older names, deprecated there too.
#pragma once

#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"

namespace ckernel {
inline void unary_op_init_common(uint32_t icb, uint32_t ocb, TTL_AT) {
    compute_kernel_hw_startup(icb, ocb, at);
    copy_init(icb, 0, 0, at);
}
inline void init_sfpu(uint32_t icb, uint32_t ocb, TTL_AT) { unary_op_init_common(icb, ocb, at); }
}  // namespace ckernel
