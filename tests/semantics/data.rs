//! Structs, enums, tuples, arrays: built, changed, copied, matched, lent, with methods of their own.

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    x: u32,
    y: u32,
}

#[ttl::device]
#[derive(Clone, Copy, PartialEq)]
struct Line {
    from: Point,
    to: Point,
    width: u8,
    dashed: bool,
}

#[ttl::device]
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Off,
    Slow = 5,
    Fast,
}

#[ttl::device]
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Empty,
    Circle(u32),
    Rect { w: u32, h: u32 },
    Path(Line, [u16; 3]),
}

const ORIGIN: Point = Point { x: 3, y: 4 };
const UNIT: Shape = Shape::Circle(1);

#[ttl::device]
impl Point {
    const SCALE: u32 = 10;

    fn new(x: u32, y: u32) -> Point {
        Self { x, y }
    }

    fn sum(&self) -> u32 {
        self.x + self.y
    }

    fn scaled(self) -> Self {
        Self::new(self.x * Self::SCALE, self.y * Self::SCALE)
    }

    fn advance(&mut self, by: u32) -> u32 {
        self.x += by;
        self.y = self.sum();
        self.y
    }
}

#[ttl::device]
impl Shape {
    fn area(&self) -> u32 {
        match self {
            Shape::Empty => 0,
            Shape::Circle(r) => 3 * *r * *r,
            Self::Rect { w, h } => w * h,
            Self::Path(line, [a, _, c]) => line.from.sum() + line.to.sum() + *a as u32 + *c as u32,
        }
    }

    fn grow(&mut self) {
        if let Shape::Rect { w, .. } = self {
            *w += 1;
        } else if let Shape::Circle(r) = self {
            *r *= 2;
        }
    }
}

#[ttl::device]
fn line(n: u32) -> Line {
    Line { from: Point { x: n, y: 1 }, to: Point::new(2, n), width: 7, dashed: n > 4 }
}

#[ttl::device]
fn structs(n: u32) -> u32 {
    let mut a = line(n);
    let b = a;
    a.from.x = 100;
    a.to = Point { x: 9, ..a.to };
    a.width += 250 + 3 - 252;
    let p = &mut a.to;
    p.y += 5;
    *p = Point { x: p.x + 1, y: p.y };
    let q = a.to;
    a.to.x = 77;
    a.from.x * 1_000_000 + q.x * 10_000 + q.y * 100 + b.from.x + a.width as u32 + b.dashed as u32 + a.to.x
}

#[ttl::device]
fn methods(n: u32) -> u32 {
    let mut p = Point::new(n, 2);
    let a = p.advance(3);
    let b = p.advance(p.x) + p.sum();
    let mut l = line(n);
    let c = l.to.advance(4);
    a * 1_000_000 + b * 10_000 + c * 100 + ORIGIN.sum() + p.scaled().x + Point::SCALE
}

#[ttl::device]
fn order(n: &mut u32) -> u32 {
    *n += 1;
    *n
}

#[ttl::device]
fn evaluation() -> u32 {
    let mut n = 0;
    let p = Point { y: order(&mut n), x: order(&mut n) };
    let (a, b) = (order(&mut n), order(&mut n) * 10 + n);
    let mut q = Point { x: 1, y: 2 };
    q.x = {
        q.x = 5;
        q.x + order(&mut n)
    };
    let t = (n, order(&mut n), n);
    p.x * 100_000_000 + p.y * 10_000_000 + a * 1_000_000 + b * 10_000 + q.x * 100 + t.0 + t.1 + t.2
}

#[ttl::device]
fn tuples(n: u32) -> u32 {
    let (mut a, b) = (n, 2 * n);
    let t = (a, (b as u8, true), 7i16);
    a += 1;
    let (x, (y, flag), z) = t;
    let mut pair = (x, y);
    pair.0 += 1;
    pair.1 -= 1;
    let (a2, b2) = swap((a, b));
    if flag && pair != (x, y) { pair.0 + pair.1 as u32 + z as u32 + a2 * 100 + b2 * 10_000 } else { 0 }
}

#[ttl::device]
fn swap((a, b): (u32, u32)) -> (u32, u32) {
    (b, a)
}

#[ttl::device]
fn fill(a: &mut [u32; 4], first: u32) {
    for i in 0..4u32 {
        a[i as usize] = first + i;
    }
}

#[ttl::device]
fn total(a: &[u32; 4]) -> u32 {
    let mut s = 0;
    for x in a {
        s += *x;
    }
    s
}

#[ttl::device]
fn arrays(n: u32) -> u32 {
    let mut a = [0; 4];
    fill(&mut a, n);
    let copy = a;
    a[1] *= 10;
    for x in &mut a {
        *x += 1;
    }
    let mut b = [[1u8, 2, 3], [4, 5, 6]];
    b[1][2] += b[0][1];
    let mut reversed = 0;
    for i in (0..a.len()).rev() {
        reversed = reversed * 3 + a[i];
    }
    for i in 0..3 {
        a[i] += a[i + 1];
    }
    let mut long = [9u16; 20];
    long[(n & 15) as usize] = 1;
    let mut sum = 0;
    for (i, v) in [(1u32, 2u32), (3, 4)] {
        sum += i * v;
    }
    for v in long {
        sum += v as u32;
    }
    let last = &mut a[3];
    *last += 1;
    total(&copy) * 1_000_000 + total(&a) * 100 + reversed + b[1][2] as u32 + sum + a.len() as u32
}

#[ttl::device]
fn classify(n: u32) -> u32 {
    match n {
        0 => 1,
        1 | 2 => 2,
        3..=5 => 3,
        LIMIT => 4,
        x if x % 2 == 0 => 100 + x,
        7 | 9 | 20.. => 5,
        other => 200 + other,
    }
}

const LIMIT: u32 = 8;

#[ttl::device]
fn signs(n: i32) -> u32 {
    let what = match n {
        i32::MIN..=-1 => 1,
        0 => 2,
        1.. => 3,
    };
    let pair = match (n > 0, n & 1) {
        (true, 1) => 10,
        (true, _) => 20,
        (false, b) if b == 1 => 30,
        (false, _) => 40,
    };
    what + pair + matches!(n, -3 | 3) as u32 * 100
}

#[ttl::device]
fn mode(n: u32) -> Mode {
    match n {
        0 => Mode::Off,
        1 => Mode::Slow,
        _ => Mode::Fast,
    }
}

#[ttl::device]
fn modes(n: u32) -> u32 {
    let m = mode(n);
    let name = match m {
        Mode::Off => 100,
        Mode::Slow => 200,
        Mode::Fast => 300,
    };
    name + m as u32 + (m == Mode::Slow) as u32 * 10
}

#[ttl::device]
fn shape(n: u32) -> Shape {
    if n == 0 {
        Shape::Empty
    } else if n == 1 {
        Shape::Circle(4)
    } else if n == 2 {
        Shape::Rect { h: 3, w: 2 }
    } else {
        Shape::Path(line(n), [1, 2, 3])
    }
}

#[ttl::device]
fn shapes(n: u32) -> u32 {
    let mut s = shape(n);
    let before = s.area();
    s.grow();
    let Shape::Rect { w, h } = s else {
        return before * 1000 + s.area() + (s == UNIT) as u32 + (shape(n) == shape(1)) as u32 * 7;
    };
    before * 1000 + s.area() * 10 + w + h
}

#[ttl::device]
fn unit(n: u32) -> u32 {
    let s = if n == 3 { Shape::Circle(1) } else { Shape::Circle(n) };
    match s {
        UNIT => 1,
        Shape::Circle(r @ 2..=4) => 10 + r,
        Shape::Circle(_) => 3,
        _ => 4,
    }
}

#[ttl::device]
fn early(n: u32) -> u32 {
    let mut s = 0;
    for i in 0..10u32 {
        let step = match i {
            2 => continue,
            7 => break,
            5 if n == 1 => return 1000 + s,
            other => other,
        };
        s += step;
    }
    s
}

table! { aggregates {
    structs(5) => 100 * 1_000_000 + 10 * 10_000 + 10 * 100 + 5 + 8 + 1 + 77;
    structs(1) => 100 * 1_000_000 + 10 * 10_000 + 6 * 100 + 1 + 8 + 77;
    methods(1) => 6 * 1_000_000 + (14 + 22) * 10_000 + 7 * 100 + 7 + 80 + 10;
    evaluation() => 2 * 100_000_000 + 10_000_000 + 3 * 1_000_000 + 44 * 10_000 + 10 * 100 + 5 + 6 + 6;
    tuples(3) => 4 + 5 + 7 + 6 * 100 + 4 * 10_000;
    arrays(1) => 10 * 1_000_000 + 6300 + 236 + 8 + 14 + 172 + 4;
    classify(0) => 1;
    classify(2) => 2;
    classify(4) => 3;
    classify(8) => 4;
    classify(6) => 106;
    classify(7) => 5;
    classify(21) => 5;
    classify(11) => 211;
    signs(-3) => 1 + 30 + 100;
    signs(0) => 2 + 40;
    signs(3) => 3 + 10 + 100;
    signs(4) => 3 + 20;
    modes(0) => 100;
    modes(1) => 215;
    modes(9) => 306;
    shapes(0) => 0;
    shapes(1) => 48 * 1000 + 192 + 7;
    shapes(2) => 6 * 1000 + 90 + 6;
    shapes(5) => 17 * 1000 + 17;
    unit(3) => 1;
    unit(2) => 12;
    unit(9) => 3;
    early(0) => 19;
    early(1) => 1008;
} }

/// The same functions on the host.
#[test]
fn on_the_host() {
    assert_eq!(Point::new(1, 2).scaled(), Point { x: 10, y: 20 });
    assert_eq!(shape(2).area(), 6);
    assert_eq!(arrays(1), 10 * 1_000_000 + 6300 + 236 + 8 + 14 + 172 + 4);
    assert_eq!(ORIGIN.sum(), 7);
}
