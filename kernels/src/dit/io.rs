//! The tensors of a program, in the order in which their addresses travel.

use super::arena::ArenaLayout;
use super::config::KeySet;
use super::error::{MegakernelError, Result};
use super::knobs::Variant;
use ttl::prelude::DataFormat;
use ttl::runtime::tensor::TensorSpec;

/// The slot of a tensor that a program lacks.
pub const NA: u32 = 0xFFFF;

macro_rules! io_names {
    ($($variant:ident $name:literal,)*) => {
        /// The tensors that have names of their own.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum IoName {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl IoName {
            /// Every one, in the order in which addresses travel.
            pub const NAMES: [IoName; [$($name),*].len()] = [$(IoName::$variant),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(IoName::$variant => $name,)*
                }
            }

            /// The compile-time name of the slot.
            pub const fn slot_name(self) -> &'static str {
                match self {
                    $(IoName::$variant => concat!("mk_io_", $name),)*
                }
            }
        }
    };
}

io_names! {
    XRep "x_rep",
    ARep "a_rep",
    ArenaStream "arena_stream",
    ArenaSmall "arena_small",
    AdalnRows "adaln_rows",
    BiasRows "bias_rows",
    B2Step "b2_step",
    B3PosRows "b3_pos_rows",
    FutureTokens "future_tokens",
    SelfMask "self_mask",
    TextMask "text_mask",
    ImageMask "image_mask",
    AllMask "all_mask",
    XT "x_t",
    StateFeatures "state_features",
    ActionPred "action_pred",
    VelocityOut "velocity_out",
}

impl IoName {
    /// The mask of a key set.
    pub const fn mask(set: KeySet) -> IoName {
        match set {
            KeySet::All => IoName::AllMask,
            KeySet::Text => IoName::TextMask,
            KeySet::Image => IoName::ImageMask,
        }
    }
}

/// A tensor of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Io {
    /// One that has a name of its own.
    Named(IoName),
    /// Hoisted keys and values of a cross block.
    K(u32),
    /// Values of a cross block.
    V(u32),
    /// What the step program returns in form only: the kernel never touches it.
    YOut,
    /// The three tensors of the matmul-only program, of which the last counts as the result.
    Sync,
    /// The weight ring of the matmul-only program.
    WRing,
    /// Its result.
    MmOut,
}

impl std::fmt::Display for Io {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Io::Named(name) => f.write_str(name.name()),
            Io::K(blk) => write!(f, "kv_k_{blk}"),
            Io::V(blk) => write!(f, "kv_v_{blk}"),
            Io::YOut => f.write_str("y_out"),
            Io::Sync => f.write_str("sync"),
            Io::WRing => f.write_str("w_ring"),
            Io::MmOut => f.write_str("mm_out"),
        }
    }
}

/// Which masks the kernels of a layout read: those of the key sets that cross blocks use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaskPresence {
    /// Of the text tokens.
    pub text: bool,
    /// Of the image tokens.
    pub image: bool,
    /// Of all tokens.
    pub all: bool,
}

/// Which masks the blocks of a layout read.
pub fn mask_presence(layout: &ArenaLayout) -> MaskPresence {
    let has = |set| layout.cfg().key_sets().contains(&set);
    MaskPresence { text: has(KeySet::Text), image: has(KeySet::Image), all: has(KeySet::All) }
}

/// The tensors of a program in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IoList(Vec<Io>);

impl IoList {
    /// Of the matmul-only program.
    pub fn k1() -> IoList {
        let named = [IoName::XRep, IoName::ARep, IoName::ArenaStream, IoName::BiasRows].map(Io::Named);
        IoList(named.into_iter().chain([Io::Sync, Io::WRing, Io::MmOut]).collect())
    }

    /// Of the full program. `taps` adds the velocities of every step to the whole loop.
    pub fn k4(layout: &ArenaLayout, variant: Variant, taps: bool) -> IoList {
        let cfg = layout.cfg();
        let mut named = vec![
            IoName::XRep,
            IoName::ARep,
            IoName::ArenaStream,
            IoName::ArenaSmall,
            IoName::AdalnRows,
            IoName::BiasRows,
            IoName::B2Step,
            IoName::B3PosRows,
        ];
        if cfg.n_fut > 0 {
            named.push(IoName::FutureTokens);
        }
        named.push(IoName::SelfMask);
        // Text, image, all: the order of the names.
        let masks = [KeySet::Text, KeySet::Image, KeySet::All].into_iter();
        named.extend(masks.filter(|set| cfg.key_sets().contains(set)).map(IoName::mask));
        if variant == Variant::Steps4 {
            named.extend([IoName::XT, IoName::StateFeatures]);
        }
        let mut list: Vec<Io> = named.into_iter().map(Io::Named).collect();
        list.extend(cfg.cross_blocks().flat_map(|blk| [Io::K(blk), Io::V(blk)]));
        match variant {
            Variant::Block => {}
            Variant::Step => list.push(Io::YOut),
            Variant::Steps4 => {
                if taps {
                    list.push(Io::Named(IoName::VelocityOut));
                }
                list.push(Io::Named(IoName::ActionPred));
            }
        }
        IoList(list)
    }

    /// In order.
    pub fn as_slice(&self) -> &[Io] {
        &self.0
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The slot of a tensor, or [`NA`].
    pub fn slot(&self, io: Io) -> u32 {
        self.0.iter().position(|&other| other == io).map_or(NA, |slot| slot as u32)
    }

    /// The slot of the keys of the first cross block; its values and the following blocks come next.
    pub fn kv_base(&self) -> u32 {
        self.0.iter().position(|io| matches!(io, Io::K(_))).map_or(NA, |slot| slot as u32)
    }

    /// With one tensor more, or one less: to see what [`IoList::check_k4`] says.
    pub fn with(mut self, io: Io) -> IoList {
        self.0.push(io);
        self
    }

    /// Without one of them.
    pub fn without(mut self, io: Io) -> IoList {
        self.0.retain(|&other| other != io);
        self
    }

    /// Refuses a list that lacks a tensor of a variant or carries one that the variant must not have.
    pub fn check_k4(&self, variant: Variant) -> Result<()> {
        for (i, io) in self.0.iter().enumerate() {
            if self.0[..i].contains(io) {
                return Err(MegakernelError::IoTwice { name: io.to_string() });
            }
        }
        let name = variant.name();
        let has = |io| self.slot(io) != NA;
        if !has(Io::Named(IoName::XRep)) {
            return Err(MegakernelError::IoMissing { variant: name, tensor: "x_rep" });
        }
        let steps4 = [IoName::XT, IoName::StateFeatures, IoName::ActionPred];
        for io in steps4 {
            if has(Io::Named(io)) != (variant == Variant::Steps4) {
                let tensor = io.name();
                return Err(if variant == Variant::Steps4 {
                    MegakernelError::IoMissing { variant: name, tensor }
                } else {
                    MegakernelError::IoExtra { variant: name, tensor }
                });
            }
        }
        if has(Io::Named(IoName::VelocityOut)) && variant != Variant::Steps4 {
            return Err(MegakernelError::IoExtra { variant: name, tensor: "velocity_out" });
        }
        match (variant, has(Io::YOut)) {
            (Variant::Step, false) => Err(MegakernelError::IoMissing { variant: name, tensor: "y_out" }),
            (Variant::Block | Variant::Steps4, true) => {
                Err(MegakernelError::IoExtra { variant: name, tensor: "y_out" })
            }
            _ => Ok(()),
        }
    }
}

/// The DRAM tensors that stay while the whole loop is run again: noise, state, result, velocities.
pub fn steps4_io(layout: &ArenaLayout, taps: bool) -> Result<Vec<(IoName, TensorSpec)>> {
    let cfg = layout.cfg();
    let [rows, wide, width] = [cfg.m_pad(), cfg.a_pad(), cfg.width()].map(|n| n as usize);
    let mut tensors = vec![
        (IoName::XT, TensorSpec::new([rows, wide], DataFormat::F32)?),
        (IoName::StateFeatures, TensorSpec::row_major([1, width], DataFormat::Bf16)?),
        (IoName::ActionPred, TensorSpec::new([rows, wide], DataFormat::F32)?),
    ];
    if taps {
        let shape = [cfg.steps as usize * rows, wide];
        tensors.push((IoName::VelocityOut, TensorSpec::new(shape, DataFormat::Bf16)?));
    }
    Ok(tensors)
}

/// Refuses a table whose pages are not its rows.
pub fn check_row_pages(name: &'static str, spec: &TensorSpec) -> Result<()> {
    let columns = spec.shape().last().copied().unwrap_or(0) as u32;
    let row = columns * spec.format().element_bytes().unwrap_or(0);
    if spec.page_size() == row {
        return Ok(());
    }
    Err(MegakernelError::RowPage { name, page: spec.page_size(), row })
}

/// Refuses a tensor whose pages are not whole tiles.
pub fn check_tile_pages(name: &'static str, spec: &TensorSpec) -> Result<()> {
    let tile = spec.format().tile_bytes();
    if spec.page_size() == tile {
        return Ok(());
    }
    Err(MegakernelError::TilePage { name, page: spec.page_size(), tile })
}

/// Bytes of the rows that the kernels read: 0 for a table that is absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowBytes {
    /// Of biases.
    pub bias: u32,
    /// Of scales and shifts of the layer norms.
    pub adaln: u32,
    /// Of the state.
    pub state: u32,
    /// Of the second bias of the action encoder, which has a row for each step.
    pub b2: u32,
    /// Of future tokens.
    pub future: u32,
}

impl RowBytes {
    /// Of a layout.
    pub const fn of(layout: &ArenaLayout) -> RowBytes {
        let cfg = layout.cfg();
        let row = 2 * cfg.width();
        RowBytes {
            bias: 2 * super::tables::bias_table_width(cfg),
            adaln: row,
            state: row,
            b2: row,
            future: if cfg.n_fut > 0 { row } else { 0 },
        }
    }
}
