// Tile registers to circular buffers.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
// In order, the tile goes behind the one packed before (since the last push) and `output_tile_index` is not looked at.
template <bool out_of_order_output = false>
inline void pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t output_tile_index = 0, TTL_AT) {
    if constexpr (out_of_order_output) {
        ttl_host::table->pack_tile_at(ifrom_dst, icb, output_tile_index, at);
    } else {
        ttl_host::table->pack_tile(ifrom_dst, icb, at);
    }
}
inline void pack_block(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles, TTL_AT) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        ttl_host::table->pack_tile(ifrom_dst + i, icb, at);
    }
}
inline void pack_init(uint32_t, TTL_AT) { static_cast<void>(at); }
// When on, tiles are added to what is in L1, until it is switched off: another format of the packer's does not do that.
inline void pack_reconfig_l1_acc(uint32_t l1_acc_en, TTL_AT) { ttl_host::table->pack_reconfig_l1_acc(l1_acc_en != 0, at); }

enum class ReluType : uint8_t { NO_RELU = 0, ZERO_RELU = 1, MIN_THRESHOLD_RELU = 2, MAX_THRESHOLD_RELU = 3 };
struct ReluConfig {
    static constexpr ReluConfig none() { return {ReluType::NO_RELU}; }
    static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU}; }
    static constexpr ReluConfig min_threshold(uint32_t t) { return {ReluType::MIN_THRESHOLD_RELU, t}; }
    static constexpr ReluConfig max_threshold(uint32_t t) { return {ReluType::MAX_THRESHOLD_RELU, t}; }
    static constexpr ReluConfig from_packed(uint32_t packed) {
        return {static_cast<ReluType>(packed & 3), (packed >> 16) & 0xFFFF};
    }
    constexpr ReluType get_mode() const { return mode; }
    constexpr uint32_t get_threshold() const { return threshold; }

private:
    constexpr ReluConfig(ReluType m, uint32_t t = 0) : mode(m), threshold(t) {}
    ReluType mode;
    uint32_t threshold;
};
inline void pack_relu_config(const ReluConfig& config, TTL_AT) {
    ttl_host::table->pack_relu_config(static_cast<uint32_t>(config.get_mode()), config.get_threshold(), at);
}
}  // namespace ckernel
