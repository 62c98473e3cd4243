//! Where the kernel's parameters stand among its arguments.

use crate::ir::{Module, ParamKind};

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

impl ArgSlots {
    /// The layout of the design: compile-time arguments are buffer ids, scalars, accessor words; common runtime arguments are tensor
    /// addresses, scalars; each group in parameter order.
    pub fn of(module: &Module) -> ArgSlots {
        let count = |kind| module.params.iter().filter(|p| p.kind == kind).count() as u32;
        let (cbs, scalars, tensors) = (
            count(ParamKind::Cb),
            count(ParamKind::CompileTime),
            count(ParamKind::Tensor),
        );
        let (mut cb, mut scalar, mut tensor, mut common, mut per_core) = (0, cbs, 0, tensors, 0);
        let next = |at: &mut u32| {
            *at += 1;
            *at - 1
        };
        let params = module
            .params
            .iter()
            .map(|p| match p.kind {
                ParamKind::Cb => ArgSlot::CompileTime(next(&mut cb)),
                ParamKind::CompileTime => ArgSlot::CompileTime(next(&mut scalar)),
                ParamKind::Tensor => ArgSlot::Tensor {
                    base: next(&mut tensor),
                },
                ParamKind::Common => ArgSlot::Common(next(&mut common)),
                ParamKind::PerCore => ArgSlot::PerCore(next(&mut per_core)),
            })
            .collect();
        ArgSlots {
            params,
            accessor_base: cbs + scalars,
        }
    }

    pub(super) fn fits(&self, module: &Module) -> bool {
        self.params.len() == module.params.len()
            && self.params.iter().zip(&module.params).all(|(slot, p)| {
                matches!(
                    (slot, p.kind),
                    (
                        ArgSlot::CompileTime(_),
                        ParamKind::Cb | ParamKind::CompileTime
                    ) | (ArgSlot::Tensor { .. }, ParamKind::Tensor)
                        | (ArgSlot::Common(_), ParamKind::Common)
                        | (ArgSlot::PerCore(_), ParamKind::PerCore)
                )
            })
    }
}

/// The attribute that marks a parameter in Rust.
pub(super) const fn marker(kind: ParamKind) -> &'static str {
    match kind {
        ParamKind::CompileTime => "#[ttl(compile_time)] ",
        ParamKind::Common => "#[ttl(common)] ",
        ParamKind::Cb | ParamKind::Tensor | ParamKind::PerCore => "",
    }
}
