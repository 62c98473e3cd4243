//! The bytes of the chip: L1 of each core and the DRAM banks.
//!
//! # L1 and threads
//!
//! [`L1`] owns the bytes of all cores; [`L1View`] is a plain pointer to those of one, because three parties use them in turn: the core's
//! kernel threads during an epoch, the boundary between epochs, and the host when nothing runs. Invariants that make this sound:
//!
//! * During an epoch only the OS thread that runs the core uses its view; at the boundary only the thread that executes it. The
//!   barrier between epochs orders the two (`barrier.rs`).
//! * `Machine::run` borrows the machine, and with it [`L1`], until the views are gone.
//! * A slice made from a view lives inside one operation (`ops`), which cannot suspend; no two overlap mutably, since the view must be
//!   borrowed mutably for a mutable slice.
//! * Raw pointers that kernels hold ([`L1View::pointer`], for C++) are used only while the kernel runs, hence in the first
//!   party's turn; no slice exists then.

use std::alloc::{self, Layout};
use std::fmt;
use std::ptr::NonNull;

const PAGE: usize = 4096;

/// The L1 of all cores, zeroed, each at a page boundary.
///
/// One block: it is so large that the allocator maps it fresh from the system, page by page as it is used. (Blocks of one core's
/// size would come from the heap after a while, and be filled with zeros by hand.)
pub(super) struct L1 {
    base: NonNull<u8>,
    layout: Layout,
    start: NonNull<u8>,
    size: usize,
    cores: usize,
}

// SAFETY: an owned block of bytes; see the module docs for who uses it when.
unsafe impl Send for L1 {}
// SAFETY: `&L1` gives out reads of bytes only while no run is under way (`Machine` hands out views only from `&mut self`).
unsafe impl Sync for L1 {}

impl L1 {
    pub(super) fn new(cores: usize, size: usize) -> L1 {
        assert!(size.is_multiple_of(PAGE), "L1 is made of whole pages");
        // Ask for more and align by hand: `alloc_zeroed` with a large alignment would write all the zeros.
        let layout = match Layout::from_size_align(cores * size + PAGE, 16) {
            Ok(layout) => layout,
            Err(_) => unreachable!("the sizes of a chip are small constants"),
        };
        // SAFETY: the layout has a size above zero.
        let base =
            NonNull::new(unsafe { alloc::alloc_zeroed(layout) }).unwrap_or_else(|| alloc::handle_alloc_error(layout));
        let offset = base.align_offset(PAGE);
        // SAFETY: the offset is below PAGE, and the block has the bytes of all cores behind it.
        let start = unsafe { base.add(offset) };
        L1 { base, layout, start, size, cores }
    }

    fn core(&self, core: usize) -> NonNull<u8> {
        assert!(core < self.cores);
        // SAFETY: inside the block.
        unsafe { self.start.add(core * self.size) }
    }

    pub(super) fn view(&mut self, core: usize) -> L1View {
        L1View { start: self.core(core), size: self.size }
    }

    /// Bytes for the host; `None` if out of range.
    pub(super) fn bytes(&self, core: usize, addr: usize, len: usize) -> Option<&[u8]> {
        (addr.checked_add(len)? <= self.size).then(|| {
            // SAFETY: in range; no run is under way while `&self` exists (see `Sync`), so nobody writes.
            unsafe { std::slice::from_raw_parts(self.core(core).add(addr).as_ptr(), len) }
        })
    }
}

impl Drop for L1 {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { alloc::dealloc(self.base.as_ptr(), self.layout) }
    }
}

/// Access to an L1 during a run. See the module docs for the invariants.
pub(super) struct L1View {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: by the turns of the module docs there is one user at a time.
unsafe impl Send for L1View {}
// SAFETY: as above.
unsafe impl Sync for L1View {}

impl L1View {
    pub(super) fn duplicate(&self) -> L1View {
        L1View { start: self.start, size: self.size }
    }

    #[inline]
    fn at(&self, addr: u32, len: usize) -> *mut u8 {
        let addr = addr as usize;
        assert!(addr <= self.size && len <= self.size - addr, "L1 access was checked before");
        // SAFETY: in range by the assertion.
        unsafe { self.start.add(addr).as_ptr() }
    }

    #[inline]
    pub(super) fn bytes(&self, addr: u32, len: usize) -> &[u8] {
        // SAFETY: in range; the party in turn holds `&self`, so nobody writes for this lifetime.
        unsafe { std::slice::from_raw_parts(self.at(addr, len), len) }
    }

    #[inline]
    pub(super) fn bytes_mut(&mut self, addr: u32, len: usize) -> &mut [u8] {
        // SAFETY: in range; the party in turn holds `&mut self`, so nobody else reads or writes for this lifetime.
        unsafe { std::slice::from_raw_parts_mut(self.at(addr, len), len) }
    }

    /// The address of checked bytes, for kernels that work with raw pointers.
    #[inline]
    pub(super) fn pointer(&mut self, addr: u32, len: usize) -> *mut u8 {
        self.at(addr, len)
    }

    #[inline]
    pub(super) fn word(&self, addr: u32) -> u32 {
        let mut word = [0; 4];
        word.copy_from_slice(self.bytes(addr, 4));
        u32::from_le_bytes(word)
    }

    #[inline]
    pub(super) fn set_word(&mut self, addr: u32, value: u32) {
        self.bytes_mut(addr, 4).copy_from_slice(&value.to_le_bytes());
    }

    /// Copies from another core, or from this one (then the ranges may overlap).
    pub(super) fn copy_from(&mut self, addr: u32, source: &L1View, source_addr: u32, len: usize) {
        let to = self.at(addr, len);
        let from = source.at(source_addr, len);
        // SAFETY: both ranges are valid, `copy` allows overlap, and the party in turn is the only user of both memories.
        unsafe { std::ptr::copy(from, to, len) }
    }
}

impl fmt::Debug for L1View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L1View({} bytes)", self.size)
    }
}

/// The L1 of all cores, for the boundary, and which of them were ever written.
pub(super) struct AllL1<'a> {
    pub(super) views: Vec<L1View>,
    pub(super) used: &'a mut [bool],
}

impl AllL1<'_> {
    pub(super) fn from(&self, core: u32) -> L1View {
        self.views[core as usize].duplicate()
    }

    pub(super) fn to(&mut self, core: u32) -> &mut L1View {
        self.used[core as usize] = true;
        &mut self.views[core as usize]
    }
}

/// DRAM in chunks that come into being when first written; what was never written reads as zero.
const CHUNK: usize = 64 * 1024;

/// At a page boundary, so that chunks and L1 have the same low address bits: a copy to an address that is a little above its source modulo
/// 4096 takes twice as long.
#[repr(C, align(4096))]
struct Chunk([u8; CHUNK]);

#[derive(Default)]
struct Bank {
    chunks: Vec<Option<Box<Chunk>>>,
}

pub(super) struct Dram {
    banks: Vec<Bank>,
    bank_size: u64,
}

impl Dram {
    pub(super) fn new(banks: u32, bank_size: u64) -> Dram {
        Dram { banks: (0..banks).map(|_| Bank::default()).collect(), bank_size }
    }

    /// Number of chunks of a bank up to the last that was written.
    pub(super) fn chunks(&self, bank: u32) -> usize {
        self.banks[bank as usize].chunks.len()
    }

    /// Address and contents of a chunk; no contents if it was never written.
    pub(super) fn chunk(&self, bank: u32, chunk: usize) -> (u64, Option<&[u8]>) {
        let contents = self.banks[bank as usize].chunks.get(chunk).and_then(Option::as_deref).map(|c| &c.0[..]);
        ((chunk * CHUNK) as u64, contents)
    }

    pub(super) fn contains(&self, bank: u32, addr: u64, len: u64) -> bool {
        (bank as usize) < self.banks.len() && addr.checked_add(len).is_some_and(|end| end <= self.bank_size)
    }

    /// The range must have been checked.
    pub(super) fn read(&self, bank: u32, addr: u64, mut out: &mut [u8]) {
        let chunks = &self.banks[bank as usize].chunks;
        let mut at = addr as usize;
        while !out.is_empty() {
            let offset = at % CHUNK;
            let (now, rest) = out.split_at_mut(out.len().min(CHUNK - offset));
            match chunks.get(at / CHUNK) {
                Some(Some(chunk)) => now.copy_from_slice(&chunk.0[offset..offset + now.len()]),
                _ => now.fill(0),
            }
            at += now.len();
            out = rest;
        }
    }

    /// The range must have been checked.
    pub(super) fn write(&mut self, bank: u32, addr: u64, mut bytes: &[u8]) {
        let chunks = &mut self.banks[bank as usize].chunks;
        let mut at = addr as usize;
        while !bytes.is_empty() {
            let (index, offset) = (at / CHUNK, at % CHUNK);
            let (now, rest) = bytes.split_at(bytes.len().min(CHUNK - offset));
            if index >= chunks.len() {
                chunks.resize_with(index + 1, || None);
            }
            let chunk = chunks[index].get_or_insert_with(|| Box::new(Chunk([0; CHUNK])));
            chunk.0[offset..offset + now.len()].copy_from_slice(now);
            at += now.len();
            bytes = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l1_is_zero_and_bounded() {
        let mut l1 = L1::new(2, 1 << 20);
        for core in 0..2 {
            assert_eq!(l1.bytes(core, 0, 1 << 20).map(|b| b.iter().all(|&b| b == 0)), Some(true));
        }
        assert!(l1.bytes(0, 1, 1 << 20).is_none());
        assert!(l1.bytes(0, usize::MAX, 2).is_none());
        let mut view = l1.view(1);
        view.set_word(16, 0x0102_0304);
        assert_eq!(view.word(16), 0x0102_0304);
        let copy = view.duplicate();
        view.copy_from(18, &copy, 16, 4);
        assert_eq!(view.bytes(16, 6), [4, 3, 4, 3, 2, 1]);
        assert_eq!(l1.bytes(0, 16, 6), Some(&[0; 6][..]));
        assert_eq!(l1.bytes(1, 16, 6), Some(&[4, 3, 4, 3, 2, 1][..]));
    }

    #[test]
    fn dram_crosses_chunks_and_reads_zero_where_nothing_was_written() {
        let mut dram = Dram::new(2, 1 << 32);
        let bytes: Vec<u8> = (0..=255).collect();
        let addr = 3 * CHUNK as u64 - 100;
        dram.write(1, addr, &bytes);
        let mut out = vec![7; 300];
        dram.read(1, addr - 20, &mut out);
        assert!(out[..20].iter().all(|&b| b == 0));
        assert_eq!(&out[20..276], &bytes[..]);
        assert!(out[276..].iter().all(|&b| b == 0));
        dram.read(0, addr, &mut out);
        assert!(out.iter().all(|&b| b == 0));
        assert!(dram.contains(1, (1 << 32) - 4, 4));
        assert!(!dram.contains(1, (1 << 32) - 4, 5));
        assert!(!dram.contains(2, 0, 1));
        assert!(!dram.contains(0, u64::MAX, 2));
    }
}
