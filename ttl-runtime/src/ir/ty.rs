//! Types of the IR.

use super::data::{EnumTy, Form, StructTy};
use super::group::GroupTy;
use crate::tensor::format::DataFormat;
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntTy {
    pub bits: u8,
    pub signed: bool,
}

impl IntTy {
    pub const U8: IntTy = IntTy { bits: 8, signed: false };
    pub const U16: IntTy = IntTy { bits: 16, signed: false };
    pub const U32: IntTy = IntTy { bits: 32, signed: false };
    pub const I8: IntTy = IntTy { bits: 8, signed: true };
    pub const I16: IntTy = IntTy { bits: 16, signed: true };
    pub const I32: IntTy = IntTy { bits: 32, signed: true };

    /// The value reduced to this type, two's complement.
    pub const fn wrap(self, value: i64) -> i64 {
        let shift = 64 - self.bits as u32;
        if self.signed { (value << shift) >> shift } else { ((value as u64) << shift >> shift) as i64 }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    Unit,
    /// Of `return`, `break`, `loop {}`.
    Never,
    Bool,
    Int(IntTy),
    F32,
    /// Indices of arrays, and constants: values that are known to fit 32 bits.
    Usize,
    /// Plain data, see [`data`](super::data).
    Struct(Arc<StructTy>),
    Array(Box<Ty>, u32),
    Enum(Arc<EnumTy>),
    /// Parameters in a struct: none of the C++, see [`group`](super::group).
    Group(Arc<GroupTy>),
    /// Role tokens: nothing in C++.
    Noc,
    Compute,
    /// Ends of a circular buffer: its id in C++.
    CbIn(DataFormat),
    CbOut(DataFormat),
    TensorAccessor(DataFormat),
    /// A semaphore: its L1 address in C++.
    Semaphore,
    /// A core, a rectangle of cores: a NoC address of 0 there in C++, to be combined with an L1 address.
    Core,
    CoreRange,
    /// Ends of a pipe: what [`pipe::parts`](super::pipe::parts) says, each part a local of its own.
    PipeTx,
    PipeRx,
    UnicastTx,
    /// A NoC address; a pointer into L1 (to f32 without an integer type): its address in C++.
    NocAddr,
    L1Ptr(Option<IntTy>),
    /// A run of argument words that is indexed at run time: the index of its first word in C++.
    Words,
    CommonWords,
    /// Guards: the pages between wait and pop, reserve and push. A reference to one is the buffer's id in C++.
    Front(DataFormat),
    Reserved(DataFormat),
    /// Transfers that are under way; waiting is a barrier.
    Read,
    Write,
    /// Tile registers being written; being packed.
    TileRegs,
    PackRegs,
    /// A lazy block expression. `block` when it is a matrix block of a waited guard.
    Tiles,
    TileBlock(DataFormat),
    Accumulator,
    Ref {
        mutable: bool,
        to: Box<Ty>,
    },
}

impl Ty {
    pub const U32: Ty = Ty::Int(IntTy::U32);

    pub fn reference(mutable: bool, to: Ty) -> Ty {
        Ty::Ref { mutable, to: Box::new(to) }
    }

    /// The type behind any number of references.
    pub fn peeled(&self) -> &Ty {
        match self {
            Ty::Ref { to, .. } => to.peeled(),
            other => other,
        }
    }

    pub fn is_scalar(&self) -> bool {
        matches!(self, Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::NocAddr | Ty::L1Ptr(_))
    }

    pub fn int(&self) -> Option<IntTy> {
        match self {
            Ty::Int(i) => Some(*i),
            Ty::Usize => Some(IntTy::U32),
            _ => None,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Unit => f.write_str("()"),
            Ty::Never => f.write_str("!"),
            Ty::Bool => f.write_str("bool"),
            Ty::Int(i) => write!(f, "{}{}", if i.signed { "i" } else { "u" }, i.bits),
            Ty::F32 => f.write_str("f32"),
            Ty::Usize => f.write_str("usize"),
            Ty::Struct(s) if s.form == Form::Tuple || s.generics.is_empty() => f.write_str(&s.name),
            Ty::Struct(s) => write!(f, "{}<{}>", s.name, s.generics.join(", ")),
            Ty::Array(of, len) => write!(f, "[{of}; {len}]"),
            Ty::Enum(e) => f.write_str(&e.name),
            Ty::Group(g) => f.write_str(&g.name),
            Ty::Noc => f.write_str("Noc"),
            Ty::Compute => f.write_str("Compute"),
            Ty::CbIn(x) => write!(f, "CbIn<{x}>"),
            Ty::CbOut(x) => write!(f, "CbOut<{x}>"),
            Ty::TensorAccessor(x) => write!(f, "TensorAccessor<{x}>"),
            Ty::Semaphore => f.write_str("Semaphore"),
            Ty::Core => f.write_str("NocCore"),
            Ty::CoreRange => f.write_str("NocRange"),
            Ty::NocAddr => f.write_str("NocAddr"),
            Ty::L1Ptr(Some(i)) => write!(f, "L1Ptr<{}>", Ty::Int(*i)),
            Ty::L1Ptr(None) => f.write_str("L1Ptr<f32>"),
            Ty::Words => f.write_str("Words"),
            Ty::CommonWords => f.write_str("CommonWords"),
            Ty::PipeTx => f.write_str("PipeTx"),
            Ty::PipeRx => f.write_str("PipeRx"),
            Ty::UnicastTx => f.write_str("UnicastTx"),
            Ty::Front(x) => write!(f, "Front<{x}>"),
            Ty::Reserved(x) => write!(f, "Reserved<{x}>"),
            Ty::Read => f.write_str("Read"),
            Ty::Write => f.write_str("Write"),
            Ty::TileRegs => f.write_str("TileRegs"),
            Ty::PackRegs => f.write_str("PackRegs"),
            Ty::Tiles => f.write_str("Tiles"),
            Ty::TileBlock(x) => write!(f, "TileBlock<{x}>"),
            Ty::Accumulator => f.write_str("Accumulator"),
            Ty::Ref { mutable, to } => write!(f, "&{}{to}", if *mutable { "mut " } else { "" }),
        }
    }
}
