//! What can be switched: variants of the program, debugging, profiling.

use super::error::{MegakernelError, Result};

/// How much of the loop a K4 program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Some blocks of one step.
    Block = 0,
    /// All blocks and the output head of one step.
    Step = 1,
    /// The whole loop.
    Steps4 = 2,
}

impl Variant {
    /// All of them.
    pub const VARIANTS: [Variant; 3] = [Variant::Block, Variant::Step, Variant::Steps4];

    /// As arguments call it.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Block => "block",
            Variant::Step => "step",
            Variant::Steps4 => "steps4",
        }
    }

    /// The one of this name; an error if there is none.
    pub fn from_name(name: &str) -> Result<Variant> {
        Variant::VARIANTS
            .into_iter()
            .find(|variant| variant.name() == name)
            .ok_or_else(|| MegakernelError::UnknownVariant { name: name.to_owned() })
    }

    /// Refuses a call that another variant is for.
    pub fn require(self, call: &'static str, need: Variant) -> Result<()> {
        if self == need {
            return Ok(());
        }
        Err(MegakernelError::Variant { call, need: need.name(), got: self.name() })
    }
}

/// What a block program leaves in x instead of its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum DebugKnob {
    /// Nothing is left out.
    #[default]
    Off = 0,
    /// Without the residual of the feed-forward part.
    SkipGResidual = 1,
    /// The core's own tile of the first layer norm, and of the second.
    DumpH1 = 2,
    /// The same of the second layer norm.
    DumpH2 = 3,
    /// The tiles of ff1.
    DumpF1 = 4,
    /// The tiles of ff2.
    DumpG = 5,
    /// The received row of h, and of h2.
    DumpAH1 = 6,
    /// The same of h2.
    DumpAH2 = 7,
    /// ff1 without GELU.
    F1NoGelu = 8,
    /// Queries of the head cores.
    DumpQ = 9,
    /// Attention output of the head cores.
    DumpO = 10,
}

impl DebugKnob {
    /// All of them.
    pub const KNOBS: [DebugKnob; 11] = [
        DebugKnob::Off,
        DebugKnob::SkipGResidual,
        DebugKnob::DumpH1,
        DebugKnob::DumpH2,
        DebugKnob::DumpF1,
        DebugKnob::DumpG,
        DebugKnob::DumpAH1,
        DebugKnob::DumpAH2,
        DebugKnob::F1NoGelu,
        DebugKnob::DumpQ,
        DebugKnob::DumpO,
    ];

    /// As compile-time arguments call it.
    pub const fn name(self) -> &'static str {
        match self {
            DebugKnob::Off => "OFF",
            DebugKnob::SkipGResidual => "SKIP_G_RESIDUAL",
            DebugKnob::DumpH1 => "DUMP_H1",
            DebugKnob::DumpH2 => "DUMP_H2",
            DebugKnob::DumpF1 => "DUMP_F1",
            DebugKnob::DumpG => "DUMP_G",
            DebugKnob::DumpAH1 => "DUMP_A_H1",
            DebugKnob::DumpAH2 => "DUMP_A_H2",
            DebugKnob::F1NoGelu => "F1_NO_GELU",
            DebugKnob::DumpQ => "DUMP_Q",
            DebugKnob::DumpO => "DUMP_O",
        }
    }
}

/// The hub's second processor sends this many quarters of every multicast over the other NoC; 0 sends all over one.
pub const K4_MCAST_SPLIT: u32 = 2;
/// A profiler zone for each round of the hub: 11 per block. Off for profiles of a whole step, which have room for 250 markers per processor.
pub const K4_ZONE_ROUNDS: u32 = 1;
/// The variable of the environment for [`K4_MCAST_SPLIT`].
pub const MCAST_SPLIT_VARIABLE: &str = "GR00T_MK_MCAST_SPLIT";
/// The variable of the environment for [`K4_ZONE_ROUNDS`].
pub const ZONE_ROUNDS_VARIABLE: &str = "GR00T_MK_ZONE_ROUNDS";

/// Switches of the hub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HubKnobs {
    /// Pieces of a multicast.
    pub mcast_split: u32,
    /// Whether each round is a profiler zone: 0 or 1.
    pub zone_rounds: u32,
}

impl Default for HubKnobs {
    fn default() -> HubKnobs {
        HubKnobs { mcast_split: K4_MCAST_SPLIT, zone_rounds: K4_ZONE_ROUNDS }
    }
}

impl HubKnobs {
    /// From the environment.
    pub fn from_env() -> Result<HubKnobs> {
        HubKnobs::from_variables(|name| std::env::var(name).ok())
    }

    /// From variables by name; defaults where there are none.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<HubKnobs> {
        let number = |name: &'static str, default: u32, most: u32, range: &'static str| match variable(name) {
            None => Ok(default),
            Some(value) => match value.trim().parse() {
                Ok(number) if number <= most => Ok(number),
                _ => Err(MegakernelError::Environment { name, value, range }),
            },
        };
        Ok(HubKnobs {
            mcast_split: number(MCAST_SPLIT_VARIABLE, K4_MCAST_SPLIT, 4, "0..=4")?,
            zone_rounds: number(ZONE_ROUNDS_VARIABLE, K4_ZONE_ROUNDS, 1, "0..=1")?,
        })
    }

    /// Whether the share of the multicast is one.
    pub const fn check(&self) -> Result<()> {
        if self.mcast_split > 4 {
            return Err(MegakernelError::McastSplit { quarters: self.mcast_split });
        }
        Ok(())
    }
}
