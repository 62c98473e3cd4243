//! What `ttl::print!` and `ttl::zone!` do in a native run.

use crate::sim::ops;
use crate::site::Site;
use std::fmt;

/// Prints a line from this thread of the simulated chip.
pub fn print(text: fmt::Arguments<'_>, file: &'static str, line: u32) {
    let site = Site { file, line, column: 0 };
    if ops::printing(site) {
        ops::print(&format!("{text}\n"), site);
    }
}

/// A named zone: from here to the end of the block.
#[derive(Debug)]
pub struct Zone {
    site: Site,
}

impl Zone {
    pub fn enter(name: &str, file: &'static str, line: u32) -> Zone {
        let site = Site { file, line, column: 0 };
        ops::zone_begin(name, site);
        Zone { site }
    }
}

impl Drop for Zone {
    fn drop(&mut self) {
        // A kernel that failed is not asked for more.
        if !std::thread::panicking() {
            ops::zone_end(self.site);
        }
    }
}
