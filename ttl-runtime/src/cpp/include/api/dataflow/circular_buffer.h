// A circular buffer as an object.
#pragma once

#ifndef TTL_COMPUTE_KERNEL
#include "api/dataflow/noc.h"
#endif
#include "api/lock.h"
#include "ttl/local_buffer.h"

class CircularBuffer : public ttl_host::Buffer {
public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };

    constexpr explicit CircularBuffer(uint32_t cb_id) : Buffer(cb_id) {}
    constexpr uint32_t get_cb_id() const { return id_; }

    // Locks are for the watcher.
    [[nodiscard]] auto scoped_lock() const {
        return Lock([] {});
    }
};

#ifndef TTL_COMPUTE_KERNEL

// The other pointer of a buffer as the end of a transfer.
template <CircularBuffer::AddrSelector AddrSel>
struct CircularBufferView {
    const CircularBuffer& cb;
    explicit constexpr CircularBufferView(const CircularBuffer& c) : cb(c) {}
};
template <CircularBuffer::AddrSelector AddrSel>
constexpr auto use(const CircularBuffer& cb) {
    return CircularBufferView<AddrSel>(cb);
}

namespace ttl_host {
// Transfers from the front of a buffer and to its back.
template <class B>
struct BufferTraits {
    struct src_args_type {
        uint32_t offset_bytes{};
    };
    using dst_args_type = src_args_type;
    struct dst_args_mcast_type {
        uint32_t noc_x_start{};
        uint32_t noc_y_start{};
        uint32_t noc_x_end{};
        uint32_t noc_y_end{};
        uint32_t offset_bytes{};
    };
    template <Noc::AddressType address_type>
    static uint32_t src_addr(const B& src, const Noc&, const src_args_type& args, Place at) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "a buffer without a rectangle is in this core's L1 only");
        return src.get_read_ptr(at) + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    static uint32_t dst_addr(const B& dst, const Noc&, const dst_args_type& args, Place at) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "a buffer without a rectangle is in this core's L1 only");
        return dst.get_write_ptr(at) + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    static uint64_t dst_addr_mcast(const B& dst, const Noc& noc, const dst_args_mcast_type& args, Place at) {
        return ::get_noc_multicast_addr(
            args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, dst.get_write_ptr(at) + args.offset_bytes,
            noc.get_noc_id(), at);
    }
};

// Both ways at the same pointer.
template <CircularBuffer::AddrSelector AddrSel>
struct ViewOf {
    const CircularBuffer& cb;
    uint32_t pointer(Place at) const {
        return AddrSel == CircularBuffer::AddrSelector::READ_PTR ? cb.get_read_ptr(at) : cb.get_write_ptr(at);
    }
    uint32_t get_read_ptr(Place at) const { return pointer(at); }
    uint32_t get_write_ptr(Place at) const { return pointer(at); }
};
}  // namespace ttl_host

template <>
struct noc_traits_t<CircularBuffer> : ttl_host::BufferTraits<CircularBuffer> {};

template <CircularBuffer::AddrSelector AddrSel>
struct noc_traits_t<CircularBufferView<AddrSel>> {
    using Traits = ttl_host::BufferTraits<ttl_host::ViewOf<AddrSel>>;
    using src_args_type = typename Traits::src_args_type;
    using dst_args_type = typename Traits::dst_args_type;
    using dst_args_mcast_type = typename Traits::dst_args_mcast_type;
    using View = CircularBufferView<AddrSel>;
    template <Noc::AddressType type>
    static auto src_addr(const View& view, const Noc& noc, const src_args_type& args, ttl_host::Place at) {
        return Traits::template src_addr<type>({view.cb}, noc, args, at);
    }
    template <Noc::AddressType type>
    static auto dst_addr(const View& view, const Noc& noc, const dst_args_type& args, ttl_host::Place at) {
        return Traits::template dst_addr<type>({view.cb}, noc, args, at);
    }
    template <Noc::AddressType type>
    static auto dst_addr_mcast(const View& view, const Noc& noc, const dst_args_mcast_type& args, ttl_host::Place at) {
        return Traits::template dst_addr_mcast<type>({view.cb}, noc, args, at);
    }
};
#endif
