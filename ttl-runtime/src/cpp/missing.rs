//! What a hand-written kernel calls and the simulator does not provide, read from the compiler's messages.

use std::fmt;

/// A name that the headers for the simulated chip do not declare.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    pub name: String,
    /// `file:line` of the first use.
    pub place: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not provided by ttl's simulator (called at {})", self.name, self.place)
    }
}

/// The missing names of a failed compilation, each once, in the order of the messages of GCC or Clang.
pub(super) fn find(messages: &str) -> Vec<Missing> {
    let mut out: Vec<Missing> = Vec::new();
    for line in messages.lines() {
        let Some((place, message)) = line.split_once(": error: ").or_else(|| line.split_once(": fatal error: ")) else {
            continue;
        };
        // The column is no help: the line may come from a macro.
        let place = place.rsplit_once(':').map_or(place, |(file_line, _)| file_line);
        if let Some(name) = missing_name(message)
            && !out.iter().any(|m| m.name == name)
        {
            out.push(Missing { name, place: place.to_owned() });
        }
    }
    out
}

fn missing_name(message: &str) -> Option<String> {
    // GCC quotes with ‘ ’ or ' according to the locale.
    let text = message.replace(['‘', '’'], "'");
    let quoted = |n: usize| text.split('\'').nth(2 * n + 1).map(str::to_owned);
    if let Some((header, _)) = text.split_once(": No such file or directory") {
        return Some(header.to_owned());
    }
    if text.contains("file not found") {
        return quoted(0);
    }
    let first = [
        "was not declared in this scope",
        "has not been declared",
        "use of undeclared identifier",
        "does not name a",
        "is not a class",
    ];
    if first.iter().any(|t| text.contains(t)) || text.starts_with("unknown type name") {
        return quoted(0);
    }
    if text.starts_with("there are no arguments to") {
        return quoted(0);
    }
    if let Some((name, rest)) = text.split_once(" is not a member of ") {
        return Some(format!("{}::{}", rest.split('\'').nth(1)?, name.split('\'').nth(1)?));
    }
    // 'class Noc' has no member named 'x'; no member named 'x' in 'Noc'
    if let Some((of, name)) = text.split_once(" has no member named ") {
        let of = of.split('\'').nth(1)?;
        let of = of.strip_prefix("const ").unwrap_or(of);
        let of = of.strip_prefix("class ").or_else(|| of.strip_prefix("struct ")).unwrap_or(of);
        return Some(format!("{of}::{}", name.split('\'').nth(1)?));
    }
    if text.starts_with("no member named ") || text.starts_with("no type named ") {
        return Some(format!("{}::{}", quoted(1)?, quoted(0)?));
    }
    // Our own headers say what they leave out.
    let text = text
        .strip_prefix("static assertion failed: ")
        .or_else(|| text.strip_prefix("static assertion failed due to requirement "))?;
    let (name, _) = text.split_once(": ")?;
    (text.contains("not simulated") && !name.contains(' ')).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_messages_of_both_compilers() {
        let name = |message: &str| missing_name(message).unwrap_or_default();
        assert_eq!(name("'foo_tile' was not declared in this scope; did you mean 'fop'?"), "foo_tile");
        assert_eq!(name("‘foo_tile’ was not declared in this scope"), "foo_tile");
        assert_eq!(name("use of undeclared identifier 'foo_tile'"), "foo_tile");
        assert_eq!(name("api/compute/x.h: No such file or directory"), "api/compute/x.h");
        assert_eq!(name("'api/compute/x.h' file not found"), "api/compute/x.h");
        assert_eq!(name("'class Noc' has no member named 'async_x'; did you mean"), "Noc::async_x");
        assert_eq!(name("'const class Noc' has no member named 'async_x'"), "Noc::async_x");
        assert_eq!(name("no member named 'async_x' in 'Noc'"), "Noc::async_x");
        assert_eq!(name("'x' is not a member of 'ckernel'"), "ckernel::x");
        assert_eq!(name("there are no arguments to 'y' that depend on a template parameter, so"), "y");
        assert_eq!(
            name("static assertion failed: exp_tile<true>: the approximation is not simulated"),
            "exp_tile<true>"
        );
        assert_eq!(missing_name("expected ';' before '}' token"), None);
    }

    #[test]
    fn each_is_told_once_with_its_place() {
        let text = "k.cpp: In function 'void kernel_main()':\nk.cpp:3:5: error: 'a' was not declared in this scope\n    3 |   a();\n\
                    k.cpp:4:5: error: 'a' was not declared in this scope\nk.cpp:9:1: fatal error: b.h: No such file or directory\n";
        let found: Vec<String> = find(text).iter().map(Missing::to_string).collect();
        assert_eq!(
            found,
            [
                "`a` is not provided by ttl's simulator (called at k.cpp:3)",
                "`b.h` is not provided by ttl's simulator (called at k.cpp:9)"
            ]
        );
    }
}
