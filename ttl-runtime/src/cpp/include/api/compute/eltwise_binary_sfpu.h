// Element-wise operations of the SFPU, with operands and result in tile registers.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
enum class DstRoundingMode : uint8_t { Default = 0, NearestEven = 1 };

inline void add_binary_tile_init(TTL_AT) { ttl_host::table->sfpu_binary_init(ttl_host::binary_add, at); }
template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default>
inline void add_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TTL_AT) {
    static_assert(
        dst_rounding_mode == DstRoundingMode::Default, "add_binary_tile: DstRoundingMode::NearestEven is not simulated");
    ttl_host::table->sfpu_binary(ttl_host::binary_add, idst0, idst1, odst, at);
}

inline void sub_binary_tile_init(TTL_AT) { ttl_host::table->sfpu_binary_init(ttl_host::binary_sub, at); }
template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default>
inline void sub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TTL_AT) {
    static_assert(
        dst_rounding_mode == DstRoundingMode::Default, "sub_binary_tile: DstRoundingMode::NearestEven is not simulated");
    ttl_host::table->sfpu_binary(ttl_host::binary_sub, idst0, idst1, odst, at);
}

inline void mul_binary_tile_init(TTL_AT) { ttl_host::table->sfpu_binary_init(ttl_host::binary_mul, at); }
inline void mul_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TTL_AT) {
    ttl_host::table->sfpu_binary(ttl_host::binary_mul, idst0, idst1, odst, at);
}
}  // namespace ckernel
