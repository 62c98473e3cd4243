use std::sync::Arc;

use super::*;
use crate::arch::Arch;
use crate::cores::CoreRange;
use crate::program::{Arg, CbDecl, CbEnd, DeviceInfo, KernelDecl, Program, SemDecl};
use crate::tensor::{DataFormat, TensorSpec};

fn tensor(id: u64, name: &str, memory: MemoryConfig) -> TensorRef {
    let spec = TensorSpec::new([64, 64], DataFormat::Bf16).unwrap().with_memory(memory);
    TensorRef { id: TensorId(id), name: name.into(), spec: Arc::new(spec), address: 64, device: 0 }
}

fn sample() -> Checked<()> {
    let cores = CoreSet::from(CoreRange::grid(2, 1).unwrap());
    let mut p = Program::new("sample");
    let cb = p.add_cb(CbDecl::new("a", &cores, DataFormat::Bf16, 4));
    let done = p.add_semaphore(SemDecl::new("done", &cores, 5));
    let x = tensor(1, "x", MemoryConfig::Dram);
    let shards = ShardSpec::height([32, 64], cores.clone());
    let y = tensor(2, "x", MemoryConfig::Sharded(shards));
    p.add_kernel(KernelDecl::new(
        "read<bf16>",
        Role::Reader,
        &cores,
        vec![
            Arg::cb("out", cb, CbEnd::Out),
            Arg::tensor("x", &x),
            Arg::per_core("first", |c| 2 * c.x),
            Arg::common("count", 2),
        ],
        (),
    ));
    p.add_kernel(KernelDecl::new(
        "write",
        Role::Dm { processor: Processor::Brisc, noc: 1 },
        &cores,
        vec![
            Arg::cb("from", cb, CbEnd::In),
            Arg::tensor("y", &y),
            Arg::semaphore("done", done),
            Arg::per_core("n", |_| 2),
            Arg::compile_time("k", 9),
        ],
        (),
    ));
    let far = Core::new(1, 0);
    p.add_kernel(KernelDecl::new("idle", Role::Compute, far, vec![], ()));
    p.validate(&DeviceInfo::new(Arch::blackhole(), 0)).unwrap()
}

#[test]
fn a_program_becomes_files() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("new/dir");
    let program = sample();
    let sources = ["// r", "// w", "// c"].map(KernelSource::from);
    let x = HostTensor::uniform([64, 64], 0.0, 1.0, 1).unwrap();
    let tensors = [TensorExport::input(TensorId(1), x.clone()), TensorExport::output(TensorId(2), Some(x.clone()))];
    let tolerance = Tolerance { max_abs: Some(0.5), ..Tolerance::default() };
    let path = write(&dir, &program, &sources, &tensors, tolerance).unwrap();
    let mut files: Vec<String> =
        fs::read_dir(&dir).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert_eq!(files, ["idle.cpp", "program.json", "read_bf16_.cpp", "write.cpp", "x.npy", "x_2.expect.npy"]);
    assert_eq!(fs::read_to_string(dir.join("write.cpp")).unwrap(), "// w");
    assert_eq!(npy::read(dir.join("x.npy")).unwrap(), x);
    let text = fs::read_to_string(path).unwrap();
    let got: Value = serde_json::from_str(&text).unwrap();
    let grid = json!({"x": [0, 1], "y": [0, 0]});
    let expect = json!({
        "version": 1,
        "name": "sample",
        "arch": "blackhole",
        "kernels": [
            {"kind": "reader", "name": "read<bf16>", "file": "read_bf16_.cpp", "cores": grid,
             "compile_args": [0, "accessor:x"], "runtime_args": {"0,0": [0], "1,0": [2]},
             "common_runtime_args": ["addr:x", 2]},
            {"kind": "dm", "name": "write", "file": "write.cpp", "cores": grid, "processor": 0, "noc": 1,
             "compile_args": [0, 0, 9, "accessor:x_2"], "runtime_args": [2], "common_runtime_args": ["addr:x_2"]},
            {"kind": "compute", "name": "idle", "file": "idle.cpp", "cores": {"x": [1, 1], "y": [0, 0]},
             "compile_args": [], "runtime_args": [], "common_runtime_args": [],
             "compute": {"fidelity": "hifi4", "fp32_acc": false, "approx": false, "dst_full_sync": false, "bfp8_pack_precise": false,
                         "unpack_to_dest_fp32": []}},
        ],
        "cbs": [{"id": 0, "dtype": "bf16", "page_size": 2048, "pages": 4, "cores": grid, "comment": "a"}],
        "semaphores": [{"id": 0, "init": 5, "cores": grid, "comment": "done"}],
        "tensors": {
            "x": {"shape": [64, 64], "dtype": "bf16", "layout": "tile", "memory": "dram", "file": "x.npy"},
            "x_2": {"shape": [64, 64], "dtype": "bf16", "layout": "tile",
                    "memory": {"l1_sharded": {"layout": "height", "shape": [32, 64], "cores": grid, "orientation": "row"}},
                    "expect": "x_2.expect.npy", "out": "x_2.out.npy"},
        },
        "tolerance": {"max_abs": 0.5},
    });
    assert_eq!(got, expect);
    // Keys stay in the order in which a reader wants them.
    assert!(text.starts_with("{\n  \"version\": 1,\n  \"name\": \"sample\",\n  \"arch\""), "{text}");
}

#[test]
fn core_lists_keep_the_order_of_shards() {
    let corner: CoreSet = [Core::new(0, 0), Core::new(1, 0), Core::new(0, 1)].into_iter().collect();
    assert_eq!(cores(&corner), json!([[0, 0], [1, 0], [0, 1]]));
    let spec = ShardSpec::new(crate::tensor::ShardLayout::Height, [32, 32], corner, Orientation::Col);
    let place = &memory(&MemoryConfig::Sharded(spec))["l1_sharded"];
    assert_eq!(place["cores"], json!([[0, 0], [0, 1], [1, 0]]));
    assert_eq!(place["orientation"], "col");
    assert_eq!(memory(&MemoryConfig::L1), json!("l1"));
}

#[test]
fn what_cannot_be_exported() {
    let dir = tempfile::tempdir().unwrap();
    let program = sample();
    let e = write(dir.path(), &program, &[], &[], Tolerance::default()).unwrap_err();
    assert_eq!(e.to_string(), "0 kernel sources for 3 kernels");
    let sources = [""; 3].map(KernelSource::from);
    let wrong = HostTensor::zeros([32, 64], DataFormat::F32).unwrap();
    let tensors = [TensorExport::input(TensorId(1), wrong)];
    let e = write(dir.path(), &program, &sources, &tensors, Tolerance::default()).unwrap_err();
    let e = e.to_string();
    assert!(e.starts_with("tensor `x` is exported with contents of shape [32, 64], its shape is [64, 64]\n"), "{e}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let e = write(&file, &program, &sources, &[], Tolerance::default()).unwrap_err();
    assert!(matches!(e, ExportError::Io { .. }), "{e}");
    assert!(e.to_string().contains(": cannot write: "), "{e}");
    assert!(file.is_file());
    // The second kernel's file cannot be written: the first one's goes again, what was there stays.
    let half = dir.path().join("half");
    fs::create_dir_all(half.join("write.cpp")).unwrap();
    assert!(write(&half, &program, &sources, &[], Tolerance::default()).is_err());
    assert_eq!(fs::read_dir(&half).unwrap().count(), 1);
}

#[test]
fn names_become_identifiers() {
    let names = unique(["a", "a", "read<bf16, 4>", "2x", "a_2", ""].into_iter());
    assert_eq!(names, ["a", "a_2", "read_bf16__4_", "_2x", "a_2_2", "_"]);
}
