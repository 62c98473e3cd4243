//! Traits with constants, generic device functions over them, methods of generic structs.

#[ttl::device]
trait Shape {
    const WIDTH: u32;
    const ORDER: Order;

    fn tiles(&self, rows: u32) -> u32;
    fn unit() -> Self;
}

#[ttl::device]
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Rows,
    Columns = 7,
}

#[ttl::device]
#[derive(Clone, Copy)]
struct Square {
    side: u32,
}

#[ttl::device]
#[derive(Clone, Copy)]
struct Strip<const N: u32>;

#[ttl::device]
impl Shape for Square {
    const WIDTH: u32 = 3;
    const ORDER: Order = Order::Rows;

    fn tiles(&self, rows: u32) -> u32 {
        self.side * rows * Self::WIDTH
    }

    fn unit() -> Self {
        Square { side: 1 }
    }
}

#[ttl::device]
impl<const N: u32> Shape for Strip<N> {
    const WIDTH: u32 = N * 2;
    const ORDER: Order = Order::Columns;

    fn tiles(&self, rows: u32) -> u32 {
        N + rows
    }

    fn unit() -> Self {
        Strip::<N>
    }
}

#[ttl::device]
fn size<S: Shape>(shape: S, rows: u32) -> u32 {
    let other = S::unit();
    let order = match S::ORDER {
        Order::Rows => 1,
        Order::Columns => 2,
    };
    shape.tiles(rows) * 100_000 + other.tiles(1) * 1000 + S::WIDTH * 10 + order
}

#[ttl::device]
#[derive(Clone, Copy)]
struct Pair<T: ttl::Data> {
    a: T,
    b: T,
}

#[ttl::device]
impl<T: ttl::Data> Pair<T> {
    fn new(a: T, b: T) -> Pair<T> {
        Pair { a, b }
    }

    fn swapped(self) -> Self {
        Self { a: self.b, b: self.a }
    }

    fn set_first(&mut self, a: T) {
        self.a = a;
    }
}

#[ttl::device]
fn pairs(n: u32) -> u32 {
    let mut p = Pair::<u32>::new(n, 2).swapped();
    let q = Pair::<f32>::new(1.5, 2.5).swapped();
    let before = p.b;
    p.set_first(40);
    before * 10_000 + p.a * 100 + (q.a * 2.0) as u32
}

#[ttl::device]
fn largest<T: ttl::Scalar>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// Methods with a body in the trait: taken from there, replaced in one `impl`, calling each other.
#[ttl::device]
trait Area {
    const SCALE: u32 = 10;

    fn area(&self) -> u32;

    fn scaled(&self) -> u32 {
        self.area() * Self::SCALE
    }

    fn both(&self, other: u32) -> u32 {
        let mut sum = self.scaled() + Self::fixed(other);
        if sum > 1000 {
            return 1000;
        }
        sum += 1;
        sum
    }

    fn fixed(n: u32) -> u32 {
        n + 3
    }

    fn grown(mut self, by: u32) -> Self {
        for _ in 0..by {
            self.grow();
        }
        self
    }

    fn grow(&mut self);
}

#[ttl::device]
impl Area for Square {
    fn area(&self) -> u32 {
        self.side * self.side
    }

    fn grow(&mut self) {
        self.side += 1;
    }
}

#[ttl::device]
impl<T: ttl::Data + Into32> Area for Pair<T> {
    const SCALE: u32 = 2;

    fn area(&self) -> u32 {
        self.a.word() + self.b.word()
    }

    fn scaled(&self) -> u32 {
        self.area() * Self::SCALE + 7
    }

    fn fixed(n: u32) -> u32 {
        n * 5
    }

    fn grow(&mut self) {
        self.a = self.b;
    }
}

#[ttl::device]
#[derive(Clone, Copy)]
struct Word(u32);

#[ttl::device]
trait Into32 {
    fn word(&self) -> u32;

    fn double(&self) -> u32 {
        self.word() * 2
    }
}

#[ttl::device]
impl Into32 for Word {
    fn word(&self) -> u32 {
        self.0
    }
}

#[ttl::device]
fn through_a_bound<A: Area>(a: A, n: u32) -> u32 {
    a.grown(2).both(n) * 100 + A::fixed(n) + a.scaled()
}

/// A trait of the standard library.
#[ttl::device]
impl Default for Square {
    fn default() -> Square {
        Square { side: 6 }
    }
}

#[ttl::device]
fn defaults(n: u32) -> u32 {
    let square = Square { side: 2 };
    let pair = Pair { a: Word(n), b: Word(4) };
    square.both(n) * 10_000 + pair.both(n) * 100 + Square::default().side + pair.a.double()
}

table! { bounds {
    through_a_bound(Square { side: 1 }, 5) => (90 + 8 + 1) * 100 + 8 + 10;
    through_a_bound(Pair { a: Word(1), b: Word(4) }, 5) => (8 * 2 + 7 + 25 + 1) * 100 + 25 + 10 + 7;
    defaults(3) => (40 + 6 + 1) * 10_000 + (14 + 7 + 15 + 1) * 100 + 6 + 6;
    size(Square { side: 2 }, 5) => 30 * 100_000 + 3 * 1000 + 30 + 1;
    size(Strip::<4>, 5) => 9 * 100_000 + 5 * 1000 + 80 + 2;
    pairs(3) => 3 * 10_000 + 40 * 100 + 5;
    largest(3u32, 4) + (largest(-1.5f32, -2.5) < -1.0) as u32 => 5;
} }
