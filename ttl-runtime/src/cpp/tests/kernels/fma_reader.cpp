// Blocks of pages of three tensors, one barrier per block.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_c = get_compile_time_arg_val(2);
    constexpr uint32_t BLK = get_compile_time_arg_val(3);
    constexpr auto args_a = TensorAccessorArgs<4>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
    constexpr auto args_c = TensorAccessorArgs<args_b.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(args_a, get_arg_val<uint32_t>(0));
    const auto b = TensorAccessor(args_b, get_arg_val<uint32_t>(1));
    const auto c = TensorAccessor(args_c, get_arg_val<uint32_t>(2));
    const uint32_t first = get_arg_val<uint32_t>(3);
    const uint32_t end = first + get_arg_val<uint32_t>(4);
    constexpr uint32_t size = get_tile_size(cb_a);

    for (uint32_t t = first; t < end; t += BLK) {
        cb_reserve_back(cb_a, BLK);
        cb_reserve_back(cb_b, BLK);
        cb_reserve_back(cb_c, BLK);
        uint32_t pa = get_write_ptr(cb_a);
        uint32_t pb = get_write_ptr(cb_b);
        uint32_t pc = get_write_ptr(cb_c);
        for (uint32_t i = 0; i < BLK; ++i) {
            noc_async_read_page(t + i, a, pa);
            noc_async_read_page(t + i, b, pb);
            noc_async_read_page(t + i, c, pc);
            pa += size;
            pb += size;
            pc += size;
        }
        noc_async_read_barrier();
        cb_push_back(cb_a, BLK);
        cb_push_back(cb_b, BLK);
        cb_push_back(cb_c, BLK);
    }
}
