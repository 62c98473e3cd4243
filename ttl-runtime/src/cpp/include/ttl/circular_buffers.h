// Circular buffers: what data-movement and compute kernels share.
#pragma once

inline void cb_reserve_back(uint32_t cb, uint32_t pages, TTL_AT) { ttl_host::table->cb_reserve_back(cb, pages, at); }
inline void cb_push_back(uint32_t cb, uint32_t pages, TTL_AT) { ttl_host::table->cb_push_back(cb, pages, at); }
inline void cb_wait_front(uint32_t cb, uint32_t pages, TTL_AT) { ttl_host::table->cb_wait_front(cb, pages, at); }
inline void cb_pop_front(uint32_t cb, uint32_t pages, TTL_AT) { ttl_host::table->cb_pop_front(cb, pages, at); }
