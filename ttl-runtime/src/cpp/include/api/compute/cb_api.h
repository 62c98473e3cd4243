// Circular buffers in compute kernels.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
#include "ttl/circular_buffers.h"
}  // namespace ckernel
