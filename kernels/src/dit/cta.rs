//! The compile-time names of the kernels.
//!
//! The same kernel sources serve the matmul-only and the full program, and a name that a program does not give fails the build. So the names
//! are fields of structs: a program that leaves one out does not compile, and what it does not use is 0, or [`NA`] for a tensor.
//! The coordinates are a struct of their own, without a default: 0 is a coordinate, and a filler could not be told from it.

use std::collections::BTreeMap;

use super::arena::ArenaLayout;
use super::budget::{K4Budget, RingPolicy, cb_land_bytes};
use super::io::{Io, IoList, IoName, NA};
use super::knobs::{DebugKnob, HubKnobs};

macro_rules! names {
    ($(#[$doc:meta])* $struct:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $struct {
            $($(#[$field_doc])* #[doc = concat!("The name `", stringify!($field), "`.")] pub $field: u32,)*
        }

        impl $struct {
            /// The names, in order.
            pub const NAMES: &[&str] = &[$(stringify!($field)),*];

            /// Every field the same.
            pub const fn filled(value: u32) -> $struct {
                $struct { $($field: value,)* }
            }

            /// Names with values.
            pub fn values(&self) -> Vec<(&'static str, u32)> {
                vec![$((stringify!($field), self.$field),)*]
            }
        }
    };
}

names! {
    /// Of every program.
    ProgramCtas {
        /// 1 for the modes of the matmul-only program.
        mk_k1,
        mk_ring_depth,
        mk_relay_window,
        /// The index of the first of our common runtime words.
        mk_rt_base,
        /// The slot of the keys of the first cross block.
        mk_io_kv_base,
    }
}

names! {
    /// Circular buffers of the matmul-only program.
    K1Cbs {
        cb_a,
        cb_w,
        cb_bias,
        cb_acc,
        cb_mm0,
        cb_relay,
    }
}

names! {
    /// Circular buffers that only the full program has.
    K4Cbs {
        cb_x,
        cb_tw,
        cb_mod,
        cb_stat,
        cb_h,
        cb_q,
        cb_k,
        cb_v,
        cb_mask,
        cb_s,
        cb_p,
        cb_ml,
        cb_o,
        cb_part,
        cb_row,
        cb_scalar,
        cb_f1,
    }
}

names! {
    /// Circular buffers of the hub.
    K4HubCbs {
        k4_land,
        k4_x_t,
        k4_v,
        k4_hub_bias,
    }
}

names! {
    /// Numbers of the full program.
    K4Ctas {
        k4_tw_tiles,
        k4_sdpa_slots,
        k4_nt_a,
        k4_velocity_out_present,
        k4_zone_rounds,
        k4_mcast_split,
        cb_land_bytes,
        k4_debug_knobs,
    }
}

names! {
    /// Coordinates that are known when a program is put on a device.
    MaterialiseCtas {
        mcast_noc_x0,
        mcast_noc_y0,
        mcast_noc_x1,
        mcast_noc_y1,
        hub_noc_x,
        hub_noc_y,
        hub1_noc_x,
        hub1_noc_y,
    }
}

/// The f32 buffers of the full program whose tiles go to the tile registers at full precision.
pub const K4_UNPACK_FP32_CBS: [&str; 8] =
    ["cb_stat", "cb_acc", "cb_s", "cb_ml", "cb_o", "cb_part", "k4_land", "k4_x_t"];

/// The slots of the named tensors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IoSlots([u32; IoName::NAMES.len()]);

impl IoSlots {
    /// As a list has them; [`NA`] for the others.
    pub fn of(list: &IoList) -> IoSlots {
        IoSlots(IoName::NAMES.map(|name| list.slot(Io::Named(name))))
    }

    /// The slot of a tensor.
    pub const fn get(&self, name: IoName) -> u32 {
        self.0[name as usize]
    }

    /// Names of slots, and the slots.
    pub fn values(&self) -> Vec<(&'static str, u32)> {
        IoName::NAMES.into_iter().map(|name| (name.slot_name(), self.get(name))).collect()
    }
}

/// Everything that both programs give, but for the coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelCtas {
    /// Of every program.
    pub program: ProgramCtas,
    /// Slots of tensors.
    pub io: IoSlots,
    /// Buffers of the matmul-only program.
    pub k1_cbs: K1Cbs,
    /// Buffers of compute cores of the full program.
    pub k4_cbs: K4Cbs,
    /// Buffers of the hub of the full program.
    pub hub_cbs: K4HubCbs,
    /// Of the full program.
    pub k4: K4Ctas,
}

impl KernelCtas {
    /// Of the matmul-only program; `rt_base` words of common arguments come before ours.
    pub fn k1(rings: RingPolicy, rt_base: u32, cbs: K1Cbs) -> KernelCtas {
        KernelCtas {
            program: ProgramCtas {
                mk_k1: 1,
                mk_ring_depth: rings.ring_depth,
                mk_relay_window: rings.relay_window,
                mk_rt_base: rt_base,
                mk_io_kv_base: NA,
            },
            io: IoSlots::of(&IoList::k1()),
            k1_cbs: cbs,
            k4_cbs: K4Cbs::filled(0),
            hub_cbs: K4HubCbs::filled(0),
            k4: K4Ctas::filled(0),
        }
    }

    /// Of the full program.
    pub fn k4(layout: &ArenaLayout, io: &IoList, program: &K4Program) -> KernelCtas {
        KernelCtas {
            program: ProgramCtas {
                mk_k1: 0,
                mk_ring_depth: program.rings.ring_depth,
                mk_relay_window: program.rings.relay_window,
                mk_rt_base: program.rt_base,
                mk_io_kv_base: io.kv_base(),
            },
            io: IoSlots::of(io),
            k1_cbs: program.k1_cbs,
            k4_cbs: program.k4_cbs,
            hub_cbs: program.hub_cbs,
            k4: K4Ctas {
                k4_tw_tiles: program.budget.tw_tiles,
                k4_sdpa_slots: program.budget.sdpa_slots,
                k4_nt_a: layout.cfg().nt_a(),
                k4_velocity_out_present: u32::from(io.slot(Io::Named(IoName::VelocityOut)) != NA),
                k4_zone_rounds: program.hub.zone_rounds,
                k4_mcast_split: program.hub.mcast_split,
                cb_land_bytes: cb_land_bytes(layout.cfg()),
                k4_debug_knobs: u32::from(program.debug != DebugKnob::Off),
            },
        }
    }

    /// Every name with its value.
    pub fn values(&self) -> BTreeMap<&'static str, u32> {
        let groups = [
            self.program.values(),
            self.io.values(),
            self.k1_cbs.values(),
            self.k4_cbs.values(),
            self.hub_cbs.values(),
            self.k4.values(),
        ];
        groups.into_iter().flatten().collect()
    }
}

/// What the names of a full program come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct K4Program {
    /// Depth of the rings.
    pub rings: RingPolicy,
    /// The index of the first of our common runtime words.
    pub rt_base: u32,
    /// The sizes of buffers.
    pub budget: K4Budget,
    /// Switches of the hub.
    pub hub: HubKnobs,
    /// What is left out or shown.
    pub debug: DebugKnob,
    /// Buffers of the matmul-only program: fillers.
    pub k1_cbs: K1Cbs,
    /// Buffers of compute cores.
    pub k4_cbs: K4Cbs,
    /// Buffers of the hub.
    pub hub_cbs: K4HubCbs,
}

/// The names that every program gives, without the coordinates.
pub fn kernel_cta_union() -> Vec<&'static str> {
    let io = IoName::NAMES.map(IoName::slot_name);
    let groups: [&[&str]; 6] = [ProgramCtas::NAMES, &io, K1Cbs::NAMES, K4Cbs::NAMES, K4HubCbs::NAMES, K4Ctas::NAMES];
    groups.concat()
}

/// The names of the coordinates.
pub const MATERIALISE_CTAS: &[&str] = MaterialiseCtas::NAMES;

/// Gives a hand-made table of names the ones it lacks; returns how many. Never a coordinate.
pub fn fill_missing_ctas(table: &mut BTreeMap<String, u32>, names: &[&str], value: u32) -> usize {
    let missing: Vec<&&str> =
        names.iter().filter(|name| !MATERIALISE_CTAS.contains(name) && !table.contains_key(**name)).collect();
    for name in &missing {
        table.insert((**name).to_owned(), value);
    }
    missing.len()
}
