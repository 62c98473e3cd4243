// Printing from kernels: accepted and ignored.
#pragma once

#define DEVICE_PRINT(...) static_cast<void>(0)
#define DPRINT(...) static_cast<void>(0)
#define DPRINT_UNPACK(...) static_cast<void>(0)
#define DPRINT_MATH(...) static_cast<void>(0)
#define DPRINT_PACK(...) static_cast<void>(0)
