// Switching the formats that unpacker and packer are set to. The forms that also take the buffer used before do nothing when both
// have the same format, whatever is really set: as on the chip.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/src_order.h"

namespace ckernel {
inline void reconfig_data_format_srca(uint32_t srca_new_operand, TTL_AT) {
    ttl_host::table->reconfig_srca(srca_new_operand, at);
}
inline void reconfig_data_format_srca(uint32_t srca_old_operand, uint32_t srca_new_operand, TTL_AT) {
    if (!ttl_host::table->cb_same_format(srca_old_operand, srca_new_operand, at)) {
        ttl_host::table->reconfig_srca(srca_new_operand, at);
    }
}
inline void reconfig_data_format_srcb(uint32_t srcb_new_operand, TTL_AT) {
    ttl_host::table->reconfig_srcb(srcb_new_operand, at);
}
inline void reconfig_data_format_srcb(uint32_t srcb_old_operand, uint32_t srcb_new_operand, TTL_AT) {
    if (!ttl_host::table->cb_same_format(srcb_old_operand, srcb_new_operand, at)) {
        ttl_host::table->reconfig_srcb(srcb_new_operand, at);
    }
}
template <SrcOrder src_order = SrcOrder::Regular>
inline void reconfig_data_format(uint32_t icb0_new_operand, uint32_t icb1_new_operand, TTL_AT) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    ttl_host::table->reconfig_srca(reverse ? icb1_new_operand : icb0_new_operand, at);
    ttl_host::table->reconfig_srcb(reverse ? icb0_new_operand : icb1_new_operand, at);
}
template <SrcOrder src_order = SrcOrder::Regular>
inline void reconfig_data_format(
    uint32_t icb0_old_operand, uint32_t icb0_new_operand, uint32_t icb1_old_operand, uint32_t icb1_new_operand, TTL_AT) {
    if constexpr (src_order == SrcOrder::Reverse) {
        reconfig_data_format_srca(icb1_old_operand, icb1_new_operand, at);
        reconfig_data_format_srcb(icb0_old_operand, icb0_new_operand, at);
    } else {
        reconfig_data_format_srca(icb0_old_operand, icb0_new_operand, at);
        reconfig_data_format_srcb(icb1_old_operand, icb1_new_operand, at);
    }
}
// All tiles have 32 rows and columns here, so that there is no shape to switch.
template <SrcOrder src_order = SrcOrder::Regular, typename... Operands>
inline void reconfig_full_operand(Operands... operands) {
    reconfig_data_format<src_order>(operands...);
}
template <typename... Operands>
inline void reconfig_full_operand_srca(Operands... operands) {
    reconfig_data_format_srca(operands...);
}
template <typename... Operands>
inline void reconfig_full_operand_srcb(Operands... operands) {
    reconfig_data_format_srcb(operands...);
}
inline void pack_reconfig_data_format(uint32_t new_cb_id, TTL_AT) { ttl_host::table->reconfig_pack(new_cb_id, at); }
inline void pack_reconfig_data_format(uint32_t old_cb_id, uint32_t new_cb_id, TTL_AT) {
    if (!ttl_host::table->cb_same_format(old_cb_id, new_cb_id, at)) {
        ttl_host::table->reconfig_pack(new_cb_id, at);
    }
}
}  // namespace ckernel
