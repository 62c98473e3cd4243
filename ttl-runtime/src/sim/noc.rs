//! NoC addresses, and the transfers under way of one core.

use crate::arch::{Arch, ArchKind, Core};
use crate::site::Site;

/// A place that the NoC can reach: coordinates and an address there. Opaque to kernels.
///
/// Bits 0-35 are the local address, 36-41 the column and 42-47 the row. Worker cores have their virtual coordinates; each DRAM
/// bank has coordinates of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct NocAddr(pub u64);

const LOCAL_BITS: u32 = 36;
const COORDINATE_BITS: u32 = 6;
const COORDINATE_MASK: u64 = (1 << COORDINATE_BITS) - 1;
/// Marks the address of a rectangle, whose far corner is in bits 48-59.
const MULTICAST: u64 = 1 << 63;

impl NocAddr {
    /// Coordinates above 63 and addresses above 36 bits do not exist on the chip; they are folded to ones that no endpoint has.
    pub const fn new(x: u32, y: u32, local: u64) -> NocAddr {
        let fits = x <= COORDINATE_MASK as u32 && y <= COORDINATE_MASK as u32 && local >> LOCAL_BITS == 0;
        if !fits {
            return NocAddr(u64::MAX >> (64 - LOCAL_BITS - 2 * COORDINATE_BITS));
        }
        NocAddr((y as u64) << (LOCAL_BITS + COORDINATE_BITS) | (x as u64) << LOCAL_BITS | local)
    }

    /// The same address on a rectangle of cores, both corners inclusive, in the order in which the NoC visits them. The address of 0
    /// can be combined with another by `|`, as kernels do.
    pub const fn multicast(start: (u32, u32), end: (u32, u32), local: u64) -> NocAddr {
        let corner = NocAddr::new(start.0, start.1, local).0;
        let far = NocAddr::new(end.0, end.1, 0).0 >> LOCAL_BITS;
        NocAddr(MULTICAST | far << (LOCAL_BITS + 2 * COORDINATE_BITS) | corner)
    }

    /// The corners of a multicast address, in its order.
    pub const fn corners(self) -> Option<((u32, u32), (u32, u32))> {
        if self.0 & MULTICAST == 0 {
            return None;
        }
        let end = NocAddr((self.0 & !MULTICAST) >> (2 * COORDINATE_BITS));
        Some(((self.x(), self.y()), (end.x(), end.y())))
    }

    pub const fn x(self) -> u32 {
        (self.0 >> LOCAL_BITS & COORDINATE_MASK) as u32
    }

    pub const fn y(self) -> u32 {
        (self.0 >> (LOCAL_BITS + COORDINATE_BITS) & COORDINATE_MASK) as u32
    }

    pub const fn local(self) -> u64 {
        self.0 & ((1 << LOCAL_BITS) - 1)
    }
}

/// The NoC coordinates of a DRAM bank in the simulator: a column that no worker has. Kernels get them from the accessor or from
/// `noc_addr_dram`, never as numbers.
pub(super) const fn dram_coordinates(arch: &Arch, bank: u32) -> Core {
    match arch.kind {
        ArchKind::Blackhole => Core::new(17, 12 + bank),
        ArchKind::Wormhole => Core::new(16, 16 + bank),
    }
}

/// Who answers at given coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Endpoint {
    Nobody,
    /// Index of a worker core.
    Worker(u16),
    Dram(u16),
}

/// Endpoints by coordinates, filled once per machine.
pub(super) struct Endpoints(Box<[Endpoint]>);

impl Endpoints {
    pub(super) fn new(arch: &Arch) -> Endpoints {
        let mut table = vec![Endpoint::Nobody; 1 << (2 * COORDINATE_BITS)].into_boxed_slice();
        let slot = |c: Core| (c.y << COORDINATE_BITS | c.x) as usize;
        for y in 0..arch.grid_y {
            for x in 0..arch.grid_x {
                let core = Core::new(x, y);
                table[slot(arch.virtual_core(core))] = Endpoint::Worker(arch.core_index(core) as u16);
            }
        }
        for bank in 0..arch.dram_banks {
            table[slot(dram_coordinates(arch, bank))] = Endpoint::Dram(bank as u16);
        }
        Endpoints(table)
    }

    #[inline]
    pub(super) fn find(&self, addr: NocAddr) -> Endpoint {
        if addr.0 >> (LOCAL_BITS + 2 * COORDINATE_BITS) != 0 {
            return Endpoint::Nobody;
        }
        self.0[(addr.0 >> LOCAL_BITS) as usize]
    }
}

/// The far side of a transfer, checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Remote {
    Dram {
        bank: u32,
        addr: u64,
    },
    /// Core by index.
    L1 {
        core: u32,
        addr: u32,
    },
    /// The same address on a rectangle of cores.
    Many {
        cores: Rectangle,
        addr: u32,
    },
}

/// Logical cores from one corner to the other, perhaps without the sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rectangle {
    pub(super) first: Core,
    pub(super) last: Core,
    /// Index of the sender if it gets nothing.
    pub(super) except: Option<u32>,
}

impl Rectangle {
    /// Indices of the cores, row by row.
    pub(super) fn indices(self, grid_x: u32) -> impl Iterator<Item = u32> {
        let Rectangle { first, last, except } = self;
        (first.y..=last.y)
            .flat_map(move |y| (first.x..=last.x).map(move |x| y * grid_x + x))
            .filter(move |i| Some(*i) != except)
    }
}

/// A read whose data is not there yet as far as the kernel may know.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingRead {
    pub(super) source: Remote,
    pub(super) dest: u32,
    pub(super) size: u32,
    pub(super) noc: u8,
    /// Transaction id.
    pub(super) trid: u8,
    /// A random schedule let the data land early; the barrier is still due.
    pub(super) landed: bool,
    pub(super) site: Site,
}

/// Transaction ids of a NoC.
pub(super) const TRIDS: usize = 16;

/// What a command buffer holds between the call that sets it and those that use it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommandState {
    /// Id of the transfers to come.
    pub(super) trid: u8,
    /// The far end, and the size if it is fixed, with the place of the call.
    pub(super) set: Option<(NocAddr, Option<u32>, Site)>,
    pub(super) posted: bool,
    /// A transfer that was told everything has overwritten it.
    pub(super) overwritten: Option<Site>,
}

/// Where the data of a write is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// Still in L1 of the core: the kernel may not change it yet.
    L1(u32),
    /// Left the core: copied to the queue's own memory.
    Captured(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    Write { source: Source, size: u32 },
    Increment { by: u32 },
}

/// An operation on its way to another place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outgoing {
    pub(super) thread: u8,
    pub(super) noc: u8,
    /// Transaction id.
    pub(super) trid: u8,
    /// Nobody is told when it arrives.
    pub(super) posted: bool,
    /// To be applied at the next boundary.
    pub(super) due: bool,
    pub(super) dest: Remote,
    pub(super) what: What,
    /// The block of a pipe: its number among those of the program.
    pub(super) pipe: Option<u8>,
    /// L1 address that the data came from, for messages.
    pub(super) from: u32,
    pub(super) site: Site,
}

/// Copies of data that has left L1.
#[derive(Debug, Default)]
pub(super) struct Arena(Vec<u8>);

impl Arena {
    /// Keeps a copy; returns where.
    pub(super) fn store(&mut self, bytes: &[u8]) -> u32 {
        // Same low address bits as the source, see `memory::Chunk`.
        let step = if bytes.len() < 2048 { 64 } else { 2048 };
        let end = self.0.as_ptr().addr() + self.0.len();
        let pad = bytes.as_ptr().addr().wrapping_sub(end) % step;
        self.0.resize(self.0.len() + pad, 0);
        let offset = self.0.len();
        self.0.extend_from_slice(bytes);
        offset as u32
    }

    pub(super) fn bytes(&self, offset: u32, len: usize) -> &[u8] {
        &self.0[offset as usize..][..len]
    }
}

/// What one core has under way, in order of issue.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) list: Vec<Outgoing>,
    /// Memory of captured data.
    pub(super) arena: Arena,
    /// Bytes of all writes in the list.
    pub(super) bytes: usize,
    /// Entries that are due.
    pub(super) due: usize,
    /// Entries whose data is still in L1.
    pub(super) uncaptured: usize,
}

impl Queue {
    /// Empty, with its memory kept.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.arena.0.clear();
        (self.bytes, self.due, self.uncaptured) = (0, 0, 0);
    }

    pub(super) fn mark_due(&mut self, which: impl Fn(&Outgoing) -> bool) {
        for op in &mut self.list {
            if !op.due && which(op) {
                op.due = true;
                self.due += 1;
            }
        }
    }

    /// Drops what was applied.
    pub(super) fn remove_due(&mut self) {
        self.due = 0;
        self.list.retain(|op| !op.due);
        if self.list.is_empty() {
            self.arena.0.clear();
        } else {
            self.compact();
        }
    }

    /// Moves captured data together when the holes left by applied writes are most of the arena.
    fn compact(&mut self) {
        if self.arena.0.len() < 4 * self.bytes.max(64 * 1024) {
            return;
        }
        // Entries are in order of issue but captured in any order; sort a copy of the references by offset.
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.retain(|&i| matches!(self.list[i].what, What::Write { source: Source::Captured(_), .. }));
        order.sort_by_key(|&i| match self.list[i].what {
            What::Write { source: Source::Captured(offset), .. } => offset,
            _ => 0,
        });
        let mut end = 0;
        for i in order {
            if let What::Write { source: Source::Captured(offset), size } = &mut self.list[i].what {
                let start = *offset as usize;
                self.arena.0.copy_within(start..start + *size as usize, end);
                *offset = end as u32;
                end += *size as usize;
            }
        }
        self.arena.0.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_is_found_and_no_two_share_coordinates() {
        for arch in [Arch::blackhole(), Arch::wormhole()] {
            let table = Endpoints::new(&arch);
            for y in 0..arch.grid_y {
                for x in 0..arch.grid_x {
                    let v = arch.virtual_core(Core::new(x, y));
                    let addr = NocAddr::new(v.x, v.y, 0x1234);
                    assert_eq!((addr.x(), addr.y(), addr.local()), (v.x, v.y, 0x1234));
                    assert_eq!(table.find(addr), Endpoint::Worker(arch.core_index(Core::new(x, y)) as u16));
                }
            }
            for bank in 0..arch.dram_banks {
                let c = dram_coordinates(&arch, bank);
                assert_eq!(table.find(NocAddr::new(c.x, c.y, 0)), Endpoint::Dram(bank as u16));
            }
            let found = table.0.iter().filter(|&&e| e != Endpoint::Nobody).count() as u32;
            assert_eq!(found, arch.cores() + arch.dram_banks);
            for bad in [NocAddr::new(64, 0, 0), NocAddr::new(0, 99, 0), NocAddr::new(1, 2, 1 << 36), NocAddr(u64::MAX)]
            {
                assert_eq!(table.find(bad), Endpoint::Nobody);
            }
            assert_eq!(table.find(NocAddr::multicast((1, 2), (3, 4), 0)), Endpoint::Nobody);
        }
    }

    #[test]
    fn addresses_of_rectangles() {
        let many = NocAddr::multicast((17, 3), (60, 63), 0);
        let at = NocAddr(many.0 | 0x1_2345);
        assert_eq!(at, NocAddr::multicast((17, 3), (60, 63), 0x1_2345));
        assert_eq!((at.corners(), at.local()), (Some(((17, 3), (60, 63))), 0x1_2345));
        assert_eq!(NocAddr::new(17, 3, 0x40).corners(), None);
        let cores = Rectangle { first: Core::new(1, 0), last: Core::new(2, 1), except: Some(9) };
        assert_eq!(cores.indices(8).collect::<Vec<_>>(), [1, 2, 10]);
    }
}
