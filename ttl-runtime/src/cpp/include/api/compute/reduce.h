// Reductions. They add to the register, or take the maximum with it; the packer writes only the result until `reduce_uninit`.
#pragma once

#include "api/compute/common.h"
#include "ttl/tile_calls.h"

namespace ttl_host {
constexpr uint32_t reduce_call(ckernel::PoolType type, ckernel::ReduceDim dim) {
    return call_reduce_sum_row + 3 * static_cast<uint32_t>(type) + static_cast<uint32_t>(dim);
}
}  // namespace ttl_host

namespace ckernel {
template <PoolType reduce_type, ReduceDim reduce_dim>
inline void reduce_init(uint32_t icb, uint32_t icb_scaler, uint32_t, TTL_AT) {
    static_assert(reduce_type != PoolType::MIN, "reduce_init: the matrix unit has no minimum; use sfpu_reduce");
    ttl_host::table->tile_call_init(ttl_host::reduce_call(reduce_type, reduce_dim), icb, icb_scaler, at);
}
template <PoolType reduce_type, ReduceDim reduce_dim>
inline void reduce_tile(uint32_t icb, uint32_t icb_scaler, uint32_t itile, uint32_t itile_scaler, uint32_t idst, TTL_AT) {
    ttl_host::table->tile_call(
        ttl_host::reduce_call(reduce_type, reduce_dim), icb, icb_scaler, itile, itile_scaler, idst, 0, at);
}
template <PoolType reduce_type, ReduceDim reduce_dim>
inline void reduce_block(
    uint32_t icb, uint32_t icb_scaler, uint32_t start_itile, uint32_t itile_scaler, uint32_t start_idst, uint32_t ntiles,
    TTL_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        reduce_tile<reduce_type, reduce_dim>(icb, icb_scaler, start_itile + i, itile_scaler, start_idst + i, at);
    }
}
inline void reduce_uninit(uint32_t = 0, TTL_AT) { ttl_host::table->reduce_uninit(at); }
}  // namespace ckernel
