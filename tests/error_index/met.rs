//! Which test meets a message: the one that quotes most of its words.

use crate::scan::{self, Flat};
use crate::{files, is_test, root, shown};
use std::collections::HashSet;
use std::path::Path;

/// A line of a text that stands in a test.
pub(crate) struct Quote {
    pub(crate) file: String,
    words: Vec<Word>,
}

/// A word without the punctuation around it; `None` where a name or a number stands.
type Word = Option<String>;

fn words(text: &str) -> Vec<Word> {
    let bare = |w: &str| w.trim_matches(|c: char| "\"'(),;:.`".contains(c)).to_owned();
    let word = |w: &str| (!w.contains(['…', '{', '}'])).then(|| bare(w));
    text.split_whitespace().map(word).filter(|w| w.as_deref() != Some("")).collect()
}

fn count(words: &[Word]) -> usize {
    words.iter().flatten().count()
}

/// Whether a message has words of its own.
pub(crate) fn has_words(message: &str) -> bool {
    count(&words(&shown(message))) > 1
}

/// The texts of all tests; not those of kernels that do not compile, which never reach these messages.
pub(crate) fn quotes() -> Vec<Quote> {
    let mut paths = vec![];
    for at in ["tests", "ttl-runtime", "kernels"] {
        files(&root().join(at), &mut paths);
    }
    let mut found = vec![];
    let mut seen = HashSet::new();
    for path in paths {
        let file = path.strip_prefix(root()).expect("below").to_string_lossy().into_owned();
        let other = ["tests/error_index/", "tests/ui/"].iter().any(|at| file.starts_with(at));
        if other || path.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        let text = match is_test(Path::new(&file)) {
            true => text.as_str(),
            false => match text.split_once("#[cfg(test)]\nmod tests {") {
                Some((_, tests)) => tests.trim_end().strip_suffix('}').expect("the module's bracket"),
                None => continue,
            },
        };
        for line in texts(text) {
            let words = words(&line);
            if count(&words) > 1 && seen.insert((file.clone(), line)) {
                found.push(Quote { file: file.clone(), words });
            }
        }
    }
    found
}

/// The lines of the string literals that are no documentation.
fn texts(source: &str) -> Vec<String> {
    let mut flat = vec![];
    scan::flatten(source.parse().expect("tokens"), &mut flat);
    let mut lines = vec![];
    for (at, token) in flat.iter().enumerate() {
        let documents = at > 1 && scan::is_ident(flat.get(at - 2), "doc");
        if let (Flat::Text(text), false) = (token, documents) {
            lines.extend(text.lines().map(str::to_owned));
        }
    }
    lines
}

/// The test that quotes most of a message; of equal ones, the nearest to its source. A quote consists of three words of the message or more, or has more
/// than half of its words with names and numbers between them.
pub(crate) fn tested<'q>(message: &str, source: &str, quotes: &'q [Quote]) -> Option<&'q str> {
    let message = words(&shown(message));
    let all = count(&message);
    let near = |file: &str| source.split('/').zip(file.split('/')).take_while(|(a, b)| a == b).count();
    let mut best = None;
    for quote in quotes {
        let common = quote.words.iter().flatten().filter(|w| message.contains(&Some((*w).clone()))).count();
        if common < all.min(2) {
            continue;
        }
        let met = quoted(&message, &quote.words);
        let enough = met * 2 > all && met >= all.min(2) || met > 2 && met == count(&quote.words);
        let rank = (met, near(&quote.file));
        if enough && best.is_none_or(|(known, _)| rank > known) {
            best = Some((rank, quote.file.as_str()));
        }
    }
    best.map(|(_, file)| file)
}

/// How many words of the message the quote has, if it is a part of what the message can be, with anything before and behind it.
fn quoted(message: &[Word], quote: &[Word]) -> usize {
    let mut form: Vec<&Word> = vec![&None];
    form.extend(message);
    form.push(&None);
    // At each place of the message: the words found so far, if the quote up to here can end there.
    let mut ends = vec![Some(0); form.len() + 1];
    for word in quote {
        let mut next = vec![None; form.len() + 1];
        for (at, found) in ends.iter().enumerate() {
            let (Some(found), Some(expected)) = (found, form.get(at)) else { continue };
            let mut reach = |to: usize, found: usize| next[to] = next[to].max(Some(found));
            match (expected, word) {
                (None, _) => {
                    reach(at, *found);
                    reach(at + 1, *found);
                }
                (Some(_), None) => reach(at + 1, *found),
                (Some(a), Some(b)) if a == b => reach(at + 1, found + 1),
                _ => {}
            }
        }
        // A name or a number can also be nothing.
        for at in 0..form.len() {
            if form[at].is_none() {
                next[at + 1] = next[at + 1].max(next[at]);
            }
        }
        ends = next;
    }
    ends.into_iter().flatten().max().unwrap_or(0)
}
