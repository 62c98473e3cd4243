// Where the pages of a tensor lie: the simulator says it, with the same decoder as the host and the native kernels.
#pragma once

#include <array>

#include "api/tensor/tensor_accessor_args.h"
#include "api/tensor/tensor_binding_token.h"
#include "ttl/arguments.h"

namespace ttl_host {
// Pages of a tensor in its dimensions, shards and banks. Interleaved tensors have none of that.
template <size_t Offset>
struct Dspec {
    using Args = TensorAccessorArgs<Offset>;
    static constexpr bool is_interleaved = !Args::is_sharded;
    static constexpr bool is_dram = Args::is_dram;
    static constexpr bool is_static = true;
    static constexpr bool has_static_rank = true;
    static constexpr uint32_t rank_ct = Args::RankCT;
    using Shape = std::array<uint32_t, rank_ct ? rank_ct : 1>;

    static constexpr uint32_t rank() { return rank_ct; }
    static constexpr uint32_t num_banks() { return Args::NumBanksCT; }
    static constexpr Shape tensor_shape() { return words(Args::TensorShapeCTAOffset); }
    static constexpr Shape shard_shape() { return words(Args::ShardShapeCTAOffset); }
    static constexpr uint32_t tensor_volume() { return product(tensor_shape()); }
    static constexpr uint32_t shard_volume() { return product(shard_shape()); }
    static constexpr Shape shard_grid() {
        Shape grid{};
        for (uint32_t i = 0; i < rank_ct; ++i) {
            grid[i] = (tensor_shape()[i] + shard_shape()[i] - 1) / shard_shape()[i];
        }
        return grid;
    }
    static constexpr uint32_t num_shards() { return product(shard_grid()); }

private:
    static constexpr Shape words(uint32_t offset) {
        Shape out{};
        for (uint32_t i = 0; i < rank_ct; ++i) {
            out[i] = kernel_compile_time_args[offset + i];
        }
        return out;
    }
    static constexpr uint32_t product(Shape shape) {
        uint32_t n = 1;
        for (uint32_t i = 0; i < rank_ct; ++i) {
            n *= shape[i];
        }
        return n;
    }
};
}  // namespace ttl_host

namespace tensor_accessor {
class Page {
public:
    Page(uint64_t noc_addr, uint32_t page_id) : noc_addr_(noc_addr), page_id_(page_id) {}
    uint64_t noc_addr() const { return noc_addr_; }
    uint32_t page_id() const { return page_id_; }

private:
    uint64_t noc_addr_;
    uint32_t page_id_;
};

// Pages of a tensor one after another, for a `for` loop.
template <typename Accessor>
class Pages {
public:
    class iterator {
    public:
        iterator(const Pages* of, uint32_t page) : of_(of), page_(page) {}
        Page operator*() const { return Page(of_->accessor_->get_noc_addr(page_, 0, of_->noc_, of_->at_), page_); }
        iterator& operator++() {
            page_ += of_->step_;
            return *this;
        }
        bool operator!=(const iterator& other) const { return page_ < other.page_; }
        bool operator==(const iterator& other) const { return !(*this != other); }

    private:
        const Pages* of_;
        uint32_t page_;
    };
    Pages(const Accessor& accessor, uint32_t start, uint32_t end, uint32_t step, uint8_t noc, ttl_host::Place at) :
        accessor_(&accessor), start_(start), end_(end), step_(step), noc_(noc), at_(at) {}
    iterator begin() const { return iterator(this, start_); }
    iterator end() const { return iterator(this, end_); }

private:
    const Accessor* accessor_;
    uint32_t start_, end_, step_;
    uint8_t noc_;
    ttl_host::Place at_;
};
}  // namespace tensor_accessor

template <typename DSpecT>
struct TensorAccessor {
    using DSpec = DSpecT;
    static constexpr bool is_dram = DSpec::is_dram;

    template <size_t CTA_OFFSET, size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args, size_t base, TTL_AT) :
        bank_base_address(static_cast<uint32_t>(base)), aligned_page_size(kernel_compile_time_args[CTA_OFFSET + 1]) {
        ttl_host::table->accessor(state, kernel_compile_time_args.data() + CTA_OFFSET, args.num_compile_time_args(), 0, at);
    }
    // With another page size: transfers have this size, and pages lie apart by it, rounded up to the memory's alignment.
    template <size_t CTA_OFFSET, size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args, size_t base, uint32_t page_size, TTL_AT) :
        bank_base_address(static_cast<uint32_t>(base)), aligned_page_size(page_size) {
        ttl_host::table->accessor(
            state, kernel_compile_time_args.data() + CTA_OFFSET, args.num_compile_time_args(), page_size, at);
    }

    // By name: the address is a common runtime argument.
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>, TTL_AT) :
        TensorAccessor(TensorAccessorArgs<CTA_OFFSET>{}, get_common_arg_val<uint32_t>(ADDR_CRTA_OFFSET / 4, at), at) {}

    static constexpr DSpec dspec() { return {}; }
    uint32_t get_aligned_page_size() const { return aligned_page_size; }
    uint32_t get_bank_base_address() const { return bank_base_address; }

    uint64_t get_noc_addr(uint32_t page_id, uint32_t offset = 0, uint8_t noc = noc_index, TTL_AT) const {
        return ttl_host::table->accessor_noc_addr(noc, state, bank_base_address, page_id, offset, at);
    }
    // By the coordinates of a page, of a sharded tensor.
    template <typename Coord, typename = decltype(Coord{}[0])>
    uint64_t get_noc_addr(const Coord& page_coord, uint32_t offset = 0, uint8_t noc = noc_index, TTL_AT) const {
        uint32_t page = 0;
        for (uint32_t i = 0; i < DSpec::rank(); ++i) {
            page = page * DSpec::tensor_shape()[i] + page_coord[i];
        }
        return get_noc_addr(page, offset, noc, at);
    }
    uint64_t get_shard_noc_addr(uint32_t shard_id, uint32_t offset = 0, uint8_t noc = noc_index, TTL_AT) const {
        static_assert(!DSpec::is_interleaved, "TensorAccessor::get_shard_noc_addr: an interleaved tensor has no shards");
        typename DSpec::Shape first{};
        for (uint32_t i = DSpec::rank(); i-- > 0;) {
            // The outermost is not wrapped, so that a shard past the end is found to be one.
            first[i] = (i == 0 ? shard_id : shard_id % DSpec::shard_grid()[i]) * DSpec::shard_shape()[i];
            shard_id /= DSpec::shard_grid()[i];
        }
        return get_noc_addr(first, offset, noc, at);
    }
    bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y, uint8_t = noc_index, TTL_AT) const {
        return virtual_x == ttl_host::table->own_noc_x(at) && virtual_y == ttl_host::table->own_noc_y(at);
    }
    bool is_local_addr(uint64_t noc_addr, uint8_t noc = noc_index, TTL_AT) const {
        return noc_addr == ttl_host::table->noc_addr_own(noc, static_cast<uint32_t>(noc_addr), at);
    }
    bool is_local_page(uint32_t page_id, uint8_t noc = noc_index, TTL_AT) const {
        return is_local_addr(get_noc_addr(page_id, 0, noc, at), noc, at);
    }
    bool is_local_shard(uint32_t shard_id, uint8_t noc = noc_index, TTL_AT) const {
        return is_local_addr(get_shard_noc_addr(shard_id, 0, noc, at), noc, at);
    }
    // Without an end: all pages of a sharded tensor.
    auto pages(uint32_t start_page_id = 0, uint32_t end_page_id = 0, uint8_t noc = noc_index, TTL_AT) const {
        const uint32_t end = end_page_id == 0 ? DSpec::tensor_volume() : end_page_id;
        return tensor_accessor::Pages<TensorAccessor>(*this, start_page_id, end, 1, noc, at);
    }

    uint32_t bank_base_address;
    uint32_t aligned_page_size;
    // The simulator's own description of the tensor.
    alignas(ttl_host::accessor_align) unsigned char state[ttl_host::accessor_size];
};

template <size_t CTA_OFFSET, size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, size_t) -> TensorAccessor<ttl_host::Dspec<CTA_OFFSET>>;
template <size_t CTA_OFFSET, size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, size_t, uint32_t)
    -> TensorAccessor<ttl_host::Dspec<CTA_OFFSET>>;

template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>) -> TensorAccessor<ttl_host::Dspec<CTA_OFFSET>>;

// Accessors of several tensors, whose addresses follow each other among the runtime arguments.
template <typename... Args, uint32_t... Indexes>
auto make_tensor_accessor_tuple_uniform_page_size_impl(
    const std::tuple<Args...>& args, uint32_t address_rt_arg_index, uint32_t page_size,
    std::integer_sequence<uint32_t, Indexes...>) {
    return std::make_tuple(TensorAccessor(
        std::get<Indexes>(args), get_arg_val<uint32_t>(static_cast<int>(address_rt_arg_index + Indexes)), page_size)...);
}
template <typename... Args>
auto make_tensor_accessor_tuple_uniform_page_size(
    const std::tuple<Args...>& args, uint32_t address_rt_arg_index, uint32_t page_size) {
    return make_tensor_accessor_tuple_uniform_page_size_impl(
        args, address_rt_arg_index, page_size, std::make_integer_sequence<uint32_t, sizeof...(Args)>());
}
template <typename... Args, uint32_t... Indexes>
auto make_tensor_accessor_tuple_impl(
    const std::tuple<Args...>& args, uint32_t address_rt_arg_index, std::integer_sequence<uint32_t, Indexes...>) {
    return std::make_tuple(TensorAccessor(
        std::get<Indexes>(args), get_arg_val<uint32_t>(static_cast<int>(address_rt_arg_index + Indexes)))...);
}
template <typename... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, uint32_t address_rt_arg_index) {
    return make_tensor_accessor_tuple_impl(
        args, address_rt_arg_index, std::make_integer_sequence<uint32_t, sizeof...(Args)>());
}

// Accessors of different types in one array.
class AbstractTensorAccessorWrapper {
public:
    AbstractTensorAccessorWrapper() = default;
    template <typename DSpec>
    AbstractTensorAccessorWrapper(const TensorAccessor<DSpec>& accessor) :
        accessor_(&accessor),
        address_([](const void* accessor, uint32_t page, uint32_t offset, uint8_t noc, ttl_host::Place at) {
            return static_cast<const TensorAccessor<DSpec>*>(accessor)->get_noc_addr(page, offset, noc, at);
        }) {}
    uint64_t get_noc_addr(uint32_t page_idx, uint32_t offset = 0, uint8_t noc = noc_index, TTL_AT) const {
        return address_(accessor_, page_idx, offset, noc, at);
    }

private:
    const void* accessor_ = nullptr;
    uint64_t (*address_)(const void*, uint32_t, uint32_t, uint8_t, ttl_host::Place) = nullptr;
};
template <typename... Accessors>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...>& accessors) {
    return std::apply(
        [](const auto&... each) {
            return std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>{AbstractTensorAccessorWrapper(each)...};
        },
        accessors);
}

template <typename Accessor>
struct PageView {
    const Accessor& accessor;
    explicit PageView(const Accessor& acc) : accessor(acc) {}
    uint64_t get_noc_addr(uint32_t page_id, uint32_t offset, uint8_t noc, TTL_AT) const {
        return accessor.get_noc_addr(page_id, offset, noc, at);
    }
};
template <typename Accessor>
struct ShardView {
    const Accessor& accessor;
    explicit ShardView(const Accessor& acc) : accessor(acc) {}
    bool is_local_shard(uint32_t shard_id, uint8_t noc, TTL_AT) const { return accessor.is_local_shard(shard_id, noc, at); }
    uint64_t get_noc_addr(uint32_t shard_id, uint32_t offset, uint8_t noc, TTL_AT) const {
        return accessor.get_shard_noc_addr(shard_id, offset, noc, at);
    }
};
