// Values of the flags that cores exchange.
#pragma once

constexpr uint32_t INVALID = 0;
constexpr uint32_t VALID = 1;
