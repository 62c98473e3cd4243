// The protocol of the tile registers.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {
inline void tile_regs_acquire(TTL_AT) { ttl_host::table->tile_regs_acquire(at); }
inline void tile_regs_commit(TTL_AT) { ttl_host::table->tile_regs_commit(at); }
inline void tile_regs_wait(TTL_AT) { ttl_host::table->tile_regs_wait(at); }
inline void tile_regs_release(TTL_AT) { ttl_host::table->tile_regs_release(at); }
}  // namespace ckernel
