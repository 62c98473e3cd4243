//! The text being written: lines, indentation, `#line` directives.

#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
    /// With directives: the file they name, and the line the next line of text counts as.
    directives: bool,
    file: String,
    next: Option<u32>,
    /// Rust line of what is being written.
    line: u32,
}

impl Writer {
    pub(super) fn new(directives: bool) -> Writer {
        Writer { directives, ..Writer::default() }
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
        if self.directives && self.line > 0 && self.next != Some(self.line) {
            let file = self.file.replace('\\', "\\\\").replace('"', "\\\"");
            self.text.push_str(&format!("#line {} \"{file}\"\n", self.line));
            self.next = Some(self.line);
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

    pub(super) fn finish(self) -> String {
        self.text
    }
}
