// Which source register takes which operand.
#pragma once

namespace ckernel {
enum class SrcOrder : uint8_t {
    Regular = 0,  // first operand to SrcA
    Reverse = 1,  // first operand to SrcB, as the matrix product has it
};
}  // namespace ckernel
