//! The examples as a user runs them: what they print, what they write, and what they say to bad input.

#[path = "examples/minilm.rs"]
mod minilm;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use ttl::prelude::*;

/// `cargo test` builds the examples beside this test.
fn example(name: &str) -> Command {
    let test = std::env::current_exe().expect("a test has a path");
    let target = test.parent().and_then(Path::parent).expect("target/debug/deps/test");
    let path = target.join("examples").join(name);
    assert!(path.exists(), "{} is not built: run `cargo test` for the whole package", path.display());
    Command::new(path)
}

fn run(name: &str, args: &[&str]) -> Output {
    example(name).args(args).output().expect("the example starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The run must fail with exit code 1, nothing on standard output, and an error with these parts.
#[track_caller]
fn fails(name: &str, args: &[&str], parts: &[&str]) {
    let output = run(name, args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{name} {args:?}: {message}");
    assert!(message.starts_with("error"), "{message}");
    assert!(!message.contains("panicked"), "{message}");
    for part in parts {
        assert!(message.contains(part), "{name} {args:?}: no `{part}` in:\n{message}");
    }
    assert_eq!(stdout(&output), "", "{name} {args:?}");
}

fn file(dir: &Path, name: &str, shape: &[usize]) -> PathBuf {
    let path = dir.join(name);
    npy::write(&path, &HostTensor::normal(shape, 1).expect("a shape")).expect("written");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn add_prints_its_result_and_writes_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("sum.npy");
    for arch in ["blackhole", "wormhole"] {
        for engine in ["native", "cpp"] {
            let output = run("add", &["--arch", arch, "--engine", engine, "--out", text(&out)]);
            assert!(output.status.success(), "{}", stderr(&output));
            let printed = stdout(&output);
            assert!(printed.contains("% correctly rounded"), "{printed}");
            assert!(printed.lines().last().is_some_and(|l| l.starts_with("ok: ")), "{printed}");
            let sum = npy::read(&out).expect("the result");
            let (a, b) = (HostTensor::normal(vec![64, 96], 0), HostTensor::normal(vec![64, 96], 1));
            let (a, b) = (a.expect("random"), b.expect("random"));
            let bf16 = |x: Option<f32>| bf16::from_f32(x.expect("an element"));
            for i in [0, 1, 95, 96, 6143] {
                let expected = bf16(a.get(i)).to_f32() + bf16(b.get(i)).to_f32();
                let got = sum.get(i).expect("an element");
                assert!((got - expected).abs() <= expected.abs() / 256.0, "{i}: {got} for {expected}");
            }
        }
    }
}

#[test]
fn the_readme_shows_the_generated_code() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run("add", &["--emit", text(dir.path())]);
    assert!(output.status.success(), "{}", stderr(&output));
    let emitted = std::fs::read_to_string(dir.path().join("add_compute.cpp")).expect("the compute kernel");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    assert!(readme.contains(emitted.trim_end()), "the README does not show what `add --emit` writes now:\n{emitted}");
    let body = emitted.find("void kernel_main").map_or("", |at| emitted[at..].trim_end());
    let page = std::fs::read_to_string(root.join("docs/book/generated_cpp.md")).expect("the page");
    assert!(page.contains(body), "the book does not show what `add --emit` writes now:\n{body}");
    // The deadlock is shown with lines of the same file.
    let source = std::fs::read_to_string(root.join("examples/add.rs")).expect("the example");
    let source: Vec<&str> = source.lines().collect();
    for text in [&readme, &std::fs::read_to_string(root.join("docs/book/debugging.md")).expect("the page")] {
        let shown =
            text.lines().filter_map(|l| l.split_once(" | ")).filter_map(|(n, l)| Some((n.parse::<usize>().ok()?, l)));
        let shown: Vec<(usize, &str)> = shown.collect();
        assert!(shown.len() >= 2, "{shown:?}");
        for (number, line) in shown {
            assert_eq!(source.get(number - 1), Some(&line), "line {number} of examples/add.rs");
        }
    }
}

#[test]
fn a_foreign_kernel_runs_between_two_of_ours() {
    for arch in ["blackhole", "wormhole"] {
        for engine in ["native", "cpp"] {
            let output = run("foreign", &["--arch", arch, "--engine", engine]);
            assert!(output.status.success(), "{}", stderr(&output));
            assert!(stdout(&output).lines().last().is_some_and(|l| l.starts_with("ok: ")), "{}", stdout(&output));
        }
    }
}

#[test]
fn kernels_of_a_package_that_is_not_there_are_skipped() {
    let output = run("ttnn_kernels", &["/no/such/package"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        stdout(&output),
        "skipped: /no/such/package is not the ttnn package (it has no ttnn/cpp/ttnn/operations)\n"
    );
}

#[test]
fn shards_and_quantized_weights() {
    for arch in ["blackhole", "wormhole"] {
        for engine in ["native", "cpp"] {
            let mut programs = vec![vec!["sharded"], vec!["quantized"]];
            if engine == "native" {
                programs.extend([
                    vec!["sharded", "--cores", "2", "4", "--shard", "32", "160"],
                    vec!["quantized", "--weights", "bfp4_b", "--size", "40", "50", "70"],
                ]);
            }
            for program in programs {
                let args = [&program[1..], &["--arch", arch, "--engine", engine]].concat();
                let output = run(program[0], &args);
                let printed = stdout(&output);
                assert!(printed.lines().last().is_some_and(|l| l.starts_with("ok: ")), "{args:?} {}", stderr(&output));
            }
        }
    }
}

#[test]
fn inputs_come_from_files() {
    let dir = tempfile::tempdir().expect("a directory");
    let (a, b) = (file(dir.path(), "a.npy", &[33, 70]), file(dir.path(), "b.npy", &[70, 5]));
    let out = dir.path().join("c.npy");
    let output = run("matmul", &["--a", text(&a), "--b", text(&b), "--block", "1", "--out", text(&out)]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(npy::read(&out).expect("the result").shape(), [33, 5]);
}

#[test]
fn kernels_are_emitted() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run("fma", &["--size", "64", "64", "--emit", text(dir.path())]);
    assert!(output.status.success(), "{}", stderr(&output));
    for (name, part) in [
        ("read_4.cpp", "noc_async_read_barrier();"),
        ("fma_4.cpp", "mul_tiles(a, b,"),
        ("write_4.cpp", "noc_async_writes_flushed();"),
    ] {
        let kernel = std::fs::read_to_string(dir.path().join(name)).expect(name);
        assert!(kernel.contains(part), "{kernel}");
        assert!(kernel.contains("void kernel_main() {") && kernel.contains("fma.rs"), "{kernel}");
    }
}

#[test]
fn help_names_the_options() {
    for name in ["add", "fma", "matmul"] {
        let output = run(name, &["--help"]);
        assert!(output.status.success());
        let help = stdout(&output);
        for option in ["--engine", "--arch", "--emit", "--export", "--seed", "--out", "--threads"] {
            assert!(help.contains(option), "{name}: {help}");
        }
    }
}

#[test]
fn files_that_are_no_arrays() {
    let dir = tempfile::tempdir().expect("a directory");
    let no_npy = dir.path().join("text.npy");
    std::fs::write(&no_npy, "not an array").expect("written");
    fails("add", &["--a", text(&no_npy)], &["text.npy", ".npy"]);

    let whole = file(dir.path(), "whole.npy", &[64, 64]);
    let bytes = std::fs::read(&whole).expect("read");
    let cut = dir.path().join("cut.npy");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).expect("written");
    fails("add", &["--a", text(&cut)], &["cut.npy"]);
    std::fs::write(&cut, &bytes[..20]).expect("written");
    fails("fma", &["--b", text(&cut)], &["cut.npy"]);

    fails("add", &["--a", text(&dir.path().join("nowhere.npy"))], &["nowhere.npy"]);
}

#[test]
fn shapes_that_do_not_fit() {
    let dir = tempfile::tempdir().expect("a directory");
    let (a, b) = (file(dir.path(), "a.npy", &[64, 64]), file(dir.path(), "b.npy", &[32, 64]));
    fails("add", &["--a", text(&a), "--b", text(&b)], &["[32, 64]", "[64, 64]"]);
    fails("matmul", &["--a", text(&a), "--b", text(&b)], &["[64, 64]", "[32, 64]", "columns"]);
    // A row is no matrix; several matrices can be `a`, not `b`.
    let line = file(dir.path(), "line.npy", &[64]);
    let several = file(dir.path(), "several.npy", &[2, 64, 64]);
    for name in ["matmul", "matmul_mcast"] {
        fails(
            name,
            &["--a", text(&line), "--b", text(&a)],
            &["[64] and [64, 64]", "the first must be a matrix [m, k]"],
        );
        fails(name, &["--a", text(&a), "--b", text(&line)], &["[64, 64] and [64]", "the second must be one matrix"]);
        let args = ["--a", text(&several), "--b", text(&several)];
        fails(name, &args, &["[2, 64, 64] and [2, 64, 64]", "the second must be one matrix"]);
    }
    fails("fma", &["--size", "96", "32", "--block", "4"], &["3 tiles", "block of 4"]);
    // Nothing has to divide the sizes of a product.
    run("matmul", &["--size", "96", "80", "64", "--block", "2"]);
}

#[test]
fn empty_and_huge_tensors() {
    fails("fma", &["--size", "0", "64"], &["0"]);
    fails("matmul", &["--size", "64", "64", "0"], &["0"]);
    // 12 GB are more than Wormhole's DRAM holds beside its other operands; nothing of it is computed.
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("never.npy");
    let args = ["--arch", "wormhole", "--size", "4000000000", "4000000000", "--out", text(&out)];
    fails("fma", &args, &["4000000000"]);
    assert!(!out.exists());
}

#[test]
fn places_that_cannot_be_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let blocked = dir.path().join("file");
    std::fs::write(&blocked, "").expect("written");
    let below = blocked.join("kernels");
    let output = run("add", &["--emit", text(&below)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("kernels"), "{}", stderr(&output));
    let output = run("add", &["--out", text(&below)]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_dir(dir.path()).expect("a directory").count(), 1, "only the blocking file is there");
}

#[test]
fn a_missing_compiler_is_named() {
    let cache = tempfile::tempdir().expect("a directory");
    let mut command = example("add");
    command.args(["--engine", "cpp"]).env("CXX", "/nonexistent/c++").env("TTL_CACHE_DIR", cache.path());
    let output = command.output().expect("the example starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/nonexistent/c++"), "{}", stderr(&output));
}

#[test]
fn dit_streams_every_page_once_and_agrees_with_its_reference() {
    for args in [
        &["--banks", "1"][..],
        &["--banks", "1", "--reader", "relay", "--dtype", "bfp8b", "--engine", "cpp", "--first", "1", "--count", "1"],
        &["--banks", "1", "--mode", "single", "--op", "ff1", "--iterations", "2"],
        &["--banks", "1", "--mode", "stream", "--depth", "3"],
    ] {
        let output = run("dit", args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        let printed = stdout(&output);
        assert!(printed.contains("each 1 time(s)") || args.contains(&"--iterations"), "{printed}");
        assert!(printed.contains("against the reference: PCC 0.9999") || args.contains(&"stream"), "{printed}");
    }
}

#[test]
fn dit_says_what_does_not_go_together() {
    fails("dit", &["--banks", "3"], &["3 banks", "1, 2, 4 or 8"]);
    fails("dit", &["--banks", "1", "--blocks", "0"], &["0 blocks"]);
}
