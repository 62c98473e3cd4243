// The base of the compute kernels' headers. What data-movement kernels take from it here: nothing.
#pragma once

#ifdef TTL_COMPUTE_KERNEL
#include "api/compute/common_globals.h"
#endif
