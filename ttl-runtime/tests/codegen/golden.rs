//! The printed C++ against `tests/golden/*.cpp`. `TTL_UPDATE_GOLDEN=1` writes the files.
//!
//! Where `TTL_COMPILE_CHECK` names a program that compiles a kernel against TT-Metalium's headers (called with the options of
//! `KernelCase::check` and the file), every golden file must compile.

use crate::kernels::{KernelCase, all};
use std::path::PathBuf;
use std::process::Command;

fn path(case: &KernelCase) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{}.cpp", case.name))
}

#[test]
fn printed_kernels_are_the_golden_ones() {
    let update = std::env::var_os("TTL_UPDATE_GOLDEN").is_some_and(|v| v == "1");
    let mut different = Vec::new();
    for case in all() {
        let text = case.text();
        let path = path(&case);
        if update {
            std::fs::write(&path, &text).expect("write the golden file");
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        if golden != text {
            println!("---- {} is now:\n{text}", path.display());
            different.push(case.name);
        }
    }
    assert!(different.is_empty(), "not as in tests/golden (TTL_UPDATE_GOLDEN=1 accepts): {different:?}");
}

#[test]
fn printing_is_stable() {
    for case in all() {
        assert_eq!(case.text(), case.text(), "{}", case.name);
    }
}

#[test]
fn no_golden_file_is_left_over() {
    let known: Vec<String> = all().iter().map(|c| format!("{}.cpp", c.name)).collect();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for entry in std::fs::read_dir(folder).expect("the folder of golden files") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy().into_owned();
        assert!(known.contains(&name), "{name} belongs to no test");
    }
}

#[test]
fn golden_kernels_compile_with_the_real_headers() {
    let Some(check) = std::env::var_os("TTL_COMPILE_CHECK") else {
        println!("skipped: TTL_COMPILE_CHECK is not set");
        return;
    };
    let mut failed = Vec::new();
    for case in all() {
        let output = Command::new(&check)
            .arg(path(&case))
            .args(case.check())
            .output()
            .expect("run the program named by TTL_COMPILE_CHECK");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        // The headers have warnings of their own.
        let file = path(&case).display().to_string();
        let ours = |line: &str| line.starts_with(&file) || line.starts_with(crate::build::FILE);
        let warned = said.lines().any(|l| ours(l) && l.contains("warning:"));
        if !output.status.success() || warned {
            println!("---- {}:\n{said}", case.name);
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "do not compile cleanly: {failed:?}");
}
