//! Several tensor accessors in one kernel: each takes as many compile-time words as its memory needs, and the next begins behind it.
//! Interleaved tensors in DRAM and L1 and tensors sharded over different numbers of cores stand in every order, copied page by page on both
//! engines and both chips, and compared on the host.

use ttl::prelude::*;
use ttl::runtime::codegen::Lines;

/// 4 x 3 tiles.
const SHAPE: [usize; 2] = [128, 96];
const PAGES: u32 = 12;

/// Copies a page through a buffer both of whose ends are here.
#[ttl::device]
fn copy<T: Element>(
    noc: &Noc,
    from: &TensorAccessor<T>,
    from_page: u32,
    to: &TensorAccessor<T>,
    to_page: u32,
    out: &CbOut<T>,
    input: &CbIn<T>,
) {
    let mut page = out.reserve_back(1);
    noc.read_page(from, from_page, &mut page).wait();
    page.push_back();
    let page = input.wait_front(1);
    noc.write_page(to, to_page, &page).wait();
}

/// `b` = `a` with its pages in reverse, `c` = `b`, `y` = `x` rotated by one page. Nothing uses `_between`, but its words are there.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // six accessors and two buffers
fn shuffle(
    noc: Noc,
    a: TensorAccessor<bf16>,
    #[ttl(compile_time)] pages: u32,
    x: TensorAccessor<f32>,
    halves_out: CbOut<bf16>,
    halves_in: CbIn<bf16>,
    b: TensorAccessor<bf16>,
    _between: TensorAccessor<f32>,
    y: TensorAccessor<f32>,
    words_out: CbOut<f32>,
    words_in: CbIn<f32>,
    c: TensorAccessor<bf16>,
    first: u32,
    #[ttl(common)] step: u32,
) {
    let mut page = first;
    while page < pages {
        copy(&noc, &a, pages - 1 - page, &b, page, &halves_out, &halves_in);
        copy(&noc, &x, (page + 1) % pages, &y, page, &words_out, &words_in);
        copy(&noc, &b, page, &c, page, &halves_out, &halves_in);
        page += step;
    }
}

/// Memories whose accessors take 2, 2, 8, 10 and 11 words.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Memory {
    Dram,
    L1,
    Height,
    Width,
    Block,
}
use Memory::{Block, Dram, Height, L1, Width};

impl Memory {
    fn config(self) -> MemoryConfig {
        let cores = |from: (u32, u32), to: (u32, u32)| CoreRange::new(Core::new(from.0, from.1), Core::new(to.0, to.1));
        match self {
            Dram => MemoryConfig::Dram,
            L1 => MemoryConfig::L1,
            Height => MemoryConfig::Sharded(ShardSpec::height([32, 96], cores((0, 0), (3, 0)))),
            Width => MemoryConfig::Sharded(ShardSpec::width([128, 32], cores((1, 1), (3, 1)))),
            Block => MemoryConfig::Sharded(ShardSpec::block([64, 32], cores((2, 2), (4, 3)))),
        }
    }
}

type Made = [Tensor<f32>; 2];

/// Runs the kernel on four cores with the tensors in these memories, in the order of its parameters.
fn check(arch: Arch, memories: [Memory; 6]) {
    let bf16s = HostTensor::normal(SHAPE.to_vec(), 1).expect("a tensor").to_format(DataFormat::Bf16);
    let f32s = HostTensor::normal(SHAPE.to_vec(), 2).expect("a tensor");
    let [ma, mx, mb, mbetween, my, mc] = memories.map(Memory::config);
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let ran = ttl::testing::on_both_engines(&options, |device| {
        let a = device.upload_in::<bf16>("a", &bf16s, ma.clone())?;
        let x = device.upload_in::<f32>("x", &f32s, mx.clone())?;
        let b = device.zeros_in::<bf16>("b", &SHAPE, mb.clone())?;
        let between = device.zeros_in::<f32>("between", &SHAPE, mbetween.clone())?;
        let y = device.zeros_in::<f32>("y", &SHAPE, my.clone())?;
        let c = device.zeros_in::<bf16>("c", &SHAPE, mc.clone())?;
        let cores = CoreRange::new(Core::new(0, 0), Core::new(1, 1));
        let mut program = Program::new("shuffle");
        let (halves_out, halves_in) = program.circular_buffer::<bf16>("halves", cores, 1);
        let (words_out, words_in) = program.circular_buffer::<f32>("words", cores, 1);
        program.kernel(
            cores,
            shuffle {
                a: a.accessor(),
                pages: PAGES,
                x: x.accessor(),
                halves_out,
                halves_in,
                b: b.accessor(),
                _between: between.accessor(),
                y: y.accessor(),
                words_out,
                words_in,
                c: c.accessor(),
                first: per_core(|core| 2 * core.y + core.x),
                step: 4,
            },
        );
        Ok((program, (a, b, c, [x, y] as Made)))
    });
    let (device, (a, b, c, [x, y])) = ran.unwrap_or_else(|e| panic!("{memories:?}: {e}"));
    let pages = |tensor: &TensorRef, size: usize| -> Vec<Vec<u8>> {
        let bytes = device.pages(tensor).expect("the tensor is on this device");
        bytes.chunks(size).map(<[u8]>::to_vec).collect()
    };
    let (a, b, c) = (pages(a.handle(), 2048), pages(b.handle(), 2048), pages(c.handle(), 2048));
    let (x, y) = (pages(x.handle(), 4096), pages(y.handle(), 4096));
    // What the host wrote is what the tensors say.
    assert_eq!(a.concat(), bf16s.to_tiles(DataFormat::Bf16).expect("tiles"), "{memories:?}");
    assert!(b.iter().eq(a.iter().rev()), "{memories:?}: `b` is not `a` in reverse");
    assert_eq!(b, c, "{memories:?}: `c` is not `b`");
    let mut rotated = x.clone();
    rotated.rotate_left(1);
    assert_eq!(y, rotated, "{memories:?}: `y` is not `x` rotated");
}

const ORDERS: [[Memory; 6]; 8] = [
    [Dram, Dram, Dram, Dram, Dram, Dram],
    [Height, Dram, L1, Width, Block, Dram],
    [Dram, Height, Width, L1, Dram, Block],
    [L1, Block, Dram, Dram, Height, Width],
    [Block, L1, Height, Block, Dram, L1],
    [Width, Width, Block, Height, L1, Height],
    [Dram, L1, Dram, Block, Width, Dram],
    [Height, Block, Width, Dram, Height, Block],
];

#[test]
fn every_order_on_blackhole() {
    ORDERS.iter().for_each(|order| check(Arch::blackhole(), *order));
}

#[test]
fn every_order_on_wormhole() {
    ORDERS.iter().for_each(|order| check(Arch::wormhole(), *order));
}

/// The orders are of use only if the accessors differ in length.
#[test]
fn accessors_take_different_numbers_of_words() {
    let words = |memory: Memory| {
        let device = &mut Device::open().expect("a simulated device");
        let tensor = device.zeros_in::<bf16>("t", &SHAPE, memory.config()).expect("a tensor");
        tensor.spec().accessor_words(device.arch()).expect("an accessor").len()
    };
    assert_eq!([Dram, L1, Height, Width, Block].map(words), [2, 2, 8, 10, 11]);
}

/// The C++ says where each accessor begins by the one before it, whatever that one's length.
#[test]
fn offsets_are_chained() {
    let mut device = Device::open().expect("a simulated device");
    let mut tensor = |name: &str, memory: Memory| device.zeros_in::<bf16>(name, &SHAPE, memory.config());
    let (a, b) = (tensor("a", Height).expect("a tensor"), tensor("b", Dram).expect("a tensor"));
    let mut program = Program::new("chained");
    let core = Core::new(0, 0);
    let (out, input) = program.circular_buffer::<bf16>("page", core, 1);
    program.kernel(core, one_copy { a: a.accessor(), b: b.accessor(), out, input });
    let sources = program.validate(&device).and_then(|p| p.sources(Lines::None)).expect("C++");
    let text = &sources[0].text;
    assert!(text.contains("TensorAccessorArgs<a_args.next_compile_time_args_offset()>()"), "{text}");
}

#[ttl::kernel(writer)]
fn one_copy(noc: Noc, a: TensorAccessor<bf16>, b: TensorAccessor<bf16>, out: CbOut<bf16>, input: CbIn<bf16>) {
    copy(&noc, &a, 0, &b, 0, &out, &input);
}
