//! A vector of 32-bit lanes: one set of operations with an implementation per instruction set.
//!
//! The numerics above are written once, generic over [`Lanes`], and compiled for each instruction set; [`dispatch!`] picks one when
//! the program runs. Every operation is exact integer or IEEE arithmetic, so that all implementations give the same bits.
//!
//! All functions are unsafe for one reason: the processor must have the instruction set of the implementation.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512;
pub(super) use portable::Portable;

/// Vectors of `N` lanes of 32 bits. Lanes are integers or the bits of floats, as each operation says. Shift counts outside 0..32
/// give 0 (logical) or the sign (arithmetic), like the vector shifts of x86.
pub(super) trait Lanes: Copy {
    type V: Copy;
    /// One truth value per lane.
    type M: Copy;
    /// Twice as many lanes of 16 bits.
    type H: Copy;
    const N: usize;
    /// Whether `fma` is one instruction.
    const FAST_FMA: bool;

    unsafe fn load(p: *const u32) -> Self::V;
    unsafe fn store(p: *mut u32, v: Self::V);
    /// 16-bit memory, zero-extended; and the low halves back.
    unsafe fn load16(p: *const u16) -> Self::V;
    unsafe fn store16(p: *mut u16, v: Self::V);
    unsafe fn splat(x: u32) -> Self::V;

    unsafe fn add(a: Self::V, b: Self::V) -> Self::V;
    unsafe fn sub(a: Self::V, b: Self::V) -> Self::V;
    unsafe fn and(a: Self::V, b: Self::V) -> Self::V;
    unsafe fn or(a: Self::V, b: Self::V) -> Self::V;
    unsafe fn xor(a: Self::V, b: Self::V) -> Self::V;
    /// Product of lanes that are below 2^15.
    unsafe fn mul15(a: Self::V, b: Self::V) -> Self::V;
    /// Upper and lower 32 bits of the unsigned product.
    unsafe fn mul_wide(a: Self::V, b: Self::V) -> (Self::V, Self::V);
    /// Larger and smaller of signed lanes, and the magnitude.
    unsafe fn max(a: Self::V, b: Self::V) -> Self::V;
    unsafe fn min(a: Self::V, b: Self::V) -> Self::V;
    unsafe fn abs(a: Self::V) -> Self::V;

    unsafe fn shl<const S: u32>(a: Self::V) -> Self::V;
    unsafe fn shr<const S: u32>(a: Self::V) -> Self::V;
    unsafe fn sar<const S: u32>(a: Self::V) -> Self::V;
    unsafe fn shlv(a: Self::V, s: Self::V) -> Self::V;
    unsafe fn shrv(a: Self::V, s: Self::V) -> Self::V;
    unsafe fn sarv(a: Self::V, s: Self::V) -> Self::V;

    /// `table[index & 127]`.
    unsafe fn lookup(table: &[u32; 128], index: Self::V) -> Self::V;

    /// Signed integer to the nearest float, ties to even.
    unsafe fn to_float(a: Self::V) -> Self::V;
    /// IEEE `a * b + c` with one rounding.
    unsafe fn fma(a: Self::V, b: Self::V, c: Self::V) -> Self::V;

    /// Signed comparison, equality, and their masks.
    unsafe fn gt(a: Self::V, b: Self::V) -> Self::M;
    unsafe fn eq(a: Self::V, b: Self::V) -> Self::M;
    unsafe fn mask_and(a: Self::M, b: Self::M) -> Self::M;
    unsafe fn mask_or(a: Self::M, b: Self::M) -> Self::M;
    unsafe fn mask_not(a: Self::M) -> Self::M;
    unsafe fn any(m: Self::M) -> bool;
    /// Bit `i` is lane `i`.
    unsafe fn bits(m: Self::M) -> u32;
    /// `a` where the mask is true, else `b`; and `a` where true, else 0.
    unsafe fn select(m: Self::M, a: Self::V, b: Self::V) -> Self::V;
    unsafe fn keep(m: Self::M, a: Self::V) -> Self::V;

    unsafe fn load_half(p: *const i16) -> Self::H;
    unsafe fn splat_half(x: i16) -> Self::H;
    unsafe fn add_half(a: Self::H, b: Self::H) -> Self::H;
    unsafe fn max_half(a: Self::H, b: Self::H) -> Self::H;
    /// Words as halves.
    unsafe fn as_halves(a: Self::V) -> Self::H;
    /// The lower and the upper half of each word, as the upper half of a word.
    unsafe fn spread(a: Self::H) -> [Self::V; 2];
    /// The lower and the upper lanes, with sign.
    unsafe fn widen(a: Self::H) -> [Self::V; 2];

    // What follows from the above.

    /// `a`, negated where `sign` is -1; `sign` is 0 or -1.
    #[inline(always)]
    unsafe fn signed(a: Self::V, sign: Self::V) -> Self::V {
        // SAFETY: passed on to the caller.
        unsafe { Self::sub(Self::xor(a, sign), sign) }
    }
    #[inline(always)]
    unsafe fn not_eq(a: Self::V, b: Self::V) -> Self::M {
        // SAFETY: passed on to the caller.
        unsafe { Self::mask_not(Self::eq(a, b)) }
    }
    /// Biased exponent of a float.
    #[inline(always)]
    unsafe fn exponent(a: Self::V) -> Self::V {
        // SAFETY: passed on to the caller.
        unsafe { Self::shr::<24>(Self::shl::<1>(a)) }
    }
}

/// Defines `fn $name($args)` that runs `$generic::<L, $constant...>` with the widest vectors of this processor.
macro_rules! dispatch {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) = $generic:ident $([$($constant:expr),*])?) => {
        $(#[$doc])*
        $vis fn $name($($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx2,fma")]
                fn wide($($arg: $ty),*) {
                    // SAFETY: this function is only called where the processor has these features.
                    unsafe { $generic::<$crate::sim::math::lanes::Avx512 $($(, $constant)*)?>($($arg),*) }
                }
                #[target_feature(enable = "avx2,fma")]
                fn narrow($($arg: $ty),*) {
                    // SAFETY: as above.
                    unsafe { $generic::<$crate::sim::math::lanes::Avx2 $($(, $constant)*)?>($($arg),*) }
                }
                match $crate::sim::math::lanes::level() {
                    // SAFETY: `level` says that the processor has the features.
                    $crate::sim::math::lanes::Level::Avx512 => return unsafe { wide($($arg),*) },
                    // SAFETY: as above.
                    $crate::sim::math::lanes::Level::Avx2 => return unsafe { narrow($($arg),*) },
                    $crate::sim::math::lanes::Level::Portable => {}
                }
            }
            // SAFETY: the portable lanes need nothing.
            unsafe { $generic::<$crate::sim::math::lanes::Portable $($(, $constant)*)?>($($arg),*) }
        }
    };
}
pub(super) use dispatch;

/// Instruction sets, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(super) enum Level {
    Portable,
    Avx2,
    Avx512,
}

#[cfg(target_arch = "x86_64")]
pub(super) fn detect() -> Level {
    let has512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512cd");
    if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("fma") {
        Level::Portable
    } else if has512 {
        Level::Avx512
    } else {
        Level::Avx2
    }
}

#[cfg(target_arch = "x86_64")]
static LEVEL: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(u8::MAX);

/// Runs `f` once for every instruction set of this processor. Tests that do this run one after the other.
#[cfg(test)]
pub(super) fn for_each_level(mut f: impl FnMut(Level)) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::sync::atomic::Ordering::Relaxed;
        static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _guard = LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for level in [Level::Portable, Level::Avx2, Level::Avx512] {
            if level <= detect() {
                LEVEL.store(level as u8, Relaxed);
                f(level);
            }
        }
        LEVEL.store(u8::MAX, Relaxed);
    }
    #[cfg(not(target_arch = "x86_64"))]
    f(Level::Portable);
}

/// What the dispatched functions use: the best level, unless a test or `TTL_SIMD=portable|avx2` lowers it.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn level() -> Level {
    use std::sync::atomic::Ordering::Relaxed;
    #[cold]
    fn first() -> u8 {
        let limit = match std::env::var("TTL_SIMD").as_deref() {
            Ok("portable") => Level::Portable,
            Ok("avx2") => Level::Avx2,
            _ => Level::Avx512,
        };
        let level = detect().min(limit) as u8;
        LEVEL.store(level, Relaxed);
        level
    }
    let cached = LEVEL.load(Relaxed);
    match if cached == u8::MAX { first() } else { cached } {
        2 => Level::Avx512,
        1 => Level::Avx2,
        _ => Level::Portable,
    }
}
