// a * b + c in one pass: the product is added to the copy of c.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_c = get_compile_time_arg_val(2);
    constexpr uint32_t cb_y = get_compile_time_arg_val(3);
    constexpr uint32_t BLK = get_compile_time_arg_val(4);
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_a, cb_b, cb_y);
    for (uint32_t blk = 0; blk < num_blocks; ++blk) {
        cb_wait_front(cb_a, BLK);
        cb_wait_front(cb_b, BLK);
        cb_wait_front(cb_c, BLK);
        tile_regs_acquire();
        copy_init(cb_c);
        for (uint32_t i = 0; i < BLK; ++i) {
            copy_tile(cb_c, i, i);
        }
        mul_init(cb_a, cb_b);
        for (uint32_t i = 0; i < BLK; ++i) {
            mul_tiles(cb_a, cb_b, i, i, i);
        }
        tile_regs_commit();
        cb_pop_front(cb_a, BLK);
        cb_pop_front(cb_b, BLK);
        cb_pop_front(cb_c, BLK);
        cb_reserve_back(cb_y, BLK);
        tile_regs_wait();
        for (uint32_t i = 0; i < BLK; ++i) {
            pack_tile(i, cb_y);
        }
        tile_regs_release();
        cb_push_back(cb_y, BLK);
    }
}
