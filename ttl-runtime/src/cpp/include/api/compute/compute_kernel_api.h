// On the chip this header holds sigmoid, tanh, log and others; none of them is simulated yet, so a call is refused by its name.
#pragma once

#include "api/compute/common_globals.h"
