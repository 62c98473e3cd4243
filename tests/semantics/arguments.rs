//! Scalars of every type on every way from the host, in parameters whose names are words of C++.

use crate::harness::words;
use ttl::prelude::*;

#[ttl::kernel(writer)]
fn register(
    noc: Noc,
    int: CbOut<f32>,
    delete: CbIn<f32>,
    namespace: TensorAccessor<f32>,
    #[ttl(compile_time)] bool_: bool,
    #[ttl(compile_time)] unsigned: u8,
    #[ttl(compile_time)] signed: i8,
    #[ttl(compile_time)] short: u16,
    #[ttl(compile_time)] long: i16,
    #[ttl(compile_time)] word: u32,
    #[ttl(compile_time)] auto: i32,
    #[ttl(compile_time)] float: f32,
    #[ttl(common)] and: bool,
    #[ttl(common)] or: u8,
    #[ttl(common)] not: i8,
    #[ttl(common)] xor: u16,
    #[ttl(common)] bitand: i16,
    #[ttl(common)] compl: u32,
    #[ttl(common)] volatile: i32,
    #[ttl(common)] double: f32,
    new: bool,
    mut uint8_t: u8,
    this: i8,
    operator: u16,
    template: i16,
    mut kernel_main: u32,
    get_arg_val: i32,
    NAN: f32,
) {
    let mut page = int.reserve_back(1);
    page.write_u32(0, bool_ as u32);
    page.write_u32(1, unsigned as u32);
    page.write_u32(2, signed as u32);
    page.write_u32(3, short as u32);
    page.write_u32(4, long as u32);
    page.write_u32(5, word);
    page.write_u32(6, auto as u32);
    page.write_u32(7, float.to_bits());
    page.write_u32(8, and as u32);
    page.write_u32(9, or as u32);
    page.write_u32(10, not as u32);
    page.write_u32(11, xor as u32);
    page.write_u32(12, bitand as u32);
    page.write_u32(13, compl);
    page.write_u32(14, volatile as u32);
    page.write_u32(15, double.to_bits());
    page.write_u32(16, new as u32);
    uint8_t -= 1;
    page.write_u32(17, uint8_t as u32);
    page.write_u32(18, this as u32);
    page.write_u32(19, operator as u32);
    page.write_u32(20, template as u32);
    kernel_main = kernel_main.wrapping_add(1);
    page.write_u32(21, kernel_main);
    page.write_u32(22, get_arg_val as u32);
    page.write_u32(23, NAN.to_bits());
    page.push_back();
    let page = delete.wait_front(1);
    noc.write_page(&namespace, 0, &page).flushed();
}

#[test]
fn scalars_arrive_as_they_left() {
    let words = words(1, |int, delete, namespace| register {
        int,
        delete,
        namespace,
        bool_: true,
        unsigned: 255,
        signed: -128,
        short: 65_535,
        long: -32_768,
        word: u32::MAX,
        auto: i32::MIN,
        float: -1.5,
        and: false,
        or: 200,
        not: -1,
        xor: 40_000,
        bitand: -2,
        compl: 3_000_000_000,
        volatile: -3,
        double: 1e-40,
        new: true.into(),
        uint8_t: 255.into(),
        this: (-7).into(),
        operator: 50_000.into(),
        template: (-20_000).into(),
        kernel_main: u32::MAX.into(),
        get_arg_val: (-123_456_789).into(),
        NAN: per_core(|core| core.x as f32 + f32::MAX),
    });
    let float = f32::to_bits;
    let compile_time = [1, 255, -128i32 as u32, 65_535, -32_768i32 as u32, u32::MAX, 1 << 31, float(-1.5)];
    let common = [0, 200, u32::MAX, 40_000, -2i32 as u32, 3_000_000_000, -3i32 as u32, float(1e-40)];
    let per_core = [1, 254, -7i32 as u32, 50_000, -20_000i32 as u32, 0, -123_456_789i32 as u32, float(f32::MAX)];
    assert_eq!(words[..24], [compile_time, common, per_core].concat());
}
