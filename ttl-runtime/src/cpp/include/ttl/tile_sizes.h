// What the program says of the tiles in its circular buffers, as constants: for kernels that compute with them while compiling.
#pragma once

#include "hostdevcommon/kernel_structs.h"

namespace ttl_host {
inline constexpr uint32_t cb_tile_sizes[64] = {TTL_CB_TILE_SIZES};
inline constexpr uint8_t cb_data_formats[64] = {TTL_CB_DATA_FORMATS};
}  // namespace ttl_host

// Constants where the program says what format the buffer has. A buffer it does not know is an error: while compiling if a constant
// is needed, else when the simulator is asked.
constexpr int32_t get_tile_size(int32_t cb, TTL_AT) {
    if (cb >= 0 && cb < 64 && ttl_host::cb_tile_sizes[cb] != 0) {
        return static_cast<int32_t>(ttl_host::cb_tile_sizes[cb]);
    }
    return static_cast<int32_t>(ttl_host::table->get_tile_size(static_cast<uint32_t>(cb), at));
}
// The same by the names of the chip's descriptions, for every thread.
inline constexpr const uint32_t (&unpack_tile_size)[64] = ttl_host::cb_tile_sizes;
inline constexpr const uint32_t (&pack_tile_size)[64] = ttl_host::cb_tile_sizes;
inline constexpr const uint8_t (&unpack_src_format)[64] = ttl_host::cb_data_formats;
inline constexpr const uint8_t (&unpack_dst_format)[64] = ttl_host::cb_data_formats;
inline constexpr const uint8_t (&pack_src_format)[64] = ttl_host::cb_data_formats;
inline constexpr const uint8_t (&pack_dst_format)[64] = ttl_host::cb_data_formats;

// Every tile is 32 x 32, in four faces.
constexpr uint32_t get_tile_hw(int32_t) { return 1024; }
constexpr uint32_t get_tile_r_dim(int32_t) { return 32; }
constexpr uint32_t get_tile_c_dim(int32_t) { return 32; }
constexpr uint32_t get_tile_num_faces(int32_t) { return 4; }
constexpr DataFormat get_dataformat(int32_t cb, TTL_AT) {
    if (cb >= 0 && cb < 64 && ttl_host::cb_tile_sizes[cb] != 0) {
        return static_cast<DataFormat>(ttl_host::cb_data_formats[cb]);
    }
    return static_cast<DataFormat>(ttl_host::table->get_data_format(static_cast<uint32_t>(cb), at));
}
