//! Loops: the values that ranges give, bounds that are evaluated once, conditions that need statements, ways out.

/// Mixes the values a loop gives and their order into one number.
#[ttl::device]
fn mix(sum: u32, value: u32) -> u32 {
    sum.wrapping_mul(31).wrapping_add(value).wrapping_add(1)
}

/// The same on the host.
fn mixed<T: Into<i64>>(values: impl IntoIterator<Item = T>) -> u32 {
    values.into_iter().fold(0, |sum, v| mix(sum, v.into() as u32))
}

#[ttl::device]
fn next(count: &mut u32) -> u32 {
    *count += 1;
    *count
}

/// Every form of range of one type, between bounds known at run time. Rust has no `(a..=b).step_by(n).rev()` of 32 bits.
macro_rules! ranges {
    ($($t:ident $device:ident $ranges:ident $dots:tt)*) => {$(
        #[ttl::device]
        fn $device(form: u32, a: $t, b: $t) -> u32 {
            let mut s = 0;
            if form == 0 {
                for i in a..b { s = mix(s, i as u32); }
            } else if form == 1 {
                for i in a..=b { s = mix(s, i as u32); }
            } else if form == 2 {
                for i in (a..b).rev() { s = mix(s, i as u32); }
            } else if form == 3 {
                for i in (a..=b).rev() { s = mix(s, i as u32); }
            } else if form == 4 {
                for i in (a..b).step_by(3) { s = mix(s, i as u32); }
            } else if form == 5 {
                for i in (a..=b).step_by(3) { s = mix(s, i as u32); }
            } else if form == 6 {
                for i in (a..b).rev().step_by(3) { s = mix(s, i as u32); }
            } else if form == 7 {
                for i in (a..=b).rev().step_by(3) { s = mix(s, i as u32); }
            } else if form == 8 {
                for i in (a..b).step_by(3).rev() { s = mix(s, i as u32); }
            } else if form == 9 {
                for i in (a $dots b).step_by(3).rev() { s = mix(s, i as u32); }
            } else if form == 10 {
                for i in (a..b).step_by(300) { s = mix(s, i as u32); }
            } else if form == 11 {
                for i in (a..=b).rev().step_by(300) { s = mix(s, i as u32); }
            } else {
                for i in (a $dots b).step_by(300).rev() { s = mix(s, i as u32); }
            }
            s
        }

        /// The same values from 64-bit arithmetic.
        fn $ranges(form: u32, a: $t, b: $t) -> u32 {
            let (a, b) = (a as i64, b as i64);
            let inclusive = match form {
                9 | 12 => stringify!($dots) == "..=",
                _ => matches!(form, 1 | 3 | 5 | 7 | 11),
            };
            let mut all: Vec<i64> = (a..b + i64::from(inclusive)).collect();
            match form {
                2 | 3 => all.reverse(),
                4 | 5 => all = all.into_iter().step_by(3).collect(),
                6 | 7 => all = all.into_iter().rev().step_by(3).collect(),
                8 | 9 => {
                    all = all.into_iter().step_by(3).collect();
                    all.reverse();
                }
                10 => all = all.into_iter().step_by(300).collect(),
                11 => all = all.into_iter().rev().step_by(300).collect(),
                12 => {
                    all = all.into_iter().step_by(300).collect();
                    all.reverse();
                }
                _ => {}
            }
            mixed(all)
        }
    )*};
}

ranges! {
    u8 of_u8 u8_ranges ..=
    i8 of_i8 i8_ranges ..=
    u16 of_u16 u16_ranges ..=
    i16 of_i16 i16_ranges ..=
    u32 of_u32 u32_ranges ..
    i32 of_i32 i32_ranges ..
}

/// All forms between two bounds, in one word.
macro_rules! all_forms {
    ($($t:ident: $all:ident $device:ident, $expected:ident $ranges:ident;)*) => {$(
        #[ttl::device]
        fn $all(a: $t, b: $t) -> u32 {
            let mut s = 0;
            for form in 0..13 { s = mix(s, $device(form, a, b)); }
            s
        }

        fn $expected(a: $t, b: $t) -> u32 {
            (0..13).fold(0, |s, form| mix(s, $ranges(form, a, b)))
        }
    )*};
}

all_forms! {
    u8: all_u8 of_u8, u8_expected u8_ranges;
    i8: all_i8 of_i8, i8_expected i8_ranges;
    u16: all_u16 of_u16, u16_expected u16_ranges;
    i16: all_i16 of_i16, i16_expected i16_ranges;
    u32: all_u32 of_u32, u32_expected u32_ranges;
    i32: all_i32 of_i32, i32_expected i32_ranges;
}

const TOP: u32 = 0xffff_ffff;
const LEAST: i32 = i32::MIN;

table!(words_of_ranges {
    all_u8(0, 10) => u8_expected(0, 10);
    all_u8(3, 255) => u8_expected(3, 255);
    all_u8(0, 255) => u8_expected(0, 255);
    all_u8(253, 255) => u8_expected(253, 255);
    all_u8(255, 255) => u8_expected(255, 255);
    all_u8(7, 7) => u8_expected(7, 7);
    all_u8(9, 2) => u8_expected(9, 2);
    all_u8(1, 0) => u8_expected(1, 0);
    all_i8(-128, 127) => i8_expected(-128, 127);
    all_i8(-128, -126) => i8_expected(-128, -126);
    all_i8(125, 127) => i8_expected(125, 127);
    all_i8(-5, 5) => i8_expected(-5, 5);
    all_i8(5, -5) => i8_expected(5, -5);
    all_u16(65530, 65535) => u16_expected(65530, 65535);
    all_u16(0, 1000) => u16_expected(0, 1000);
    all_i16(-32768, -32700) => i16_expected(-32768, -32700);
    all_i16(32000, 32767) => i16_expected(32000, 32767);
    all_u32(0, 0) => u32_expected(0, 0);
    all_u32(0, 1) => u32_expected(0, 1);
    all_u32(4_294_967_000, TOP) => u32_expected(4_294_967_000, TOP);
    all_u32(TOP, TOP) => u32_expected(TOP, TOP);
    all_u32(TOP, 0) => u32_expected(TOP, 0);
    all_i32(LEAST, LEAST + 700) => i32_expected(LEAST, LEAST + 700);
    all_i32(2_147_483_000, 2_147_483_647) => i32_expected(2_147_483_000, 2_147_483_647);
    all_i32(-3, 3) => i32_expected(-3, 3);
    all_i32(2_147_483_647, LEAST) => i32_expected(2_147_483_647, LEAST);
});

#[ttl::device]
fn literal_bounds() -> u32 {
    let mut s = 0;
    for i in 250..=255u8 {
        s = mix(s, i as u32);
    }
    for i in (0..=3u8).rev() {
        s = mix(s, i as u32);
    }
    for i in -128..=-126i8 {
        s = mix(s, i as u32);
    }
    for i in (-2..3i8).rev() {
        s = mix(s, i as u32);
    }
    for i in 4_294_967_293..=4_294_967_295u32 {
        s = mix(s, i);
    }
    for i in (0..10u32).step_by(4) {
        s = mix(s, i);
    }
    for i in (0..=8u16).step_by(4).rev() {
        s = mix(s, i as u32);
    }
    for i in (0..10).rev().step_by(4) {
        s = mix(s, i);
    }
    for i in 5..5 {
        s = mix(s, i);
    }
    s
}

fn literal_bounds_expected() -> u32 {
    let forms: [&[i64]; 8] = [
        &[250, 251, 252, 253, 254, 255],
        &[3, 2, 1, 0],
        &[-128, -127, -126],
        &[2, 1, 0, -1, -2],
        &[4_294_967_293, 4_294_967_294, 4_294_967_295],
        &[0, 4, 8],
        &[8, 4, 0],
        &[9, 5, 1],
    ];
    mixed(forms.concat())
}

#[ttl::device]
fn bounds_once(n: u32) -> u32 {
    let mut count = 0;
    let mut s = 0;
    for i in next(&mut count)..next(&mut count) + n {
        s = mix(s, i);
    }
    let mut end = n;
    for i in 0..end {
        end += 1;
        s = mix(s, i + end);
    }
    let mut start = 1;
    for i in (start..end / 2).rev() {
        start += 5;
        s = mix(s, i + start);
    }
    for i in (0..{
        count += 10;
        n
    })
        .step_by(2)
    {
        s = mix(s, i);
    }
    mix(s, count)
}

fn bounds_once_expected(n: u32) -> u32 {
    let mut values: Vec<u32> = (1..2 + n).collect();
    values.extend((0..n).map(|i| i + n + i + 1));
    values.extend((1..n).rev().enumerate().map(|(k, i)| i + 1 + 5 * (k as u32 + 1)));
    values.extend((0..n).step_by(2));
    values.push(12);
    mixed(values)
}

#[ttl::device]
fn changed_counter(n: u32) -> u32 {
    let mut s = 0;
    for mut i in 0..n {
        i *= 2;
        if i > 4 {
            i += 100;
        }
        s = mix(s, i);
    }
    for mut i in (0..=n).rev() {
        let j = next(&mut i);
        s = mix(s, i + j);
    }
    s
}

fn changed_counter_expected(n: u32) -> u32 {
    let doubled = (0..n).map(|i| if 2 * i > 4 { 2 * i + 100 } else { 2 * i });
    mixed(doubled.chain((0..=n).rev().map(|i| 2 * i + 2)))
}

#[ttl::device]
fn while_with_statements(n: u32) -> u32 {
    let mut i = 0;
    let mut s = 0;
    while {
        i += 1;
        let j = i * 2;
        j < n
    } {
        if i == 2 {
            continue;
        }
        s = mix(s, i);
    }
    while next(&mut i) < n + 5 && {
        s += 1;
        s > 0
    } {
        if i > n {
            break;
        }
    }
    let mut down = n as i32;
    while down >= 0 {
        down -= 3;
    }
    while !(i == 0) {
        i -= 1;
    }
    s.wrapping_add(i * 1000).wrapping_add(down as u32)
}

fn while_with_statements_expected(n: u32) -> u32 {
    let mut i = 1;
    let mut values = vec![];
    while i * 2 < n {
        if i != 2 {
            values.push(i)
        }
        i += 1;
    }
    let mut s = mixed(values);
    loop {
        i += 1;
        if i >= n + 5 {
            break;
        }
        s += 1;
        if i > n {
            break;
        }
    }
    let mut down = n as i32;
    while down >= 0 {
        down -= 3
    }
    s.wrapping_add(down as u32)
}

#[ttl::device]
fn nested(n: u32) -> u32 {
    let mut s = 0;
    for i in 0..n {
        if i % 3 == 1 {
            continue;
        }
        let mut j = 0;
        loop {
            j += 1;
            if j == 2 {
                continue;
            }
            if j > i {
                break;
            }
            for k in (0..j).rev() {
                if k == 1 {
                    continue;
                }
                if k == 5 {
                    break;
                }
                s = mix(s, i * 100 + j * 10 + k);
            }
            while j % 4 != 0 {
                j += 1;
                if j == 6 {
                    break;
                }
            }
        }
        if s % 7 == 6 {
            break;
        }
    }
    s
}

#[ttl::device]
fn first_multiple(of: u32, from: u32) -> u32 {
    for i in from..from + 100 {
        let mut rest = i;
        loop {
            if rest == 0 {
                return i;
            }
            if rest < of {
                break;
            }
            rest -= of;
        }
    }
    0
}

#[ttl::device]
fn endless(n: u32) -> u32 {
    let mut i = n;
    loop {
        i = if i % 2 == 0 { i / 2 } else { 3 * i + 1 };
        if i == 1 {
            return i + n;
        }
    }
}

/// The walk of [`nested`], to show that both engines give more than each other's value.
fn nested_expected(n: u32) -> u32 {
    nested(n)
}

table!(words_of_loops {
    literal_bounds() => literal_bounds_expected();
    bounds_once(1) => bounds_once_expected(1);
    bounds_once(6) => bounds_once_expected(6);
    changed_counter(0) => changed_counter_expected(0);
    changed_counter(7) => changed_counter_expected(7);
    while_with_statements(0) => while_with_statements_expected(0);
    while_with_statements(9) => while_with_statements_expected(9);
    nested(5) => nested_expected(5);
    nested(30) => nested_expected(30);
    first_multiple(7, 30) => 35;
    first_multiple(200, 1) => 0;
    endless(27) => 28;
});
