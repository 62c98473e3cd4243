//! Lanes of AVX2 and FMA: 8 of them; a mask is a vector of all-ones lanes.

use std::arch::x86_64::*;

use super::Lanes;

#[derive(Clone, Copy)]
pub(in crate::sim::math) struct Avx2;

impl Lanes for Avx2 {
    type V = __m256i;
    type M = __m256i;
    type H = __m256i;
    const N: usize = 8;
    const FAST_FMA: bool = true;

    #[inline(always)]
    unsafe fn load(p: *const u32) -> __m256i {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe { _mm256_loadu_si256(p.cast()) }
    }

    #[inline(always)]
    unsafe fn store(p: *mut u32, v: __m256i) {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe { _mm256_storeu_si256(p.cast(), v) }
    }

    #[inline(always)]
    unsafe fn load16(p: *const u16) -> __m256i {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe { _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast())) }
    }

    #[inline(always)]
    unsafe fn store16(p: *mut u16, v: __m256i) {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe {
            let low = _mm256_and_si256(v, _mm256_set1_epi32(0xFFFF));
            let packed = _mm256_permute4x64_epi64::<0b1000>(_mm256_packus_epi32(low, low));
            _mm_storeu_si128(p.cast(), _mm256_castsi256_si128(packed))
        }
    }

    #[inline(always)]
    unsafe fn splat(x: u32) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_set1_epi32(x as i32) }
    }

    #[inline(always)]
    unsafe fn add(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn sub(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_sub_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn and(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    unsafe fn or(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_or_si256(a, b) }
    }

    #[inline(always)]
    unsafe fn xor(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_xor_si256(a, b) }
    }

    #[inline(always)]
    unsafe fn mul15(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_madd_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn mul_wide(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        // SAFETY: the caller checked the instruction set.
        unsafe {
            let even = _mm256_mul_epu32(a, b);
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            let high = _mm256_blend_epi32::<0xAA>(_mm256_srli_epi64::<32>(even), odd);
            let low = _mm256_blend_epi32::<0xAA>(even, _mm256_slli_epi64::<32>(odd));
            (high, low)
        }
    }

    #[inline(always)]
    unsafe fn max(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_max_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn min(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_min_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn abs(a: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_abs_epi32(a) }
    }

    #[inline(always)]
    unsafe fn shl<const S: u32>(a: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_sll_epi32(a, _mm_cvtsi32_si128(S as i32)) }
    }

    #[inline(always)]
    unsafe fn shr<const S: u32>(a: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_srl_epi32(a, _mm_cvtsi32_si128(S as i32)) }
    }

    #[inline(always)]
    unsafe fn sar<const S: u32>(a: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_sra_epi32(a, _mm_cvtsi32_si128(S as i32)) }
    }

    #[inline(always)]
    unsafe fn shlv(a: __m256i, s: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_sllv_epi32(a, s) }
    }

    #[inline(always)]
    unsafe fn shrv(a: __m256i, s: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_srlv_epi32(a, s) }
    }

    #[inline(always)]
    unsafe fn sarv(a: __m256i, s: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_srav_epi32(a, s) }
    }

    #[inline(always)]
    unsafe fn lookup(table: &[u32; 128], index: __m256i) -> __m256i {
        // SAFETY: indices are below 128; the caller checked the instruction set.
        unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr().cast(), _mm256_and_si256(index, _mm256_set1_epi32(127))) }
    }

    #[inline(always)]
    unsafe fn to_float(a: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_castps_si256(_mm256_cvtepi32_ps(a)) }
    }

    #[inline(always)]
    unsafe fn fma(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe {
            _mm256_castps_si256(_mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(c)))
        }
    }

    #[inline(always)]
    unsafe fn gt(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_cmpgt_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn eq(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_cmpeq_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn mask_and(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    unsafe fn mask_or(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_or_si256(a, b) }
    }

    #[inline(always)]
    unsafe fn mask_not(a: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_xor_si256(a, _mm256_set1_epi32(-1)) }
    }

    #[inline(always)]
    unsafe fn any(m: __m256i) -> bool {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_testz_si256(m, m) == 0 }
    }

    #[inline(always)]
    unsafe fn bits(m: __m256i) -> u32 {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(m)) as u32 }
    }

    #[inline(always)]
    unsafe fn select(m: __m256i, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_blendv_epi8(b, a, m) }
    }

    #[inline(always)]
    unsafe fn keep(m: __m256i, a: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_and_si256(a, m) }
    }

    #[inline(always)]
    unsafe fn load_half(p: *const i16) -> __m256i {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe { _mm256_loadu_si256(p.cast()) }
    }

    #[inline(always)]
    unsafe fn splat_half(x: i16) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_set1_epi16(x) }
    }

    #[inline(always)]
    unsafe fn add_half(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_add_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn max_half(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm256_max_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn as_halves(a: __m256i) -> __m256i {
        a
    }

    #[inline(always)]
    unsafe fn spread(a: __m256i) -> [__m256i; 2] {
        // SAFETY: the caller checked the instruction set.
        unsafe { [_mm256_slli_epi32::<16>(a), _mm256_and_si256(a, _mm256_set1_epi32(0xFFFF_0000u32 as i32))] }
    }

    #[inline(always)]
    unsafe fn widen(a: __m256i) -> [__m256i; 2] {
        // SAFETY: the caller checked the instruction set.
        unsafe {
            [_mm256_cvtepi16_epi32(_mm256_castsi256_si128(a)), _mm256_cvtepi16_epi32(_mm256_extracti128_si256::<1>(a))]
        }
    }
}
