//! Comparing the memories of two chips, byte for byte.

use super::machine::Machine;
use crate::arch::Core;
use std::fmt;

/// The first byte that differs between two chips.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryDifference {
    /// In which memory.
    pub place: Place,
    /// At which address of it.
    pub address: u64,
    /// What the first and the second hold there.
    pub bytes: (u8, u8),
    /// How many bytes of this memory differ.
    pub count: usize,
}

/// A memory of a chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Of a core.
    L1(Core),
    /// A bank.
    Dram(u32),
}

impl fmt::Display for MemoryDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::L1(core) => write!(f, "L1 of {core}")?,
            Place::Dram(bank) => write!(f, "DRAM bank {bank}")?,
        }
        let (a, b) = self.bytes;
        write!(f, " differs in {} bytes, first at {:#x}: {a:#04x} against {b:#04x}", self.count, self.address)
    }
}

impl Machine {
    /// The first difference between the memories of two chips of one kind: L1 of all cores, then DRAM. What was never written counts as zero.
    pub fn first_difference(&self, other: &Machine) -> Option<MemoryDifference> {
        let arch = self.arch();
        for index in 0..arch.cores() {
            let core = Core::new(index % arch.grid_x, index / arch.grid_x);
            let (a, b) = (self.l1_of(core), other.l1_of(core));
            if a.is_none() && b.is_none() {
                continue;
            }
            let zeros = vec![0; arch.l1_size as usize];
            let (a, b) = (a.unwrap_or(&zeros), b.unwrap_or(&zeros));
            if let Some(found) = differ(Place::L1(core), 0, a, b) {
                return Some(found);
            }
        }
        for bank in 0..arch.dram_banks {
            for chunk in 0..self.dram_chunks(bank).max(other.dram_chunks(bank)) {
                let ((at, a), (_, b)) = (self.dram_chunk(bank, chunk), other.dram_chunk(bank, chunk));
                let zeros = vec![0; a.or(b).map_or(0, <[u8]>::len)];
                if let Some(found) = differ(Place::Dram(bank), at, a.unwrap_or(&zeros), b.unwrap_or(&zeros)) {
                    return Some(found);
                }
            }
        }
        None
    }
}

fn differ(place: Place, start: u64, a: &[u8], b: &[u8]) -> Option<MemoryDifference> {
    if a == b {
        return None;
    }
    let first = a.iter().zip(b).position(|(x, y)| x != y)?;
    let count = a.iter().zip(b).filter(|(x, y)| x != y).count();
    Some(MemoryDifference { place, address: start + first as u64, bytes: (a[first], b[first]), count })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Arch;

    #[test]
    fn finds_the_first_byte() {
        let (mut a, mut b) = (Machine::new(Arch::blackhole()), Machine::new(Arch::blackhole()));
        assert_eq!(a.first_difference(&b), None);
        a.write_dram(3, 70, &[0, 5]).expect("in range");
        b.write_dram(3, 70, &[0, 6]).expect("in range");
        let found = a.first_difference(&b).expect("they differ");
        assert_eq!(found.to_string(), "DRAM bank 3 differs in 1 bytes, first at 0x47: 0x05 against 0x06");
        // A zero that was written equals one that was not.
        b.write_dram(3, 71, &[5]).expect("in range");
        a.write_l1(Core::new(1, 2), 200_000, &[0]).expect("in range");
        assert_eq!(a.first_difference(&b), None);
        a.write_l1(Core::new(1, 2), 200_000, &[9]).expect("in range");
        assert_eq!(a.first_difference(&b).expect("they differ").place, Place::L1(Core::new(1, 2)));
    }
}
