//! Structs that group the parameters of a kernel: buffers, tensors, semaphores, pipes, cores, numbers, and other such structs.

use crate::harness::words;
use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Size {
    rows: u32,
    cols: u32,
}

/// One word after the other into a page.
#[ttl::device]
struct Page<T: Element> {
    out: CbOut<T>,
    back: CbIn<T>,
    result: TensorAccessor<T>,
    at: u32,
}

#[ttl::device]
struct Everything {
    page: Page<f32>,
    size: Size,
    #[ttl(common)]
    scale: u32,
    #[ttl(compile_time)]
    shift: u32,
    done: Semaphore,
    #[ttl(common)]
    partner: NocCore,
    r#type: i32,
}

#[ttl::device]
impl Page<f32> {
    fn shifted(&self, by: u32) -> u32 {
        self.at + by
    }

    fn advance(&mut self) -> u32 {
        self.at += 1;
        self.at
    }
}

#[ttl::device]
fn finish(noc: Noc, page: &Page<f32>, from: u32) {
    let block = page.back.wait_front(1);
    noc.write_page(&page.result, from, &block).flushed();
}

#[ttl::device]
fn area(all: &Everything) -> u32 {
    let Size { rows, cols } = all.size;
    rows * cols * all.scale
}

#[ttl::device]
fn step(all: &mut Everything, n: &mut u32) -> u32 {
    *n += 1;
    all.size.rows += 10;
    all.page.advance() + all.size.rows
}

#[ttl::device]
fn taken(page: Page<f32>, noc: Noc) -> u32 {
    let Page { out: out @ _, back, result: _, at: at @ _ } = page;
    out.reserve_back(1).push_back();
    let first = back.wait_front(1).read_u32(0);
    first * 0 + at + noc.core_x()
}

#[ttl::kernel(writer)]
fn all_of_them(noc: Noc, mut all: Everything, extra: Size) {
    let size = all.page.out.get_tile_size();
    let a = area(&all);
    let b = all.page.shifted(100);
    let mut n = 5;
    let c = step(&mut all, &mut n) * 100 + n;
    let mut block = all.page.out.reserve_back(1);
    all.size.cols += 3;
    let rows = &mut all.size.rows;
    *rows += 1000;
    block.write_u32(0, a);
    block.write_u32(1, b);
    block.write_u32(2, c);
    block.write_u32(3, all.size.rows * 100 + all.size.cols);
    block.write_u32(4, all.scale * 10 + (1 << all.shift));
    block.write_u32(5, all.r#type as u32);
    block.write_u32(6, extra.rows + all.page.at);
    block.write_u32(7, size);
    noc.semaphore_inc(&all.done, all.partner, 4);
    noc.atomic_barrier();
    all.done.wait_min(4);
    all.done.set(0);
    block.push_back();
    finish(noc, &all.page, 0);
    let Everything { page, size: Size { rows, .. }, .. } = all;
    let sum = rows + taken(page, noc);
    assert!(sum == 1012 + 8 + 2, "{}", sum);
}

#[test]
fn a_kernel_takes_one_struct() {
    let device = DeviceOptions::default();
    let ran = ttl::testing::on_both_engines(&device, |device| {
        let result = device.zeros::<f32>("result", &[32, 32])?;
        let core = Core::new(2, 1);
        let mut program = Program::new("groups");
        let (out, back) = program.circular_buffer::<f32>("words", core, 2);
        let done = program.semaphore("done", core, 0);
        let all = EverythingHost {
            page: PageHost { out, back, result: result.accessor(), at: 7.into() },
            size: Size { rows: 2, cols: 4 }.into(),
            scale: 3,
            shift: 5,
            done,
            partner: core,
            r#type: (-9).into(),
        };
        program.kernel(core, all_of_them { all, extra: Size { rows: 60, cols: 1 }.into() });
        Ok((program, result))
    });
    let (device, result) = ran.unwrap_or_else(|e| panic!("{e}"));
    let words = crate::harness::page_words(&device, &result);
    let expected = [24, 107, 20 * 100 + 6, 1012 * 100 + 7, 30 + 32, -9i32 as u32, 60 + 8, 4096];
    assert_eq!(words[..8], expected);
}

/// Values that differ from core to core, and a group in a kernel that computes.
#[ttl::device]
struct Tiles {
    x: CbIn<bf16>,
    y: CbOut<bf16>,
    count: u32,
}

#[ttl::kernel(compute)]
fn double(_: Compute, tiles: Tiles) {
    for _ in 0..tiles.count {
        let x = tiles.x.wait_front(1);
        tiles.y.reserve_back(1).store(&x + &x);
    }
}

#[ttl::device]
struct Source {
    x: CbOut<bf16>,
    src: TensorAccessor<bf16>,
    first: u32,
    count: u32,
}

#[ttl::kernel(reader)]
fn read(noc: Noc, from: Source) {
    for page in from.first..from.first + from.count {
        let mut block = from.x.reserve_back(1);
        noc.read_page(&from.src, page, &mut block).wait();
    }
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: CbIn<bf16>, dst: TensorAccessor<bf16>, first: u32, count: u32) {
    for page in first..first + count {
        noc.write_page(&dst, page, &y.wait_front(1)).flushed();
    }
}

#[test]
fn each_core_has_its_own_numbers() {
    let ran = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        let src = device.upload::<bf16>("src", &HostTensor::from_fn([6 * 32, 32], |i| (i % 97) as f32)?)?;
        let dst = device.zeros::<bf16>("dst", &[6 * 32, 32])?;
        let cores = CoreRange::new(Core::new(0, 0), Core::new(1, 0));
        let first = |core: Core| core.x * 2;
        let count = |core: Core| 2 + core.x * 2;
        let mut program = Program::new("numbers");
        let (x_out, x) = program.circular_buffer::<bf16>("x", cores, 2);
        let (y, y_in) = program.circular_buffer::<bf16>("y", cores, 2);
        let from = SourceHost { x: x_out, src: src.accessor(), first: per_core(first), count: per_core(count) };
        program.kernel(cores, read { from });
        program.kernel(cores, double { tiles: TilesHost { x, y, count: per_core(count) } });
        program.kernel(cores, write { y: y_in, dst: dst.accessor(), first: per_core(first), count: per_core(count) });
        Ok((program, dst))
    });
    let (device, dst) = ran.unwrap_or_else(|e| panic!("{e}"));
    let values = device.download(&dst).unwrap().to_f32_vec();
    assert!(values.iter().enumerate().all(|(i, v)| *v == 2.0 * (i % 97) as f32));
}
