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

table! { bounds {
    size(Square { side: 2 }, 5) => 30 * 100_000 + 3 * 1000 + 30 + 1;
    size(Strip::<4>, 5) => 9 * 100_000 + 5 * 1000 + 80 + 2;
    pairs(3) => 3 * 10_000 + 40 * 100 + 5;
    largest(3u32, 4) + (largest(-1.5f32, -2.5) < -1.0) as u32 => 5;
} }
