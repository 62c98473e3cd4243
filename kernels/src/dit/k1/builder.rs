//! Settings of the megakernel on a device, checked before it is one.

use super::launcher::DitMegakernel;
use super::plan::Constants;
use crate::dit::arena::{ArenaLayout, ArenaPart};
use crate::dit::budget::{CbBudget, K4Budget, Policy};
use crate::dit::config::DitConfig;
use crate::dit::core_map::CoreMap;
use crate::dit::error::{MegakernelError, Result};
use crate::dit::knobs::HubKnobs;
use ttl::prelude::Device;

/// Settings of a [`DitMegakernel`] to be.
#[derive(Debug)]
pub struct Builder {
    pub(super) cfg: DitConfig,
    pub(super) layout: ArenaLayout,
    pub(super) map: CoreMap,
    pub(super) device: Device,
    pub(super) policy: Policy,
    pub(super) k1_extras: bool,
    pub(super) left_out: u32,
}

impl Builder {
    /// Reads in flight per ring.
    pub fn ring_depth(mut self, depth: u32) -> Builder {
        self.policy.rings.ring_depth = depth;
        self
    }

    /// Writes in flight per reader core.
    pub fn relay_window(mut self, window: u32) -> Builder {
        self.policy.rings.relay_window = window;
        self
    }

    /// The buffers of the matmul-only program.
    pub fn k1_budget(mut self, budget: CbBudget) -> Builder {
        self.policy.k1 = budget;
        self
    }

    /// The buffers of the full program.
    pub fn k4_budget(mut self, budget: K4Budget) -> Builder {
        self.policy.k4 = budget;
        self
    }

    /// How the hub sends.
    pub fn hub(mut self, knobs: HubKnobs) -> Builder {
        self.policy.hub = knobs;
        self
    }

    /// All of it.
    pub fn policy(mut self, policy: Policy) -> Builder {
        self.policy = policy;
        self
    }

    /// Whether the tensors of K1 alone are made by `upload`, before anything else divides L1.
    pub fn k1_extras(mut self, extras: bool) -> Builder {
        self.k1_extras = extras;
        self
    }

    /// Leaves out a rule of the protocol ([`rules`](super::plan::rules)): for tests of the tests.
    #[doc(hidden)]
    pub fn leave_out(mut self, rule: u32) -> Builder {
        self.left_out = rule;
        self
    }

    /// The megakernel, with nothing on the device yet. An error where budgets, rings or the order of shards do not fit the layout.
    pub fn build(self) -> Result<DitMegakernel> {
        let Builder { cfg, layout, map, device, policy, k1_extras, left_out } = self;
        policy.check(&cfg, &layout)?;
        let (ring_pages, k_block) = (policy.k1.cb_w.pages(&layout)?, layout.k_block_bytes_max());
        // A K-block of two pages must not run over the end of the ring.
        if !(ring_pages * layout.page_bytes()).is_multiple_of(k_block) {
            return Err(MegakernelError::RingPages { bytes: ring_pages * layout.page_bytes(), page: k_block });
        }
        let constants = Constants {
            banks: cfg.banks,
            bank_tiles: layout.tiles_per_bank(ArenaPart::Stream) as u32,
            ring_pages,
            relay_pages: policy.k1.relay_pages(&layout),
            ring_depth: policy.rings.ring_depth,
            relay_window: policy.rings.relay_window,
            receivers: map.n_cores() - 1,
            mcast_split: policy.hub.mcast_split,
            left_out,
        };
        map.check_shard_order(map.compute_set().as_slice())?;
        Ok(DitMegakernel::new(cfg, layout, map, device, constants, k1_extras))
    }
}
