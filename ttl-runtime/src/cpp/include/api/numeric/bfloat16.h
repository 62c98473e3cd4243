// bfloat16 as the upper half of a float's bits.
#pragma once

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xFF80;
inline constexpr uint16_t POS_INF_BFLOAT16 = 0x7F80;
inline constexpr uint16_t NAN_BFLOAT16 = 0x7FFF;
inline constexpr uint16_t BFLOAT16_SIGN_MASK = 0x8000;
inline constexpr uint16_t BFLOAT16_EXPONENT_MASK = 0x7F80;
inline constexpr uint16_t BFLOAT16_MANTISSA_MASK = 0x007F;
inline constexpr uint16_t BFLOAT16_MAGNITUDE_MASK = 0x7FFF;

namespace ttl_host {
inline uint32_t float_bits(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
}  // namespace ttl_host

inline float bf16_to_fp32(uint16_t bf16) {
    const uint32_t bits = static_cast<uint32_t>(bf16) << 16;
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
// To nearest, ties to even; a NaN of few bits may become an infinity, as there.
inline uint16_t fp32_to_bf16(float x) {
    const uint32_t bits = ttl_host::float_bits(x);
    return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}
inline uint16_t fp32_to_bf16_truncate(float x) { return static_cast<uint16_t>(ttl_host::float_bits(x) >> 16); }

struct FloatBits {
    uint16_t high16;
    uint16_t low16;
    explicit FloatBits(float value) :
        high16(static_cast<uint16_t>(ttl_host::float_bits(value) >> 16)),
        low16(static_cast<uint16_t>(ttl_host::float_bits(value) & 0xFFFFu)) {}
};

inline bool bfloat16_greater(uint16_t a, uint16_t b) {
    if ((a ^ b) & BFLOAT16_SIGN_MASK) {
        return (a & BFLOAT16_SIGN_MASK) == 0;
    }
    return (a & BFLOAT16_SIGN_MASK) ? a < b : a > b;
}
