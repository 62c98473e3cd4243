//! Operations of block expressions: operators and methods with tiles and with numbers, and the words that their calls take.

use super::Lower;
use super::value::{Binding, Tiles, Value};
use crate::ir::dag::{Dag, Node, NodeId, ScalarId, Words};
use crate::ir::{BinOp, Expr, ExprKind, Op, Ty};
use crate::ops::{BinaryOp, Kind, TernaryOp, UnaryOp, WithNumber, Word};
use ttl_skeleton as sk;

impl Lower<'_> {
    /// `l op r` if one side is a tile value.
    pub(super) fn tile_binary(&mut self, op: BinOp, l: &sk::Expr, r: &sk::Expr) -> Option<Value> {
        if !self.may_be_tiles(l) && !self.may_be_tiles(r) {
            return None;
        }
        let left = self.expr(l);
        let left = match self.as_tiles(&left) {
            Some(tiles) => Ok(tiles),
            None => Err(self.as_scalar(left)),
        };
        let stable = match left {
            Ok(tiles) => Ok(tiles),
            Err(number) => Err(self.stable(number)),
        };
        let right = self.expr(r);
        let right = match self.as_tiles(&right) {
            Some(tiles) => Ok(tiles),
            None => Err(self.as_scalar(right)),
        };
        let tile_op = match op {
            BinOp::Add => BinaryOp::Add,
            BinOp::Sub => BinaryOp::Sub,
            BinOp::Mul => BinaryOp::Mul,
            BinOp::Div => BinaryOp::Div,
            BinOp::Rem => BinaryOp::Fmod,
            BinOp::BitAnd => BinaryOp::BitwiseAnd,
            BinOp::BitOr => BinaryOp::BitwiseOr,
            BinOp::BitXor => BinaryOp::BitwiseXor,
            BinOp::Shl => BinaryOp::LeftShift,
            _ => BinaryOp::RightShift,
        };
        Some(match (stable, right) {
            (Ok(left), Ok(right)) => Value::Tiles(join(tile_op, left, right)),
            (Ok(left), Err(number)) => self.with_number(tile_op, left, number, false, &[]),
            (Err(number), Ok(right)) => self.with_number(tile_op, right, number, true, &[]),
            // Numbers after all.
            (Err(left), Err(right)) => self.arithmetic(op, left, right),
        })
    }

    /// `tiles op number`, or `number op tiles` if `reversed`.
    fn with_number(&mut self, op: BinaryOp, tiles: Tiles, number: Expr, reversed: bool, params: &[Expr]) -> Value {
        // As it is now: the expression may be stored later.
        let number = self.stable(number);
        match op.with_number(kind_of(&number.ty), reversed) {
            WithNumber::Unary(op) => self.apply(op, tiles, &[number]),
            WithNumber::Tile(fill) => {
                let mut tiles = tiles;
                let Some(of) = tiles.dag.root else { return Value::Never };
                let words = self.words(fill.row().words, &[number]);
                let words = self.hold(&mut tiles, words);
                let number = tiles.dag.add(Node::Create(fill, words));
                let words = self.words(op.row().words, params);
                let words = self.hold(&mut tiles, words);
                let (left, right) = if reversed { (number, of) } else { (of, number) };
                tiles.dag.root = Some(tiles.dag.add(Node::Binary(op, left, right, words)));
                Value::Tiles(tiles)
            }
        }
    }

    /// Whether the expression can be a tile value, by its shape: numbers never come from these.
    pub(super) fn may_be_tiles(&self, e: &sk::Expr) -> bool {
        match e {
            sk::Expr::Local(l) => {
                matches!(self.bindings[*l as usize], Some(Binding::Alias(Value::Res { .. } | Value::Tiles(_))))
            }
            sk::Expr::Ref { place, .. } => self.may_be_tiles(place),
            sk::Expr::Unary(sk::UnOp::Neg | sk::UnOp::Not, x) => self.may_be_tiles(x),
            sk::Expr::Binary(op, l, r) if is_operator(*op) => self.may_be_tiles(l) || self.may_be_tiles(r),
            sk::Expr::Method { name, recv, .. } => {
                name == "wait_front"
                    || name == "fill"
                    || super::shaped::is_shaped(name)
                    || (is_operation(name) && self.may_be_tiles(recv))
            }
            _ => false,
        }
    }

    /// `-x` and `!x` of a tile value.
    pub(super) fn tile_prefix(&mut self, op: UnaryOp, value: &Value) -> Option<Value> {
        let tiles = self.as_tiles(value)?;
        Some(self.apply(op, tiles, &[]))
    }

    /// A method of the table on a tile value.
    pub(super) fn tile_method(&mut self, recv: &Value, name: &str, args: &[sk::Expr]) -> Option<Value> {
        let unary = UnaryOp::from_method(name).filter(|op| !op.row().creates && !op.row().random);
        let binary = BinaryOp::from_method(name);
        let ternary = TernaryOp::from_method(name).filter(|op| !op.row().fixed);
        if unary.is_none() && binary.is_none() && ternary.is_none() {
            return None;
        }
        let tiles = self.receiver_tiles(recv)?;
        if let Some(op) = unary {
            let params = self.parameters(args);
            return Some(self.apply(op, tiles, &params));
        }
        if let (Some(op), [other, params @ ..]) = (binary, args) {
            let other = self.expr(other);
            return Some(match self.as_tiles(&other) {
                Some(right) => {
                    let params = self.parameters(params);
                    let mut joined = join(op, tiles, right);
                    if let Some(root) = joined.dag.root.filter(|_| !op.row().words.is_empty()) {
                        let words = self.words(op.row().words, &params);
                        let words = self.hold(&mut joined, words);
                        let node = joined.dag.node(root).with_words(words);
                        joined.dag.root = Some(joined.dag.add(node));
                    }
                    Value::Tiles(joined)
                }
                None => {
                    let number = self.as_scalar(other);
                    let number = self.stable(number);
                    let params = self.parameters(params);
                    self.with_number(op, tiles, number, false, &params)
                }
            });
        }
        if let (Some(op), [b, c, params @ ..]) = (ternary, args) {
            let mut operands = vec![tiles];
            for operand in [b, c] {
                let value = self.expr(operand);
                match self.as_tiles(&value) {
                    Some(tiles) => operands.push(tiles),
                    None => {
                        let what = value.describe();
                        return Some(self.fault(format!("`{name}` of tiles and {what}")));
                    }
                }
            }
            let params = self.parameters(params);
            return Some(self.apply_ternary(op, operands, &params));
        }
        None
    }

    /// `c.fill(value)`.
    pub(super) fn fill(&mut self, value: &sk::Expr) -> Value {
        let params = self.parameters(std::slice::from_ref(value));
        let op = UnaryOp::fill(params.first().map_or(Kind::Float, |p| kind_of(&p.ty)));
        let mut tiles = Tiles { dag: Dag::default(), leaves: vec![], scalars: vec![], owned: vec![] };
        let words = self.words(op.row().words, &params);
        let words = self.hold(&mut tiles, words);
        tiles.dag.root = Some(tiles.dag.add(Node::Create(op, words)));
        Value::Tiles(tiles)
    }

    fn apply(&mut self, op: UnaryOp, mut tiles: Tiles, params: &[Expr]) -> Value {
        let Some(root) = tiles.dag.root else {
            return Value::Never;
        };
        let words = self.words(op.row().words, params);
        let words = self.hold(&mut tiles, words);
        tiles.dag.root = Some(tiles.dag.add(Node::Unary(op, root, words)));
        Value::Tiles(tiles)
    }

    fn apply_ternary(&mut self, op: TernaryOp, operands: Vec<Tiles>, params: &[Expr]) -> Value {
        let mut all = Tiles { dag: Dag::default(), leaves: vec![], scalars: vec![], owned: vec![] };
        let roots: Vec<NodeId> = operands.into_iter().filter_map(|tiles| merge(&mut all, tiles)).collect();
        let Ok(roots) = <[NodeId; 3]>::try_from(roots) else {
            return Value::Never;
        };
        let words = self.words(op.row().words, params);
        let words = self.hold(&mut all, words);
        all.dag.root = Some(all.dag.add(Node::Ternary(op, roots, words)));
        Value::Tiles(all)
    }

    /// Adds the words of a new operation of the kernel.
    fn hold(&mut self, tiles: &mut Tiles, words: Vec<Expr>) -> Words {
        if words.is_empty() {
            return Words::NONE;
        }
        let operation = self.operations;
        self.operations += 1;
        let first = ScalarId(tiles.scalars.len() as u32);
        let count = words.len() as u32;
        tiles.scalars.extend(words.into_iter().map(|word| (operation, word)));
        Words { first, count }
    }

    /// Parameters as they are now.
    pub(super) fn parameters(&mut self, args: &[sk::Expr]) -> Vec<Expr> {
        let args: Vec<&sk::Expr> = args.iter().collect();
        self.operands(&args).into_iter().map(|p| self.stable(p)).collect()
    }

    /// The words of a call. What takes arithmetic on the device is computed once, in a constant of its own.
    pub(super) fn words(&mut self, words: &[Word], params: &[Expr]) -> Vec<Expr> {
        words
            .iter()
            .map(|word| match word_of(*word, params) {
                Known::Yes(word) => word,
                Known::Computed(word) => self.spill(word),
            })
            .collect()
    }

    /// A register call of the table: `regs.leaky_relu_tile(0, slope)`.
    pub(super) fn register_operation(&mut self, name: &str, args: &[sk::Expr]) -> Option<Value> {
        let args: Vec<&sk::Expr> = args.iter().collect();
        if let Some(op) = UnaryOp::from_tile_method(name) {
            let mut operands = self.operands(&args).into_iter();
            let dst = operands.next()?;
            let params: Vec<Expr> = operands.collect();
            let words = self.words(op.row().words, &params);
            return Some(self.effect(Op::Unary { op, dst, words }));
        }
        if let Some(op) = BinaryOp::from_tile_method(name) {
            let mut operands = self.operands(&args).into_iter();
            let (a, b, dst) = (operands.next()?, operands.next()?, operands.next()?);
            let params: Vec<Expr> = operands.collect();
            let words = self.words(op.row().words, &params);
            return Some(self.effect(Op::BinaryRegs { op, a, b, dst, words }));
        }
        let op = TernaryOp::from_tile_method(name)?;
        let mut operands = self.operands(&args).into_iter();
        let (a, b, c, dst) = (operands.next()?, operands.next()?, operands.next()?, operands.next()?);
        let params: Vec<Expr> = operands.collect();
        let words = self.words(op.row().words, &params);
        Some(self.effect(Op::TernaryRegs { op, operands: [a, b, c], dst, words }))
    }
}

/// What numbers of a type are to tiles.
fn kind_of(ty: &Ty) -> Kind {
    match ty.int() {
        Some(int) if int.signed => Kind::I32,
        Some(_) => Kind::U32,
        None => Kind::Float,
    }
}

/// The operators that tiles have.
pub(super) const fn is_operator(op: BinOp) -> bool {
    use BinOp as O;
    matches!(op, O::Add | O::Sub | O::Mul | O::Div | O::Rem | O::BitAnd | O::BitOr | O::BitXor | O::Shl | O::Shr)
}

fn is_operation(name: &str) -> bool {
    UnaryOp::from_method(name).is_some()
        || BinaryOp::from_method(name).is_some()
        || TernaryOp::from_method(name).is_some()
}

enum Known {
    Yes(Expr),
    Computed(Expr),
}

/// A word made from parameters: folded if they are constants.
fn word_of(word: Word, params: &[Expr]) -> Known {
    let of = |n: usize| params.get(n).cloned().unwrap_or_else(|| Expr::u32(0));
    let float = |value: f32| Expr { ty: Ty::F32, kind: ExprKind::F32(value) };
    let bits = |x: Expr| Expr { ty: Ty::U32, kind: ExprKind::Bits(Box::new(x)) };
    let n = match word {
        Word::Constant(word) => return Known::Yes(Expr::u32(word)),
        Word::Bits(n) | Word::Reciprocal(n) | Word::ReciprocalLog(n) | Word::Bf16(n) => n,
    };
    let param = of(n);
    match (word, &param.kind) {
        (Word::Bits(_), kind) => match param.ty {
            Ty::F32 => match kind {
                ExprKind::F32(_) | ExprKind::Local(_) => Known::Yes(bits(param)),
                _ => Known::Computed(bits(param)),
            },
            Ty::U32 => Known::Yes(param),
            _ => Known::Yes(Expr { ty: Ty::U32, kind: ExprKind::Cast(Box::new(param)) }),
        },
        (Word::Bf16(_), ExprKind::F32(value)) => Known::Yes(Expr::u32(value.to_bits() >> 16)),
        (Word::Bf16(_), _) => Known::Computed(Expr::binary(BinOp::Shr, bits(param), Expr::u32(16))),
        // As `Word::of` has them.
        (_, ExprKind::F32(value)) => Known::Yes(bits(float(f32::from_bits(one(word).of(&[value.to_bits()]))))),
        (_, _) => Known::Computed(bits(Expr::binary(BinOp::Div, float(1.0), param))),
    }
}

/// The word of the only parameter.
const fn one(word: Word) -> Word {
    match word {
        Word::ReciprocalLog(_) => Word::ReciprocalLog(0),
        _ => Word::Reciprocal(0),
    }
}

/// Adds an expression's nodes, leaves and scalars to another; where its root is there.
pub(super) fn merge(into: &mut Tiles, tiles: Tiles) -> Option<NodeId> {
    let mut map: Vec<NodeId> = vec![];
    for node in &tiles.dag.nodes {
        let node = match *node {
            Node::Leaf(n) => {
                let leaf = &tiles.leaves[n as usize];
                let at = into.leaves.iter().position(|l| l == leaf).unwrap_or_else(|| {
                    into.leaves.push(leaf.clone());
                    into.leaves.len() - 1
                });
                Node::Leaf(at as u32)
            }
            node => {
                let words = move_words(into, &tiles, node.words());
                node.map(|n| map[n.0 as usize]).with_words(words)
            }
        };
        map.push(into.dag.add(node));
    }
    for id in tiles.owned {
        if !into.owned.contains(&id) {
            into.owned.push(id);
        }
    }
    tiles.dag.root.map(|r| map[r.0 as usize])
}

/// The words among the scalars of another expression: the same place if the operation is there already.
fn move_words(into: &mut Tiles, from: &Tiles, words: Words) -> Words {
    let Some((operation, _)) = from.scalars.get(words.first.0 as usize).filter(|_| words.count > 0) else {
        return Words::NONE;
    };
    let known = into.scalars.iter().position(|(own, _)| own == operation);
    let first = known.unwrap_or_else(|| {
        into.scalars.extend_from_slice(&from.scalars[words.range()]);
        into.scalars.len() - words.count as usize
    });
    words.moved(first as u32)
}

pub(super) fn join(op: BinaryOp, mut left: Tiles, right: Tiles) -> Tiles {
    let l = left.dag.root;
    let r = merge(&mut left, right);
    if let (Some(l), Some(r)) = (l, r) {
        left.dag.root = Some(left.dag.add(Node::pair(op, l, r)));
    }
    left
}
