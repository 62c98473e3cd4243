// Reciprocal.
#pragma once

#include "ttl/operations.h"

namespace ckernel {
enum class ReciprocalDestAcc : uint8_t { BF16, FP32 };
enum class ReciprocalApproxMode : uint8_t { Default, Precise, Approximate };
}  // namespace ckernel

namespace ttl_host {
constexpr auto reciprocal_register = DST_ACCUM_MODE ? ckernel::ReciprocalDestAcc::FP32 : ckernel::ReciprocalDestAcc::BF16;
}  // namespace ttl_host

namespace ckernel {
template <
    ReciprocalDestAcc dest_acc = ttl_host::reciprocal_register,
    ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
inline void recip_tile_init(TTL_AT) {
    static_assert(dest_acc == ttl_host::reciprocal_register, "recip_tile_init: another precision than the registers' is not simulated");
    static_assert(
        approximation == ReciprocalApproxMode::Default || !APPROX, "recip_tile_init: another mode than the kernel's is not simulated");
    static_assert(
        approximation != ReciprocalApproxMode::Approximate, "recip_tile_init: the approximation is not simulated");
    ttl_host::table->sfpu_unary_init(ttl_host::unary_recip, 0, 0, 0, at);
}
template <
    ReciprocalDestAcc dest_acc = ttl_host::reciprocal_register,
    ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
inline void recip_tile(uint32_t idst, VectorMode vector_mode = VectorMode::RC, TTL_AT) {
    static_assert(dest_acc == ttl_host::reciprocal_register, "recip_tile: another precision than the registers' is not simulated");
    static_assert(approximation != ReciprocalApproxMode::Approximate, "recip_tile: the approximation is not simulated");
    if (vector_mode != VectorMode::RC) {
        ttl_host::table->fail("`recip_tile` of a part of a tile is not provided by ttl's simulator", at);
    }
    ttl_host::table->sfpu_unary(ttl_host::unary_recip, idst, 0, 0, 0, at);
}
}  // namespace ckernel
