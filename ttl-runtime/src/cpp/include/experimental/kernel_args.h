// Arguments that have names: what a name stands for, and its value.
#pragma once

#include "ttl/arguments.h"

#define TT_KERNEL static FORCE_INLINE

namespace experimental {
template <typename T>
struct RtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CrtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CtaVal {
    T value;
};

template <typename T>
inline T get_arg(RtaArg<T> arg, TTL_AT) {
    return get_arg_val<T>(static_cast<int>(arg.byte_offset / 4), at);
}
template <typename T>
inline T get_arg(CrtaArg<T> arg, TTL_AT) {
    return get_common_arg_val<T>(static_cast<int>(arg.byte_offset / 4), at);
}
template <typename T>
constexpr T get_arg(CtaVal<T> arg) {
    return arg.value;
}
}  // namespace experimental
