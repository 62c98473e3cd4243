//! The page of the book that lists what the macros refuse. `TTL_UPDATE_GOLDEN=1 cargo test -p ttl-macros-backend` writes it.

use crate::messages::ALL;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Each invalid case with its messages.
fn cases(root: &Path) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = vec![];
    let topics = std::fs::read_dir(root.join("tests/ui")).expect("the invalid cases");
    for topic in topics.flatten().filter(|t| t.path().is_dir()) {
        files.extend(std::fs::read_dir(topic.path()).expect("a topic").flatten().map(|f| f.path()));
    }
    files.retain(|f| f.extension().is_some_and(|e| e == "stderr"));
    files.sort();
    let name = |f: &Path| {
        let parts = [f.parent().and_then(Path::file_name), f.file_stem()];
        parts.map(|p| p.unwrap_or_default().to_string_lossy().into_owned()).join("/")
    };
    files.iter().map(|f| (name(f), std::fs::read_to_string(f).unwrap_or_default())).collect()
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[test]
fn the_page_lists_every_refusal() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cases = cases(&root);
    let mut text = String::from(
        "# What device code does not have\n\nWhat `#[ttl::kernel]` and `#[ttl::device]` refuse, why, and what to write instead. The cases are files of `tests/ui`, with the \
         exact message beside each.\n\n| message | why | instead | case |\n|---|---|---|---|\n",
    );
    for refusal in ALL {
        let case =
            cases.iter().find(|(_, messages)| messages.contains(refusal.what) && messages.contains(refusal.instead));
        let case = case.map_or(String::new(), |(name, _)| format!("`{name}`"));
        let [what, why, instead] = [refusal.what, refusal.why, refusal.instead].map(cell);
        writeln!(text, "| {what} | {why} | {instead} | {case} |").expect("a string");
    }
    let path = root.join("docs/book/refusals.md");
    if std::env::var_os("TTL_UPDATE_GOLDEN").is_some_and(|v| v == "1") {
        std::fs::write(&path, &text).expect("written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "docs/book/refusals.md is not what the messages say: TTL_UPDATE_GOLDEN=1 writes it");
}
