//! Device functions that the random kernels use around the random functions.

#[ttl::device]
pub(crate) fn mixed(x: u32) -> u32 {
    let x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    let x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// A number from the seed: often a small one, or one near the end of its type.
#[ttl::device]
pub(crate) fn word(seed: u32, salt: u32) -> u32 {
    let w = mixed(seed.wrapping_add(salt.wrapping_mul(0x9e37_79b9)));
    let form = w & 7;
    if form < 2 {
        (w >> 3) & 15
    } else if form == 2 {
        (w >> 28).wrapping_neg()
    } else if form == 3 {
        0x8000_0000u32.wrapping_add((w >> 3) & 3).wrapping_sub(2)
    } else {
        w
    }
}

#[ttl::device]
pub(crate) fn float(w: u32) -> f32 {
    if w & 7 == 5 { f32::from_bits(w) } else { (w as i32) as f32 / 64.0 }
}

/// NaNs differ in sign and payload between machines: all are one.
#[ttl::device]
#[allow(clippy::eq_op)] // how device code finds a NaN
pub(crate) fn bits(x: f32) -> u32 {
    if x == x { x.to_bits() } else { 0x7fc0_0000 }
}

/// Two values of one type.
#[ttl::device]
#[derive(Clone, Copy)]
pub(crate) struct Pair<T: ttl::Data> {
    pub(crate) a: T,
    pub(crate) b: T,
}

#[ttl::device]
impl<T: ttl::Data> Pair<T> {
    pub(crate) fn new(a: T, b: T) -> Self {
        Self { a, b }
    }

    pub(crate) fn put(&mut self, value: T, first: bool) {
        let place = &mut self.b;
        if first {
            self.a = value;
        } else {
            *place = value;
        }
    }

    pub(crate) fn swapped(self) -> Self {
        Pair { b: self.a, a: self.b }
    }
}

#[ttl::device]
#[derive(Clone, Copy)]
pub(crate) enum Either {
    Left(u32),
    Right { x: i16, y: bool },
    Neither,
}
