//! Addresses for tensors. A tensor has the same address in all its banks, so one list of free pieces stands for all banks of a memory.
//!
//! DRAM is handed out from the bottom, L1 from the top: program buffers grow up from the bottom of L1.

use crate::arch::Arch;

use super::error::TensorError;

/// Free pieces of an address range, sorted, never touching each other.
#[derive(Clone, Debug)]
struct FreeList {
    /// `start..end`
    free: Vec<(u64, u64)>,
    capacity: u64,
}

impl FreeList {
    fn new(start: u64, end: u64) -> FreeList {
        let free = if start < end { vec![(start, end)] } else { Vec::new() };
        FreeList { free, capacity: end.saturating_sub(start) }
    }

    fn total(&self) -> u64 {
        self.free.iter().map(|(start, end)| end - start).sum()
    }

    fn largest(&self) -> u64 {
        self.free.iter().map(|(start, end)| end - start).max().unwrap_or(0)
    }

    /// The lowest fit.
    fn take_low(&mut self, bytes: u64) -> Option<u64> {
        let at = self.free.iter().position(|(start, end)| end - start >= bytes)?;
        let start = self.free[at].0;
        self.free[at].0 += bytes;
        self.free.retain(|(start, end)| start < end);
        Some(start)
    }

    /// The highest fit.
    fn take_high(&mut self, bytes: u64) -> Option<u64> {
        let at = self.free.iter().rposition(|(start, end)| end - start >= bytes)?;
        self.free[at].1 -= bytes;
        let start = self.free[at].1;
        self.free.retain(|(start, end)| start < end);
        Some(start)
    }

    fn give_back(&mut self, start: u64, bytes: u64) {
        let at = self.free.partition_point(|piece| piece.0 < start);
        self.free.insert(at, (start, start + bytes));
        let mut joined: Vec<(u64, u64)> = Vec::with_capacity(self.free.len());
        for &(start, end) in &self.free {
            match joined.last_mut() {
                Some(last) if last.1 >= start => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        self.free = joined;
    }
}

/// Addresses of tensors in DRAM: first fit from the bottom.
#[derive(Clone, Debug)]
pub struct DramAllocator {
    pieces: FreeList,
    alignment: u64,
    banks: u32,
}

impl DramAllocator {
    /// All of the DRAM of a chip, empty.
    pub fn new(arch: &Arch) -> DramAllocator {
        // Kernels have 32-bit addresses.
        let end = arch.dram_bank_size.min(1 << 32);
        let alignment = u64::from(arch.dram_alignment);
        let start = u64::from(arch.dram_base).next_multiple_of(alignment);
        DramAllocator { pieces: FreeList::new(start, end), alignment, banks: arch.dram_banks }
    }

    /// The address of `per_bank` bytes in every bank; `bytes` is what the message calls the tensor's size.
    pub fn alloc(&mut self, per_bank: u64, bytes: u64) -> Result<u32, TensorError> {
        let size = per_bank.max(1).next_multiple_of(self.alignment);
        self.pieces.take_low(size).map(|start| start as u32).ok_or_else(|| TensorError::OutOfDram {
            bytes,
            per_bank,
            banks: self.banks,
            free: self.pieces.total(),
            largest: self.pieces.largest(),
            capacity: self.pieces.capacity,
        })
    }

    /// Gives back what `alloc(per_bank, ..)` returned.
    pub fn free(&mut self, address: u32, per_bank: u64) {
        let size = per_bank.max(1).next_multiple_of(self.alignment);
        self.pieces.give_back(u64::from(address), size);
    }

    /// Free bytes of each bank.
    pub fn free_bytes(&self) -> u64 {
        self.pieces.total()
    }
}

/// Addresses of tensors in L1: highest fit from the top, the same on all cores.
#[derive(Clone, Debug)]
pub struct L1Allocator {
    pieces: FreeList,
    alignment: u64,
    end: u32,
}

impl L1Allocator {
    /// All of the L1 of a chip that programs may use, empty.
    pub fn new(arch: &Arch) -> L1Allocator {
        L1Allocator {
            pieces: FreeList::new(u64::from(arch.l1_base), u64::from(arch.l1_size)),
            alignment: u64::from(arch.l1_alignment),
            end: arch.l1_size,
        }
    }

    /// The address of `per_core` bytes in every core.
    pub fn alloc(&mut self, per_core: u64) -> Result<u32, TensorError> {
        let size = per_core.max(1).next_multiple_of(self.alignment);
        self.pieces.take_high(size).map(|start| start as u32).ok_or_else(|| TensorError::OutOfL1 {
            per_core,
            free: self.pieces.total(),
            largest: self.pieces.largest(),
            capacity: self.pieces.capacity,
        })
    }

    /// Gives back what `alloc(per_core)` returned.
    pub fn free(&mut self, address: u32, per_core: u64) {
        let size = per_core.max(1).next_multiple_of(self.alignment);
        self.pieces.give_back(u64::from(address), size);
    }

    /// The end of what program buffers may take: the lowest address of a tensor, or the end of L1.
    pub fn lowest(&self) -> u32 {
        match self.pieces.free.first() {
            // The lowest piece starts at the bottom unless a tensor reaches down there.
            Some(&(start, end)) if self.starts_at_bottom(start) => end as u32,
            Some(_) | None => self.end - self.pieces.capacity as u32,
        }
    }

    fn starts_at_bottom(&self, start: u64) -> bool {
        start == u64::from(self.end) - self.pieces.capacity
    }

    /// Free bytes of each core.
    pub fn free_bytes(&self) -> u64 {
        self.pieces.total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dram_is_handed_out_from_the_bottom() {
        let arch = Arch::blackhole();
        let mut dram = DramAllocator::new(&arch);
        let all = dram.free_bytes();
        let a = dram.alloc(100, 800).unwrap();
        let b = dram.alloc(2048, 2048).unwrap();
        let c = dram.alloc(64, 64).unwrap();
        assert_eq!((a, b, c), (arch.dram_base, arch.dram_base + 128, arch.dram_base + 2176));
        // The hole is used again, by what fits.
        dram.free(b, 2048);
        assert_eq!(dram.alloc(4096, 4096), Ok(c + 64));
        assert_eq!(dram.alloc(1024, 1024), Ok(b));
        assert_eq!(dram.alloc(1024, 1024), Ok(b + 1024));
        for (address, bytes) in [(a, 100), (b + 1024, 1024), (b, 1024), (c + 64, 4096), (c, 64)] {
            dram.free(address, bytes);
        }
        assert_eq!(dram.free_bytes(), all);
        assert_eq!(dram.pieces.free.len(), 1);
    }

    #[test]
    fn too_large_for_dram() {
        let mut dram = DramAllocator::new(&Arch::wormhole());
        let e = dram.alloc(2 << 30, 24 << 30).unwrap_err();
        assert_eq!(
            e.to_string(),
            "no room for a tensor of 25769803776 bytes (2147483648 in each of 12 DRAM banks): 1073741792 bytes of 1073741792 are free in a bank, the largest piece has 1073741792\n  = help: use a smaller tensor, or drop tensors that are no longer needed"
        );
        // A refused request takes nothing.
        assert!(dram.alloc(dram.free_bytes(), 0).is_ok());
        assert!(dram.alloc(1, 1).is_err());
    }

    #[test]
    fn l1_is_handed_out_from_the_top() {
        let arch = Arch::blackhole();
        let mut l1 = L1Allocator::new(&arch);
        assert_eq!(l1.lowest(), arch.l1_size);
        let a = l1.alloc(12288).unwrap();
        // The address that ttnn gives a tensor of this size.
        assert_eq!(a, 1_560_576);
        let b = l1.alloc(10).unwrap();
        assert_eq!((b, l1.lowest()), (a - 16, a - 16));
        l1.free(a, 12288);
        assert_eq!(l1.lowest(), b);
        l1.free(b, 10);
        assert_eq!(l1.lowest(), arch.l1_size);
        let all = l1.free_bytes();
        let whole = l1.alloc(all).unwrap();
        assert_eq!((whole, l1.lowest()), (arch.l1_base, arch.l1_base));
        let e = l1.alloc(1).unwrap_err();
        assert_eq!(
            e.to_string(),
            "no room for a tensor that takes 1 bytes of L1 in each core: 0 bytes of 1462272 are free, the largest piece has 0\n  = help: use a smaller tensor, spread it over more cores, or keep it in DRAM"
        );
    }

    #[test]
    fn a_hole_above_a_tensor_does_not_count_as_the_bottom() {
        let arch = Arch::blackhole();
        let mut l1 = L1Allocator::new(&arch);
        let top = l1.alloc(4096).unwrap();
        let rest = l1.alloc(l1.free_bytes()).unwrap();
        l1.free(top, 4096);
        assert_eq!((rest, l1.lowest()), (arch.l1_base, arch.l1_base));
    }
}
