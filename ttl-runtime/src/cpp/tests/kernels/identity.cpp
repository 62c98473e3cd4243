// Writes who and where the kernel is into its page, through a pointer into L1, and the page to a raw DRAM address.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_named_compile_time_arg_val("page");
    cb_reserve_back(cb, 1);
    const uint32_t page = get_write_ptr(cb);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(page);
    words[0] = get_absolute_logical_x();
    words[1] = get_absolute_logical_y();
    words[2] = my_x[noc_index];
    words[3] = my_y[noc_index];
    words[4] = noc_index;
    words[5] = reinterpret_cast<uint32_t>(words + 5) - page;
    const float scale = get_arg_val<float>(0);
    words[6] = static_cast<uint32_t>(scale * 2.0f);
    words[7] = static_cast<uint32_t>(get_dataformat(cb));
    // Once through the NoC to the own core, at the second half of the page.
    noc_async_read(get_noc_addr(my_x[noc_index], my_y[noc_index], page), page + 64, 32);
    noc_async_read_barrier();
    cb_push_back(cb, 1);
    cb_wait_front(cb, 1);
    noc_async_write(page + 64, get_noc_addr_from_bank_id<true>(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2)), 32);
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
}
