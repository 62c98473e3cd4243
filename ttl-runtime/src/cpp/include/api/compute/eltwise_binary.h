// Element-wise operations of the matrix unit. `mul_tiles` adds to the register; add and sub overwrite it unless their init said
// otherwise.
#pragma once

#include "api/compute/common.h"

namespace ckernel {
enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum class EltwiseBinaryType { ELWMUL, ELWADD, ELWSUB };
}  // namespace ckernel

namespace ttl_host {
// The simulator's number of an operation.
constexpr uint32_t binary_op(ckernel::EltwiseBinaryType type) {
    return type == ckernel::EltwiseBinaryType::ELWMUL   ? binary_mul
           : type == ckernel::EltwiseBinaryType::ELWADD ? binary_add
                                                        : binary_sub;
}
}  // namespace ttl_host

namespace ckernel {

inline void add_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TTL_AT) {
    ttl_host::table->binary_init(ttl_host::binary_add, icb0, icb1, acc_to_dest, at);
}
inline void sub_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TTL_AT) {
    ttl_host::table->binary_init(ttl_host::binary_sub, icb0, icb1, acc_to_dest, at);
}
// Products are always added to the register.
inline void mul_init(uint32_t icb0, uint32_t icb1, bool = true, TTL_AT) {
    ttl_host::table->binary_init(ttl_host::binary_mul, icb0, icb1, true, at);
}
// With the line of the caller.
inline void mul_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest, int line, TTL_AT) {
    mul_init(icb0, icb1, acc_to_dest, ttl_host::Place{at.file, static_cast<uint32_t>(line)});
}

inline void add_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TTL_AT) {
    ttl_host::table->binary_tiles(ttl_host::binary_add, icb0, icb1, itile0, itile1, idst, at);
}
inline void add_block(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t ntiles, TTL_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        ttl_host::table->binary_tiles(ttl_host::binary_add, icb0, icb1, itile0 + i, itile1 + i, idst + i, at);
    }
}
template <EltwiseBinaryReuseDestType reuse_dest>
inline void add_reuse_dest_init(uint32_t icb, TTL_AT) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "add_reuse_dest_init: which source takes the register?");
    ttl_host::table->reuse_dest_init(ttl_host::binary_add, static_cast<uint32_t>(reuse_dest), icb, at);
}
template <EltwiseBinaryReuseDestType reuse_dest>
inline void add_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TTL_AT) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "add_reuse_dest_tiles: which source takes the register?");
    ttl_host::table->reuse_dest_tiles(
        ttl_host::binary_add, static_cast<uint32_t>(reuse_dest), in_cb_id, in_tile_index, dst_tile_index, at);
}

inline void sub_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TTL_AT) {
    ttl_host::table->binary_tiles(ttl_host::binary_sub, icb0, icb1, itile0, itile1, idst, at);
}
inline void sub_block(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t ntiles, TTL_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        ttl_host::table->binary_tiles(ttl_host::binary_sub, icb0, icb1, itile0 + i, itile1 + i, idst + i, at);
    }
}
template <EltwiseBinaryReuseDestType reuse_dest>
inline void sub_reuse_dest_init(uint32_t icb, TTL_AT) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "sub_reuse_dest_init: which source takes the register?");
    ttl_host::table->reuse_dest_init(ttl_host::binary_sub, static_cast<uint32_t>(reuse_dest), icb, at);
}
template <EltwiseBinaryReuseDestType reuse_dest>
inline void sub_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TTL_AT) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "sub_reuse_dest_tiles: which source takes the register?");
    ttl_host::table->reuse_dest_tiles(
        ttl_host::binary_sub, static_cast<uint32_t>(reuse_dest), in_cb_id, in_tile_index, dst_tile_index, at);
}

inline void mul_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TTL_AT) {
    ttl_host::table->binary_tiles(ttl_host::binary_mul, icb0, icb1, itile0, itile1, idst, at);
}
inline void mul_block(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t ntiles, TTL_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        ttl_host::table->binary_tiles(ttl_host::binary_mul, icb0, icb1, itile0 + i, itile1 + i, idst + i, at);
    }
}
template <EltwiseBinaryReuseDestType reuse_dest>
inline void mul_reuse_dest_init(uint32_t icb, TTL_AT) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "mul_reuse_dest_init: which source takes the register?");
    ttl_host::table->reuse_dest_init(ttl_host::binary_mul, static_cast<uint32_t>(reuse_dest), icb, at);
}
template <EltwiseBinaryReuseDestType reuse_dest>
inline void mul_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TTL_AT) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "mul_reuse_dest_tiles: which source takes the register?");
    ttl_host::table->reuse_dest_tiles(
        ttl_host::binary_mul, static_cast<uint32_t>(reuse_dest), in_cb_id, in_tile_index, dst_tile_index, at);
}

// By the type of the operation. A full init sets up the unpacker, too: here every init does.
template <bool full_init, EltwiseBinaryType eltwise_binary_type>
inline void binary_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TTL_AT) {
    constexpr bool mul = eltwise_binary_type == EltwiseBinaryType::ELWMUL;
    ttl_host::table->binary_init(ttl_host::binary_op(eltwise_binary_type), icb0, icb1, mul || acc_to_dest, at);
}
}  // namespace ckernel
