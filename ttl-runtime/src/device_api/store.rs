//! `reserved.store(expression)` and `acc += expression` on the simulated chip: the expression is built, planned, and computed part by part.

use super::cb::Reserved;
use super::parts::Run;
use super::tiles::TileExpr;
use crate::arch::ComputeConfig;
use crate::ir::dag::{Dag, Node, NodeId, ScalarId, Words};
use crate::ir::fuse::LeafInfo;
use crate::ir::schedule::{self, Schedule};
use crate::ops::BinaryOp;
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::format::{DataFormat, Element};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Collects a block expression: the DAG and what its leaves are.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Builder {
    dag: Dag,
    leaves: Vec<Leaf>,
    /// The shape of blocks that have none.
    shape: Option<[u32; 2]>,
    /// The words of calls, and which operation of the user's they belong to.
    scalars: Vec<u32>,
    owners: Vec<(u64, ScalarId)>,
}

/// With rows and columns in tiles.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Leaf {
    Front { cb: u32, shape: [u32; 2], format: DataFormat },
    Acc { shape: [u32; 2] },
}

impl Leaf {
    pub(super) const fn shape(&self) -> [u32; 2] {
        match self {
            Leaf::Front { shape, .. } | Leaf::Acc { shape } => *shape,
        }
    }
}

impl Builder {
    pub(super) fn node(&mut self, node: Node) -> NodeId {
        self.dag.add(node)
    }

    /// The words of one operation of the user's: the same ones if it comes again, since the expression may be used twice.
    pub(super) fn words(&mut self, operation: u64, words: &[u32]) -> Words {
        if words.is_empty() {
            return Words::NONE;
        }
        let count = words.len() as u32;
        if let Some((_, first)) = self.owners.iter().find(|(known, _)| *known == operation) {
            return Words { first: *first, count };
        }
        let first = ScalarId(self.scalars.len() as u32);
        self.scalars.extend_from_slice(words);
        self.owners.push((operation, first));
        Words { first, count }
    }

    pub(super) fn front(&mut self, cb: u32, shape: [u32; 2], format: DataFormat) -> NodeId {
        self.leaf(Leaf::Front { cb, shape, format })
    }

    /// A block without a shape: a row, unless the expression around it has one.
    pub(super) fn flat(&mut self, cb: u32, pages: u32, format: DataFormat) -> NodeId {
        self.front(cb, self.shape.unwrap_or([1, pages]), format)
    }

    /// Builds with another shape for blocks that have none.
    pub(super) fn reshaped(&mut self, shape: Option<[u32; 2]>, build: impl FnOnce(&mut Builder) -> NodeId) -> NodeId {
        let outer = std::mem::replace(&mut self.shape, shape);
        let node = build(self);
        self.shape = outer;
        node
    }

    pub(super) fn accumulator(&mut self, rows: u32, cols: u32) -> NodeId {
        self.leaf(Leaf::Acc { shape: [rows, cols] })
    }

    fn leaf(&mut self, leaf: Leaf) -> NodeId {
        let n = self.leaves.iter().position(|l| *l == leaf).unwrap_or_else(|| {
            self.leaves.push(leaf);
            self.leaves.len() - 1
        });
        self.dag.add(Node::Leaf(n as u32))
    }

    fn clear(&mut self) {
        self.dag.nodes.clear();
        self.dag.root = None;
        self.leaves.clear();
        self.shape = None;
        self.scalars.clear();
        self.owners.clear();
    }
}

/// A schedule that was made before, with what it was made for.
type Known = (PlanKey, Rc<Schedule>);
type PlanKey = (Dag, Vec<LeafInfo>, ComputeConfig);

thread_local! {
    // Reused by every store of this OS thread: nothing allocates once a kernel's expressions have been seen.
    static SCRATCH: RefCell<(Builder, Vec<LeafInfo>)> = RefCell::default();
    static PLANS: RefCell<HashMap<u64, Vec<Known>>> = RefCell::default();
}

impl<T: Element> Reserved<'_, T> {
    /// Computes `value` for every tile of the block and packs it. Operands have the shape of the result, or are broadcast to it.
    #[track_caller]
    pub fn store<V: Storable>(&mut self, value: V) {
        value.compute_into(self.cb, self.pages, Site::caller());
    }
}

/// What can be stored to a block: block expressions, accumulators and matrix products.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored to a block of tiles",
    label = "no tiles",
    note = "store waited blocks (`&a` or `a`), expressions over them with `+ - *` and methods, accumulators or matrix products"
)]
pub trait Storable {
    #[doc(hidden)]
    fn compute_into(self, cb: u32, pages: u32, site: Site);
}

#[diagnostic::do_not_recommend]
impl<E: TileExpr> Storable for E {
    fn compute_into(mut self, cb: u32, pages: u32, site: Site) {
        // The scratch is taken out, not borrowed: an operation may suspend this coroutine and run another on the same OS thread.
        let (mut builder, mut infos) = SCRATCH.take();
        builder.clear();
        let root = self.build(&mut builder);
        builder.dag.root = Some(root);
        self.release_accumulators();
        let schedule = plan(&builder, &mut infos, site);
        let acquired = builder.leaves.iter().any(|l| matches!(l, Leaf::Acc { .. }));
        run(&builder, &schedule, pages, site).store(cb, acquired);
        SCRATCH.set((builder, infos));
        // Dropping the expression now pops the blocks that it took by value.
    }
}

/// Adds an expression to the accumulator of `shape` in the tile registers, or in a buffer.
pub(super) fn accumulate<E: TileExpr>([rows, cols]: [u32; 2], buffer: Option<u32>, value: &E, site: Site) {
    let (mut builder, mut infos) = SCRATCH.take();
    builder.clear();
    if let Some(cb) = buffer {
        let value = value.build(&mut builder);
        builder.dag.root = Some(value);
        let schedule = plan(&builder, &mut infos, site);
        run(&builder, &schedule, rows * cols, site).add(cb);
    } else {
        let acc = builder.accumulator(rows, cols);
        let value = value.build(&mut builder);
        builder.dag.root = Some(builder.dag.add(Node::pair(BinaryOp::Add, acc, value)));
        let schedule = plan(&builder, &mut infos, site);
        run(&builder, &schedule, rows * cols, site).accumulate();
    }
    SCRATCH.set((builder, infos));
}

fn run<'a>(builder: &'a Builder, schedule: &'a Schedule, pages: u32, site: Site) -> Run<'a> {
    Run { schedule, leaves: &builder.leaves, scalars: &builder.scalars, pages, site }
}

fn plan(builder: &Builder, infos: &mut Vec<LeafInfo>, site: Site) -> Rc<Schedule> {
    let config: Arc<ComputeConfig> = ops::compute_config(site);
    infos.clear();
    infos.extend(builder.leaves.iter().map(|leaf| match leaf {
        Leaf::Front { cb, format, .. } => {
            LeafInfo::Front { format: *format, to_dest: config.unpack_to_dest_fp32.contains(cb) }
        }
        Leaf::Acc { .. } => LeafInfo::Acc,
    }));
    let hash = {
        use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
        BuildHasherDefault::<DefaultHasher>::default().hash_one((&builder.dag, &*infos, &*config))
    };
    let known = PLANS.with_borrow(|plans| {
        let entries = plans.get(&hash)?;
        let found =
            entries.iter().find(|((dag, leaves, c), _)| *dag == builder.dag && leaves == infos && *c == *config);
        found.map(|(_, plan)| plan.clone())
    });
    if let Some(plan) = known {
        return plan;
    }
    let plan = match schedule::schedule(&builder.dag, infos, &config) {
        Ok(plan) => Rc::new(plan),
        Err(e) => {
            ops::fail_with_help(&e.to_string(), "split the expression: store a part of it to a buffer of its own", site)
        }
    };
    let key = (builder.dag.clone(), infos.clone(), (*config).clone());
    PLANS.with_borrow_mut(|plans| plans.entry(hash).or_default().push((key, plan.clone())));
    plan
}
