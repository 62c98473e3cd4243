//! Sizes of blocks that are written as constants: rustc compares them, and the message says their values.

/// A piece of a message.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    Text(&'static str),
    Size(u64),
}

/// Refuses to compile, at the caller's, what does not fit.
#[track_caller]
pub const fn fit(fits: bool, message: &[Part]) {
    if !fits {
        let text = Text::of(message);
        panic!("{}", text.as_str());
    }
}

/// A message made while rustc evaluates constants, where nothing can be formatted. What does not fit is cut off.
struct Text {
    bytes: [u8; 1024],
    len: usize,
}

impl Text {
    const fn of(parts: &[Part]) -> Text {
        let mut text = Text { bytes: [0; 1024], len: 0 };
        let mut at = 0;
        while at < parts.len() {
            match parts[at] {
                Part::Text(part) => text.push(part.as_bytes()),
                Part::Size(size) => text.number(size),
            }
            at += 1;
        }
        text
    }

    const fn push(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() && self.len < self.bytes.len() {
            self.bytes[self.len] = bytes[at];
            self.len += 1;
            at += 1;
        }
    }

    const fn number(&mut self, mut number: u64) {
        let mut digits = [b'0'; 20];
        let mut at = digits.len() - 1;
        while number >= 10 {
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            at -= 1;
        }
        digits[at] = b'0' + number as u8;
        let (_, digits) = digits.split_at(at);
        self.push(digits);
    }

    const fn as_str(&self) -> &str {
        let (text, _) = self.bytes.split_at(self.len);
        match str::from_utf8(text) {
            Ok(text) => text,
            // Cut within a character.
            Err(_) => "sizes do not fit",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_in_messages() {
        let text = Text::of(&[Part::Text("rows is "), Part::Size(0), Part::Text(", cols is "), Part::Size(u64::MAX)]);
        assert_eq!(text.as_str(), "rows is 0, cols is 18446744073709551615");
        let long = ["0123456789abcdef"; 65].map(Part::Text);
        assert_eq!(Text::of(&long).as_str().len(), 1024);
    }
}
