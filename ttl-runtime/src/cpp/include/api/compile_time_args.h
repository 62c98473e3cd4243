// Compile-time arguments, from the constants that the program's prologue defines.
#pragma once

namespace ttl_host {
template <size_t N>
struct Words {
    uint32_t words[N ? N : 1];
    constexpr size_t size() const { return N; }
    constexpr const uint32_t& operator[](size_t i) const { return words[i]; }
    constexpr const uint32_t* data() const { return words; }
    constexpr const uint32_t* begin() const { return words; }
    constexpr const uint32_t* end() const { return words + N; }
};
}  // namespace ttl_host

// `inline`, so that the words have one address.
inline constexpr ttl_host::Words<TTL_COMPILE_TIME_ARG_COUNT> kernel_compile_time_args = {{KERNEL_COMPILE_TIME_ARGS}};

template <uint32_t Index>
constexpr uint32_t get_ct_arg() {
    static_assert(Index < kernel_compile_time_args.size(), "get_compile_time_arg_val: index out of range");
    return kernel_compile_time_args[Index];
}
#define get_compile_time_arg_val(arg_idx) get_ct_arg<arg_idx>()

#ifdef KERNEL_COMPILE_TIME_ARG_MAP
namespace ttl_host {
struct NamedArg {
    const char* name;
    uint32_t value;
};
inline constexpr NamedArg named_args[] = {KERNEL_COMPILE_TIME_ARG_MAP};

// Not constexpr and not defined: what a constant expression runs into when no argument has the name.
uint32_t no_compile_time_argument_has_this_name();

constexpr bool same(const char* a, const char* b) {
    for (; *a == *b; ++a, ++b) {
        if (*a == 0) {
            return true;
        }
    }
    return false;
}
}  // namespace ttl_host

constexpr uint32_t get_named_compile_time_arg_val(const char* name) {
    for (const auto& arg : ttl_host::named_args) {
        if (ttl_host::same(arg.name, name)) {
            return arg.value;
        }
    }
    return ttl_host::no_compile_time_argument_has_this_name();
}
#endif
