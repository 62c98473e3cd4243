// What every header of the compute API stands on. On the chip one source is compiled for three processors and each keeps its part;
// the simulator runs all three parts as one thread, in the order of the source.
#pragma once

#ifndef TTL_COMPUTE_KERNEL
#error "api/compute: this header is for compute kernels; this is a data-movement kernel"
#endif

#include "ttl/arguments.h"
#include "ttl/local_buffer.h"

#define UNPACK(...) __VA_ARGS__
#define MATH(...) __VA_ARGS__
#define PACK(...) __VA_ARGS__

namespace ckernel {
enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum class DstSync : uint8_t { SyncHalf = 0, SyncFull = 1 };
}  // namespace ckernel
using namespace ckernel;

// The settings of this kernel.
constexpr MathFidelity MATH_FIDELITY = MathFidelity::TTL_MATH_FIDELITY;
constexpr bool APPROX = TTL_APPROX;
constexpr bool DST_ACCUM_MODE = TTL_DST_ACCUM_MODE;
#define DST_SYNC_MODE (TTL_DST_SYNC_FULL ? DstSync::SyncFull : DstSync::SyncHalf)
