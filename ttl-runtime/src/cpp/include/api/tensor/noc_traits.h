// Pages and shards of tensors as ends of transfers.
#pragma once

#include "api/dataflow/noc.h"
#include "api/tensor/tensor_accessor.h"

namespace ttl_host {
// A NoC address, or the address in this core's L1 that it means.
template <Noc::AddressType address_type>
auto noc_or_local(uint64_t address, const Noc& noc, Place at) {
    if constexpr (address_type == Noc::AddressType::LOCAL_L1) {
        if (!noc.is_local_addr(address, at)) {
            table->fail("a page of another core's L1 or of DRAM is used as if it was in this core's L1", at);
        }
        return static_cast<uint32_t>(address);
    } else {
        return address;
    }
}

template <typename Accessor>
struct PageTraits {
    struct src_args_type {
        uint32_t page_id{};
        uint32_t offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    static auto src_addr(const Accessor& of, const Noc& noc, const src_args_type& args, Place at) {
        return noc_or_local<type>(of.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id(), at), noc, at);
    }
    template <Noc::AddressType type>
    static auto dst_addr(const Accessor& of, const Noc& noc, const dst_args_type& args, Place at) {
        return src_addr<type>(of, noc, args, at);
    }
};
}  // namespace ttl_host

template <typename DSpec>
struct noc_traits_t<TensorAccessor<DSpec>> : ttl_host::PageTraits<TensorAccessor<DSpec>> {};
template <typename Accessor>
struct noc_traits_t<PageView<Accessor>> : ttl_host::PageTraits<PageView<Accessor>> {};
template <>
struct noc_traits_t<AbstractTensorAccessorWrapper> : ttl_host::PageTraits<AbstractTensorAccessorWrapper> {};

template <typename Accessor>
struct noc_traits_t<ShardView<Accessor>> {
    struct src_args_type {
        uint32_t shard_id{};
        uint32_t offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    static auto src_addr(const ShardView<Accessor>& of, const Noc& noc, const src_args_type& args, ttl_host::Place at) {
        return ttl_host::noc_or_local<type>(
            of.get_noc_addr(args.shard_id, args.offset_bytes, noc.get_noc_id(), at), noc, at);
    }
    template <Noc::AddressType type>
    static auto dst_addr(const ShardView<Accessor>& of, const Noc& noc, const dst_args_type& args, ttl_host::Place at) {
        return src_addr<type>(of, noc, args, at);
    }
};

template <>
struct noc_traits_t<tensor_accessor::Page> {
    struct src_args_type {
        uint32_t offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    static auto src_addr(const tensor_accessor::Page& page, const Noc& noc, const src_args_type& args, ttl_host::Place at) {
        return ttl_host::noc_or_local<type>(page.noc_addr() + args.offset_bytes, noc, at);
    }
    template <Noc::AddressType type>
    static auto dst_addr(const tensor_accessor::Page& page, const Noc& noc, const dst_args_type& args, ttl_host::Place at) {
        return src_addr<type>(page, noc, args, at);
    }
};
