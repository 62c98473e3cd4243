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

// What the packer does with negative numbers. Only its ordinary state is simulated.
struct ReluConfig {
    bool on;
    static constexpr ReluConfig none() { return {false}; }
    static constexpr ReluConfig zero() { return {true}; }
};
inline void pack_relu_config(const ReluConfig& config, TTL_AT) {
    if (config.on) {
        ttl_host::table->fail("`pack_relu_config` with a ReLU is not provided by ttl's simulator", at);
    }
}
// Whether the packer adds to what is in the buffer. Only the ordinary state is simulated.
inline void pack_reconfig_l1_acc(uint32_t l1_acc_en, TTL_AT) {
    if (l1_acc_en != 0) {
        ttl_host::table->fail("`pack_reconfig_l1_acc` is not provided by ttl's simulator", at);
    }
}
}  // namespace ckernel
