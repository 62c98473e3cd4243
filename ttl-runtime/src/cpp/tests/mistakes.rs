//! Kernels that do something wrong while they run: the error names the line of the source.

use super::chip::{Chip, READER, compiler, compute, kernel, run_alone};
use crate::arch::{ComputeConfig, Core};
use crate::cpp::KernelKind;
use crate::sim::{ErrorKind, SimError};
use crate::tensor::format::DataFormat;

/// Runs a body whose third line is the one at fault; lines are those of an imagined Rust file.
fn fails_as(kind: KernelKind, headers: &str, body: &str, arg: u32) -> SimError {
    let text = format!(
        "{headers}\n#line 10 \"src/wrong.rs\"\nvoid kernel_main() {{\n    const uint32_t n = get_arg_val<uint32_t>(0);\n    {body}\n}}\n"
    );
    let error = run_alone(&text, kind, arg).expect_err(body);
    let site = error.site().expect("a place").to_string();
    assert_eq!(site, "src/wrong.rs:12", "{error}");
    error
}

fn fails(body: &str, arg: u32) -> SimError {
    fails_as(READER, "", body, arg)
}

#[test]
fn undefined_behaviour_is_an_error_with_its_line() {
    let cases = [
        ("get_semaphore(7 / n);", 0, "attempt to divide by zero"),
        ("get_semaphore(7 % n);", 0, "attempt to divide by zero"),
        ("get_semaphore(7u / (n - 1));", 1, "attempt to divide by zero"),
        (
            "get_semaphore(static_cast<uint32_t>(INT32_MIN / static_cast<int32_t>(n)));",
            u32::MAX,
            "attempt to divide with overflow",
        ),
        (
            "get_semaphore(static_cast<uint32_t>(INT32_MAX + static_cast<int32_t>(n)));",
            1,
            "attempt to add with overflow",
        ),
        (
            "get_semaphore(static_cast<uint32_t>(INT32_MIN - static_cast<int32_t>(n)));",
            1,
            "attempt to subtract with overflow",
        ),
        (
            "get_semaphore(static_cast<uint32_t>(65536 * static_cast<int32_t>(n)));",
            65536,
            "attempt to multiply with overflow",
        ),
        ("get_semaphore(static_cast<uint32_t>(-static_cast<int32_t>(n)));", 1 << 31, "attempt to negate with overflow"),
        ("get_semaphore(1u << n);", 32, "attempt to shift with overflow: by 32 bits"),
        ("uint32_t a[4] = {n, 1, 2, 3}; get_semaphore(a[n]);", 4, "index out of bounds: the index is 4"),
        (
            "get_semaphore(static_cast<uint32_t>(1e10f * static_cast<float>(n)));",
            1,
            "a float does not fit the integer type it is converted to",
        ),
        ("ASSERT(n > 3);", 3, "ASSERT(n > 3) does not hold"),
    ];
    for (body, arg, message) in cases {
        let error = fails(body, arg);
        assert!(error.message().ends_with(message), "{body}: {error}");
        assert!(error.to_string().contains("alone.cpp"), "{error}");
    }
}

/// Unsigned arithmetic wraps in C++, and the same checks let the defined cases pass.
#[test]
fn defined_arithmetic_is_no_error() {
    let body = "void kernel_main() {
        const uint32_t n = get_arg_val<uint32_t>(0);
        ASSERT(n * n + 4294967295u == 8u);
        ASSERT(7 / n == 2 && 7 % n == 1);
        ASSERT((1u << (n + 28)) == 2147483648u);
        ASSERT(static_cast<int32_t>(-2.5f * static_cast<float>(n)) == -7);
        ASSERT(-static_cast<int32_t>(n) == -3 && (static_cast<int32_t>(n) - 11) >> 1 == -4);
    }";
    run_alone(body, READER, 3).unwrap();
}

#[test]
fn misuse_of_calls_is_an_error_with_its_line() {
    let cases = [
        ("get_arg_val<uint32_t>(n);", 1, ErrorKind::Arguments, "runtime argument 1 does not exist"),
        ("get_arg_val<uint32_t>(-1);", 1, ErrorKind::Arguments, "runtime argument"),
        ("get_common_arg_val<uint32_t>(n);", 0, ErrorKind::Arguments, "common runtime argument 0 does not exist"),
        ("cb_push_back(n, 1);", 0, ErrorKind::CircularBuffer, "cb_push_back"),
        ("cb_reserve_back(n, 1);", 9, ErrorKind::CircularBuffer, "there is no circular buffer with id 9"),
        (
            "get_tile_size(static_cast<int32_t>(n));",
            9,
            ErrorKind::CircularBuffer,
            "there is no circular buffer with id 9",
        ),
        ("get_semaphore(n);", 5, ErrorKind::Semaphore, "semaphore"),
        (
            "noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(n), 1);",
            0xf000_0000,
            ErrorKind::Memory,
            "l1",
        ),
        ("*reinterpret_cast<volatile uint32_t*>(n) = 1;", 16, ErrorKind::Memory, "l1"),
        ("noc_async_read_one_packet(0, 0, n);", 20000, ErrorKind::Panic, "above NOC_MAX_BURST_SIZE"),
        ("noc_async_read<64>(0, 0, n);", 65, ErrorKind::Panic, "largest page"),
        ("get_noc_addr_from_bank_id<true>(n, 0);", 8, ErrorKind::Noc, "DRAM bank 8 does not exist"),
        (
            "int x = 0; noc_semaphore_set(reinterpret_cast<volatile uint32_t*>(&x), n);",
            1,
            ErrorKind::Panic,
            "does not point into the L1",
        ),
        (
            "int x = 0; get_semaphore(reinterpret_cast<uint32_t>(&x) + n);",
            1,
            ErrorKind::Panic,
            "does not point into this core's L1",
        ),
    ];
    for (body, arg, kind, message) in cases {
        let error = fails(body, arg);
        assert_eq!(error.kind(), kind, "{body}: {error}");
        assert!(error.message().to_lowercase().contains(&message.to_lowercase()), "{body}: {error}");
    }
}

#[test]
fn misuse_of_compute_calls_is_an_error_with_its_line() {
    let headers = "#include \"api/compute/eltwise_binary.h\"\n#include \"api/compute/tile_move_copy.h\"";
    let start = "compute_kernel_hw_startup(0, 0);";
    let cases = [
        ("copy_init(0);".to_owned(), "compute_kernel_hw_startup"),
        (format!("{start} {start}"), "a second call of `compute_kernel_hw_startup`"),
        (format!("{start} tile_regs_commit();"), "tile_regs_commit"),
        (format!("{start} tile_regs_acquire(); copy_tile(0, 0, 0);"), "copy_tile"),
        (format!("{start} copy_init(0); tile_regs_acquire(); copy_tile(0, 0, 8 + n);"), "copy_tile"),
        (format!("{start} get_common_arg_val<uint32_t>(0);"), "common runtime argument"),
    ];
    for (body, message) in cases {
        let error = fails_as(compute(ComputeConfig::default()), headers, &body, 0);
        assert!(error.message().contains(message), "{body}: {error}");
    }
}

#[test]
fn a_page_past_the_end_of_a_tensor_is_an_error_with_its_line() {
    let mut chip = Chip::new();
    let core = Core::new(0, 0);
    let a = chip.tensor(&[64, 32], DataFormat::Bf16, |_| 1.0);
    chip.cb(&[core], 0, 4, DataFormat::Bf16);
    let mut reader = kernel!("reader_pages.cpp", READER);
    reader.compile_args = [0].into_iter().chain(a.words.clone()).collect();
    chip.kernel(core, &reader, &[a.base, 3, 2048], &[]);
    let error = chip.run().unwrap_err();
    let line = reader.text.lines().position(|l| l.contains("noc_async_read(")).unwrap() + 1;
    assert_eq!(error.site().unwrap().to_string(), format!("reader_pages.cpp:{line}"), "{error}");
    assert!(error.message().contains("page 2"), "{error}");
}

#[test]
fn a_deadlock_names_the_line_that_waits() {
    let text = "#line 7 \"src/stuck.rs\"\nvoid kernel_main() {\n    cb_wait_front(0, 1);\n}\n";
    let error = run_alone(text, READER, 0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deadlock);
    assert!(error.to_string().contains("src/stuck.rs:8"), "{error}");
}

#[test]
#[should_panic(expected = "the C++ kernel `alone.cpp` was called outside of the simulated chip")]
fn kernels_do_not_run_outside_of_the_chip() {
    let source = crate::cpp::CppSource::new(
        "alone.cpp",
        "void kernel_main() { get_semaphore(0); }",
        READER,
        crate::arch::ArchKind::Blackhole,
    );
    let kernels = compiler().build(&[source]).unwrap();
    (kernels[0].entry())();
}
