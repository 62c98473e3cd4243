// What the headers of tile operations share.
#pragma once

#include "api/compute/common_globals.h"
#include "hostdevcommon/kernel_structs.h"

namespace ckernel {
enum class VectorMode : uint8_t { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6 };
enum class DstRoundingMode : uint8_t { Default = 0, NearestEven = 1 };
enum class RsqrtMode : uint8_t { Default = 0, Fast = 1 };
enum class RoundingMode : uint8_t { None = 0, Trunc = 1, Floor = 2 };
enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };
}  // namespace ckernel

namespace ttl_host {
// What a tile register holds.
// Operations that have two take the longer polynomials.
#ifdef INP_FLOAT32
constexpr bool long_polynomials = true;
#else
constexpr bool long_polynomials = false;
#endif
constexpr DataFormat register_format = DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;
}  // namespace ttl_host
