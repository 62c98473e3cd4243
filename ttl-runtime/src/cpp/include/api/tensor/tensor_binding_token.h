// The name of a tensor.
#pragma once

#include "api/tensor/tensor_accessor_args.h"
#include "internal/llk_metadata.h"

namespace tensor_accessor {
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
struct TensorBindingToken {
    using args_t = TensorAccessorArgs<CTA_OFFSET>;
    static constexpr args_t args{};
    // In bytes.
    static constexpr uint32_t addr_crta_offset = ADDR_CRTA_OFFSET;
    explicit constexpr TensorBindingToken(binding_details::LLKMetadata) noexcept {}
};
}  // namespace tensor_accessor
