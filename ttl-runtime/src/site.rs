//! Where in the user's Rust source something happened.

use std::fmt;
use std::panic::Location;

/// A place in a source file: what every diagnostic points at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The file, as rustc names it.
    pub file: &'static str,
    /// 1-based; 0 when the line is not known.
    pub line: u32,
    /// 1-based; 0 when only the line is known (generated C++ carries no columns).
    pub column: u32,
}

impl Site {
    /// No place in a source.
    pub const UNKNOWN: Site = Site { file: "<unknown>", line: 0, column: 0 };

    /// The caller of the function that calls this, which must be `#[track_caller]` itself.
    #[track_caller]
    #[inline]
    pub fn caller() -> Site {
        Site::from(Location::caller())
    }
}

impl From<&'static Location<'static>> for Site {
    #[inline]
    fn from(l: &'static Location<'static>) -> Site {
        Site { file: l.file(), line: l.line(), column: l.column() }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(f, "{}", self.file),
            (line, 0) => write!(f, "{}:{line}", self.file),
            (line, column) => write!(f, "{}:{line}:{column}", self.file),
        }
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
