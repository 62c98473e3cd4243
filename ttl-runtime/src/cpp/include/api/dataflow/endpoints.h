// Ends of transfers that are addresses, not objects.
#pragma once

#include "api/dataflow/noc.h"

// An address in the L1 of a core.
struct UnicastEndpoint {
    uint64_t get_noc_unicast_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t noc, TTL_AT) const {
        return ::get_noc_addr(noc_x, noc_y, addr, noc, at);
    }
};
template <>
struct noc_traits_t<UnicastEndpoint> {
    struct src_args_type {
        uint32_t noc_x{};
        uint32_t noc_y{};
        uint32_t addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType address_type>
    static auto src_addr(const UnicastEndpoint& end, const Noc& noc, const src_args_type& args, ttl_host::Place at) {
        if constexpr (address_type == Noc::AddressType::LOCAL_L1) {
            return args.addr;
        } else {
            return end.get_noc_unicast_addr(args.noc_x, args.noc_y, args.addr, noc.get_noc_id(), at);
        }
    }
    template <Noc::AddressType address_type>
    static auto dst_addr(const UnicastEndpoint& end, const Noc& noc, const dst_args_type& args, ttl_host::Place at) {
        return src_addr<address_type>(end, noc, args, at);
    }
};

// A NoC address that is complete.
struct PrecomposedUnicastEndpoint {};
template <>
struct noc_traits_t<PrecomposedUnicastEndpoint> {
    struct src_args_type {
        uint64_t noc_addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType address_type>
    static uint64_t src_addr(const PrecomposedUnicastEndpoint&, const Noc&, const src_args_type& args, ttl_host::Place) {
        static_assert(address_type == Noc::AddressType::NOC, "a NoC address is no local one");
        return args.noc_addr;
    }
    template <Noc::AddressType address_type>
    static uint64_t dst_addr(const PrecomposedUnicastEndpoint&, const Noc&, const dst_args_type& args, ttl_host::Place) {
        static_assert(address_type == Noc::AddressType::NOC, "a NoC address is no local one");
        return args.noc_addr;
    }
};

// The same address in the L1 of a rectangle of cores.
struct MulticastEndpoint {
    uint64_t get_noc_multicast_addr(
        uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end, uint32_t addr, uint8_t noc,
        TTL_AT) const {
        return ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, addr, noc, at);
    }
};
template <>
struct noc_traits_t<MulticastEndpoint> {
    struct dst_args_mcast_type {
        uint32_t noc_x_start{};
        uint32_t noc_y_start{};
        uint32_t noc_x_end{};
        uint32_t noc_y_end{};
        uint32_t addr{};
    };
    template <Noc::AddressType address_type>
    static uint64_t dst_addr_mcast(
        const MulticastEndpoint& end, const Noc& noc, const dst_args_mcast_type& args, ttl_host::Place at) {
        return end.get_noc_multicast_addr(
            args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, args.addr, noc.get_noc_id(), at);
    }
};

// An address in a bank.
enum class AllocatorBankType { L1, DRAM };
template <AllocatorBankType bank_type>
struct AllocatorBank {
    uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t addr, uint8_t noc, TTL_AT) const {
        return ::get_noc_addr_from_bank_id<bank_type == AllocatorBankType::DRAM>(bank_id, addr, noc, at);
    }
};
template <AllocatorBankType bank_type>
struct noc_traits_t<AllocatorBank<bank_type>> {
    struct src_args_type {
        uint32_t bank_id{};
        uint32_t addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType address_type>
    static uint64_t src_addr(
        const AllocatorBank<bank_type>& bank, const Noc& noc, const src_args_type& args, ttl_host::Place at) {
        static_assert(address_type == Noc::AddressType::NOC, "a bank is not in this core's L1");
        return bank.get_noc_addr_from_bank_id(args.bank_id, args.addr, noc.get_noc_id(), at);
    }
    template <Noc::AddressType address_type>
    static uint64_t dst_addr(
        const AllocatorBank<bank_type>& bank, const Noc& noc, const dst_args_type& args, ttl_host::Place at) {
        return src_addr<address_type>(bank, noc, args, at);
    }
};
