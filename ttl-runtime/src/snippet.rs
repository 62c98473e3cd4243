//! One look for all diagnostics: the message, the source lines it is about, and the lines of numbers and advice.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::site::Site;

/// A place and what to say about it (may be empty).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub site: Site,
    pub text: String,
}

/// Writes
///
/// ```text
/// error: what happened
///   --> file.rs:31:9
///    |
/// 31 |     a.wait_front(8);
///    |       ^ text of the label
///    |
///    = numbers
///    = help: what to do
/// ```
pub fn render(f: &mut fmt::Formatter<'_>, message: &str, labels: &[Label], lines: &[String]) -> fmt::Result {
    write!(f, "error: {message}")?;
    let width = labels.iter().map(|l| l.site.line.max(1).ilog10() as usize + 1).max().unwrap_or(1);
    let mut open = false;
    for (i, label) in labels.iter().enumerate() {
        let arrow = if i == 0 { "-->" } else { ":::" };
        write!(f, "\n{:width$}{arrow} {}", "", label.site)?;
        match source_line(label.site) {
            Some(text) => {
                let text = text.trim_end().replace('\t', "    ");
                let indent = text.len() - text.trim_start().len();
                let caret = (label.site.column as usize).checked_sub(1).unwrap_or(indent).min(text.len());
                write!(f, "\n{:width$} |\n{:>width$} | {text}", "", label.site.line)?;
                write!(f, "\n{:width$} | {:caret$}^", "", "")?;
                if !label.text.is_empty() {
                    write!(f, " {}", label.text)?;
                }
                open = true;
            }
            None if !label.text.is_empty() => {
                write!(f, ": {}", label.text)?;
                open = false;
            }
            None => open = false,
        }
    }
    if open && !lines.is_empty() {
        write!(f, "\n{:width$} |", "")?;
    }
    for line in lines {
        let mut parts = line.lines();
        write!(f, "\n{:width$} = {}", "", parts.next().unwrap_or(""))?;
        for part in parts {
            write!(f, "\n{:width$}   {part}", "")?;
        }
    }
    Ok(())
}

/// The same as text.
pub fn text(message: &str, labels: &[Label], lines: &[String]) -> String {
    struct Report<'a>(&'a str, &'a [Label], &'a [String]);
    impl fmt::Display for Report<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            render(f, self.0, self.1, self.2)
        }
    }
    Report(message, labels, lines).to_string()
}

/// The text of the line, if the file can be found. `file!()` paths are relative to the workspace, tests and binaries may run
/// below it: so the parents of the working directory are tried too.
fn source_line(site: Site) -> Option<String> {
    if site.line == 0 {
        return None;
    }
    let text = std::fs::read_to_string(find(site.file)?).ok()?;
    text.lines().nth(site.line as usize - 1).map(str::to_owned)
}

fn find(file: &str) -> Option<PathBuf> {
    let path = Path::new(file);
    if path.is_file() {
        return Some(path.to_owned());
    }
    if path.is_absolute() {
        return None;
    }
    let here = std::env::current_dir().ok()?;
    here.ancestors().skip(1).take(4).map(|dir| dir.join(path)).find(|p| p.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Show<'a>(&'a [Label], &'a [String]);
    impl fmt::Display for Show<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            render(f, "it failed", self.0, self.1)
        }
    }

    #[test]
    fn shows_source_lines_and_advice() {
        let site = Site { file: file!(), line: 1, column: 5 };
        let text = Show(&[Label { site, text: "here".into() }], &["help: do not".into()]).to_string();
        let want = format!(
            "error: it failed\n --> {}:1:5\n  |\n1 | //! One look for all diagnostics: the message, the source lines it is about, and the lines of \
             numbers and advice.\n  |     ^ here\n  |\n  = help: do not",
            file!()
        );
        assert_eq!(text, want);
    }

    #[test]
    fn does_without_the_file() {
        let site = Site { file: "no/such/file.rs", line: 12, column: 0 };
        let text = Show(&[Label { site, text: "here".into() }], &["a\nb".into()]).to_string();
        assert_eq!(text, "error: it failed\n  --> no/such/file.rs:12: here\n   = a\n     b");
    }
}
