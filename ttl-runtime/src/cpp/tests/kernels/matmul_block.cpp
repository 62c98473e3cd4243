// One block of the output, RT*SBM x CT*SBN tiles, with K in NKB blocks: partial sums go through a buffer between the blocks.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/matmul.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t in0 = get_compile_time_arg_val(0);
    constexpr uint32_t in1 = get_compile_time_arg_val(1);
    constexpr uint32_t partial = get_compile_time_arg_val(2);
    constexpr uint32_t out = get_compile_time_arg_val(3);
    constexpr uint32_t RT = get_compile_time_arg_val(4);
    constexpr uint32_t CT = get_compile_time_arg_val(5);
    constexpr uint32_t KT = get_compile_time_arg_val(6);
    constexpr uint32_t SBM = get_compile_time_arg_val(7);
    constexpr uint32_t SBN = get_compile_time_arg_val(8);
    constexpr uint32_t NKB = get_compile_time_arg_val(9);
    constexpr uint32_t SUB = RT * CT;
    constexpr uint32_t in0_block = SBM * RT * KT;
    constexpr uint32_t in1_width = SBN * CT;
    constexpr uint32_t in1_block = KT * in1_width;

    compute_kernel_hw_startup<SrcOrder::Reverse>(in0, in1, out);
    matmul_block_init(in0, in1, 0, CT, RT, KT);
    for (uint32_t kb = 0; kb < NKB; ++kb) {
        const bool first = kb == 0;
        const bool last = kb == NKB - 1;
        const uint32_t target = last ? out : partial;
        cb_wait_front(in0, in0_block);
        cb_wait_front(in1, in1_block);
        pack_reconfig_data_format(target);
        for (uint32_t m = 0; m < SBM; ++m) {
            for (uint32_t n = 0; n < SBN; ++n) {
                tile_regs_acquire();
                if (!first) {
                    reconfig_data_format_srca(in1, partial);
                    copy_init(partial);
                    cb_wait_front(partial, SUB);
                    for (uint32_t i = 0; i < SUB; ++i) {
                        copy_tile(partial, i, i);
                    }
                    cb_pop_front(partial, SUB);
                    reconfig_data_format_srca(partial, in1);
                    matmul_block_init(in0, in1, 0, CT, RT, KT);
                }
                uint32_t i0 = m * RT * KT;
                uint32_t i1 = n * CT;
                for (uint32_t k = 0; k < KT; ++k) {
                    matmul_block(in0, in1, i0, i1, 0, 0, CT, RT, KT);
                    i0 += 1;
                    i1 += in1_width;
                }
                tile_regs_commit();
                cb_reserve_back(target, SUB);
                tile_regs_wait();
                for (uint32_t i = 0; i < SUB; ++i) {
                    pack_tile(i, target);
                }
                tile_regs_release();
                cb_push_back(target, SUB);
            }
        }
        cb_pop_front(in0, in0_block);
        cb_pop_front(in1, in1_block);
    }
}
