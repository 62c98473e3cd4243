//! Constants, generic functions and their instances, names that mean something in C++.

use ttl::prelude::*;

const COUNT: u32 = 5;
const NEGATIVE: i8 = -100;
const WIDE: u16 = 65_535;
const RATIO: f32 = -1.5;
const FLAG: bool = COUNT > 4;
const AMOUNT: u32 = 40;
static NOT_USED: u32 = 0;

mod deep {
    pub(super) const COUNT: i32 = i32::MIN;

    pub(super) struct Shape;
    impl Shape {
        pub(super) const ROWS: u32 = 3;
        pub(super) const SCALE: f32 = 0.25;
    }
}

#[ttl::device]
fn constants(x: u32) -> u32 {
    let a = COUNT + x;
    let b = NEGATIVE as i32 - 1;
    let c = WIDE as u32 + u16::MAX as u32;
    let d = (RATIO * deep::Shape::SCALE).to_bits();
    let e = if FLAG { deep::Shape::ROWS } else { 0 };
    let f = deep::COUNT as u32 >> 1 ^ u32::MAX;
    let mut s = 0;
    for i in 0..COUNT {
        s += i;
    }
    a + (b + 102) as u32 + c + (d ^ f) + e + s
}

#[ttl::device]
fn constant_shifts(x: u32) -> u32 {
    x.wrapping_shl(AMOUNT) + x.wrapping_shr(AMOUNT) + (x << COUNT) + (1 << COUNT)
}

#[ttl::device]
fn scaled<const N: u32, const SIGN: i32, const UP: bool>(x: i32) -> i32 {
    let mut s = 0;
    for i in 0..N {
        s += x + i as i32;
    }
    if UP { s * SIGN } else { s - SIGN }
}

#[ttl::device]
fn instances(x: i32) -> u32 {
    let a = scaled::<2, -1, true>(x) + scaled::<3, { -1 }, false>(x) + scaled::<2, 1, true>(x);
    a as u32
}

#[ttl::device]
fn nested_instances<const N: u32>(x: i32) -> i32 {
    scaled::<N, 7, true>(x) + scaled::<4, 1, false>(x)
}

trait Step {
    const STEP: u32;
}
struct Small;
struct Large;
impl Step for Small {
    const STEP: u32 = 2;
}
impl Step for Large {
    const STEP: u32 = 100;
}

#[ttl::device]
fn steps<S: Step>(n: u32) -> u32 {
    n * S::STEP
}

#[ttl::device]
fn associated(n: u32) -> u32 {
    steps::<Small>(n) + steps::<Large>(n)
}

#[ttl::device]
fn keywords(int: u32, class: u32, r#try: u32) -> u32 {
    let auto = int + 1;
    let register = auto * class;
    let template = register + r#try;
    let new = template;
    let delete = {
        let new = new + 1;
        new
    };
    let mut volatile = 0;
    for switch in 0..3 {
        for short in 0..switch {
            volatile += short + 1;
        }
    }
    let not = !new;
    let xor = not ^ delete;
    let r#do = if volatile > 3 { xor } else { 0 };
    let namespace = 1.5f32;
    let double = namespace * 2.0;
    let int8_t = double as i8;
    let uint32_t = int8_t as u32;
    let NULL = uint32_t + 1;
    r#do.wrapping_add(NULL)
}

#[ttl::device]
fn goto(this: &mut u32, operator: &u32) -> u32 {
    *this += *operator;
    *this
}

#[ttl::device]
fn delete(x: i32) -> i32 {
    x - 1
}

#[ttl::device]
fn abs(x: i32) -> i32 {
    if x < 0 { -x } else { x + 1 }
}

#[ttl::device]
fn fabsf(x: f32) -> f32 {
    x * 2.0
}

#[ttl::device]
fn sleep(x: u32) -> u32 {
    x + 3
}

#[ttl::device]
fn memcpy(a: u32, b: u32, c: u32) -> u32 {
    a + b * c
}

#[ttl::device]
fn printf(x: u32) -> u32 {
    x / 2
}

#[ttl::device]
fn exit(x: i32) -> i32 {
    x * 5
}

#[ttl::device]
fn y0(x: f32) -> f32 {
    x + 1.0
}

#[ttl::device]
fn cb_push_back(a: u32, b: u32) -> u32 {
    a * b
}

#[ttl::device]
fn get_arg_val(x: u32) -> u32 {
    x + 11
}

#[ttl::device]
fn f32_to_u8(x: f32) -> u32 {
    (x as u8) as u32 + 1
}

#[ttl::device]
fn kernel_main(x: u32) -> u32 {
    x + 1
}

mod left {
    #[ttl::device]
    pub(super) fn part(x: u32) -> u32 {
        x + 1
    }
}

mod right {
    #[ttl::device]
    pub(super) fn part(x: u32) -> u32 {
        x * 2
    }
}

#[ttl::device]
fn same_names(part: u32) -> u32 {
    let left = left::part(part);
    left * 10 + right::part(left)
}

#[ttl::device]
fn clashes(x: u32) -> u32 {
    let mut this = 4;
    let goto = goto(&mut this, &x);
    let abs = abs(-3) + abs(3) + delete(1) + exit(2);
    let fabsf = fabsf(1.5) + y0(2.0);
    let sleep = sleep(1) + memcpy(1, 2, 3) + printf(9);
    let noc_async_read = cb_push_back(3, 4) + get_arg_val(1) + f32_to_u8(300.0) + kernel_main(0);
    let value = goto + this;
    let value_2 = value + 1;
    let end = 3;
    let mut start = 0;
    for i in (0..end * 2).step_by(2) {
        let next_i = i;
        let more = next_i > 2;
        start += next_i + more as u32;
    }
    abs as u32 + fabsf as u32 + sleep + noc_async_read + value + value_2 + start
}

macro_rules! operand {
    ($name:ident($a:ident, $b:ident) $sum:expr, $negative:expr, $cast:expr, $choice:expr, $number:literal) => {
        #[ttl::device]
        fn $name($a: u32, $b: u32) -> u32 {
            let x = $sum * 2;
            let y = 100 - $sum;
            let z = $negative.abs() as u32;
            let w = ($cast & 15) as u32;
            let v = $choice + 1;
            let u = $number.abs() as u32;
            x * 1_000_000 + y * 10_000 + z * 1000 + (w + v) * 10 + u
        }
    };
}
// What a macro passes on is one operand, whatever is around it.
operand!(operands_of_macros(a, b) a + b, -(a as i32), a as u8 | 16, if a > 2 { b } else { 7 }, -3i32);

table!(words_of_names {
    operands_of_macros(3, 4) => 14_000_000 + 930_000 + 3000 + 80 + 3;

    constants(4) => {
        let d = (-0.375f32).to_bits();
        9 + 1 + 131_070 + (d ^ 0xbfff_ffff) + 3 + 10
    };
    constant_shifts(3) => 768 + 0 + 96 + 32;
    instances(10) => (-21i32 + 34 + 21) as u32;
    nested_instances::<2>(1) as u32 => 21 + 9;
    nested_instances::<3>(1) as u32 => 42 + 9;
    associated(3) => 306;
    same_names(3) => 48;
    keywords(2, 3, 4) => (!13u32 ^ 14).wrapping_add(4);
    clashes(6) => {
        let (abs, fabsf, sleep, api) = (3 + 4 + 10, 6, 4 + 7 + 4, 12 + 12 + 256 + 1);
        abs + fabsf + sleep + api + 20 + 21 + (0 + 2 + 4 + 1)
    };
});
