// Printing from kernels, with format strings in the style of `fmt`.
#pragma once

#include "ttl/arguments.h"
#include "ttl/print.h"
