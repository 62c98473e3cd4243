// Tile register to tile register.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
inline void copy_dest_values_init(TTL_AT) { ttl_host::table->copy_dest_init(at); }
template <DataFormat DATA_FORMAT>
inline void copy_dest_values(uint32_t idst_in, uint32_t idst_out, TTL_AT) {
    static_assert(
        DATA_FORMAT == DataFormat::Float32 || DATA_FORMAT == DataFormat::Float16_b,
        "copy_dest_values: only Float32 and Float16_b are simulated");
    ttl_host::table->copy_dest_values(idst_in, idst_out, at);
}
}  // namespace ckernel
