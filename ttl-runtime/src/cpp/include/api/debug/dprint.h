// Printing from kernels under its other name.
#pragma once

#include "api/debug/device_print.h"

#define DPRINT(...) DEVICE_PRINT(__VA_ARGS__)
#define DPRINT_UNPACK(...) DEVICE_PRINT_UNPACK(__VA_ARGS__)
#define DPRINT_MATH(...) DEVICE_PRINT_MATH(__VA_ARGS__)
#define DPRINT_PACK(...) DEVICE_PRINT_PACK(__VA_ARGS__)
#define DPRINT_DATA0(...) DEVICE_PRINT_DATA0(__VA_ARGS__)
#define DPRINT_DATA1(...) DEVICE_PRINT_DATA1(__VA_ARGS__)
