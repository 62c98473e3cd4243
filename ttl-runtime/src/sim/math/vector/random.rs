//! Operations with random numbers.
//!
//! The vector unit has a generator for each of its 32 lanes: a shift register of 32 bits whose new bit is the inverted parity of four others. A seed sets all of them, one
//! after another from the same register, as ttsim models it. On the chip every rounding conversion takes a step of the generator, too, so that
//! other operations between two calls change what the second one gets: here they do not. The generated C++ is not affected, since there
//! each call follows an init of its own.

use super::super::Tile;
use super::integers::*;
use super::steps::*;
use crate::ops::UnaryOp;

const LANES: usize = 32;

/// The generators of all lanes.
#[derive(Clone, Debug)]
pub struct Generator([u32; LANES]);

impl Generator {
    /// As `init_prng_seed` leaves them.
    pub fn seeded(seed: u32) -> Generator {
        let mut state = (0..32).fold(seed, |state, _| step(state));
        let mut lanes = [0; LANES];
        for lane in lanes.iter_mut().rev() {
            state = step(step(state));
            *lane = state;
        }
        Generator(lanes)
    }

    /// The numbers of all lanes.
    fn next(&mut self) -> [u32; LANES] {
        let numbers = self.0;
        self.0 = numbers.map(step);
        numbers
    }
}

const fn step(state: u32) -> u32 {
    let taps = (state & 0x8020_0003).count_ones();
    !taps << 31 | state >> 1
}

/// The seed that an init passes on: `rand_tile_init` avoids the one that the generator would not leave again.
pub fn seed_of(op: UnaryOp, seed: u32) -> u32 {
    if op == UnaryOp::Rand && seed == !0 { !1 } else { seed }
}

/// Where lane `lane` of step `row` of a face lies in the face: a step takes every other column of four rows.
const fn place(row: usize, lane: usize) -> usize {
    (row / 2 * 4 + lane / 8) * 16 + 2 * (lane % 8) + row % 2
}

/// A face of random words, in the order of its values.
fn face(mut numbers: impl FnMut(usize) -> [u32; LANES]) -> Reg {
    let mut face = Reg([0; BLOCK]);
    for row in 0..BLOCK / LANES {
        for (lane, number) in numbers(row).into_iter().enumerate() {
            face.0[place(row, lane)] = number;
        }
    }
    face
}

/// `rand_tile`: from + scale * u, u in 0..=1. Words: seed, from, scale.
pub(super) fn rand(unit: Unit, generator: &mut Generator, tile: &mut Tile, p: &[u32]) {
    let (from, mut scale) = (p[1], p[2]);
    // What takes the scale to 2^-31 of it is put into the scale where that has an exponent to give.
    let exponent = exponent(&splat(scale)).0[0];
    let normalize = exponent <= 31 || exponent == 255;
    if !normalize {
        scale -= 31 << 23;
    }
    let salt = if unit.wormhole { salt_wormhole } else { salt_blackhole };
    let salts: [u32; LANES] = std::array::from_fn(|lane| salt(2 * lane as u32));
    for block in 0..1024 / BLOCK {
        // The number after the last row is taken as well.
        let numbers = face(|_| generator.next());
        generator.next();
        let salted = int_add(&numbers, &face(|_| salts));
        let mixed = if unit.wormhole { mixed_wormhole(&salted) } else { mixed_blackhole(&salted) };
        let mut u = abs_bits(&magnitude_to_float(&mixed));
        if normalize {
            u = unit.mul(&u, 2f32.powi(-31));
        }
        let value = unit.mad(&u, scale, from);
        // The store is one of 32 bits in any case.
        super::store(tile, block, &flush(&value));
    }
}

const fn salt_blackhole(lane: u32) -> u32 {
    let x = lane + 407;
    let x = x ^ x << 14;
    x ^ x << 6
}

const fn salt_wormhole(lane: u32) -> u32 {
    let x = lane.wrapping_sub(151);
    let x = x ^ x << 20;
    x ^ x << 5
}

fn mixed_blackhole(x: &Reg) -> Reg {
    let x = xor(x, &shift_right(x, 8));
    let x = xor(&x, &shift_right(&x, 16));
    let low = mul24_low(&x, 0x56_594B);
    let x = set_mantissa(&x, &low);
    let x = xor(&x, &shift_left(&x, 8));
    xor(&x, &shift_right(&x, 14))
}

fn mixed_wormhole(x: &Reg) -> Reg {
    let x = xor(x, &shift_right(x, 16));
    let x = int_add(&x, &shift_left(&x, 10));
    let x = xor(&x, &shift_right(&x, 6));
    let x = int_add(&x, &shift_left(&x, 13));
    xor(&x, &shift_right(&x, 16))
}

/// `dropout_tile`: 0 where 31 random bits are at most the probability, else scaled. Words: seed, probability times 2^31, scale.
pub(super) fn dropout(unit: Unit, generator: &mut Generator, tile: &mut Tile, p: &[u32]) {
    for block in 0..1024 / BLOCK {
        let numbers = abs_bits(&face(|_| generator.next()));
        let dropped = not(&int_less(p[1], &numbers));
        let scaled = unit.mul(&super::load(tile, block), p[2]);
        super::store(tile, block, &unit.store(&and(&scaled, &not(&dropped))));
    }
}
