//! Small functions that generated code needs where C++ has no operation of Rust's meaning. Printed only when used.

use crate::ir::IntTy;

/// `as` from f32: rounds towards zero, saturates, and takes NaN to 0, where C++ leaves all but the first undefined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Helper {
    F32ToU8,
    F32ToU16,
    F32ToU32,
    F32ToI8,
    F32ToI16,
    F32ToI32,
}

impl Helper {
    pub(super) fn to_int(ty: IntTy) -> Helper {
        match (ty.signed, ty.bits) {
            (false, 8) => Helper::F32ToU8,
            (false, 16) => Helper::F32ToU16,
            (false, _) => Helper::F32ToU32,
            (true, 8) => Helper::F32ToI8,
            (true, 16) => Helper::F32ToI16,
            (true, _) => Helper::F32ToI32,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Helper::F32ToU8 => "f32_to_u8",
            Helper::F32ToU16 => "f32_to_u16",
            Helper::F32ToU32 => "f32_to_u32",
            Helper::F32ToI8 => "f32_to_i8",
            Helper::F32ToI16 => "f32_to_i16",
            Helper::F32ToI32 => "f32_to_i32",
        }
    }

    pub(super) const ALL: [Helper; 6] =
        [Helper::F32ToU8, Helper::F32ToU16, Helper::F32ToU32, Helper::F32ToI8, Helper::F32ToI16, Helper::F32ToI32];

    pub(super) const fn text(self) -> &'static str {
        match self {
            Helper::F32ToU8 => {
                "// Saturates; NaN gives 0.
static inline uint8_t f32_to_u8(float x) {
    if (!(x > 0.0f)) { return 0; }
    return x >= 255.0f ? UINT8_MAX : static_cast<uint8_t>(x);
}
"
            }
            Helper::F32ToU16 => {
                "// Saturates; NaN gives 0.
static inline uint16_t f32_to_u16(float x) {
    if (!(x > 0.0f)) { return 0; }
    return x >= 65535.0f ? UINT16_MAX : static_cast<uint16_t>(x);
}
"
            }
            Helper::F32ToU32 => {
                "// Saturates; NaN gives 0.
static inline uint32_t f32_to_u32(float x) {
    if (!(x > 0.0f)) { return 0; }
    return x >= 4294967296.0f ? UINT32_MAX : static_cast<uint32_t>(x);
}
"
            }
            Helper::F32ToI8 => {
                "// Saturates; NaN gives 0.
static inline int8_t f32_to_i8(float x) {
    if (x >= 127.0f) { return INT8_MAX; }
    if (x <= -128.0f) { return INT8_MIN; }
    return x == x ? static_cast<int8_t>(x) : static_cast<int8_t>(0);
}
"
            }
            Helper::F32ToI16 => {
                "// Saturates; NaN gives 0.
static inline int16_t f32_to_i16(float x) {
    if (x >= 32767.0f) { return INT16_MAX; }
    if (x <= -32768.0f) { return INT16_MIN; }
    return x == x ? static_cast<int16_t>(x) : static_cast<int16_t>(0);
}
"
            }
            Helper::F32ToI32 => {
                "// Saturates; NaN gives 0.
static inline int32_t f32_to_i32(float x) {
    if (x >= 2147483648.0f) { return INT32_MAX; }
    if (x <= -2147483648.0f) { return INT32_MIN; }
    return x == x ? static_cast<int32_t>(x) : 0;
}
"
            }
        }
    }
}
