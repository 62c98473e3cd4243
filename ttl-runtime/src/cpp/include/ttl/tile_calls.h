// The enumerations of tile calls, and the numbers that the simulator has for them.
#pragma once

#include "api/compute/common_globals.h"
#include "llk_defs.h"

namespace ttl_host {
constexpr uint32_t bcast_dim(ckernel::BroadcastType dim) {
    return dim == ckernel::BroadcastType::ROW ? 0 : dim == ckernel::BroadcastType::COL ? 1 : 2;
}
}  // namespace ttl_host
