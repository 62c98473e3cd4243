//! What the sources can say: their tokens, searched for what makes errors.

use crate::{Form, Message};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The help of messages that no mistake of a user leads to.
const FAULT: &str = "this is a fault of ttl; please report it";

impl Message {
    /// Whether only a fault of ttl leads to it.
    pub(crate) fn is_internal(&self) -> bool {
        self.help == FAULT || self.text.starts_with("internal error")
    }
}

/// A token of a file that was made flat: groups are their two brackets.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Flat {
    Ident(String),
    Punct(char),
    Text(String),
    Open,
    Close,
    Other,
}

pub(crate) fn flatten(tokens: TokenStream, out: &mut Vec<Flat>) {
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

pub(crate) fn is_ident(token: Option<&Flat>, name: &str) -> bool {
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

/// A text with its help behind it.
fn parted(text: &str) -> (&str, &str) {
    let marks = ["\n  = help: ", "\nhelp: ", "\n = help: "];
    marks.iter().find_map(|mark| text.split_once(mark)).unwrap_or((text, ""))
}

/// The kinds that are given to a field: `problem: ProblemKind::CbId`.
pub(crate) fn fields(flat: &[Flat]) -> Vec<String> {
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

pub(crate) fn messages(flat: &[Flat], form: &Form, kinds: &[String]) -> Vec<Message> {
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
            Form::Calls(names) => {
                let call = names.iter().find(|name| is_ident(flat.get(i), name));
                let Some(call) = call.filter(|_| flat.get(i + 1) == Some(&Flat::Open)) else { continue };
                if is_ident(flat.get(i.wrapping_sub(1)), "fn") {
                    continue;
                }
                // The message and its help; before them perhaps the place.
                let close = expression(flat, i + 2, &[]);
                let mut end = expression(flat, i + 2, &[',']);
                let mut texts = sentences(flat, i + 2, end);
                if flat[i + 2..end].iter().any(|t| is_ident(Some(t), "site") || is_ident(Some(t), "Site")) {
                    let from = end + 1;
                    end = expression(flat, from, &[',']);
                    texts = sentences(flat, from, end);
                }
                let own = sentences(flat, end, close).into_iter().next().unwrap_or_default();
                let internal =
                    matches!(*call, "fault" | "fail") || flat[end..close].iter().any(|t| is_ident(Some(t), "FAULT"));
                found.extend(texts.into_iter().map(|text| {
                    let (text, help) = parted(&text);
                    let help = if internal {
                        FAULT
                    } else if help.is_empty() {
                        &own
                    } else {
                        help
                    };
                    Message { source: String::new(), kind: String::new(), text: text.to_owned(), help: help.to_owned() }
                }));
            }
            Form::Variants => {
                let attribute = flat.get(i) == Some(&Flat::Punct('#')) && is_ident(flat.get(i + 2), "error");
                let Some(Flat::Text(text)) = flat.get(i + 4).filter(|_| attribute) else { continue };
                let end = expression(flat, i + 2, &[]);
                let Some(Flat::Ident(kind)) = flat.get(end + 1) else { continue };
                let (text, help) = parted(text);
                // Notes stand behind it.
                let text =
                    text.strip_prefix("{site}: ").unwrap_or(text).split('\n').next().unwrap_or_default().to_owned();
                if text.contains(' ') {
                    found.push(Message { source: String::new(), kind: kind.clone(), text, help: help.to_owned() });
                }
            }
        }
    }
    found
}
