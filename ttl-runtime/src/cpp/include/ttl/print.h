// Printing: the arguments go to the simulator with their kinds, and it writes the text. Nothing is looked at when printing is off.
#pragma once

namespace ttl_host {
struct TileSliceArg {
    uint32_t cb;
    uint32_t tile;
    uint32_t rows[3];
    uint32_t cols[3];
    bool at_write_pointer;
    bool line_per_row;
};

enum class PrintKind : uint32_t { boolean, character, signed_, unsigned_, float_, text, tile };
struct PrintArg {
    PrintKind kind;
    uint64_t bits;
    const char* text;
    const TileSliceArg* slice;
};
}  // namespace ttl_host

// Numbers of other formats, by their bits.
struct bf16_t {
    uint16_t val;
    bf16_t(uint16_t val) : val(val) {}
};
struct ct_string {
    const char* ptr;
};
#define CTSTR(literal) (ct_string{literal})

// Rows and columns of a tile to print, as first, end, step.
struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
    static constexpr SliceRange h1_w0_32() { return {1, 2, 1, 0, 32, 1}; }
    static constexpr SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
};

#define TSLICE_RD_PTR true
#define TSLICE_WR_PTR false
#define TSLICE_INPUT_CB true
#define TSLICE_OUTPUT_CB false

template <int MAX_BYTES = 64>
struct TileSlice {
    ttl_host::TileSliceArg arg;
#ifdef TTL_COMPUTE_KERNEL
    // At the front of a buffer that is read; see DEVICE_PRINT_PACK for the other side.
    TileSlice(uint8_t cb, int tile, const SliceRange& range, bool endl_rows = true, bool = true) :
        arg{cb, static_cast<uint32_t>(tile), {range.h0, range.h1, range.hs}, {range.w0, range.w1, range.ws}, false, endl_rows} {}
#else
    TileSlice(
        uint8_t cb, int tile, const SliceRange& range, bool cb_type, bool ptr_type = NOC_INDEX == 1, bool endl_rows = true,
        bool = true) :
        arg{cb, static_cast<uint32_t>(tile), {range.h0, range.h1, range.hs}, {range.w0, range.w1, range.ws},
            ptr_type == TSLICE_WR_PTR, endl_rows} {
        static_cast<void>(cb_type);
    }
#endif
};
using TSLICE = TileSlice<64>;

namespace ttl_host {
namespace packed {
// A tile of the buffer that the packer fills.
template <int MAX_BYTES = 64>
struct TileSlice : ::TileSlice<MAX_BYTES> {
    template <class... A>
    TileSlice(A... args) : ::TileSlice<MAX_BYTES>(args...) {
        this->arg.at_write_pointer = true;
    }
};
}  // namespace packed
template <class T>
struct is_tile_slice {
    static constexpr bool value = false;
};
template <int N>
struct is_tile_slice<::TileSlice<N>> {
    static constexpr bool value = true;
};
template <int N>
struct is_tile_slice<packed::TileSlice<N>> {
    static constexpr bool value = true;
};
}  // namespace ttl_host

namespace ttl_host {
template <class T>
inline PrintArg print_arg(const T& value) {
    using U = plain<T>;
    if constexpr (__is_same(U, bool)) {
        return {PrintKind::boolean, value ? 1u : 0u, nullptr, nullptr};
    } else if constexpr (__is_same(U, char)) {
        return {PrintKind::character, static_cast<uint8_t>(value), nullptr, nullptr};
    } else if constexpr (__is_same(U, float) || __is_same(U, double)) {
        const double wide = static_cast<double>(value);
        uint64_t bits;
        __builtin_memcpy(&bits, &wide, sizeof bits);
        return {PrintKind::float_, bits, nullptr, nullptr};
    } else if constexpr (__is_same(U, bf16_t)) {
        const uint32_t bits = static_cast<uint32_t>(value.val) << 16;
        return print_arg(from_word<float>(bits));
    } else if constexpr (__is_same(U, ct_string)) {
        return {PrintKind::text, 0, value.ptr, nullptr};
    } else if constexpr (is_tile_slice<U>::value) {
        return {PrintKind::tile, 0, nullptr, &value.arg};
    } else if constexpr (__is_enum(U)) {
        return {PrintKind::signed_, static_cast<uint64_t>(static_cast<int64_t>(value)), nullptr, nullptr};
    } else if constexpr (is_pointer<U>::value) {
        return {PrintKind::unsigned_, table->l1_address(const_cast<void*>(static_cast<const volatile void*>(value)), nowhere()), nullptr, nullptr};
    } else if constexpr (static_cast<U>(-1) < static_cast<U>(0)) {
        return {PrintKind::signed_, static_cast<uint64_t>(static_cast<int64_t>(value)), nullptr, nullptr};
    } else {
        return {PrintKind::unsigned_, static_cast<uint64_t>(value), nullptr, nullptr};
    }
}
inline PrintArg print_arg(const char* text) { return {PrintKind::text, 0, text, nullptr}; }

template <class... A>
inline void print(Place at, const char* format, const A&... args) {
    const PrintArg list[sizeof...(A) + 1] = {print_arg(args)...};
    table->print(format, list, sizeof...(A), at);
}
}  // namespace ttl_host

#define DEVICE_PRINT(...)                                                                \
    do {                                                                                 \
        if (::ttl_host::table->printing({__FILE__, __LINE__})) {                         \
            ::ttl_host::print(::ttl_host::Place{__FILE__, __LINE__}, __VA_ARGS__);       \
        }                                                                                \
    } while (false)

// One thread runs the parts of all three compute processors.
#ifdef TTL_COMPUTE_KERNEL
#define DEVICE_PRINT_UNPACK(...) DEVICE_PRINT(__VA_ARGS__)
#define DEVICE_PRINT_MATH(...) DEVICE_PRINT(__VA_ARGS__)
// Tiles are those at the write pointer here: the names of slices mean these.
#define DEVICE_PRINT_PACK(...)                       \
    do {                                             \
        using ::ttl_host::packed::TileSlice;         \
        using TSLICE [[maybe_unused]] = TileSlice<64>; \
        DEVICE_PRINT(__VA_ARGS__);                   \
    } while (false)
#define DEVICE_PRINT_DATA0(...) static_cast<void>(0)
#define DEVICE_PRINT_DATA1(...) static_cast<void>(0)
#else
#define DEVICE_PRINT_UNPACK(...) static_cast<void>(0)
#define DEVICE_PRINT_MATH(...) static_cast<void>(0)
#define DEVICE_PRINT_PACK(...) static_cast<void>(0)
#define DEVICE_PRINT_DATA0(...)        \
    do {                               \
        if (NOC_INDEX == 0) {          \
            DEVICE_PRINT(__VA_ARGS__); \
        }                              \
    } while (false)
#define DEVICE_PRINT_DATA1(...)        \
    do {                               \
        if (NOC_INDEX == 1) {          \
            DEVICE_PRINT(__VA_ARGS__); \
        }                              \
    } while (false)
#endif
