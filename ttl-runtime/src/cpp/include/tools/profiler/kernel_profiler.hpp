// Zones under their usual path.
#pragma once

#include "api/debug/kernel_profiler.hpp"
