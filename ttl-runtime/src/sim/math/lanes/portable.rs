//! Lanes without vector instructions: arrays, for every processor.

use super::Lanes;

#[derive(Clone, Copy)]
pub(in crate::sim::math) struct Portable;

const N: usize = 8;

#[inline(always)]
fn map(a: [u32; N], f: impl Fn(u32) -> u32) -> [u32; N] {
    std::array::from_fn(|i| f(a[i]))
}

#[inline(always)]
fn zip<T>(a: [u32; N], b: [u32; N], f: impl Fn(u32, u32) -> T) -> [T; N] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Lanes for Portable {
    type V = [u32; N];
    type M = [bool; N];
    type H = [i16; 2 * N];
    const N: usize = N;
    const FAST_FMA: bool = false;

    #[inline(always)]
    unsafe fn load(p: *const u32) -> [u32; N] {
        // SAFETY: the caller owns N words there.
        unsafe { p.cast::<[u32; N]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(p: *mut u32, v: [u32; N]) {
        // SAFETY: the caller owns N words there.
        unsafe { p.cast::<[u32; N]>().write_unaligned(v) }
    }
    #[inline(always)]
    unsafe fn load16(p: *const u16) -> [u32; N] {
        // SAFETY: the caller owns N half words there.
        let half = unsafe { p.cast::<[u16; N]>().read_unaligned() };
        std::array::from_fn(|i| u32::from(half[i]))
    }
    #[inline(always)]
    unsafe fn store16(p: *mut u16, v: [u32; N]) {
        let half: [u16; N] = std::array::from_fn(|i| v[i] as u16);
        // SAFETY: the caller owns N half words there.
        unsafe { p.cast::<[u16; N]>().write_unaligned(half) }
    }
    #[inline(always)]
    unsafe fn splat(x: u32) -> [u32; N] {
        [x; N]
    }
    #[inline(always)]
    unsafe fn add(a: [u32; N], b: [u32; N]) -> [u32; N] {
        zip(a, b, u32::wrapping_add)
    }
    #[inline(always)]
    unsafe fn sub(a: [u32; N], b: [u32; N]) -> [u32; N] {
        zip(a, b, u32::wrapping_sub)
    }
    #[inline(always)]
    unsafe fn and(a: [u32; N], b: [u32; N]) -> [u32; N] {
        zip(a, b, |x, y| x & y)
    }
    #[inline(always)]
    unsafe fn or(a: [u32; N], b: [u32; N]) -> [u32; N] {
        zip(a, b, |x, y| x | y)
    }
    #[inline(always)]
    unsafe fn xor(a: [u32; N], b: [u32; N]) -> [u32; N] {
        zip(a, b, |x, y| x ^ y)
    }
    #[inline(always)]
    unsafe fn mul15(a: [u32; N], b: [u32; N]) -> [u32; N] {
        zip(a, b, u32::wrapping_mul)
    }
    #[inline(always)]
    unsafe fn mul_wide(a: [u32; N], b: [u32; N]) -> ([u32; N], [u32; N]) {
        let p = zip(a, b, |x, y| u64::from(x) * u64::from(y));
        (std::array::from_fn(|i| (p[i] >> 32) as u32), std::array::from_fn(|i| p[i] as u32))
    }
    #[inline(always)]
    unsafe fn max(a: [u32; N], b: [u32; N]) -> [u32; N] {
        zip(a, b, |x, y| (x as i32).max(y as i32) as u32)
    }
    #[inline(always)]
    unsafe fn min(a: [u32; N], b: [u32; N]) -> [u32; N] {
        zip(a, b, |x, y| (x as i32).min(y as i32) as u32)
    }
    #[inline(always)]
    unsafe fn abs(a: [u32; N]) -> [u32; N] {
        map(a, |x| (x as i32).unsigned_abs())
    }
    #[inline(always)]
    unsafe fn shl<const S: u32>(a: [u32; N]) -> [u32; N] {
        map(a, |x| x << S)
    }
    #[inline(always)]
    unsafe fn shr<const S: u32>(a: [u32; N]) -> [u32; N] {
        map(a, |x| x >> S)
    }
    #[inline(always)]
    unsafe fn sar<const S: u32>(a: [u32; N]) -> [u32; N] {
        map(a, |x| ((x as i32) >> S) as u32)
    }
    #[inline(always)]
    unsafe fn shlv(a: [u32; N], s: [u32; N]) -> [u32; N] {
        zip(a, s, |x, s| if s < 32 { x << s } else { 0 })
    }
    #[inline(always)]
    unsafe fn shrv(a: [u32; N], s: [u32; N]) -> [u32; N] {
        zip(a, s, |x, s| if s < 32 { x >> s } else { 0 })
    }
    #[inline(always)]
    unsafe fn sarv(a: [u32; N], s: [u32; N]) -> [u32; N] {
        zip(a, s, |x, s| ((x as i32) >> s.min(31)) as u32)
    }
    #[inline(always)]
    unsafe fn lookup(table: &[u32; 128], index: [u32; N]) -> [u32; N] {
        map(index, |i| table[(i & 127) as usize])
    }
    #[inline(always)]
    unsafe fn to_float(a: [u32; N]) -> [u32; N] {
        map(a, |x| (x as i32 as f32).to_bits())
    }
    #[inline(always)]
    unsafe fn fma(a: [u32; N], b: [u32; N], c: [u32; N]) -> [u32; N] {
        std::array::from_fn(|i| f32::from_bits(a[i]).mul_add(f32::from_bits(b[i]), f32::from_bits(c[i])).to_bits())
    }
    #[inline(always)]
    unsafe fn gt(a: [u32; N], b: [u32; N]) -> [bool; N] {
        zip(a, b, |x, y| x as i32 > y as i32)
    }
    #[inline(always)]
    unsafe fn eq(a: [u32; N], b: [u32; N]) -> [bool; N] {
        zip(a, b, |x, y| x == y)
    }
    #[inline(always)]
    unsafe fn mask_and(a: [bool; N], b: [bool; N]) -> [bool; N] {
        std::array::from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    unsafe fn mask_or(a: [bool; N], b: [bool; N]) -> [bool; N] {
        std::array::from_fn(|i| a[i] | b[i])
    }
    #[inline(always)]
    unsafe fn mask_not(a: [bool; N]) -> [bool; N] {
        a.map(|x| !x)
    }
    #[inline(always)]
    unsafe fn any(m: [bool; N]) -> bool {
        m.iter().fold(false, |x, y| x | y)
    }
    #[inline(always)]
    unsafe fn bits(m: [bool; N]) -> u32 {
        m.iter().enumerate().fold(0, |bits, (i, &lane)| bits | u32::from(lane) << i)
    }
    #[inline(always)]
    unsafe fn select(m: [bool; N], a: [u32; N], b: [u32; N]) -> [u32; N] {
        std::array::from_fn(|i| if m[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    unsafe fn keep(m: [bool; N], a: [u32; N]) -> [u32; N] {
        std::array::from_fn(|i| if m[i] { a[i] } else { 0 })
    }

    #[inline(always)]
    unsafe fn load_half(p: *const i16) -> [i16; 2 * N] {
        // SAFETY: the caller owns 2N half words there.
        unsafe { p.cast::<[i16; 2 * N]>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn splat_half(x: i16) -> [i16; 2 * N] {
        [x; 2 * N]
    }

    #[inline(always)]
    unsafe fn add_half(a: [i16; 2 * N], b: [i16; 2 * N]) -> [i16; 2 * N] {
        std::array::from_fn(|i| a[i].wrapping_add(b[i]))
    }

    #[inline(always)]
    unsafe fn max_half(a: [i16; 2 * N], b: [i16; 2 * N]) -> [i16; 2 * N] {
        std::array::from_fn(|i| a[i].max(b[i]))
    }

    #[inline(always)]
    unsafe fn as_halves(a: [u32; N]) -> [i16; 2 * N] {
        std::array::from_fn(|i| (a[i / 2] >> (i % 2 * 16)) as i16)
    }

    #[inline(always)]
    unsafe fn spread(a: [i16; 2 * N]) -> [[u32; N]; 2] {
        [0, 1].map(|upper| std::array::from_fn(|i| (a[2 * i + upper] as u32) << 16))
    }

    #[inline(always)]
    unsafe fn widen(a: [i16; 2 * N]) -> [[u32; N]; 2] {
        [0, N].map(|from| std::array::from_fn(|i| i32::from(a[from + i]) as u32))
    }
}
