//! How one tile of a block expression is computed: which unit does what, in which tile register.
//!
//! Both the native run and the C++ writer ask [`plan`] and follow its steps, so that they round alike. A plan is plain data and depends
//! only on the expression, on what its leaves are and on the compute configuration; callers may cache it.
//!
//! Rules, in the order they are tried:
//! - A lone leaf is copied.
//! - Two leaves of one format: one matrix-unit operation straight from the circular buffers.
//! - `x * y + v` (either order) with leaves `x`, `y` of one format: `v` in the register, then `mul_tiles`, which adds to its register.
//! - A value and a bf16 leaf, with 16-bit registers: the matrix unit takes the register as one operand. That path squeezes the
//!   register through a 19-bit source register, which is exact for 16-bit values and only for them.
//! - Any other pair: both in registers, the SFPU combines them. Unary operations work in place.
//! - A broadcast vector is the second operand of the matrix unit where the first is a leaf; else it is unpacked to a register. The first is exact for
//!   what the source registers hold, and costs no register.
//! - A matrix product comes first, into slot 0. What is added to it, if it is a leaf or a broadcast vector, is put there before, so that the product
//!   adds to it; further products are added in turn.
//! - A reduction adds up in a register that nothing was written to.
//!
//! Operands of broadcasts, reductions, transposes and products are leaves: [`schedule`](super::schedule) cuts expressions so.
//!
//! Operands that need more registers are computed first, so that few are in use at a time. A value used twice is computed once; a
//! leaf used twice is read from its buffer twice, which costs no register.
//!
//! Registers: a section (acquire to release) holds `tiles_per_section` tiles, each with `slots_per_tile` slots.
//! [`Plan::register`] maps them. Without an accumulator the slots of one tile lie side by side; with one, or with a matrix product, slot 0 of
//! tile `t` is register `t`, where the product leaves it, and the other slots come after all of these.
//!
//! - `plan`: what a plan is;
//! - `ways`: how each operation is computed;
//! - `values`: registers and steps; `several` for operations of several registers, `products` for matrix products.

mod plan;
mod products;
mod several;
#[cfg(test)]
pub(crate) mod tests;
mod values;
mod ways;

pub use plan::{LeafInfo, Plan, PlanError, Step};
pub(super) use products::product_sum;

use super::dag::{Dag, Node, NodeId};
use super::kinds;
use crate::arch::ComputeConfig;

/// Plans one tile of `dag`.
pub fn plan(dag: &Dag, leaves: &[LeafInfo], config: &ComputeConfig) -> Result<Plan, PlanError> {
    let dag = &kinds::resolve(dag, leaves, config.fp32_dest_acc)?;
    let root = dag.root.ok_or(PlanError::Empty)?;
    let uses = count_uses(dag, root, leaves)?;
    let available = config.dst_tiles();
    operands_are_leaves(dag, &uses, leaves)?;
    let mut planner = Planner::new(dag, leaves, config, &uses, true);
    planner.products(root);
    let mut result_slot = planner.value(root);
    if planner.slots() > available {
        // A product wants a register that nothing was written to, because it adds. Do without where none is left.
        planner = Planner::new(dag, leaves, config, &uses, false);
        planner.products(root);
        result_slot = planner.value(root);
    }
    let slots_per_tile = planner.slots();
    if slots_per_tile > available {
        return Err(PlanError::TooManyRegisters {
            needed: slots_per_tile,
            available,
            width: if config.fp32_dest_acc { 32 } else { 16 },
        });
    }
    Ok(Plan {
        steps: planner.steps,
        slots_per_tile,
        result_slot,
        tiles_per_section: available / slots_per_tile,
        acc: planner.acc,
        matmul: planner.matmul,
    })
}

/// How often each node is an operand (the root once more), counting what the root reaches.
fn count_uses(dag: &Dag, root: NodeId, leaves: &[LeafInfo]) -> Result<Vec<u32>, PlanError> {
    if leaves.iter().filter(|l| **l == LeafInfo::Acc).count() > 1 {
        return Err(PlanError::TwoAccumulators);
    }
    let mut uses = vec![0; dag.nodes.len()];
    uses[root.0 as usize] = 1;
    // Operands stand before their users, so one pass from the end sees every use of a node before the node.
    for at in (0..dag.nodes.len()).rev() {
        if uses[at] == 0 {
            continue;
        }
        if let Node::Leaf(leaf) = dag.nodes[at]
            && leaf as usize >= leaves.len()
        {
            let leaves = leaves.len() as u32;
            return Err(PlanError::UnknownLeaf { leaf, leaves });
        }
        for operand in dag.nodes[at].operands() {
            uses[operand.0 as usize] += 1;
        }
    }
    Ok(uses)
}

/// What is no element-wise operation takes its operands from circular buffers.
fn operands_are_leaves(dag: &Dag, uses: &[u32], leaves: &[LeafInfo]) -> Result<(), PlanError> {
    for (node, uses) in dag.nodes.iter().zip(uses) {
        if *uses == 0 || node.is_elementwise() {
            continue;
        }
        for operand in node.operands() {
            match dag.node(operand) {
                Node::Leaf(leaf) => match leaves.get(leaf as usize) {
                    Some(LeafInfo::Front { to_dest: true, .. }) => return Err(PlanError::FullPrecision),
                    Some(LeafInfo::Front { .. }) => {}
                    _ => return Err(PlanError::NotCut),
                },
                _ => return Err(PlanError::NotCut),
            }
        }
    }
    Ok(())
}

struct Planner<'a> {
    dag: &'a Dag,
    leaves: &'a [LeafInfo],
    wide: bool,
    /// Give products registers that nothing was written to.
    fresh: bool,
    /// Uses of each node in all, and still to come.
    total: &'a [u32],
    uses: Vec<u32>,
    /// Registers each node needs, as a tree.
    needs: Vec<u32>,
    slot_of: Vec<Option<u32>>,
    /// Per slot: holds a value that is still needed; was written to.
    busy: Vec<bool>,
    written: Vec<bool>,
    steps: Vec<Step>,
    /// Slot 0 is the accumulator; is for matrix products.
    acc: bool,
    matmul: bool,
}

impl<'a> Planner<'a> {
    fn new(dag: &'a Dag, leaves: &'a [LeafInfo], config: &ComputeConfig, uses: &'a [u32], fresh: bool) -> Planner<'a> {
        let mut planner = Planner {
            dag,
            leaves,
            wide: config.fp32_dest_acc,
            fresh,
            total: uses,
            uses: uses.to_vec(),
            needs: Vec::with_capacity(dag.nodes.len()),
            slot_of: vec![None; dag.nodes.len()],
            busy: Vec::new(),
            written: Vec::new(),
            steps: Vec::new(),
            acc: false,
            matmul: false,
        };
        let acc = |n: &usize| matches!(dag.nodes[*n], Node::Leaf(l) if planner.is_acc(l));
        if let Some(n) = (0..dag.nodes.len()).find(|n| uses[*n] > 0 && acc(n)) {
            planner.acc = true;
            planner.busy.push(true);
            planner.written.push(true);
            planner.slot_of[n] = Some(0);
        }
        for at in 0..dag.nodes.len() {
            let need = planner.need(NodeId(at as u32));
            planner.needs.push(need);
        }
        planner
    }

    fn slots(&self) -> u32 {
        (self.busy.len() as u32).max(1)
    }

    fn is_acc(&self, leaf: u32) -> bool {
        self.leaves.get(leaf as usize) == Some(&LeafInfo::Acc)
    }
}
