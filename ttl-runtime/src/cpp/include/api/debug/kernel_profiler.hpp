// Named zones of kernels. On the chip they measure cycles; the simulator counts how often threads go through them, and where they wait.
#pragma once

#include "ttl/kernel.h"

namespace ttl_host {
struct Zone {
    Zone(const char* name, Place at) : at(at) { table->zone_begin(name, at); }
    ~Zone() { table->zone_end(at); }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;
    Place at;
};
}  // namespace ttl_host

#define TTL_ZONE_NAME__(line) ttl_zone_##line
#define TTL_ZONE_NAME_(line) TTL_ZONE_NAME__(line)
#define DeviceZoneScopedN(name) \
    const ::ttl_host::Zone TTL_ZONE_NAME_(__LINE__)(name, ::ttl_host::Place{__FILE__, __LINE__})
#define DeviceZoneScopedMainN(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedMainChildN(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN1(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN2(name) DeviceZoneScopedN(name)
#define DeviceTimestampedData(name, data) static_cast<void>(sizeof(data))
#define DeviceRecordEvent(event_id) static_cast<void>(sizeof(event_id))
