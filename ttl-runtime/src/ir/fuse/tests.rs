use super::*;
use crate::ir::dag::Words;
use crate::ops::{BinaryOp, Kind, TernaryOp, UnaryOp};
use crate::tensor::format::DataFormat;

pub(crate) const BF16: LeafInfo = LeafInfo::Front { format: DataFormat::Bf16, to_dest: false };
const F32: LeafInfo = LeafInfo::Front { format: DataFormat::F32, to_dest: false };
const EXACT: LeafInfo = LeafInfo::Front { format: DataFormat::F32, to_dest: true };

pub(crate) fn narrow() -> ComputeConfig {
    ComputeConfig::default()
}

pub(crate) fn wide() -> ComputeConfig {
    ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() }
}

/// Builds DAGs the way expressions read.
#[derive(Default)]
pub(crate) struct Build(pub(crate) Dag);

impl Build {
    pub(crate) fn leaf(&mut self, n: u32) -> NodeId {
        self.0.add(Node::Leaf(n))
    }
    pub(crate) fn un(&mut self, op: UnaryOp, x: NodeId) -> NodeId {
        self.0.add(Node::Unary(op, x, Words::NONE))
    }
    pub(crate) fn bin(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> NodeId {
        self.0.add(Node::pair(op, a, b))
    }
    pub(crate) fn root(mut self, node: NodeId) -> Dag {
        self.0.root = Some(node);
        self.0
    }
}

/// Any function of its own for each unary operation: the tests only ask which values meet.
fn unary(op: UnaryOp, x: i64) -> i64 {
    (x ^ (op as i64 + 3)).wrapping_mul(2 * op as i64 + 7)
}

fn binary(op: BinaryOp, a: i64, b: i64) -> i64 {
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        _ => (a ^ (op as i64 + 5)).wrapping_mul(b.wrapping_mul(3) ^ 11),
    }
}

fn ternary([a, b, c]: [i64; 3]) -> i64 {
    (a ^ 77).wrapping_mul(b ^ 3).wrapping_add(c.wrapping_mul(31))
}

/// Likewise for what reads blocks in another way.
fn whole(node: &Node, x: i64, y: i64) -> i64 {
    let kind = match node {
        Node::Bcast(bcast, _) => *bcast as i64 + 1,
        Node::Reduce(pool, dim, _) => 10 * (*pool as i64 + 1) + *dim as i64,
        Node::Transpose(_) => 50,
        _ => 60,
    };
    (x ^ kind).wrapping_mul(1_000_003).wrapping_add(y.wrapping_mul(77))
}

pub(crate) fn eval(dag: &Dag, leaves: &[i64]) -> i64 {
    let mut values: Vec<i64> = Vec::new();
    for node in &dag.nodes {
        values.push(match *node {
            Node::Leaf(n) => leaves[n as usize],
            Node::Create(op, _) => unary(op, 0),
            Node::Unary(op, x, _) => unary(op, values[x.0 as usize]),
            Node::Ternary(_, operands, _) => ternary(operands.map(|x| values[x.0 as usize])),
            Node::Binary(op, a, b, _) => binary(op, values[a.0 as usize], values[b.0 as usize]),
            Node::Bcast(_, x) | Node::Reduce(_, _, x) | Node::Transpose(x) => whole(node, values[x.0 as usize], 0),
            Node::Matmul(a, b) => whole(node, values[a.0 as usize], values[b.0 as usize]),
        });
    }
    values[dag.root.expect("root").0 as usize]
}

/// Follows a plan as the chip does: products add, a register that was never written counts as zero for them and as an error elsewhere.
pub(crate) fn run(plan: &Plan, leaves: &[i64]) -> i64 {
    let mut regs: Vec<Option<i64>> = vec![None; plan.slots_per_tile as usize];
    if plan.acc {
        regs[0] = Some(leaves[0]);
    }
    let read = |regs: &[Option<i64>], s: u32| regs[s as usize].expect("a written register");
    for step in &plan.steps {
        match *step {
            Step::Copy { leaf, slot } => regs[slot as usize] = Some(leaves[leaf as usize]),
            Step::Fpu { op, a, b, slot } => {
                let value = binary(op, leaves[a as usize], leaves[b as usize]);
                let old = match op {
                    BinaryOp::Mul => regs[slot as usize].unwrap_or(0),
                    _ => 0,
                };
                regs[slot as usize] = Some(value.wrapping_add(old));
            }
            Step::ReuseDest { op, reversed, leaf, slot } => {
                let (d, t) = (read(&regs, slot), leaves[leaf as usize]);
                let value = if reversed { binary(op, t, d) } else { binary(op, d, t) };
                regs[slot as usize] = Some(value);
            }
            Step::Unary { op, slot, .. } => {
                let x = if op.row().creates { 0 } else { read(&regs, slot) };
                regs[slot as usize] = Some(unary(op, x));
            }
            Step::Ternary { operands, out, .. } => {
                regs[out as usize] = Some(ternary(operands.map(|s| read(&regs, s))));
            }
            Step::Regs { op, a, b, out, .. } => {
                if op.row().adjacent {
                    let side_by_side = |s| plan.register(0, s);
                    assert_eq!((side_by_side(b), out), (side_by_side(a) + 1, a), "{plan:?}");
                }
                regs[out as usize] = Some(binary(op, read(&regs, a), read(&regs, b)));
            }
            Step::CopyRegs { from, to } => regs[to as usize] = Some(read(&regs, from)),
            Step::CopyBcast { bcast, leaf, slot } => {
                regs[slot as usize] = Some(whole(&Node::Bcast(bcast, NodeId(0)), leaves[leaf as usize], 0));
            }
            Step::Transpose { leaf, slot } => {
                regs[slot as usize] = Some(whole(&Node::Transpose(NodeId(0)), leaves[leaf as usize], 0));
            }
            Step::FpuBcast { op, bcast, a, b, slot } => {
                let b = whole(&Node::Bcast(bcast, NodeId(0)), leaves[b as usize], 0);
                let old = if op == BinaryOp::Mul { regs[slot as usize].unwrap_or(0) } else { 0 };
                regs[slot as usize] = Some(binary(op, leaves[a as usize], b).wrapping_add(old));
            }
            Step::Reduce { pool, dim, leaf, slot, .. } => {
                let onto_acc = plan.acc && slot == 0;
                assert!(onto_acc || regs[slot as usize].is_none(), "a reduction adds: {plan:?}");
                let value = whole(&Node::Reduce(pool, dim, NodeId(0)), leaves[leaf as usize], 0);
                regs[slot as usize] = Some(regs[slot as usize].unwrap_or(0).wrapping_add(value));
            }
            Step::Matmul { a, b } => {
                let product = whole(&Node::Matmul(NodeId(0), NodeId(0)), leaves[a as usize], leaves[b as usize]);
                regs[0] = Some(regs[0].unwrap_or(0).wrapping_add(product));
            }
        }
    }
    read(&regs, plan.result_slot)
}

fn steps(dag: &Dag, leaves: &[LeafInfo], config: &ComputeConfig) -> Vec<Step> {
    plan(dag, leaves, config).expect("a plan").steps
}

#[test]
fn lone_leaf_is_copied() {
    let mut b = Build::default();
    let x = b.leaf(0);
    let dag = b.root(x);
    assert_eq!(steps(&dag, &[BF16], &narrow()), [Step::Copy { leaf: 0, slot: 0 }]);
}

#[test]
fn two_leaves_go_to_the_matrix_unit_only_with_one_format() {
    let mut b = Build::default();
    let (x, y) = (b.leaf(0), b.leaf(1));
    let sub = b.bin(BinaryOp::Sub, x, y);
    let dag = b.root(sub);
    let op = BinaryOp::Sub;
    assert_eq!(steps(&dag, &[BF16, BF16], &narrow()), [Step::Fpu { op, a: 0, b: 1, slot: 0 }]);
    // bf16 - f32 in 16-bit registers: the bf16 tile is the one that is exact in a source register.
    assert_eq!(
        steps(&dag, &[BF16, F32], &narrow()),
        [Step::Copy { leaf: 1, slot: 0 }, Step::ReuseDest { op, reversed: true, leaf: 0, slot: 0 }]
    );
    let both = [
        Step::Copy { leaf: 0, slot: 0 },
        Step::Copy { leaf: 1, slot: 1 },
        Step::Regs { op, a: 0, b: 1, out: 0, words: Words::NONE },
    ];
    assert_eq!(steps(&dag, &[BF16, F32], &wide()), both);
    // Tiles that go to the registers unrounded cannot feed the matrix unit.
    assert_eq!(steps(&dag, &[EXACT, EXACT], &wide()), both);
}

#[test]
fn product_adds_onto_the_addend_in_either_order() {
    for swapped in [false, true] {
        let mut b = Build::default();
        let (x, y, z) = (b.leaf(0), b.leaf(1), b.leaf(2));
        let product = b.bin(BinaryOp::Mul, x, y);
        let sum = if swapped { b.bin(BinaryOp::Add, z, product) } else { b.bin(BinaryOp::Add, product, z) };
        let dag = b.root(sum);
        let plan = plan(&dag, &[BF16; 3], &narrow()).expect("a plan");
        assert_eq!(plan.steps, [Step::Copy { leaf: 2, slot: 0 }, Step::Fpu { op: BinaryOp::Mul, a: 0, b: 1, slot: 0 }]);
        assert_eq!((plan.slots_per_tile, plan.tiles_per_section), (1, 8));
    }
}

#[test]
fn sums_of_products_need_one_register() {
    let mut b = Build::default();
    let leaves: Vec<NodeId> = (0..6).map(|n| b.leaf(n)).collect();
    let products: Vec<NodeId> = leaves.chunks(2).map(|p| b.bin(BinaryOp::Mul, p[0], p[1])).collect();
    let two = b.bin(BinaryOp::Add, products[0], products[1]);
    let three = b.bin(BinaryOp::Add, two, products[2]);
    let plan = plan(&b.root(three), &[F32; 6], &wide()).expect("a plan");
    assert_eq!((plan.slots_per_tile, plan.tiles_per_section), (1, 4));
    assert_eq!(plan.steps.len(), 3);
}

#[test]
fn product_that_is_used_twice_is_computed_once_and_not_accumulated() {
    let mut b = Build::default();
    let (x, y) = (b.leaf(0), b.leaf(1));
    let product = b.bin(BinaryOp::Mul, x, y);
    let e = b.un(UnaryOp::Exp, product);
    let sum = b.bin(BinaryOp::Add, e, product);
    let dag = b.root(sum);
    for config in [narrow(), wide()] {
        let plan = plan(&dag, &[BF16; 2], &config).expect("a plan");
        let products = plan.steps.iter().filter(|s| matches!(s, Step::Fpu { .. }));
        assert_eq!(products.count(), 1);
        assert!(plan.steps.contains(&Step::CopyRegs { from: 0, to: 1 }));
        assert_eq!(run(&plan, &[3, 5]), eval(&dag, &[3, 5]));
    }
}

#[test]
fn computed_value_and_leaf_depend_on_the_width_of_the_registers() {
    let mut b = Build::default();
    let (x, y) = (b.leaf(0), b.leaf(1));
    let e = b.un(UnaryOp::Exp, x);
    let diff = b.bin(BinaryOp::Sub, y, e);
    let dag = b.root(diff);
    let op = BinaryOp::Sub;
    assert_eq!(
        steps(&dag, &[BF16; 2], &narrow()).last(),
        Some(&Step::ReuseDest { op, reversed: true, leaf: 1, slot: 0 })
    );
    assert!(matches!(steps(&dag, &[BF16; 2], &wide()).last(), Some(Step::Regs { .. })));
}

#[test]
fn accumulator_keeps_slot_zero_and_temporaries_come_after_all_tiles() {
    let mut b = Build::default();
    let (acc, bias) = (b.leaf(0), b.leaf(1));
    let sum = b.bin(BinaryOp::Add, acc, bias);
    let relu = b.un(UnaryOp::Relu, sum);
    let dag = b.root(relu);
    let plan16 = plan(&dag, &[LeafInfo::Acc, BF16], &narrow()).expect("a plan");
    assert_eq!((plan16.slots_per_tile, plan16.tiles_per_section), (1, 8));
    let plan32 = plan(&dag, &[LeafInfo::Acc, BF16], &wide()).expect("a plan");
    assert_eq!((plan32.slots_per_tile, plan32.tiles_per_section), (2, 2));
    let registers: Vec<u32> = (0..2).flat_map(|s| [plan32.register(0, s), plan32.register(1, s)]).collect();
    assert_eq!(registers, [0, 1, 2, 3]);
}

#[test]
fn slots_of_a_tile_lie_side_by_side() {
    let plan =
        Plan { steps: Vec::new(), slots_per_tile: 3, result_slot: 0, tiles_per_section: 2, acc: false, matmul: false };
    let registers: Vec<u32> =
        (0..2).flat_map(|t| (0..3).map(move |s| (t, s))).map(|(t, s)| plan.register(t, s)).collect();
    assert_eq!(registers, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn too_deep_an_expression_is_an_error_with_numbers() {
    // A full tree of SFPU operations on 32 leaves needs six registers; four are there.
    let mut b = Build::default();
    let mut row: Vec<NodeId> = (0..32).map(|n| b.leaf(n)).collect();
    while row.len() > 1 {
        row = row.chunks(2).map(|p| b.bin(BinaryOp::Sub, p[0], p[1])).collect();
    }
    let dag = b.root(row[0]);
    let error = plan(&dag, &[EXACT; 32], &wide()).expect_err("too deep");
    assert_eq!(error, PlanError::TooManyRegisters { needed: 6, available: 4, width: 32 });
    assert!(error.to_string().contains("needs 6 tile registers") && error.to_string().contains("4 are available"));
    let full = ComputeConfig { dst_full_sync: true, ..wide() };
    assert_eq!(plan(&dag, &[EXACT; 32], &full).expect("fits").slots_per_tile, 6);
}

#[test]
fn wrong_descriptions_are_errors() {
    let mut b = Build::default();
    let (x, y) = (b.leaf(0), b.leaf(1));
    let sum = b.bin(BinaryOp::Add, x, y);
    let dag = b.root(sum);
    assert_eq!(plan(&dag, &[BF16], &narrow()), Err(PlanError::UnknownLeaf { leaf: 1, leaves: 1 }));
    assert_eq!(plan(&dag, &[LeafInfo::Acc; 2], &narrow()), Err(PlanError::TwoAccumulators));
    assert_eq!(plan(&Dag::default(), &[], &narrow()), Err(PlanError::Empty));
}

/// A small generator of its own: the tests must not depend on what a crate's seeds give.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

#[test]
fn plans_of_random_expressions_compute_what_the_expressions_say() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut planned, mut refused) = (0, 0);
    let float = |op: &BinaryOp| op.row().kind == Kind::Float && op.row().gives == Kind::Float && !op.row().wide;
    let binary_ops: Vec<BinaryOp> = BinaryOp::ALL.into_iter().filter(float).collect();
    for round in 0..20_000 {
        let with_acc = random.below(3) == 0;
        let count = 1 + random.below(4) as u32;
        let leaves: Vec<LeafInfo> = (0..count)
            .map(|n| match random.below(3) {
                _ if n == 0 && with_acc => LeafInfo::Acc,
                0 => F32,
                1 => EXACT,
                _ => BF16,
            })
            .collect();
        let mut b = Build::default();
        let mut nodes: Vec<NodeId> = (0..count).map(|n| b.leaf(n)).collect();
        for _ in 0..random.below(10) {
            let pick = |r: &mut Random| nodes[r.below(nodes.len() as u64) as usize];
            let (x, y) = (pick(&mut random), pick(&mut random));
            let z = pick(&mut random);
            let node = match random.below(12) {
                0..4 => b.un(UnaryOp::ALL[random.below(5) as usize], x),
                4 => b.0.add(Node::Ternary(TernaryOp::Where, [x, y, z], Words::NONE)),
                5 => b.0.add(Node::Create(UnaryOp::Fill, Words::NONE)),
                6 => b.bin(binary_ops[random.below(binary_ops.len() as u64) as usize], x, y),
                _ => b.bin(BinaryOp::FPU[random.below(3) as usize], x, y),
            };
            nodes.push(node);
        }
        let dag = b.root(nodes[nodes.len() - 1]);
        let values: Vec<i64> = (0..count).map(|_| random.below(1000) as i64).collect();
        for config in [narrow(), wide()] {
            match plan(&dag, &leaves, &config) {
                Ok(plan) => {
                    planned += 1;
                    assert_eq!(run(&plan, &values), eval(&dag, &values), "round {round}: {dag:?} {leaves:?} {plan:?}");
                }
                Err(PlanError::TooManyRegisters { .. }) => refused += 1,
                Err(other) => panic!("round {round}: {other}"),
            }
        }
    }
    assert!(planned > 20 * refused, "{planned} planned, {refused} refused");
}
