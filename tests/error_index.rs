//! The page of all messages, `docs/book/messages.md`: what the sources can say, the help that stands beside it, and the test that meets it.
//! `TTL_UPDATE_GOLDEN=1 cargo test --test error_index` writes it; a new message fails this test until the page has it.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeSet, HashSet};
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
    /// `refuse(message, help)` and `error(message, help)`.
    Refused,
    /// `#[error(message)]` at the variants of enums.
    Variants,
}

const PARTS: [Part; 6] = [
    Part {
        title: "Of `validate`: programs",
        text: "The kinds are explained on the page of [errors](crate::book::errors).",
        sources: &["ttl-runtime/src/program"],
        form: Form::Kind("ProblemKind"),
    },
    Part {
        title: "Of `validate`: what has no C++",
        text: "What the macros could not see and rustc allows. (What the macros refuse is on a [page of its own](crate::book::refusals).)",
        sources: &["ttl-runtime/src/rt/lower"],
        form: Form::Refused,
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
        title: "Of the simulator",
        text: "A run ends with one of these. Those that only kernels written in C++ and raw calls can meet are among them.",
        sources: &["ttl-runtime/src/sim"],
        form: Form::Kind("ErrorKind"),
    },
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

/// A token of a file that was made flat: groups are their two brackets.
#[derive(Clone, PartialEq, Debug)]
enum Flat {
    Ident(String),
    Punct(char),
    Text(String),
    Open,
    Close,
    Other,
}

fn flatten(tokens: TokenStream, out: &mut Vec<Flat>) {
    for token in tokens {
        match token {
            TokenTree::Ident(i) => out.push(Flat::Ident(i.to_string())),
            TokenTree::Punct(p) => out.push(Flat::Punct(p.as_char())),
            TokenTree::Literal(l) => {
                let text = l.to_string();
                out.push(match syn::parse_str::<syn::LitStr>(&text) {
                    Ok(text) => Flat::Text(text.value()),
                    Err(_) => Flat::Other,
                });
            }
            TokenTree::Group(g) if g.delimiter() == Delimiter::None => flatten(g.stream(), out),
            TokenTree::Group(g) => {
                out.push(Flat::Open);
                flatten(g.stream(), out);
                out.push(Flat::Close);
            }
        }
    }
}

/// From `at` to the comma, semicolon or bracket that ends the expression there.
fn expression(flat: &[Flat], at: usize, ends: &[char]) -> usize {
    let mut depth = 0;
    for (i, token) in flat.iter().enumerate().skip(at) {
        match token {
            Flat::Open => depth += 1,
            Flat::Close if depth == 0 => return i,
            Flat::Close => depth -= 1,
            Flat::Punct(c) if depth == 0 && ends.contains(c) => return i,
            _ => {}
        }
    }
    flat.len()
}

fn is_ident(token: Option<&Flat>, name: &str) -> bool {
    matches!(token, Some(Flat::Ident(i)) if i == name)
}

/// The texts of an expression that are sentences, not the `s` of a plural; of a name, those of its `let` before.
fn sentences(flat: &[Flat], from: usize, to: usize) -> Vec<String> {
    let sentence = |t: &Flat| match t {
        Flat::Text(t) if t.len() > 8 && t.trim().contains(' ') => Some(t.clone()),
        _ => None,
    };
    let found: Vec<String> = flat[from..to].iter().filter_map(sentence).collect();
    if !found.is_empty() {
        return found;
    }
    let name = flat[from..to].iter().find_map(|t| match t {
        Flat::Ident(i) if i != "format" => Some(i),
        _ => None,
    });
    let Some(name) = name else { return vec![] };
    let bound = |i: &usize| is_ident(flat.get(*i), name) && is_ident(flat.get(i.wrapping_sub(1)), "let");
    let Some(at) = (0..from).rev().find(bound) else { return vec![] };
    flat[at..expression(flat, at, &[';'])].iter().filter_map(sentence).collect()
}

/// What is given to a closure or function for its parameter: the sentences of each call, the first of which is the message, and a help
/// among its arguments or behind it.
fn given(flat: &[Flat], at: usize, kind: &str) -> Vec<(String, String)> {
    let starts = |i: &usize| {
        let closure = is_ident(flat.get(*i), "let") && flat[*i..at].iter().take(6).any(|t| *t == Flat::Punct('|'));
        closure || is_ident(flat.get(*i), "fn")
    };
    let Some(start) = (0..at).rev().find(starts) else { return vec![] };
    let function = is_ident(flat.get(start), "fn");
    let name = flat[start + 1..].iter().find_map(|t| match t {
        Flat::Ident(i) if i != "mut" => Some(i.as_str()),
        _ => None,
    });
    let Some(name) = name else { return vec![] };
    let (from, to) = match function {
        true => (0, flat.len()),
        false => (at, (at..flat.len()).find(|i| is_ident(flat.get(*i), "fn")).unwrap_or(flat.len())),
    };
    let mut found = vec![];
    for i in (from..to).filter(|i| *i != start + 1) {
        if !is_ident(flat.get(i), name)
            || flat.get(i + 1) != Some(&Flat::Open)
            || is_ident(flat.get(i.wrapping_sub(1)), "fn")
        {
            continue;
        }
        let end = expression(flat, i + 2, &[]);
        let mut texts = sentences(flat, i + 2, end).into_iter();
        let Some(message) = texts.next() else { continue };
        let help = texts.next().unwrap_or_else(|| help(flat, end, kind));
        found.push((message, help));
    }
    found
}

/// The first `help(..)` from here on, if it comes before the next error.
fn help(flat: &[Flat], from: usize, kind: &str) -> String {
    for i in from..flat.len().min(from + 160) {
        if is_ident(flat.get(i), kind) || is_ident(flat.get(i), "fn") {
            break;
        }
        if is_ident(flat.get(i), "help") && flat.get(i + 1) == Some(&Flat::Open) {
            return sentences(flat, i + 2, expression(flat, i + 2, &[])).into_iter().next().unwrap_or_default();
        }
    }
    String::new()
}

/// The kinds that are given to a field: `problem: ProblemKind::CbId`.
fn fields(flat: &[Flat]) -> Vec<String> {
    let given = |w: &[Flat]| match w {
        [
            Flat::Ident(field),
            Flat::Punct(':'),
            Flat::Ident(_),
            Flat::Punct(':'),
            Flat::Punct(':'),
            Flat::Ident(kind),
        ] => (field == "problem").then(|| kind.clone()),
        _ => None,
    };
    flat.windows(6).filter_map(given).collect()
}

fn messages(flat: &[Flat], form: &Form, kinds: &[String]) -> Vec<Message> {
    let mut found = vec![];
    for i in 0..flat.len() {
        match form {
            // The kind is a field of whatever stands for several, `self.problem`: the files say of which.
            Form::Kind(name) if is_ident(flat.get(i), "problem") && flat.get(i + 1) == Some(&Flat::Punct(',')) => {
                let end = expression(flat, i + 2, &[',']);
                let help = help(flat, end, name);
                let kind = kinds.join("`, `");
                let of = |text| Message { source: String::new(), kind: kind.clone(), text, help: help.clone() };
                found.extend(sentences(flat, i + 2, end).into_iter().map(of));
            }
            Form::Kind(name) => {
                let (Some(Flat::Ident(kind)), Some(Flat::Punct(','))) = (flat.get(i + 3), flat.get(i + 4)) else {
                    continue;
                };
                if !is_ident(flat.get(i), name) {
                    continue;
                }
                let end = expression(flat, i + 5, &[',']);
                let help = help(flat, end, name);
                let direct: Vec<_> = sentences(flat, i + 5, end).into_iter().map(|text| (text, help.clone())).collect();
                let texts = if direct.is_empty() { given(flat, i, name) } else { direct };
                found.extend(texts.into_iter().map(|(text, help)| Message {
                    source: String::new(),
                    kind: kind.clone(),
                    text,
                    help,
                }));
            }
            Form::Refused => {
                let call = is_ident(flat.get(i), "refuse") || is_ident(flat.get(i), "error");
                if !call || flat.get(i + 1) != Some(&Flat::Open) || is_ident(flat.get(i.wrapping_sub(1)), "fn") {
                    continue;
                }
                let end = expression(flat, i + 2, &[',']);
                let texts = sentences(flat, i + 2, end);
                let help = sentences(flat, end, expression(flat, end + 1, &[])).into_iter().next().unwrap_or_default();
                found.extend(texts.into_iter().map(|text| Message {
                    source: String::new(),
                    kind: String::new(),
                    text,
                    help: help.clone(),
                }));
            }
            Form::Variants => {
                let attribute = flat.get(i) == Some(&Flat::Punct('#')) && is_ident(flat.get(i + 2), "error");
                let Some(Flat::Text(text)) = flat.get(i + 4).filter(|_| attribute) else { continue };
                let end = expression(flat, i + 2, &[]);
                let Some(Flat::Ident(kind)) = flat.get(end + 1) else { continue };
                let (text, help) = ["\n  = help: ", "\nhelp: ", "\n = help: "]
                    .iter()
                    .find_map(|mark| text.split_once(mark))
                    .unwrap_or((text, ""));
                let text = text.strip_prefix("{site}: ").unwrap_or(text).to_owned();
                if text.chars().any(|c| c == ' ') {
                    found.push(Message { source: String::new(), kind: kind.clone(), text, help: help.to_owned() });
                }
            }
        }
    }
    found
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

/// The text of every test, with its file: lines that go on are joined.
fn tests() -> Vec<Test> {
    let mut paths = vec![];
    for at in ["tests", "ttl-runtime", "ttl-macros", "kernels"] {
        files(&root().join(at), &mut paths);
    }
    let mut found = vec![];
    for path in paths {
        let relative = path.strip_prefix(root()).expect("below").to_string_lossy().into_owned();
        let known = path.extension().is_some_and(|e| e == "rs" || e == "stderr");
        if !known || relative == "tests/error_index.rs" {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        let text = match is_test(Path::new(&relative)) {
            true => text,
            false => match text.split_once("#[cfg(test)]\nmod tests") {
                Some((_, tests)) => tests.to_owned(),
                None => continue,
            },
        };
        let joined: Vec<&str> = text.split_whitespace().filter(|w| *w != "\\").collect();
        let text = joined.join(" ").replace("\\\"", "\"");
        found.push(Test { file: relative, runs: runs(&text).into_iter().collect(), text });
    }
    found
}

/// A test, with the runs of three words in it.
struct Test {
    file: String,
    text: String,
    runs: HashSet<String>,
}

/// The words of a text, without the punctuation around them, three by three.
fn runs(text: &str) -> Vec<String> {
    let bare = |w: &str| w.trim_matches(|c: char| "\"'(),;:.`…".contains(c)).to_owned();
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    words.windows(3).map(|w| w.join(" ")).filter(|run| run.len() > 9).collect()
}

/// The test with most of the words of a message; of equal ones, the nearest to its source.
fn tested<'a>(message: &str, source: &str, tests: &'a [Test]) -> Option<&'a str> {
    let pieces = pieces(message);
    let of_message: Vec<String> = pieces.iter().flat_map(|piece| runs(piece)).collect();
    let hits = |test: &Test| match of_message.is_empty() {
        false => of_message.iter().filter(|run| test.runs.contains(*run)).count(),
        // Of two words at a time: as they stand.
        true => pieces.iter().filter(|p| p.trim().len() > 6 && test.text.contains(p.trim())).count(),
    };
    let near = |test: &Test| source.split('/').zip(test.file.split('/')).take_while(|(a, b)| a == b).count();
    let all = tests.iter().map(|t| ((hits(t), near(t)), t));
    let best = all.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    (best.0.0 > 0).then_some(best.1.file.as_str())
}

/// What stands between the places of a format string.
fn pieces(message: &str) -> Vec<String> {
    shown(message).split('…').map(str::to_owned).collect()
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
    let tests = tests();
    let mut page = String::from(
        "# All messages\n\nWhat ttl can say, taken from its sources; `…` stands for names and numbers. Beside each is the help that is printed with it, where it does not depend on the\n\
         case, and a test that meets it (the one with most of its words). Every message comes with the place in the Rust source.\n",
    );
    let (mut all, mut without) = (0, 0);
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
        rows.sort_by(|a, b| a.kind.cmp(&b.kind));
        assert!(rows.len() > 3, "{}: {} messages found: does the scan still fit the sources?", part.title, rows.len());
        for m in rows {
            let test = tested(&m.text, &m.source, &tests);
            (all, without) = (all + 1, without + usize::from(test.is_none()));
            let kind = if m.kind.is_empty() { String::new() } else { format!("`{}`", m.kind) };
            let test = test.map_or_else(String::new, |t| format!("`{t}`"));
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
    write!(page, "\n{all} messages, {without} of them without a test that has their words.\n").expect("a string");
    let path = root().join("docs/book/messages.md");
    if std::env::var_os("TTL_UPDATE_GOLDEN").is_some_and(|v| v == "1") {
        std::fs::write(&path, &page).expect("written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "{} is not what the sources say: TTL_UPDATE_GOLDEN=1 writes it", path.display());
}
