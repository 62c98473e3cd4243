// A semaphore as an object.
#pragma once

#include "api/dataflow/noc.h"
#include "api/dataflow/semaphore_binding_token.h"

enum class ProgrammableCoreType : uint32_t { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2 };

template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
    template <ProgrammableCoreType>
    friend class Semaphore;

public:
    explicit Semaphore(uint32_t semaphore_id, TTL_AT) : address_(ttl_host::table->get_semaphore(semaphore_id, at)) {
        static_assert(core_type == ProgrammableCoreType::TENSIX, "Semaphore: only worker cores are simulated");
    }

    explicit Semaphore(SemaphoreBindingToken token, TTL_AT) : Semaphore(token.id, at) {}

    void up(uint32_t value, TTL_AT) const { *word(at) += value; }
    void down(uint32_t value, TTL_AT) const {
        ::noc_semaphore_wait_min(word(at), value, at);
        *word(at) -= value;
    }
    void wait(uint32_t value, TTL_AT) const { ::noc_semaphore_wait(word(at), value, at); }
    void wait_min(uint32_t value, TTL_AT) const { ::noc_semaphore_wait_min(word(at), value, at); }
    void set(uint32_t value, TTL_AT) const { ::noc_semaphore_set(word(at), value, at); }
    uint32_t value(TTL_AT) const { return ttl_host::table->l1_read_u32(address_, at); }

    // Another core's.
    void up(const Noc& noc, uint32_t noc_x, uint32_t noc_y, uint32_t value, uint8_t = NOC_UNICAST_WRITE_VC, TTL_AT) const {
        const uint8_t id = noc.get_noc_id();
        ::noc_semaphore_inc(::get_noc_addr(noc_x, noc_y, address_, id, at), value, id, NOC_UNICAST_WRITE_VC, at);
    }
    // This one's value to another core's semaphore.
    template <ProgrammableCoreType dst_core_type = core_type>
    void relay_unicast(
        const Noc& noc, const Semaphore<dst_core_type>& dst, uint32_t noc_x, uint32_t noc_y, TTL_AT) const {
        const uint8_t id = noc.get_noc_id();
        ::noc_semaphore_set_remote(address_, ::get_noc_addr(noc_x, noc_y, dst.address_, id, at), id, at);
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void set_multicast(
        const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end,
        uint32_t num_dests, bool linked = false, TTL_AT) const {
        relay_multicast<opts>(noc, *this, noc_x_start, noc_y_start, noc_x_end, noc_y_end, num_dests, linked, at);
    }
    template <NocOptions opts = NocOptions::DEFAULT, ProgrammableCoreType dst_core_type = core_type>
    void relay_multicast(
        const Noc& noc, const Semaphore<dst_core_type>& dst, uint32_t noc_x_start, uint32_t noc_y_start,
        uint32_t noc_x_end, uint32_t noc_y_end, uint32_t num_dests, bool linked = false, TTL_AT) const {
        const uint8_t id = noc.get_noc_id();
        const uint64_t to =
            ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, dst.address_, id, at);
        if constexpr (has_flag(opts, NocOptions::MCAST_INCL_SRC)) {
            ::noc_semaphore_set_multicast_loopback_src(address_, to, num_dests, linked, id, NOC_MULTICAST_WRITE_VC, at);
        } else {
            ::noc_semaphore_set_multicast(address_, to, num_dests, linked, id, NOC_MULTICAST_WRITE_VC, at);
        }
    }

private:
    volatile uint32_t* word(ttl_host::Place at) const {
        return static_cast<volatile uint32_t*>(ttl_host::table->l1_pointer(address_, at));
    }

    uint32_t address_;
};
