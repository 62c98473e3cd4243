// Parts of a reduction's set-up by the names of the layer below, for kernels that put them together themselves. The mathematics' part
// sets up everything here, the others nothing.
#pragma once

#include "api/compute/reconfig_data_format.h"
#include "llk_defs.h"

enum class p_dim_stride_target : uint8_t { FACE_ROW_MAJOR = 0, IGNORE = 1 };
enum class PackMode : uint8_t { Default = 0, Untilize = 1, Tilize = 2 };

namespace ckernel {
template <bool is_fp32_dest_acc_en, p_dim_stride_target = p_dim_stride_target::IGNORE>
inline void llk_unpack_reconfig_data_format_srca(uint32_t srca_old_operand, uint32_t srca_new_operand, TTL_AT) {
    reconfig_data_format_srca(srca_old_operand, srca_new_operand, at);
}
template <bool is_fp32_dest_acc_en>
inline void llk_math_reconfig_data_format_srca(uint32_t, uint32_t) {}
template <PoolType reduce_type, ReduceDim reduce_dim>
inline void llk_unpack_AB_reduce_init(uint32_t, uint32_t) {}
template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en, MathFidelity fidelity>
inline void llk_math_reduce_init(uint32_t icb, uint32_t icb_scaler, TTL_AT) {
    ttl_host::table->tile_call_init(ttl_host::reduce_call(reduce_type, reduce_dim), icb, icb_scaler, at);
}
template <ReduceDim reduce_dim, PackMode mode>
inline void llk_pack_reduce_mask_config(uint32_t, TTL_AT) {
    ttl_host::table->fail("`llk_pack_reduce_mask_config` is not provided by ttl's simulator", at);
}
inline void llk_pack_reduce_mask_clear(TTL_AT) {
    ttl_host::table->fail("`llk_pack_reduce_mask_clear` is not provided by ttl's simulator", at);
}
}  // namespace ckernel
