//! From what the kernel says to what the device must be told, in running order:
//!
//! 0. [`sums`] decides where accumulators are, in the tile registers or in L1; [`temps`] adds the buffers that block expressions need between their parts; the program declares them and gives them ids.
//! 1. [`prune`] drops branches that are never taken; [`expand`] writes block stores and matrix products as explicit tile operations in loops.
//! 2. [`inits`] places the set-up calls those operations need, outside loops where it can, and proves that each is in force.
//! 3. [`pipes`] writes the handshake of each block that goes through a pipe.
//! 4. [`barriers`] drops barriers that wait for nothing and ends data-movement kernels with those that are missing.
//!
//! The result, [`Prepared`], is what the C++ writer takes.

pub mod barriers;
pub mod buffers;
pub(crate) mod conditions;
pub mod expand;
pub mod inits;
pub mod pipes;
pub mod prune;
pub mod sums;
pub mod temps;

use super::Module;
use super::fuse::PlanError;
use super::verify::Verified;
use crate::arch::ComputeConfig;
use crate::site::Site;
use crate::snippet::{self, Label};

/// What a kernel is prepared for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    pub config: &'a ComputeConfig,
    /// Ids of the kernel's circular-buffer parameters, in parameter order. Needed only if the configuration names ids.
    pub cb_ids: &'a [u32],
}

/// A kernel in explicit operations with all inits and barriers.
#[derive(Clone, Debug)]
pub struct Prepared {
    module: Module,
    config: ComputeConfig,
    tile_pages: bool,
}

impl Prepared {
    pub fn module(&self) -> &Module {
        &self.module
    }

    pub fn config(&self) -> &ComputeConfig {
        &self.config
    }

    /// For a kernel some of whose circular buffers have pages that are no tiles.
    #[must_use]
    pub fn with_tile_pages(mut self, tile_pages: bool) -> Prepared {
        self.tile_pages = tile_pages;
        self
    }

    /// A page of a circular buffer is a tile of its format.
    pub fn has_tile_pages(&self) -> bool {
        self.tile_pages
    }
}

/// `internal error`: [`sums`] moves accumulators that do not fit to L1, and lowering describes its own expressions. Only a fault of ttl leads there.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PassError {
    #[error("{site}: {error}")]
    Plan { site: Site, error: PlanError },
    #[error(
        "{site}: internal error: {tiles} accumulator tiles do not fit: {available} tile registers are available to the accumulator here \
         ({registers} in a section, {slots} per tile for this expression)"
    )]
    AccTooLarge { site: Site, tiles: u32, available: u32, registers: u32, slots: u32 },
    #[error(
        "{site}: `{function}` is called with circular buffers of which only some have f32 tiles at full precision \
         (`unpack_to_dest_fp32`) as `{parameter}`\n\
         help: call it with one kind"
    )]
    MixedPrecision { site: Site, function: String, parameter: String },
    #[error("{site}: {message}\nhelp: {help}")]
    Shapes { site: Site, message: String, help: &'static str },
    #[error(
        "{site}: this expression needs an intermediate buffer, whose size is not known when the program is checked\n\
         help: make the sizes of its blocks constants or const generics"
    )]
    UnknownSize { site: Site },
    #[error(
        "{site}: the mean of a block whose size is not known when the program is checked\n\
         help: make its sizes constants or const generics, or multiply the sum by 1 / n"
    )]
    UnknownMean { site: Site },
    #[error(
        "{site}: internal error: what is added to this accumulator is computed in {parts} parts, and the accumulator holds the tile registers"
    )]
    AccNotInRegisters { site: Site, parts: usize },
    #[error(
        "{site}: this accumulator cannot stay in the tile registers, which are needed until it is stored, and its size is not known when the program \
         is checked\nhelp: make its sizes constants or const generics; then it is kept in L1"
    )]
    AccUnknownSize { site: Site },
    #[error(
        "{site}: the packer gets another format while it is set up for a reduction that not every way to here has set up alike, or that a device \
         function has\nhelp: pack to one format in this section, or reduce in every branch of the kernel itself"
    )]
    RepackUnknown { site: Site },
    #[error(
        "{site}: `{function}` packs to a buffer, in a kernel that packs to several formats, while the packer is set up for a reduction\n\
         help: pack in the kernel itself, or keep to one format"
    )]
    RepackInFunction { site: Site, function: String },
    #[error("{site}: internal error: {message}")]
    Internal { site: Site, message: String },
}

impl PassError {
    pub fn site(&self) -> Site {
        match self {
            PassError::Plan { site, .. }
            | PassError::AccTooLarge { site, .. }
            | PassError::MixedPrecision { site, .. }
            | PassError::Shapes { site, .. }
            | PassError::UnknownSize { site }
            | PassError::UnknownMean { site }
            | PassError::AccNotInRegisters { site, .. }
            | PassError::AccUnknownSize { site }
            | PassError::RepackUnknown { site }
            | PassError::RepackInFunction { site, .. }
            | PassError::Internal { site, .. } => *site,
        }
    }

    /// With the line of the Rust source and the help below it, as all other messages.
    pub fn report(&self) -> String {
        let (site, text) = (self.site(), self.to_string());
        let text = text.strip_prefix(&format!("{site}: ")).unwrap_or(&text);
        let (message, help) = text.split_once("\nhelp: ").unwrap_or((text, ""));
        let help = if help.is_empty() { vec![] } else { vec![format!("help: {}", help.replace('\n', " "))] };
        snippet::text(&message.replace('\n', " "), &[Label { site, text: String::new() }], &help)
    }
}

/// Runs all passes.
pub fn prepare(module: Verified<'_>, target: &Target<'_>) -> Result<Prepared, PassError> {
    let mut module = module.module().clone();
    prune::prune(&mut module);
    let buffers = buffers::Buffers::of(&module, target)?;
    expand::expand(&mut module, &buffers, target.config)?;
    inits::place(&mut module, &buffers)?;
    inits::check(&module, &buffers).map_err(|e| PassError::Internal { site: e.site, message: e.message })?;
    pipes::expand(&mut module);
    barriers::run(&mut module);
    Ok(Prepared { module, config: target.config.clone(), tile_pages: true })
}
