// Start-up of a compute kernel: exactly once, before everything else (the simulator checks that).
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/src_order.h"

namespace ckernel {
template <SrcOrder src_order = SrcOrder::Regular>
inline void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb, TTL_AT) {
    ttl_host::table->hw_startup(static_cast<uint32_t>(src_order), icb0, icb1, ocb, at);
}
inline void compute_kernel_hw_startup(uint32_t icb0, uint32_t ocb, TTL_AT) {
    ttl_host::table->hw_startup(static_cast<uint32_t>(SrcOrder::Regular), icb0, icb0, ocb, at);
}
}  // namespace ckernel
