//! Tensors that stay in DRAM while the whole denoising loop runs again and again: programs keep their addresses.

use crate::dit::arena::ArenaLayout;
use crate::dit::bindings::{place_noise, place_state};
use crate::dit::error::{MegakernelError, Result};
use crate::dit::io::{IoName, check_row_pages, check_tile_pages, steps4_io};
use ttl::prelude::*;

/// Noise, state, result, and the velocity of every step if it is asked for.
#[derive(Clone, Debug)]
pub struct Steps4Io {
    /// [64, a_pad].
    pub x_t: Tensor<f32>,
    /// [1, width], row-major.
    pub state_features: Tensor<bf16>,
    /// [64, a_pad].
    pub action_pred: Tensor<f32>,
    /// [steps * 64, a_pad].
    pub velocity_out: Option<Tensor<bf16>>,
}

impl Steps4Io {
    /// Zeros in the shapes of [`steps4_io`].
    pub(super) fn allocate(device: &mut Device, layout: &ArenaLayout, taps: bool) -> Result<Steps4Io> {
        let specs = steps4_io(layout, taps)?;
        let shape = |name: IoName| specs.iter().find(|(io, _)| *io == name).map(|(_, spec)| spec.shape().to_vec());
        let need =
            |name: IoName| shape(name).ok_or(MegakernelError::IoMissing { variant: "steps4", tensor: name.name() });
        let x_t = device.zeros::<f32>("x_t", &need(IoName::XT)?)?;
        let state_features =
            device.zeros_row_major::<bf16>("state_features", &need(IoName::StateFeatures)?, MemoryConfig::Dram)?;
        let action_pred = device.zeros::<f32>("action_pred", &need(IoName::ActionPred)?)?;
        let velocity_out = match shape(IoName::VelocityOut) {
            Some(shape) => Some(device.zeros::<bf16>("velocity_out", &shape)?),
            None => None,
        };
        check_tile_pages("x_t", x_t.spec())?;
        check_row_pages("state_features", state_features.spec())?;
        check_tile_pages("action_pred", action_pred.spec())?;
        if let Some(velocity) = &velocity_out {
            check_tile_pages("velocity_out", velocity.spec())?;
        }
        Ok(Steps4Io { x_t, state_features, action_pred, velocity_out })
    }

    /// Writes noise [1, H, A_max] and state features (as many as the network is wide) in place.
    pub(super) fn set(
        &self,
        device: &mut Device,
        layout: &ArenaLayout,
        noise: &HostTensor,
        state: &HostTensor,
    ) -> Result<()> {
        let (noise, state) = (place_noise(layout.cfg(), noise)?, place_state(layout.cfg(), state)?);
        device.write(&self.x_t, &noise)?;
        Ok(device.write(&self.state_features, &state)?)
    }

    pub(super) fn free(self, device: &mut Device) -> Result<()> {
        device.free(self.x_t)?;
        device.free(self.state_features)?;
        device.free(self.action_pred)?;
        match self.velocity_out {
            Some(velocity) => Ok(device.free(velocity)?),
            None => Ok(()),
        }
    }
}
