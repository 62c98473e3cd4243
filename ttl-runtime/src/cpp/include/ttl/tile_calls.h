// Enumerations of tile calls, and the numbers that the simulator has for them.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
enum class BroadcastType : uint8_t { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum class PoolType : uint8_t { SUM, AVG, MAX, MIN };
enum class ReduceDim : uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class EltwiseBinaryType : uint8_t { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
}  // namespace ckernel

namespace ttl_host {
constexpr uint32_t bcast_dim(ckernel::BroadcastType dim) {
    return dim == ckernel::BroadcastType::ROW ? 0 : dim == ckernel::BroadcastType::COL ? 1 : 2;
}
}  // namespace ttl_host
