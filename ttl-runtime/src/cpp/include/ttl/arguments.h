// Arguments and identity of a kernel: the same functions in data-movement and compute kernels.
#pragma once

#include "api/compile_time_args.h"
#include "api/debug/assert.h"
#include "api/debug/kernel_profiler.hpp"
#include "hostdevcommon/common_values.hpp"
#include "hostdevcommon/kernel_structs.h"

namespace ttl_host {
template <class T>
inline T from_word(uint32_t word) {
    static_assert(sizeof(T) == 4, "only arguments of 4 bytes are supported");
    T value;
    __builtin_memcpy(&value, &word, 4);
    return value;
}
}  // namespace ttl_host

template <typename T>
FORCE_INLINE T get_arg_val(int arg_idx, TTL_AT) {
    return ttl_host::from_word<T>(ttl_host::table->runtime_arg(static_cast<uint32_t>(arg_idx), at));
}
template <typename T>
FORCE_INLINE T get_common_arg_val(int arg_idx, TTL_AT) {
    return ttl_host::from_word<T>(ttl_host::table->common_arg(static_cast<uint32_t>(arg_idx), at));
}

inline uint8_t get_absolute_logical_x(TTL_AT) { return static_cast<uint8_t>(ttl_host::table->core_x(at)); }
inline uint8_t get_absolute_logical_y(TTL_AT) { return static_cast<uint8_t>(ttl_host::table->core_y(at)); }
// There are no sub-devices: a program's origin is the grid's.
inline uint8_t get_relative_logical_x(TTL_AT) { return static_cast<uint8_t>(ttl_host::table->core_x(at)); }
inline uint8_t get_relative_logical_y(TTL_AT) { return static_cast<uint8_t>(ttl_host::table->core_y(at)); }
