//! What a launch of the full program needs, checked before anything is put on a device.

use super::arena::ArenaLayout;
use super::bindings::{AllowPlaceholders, Bound};
use super::config::ReaderMode;
use super::error::{MegakernelError, Result};
use super::knobs::{DebugKnob, Variant};

/// A launch of the full program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum K4Call {
    /// Some blocks of a step, from x.
    Block {
        /// The first one.
        blk: u32,
        /// How many.
        n_blk: u32,
        /// The step.
        step: u32,
        /// What is left out or shown.
        debug: DebugKnob,
    },
    /// All blocks of a step and the output head, from x.
    Step {
        /// Which.
        step: u32,
    },
    /// The whole loop.
    Steps4,
}

impl K4Call {
    /// The variant of the program that runs it.
    pub const fn variant(&self) -> Variant {
        match self {
            K4Call::Block { .. } => Variant::Block,
            K4Call::Step { .. } => Variant::Step,
            K4Call::Steps4 => Variant::Steps4,
        }
    }

    /// As messages call it.
    pub const fn name(&self) -> &'static str {
        match self {
            K4Call::Block { .. } => "run_block",
            K4Call::Step { .. } => "run_step",
            K4Call::Steps4 => "run_steps4",
        }
    }

    /// The blocks and the step that the program begins with.
    pub const fn range(&self, n_blocks: u32) -> (u32, u32, u32) {
        match *self {
            K4Call::Block { blk, n_blk, step, .. } => (blk, n_blk, step),
            K4Call::Step { step } => (0, n_blocks, step),
            K4Call::Steps4 => (0, n_blocks, 0),
        }
    }
}

/// Refuses a launch: another variant, more than one iteration, an arena for relay readers, a step or blocks that are not there, weights that
/// are not uploaded, keys, values and masks that are not bound.
pub fn check_k4_launch(
    layout: &ArenaLayout,
    variant: Variant,
    call: &K4Call,
    n_iters: u32,
    bound: &Bound,
    allow: AllowPlaceholders,
) -> Result<()> {
    variant.require(call.name(), call.variant())?;
    if n_iters != 1 {
        return Err(MegakernelError::NIters { call: call.name(), n_iters });
    }
    if layout.reader_mode() != ReaderMode::Direct {
        return Err(MegakernelError::K4Reader { mode: layout.reader_mode() });
    }
    let (blk, n_blk, step) = call.range(layout.cfg().n_blocks);
    layout.cfg().check_step(step)?;
    layout.cfg().check_blocks(blk, n_blk)?;
    bound.check_launch(layout, allow)
}

/// The variant of a program, and whether one that was built can be kept: changing to another drops it, to the same does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariantState {
    variant: Variant,
    built: bool,
}

impl VariantState {
    /// A variant that is not built yet.
    pub const fn new(variant: Variant) -> VariantState {
        VariantState { variant, built: false }
    }

    /// Which variant.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Whether there is a program of this variant.
    pub const fn is_built(&self) -> bool {
        self.built
    }

    /// It is built from now on.
    pub const fn built(&mut self) {
        self.built = true;
    }

    /// Arena and bindings stay in any case.
    pub fn set(&mut self, variant: Variant) {
        if variant != self.variant {
            *self = VariantState::new(variant);
        }
    }

    /// Frees the program with what it has in L1.
    pub const fn drop_program(&mut self) {
        self.built = false;
    }
}
