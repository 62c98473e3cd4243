//! Where the kernel's parameters stand among its arguments.

use crate::ir::{Module, ParamKind, Ty};
use crate::program::{self, ArgLayout, Slot};

/// One slot per kernel parameter, in parameter order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArgSlots {
    pub params: Vec<ArgSlot>,
    /// Index of the first accessor word among the compile-time arguments; each further accessor follows the one before.
    pub accessor_base: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgSlot {
    /// Index of a circular-buffer id or a scalar among the compile-time arguments.
    CompileTime(u32),
    /// Index of the base address among the common runtime arguments. Accessor words chain in parameter order.
    Tensor { base: u32 },
    /// Index among the common runtime arguments.
    Common(u32),
    /// Index among the unique runtime arguments.
    PerCore(u32),
}

impl From<&ArgLayout> for ArgSlots {
    /// The layout decides; this only sorts its slots by what the C++ calls.
    fn from(layout: &ArgLayout) -> ArgSlots {
        let params = layout
            .slots()
            .iter()
            .map(|slot| match *slot {
                Slot::Cb { compile } | Slot::Semaphore { compile } | Slot::CompileTime { compile, .. } => {
                    ArgSlot::CompileTime(compile)
                }
                Slot::Tensor { common, .. } => ArgSlot::Tensor { base: common },
                Slot::Common { common, .. } => ArgSlot::Common(common),
                Slot::PerCore { runtime, .. } => ArgSlot::PerCore(runtime),
            })
            .collect();
        ArgSlots { params, accessor_base: layout.accessor_base() }
    }
}

impl ArgSlots {
    /// The slots of a kernel's parameters, without a program around it.
    pub fn of(module: &Module) -> ArgSlots {
        let kinds = module.params.iter().map(|p| match p.kind {
            ParamKind::Cb => program::ParamKind::Cb,
            ParamKind::Tensor => program::ParamKind::Tensor,
            ParamKind::CompileTime => program::ParamKind::CompileTime { words: words(&p.ty) },
            ParamKind::Common => program::ParamKind::Common { words: words(&p.ty) },
            ParamKind::Semaphore => program::ParamKind::Semaphore,
            ParamKind::PerCore => program::ParamKind::PerCore { words: words(&p.ty) },
        });
        ArgSlots::from(&ArgLayout::new(kinds))
    }

    pub(super) fn fits(&self, module: &Module) -> bool {
        self.params.len() == module.params.len()
            && self.params.iter().zip(&module.params).all(|(slot, p)| {
                matches!(
                    (slot, p.kind),
                    (ArgSlot::CompileTime(_), ParamKind::Cb | ParamKind::Semaphore | ParamKind::CompileTime)
                        | (ArgSlot::Tensor { .. }, ParamKind::Tensor)
                        | (ArgSlot::Common(_), ParamKind::Common)
                        | (ArgSlot::PerCore(_), ParamKind::PerCore)
                )
            })
    }
}

/// Argument words of a value.
fn words(ty: &Ty) -> u32 {
    match ty {
        Ty::Core => 2,
        Ty::CoreRange => 4,
        other => other.words().unwrap_or(1),
    }
}

/// The attribute that marks a parameter in Rust.
pub(super) const fn marker(kind: ParamKind) -> &'static str {
    match kind {
        ParamKind::CompileTime => "#[ttl(compile_time)] ",
        ParamKind::Common => "#[ttl(common)] ",
        ParamKind::Cb | ParamKind::Tensor | ParamKind::Semaphore | ParamKind::PerCore => "",
    }
}
