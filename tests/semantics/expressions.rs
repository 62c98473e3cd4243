//! Order of evaluation, short circuits, blocks as values, references to numbers.

/// Counts its calls: the effect that shows what was evaluated, and when.
#[ttl::device]
fn next(count: &mut u32) -> u32 {
    *count += 1;
    *count
}

#[ttl::device]
fn yes(count: &mut u32) -> bool {
    *count = *count * 10 + 1;
    true
}

#[ttl::device]
fn no(count: &mut u32) -> bool {
    *count = *count * 10 + 2;
    false
}

#[ttl::device]
fn digits(a: u32, b: u32, c: u32) -> u32 {
    a * 100 + b * 10 + c
}

#[ttl::device]
fn operands() -> u32 {
    let mut n = 0;
    let a = next(&mut n) * 10 + next(&mut n);
    let b = n * 10 + next(&mut n);
    let c = next(&mut n) * 10 + n;
    digits(a, b, c) + n
}

#[ttl::device]
fn arguments() -> u32 {
    let mut n = 0;
    let a = digits(next(&mut n), next(&mut n), next(&mut n));
    let b = digits(n, next(&mut n), n);
    let c = digits(
        n,
        {
            n = 7;
            n + 1
        },
        n,
    );
    a * 1_000_000 + b * 1000 + c
}

#[ttl::device]
fn earlier_operand_changed_later() -> u32 {
    let mut x = 5;
    let a = x + {
        x = 7;
        x * 10
    };
    let b = x * {
        x += 1;
        100
    } + x;
    let mut y = 1;
    let c = (y + 1) * if next(&mut y) == 2 { y + 10 } else { 0 };
    a * 1_000_000 + b * 100 + c
}

#[ttl::device]
fn compound_takes_the_right_side_first() -> u32 {
    let mut x = 1;
    x += next(&mut x);
    let mut y = 3;
    y *= {
        y += 1;
        y
    };
    let mut z = 2;
    z += next(&mut z) * next(&mut z);
    x * 10_000 + y * 100 + z
}

#[ttl::device]
fn compound_through_a_reference(r: &mut u32) -> u32 {
    *r += next(r);
    *r -= 1;
    *r <<= 1;
    *r
}

#[ttl::device]
fn by_reference() -> u32 {
    let mut x = 4;
    let a = compound_through_a_reference(&mut x);
    let r = &mut x;
    *r += 1;
    let b = next(r);
    let s = &x;
    a * 10_000 + b * 100 + *s
}

#[ttl::device]
fn shared(a: &u32, b: &i8) -> u32 {
    (*a).wrapping_add(*b as u32)
}

#[ttl::device]
fn shared_references() -> u32 {
    let mut x = 3;
    let y = -1i8;
    let a = shared(&x, &y);
    let b = shared(&(x + 1), &5);
    x = 9;
    let r = &x;
    a * 100 + b + shared(r, &(y + 1)) * 1000
}

#[ttl::device]
fn short_circuit(a: bool, b: bool) -> u32 {
    let mut n = 0;
    let x = a && yes(&mut n);
    let y = b || no(&mut n);
    let z = (a || no(&mut n)) && (b || yes(&mut n));
    let w = a & yes(&mut n) | no(&mut n);
    n * 16 + x as u32 + 2 * y as u32 + 4 * z as u32 + 8 * w as u32
}

/// The digits are the calls, in order.
fn short_circuit_expected(a: bool, b: bool) -> u32 {
    let mut calls = String::from("0");
    if a {
        calls += "1"
    }
    if !b {
        calls += "2"
    }
    if !a {
        calls += "2"
    }
    if a && !b {
        calls += "1"
    }
    calls += "12";
    let n: u32 = calls.parse().expect("digits");
    // `no` is false wherever it decides; `yes` is true.
    n * 16 + u32::from(a) + 2 * u32::from(b) + 4 * u32::from(a) + 8 * u32::from(a)
}

#[ttl::device]
fn statements_behind_a_short_circuit(a: u32) -> u32 {
    let mut n = 0;
    let x = a > 1 && {
        n += 1;
        a > 2
    };
    let y = a > 2 || {
        n += 10;
        let b = a * 2;
        b > 3
    };
    let z = x
        || y && {
            n += 100;
            n > 100
        };
    n * 8 + x as u32 + 2 * y as u32 + 4 * z as u32
}

#[ttl::device]
fn leave_behind_a_short_circuit(a: u32) -> u32 {
    let mut n = 0;
    for i in 0..10 {
        let _ = i < a || {
            break;
        };
        let _ = i != 1 || {
            continue;
        };
        n += 1;
    }
    let _ = n < 5 || {
        return 99;
    };
    n
}

#[ttl::device]
fn dropped_values() -> u32 {
    let mut n = 0;
    next(&mut n);
    let _ = next(&mut n) + 1;
    let _ = next(&mut n) > 1 && yes(&mut n);
    let _ = (next(&mut n) as f32) < 1.0;
    n
}

#[ttl::device]
fn choice(a: u32) -> u32 {
    let x = if a == 0 {
        10
    } else if a == 1 {
        20
    } else {
        a * 30
    };
    let y: u8 = if a > 1 { 255 } else { 0 };
    let z = if a < 2 { -1 } else { 1 };
    let f: f32 = if a == 1 { 0.5 } else { 2.0 };
    let b = if a == 2 { true } else { a == 0 };
    x + y as u32 + (z + 2) as u32 + (f * 4.0) as u32 + b as u32
}

#[ttl::device]
fn blocks(a: u32) -> u32 {
    let x = {
        let a = a + 1;
        let b = { a * 2 };
        a + b
    };
    let y = {
        let x = x + 1;
        let z = {
            let x = x * 2;
            x
        } + x;
        z
    };
    let a =
        a + {
            let y = 1;
            y
        } + if a > 3 {
            let y = y;
            y
        } else {
            0
        };
    x + y + a
}

#[ttl::device]
fn shadowing(a: i32) -> u32 {
    let a = a * 2;
    let a = a as u8;
    let a = a as f32 + 0.5;
    let a = a as u32;
    let b = a;
    let a = if a > 3 {
        let a = a - 1;
        a
    } else {
        a
    };
    {
        let a = a + 1000;
        let _ = a;
    }
    a * 100 + b
}

#[ttl::device]
fn deferred(a: u32) -> u32 {
    let x;
    let y: i16;
    if a > 2 {
        x = a;
        y = -1;
    } else {
        x = 7;
        y = x as i16;
    }
    let z;
    z = x + 1;
    let w;
    loop {
        w = z * 2;
        break;
    }
    x + z + w + (y + 1) as u32
}

#[ttl::device]
fn assigned_blocks(a: u32) -> u32 {
    let mut x = a;
    x = if x > 2 {
        x = 1;
        x + 5
    } else {
        x - 1
    };
    let mut y = 0;
    y = {
        y += x;
        y * 2
    };
    let mut z = 0;
    z += if y > 3 {
        z = 5;
        1
    } else {
        2
    };
    x * 100 + y * 10 + z
}

#[ttl::device]
fn parameters(mut a: u32, b: u32, mut c: i8) -> u32 {
    a += b;
    c = -c;
    let b = b - 1;
    a *= b;
    a + c as u32
}

#[ttl::device]
fn methods() -> u32 {
    let mut n = 3;
    let a = n.min(next(&mut n));
    let b = next(&mut n).max(n).wrapping_add(next(&mut n));
    let c = (n + 1).wrapping_mul({
        n = 2;
        n
    });
    let d = (n as i32 - 5).abs() as u32;
    a * 1000 + b * 100 + c * 10 + d
}

#[ttl::device]
fn early(a: u32) -> u32 {
    if a == 0 {
        return 1;
    }
    let b = if a == 1 { return 2 } else { a * 2 };
    let c = b + {
        if b > 6 {
            return b;
        }
        3
    };
    if c > 7 {
        return c;
    } else {
        c + 10
    }
}

#[ttl::device]
fn nothing(n: &mut u32) {
    if *n > 2 {
        return;
    }
    *n += 10;
}

#[ttl::device]
fn calls_without_a_value() -> u32 {
    let mut n = 1;
    nothing(&mut n);
    nothing(&mut n);
    let unit = nothing(&mut n);
    unit;
    n
}

table!(words_of_expressions {
    operands() => (100 * 12 + 10 * 23 + 44) + 4;
    arguments() => 123_000_000 + 344_000 + (400 + 80 + 7);
    earlier_operand_changed_later() => 75 * 1_000_000 + (700 + 8) * 100 + 24;
    compound_takes_the_right_side_first() => 40_000 + 1600 + (3 * 4 + 4);
    by_reference() => 18 * 10_000 + 20 * 100 + 20;
    shared_references() => 200 + 9 + 9000;
    short_circuit(false, false) => short_circuit_expected(false, false);
    short_circuit(false, true) => short_circuit_expected(false, true);
    short_circuit(true, false) => short_circuit_expected(true, false);
    short_circuit(true, true) => short_circuit_expected(true, true);
    statements_behind_a_short_circuit(1) => 10 * 8;
    statements_behind_a_short_circuit(2) => 111 * 8 + 2 + 4;
    statements_behind_a_short_circuit(3) => 8 + 1 + 2 + 4;
    leave_behind_a_short_circuit(3) => 2;
    leave_behind_a_short_circuit(9) => 99;
    dropped_values() => 32;
    choice(0) => 10 + 1 + 8 + 1;
    choice(1) => 20 + 1 + 2;
    choice(2) => 60 + 255 + 3 + 8 + 1;
    blocks(2) => 9 + 30 + 3;
    blocks(5) => 18 + 57 + 6 + 57;
    shadowing(3) => 506;
    shadowing(128) => 0;
    deferred(3) => 3 + 4 + 8;
    deferred(1) => 7 + 8 + 16 + 8;
    assigned_blocks(3) => 600 + 120 + 6;
    assigned_blocks(1) => 2;
    parameters(3, 4, -5) => 26;
    methods() => 3000 + 1100 + 140 + 3;
    early(0) => 1;
    early(1) => 2;
    early(2) => 17;
    early(3) => 9;
    early(4) => 8;
    calls_without_a_value() => 11;
});
