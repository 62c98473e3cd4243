//! The types that the macros find: by lowering functions and looking at their locals.
// The functions are written to have the shapes that are tested.
#![allow(clippy::let_and_return, clippy::needless_late_init, clippy::needless_return)]

use ttl::prelude::*;
use ttl::rt::{Cx, Inst, Kernel, ParamKind, Role};
use ttl::runtime::ir;

fn lower<I: Inst>() -> Vec<ir::Fn> {
    let mut cx = Cx::new();
    cx.instance::<I>();
    match cx.finish() {
        Ok(fns) => fns,
        Err(errors) => panic!("{errors:?}"),
    }
}

/// Of the last function: `name: type` for each local that is neither a guard nor a temporary of lowering, in order.
fn locals<I: Inst>() -> String {
    let fns = lower::<I>();
    let locals = &fns.last().unwrap().locals;
    let own = locals.iter().filter(|l| l.name != "value");
    let texts: Vec<String> = own.map(|l| format!("{}: {}", l.name, l.ty)).collect();
    texts.join(", ")
}

#[ttl::kernel(reader)]
fn read(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>, first: u32, count: u32) {
    for page in first..first + count {
        let mut tile = out.reserve_back(1);
        noc.read_page(&src, page, &mut tile).wait();
        tile.push_back();
    }
}

#[test]
fn parameters_guards_and_loop_variables() {
    assert_eq!(
        locals::<read>(),
        "noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>, first: u32, count: u32, page: u32"
    );
}

#[test]
fn a_kernel_describes_itself() {
    assert_eq!((read::NAME, read::ROLE), ("read", Role::Reader));
    assert_eq!(read::FILE, "tests/items.rs");
    let params = read::params();
    let kinds: Vec<_> = params.iter().map(|p| (p.name.as_str(), p.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("src", ParamKind::Tensor),
            ("out", ParamKind::Cb),
            ("first", ParamKind::PerCore),
            ("count", ParamKind::PerCore)
        ]
    );
}

#[ttl::kernel(writer)]
fn marks(_: Noc, #[ttl(compile_time)] block: u32, #[ttl(common)] scale: f32, first: i32) {
    let x = scale * 2.0;
    let _ = x;
    let y = block + first as u32;
    let _ = y;
}

#[test]
fn marked_parameters() {
    assert_eq!(locals::<marks>(), "_: Noc, block: u32, scale: f32, first: i32, x: f32, y: u32");
    let params = marks::params();
    let kinds: Vec<_> = params.iter().map(|p| (p.name.as_str(), p.kind)).collect();
    assert_eq!(kinds, [("block", ParamKind::CompileTime), ("scale", ParamKind::Common), ("first", ParamKind::PerCore)]);
}

#[ttl::device]
fn narrow(a: u8, b: u16, c: i32) -> u32 {
    a as u32 + b as u32 + c as u32
}

#[ttl::device]
fn later_use() -> u32 {
    let a = 7;
    let b = 300;
    let c = -5;
    let free = 9;
    let d = free + 1;
    let _ = d;
    narrow(a, b, c)
}

#[test]
fn literals_are_typed_by_later_use() {
    assert_eq!(locals::<later_use>(), "a: u8, b: u16, c: i32, free: i32, d: i32");
    assert_eq!(narrow(7, 300, 5), 312);
    assert!(std::panic::catch_unwind(later_use).is_err(), "it overflows");
}

#[ttl::device]
fn shadowing(x: u32) -> bool {
    let x = x + 1;
    let x = x as i16;
    {
        let x = x > 3;
        let _ = x;
    }
    let x = x as f32;
    let x = x * 2.0 > 1.5;
    x
}

#[test]
fn shadowed_names_are_locals_of_their_own() {
    assert_eq!(locals::<shadowing>(), "x: u32, x: u32, x: i16, x: bool, x: f32, x: bool");
    assert!(shadowing(3));
}

#[ttl::device]
fn deferred(c: bool) -> u8 {
    let x;
    if c {
        x = 1;
    } else {
        x = 2;
    }
    let y: u8;
    y = x;
    let z = if c {
        if y > 3 { 4 } else { y }
    } else {
        let w = 5;
        w
    };
    z
}

#[test]
fn deferred_let_and_if_as_a_value() {
    assert_eq!(locals::<deferred>(), "c: bool, x: u8, y: u8, z: u8, w: u8");
    assert_eq!(lower::<deferred>()[0].ret, ir::Ty::Int(ir::IntTy::U8));
    assert_eq!((deferred(true), deferred(false)), (1, 5));
}

#[ttl::device]
fn early(n: i16) -> i16 {
    if n < 0 {
        return -1;
    }
    let mut sum = 0;
    loop {
        sum += n;
        if sum > 100 {
            break;
        }
        let mut k = 3;
        while k < sum {
            k += 1;
            continue;
        }
    }
    for i in (0..=n).rev().step_by(2) {
        sum = sum.wrapping_sub(i);
    }
    for _ in 0..4u8 {}
    return sum;
}

#[test]
fn loops_and_early_return() {
    assert_eq!(locals::<early>(), "n: i16, sum: i16, k: i16, i: i16, i: u8");
    assert_eq!((early(-3), early(2)), (-1, 100));
}

pub mod consts {
    pub const SIZE: u16 = 32;
    pub const SCALE: f32 = 0.5;
    #[derive(Debug)]
    pub struct Layout;
    impl Layout {
        pub const FACE: u32 = 16;
    }
}

#[ttl::device]
fn add_const<const N: u32>(x: u32) -> u32 {
    let y = x + N;
    for i in (0..N).step_by(consts::Layout::FACE as usize) {
        let _ = i;
    }
    y
}

pub trait Number: ttl::rt::Scalar + std::ops::Add<Output = Self> {
    const ONE: Self;
}
impl Number for u8 {
    const ONE: u8 = 1;
}
impl Number for f32 {
    const ONE: f32 = 1.0;
}

#[ttl::device]
fn one<T: Number>() -> T {
    let x = T::ONE;
    x
}

#[ttl::device]
fn sum<T: Number>(a: T, b: T) -> T {
    let s = a + b;
    if s < a { one() } else { s }
}

#[ttl::device]
fn pages<T: Element, const N: u32>(out: &CbOut<T>) {
    let mut i = 0;
    while i < N {
        let tile = out.reserve_back(N);
        tile.push_back();
        i += 1;
    }
}

#[ttl::kernel(compute)]
fn generic<T: Element, const N: u32>(_: Compute, out: CbOut<T>, n: u32) {
    let a = add_const::<N>(n);
    let b = add_const::<4>(a);
    let c = consts::SIZE;
    let d = consts::SCALE + 1.0;
    let e = N + consts::Layout::FACE;
    pages::<_, 2>(&out);
    pages::<T, N>(&out);
    let z = one();
    let w: u8 = z;
    let f = sum(d, one());
    let _ = b + e + w as u32;
    let _ = f;
    let _ = c;
}

#[test]
fn generics_and_constants() {
    assert_eq!(
        locals::<generic<bf16, 4>>(),
        "_: Compute, out: CbOut<bf16>, n: u32, a: u32, b: u32, c: u16, d: f32, e: u32, z: u8, w: u8, f: f32"
    );
    let names: Vec<String> =
        lower::<generic<bf16, 8>>().iter().map(|f| format!("{}<{}>", f.name, f.generics.join(", "))).collect();
    // Each instance once, callees first. `one<T>` is only known by what becomes of its result.
    assert_eq!(
        names,
        [
            "add_const<8>",
            "add_const<4>",
            "pages<bf16, 2>",
            "pages<bf16, 8>",
            "one<u8>",
            "one<f32>",
            "sum<f32>",
            "generic<bf16, 8>"
        ]
    );
}

#[test]
fn a_function_inside_a_function() {
    const N: u32 = 3;
    #[ttl::device]
    fn twice(x: u32) -> u32 {
        x * 2 + N
    }
    #[ttl::kernel(reader)]
    fn inner(noc: Noc) {
        let x = twice(noc.core_x());
        let _ = x;
    }
    assert_eq!(locals::<inner>(), "noc: Noc, x: u32");
}

#[ttl::device]
fn references(tile: &mut Reserved<bf16>, x: &mut i8, y: &f32) -> i8 {
    *x += 1;
    let z = *x;
    let w = *y * 2.0;
    let r = &w;
    let _ = r;
    let _ = tile;
    z
}

#[ttl::kernel(reader)]
fn borrows(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(1);
    let mut n = 4;
    let y = 0.5;
    let k = references(&mut tile, &mut n, &y);
    let transfer = noc.read_page(&src, k as u32, &mut tile);
    transfer.wait();
    let bits = f32::from_bits(0x3f80_0000);
    let _ = bits;
}

#[test]
fn borrows_have_no_lifetimes() {
    assert_eq!(
        locals::<borrows>(),
        "noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>, n: i8, y: f32, k: i8, bits: f32"
    );
    assert_eq!(locals::<references>(), "tile: &mut Reserved<bf16>, x: &mut i8, y: &f32, z: i8, w: f32");
}

#[ttl::device]
fn ping(n: u32) -> u32 {
    if n == 0 { 0 } else { pong(n - 1) }
}
#[ttl::device]
fn pong(n: u32) -> u32 {
    ping(n)
}
#[ttl::kernel(reader)]
fn recursive(_: Noc) {
    ping(3);
}

#[test]
fn recursion_is_an_error_that_names_the_cycle() {
    let mut cx = Cx::new();
    cx.instance::<recursive>();
    let errors = cx.finish().unwrap_err();
    let text = errors[0].to_string();
    assert!(text.contains("`ping` calls itself, through `ping` (tests/items.rs:"), "{text}");
    assert!(text.contains("-> `pong` (tests/items.rs:"), "{text}");
    assert!(text.contains("write a loop"), "{text}");
    assert_eq!(errors.len(), 1);
}

/// Many probes in one block: more than one tuple of carriers.
#[ttl::device]
fn many(x: u32) -> u32 {
    let a = x + 1;
    let b = a + 2;
    let c = b + 3;
    let d = c + 4;
    let e = d + 5;
    let f = e + 6;
    let g = f + 7;
    let h = g + 8;
    let i = h + 9;
    let j = i + 10;
    let k = (j + 11) as u8;
    let l = k + 12;
    let m = l < 13;
    if m { 1 } else { 2 }
}

#[test]
fn more_probes_than_a_tuple_holds() {
    assert!(locals::<many>().ends_with("j: u32, k: u8, l: u8, m: bool"));
    assert_eq!((many(10), many(190)), (2, 1));
}

/// Trap: if `f32` were the only float that is a device type, rustc would choose it for `2.0` in the copy where the function itself has
/// `f64`. `tests/ui/types/f64_inferred.rs` shows that the function does not compile; this shows why: `f64` is a device type to rustc.
#[test]
fn f64_is_a_candidate_for_float_literals() {
    fn device_ty<T: ttl::rt::DeviceTy>(_: &T) -> &'static str {
        std::any::type_name::<T>()
    }
    assert_eq!(device_ty(&2.0), "f64");
    assert_eq!(device_ty(&2), "i32");
}

macro_rules! by_macro {
    ($name:ident, $param:ident, $value:expr) => {
        #[ttl::device]
        fn $name($param: u32) -> u32 {
            let y = 1_u8;
            let z = $value;
            let w = y;
            let _ = w;
            z
        }
    };
}
by_macro!(made, y, y + 2);

/// The `y` of the macro is another one than that of its caller, for Rust as for the IR.
#[test]
fn hygiene_of_macros_that_write_functions() {
    assert_eq!(locals::<made>(), "y: u32, y: u8, z: u32, w: u8");
    assert_eq!(made(5), 7);
}

#[allow(unreachable_pub)]
mod helpers {
    pub mod deep {
        #[ttl::device]
        pub fn triple<const N: u32>(x: u32) -> u32 {
            x * 3 + N
        }
    }
    pub use deep::triple as exported;
}
use helpers::exported as thrice;

#[ttl::device]
fn by_path(x: u32) -> u32 {
    thrice::<1>(x) + helpers::exported::<2>(x) + helpers::deep::triple::<1>(x)
}

#[test]
fn functions_by_path_and_under_other_names() {
    let names: Vec<String> = lower::<by_path>().iter().map(|f| format!("{}{:?}", f.name, f.generics)).collect();
    assert_eq!(names, [r#"triple["1"]"#, r#"triple["2"]"#, "by_path[]"]);
    assert_eq!(by_path(2), 7 + 8 + 7);
}
