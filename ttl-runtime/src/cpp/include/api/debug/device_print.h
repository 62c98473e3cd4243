// Printing from kernels under its other name.
#pragma once

#include "api/debug/dprint.h"
