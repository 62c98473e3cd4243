// Blocks of pages to a tensor; each block leaves L1 before its pages are given back.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_y = get_compile_time_arg_val(0);
    constexpr uint32_t BLK = get_compile_time_arg_val(1);
    constexpr auto args_y = TensorAccessorArgs<2>();
    const auto y = TensorAccessor(args_y, get_arg_val<uint32_t>(0));
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t end = first + get_arg_val<uint32_t>(2);
    constexpr uint32_t size = get_tile_size(cb_y);

    for (uint32_t t = first; t < end; t += BLK) {
        cb_wait_front(cb_y, BLK);
        uint32_t p = get_read_ptr(cb_y);
        for (uint32_t i = 0; i < BLK; ++i) {
            noc_async_write_page(t + i, y, p);
            p += size;
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_y, BLK);
    }
    noc_async_write_barrier();
}
