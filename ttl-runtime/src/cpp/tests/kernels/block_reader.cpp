// Pages of two tensors in the order of a list of numbers: n pages of the first, then m of the second, and again.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t n = get_compile_time_arg_val(0);
    constexpr uint32_t m = get_compile_time_arg_val(1);
    constexpr auto args_a = TensorAccessorArgs<2>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(args_a, get_common_arg_val<uint32_t>(0));
    const auto b = TensorAccessor(args_b, get_common_arg_val<uint32_t>(1));
    uint32_t arg = 1;
    for (uint32_t block = 0; block < get_arg_val<uint32_t>(0); ++block) {
        cb_reserve_back(tt::CBIndex::c_0, n);
        cb_reserve_back(tt::CBIndex::c_1, m);
        for (uint32_t i = 0; i < n; ++i) {
            noc_async_read_page(get_arg_val<uint32_t>(arg++), a, get_write_ptr(0) + i * get_tile_size(0));
        }
        for (uint32_t i = 0; i < m; ++i) {
            noc_async_read_page(get_arg_val<uint32_t>(arg++), b, get_write_ptr(1) + i * get_tile_size(1));
        }
        noc_async_read_barrier();
        cb_push_back(0, n);
        cb_push_back(1, m);
    }
}
