//! Section A: the kernel language.

use crate::kernels::*;
use std::path::Path;
use ttl::prelude::*;
use ttl::runtime::codegen::{Lines, Source};
use ttl::runtime::program::{ProblemKind, Role};

fn sources(which: Compute3, setup: &Setup) -> Vec<Source> {
    let mut device = Device::open().expect("a device");
    let t = tensors(&mut device, setup).expect("fits");
    program(&t, setup, which).validate(&device).expect("valid").sources(Lines::None).expect("C++")
}

fn text<'a>(sources: &'a [Source], kernel: &str) -> &'a str {
    let found = sources.iter().find(|s| s.file_name.starts_with(kernel));
    &found
        .unwrap_or_else(|| panic!("no {kernel} among {:?}", sources.iter().map(|s| &s.file_name).collect::<Vec<_>>()))
        .text
}

#[track_caller]
fn kinds(build: impl FnOnce(&mut Device) -> ttl::Result<Program>) -> (Vec<ProblemKind>, String) {
    let mut device = Device::open().expect("a device");
    let program = build(&mut device).expect("built");
    match program.validate(&device) {
        Err(ttl::Error::Program(e)) => (e.errors.iter().map(|e| e.kind).collect(), e.to_string()),
        other => panic!("refused with reasons, but: {other:?}"),
    }
}

/// The invalid cases of tests/ui that show a mistake; the ui test compares their messages.
#[track_caller]
fn invalid_cases(names: &[&str]) {
    for name in names {
        let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui").join(name);
        for ending in ["rs", "stderr"] {
            assert!(case.with_extension(ending).is_file(), "tests/ui/{name}.{ending} is gone");
        }
        let message = std::fs::read_to_string(case.with_extension("stderr")).expect("readable");
        let at = format!("tests/ui/{name}.rs:");
        assert!(message.starts_with("error") && message.contains(&at), "tests/ui/{name}.stderr names no place");
    }
}

/// An attribute with the role; grid, block sizes and the rest are arguments of the host, checked against the device.
#[test]
fn item_01_kernels_on_a_grid() {
    let cores = CoreRange::new(Core::new(1, 2), Core::new(3, 3));
    for block in [1, 2, 4] {
        let setup = Setup { cores, block, ..Setup::default() };
        assert_near(&run(&setup, Compute3::Add), &exact(|a, b| a + b), 0.55, 0.0);
    }
}

#[test]
fn item_02_what_the_attribute_and_the_host_refuse() {
    invalid_cases(&["roles/no_role", "roles/unknown_role", "params/unknown_mark"]);
    let (found, message) = kinds(|device| {
        let t = tensors(device, &Setup::default())?;
        let mut p = Program::new("nowhere");
        let (y_out, y_in) = p.circular_buffer::<bf16>("y", CoreSet::default(), 2);
        let (_, a_in) = p.circular_buffer::<bf16>("a", CoreSet::default(), 2);
        let (_, b_in) = p.circular_buffer::<bf16>("b", CoreSet::default(), 2);

        p.kernel(CoreSet::default(), add { a_in, b_in, y_out, blocks: per_core(|_| 1), block: 1 });
        p.kernel(
            CoreSet::default(),
            write { y: t.y.accessor(), y_in, first: per_core(|_| 0), blocks: per_core(|_| 1), block: 1 },
        );
        Ok(p)
    });
    assert!(found.contains(&ProblemKind::NoCores), "{message}");
}

#[test]
fn item_03_one_compute_and_two_data_movement_threads_share_buffers() {
    let mut device = Device::open().expect("a device");
    let t = tensors(&mut device, &Setup::default()).expect("fits");
    let checked = program(&t, &Setup::default(), Compute3::Add).validate(&device).expect("valid");
    let roles: Vec<Role> = checked.checked().kernels().iter().map(|k| k.role).collect();
    assert!(matches!(roles[..], [Role::Reader, Role::Compute, Role::Writer]), "{roles:?}");
    assert_eq!(checked.checked().cbs().len(), 3);
}

#[test]
fn item_04_no_more_than_these_three() {
    for second in ["compute", "writer"] {
        let (found, message) = kinds(|device| {
            let t = tensors(device, &Setup::default())?;
            let mut p = program(&t, &Setup::default(), Compute3::Add);
            let core = Core::new(0, 0);
            let (_, a_in) = p.circular_buffer::<bf16>("a2", core, 2);
            let (_, b_in) = p.circular_buffer::<bf16>("b2", core, 2);
            let (y_out, y_in) = p.circular_buffer::<bf16>("y2", core, 2);
            let one = || per_core(|_| 1);
            if second == "compute" {
                p.kernel(core, add { a_in, b_in, y_out, blocks: one(), block: 1 });
            } else {
                p.kernel(core, write { y: t.y.accessor(), y_in, first: one(), blocks: one(), block: 1 });
            }

            Ok(p)
        });
        assert!(found.contains(&ProblemKind::SharedProcessor), "{second}: {message}");
    }
}

#[test]
fn item_05_parameters_have_device_types() {
    invalid_cases(&["params/vec", "params/u64", "params/host_type", "params/guard", "types/host_value"]);
}

/// Everything a kernel uses is a parameter or a constant; nothing is captured silently.
#[test]
fn item_06_captures() {
    invalid_cases(&["names/host_constant", "names/misspelt_local", "names/wide_constant"]);
    const BLOCK: u32 = 2;
    let setup = Setup { block: BLOCK, ..Setup::default() };
    let all = sources(Compute3::Add, &setup);
    assert!(
        text(&all, "read").contains("get_compile_time_arg_val"),
        "constants of the host are compile-time arguments"
    );
}

#[test]
fn item_07_the_four_methods_of_a_circular_buffer() {
    let all = sources(Compute3::Explicit, &Setup::default());
    let compute = text(&all, "add_explicit");
    let order: Vec<&str> = [
        "cb_wait_front(a_in",
        "cb_wait_front(b_in",
        "cb_reserve_back(y_out",
        "cb_push_back(y_out",
        "cb_pop_front(b_in",
        "cb_pop_front(a_in",
    ]
    .into_iter()
    .collect();
    let places: Vec<usize> =
        order.iter().map(|call| compute.find(call).unwrap_or_else(|| panic!("no {call} in\n{compute}"))).collect();
    assert!(places.is_sorted(), "{places:?} in\n{compute}");
    invalid_cases(&[
        "cb/reserve_on_input",
        "ends/wait_on_output",
        "cb/pop_twice",
        "cb/use_after_push",
        "guards/push_twice",
    ]);
}

/// Guards that leave scope and calls written out give one C++.
#[test]
fn item_08_scoped_and_explicit_release() {
    let body = |which, name: &str| {
        let all = sources(which, &Setup { block: 2, ..Setup::default() });
        let text = text(&all, name).to_owned();
        text.split_once("void kernel_main()").expect("a kernel").1.to_owned()
    };
    assert_eq!(body(Compute3::Guards, "add_guards"), body(Compute3::Explicit, "add_explicit"));
}

#[test]
fn item_09_only_buffers_are_waited_for() {
    invalid_cases(&["ends/input_for_output", "ends/wait_on_output", "cb/reserve_on_input", "calls/misspelt_method"]);
}

/// A transfer has a tensor on one side and a block on the other; which way follows from the call.
#[test]
fn item_10_transfers() {
    invalid_cases(&[
        "noc/format_of_the_tensor",
        "noc/read_into_a_waited_tile",
        "noc/page_of_another_type",
        "noc/two_reads_into_one_block",
        "noc/pop_before_flush",
        "multicore/send_a_buffer",
    ]);
}

/// Any page of a tensor, by an index computed at run time: the last ones here.
#[test]
fn item_11_general_page_indices() {
    let (device, y) = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        let setup = Setup::default();
        let t = tensors(device, &setup)?;
        let core = Core::new(4, 4);
        let mut p = Program::new("tail");
        let (a_out, a_in) = p.circular_buffer::<bf16>("a", core, 2);
        let (b_out, b_in) = p.circular_buffer::<bf16>("b", core, 2);
        let (y_out, y_in) = p.circular_buffer::<bf16>("y", core, 2);
        let (first, blocks) = (per_core(|_| 21), per_core(|_| 3));
        let (a, b) = (t.a.accessor(), t.b.accessor());
        p.kernel(core, read { a, b, a_out, b_out, first: first.clone(), blocks: blocks.clone(), block: 1 });
        p.kernel(core, add { a_in, b_in, y_out, blocks: blocks.clone(), block: 1 });
        p.kernel(core, write { y: t.y.accessor(), y_in, first, blocks, block: 1 });
        Ok((p, t.y))
    })
    .unwrap_or_else(|e| panic!("{e}"));
    let got = device.download(&y).expect("on this device").to_f32_vec();
    let want = exact(|a, b| a + b);
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        let (row, col) = (i / SHAPE[1] / 32, i % SHAPE[1] / 32);
        let page = row * 6 + col;
        let w = if page >= 21 { *w } else { 0.0 };
        assert!((f64::from(*g) - w).abs() <= w.abs() / 230.0, "element {i} of page {page}: {g} for {w}");
    }
}

#[test]
fn item_12_blocks_of_several_tiles_in_loops() {
    for block in [1, 3, 8] {
        let setup = Setup { block, ..Setup::default() };
        assert_near(&run(&setup, Compute3::Add), &exact(|a, b| a + b), 0.55, 0.0);
        let all = sources(Compute3::Add, &setup);
        let reader = text(&all, "read");
        assert_eq!(
            reader.matches("noc_async_read_barrier()").count(),
            1,
            "one barrier for a block of {block}:\n{reader}"
        );
    }
}

/// The methods come from one table; `tests/ops.rs` runs every row.
#[test]
fn item_13_operations_come_from_one_table() {
    use ttl::runtime::ops::{BinaryOp, UnaryOp};
    for name in ["exp", "log", "sqrt", "rsqrt", "tanh", "abs", "negative", "relu", "sigmoid"] {
        let op = UnaryOp::from_method(name).unwrap_or_else(|| panic!("no row for {name}"));
        assert_eq!(op.row().method, name);
    }
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
        assert!(BinaryOp::ALL.contains(&op));
    }
}

#[test]
fn item_14_matmul() {
    let (device, c) = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        let a =
            device.upload::<bf16>("a", &HostTensor::from_fn(vec![64, 64], |i| if i % 65 == 0 { 2.0 } else { 0.0 })?)?;
        let b = device.upload::<bf16>("b", &HostTensor::from_fn(vec![64, 64], |i| (i % 251) as f32)?)?;
        let c = device.zeros::<bf16>("c", &[64, 64])?;
        let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
        let cores = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(1, 1)));
        let options = ttl_kernels::matmul::Options::default();
        Ok((ttl_kernels::matmul::program(&cores, config, &a, &b, &c, &options)?, c))
    })
    .unwrap_or_else(|e| panic!("{e}"));
    let got = device.download(&c).expect("on this device");
    for i in 0..64 * 64 {
        assert_eq!(got.get(i), Some(2.0 * (i % 251) as f32), "element {i}");
    }
}

#[test]
fn item_15_store() {
    invalid_cases(&["tiles/store_to_input", "tiles/store_a_number", "compute/operand_is_reserved"]);
    let all = sources(Compute3::Add, &Setup::default());
    let packs = text(&all, "add").lines().filter(|line| line.contains("pack_tile(")).collect::<Vec<_>>();
    assert!(!packs.is_empty() && packs.iter().all(|line| line.contains("y_out")), "{packs:?}");
}

#[test]
fn item_16_fused_chains() {
    let setup = Setup { block: 6, ..Setup::default() };
    let all = sources(Compute3::Chain, &setup);
    let compute = text(&all, "chain");
    for call in ["tile_regs_acquire()", "tile_regs_commit()", "tile_regs_wait()", "tile_regs_release()"] {
        let n = compute.matches(call).count();
        assert!((1..=3).contains(&n), "{n} times {call}:\n{compute}");
    }
    let of = |a: f64, b: f64| (((a * b + a - b).abs() * a).abs() + b * b).sqrt().exp().ln().tanh();
    // 16-bit registers round each of the operations: a bf16 has 8 bits. exp and log amplify and undo it.
    assert_near(&run(&setup, Compute3::Chain), &exact(of), 24.0, 0.02);
}

/// A buffer is declared by its element type and page count; the shape is the kernel's business.
#[test]
fn item_17_buffers_are_declared_by_type_and_pages() {
    let mut device = Device::open().expect("a device");
    let setup = Setup { block: 2, ..Setup::default() };
    let t = tensors(&mut device, &setup).expect("fits");
    let checked = program(&t, &setup, Compute3::Add).validate(&device).expect("valid");
    for cb in checked.checked().cbs() {
        assert_eq!((cb.format, cb.page_size, cb.pages), (DataFormat::Bf16, 2048, 4), "{}", cb.name);
    }
}

#[test]
fn item_18_element_types_must_match() {
    invalid_cases(&["host/wrong_format", "noc/page_of_another_type", "noc/format_of_the_tensor"]);
}

#[test]
fn item_19_grids() {
    let (found, message) = kinds(|device| {
        let cores = CoreRange::new(Core::new(0, 0), Core::new(device.arch().grid_x, 0));
        let setup = Setup { cores, ..Setup::default() };
        let t = tensors(device, &setup)?;
        Ok(program(&t, &setup, Compute3::Add))
    });
    assert!(found.contains(&ProblemKind::OutsideGrid), "{message}");
    assert!(message.contains("11 x 10") || message.contains("11x10"), "the grid of the device in numbers: {message}");
    // Work that the grid does not divide: 24 blocks on 5 cores.
    let split = ttl_kernels::split::split(24, &CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(4, 0))));
    assert_eq!(split.cores.iter().map(|core| split.share(core).count).collect::<Vec<_>>(), [5, 5, 5, 5, 4]);
}

#[test]
fn item_20_tensors_are_checked_when_they_are_given() {
    invalid_cases(&["host/missing_argument", "host/wrong_format", "host/wrong_end"]);
    let mut other = Device::open().expect("a device");
    let strange = tensors(&mut other, &Setup::default()).expect("fits");
    let (found, message) = kinds(|_| Ok(program(&strange, &Setup::default(), Compute3::Add)));
    assert!(found.contains(&ProblemKind::OtherDevice), "{message}");
}

/// `tests/multicore` runs rings and multicasts with them.
#[test]
fn item_21_semaphores() {
    invalid_cases(&["multicore/semaphore_in_compute", "multicore/semaphore_as_number", "multicore/common_semaphore"]);
}

#[test]
fn item_22_accessors_follow_from_the_signature() {
    let mut device = Device::open().expect("a device");
    let setup = Setup::default();
    let t = tensors(&mut device, &setup).expect("fits");
    let checked = program(&t, &setup, Compute3::Add).validate(&device).expect("valid");
    let reader = &checked.checked().kernels()[0];
    assert_eq!((reader.layout.accessors(), reader.layout.common_words()), (2, 2));
    let all = checked.sources(Lines::None).expect("C++");
    assert_eq!(text(&all, "read").matches("TensorAccessorArgs<").count(), 2);
}

/// Ids first, then scalars, then accessors, whose places are chained and computed by one definition.
#[test]
fn item_23_layout_of_compile_time_arguments() {
    let all = sources(Compute3::Add, &Setup::default());
    let reader = text(&all, "read");
    for part in [
        "a_out = get_compile_time_arg_val(0)",
        "b_out = get_compile_time_arg_val(1)",
        "block = get_compile_time_arg_val(2)",
        "TensorAccessorArgs<3>()",
        "next_compile_time_args_offset()",
    ] {
        assert!(reader.contains(part), "no `{part}` in\n{reader}");
    }
}

/// 2 words for the first tensor, more for a sharded one: the second begins behind them.
#[test]
fn item_24_accessors_of_different_sizes() {
    let shards = ShardSpec::height([32, 192], CoreRange::new(Core::new(0, 0), Core::new(3, 0)));
    let memories = [MemoryConfig::Sharded(shards), MemoryConfig::Dram, MemoryConfig::L1];
    let setup = Setup { memories, ..Setup::default() };
    let mut device = Device::open().expect("a device");
    let t = tensors(&mut device, &setup).expect("fits");
    let checked = program(&t, &setup, Compute3::Add).validate(&device).expect("valid");
    let offsets = &checked.checked().kernels()[0].accessor_offsets;
    assert!(offsets[0] == 3 && offsets[1] > 5, "{offsets:?}");
    assert_near(&run(&setup, Compute3::Add), &exact(|a, b| a + b), 0.55, 0.0);
}

#[test]
fn item_25_addresses_are_common_arguments_of_the_thread_that_uses_them() {
    let mut device = Device::open().expect("a device");
    let setup = Setup::default();
    let t = tensors(&mut device, &setup).expect("fits");
    let checked = program(&t, &setup, Compute3::Add).validate(&device).expect("valid");
    let [reader, compute, writer] = checked.checked().kernels() else { panic!("three kernels") };
    assert_eq!(reader.common_args[..2], [t.a.handle().address, t.b.handle().address]);
    assert_eq!(writer.common_args[..1], [t.y.handle().address]);
    assert!(compute.common_args.is_empty(), "a compute kernel has no addresses");
}

#[test]
fn item_26_three_configurations() {
    let mut device = Device::open().expect("a device");
    let setup = Setup::default();
    let t = tensors(&mut device, &setup).expect("fits");
    let checked = program(&t, &setup, Compute3::Add).validate(&device).expect("valid");
    assert_eq!(checked.checked().kernels()[1].config.fidelity, MathFidelity::HiFi4);
    let dir = tempfile::tempdir().expect("a directory");
    let path = checked.export(&device, dir.path(), &[], Tolerance::default()).expect("written");
    let json = std::fs::read_to_string(path).expect("readable");
    for kind in ["\"reader\"", "\"compute\"", "\"writer\""] {
        assert!(json.contains(kind), "no {kind} in {json}");
    }
}

#[test]
fn item_27_calls_of_the_generated_cpp() {
    let all = sources(Compute3::Add, &Setup::default());
    let calls: [(&str, &[&str]); 3] = [
        (
            "read",
            &[
                "cb_reserve_back(",
                "noc_async_read_page(",
                "noc_async_read_barrier()",
                "cb_push_back(",
                "TensorAccessor(",
            ],
        ),
        ("add", &["compute_kernel_hw_startup(", "add_init(", "tile_regs_acquire()", "add_tiles(", "pack_tile("]),
        (
            "write",
            &[
                "cb_wait_front(",
                "noc_async_write_page(",
                "noc_async_writes_flushed()",
                "noc_async_write_barrier()",
                "cb_pop_front(",
            ],
        ),
    ];
    for (kernel, calls) in calls {
        let text = text(&all, kernel);
        for call in calls.iter().chain(&["void kernel_main()", "get_compile_time_arg_val("]) {
            assert!(text.contains(call), "no `{call}` in\n{text}");
        }
    }
}

/// S1's invalid files and ours: 3-D grids, non-tiled buffers and index arithmetic on blocks cannot be written.
#[test]
fn item_28_every_refusal_has_a_place() {
    invalid_cases(&[
        "noc/format_of_the_tensor",
        "ends/wait_on_output",
        "params/host_type",
        "names/host_constant",
        "types/f64_written",
        "roles/compute_token_in_reader",
        "roles/method_of_another_role",
        "host/one_end_for_two_kernels",
    ]);
    let (found, message) = kinds(|_| Ok(Program::new("empty")));
    assert_eq!(found, [ProblemKind::NoKernel], "{message}");
}
