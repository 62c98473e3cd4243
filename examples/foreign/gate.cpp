// A compute kernel as a TT-Metalium engineer writes it: y = sigmoid(a) * b, a tile at a time.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/dataflow/circular_buffer.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t a_id = get_named_compile_time_arg_val("a");
    constexpr uint32_t b_id = get_named_compile_time_arg_val("b");
    constexpr uint32_t y_id = get_named_compile_time_arg_val("y");
    CircularBuffer a(a_id);
    CircularBuffer b(b_id);
    CircularBuffer y(y_id);

    compute_kernel_hw_startup(a_id, b_id, y_id);
    for (uint32_t i = 0; i < tiles; ++i) {
        a.wait_front(1);
        b.wait_front(1);
        y.reserve_back(1);

        tile_regs_acquire();
        copy_init(a_id);
        copy_tile(a_id, 0, 0);
        GATE_INIT();
        GATE(0);
        mul_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(b_id);
        mul_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(b_id, 0, 0);
        tile_regs_commit();

        tile_regs_wait();
        pack_tile(0, y_id);
        tile_regs_release();

        a.pop_front(1);
        b.pop_front(1);
        y.push_back(1);
    }
}
