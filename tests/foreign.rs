//! Hand-written TT-Metalium kernels beside Rust ones: in native runs, as generated C++, in the export; and their mistakes.

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, first: u32, count: u32) {
    for i in first..first + count {
        let mut tile = x_out.reserve_back(1);
        noc.read_page(&x, i, &mut tile).wait();
    }
}

#[ttl::kernel(compute)]
fn double(_compute: Compute, x_in: CbIn<bf16>, y_out: CbOut<bf16>, count: u32) {
    for _ in 0..count {
        let x = x_in.wait_front(1);
        y_out.reserve_back(1).store(&x + &x);
    }
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, first: u32, count: u32) {
    for i in first..first + count {
        let tile = y_in.wait_front(1);
        noc.write_page(&y, i, &tile).flushed();
    }
}

/// Positional words after the accessor's, a named one, runtime and common words.
const READER: &str = r#"
void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t address = get_common_arg_val<uint32_t>(0);
    constexpr uint32_t out = get_compile_time_arg_val(0);
    constexpr auto x_args = TensorAccessorArgs<1>();
    constexpr uint32_t next = x_args.next_compile_time_args_offset();
    constexpr uint32_t count = get_compile_time_arg_val(next);
    static_assert(get_named_compile_time_arg_val("seven") == 7 && STEP == 1);
    const auto x = TensorAccessor(x_args, address);
    for (uint32_t i = first; i < first + count; i += STEP) {
        cb_reserve_back(out, 1);
        noc_async_read_page(i, x, get_write_ptr(out));
        noc_async_read_barrier();
        cb_push_back(out, 1);
    }
}
"#;

const WRITER: &str = r#"
void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, address);
    for (uint32_t i = first; i < first + count; ++i) {
        cb_wait_front(Y, 1);
        noc_async_write_page(i, y, get_read_ptr(Y));
        noc_async_writes_flushed();
        cb_pop_front(Y, 1);
    }
    noc_async_write_barrier();
}
"#;

/// With ids in the text.
const COMPUTE: &str = r#"
#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(tt::CBIndex::c_3, tt::CBIndex::c_3, tt::CBIndex::c_16);
    add_init(tt::CBIndex::c_3, tt::CBIndex::c_3);
    for (uint32_t i = 0; i < count; ++i) {
        cb_wait_front(tt::CBIndex::c_3, 1);
        cb_reserve_back(tt::CBIndex::c_16, 1);
        tile_regs_acquire();
        add_tiles(tt::CBIndex::c_3, tt::CBIndex::c_3, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, tt::CBIndex::c_16);
        tile_regs_release();
        cb_pop_front(tt::CBIndex::c_3, 1);
        cb_push_back(tt::CBIndex::c_16, 1);
    }
}
"#;

/// y = 2 x on two cores, with these of the three kernels in C++.
fn doubling(device: &mut Device, foreign: [bool; 3]) -> ttl::Result<(Program, Tensor<bf16>)> {
    let x = device.upload::<bf16>("x", &HostTensor::normal(vec![64, 64], 3)?)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let cores = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(1, 0)));
    let first = per_core(|core: Core| 2 * core.x);
    let mut program = Program::new("doubling");
    let (x_out, x_in) = program.circular_buffer_with_id::<bf16>("x", &cores, 2, 3);
    let (y_out, y_in) = program.circular_buffer_with_id::<bf16>("y", &cores, 2, 16);
    if foreign[0] {
        let kernel = ForeignKernel::reader_source("reader.cpp", READER)
            .cb(&x_out)
            .accessor(&x.accessor())
            .compile_time(2)
            .named("seven", 7)
            .define("STEP", "1")
            .runtime(first.clone())
            .common(Word::address(&x.accessor()));
        program.foreign(&cores, kernel);
    } else {
        program.kernel(&cores, read { x: x.accessor(), x_out, first: first.clone(), count: 2.into() });
    }
    if foreign[1] {
        let kernel = ForeignKernel::compute_source("compute.cpp", COMPUTE).uses(&x_in).uses(&y_out).runtime(2);
        program.foreign(&cores, kernel);
    } else {
        program.kernel(&cores, double { x_in, y_out, count: 2.into() });
    }
    if foreign[2] {
        let kernel = ForeignKernel::writer_source("writer.cpp", WRITER)
            .accessor(&y.accessor())
            .define_word("Y", &y_in)
            .runtime(Word::address(&y.accessor()))
            .runtime(first)
            .runtime(2);
        program.foreign(&cores, kernel);
    } else {
        program.kernel(&cores, write { y: y.accessor(), y_in, first, count: 2.into() });
    }
    Ok((program, y))
}

#[test]
fn every_kernel_can_be_the_foreign_one() {
    let mut bytes = None;
    for mask in 0..8 {
        let foreign = [mask & 1 != 0, mask & 2 != 0, mask & 4 != 0];
        for arch in [Arch::blackhole(), Arch::wormhole()] {
            let options = DeviceOptions { arch, ..DeviceOptions::default() };
            let (device, y) = ttl::testing::on_both_engines(&options, |device| doubling(device, foreign))
                .unwrap_or_else(|e| panic!("{foreign:?}: {e}"));
            let got = device.pages(y.handle()).expect("a tensor of this device");
            assert!(got.iter().any(|&b| b != 0));
            assert_eq!(*bytes.get_or_insert_with(|| got.clone()), got, "{foreign:?}");
        }
    }
}

#[test]
fn an_export_has_the_text_and_the_arguments() {
    let mut device = Device::open().expect("a device");
    let (program, _) = doubling(&mut device, [true, true, true]).expect("a program");
    let program = program.validate(&device).expect("no mistakes");
    let dir = tempfile::tempdir().expect("a directory");
    let file = program.export(&device, dir.path(), &[], Tolerance::default()).expect("exported");
    let text = std::fs::read_to_string(file).expect("the description");
    let got: String = text.split_whitespace().collect();
    for part in [
        r#""compile_args":[3,"accessor:x",2],"runtime_args":{"0,0":[0],"1,0":[2]},"common_runtime_args":["addr:x"],"named_compile_args":{"seven":7},"defines":{"STEP":"1"}"#,
        r#""compile_args":["accessor:y"],"runtime_args":{"0,0":["addr:y",0,2],"1,0":["addr:y",2,2]},"common_runtime_args":[],"defines":{"Y":"16"}"#,
        r#""compile_args":[],"runtime_args":[2]"#,
    ] {
        assert!(got.contains(part), "no {part} in\n{text}");
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("writer_cpp.cpp")).expect("the kernel"), WRITER);
}

#[test]
fn a_text_with_headers_of_its_own_stays() {
    let device = Device::open().expect("a device");
    let dir = tempfile::tempdir().expect("a directory");
    let mut program = Program::new("stays");
    let kernel = ForeignKernel::reader_source("one", "void kernel_main() {}\n").include_dir(dir.path());
    program.foreign(CORE, kernel);
    let program = program.validate(&device).expect("no mistakes");
    let error = program.export(&device, dir.path(), &[], Tolerance::default()).expect_err("headers").to_string();
    assert!(
        error.contains("the foreign kernel `one` cannot be exported: its text is given, and it includes headers from"),
        "{error}"
    );
    assert!(error.contains("give it as a file beside its headers"), "{error}");
}

/// The report of a program that must not validate.
fn refused(build: impl Fn(&mut Device, &mut Program)) -> String {
    let mut device = Device::open().expect("a device");
    let mut program = Program::new("refused");
    build(&mut device, &mut program);
    match program.validate(&device) {
        Ok(_) => panic!("this program has a mistake"),
        Err(e) => e.to_string(),
    }
}

const CORE: Core = Core::new(0, 0);

#[test]
fn mistakes_in_programs() {
    let two_producers = refused(|_, program| {
        let (out, from) = program.circular_buffer::<bf16>("a", CORE, 2);
        program.foreign(CORE, ForeignKernel::reader_source("one", READER).cb(&out));
        program.foreign(CORE, ForeignKernel::compute_source("two", COMPUTE).named("out", &out));
        program.foreign(CORE, ForeignKernel::writer_source("three", WRITER).cb(&from));
    });
    assert!(two_producers.contains("circular buffer `a` has two producers on (0,0)"), "{two_producers}");
    assert!(two_producers.contains("`compile-time argument \"out\"` of kernel `two` pushes to it"), "{two_producers}");

    let one_processor = refused(|_, program| {
        program.foreign(CORE, ForeignKernel::reader_source("one", READER));
        program.foreign(CORE, ForeignKernel::reader_source("two", READER));
    });
    assert!(one_processor.contains("kernels `one` and `two`"), "{one_processor}");

    let places = refused(|device, program| {
        let x = device.zeros::<bf16>("x", &[32, 32]).expect("a tensor");
        let kernel = ForeignKernel::writer_source("three", WRITER)
            .compile_time(per_core(|core: Core| core.x))
            .named("a", Word::noc_x(Core::new(0, 0)))
            .named("a", 1)
            .define("N", "1")
            .define_word("N", 2)
            .define_word("ADDRESS", Word::address(&x.accessor()));
        program.foreign(CORE, kernel);
    });
    for part in [
        "compile-time argument 0 of foreign kernel `three` is a per-core value",
        "compile-time argument \"a\" of foreign kernel `three` is coordinates of a core",
        "foreign kernel `three` has two compile-time arguments with the name \"a\"",
        "foreign kernel `three` has two defines of N",
        "define ADDRESS of foreign kernel `three` is the address of tensor `x`",
    ] {
        assert!(places.contains(part), "no `{part}` in\n{places}");
    }

    let names = refused(|_, program| {
        let (_, from) = program.circular_buffer::<bf16>("a", CORE, 2);
        program.foreign(
            CORE,
            ForeignKernel::compute_source("math", COMPUTE).bind_cb("a-b", &from).runtime(Word::noc_x(CORE)),
        );
    });
    for part in [
        "foreign kernel `math` has an argument with the name `a-b`",
        "a name in C++ has letters, digits and underscores, and begins with no digit",
        "foreign compute kernel `math` gets coordinates of a core",
    ] {
        assert!(names.contains(part), "no `{part}` in\n{names}");
    }

    let role = refused(|device, program| {
        let x = device.zeros::<bf16>("x", &[32, 32]).expect("a tensor");
        program.foreign(CORE, ForeignKernel::compute_source("math", COMPUTE).accessor(&x.accessor()));
    });
    assert!(role.contains("compute kernel `math` has a tensor argument"), "{role}");

    let many = refused(|_, program| {
        let kernel = (0..342).fold(ForeignKernel::reader_source("many", READER), ForeignKernel::runtime);
        program.foreign(CORE, kernel);
    });
    assert!(many.contains("kernel `many` has 342 words of runtime arguments, the largest number is 341"), "{many}");

    let file = refused(|_, program| program.foreign(CORE, ForeignKernel::reader("no/such/kernel.cpp")));
    assert!(file.contains("cannot read the foreign kernel `kernel`, no/such/kernel.cpp"), "{file}");
}

/// The error of a run with this reader, on the native engine.
fn failing(text: &str) -> String {
    let mut device = Device::open().expect("a device");
    let mut program = Program::new("failing");
    program.foreign(CORE, ForeignKernel::reader_source("reader.cpp", text));
    let program = program.validate(&device).expect("no mistakes");
    device.run(&program).map(|_| ()).expect_err("the kernel fails").to_string()
}

#[test]
fn a_missing_call_is_named() {
    let message = failing("void kernel_main() {\n    noc_frobnicate(1);\n    noc_frobnicate(2);\n}\n");
    assert!(
        message.contains("`noc_frobnicate` is not provided by ttl's simulator (called at reader.cpp:2)"),
        "{message}"
    );
    assert!(message.contains("the C++ kernel `reader.cpp` does not compile"), "{message}");
    let message = failing("#include \"api/compute/no_such_header.h\"\nvoid kernel_main() {}\n");
    assert!(
        message.contains("`api/compute/no_such_header.h` is not provided by ttl's simulator (called at reader.cpp:1)"),
        "{message}"
    );
}

#[test]
fn errors_of_the_compiler_have_file_and_line() {
    let message = failing("void kernel_main() {\n    uint32_t x = 1\n}\n");
    assert!(message.contains("reader.cpp:3"), "{message}");
    assert!(!message.contains("is not provided"), "{message}");
}

#[test]
fn errors_of_the_run_have_file_and_line() {
    let message = failing("void kernel_main() {\n    cb_push_back(5, 1);\n}\n");
    assert!(message.contains("--> reader.cpp:2"), "{message}");
    assert!(message.contains("core(0,0) ncrisc `reader.cpp`"), "{message}");
}

#[test]
fn headers_beside_a_kernel_are_found_and_noticed_when_they_change() {
    let dir = tempfile::tempdir().expect("a directory");
    let (kernel, header) = (dir.path().join("k.cpp"), dir.path().join("answer.h"));
    std::fs::write(
        &kernel,
        "#include \"answer.h\"\nvoid kernel_main() { ASSERT(ANSWER == get_arg_val<uint32_t>(0)); }\n",
    )
    .expect("written");
    for answer in [41, 42] {
        std::fs::write(&header, format!("#define ANSWER {answer}\n")).expect("written");
        let mut device = Device::open().expect("a device");
        let mut program = Program::new("headers");
        program.foreign(CORE, ForeignKernel::reader(&kernel).runtime(answer));
        let program = program.validate(&device).expect("no mistakes");
        device.run(&program).unwrap_or_else(|e| panic!("{answer}: {e}"));
        // What includes others stays where it is.
        let out = tempfile::tempdir().expect("a directory");
        let file = program.export(&device, out.path(), &[], Tolerance::default()).expect("exported");
        let text = std::fs::read_to_string(file).expect("the description");
        assert!(text.contains(kernel.to_str().expect("UTF-8")), "{text}");
    }
}
