//! Compiling without running: the cache, and what is refused.

use std::path::PathBuf;
use std::sync::Arc;

use crate::arch::{ArchKind, ComputeConfig};
use crate::cpp::{CppCompiler, CppError, CppSource, KernelKind};
use crate::ops::{BinaryOp, TernaryOp, UnaryOp, with_register_format};
use crate::tensor::format::DataFormat;

/// A folder of its own that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ttl-cpp-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn compiler(folder: &Folder) -> CppCompiler {
    CppCompiler::find().expect("the tests need a C++ compiler").with_cache(&folder.0)
}

fn reader(text: &str) -> CppSource {
    CppSource::new("reader.cpp", text, KernelKind::DataMovement { noc: 0 }, ArchKind::Blackhole)
}

fn compute(text: &str) -> CppSource {
    CppSource::new("compute.cpp", text, KernelKind::Compute(ComputeConfig::default()), ArchKind::Blackhole)
}

/// The compiler's messages for a kernel that it must refuse.
fn refused(name: &str, kernel: CppSource) -> String {
    let folder = Folder::new(name);
    match compiler(&folder).build(&[kernel]) {
        Err(e @ CppError::Compile { .. }) => e.to_string(),
        Err(e) => panic!("another error: {e}"),
        Ok(_) => panic!("the kernel compiles"),
    }
}

#[test]
fn a_second_build_runs_no_compiler() {
    let folder = Folder::new("cache");
    let first = compiler(&folder);
    let mut other = reader("void kernel_main() { noc_async_read_barrier(); }");
    let kernel = reader("void kernel_main() { noc_async_write_barrier(); }");
    let built = first.build(&[kernel.clone(), other.clone(), kernel.clone()]).unwrap();
    assert_eq!(first.runs(), 2);
    assert!(Arc::ptr_eq(&built[0], &built[2]) && !Arc::ptr_eq(&built[0], &built[1]));
    assert!(built[0].source_path().is_file());

    let again = compiler(&folder);
    let same = again.build(&[other.clone(), kernel]).unwrap();
    assert_eq!(again.runs(), 0);
    assert!(Arc::ptr_eq(&built[1], &same[0]) && Arc::ptr_eq(&built[0], &same[1]));

    // Anything else that the kernel is made of makes it another kernel.
    other.compile_args.push(7);
    again.build(&[other.clone()]).unwrap();
    other.kind = KernelKind::DataMovement { noc: 1 };
    again.build(&[other.clone()]).unwrap();
    other.defines.push(("X".to_owned(), "1".to_owned()));
    again.build(&[other]).unwrap();
    assert_eq!(again.runs(), 3);
    // Nothing unfinished is left behind.
    let names = std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|n| n.starts_with('.')).count(), 0);
}

/// Builders that know nothing of each other, as parallel test processes are.
#[test]
fn several_builders_share_a_cache() {
    let folder = Folder::new("parallel");
    let kernels: Vec<CppSource> =
        (0..3).map(|i| reader(&format!("void kernel_main() {{ get_semaphore({i}); }}"))).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let built = compiler(&folder).build(&kernels).unwrap();
                assert!(built.iter().all(|k| k.source_path().is_file()));
            });
        }
    });
    let last = compiler(&folder);
    last.build(&kernels).unwrap();
    assert_eq!(last.runs(), 0);
}

#[test]
fn a_compile_error_names_the_line_of_the_rust_source() {
    let text = "#line 41 \"src/kernels/copy.rs\"\nvoid kernel_main() {\n    uint32_t x = \"no\";\n}\n";
    let message = refused("line", reader(text));
    assert!(message.contains("src/kernels/copy.rs:42:"), "{message}");
    assert!(message.contains("the C++ kernel `reader.cpp` does not compile"), "{message}");
    assert!(message.contains("note: the C++ source is /"), "{message}");
    // Without #line, the kernel's own name.
    let message = refused("name", reader("void kernel_main() {\n    return 1;\n}\n"));
    assert!(message.contains("reader.cpp:2:"), "{message}");
}

#[test]
fn calls_that_do_not_exist_are_named() {
    let message = refused("unknown", reader("void kernel_main() { noc_async_read_backwards(1); }"));
    assert!(message.contains("noc_async_read_backwards"), "{message}");
    let text = "#include \"api/compute/common.h\"\nvoid kernel_main() { sigmoid_tile(0); }";
    let message = refused("unknown-tile", compute(text));
    assert!(message.contains("sigmoid_tile"), "{message}");
    let message =
        refused("unknown-header", compute("#include \"api/compute/experimental/sdpa.h\"\nvoid kernel_main() {}"));
    assert!(message.contains("api/compute/experimental/sdpa.h"), "{message}");
}

#[test]
fn kernels_cannot_use_the_other_kinds_functions() {
    let message =
        refused("move-in-compute", compute("#include \"api/dataflow/dataflow_api.h\"\nvoid kernel_main() {}"));
    assert!(message.contains("a compute kernel cannot move data"), "{message}");
    let message = refused("compute-in-move", reader("#include \"api/compute/matmul.h\"\nvoid kernel_main() {}"));
    assert!(message.contains("this is a data-movement kernel"), "{message}");
}

#[test]
fn compile_time_arguments_are_checked_while_compiling() {
    let mut kernel =
        reader("void kernel_main() { constexpr uint32_t x = get_compile_time_arg_val(2); get_semaphore(x); }");
    kernel.compile_args = vec![1, 2];
    let message = refused("index", kernel.clone());
    assert!(message.contains("get_compile_time_arg_val: index out of range"), "{message}");
    kernel.compile_args.push(3);
    let folder = Folder::new("index-ok");
    compiler(&folder).build(&[kernel]).unwrap();

    let mut kernel = reader(
        "void kernel_main() { constexpr uint32_t x = get_named_compile_time_arg_val(\"sem\"); get_semaphore(x); }",
    );
    kernel.named_args.push(("cb".to_owned(), 1));
    let message = refused("named", kernel.clone());
    assert!(message.contains("no_compile_time_argument_has_this_name"), "{message}");
    kernel.named_args.push(("sem".to_owned(), 0));
    compiler(&folder).build(&[kernel]).unwrap();

    let mut kernel =
        reader("void kernel_main() { constexpr auto a = TensorAccessorArgs<1>(); get_semaphore(a.config); }");
    kernel.compile_args = vec![0, 2];
    let message = refused("words", kernel);
    assert!(message.contains("the accessor words run past the compile-time arguments"), "{message}");
}

#[test]
fn tile_sizes_are_constants_of_known_buffers() {
    let mut kernel =
        reader("void kernel_main() { constexpr uint32_t size = get_tile_size(3); static_assert(size == 4096); }");
    let message = refused("tile-size", kernel.clone());
    assert!(message.contains("get_tile_size"), "{message}");
    kernel.cb_formats.push((3, DataFormat::F32));
    let folder = Folder::new("tile-size-ok");
    compiler(&folder).build(&[kernel.clone()]).unwrap();
    kernel.cb_formats.push((64, DataFormat::F32));
    let error = compiler(&folder).build(&[kernel]).unwrap_err().to_string();
    assert_eq!(error, "the C++ kernel `reader.cpp`: circular buffer id 64 does not exist");
}

#[test]
fn a_kernel_needs_its_entry_and_c_style_pointers_are_refused() {
    let message = refused("entry", reader("void other() {}"));
    assert!(message.contains("kernel_main"), "{message}");
    let text = "void kernel_main() { volatile tt_l1_ptr uint32_t* p = (volatile tt_l1_ptr uint32_t*)get_semaphore(0); *p = 1; }";
    let message = refused("cast", reader(text));
    assert!(message.contains("int-to-pointer-cast"), "{message}");
}

#[test]
fn warnings_are_errors_as_in_the_real_build() {
    let text = "void kernel_main() { int n = 3; for (uint32_t i = 0; i < n; ++i) { get_semaphore(i); } }";
    let message = refused("warning", reader(text));
    assert!(message.contains("sign-compare"), "{message}");
    // These are not.
    let folder = Folder::new("no-warning");
    compiler(&folder)
        .build(&[reader("static void f() {}\nvoid kernel_main() { int unused; int set = 0; set = 1; }")])
        .unwrap();
}

/// Every function of the table of operations exists under its name.
#[test]
fn every_operation_of_the_table_compiles() {
    let mut text = String::from("#include \"api/compute/eltwise_binary.h\"\n");
    let mut body = String::new();
    let words = |count: usize| vec!["0"; count].join(", ");
    for row in UnaryOp::ALL.map(UnaryOp::row) {
        text += &format!("#include \"{}\"\n", row.header);
        let call_words = vec!["0"; row.words.len() - row.init_words];
        let args = [&["0"][..], row.extra.as_slice(), &call_words].concat().join(", ");
        body += &format!("    {}({});\n    {}({args});\n", row.init, words(row.init_words), row.call);
    }
    for row in BinaryOp::ALL.map(BinaryOp::row) {
        text += &format!("#include \"{}\"\n", row.header);
        let init = words(row.init_words);
        let registers = if row.adjacent { "0, 1" } else { "0, 1, 0" };
        let call_words = vec!["0"; row.words.len() - row.init_words];
        let args = [&[registers][..], row.extra.as_slice(), &call_words].concat().join(", ");
        body += &format!("    {}({init});\n    {}({args});\n", row.init, row.call);
    }
    for op in BinaryOp::FPU {
        let row = op.fpu();
        body += &format!("    {}(0, 1);\n    {}(0, 1, 0, 0, 0);\n", row.init, row.call);
        let reuse = "<EltwiseBinaryReuseDestType::DEST_TO_SRCA>";
        body += &format!("    {}{reuse}(0);\n    {}{reuse}(0, 0, 0);\n", row.reuse_init, row.reuse_call);
    }
    for row in TernaryOp::ALL.map(TernaryOp::row) {
        text += &format!("#include \"{}\"\n", row.header);
        body += &format!("    {}();\n    {}({});\n", row.init, row.call, vec!["0"; 4 + row.words.len()].join(", "));
    }
    let body = with_register_format(&body, false);
    text += &format!("void kernel_main() {{\n{body}}}\n");
    let folder = Folder::new("operations");
    compiler(&folder).build(&[compute(&text)]).unwrap();
}

#[test]
fn a_missing_compiler_is_an_error_that_says_what_to_install() {
    for missing in ["/nonexistent", "ttl-no-such-compiler -m64", " "] {
        let error = CppCompiler::named(missing.as_ref()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("no C++ compiler found: tried {missing}\n")), "{error}");
        assert!(error.contains("apt install g++") && error.contains("set CXX"), "{error}");
    }
    // Compiled kernels belong to their compiler.
    let folder = Folder::new("missing");
    let found = compiler(&folder);
    found.build(&[reader("void kernel_main() {}")]).unwrap();
    assert_eq!(found.runs(), 1);
    // A program that is no compiler.
    let error =
        CppCompiler::named("false".as_ref()).unwrap().with_cache(&folder.0).build(&[reader("void kernel_main() {}")]);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("the compiler said nothing and ended with exit status: 1"), "{error}");
}

#[test]
fn what_the_compiler_leaves_must_be_usable() {
    // A file stands where the folder of compiled kernels should be.
    let folder = Folder::new("taken");
    std::fs::write(&folder.0, "").unwrap();
    let error = compiler(&folder).build(&[reader("void kernel_main() {}")]).unwrap_err().to_string();
    std::fs::remove_file(&folder.0).unwrap();
    assert!(error.contains("cannot be used for the C++ engine: "), "{error}");
    assert!(error.contains("TTL_CACHE_DIR"), "{error}");
    // What is in the folder was damaged.
    compiler(&folder).build(&[reader("void kernel_main() {}")]).unwrap();
    let object = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
    let object = object.into_iter().find(|path| path.extension().is_some_and(|e| e == "so")).unwrap();
    let other = Folder::new("damaged");
    std::fs::create_dir(&other.0).unwrap();
    let object = other.0.join(object.file_name().unwrap());
    std::fs::write(&object, "no object").unwrap();
    let error = compiler(&other).build(&[reader("void kernel_main() {}")]).unwrap_err().to_string();
    assert!(error.contains("cannot be loaded: "), "{error}");
    assert!(error.starts_with(&format!("the compiled kernel {}", object.display())), "{error}");
}

/// Whatever a name holds, it ends up as the name of a file and of the first lines.
#[test]
fn strange_names_are_kept_out_of_the_file_system() {
    let folder = Folder::new("names");
    let mut kernel = reader("void kernel_main() { static_assert(sizeof(__FILE__) == 15); }");
    kernel.name = "../a \"b\"\n?\\c:d".to_owned();
    let built = compiler(&folder).build(&[kernel]).unwrap();
    assert_eq!(built[0].source_path().parent(), Some(folder.0.as_path()));
}
