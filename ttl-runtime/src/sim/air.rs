//! Multicasts on their way, for schedules in which each receiver gets them in its own time.
//!
//! The NoC keeps the order of what one processor sends to one core over one network, and nothing else: so does this. What is acknowledged
//! is the whole multicast, when its last receiver has it.

use super::dice::Dice;
use super::noc::Outgoing;

/// Data for one of the receivers.
struct Part {
    /// Which multicast.
    cast: usize,
    to: u32,
}

/// One multicast.
struct Cast {
    /// Position of the sender among the cores of the run.
    sender: usize,
    op: Outgoing,
    addr: u32,
    bytes: Box<[u8]>,
    left: usize,
}

/// What is handed over: the sender's position, the operation, the receiver, the place, the data.
pub(super) type Arrival<'a> = (usize, &'a Outgoing, u32, u32, &'a [u8]);

#[derive(Default)]
pub(super) struct Air {
    casts: Vec<Cast>,
    /// In the order in which they were sent.
    parts: Vec<Part>,
}

impl Air {
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn send(
        &mut self,
        sender: usize,
        op: Outgoing,
        addr: u32,
        bytes: &[u8],
        receivers: impl Iterator<Item = u32>,
    ) {
        let cast = self.casts.len();
        let before = self.parts.len();
        self.parts.extend(receivers.map(|to| Part { cast, to }));
        self.casts.push(Cast { sender, op, addr, bytes: bytes.into(), left: self.parts.len() - before });
    }

    /// Parts that `which` picks by sender, operation and receiver arrive. Gives the multicasts that have arrived everywhere.
    pub(super) fn land<E>(
        &mut self,
        mut which: impl FnMut(usize, &Outgoing, u32) -> bool,
        mut arrive: impl FnMut(Arrival<'_>) -> Result<(), E>,
    ) -> Result<Vec<(usize, Outgoing)>, E> {
        let Air { casts, parts } = self;
        let mut done = Vec::new();
        let mut failed = None;
        parts.retain(|part| {
            let cast = &mut casts[part.cast];
            if failed.is_some() || !which(cast.sender, &cast.op, part.to) {
                return true;
            }
            if let Err(e) = arrive((cast.sender, &cast.op, part.to, cast.addr, &cast.bytes)) {
                failed = Some(e);
            }
            cast.left -= 1;
            if cast.left == 0 {
                done.push((cast.sender, cast.op));
            }
            false
        });
        if parts.is_empty() {
            casts.clear();
        }
        failed.map_or(Ok(done), Err)
    }

    /// A choice for a round of landing: which streams (sender, thread, NoC, receiver) move now. All parts of a stream do the same, so that
    /// none overtakes another.
    pub(super) fn some_streams(dice: &mut Dice) -> impl FnMut(usize, &Outgoing, u32) -> bool + use<> {
        let salt = dice.next();
        move |sender, op, to| {
            let stream = (sender as u32) << 12 ^ to << 3 ^ u32::from(op.thread) << 1 ^ u32::from(op.noc);
            let mixed = (stream ^ salt).wrapping_mul(0x9E37_79B1);
            (mixed ^ mixed >> 15).wrapping_mul(0x85EB_CA77) >> 30 == 0
        }
    }

    /// Whether both operations go the same way, so that one must not overtake the other.
    pub(super) fn same_way(a: (usize, &Outgoing), b: (usize, &Outgoing)) -> bool {
        a.0 == b.0 && a.1.thread == b.1.thread && a.1.noc == b.1.noc
    }
}
