// Reductions of a tile register by the vector unit. Part of api/compute/compute_kernel_api.h.
#pragma once

#include "api/compute/common.h"
#include "llk_defs.h"

namespace ttl_host {
template <ckernel::PoolType pool, ckernel::ReduceDim dim>
constexpr uint32_t sfpu_reduce_call() {
    using ckernel::PoolType;
    using ckernel::ReduceDim;
    static_assert(
        dim == ReduceDim::REDUCE_COL || (dim == ReduceDim::REDUCE_ROW && pool != PoolType::AVG),
        "sfpu_reduce: columns; or rows, but no means of rows");
    if (dim == ReduceDim::REDUCE_ROW) {
        return pool == PoolType::SUM ? call_sfpu_reduce_sum_row
               : pool == PoolType::MAX ? call_sfpu_reduce_max_row
                                       : call_sfpu_reduce_min_row;
    }
    return pool == PoolType::SUM ? call_sfpu_reduce_sum_col
           : pool == PoolType::AVG ? call_sfpu_reduce_avg_col
           : pool == PoolType::MAX ? call_sfpu_reduce_max_col
                                   : call_sfpu_reduce_min_col;
}
constexpr bool sfpu_reduce_format(DataFormat format) {
    return format == (DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b);
}
}  // namespace ttl_host

namespace ckernel {
template <PoolType pool_type, DataFormat format>
inline void sfpu_reduce_init(TTL_AT) {
    static_assert(ttl_host::sfpu_reduce_format(format), "sfpu_reduce_init: only the format of the tile registers is simulated");
    constexpr uint32_t call = ttl_host::sfpu_reduce_call<pool_type, ReduceDim::REDUCE_COL>();
    ttl_host::table->tile_call_init(call, 0, 0, at);
}
template <PoolType pool_type, DataFormat format, ReduceDim reduce_dim = ReduceDim::REDUCE_COL>
inline void sfpu_reduce(uint32_t idst, uint32_t ct_dim = 1, uint32_t rt_dim = 1, TTL_AT) {
    static_assert(ttl_host::sfpu_reduce_format(format), "sfpu_reduce: only the format of the tile registers is simulated");
    if (ct_dim != 1 || rt_dim != 1) {
        ttl_host::table->fail("sfpu_reduce: only one tile at a time is simulated", at);
    }
    constexpr uint32_t call = ttl_host::sfpu_reduce_call<pool_type, reduce_dim>();
    ttl_host::table->tile_call(call, 0, 0, 0, 0, idst, 0, at);
}
}  // namespace ckernel
