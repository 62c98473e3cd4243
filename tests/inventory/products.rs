//! Section B, second half: what a program becomes.

use crate::kernels::*;
use ttl::prelude::*;
use ttl::runtime::codegen::Lines;

/// Validated once, run with new contents as often as one likes; on the C++ engine compiled once.
#[test]
fn item_33_a_program_is_made_once_and_runs_many_times() {
    for engine in [Engine::Native, Engine::Cpp] {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let setup = Setup::default();
        let t = tensors(&mut device, &setup).expect("fits");
        let checked = program(&t, &setup, Compute3::Add).validate(&device).expect("valid");
        device.prepare(&checked).expect("compiles without running");
        assert!(device.download(&t.y).expect("there").to_f32_vec().iter().all(|v| *v == 0.0), "nothing ran yet");
        for round in 0..3u16 {
            let a = HostTensor::from_fn(SHAPE, |i| f32::from(round) + (i % 64) as f32).expect("a tensor");
            let b = HostTensor::from_fn(SHAPE, |_| -1.0).expect("a tensor");
            device.write(&t.a, &a).expect("the same shape");
            device.write(&t.b, &b).expect("the same shape");
            device.run(&checked).expect("runs");
            let got = device.download(&t.y).expect("there");
            assert_eq!(got.get(70), Some(f32::from(round) + 5.0), "{engine:?}, round {round}");
        }
        let other = HostTensor::zeros(vec![32, 32], DataFormat::F32).expect("a tensor");
        let refused = device.write(&t.a, &other).expect_err("another shape").to_string();
        assert!(refused.contains("[128, 192]") && refused.contains("[32, 32]"), "{refused}");
    }
}

#[test]
fn item_34_descriptions_of_circular_buffers() {
    let mut device = Device::open().expect("a device");
    let setup = Setup { block: 4, ..Setup::default() };
    let t = tensors(&mut device, &setup).expect("fits");
    let checked = program(&t, &setup, Compute3::Add).validate(&device).expect("valid");
    let dir = tempfile::tempdir().expect("a directory");
    let path = checked.export(&device, dir.path(), &[], Tolerance::default()).expect("written");
    let json = std::fs::read_to_string(path).expect("readable");
    for part in ["\"page_size\": 2048", "\"pages\": 8", "bf16"] {
        assert!(json.contains(part), "no {part} in {json}");
    }
}

/// One file per kernel, whose name contains a hash of what is in it.
#[test]
fn item_35_dumps() {
    let mut device = Device::open().expect("a device");
    let dir = tempfile::tempdir().expect("a directory");
    let mut names = vec![];
    for block in [1, 2] {
        let setup = Setup { block, ..Setup::default() };
        let t = tensors(&mut device, &setup).expect("fits");
        let checked = program(&t, &setup, Compute3::Add).validate(&device).expect("valid");
        let files = checked.dump(dir.path()).expect("written");
        assert_eq!(files.len(), 9, "IR, prepared IR and C++ of three kernels: {files:?}");
        names.push(files);
    }
    // The constant is an argument: the C++ is one, and so is its file.
    assert_eq!(names[0], names[1]);
    let cpp =
        names[0].iter().find(|f| f.to_string_lossy().contains("add") && f.extension().is_some_and(|e| e == "cpp"));
    assert!(std::fs::read_to_string(cpp.expect("the C++ of add")).expect("readable").contains("add_tiles("));
    let ir = names[0].iter().find(|f| f.to_string_lossy().contains("add") && f.to_string_lossy().ends_with("ir.txt"));
    assert!(std::fs::read_to_string(ir.expect("the IR of add")).expect("readable").contains("Store"));
}

/// Kernels, buffers and semaphores in one launch; `tests/multicore` has programs with semaphores.
#[test]
fn item_36_one_launch() {
    let mut device = Device::open().expect("a device");
    let setup = Setup { cores: CoreRange::new(Core::new(0, 0), Core::new(3, 1)), block: 3, ..Setup::default() };
    let t = tensors(&mut device, &setup).expect("fits");
    let checked = program(&t, &setup, Compute3::Add).validate(&device).expect("valid");
    let report = device.run(&checked).expect("runs");
    assert_eq!(report.noc_reads, 48, "each page of both operands once");
}

#[test]
fn item_37_results_of_small_programs() {
    let block = |block| Setup { block, ..Setup::default() };
    for (setup, which) in [
        (block(1), Compute3::Add),
        (block(4), Compute3::Add),
        (block(1), Compute3::Guards),
        (block(2), Compute3::Explicit),
        (Setup { memories: [MemoryConfig::L1, MemoryConfig::L1, MemoryConfig::L1], ..block(2) }, Compute3::Add),
    ] {
        assert_near(&run(&setup, which), &exact(|a, b| a + b), 0.55, 0.0);
    }
}

/// The texts stand in `tests/golden` and `ttl-runtime/tests/golden`; here: they are the same every time.
#[test]
fn item_38_stable_text() {
    let text = || {
        let mut device = Device::open().expect("a device");
        let setup = Setup::default();
        let t = tensors(&mut device, &setup).expect("fits");
        program(&t, &setup, Compute3::Chain).validate(&device).expect("valid").sources(Lines::Comments).expect("C++")
    };
    assert_eq!(text(), text());
}

/// Both engines are behind one device, which is generic over its backend.
#[test]
fn item_39_one_runtime_path() {
    fn is_object_safe(_: Option<&dyn Backend>) {}
    is_object_safe(None);
    let [native, cpp] = [Engine::Native, Engine::Cpp].map(|engine| {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let t = tensors(&mut device, &Setup::default()).expect("fits");
        let checked = program(&t, &Setup::default(), Compute3::Add).validate(&device).expect("valid");
        device.run(&checked).expect("runs");
        device
    });
    assert!(native.first_difference(&cpp).is_none());
}
