//! Prints, assertions and zones of C++ kernels.

use crate::arch::{Arch, ArchKind, Core};
use crate::cpp::{CppSource, KernelKind};
use crate::sim::{
    ErrorKind, Launch, Machine, PrintLog, Prints, Processor, RunOptions, RunReport, SimError, ThreadLaunch,
};
use std::sync::Arc;

/// Runs the body of a reader; returns its lines and how it ended.
fn run(text: &str) -> (Vec<String>, Result<RunReport, SimError>) {
    let text = format!("#include \"api/debug/dprint.h\"\nvoid kernel_main() {{\n{text}\n}}\n");
    let source = CppSource::new("debugging.cpp", text, KernelKind::DataMovement { noc: 0 }, ArchKind::Blackhole);
    let built = super::chip::compiler().build(&[source]).unwrap_or_else(|e| panic!("{e}"));
    let mut launch = Launch::default();
    launch.threads.push(ThreadLaunch {
        core: Core::new(2, 1),
        processor: Processor::Ncrisc,
        noc: 0,
        kernel: "say".into(),
        entry: built[0].entry(),
        runtime_args: vec![5],
        common_args: Arc::from([]),
        compile_args: Arc::from([]),
        config: Arc::default(),
    });
    let log = PrintLog::default();
    let options = RunOptions { prints: Prints::to_log(&log), ..RunOptions::default() };
    let result = Machine::new(Arch::blackhole()).run(&launch, &options);
    (log.take().into_iter().map(|line| line.text).collect(), result)
}

#[test]
fn scalars_of_all_types() {
    let (lines, result) = run(r#"
        const uint32_t n = get_arg_val<uint32_t>(0);
        DPRINT("n={} again {0} no\n", n);
        DPRINT("{} {} {:#x} {:.2f} {} {}\n", n, -3, 255, 1.0f / 3, true, 'c');
        DEVICE_PRINT("{1} {0} {{}}\n", "text", bf16_t(0x3FC0));
        DPRINT_DATA0("{:>4}|\n", static_cast<uint8_t>(7));
        DPRINT_DATA1("not on this NoC\n");
        DPRINT_MATH("not here {}\n", n);
        DPRINT("{} {}", DataFormat::Float16_b, static_cast<int16_t>(-1));
    "#);
    // Both kinds of placeholders in one text are for the chip's compiler to refuse.
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(lines[1..], ["5 -3 0xff 0.33 true c", "1.5 text {}", "   7|", "5 -1"]);
}

#[test]
fn a_print_with_a_mistake_ends_the_kernel() {
    let (_, result) = run("DPRINT(\"{} {}\\n\", 1);");
    let error = result.unwrap_err().to_string();
    assert!(error.contains("the print cannot be written: argument 1 is not there; there are 1"), "{error}");
    assert!(error.contains("debugging.cpp:3"), "{error}");
}

#[test]
fn assertions_say_what_does_not_hold() {
    let (lines, result) = run("DPRINT(\"before\\n\");\nASSERT(get_arg_val<uint32_t>(0) == 6);");
    assert_eq!(lines, ["before"]);
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Assertion);
    assert_eq!(error.message(), "ASSERT(get_arg_val<uint32_t>(0) == 6) does not hold");
    assert_eq!(error.site().map(|s| s.to_string()), Some("debugging.cpp:4".to_owned()));
}

#[test]
fn zones_end_with_their_block() {
    let (_, result) = run(r#"
        DeviceZoneScopedN("all");
        for (int i = 0; i < 3; ++i) {
            DeviceZoneScopedN("inner");
            if (i == 1) {
                continue;
            }
        }
    "#);
    let zones: Vec<_> = result.unwrap().zones.into_iter().map(|z| (z.name, z.entered, z.site.line)).collect();
    assert_eq!(zones, [("all".to_owned(), 1, 4), ("inner".to_owned(), 3, 6)]);
}
