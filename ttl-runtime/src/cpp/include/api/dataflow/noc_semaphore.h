// Semaphores under the name of before.
#pragma once

#include "api/semaphore.h"
