//! The data-movement calls of TT-Metalium one to one: transaction ids, transfers with state, posted writes, words in requests, parts of pages, pointers
//! into L1, tables of arguments; and what is said about mistakes with them.

#[path = "../common/golden.rs"]
mod files;
mod kernels;
mod posted;

use kernels::*;
use std::path::Path;
use ttl::prelude::*;
use ttl::runtime::codegen::Lines;

fn archs() -> [Arch; 2] {
    [Arch::blackhole(), Arch::wormhole()]
}

fn options(arch: Arch, schedule: Schedule) -> DeviceOptions {
    DeviceOptions { arch, run: RunOptions { schedule, ..RunOptions::default() }, ..DeviceOptions::default() }
}

#[track_caller]
fn run_everywhere<T>(
    seeds: u64,
    build: impl Fn(&mut Device) -> ttl::Result<(Program, T)>,
    check: impl Fn(&Device, &T),
) {
    for arch in archs() {
        for schedule in std::iter::once(Schedule::RoundRobin).chain((0..seeds).map(Schedule::Random)) {
            let ran = ttl::testing::on_both_engines(&options(arch, schedule), &build);
            let (device, made) = ran.unwrap_or_else(|e| panic!("{} {schedule:?}: {e}", arch.name()));
            check(&device, &made);
        }
    }
}

fn values(pages: u32) -> ttl::Result<HostTensor> {
    HostTensor::from_fn([pages as usize * 32, 32], |i| (i / 1024) as f32 + (i % 7) as f32 * 0.125).map_err(Into::into)
}

const CORE: Core = Core::new(1, 2);
const COUNT: u32 = 13;

/// The order in which the ring reads.
fn order() -> Vec<u32> {
    (0..COUNT).map(|i| i * 5 % COUNT).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Ids {
    Right,
    Wrong,
}

fn ring(device: &mut Device, ids: Ids) -> ttl::Result<(Program, Tensor<bf16>)> {
    let x = device.upload::<bf16>("x", &values(COUNT)?)?;
    let y = device.zeros::<bf16>("y", &[COUNT as usize * 32, 32])?;
    let mut program = Program::new("ring");
    let (ring, x_in) = program.circular_buffer::<bf16>("ring", CORE, 6);
    let (x, pages, count) = (x.accessor(), order(), COUNT);
    match ids {
        Ids::Right => program.kernel(CORE, read_ahead::<4, 6> { x, ring, pages, count }),
        Ids::Wrong => program.kernel(CORE, read_ahead_wrong_id::<4, 6> { x, ring, pages, count }),
    }
    program.kernel(CORE, write_two_at_a_time { y: y.accessor(), x_in, count });
    Ok((program, y))
}

/// Page `i` of `y` is page `of(i)` of what was uploaded.
#[track_caller]
fn pages_are(device: &Device, y: &Tensor<bf16>, count: u32, of: impl Fn(u32) -> u32) {
    let got = device.download(y).expect("on this device");
    let want = values(64).expect("values").to_format(DataFormat::Bf16);
    for page in 0..count {
        for i in 0..1024 {
            let from = of(page) as usize * 1024 + i;
            assert_eq!(got.get(page as usize * 1024 + i), want.get(from), "page {page}, element {i}");
        }
    }
}

#[test]
fn a_ring_of_reads_with_transaction_ids() {
    run_everywhere(10, |d| ring(d, Ids::Right), |device, y| pages_are(device, y, COUNT, |i| order()[i as usize]));
}

fn error_of(arch: Arch, schedule: Schedule, build: impl Fn(&mut Device) -> ttl::Result<Program>) -> Option<String> {
    let run = |engine| {
        let mut device = Device::with_options(DeviceOptions { engine, ..options(arch, schedule) })?;
        let program = build(&mut device)?.validate(&device)?;
        device.run(&program)
    };
    let native = run(Engine::Native).err()?.to_string();
    let cpp = run(Engine::Cpp).err().map(|e| e.to_string()).unwrap_or_default();
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    assert_eq!(first(&native), first(&cpp), "{native}\n{cpp}");
    Some(native)
}

#[test]
fn the_wrong_id_is_found() {
    for arch in archs() {
        let message = error_of(arch, Schedule::RoundRobin, |d| Ok(ring(d, Ids::Wrong)?.0)).expect("an error");
        assert!(
            message.contains("pages of cb `ring` (id 0) are pushed before the read that fills them has landed"),
            "{message}"
        );
    }
}

fn typed_ids(device: &mut Device) -> ttl::Result<(Program, Tensor<bf16>)> {
    let x = device.upload::<bf16>("x", &values(COUNT)?)?;
    let y = device.zeros::<bf16>("y", &[COUNT as usize * 32, 32])?;
    let mut program = Program::new("typed ids");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 4);
    program.kernel(CORE, read_with_ids { x: x.accessor(), x_out, count: COUNT });
    program.kernel(CORE, write_with_ids { y: y.accessor(), x_in, count: COUNT });
    Ok((program, y))
}

#[test]
fn typed_transfers_with_transaction_ids() {
    run_everywhere(6, typed_ids, |device, y| pages_are(device, y, COUNT, |i| i));
}

fn parts(device: &mut Device) -> ttl::Result<(Program, Tensor<bf16>)> {
    let x = device.upload::<bf16>("x", &values(COUNT)?)?;
    let y = device.zeros::<bf16>("y", &[COUNT as usize * 32, 32])?;
    let mut program = Program::new("parts");
    let (stage_out, stage_in) = program.circular_buffer::<bf16>("stage", CORE, 1);
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2);
    program.kernel(CORE, read_quarters { x: x.accessor(), stage_out, stage_in, x_out, count: COUNT });
    program.kernel(CORE, write_halves { y: y.accessor(), x_in, count: COUNT });
    Ok((program, y))
}

#[test]
fn parts_of_pages_and_copies_within_a_core() {
    run_everywhere(6, parts, |device, y| {
        // Quarters reversed, then halves swapped: quarters 3 2 1 0 become 1 0 3 2.
        let got = device.pages(y.handle()).expect("on this device");
        let mut want = Vec::new();
        let host = values(COUNT).expect("values");
        let x = {
            let mut device = Device::open().expect("a device");
            let x = device.upload::<bf16>("x", &host).expect("it fits");
            device.pages(x.handle()).expect("on this device")
        };
        for page in x.chunks(2048) {
            for quarter in [1, 0, 3, 2] {
                want.extend_from_slice(&page[quarter * 512..(quarter + 1) * 512]);
            }
        }
        assert!(got == want, "quarters of pages");
    });
}

fn stateful(device: &mut Device) -> ttl::Result<(Program, (Tensor<bf16>, u32))> {
    let banks = device.arch().dram_banks;
    let pages = banks + 2;
    let x = device.upload::<bf16>("x", &values(pages)?)?;
    let y = device.zeros::<bf16>("y", &[pages as usize * 32, 32])?;
    let mut program = Program::new("state");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 4);
    program.kernel(CORE, with_state { x: x.accessor(), y: y.accessor(), x_out, x_in, banks });
    Ok((program, (y, banks)))
}

#[test]
fn transfers_with_state() {
    run_everywhere(6, stateful, |device, (y, banks)| {
        let got = device.download(y).expect("on this device");
        let want = values(64).expect("values").to_format(DataFormat::Bf16);
        for page in 0..banks + 2 {
            let written = [0, 1, *banks, banks + 1].contains(&page);
            for i in 0..1024 {
                let at = page as usize * 1024 + i;
                let expected = if written { want.get(at) } else { Some(0.0) };
                assert_eq!(got.get(at), expected, "page {page}, element {i}");
            }
        }
    });
    let overwritten = |device: &mut Device| {
        let x = device.upload::<bf16>("x", &values(4)?)?;
        let mut program = Program::new("overwritten");
        let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2);
        program.kernel(CORE, state_overwritten { x: x.accessor(), x_out, x_in });
        Ok(program)
    };
    for arch in archs() {
        let message = error_of(arch, Schedule::RoundRobin, overwritten).expect("an error");
        assert!(message.contains("what `noc_async_read_set_state` set is gone"), "{message}");
        assert!(message.contains("this transfer uses the same command buffer"), "{message}");
    }
}

fn made(device: &mut Device) -> ttl::Result<(Program, Tensor<f32>)> {
    let y = device.zeros::<f32>("y", &[32, 32])?;
    let mut program = Program::new("numbers");
    let (y_out, y_in) = program.circular_buffer::<f32>("y", CORE, 1);
    program.kernel(CORE, numbers { y: y.accessor(), y_out, y_in });
    Ok((program, y))
}

#[test]
fn pointers_into_l1() {
    run_everywhere(3, made, |device, y| {
        let bytes = device.pages(y.handle()).expect("on this device");
        let word = |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes"));
        assert_eq!(word(1), (-0.5f32).to_bits());
        assert_eq!(word(2), 0x4120_0000);
        assert_eq!(word(3), 0xc000_0000 | (1.5f32.to_bits() & 0x00ff_ffff));
        assert_eq!(word(4), u32::MAX);
        assert_eq!(word(1000), 500f32.to_bits());
    });
}

const ROUNDS: u32 = 3;

/// Six contributors around a hub that stands outside of their rectangle.
fn gather(device: &mut Device) -> ttl::Result<(Program, Tensor<bf16>)> {
    let everyone = CoreRange::new(Core::new(1, 1), Core::new(3, 2));
    let hub_core = Core::new(0, 3);
    let cores = CoreSet::from(everyone);
    let all = cores.union(&hub_core.into());
    let contributors = cores.len() as u32;
    let x = device.upload::<bf16>("x", &values(contributors * ROUNDS)?)?;
    let each = contributors * ROUNDS;
    let y = device.zeros::<bf16>("y", &[(contributors * each) as usize * 32, 32])?;
    let mut program = Program::new("gather");
    let (all_out, all_in) = program.circular_buffer::<bf16>("all", &all, contributors);
    let (own_out, own_in) = program.circular_buffer::<bf16>("own", &cores, 1);
    let gathered = program.semaphore("gathered", &all, 0);
    let round = program.semaphore("round", &all, 0);
    let credits = program.semaphore("credits", &all, 0);
    program.kernel(
        hub_core,
        hub {
            y: y.accessor(),
            all_out: all_out.clone(),
            all_in: all_in.clone(),
            gathered,
            round,
            credits,
            everyone: everyone.into(),
            contributors,
            rounds: ROUNDS,
        },
    );
    let table: Vec<Core> = cores.iter().chain([hub_core]).collect();
    let place = |each: u32| {
        let cores = cores.clone();
        per_core(move |core| cores.position(core).unwrap_or(0) as u32 * each)
    };
    program.kernel(
        &cores,
        contribute {
            x: x.accessor(),
            own_out,
            own_in,
            all_out,
            gathered,
            round,
            credits,
            cores: table,
            place: place(1),
            contributors,
            rounds: ROUNDS,
        },
    );
    program.kernel(&cores, write_pages { y: y.accessor(), x_in: all_in, first: place(each), count: each });
    Ok((program, y))
}

#[test]
fn rounds_of_gather_and_multicast() {
    run_everywhere(12, gather, |device, y| pages_are(device, y, 6 * 6 * ROUNDS, |i| i % (6 * ROUNDS)));
}

fn words_in_requests(device: &mut Device) -> ttl::Result<(Program, Tensor<f32>)> {
    let range = CoreRange::new(Core::new(0, 0), Core::new(1, 1));
    let cores = CoreSet::from(range);
    let count = cores.len() as u32;
    let y = device.zeros::<f32>("y", &[count as usize * 32, 32])?;
    let mut program = Program::new("words");
    let (y_out, y_in) = program.circular_buffer::<f32>("y", &cores, 1);
    let (one, many) = (program.semaphore("one", &cores, 0), program.semaphore("many", &cores, 0));
    let all = cores.clone();
    let code = tell {
        y: y.accessor(),
        y_out,
        y_in,
        one,
        many,
        cores: cores.iter().collect(),
        values: per_core(move |_| (0..count).map(|i| 1000 + 10 * i).collect()),
        others: range.into(),
        me: per_core(move |core| all.position(core).unwrap_or(0) as u32),
        count,
    };
    program.kernel(&cores, code);
    Ok((program, y))
}

#[test]
fn words_in_requests_and_tables_of_arguments() {
    run_everywhere(8, words_in_requests, |device, y| {
        let bytes = device.pages(y.handle()).expect("on this device");
        let word = |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes"));
        for core in 0..4 {
            let told = 1000 + 10 * ((core as u32 + 3) % 4);
            assert_eq!([word(core * 1024), word(core * 1024 + 5)], [told, told + 77 * 5], "core {core}");
        }
    });
}

fn fetched(device: &mut Device) -> ttl::Result<(Program, Tensor<bf16>)> {
    let pair = [Core::new(0, 0), Core::new(4, 3)];
    let cores: CoreSet = pair.into_iter().collect();
    let x = device.upload::<bf16>("x", &values(1)?)?;
    let y = device.zeros::<bf16>("y", &[64, 32])?;
    let mut program = Program::new("fetch");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 1);
    let (ready, done) = (program.semaphore("ready", &cores, 0), program.semaphore("done", &cores, 0));
    let me = || per_core(move |core| u32::from(core == pair[1]));
    let other = per_core(move |core| if core == pair[0] { pair[1] } else { pair[0] });
    program.kernel(&cores, fetch { x: x.accessor(), x_out, ready, done, other, me: me() });
    program.kernel(&cores, write_pages { y: y.accessor(), x_in, first: me(), count: 1 });
    Ok((program, y))
}

#[test]
fn a_block_read_from_another_core() {
    run_everywhere(8, fetched, |device, y| pages_are(device, y, 2, |_| 0));
}

fn polled(device: &mut Device) -> ttl::Result<(Program, Tensor<bf16>)> {
    let x = device.upload::<bf16>("x", &values(COUNT)?)?;
    let y = device.zeros::<bf16>("y", &[COUNT as usize * 32, 32])?;
    let mut program = Program::new("poll");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2);
    program.kernel(CORE, read_when_there_is_room { x: x.accessor(), x_out, count: COUNT });
    program.kernel(CORE, poll { y: y.accessor(), x_in, count: COUNT });
    Ok((program, y))
}

#[test]
fn looking_before_waiting() {
    run_everywhere(6, polled, |device, y| pages_are(device, y, COUNT, |i| i));
}

#[test]
fn golden() {
    let mut device = Device::open().expect("a device");
    let programs = [
        ring(&mut device, Ids::Right).expect("a program").0,
        typed_ids(&mut device).expect("a program").0,
        parts(&mut device).expect("a program").0,
        stateful(&mut device).expect("a program").0,
        made(&mut device).expect("a program").0,
        gather(&mut device).expect("a program").0,
        words_in_requests(&mut device).expect("a program").0,
        fetched(&mut device).expect("a program").0,
        posted::posted_program(&mut device).expect("a program").0,
        posted::shards_program(&mut device).expect("a program").0,
        posted::words_program(&mut device).expect("a program").0,
    ];
    for program in programs {
        let program = program.validate(&device).expect("valid");
        files::sources("movement", &program.sources(Lines::Comments).expect("C++"));
    }
}

/// `TTL_EXPORT=DIR cargo test --test movement export` writes the programs for the real TT-Metalium, with our results.
#[test]
fn export() {
    let keep = std::env::var_os("TTL_EXPORT");
    let temporary = tempfile::tempdir().expect("a directory");
    let dir = keep.as_ref().map_or(temporary.path(), Path::new);
    let exact = Tolerance { max_abs: Some(0.0), ..Tolerance::default() };
    type Build = fn(&mut Device) -> ttl::Result<(Program, Tensor<bf16>)>;
    for arch in archs() {
        let mut device = Device::with_options(options(arch, Schedule::RoundRobin)).expect("a device");
        let builds: [(&str, Build); 9] = [
            ("ring", |d| ring(d, Ids::Right)),
            ("typed_ids", typed_ids),
            ("parts", parts),
            ("state", |d| stateful(d).map(|(p, (y, _))| (p, y))),
            ("gather", gather),
            ("fetch", fetched),
            ("poll", polled),
            ("posted", posted::posted_program),
            ("shards", posted::shards_program),
        ];
        for (name, build) in builds {
            let (program, y) = build(&mut device).expect("a program");
            let program = program.validate(&device).expect("valid");
            device.run(&program).expect("it runs");
            let result = device.download(&y).expect("on this device");
            let at = dir.join(format!("{name}_{}", arch.name()));
            program.export(&device, &at, &[(y.handle(), &result)], exact).expect("written");
        }
        let words = [("words", words_in_requests as fn(&mut Device) -> _), ("posted_words", posted::words_program)];
        for (name, build) in [("numbers", made as fn(&mut Device) -> _)].into_iter().chain(words) {
            let (program, y) = build(&mut device).expect("a program");
            let program = program.validate(&device).expect("valid");
            device.run(&program).expect("it runs");
            let result = device.download(&y).expect("on this device");
            let at = dir.join(format!("{name}_{}", arch.name()));
            program.export(&device, &at, &[(y.handle(), &result)], exact).expect("written");
        }
    }
}
