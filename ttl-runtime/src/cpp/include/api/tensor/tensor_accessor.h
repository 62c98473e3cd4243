// Where the pages of a tensor lie. The words that describe the tensor are compile-time arguments; the simulator reads them, with the
// same decoder as the host and the native kernels.
#pragma once

#include "api/compile_time_args.h"

template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET = 0>
struct TensorAccessorArgs {
    static_assert(
        CTA_OFFSET < kernel_compile_time_args.size(), "TensorAccessorArgs: no compile-time argument at this offset");

    // Bits of the first word.
    static constexpr uint32_t config = kernel_compile_time_args[CTA_OFFSET];
    static constexpr bool is_sharded = (config & 1) != 0;
    static constexpr bool is_dram = (config & 2) != 0;
    static_assert((config & ~3u) == 0, "TensorAccessorArgs: accessor words among the runtime arguments are not simulated");

    static constexpr uint32_t num_compile_time_args() {
        if constexpr (is_sharded) {
            // config, page size, rank, banks, tensor and shard shape, two bank coordinates a word
            constexpr uint32_t rank = kernel_compile_time_args[CTA_OFFSET + 2];
            constexpr uint32_t banks = kernel_compile_time_args[CTA_OFFSET + 3] & 0x7fffffff;
            return 4 + 2 * rank + (banks + 1) / 2;
        } else {
            return 2;  // config, page size
        }
    }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + num_compile_time_args(); }
    static constexpr uint32_t next_common_runtime_args_offset() { return CRTA_OFFSET; }

    static_assert(
        next_compile_time_args_offset() <= kernel_compile_time_args.size(),
        "TensorAccessorArgs: the accessor words run past the compile-time arguments");
};

struct TensorAccessor {
    template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET>
    TensorAccessor(TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET> args, uint32_t base, TTL_AT) :
        bank_base_address(base), aligned_page_size(kernel_compile_time_args[CTA_OFFSET + 1]) {
        ttl_host::table->accessor(state, kernel_compile_time_args.data() + CTA_OFFSET, args.num_compile_time_args(), 0, at);
    }
    // With another page size: transfers have this size, and pages lie apart by it, rounded up to the memory's alignment.
    template <uint32_t CTA_OFFSET, uint32_t CRTA_OFFSET>
    TensorAccessor(TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET> args, uint32_t base, uint32_t page_size, TTL_AT) :
        bank_base_address(base), aligned_page_size(page_size) {
        ttl_host::table->accessor(
            state, kernel_compile_time_args.data() + CTA_OFFSET, args.num_compile_time_args(), page_size, at);
    }

    uint64_t get_noc_addr(uint32_t page_id, uint32_t offset = 0, uint8_t noc = noc_index, TTL_AT) const {
        return ttl_host::table->accessor_noc_addr(noc, state, bank_base_address, page_id, offset, at);
    }
    uint32_t get_aligned_page_size() const { return aligned_page_size; }

    uint32_t bank_base_address;
    uint32_t aligned_page_size;
    // The simulator's own description of the tensor.
    alignas(ttl_host::accessor_align) unsigned char state[ttl_host::accessor_size];
};
