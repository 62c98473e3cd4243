// Binary operations of the matrix unit whose second operand repeats a row, a column or an element. `mul` adds to the register.
#pragma once

#include "api/compute/common.h"
#include "ttl/tile_calls.h"

namespace ttl_host {
constexpr uint32_t bcast_call(ckernel::EltwiseBinaryType op, ckernel::BroadcastType dim) {
    const uint32_t row = op == ckernel::EltwiseBinaryType::ELWADD ? 0 : op == ckernel::EltwiseBinaryType::ELWSUB ? 1 : 2;
    return call_add_tiles_bcast_rows + 3 * row + bcast_dim(dim);
}
}  // namespace ttl_host

namespace ckernel {
template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
inline void bcast_init(uint32_t icb0, uint32_t icb1, TTL_AT) {
    static_assert(tBcastOp != EltwiseBinaryType::ELWDIV && tBcastOp != EltwiseBinaryType::ELWLESS, "bcast_init: not an operation with broadcast");
    static_assert(tBcastDim != BroadcastType::NONE, "bcast_init: what is broadcast?");
    ttl_host::table->tile_call_init(ttl_host::bcast_call(tBcastOp, tBcastDim), icb0, icb1, at);
}
template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
inline void any_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0, TTL_AT) {
    ttl_host::table->tile_call(
        ttl_host::bcast_call(tBcastOp, tBcastDim), icb0, icb1, itile0, itile1, idst,
        tBcastDim == BroadcastType::ROW ? bcast_row_idx : 0, at);
}

#define TTL_BCAST(name, OP)                                                                                                       \
    template <BroadcastType tBcastDim>                                                                                            \
    inline void name##_tiles_bcast(                                                                                               \
        uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0, TTL_AT) {       \
        any_tiles_bcast<OP, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, at);                                      \
    }                                                                                                                             \
    inline void name##_bcast_rows_init(uint32_t icb0, uint32_t icb1, TTL_AT) {                                                    \
        bcast_init<OP, BroadcastType::ROW>(icb0, icb1, at);                                                                       \
    }                                                                                                                             \
    inline void name##_bcast_cols_init(uint32_t icb0, uint32_t icb1, TTL_AT) {                                                    \
        bcast_init<OP, BroadcastType::COL>(icb0, icb1, at);                                                                       \
    }                                                                                                                             \
    inline void name##_bcast_scalar_init(uint32_t icb0, uint32_t icb1, TTL_AT) {                                                  \
        bcast_init<OP, BroadcastType::SCALAR>(icb0, icb1, at);                                                                    \
    }                                                                                                                             \
    inline void name##_tiles_bcast_rows(                                                                                          \
        uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0, TTL_AT) {       \
        any_tiles_bcast<OP, BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, at);                             \
    }                                                                                                                             \
    inline void name##_tiles_bcast_cols(                                                                                          \
        uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TTL_AT) {                                  \
        any_tiles_bcast<OP, BroadcastType::COL>(icb0, icb1, itile0, itile1, idst, 0, at);                                         \
    }                                                                                                                             \
    inline void name##_tiles_bcast_scalar(                                                                                        \
        uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TTL_AT) {                                  \
        any_tiles_bcast<OP, BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst, 0, at);                                      \
    }

TTL_BCAST(add, EltwiseBinaryType::ELWADD)
TTL_BCAST(sub, EltwiseBinaryType::ELWSUB)
TTL_BCAST(mul, EltwiseBinaryType::ELWMUL)
#undef TTL_BCAST

template <BroadcastType bcast_type>
inline void unary_bcast_init(uint32_t icb, TTL_AT) {
    static_assert(bcast_type != BroadcastType::NONE, "unary_bcast_init: what is broadcast?");
    ttl_host::table->tile_call_init(ttl_host::call_unary_bcast_rows + ttl_host::bcast_dim(bcast_type), icb, icb, at);
}
template <BroadcastType bcast_type>
inline void unary_bcast(uint32_t icb, uint32_t in_tile_index, uint32_t dst_tile_index, TTL_AT) {
    ttl_host::table->tile_call(
        ttl_host::call_unary_bcast_rows + ttl_host::bcast_dim(bcast_type), icb, icb, in_tile_index, 0, dst_tile_index, 0, at);
}
// Nothing is left to undo, as on the chip.
template <BroadcastType bcast_type>
inline void unary_bcast_uninit(uint32_t) {}
}  // namespace ckernel
