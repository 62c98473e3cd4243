// What stands before every kernel that is compiled for the simulated chip: the way to the simulator, the entry, and the words of
// TT-Metalium's tool chain that a host compiler does not know.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttl/abi.h"

// For whom a kernel is compiled. On the chip a compute kernel is compiled once for each of three processors; here one thread is all three.
#ifdef TTL_COMPUTE_KERNEL
#define COMPILE_FOR_TRISC 1
#define TRISC_UNPACK
#define TRISC_MATH
#define TRISC_PACK
#define UCK_CHLKC_UNPACK
#define UCK_CHLKC_MATH
#define UCK_CHLKC_PACK
#elif NOC_INDEX == 0
#define COMPILE_FOR_NCRISC
#else
#define COMPILE_FOR_BRISC
#endif

// Named members of initialisers: GCC has them in C++17, as TT-Metalium's compiler.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wc++20-designator"
#endif

static_assert(sizeof(void*) == 8, "the simulated chip needs a 64-bit host");

namespace ttl_host {
// Set once, when the kernel is loaded. The only variable of these headers: a kernel runs on many cores at once.
static const Table* table;
}  // namespace ttl_host

// The last parameter of every function a kernel calls: where it was called. `#line` makes that a line of the Rust source.
#define TTL_AT ::ttl_host::Place at = {__builtin_FILE(), static_cast<uint32_t>(__builtin_LINE())}

namespace ttl_host {
// For calls that cannot say where they are.
constexpr Place nowhere() { return {nullptr, 0}; }
}  // namespace ttl_host

#include "ttl/undefined.h"
#include "ttl/l1_pointer.h"

#define tt_l1_ptr
#define tt_reg_ptr
#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI inline __attribute__((always_inline))

// `static`, so that a kernel without this function is a compile error, not a crash.
static void kernel_main();

extern "C" __attribute__((visibility("default"))) void ttl_kernel_bind(const ttl_host::Table* table) {
    ttl_host::table = table;
}
extern "C" __attribute__((visibility("default"))) void ttl_kernel_main() { kernel_main(); }
