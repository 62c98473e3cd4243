// A typed pointer into this core's L1. Every access is checked against what the program may touch.
#pragma once

#ifndef TTL_COMPUTE_KERNEL
#include "api/dataflow/noc.h"
#endif
#include "api/lock.h"
#include "ttl/arguments.h"

template <typename T, typename AddressType = uintptr_t>
class CoreLocalMem {
    using difference_type = ptrdiff_t;

public:
    CoreLocalMem(AddressType address) : address_(address) {}
    CoreLocalMem(T* ptr) : address_(reinterpret_cast<AddressType>(ptr)) {}

    T* get_unsafe_ptr(TTL_AT) const { return pointer(0, at); }
    AddressType get_address() const { return address_; }

    T& operator[](uint32_t index) const { return *pointer(index, ttl_host::nowhere()); }
    T& operator*() const { return *pointer(0, ttl_host::nowhere()); }
    T* operator->() const { return pointer(0, ttl_host::nowhere()); }

    CoreLocalMem& operator+=(difference_type n) {
        address_ += static_cast<AddressType>(n * static_cast<difference_type>(sizeof(T)));
        return *this;
    }
    CoreLocalMem& operator-=(difference_type n) { return *this += -n; }
    CoreLocalMem& operator++() { return *this += 1; }
    CoreLocalMem& operator--() { return *this -= 1; }
    CoreLocalMem operator++(int) {
        CoreLocalMem old = *this;
        *this += 1;
        return old;
    }
    CoreLocalMem operator--(int) {
        CoreLocalMem old = *this;
        *this -= 1;
        return old;
    }
    CoreLocalMem operator+(difference_type n) const { return CoreLocalMem(*this) += n; }
    CoreLocalMem operator-(difference_type n) const { return CoreLocalMem(*this) -= n; }
    difference_type operator-(const CoreLocalMem& other) const {
        return static_cast<difference_type>(address_ - other.address_) / static_cast<difference_type>(sizeof(T));
    }
    // Locks are for the watcher.
    [[nodiscard]] auto scoped_lock(size_t) const {
        return Lock([] {});
    }

    bool operator==(const CoreLocalMem& other) const { return address_ == other.address_; }
    bool operator!=(const CoreLocalMem& other) const { return address_ != other.address_; }
    bool operator<(const CoreLocalMem& other) const { return address_ < other.address_; }
    bool operator<=(const CoreLocalMem& other) const { return address_ <= other.address_; }
    bool operator>(const CoreLocalMem& other) const { return address_ > other.address_; }
    bool operator>=(const CoreLocalMem& other) const { return address_ >= other.address_; }
    explicit operator bool() const { return address_ != 0; }

private:
    T* pointer(uint32_t index, ttl_host::Place at) const {
        const uint32_t address = static_cast<uint32_t>(address_) + index * static_cast<uint32_t>(sizeof(T));
        return static_cast<T*>(ttl_host::table->l1_pointer(address, at));
    }

    AddressType address_;
};

#ifndef TTL_COMPUTE_KERNEL
template <typename T, typename AddressType>
struct noc_traits_t<CoreLocalMem<T, AddressType>> {
    struct src_args_type {
        AddressType offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    struct dst_args_mcast_type {};
    template <Noc::AddressType address_type>
    static uint32_t src_addr(
        const CoreLocalMem<T, AddressType>& src, const Noc&, const src_args_type& args, ttl_host::Place) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "CoreLocalMem is in this core's L1 only");
        return static_cast<uint32_t>(src.get_address() + args.offset_bytes);
    }
    template <Noc::AddressType address_type>
    static uint32_t dst_addr(
        const CoreLocalMem<T, AddressType>& dst, const Noc&, const dst_args_type& args, ttl_host::Place) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "CoreLocalMem is in this core's L1 only");
        return static_cast<uint32_t>(dst.get_address() + args.offset_bytes);
    }
};
#endif
