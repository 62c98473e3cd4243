// The name of a semaphore.
#pragma once

enum class SemScope : uint8_t { LOCAL_NONATOMIC = 0, DM_LOCAL_CACHED = 1, EXTERNAL = 2, COMPUTE_ATOMIC = 3 };

struct SemaphoreBindingToken {
    uint32_t id;
    SemScope scope;
};
