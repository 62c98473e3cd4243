// Results made in the tile registers, packed out of order:
//   out[0] = (a + b) * a      (matrix unit, then register times tile)
//   out[1] = b - a            (vector unit on copies)
//   out[2] = relu(a - b)
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/relu.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, y = tt::CBIndex::c_16;
    const uint32_t n = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(a, b, y);
    for (uint32_t i = 0; i < n; ++i) {
        cb_wait_front(a, 1);
        cb_wait_front(b, 1);
        tile_regs_acquire();
        add_init(a, b);
        add_tiles(a, b, 0, 0, 0);
        mul_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(a);
        mul_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(a, 0, 0);
        copy_init(a);
        copy_tile(a, 0, 1);
        copy_init(b);
        copy_tile(b, 0, 3);
        copy_dest_values_init();
        copy_dest_values<DataFormat::Float16_b>(3, 2);
        sub_binary_tile_init();
        sub_binary_tile(2, 1, 1);
        sub_init(a, b);
        sub_tiles(a, b, 0, 0, 2);
        relu_tile_init();
        MATH((relu_tile(2)));
        tile_regs_commit();
        cb_pop_front(a, 1);
        cb_pop_front(b, 1);
        cb_reserve_back(y, 3);
        tile_regs_wait();
        pack_tile<true>(2, y, 2);
        pack_tile<true>(0, y, 0);
        pack_tile<true>(1, y, 1);
        tile_regs_release();
        cb_push_back(y, 3);
    }
}
