//! Lanes of AVX-512: 16 of them, with mask registers.

use std::arch::x86_64::*;

use super::Lanes;

#[derive(Clone, Copy)]
pub(in crate::sim::math) struct Avx512;

impl Lanes for Avx512 {
    type V = __m512i;
    type M = __mmask16;
    type H = __m512i;
    const N: usize = 16;
    const FAST_FMA: bool = true;

    #[inline(always)]
    unsafe fn load(p: *const u32) -> __m512i {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe { _mm512_loadu_si512(p.cast()) }
    }

    #[inline(always)]
    unsafe fn store(p: *mut u32, v: __m512i) {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe { _mm512_storeu_si512(p.cast(), v) }
    }

    #[inline(always)]
    unsafe fn load16(p: *const u16) -> __m512i {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe { _mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast())) }
    }

    #[inline(always)]
    unsafe fn store16(p: *mut u16, v: __m512i) {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe { _mm256_storeu_si256(p.cast(), _mm512_cvtepi32_epi16(v)) }
    }

    #[inline(always)]
    unsafe fn splat(x: u32) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_set1_epi32(x as i32) }
    }

    #[inline(always)]
    unsafe fn add(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn sub(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_sub_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn and(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    unsafe fn or(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    unsafe fn xor(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_xor_si512(a, b) }
    }

    #[inline(always)]
    unsafe fn mul15(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_madd_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn mul_wide(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        // SAFETY: the caller checked the instruction set.
        unsafe {
            let even = _mm512_mul_epu32(a, b);
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
            let high = _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64::<32>(even), odd);
            let low = _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64::<32>(odd));
            (high, low)
        }
    }

    #[inline(always)]
    unsafe fn max(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_max_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn min(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_min_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn abs(a: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_abs_epi32(a) }
    }

    #[inline(always)]
    unsafe fn shl<const S: u32>(a: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_slli_epi32::<S>(a) }
    }

    #[inline(always)]
    unsafe fn shr<const S: u32>(a: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_srli_epi32::<S>(a) }
    }

    #[inline(always)]
    unsafe fn sar<const S: u32>(a: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_srai_epi32::<S>(a) }
    }

    #[inline(always)]
    unsafe fn shlv(a: __m512i, s: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_sllv_epi32(a, s) }
    }

    #[inline(always)]
    unsafe fn shrv(a: __m512i, s: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_srlv_epi32(a, s) }
    }

    #[inline(always)]
    unsafe fn sarv(a: __m512i, s: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_srav_epi32(a, s) }
    }

    #[inline(always)]
    unsafe fn lookup(table: &[u32; 128], index: __m512i) -> __m512i {
        // SAFETY: indices are below 128; the caller checked the instruction set.
        unsafe { _mm512_i32gather_epi32::<4>(_mm512_and_si512(index, _mm512_set1_epi32(127)), table.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn to_float(a: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_castps_si512(_mm512_cvtepi32_ps(a)) }
    }

    #[inline(always)]
    unsafe fn fma(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe {
            _mm512_castps_si512(_mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), _mm512_castsi512_ps(c)))
        }
    }

    #[inline(always)]
    unsafe fn gt(a: __m512i, b: __m512i) -> __mmask16 {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_cmpgt_epi32_mask(a, b) }
    }

    #[inline(always)]
    unsafe fn eq(a: __m512i, b: __m512i) -> __mmask16 {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_cmpeq_epi32_mask(a, b) }
    }

    #[inline(always)]
    unsafe fn select(m: __mmask16, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_mask_blend_epi32(m, b, a) }
    }

    #[inline(always)]
    unsafe fn keep(m: __mmask16, a: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_maskz_mov_epi32(m, a) }
    }

    #[inline(always)]
    unsafe fn mask_and(a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }

    #[inline(always)]
    unsafe fn mask_or(a: __mmask16, b: __mmask16) -> __mmask16 {
        a | b
    }

    #[inline(always)]
    unsafe fn mask_not(a: __mmask16) -> __mmask16 {
        !a
    }

    #[inline(always)]
    unsafe fn any(m: __mmask16) -> bool {
        m != 0
    }

    #[inline(always)]
    unsafe fn bits(m: __mmask16) -> u32 {
        u32::from(m)
    }

    #[inline(always)]
    unsafe fn load_half(p: *const i16) -> __m512i {
        // SAFETY: the caller checked the instruction set and owns the memory.
        unsafe { _mm512_loadu_si512(p.cast()) }
    }

    #[inline(always)]
    unsafe fn splat_half(x: i16) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_set1_epi16(x) }
    }

    #[inline(always)]
    unsafe fn add_half(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn max_half(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_max_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn as_halves(a: __m512i) -> __m512i {
        a
    }

    #[inline(always)]
    unsafe fn spread(a: __m512i) -> [__m512i; 2] {
        // SAFETY: the caller checked the instruction set.
        unsafe { [_mm512_slli_epi32::<16>(a), _mm512_and_si512(a, _mm512_set1_epi32(0xFFFF_0000u32 as i32))] }
    }

    #[inline(always)]
    unsafe fn widen(a: __m512i) -> [__m512i; 2] {
        // SAFETY: the caller checked the instruction set.
        unsafe {
            [_mm512_cvtepi16_epi32(_mm512_castsi512_si256(a)), _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64::<1>(a))]
        }
    }
}

/// Steps that AVX-512 rounds as told.
impl Avx512 {
    /// `a * b + c`, rounded down.
    #[inline(always)]
    pub(in crate::sim::math) unsafe fn fma_down(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        // SAFETY: the caller checked the instruction set.
        unsafe {
            let (a, b, c) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), _mm512_castsi512_ps(c));
            _mm512_castps_si512(_mm512_fmadd_round_ps::<DOWN>(a, b, c))
        }
    }

    /// `a * b + c`, rounded toward zero.
    #[inline(always)]
    pub(in crate::sim::math) unsafe fn fma_toward_zero(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        const ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        // SAFETY: the caller checked the instruction set.
        unsafe {
            let (a, b, c) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), _mm512_castsi512_ps(c));
            _mm512_castps_si512(_mm512_fmadd_round_ps::<ZERO>(a, b, c))
        }
    }

    /// The largest integer that is not larger.
    #[inline(always)]
    pub(in crate::sim::math) unsafe fn floor(a: __m512i) -> __m512i {
        const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_cvt_roundps_epi32::<DOWN>(_mm512_castsi512_ps(a)) }
    }

    /// The integer toward zero.
    #[inline(always)]
    pub(in crate::sim::math) unsafe fn truncate(a: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_cvttps_epi32(_mm512_castsi512_ps(a)) }
    }

    #[inline(always)]
    pub(in crate::sim::math) unsafe fn sub_floats(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_castps_si512(_mm512_sub_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))) }
    }

    #[inline(always)]
    pub(in crate::sim::math) unsafe fn mul_floats(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the caller checked the instruction set.
        unsafe { _mm512_castps_si512(_mm512_mul_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))) }
    }
}
