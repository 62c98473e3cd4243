// Matrix products. They add to the registers; the kernel loops over the inner dimension.
#pragma once

#include "api/compute/common.h"

namespace ckernel {
inline void matmul_init(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0, TTL_AT) {
    ttl_host::table->matmul_init(in0_cb_id, in1_cb_id, transpose != 0, at);
}
inline void matmul_tiles(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst, TTL_AT) {
    ttl_host::table->matmul_tiles(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, at);
}
inline void matmul_block_init(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0, uint32_t ct_dim = 1, uint32_t rt_dim = 1,
    uint32_t kt_dim = 1, TTL_AT) {
    ttl_host::table->matmul_block_init(in0_cb_id, in1_cb_id, transpose != 0, ct_dim, rt_dim, kt_dim, at);
}
inline void matmul_block(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst,
    uint32_t transpose, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim, TTL_AT) {
    ttl_host::table->matmul_block(
        in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose != 0, ct_dim, rt_dim, kt_dim, at);
}
}  // namespace ckernel
