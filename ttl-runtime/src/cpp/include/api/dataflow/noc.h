// The NoC as an object: transfers between anything that has `noc_traits_t`.
#pragma once

#include "api/dataflow/dataflow_api.h"

// What a transfer can begin and end at: types of the arguments, and their addresses.
template <typename T>
struct noc_traits_t {
    static_assert(sizeof(T) == 0, "NoC transactions are not supported for this type");
};

enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1u << 0,
    POSTED = 1u << 1,
    CUSTOM_VC = 1u << 2,
    MCAST_INCL_SRC = 1u << 3,
    INLINE_L1 = 1u << 4,
    INLINE_REG = 1u << 5,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) noexcept {
    return static_cast<NocOptions>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr bool has_flag(NocOptions opts, NocOptions flag) noexcept {
    return (static_cast<uint32_t>(opts) & static_cast<uint32_t>(flag)) != 0;
}

struct NocOptVals {
    uint32_t vc = NOC_UNICAST_WRITE_VC;
    uint32_t trid = 0;
};

class Noc {
public:
    enum class AddressType { NOC, LOCAL_L1 };
    static constexpr uint32_t INVALID_TXN_ID = 0xFFFFFFFF;

private:
    template <typename T>
    using src_args_t = typename noc_traits_t<T>::src_args_type;
    template <typename T>
    using dst_args_t = typename noc_traits_t<T>::dst_args_type;
    template <typename T>
    using dst_args_mcast_t = typename noc_traits_t<T>::dst_args_mcast_type;
    static constexpr auto NOC = AddressType::NOC;
    static constexpr auto LOCAL_L1 = AddressType::LOCAL_L1;

public:
    Noc() : noc_id_(noc_index) {}
    explicit Noc(uint8_t noc_id) : noc_id_(noc_id) {}
    uint8_t get_noc_id() const { return noc_id_; }

    bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y, TTL_AT) const {
        return virtual_x == ttl_host::table->own_noc_x(at) && virtual_y == ttl_host::table->own_noc_y(at);
    }
    bool is_local_addr(uint64_t noc_addr, TTL_AT) const {
        return noc_addr == ttl_host::table->noc_addr_own(noc_id_, static_cast<uint32_t>(noc_addr), at);
    }

    template <
        NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true, typename Src, typename Dst>
    void async_read(
        const Src& src, const Dst& dst, uint32_t size_bytes, const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args, const NocOptVals& vals = {}, TTL_AT) const {
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            ::noc_async_read_set_trid(vals.trid, noc_id_, at);
        }
        const uint64_t from = noc_traits_t<Src>::template src_addr<NOC>(src, *this, src_args, at);
        const uint32_t to = noc_traits_t<Dst>::template dst_addr<LOCAL_L1>(dst, *this, dst_args, at);
        ::noc_async_read<max_page_size>(from, to, size_bytes, noc_id_, NOC_UNICAST_WRITE_VC, at);
    }

    template <
        NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true, typename Src, typename Dst>
    void async_write(
        const Src& src, const Dst& dst, uint32_t size_bytes, const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args, const NocOptVals& vals = {}, TTL_AT) const {
        constexpr bool posted = has_flag(opts, NocOptions::POSTED);
        const uint32_t from = noc_traits_t<Src>::template src_addr<LOCAL_L1>(src, *this, src_args, at);
        const uint64_t to = noc_traits_t<Dst>::template dst_addr<NOC>(dst, *this, dst_args, at);
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            ::noc_async_write_one_packet_with_trid<true, posted>(
                from, to, size_bytes, vals.trid, write_cmd_buf, noc_id_, NOC_UNICAST_WRITE_VC, at);
        } else {
            ::noc_async_write<max_page_size, true, posted>(from, to, size_bytes, noc_id_, NOC_UNICAST_WRITE_VC, at);
        }
    }

    // In two parts: the first names the far core, the second only what differs.
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src>
    void set_async_read_state(
        const Src& src, uint32_t size_bytes, const src_args_t<Src>& src_args, const NocOptVals& vals = {}, TTL_AT) const {
        const uint64_t from = noc_traits_t<Src>::template src_addr<NOC>(src, *this, src_args, at);
        if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            ::noc_async_read_one_packet_set_state(from, size_bytes, 0, noc_id_, at);
        } else {
            ::noc_async_read_set_state(from, noc_id_, at);
        }
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            ::noc_async_read_set_trid(vals.trid, noc_id_, at);
        }
    }
    template <
        NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src, typename Dst>
    void async_read_with_state(
        const Src& src, const Dst& dst, uint32_t size_bytes, const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args, const NocOptVals& vals = {}, TTL_AT) const {
        const auto from = static_cast<uint32_t>(noc_traits_t<Src>::template src_addr<NOC>(src, *this, src_args, at));
        const uint32_t to = noc_traits_t<Dst>::template dst_addr<LOCAL_L1>(dst, *this, dst_args, at);
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            static_assert(max_page_size <= NOC_MAX_BURST_SIZE, "Noc::async_read_with_state<TXN_ID>: one packet at a time");
            ::noc_async_read_one_packet_with_state_with_trid(0, from, to, vals.trid, noc_id_, at);
        } else if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            ::noc_async_read_one_packet_with_state(from, to, 0, noc_id_, at);
        } else {
            ::noc_async_read_with_state(from, to, size_bytes, noc_id_, at);
        }
    }
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Dst>
    void set_async_write_state(
        const Dst& dst, uint32_t size_bytes, const dst_args_t<Dst>& dst_args, const NocOptVals& = {}, TTL_AT) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "Noc::set_async_write_state: without a transaction id");
        constexpr bool posted = has_flag(opts, NocOptions::POSTED);
        const uint64_t to = noc_traits_t<Dst>::template dst_addr<NOC>(dst, *this, dst_args, at);
        if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            ::noc_async_write_one_packet_set_state<posted>(to, size_bytes, noc_id_, NOC_UNICAST_WRITE_VC, at);
        } else {
            ::noc_async_write_set_state<posted>(to, noc_id_, NOC_UNICAST_WRITE_VC, at);
        }
    }
    template <
        NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src, typename Dst>
    void async_write_with_state(
        const Src& src, const Dst& dst, uint32_t size_bytes, const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args, const NocOptVals& = {}, TTL_AT) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "Noc::async_write_with_state: without a transaction id");
        constexpr bool posted = has_flag(opts, NocOptions::POSTED);
        const uint32_t from = noc_traits_t<Src>::template src_addr<LOCAL_L1>(src, *this, src_args, at);
        const auto to = static_cast<uint32_t>(noc_traits_t<Dst>::template dst_addr<NOC>(dst, *this, dst_args, at));
        if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            ::noc_async_write_one_packet_with_state<posted>(from, to, noc_id_, at);
        } else {
            ::noc_async_write_with_state<posted>(from, to, size_bytes, noc_id_, at);
        }
    }

    // A word that travels in the request.
    template <NocOptions opts = NocOptions::DEFAULT, typename Dst>
    void inline_dw_write(
        const Dst& dst, uint32_t val, const dst_args_t<Dst>& dst_args, uint8_t be = 0xF, const NocOptVals& = {},
        TTL_AT) const {
        static_assert(!has_flag(opts, NocOptions::INLINE_REG), "Noc::inline_dw_write<INLINE_REG>: registers are not simulated");
        constexpr auto type = has_flag(opts, NocOptions::INLINE_L1) ? InlineWriteDst::L1 : InlineWriteDst::DEFAULT;
        const uint64_t to = noc_traits_t<Dst>::template dst_addr<NOC>(dst, *this, dst_args, at);
        ::noc_inline_dw_write<type, has_flag(opts, NocOptions::POSTED)>(
            to, val, be, noc_id_, NOC_UNICAST_WRITE_VC, 0, at);
    }

    template <
        NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true, typename Src, typename Dst>
    void async_write_multicast(
        const Src& src, const Dst& dst, uint32_t size_bytes, uint32_t num_dsts, const src_args_t<Src>& src_args,
        const dst_args_mcast_t<Dst>& dst_args, bool linked = false, TTL_AT) const {
        static_assert(
            !has_flag(opts, NocOptions::TXN_ID) && !has_flag(opts, NocOptions::POSTED),
            "Noc::async_write_multicast: neither transaction ids nor posted writes are supported");
        const uint32_t from = noc_traits_t<Src>::template src_addr<LOCAL_L1>(src, *this, src_args, at);
        const uint64_t to = noc_traits_t<Dst>::template dst_addr_mcast<NOC>(dst, *this, dst_args, at);
        if constexpr (has_flag(opts, NocOptions::MCAST_INCL_SRC)) {
            ::noc_async_write_multicast_loopback_src(from, to, size_bytes, num_dsts, linked, noc_id_, at);
        } else {
            ::noc_async_write_multicast<max_page_size>(
                from, to, size_bytes, num_dsts, linked, noc_id_, NOC_MULTICAST_WRITE_VC, at);
        }
    }

    template <NocOptions opts = NocOptions::DEFAULT>
    void async_read_barrier(const NocOptVals& vals = {}, TTL_AT) const {
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            ::noc_async_read_barrier_with_trid(vals.trid, noc_id_, at);
        } else {
            ::noc_async_read_barrier(noc_id_, at);
        }
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_write_barrier(const NocOptVals& vals = {}, TTL_AT) const {
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            ::noc_async_write_barrier_with_trid(vals.trid, noc_id_, at);
        } else {
            ::noc_async_write_barrier(noc_id_, at);
        }
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_writes_flushed(const NocOptVals& vals = {}, TTL_AT) const {
        if constexpr (has_flag(opts, NocOptions::POSTED)) {
            ::noc_async_posted_writes_flushed(noc_id_, at);
        } else if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            ::noc_async_write_flushed_with_trid(vals.trid, noc_id_, at);
        } else {
            ::noc_async_writes_flushed(noc_id_, at);
        }
    }
    // Zeros in this core's L1.
    template <typename Dst>
    void async_write_zeros(const Dst& dst, uint32_t size_bytes, const dst_args_t<Dst>& args = {}, TTL_AT) const {
        const uint32_t first = noc_traits_t<Dst>::template dst_addr<LOCAL_L1>(dst, *this, args, at);
        ttl_host::table->noc_async_write_zeros(noc_id_, first, size_bytes, at);
    }
    void write_zeros_l1_barrier(TTL_AT) const { ::noc_async_read_barrier(noc_id_, at); }

    void async_atomic_barrier(TTL_AT) const { ::noc_async_atomic_barrier(noc_id_, at); }
    void async_full_barrier(TTL_AT) const { ::noc_async_full_barrier(noc_id_, at); }

private:
    uint8_t noc_id_;
};
