// Core i adds a tile counter to its right neighbour's semaphore, waits for its own, then copies its tile.
// Exercises several cores, named compile-time arguments, semaphores and NOC addresses.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const uint32_t src = get_arg_val<uint32_t>(0);
    const uint32_t page = get_arg_val<uint32_t>(1);
    const uint32_t nx = get_arg_val<uint32_t>(2), ny = get_arg_val<uint32_t>(3);
    constexpr uint32_t cb = get_named_compile_time_arg_val("cb");
    constexpr uint32_t sem_id = get_named_compile_time_arg_val("sem");
    constexpr auto args = TensorAccessorArgs<0>();
    const auto s = TensorAccessor(args, src, get_tile_size(cb));
    const uint32_t sem = get_semaphore(sem_id);
    noc_semaphore_inc(get_noc_addr(nx, ny, sem), 1);
    noc_async_atomic_barrier();
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sem), 1);
    cb_reserve_back(cb, 1);
    noc_async_read_page(page, s, get_write_ptr(cb));
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}
