// The base of the compute kernels' headers, and what data-movement kernels take from it.
#pragma once

#ifdef TTL_COMPUTE_KERNEL
#include "api/compute/common_globals.h"
#endif

namespace ckernel {
// A load that the stores before it cannot overtake: here everything happens in order.
inline uint32_t load_blocking(volatile uint32_t* ptr) { return *ptr; }
inline uint32_t load_blocking(volatile const uint32_t* ptr) { return *ptr; }
}  // namespace ckernel
