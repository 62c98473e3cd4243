// Masks: where the second register is 0, the first becomes 0, or infinity.
#pragma once

#include "ttl/operations.h"

namespace ckernel {
inline void mask_tile_init(TTL_AT) { ttl_host::table->sfpu_binary_init(ttl_host::binary_mask, at); }
// The mask is the register behind the data.
inline void mask_tile(
    uint32_t idst_data, uint32_t idst2_mask, DataFormat data_format = DataFormat::Float16_b, TTL_AT) {
    if (data_format == DataFormat::Int32) {
        ttl_host::table->fail("`mask_tile` of Int32 is not provided by ttl's simulator", at);
    }
    ttl_host::table->sfpu_binary(ttl_host::binary_mask, idst_data, idst2_mask, idst_data, at);
}
inline void mask_posinf_tile(uint32_t idst_data, uint32_t idst2_mask, TTL_AT) {
    ttl_host::table->sfpu_binary(ttl_host::binary_mask_posinf, idst_data, idst2_mask, idst_data, at);
}
}  // namespace ckernel
