//! Mistakes, and what is said about them: every file in `tests/ui/<topic>` fails to compile with exactly the errors beside it.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the `.stderr` files; read the difference before it is committed.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn mistakes_and_what_is_none() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*/*.rs");
    cases.pass("tests/pass/*.rs");
}

/// The messages speak about the user's code, never about what the macros made of it.
#[test]
fn no_message_shows_internals() {
    let mut files = Vec::new();
    collect(Path::new("tests/ui"), &mut files);
    assert!(files.len() > 50, "{} files", files.len());
    for file in files {
        let text = fs::read_to_string(&file).expect("read a .stderr file");
        for internal in ["__ttl", "__Ttl", "Probe", "Erased"] {
            assert!(!text.contains(internal), "{}: `{internal}` in\n{text}", file.display());
        }
    }
}

/// `docs/mistakes.md` names cases that exist, and there are many.
#[test]
fn the_page_of_mistakes_names_cases() {
    let page = fs::read_to_string("docs/mistakes.md").expect("read the page");
    let named = page.split('`').filter(|text| text.split('/').count() == 2 && !text.starts_with("tests/"));
    let mut count = 0;
    for name in named {
        let case = Path::new("tests/ui").join(name).with_extension("rs");
        assert!(case.is_file(), "{} is named in docs/mistakes.md", case.display());
        count += 1;
    }
    assert!(count > 40, "only {count} cases are named");
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("list tests/ui") {
        let path = entry.expect("list tests/ui").path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "stderr") {
            out.push(path);
        }
    }
}
