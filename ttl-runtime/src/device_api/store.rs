//! `reserved.store(expression)` on the simulated chip: the same plan, steps and sections as the generated C++.

use super::accumulator::MatmulTiles;
use super::cb::Reserved;
use super::tiles::TileExpr;
use crate::arch::ComputeConfig;
use crate::ir::dag::{Dag, Node, NodeId, ScalarId, Words};
use crate::ir::fuse::{self, LeafInfo, Plan, Step};
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
    /// The words of calls, and which operation of the user's they belong to.
    scalars: Vec<u32>,
    owners: Vec<(u64, ScalarId)>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Leaf {
    Front { cb: u32, pages: u32, format: DataFormat },
    Acc { tiles: u32 },
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

    pub(super) fn front(&mut self, cb: u32, pages: u32, format: DataFormat) -> NodeId {
        self.leaf(Leaf::Front { cb, pages, format })
    }

    pub(super) fn accumulator(&mut self, tiles: u32) -> NodeId {
        self.leaf(Leaf::Acc { tiles })
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
        self.scalars.clear();
        self.owners.clear();
    }
}

/// A plan that was made before, with what it was made for.
type Known = (PlanKey, Rc<Plan>);
type PlanKey = (Dag, Vec<LeafInfo>, ComputeConfig);

thread_local! {
    // Reused by every store of this OS thread: nothing allocates once a kernel's expressions have been seen.
    static SCRATCH: RefCell<(Builder, Vec<LeafInfo>)> = RefCell::default();
    static PLANS: RefCell<HashMap<u64, Vec<Known>>> = RefCell::default();
}

impl<T: Element> Reserved<'_, T> {
    /// Computes `value` for every tile of the block and packs it. Operands have as many tiles as the block.
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
        let config = ops::compute_config(site);
        // The scratch is taken out, not borrowed: an operation may suspend this coroutine and run another on the same OS thread.
        let (mut builder, mut infos) = SCRATCH.take();
        builder.clear();
        let root = self.build(&mut builder);
        builder.dag.root = Some(root);
        self.release_accumulators();
        let plan = plan(&builder, &mut infos, &config, site);
        run(&plan, &builder.leaves, &builder.scalars, cb, pages, site);
        SCRATCH.set((builder, infos));
        // Dropping the expression now pops the blocks that it took by value.
    }
}

impl MatmulTiles<'_> {
    fn store_product(self, cb: u32, pages: u32, site: Site) {
        ops::ensure_started(site);
        ops::tile_regs_acquire(site);
        self.add_to_registers(site);
        let (rows, cols) = self.shape();
        let plan = Plan { steps: vec![], slots_per_tile: 1, result_slot: 0, tiles_per_section: rows * cols, acc: true };
        run(&plan, &[Leaf::Acc { tiles: rows * cols }], &[], cb, pages, site);
    }
}

/// A matrix product stored without an accumulator.
#[diagnostic::do_not_recommend]
impl Storable for MatmulTiles<'_> {
    fn compute_into(self, cb: u32, pages: u32, site: Site) {
        self.store_product(cb, pages, site);
    }
}

fn plan(builder: &Builder, infos: &mut Vec<LeafInfo>, config: &Arc<ComputeConfig>, site: Site) -> Rc<Plan> {
    infos.clear();
    infos.extend(builder.leaves.iter().map(|leaf| match leaf {
        Leaf::Front { cb, format, .. } => {
            LeafInfo::Front { format: *format, to_dest: config.unpack_to_dest_fp32.contains(cb) }
        }
        Leaf::Acc { .. } => LeafInfo::Acc,
    }));
    let hash = {
        use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
        BuildHasherDefault::<DefaultHasher>::default().hash_one((&builder.dag, &*infos, &**config))
    };
    let known = PLANS.with_borrow(|plans| {
        let entries = plans.get(&hash)?;
        let found =
            entries.iter().find(|((dag, leaves, c), _)| *dag == builder.dag && leaves == infos && *c == **config);
        found.map(|(_, plan)| plan.clone())
    });
    if let Some(plan) = known {
        return plan;
    }
    let plan = match fuse::plan(&builder.dag, infos, config) {
        Ok(plan) => Rc::new(plan),
        Err(e) => {
            ops::fail_with_help(&e.to_string(), "split the expression: store a part of it to a buffer of its own", site)
        }
    };
    let key = (builder.dag.clone(), infos.clone(), (**config).clone());
    PLANS.with_borrow_mut(|plans| plans.entry(hash).or_default().push((key, plan.clone())));
    plan
}

fn run(plan: &Plan, leaves: &[Leaf], scalars: &[u32], out: u32, pages: u32, site: Site) {
    for leaf in leaves {
        let (tiles, what) = match leaf {
            Leaf::Front { cb, pages, .. } => (*pages, ops::cb_name(*cb, site)),
            Leaf::Acc { tiles } => (*tiles, "the accumulator".into()),
        };
        if tiles != pages {
            let name = ops::cb_name(out, site);
            ops::fail_with_help(
                &format!("{what} has {tiles} tiles, the block reserved in {name} has {pages}"),
                "all blocks of an expression must have the same number of tiles",
                site,
            );
        }
    }
    let cb_of = |leaf: u32| match leaves[leaf as usize] {
        Leaf::Front { cb, .. } => cb,
        Leaf::Acc { .. } => 0,
    };
    let mut first = 0;
    while first < pages {
        let count = plan.tiles_per_section.min(pages - first);
        if !plan.acc {
            ops::ensure_started(site);
            ops::tile_regs_acquire(site);
        }
        for step in &plan.steps {
            for i in 0..count {
                let reg = |slot| plan.register(i, slot);
                let tile = first + i;
                match *step {
                    Step::Copy { leaf, slot } => ops::copy(cb_of(leaf), tile, reg(slot), site),
                    Step::Fpu { op, a, b, slot } => {
                        ops::binary_tiles(op, cb_of(a), cb_of(b), tile, tile, reg(slot), site)
                    }
                    Step::ReuseDest { op, reversed, leaf, slot } => {
                        ops::reuse_dest(op, reversed, cb_of(leaf), tile, reg(slot), site)
                    }
                    Step::Unary { op, slot, words } => ops::unary(op, reg(slot), &scalars[words.range()], site),
                    Step::Regs { op, a, b, out } => ops::binary_regs(op, reg(a), reg(b), reg(out), site),
                    Step::Ternary { op, operands, out, words } => {
                        ops::ternary_regs(op, operands.map(reg), reg(out), &scalars[words.range()], site)
                    }
                    Step::CopyRegs { from, to } => ops::copy_regs(reg(from), reg(to), site),
                }
            }
        }
        ops::tile_regs_commit(site);
        ops::tile_regs_wait(site);
        for i in 0..count {
            ops::pack(plan.register(i, plan.result_slot), out, None, site);
        }
        ops::tile_regs_release(site);
        first += count;
    }
}
