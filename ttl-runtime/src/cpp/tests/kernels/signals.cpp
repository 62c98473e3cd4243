// Core 0 tells core 1 a value by copying a semaphore, core 1 answers with two increments.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const bool first = get_arg_val<uint32_t>(0) != 0;
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    const uint32_t value = get_semaphore(0), count = get_semaphore(1);
    volatile tt_l1_ptr uint32_t* value_p = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(value);
    auto* count_p = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(count);
    if (first) {
        noc_semaphore_set(value_p, 42);
        noc_semaphore_set_remote(value, get_noc_addr(x, y, value));
        noc_async_writes_flushed();
        noc_semaphore_wait(count_p, 2);
        ASSERT(*count_p == 2);
    } else {
        noc_semaphore_wait_min(value_p, 1);
        ASSERT(*value_p == 42, "the value of the other core");
        noc_semaphore_inc(get_noc_addr(x, y, count), 1);
        noc_semaphore_inc(get_noc_addr(x, y, count), 1);
        noc_async_atomic_barrier();
    }
    noc_async_full_barrier();
}
