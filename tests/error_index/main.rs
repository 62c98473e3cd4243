//! The page of all messages, `docs/book/messages.md`: what the sources can say, the help that stands beside it, and the test that meets it.
//! `TTL_UPDATE_GOLDEN=1 cargo test --test error_index` writes it; a new message fails this test until the page has it.

mod met;
mod scan;

use scan::{Flat, fields, flatten, messages};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A part of the page: what it is of, where its sources are, and how they make messages.
struct Part {
    title: &'static str,
    text: &'static str,
    sources: &'static [&'static str],
    form: Form,
}

enum Form {
    /// `Kind::Name, message`: in the arguments of whatever makes the error.
    Kind(&'static str),
    /// The message and its help are arguments of these functions.
    Calls(&'static [&'static str]),
    /// `#[error(message)]` at the variants of enums.
    Variants,
}

const PARTS: [Part; 9] = [
    Part {
        title: "Of `validate`: programs",
        text: "The kinds are explained on the page of [errors](crate::book::errors).",
        sources: &["ttl-runtime/src/program"],
        form: Form::Kind("ProblemKind"),
    },
    Part {
        title: "Of `validate`: what has no C++",
        text: "What the macros could not see and rustc allows. (What the macros refuse is on a [page of its own](crate::book::refusals).)",
        sources: &[
            "ttl-runtime/src/rt/lower",
            "ttl-runtime/src/rt/cx.rs",
            "ttl-runtime/src/ir/verify.rs",
            "ttl-runtime/src/ir/verify",
        ],
        form: Form::Calls(&["refuse", "error", "fault", "mistake", "fail"]),
    },
    Part {
        title: "Of `validate`: block expressions",
        text: "Shapes, registers and formats of an expression; the place is that of the `store`.",
        sources: &[
            "ttl-runtime/src/ir/passes/mod.rs",
            "ttl-runtime/src/ir/fuse/plan.rs",
            "ttl-runtime/src/codegen/mod.rs",
        ],
        form: Form::Variants,
    },
    Part {
        title: "Of `validate`: sizes of blocks",
        text: "Sizes that are numbers in the kernel are refused by the macros; these are what constants make of them.",
        sources: &["ttl-runtime/src/ir/shape.rs", "ttl-runtime/src/ir/passes/expand.rs"],
        form: Form::Calls(&["mistake"]),
    },
    Part {
        title: "Of the simulator",
        text: "A run ends with one of these. Those that only kernels written in C++ and raw calls can meet are among them.",
        sources: &["ttl-runtime/src/sim"],
        form: Form::Kind("ErrorKind"),
    },
    Part {
        title: "Of device calls",
        text: "What only sizes at run time decide, said by native runs with the line in Rust; the C++ engine says it of the calls that are made of it.",
        sources: &["ttl-runtime/src/device_api"],
        form: Form::Calls(&["fail_with_help"]),
    },
    Part { title: "Of devices and runs", text: "", sources: &["ttl-runtime/src/host"], form: Form::Calls(&["Other"]) },
    Part {
        title: "Of tensors and files",
        text: "",
        sources: &[
            "ttl-runtime/src/tensor/error.rs",
            "ttl-runtime/src/tensor/npy.rs",
            "ttl-runtime/src/tensor/accessor.rs",
            "ttl-runtime/src/program/export.rs",
        ],
        form: Form::Variants,
    },
    Part { title: "Of the C++ engine", text: "", sources: &["ttl-runtime/src/cpp/error.rs"], form: Form::Variants },
];

struct Message {
    /// The file that says it.
    source: String,
    kind: String,
    text: String,
    help: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(at: &Path, out: &mut Vec<PathBuf>) {
    if at.is_file() {
        out.push(at.to_owned());
        return;
    }
    let entries = std::fs::read_dir(at).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    paths.sort();
    paths.iter().for_each(|p| files(p, out));
}

fn is_test(path: &Path) -> bool {
    let name = |c: std::path::Component<'_>| c.as_os_str().to_string_lossy().into_owned();
    path.components().map(name).any(|n| n == "tests" || n == "tests.rs" || n.ends_with("_tests.rs"))
}

/// A format string for readers: `…` where a number or a name stands.
fn shown(format: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                out.push(c);
            }
            // Of a text that is no format string.
            '{' if chars.peek() == Some(&' ') => {
                out.push(c);
                out.extend(chars.by_ref().take_while(|c| *c != '}'));
                out.push('}');
            }
            '{' => {
                depth += 1;
                out.push('…');
            }
            '}' => depth -= 1,
            '\n' if depth == 0 => out.push(' '),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut code = false;
    for c in shown(text).chars() {
        code ^= c == '`';
        if c == '|' || (!code && (c == '<' || c == '[')) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[test]
fn every_message_is_on_the_page() {
    let quotes = met::quotes();
    let mut page = String::from(
        "# All messages\n\nWhat ttl can say, taken from its sources; `…` stands for names and numbers. Beside each is the help that is printed with it, where it does not depend on the\n\
         case, and a test that meets it (the one that quotes most of it). Every message comes with the place in the Rust source. What is internal \
         no mistake in a program leads to: it says that ttl has a fault.\n",
    );
    let (mut all, mut internal, mut untested) = (0, 0, vec![]);
    for part in PARTS {
        write!(page, "\n## {}\n\n", part.title).expect("a string");
        if !part.text.is_empty() {
            write!(page, "{}\n\n", part.text).expect("a string");
        }
        page.push_str("| kind | message | help | test |\n|---|---|---|---|\n");
        let mut seen = BTreeSet::new();
        let mut rows: Vec<Message> = vec![];
        let mut paths = vec![];
        part.sources.iter().for_each(|source| files(&root().join(source), &mut paths));
        paths.retain(|p| p.extension().is_some_and(|e| e == "rs") && !is_test(p.strip_prefix(root()).expect("below")));
        let sources: Vec<(String, Vec<Flat>)> = paths
            .iter()
            .map(|path| {
                let text = std::fs::read_to_string(path).expect("a source file");
                let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
                let mut flat = vec![];
                flatten(text.parse().expect("tokens"), &mut flat);
                (path.strip_prefix(root()).expect("below").to_string_lossy().into_owned(), flat)
            })
            .collect();
        let kinds: Vec<String> = sources.iter().flat_map(|(_, flat)| fields(flat)).collect();
        for (file, flat) in &sources {
            let new = messages(flat, &part.form, &kinds).into_iter();
            let new = new.filter(|m| seen.insert((m.kind.clone(), m.text.clone())));
            rows.extend(new.map(|m| Message { source: file.clone(), ..m }));
        }
        // What only passes on another error has no words.
        rows.retain(|m| met::has_words(&m.text));
        rows.sort_by(|a, b| (a.is_internal(), &a.kind).cmp(&(b.is_internal(), &b.kind)));
        assert!(rows.len() > 3, "{}: {} messages found: does the scan still fit the sources?", part.title, rows.len());
        for m in rows {
            let test = match met::tested(&m.text, &m.source, &quotes) {
                _ if m.is_internal() => "internal".to_owned(),
                Some(test) => format!("`{test}`"),
                None => {
                    untested.push(format!("{}: {}", m.source, shown(&m.text)));
                    String::new()
                }
            };
            (all, internal) = (all + 1, internal + usize::from(m.is_internal()));
            let kind = if m.kind.is_empty() { String::new() } else { format!("`{}`", m.kind) };
            writeln!(page, "| {kind} | {} | {} | {test} |", cell(&m.text), cell(&m.help)).expect("a string");
        }
    }
    for (file, name, elsewhere) in [
        ("ttl-runtime/src/program/error.rs", "ProblemKind", ""),
        // Words of the kernel's own.
        ("ttl-runtime/src/sim/error.rs", "ErrorKind", "Assertion"),
    ] {
        let text = std::fs::read_to_string(root().join(file)).expect("a source file");
        let body =
            text.split(&format!("pub enum {name} {{")).nth(1).and_then(|t| t.split("\n}").next()).expect("the enum");
        let kinds =
            body.lines().filter_map(|l| l.trim().strip_suffix(',')).filter(|k| k.chars().all(char::is_alphanumeric));
        for kind in kinds.filter(|k| *k != elsewhere) {
            assert!(
                page.contains(&format!("`{kind}`")),
                "no message of {name}::{kind} was found: does the scan still fit?"
            );
        }
    }
    write!(page, "\n{all} messages, {internal} of them internal.\n").expect("a string");
    let path = root().join("docs/book/messages.md");
    if std::env::var_os("TTL_UPDATE_GOLDEN").is_some_and(|v| v == "1") {
        std::fs::write(&path, &page).expect("written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "{} is not what the sources say: TTL_UPDATE_GOLDEN=1 writes it", path.display());
    assert!(
        untested.is_empty(),
        "{} messages without a test that quotes them:\n{}",
        untested.len(),
        untested.join("\n")
    );
}
