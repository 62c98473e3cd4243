//! Pipes: routes from senders to receivers, and the two semaphores of their handshake.

use std::sync::Arc;

use crate::arch::Core;
use crate::cores::{CoreRange, CoreSet};
use crate::site::Site;

use super::decl::{Arg, ArgValue, CbId, CoreOf, CoreValues, Program, SemDecl, SemId};

/// A sender and the cores that get what it sends. If the sender is in the rectangle it is no receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Route {
    /// Who sends.
    pub sender: Core,
    /// Who receives; the sender may be among them, and does not count.
    pub receivers: CoreRange,
}

impl Route {
    /// From a core to the others of a rectangle.
    pub fn new(sender: Core, receivers: impl Into<CoreRange>) -> Route {
        Route { sender, receivers: receivers.into() }
    }

    /// A sender without receivers: it keeps its blocks, and asks `PipeTx::receivers` before it sends.
    pub fn alone(sender: Core) -> Route {
        Route { sender, receivers: CoreRange::single(sender) }
    }

    /// From the first core of each row to the rest of its row, of which there is none in a single column.
    pub fn along_rows(cores: CoreRange) -> Vec<Route> {
        let (first, last) = (cores.first(), cores.last());
        let row = |y| {
            let sender = Core::new(first.x, y);
            if first.x == last.x {
                return Route::alone(sender);
            }
            Route::new(sender, CoreRange::new(Core::new(first.x + 1, y), Core::new(last.x, y)))
        };
        (first.y..=last.y).map(row).collect()
    }

    /// From the first core of each column to the rest of its column, of which there is none in a single row.
    pub fn down_columns(cores: CoreRange) -> Vec<Route> {
        let (first, last) = (cores.first(), cores.last());
        let column = |x| {
            let sender = Core::new(x, first.y);
            if first.y == last.y {
                return Route::alone(sender);
            }
            Route::new(sender, CoreRange::new(Core::new(x, first.y + 1), Core::new(x, last.y)))
        };
        (first.x..=last.x).map(column).collect()
    }

    /// From each core to the next, from the last to the first.
    pub fn ring(cores: &[Core]) -> Vec<Route> {
        let next = cores.iter().cycle().skip(1);
        cores.iter().zip(next).map(|(from, to)| Route::new(*from, CoreRange::single(*to))).collect()
    }

    /// The cores that receive: not the sender.
    pub fn receivers(&self) -> impl Iterator<Item = Core> + use<> {
        let sender = self.sender;
        self.receivers.iter().filter(move |c| *c != sender)
    }
}

/// A pipe of one route: `program.pipe("weights", Route::new(sender, receivers))`.
impl IntoIterator for Route {
    type Item = Route;
    type IntoIter = std::iter::Once<Route>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self)
    }
}

/// How blocks travel through a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PipeKind {
    /// To one or many receivers.
    Multicast,
    /// To one receiver, which may send on through the same pipe.
    Unicast,
}

/// A pipe of one program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PipeId {
    pub(super) program: u32,
    pub(super) index: u32,
}

/// Routes of one kind that share semaphores.
#[derive(Clone, Debug)]
pub struct PipeDecl {
    pub name: Arc<str>,
    pub kind: PipeKind,
    pub routes: Arc<[Route]>,
    /// Counted up on a sender by its receivers; set on receivers by their sender.
    pub ready: SemId,
    pub valid: SemId,
    pub site: Site,
}

impl PipeDecl {
    pub fn senders(&self) -> CoreSet {
        self.routes.iter().map(|r| r.sender).collect()
    }

    pub fn receivers(&self) -> CoreSet {
        self.routes.iter().flat_map(Route::receivers).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PipeEnd {
    Tx,
    Rx,
}

impl PipeEnd {
    pub const fn name(self) -> &'static str {
        match self {
            PipeEnd::Tx => "sending",
            PipeEnd::Rx => "receiving",
        }
    }
}

/// The end of a pipe that a kernel has, at its first argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PipeUse {
    pub pipe: PipeId,
    pub end: PipeEnd,
    /// The buffers whose blocks the kernel sends or receives through it, where that is known.
    pub buffers: Vec<CbId>,
}

impl<K> Program<K> {
    #[track_caller]
    pub fn add_pipe(&mut self, name: &str, kind: PipeKind, routes: impl IntoIterator<Item = Route>) -> PipeId {
        let site = Site::caller();
        let routes: Arc<[Route]> = routes.into_iter().collect();
        let cores: CoreSet = routes.iter().flat_map(|r| r.receivers().chain([r.sender])).collect();
        let semaphore = |what: &str| SemDecl { name: format!("{name} ({what})").into(), ..SemDecl::new("", &cores, 0) };
        let decls = ["ready", "valid"].map(|what| SemDecl { site, ..semaphore(what) });
        let [ready, valid] = decls.map(|decl| self.add_semaphore(decl));
        self.pipes.push(PipeDecl { name: name.into(), kind, routes, ready, valid, site });
        PipeId { program: self.id, index: self.pipes.len() as u32 - 1 }
    }

    pub fn pipes(&self) -> &[PipeDecl] {
        &self.pipes
    }

    /// A pipe that [`Program::add_pipe`] of this program made.
    pub(crate) fn pipe(&self, id: PipeId) -> &PipeDecl {
        &self.pipes[id.index as usize]
    }

    /// The pipe, if it is one of this program.
    pub(super) fn pipe_of(&self, id: PipeId) -> Option<&PipeDecl> {
        self.pipes.get(id.index as usize).filter(|_| id.program == self.id)
    }
}

/// What a kernel gets for an end of a pipe.
#[derive(Clone, Debug)]
pub struct PipeArg {
    pub(crate) id: PipeId,
    pub(crate) kind: PipeKind,
    pub(crate) end: PipeEnd,
    pub(crate) routes: Arc<[Route]>,
    pub(crate) ready: SemId,
    pub(crate) valid: SemId,
}

impl PipeArg {
    /// The arguments that it is, in the order of the parts of a parameter (`ir::pipe::parts`). A core that is on no route gets itself: validation
    /// reports it.
    pub fn args(self, name: &str) -> Vec<Arg> {
        let PipeArg { id, kind, end, routes, ready, valid } = self;
        let of = routes.clone();
        let route = move |core: Core| match end {
            PipeEnd::Tx => of.iter().copied().find(|r| r.sender == core),
            PipeEnd::Rx => of.iter().copied().find(|r| r.receivers().any(|c| c == core)),
        };
        let mut first = Arg::semaphore(format!("{name}_ready"), ready);
        first.pipe = Some(PipeUse { pipe: id, end, buffers: Vec::new() });
        let mut args = vec![first, Arg::semaphore(format!("{name}_valid"), valid)];
        match (end, kind) {
            (PipeEnd::Tx, PipeKind::Multicast) => {
                let count = route.clone();
                let range = move |core| route(core).map_or(CoreRange::single(core), |r| r.receivers);
                args.push(Arg::new(format!("{name}_to"), ArgValue::CoreRange(CoreOf::new(range))));
                let receivers = move |core| vec![count(core).map_or(0, |r| r.receivers().count() as u32)];
                let values = CoreValues::Of(Arc::new(receivers));
                args.push(Arg::new(format!("{name}_receivers"), ArgValue::PerCore { words: 1, values }));
            }
            (PipeEnd::Tx, PipeKind::Unicast) => {
                let to = move |core| route(core).map_or(core, |r| r.receivers.first());
                args.push(Arg::new(format!("{name}_to"), ArgValue::Core(CoreOf::new(to))));
            }
            (PipeEnd::Rx, _) => {
                let sender = move |core| route(core).map_or(core, |r| r.sender);
                args.push(Arg::new(format!("{name}_sender"), ArgValue::Core(CoreOf::new(sender))));
            }
        }
        args
    }
}
