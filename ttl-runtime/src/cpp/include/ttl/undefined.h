// What the compiler's checks call when a kernel does something that C++ leaves undefined (division by zero, signed overflow, a
// shift by too much, an index past the end of an array). The simulator reports it with the line; nothing returns from there.
// These stand in for the sanitizer's own library, which would print and exit.
#pragma once

namespace ttl_host {
struct SourceLocation {
    const char* file;
    uint32_t line;
    uint32_t column;
};
struct CheckData {
    SourceLocation location;
};

[[noreturn]] __attribute__((cold)) inline void undefined(const void* data, UndefinedKind kind, uint64_t detail) {
    const SourceLocation& l = static_cast<const CheckData*>(data)->location;
    table->undefined(static_cast<uint32_t>(kind), detail, Place{l.file, l.line});
    __builtin_trap();
}
}  // namespace ttl_host

#define TTL_CHECK extern "C" __attribute__((visibility("hidden"), noreturn, noinline, cold, used)) void

TTL_CHECK __ubsan_handle_divrem_overflow_abort(void* data, void*, void* divisor) {
    ttl_host::undefined(
        data, divisor == nullptr ? ttl_host::UndefinedKind::divide_by_zero : ttl_host::UndefinedKind::divide_overflow, 0);
}
TTL_CHECK __ubsan_handle_add_overflow_abort(void* data, void*, void*) {
    ttl_host::undefined(data, ttl_host::UndefinedKind::add_overflow, 0);
}
TTL_CHECK __ubsan_handle_sub_overflow_abort(void* data, void*, void*) {
    ttl_host::undefined(data, ttl_host::UndefinedKind::subtract_overflow, 0);
}
TTL_CHECK __ubsan_handle_mul_overflow_abort(void* data, void*, void*) {
    ttl_host::undefined(data, ttl_host::UndefinedKind::multiply_overflow, 0);
}
TTL_CHECK __ubsan_handle_negate_overflow_abort(void* data, void*) {
    ttl_host::undefined(data, ttl_host::UndefinedKind::negate_overflow, 0);
}
TTL_CHECK __ubsan_handle_shift_out_of_bounds_abort(void* data, void*, void* count) {
    ttl_host::undefined(data, ttl_host::UndefinedKind::shift, reinterpret_cast<uintptr_t>(count));
}
TTL_CHECK __ubsan_handle_out_of_bounds_abort(void* data, void* index) {
    ttl_host::undefined(data, ttl_host::UndefinedKind::index, reinterpret_cast<uintptr_t>(index));
}
TTL_CHECK __ubsan_handle_float_cast_overflow_abort(void* data, void*) {
    ttl_host::undefined(data, ttl_host::UndefinedKind::float_cast, 0);
}
TTL_CHECK __ubsan_handle_builtin_unreachable(void* data) {
    ttl_host::undefined(data, ttl_host::UndefinedKind::unreachable, 0);
}
TTL_CHECK __ubsan_handle_missing_return(void* data) {
    ttl_host::undefined(data, ttl_host::UndefinedKind::missing_return, 0);
}

#undef TTL_CHECK
