//! The text being written: lines, indentation, `#line` directives.

use super::Lines;

/// Where comments with Rust lines begin, if the code is not longer.
const COMMENT_COLUMN: usize = 72;

#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
    lines: Option<Lines>,
    /// The Rust file, and with directives the line that the next line of text counts as.
    file: String,
    next: Option<u32>,
    /// Rust line of what is being written, and the last one that a comment names.
    line: u32,
    commented: u32,
}

impl Writer {
    pub(super) fn new(lines: Lines) -> Writer {
        Writer { lines: Some(lines), ..Writer::default() }
    }

    pub(super) fn file(&mut self, file: &str) {
        if self.file != file {
            self.file = file.to_owned();
            self.next = None;
        }
    }

    /// What follows comes from this Rust line.
    pub(super) fn at(&mut self, line: u32) {
        self.line = line;
    }

    pub(super) fn indent(&mut self) {
        self.depth += 1;
    }

    pub(super) fn dedent(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// A line of code, which counts as the current Rust line.
    pub(super) fn code(&mut self, line: &str) {
        match self.lines {
            Some(Lines::Directives) if self.line > 0 && self.next != Some(self.line) => {
                let file = self.file.replace('\\', "\\\\").replace('"', "\\\"");
                self.text.push_str(&format!("#line {} \"{file}\"\n", self.line));
                self.next = Some(self.line);
            }
            Some(Lines::Comments) if self.line > 0 && self.commented != self.line => {
                self.commented = self.line;
                let name = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
                self.plain(&format!(
                    "{line:<width$}  // {name}:{}",
                    self.line,
                    width = COMMENT_COLUMN - 4 * self.depth
                ));
                return;
            }
            _ => {}
        }
        self.plain(line);
    }

    /// A line whose number does not matter: braces, comments, blank lines.
    pub(super) fn plain(&mut self, line: &str) {
        if !line.is_empty() {
            for _ in 0..self.depth {
                self.text.push_str("    ");
            }
            self.text.push_str(line);
        }
        self.text.push('\n');
        if let Some(next) = &mut self.next {
            *next += 1;
        }
    }

    /// A line for the preprocessor.
    pub(super) fn directive(&mut self, line: &str) {
        let depth = std::mem::take(&mut self.depth);
        self.plain(line);
        self.depth = depth;
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}
