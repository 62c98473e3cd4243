// Pointers into L1. On the chip an L1 address is a pointer; on the host the L1 of the core the kernel runs on lies somewhere in
// memory. `reinterpret_cast` between the two therefore translates: an integer becomes a pointer into this core's L1 (the simulator
// checks that the address lies in it), and such a pointer becomes an L1 address again. All other uses keep their meaning. A C-style
// cast of a 32-bit address to a pointer is refused by the compiler, for it could not be translated.
#pragma once

namespace ttl_host {
template <class T> struct no_ref { using type = T; };
template <class T> struct no_ref<T&> { using type = T; };
template <class T> struct no_ref<T&&> { using type = T; };
template <class T> struct no_cv { using type = T; };
template <class T> struct no_cv<const T> { using type = T; };
template <class T> struct no_cv<volatile T> { using type = T; };
template <class T> struct no_cv<const volatile T> { using type = T; };
template <class T> using plain = typename no_cv<typename no_ref<T>::type>::type;

template <class T> struct is_address { static constexpr bool value = false; };
template <> struct is_address<int> { static constexpr bool value = true; };
template <> struct is_address<unsigned> { static constexpr bool value = true; };
template <> struct is_address<long> { static constexpr bool value = true; };
template <> struct is_address<unsigned long> { static constexpr bool value = true; };
template <> struct is_address<long long> { static constexpr bool value = true; };
template <> struct is_address<unsigned long long> { static constexpr bool value = true; };

template <class T> struct is_function { static constexpr bool value = false; };
template <class R, class... A> struct is_function<R(A...)> { static constexpr bool value = true; };
template <class T> struct is_pointer { static constexpr bool value = false; };
template <class T> struct is_pointer<T*> { static constexpr bool value = !is_function<T>::value; };

template <class To, class From>
inline To l1_cast(From&& from, TTL_AT) {
    if constexpr (is_pointer<plain<To>>::value && is_address<plain<From>>::value) {
        const uint64_t address = static_cast<uint64_t>(from);
        if (address >> 32) {
            return reinterpret_cast<To>(address);  // not an L1 address: a pointer that was kept in a uintptr_t
        }
        return static_cast<To>(table->l1_pointer(static_cast<uint32_t>(address), at));
    } else if constexpr (is_address<plain<To>>::value && is_pointer<plain<From>>::value) {
        const uint64_t address = table->l1_address(const_cast<void*>(static_cast<const volatile void*>(from)), at);
        if constexpr (sizeof(To) < sizeof(void*)) {
            if (address >> 32) {
                table->fail("reinterpret_cast to a 32-bit address of a pointer that does not point into this core's L1", at);
            }
        }
        return static_cast<To>(address);
    } else {
        return reinterpret_cast<To>(static_cast<From&&>(from));
    }
}
}  // namespace ttl_host

#define reinterpret_cast ::ttl_host::l1_cast
