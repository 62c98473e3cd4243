use super::*;
use crate::ir::fuse::tests::{BF16, Build, eval, narrow, run, wide};
use crate::ops::{BinaryOp, Pool, ReduceDim, UnaryOp};

impl Build {
    fn bcast(&mut self, bcast: Bcast, x: NodeId) -> NodeId {
        self.0.add(Node::Bcast(bcast, x))
    }
    fn reduce(&mut self, pool: Pool, dim: ReduceDim, x: NodeId) -> NodeId {
        self.0.add(Node::Reduce(pool, dim, x))
    }
    fn matmul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.0.add(Node::Matmul(a, b))
    }
}

/// The schedule, after following it part by part: the same value, and every buffer filled before it is read and given back after.
#[track_caller]
fn checked(dag: &Dag, leaves: &[LeafInfo], config: &ComputeConfig) -> Schedule {
    let schedule = schedule(dag, leaves, config).expect("a schedule");
    let inputs: Vec<i64> = (0..leaves.len() as i64).map(|n| 1000 + 17 * n * n).collect();
    let mut values = inputs.clone();
    let mut open = Vec::new();
    let mut result = None;
    for part in &schedule.parts {
        assert!(part.plan.slots_per_tile * part.plan.tiles_per_section <= config.dst_tiles());
        for node in &part.dag.nodes {
            if let Node::Leaf(n) = node
                && let Some(temp) = schedule.temp(*n)
            {
                assert!(open.contains(&temp), "buffer {temp} is read and not there: {schedule:?}");
            }
        }
        let value = run(&part.plan, &values);
        match part.to {
            Some(temp) => {
                assert_eq!(temp as usize + leaves.len(), values.len());
                values.push(value);
                open.push(temp);
            }
            None => result = Some(value),
        }
        open.retain(|t| !part.done.contains(t));
    }
    assert!(open.is_empty(), "{schedule:?}");
    assert_eq!(result, Some(eval(dag, &inputs)), "{schedule:?}");
    schedule
}

#[test]
fn softmax_has_the_parts_that_a_person_writes() {
    let mut b = Build::default();
    let x = b.leaf(0);
    let max = b.reduce(Pool::Max, ReduceDim::Row, x);
    let max = b.bcast(Bcast::Col, max);
    let shifted = b.bin(BinaryOp::Sub, x, max);
    let e = b.un(UnaryOp::Exp, shifted);
    let sum = b.reduce(Pool::Sum, ReduceDim::Row, e);
    let inverse = b.un(UnaryOp::Recip, sum);
    let inverse = b.bcast(Bcast::Col, inverse);
    let y = b.bin(BinaryOp::Mul, e, inverse);
    let dag = b.root(y);
    for config in [narrow(), wide()] {
        let s = checked(&dag, &[BF16], &config);
        assert_eq!(s.parts.len(), 4);
        assert_eq!(s.temps.len(), 3);
        let steps: Vec<usize> = s.parts.iter().map(|p| p.plan.steps.len()).collect();
        // The maximum; difference and e^x; sum and inverse; the product.
        assert_eq!(steps, [1, 2, 2, 1]);
        assert!(s.parts.iter().all(|p| p.plan.slots_per_tile == 1));
        assert_eq!(s.parts.iter().map(|p| p.done.len()).collect::<Vec<_>>(), [0, 1, 0, 2]);
    }
}

#[test]
fn bias_is_in_the_registers_before_the_product() {
    let mut b = Build::default();
    let (x, w, bias) = (b.leaf(0), b.leaf(1), b.leaf(2));
    let product = b.matmul(x, w);
    let row = b.bcast(Bcast::Row, bias);
    let sum = b.bin(BinaryOp::Add, product, row);
    let y = b.un(UnaryOp::Relu, sum);
    let dag = b.root(y);
    let s = checked(&dag, &[BF16; 3], &narrow());
    assert_eq!(s.parts.len(), 1);
    let steps = &s.parts[0].plan.steps;
    assert!(
        matches!(
            steps.as_slice(),
            [
                fuse::Step::CopyBcast { bcast: Bcast::Row, slot: 0, .. },
                fuse::Step::Matmul { .. },
                fuse::Step::Unary { slot: 0, .. }
            ]
        ),
        "{steps:?}"
    );
    assert_eq!(s.parts[0].plan.tiles_per_section, 8);
    // In 32-bit registers a row cannot be unpacked so: the product goes to a buffer, and the matrix unit adds.
    let s = checked(&dag, &[BF16; 3], &wide());
    assert_eq!(s.parts.len(), 2);
    assert!(matches!(s.parts[1].plan.steps[0], fuse::Step::FpuBcast { op: BinaryOp::Add, bcast: Bcast::Row, .. }));
}

#[test]
fn products_add_up_in_place() {
    let mut b = Build::default();
    let leaves: Vec<NodeId> = (0..5).map(|n| b.leaf(n)).collect();
    let first = b.matmul(leaves[0], leaves[1]);
    let second = b.matmul(leaves[2], leaves[3]);
    let sum = b.bin(BinaryOp::Add, first, second);
    let y = b.bin(BinaryOp::Add, sum, leaves[4]);
    let dag = b.root(y);
    let s = checked(&dag, &[BF16; 5], &wide());
    assert_eq!((s.parts.len(), s.parts[0].plan.slots_per_tile), (1, 1));
    // The product of two products needs a buffer for one of them.
    let mut b = Build::default();
    let leaves: Vec<NodeId> = (0..4).map(|n| b.leaf(n)).collect();
    let first = b.matmul(leaves[0], leaves[1]);
    let second = b.matmul(leaves[2], leaves[3]);
    let y = b.bin(BinaryOp::Mul, first, second);
    let dag = b.root(y);
    assert_eq!(checked(&dag, &[BF16; 4], &wide()).parts.len(), 2);
}

#[test]
fn an_accumulator_leaves_the_registers_before_anything_else() {
    let mut b = Build::default();
    let (acc, x) = (b.leaf(0), b.leaf(1));
    let sum = b.reduce(Pool::Sum, ReduceDim::Row, x);
    let row = b.bcast(Bcast::Col, sum);
    let y = b.bin(BinaryOp::Mul, acc, row);
    let dag = b.root(y);
    let s = checked(&dag, &[LeafInfo::Acc, BF16], &narrow());
    assert!(s.parts[0].plan.acc && s.parts[0].to.is_some());
    assert!(s.parts[1..].iter().all(|p| !p.plan.acc));
    // What it can take in itself does not need a buffer.
    let mut b = Build::default();
    let (acc, x) = (b.leaf(0), b.leaf(1));
    let row = b.bcast(Bcast::Col, x);
    let y = b.bin(BinaryOp::Mul, acc, row);
    let dag = b.root(y);
    assert_eq!(checked(&dag, &[LeafInfo::Acc, BF16], &narrow()).parts.len(), 1);
}

#[test]
fn what_needs_too_many_registers_is_stored_in_between() {
    // A full tree of SFPU operations on 32 leaves needs six registers; four are there.
    let mut b = Build::default();
    let mut row: Vec<NodeId> = (0..32).map(|n| b.leaf(n)).collect();
    for n in &mut row {
        *n = b.un(UnaryOp::Exp, *n);
    }
    while row.len() > 1 {
        row = row.chunks(2).map(|pair| b.bin(BinaryOp::Sub, pair[0], pair[1])).collect();
    }
    let root = row[0];
    let dag = b.root(root);
    let s = checked(&dag, &[BF16; 32], &wide());
    assert!(s.parts.len() > 1);
}

#[test]
fn any_expression_has_a_schedule_that_computes_it() {
    let mut state = 7u64;
    let mut random = |n: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as u32 % n
    };
    let binary = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul];
    for _ in 0..3000 {
        let mut b = Build::default();
        // All blocks are one tile: every operation fits every other.
        let mut nodes: Vec<NodeId> = (0..4).map(|n| b.leaf(n)).collect();
        for _ in 0..1 + random(14) {
            let pick = |r: u32| nodes[(nodes.len() as u32 - 1 - r.min(nodes.len() as u32 - 1)) as usize];
            let (x, y) = (pick(random(6)), pick(random(6)));
            nodes.push(match random(9) {
                0 => b.bcast([Bcast::Row, Bcast::Col, Bcast::Scalar][random(3) as usize], x),
                1 => b.reduce(
                    [Pool::Sum, Pool::Max][random(2) as usize],
                    [ReduceDim::Row, ReduceDim::Col, ReduceDim::Scalar][random(3) as usize],
                    x,
                ),
                2 => b.matmul(x, y),
                3 => b.0.add(Node::Transpose(x)),
                4 | 5 => b.un([UnaryOp::Exp, UnaryOp::Relu][random(2) as usize], x),
                _ => b.bin(binary[random(3) as usize], x, y),
            });
        }
        let root = *nodes.last().expect("a node");
        let dag = b.root(root);
        let acc = random(3) == 0;
        let leaves = [if acc { LeafInfo::Acc } else { BF16 }, BF16, BF16, BF16];
        for config in [narrow(), wide()] {
            // A vector without a block has no size for a buffer of its own.
            if let Err(PlanError::Unsized(_)) = schedule(&dag, &leaves, &config) {
                continue;
            }
            checked(&dag, &leaves, &config);
        }
    }
}
