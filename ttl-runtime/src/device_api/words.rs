//! Runs of argument words that a kernel indexes at run time: tables of numbers and of cores.

use super::signal::NocCore;
use crate::arch::Core;
use crate::sim::ops;
use crate::site::Site;

/// Words of this core's own arguments (`get_arg_val`), indexed at run time.
#[derive(Debug)]
pub struct Words {
    pub(super) first: u32,
    pub(super) len: u32,
}

/// Words that all cores of the kernel share (`get_common_arg_val`), indexed at run time.
#[derive(Debug)]
pub struct CommonWords {
    pub(super) first: u32,
    pub(super) len: u32,
}

/// Cores that all cores of the kernel know: one word each, indexed at run time.
#[derive(Debug)]
pub struct CoreTable {
    pub(super) words: CommonWords,
}

impl Words {
    /// Word `index`.
    #[track_caller]
    pub fn get(&self, index: u32) -> u32 {
        let site = Site::caller();
        in_table(index, self.len, site);
        ops::runtime_arg(self.first + index, site)
    }
}

impl CommonWords {
    /// Word `index`.
    #[track_caller]
    pub fn get(&self, index: u32) -> u32 {
        let site = Site::caller();
        in_table(index, self.len, site);
        ops::common_arg(self.first + index, site)
    }
}

impl CoreTable {
    /// Core `index`.
    #[track_caller]
    pub fn core(&self, index: u32) -> NocCore {
        let site = Site::caller();
        in_table(index, self.words.len, site);
        let word = ops::common_arg(self.words.first + index, site);
        NocCore::new(Core::new(word & 0xff, word >> 8))
    }
}

fn in_table(index: u32, len: u32, site: Site) {
    if index >= len {
        let help = "entries count from 0; the host decides how many there are";
        ops::fail_with_help(&format!("entry {index} of a table of {len} argument words"), help, site);
    }
}
