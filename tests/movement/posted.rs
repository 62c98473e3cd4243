//! Posted writes alone and with state, whole shards, pages by their number, zeros.

use super::{CORE, archs, error_of, pages_are, run_everywhere, values};
use ttl::prelude::*;

/// Pages in by their number; out by every kind of posted write. The last tile is zeros.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
fn posted(
    noc: Noc,
    x: TensorAccessor<bf16>,
    y: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    x_in: CbIn<bf16>,
    #[ttl(common)] banks: u32,
) {
    let raw = noc.raw();
    let bytes = x.page_size();
    raw.cb_reserve_back(&x_out, 6);
    let to = raw.get_write_ptr(&x_out);
    for i in 0..5 {
        raw.noc_async_read_page(&x, i, to + i * bytes);
    }
    raw.noc_async_write_zeros(to + 5 * bytes, bytes);
    raw.noc_async_read_barrier();
    raw.cb_push_back(&x_out, 6);
    raw.cb_wait_front(&x_in, 6);
    let from = raw.get_read_ptr(&x_in);
    raw.noc_async_write_page(&y, 0, from);
    raw.noc_async_write_page_posted(&y, 1, from + bytes);
    raw.noc_async_write_one_packet_posted(from + 2 * bytes, y.get_noc_addr(2, 0), bytes);
    raw.noc_async_write_one_packet_set_state_posted(y.get_noc_addr(3, 0), bytes);
    raw.noc_async_write_one_packet_with_state_posted(from + 3 * bytes, y.get_noc_addr(3, 0).low());
    raw.noc_async_write_set_state_posted(y.get_noc_addr(4, 0));
    raw.noc_async_write_with_state_posted(from + 4 * bytes, y.get_noc_addr(4, 0).low(), bytes);
    raw.noc_async_write_with_state_posted(from + 5 * bytes, y.get_noc_addr(4 + banks, 0).low(), bytes);
    raw.noc_async_posted_writes_flushed();
    noc.write_barrier();
    raw.cb_pop_front(&x_in, 6);
}

pub(crate) fn posted_program(device: &mut Device) -> ttl::Result<(Program, Tensor<bf16>)> {
    let banks = device.arch().dram_banks;
    let pages = 5 + banks;
    let x = device.upload::<bf16>("x", &values(pages)?)?;
    let y = device.upload::<bf16>("y", &values(pages)?)?;
    let mut program = Program::new("posted");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 6);
    program.kernel(CORE, posted { x: x.accessor(), y: y.accessor(), x_out, x_in, banks });
    Ok((program, y))
}

#[test]
fn posted_writes() {
    run_everywhere(6, posted_program, |device, y| {
        let banks = device.arch().dram_banks;
        pages_are(device, y, 4 + banks, |i| i);
        let got = device.download(y).expect("on this device");
        let last = (4 + banks) as usize * 1024;
        assert!((last..last + 1024).all(|i| got.get(i) == Some(0.0)), "a page of zeros");
    });
}

/// The second part of a posted write as if it were acknowledged.
#[ttl::kernel(reader)]
fn half_posted(noc: Noc, y: TensorAccessor<bf16>, x_out: CbOut<bf16>, x_in: CbIn<bf16>) {
    let raw = noc.raw();
    raw.cb_reserve_back(&x_out, 1);
    raw.cb_push_back(&x_out, 1);
    raw.cb_wait_front(&x_in, 1);
    raw.noc_async_write_set_state_posted(y.get_noc_addr(0, 0));
    raw.noc_async_write_with_state(raw.get_read_ptr(&x_in), y.get_noc_addr(0, 0).low(), 64);
    noc.write_barrier();
    raw.cb_pop_front(&x_in, 1);
}

#[test]
fn both_parts_of_a_posted_write_say_so() {
    for arch in archs() {
        let build = |device: &mut Device| {
            let y = device.zeros::<bf16>("y", &[32, 32])?;
            let mut program = Program::new("half posted");
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 1);
            program.kernel(CORE, half_posted { y: y.accessor(), x_out, x_in });
            Ok(program)
        };
        let message = error_of(arch, Schedule::RoundRobin, build).expect("an error");
        assert!(message.contains("is not posted, the state that was set is posted"), "{message}");
    }
}

/// Shards of one tensor to the shards of another, in reverse order.
#[ttl::kernel(reader)]
fn move_shards(
    noc: Noc,
    x: TensorAccessor<bf16>,
    y: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    x_in: CbIn<bf16>,
    #[ttl(common)] shards: u32,
    #[ttl(common)] pages: u32,
) {
    let raw = noc.raw();
    for shard in 0..shards {
        raw.cb_reserve_back(&x_out, pages);
        raw.noc_async_read_shard(&x, shard, raw.get_write_ptr(&x_out));
        raw.noc_async_read_barrier();
        raw.cb_push_back(&x_out, pages);
        raw.cb_wait_front(&x_in, pages);
        raw.noc_async_write_shard(&y, shards - 1 - shard, raw.get_read_ptr(&x_in));
        // The first tile once more, by address.
        let first = y.get_shard_noc_addr(shards - 1 - shard, 0);
        raw.noc_async_write(raw.get_read_ptr(&x_in), first, x.page_size());
        raw.noc_async_write_barrier();
        raw.cb_pop_front(&x_in, pages);
    }
}

pub(crate) fn shards_program(device: &mut Device) -> ttl::Result<(Program, Tensor<bf16>)> {
    let cores: CoreSet = CoreRange::new(Core::new(0, 0), Core::new(1, 1)).into();
    let shards = || MemoryConfig::Sharded(ShardSpec::height([64, 64], cores.clone()));
    let host = HostTensor::from_fn([256, 64], |i| (i / 1024) as f32 + (i % 7) as f32 * 0.125)?;
    let x = device.upload_in::<bf16>("x", &host, shards())?;
    let y = device.zeros_in::<bf16>("y", &[256, 64], shards())?;
    let mut program = Program::new("shards");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 4);
    program.kernel(CORE, move_shards { x: x.accessor(), y: y.accessor(), x_out, x_in, shards: 4, pages: 4 });
    Ok((program, y))
}

#[test]
fn whole_shards() {
    run_everywhere(4, shards_program, |device, y| {
        let got = device.download(y).expect("on this device");
        for i in 0..256 * 64 {
            let (row, column) = (i / 64, i % 64);
            let from = (3 - row / 64) * 64 * 64 + row % 64 * 64 + column;
            assert_eq!(
                got.get(i),
                Some((from / 1024) as f32 + (from % 7) as f32 * 0.125),
                "row {row}, column {column}"
            );
        }
    });
}

/// A shard that does not exist, and shards of a tensor that has none.
#[test]
fn shards_that_are_not_there() {
    for arch in archs() {
        let build = |device: &mut Device| {
            let cores: CoreSet = CoreRange::new(Core::new(0, 0), Core::new(1, 1)).into();
            let shards = MemoryConfig::Sharded(ShardSpec::height([64, 64], cores));
            let x = device.zeros_in::<bf16>("x", &[256, 64], shards.clone())?;
            let y = device.zeros_in::<bf16>("y", &[256, 64], shards)?;
            let mut program = Program::new("shards");
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 4);
            let code = move_shards { x: x.accessor(), y: y.accessor(), x_out, x_in, shards: 5, pages: 4 };
            program.kernel(CORE, code);
            Ok(program)
        };
        let message = error_of(arch, Schedule::RoundRobin, build).expect("an error");
        assert!(message.contains("page 16 of tensor `y`, which has 16"), "{message}");
    }
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<bf16>("x", &[256, 64]).expect("it fits");
    let mut program = Program::new("pages");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 4);
    program.kernel(CORE, move_shards { x: x.accessor(), y: x.accessor(), x_out, x_in, shards: 1, pages: 4 });
    let program = program.validate(&device).expect("valid");
    let message = device.run(&program).expect_err("an error").to_string();
    assert!(message.contains("an interleaved tensor has no shards"), "{message}");
}

/// Zeros at an address that the reads which they are made of cannot have.
#[ttl::kernel(reader)]
fn zeros_askew(noc: Noc, x_out: CbOut<bf16>, x_in: CbIn<bf16>) {
    let raw = noc.raw();
    raw.cb_reserve_back(&x_out, 1);
    raw.noc_async_write_zeros(raw.get_write_ptr(&x_out) + 8, 64);
    raw.noc_async_read_barrier();
    raw.cb_push_back(&x_out, 1);
    raw.cb_wait_front(&x_in, 1);
    raw.cb_pop_front(&x_in, 1);
}

#[test]
fn zeros_are_aligned() {
    for arch in archs() {
        let build = |_: &mut Device| {
            let mut program = Program::new("zeros");
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 1);
            program.kernel(CORE, zeros_askew { x_out, x_in });
            Ok(program)
        };
        let message = error_of(arch, Schedule::RoundRobin, build).expect("an error");
        assert!(message.contains("the address must be a multiple of 16"), "{message}");
    }
}

/// Two cores tell each other a number without waiting for an acknowledgement.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
fn tell_posted(
    noc: Noc,
    x: TensorAccessor<f32>,
    y: TensorAccessor<f32>,
    y_out: CbOut<f32>,
    y_in: CbIn<f32>,
    word: Semaphore,
    count: Semaphore,
    other: NocCore,
    me: u32,
) {
    let raw = noc.raw();
    raw.noc_inline_dw_write_posted(other.noc_addr(word.addr()), 100 + me);
    raw.noc_semaphore_inc_posted(other.noc_addr(count.addr()), 3);
    count.wait_min(3);
    word.wait_min(100);
    {
        let mut tile = y_out.reserve_back(1);
        noc.read_page(&x, 0, &mut tile).wait();
        let words = raw.l1_u32(tile.get_write_ptr());
        for i in 0..512 {
            words.write(i, word.value() + i);
        }
    }
    let tile = y_in.wait_front(1);
    noc.write_page(&y, me, &tile).wait();
}

pub(crate) fn words_program(device: &mut Device) -> ttl::Result<(Program, Tensor<f32>)> {
    let pair = [Core::new(0, 0), Core::new(2, 1)];
    let cores: CoreSet = pair.into_iter().collect();
    let x = device.upload::<f32>("x", &values(1)?)?;
    let y = device.zeros::<f32>("y", &[64, 32])?;
    let mut program = Program::new("posted words");
    let (y_out, y_in) = program.circular_buffer::<f32>("y", &cores, 1);
    let (word, count) = (program.semaphore("word", &cores, 0), program.semaphore("count", &cores, 0));
    let other = per_core(move |core| if core == pair[0] { pair[1] } else { pair[0] });
    let me = per_core(move |core| u32::from(core == pair[1]));
    program.kernel(&cores, tell_posted { x: x.accessor(), y: y.accessor(), y_out, y_in, word, count, other, me });
    Ok((program, y))
}

#[test]
fn posted_words_and_increments() {
    run_everywhere(6, words_program, |device, y| {
        let bytes = device.pages(y.handle()).expect("on this device");
        let word = |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes"));
        assert_eq!([word(0), word(511), word(1024)], [101, 612, 100]);
        let last = values(1).expect("values").get(1023).map(f32::to_bits);
        assert_eq!([Some(word(1023)), Some(word(2047))], [last, last]);
    });
}
