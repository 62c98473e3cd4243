// The words that describe a tensor among the compile-time arguments: config, page size; of a sharded tensor also rank, banks, tensor and
// shard shape in pages, two bank coordinates a word.
#pragma once

#include <tuple>
#include <utility>

#include "api/compile_time_args.h"

namespace tensor_accessor {
constexpr uint32_t UNKNOWN = static_cast<uint32_t>(-1);
}

namespace ttl_host {
// A word of a sharded tensor; 0 for others.
constexpr uint32_t sharded_word(bool is_sharded, size_t index) { return is_sharded ? kernel_compile_time_args[index] : 0; }
}  // namespace ttl_host

template <size_t CTA_OFFSET, size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
    static_assert(
        CTA_OFFSET < kernel_compile_time_args.size(), "TensorAccessorArgs: no compile-time argument at this offset");

    static constexpr uint32_t config = kernel_compile_time_args[CTA_OFFSET];
    static constexpr bool is_sharded = (config & 1) != 0;
    static constexpr bool is_dram = (config & 2) != 0;
    static_assert((config & ~3u) == 0, "TensorAccessorArgs: accessor words among the runtime arguments are not simulated");

    static constexpr uint32_t AlignedPageSize = kernel_compile_time_args[CTA_OFFSET + 1];
    static constexpr uint32_t RankCT = ttl_host::sharded_word(is_sharded, CTA_OFFSET + 2);
    static constexpr uint32_t NumBanksCT = ttl_host::sharded_word(is_sharded, CTA_OFFSET + 3) & 0x7fffffff;
    static constexpr bool is_shard_contiguous = (ttl_host::sharded_word(is_sharded, CTA_OFFSET + 3) & 0x80000000) != 0;
    static constexpr uint32_t PhysicalNumBanksCT = (NumBanksCT + 1) / 2;
    static constexpr uint32_t TensorShapeCTAOffset = CTA_OFFSET + 4;
    static constexpr uint32_t ShardShapeCTAOffset = TensorShapeCTAOffset + RankCT;
    static constexpr uint32_t BankCoordsCTAOffset = ShardShapeCTAOffset + RankCT;

    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t crta_offset) : crta_offset_(crta_offset) {}

    static constexpr uint32_t NumArgsCT = is_sharded ? 4 + 2 * RankCT + PhysicalNumBanksCT : 2;
    static_assert(
        CTA_OFFSET + NumArgsCT <= kernel_compile_time_args.size(),
        "TensorAccessorArgs: the accessor words run past the compile-time arguments");

    static constexpr uint32_t num_compile_time_args() { return NumArgsCT; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + num_compile_time_args(); }
    constexpr uint32_t crta_offset() const { return CRTA_OFFSET == tensor_accessor::UNKNOWN ? crta_offset_ : CRTA_OFFSET; }
    static constexpr uint32_t num_common_runtime_args() { return 0; }
    constexpr uint32_t next_common_runtime_args_offset() const { return crta_offset(); }

    static constexpr uint32_t get_aligned_page_size() { return AlignedPageSize; }
    static constexpr uint32_t get_rank() { return RankCT; }
    static constexpr uint32_t get_num_banks() { return NumBanksCT; }
    static constexpr uint32_t get_physical_num_banks() { return PhysicalNumBanksCT; }

private:
    uint32_t crta_offset_ = 0;
};

namespace ttl_host {
// The offset of the accessor that comes `Index` accessors after the one at `Offset`.
template <uint32_t Index, uint32_t Offset>
constexpr uint32_t accessor_offset() {
    if constexpr (Index == 0) {
        return Offset;
    } else {
        return accessor_offset<Index - 1, TensorAccessorArgs<Offset>::next_compile_time_args_offset()>();
    }
}
template <uint32_t Offset, uint32_t... Indexes>
constexpr auto accessor_args_tuple(std::integer_sequence<uint32_t, Indexes...>) {
    return std::make_tuple(TensorAccessorArgs<accessor_offset<Indexes, Offset>()>()...);
}
}  // namespace ttl_host

template <uint32_t NUM_TENSORS, uint32_t CTA_OFFSET>
constexpr auto make_tensor_accessor_args_tuple() {
    return ttl_host::accessor_args_tuple<CTA_OFFSET>(std::make_integer_sequence<uint32_t, NUM_TENSORS>());
}
